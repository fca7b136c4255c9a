"""Words and sentences of English and Chinese text, and which of the two a text is.

The language is recognised by the script alone: no model, no word list. That is enough to choose how to cut words and which
prompt to send; it cannot distinguish English from French.
"""

from __future__ import annotations

import re
import warnings
from functools import cache, lru_cache
from typing import Any, Literal, TypeAlias

from guardrail.errors import MissingExtra
from guardrail.text.sentences import split_sentences as _split_sentences

Language: TypeAlias = Literal["en", "zh", "other"]

_HAN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af]")
_KANA = re.compile("[\u3041-\u30ff\uff66-\uff9d]")
_LATIN = re.compile("[A-Za-z\u00c0-\u024f]+")
_WORD = re.compile(r"\w+(?:['’]\w+)*")
# jieba takes such a run as one piece, in time that grows with the square of its length; longer ones are cut
_RUN = re.compile(r"[\u4e00-\u9fd5a-zA-Z0-9+#&._%-]{500}")
_END = re.compile(r"(?:[。！？｡]|[!?]|…{1,2}|\n)+[”’」』》）)\"']*")


def language(text: str) -> Language:
    """The language that a text's script indicates.

    "zh" where Han characters outweigh words in Latin letters and there is no kana; "en" where at least half of the
    letters are Latin; else "other". A text without letters counts as "en".

    Example:
        >>> language("Paris is a city."), language("巴黎是城市。"), language("Linux 是系统。"), language("Это город.")
        ('en', 'zh', 'zh', 'other')
    """
    han = len(_HAN.findall(text))
    latin = _LATIN.findall(text)
    if han and han > len(latin):
        return "other" if 20 * len(_KANA.findall(text)) > han else "zh"
    letters = sum(map(str.isalpha, text))
    return "en" if 2 * sum(map(len, latin)) >= letters else "other"


def words(text: str, *, language: Language | None = None) -> list[str]:
    """The words of a text, lower-cased, without marks; Chinese is cut by jieba.

    Args:
        text: any text.
        language: by default what `language` says; only "zh" is cut otherwise than at blanks and marks.

    Raises:
        MissingExtra: the text is Chinese, and jieba is not installed.

    Example:
        >>> words("He didn't leave Paris (1921).")
        ['he', "didn't", 'leave', 'paris', '1921']
    """
    return list(_words(text, language or _language(text)))


def split_sentences(text: str, *, language: Language | None = None) -> list[str]:
    """The sentences of a text, in order; closing quotes stay with the sentence that they close.

    Example:
        >>> split_sentences("他说：“我来了。”然后走了！真的？")
        ['他说：“我来了。”', '然后走了！', '真的？']
    """
    if (language or _language(text)) != "zh":
        return _split_sentences(text)
    found, start = [], 0
    for match in _END.finditer(text):
        found.append(text[start : match.end()].strip())
        start = match.end()
    found.append(text[start:].strip())
    return [one for one in found if any(map(str.isalnum, one))]


_language = language  # the arguments of the same name hide it


@lru_cache(maxsize=4_096)
def _words(text: str, language: Language) -> tuple[str, ...]:
    if language == "zh":
        cut = [token.strip().lower() for token in _jieba().lcut(_RUN.sub(r"\g<0>\n", text))]
        return tuple(token for token in cut if any(map(str.isalnum, token)))
    return tuple(word.lower().replace("’", "'") for word in _WORD.findall(text))


@cache
def _jieba() -> Any:
    """A tokenizer of our own: the library's would log, and keep its table in the temporary folder that all share."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # it asks for a part of setuptools that says it is going away
            import jieba
    except ImportError as error:
        raise MissingExtra("jieba, which cuts Chinese text into words,", extra="chinese") from error
    tokenizer = jieba.Tokenizer()
    tokenizer.FREQ, tokenizer.total = tokenizer.gen_pfdict(tokenizer.get_dict_file())
    tokenizer.initialized = True
    return tokenizer
