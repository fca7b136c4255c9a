"""Is this the work that was quoted? Pure functions on titles, names and years: no index, no I/O.

Two titles are the same work where they differ only by noise: case, punctuation, mark-up, joined or split words,
characters that scanners confuse, a typing error in a word that is none. A title in which a real word stands for
another is another title, however similar the strings are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum, IntEnum, auto
from functools import cached_property

from rapidfuzz.distance import OSA, Levenshtein

from guardrail.bibliography.normalise import IDENTIFIERS, main_parts, normalise, squeeze
from guardrail.bibliography.records import Difference, Match, Record, Reference, Status
from guardrail.text.author_lists import MOST_AUTHORS, authors_agree, overlap
from guardrail.text.names import LONGEST_NAME, parse_name

__all__ = ["FUNCTION_WORDS", "Closeness", "Frequency", "Title", "TitleMatch", "compare", "fold", "judge"]

Frequency = Callable[[str], int]

_FUNCTION_WORDS = (
    "a an the of for in on and or to with by from via using at as is are into over under toward towards its "
    "through between among"
)
FUNCTION_WORDS = frozenset(_FUNCTION_WORDS.split())
_PREFIXES = (
    "a an un in im ir il non de re dis anti pre post sub super bi co multi semi mono poly inter intra over under "
    "hyper"
)
PREFIXES = frozenset(_PREFIXES.split())
# What scanners confuse, read as one letter each; longer patterns first.
CONFUSED = (("rn", "m"), ("vv", "w"), ("cl", "d"))
CONFUSED_TABLE = str.maketrans("10i58q", "lolsbg")
MAIN_WORDS = 3  # a main title of fewer words ("Attention") names its work only together with its authors
NEAR = 0.75  # titles less similar than this are not worth showing as a near miss


class Closeness(IntEnum):
    """How near two titles are; from `REWORDED` upwards they name the same work."""

    DIFFERENT = 0
    NEAR = 1  # similar, but a word that carries meaning differs
    LETTER = 2  # one letter makes another word of a word: a slip if the authors agree, else another title
    REWORDED = 3  # same content words; an article, a preposition or a plural differs
    LONGER = 4  # a subtitle was added to the work's title
    SHORTER = 5  # the work's subtitle was left out
    NOISE = 6  # a typing or scanning error
    EXACT = 7


@dataclass(frozen=True)
class Title:
    """A title with what is derived from it, computed once."""

    raw: str
    normal: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "normal", normalise(self.raw))

    @cached_property
    def words(self) -> list[str]:
        """The words of the normalised title."""
        return self.normal.split()

    @cached_property
    def squeezed(self) -> str:
        """The normalised title without blanks."""
        return squeeze(self.normal)

    @cached_property
    def mains(self) -> list[Title]:
        """The parts before what may be a subtitle, shortest first."""
        parts = [Title(part) for part in main_parts(self.raw)]
        return [part for part in parts if part.normal and part.normal != self.normal]


@dataclass(frozen=True, slots=True)
class TitleMatch:
    """How two titles compare; `similarity` in [0, 1], 1 exactly where they are equal after normalisation."""

    closeness: Closeness
    similarity: float


def fold(word: str) -> str:
    """Read the characters that scanners confuse as one.

    Example:
        >>> fold("c1assification") == fold("classification"), fold("modem") == fold("modern")
        (True, True)
    """
    word = word.translate(CONFUSED_TABLE)
    for pattern, letter in CONFUSED:
        word = word.replace(pattern, letter)
    return word


def unknown(_word: str) -> int:
    """The frequency of a word where no vocabulary is at hand."""
    return 0


def compare(claimed: Title, found: Title, frequency: Frequency = unknown) -> TitleMatch:
    """Compare a quoted title with a real one.

    Args:
        claimed: the title as quoted.
        found: the title of a real work.
        frequency: in how many known titles a word occurs; tells a typing error from another word.

    Example:
        >>> compare(Title("Atention is all you need"), Title("Attention Is All You Need")).closeness.name
        'NOISE'
        >>> compare(Title("Attention is all they need"), Title("Attention Is All You Need")).closeness.name
        'NEAR'
    """
    whole = _compare(claimed, found, frequency)
    if whole.closeness >= Closeness.REWORDED:
        return whole
    if any(_compare(claimed, part, frequency).closeness >= Closeness.NOISE for part in found.mains):
        return TitleMatch(Closeness.SHORTER, max(whole.similarity, 0.9))
    if any(part.squeezed == found.squeezed for part in claimed.mains):
        return TitleMatch(Closeness.LONGER, whole.similarity)
    return whole


def _compare(claimed: Title, found: Title, frequency: Frequency) -> TitleMatch:
    if not claimed.squeezed or not found.squeezed:
        return TitleMatch(Closeness.DIFFERENT, 0.0)
    if claimed.squeezed == found.squeezed:
        return TitleMatch(Closeness.EXACT, 1.0)
    similarity = min(Levenshtein.normalized_similarity(claimed.normal, found.normal), 0.999)
    if similarity < 0.6:
        return TitleMatch(Closeness.DIFFERENT, similarity)
    closeness = _words(claimed.words, found.words, frequency)
    if closeness is Closeness.DIFFERENT and similarity >= NEAR:
        closeness = Closeness.NEAR
    return TitleMatch(closeness, similarity)


def _words(claimed: list[str], found: list[str], frequency: Frequency) -> Closeness:
    """The closeness of two titles, word by word."""
    counts = Counter(
        _kind(their_word, our_word, frequency, alone=len(found) == 1)
        for theirs, ours in _blocks(found, claimed)
        for their_word, our_word in _pairs(theirs, ours)
        if their_word != our_word
    )
    if counts[_Kind.OTHER]:
        return Closeness.DIFFERENT
    slips, reworded, letters = counts[_Kind.SLIP], counts[_Kind.REWORDED], counts[_Kind.LETTER]
    content = sum(word not in FUNCTION_WORDS for word in found)
    if slips > 1 + len(found) // 4 or reworded > 1 or (reworded and content < 3):
        return Closeness.DIFFERENT
    if letters:
        return Closeness.LETTER if letters == 1 and not slips and not reworded else Closeness.DIFFERENT
    return Closeness.REWORDED if reworded else Closeness.NOISE


def _blocks(found: list[str], claimed: list[str]) -> Iterable[tuple[list[str], list[str]]]:
    """The stretches of words that differ; neighbours are taken together."""
    theirs: list[str] = []
    ours: list[str] = []
    for step in Levenshtein.opcodes(found, claimed):
        if step.tag == "equal":
            if theirs or ours:
                yield theirs, ours
            theirs, ours = [], []
        else:
            theirs += found[step.src_start : step.src_end]
            ours += claimed[step.dest_start : step.dest_end]
    if theirs or ours:
        yield theirs, ours


def _pairs(theirs: list[str], ours: list[str]) -> list[tuple[str, str]]:
    if len(theirs) == len(ours):
        return list(zip(theirs, ours, strict=True))
    if not theirs or not ours:
        return [(word, "") for word in theirs] or [("", word) for word in ours]
    joined = "".join(theirs), "".join(ours)
    if OSA.distance(*joined) <= 1 or fold(joined[0]) == fold(joined[1]):
        return [joined]  # joined or split words
    # One side has a word too many: a function word beside a slip, or a join beside one.
    left, right = (
        [word for word in theirs if word in FUNCTION_WORDS],
        [w for w in ours if w in FUNCTION_WORDS],
    )
    rest = [word for word in theirs if word not in left], [word for word in ours if word not in right]
    if (left or right) and len(rest[0]) == len(rest[1]):
        return [*zip(*rest, strict=True), *((word, "") for word in left), *(("", word) for word in right)]
    return [joined]


def _reworded(found: str, claimed: str, frequency: Frequency) -> bool:
    if {found, claimed} <= FUNCTION_WORDS | {""}:
        return True
    short, long = sorted((found, claimed), key=len)
    return len(short) > 3 and long in {f"{short}s", f"{short}es"} and frequency(claimed) >= 3


class _Kind(Enum):
    """How a quoted word differs from the real one."""

    REWORDED = auto()
    SCANNED = auto()  # only in characters that scanners confuse
    SLIP = auto()
    LETTER = auto()
    OTHER = auto()


def _kind(found: str, claimed: str, frequency: Frequency, *, alone: bool) -> _Kind:
    if _reworded(found, claimed, frequency):
        return _Kind.REWORDED
    if not found or not claimed or (found.isdigit() and claimed.isdigit()):
        return _Kind.OTHER
    folded = fold(found), fold(claimed)
    another = _another_word(found, claimed, frequency)
    if folded[0] == folded[1]:
        return _Kind.LETTER if another else _Kind.SCANNED
    if _digits(found) != _digits(claimed) or _prefixed(found, claimed):
        return _Kind.OTHER  # 2D for 3D, GPT3 for GPT4; supervised for unsupervised
    length = max(len(found), len(claimed))
    distance = min(OSA.distance(found, claimed), OSA.distance(*folded))
    allowed = 0 if length < 3 or (alone and length < 6) else 1 if length < 9 or alone else 2
    if distance > allowed:
        return _Kind.OTHER
    if another:
        return _Kind.LETTER if distance == 1 and length > 3 else _Kind.OTHER
    return _Kind.SLIP


def _prefixed(found: str, claimed: str) -> bool:
    short, long = sorted((found, claimed), key=len)
    return long.endswith(short) and long[: len(long) - len(short)] in PREFIXES


def _digits(word: str) -> str:
    return "".join(letter for letter in word if letter.isdigit())


def _another_word(found: str, claimed: str, frequency: Frequency) -> bool:
    """Whether what was written is a word by itself, rather than a slip in the one that was meant."""
    times = frequency(claimed)
    chopped = len(claimed) >= 5 and found.startswith(claimed) and not found.endswith("s")
    return times >= 3 and times * (20 if chopped else 200) >= frequency(found)


def judge(reference: Reference, works: Sequence[Record], frequency: Frequency = unknown) -> Match:
    """Choose among candidate works the one that was quoted, and say what is quoted wrongly.

    Args:
        reference: as quoted; without a title and identifiers nothing can be decided.
        works: candidates, by identifier or similar title, in any order.
        frequency: in how many known titles a word occurs.

    Returns:
        `FOUND` with the differing fields, or `ABSENT` with the nearest work if one is near. An identifier that
        belongs to a work of quite another title and other authors is no proof of the quoted work: `ABSENT`.
    """
    names = tuple(name[:LONGEST_NAME] for name in reference.authors[:MOST_AUTHORS])
    cut = reference.et_al or len(names) < len(reference.authors)
    reference = replace(reference, authors=names, et_al=cut)
    title = Title(reference.title)
    weighed = sorted((_weigh(reference, title, work, frequency) for work in works), key=lambda w: w.rank)
    if not weighed:
        return Match(Status.ABSENT)
    best = weighed[-1]
    if best.accepted:
        detail = _remarks(reference, best, [other for other in weighed[:-1] if other.accepted])
        return Match(Status.FOUND, best.work, best.similarity, tuple(best.differences), detail=detail)
    if best.titles.closeness is Closeness.DIFFERENT and not best.identified:
        return Match(Status.ABSENT)
    detail = "an identifier that was given belongs to another work" if best.identified else ""
    return Match(Status.ABSENT, best.work, best.similarity, tuple(best.differences), detail=detail)


@dataclass(frozen=True, slots=True)
class _Weighed:
    work: Record
    titles: TitleMatch
    identified: bool
    authors: bool | None  # None where that cannot be told
    shared: float  # of the authors, in [0, 1]
    year_apart: int | None
    differences: list[Difference]
    accepted: bool

    @property
    def similarity(self) -> float:
        return self.titles.similarity

    @property
    def rank(self) -> tuple[float, ...]:
        year = -1.0 if self.year_apart is None else -float(min(self.year_apart, 50))
        fuller = len(self.work.authors) + (self.work.year is not None) + bool(self.work.venue)
        return (
            self.accepted,
            self.identified and self.titles.closeness >= Closeness.REWORDED,
            1.0 if self.authors else 0.5 if self.authors is None else 0.0,
            self.titles.closeness if self.accepted else self.similarity,
            self.identified,
            round(self.shared, 3),
            year,
            fuller,
        )


def _weigh(reference: Reference, title: Title, work: Record, frequency: Frequency) -> _Weighed:
    identified = shares_identifier(reference, work)
    if title.normal:
        titles = compare(title, Title(work.title), frequency)
    else:
        titles = TitleMatch(Closeness.EXACT if identified else Closeness.DIFFERENT, float(identified))
    agree = authors_match(reference, work)
    years = (reference.year, work.year)
    apart = None if years[0] is None or years[1] is None else abs(years[0] - years[1])
    closeness = titles.closeness
    if closeness is Closeness.SHORTER:
        named = len(title.words) >= MAIN_WORDS
        accepted = bool(agree) or (named and agree is None)
    elif closeness in {Closeness.LONGER, Closeness.LETTER}:
        accepted = bool(agree)
    else:
        accepted = closeness >= Closeness.REWORDED
    accepted = accepted or (identified and (bool(agree) or titles.similarity >= NEAR))
    differences = _differences(reference, work, titles, agree, apart)
    return _Weighed(work, titles, identified, agree, _shared(reference, work), apart, differences, accepted)


def shares_identifier(reference: Reference, work: Record) -> bool:
    """Whether one of the quoted identifiers is the work's."""
    return any(
        bool(value) and value == read(getattr(work, kind))
        for kind, read in IDENTIFIERS.items()
        if (value := read(getattr(reference, kind)))
    )


