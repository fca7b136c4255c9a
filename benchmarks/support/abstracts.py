"""The labelled answers again, with every document called an abstract: silence must decide nothing."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from benchmarks._rows import Row
from benchmarks._table import Run
from benchmarks.answers.checking import cache_file
from benchmarks.support.answers import answers
from guardrail.cache import Cache
from guardrail.guard import Guard
from guardrail.policies import annotate, remove
from guardrail.report import Case
from guardrail.support import SupportCheck

__all__ = ["abstract_rows", "of_abstracts"]

_SILENCE = ("silent", "in part", "elsewhere")
_NOTE = "source does not say this"


def of_abstracts(case: Case) -> Case:
    """A case whose documents are only abstracts."""
    return case.model_copy(update={"sources": tuple(replace(one, abstract=True) for one in case.sources)})


def abstract_rows(run: Run) -> list[Row]:
    """What is said of marks whose documents are abstracts."""
    given = answers(run.options.half, run.data("attribution"), run.data("real_answers"))[
        :: 6 if run.fast else 1
    ]
    both = {"unsupported", "unverified"}
    cache = Cache(cache_file())  # what the model said of a pair for one policy, it says for the other
    guards = [Guard([SupportCheck()], policy=one, cache=cache) for one in (annotate(both), remove())]
    labels: Counter[str] = Counter()
    notes, cut = 0, 0
    for number, answer in enumerate(given):
        run.say(f"abstracts: {number} of {len(given)} answers")
        noted, removed = (guard.check(of_abstracts(answer.case)) for guard in guards)
        labels.update(finding.label for finding in noted.judged)
        notes += noted.answer.count(_NOTE)
        denied = [
            finding.span for finding in removed.judged if finding.label == "contradicts" and finding.span
        ]
        cut += sum(
            not any(edit.span.overlaps(span) for span in denied)
            for edit in removed.decision.edits
            if edit.span.end > edit.span.start
        )
    return [
        Row.shown("abstracts only: marks", sum(labels.values())),
        Row.at_most(
            "abstracts only: marks called silent, in part or wrong", sum(labels[one] for one in _SILENCE), 0
        ),
        Row.at_most("abstracts only: notes that the source does not say it", notes, 0),
        Row.at_most("abstracts only: cuts that are not for a contradiction", cut, 0),
        Row.shown("abstracts only: marks called contradicted", labels["contradicts"]),
        Row.shown("abstracts only: marks whose source says it", labels["yes"]),
        Row.shown("abstracts only: marks left open", labels["not at hand"]),
    ]
