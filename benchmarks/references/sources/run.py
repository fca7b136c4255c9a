"""Live sources: answers with five references each through all catalogues, at local servers, with and without faults.

Real works are drawn from the `biblio` data with a fixed seed; made-up titles are words of real ones. 5 % of requests fail:
three of five fail each time that they are repeated, the others once.
"""

from __future__ import annotations

import random
import tempfile
import threading
import time
import zlib
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from benchmarks._rows import Row
from benchmarks._table import Run, bench
from benchmarks.references.sources.services import Asked, Services, Work
from guardrail.references.bibliography.formats import read_records
from guardrail.references.bibliography.normalise import normalise
from guardrail.references.bibliography.records import Match, Record, Reference, Status
from guardrail.references.quotation import accused
from guardrail.references.sources import CATALOGUES, Manners, SourceFault, Sources
from guardrail.references.sources.memory import Memory
from guardrail.references.sources.pace import Clock

__all__ = ["main"]

HERE = Path(__file__).resolve().parent
SEED = 20261125
ANSWERS, FAST = 1000, 100
EACH = 5
AT_ONCE = 4  # answers
LASTING, PASSING = 0.03, 0.02  # share of requests
KINDS = ("article", "preprint", "book", "case", "thesis")


class Hurried(Clock):
    """Nobody waits: the servers are our own."""

    def sleep(self, seconds: float, stop: threading.Event) -> None:
        """Go on at once."""


@dataclass(frozen=True)
class Quoted:
    """A reference, and whether the services have its work."""

    reference: Reference
    kind: str
    real: bool


@dataclass
class Outcome:
    """What came out of all answers."""

    matches: dict[Reference, Match] = field(default_factory=dict)
    faulted: set[Reference] = field(default_factory=set)
    times: list[float] = field(default_factory=list)
    calls: int = 0

    def quantile(self, share: float) -> float:
        """Of the times, in milliseconds."""
        ordered = sorted(self.times)
        return ordered[min(int(share * len(ordered)), len(ordered) - 1)]


