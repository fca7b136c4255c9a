"""Whether two names may be one venue: pure functions on words, good to confirm and never to refute.

Venues have too many names ("NIPS", "NeurIPS", "Advances in Neural Information Processing Systems 30") for a
difference between two of them to mean anything.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from guardrail.references.bibliography.normalise import normalise, squeeze
from guardrail.references.bibliography.titles import FUNCTION_WORDS

__all__ = ["same_venue"]

# Words that stand before or behind any conference's name. Not "journal", "workshop", "findings": another venue.
_GENERIC = (
    "proceedings proc annual meeting conference conf international intl ieee acm cvf vol volume no number pp pages "
    "preprint eprint abs st nd rd th"
)
GENERIC = frozenset(_GENERIC.split())
MEETINGS = frozenset({"proceedings", "proc", "conference", "conf", "meeting", "symposium"})
SAME = {
    "nips": "advances neural information processing systems",
    "neurips": "advances neural information processing systems",
    "corr": "arxiv",
    "jmlr": "journal machine learning research",
    "pami": "transactions pattern analysis machine intelligence",
    "tpami": "transactions pattern analysis machine intelligence",
}
ACRONYM = re.compile(r"[A-Z][A-Za-z]*[A-Z][A-Za-z]*")
NUMBERED = re.compile(r"\d+(?:st|nd|rd|th)?|[a-z]{0,2}\d[\da-z]*")
LONGEST = 300  # characters of a venue that are read
MOST_WORDS = 30
SHARED = 0.75  # of the longer name's words; less is another venue ("Nature", "Nature Communications")


def same_venue(claimed: str, found: str) -> bool:
    """Whether the two names surely mean one venue; `False` where that is not certain.

    Example:
        >>> same_venue("NeurIPS", "Advances in Neural Information Processing Systems 30")
        True
        >>> same_venue("CVPR 2016", "IEEE Conference on Computer Vision and Pattern Recognition")
        True
        >>> same_venue("J. Mach. Learn. Res.", "Journal of Machine Learning Research")
        True
        >>> same_venue("Nature", "Nature Communications")
        False
    """
    claimed, found = claimed[:LONGEST], found[:LONGEST]
    one, other = normalise(claimed), normalise(found)
    if not one or not other:
        return False
    if squeeze(one) == squeeze(other):
        return True
    ours, theirs = _words(one), _words(other)
    if not ours or not theirs:
        return False
    return (
        _shared(ours, theirs) >= SHARED or _short_for(claimed, ours, other) or _short_for(found, theirs, one)
    )


def _words(normalised: str) -> list[str]:
    """The words that tell one venue from another, each once, well-known acronyms spelt out."""
    found: list[str] = []
    for word in normalised.split()[:MOST_WORDS]:
        plain = word.rstrip("0123456789") or word
        if plain not in FUNCTION_WORDS | GENERIC and not NUMBERED.fullmatch(word):
            found += SAME.get(plain, plain).split()
    return list(dict.fromkeys(found))


def _shared(ours: Sequence[str], theirs: Sequence[str]) -> float:
    """The share of the longer name's words that the other has, too, in its order; abbreviations count."""
    short, long = sorted((ours, theirs), key=len)
    rest = iter(long)
    if not all(any(_abbreviates(word, other) for other in rest) for word in short):
        return 0.0
    return len(short) / len(long)


def _abbreviates(word: str, other: str) -> bool:
    return word.startswith(other) or other.startswith(word)


def _short_for(raw: str, words: Sequence[str], name: str) -> bool:
    """Whether a name is one acronym, and the other spells it out or has it beside a word for a meeting."""
    if len(words) != 1 or len(words[0]) < 3:
        return False
    acronym = words[0]
    if not any(found.group().lower() == acronym for found in ACRONYM.finditer(raw)):
        return False
    parts = [w for w in name.split()[:MOST_WORDS] if w not in FUNCTION_WORDS and not NUMBERED.fullmatch(w)]
    if acronym in parts and MEETINGS.intersection(parts):
        rest = [word for word in parts if word != acronym and word not in GENERIC]
        return not {"workshop", "workshops", "findings", "companion", "abstracts", "student"}.intersection(
            rest
        )
    initials = "".join(word[0] for word in parts)
    at = initials.rfind(acronym)
    outside = parts[:at] + parts[at + len(acronym) :]
    return at >= 0 and all(word in GENERIC for word in outside)
