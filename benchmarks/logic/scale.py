"""Does the knowledge base keep its speed at the paper's size? Loading, look-ups, closures, concurrent callers.

Loading and memory are measured in a process of their own, so that nothing else counts.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

from benchmarks._memory import peak_memory
from benchmarks._rows import Row
from benchmarks.logic.synthetic import PAPER_FACTS, cyclic_facts, skewed_facts
from guardrail.logic.knowledge import KnowledgeBase, Triple, build
from guardrail.logic.knowledge.prolog import PACKAGE, available, engine

__all__ = ["PARTS", "knowledge_rows"]

LOAD, MEMORY, POINT, ASK = 10.0, 2048.0, 50.0, 500.0  # the bars: s, MiB, µs, µs
EDGES, NODES = 100_000, 20_000
CALLERS = 8
SAMPLE = 5000
FAST_FACTS = 100_000
SEED = 0
PARTS = (
    "Facts",
    "Load from compiled facts",
    "Peak memory of the process",
    "Point query in Prolog, p50",
    "Point query through Python, p50",
    "Transitive closure, one entity",
    "Transitive closure, proof of one pair",
    "Concurrent callers, wrong answers",
    "Concurrent callers, throughput",
)


def knowledge_rows(*, fast: bool = False) -> list[Row]:
    """All rows; `fast` takes a sixteenth of the facts."""
    missing = available()
    if missing:
        return [Row.missing(part, f"needs SWI-Prolog ({PACKAGE}) and pyswip") for part in PARTS]
    count = FAST_FACTS if fast else PAPER_FACTS
    with tempfile.TemporaryDirectory() as place:
        start = time.perf_counter()
        facts = list(skewed_facts(count, seed=SEED))
        sample = random.Random(SEED).sample(facts, min(SAMPLE, count))
        made = time.perf_counter() - start
        start = time.perf_counter()
        manifest = build(Path(place) / "skewed", facts, source="synthetic")
        built = time.perf_counter() - start
        del facts
        rows = [
            Row.shown(PARTS[0], manifest.facts, published=PAPER_FACTS),
            Row.shown("Entities", manifest.entities),
            Row.shown("Facts invented in", made, unit="s", digits=1),
            Row.shown("Sorted, written and compiled in", built, unit="s", digits=1),
        ]
        rows += _loading(Path(place) / "skewed", sample)
        build(Path(place) / "cyclic", cyclic_facts(EDGES, nodes=NODES, seed=SEED), source="synthetic")
        with KnowledgeBase.open(Path(place) / "cyclic") as base:
            rows += _closure(base)
        with KnowledgeBase.open(Path(place) / "skewed") as base:
            rows += _callers(base, sample)
    return rows


def _loading(folder: Path, sample: Sequence[Triple]) -> list[Row]:
    """Measured in a fresh interpreter by `python -m benchmarks.logic.scale load|ask FOLDER`."""
    found = _measured("load", folder, []) | _measured("ask", folder, sample)
    return [
        Row.at_most(PARTS[1], found["load"], LOAD, unit="s", digits=2),
        Row.shown("Open: hashes checked, loaded, declared", found["open"], unit="s", digits=2),
        Row.at_most(PARTS[2], found["memory"], MEMORY, unit="MiB", digits=0),
        Row.shown("Indexes built, first 5,000 answers", found["warm"], unit="s", digits=2),
        Row.at_most(PARTS[3], found["point"], POINT, unit="µs", digits=1),
        Row.shown("Point query in Prolog, p99", found["point_99"], unit="µs", digits=1),
        Row.at_most(PARTS[4], found["ask"], ASK, unit="µs", digits=0),
        Row.shown("Point query through Python, p99", found["ask_99"], unit="µs", digits=0),
        Row.equal("Point queries, wrong answers", found["wrong"], 0),
    ]


def _measured(what: str, folder: Path, sample: Sequence[Triple]) -> dict[str, float]:
    done = subprocess.run(  # noqa: S603  # this very file
        [sys.executable, "-m", "benchmarks.logic.scale", what, str(folder)],
        input=json.dumps([[t.subject, t.relation, t.object] for t in sample]),
        stdout=subprocess.PIPE,
        text=True,
        check=True,
        cwd=Path(__file__).resolve().parents[2],
    )
    found: dict[str, float] = json.loads(done.stdout)
    return found


def _load(folder: Path) -> dict[str, float]:
    """The compiled facts alone: no hashes, no rules."""
    compiled = next(folder.glob("*.qlf"))
    engine()
    start = time.perf_counter()
    with engine().place(compiled) as file:
        engine().call("load", str(file), "kb_measured", seconds=None)
    return {"load": time.perf_counter() - start}


def _ask(folder: Path, asked: Sequence[tuple[str, str, str]]) -> dict[str, float]:
    triples = [Triple(*one) for one in asked]
    engine()
    start = time.perf_counter()
    base = KnowledgeBase.open(folder)
    opened = time.perf_counter() - start
    start = time.perf_counter()
    base.warm()
    for triple in triples:
        base.ask(triple)
    warm = time.perf_counter() - start
    in_prolog: list[int] = []
    for relation in sorted({triple.relation for triple in triples}):
        pairs = [[t.subject, t.object] for t in triples if t.relation == relation]
        in_prolog += base.call("time_queries", relation, pairs, seconds=None)  # nanoseconds
    times, wrong = [], 0
    for triple in triples:
        start = time.perf_counter()
        wrong += base.ask(triple).state != "entailed"
        times.append(time.perf_counter() - start)
    return {
        "open": opened,
        "warm": warm,
        "memory": peak_memory() / 2**20,
        "point": float(np.median(in_prolog)) / 1e3,
        "point_99": float(np.quantile(in_prolog, 0.99)) / 1e3,
        "ask": float(np.median(times)) * 1e6,
        "ask_99": float(np.quantile(times, 0.99)) * 1e6,
        "wrong": wrong,
    }


def _closure(base: KnowledgeBase) -> list[Row]:
    start = time.perf_counter()
    reached = base.closure("subclass of", "Class 0")
    closed = time.perf_counter() - start
    start = time.perf_counter()
    judgement = base.ask(Triple("Class 0", "subclass of", f"Class {NODES // 2}"))
    proved = time.perf_counter() - start
    steps = len(judgement.facts)
    return [
        Row.shown(f"{PARTS[5]} of {NODES:,}, {EDGES:,} edges with cycles", closed, unit="s", digits=2),
        Row.equal("Transitive closure, entities reached", len(reached), NODES - 1),
        Row.shown(f"{PARTS[6]}, {steps} facts", proved, unit="s", digits=2),
        Row.equal("Transitive closure, the pair is entailed", judgement.state, "entailed"),
    ]


def _callers(base: KnowledgeBase, sample: Sequence[Triple]) -> list[Row]:
    """Eight threads ask for facts that hold and for others of unknown objects, each its own."""

    def ask(number: int) -> int:
        wrong = 0
        for index, triple in enumerate(sample[number::CALLERS]):
            if index % 2:
                absent = Triple(triple.subject, triple.relation, f"Nothing {number}.{index}")
                wrong += base.ask(absent).state != "unknown"
            else:
                wrong += base.ask(triple).state != "entailed"
        return wrong

    base.warm()
    start = time.perf_counter()
    with ThreadPoolExecutor(CALLERS) as pool:
        wrong = sum(pool.map(ask, range(CALLERS)))
    seconds = time.perf_counter() - start
    return [
        Row.equal(f"{PARTS[7]}, of {len(sample):,}", wrong, 0),
        Row.shown(PARTS[8], len(sample) / seconds, unit="answers/s", digits=0),
    ]


if __name__ == "__main__":
    place = Path(sys.argv[2])
    given = json.load(sys.stdin)
    print(
        json.dumps(_load(place) if sys.argv[1] == "load" else _ask(place, given))
    )  # the answer to the caller
