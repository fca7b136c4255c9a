"""The embedded bibliography: import, size, speed, recall, false matches, and the share of references found.

The index is built from the `biblio` data; titles to look up are drawn from it with a fixed seed, as they are,
with noise that keeps the work (`_noise.NOISES`) and changed into near misses (`_noise.NEAR_MISSES`).
"""

from __future__ import annotations

import argparse
import csv
import random
import sqlite3
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from benchmarks._rows import Row
from benchmarks._table import Run, bench
from benchmarks.references.index._looked import Looked, look_up, recall
from benchmarks.references.index._million import million
from benchmarks.references.index._noise import INVENTED, MISREAD, NEAR_MISSES, NOISES, content_words
from guardrail.references.bibliography.formats import read_records
from guardrail.references.bibliography.importers import import_files
from guardrail.references.bibliography.index import Index
from guardrail.references.bibliography.normalise import key, normalise, squeeze
from guardrail.references.bibliography.records import Match, Record, Reference, Status

__all__ = ["main"]

HERE = Path(__file__).resolve().parent
SEED = 20240917
# data/biblio/SOURCE.md: titles of data/references found by exact normalised match, by label.
PUBLISHED = {"gpt-4": (132 / 532, 0.0), "gpt-3.5-turbo": (62 / 404, 0.0)}


def compute(run: Run) -> list[Row]:
    """All rows of the table."""
    run.parameters["seed"] = SEED
    folder = run.data("biblio")
    files = sorted(folder.glob("titles-*.tsv"))[:: 4 if run.fast else 1]
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch) / "bibliography.sqlite"
        rows = imported(run, path, files)
        records = [record for file in files for record in read_records(file)]
        with Index.open(path) as index:
            rows += searched(run, index, path, records)
            if not run.fast:
                rows += references(run, index, {normalise(record.title) for record in records})
        if run.options.million:
            path.unlink()
            rows += million(run, sorted(folder.glob("titles-*.tsv")), Path(scratch))
    return rows


def imported(run: Run, path: Path, files: Sequence[Path]) -> list[Row]:
    """Import speed and size, beside the floor: the same rows into a bare table with one index."""
    start = time.perf_counter()
    with Index.create(path) as index:
        done = import_files(index, files, progress=lambda read, _: run.say(f"{read} records"))
        again = import_files(index, files)
        stats = index.stats()
    seconds = time.perf_counter() - start
    size = path.stat().st_size / 1e6
    million = 1e6 / stats.records
    return [
        Row.shown("records read", done.read),
        Row.equal("records broken", done.broken, 0),
        Row.shown("works in the index (equal records once)", stats.records),
        Row.equal("works added by importing again", again.added, 0),
        Row.shown("import", seconds, unit="s", digits=1),
        Row.shown("import speed", done.read / seconds, unit="records/s", digits=0),
        Row.at_most(
            "import of 1 M records, extrapolated", seconds * million / 60, 10.0, unit="min", digits=1
        ),
        Row.at_most("size on disk of 1 M records, extrapolated", size * million, 1000.0, unit="MB", digits=0),
    ]


