"""The language that a text is in, by py3langid's model of 139 languages (139 × 32,000 weights, 4.6 MB).

The model is loaded by the first text (.8 s, 100 MB) and says how sure it is; where it is not, a hint decides. Figures:
`docs/design/language.md`.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

__all__ = ["language"]

_SURE = 0.5
"""The least probability of a language, with those it is mistaken for, that counts; below it, a text does not show one."""
_CLEAR = 0.75
"""From this probability on, a language is told from those that it is mistaken for."""
_PLAUSIBLE = 0.1
"""From this probability on, a text may be in the language that was expected."""

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
_LOOKED_AT = 8_000  # characters in which these are looked for
_NO_LANGUAGE = re.compile(r"https?://\S+|[\w.+-]{1,64}@[\w.-]+")  # addresses
_loading = threading.Lock()


def language(text: str, *, hint: str = "") -> str:
    """The ISO 639-1 code of the language that most of a text is in, by its first thousand characters with letters.

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
    best = max(found, key=lambda code: (sum(found.get(one, 0.0) for one in _mistaken(code)), found[code]))
    close = _mistaken(best)
    if found.get(hint, 0.0) >= _PLAUSIBLE or sum(found.get(one, 0.0) for one in close) < _SURE:
        return hint
    return best if found[best] >= _CLEAR else close[0]


def _mistaken(code: str) -> Sequence[str]:
    """The languages that this one is mistaken for, and itself."""
    return next((group for group in _CLOSE if code in group), (code,))


def _letters(text: str) -> str:
    """The words of a text that have a letter, as much of them as is read."""
    words = _NO_LANGUAGE.sub(" ", text[:_LOOKED_AT]).split()
    return " ".join(word for word in words if any(map(str.isalpha, word)))[:_READ]


def _probabilities(text: str) -> dict[str, float]:
    """The probability of each language that has a two-letter code, and of those that are merged into one."""
    found: dict[str, float] = {}
    for label, probability in _model().rank(text):
        code = _MERGED.get(label, label)
        found[code] = found.get(code, 0.0) + probability
    return found


def _model() -> Any:
    with _loading:
        return _loaded()


@cache
def _loaded() -> Any:
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    model = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    model.set_languages([one for one in model.labels if len(one) == 2 or one in _MERGED])
    return model
