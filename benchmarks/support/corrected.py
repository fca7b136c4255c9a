"""What `correct()` makes of answers with one wrong field, mark or number, and of the same answers without it."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks._rows import Row
from benchmarks._table import Run
from benchmarks.support.pairs import KINDS, Pair, bibliography, pairs
from guardrail.detectors import ReferenceCheck, SelfCheck, SupportCheck
from guardrail.guard import Guard
from guardrail.policies import correct
from guardrail.report import Edit

__all__ = ["Corrected", "correction_rows", "rows"]


@dataclass(frozen=True, slots=True)
class Corrected:
    """What became of the two answers of a pair.

    Attributes:
        pair: the answers.
        of_wrong: the wrong answer as it is shown.
        edits: of the right answer.
    """

    pair: Pair
    of_wrong: str
    edits: tuple[Edit, ...]

    @property
    def is_right(self) -> bool:
        """Whether the wrong answer was made the right one, to the letter."""
        return self.of_wrong == self.pair.right.answer

    @property
    def is_untouched(self) -> bool:
        """Whether the wrong answer was left as it is."""
        return self.of_wrong == self.pair.wrong.answer


def correction_rows(run: Run) -> list[Row]:
    """All rows about corrections."""
    half = run.options.half
    given = pairs(half, run.data)[:: 6 if run.fast else 1]
    found: list[Corrected] = []
    with tempfile.TemporaryDirectory() as scratch:
        index = Path(scratch) / "works.sqlite"
        run.say("making an index of works")
        bibliography(index, given, half, run.data)
        by_record = Guard([ReferenceCheck(bibliography=index)], policy=correct(), on_unverified="allow")
        by_source = Guard([SupportCheck(), SelfCheck("grounding")], policy=correct(), on_unverified="allow")
        try:
            for number, pair in enumerate(given):
                run.say(f"{number} of {len(given)} pairs")
                guard = by_record if pair.kind == "field" else by_source
                wrong, right = guard.check(pair.wrong), guard.check(pair.right)
                found.append(Corrected(pair, wrong.answer, right.decision.edits))
        finally:
            by_record.close()
            by_source.close()
    _show(run, found)
    return list(rows(found))


def rows(found: Sequence[Corrected]) -> Iterator[Row]:
    """Shares by kind; the right answers that were changed."""
    yield Row.shown("wrong answers", len(found))
    for kind in ("", *KINDS):
        some = [one for one in found if kind in {"", one.pair.kind}]
        if some:
            yield from _shares(f"{kind}: " if kind else "", some)
    yield Row.shown("put right by changing nothing", 0.0)
    for kind in KINDS:
        for what in sorted({one.pair.what for one in found if one.pair.kind == kind}):
            some = [one for one in found if (one.pair.kind, one.pair.what) == (kind, what)]
            right = sum(one.is_right for one in some) / len(some)
            yield Row.shown(f"{kind}, {what} ({len(some)}): put right", right)


def _shares(name: str, some: Sequence[Corrected]) -> Iterator[Row]:
    right, left = sum(one.is_right for one in some), sum(one.is_untouched for one in some)
    yield Row.shown(f"{name}put right", right / len(some))
    yield Row.shown(f"{name}left as they are", left / len(some))
    yield Row.shown(f"{name}changed into something else", (len(some) - right - left) / len(some))
    yield Row.shown(f"{name}right answers changed (of {len(some)})", sum(bool(one.edits) for one in some))


def _show(run: Run, found: Sequence[Corrected]) -> None:
    """Write what was not put right, and what was changed in right answers, into the folder that was asked for."""
    if run.out is None:
        return
    lines = []
    for one in found:
        pair, answer = one.pair, one.pair.right.answer
        if not one.is_right:
            left = "left" if one.is_untouched else f"became {one.of_wrong!r}"
            lines.append(f"{pair.name} {pair.kind}, {pair.what}: {left}: {pair.wrong.answer!r}")
        lines += [
            f"{pair.name} right answer: {edit.span.of(answer)!r} → {edit.replacement!r} ({edit.why})"
            for edit in one.edits
        ]
    (run.out / "corrections.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
