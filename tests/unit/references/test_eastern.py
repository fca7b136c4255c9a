"""References in Chinese, Japanese and Korean answers. The works are made up; what is expected was read by hand."""

from __future__ import annotations

import pytest
from tests.effort import ends

from guardrail.references.citations import Citation, citations
from guardrail.references.citations.eastern_names import last_name, names
from guardrail.references.citations.eastern_tail import behind
from guardrail.references.citations.tagging import packaged_tagger


def _fields(one: Citation) -> tuple[str, tuple[str, ...], int | None, str]:
    return one.reference.title, one.reference.authors, one.reference.year, one.reference.venue


def _read(text: str) -> list[tuple[str, tuple[str, ...], int | None, str]]:
    return [_fields(one) for one in citations(text, tagger=packaged_tagger())]


def _spans(text: str) -> list[str]:
    return [one.span.of(text) for one in citations(text, tagger=packaged_tagger())]


class TestNames:
    @pytest.mark.parametrize(
        ("written", "expected"),
        [
            ("曹永和", (("曹永和",), False)),
            ("岸田一郎與古川史健合著", (("岸田一郎", "古川史健"), False)),
            ("李大海著，洪小如、陳一丰等譯", (("李大海",), False)),
            ("田中一郎・鈴木花子著、山本健二訳", (("田中一郎", "鈴木花子"), False)),
            ("芦田信喜（高山和之補訂）", (("芦田信喜",), False)),
            ("[美] 约翰·史密斯", (("约翰·史密斯",), False)),
            ("존 A. 스미스 지음, 이영희·박민수 옮김", (("존 A. 스미스",), False)),
            ("김철수, 박민수와 이영희", (("김철수", "박민수", "이영희"), False)),
            ("全国园林与绿地标准化委员会", (("全国园林与绿地标准化委员会",), False)),
            ("Vasquez 等", (("Vasquez",), True)),
            ("スミス，J．", (("スミス，J",), False)),
        ],
    )
    def test_roles_helpers_and_nations_are_no_part_of_a_name(self, written, expected):
        """Whoever translated or revised the work is no author."""
        assert names(written) == expected

    @pytest.mark.parametrize("written", ["정원은 김철수", "进入新世纪以来的园林研究者", ""])
    def test_words_of_a_sentence_are_no_names(self, written):
        """Neither in Korean, where blanks part words, nor in Chinese."""
        assert names(written) is None

    def test_a_name_begins_with_a_family_name_in_a_run_of_signs(self):
        """顺带推荐王小明: nothing parts the name from the verb."""
        assert (last_name("顺带推荐王小明", ""), last_name("园林的价值", "")) == ("王小明", "")


class TestBehindATitle:
    @pytest.mark.parametrize(
        ("text", "authors", "year", "venue"),
        [
            ("，王小明著，生活·读书·新知三联书店", ("王小明",), None, "生活·读书·新知三联书店"),
            ("（第六版）（上、下），法律出版社2021年版。", (), 2021, "法律出版社"),
            ("（修订本，北京大学出版社1998年版），", (), 1998, "北京大学出版社"),
            ("，吳小人譯，時報文化，1999。", (), 1999, "時報文化"),
            ("（葉小燕譯，究竟，2014）", (), 2014, "究竟"),
            ("。台北：遠流。", (), None, "遠流"),
            ("** | 존 A. 스미스 지음, 이영희 옮김 | 까치 | 2013 (제4판)", ("존 A. 스미스",), 2013, "까치"),
            ("(전 2권), 나남, 1996", (), 1996, "나남"),
            ("（田中一郎、講談社、2015年）", ("田中一郎",), 2015, "講談社"),
            ("（高木ら、EMNLP 2020）", ("高木",), 2020, "EMNLP"),
            ("（1923—1924）", (), 1923, ""),
            ("，中文版由商务印书馆于2012年出版。", (), 2012, "商务印书馆"),
        ],
    )
    def test_the_parts_are_read_one_by_one(self, text, authors, year, venue):
        """In whatever order, with bars, full-width marks or brackets between them."""
        found = behind("《园林》" + text, 4, authors=not authors)
        assert (found.authors, found.year, found.venue) == (authors, year, venue)

    @pytest.mark.parametrize("text", ["——好书，值得一读", "的作者，1998年", "、《庭院》", "は定番です"])
    def test_commentary_is_no_part(self, text):
        """Nor is the next title of a row."""
        assert behind("《园林》" + text, 4, authors=False).end == 4

    def test_a_second_title_is_the_journal_of_an_article(self):
        """《题名》，《期刊》第3期."""
        found = behind("《园林》，《中国园林》第3期。", 4, authors=True)
        assert (found.venue, found.end) == ("中国园林", 14)


class TestStrings:
    def test_the_standard_ends_with_pages(self):
        """What follows a reference of GB/T 7714 in a sentence is not taken with it, nor what introduces it."""
        text = "最早见于论文：王小明.园林综述[J].园林学报,2007(7):36-50. 时间紧就读这篇。"
        assert _spans(text) == ["王小明.园林综述[J].园林学报,2007(7):36-50"]


