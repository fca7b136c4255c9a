"""The words of a sentence, in the form in which sentences and ways of saying are compared.

Everything here takes time linear in the text.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache


def several(text: str) -> frozenset[str]:
    """The words of a list between blanks."""
    return frozenset(text.split())


BE = frozenset({"is", "was", "are", "were", "be", "been", "being"})
HAVE = frozenset({"has", "have", "had"})
DO = frozenset({"do", "does", "did"})
ARTICLES = frozenset({"a", "an", "the"})
NEGATIONS = frozenset({"not", "never", "neither", "nor", "no", "n't"})
PARTICLES = several("of the von van de da di la le du del der den al bin ibn y")  # within names
ADVERBS = several(
    "actually again all already also always both centrally currently directly ever famously finally first "
    "formerly hence historically however in_fact indeed initially instead itself jointly last later legally "
    "likewise mainly much nearly now officially once only originally partly presently primarily probably "
    "really reportedly soon still subsequently then there therefore thus too traditionally truly usually "
    "certainly clearly definitely simply successfully personally"
)

_TOKEN = re.compile(r"\w+?(?=n['’]t\b)|n['’]t\b|['’]s\b|\w+|[^\w\s]")
_IRREGULAR = {
    form: forms.split()[0]
    for forms in (
        "write wrote written writes",
        "teach taught teaches",
        "win won wins winning",
        "give gave given gives",
        "take took taken takes",
        "run ran runs",
        "lie lies lay lain lying",
        "make made makes",
        "build built builds",
        "sing sang sung sings",
        "founded founds",  # of "found", which is also the past of "find"
        "lead led leads",
        "bear born borne bears",
        "wed weds",
        "sign signed signs",
        "succeed succeeded succeeds succeeding",
        "precede preceded precedes preceding",
        "die died dies dying",
        "marry married marries",
        "study studied studies",
        "slay slew slain slays",
        "come came comes",
        "flow flows flowed",
        "child children",
        "wife wives",
        "person people persons",
        "wolf wolves",
        "country countries",
        "city cities",
        "party parties",
        "series",
        "species",
        "genus",
        "sit sits sat",
        "this",
        "has",
        "hold held holds",
        "begin began begun begins",
        "its",
        "grow grew grown",
        "draw drew drawn",
        "found",
        "sell sold",
        "buy bought",
        "bring brought",
        "direct directs directed directing",
    )
    for form in forms.split()
}
_SUFFIXES = (("ies", "y"), ("sses", "ss"), ("ing", ""), ("ied", "y"), ("ed", ""), ("s", ""))


@dataclass(frozen=True, slots=True)
class Word:
    """A word or a mark of a text."""

    text: str
    start: int
    end: int

    @property
    def key(self) -> str:
        """The word, folded."""
        return folded(self.text)

    @property
    def spelt(self) -> bool:
        """Whether it is a word and no mark."""
        return self.text[0].isalnum() or self.text[0] == "_"

    @property
    def capital(self) -> bool:
        """Whether it begins with a capital letter."""
        return self.text[0].isupper()


def words(text: str, start: int = 0, end: int | None = None) -> list[Word]:
    """The words and marks of a stretch of a text, blanks left out."""
    stop = len(text) if end is None else end
    return [Word(match[0], match.start(), match.end()) for match in _TOKEN.finditer(text, start, stop)]


@lru_cache(maxsize=65_536)
def folded(word: str) -> str:
    """Without case and accents.

    Example:
        >>> folded("Brontë"), folded("n’t")
        ('bronte', "n't")
    """
    if word.isascii():
        return word.lower()
    plain = unicodedata.normalize("NFKD", word.casefold().replace("’", "'"))
    return "".join(c for c in plain if not unicodedata.combining(c)) or word


@lru_cache(maxsize=65_536)
def stem(word: str) -> str:
    """What the forms of a verb or a noun have in common; good enough to compare two ways of saying one thing.

    Example:
        >>> stem("wrote"), stem("written"), stem("directed"), stem("siblings")
        ('write', 'write', 'direct', 'sibling')
    """
    key = folded(word)
    if key in _IRREGULAR:
        return _IRREGULAR[key]
    for suffix, instead in _SUFFIXES:
        if key.endswith(suffix) and len(key) - len(suffix) >= 3 and not key.endswith("ss"):
            bare = key[: -len(suffix)] + instead
            if suffix in {"ed", "ing"} and bare[-1] == bare[-2] and bare[-1] not in "ls":
                bare = bare[:-1]
            return bare.removesuffix("e")
    return key.removesuffix("e") if len(key) > 3 else key
