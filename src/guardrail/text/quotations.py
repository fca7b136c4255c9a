"""Words in quotation marks, and whether documents have them word for word."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from guardrail.text.typography import normalised

_MARKS = "“” „“ „” «» »« 「」 『』 ‟” 〝〞 ‹›"
_QUOTED = re.compile(
    '(?<![\\w"])"(?P<plain>[^"\n]+)"(?!\\w)|'
    + "|".join(rf"{a}(?P<m{i}>[^{a}{b}\n]+){b}" for i, (a, b) in enumerate(map(tuple, _MARKS.split())))
    + r"|(?<![\w'‘’])(?<!\\)[‘'](?P<single>[^'‘’\"\n]{20,}(?:\w['’]\w[^'‘’\"\n]*)*)['’](?!\w)"
)
_SKIPPED = re.compile(r"\[[^\[\]]*\]|\(\.\.\.\)|\.{3,}|…")
_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]|[^\W\u3040-\u30ff\u3400-\u9fff]+")
_FEWEST = 4  # words; fewer are a name, a title, a term or a scare quote
_FEWEST_SIGNS = 8  # ideographs
_LIKE = 0.5  # share of its words from which on a passage is what was meant
_AROUND = 80  # characters on each side that evidence shows


@dataclass(frozen=True, slots=True)
class Misquotation:
    """A quotation that no document has.

    Attributes:
        said: as it is quoted.
        known: the words of a document that are most like it; "" where none are.
        document: which, counted from 1; 0 where none is.
        passage: the text around them.
    """

    said: str
    known: str
    document: int
    passage: str


def quotations(text: str) -> list[str]:
    """The quotations of a text that are long enough to be somebody's words, in order, without their marks.

    Example:
        >>> quotations('The “so-called” plan: "We will never give it up", she said; «c’est la fin du monde» 「これは本当に大変なことです」')
        ['We will never give it up', 'c’est la fin du monde', 'これは本当に大変なことです']
    """
    found = [match[match.lastgroup or 0].strip() for match in _QUOTED.finditer(text)]
    return [one for one in found if _is_long(_words(one)) and not _is_title(one)]


def _is_long(words: Sequence[str]) -> bool:
    ideographs = sum("\u3040" <= word[0] <= "\u9fff" for word in words)
    return len(words) - ideographs >= _FEWEST or ideographs >= _FEWEST_SIGNS


def _is_title(said: str) -> bool:
    """Whether most of its longer words behind the first are capitalised."""
    longer = [word for word in _WORD.findall(said)[1:] if len(word) > 3]
    return bool(longer) and sum(word[0].isupper() or word[0].isdigit() for word in longer) > len(longer) / 2


def _words(text: str) -> list[str]:
    return _WORD.findall(_plain(text).casefold())


def _plain(text: str) -> str:
    return normalised(text).replace("&", " and ")


@dataclass(slots=True)
class KnownTexts:
    """Documents in which quotations are searched, read once for any number of sentences.

    Attributes:
        texts: the documents, normalised.
        also: other texts whose words may be quoted, such as the question.
    """

    texts: Sequence[str]
    also: Sequence[str] = ()
    _read: list[str] = field(init=False, default_factory=list)

    def _joined(self) -> list[str]:
        """The words of each text with blanks between them, read when the first quotation comes."""
        if not self._read:
            self._read = [" ".join(["", *_words(text), ""]) for text in (*self.texts, *self.also)]
        return self._read

    def faults(self, sentence: str) -> Iterator[Misquotation]:
        """The quotations of a sentence, not normalised, that are in no document word for word.

        Case, punctuation, [additions] and what an ellipsis leaves out do not count.

        Example:
            >>> known = KnownTexts(["He said: “We’ll never, ever surrender the town.”"])
            >>> [one.known for one in known.faults('He said "ever … surrender the [old] town".')]
            []
            >>> [one.known for one in known.faults('He said "we will gladly surrender the town".')]
            ["We'll never, ever surrender the"]
        """
        for said in quotations(sentence):
            parts = [words for part in _SKIPPED.split(said) if (words := _words(part))]
            if not all(any(f" {' '.join(words)} " in text for text in self._joined()) for words in parts):
                yield self._nearest(said)

    def _nearest(self, said: str) -> Misquotation:
        """The stretch of a document, as long as the quotation, that has most of its words."""
        wanted = _words(_SKIPPED.sub(" ", said))
        best = max(
            (
                (_densest(set(wanted), joined.split(), len(wanted)), i)
                for i, joined in enumerate(self._joined()[: len(self.texts)])
            ),
            key=lambda one: one[0][0],
            default=((0, 0), 0),
        )
        (shared, first), i = best
        if shared < _LIKE * len(wanted):
            return Misquotation(said, "", 0, "")
        text = _plain(self.texts[i])
        spans = [match.span() for match in _WORD.finditer(text)]
        start, end = spans[first][0], spans[min(first + len(wanted), len(spans)) - 1][1]
        around = text[max(0, start - _AROUND) : end + _AROUND]
        return Misquotation(said, text[start:end], i + 1, around.strip())


def _densest(wanted: set[str], words: Sequence[str], size: int) -> tuple[int, int]:
    """How many of the wanted words the best stretch of so many words has, and where it begins."""
    has = [word in wanted for word in words]
    now = sum(has[:size])
    best = (now, 0)
    for first in range(1, len(words) - size + 1):
        now += has[first + size - 1] - has[first - 1]
        if now > best[0]:
            best = (now, first)
    return best
