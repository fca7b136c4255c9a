"""A small network that tags references: where each begins and ends, and which of its words are its title, names, venue and date.

It has learnt from labelled answers and reads all text that has no grammar of its own. It is a distribution of its own,
`guardrail-citations-mini`; without it that text is unread, and the report says so.
"""

from __future__ import annotations

import importlib.util
import os
import re
from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from guardrail.backends import CITATIONS_MINI, MINI_INSTALL, TokenScores, is_here
from guardrail.errors import MissingExtra, WeightsMissing
from guardrail.references.bibliography.records import Reference
from guardrail.references.citations.fields import Stretch, reference_of
from guardrail.report import Span

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

__all__ = [
    "FIELDS",
    "LONGEST",
    "MOST",
    "TAGS",
    "Encoded",
    "Tagged",
    "Tagger",
    "Tags",
    "encoded",
    "packaged_tagger",
    "tagger_installed",
    "windows",
]

MOST = 20_000
"""Characters of an answer that are read whole, in about a second on two cores; behind them only windows with a sign of a reference."""

TAGS = ("outside", "begins", "goes on", "mark begins", "mark goes on")
"""What a word may be to a reference, and to an author-year mark, which names no title."""

FIELDS = ("other", "title", "author", "journal", "date", "identifier")
"""What a word of a reference may say; "journal" is any venue."""

_AUTHOR = FIELDS.index("author")

LONGEST = 448
"""Tokens of a window."""

_SIGN = re.compile(
    r"(?<!\d)(?:1[4-9]|20)\d\d(?!\d)|https?:|www\.|[\"“„«《『「*_]|\bet al\b|\bdoi\b", re.IGNORECASE
)
_IN = re.compile(r"(?<!\w)(?:[Ii]n|[Dd]ans|[Ee]n|В|в)(?!\w)|//|[载載]")
_MARGIN = 96  # tokens at the ends of a window that are read for company alone
_LIBRARIES = ("onnxruntime", "tokenizers")
_BREAK, _BREAK_KIND = 2, 12  # an unused word of the vocabulary for the end of a line
_ASKED = 16  # added to how a word is written, in answers to questions that ask for references
_UNKNOWN, _FIRST, _BUCKETS = 100, 10, 80  # unknown characters share unused words, by their code
_OUTSIDE = [10.0, *[0.0] * (len(TAGS) + len(FIELDS) - 1)]  # scores of words that are not read
_FORBIDDEN = -1e4
_BEGIN = (1, 3)  # tags of the first word
_MOVES = (
    *((0, 0), (0, 1), (0, 3), (1, 2), (2, 2), (3, 4), (4, 4)),
    *((tag, new) for tag in (1, 2, 3, 4) for new in (0, 1, 3)),
)


@dataclass(frozen=True, slots=True)
class Encoded:
    """A text for the network.

    Attributes:
        ids: of the words of its vocabulary; the end of a line is one.
        kinds: how each is written (capitals, digits, space before it), which the vocabulary does not tell, and whether references were asked for.
        places: where each begins and ends in the text.
    """

    ids: list[int]
    kinds: list[int]
    places: list[tuple[int, int]]


@dataclass(frozen=True, slots=True)
class Tagged:
    """A reference that the network reads.

    Attributes:
        span: where it is.
        reference: what it says.
        sure: how probable its tags are, in [0, 1]: their geometric mean.
        title: how probable the field of each word of the title is, in [0, 1]: the least of them; 0 without a title.
        names: the same of the names; 1 without names.
        mark: whether it is an author-year mark: (Hofmann et al., 2010).
    """

    span: Span
    reference: Reference
    sure: float
    title: float
    names: float
    mark: bool


