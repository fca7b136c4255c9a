"""FactCheck: free sentences, labelled by hand, judged by the facts; and how long an answer takes on 100,000 facts."""

from __future__ import annotations

import json
import random
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks._table import Row, Run
from benchmarks.logic.synthetic import skewed_facts
from guardrail import Guard, Verdict
from guardrail.detectors import FactCheck
from guardrail.logic.knowledge import KnowledgeBase, Triple, build
from guardrail.logic.knowledge.prolog import PACKAGE, available
from guardrail.logic.knowledge.sources.files import read_facts
from guardrail.report import Report
from guardrail.statistics.intervals import wilson

__all__ = [
    "BARS",
    "Labelled",
    "answers",
    "confusion",
    "confusion_rows",
    "held_rows",
    "judged",
    "rows",
    "time_rows",
]

LABELS = ("supported", "contradicted", "unknown")
HALVES = ("tuning", "unseen")
BARS = {"found": 0.9, "milliseconds": 50.0}
FACTS = 100_000
ANSWERS, ANSWERS_FAST = 300, 60
HELD, HELD_FAST = 1_000, 200
SEED = 0
_FOLDER = Path(__file__).parent / "labelled"
_SAID = {
    Verdict.SUPPORTED: "supported",
    Verdict.UNSUPPORTED: "contradicted",
    Verdict.UNVERIFIED: "unknown",
}


@dataclass(frozen=True, slots=True)
class Labelled:
    """A sentence with its label, and what was said of it."""

    text: str
    label: str
    half: str
    said: str


def rows(run: Run) -> list[Row]:
    """Both halves of the labelled sentences, then the time of an answer."""
    missing = available()
    if missing:
        return [
            Row.missing(f"FactCheck: {half} half", f"needs SWI-Prolog ({PACKAGE}) and pyswip")
            for half in HALVES
        ]
    with tempfile.TemporaryDirectory() as place:
        judgements = judged(_FOLDER, Path(place))
        found = [row for half in HALVES for row in confusion_rows(judgements, half)]
        found += held_rows(run.data("drowzee"), Path(place), count=HELD_FAST if run.fast else HELD)
        return [*found, *time_rows(Path(place), count=ANSWERS_FAST if run.fast else ANSWERS)]


# --- labelled sentences ------------------------------------------------------------------------------------------


def judged(folder: Path, place: Path) -> list[Labelled]:
    """What FactCheck says of every labelled sentence.

    Args:
        folder: holds `sentences.jsonl` and `sentences_facts.jsonl`.
        place: where the knowledge base may be made.
    """
    known = read_facts(folder / "sentences_facts.jsonl")
    build(place / "labelled", known.facts, events=known.events, source="labelled sentences")
    lines = (folder / "sentences.jsonl").read_text(encoding="utf-8").splitlines()
    entries = [json.loads(line) for line in lines]
    with KnowledgeBase.open(place / "labelled") as base:
        guard = Guard([FactCheck(base)])
        said = [_said(guard.check(entry["text"])) for entry in entries]
    return [
        Labelled(entry["text"], entry["label"], entry["half"], word)
        for entry, word in zip(entries, said, strict=True)
    ]


def _said(report: Report) -> str:
    return _SAID[report.verdict or Verdict.UNVERIFIED]


def confusion(judgements: Sequence[Labelled], half: str) -> Counter[tuple[str, str]]:
    """How often each label was said to be each."""
    return Counter((one.label, one.said) for one in judgements if one.half == half)


def confusion_rows(judgements: Sequence[Labelled], half: str) -> list[Row]:
    """The table of one half, and its bars."""
    table = confusion(judgements, half)
    name = f"FactCheck, {half} half"
    found = [
        Row.shown(f"{name}: {label}, said supported / contradicted / unknown", _line(table, label))
        for label in LABELS
    ]
    wrong = sum(table[label, "supported"] for label in LABELS if label != "supported")
    true = sum(table["contradicted", said] for said in LABELS)
    accused = sum(table[label, "contradicted"] for label in LABELS if label != "contradicted")
    return [
        *found,
        Row.equal(f"{name}: unknown called supported", table["unknown", "supported"], 0),
        Row.equal(f"{name}: contradicted called supported", wrong - table["unknown", "supported"], 0),
        Row.shown(f"{name}: called contradicted wrongly", accused),
        Row.at_least(
            f"{name}: contradictions found",
            table["contradicted", "contradicted"] / true if true else None,
            BARS["found"],
            interval=wilson(table["contradicted", "contradicted"], true) if true else None,
        ),
    ]


