"""Our server with a guard of this benchmark: `python -m benchmarks.performance.server.guarded UPSTREAM GUARD [SETTINGS]`.

It runs what `guardrail serve` runs; only the guard comes from here. The settings are JSON.
"""

from __future__ import annotations

import json
import random
import sys
import tempfile
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, Literal

from guardrail import Detector, Finding, Guard, Span, Verdict, flag, remove
from guardrail.chat import OpenAIChat
from guardrail.detector import Case, Flow
from guardrail.detectors import ReferenceCheck, SelfCheck
from guardrail.references.bibliography import Index, Record
from guardrail.server import Settings, run

__all__ = ["AUTHOR", "FORBIDDEN", "GUARDS", "TITLES", "Nothing", "Spotter"]

AUTHOR = "Ada Lindqvist"
FORBIDDEN = "Xyzzyville Quuxington"
_SUBJECTS = ("rivers", "glaciers", "enzymes", "markets", "alloys", "dialects", "galaxies", "wetlands")
_KINDS = ("growth", "decline", "structure", "history", "economics", "dynamics", "stability", "modelling")
_PLACES = ("northern Europe", "arid regions", "early cities", "deep oceans", "small islands", "high plateaus")
TITLES = tuple(
    f"The {kind} of {subject} in {place}: study {number}"
    for number in range(1, 27)
    for subject in _SUBJECTS
    for kind in _KINDS
    for place in _PLACES
)
"""Titles of a made-up bibliography, 9,984 of them."""


class Nothing(Detector):
    """Finds nothing and asks nobody: what is left is the server's own work."""

    name = "nothing"

    def cost(self, case: Case) -> Mapping[str, tuple[int, int]]:
        """No calls."""
        del case
        return {}

    def examine(self, case: Case) -> Flow[list[Finding]]:
        """No findings."""
        del case
        yield from ()
        return []


class Spotter(Nothing):
    """Finds the words that must not be released."""

    name = "spotter"

    def examine(self, case: Case) -> Flow[list[Finding]]:
        """One finding for each place."""
        yield from ()
        found, start = [], 0
        while (at := case.answer.find(FORBIDDEN, start)) >= 0:
            start = at + len(FORBIDDEN)
            span = Span(start=at, end=start)
            found.append(
                Finding(
                    detector=self.name,
                    span=span,
                    text=FORBIDDEN,
                    score=1.0,
                    verdict=Verdict.UNSUPPORTED,
                    mark="made up",
                )
            )
        return found


def _look_up(upstream: str) -> Guard:
    del upstream
    path = Path(tempfile.mkdtemp()) / "works.sqlite"
    drawn = random.Random(0)
    with Index.create(path, complete=True) as index:
        index.add([Record(title, (AUTHOR,), year=drawn.randint(1950, 2020)) for title in TITLES])
    return Guard([ReferenceCheck(bibliography=str(path))], policy=remove())


def _sampled(method: Literal["ngram", "nli"], upstream: str) -> Guard:
    chat = OpenAIChat("m", base_url=upstream, api_key="none")
    return Guard([SelfCheck(method, samples=3)], chat=chat, policy=flag())


GUARDS: Mapping[str, Callable[[str], Guard]] = {
    "nothing": lambda _: Guard([Nothing()], policy=flag()),
    "spotter": lambda _: Guard([Spotter()], policy=remove()),
    "look-up": _look_up,
    "n-gram": partial(_sampled, "ngram"),
    "samples": partial(_sampled, "nli"),
    "entailment": lambda _: Guard([SelfCheck("grounding")], policy=flag()),
}


def main(upstream: str, name: str, settings: Mapping[str, Any]) -> None:
    """Serve until it is ended."""
    settled = Settings(upstream=upstream, **{"port": 0, **settings})
    run(settled, partial(GUARDS[name], upstream), listening=lambda url: print(url, flush=True))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], json.loads((*sys.argv, "{}")[3]))
