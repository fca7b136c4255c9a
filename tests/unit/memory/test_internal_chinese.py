"""Chinese names in one spelling."""

import sys

import pytest

from guardrail._toml import packaged
from guardrail.errors import MissingExtra
from guardrail.memory.internal import chinese
from guardrail.memory.internal.chinese import chinese_name_key, has_han, simplified, text_key


class TestNameKey:
    @pytest.mark.parametrize(
        "spelling",
        [
            "王之涣",
            "王之渙",  # traditional
            " 王 之 涣 ",
            "　王之涣。",  # full-width blank and stop
            "《登鹳雀楼》王之涣",
            "王之涣《登鸛雀樓》",
            "唐·王之涣",
            "唐代・王之渙",
            "〔唐〕王之涣",
            "【唐】王之涣",
            "(唐)王之涣",
            "王之涣（688年—742年）",
            "唐代诗人王之涣",
            "唐代王之涣",
            "唐朝·王之渙",
            "「王之涣」",
            "“王之涣”",
            "**王之涣**",
        ],
    )
    def test_one_poet(self, spelling):
        """Width, script, blanks, marks, a title and a dynasty beside the name make no difference."""
        assert chinese_name_key(spelling) == "王之涣"

    @pytest.mark.parametrize(
        ("spelling", "own"),
        [
            ("李太白", "李白"),
            ("杜子美", "杜甫"),
            ("白樂天", "白居易"),
            ("香山居士", "白居易"),
            ("李隆基", "明皇帝"),
        ],
    )
    def test_other_names(self, spelling, own):
        """Style names and pen names are their poet's, in either script."""
        assert chinese_name_key(spelling) == chinese_name_key(own)

    @pytest.mark.parametrize(
        ("first", "second"),
        [
            ("杜甫", "杜牧"),
            ("李白", "李贺"),
            ("王维", "王勃"),
            ("宋之问", "宋祁"),
            ("元稹", "元结"),
            ("秦观", "秦韬玉"),
        ],
    )
    def test_others(self, first, second):
        """Different poets stay different, also where the surname is a dynasty's name."""
        assert chinese_name_key(first) != chinese_name_key(second)

    def test_a_dynasty_is_no_name_to_drop(self):
        """宋之问 and 元稹 keep their surnames: only a dynasty with a dot, or as "poet of", is dropped."""
        assert chinese_name_key("宋之问") == "宋之问"
        assert chinese_name_key("唐") == "唐"

    def test_a_title_alone(self):
        """A title stands for itself where nothing else does."""
        assert chinese_name_key("《静夜思》") == "静夜思"

    @pytest.mark.parametrize(
        ("first", "second"),
        [
            ("São Tomé", "sao tome"),
            ("ＰＡＲＩＳ", "Paris."),
            ("N'Djamena", "N’Djamena"),
            ("Port-au-Prince", "Port au Prince"),
            ("Washington, D.C.", "Washington DC"),
            ("Straße", "STRASSE"),
        ],
    )
    def test_latin(self, first, second):
        """Case, accents, width and marks make no difference."""
        assert chinese_name_key(first) == chinese_name_key(second)

    @pytest.mark.parametrize(
        ("first", "second"),
        [("C", "C++"), ("C", "C#"), ("C#", "C++"), ("15", "1.5"), ("5", "-5"), ("5", "−5")],
    )
    def test_marks_that_tell_apart(self, first, second):
        """Different names and numbers stay different where a mark is all that differs."""
        assert chinese_name_key(first) != chinese_name_key(second)

    @pytest.mark.parametrize(
        ("first", "second"), [("-5", "−5."), ("1.5", "（1.5）"), ("C++", "c++."), ("1914-1918", "1914–1918")]
    )
    def test_marks_that_do_not(self, first, second):
        """The same name stays the same, with a stop or another dash."""
        assert chinese_name_key(first) == chinese_name_key(second)

    @pytest.mark.parametrize("text", ["", " ", "?!", "《》", "（）", "·"])
    def test_nothing(self, text):
        """No letters, no key."""
        assert chinese_name_key(text) == ""

    def test_a_long_text(self):
        """Long ones have keys too, and are not remembered."""
        before = chinese._name_key.cache_info().currsize
        assert chinese_name_key("Ab " * 100) == "ab" * 100
        assert text_key("Ab " * 100) == "ab" * 100
        assert chinese._name_key.cache_info().currsize == before

    def test_table_of_other_names(self):
        """Every entry is simplified, and no name has two owners."""
        owners = {}
        for own, others in packaged("guardrail.memory.internal", "names.toml").items():
            for name in (own, *others):
                assert simplified(name) == name
                assert owners.setdefault(name, own) == own


class TestTextKey:
    def test_keeps_brackets_content(self):
        """A text is compared whole: only a name has glosses."""
        assert text_key("白日（山）") == "白日山"
        assert text_key("白日依山盡，黃河入海流。") == "白日依山尽黄河入海流"


class TestHasHan:
    @pytest.mark.parametrize(
        ("text", "found"), [("耿𣲗", True), ("〇", True), ("ひらがな", False), ("abc", False)]
    )
    def test_any_script(self, text, found):
        """Rare characters beyond the basic plane too; kana are none."""
        assert has_han(text) is found


class TestWithoutTheExtra:
    def test_says_how_to_install(self, monkeypatch):
        """Chinese text needs OpenCC, and says so; other text does not."""
        monkeypatch.setitem(sys.modules, "opencc", None)
        chinese._converter.cache_clear()
        chinese._name_key.cache_clear()
        try:
            assert chinese_name_key("Paris") == "paris"
            with pytest.raises(MissingExtra, match=r"guardrail-sdk\[chinese\]"):
                chinese_name_key("王之涣")
        finally:
            chinese._converter.cache_clear()
            chinese._name_key.cache_clear()
