"""HALLMARK's public development set through the detector: citations that are right, and citations wrong in 14 ways.

The index has the raw and the valid records and is declared complete. Each entry is an answer of one BibTeX entry. Further
rows rewrite valid records in ways that are true, so none of them should be flagged.
"""

from __future__ import annotations

import random
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from benchmarks._rows import Row
from benchmarks._table import Run, bench
from benchmarks.references.hallmark._entries import FABRICATED, Entry, bibtex, read, works
from benchmarks.references.hallmark._rewrites import APART, PAGES, REWRITES, as_quoted
from guardrail import Case, Verdict
from guardrail.detectors import ReferenceCheck
from guardrail.engine.flow import Failed, Reason
from guardrail.references.bibliography.formats import read_records
from guardrail.references.bibliography.index import Index
from guardrail.references.bibliography.matching import judge
from guardrail.references.bibliography.normalise import normalise, squeeze
from guardrail.references.bibliography.records import Find, Outcome, Record, Reference
from guardrail.references.quotation import Differences, accused
from guardrail.report import Finding
from guardrail.testing import play

__all__ = ["main"]

HERE = Path(__file__).resolve().parent
SEED = 20261125
TUNED = (
    0  # the half of the works on which the rules were developed; the other was looked at as README.md says
)
PRESETS: tuple[Differences, ...] = ("strict", "default")
BARS = {
    "nonexistent_venue": 0.95,
    "partial_author_list": 0.95,
    "preprint_as_published": 0.95,
    "arxiv_version_mismatch": 0.95,
    "near_miss_title": 0.90,
    "wrong_venue": 0.75,
    "fabricated_doi": 0.75,
}
UNSURE = {
    "near_miss_title",
    "chimeric_title",
}  # made up and misquoted at once: left out where the two are told apart
# Detection and false positives that were published for other tools, without our index; the last on the test set.
PUBLISHED = {
    "bibtex-updater 1.12": (0.946, 0.179),
    "GPT-5.1 with tools": (0.956, 0.465),
    "bibtex-check, on test": (0.884, 0.042),
}


def compute(run: Run) -> list[Row]:
    """All rows of the table."""
    run.parameters["seed"] = SEED
    folder = run.data("hallmark")
    dev = read(folder / "dev_public.jsonl")
    known = [*read(folder / "raw_valid_entries.jsonl"), *(entry for entry in dev if not entry.kind)]
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch) / "index.sqlite"
        with Index.create(path, complete=True) as index:
            index.add(replace(entry.record, pages=PAGES) for entry in known)
            strict, default = ({entry: judged(index, entry, preset) for entry in dev} for preset in PRESETS)
            return [
                *detection(dev, known, strict),
                *by_default(dev, known, default),
                *labels(dev, known, strict),
                *rewritten(run, index, known),
                *of_another_source(run, known),
            ]


def judged(index: Index, entry: Entry, differences: Differences) -> Finding | None:
    """The worst finding on an entry; `None` if nothing was read."""
    return examined(index, bibtex(entry.fields), differences)


def examined(index: Index, answer: str, differences: Differences) -> Finding | None:
    """The worst finding on an answer."""
    detector = ReferenceCheck(bibliography=index, differences=differences)
    found = play(
        detector.examine(Case.of(answer)),
        lambda asked: (
            index.find(asked.reference)
            if isinstance(asked, Find)
            else Failed(Reason.MISSING, "no model is asked")
        ),
    )
    return max(found, key=lambda finding: finding.verdict is Verdict.UNSUPPORTED, default=None)


def flagged(found: Finding | None) -> bool:
    """Whether it is an accusation."""
    return found is not None and found.verdict is Verdict.UNSUPPORTED


def share(entries: Iterable[Entry], found: Mapping[Entry, Finding | None]) -> float | None:
    """Which share of some entries is flagged."""
    hits = [flagged(found[entry]) for entry in entries]
    return sum(hits) / len(hits) if hits else None


def divided(dev: Sequence[Entry], known: Sequence[Entry]) -> tuple[list[Entry], list[Entry], list[Entry]]:
    """Valid entries; wrong ones about a work of the index or about no work; wrong ones about real works that it lacks."""
    there = works(known)
    valid = [entry for entry in dev if not entry.kind]
    wrong = [entry for entry in dev if entry.kind]
    judgeable = [entry for entry in wrong if entry.key in there or entry.nobodys]
    return valid, judgeable, [entry for entry in wrong if entry not in judgeable]


def detection(
    dev: Sequence[Entry], known: Sequence[Entry], strict: Mapping[Entry, Finding | None]
) -> Iterator[Row]:
    """What is flagged under "strict": all, by type, in both halves, beside a look-up of the exact title."""
    valid, wrong, rest = divided(dev, known)
    there = works(known)
    yield Row.shown("valid entries", len(valid))
    yield Row.equal("wrong entries, work in the index or nobody's title", len(wrong), 541)
    yield Row.at_least("strict: detection", share(wrong, strict), 0.95)
    yield Row.at_most("strict: false positives", share(valid, strict), 0.02)
    for half in (TUNED, 1 - TUNED):
        name = "half tuned on" if half == TUNED else "other half"
        yield Row.shown(f"strict: detection, {name}", share(of(wrong, half), strict))
        yield Row.shown(f"strict: false positives, {name}", share(of(valid, half), strict))
    for kind, number in sorted(Counter(entry.kind for entry in wrong).items()):
        found = share([entry for entry in wrong if entry.kind == kind], strict)
        row = partial(Row.at_least, bar=BARS[kind]) if kind in BARS else Row.shown
        yield row(f"strict: {kind} (of {number})", found)
    yield Row.shown(f"strict: real works that the index lacks (of {len(rest)})", share(rest, strict))
    absent = [entry.key not in there for entry in wrong]
    yield Row.shown("baseline, exact title: detection", sum(absent) / len(absent))
    yield Row.shown(
        "baseline, exact title: false positives", sum(e.key not in there for e in valid) / len(valid)
    )
    for tool, (found, false) in PUBLISHED.items():
        yield Row.shown(f"{tool}: detection, all 606", share([*wrong, *rest], strict), published=found)
        yield Row.shown(f"{tool}: false positives", share(valid, strict), published=false)


