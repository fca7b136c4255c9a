"""Answers in the documents' own language that is not English: how often "supported" and "unsupported" are right.

Pairs of sentences or short texts in `data/multilingual`, labelled by people: the premise is the document, the hypothesis the answer. Many
hypotheses have the words of their premise and say something else, so this is harder than answers from documents.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks._rows import Row
from benchmarks._table import Run
from benchmarks.answers.checking import cache_file, check, found, opened
from guardrail import Cache, Case, Verdict

__all__ = ["Pair", "language_rows", "read_pairs", "verdict_rows"]

USUAL, FEW = 200, 50  # pairs of a language
_NATIVE = "nli_other"


@dataclass(frozen=True, slots=True)
class Pair:
    """A document and an answer.

    Attributes:
        native: whether people wrote it in its language; the others are translated from English.
        language: ISO 639-1.
        document: the premise.
        answer: the hypothesis.
        entailed: whether the document says so; a contradiction and what it does not say are both not entailed.
    """

    native: bool
    language: str
    document: str
    answer: str
    entailed: bool


def read_pairs(folder: Path, most: int) -> list[Pair]:
    """The pairs of `data/multilingual`, without English: of each language so many at most, drawn with a fixed seed."""
    pairs: dict[tuple[bool, str], list[Pair]] = {}
    for path in sorted(folder.glob("*/*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            if "hypothesis" not in row:  # news to be continued
                continue
            native = path.parent.name == _NATIVE
            language = row.get("lang") or path.stem.rpartition("_")[2]
            one = Pair(native, language, row["premise"], row["hypothesis"], row["label"] == "entailment")
            if language != "en":
                pairs.setdefault((native, language), []).append(one)
    draw = random.Random(1)
    return [one for own in pairs.values() for one in draw.sample(own, min(most, len(own)))]


def language_rows(run: Run) -> list[Row]:
    """The figures of native and of translated pairs."""
    most = FEW if run.fast else run.options.rows or USUAL
    run.parameters["pairs of a language"] = most
    pairs = read_pairs(run.data("multilingual"), most)
    with opened(Cache(cache_file())) as guard:
        cases = [Case.of(one.answer, context=[one.document]) for one in pairs]
        verdicts = [found(report).verdict for report in check(guard, cases, run.say)]
    return list(verdict_rows(pairs, verdicts))


def verdict_rows(pairs: Sequence[Pair], verdicts: Sequence[Verdict | None]) -> Iterator[Row]:
    """How many pairs were called supported or unsupported, and how many of these are entailed."""
    for native, name in ((True, "native"), (False, "translated")):
        own = [(one, verdict) for one, verdict in zip(pairs, verdicts, strict=True) if one.native is native]
        yield Row.shown(f"languages, {name}: pairs", len(own))
        yield Row.shown(f"languages, {name}: share entailed", _share([one.entailed for one, _ in own]))
        for wanted in (Verdict.SUPPORTED, Verdict.UNSUPPORTED):
            called = [one.entailed for one, verdict in own if verdict is wanted]
            yield Row.shown(f"languages, {name}: {wanted.value}", len(called))
            yield Row.shown(f"languages, {name}: {wanted.value}, share entailed", _share(called))


def _share(values: Sequence[bool]) -> float | None:
    return sum(values) / len(values) if values else None
