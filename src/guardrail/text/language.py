"""The language that a text is in, by the model of py3langid, which knows 139.

The first text loads it: .8 s and 100 MB. It gives probabilities that can be believed; where they are low, a hint decides.
Figures: `docs/design/grounding.md`, "Languages".
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from typing import Any

from guardrail._toml import packaged

_SURE = 0.3
"""The least probability of a language, with those it is mistaken for, that counts; below it, a text does not show one."""
_CLEAR = 0.75
"""From this probability on, a language is distinguished from those that it is mistaken for."""
_TIMES = 20
"""A text may be in the language that was expected unless another is more than so many times likelier."""

_MERGED: Mapping[str, str] = {"wuu": "zh", "yue": "zh", "arz": "ar", "ary": "ar", "nn": "no"}
"""Labels of the model that are written like another language: they count as that."""

_CLOSE: Sequence[Sequence[str]] = (
    ("id", "ms"),
    ("hi", "ne", "mr"),
    ("sv", "no", "da"),
    ("hr", "bs", "sr"),
    ("bg", "mk"),
)
"""Languages that the model mistakes for each other; the first has the most text on the web."""


_READ = 1_000  # characters of a text that the model reads, in half a millisecond
_DENSE = 2.5  # letters of Latin script that say as much as one Chinese character, or two of others
_LOOKED_AT = 8_000  # characters in which these are looked for
_ADDRESS = re.compile(r"https?://\S+")
_QUOTATION = re.compile(r"""["“”„«「『][^"“”«»」』\n]{0,300}["“”»」』]""")
_LATIN = re.compile(r"[A-Za-zÀ-ɏ]+")
_OTHER = re.compile(r"[^\x00-ɏ\u2000-\u303f]+")


def language(text: str, *, hint: str = "") -> str:
    """The ISO 639-1 code of the language that most of a text is in, by its first thousand characters with letters.

    Quotations, addresses and the letters of the rarer script do not count.

    Args:
        text: any text.
        hint: the language to expect, of a question or a document: taken where the text is too short to say ("OK.",
            "Paris"), and where it may be in either of two that are close (Indonesian and Malay).

    Returns:
        "" where the text has no letters, or does not show a language and there is no hint. Never an error.

    Example:
        >>> language("The library was opened in 1904 by the mayor of the town."), language("1904", hint="de")
        ('en', '')
        >>> language("Die Bibliothek wurde 1904 eröffnet.", hint="en"), language("OK.", hint="en"), language("OK.")
        ('de', 'en', '')
    """
    read = _letters(text)
    if not read:
        return ""
    found = _probabilities(read)
    totals = dict(found)
    for group in _CLOSE:
        likeliest = max(group, key=lambda code: found.get(code, 0.0))
        totals[likeliest] = sum(found.get(code, 0.0) for code in group)
    best = max(totals, key=totals.__getitem__)
    if _TIMES * found.get(hint, 0.0) >= found[best] or totals[best] < _SURE:
        return hint
    if found[best] >= _CLEAR:
        return best
    return next((group[0] for group in _CLOSE if best in group), best)


def language_name(code: str) -> str:
    """What English calls a language; of the rarer ones the code.

    Example:
        >>> language_name("de"), language_name("yo")
        ('German', 'the language yo')
    """
    name: str = packaged("guardrail.text", "languages.toml").get(code, f"the language {code}")
    return name


def _letters(text: str) -> str:
    """What decides: the words of a text that have a letter, as much of them as is read."""
    looked_at = _ADDRESS.sub(" ", text[:_LOOKED_AT])
    own, every = _words(_QUOTATION.sub(" ", looked_at)), _words(looked_at)
    return own if 2 * len(own) >= len(every) else every  # a list of quotations is in their language


def _words(text: str) -> str:
    words = " ".join(word for word in text.split() if any(map(str.isalpha, word)))[:_READ]
    latin, other = (sum(map(len, pattern.findall(words))) for pattern in (_LATIN, _OTHER))
    if not latin or not other:
        return words
    return (_OTHER if latin > _DENSE * other else _LATIN).sub(" ", words)


@lru_cache(maxsize=256)  # documents come again, with each answer and while one is streamed
def _probabilities(text: str) -> Mapping[str, float]:
    """The probability of each language that has a two-letter code, and of those that are merged into one."""
    found: dict[str, float] = {}
    for label, probability in _model().rank(text):
        code = _MERGED.get(label, label)
        found[code] = found.get(code, 0.0) + probability
    return found


@cache
def _model() -> Any:
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    model = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    model.set_languages([one for one in model.labels if len(one) == 2 or one in _MERGED])
    return model