@dataclass(frozen=True, slots=True)
class Tags:
    """What the network reads in a text.

    Attributes:
        found: the references, in order.
        places: where each of its words begins and ends.
        outside: for each word, how probable it is to be of no reference, in [0, 1].
    """

    found: Sequence[Tagged]
    places: Sequence[tuple[int, int]] = ()
    outside: Sequence[float] | Floats = ()

    def denies(self, span: Span) -> float:
        """How sure it is that none of the words of a span is of a reference, in [0, 1]: the least of `outside`; 1 without a word."""
        said = zip(self.places, self.outside, strict=True)
        return min((float(no) for (a, b), no in said if a < span.end and span.start < b), default=1.0)


def tagger_installed() -> bool:
    """Whether the network and what runs it are there; nothing is imported to find out."""
    return is_here(CITATIONS_MINI) and all(importlib.util.find_spec(name) is not None for name in _LIBRARIES)


def encoded(text: str, tokenizer: Any, *, asked: bool = False) -> Encoded:
    """A text as the network takes it.

    Args:
        text: any.
        tokenizer: a `tokenizers.Tokenizer` with the vocabulary of BERT without capitals.
        asked: whether the question before it asks for references.
    """
    also = _ASKED if asked else 0
    ids, kinds, places = [], [], []
    start = 0
    for line in text.split("\n"):
        read = tokenizer.encode(line, add_special_tokens=False)
        for word, (a, b) in zip(read.ids, read.offsets, strict=True):
            written = line[a:b]
            ids.append(_FIRST + sum(map(ord, written)) % _BUCKETS if word == _UNKNOWN else word)
            kinds.append(2 * _written(written) + (a == 0 or line[a - 1].isspace()) + also)
            places.append((start + a, start + b))
        ids.append(_BREAK)
        kinds.append(_BREAK_KIND + also)
        places.append((start + len(line), start + len(line) + 1))
        start += len(line) + 1
    return Encoded(ids[:-1], kinds[:-1], places[:-1])


def _written(word: str) -> int:
    """Nothing, digits, a capital, capitals, small letters, other signs."""
    if not word:
        return 0
    if word.isdigit():
        return 1
    if word[0].isupper():
        return 3 if len(word) > 1 and word.isupper() else 2
    return 4 if word[0].isalpha() else 5


def windows(count: int) -> list[tuple[int, int, int, int]]:
    """The windows of so many tokens: first, end, and from where to where what is read there counts.

    Example:
        >>> windows(300), windows(600)
        ([(0, 300, 0, 300)], [(0, 448, 0, 352), (256, 600, 352, 600)])
    """
    found, first = [], 0
    while True:
        end = min(count, first + LONGEST)
        found.append((first, end, first + _MARGIN if first else 0, end if end == count else end - _MARGIN))
        if end == count:
            return found
        first += LONGEST - 2 * _MARGIN


class Tagger:
    """The network; safe in threads and in forked children.

    Args:
        model: its folder, or `CITATIONS_MINI`.
    """

    def __init__(self, model: str = CITATIONS_MINI) -> None:
        self._network = TokenScores(model)
        # an answer is read for its cost, and again for its findings
        self._last: tuple[str, bool, Tags] = "", False, Tags(())
        # and for the works that it cites, at the same time; by process, for a fork leaves the reading thread behind
        self._reading: dict[tuple[int, str, bool], Future[Tags]] = {}

    def load(self) -> None:
        """Load the network now; else the first text does.

        Raises:
            WeightsMissing, ConfigError: as `weights.find`.
        """
        self._network.load()

    def tags(self, text: str, *, asked: bool = False) -> Tags:
        """What it reads in a text; nothing in one without letters.

        Args:
            text: of an answer.
            asked: whether the question before it asks for references.

        Raises:
            WeightsMissing, ConfigError: as `weights.find`.
        """
        if not any(letter.isalnum() for letter in text):
            return Tags(())
        last = self._last
        if last[:2] == (text, asked):
            return last[2]
        key, own = (os.getpid(), text, asked), Future[Tags]()
        reading = self._reading.setdefault(key, own)
        if reading is own:
            try:
                found = self._read(text, asked=asked)
                self._last = text, asked, found
                own.set_result(found)
            except BaseException as error:  # noqa: BLE001  # raised below, here and where it is waited for
                own.set_exception(error)
            finally:
                del self._reading[key]
        return reading.result()

    def _read(self, text: str, *, asked: bool) -> Tags:
        import numpy as np

        read = encoded(text, self._network.tokenizer, asked=asked)
        scores = np.empty((len(read.ids), len(TAGS) + len(FIELDS)), np.float32)
        for first, end, begin, stop in windows(len(read.ids)):
            from_, to = read.places[first][0], read.places[end - 1][1]
            if to > MOST and _SIGN.search(text, from_, to) is None:
                scores[begin:stop] = _OUTSIDE
                continue
            given = self._network.scores(read.ids[first:end], read.kinds[first:end])
            scores[begin:stop] = given[begin - first : stop - first]
        return decoded(text, read.places, scores)


