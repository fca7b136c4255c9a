"""Chinese names and short answers in one spelling, so that what is the same compares equal.

Full and half width, blanks, case, accents, traditional and simplified characters, marks around a name, the dynasty
before a poet's name, and names that a poet is known by besides his own.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping
from functools import cache, lru_cache

from guardrail._toml import packaged
from guardrail.errors import MissingExtra

_HAN = re.compile("[\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af]")
_TITLE = re.compile("《[^《》]*》")
_GLOSS = re.compile(r"\([^()]*\)|\[[^\[\]]*\]|〔[^〔〕]*〕|【[^【】]*】|〈[^〈〉]*〉")
_DYNASTY = re.compile(
    "(?:先秦|西汉|东汉|三国|两晋|西晋|东晋|南朝|北朝|南北朝|初唐|盛唐|中唐|晚唐|五代|南唐|后蜀|北宋|南宋"
    "|[秦汉魏晋隋唐宋辽金元明清])"
    "(?:(?:代|朝)(?:[·・•‧∙]|(?:著名|大)?(?:诗人|词人|文学家))?|[·・•‧∙]|(?:著名|大)?(?:诗人|词人|文学家))"
)
# letters and digits, and marks that tell names apart: C, C++ and C#; 1.5 and 15; −5 and 5
_TELLING = re.compile(r"[^\W_]|(?<=\w)[+#]+(?!\w)|(?<=\d)\.(?=\d)|(?<![\w)])[-−–](?=\d)")
_SHORT = 200  # characters: longer texts are not remembered
_ACCENTS = re.compile("[\u0300-\u036f]")


def has_han(text: str) -> bool:
    """Whether there is a Chinese character in it.

    Example:
        >>> has_han("王之涣"), has_han("Paris, 巴黎"), has_han("パリ")
        (True, True, False)
    """
    return _HAN.search(text) is not None


def simplified(text: str) -> str:
    """Traditional characters as simplified ones (OpenCC, t2s); text without Chinese characters as it is.

    Raises:
        MissingExtra: there are Chinese characters and OpenCC is not installed.
    """
    return _converter()(text) if has_han(text) else text


def chinese_name_key(text: str) -> str:
    """What is left of a name for comparison; two spellings of one name have one key.

    Dropped: blanks, punctuation, accents of Latin letters, case, glosses in brackets, a title in 《》 next to the
    name, a dynasty before it. Traditional characters become simplified, other names of a poet (`names.toml`) his own.
    "" for a text without letters and digits.

    Raises:
        MissingExtra: there are Chinese characters and OpenCC is not installed.

    Example:
        >>> chinese_name_key("São Tomé"), chinese_name_key("ＰＡＲＩＳ."), chinese_name_key("N'Djamena")
        ('saotome', 'paris', 'ndjamena')
        >>> chinese_name_key("C++"), chinese_name_key("C"), chinese_name_key("−1.5"), chinese_name_key("15.")
        ('c++', 'c', '-1.5', '15')
    """
    return _name_key(text) if len(text) <= _SHORT else _name_key.__wrapped__(text)


@lru_cache(maxsize=1 << 14)
def _name_key(text: str) -> str:
    plain = unicodedata.normalize("NFKC", text)
    for pattern in (_TITLE, _GLOSS):
        rest = pattern.sub(" ", plain)
        plain = rest if _letters(rest) else plain
    if not has_han(plain):
        return _letters(plain)
    plain = simplified(plain).strip()
    rest = _DYNASTY.sub("", plain, count=1) if _DYNASTY.match(plain) else plain
    key = _letters(rest) or _letters(plain)
    return _own_names().get(key, key)


def text_key(text: str) -> str:
    """What is left of a text for comparison: its letters and digits, in one width, case and script.

    So are marks that distinguish names: "++" and "#" behind a letter, a decimal point, a minus.

    Raises:
        MissingExtra: there are Chinese characters and OpenCC is not installed.

    Example:
        >>> text_key("Côte d’Ivoire"), text_key("１２ Ｂ")
        ('cotedivoire', '12b')
    """
    return _text_key(text) if len(text) <= _SHORT else _text_key.__wrapped__(text)


@lru_cache(maxsize=1 << 14)
def _text_key(text: str) -> str:
    return _letters(simplified(unicodedata.normalize("NFKC", text)))


def _letters(text: str) -> str:
    bare = _ACCENTS.sub("", unicodedata.normalize("NFD", text.casefold()))
    telling = "".join(_TELLING.findall(unicodedata.normalize("NFC", bare)))
    return telling.replace("−", "-").replace("–", "-")


@cache
def _own_names() -> Mapping[str, str]:
    names = packaged("guardrail.memory.internal", "names.toml")
    return {_letters(other): own for own, others in names.items() for other in others}


@cache
def _converter() -> Callable[[str], str]:
    try:
        from opencc import OpenCC
    except ImportError as error:
        raise MissingExtra(
            "OpenCC, which compares traditional with simplified Chinese,", extra="chinese"
        ) from error
    convert: Callable[[str], str] = OpenCC("t2s").convert
    return convert
