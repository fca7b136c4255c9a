"""References in Chinese, Japanese and Korean answers. The works are made up; what is expected was read by hand."""

from __future__ import annotations

import random
import time

import pytest
from benchmarks.references.answers.labels import answers
from guardrail.references.citations.fields import parse_reference

from guardrail.references.citations import Citation, citations
from guardrail.references.citations.eastern import eastern
from guardrail.references.citations.eastern_names import last_name, names
from guardrail.references.citations.eastern_tail import behind


def _fields(one: Citation) -> tuple[str, tuple[str, ...], int | None, str]:
    return one.reference.title, one.reference.authors, one.reference.year, one.reference.venue


def _read(text: str) -> list[tuple[str, tuple[str, ...], int | None, str]]:
    return [_fields(one) for one in citations(text)]


def _spans(text: str) -> list[str]:
    return [one.span.of(text) for one in citations(text)]


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
    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            (
                "王小明. 绿地与健康. 园林学报, 2010, 3(2): 1-9.",
                ("绿地与健康", ("王小明",), 2010, "园林学报"),
            ),
            (
                "김철수 (2013). 정원의 심리학(2판). 서울: 학지사.",
                ("정원의 심리학", ("김철수",), 2013, "학지사"),
            ),
            (
                "김철수 (2002). 정원의 효과. 한국정원학회지: 도시, 21(2), 487-501.",
                ("정원의 효과", ("김철수",), 2002, "한국정원학회지: 도시"),
            ),
            (
                "이영희 (2012). 녹지의 심리학. 서울대학교 박사학위논문.",
                ("녹지의 심리학", ("이영희",), 2012, "서울대학교"),
            ),
            (
                "山田太郎, 佐藤花子: 木の認識, 電子情報学会論文誌, Vol.90, No.3, pp.10-20 (2007).",
                ("木の認識", ("山田太郎", "佐藤花子"), 2007, "電子情報学会論文誌"),
            ),
            (
                "Vasquez 等，2017，“Gardens Are All You Need”，NeurIPS",
                ("Gardens Are All You Need", ("Vasquez",), 2017, "NeurIPS"),
            ),
            ("Garden-Eval（Huang et al., 2023）：arXiv:2305.00001", ("Garden-Eval", ("Huang",), 2023, "")),
            (
                "園圃問題：[Garden Technical Report](https://arxiv.org/abs/2309.00001)，2023",
                ("Garden Technical Report", (), 2023, ""),
            ),
            ("李大海：“论庭院”，载《园林学报》2010年第3期", ("论庭院", ("李大海",), 2010, "园林学报")),
        ],
    )
    def test_further_forms(self, text, expected):
        """Without brackets around the title, with Latin titles and names, with the journal behind 载."""
        read = eastern(text)
        assert read is not None
        said = read.reference
        assert (said.title, said.authors, said.year, said.venue) == expected

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
            ("其中 Lim（2019）的“On Trees”很有名。", ("On Trees", ("Lim",), 2019, "")),
        ],
    )
    def test_who_is_named_before_a_title(self, text, expected):
        """With roles, particles and adverbs between the name and the title."""
        assert _read(text) == [expected]

    def test_a_title_that_comes_again_is_the_same_work(self):
        """读《园林史》时: the main title of a work that was named before."""
        text = "推荐王小明《园林史：北方的庭院》（商务印书馆，2001）。读《园林史》时要做笔记，《中国园林》是期刊。"
        assert _spans(text) == ["王小明《园林史：北方的庭院》（商务印书馆，2001）", "《园林史》"]

    @pytest.mark.parametrize(
        "text",
        [
            "学校的《学生手册》规定，《规章制度》由教务处2019年修订。",
            "根据《园林法典》第1165条和《消费者法》（2013年修正），可以赔偿。",
            "推荐几首歌：周小伦的《青花》、《七里》。",
            "추천 영화: 봉준수의 《기생》(2019).",
            "小贴士：《天使》（1995）原是第三个故事，导演是王小明。",
            "1. 《流浪》（2019年，王小明执导）：科幻片。\n2. 《药》（2018）——李大海导演",
        ],
    )
    def test_laws_films_and_songs_are_no_works(self, text):
        """A maker and a year alone show nothing beside such words."""
        assert _read(text) == []

    def test_bulleted_sentences_are_no_titles(self):
        """Notes below a list that was asked for."""
        text = "参考文献：\n- 文献覆盖了园林的发展脉络，适合放在引言第一段；\n- 请按学校要求调整年份的位置。"
        assert citations(text, asked_for_references=True) == []