def _line(table: Counter[tuple[str, str]], label: str) -> str:
    return " / ".join(str(table[label, said]) for said in LABELS)


# --- facts held out ----------------------------------------------------------------------------------------------


def held_rows(folder: Path, place: Path, *, count: int) -> list[Row]:
    """True facts that the knowledge base was not given, and as many that it was, each as a sentence.

    Held out, one of several values of a list that counts as complete is a false alarm that only this test makes;
    so the share is an upper bound.
    """
    known = read_facts(folder)
    facts = sorted(set(known.facts))
    draw = random.Random(SEED)
    chosen = draw.sample(facts, 2 * count)
    held, given = chosen[:count], chosen[count:]
    build(place / "held", set(facts) - set(held), events=known.events, source="a part of the data")
    with KnowledgeBase.open(place / "held") as base:
        guard = Guard([FactCheck(base)])

        def said(triple: Triple) -> str:
            phrase = base.relations.of(triple.relation).phrase
            return _said(guard.check(f"{phrase.statement(triple.subject, triple.object)}."))

        unknown, certain = Counter(map(said, held)), Counter(map(said, given))
    return [
        Row.shown(f"FactCheck, {count} facts given: supported", certain["supported"] / count),
        Row.equal(f"FactCheck, {count} facts given: contradicted", certain["contradicted"], 0),
        Row.shown(f"FactCheck, {count} facts held out: contradicted", unknown["contradicted"] / count),
        Row.shown(f"FactCheck, {count} facts held out: supported by others", unknown["supported"] / count),
    ]


# --- time --------------------------------------------------------------------------------------------------------


def answers(
    base: KnowledgeBase, facts: Sequence[Triple], count: int, *, seed: int = SEED
) -> list[dict[str, Triple]]:
    """Answers of three sentences each: of a fact, of a fact with another object, of one with a name misspelt."""
    draw = random.Random(seed)
    made = []
    for _ in range(count):
        one, two, three = draw.sample(facts, 3)
        other = Triple(two.subject, two.relation, draw.choice(facts).object)
        said = [one, other, Triple(f"{three.subject}x", three.relation, three.object)]
        made.append(
            {f"{base.relations.of(t.relation).phrase.statement(t.subject, t.object)}.": t for t in said}
        )
    return made


def time_rows(place: Path, *, count: int, facts: int = FACTS) -> list[Row]:
    """The time of one answer on so many facts, one after another, the first few left out."""
    invented = list(skewed_facts(facts, seed=SEED))
    build(place / "invented", invented, source="invented")
    with KnowledgeBase.open(place / "invented") as base:
        start = time.perf_counter()
        guard = Guard([FactCheck(base)])
        texts = answers(base, invented, count + 5)
        guard.check(" ".join(texts[0]))
        ready = time.perf_counter() - start
        times, verdicts, wrong = [], Counter[str](), 0
        for sentences in texts[5:]:
            text = " ".join(sentences)
            start = time.perf_counter()
            report = guard.check(text)
            times.append(1000 * (time.perf_counter() - start))
            verdicts.update(finding.word for finding in report.findings)
            for finding in report.with_verdict(Verdict.SUPPORTED):
                wrong += base.ask(sentences[finding.text]).state != "entailed"
    said = ", ".join(f"{verdicts[verdict.value]:,} {verdict.value}" for verdict in Verdict)
    return [
        Row.shown("FactCheck: facts for the time of an answer", facts),
        Row.shown("FactCheck: first answer, names read", ready, unit="s", digits=2),
        Row.shown(f"FactCheck: sentences of {count} answers", said),
        Row.equal("FactCheck: sentences called supported that do not follow", wrong, 0),
        Row.at_most(
            "FactCheck: an answer of three sentences, p50",
            float(np.median(times)),
            BARS["milliseconds"],
            unit="ms",
            digits=1,
        ),
        Row.shown(
            "FactCheck: an answer of three sentences, p99",
            float(np.quantile(times, 0.99)),
            unit="ms",
            digits=1,
        ),
    ]
