"""Labels of people: what they say of an answer, of its sentences, or of spans, in one form.

True means *made up* everywhere. What is labelled by sentence or span is also labelled as a whole: made up if any part is.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from guardrail.errors import InputError
from guardrail.text.sentences import sentences

__all__ = ["Label", "Labels", "read_labels"]

Label: TypeAlias = "bool | str | float | Sequence[Any] | None"

_MADE_UP = {
    *(
        "1",
        "true",
        "yes",
        "y",
        "hallucinated",
        "hallucination",
        "made up",
        "made-up",
        "fabricated",
        "invented",
    ),
    *("unsupported", "inaccurate", "incorrect", "unfaithful", "nonfactual", "non-factual", "contradicted"),
    *("minor_inaccurate", "major_inaccurate"),
}
_SOUND = {
    *(
        "0",
        "false",
        "no",
        "n",
        "supported",
        "accurate",
        "correct",
        "faithful",
        "factual",
        "grounded",
        "sound",
    ),
    *("entailed", "not hallucinated"),
}
_UNKNOWN = {"", "none", "null", "nan", "unknown", "unlabelled", "unverified"}


@dataclass(frozen=True, slots=True)
class Labels:
    """What is known about one answer.

    Attributes:
        whole: whether anything in it is made up; `None` = not labelled.
        parts: labelled stretches, as start, end and label, in code points.
        sentences: whether the parts are all sentences; else they are only what is made up, and the rest is sound.
    """

    whole: bool | None = None
    parts: tuple[tuple[int, int, bool | None], ...] = ()
    sentences: bool = True

    @property
    def of_parts(self) -> bool:
        """Whether single findings have labels."""
        return bool(self.parts) or not self.sentences

    def of(self, start: int | None, end: int | None) -> bool | None:
        """The label of a finding: of the sentence that it overlaps most, or whether it touches a made-up span.

        A finding about the whole answer has the answer's label. One that touches no labelled sentence has none.

        Example:
            >>> labels = Labels(True, ((0, 10, False), (11, 20, True)))
            >>> labels.of(0, 12), labels.of(12, 20), labels.of(30, 40), labels.of(None, None)
            (False, True, None, True)
        """
        if start is None or end is None:
            return self.whole
        if not self.of_parts:
            return None
        shared = [(min(end, last) - max(start, first), label) for first, last, label in self.parts]
        if not self.sentences:
            return any(length > 0 for length, _ in shared)
        length, label = max(shared, key=lambda one: one[0])
        return label if length > 0 else None


def read_labels(value: Label, answer: str, *, texts: Sequence[str] = (), invert: bool = False) -> Labels:
    """Labels in any of the forms that data sets use.

    Args:
        value: of the answer: true, false, 0, 1, a share (0.5 and more is made up), a word ("hallucinated", "accurate", …) or
            nothing; of sentences: a list of those; of spans: a list of [start, end] or {"start", "end"}, which are made up
            (an empty list is an answer that is sound throughout).
        answer: the text.
        texts: the sentences that are labelled, where they were not split as here.
        invert: whether true means *sound* in `value`.

    Raises:
        InputError: a label of another form, passages that are to be inverted, or another number of sentences than labels.

    Example:
        >>> read_labels([0, 1], "It is so. It is not.").parts
        ((0, 9, False), (10, 20, True))
    """
    if not isinstance(value, list | tuple):
        return Labels(_one(value, invert))
    if not value or isinstance(value[0], list | tuple | Mapping):
        if invert:
            raise InputError(
                "expected labels of answers or of sentences in a column that says what is sound, got passages: a passage marks what "
                "is made up. Name a column of such passages with --map label=COLUMN, without the '!'"
            )
        spans = tuple((*_span(one, answer), True) for one in value)
        return Labels(bool(spans), spans, sentences=False)
    places = _located(texts, answer) if texts else [(span.start, span.end) for span in sentences(answer)]
    if len(places) != len(value):
        raise InputError(
            f"expected a label for each of {len(places)} sentences, got {len(value)}: name the column of the sentences "
            "with --map sentences=COLUMN"
        )
    of = [_one(one, invert) for one in value]
    known = [one for one in of if one is not None]
    parts = tuple((*place, one) for place, one in zip(places, of, strict=True))
    return Labels(True if True in known else (False if len(known) == len(of) else None), parts)


def _one(value: Any, invert: bool) -> bool | None:
    found: bool | None
    if isinstance(value, str):
        word = value.strip().lower()
        if word in _UNKNOWN:
            return None
        if word not in _MADE_UP | _SOUND:
            try:
                return _one(float(word), invert)
            except ValueError:
                raise _strange(value) from None
        found = word in _MADE_UP
    elif value is None or (isinstance(value, float) and math.isnan(value)):
        return None
    elif isinstance(value, bool | int | float) and 0 <= value <= 1:
        found = value >= 0.5
    else:
        raise _strange(value)
    return found is not invert


def _strange(value: Any) -> InputError:
    return InputError(
        f"expected a label such as true, false, 0, 1, 'hallucinated' or 'accurate', got {value!r:.60}: change the column, or "
        "name another with --map label=COLUMN"
    )


def _span(value: Any, answer: str) -> tuple[int, int]:
    ends = (value.get("start"), value.get("end")) if isinstance(value, Mapping) else tuple(value)
    whole = len(ends) == 2 and all(isinstance(one, int) and not isinstance(one, bool) for one in ends)
    if not whole or not 0 <= ends[0] <= ends[1] <= len(answer):
        raise InputError(
            f"expected spans as [start, end] within the answer of {len(answer)} characters, got {value!r:.60}"
        )
    return int(ends[0]), int(ends[1])


def _located(texts: Sequence[str], answer: str) -> list[tuple[int, int]]:
    """Where sentences are in the answer, one after the other; blanks around them do not count."""
    found, position = [], 0
    for text in texts:
        bare = text.strip()
        start = answer.find(bare, position)
        if start < 0:
            raise InputError(
                f"expected the labelled sentences in the answer, did not find {bare!r:.60} in it"
            )
        position = start + len(bare)
        found.append((start, position))
    return found