def searched(run: Run, index: Index, path: Path, records: Sequence[Record]) -> list[Row]:
    """Recall, false matches and times."""
    rng = random.Random(SEED)
    number = 500 if run.fast else 2000
    titles = [record.title for record in records]
    real = {squeeze(normalise(title)) for title in titles}
    counted = Counter(w.group().lower() for title in titles[::7] for w in content_words(title))
    vocabulary = [word for word, times in counted.items() if times >= 5]
    sample = rng.sample(titles, number)
    look_up(index, sample[:50])  # warm
    rows = []
    exact = look_up(index, sample)
    rows.append(Row.at_least("recall, exact titles", recall(exact.matches, sample), 0.99, digits=4))
    rows += times("exact", exact)
    floor = raw_times(path, sample)
    rows.append(Row.shown("one keyed query in SQLite, p50 (the floor)", floor, unit="ms"))
    everything = Looked([], [])
    hits = []
    for name, change in NOISES.items():
        pairs = [
            (new, old) for old in rng.sample(titles, number * 4) if (new := change(rng, old)) and new != old
        ]
        pairs = pairs[: number // 2]
        looked = look_up(index, [new for new, _ in pairs])
        hits.append(recall(looked.matches, [old for _, old in pairs]))
        rows.append(Row.at_least(f"recall, {name}", hits[-1], 0.97, digits=4))
        everything.times.extend(looked.times)
    rows.append(Row.at_least("recall, all noise (mean of the kinds)", sum(hits) / len(hits), 0.97, digits=4))
    rows += times("noised", everything)
    rows += near_misses(index, rng, titles=titles, real=real, vocabulary=vocabulary, number=number)
    absent = [" ".join(rng.choices(vocabulary, k=rng.randint(4, 12))) for _ in range(number // 2)]
    looked = look_up(index, absent)
    rows.append(Row.at_most("false matches, invented titles", found_share(looked), 0.005, digits=4))
    rows += times("invented", looked)
    return rows + quotations(index, rng, records, vocabulary, number)


def quotations(
    index: Index, rng: random.Random, records: Sequence[Record], vocabulary: Sequence[str], number: int
) -> list[Row]:
    """Whole references with their authors and year: titles cut out wrongly, and titles with something invented."""
    real = {squeeze(normalise(record.title)) for record in records}
    rows = []
    taken: list[float] = []
    for name, change in {**MISREAD, **INVENTED}.items():
        pairs = []
        for record in rng.sample(records, number * 4):
            title = change(rng, record, vocabulary)
            if title and record.authors and record.year and squeeze(normalise(title)) not in real:
                pairs.append((Reference(title, record.authors, record.et_al, record.year), record.title))
        pairs = pairs[:number]
        looked = look_up(index, [reference for reference, _ in pairs])
        taken += looked.times
        if name in MISREAD:
            rows.append(
                Row.at_least(f"recall, {name}", recall(looked.matches, [t for _, t in pairs]), 0.97, digits=4)
            )
        share = sum(as_quoted(match) for match in looked.matches) / max(len(pairs), 1)
        if name in MISREAD:
            rows.append(Row.at_least(f"found as quoted, {name}", share, 0.97, digits=4))
        else:
            rows.append(Row.at_most(f"found as quoted, {name}", share, 0.005, digits=4))
    return rows + times("with authors and year", Looked([], taken))


def as_quoted(match: Match) -> bool:
    """Whether a look-up found the work and nothing wrong with its title."""
    return match.status is Status.FOUND and all(d.field != "title" for d in match.differences)


def near_misses(
    index: Index,
    rng: random.Random,
    *,
    titles: Sequence[str],
    real: set[str],
    vocabulary: Sequence[str],
    number: int,
) -> list[Row]:
    """False matches on titles that differ from a real one in a word that carries meaning."""
    rows = []
    counts = []
    taken: list[float] = []
    for name, make in NEAR_MISSES.items():
        change = make(vocabulary)
        changed = (change(rng, title) for title in rng.sample(titles, number * 8))
        new = [title for title in changed if title and squeeze(normalise(title)) not in real][:number]
        looked = look_up(index, new)
        counts.append((found_share(looked), len(new)))
        taken += looked.times
        bar = 0.005
        if name == "word replaced":
            rows.append(Row.at_most(f"false matches, {name}", counts[-1][0], bar, digits=4))
        else:
            rows.append(Row.shown(f"false matches, {name}", counts[-1][0], digits=4))
        run_out = [m for m in looked.matches if m.status is Status.UNREACHABLE]
        rows += [Row.equal(f"not answered, {name}", len(run_out), 0)] if run_out else []
    total = sum(share * n for share, n in counts) / max(sum(n for _, n in counts), 1)
    rows.append(Row.at_most("false matches, all near misses", total, 0.005, digits=4))
    return rows + times("near miss", Looked([], taken))


def times(name: str, looked: Looked) -> list[Row]:
    """Median and 99th percentile against the bars."""
    return [
        Row.at_most(f"look-up, {name}, p50", looked.quantile(0.5), 5.0, unit="ms"),
        Row.at_most(f"look-up, {name}, p99", looked.quantile(0.99), 50.0, unit="ms"),
    ]


def found_share(looked: Looked) -> float:
    """Share of look-ups that found something."""
    return sum(match.status is Status.FOUND for match in looked.matches) / max(len(looked.matches), 1)


def raw_times(path: Path, titles: Sequence[str]) -> float:
    """Median milliseconds of a bare keyed query for the same titles."""
    connection = sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)
    taken = []
    for title in titles:
        start = time.perf_counter()
        hashed = key("title", squeeze(normalise(title)))
        connection.execute(
            "SELECT title, authors, year FROM works WHERE id IN (SELECT work FROM keys WHERE hash = ?)",
            (hashed,),
        ).fetchall()
        taken.append((time.perf_counter() - start) * 1000)
    connection.close()
    return sorted(taken)[len(taken) // 2]


def references(run: Run, index: Index, normalised: set[str]) -> list[Row]:
    """Which titles of recorded models' references are found, by their label."""
    rows = []
    csv.field_size_limit(sys.maxsize)
    for model, published in PUBLISHED.items():
        path = run.data("references") / f"{model}_results.csv"
        with path.open(encoding="utf-8", newline="") as stream:
            lines = list(csv.DictReader(stream))
        for label, wanted, known in zip(
            ("grounded", "hallucinated"), ("True", "False"), published, strict=True
        ):
            titles = [line["gen_title"] for line in lines if line["bing_return"] == wanted]
            looked = look_up(index, titles)
            exact = sum(normalise(title) in normalised for title in titles) / len(titles)
            found = found_share(looked)
            rows.append(
                Row.within(f"{model}, {label} titles, exact", known, exact, tolerance=0.004, digits=4)
            )
            quantity = f"{model}, {label} titles, found"
            if label == "grounded":
                rows.append(Row.at_least(quantity, found, known - 0.0005, published=known, digits=4))
            else:
                rows.append(Row.at_most(quantity, found, 0.01, published=known, digits=4))
    return rows


def main(argv: Sequence[str] | None = None) -> int:
    """Run the benchmark from the command line."""
    return bench("references.index", compute, argv, folder=HERE, doc=__doc__ or "", add_options=_add_options)


def _add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--million", action="store_true", help="also import and search a million works; a few minutes more"
    )