def of(entries: Iterable[Entry], half: int) -> list[Entry]:
    """The entries of one half of the works."""
    return [entry for entry in entries if entry.half == half]


def by_default(
    dev: Sequence[Entry], known: Sequence[Entry], default: Mapping[Entry, Finding | None]
) -> Iterator[Row]:
    """What the default accuses, and what it reports without accusing."""
    valid, wrong, _ = divided(dev, known)
    yield Row.shown("default: accused", share(wrong, default))
    yield Row.shown(
        "default: accused or reported",
        sum(
            found is not None and found.label not in {"verified", "unknown"}
            for found in map(default.get, wrong)
        )
        / len(wrong),
    )
    yield Row.at_most("default: false positives", share(valid, default), 0.02)
    for kind in sorted({entry.kind for entry in wrong}):
        yield Row.shown(f"default: {kind}", share([entry for entry in wrong if entry.kind == kind], default))


def labels(
    dev: Sequence[Entry], known: Sequence[Entry], strict: Mapping[Entry, Finding | None]
) -> Iterator[Row]:
    """The share of flagged entries with the right label: fabricated for a made-up work, misquoted for a real one."""
    _, wrong, _ = divided(dev, known)
    right = []
    for entry in wrong:
        found = strict[entry]
        if found is not None and flagged(found) and entry.kind not in UNSURE:
            meant = "fabricated" if entry.kind in FABRICATED or entry.key not in works(known) else "misquoted"
            right.append(found.label == meant)
    yield Row.at_least("fabricated against misquoted", sum(right) / len(right), 0.95)


def rewritten(run: Run, index: Index, known: Sequence[Entry]) -> Iterator[Row]:
    """True rewrites of valid records, by default and under "strict"."""
    rng = random.Random(SEED)
    sample = [as_quoted(entry.fields) for entry in rng.sample(known, 60 if run.fast else 300)]
    totals: dict[Differences, list[int]] = {preset: [0, 0] for preset in PRESETS}
    for name, rewrite in {**REWRITES, **APART}.items():
        answers = [bibtex(changed) for fields in sample if (changed := rewrite(fields)) is not None]
        for preset, total in totals.items():
            accused = sum(flagged(examined(index, answer, preset)) for answer in answers)
            yield Row.shown(f"rewrite, {preset}: {name} (of {len(answers)})", accused / max(len(answers), 1))
            if name in REWRITES or preset == "default":
                total[0] += accused
                total[1] += len(answers)
    yield Row.at_least("true rewrites, kinds", len(REWRITES), 12, digits=0)
    yield Row.at_most("true rewrites accused, default", totals["default"][0] / totals["default"][1], 0.02)
    yield Row.shown(
        "true rewrites accused, strict, without cut lists and year ± 1",
        totals["strict"][0] / totals["strict"][1],
    )


def of_another_source(run: Run, known: Sequence[Entry]) -> Iterator[Row]:
    """The valid works against the records that other bibliographies have of them, not against their own."""
    works_of = {entry.key: as_quoted(entry.fields) | {"venue": entry.venue} for entry in known}
    records: dict[str, list[Record]] = defaultdict(list)
    for file in sorted(run.data("biblio").glob("titles-*.tsv")):
        for record in read_records(file):
            if (key := squeeze(normalise(record.title))) in works_of:
                records[key].append(record)
    matches = [judge(quoted(works_of[key]), found) for key, found in records.items()]
    yield Row.shown("records of another source: works", len(matches))
    bars: Mapping[Differences, float] = {"default": 0.01, "strict": 0.02}
    for preset, bar in bars.items():
        wrong = sum(bool(accused(match, preset)) for match in matches) / len(matches)
        yield Row.at_most(f"records of another source: accused, {preset}", wrong, bar)
    venues = [check for match in matches for check in match.fields if check.field == "venue"]
    for outcome in Outcome:
        share_of = sum(check.outcome is outcome for check in venues) / len(venues)
        yield Row.shown(f"records of another source: venue {outcome.value}", share_of)


def quoted(fields: Mapping[str, str]) -> Reference:
    """A work as a reference that names title, authors, year and venue."""
    return Reference(
        title=fields["title"],
        authors=tuple(fields["author"].split(" and ")),
        year=int(fields["year"]),
        venue=fields["venue"],
    )


def main(argv: Sequence[str] | None = None) -> int:
    """Run the benchmark from the command line."""
    return bench("references.hallmark", compute, argv, folder=HERE, doc=__doc__ or "")