def decoded(text: str, places: Sequence[tuple[int, int]], scores: Floats) -> Tags:
    """The references by the likeliest tags that can follow each other.

    Args:
        text: as it was read.
        places: of its tokens.
        scores: for each token, of its tags and of its fields, before any softmax.
    """
    import numpy as np

    read = _Read(text, places, _log_softmax(scores[:, : len(TAGS)]), _log_softmax(scores[:, len(TAGS) :]))
    found: list[tuple[int, int]] = []
    for at, tag in enumerate(read.path):
        if tag in _BEGIN:
            found.append((at, at + 1))
        elif tag:
            found[-1] = found[-1][0], at + 1
    tagged: list[Tagged] = []
    for first, end in found:
        one = read.reference(first, end)
        if not tagged or tagged[-1].span.end <= one.span.start:  # two may begin in one word
            tagged.append(one)
    return Tags(tagged, places, np.exp(read.tags[:, 0]))


def _log_softmax(scores: Floats) -> Floats:
    import numpy as np

    moved = scores - scores.max(axis=1, keepdims=True)
    told: Floats = moved - np.log(np.exp(moved).sum(axis=1, keepdims=True))
    return told


def _likeliest(tags: Floats) -> list[int]:
    """By Viterbi: a reference goes on where one began."""
    import numpy as np

    moves = np.full((len(TAGS), len(TAGS)), _FORBIDDEN, np.float32)
    for before, after in _MOVES:
        moves[before, after] = 0
    best = tags[0].copy()
    best[[2, 4]] = _FORBIDDEN
    came = np.zeros(tags.shape, np.int64)
    for at in range(1, len(tags)):
        ways = best[:, None] + moves
        came[at] = ways.argmax(axis=0)
        best = ways.max(axis=0) + tags[at]
    path = [int(best.argmax())]
    for at in range(len(tags) - 1, 0, -1):
        path.append(int(came[at, path[-1]]))
    return path[::-1]


