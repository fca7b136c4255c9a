"""Train an entailment model on public data, where it stopped if it was stopped.

The same command goes on from what was saved last, also after a kill. The course "full" has four steps: a larger model
learns from the labels ("teacher"); it says how likely each label is, also of pairs that nobody has labelled; the small
one learns from both ("first"), and from more of them moved by another optimizer ("full"). What a teacher said comes
with the recipe, so the first two are done only where they are asked for.
"quick" takes a quarter of an hour on two cores.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import random
import re
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

from benchmarks._data import data_dir
from benchmarks._progress import progress
from benchmarks._training import write_note
from benchmarks.entailment.making.judge import Judge
from benchmarks.entailment.making.lessons import COURSES, lessons
from benchmarks.entailment.making.loop import CURVE, Recipe, Trained, train, trained
from benchmarks.entailment.making.optimizer import needs_muon
from benchmarks.entailment.making.rewording import Rewording
from benchmarks.entailment.making.teacher import SAID, SHIPPED, Teacher
from benchmarks.entailment.pairs import Pair, read
from benchmarks.entailment.setting import FIRST, FULL, QUICK, TEACHER, TEACHER_BASE
from guardrail.backends.weights import find, minilm, places
from guardrail.errors import GuardrailError, InputError, MissingExtra

__all__ = ["BEGUN", "JUDGED_BY", "RECIPES", "home", "main"]

RECIPES: Mapping[str, Recipe] = {
    "quick": Recipe(),
    "teacher": Recipe(rate=5e-5, batch=32, longest=96, frozen=3, looks=1),
    "first": Recipe(rate=2e-4, looks=1, dropout=0.1),
    "full": Recipe(rate=3e-4, batch=128, looks=4, dropout=0.1, muon=True),
}
"""By course; a recipe with looks has a judge."""

BEGUN = "begun"
"""Folder beside a model's weights; the note of the training that it began with lies in it, in a folder of its course."""

JUDGED_BY = "mnli_dev"
"""The set that chooses among the weights of a full training: a little of its accuracy there is owed to that."""

_NAMES = {"quick": QUICK, "teacher": TEACHER, "first": FIRST, "full": FULL}
_STEP = re.compile(r"\b(?:step|pair) (\d+) of \d+")
_GLANCE = 2_000  # pairs that a teacher is judged by: the weights it ends with are taken, so more would only cost time


def home(course: str) -> Path:
    """Where a course's model is put, and looked for."""
    return next(places(_NAMES[course]))


