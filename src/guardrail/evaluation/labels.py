"""Labels of people: what they say of an answer, of its sentences, or of spans, in one form.

True means *made up* everywhere. What is labelled by sentence or span is also labelled as a whole: made up if any part is.
"""

from __future__ import annotations

import math
import re
import shlex
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from guardrail._toml import packaged
from guardrail.errors import ConfigError, InputError
from guardrail.text.sentences import sentences

Label: TypeAlias = "bool | str | float | Sequence[Any] | None"

_MADE_UP, _SOUND, _NONE = map(frozenset, packaged("guardrail.evaluation", "words.toml")["labels"].values())
_MEANINGS: Mapping[str, bool | None] = {"made-up": True, "sound": False, "none": None}
_SHOWN = 20  # labels that one message lists
_FROM = re.compile(r">=\s*(-?\d*\.?\d+)")


@dataclass(frozen=True, slots=True)
class Meanings:
    """What labels mean that are not known here.

    Attributes:
        words: of each label, in small letters, whether it means made up; `None` = not labelled.
        least: from this number on, a number means `above`, below it the opposite; `None` = 0 and 1 alone are numbers.
        above: made up or sound.
    """

    words: Mapping[str, bool | None] = field(default_factory=dict)
    least: float | None = None
    above: bool = True

    @classmethod
    def of(cls, text: str) -> Meanings:
        """Read "FAIL=made-up,PASS=sound,skipped=none" or ">=0.5=made-up".

        Raises:
            ConfigError: a part has another form.

        Example:
            >>> Meanings.of("falsch=made-up,>=0.7=sound")
            Meanings(words={'falsch': True}, least=0.7, above=False)
        """
        words: dict[str, bool | None] = {}
        least, above = None, True
        for part in text.split(",") if text else ():
            value, _, meaning = (one.strip() for one in part.rpartition("="))
            number = _FROM.fullmatch(value)
            if meaning not in _MEANINGS or not value or (number and meaning == "none"):
                raise ConfigError(
                    f"--labels: expected LABEL=made-up, LABEL=sound, LABEL=none or >=NUMBER=made-up, got {part!r}"
                )
            if number:
                least, above = float(number[1]), meaning == "made-up"
            else:
                words[value.lower()] = _MEANINGS[meaning]
        return cls(words, least, above)


class StrangeLabels(InputError):
    """Labels of which nobody said what they mean.

    Attributes:
        values: each of them, as written.
    """

    def __init__(self, values: Iterable[Any]) -> None:
        self.values = tuple(values)
        super().__init__(strange(Counter(map(str, self.values)), "label"))


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


def read_labels(
    value: Label,
    answer: str,
    *,
    texts: Sequence[str] = (),
    invert: bool = False,
    meanings: Meanings | None = None,
) -> Labels:
    """Labels in any of the forms that data sets use.

    Args:
        value: of the answer: true, false, 0, 1, a word ("hallucinated", "accurate", …) or
            nothing; of sentences: a list of those; of spans: a list of [start, end] or {"start", "end"}, which are made up
            (an empty list is an answer that is sound throughout).
        answer: the text.
        texts: the sentences that are labelled, where they were not split as here.
        invert: whether true means *sound* in `value`.
        meanings: of labels that are not known here, and of other numbers.

    Raises:
        StrangeLabels: labels that are not known.
        InputError: passages that are to be inverted, or another number of sentences than labels.

    Example:
        >>> read_labels([0, 1], "It is so. It is not.").parts
        ((0, 9, False), (10, 20, True))
    """
    meanings = meanings or Meanings()
    if not isinstance(value, list | tuple):
        return Labels(_one(value, invert, meanings))
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
    of = _each(value, invert, meanings)
    known = [one for one in of if one is not None]
    parts = tuple((*place, one) for place, one in zip(places, of, strict=True))
    return Labels(True if True in known else (False if len(known) == len(of) else None), parts)


def _one(value: Any, invert: bool, meanings: Meanings) -> bool | None:
    """What a label means; what the user said of it is not inverted."""
    word, number = str(value).strip().lower(), _number(value)
    if word in meanings.words:
        return meanings.words[word]
    if word in _NONE:
        return None
    if number is not None and meanings.least is not None and not isinstance(value, bool):
        return (number >= meanings.least) is meanings.above
    if number in {0.0, 1.0}:
        return (number == 1.0) is not invert
    if isinstance(value, str) and word in _MADE_UP | _SOUND:
        return (word in _MADE_UP) is not invert
    raise StrangeLabels([value])


def _number(value: Any) -> float | None:
    try:
        found = float(value) if isinstance(value, str | int | float) else math.nan
    except (ValueError, OverflowError):
        return None
    return found if math.isfinite(found) else None


def _each(values: Sequence[Any], invert: bool, meanings: Meanings) -> list[bool | None]:
    found: list[bool | None] = []
    unknown: list[Any] = []
    for value in values:
        try:
            found.append(_one(value, invert, meanings))
        except StrangeLabels as error:
            unknown += error.values
    if unknown:
        raise StrangeLabels(unknown)
    return found


def strange(counted: Mapping[str, int], column: str) -> str:
    """What is said of labels that nobody knows: each with how often it is there, and the option that says what it means."""
    numbers = [one for one in counted if _number(one) is not None]
    words = [one for one in counted if one not in numbers]
    shares = all(0 <= float(one) <= 1 for one in numbers)
    parts = [f"{word}=?" for word in words[:_SHOWN]] + [f">={'0.5' if shares else '?'}=made-up"] * bool(
        numbers
    )
    listed = ", ".join(f"{one!r:.60} ({count:,} ×)" for one, count in list(counted.items())[:_SHOWN])
    more = f" and {len(counted) - _SHOWN:,} more" if len(counted) > _SHOWN else ""
    fill = ", with made-up, sound or none for each ?" if words else ""
    return (
        f"expected a label such as true, false, 0, 1, 'hallucinated' or 'accurate' in the column {column!r}, got {listed}{more}: say "
        f"what they mean with --labels {shlex.quote(','.join(parts))}{fill}; or name another column with --map label=COLUMN"
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
