"""What a model learns from, pass by pass: sets of pairs, some of them made harder, as passages and figures are.

Only sets made of MultiNLI and SNLI, or under MIT or Apache-2.0. The model card (models/entailment-mini/README.md) lists
them with their licences; the people who made LingNLI, of MultiNLI's premises, have not stated one for their part.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from benchmarks.entailment.pairs import LABELS, Pair, training

__all__ = ["COURSES", "Course", "Pass", "changed_number", "lessons", "passage"]

_NUMBER = re.compile(r"(?<![\w.,])\d{1,4}(?![\w.,]?\d)(?!\w)")
_ENTAILMENT, _CONTRADICTION = LABELS.index("entailment"), LABELS.index("contradiction")


_MULTINLI = ("mnli_train_10k", "mnli_train_9k", "mnli_taxinli")
_SNLI = ("snli_20k", "snli_train_9k", "snli_cad")


@dataclass(frozen=True, slots=True)
class Pass:
    """What is seen once.

    Attributes:
        sets: at most how many pairs of each set, drawn anew; `None` = all.
        numbers: at most so many pairs made of a premise and itself, with another number in half of them.
        reworded: sets of which nearly every pair gets an unlabelled one with other words beside it, drawn anew, by the
            teacher alone.
    """

    sets: Mapping[str, int | None]
    numbers: int = 0
    reworded: Collection[str] = ()


@dataclass(frozen=True, slots=True)
class Course:
    """Which pairs are learnt, and in what order.

    Attributes:
        passes: what each of them sees.
        order: the passes that are gone through by number, counted from 0, where that is not all of them one after the
            other. A pass draws by its number, so one that comes again has the same pairs, also those that were made for
            it, and those of two courses differ.
        passages: share of pairs whose premise gets an unrelated one before or behind it; drawn anew in each pass.
        taught: sets whose pairs get a teacher's probabilities; what it says costs much of the time.
        after: the course whose weights it begins with; `None` = it begins with an encoder.
    """

    passes: Sequence[Pass]
    passages: float = 0.0
    taught: Collection[str] = ()
    order: Sequence[int] | None = None
    after: str | None = None

    @property
    def sets(self) -> list[str]:
        """All that is learnt from, in the order in which it is first seen."""
        return list(dict.fromkeys(name for one in self.passes for name in one.sets))


_MOST = dict.fromkeys(("lingnli", *_MULTINLI))
_SOME = {"snli_20k": 6_000, "snli_train_9k": 3_000, "snli_cad": 3_000}
_FEW = {"snli_20k": 4_000, "snli_train_9k": 2_000, "snli_cad": 2_000}
_PASSES = (
    Pass(_MOST | {"lingnli": 20_000} | _SOME, numbers=1_500),
    Pass(_MOST | dict.fromkeys(_SNLI), numbers=1_500, reworded=_MULTINLI),
    Pass(_MOST | _FEW, numbers=1_500, reworded=_MULTINLI),
    Pass(_MOST | _SOME, numbers=1_500, reworded=_MULTINLI),
    Pass(_MOST | _FEW, numbers=1_500, reworded=_MULTINLI),
    Pass(_MOST, numbers=1_500, reworded=_MULTINLI),
)
"""All of SNLI early and none of it last; what dev is made of, with other words each time, up to the end."""

COURSES = {
    "quick": Course([Pass(dict.fromkeys(("mnli_train_10k", "mnli_train_9k", "snli_20k", "snli_cad")))]),
    "teacher": Course(
        [Pass(dict.fromkeys(_MULTINLI) | {"lingnli": 20_000, "snli_20k": 1_500, "snli_cad": 1_500})]
    ),
    "first": Course(_PASSES, passages=0.12, taught=_MOST, order=[0, 1, 2]),
    "full": Course(_PASSES, passages=0.12, taught=_MOST, order=[3, 4, 5], after="first"),
}
"""By name: a quarter of an hour; what a larger model learns, the teacher; what a small one then learns, in two courses."""


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
    """The pairs of each pass, as often as it is gone through; the same seed gives the same.

    Args:
        folder: of the sets.
        course: see there.
        seed: of all that is drawn.
        taught: adds a teacher's probabilities to the pairs of a set of `course.taught`, and to reworded ones. A pair
            keeps them in a longer passage; pairs made of a premise and itself have none.
        reworded: makes unlabelled pairs of those of `Pass.reworded`; where it or `taught` is absent there are none.
    """
    sets = training(folder, course.sets)
    if taught is not None:
        sets = {name: taught(pairs) if name in course.taught else pairs for name, pairs in sets.items()}
    order = range(len(course.passes)) if course.order is None else course.order
    found = {}
    for number in dict.fromkeys(order):
        one = course.passes[number]
        source = random.Random(f"{seed} {number}")
        pairs = [pair for name, most in one.sets.items() for pair in _some(sets[name], most, source)]
        premises = list(dict.fromkeys(pair.premise for pair in pairs))
        made = list(_numbers(premises, one.numbers, source))
        if taught is not None and reworded is not None and one.reworded:
            known = [pair for name in one.reworded for pair in sets[name]]
            made += taught(list(reworded(known, source)))
        found[number] = [
            passage(pair, source.choice(premises), source) if source.random() < course.passages else pair
            for pair in [*pairs, *made]
        ]
    return [found[number] for number in order]


def _some(pairs: Sequence[Pair], most: int | None, source: random.Random) -> Sequence[Pair]:
    return pairs if most is None or most >= len(pairs) else source.sample(pairs, most)


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