class _Read:
    """A text that was read: the likeliest tags of its tokens, and how probable tags and fields are (logarithms)."""

    def __init__(self, text: str, places: Sequence[tuple[int, int]], tags: Floats, fields: Floats) -> None:
        self.text, self.places, self.tags, self.fields = text, places, tags, fields
        self.path = _likeliest(tags)

    def reference(self, first: int, end: int) -> Tagged:
        """The reference of some tokens."""
        import numpy as np

        while first > 0 and self._goes_on(first):
            first -= 1  # a word begins before its parts in the vocabulary do
        while end < len(self.places) and self._goes_on(end):
            end += 1
        span = Span(start=self.places[first][0], end=self.places[end - 1][1])
        stretches = self._without_containers(self._stretches(first, end), span.of(self.text))
        longest = {
            name: max((one for one in stretches if one.field == name), key=_length, default=None)
            for name in ("title", "author", "journal")
        }
        title, names = longest["title"], longest["author"]
        kept = [one for one in longest.values() if one]
        kept += [one for one in stretches if one.field == "date"]
        kept.sort(key=lambda one: one.start)
        sure = self.tags[range(first, end), self.path[first:end]].mean()
        return Tagged(
            span,
            reference_of(span.of(self.text), kept),
            float(np.exp(sure)),
            self._sure(title, first, end) if title else 0.0,
            self._sure(names, first, end) if names else 1.0,
            self.path[first] == _BEGIN[1],
        )

    @staticmethod
    def _without_containers(found: list[Stretch], text: str) -> list[Stretch]:
        """The stretches but for titles behind "In": Roe, A. Reeds and Tides. In B. Poe (ed.), The Long History of Rivers."""
        titles = [one for one in found if one.field == "title"]
        if not titles or " " not in text[titles[0].start : titles[0].end].strip():
            return found
        held = {one for one in titles[1:] if _IN.search(text, titles[0].end, one.start)}
        return [one for one in found if one not in held]

    def _goes_on(self, at: int) -> bool:
        """Whether a token is of the same word as the one before."""
        before, here = self.places[at - 1], self.places[at]
        return before[1] == here[0] and self.text[before[1] - 1].isalnum() and self.text[here[0]].isalnum()

    def _stretches(self, first: int, end: int) -> list[Stretch]:
        """The runs of tokens that say one field; a mark between two of the same parts none."""
        start = self.places[first][0]
        said = self._by_words(first, self.fields[first:end].argmax(axis=1).tolist())
        found: list[Stretch] = []
        for at, field in enumerate(said):
            a, b = (place - start for place in self.places[first + at])
            near = found and found[-1].field == FIELDS[field]
            if near and not any(letter.isalnum() for letter in self.text[start + found[-1].end : start + a]):
                found[-1] = Stretch(FIELDS[field], found[-1].start, b)
            elif field:
                found.append(Stretch(FIELDS[field], a, b))
        return found

    def _by_words(self, first: int, said: list[int]) -> list[int]:
        """One field for all tokens of a word: that of the last, which is read most reliably. If that says nothing, and another is of a name, the word is.

        The s of a genitive (Hessens) is no part of the name.
        """
        found: list[int] = []
        while len(found) < len(said):
            start = end = len(found)
            while end == start or (end < len(said) and self._goes_on(first + end)):
                end += 1
            parts = said[start:end]
            if parts[-1] or _AUTHOR not in parts:
                found += [parts[-1]] * len(parts)
            elif self.text[slice(*self.places[first + end - 1])] == "s":  # Hessens
                found += [_AUTHOR] * (len(parts) - 1) + [0]
            else:  # Kivimäen
                found += [_AUTHOR] * len(parts)
        return found

    def _sure(self, one: Stretch, first: int, end: int) -> float:
        """The least probability of its field among the words of a stretch."""
        import numpy as np

        start = self.places[first][0]
        inside = [
            self.fields[at, FIELDS.index(one.field)]
            for at in range(first, end)
            if one.start <= self.places[at][0] - start < one.end
            and any(letter.isalnum() for letter in self.text[slice(*self.places[at])])
        ]
        return float(np.exp(min(inside))) if inside else 0.0


def _length(stretch: Stretch) -> int:
    return stretch.end - stretch.start


_packaged = Tagger()


def packaged_tagger() -> Tagger:
    """The packaged network, loaded once for all.

    Raises:
        MissingExtra: onnxruntime or tokenizers is not installed.
        WeightsMissing: the network is not.
    """
    for library in _LIBRARIES:
        if importlib.util.find_spec(library) is None:
            raise MissingExtra(f"{library} (the network that tags references)", extra="mini")
    if not is_here(CITATIONS_MINI):
        raise WeightsMissing(f"the network that tags references is not installed: {MINI_INSTALL}")
    return _packaged