class TestLists:
    @pytest.mark.parametrize("marks", ["・", "①②③", "（1）（2）", "一、二、"])
    def test_markers(self, marks):
        """Bullets in the middle of the line, circled numbers, full-width brackets, numerals with a comma."""
        first, second = {"・": ("・", "・"), "①②③": ("①", "②"), "（1）（2）": ("（1）", "（2）")}.get(
            marks, ("一、", "二、")
        )
        text = f"{first}王小明《园林史》，商务印书馆，2001年\n{second}李大海《庭院论》，中华书局，1999年\n"
        found = citations(text)
        assert [(one.marker, one.reference.authors) for one in found] == [
            (first, ("王小明",)),
            (second, ("李大海",)),
        ]

    def test_labelled_lines(self):
        """作者：…, 出版社：…，2000年 below a title."""
        text = "1. **《园林研究方法》（第2版）**\n   - 作者：[美] 约翰·史密斯 著，王小明 译\n   - 出版社：华夏出版社，2009年\n   - 推荐理由：很细。"
        assert _read(text) == [("园林研究方法", ("约翰·史密斯",), 2009, "华夏出版社")]

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

    def test_a_name_within_words_is_that_of_an_entry(self):
        """初学者可参考罗小德（2005）; Korean names joined by 과; Japanese family names."""
        entries = "罗小德，2005，《园林讲义》，北京：商务印书馆。\n김철수, 박민수 (2001). 정원의 효과. 한국정원학회지, 1(1), 1-9.\n田中一郎（2003）『庭の歴史』緑書房"
        text = f"初学者可参考罗小德（2005）。우울은 김철수와 박민수(2001)가 측정하였다. 田中（2003）を参照。\n\n{entries}"
        marks = [one for one in citations(text) if one.style == "author-year"]
        assert [(one.span.of(text), one.means is not None) for one in marks] == [
            ("罗小德（2005）", True),
            ("김철수와 박민수(2001)", True),
            ("田中（2003）", True),
        ]


class TestTime:
    @pytest.mark.parametrize(
        "piece", ["《甲》", "王小明《甲乙》", "《甲》，王小明著，", "《甲》（", "王（2001）", "由"]
    )
    def test_many_titles_take_little_time(self, piece):
        """Linear in the length, and titles in brackets are counted."""
        text = piece * (100_000 // len(piece))
        start = time.perf_counter()
        citations(text)
        assert time.perf_counter() - start < 6.0


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

    def test_the_identifier_among_the_bullets_below(self):
        """**Title**（authors, year）, a remark, and "- arXiv: …"."""
        text = "**Residual Gardens for Tree Recognition**（高木ら、EMNLP 2020）\n- 木を数える手法です。\n- arXiv: https://arxiv.org/abs/2004.00001\n"
        [one] = citations(text)
        assert (one.reference.arxiv, one.reference.authors, one.reference.et_al) == (
            "2004.00001",
            ("高木",),
            True,
        )
        assert one.span.of(text) == text.strip()

    def test_a_name_in_other_letters_than_the_title_accuses_nobody(self):
        """Its record has the name in Latin letters."""
        text = (
            "夏小清（C. T. Hsia）的 *A History of Chinese Gardens*（Yale University Press, 1961）影响很大。"
        )
        assert [(one.reference.authors, one.style) for one in citations(text)] == [(("夏小清",), "unmarked")]

    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            (
                "2. 李大海，赵一鸣.城市绿地[J].园林学报，2015，(3)：10-20.",
                ("城市绿地", ("李大海", "赵一鸣"), 2015, "园林学报"),
            ),
            ("1. 王小明.《园林史》[M].北京：商务印书馆，2001.", ("园林史", ("王小明",), 2001, "商务印书馆")),
            (
                "- 「庭園と社会」（佐藤花子、2010年、『社会学評論』60巻2号）",
                ("庭園と社会", ("佐藤花子",), 2010, "社会学評論"),
            ),
            (
                "- 김철수, 「도시 녹지」, 『도시학보』 제12권 제3호, 한국도시학회, 2011, 15-30쪽",
                ("도시 녹지", ("김철수",), 2011, "도시학보"),
            ),
            (
                '- 최지은(2018), "숲과 시간", 도시연구, 3(1), pp.5-20.',
                ("숲과 시간", ("최지은",), 2018, "도시연구"),
            ),
            (
                "1. **田中一郎（2001）『庭の歴史』緑書房** — 通史。",
                ("庭の歴史", ("田中一郎",), 2001, "緑書房"),
            ),
        ],
    )
    def test_journals_and_houses_in_other_places(self, text, expected):
        """Behind the year, before a society, in a bracket, before the end of bold letters."""
        assert _read(text) == [expected]

    def test_authors_in_brackets_without_a_year(self):
        """《园林史》（王小明）: a family name shows that it is one."""
        assert _read("《园林史》（王小明）是入门经典，《园林史料》（上海）不是。") == [
            ("园林史", ("王小明",), None, "")
        ]


def test_a_title_may_end_the_string():
    """Nothing says where it appeared: an author, a year and a title with a period."""
    said = parse_reference("김철수(2016). 갈대의 노래.")
    assert (said.title, said.authors, said.year, said.venue) == ("갈대의 노래", ("김철수",), 2016, "")


def test_references_that_are_cut_off_are_read():
    """Anywhere, as in a stream that broke off, and with a period behind: none raises an error."""
    source = random.Random(20261126)
    whole = [label.span.of(one.text) for one in answers("seen") for label in one.labels]
    for text in source.sample(whole, 800):
        for end in (source.randrange(1, len(text) + 1), len(text)):
            for cut in (text[:end], text[:end].rstrip(" .,") + ".", text[end // 2 :]):
                parse_reference(cut)