def _differences(
    reference: Reference, work: Record, titles: TitleMatch, agree: bool | None, apart: int | None
) -> list[Difference]:
    found = []
    if reference.title and titles.closeness <= Closeness.REWORDED:
        found.append(Difference("title", reference.title, work.title))
    if agree is False:
        found.append(Difference("authors", _names(reference), _names(work)))
    if apart is not None and apart > 1:
        found.append(Difference("year", str(reference.year), str(work.year)))
    for kind in ("doi", "arxiv", "pmid"):
        read = IDENTIFIERS[kind]
        claimed, real = read(getattr(reference, kind)), read(getattr(work, kind))
        preprint = kind == "doi" and (claimed.startswith("10.48550/") != real.startswith("10.48550/"))
        if claimed and real and claimed != real and not preprint:
            found.append(Difference(kind, claimed, real))
    return found


def _names(work: Reference | Record) -> str:
    return "; ".join([*work.authors, *(["et al."] if work.et_al else [])])


def _remarks(reference: Reference, best: _Weighed, others: list[_Weighed]) -> str:
    remarks = []
    if best.year_apart == 1:
        remarks.append(
            f"year differs by one ({reference.year}, {best.work.year}): taken as preprint and print"
        )
    if best.titles.closeness is Closeness.SHORTER:
        remarks.append("subtitle left out")
    if best.titles.closeness is Closeness.NOISE:
        remarks.append("title has a slip")
    same = [other for other in others if other.titles.closeness is Closeness.EXACT]
    if same and best.titles.closeness is Closeness.EXACT:
        remarks.append(f"{len(same) + 1} records carry this title")
    return "; ".join(remarks)


def authors_match(reference: Reference, work: Record) -> bool | None:
    """Whether the quoted authors are the work's; `None` where that cannot be told."""
    return authors_agree(
        reference.authors, work.authors, found_is_cut=work.et_al, claimed_is_cut=reference.et_al
    )


def _shared(reference: Reference, work: Record) -> float:
    """How much the lists of authors have in common, to choose between works of one title."""
    return overlap(
        [parse_name(name) for name in reference.authors],
        [parse_name(name) for name in work.authors[:MOST_AUTHORS]],
    )