def main(argv: Sequence[str] | None = None) -> int:
    """Train; 0 if it is done, 2 if it could not run."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.entailment train", description=__doc__)
    parser.add_argument("--course", choices=[*COURSES], default="full", help="what is learnt (full)")
    parser.add_argument("--seed", type=int, default=0, help="of the head, the pairs made and their order")
    parser.add_argument(
        "--again",
        action="store_true",
        help="train though there is a trained model; its teacher stays",
    )
    parser.add_argument(
        "--own-teacher",
        action="store_true",
        help="train a teacher and ask it, though what one said comes with the recipe",
    )
    parser.add_argument("--data", type=Path, metavar="DIR", help="folder of the labelled pairs")
    parser.add_argument(
        "--teacher-base",
        type=Path,
        metavar="DIR",
        help=f"the larger encoder; default: {TEACHER_BASE}, where models are looked for",
    )
    parser.add_argument(
        "--out", type=Path, metavar="DIR", help="default: $GUARDRAIL_MODELS, or the user's cache"
    )
    options = parser.parse_args(argv)
    folder = options.out or home(options.course)
    try:
        for library in ("torch", "transformers", "safetensors"):
            if importlib.util.find_spec(library) is None:
                raise MissingExtra(library, extra="local")
        done = None if options.again else _finished(folder, options.course, options.seed)
        if done is None:
            data = options.data or data_dir("nli")
            done = _train(
                data,
                folder,
                options.course,
                options.seed,
                larger=options.teacher_base,
                own_teacher=options.own_teacher,
            )
        _plot(folder)
    except GuardrailError as error:
        sys.stderr.write(f"train: {error}\n")
        return 2
    judged = f", {done.judged:.2%} of {JUDGED_BY} right" if done.judged else ""
    sys.stdout.write(
        f"{folder}\n{done.steps} steps, {done.seconds / 60:.1f} min, loss {done.loss:.3f}{judged}\n"
    )
    return 0


def _train(
    data: Path,
    folder: Path,
    course: str,
    seed: int,
    *,
    larger: Path | None,
    own_teacher: bool = False,
    kept: Path | None = None,
) -> Trained:
    """A course, after those that it builds on; `kept` is where a teacher's answers are, if not beside the weights."""
    recipe, base, taught, reworded = replace(RECIPES[course], seed=seed), None, None, None
    if recipe.muon:
        needs_muon()  # before a teacher is trained
    if course == "teacher":
        base = find(larger or TEACHER_BASE)
    elif COURSES[course].taught:
        encoder, opened = minilm(), None  # first, for a missing one is found at once
        kept = kept or (folder if course == "full" else home("full")) / SAID  # asked once for all courses
        if own_teacher or not _shipped(kept, seed):
            opened = _teacher(data, seed, larger, kept)
        taught = partial(_taught, kept, opened)
        reworded = Rewording(encoder)
    if before := COURSES[course].after:
        base = home(before)
        done = _finished(base, before, seed)
        if done is None or (kept is not None and trained(base / SAID) != trained(kept)):  # of another teacher
            print(f"course {before!r} first", file=sys.stderr, flush=True)
            done = _train(data, base, before, seed, larger=larger, own_teacher=own_teacher, kept=kept)
        (folder / BEGUN / before).mkdir(parents=True, exist_ok=True)
        write_note(folder / BEGUN / before, done)
    passes = lessons(data, COURSES[course], seed=seed, taught=taught, reworded=reworded)
    judge = None
    if recipe.looks:
        pairs = list(read(data / JUDGED_BY / "pairs.jsonl"))
        judge = Judge(random.Random(seed).sample(pairs, _GLANCE) if course == "teacher" else pairs)
    steps = sum(-(-len(lesson) // recipe.batch) for lesson in passes)
    with _told("steps", steps) as say:
        done = train(passes, folder, recipe=recipe, base=base, judge=judge, say=say)
    if kept is not None and (teacher := trained(kept)) is not None:
        (folder / SAID).mkdir(exist_ok=True)
        write_note(folder / SAID, teacher)  # also where what it said lies elsewhere
    return done


def _finished(folder: Path, course: str, seed: int) -> Trained | None:
    """What a finished training of a course has left in a folder, if there is one.

    Raises:
        InputError: there is one of another recipe or seed.
    """
    done, wanted = trained(folder), replace(RECIPES[course], seed=seed)
    if done is not None and done.recipe != wanted:
        raise InputError(
            f"expected the recipe of the course {course!r} with seed {seed} in {str(folder)!r}, got {done.recipe}: "
            f"train that course anew (--course {course} --seed {seed} --again), or name another folder in "
            "GUARDRAIL_MODELS"
        )
    return done


def _shipped(kept: Path, seed: int) -> bool:
    """Take what comes with the recipe, unless there is a teacher on this machine, or it is of another recipe."""
    theirs = trained(SHIPPED)
    if _finished(home("teacher"), "teacher", seed) is not None or theirs is None:
        return False
    if theirs.recipe != replace(RECIPES["teacher"], seed=seed):
        return False
    if trained(kept) != theirs:
        part = kept.with_name(f"{kept.name}.part")  # so that a kill leaves no note without what it is of
        for one in (part, kept):
            shutil.rmtree(one, ignore_errors=True)
        shutil.copytree(SHIPPED, part).rename(kept)
    return True


def _teacher(data: Path, seed: int, larger: Path | None, kept: Path) -> Path:
    """The trained teacher; it is trained now if there is none. What another one said is dropped."""
    folder = home("teacher")
    done = _finished(folder, "teacher", seed)
    if done is None:
        print("course 'teacher' first", file=sys.stderr, flush=True)
        done = _train(data, folder, "teacher", seed, larger=larger)
    if trained(kept) != done:
        shutil.rmtree(kept, ignore_errors=True)
        kept.mkdir(parents=True)
        write_note(kept, done)
    return folder


def _taught(kept: Path, teacher: Path | None, pairs: list[Pair]) -> list[Pair]:
    with _told("pairs", len(pairs)) as say:
        return Teacher(kept, teacher, say=say)(pairs)


@contextmanager
def _told(what: str, total: int) -> Iterator[Callable[[str], None]]:
    """A bar on a terminal, lines elsewhere."""
    if not sys.stderr.isatty():
        yield lambda line: print(line, file=sys.stderr, flush=True)
        return
    with progress(what, total) as bar:

        def say(line: str) -> None:
            place = _STEP.search(line)
            bar(int(place[1]) if place else 0, line)

        yield say


def _plot(folder: Path) -> None:
    """The curve, where there is one and matplotlib is there to draw it."""
    path = folder / CURVE
    if importlib.util.find_spec("matplotlib") is None or not path.is_file():
        return
    from benchmarks.entailment.figures import curve

    curve([json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()], folder)