class TestSentences:
    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            (
                "法理方面顺带推荐王小明老师的《园林讲义》（法律出版社，1996），很有名。",
                ("园林讲义", ("王小明",), 1996, "法律出版社"),
            ),
            (
                "与之相配的，是王小明、李大海、赵一鸣合著的《三十年园林》（修订本，北京大学出版社1998年版）。",
                ("三十年园林", ("王小明", "李大海", "赵一鸣"), 1998, "北京大学出版社"),
            ),
            (
                "进入新世纪，王德海在《园林的现代性》（宋小杰译，北京大学出版社，2005）中提出了新说。",
                ("园林的现代性", ("王德海",), 2005, "北京大学出版社"),
            ),
            (
                "中世史の側からは網田善彦が『庭園の原理』（平凡社、1978年）で論じた。",
                ("庭園の原理", ("網田善彦",), 1978, "平凡社"),
            ),
            (
                "その論考は『古代庭園』（大岡書店、1929–30年）にまとめられている。",
                ("古代庭園", (), 1929, "大岡書店"),
            ),
            ("『忘れられた庭』は1960年に未来社から刊行された。", ("忘れられた庭", (), 1960, "未来社")),
            (
                "정원사라면 김철수의 『정원의 역사』(푸른숲, 2010)가 좋습니다.",
                ("정원의 역사", ("김철수",), 2010, "푸른숲"),
            ),
            (
                "代表性论文包括“Gardens Are All You Need”（Vasquez 等，2017）。",
                ("Gardens Are All You Need", ("Vasquez",), 2017, ""),
            ),
        ],
    )
    def test_who_is_named_before_a_title(self, text, expected):
        """With roles, particles and adverbs between the name and the title."""
        assert _read(text) == [expected]

    def test_a_title_that_comes_again_is_the_same_work(self):
        """读《园林史》时: the main title of a work that was named before."""
        text = "推荐王小明《园林史：北方的庭院》（商务印书馆，2001）。读《园林史》时要做笔记，《中国园林》是期刊。"
        assert _spans(text) == ["王小明《园林史：北方的庭院》（商务印书馆，2001）", "《园林史》"]


class TestLists:
    @pytest.mark.parametrize(
        ("head", "row"),
        [
            ("| 书名 | 作者 | 出版社 | 出版年份 |", "| 《园林史》 | 王小明、李大海 | 山河出版社 | 2010年 |"),
            ("| 書名 | 著者 | 出版社 | 刊行年 |", "| 『园林史』 | 王小明、李大海 | 山河出版社 | 2010 |"),
            ("| 제목 | 저자 | 출판사 | 출판연도 |", "| 《园林史》 | 王小明、李大海 | 山河出版社 | 2010년 |"),
        ],
    )
    def test_tables(self, head, row):
        """Heads of columns in the three languages."""
        assert _read(f"{head}\n|---|---|---|---|\n{row}\n") == [
            ("园林史", ("王小明", "李大海"), 2010, "山河出版社")
        ]


class TestMarks:
    def test_full_width_brackets_and_commas(self):
        """（Smith，2012）, Brown（2018）, 第5页."""
        text = (
            "绿地有益（王小明，2010；Smith & Jones，2012）。Brown（2018）不同意（Lee et al.，2019，第5页）。"
        )
        assert _spans(text) == [
            "王小明，2010",
            "Smith & Jones，2012",
            "Brown（2018）",
            "Lee et al.，2019，第5页",
        ]


class TestTime:
    @pytest.mark.parametrize(
        "piece", ["《甲》", "王小明《甲乙》", "《甲》，王小明著，", "《甲》（", "王（2001）", "由"]
    )
    def test_many_titles_take_little_time(self, piece):
        """Linear in the length, and titles in brackets are counted."""
        text = piece * (100_000 // len(piece))
        with ends():
            citations(text)


class TestFurtherShapes:
    """Of answers that mix the scripts, and of lists with slashes, emoji and bold labels."""

    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            (
                "1. **『庭の歴史』田中一郎（緑書房、2001年）**：通史です。",
                ("庭の歴史", ("田中一郎",), 2001, "緑書房"),
            ),
            ("- 📘 《林论》（孙立新 / 商务印书馆 / 2009）", ("林论", ("孙立新",), 2009, "商务印书馆")),
            (
                "5. 《花鸟》，[日] 山田太郎，译者：钱多多，新星出版社，2015",
                ("花鸟", ("山田太郎",), 2015, "新星出版社"),
            ),
            ("1. 김철수 저, 『정원의 역사』, 푸른숲 (2010)", ("정원의 역사", ("김철수",), 2010, "푸른숲")),
            (
                '2. 박민수, "도시 녹지 연구," 『도시학보』, 제12권 3호, 2011, pp. 15-30.',
                ("도시 녹지 연구", ("박민수",), 2011, "도시학보"),
            ),
            (
                "최근에는 김철수의 <정원의 역사>(푸른숲, 2010)가 있습니다.",
                ("정원의 역사", ("김철수",), 2010, "푸른숲"),
            ),
        ],
    )
    def test_one_work(self, text, expected):
        """Title, authors, year and publisher."""
        assert _read(text) == [expected]

    def test_authors_in_brackets_without_a_year(self):
        """《园林史》（王小明）: a family name shows that it is one."""
        assert _read("《园林史》（王小明）是入门经典，《园林史料》（上海）不是。") == [
            ("园林史", ("王小明",), None, "")
        ]
