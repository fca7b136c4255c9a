"""Which documents an answer can be compared with by a check that compares texts of one language only. Pure functions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from guardrail.text.language import language, language_name

LEARNT = "en"
"""The language that the packaged fits and models were made for."""

_LONG = 1_000  # characters of a document without lines that count as one
_SEEN = 12  # lines of a document that are looked at
_SHARE = 0.25
"""From this share of its lines on, a document of several languages is compared; less is a title or a notice."""


@dataclass(frozen=True, slots=True)
class Spoken:
    """The languages of an answer and its documents.

    Attributes:
        answer: the answer's as a whole, a code; "" where it does not show.
        documents: of each document, likewise.
        compared: whether each document is in the answer's language, or in none that shows.
    """

    answer: str
    documents: tuple[str, ...]
    compared: tuple[bool, ...]

    @property
    def apart(self) -> str:
        """Why the answer cannot be compared with any document, in a clause; "" if it can."""
        if any(self.compared):
            return ""
        return (
            f"the answer is in {language_name(self.answer)} and the documents in {_listed(self.documents)}: "
            "this check compares texts of one language only"
        )

    @property
    def left_out(self) -> str:
        """Which documents are not compared, where others are; "" if all are."""
        others = [code for code, can in zip(self.documents, self.compared, strict=True) if not can]
        if not others:
            return ""
        return f"{len(others)} of {len(self.documents)} documents not compared: in {_listed(others)}"

    @property
    def unlearnt(self) -> str:
        """That the packaged fits and models were not made for the answer's language; "" if they were, or none shows."""
        if self.answer in {"", LEARNT}:
            return ""
        return f"the check was made for English text, and the answer is in {language_name(self.answer)}"


def spoken_in(answer: str, documents: Sequence[str]) -> Spoken:
    """The languages of an answer and of its documents, of which there is at least one.

    The answer decides as a whole: a quotation in another language changes nothing, and one that is too short to say is
    in the documents' language.
    """
    found = [language(text) for text in documents]
    usual = Counter(filter(None, found)).most_common(1)
    own = language(answer, hint=usual[0][0] if usual else "")
    return Spoken(own, tuple(found), tuple(_is_in(text, own) for text in documents))


def _is_in(document: str, own: str) -> bool:
    """Whether a document may be in a language: all of it, or a good share of its lines."""
    if not own or language(document, hint=own) in {"", own}:
        return True
    lines = [line for line in document.splitlines() if line.strip()]
    if len(lines) < 2:
        lines = [
            document[start : start + _LONG]
            for start in range(0, len(document), max(_LONG, len(document) // _SEEN))
        ]
    seen = lines[:: -(-len(lines) // _SEEN)]
    return sum(language(line) == own for line in seen) >= _SHARE * len(seen)


def _listed(codes: Sequence[str]) -> str:
    return " and ".join(language_name(code) for code in dict.fromkeys(codes) if code)
