"""A million works: import by the command line, size on disk, memory, and times of look-ups.

The first are those of the `biblio` data; the rest are recombined from them: the first half of one title with the second half of
another, authors, year and venue from two more. Each gets a DOI, a volume and pages, and all are one file of Crossref's format.
"""

from __future__ import annotations

import json
import os
import random
import re
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks._rows import Row
from benchmarks._table import Run
from benchmarks.references.index._looked import look_up, recall
from benchmarks.references.index._noise import NOISES
from guardrail.references.bibliography.formats import read_records
from guardrail.references.bibliography.index import Index
from guardrail.references.bibliography.normalise import normalise, squeeze
from guardrail.references.bibliography.records import Record, Status

__all__ = ["million"]

WORKS = 1_000_000
QUERIES = 4000  # half of them noised, a quarter to the letter, a quarter of works that do not exist
SEED = 20261124
# The kernel's own figure of the process: what `getrusage` says of a child includes what its parent held.
COMMAND = """
import sys
from pathlib import Path
from guardrail.cli import main
try:
    sys.exit(main())
finally:
    status = Path("/proc/self/status")
    print(status.read_text() if status.exists() else "")
"""


def million(run: Run, files: Sequence[Path], folder: Path) -> list[Row]:
    """Rows about a million works."""
    source, index = folder / "million.jsonl", folder / "million.sqlite"
    titles = _write(source, files, run)
    run.say("importing a million works")
    seconds, memory = _imported(source, index)
    size = index.stat().st_size / 1e6
    source.unlink()
    with Index.open(index) as opened:
        works = len(opened)
        rows = _searched(run, opened, titles)
    return [
        Row.shown("1 M: works in the index", works),
        Row.shown("1 M: load average of the last 5 minutes", os.getloadavg()[1], digits=1),
        Row.at_most("1 M: import", seconds / 60, 10.0, unit="min", digits=1),
        Row.shown("1 M: import speed", works / seconds, unit="records/s", digits=0),
        *(
            []
            if memory is None
            else [Row.shown("1 M: memory of the import, peak", memory, unit="MB", digits=0)]
        ),
        Row.at_most("1 M: size on disk", size, 1000.0, unit="MB", digits=0),
        *rows,
    ]


def _write(path: Path, files: Sequence[Path], run: Run) -> list[str]:
    """A million works as Crossref has them; returns their titles."""
    real = [record for file in files for record in read_records(file)]
    titles = []
    with path.open("w", encoding="utf-8") as stream:
        for number, record in enumerate(_works(real)):
            if not number % 100_000:
                run.say(f"{number} works written")
            stream.write(json.dumps(_item(number, record), ensure_ascii=False) + "\n")
            titles.append(record.title)
    return titles


def _works(real: Sequence[Record]) -> Iterator[Record]:
    """A million works of different titles: the real ones, then recombined ones."""
    rng = random.Random(SEED)
    seen: set[int] = set()
    candidates = (record for source in (real, _recombined(real, rng)) for record in source)
    for record in candidates:
        known = hash(squeeze(normalise(record.title)))
        if known not in seen:
            seen.add(known)
            yield record
        if len(seen) == WORKS:
            return


def _recombined(real: Sequence[Record], rng: random.Random) -> Iterator[Record]:
    while True:
        first, second, third = rng.sample(real, 3)
        begin, end = first.title.split(), second.title.split()
        title = " ".join([*begin[: (len(begin) + 1) // 2], *end[len(end) // 2 :]])
        yield Record(title, third.authors, third.et_al, first.year, second.venue)


def _item(number: int, record: Record) -> dict[str, object]:
    authors = [{"name": name} for name in (*record.authors, *(["et al."] if record.et_al else []))]
    return {
        "DOI": f"10.5555/{number:x}",
        "type": "journal-article",
        "reference-count": 0,
        "title": [record.title],
        "author": authors,
        "container-title": [record.venue],
        "issued": {"date-parts": [[record.year]]},
        "volume": str(number % 90 + 1),
        "issue": str(number % 12 + 1),
        "page": f"{number % 997}-{number % 997 + 12}",
    }


def _imported(source: Path, index: Path) -> tuple[float, float | None]:
    """Seconds and megabytes of `guardrail references index add`."""
    command = [sys.executable, "-c", COMMAND, "references", "index", "add", str(index), str(source)]
    start = time.perf_counter()
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)  # noqa: S603  # our own
    seconds = time.perf_counter() - start
    peak = re.search(r"VmHWM:\s+(\d+) kB", done.stdout)
    return seconds, int(peak.group(1)) / 1000 if peak else None


def _searched(run: Run, index: Index, titles: Sequence[str]) -> list[Row]:
    rng = random.Random(SEED)
    number = QUERIES // 10 if run.fast else QUERIES
    noised: list[tuple[str, str]] = []
    changes = list(NOISES.values())
    while len(noised) < number // 2:
        old = rng.choice(titles)
        new = changes[len(noised) % len(changes)](rng, old)
        if new and new != old:
            noised.append((new, old))
    exact = [(title, title) for title in rng.sample(titles, number // 4)]
    words = [word for title in rng.sample(titles, 5000) for word in title.split()]
    absent = [(" ".join(rng.choices(words, k=rng.randint(4, 12))), "") for _ in range(number // 4)]
    look_up(index, [title for title, _ in exact[:50]])  # warm
    queries = [*noised, *exact, *absent]
    rng.shuffle(queries)
    looked = look_up(index, [new for new, _ in queries])
    kinds = {"exact": exact, "noised": noised, "absent": absent}
    took = dict(zip(queries, looked.times, strict=True))
    matches = dict(zip(queries, looked.matches, strict=True))
    found = {name: [matches[pair] for pair in pairs] for name, pairs in kinds.items()}
    rows = [
        Row.at_most("1 M: look-up, p50", looked.quantile(0.5), 5.0, unit="ms"),
        Row.at_most("1 M: look-up, p99", looked.quantile(0.99), 50.0, unit="ms"),
    ]
    for name, pairs in kinds.items():
        times = sorted(took[pair] for pair in pairs)
        rows += [
            Row.shown(f"1 M: look-up, {name}, p50", times[len(times) // 2], unit="ms"),
            Row.shown(f"1 M: look-up, {name}, p99", times[int(len(times) * 0.99)], unit="ms"),
        ]
    invented = sum(match.status is Status.FOUND for match in found["absent"]) / max(len(absent), 1)
    return [
        *rows,
        Row.at_least(
            "1 M: recall, exact titles", recall(found["exact"], [old for _, old in exact]), 0.99, digits=4
        ),
        Row.at_least(
            "1 M: recall, noised titles", recall(found["noised"], [old for _, old in noised]), 0.97, digits=4
        ),
        Row.at_most("1 M: false matches, invented titles", invented, 0.005, digits=4),
    ]
