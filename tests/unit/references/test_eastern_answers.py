"""Shapes of whole answers in Chinese, Japanese and Korean. The works are made up; what is expected was read by hand."""

from __future__ import annotations

import pytest

from guardrail.references.citations import citations
from guardrail.references.citations.eastern_names import names
from guardrail.references.citations.evidence import lead_in

Fields = tuple[str, tuple[str, ...], int | None, str]


def _read(text: str) -> list[Fields]:
    found = [one.reference for one in citations(text)]
    return [(said.title, said.authors, said.year, said.venue) for said in found]


class TestListItems:
    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("- 『庭・水・石』 ― 田中一郎、緑書房、1978", ("庭・水・石", ("田中一郎",), 1978, "緑書房")),
            ("・田中一郎『庭の歴史』山野図書、2001：定番", ("庭の歴史", ("田中一郎",), 2001, "山野図書")),
            (
                "・『庭の設計』メアリー・スミス著／山﨑花子訳、ミドリ社：手引き",
                ("庭の設計", ("メアリー・スミス",), None, "ミドリ社"),
            ),
            (
                "**『はじめての庭園学』田中一郎・山田花子・平川研二（緑社、2010年）**",
                ("はじめての庭園学", ("田中一郎", "山田花子", "平川研二"), 2010, "緑社"),
            ),
            (
                "　1）田中一郎『庭学のすすめ』緑社（2000年） … 入門",
                ("庭学のすすめ", ("田中一郎",), 2000, "緑社"),
            ),
            ("1. 《园林史》第7版，园林出版社", ("园林史", (), None, "园林出版社")),
            ("▸ 王小明，《園林行為法》：必備。", ("園林行為法", ("王小明",), None, "")),
            (
                "1. 《园林学》（第9版），主编：王小明、李小兰，园卫社 2018",
                ("园林学", ("王小明", "李小兰"), 2018, "园卫社"),
            ),
            (
                "1. 《园林系统》（GSAPP，原书第3版）——Ann E. Roe / Jo R. O'Poe 著，园林出版社，2016",
                ("园林系统", ("Ann E. Roe", "Jo R. O'Poe"), 2016, "园林出版社"),
            ),
            ("王小明. 2004. 园林综述[J]. 园林学报, 5(3): 1-6.", ("园林综述", ("王小明",), 2004, "园林学报")),
            (
                "[4] ROE G L. Notes on the growth of garden trees: Part 1. Background[J]. Garden Sources, 2004, 134(2): 252-261.",
                (
                    "Notes on the growth of garden trees: Part 1. Background",
                    ("ROE G L",),
                    2004,
                    "Garden Sources",
                ),
            ),
            (
                "- Ann Roe（羅安），*How Gardens Became Parks*，2008",
                ("How Gardens Became Parks", ("Ann Roe",), 2008, ""),
            ),
            (
                "2. 정병수(2006). 『정원: 숲과 물의 형성』. 돌베나.",
                ("정원: 숲과 물의 형성", ("정병수",), 2006, "돌베나"),
            ),
            (
                "1. **『숲의 아이』** — 대니얼 J. 로우, 티나 페인 포",
                ("숲의 아이", ("대니얼 J. 로우", "티나 페인 포"), None, ""),
            ),
            ("・田中元『新しい庭』（ガーデン・2015年）：実例", ("新しい庭", ("田中元",), 2015, "ガーデン")),
            ("・田中一郎『庭の思想』（緑新書 青版434、1961年）", ("庭の思想", ("田中一郎",), 1961, "緑新書")),
            ("・M・スミス『庭の誕生』佐藤花訳、緑社、1977年", ("庭の誕生", ("M・スミス",), 1977, "緑社")),
            ("・よしのはなこ『庭石』（緑文庫）", ("庭石", ("よしのはなこ",), None, "緑文庫")),
            (
                "1. **庭の人間関係**（田中一郎、緑新書、1967年）",
                ("庭の人間関係", ("田中一郎",), 1967, "緑新書"),
            ),
            ("1. **园林中国**（王小明著，1948年）：奠基之作", ("园林中国", ("王小明",), 1948, "")),
            ("- 朱小心〈古園〉，收於同名小說集（麥田，1997）：名篇", ("古園", ("朱小心",), 1997, "麥田")),
            ("- 王小明《園林史》（三冊），臺北：正中書局，1968", ("園林史", ("王小明",), 1968, "正中書局")),
            (
                "王小明. 园林史: 源起. 李大海译. 上海：上海人民出版社，2011.",
                ("园林史: 源起", ("王小明",), 2011, "上海人民出版社"),
            ),
            (
                "[1] [美]史坚. 园林结构[M]. 李大海, 赵一鸣, 译. 北京: 园林出版社, 1998.",
                ("园林结构", ("史坚",), 1998, "园林出版社"),
            ),
            (
                "[1] Roe K. A Gift of Trees[J]. Gard. Chem. Int. Ed., 2016, 55: 1-9.",
                ("A Gift of Trees", ("Roe K",), 2016, "Gard. Chem. Int. Ed."),
            ),
            ("1. 김철수, 『한국정원사 1·2』, 푸른숲, 2002.", ("한국정원사", ("김철수",), 2002, "푸른숲")),
            (
                "1. 제임스 스미스, 이영희 역, 『정원』, 푸른숲, 2015.",
                ("정원", ("제임스 스미스",), 2015, "푸른숲"),
            ),
            (
                "1. 김철수(호산), 『정원과 21세기』, 통나무, 1999",
                ("정원과 21세기", ("김철수",), 1999, "통나무"),
            ),
            (
                "1. 《园林简史》—— 王小明（著），李大海（译），园林出版社，2009",
                ("园林简史", ("王小明",), 2009, "园林出版社"),
            ),
            (
                "1. 王小明口述，李大海撰写：《上园记》，三联书店，2006年",
                ("上园记", ("王小明", "李大海"), 2006, "三联书店"),
            ),
            ("1. 《园记》（西汉·司马小明）", ("园记", ("司马小明",), None, "")),
            (
                "・ジョン・スミス／山田洋監訳『庭園論』1〜4（緑文庫、2000〜01年）",
                ("庭園論", ("ジョン・スミス",), 2000, "緑文庫"),
            ),
            ("・山田花「石といふ事」『庭學界』1942年6月号", ("石といふ事", ("山田花",), 1942, "庭學界")),
            (
                "1. 김철수·이영희 엮음, 『숲의 통섭』, 이음, 2007",
                ("숲의 통섭", ("김철수", "이영희"), 2007, "이음"),
            ),
            ("- 평전: 『김철수 평전』(이영희) 👍", ("김철수 평전", ("이영희",), None, "")),
            (
                "1. 《숲을 넘어》 – 김철수·이영희·박민수\n   최초의 기록입니다.",
                ("숲을 넘어", ("김철수", "이영희", "박민수"), None, ""),
            ),
            ("1. 『정원』, 김철수 — 대하소설", ("정원", ("김철수",), None, "")),
            ("1. **书名**：《园林史》\n   **作者**：王小明", ("园林史", ("王小明",), None, "")),
        ],
    )
    def test_one_work(self, text, expected):
        """With bars, dots and slashes between the parts, bold titles, labels, volumes and translators."""
        assert _read(text) == [expected]

    def test_neither_headings_nor_plain_sentences_are_works(self):
        """They stand among works, or where works follow."""
        assert _read("**二、参考文献（GB/T 7714—2015）**\n\n[1] 王小明. 园林[M]. 园林出版社, 2007.") == [
            ("园林", ("王小明",), 2007, "园林出版社")
        ]
        assert [one[0] for one in _read("- 소설: 김철수, 「정원」 (1978)\n- 활동: 자료와 소설 비교하기")] == [
            "정원"
        ]

    def test_cells_of_a_table_without_a_year(self):
        """A name of a publisher ends its cell; no row begins in the one before."""
        text = "| 用途 | 推薦 |\n|---|---|\n| 通史 | 周小窈《園林圖說》，聯景 |\n| 新事物（水、石） | 陳小縉《園林初體驗》（麥原，2005） |"
        assert _read(text) == [
            ("園林圖說", ("周小窈",), None, "聯景"),
            ("園林初體驗", ("陳小縉",), 2005, "麥原"),
        ]
        assert [one.span.of(text) for one in citations(text)][1] == "陳小縉《園林初體驗》（麥原，2005）"

    def test_novels_among_films_are_printed(self):
        """Two films are mentioned below the novels."""
        text = "- 김철수 『정원이 온다』 (푸른숲, 2014) : 도시를 그린 소설\n\n읽을 소설 가운데 문학상을 받은 소설입니다. 참고 영상: 영화 〈나무〉(이영희 감독, 2017), 영화 〈물〉(박민수 감독, 1996)"
        assert _read(text) == [("정원이 온다", ("김철수",), 2014, "푸른숲")]

    @pytest.mark.parametrize(
        ("line", "weight"),
        [
            ("推荐几本入门书：", 2.0),
            ("次の本がおすすめです。以下の本：", 2.0),
            ("추천 도서:", 2.0),
            ("写论文的步骤：", -2.0),
            ("책을 읽는 방법:", -2.0),
            ("책임자:", -1.0),
        ],
    )
    def test_the_last_word_says_what_is_listed(self, line, weight):
        """Books and articles, or how to write them."""
        assert lead_in(line) == weight

    def test_publisher_and_year_share_a_column(self):
        """オーム社、2017 below 出版社・年."""
        text = (
            "| 書籍 | 著者 | 出版社・年 |\n|---|---|---|\n| 庭の開発 | Ann Roe（訳：田中一郎） | 緑社、2017 |"
        )
        assert _read(text) == [("庭の開発", ("Ann Roe",), 2017, "緑社")]

    def test_what_somebody_calls_something_is_no_title(self):
        """A few signs in quotes behind a year in brackets."""
        assert _read("比較：歐陽明（2007）的「共生殖民」把荷蘭與漢人放在一起看") == []

    def test_bold_tasks_and_roles_are_no_works(self):
        """Somebody's name and a year behind them are those of whoever does them."""
        assert (
            _read("할 일:\n- **회의 준비** - 김철수\n- **보고서 작성** (이영희, 2024년)\n- 자료 정리하기")
            == []
        )
        assert _read("- **产品发布会**（李娜主持，2020年）\n- **颐和园** - 皇家园林") == []


