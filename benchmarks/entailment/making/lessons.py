"""What a model learns from, pass by pass: sets of pairs, some of them made harder, as passages and figures are.

Only sets made of MultiNLI and SNLI, or under MIT or Apache-2.0. The model card (models/entailment-mini/README.md) lists
them with their licences; the people who made LingNLI, of MultiNLI's premises, have not stated one for their part.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from benchmarks.entailment.pairs import LABELS, Pair, training

__all__ = ["COURSES", "Course", "changed_number", "lessons", "passage"]

_NUMBER = re.compile(r"(?<![\w.,])\d{1,4}(?![\w.,]?\d)(?!\w)")
_ENTAILMENT, _CONTRADICTION = LABELS.index("entailment"), LABELS.index("contradiction")


@dataclass(frozen=True, slots=True)
class Course:
    """Which pairs are learnt, in which passes.

    Attributes:
        passes: how often each set is seen; a set of n passes is in the first n lessons.
        passages: share of pairs whose premise gets an unrelated one before or behind it; drawn anew in each lesson.
        numbers: at most so many pairs per lesson made of a premise and itself, with another number in half of them.
        most: of some sets no more pairs than this, drawn at random once.
        taught: sets whose pairs get a teacher's probabilities; what it says costs much of the time.
        reworded: sets of which nearly every pair gets, in each lesson, an unlabelled one with other words beside it, by the
            teacher alone.
    """

    passes: Mapping[str, int] = field(default_factory=dict)
    passages: float = 0.0
    numbers: int = 0
    most: Mapping[str, int] = field(default_factory=dict)
    taught: Collection[str] = ()
    reworded: Collection[str] = ()


COURSES = {
    "quick": Course(passes=dict.fromkeys(("mnli_train_10k", "mnli_train_9k", "snli_20k", "snli_cad"), 1)),
    "teacher": Course(
        passes=dict.fromkeys(
            ("mnli_train_10k", "mnli_train_9k", "mnli_taxinli", "lingnli", "snli_20k", "snli_cad"), 1
        ),
        most={"lingnli": 6_000, "snli_20k": 3_000, "snli_cad": 3_000},
    ),
    "full": Course(
        passes={
            "lingnli": 3,
            "mnli_train_10k": 3,
            "mnli_train_9k": 3,
            "mnli_taxinli": 3,
            "snli_20k": 2,
            "snli_train_9k": 2,
            "snli_cad": 2,
        },
        passages=0.12,
        numbers=3_000,
        taught={"lingnli", "mnli_train_10k", "mnli_train_9k", "mnli_taxinli"},
        reworded={"mnli_train_10k", "mnli_train_9k", "mnli_taxinli"},
    ),
}
"""By name: a quarter of an hour; what the packaged model's teacher learns; and what it then learns itself."""


Taught = Callable[[list[Pair]], list[Pair]]
Reworded = Callable[[Sequence[Pair], random.Random], Iterable[Pair]]


def lessons(
    folder: Path,
    course: Course,
    *,
    seed: int,
    taught: Taught | None = None,
    reworded: Reworded | None = None,
) -> list[list[Pair]]:
    """The pairs of each pass; the same seed gives the same.

    Args:
        folder: of the sets.
        course: see there.
        seed: of all that is drawn.
        taught: adds a teacher's probabilities to the pairs of a set of `course.taught`, and to reworded ones. A pair
            keeps them in a longer passage; pairs made of a premise and itself have none.
        reworded: makes unlabelled pairs of those of `course.reworded`; where it or `taught` is absent there are none.
    """
    sets = training(folder, list(course.passes))
    for name, most in course.most.items():
        sets[name] = random.Random(f"{seed} {name}").sample(sets[name], min(most, len(sets[name])))
    if taught is not None:
        sets = {name: taught(pairs) if name in course.taught else pairs for name, pairs in sets.items()}
    found = []
    for number in range(max(course.passes.values())):
        source = random.Random(f"{seed} {number}")
        pairs = [pair for name, own in sets.items() if course.passes[name] > number for pair in own]
        premises = list(dict.fromkeys(pair.premise for pair in pairs))
        made = list(_numbers(premises, course.numbers, source))
        if taught is not None and reworded is not None:
            known = [pair for name, own in sets.items() if name in course.reworded for pair in own]
            made += taught(list(reworded(known, source)))
        found.append(
            [
                passage(pair, source.choice(premises), source) if source.random() < course.passages else pair
                for pair in [*pairs, *made]
            ]
        )
    return found


def passage(pair: Pair, other: str, source: random.Random) -> Pair:
    """The pair with an unrelated premise before or behind its own: what holds of a part holds of the whole."""
    parts = [pair.premise, other]
    source.shuffle(parts)
    return replace(pair, premise=" ".join(parts))


def changed_number(text: str, source: random.Random) -> str | None:
    """The text with one number made another of as many digits; None if it has none of one to four digits."""
    places = list(_NUMBER.finditer(text))
    if not places:
        return None
    place = source.choice(places)
    old = int(place[0])
    near = [old + step for step in range(-30, 31) if step and len(str(max(0, old + step))) == len(place[0])]
    new = [value for value in near if value > 0]
    return f"{text[: place.start()]}{source.choice(new)}{text[place.end() :]}" if new else None


def _numbers(premises: Sequence[str], most: int, source: random.Random) -> Iterator[Pair]:
    """Premises that say themselves (entailment), or themselves with another number (contradiction)."""
    with_number = [text for text in premises if _NUMBER.search(text)]
    for text in source.sample(with_number, min(most, len(with_number))):
        other = changed_number(text, source) if source.random() < 0.5 else None
        yield Pair(text, text, _ENTAILMENT) if other is None else Pair(text, other, _CONTRADICTION)
