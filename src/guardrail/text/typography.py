"""One spelling of typography, so that a sentence and a document can be compared: quotation marks, hyphens, blanks, ligatures.

Documents come out of PDFs and web pages, answers out of models: the same words differ in what nobody reads.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter

from guardrail.text.splicing import spliced

_ONE_EACH = {
    "'": "’‘‚‛ʼʹ′´`‹›",
    '"': "”“„‟«»″〝〞〟",
    "-": "‐‑‒–−﹣－",
    " ": "\t\v\f\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(map(chr, range(0x2000, 0x200B))),
    "/": "⁄∕",
}
_NOTHING = "\xad\u200b\u200c\u200d\u200e\u200f\u2060\ufeff\ufe0e\ufe0f" + "".join(
    map(chr, range(0x202A, 0x202F))
)
_SPELT = str.maketrans(
    {sign: one for one, signs in _ONE_EACH.items() for sign in signs} | dict.fromkeys(_NOTHING, "")
)
_POWER = re.compile(r"(?<=\d)(?=[²³¹⁰⁴-⁹⁻])")  # 10² is not 102
_FRACTION = re.compile(r"(?<=\d)(?=[¼-¾⅐-⅞])")  # 3½ is not 31/2
_LETTER = r"[^\W\d_]"
_BROKEN = re.compile(rf"(?<={_LETTER})-(?P<gap>[ \t]*\r?\n[ \t]*| )(?={_LETTER})")
_WORD = re.compile(rf"{_LETTER}+")
_LONGEST = 40  # characters of half a word
_AND = frozenset("and or to nor und oder bis bzw et ou y o e u ed en of och eller og".split())  # noqa: SIM905  # reads better than quoted words


def normalised(text: str) -> str:
    r"""The text in one spelling of typography; case, words and line breaks stay.

    Ligatures, full-width and sub- or superscript characters become plain ones, all apostrophes `'`, all quotation marks `"`,
    all short dashes `-`, all blanks one kind; characters of no width go, and so does the hyphen of a word that is broken.

    Example:
        >>> normalised("“Wolf-\ngang’s” ﬁrst 1\u202f200 m² of H₂O, 5–10\xa0°C; a Main- tenance of two- and three-year plans")
        '"Wolfgang\'s" first 1 200 m2 of H2O, 5-10 °C; a Maintenance of two- and three-year plans'
    """
    if not text.isascii():
        text = _FRACTION.sub(" ", _POWER.sub("^", text))
        text = unicodedata.normalize("NFKC", text.translate(_SPELT)).translate(_SPELT)
    else:
        text = text.translate(_SPELT)
    return _joined(text) if "-" in text else text


def _joined(text: str) -> str:
    """The words that a hyphen and a line end, or a blank, broke."""
    breaks = [(found, *_halves(text, found)) for found in _BROKEN.finditer(text)]
    if not breaks:
        return text
    known = Counter(map(str.casefold, _WORD.findall(text)))
    known.subtract(half.casefold() for _, *halves in breaks for half in halves)
    return spliced(
        text,
        (
            (*found.span(), put)
            for found, before, behind in breaks
            if (put := _between(before, behind, known, line="\n" in found["gap"])) is not None
        ),
    )


def _halves(text: str, found: re.Match[str]) -> tuple[str, str]:
    """The letters before and behind a break."""
    before = text[max(0, found.start() - _LONGEST) : found.start()]
    letters = next((i for i, one in enumerate(reversed(before)) if not one.isalpha()), len(before))
    behind = _WORD.match(text, found.end(), found.end() + _LONGEST)
    return before[len(before) - letters :], behind[0] if behind else ""


def _between(before: str, behind: str, known: Counter[str], *, line: bool) -> str | None:
    """What goes between two halves: nothing, a hyphen, or `None` = all stays as it is.

    A half that is a word of its own elsewhere in the text speaks for a compound ("well-known").
    """
    if behind.casefold() in _AND:
        return None
    if known[(before + behind).casefold()] > 0:
        return ""
    if not behind[:1].islower() or known[behind.casefold()] > 0:
        return "-" if line else None
    return ""