class TestSentences:
    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            (
                "王小明在2002年第4期的《园林研究》上发表长文《水与石》予以反驳。",
                ("水与石", ("王小明",), 2002, "园林研究"),
            ),
            (
                "Robert C. Roe 等人2011年在 Garden History Review 发表的“Trees and Prices”认为",
                ("Trees and Prices", ("Robert C. Roe",), 2011, "Garden History Review"),
            ),
            (
                "田中一郎が1946年に雑誌『庭園』に発表した「庭の論理」は有名だ。",
                ("庭の論理", ("田中一郎",), 1946, "庭園"),
            ),
            (
                "田中一郎「「庭」を見るのか」（『日本庭園』215号、1998年）です。",
                ("「庭」を見るのか", ("田中一郎",), 1998, "日本庭園"),
            ),
            (
                "王小明先后写了《早期园林》，由园林文献出版社于2000年出版",
                ("早期园林", ("王小明",), 2000, "园林文献出版社"),
            ),
            (
                "2000年，王小明（Ann Wang）出版 *The Great Garden*（Princeton University Press），主张",
                ("The Great Garden", ("王小明",), 2000, "Princeton University Press"),
            ),
            (
                "钱小森1954年出版的《园林论》（On Garden Design，McGraw-Hill）很有名。",
                ("园林论", ("钱小森",), 1954, "McGraw-Hill"),
            ),
            ("可接藍小洲的報導文學《馬車》（時報出版，1991）。", ("馬車", ("藍小洲",), 1991, "時報出版")),
            ("東晋葛小洪《备园方》记载：", ("备园方", ("葛小洪",), None, "")),
            ("田中一郎にも『庭読本』（昭和9年）がある。", ("庭読本", ("田中一郎",), 1934, "")),
            (
                "通史なら山田アジオ（2009）『日本の庭』緑弘文館が手堅い。",
                ("日本の庭", ("山田アジオ",), 2009, "緑弘文館"),
            ),
            ("田中一郎『庭の近代』緑弘文館、2001年が詳しい。", ("庭の近代", ("田中一郎",), 2001, "緑弘文館")),
            ("대표하는 책이 김철수, 『정원』, 푸른숲, 2000입니다.", ("정원", ("김철수",), 2000, "푸른숲")),
            (
                "출판을 다룬 김철수(2003), 『정원』, 푸른숲사도 빼놓을 수 없다.",
                ("정원", ("김철수",), 2003, "푸른숲사"),
            ),
            (
                "비평으로는 김철수의 「정원론」(『숲과비평』, 1969년 여름호)이 좋다.",
                ("정원론", ("김철수",), 1969, "숲과비평"),
            ),
            (
                "이론적 배경으로는 제임스 스미스의 『숲의 말』이 있다.",
                ("숲의 말", ("제임스 스미스",), None, ""),
            ),
            ("같은 저자의 『숲의 말』(녹색출판, 2003)는 쉽다.", ("숲의 말", (), 2003, "녹색출판")),
            ("김철수 교수의 『숲의 말』(푸른숲, 2002)가 있다.", ("숲의 말", ("김철수",), 2002, "푸른숲")),
            ("박민수의 『숲의 역사』(책나무)부터 읽으세요.", ("숲의 역사", ("박민수",), None, "책나무")),
            ("김철수의 「정원연구」(1976, 푸른숲)가 기본이다.", ("정원연구", ("김철수",), 1976, "푸른숲")),
            ("唐小飞那本《园林原理》看不懂很正常。", ("园林原理", ("唐小飞",), None, "")),
            (
                "王小明（Ann Wang）2000年出版的 *The Great Garden*。他认为",
                ("The Great Garden", ("王小明",), 2000, ""),
            ),
            (
                "王小明在The Pattern of the Old Gardens（Stanford University Press，1973）里提出",
                ("The Pattern of the Old Gardens", ("王小明",), 1973, "Stanford University Press"),
            ),
            (
                "他又在《园林研究》2002年第4期发表长文《发展还是内卷？园林与城市》，逐条质疑。",
                ("发展还是内卷？园林与城市", (), 2002, "园林研究"),
            ),
            (
                'Roe 等人2011年在 *Garden History Review* 上的"Trees, prices, and parks, 1738–1925"认为',
                ("Trees, prices, and parks, 1738–1925", ("Roe",), 2011, "Garden History Review"),
            ),
            (
                "王小明2003年在《园林研究》上的文章“园林的历史与变迁”指出",
                ("园林的历史与变迁", ("王小明",), 2003, "园林研究"),
            ),
            (
                "「中世の庭と国家」（『緑書講座日本庭園 2』緑書店、1963年）で論じた。",
                ("中世の庭と国家", (), 1963, "緑書講座日本庭園 2"),
            ),
            (
                "という観点では田中・山田『庭園創造』第3章も参考になる。",
                ("庭園創造", ("田中", "山田"), None, ""),
            ),
            (
                "洋書なら James Roe, *Managing the Risks of Gardens* (Ashgate, 1997) がある。",
                ("Managing the Risks of Gardens", ("James Roe",), 1997, "Ashgate"),
            ),
        ],
    )
    def test_one_work(self, text, expected):
        """With journals before the title, verbs of writing, eras, and particles behind the last part."""
        assert _read(text) == [expected]

    @pytest.mark.parametrize(
        "written", ["시간이 없다면", "发表的论文以", "이론적 배경으로는 제임스 스미스", "例えば、田中一郎"]
    )
    def test_clauses_are_no_names(self, written):
        """Though they are as long as some."""
        assert names(written) is None