def compute(run: Run) -> list[Row]:
    """All rows of the table."""
    run.parameters["seed"] = SEED
    number = FAST if run.fast else ANSWERS
    works, answers = made(run.data("biblio"), number)
    with Services(works, keep=False) as services:
        clean = asked(services, answers)
        run.say(f"{clean.calls} requests without faults")
        with tempfile.TemporaryDirectory() as folder:
            some = answers[: number // 10]
            asked(services, some, folder=Path(folder))
            again = asked(services, some, folder=Path(folder))
        services.fault = faults()
        broken = asked(services, answers, timeout=1.0)
        services.released.set()
    return [
        *_without(answers, clean),
        *_with(answers, broken),
        *_costs(answers, clean, broken, again, len(some)),
    ]


def made(folder: Path, number: int) -> tuple[list[Work], list[list[Quoted]]]:
    """The works that the services have, and the answers that quote some of them and some that nobody wrote."""
    rng = random.Random(SEED)
    files = sorted(folder.glob("titles-*.tsv"))[:4]
    records = [record for file in files for record in read_records(file) if _usable(record)]
    rng.shuffle(records)
    vocabulary = [
        word for record in records[:5_000] for word in normalise(record.title).split() if len(word) > 3
    ]
    known, works, answers = (
        {normalise(record.title) for record in records},
        list[Work](),
        list[list[Quoted]](),
    )
    while len(answers) < number:
        answer = list[Quoted]()
        for place in range(EACH):
            at, kind = len(answers) * EACH + place, rng.choices(KINDS, (10, 4, 3, 1, 2))[0]
            real = place < 3 and kind != "thesis"
            if real:
                work = _work(records.pop(), kind, at)
                works.append(work)
            else:
                title = " ".join(rng.choices(vocabulary, k=rng.randint(5, 9))).capitalize()
                if normalise(title) in known:
                    continue
                work = _work(Record(title=title, authors=("Nora Body", "Max Nowhere"), year=2011), kind, at)
            answer.append(Quoted(_quoted(work, kind), kind, real))
        answers.append(answer)
    return works, answers


def _usable(record: Record) -> bool:
    plain = len(normalise(record.title).split())
    return 4 <= plain <= 20 and bool(record.authors) and not record.et_al and 1950 < (record.year or 0) < 2025


def _work(record: Record, kind: str, at: int) -> Work:
    work = Work(record.title, record.authors, record.year or 2000, "Journal of Tests")
    if kind == "article":
        return replace(work, doi=f"10.1234/jt.{at}" if at % 2 else "")
    if kind == "preprint":
        return replace(work, venue="arXiv", arxiv=f"11{at % 12 + 1:02}.{at:05}")
    if kind == "book":
        return replace(work, venue="Test University Press", isbn=_isbn(at))
    if kind == "case":
        one, other = normalise(record.title).title().split()[:2]
        return Work(f"{one} v. {other}", (), 1980, case=(str(at % 900 + 1), "F.2d", str(at)))
    return work


def _isbn(at: int) -> str:
    digits = f"978{at:09}"
    return digits + str(-sum(int(digit) * (1, 3)[place % 2] for place, digit in enumerate(digits)) % 10)


def _quoted(work: Work, kind: str) -> Reference:
    if work.case:
        return Reference(title=f"{work.title}, {' '.join(work.case)}", year=work.year)
    venue = "PhD thesis, Test University" if kind == "thesis" else work.venue
    said = {name: getattr(work, name) for name in ("doi", "arxiv", "isbn")}
    return Reference(title=work.title, authors=work.authors, year=work.year, venue=venue, **said)


def faults() -> Callable[[Asked], str | None]:
    """Which requests fail, and how; the same ones in each run."""
    rng, lock = random.Random(SEED), threading.Lock()

    def fault(request: Asked) -> str | None:
        said = f"{request.service}{request.path}{sorted(request.query.items())}{sorted(request.form.items())}"
        share = zlib.crc32(said.encode()) / 2**32
        kinds = ("rate", "error", "html", "empty", "cut")
        found = kinds[int(share * 1e6) % len(kinds)] if share < LASTING else None
        with lock:
            if found is None and rng.random() < PASSING:
                found = rng.choice((*kinds, "slow")) if rng.random() < 0.5 else rng.choice(kinds)
        return "403" if found == "rate" and request.service == "openalex" else found

    return fault


def asked(
    services: Services,
    answers: Sequence[Sequence[Quoted]],
    *,
    folder: Path | None = None,
    timeout: float = 10.0,
) -> Outcome:
    """Look all references up, several answers at once."""
    outcome, clock, lock = Outcome(), Hurried(), threading.Lock()
    memory = Memory(folder, clock) if folder else None
    resolvers = [
        kind(
            base_url=services.address(name),
            key="k",
            clock=clock,
            memory=memory,
            timeout=timeout,
            manners=_quick(kind.manners),
        )
        for name, kind in CATALOGUES.items()
    ]
    for resolver in resolvers:
        _watch(resolver, outcome.faulted, lock)
    sources = Sources(resolvers, clock=clock, memory=memory)

    def one(answer: Sequence[Quoted]) -> None:
        references = [quoted.reference for quoted in answer]
        start = time.perf_counter()
        matches = sources.find_all(references)
        taken = (time.perf_counter() - start) * 1000
        with lock:
            outcome.times.append(taken)
            outcome.matches.update(zip(references, matches, strict=True))

    with ThreadPoolExecutor(AT_ONCE) as pool:
        list(pool.map(one, answers))
    sources.close()
    outcome.calls = sum(count.calls for count in sources.counts.values())
    return outcome


def _quick(manners: Manners) -> Manners:
    return replace(manners, seconds=0.0, concurrency=4)


def _watch(resolver: Any, faulted: set[Reference], lock: threading.Lock) -> None:
    """Remember for which references a source gave no answer, whatever is made of that."""
    lookup = resolver.lookup

    def watched(reference: Reference) -> list[Record]:
        try:
            found: list[Record] = lookup(reference)
        except SourceFault:
            with lock:
                faulted.add(reference)
            raise
        return found

    resolver.lookup = watched


def _share(
    answers: Sequence[Sequence[Quoted]], good: Callable[[Quoted], bool], of: Callable[[Quoted], bool]
) -> float:
    chosen = [quoted for answer in answers for quoted in answer if of(quoted)]
    return sum(map(good, chosen)) / len(chosen)


def _without(answers: Sequence[Sequence[Quoted]], clean: Outcome) -> list[Row]:
    def found(quoted: Quoted) -> bool:
        match = clean.matches[quoted.reference]
        return match.status is Status.FOUND and not match.differences

    def certain(quoted: Quoted) -> bool:
        match = clean.matches[quoted.reference]
        return match.status is Status.ABSENT and match.complete

    as_quoted = _share(answers, found, lambda quoted: quoted.real)
    made_up = _share(answers, certain, lambda quoted: not quoted.real and quoted.kind != "thesis")
    return [
        Row.at_least("real works found as quoted, no faults", as_quoted, 0.99, digits=4),
        Row.at_least("made-up works absent for certain, no faults", made_up, 0.99, digits=4),
        Row.equal(
            "accused where no source covers the kind",
            sum(certain(quoted) for answer in answers for quoted in answer if quoted.kind == "thesis"),
            0,
        ),
    ]


def _with(answers: Sequence[Sequence[Quoted]], broken: Outcome) -> list[Row]:
    everything = [quoted for answer in answers for quoted in answer]
    absent = {reference for reference, match in broken.matches.items() if match.status is Status.ABSENT}
    wrong = {
        reference
        for reference, match in broken.matches.items()
        if match.status is Status.FOUND and accused(match, "default")
    }
    unreachable = sum(match.status is Status.UNREACHABLE for match in broken.matches.values())
    return [
        Row.shown("references", len(everything)),
        Row.shown("references for which a source gave no answer", len(broken.faulted)),
        Row.shown("could not be checked", unreachable),
        Row.equal("references lost", sum(quoted.reference not in broken.matches for quoted in everything), 0),
        Row.equal(
            "real works absent", sum(quoted.real and quoted.reference in absent for quoted in everything), 0
        ),
        Row.equal("absent although a source did not answer", len(absent & broken.faulted), 0),
        Row.equal(
            "real works called wrong",
            sum(quoted.real and quoted.reference in wrong for quoted in everything),
            0,
        ),
    ]


def _costs(
    answers: Sequence[Sequence[Quoted]], clean: Outcome, broken: Outcome, again: Outcome, some: int
) -> list[Row]:
    number = sum(map(len, answers))
    kept = sum(map(len, answers[:some]))
    return [
        Row.shown("requests per reference, no faults", clean.calls / number, digits=2),
        Row.shown("requests per reference, 5 % faults", broken.calls / number, digits=2),
        Row.shown("requests per reference, second time", again.calls / kept, digits=2),
        Row.shown("time per answer, p50", clean.quantile(0.5), unit="ms", digits=1),
        Row.shown("time per answer, p99", clean.quantile(0.99), unit="ms", digits=1),
        Row.shown("time per answer, 5 % faults, p50", broken.quantile(0.5), unit="ms", digits=1),
        Row.shown("time per answer, 5 % faults, p99", broken.quantile(0.99), unit="ms", digits=1),
    ]


def main(argv: Sequence[str] | None = None) -> int:
    """Run the benchmark from the command line."""
    return bench(
        "references.sources", compute, argv, folder=HERE, doc=__doc__ or "", packages=("hishel", "httpx")
    )
