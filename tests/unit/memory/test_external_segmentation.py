"""Words, sentences and languages. Oracle: by hand; jieba's own cut for Chinese words."""

import subprocess
import sys

import pytest

from guardrail.errors import MissingExtra
from guardrail.memory.external import segmentation
from guardrail.memory.external.segmentation import language, split_sentences, words


class TestLanguage:
    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("", "en"),
            ("1921", "en"),
            ("Straße in Zürich", "en"),
            ("北京是首都", "zh"),
            ("苹果公司的 iPhone 销量上升", "zh"),
            ("The word 中文 means Chinese language", "en"),
            ("東京は日本の首都です", "other"),
            ("서울은 한국의 수도이다", "other"),
            ("Москва", "other"),
        ],
    )
    def test_by_script(self, text, expected):
        """Han without kana is Chinese, Latin is taken for English."""
        assert language(text) == expected


class TestWords:
    def test_english(self):
        """Lower case, no marks, contractions whole."""
        assert words("Dr. No isn’t here (1962).") == ["dr", "no", "isn't", "here", "1962"]

    def test_chinese(self):
        """By jieba, marks left out, Latin words whole."""
        pytest.importorskip("jieba")
        assert words("我来到北京清华大学，买了iPhone。") == [
            "我",
            "来到",
            "北京",
            "清华大学",
            "买",
            "了",
            "iphone",
        ]

    def test_a_run_without_marks(self, monkeypatch):
        """Long ones are cut before jieba, whose time grows with the square of one; nothing is lost."""
        given = []

        class Cutter:
            def lcut(self, text):
                given.append(text)
                return [text]

        monkeypatch.setattr(segmentation, "_jieba", Cutter)
        text = "天气很好" * 501
        assert "".join(words(text)).replace("\n", "") == text
        assert [len(piece) for piece in given[0].split("\n")] == [500, 500, 500, 500, 4]

    def test_words_of_a_run(self):
        """They are cut as ever."""
        assert words("你" * 1_100) == ["你"] * 1_100

    def test_nothing(self):
        """A text of marks has no words."""
        assert words("…!?") == []

    def test_without_jieba(self, monkeypatch):
        """The message holds the command that installs it."""
        monkeypatch.setitem(sys.modules, "jieba", None)
        segmentation._jieba.cache_clear()
        segmentation._words.cache_clear()
        try:
            with pytest.raises(MissingExtra, match=r"guardrail-sdk\[chinese\]"):
                words("没有词典")
        finally:
            segmentation._jieba.cache_clear()

    def test_quiet_and_no_file(self, tmp_path):
        """jieba logs nothing and leaves no table in the shared temporary folder."""
        pytest.importorskip("jieba")
        code = "from guardrail.memory.external.segmentation import words; words('我来到北京')"
        found = subprocess.run(
            [sys.executable, "-W", "error", "-c", code],
            env={"TMPDIR": str(tmp_path), "PATH": ""},
            capture_output=True,
            text=True,
            check=False,
        )
        assert (found.returncode, found.stdout, found.stderr) == (0, "", "")
        assert list(tmp_path.iterdir()) == []


class TestSentences:
    def test_closing_quotes(self):
        """They stay with the sentence that they close."""
        text = "他问：“真的吗？”没人回答。（完。）最后一句"
        assert split_sentences(text) == ["他问：“真的吗？”", "没人回答。", "（完。）", "最后一句"]

    def test_no_sentence(self):
        """Marks alone are none."""
        assert split_sentences("。！", language="zh") == []

    def test_english(self):
        """As elsewhere in the package."""
        assert split_sentences("She met Dr. Who. He left.") == ["She met Dr. Who.", "He left."]
