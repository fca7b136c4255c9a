"""Splitting reference strings into fields: the trained model in grouped cross-validation.

Strings segmented by hand (`data/reference_strings`) are parted in six; strings that share a title, a list of authors or a venue
stay together. Each part is read by a model trained on the other five and on rendered strings. `same` in `_strings.py` says
what counts as right.

`python -m benchmarks.references.reading train` makes the packaged model.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from importlib.resources import files
from itertools import islice
from pathlib import Path

import guardrail.references.citations.segmentation as package
from benchmarks._data import data_dir
from benchmarks._table import Row, Run, bench
from benchmarks.references.reading._rendered import rendered
from benchmarks.references.reading._strings import Example, folds, read_strings, same, truth
from benchmarks.references.reading._tagger import PACKAGE, train_packaged_tagger
from benchmarks.references.reading._training import OPTIONS, TEMPERATURE, crfsuite, lexicon_of, train
from guardrail.references.bibliography.formats import read_records
from guardrail.references.bibliography.records import Record, Reference
from guardrail.references.citations.segmentation import Reading, readings
from guardrail.references.citations.segmentation.model import FILE, Model, packaged, read_model

__all__ = ["CONFIDENT", "main", "train_packaged"]

HERE = Path(__file__).resolve().parent
SEED = 20241124
FOLDS = 6
RENDERED = 1380
"""Rendered strings in a training."""

CONFIDENT = 0.9
"""The mass from which a first reading is taken for sure."""

BARS = {"title": 0.82, "authors": 0.94, "year": 0.985, "venue": 0.74}


@dataclass(frozen=True)
class Part:
    """One fold's work: what is learnt, and what is read."""

    learnt: Sequence[Example]
    read: Sequence[str]
    lexicon: Mapping[str, str]


def read_part(part: Part) -> list[list[Reading]]:
    """Train on what is learnt, and read the rest."""
    model = read_model(train(part.learnt, part.lexicon, {}), "fold")
    return [readings(text, model=model) for text in part.read]


def records_of(folder: Path) -> list[Record]:
    """The first 1,500 records of each file, in order."""
    return [
        record for path in sorted(folder.glob("titles-*.tsv")) for record in islice(read_records(path), 1500)
    ]


def flat(kinds: Mapping[str, Sequence[Example]]) -> list[Example]:
    """All strings of all kinds."""
    return [example for examples in kinds.values() for example in examples]


def compute(run: Run) -> list[Row]:
    """All rows of the table."""
    run.parameters |= {"seed": SEED, "folds": FOLDS, "rendered": RENDERED, "confident": CONFIDENT}
    crfsuite()
    gold = read_strings(run.data("reference_strings") / "core.jsonl")
    records = records_of(run.data("biblio"))
    learnt = flat(rendered(records, RENDERED // (3 if run.fast else 1), half=0))
    unseen = rendered(records, RENDERED // 3, half=1)
    fold = folds(gold, FOLDS, SEED)
    chosen = range(2) if run.fast else range(FOLDS)
    tested = [[at for at, own in enumerate(fold) if own == number] for number in chosen]
    lexicon = packaged().lexicon

    def parts(more: Sequence[Example], also: Sequence[Example]) -> list[Part]:
        return [
            Part(
                [*(gold[at] for at, own in enumerate(fold) if own != number), *more],
                [gold[at].text for at in tested[number]]
                + [example.text for example in also[number :: len(chosen)]],
                lexicon,
            )
            for number in chosen
        ]

    more = flat(unseen)
    run.say(f"{len(chosen)} trainings")
    read = mapped(read_part, parts(learnt, more))
    strings = [gold[at] for own in tested for at in own]
    found = [one for own, ats in zip(read, tested, strict=True) for one in own[: len(ats)]]
    rows = [*field_rows(strings, found), *confidence_rows(strings, found)]
    if not run.fast:
        run.say(f"{len(chosen)} trainings without rendered strings")
        alone = [one for own in mapped(read_part, parts([], [])) for one in own]
        rows += rendered_gain(strings, found, alone)
    by_example = {
        example.text: one
        for number, own in enumerate(read)
        for example, one in zip(more[number :: len(chosen)], own[len(tested[number]) :], strict=True)
    }
    return rows + rendered_rows(unseen, by_example) + cost_rows([example.text for example in gold])


def mapped(work: Callable[[Part], list[list[Reading]]], parts: Sequence[Part]) -> list[list[list[Reading]]]:
    """The work on each part, in as many processes as there are processors."""
    with ProcessPoolExecutor(min(len(parts), os.cpu_count() or 1)) as pool:
        return list(pool.map(work, parts))


def share(values: Sequence[bool | None]) -> float | None:
    """The share of those that are true among those that are known."""
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


def first(read: Sequence[Reading]) -> Reference:
    """The reference of the likeliest reading."""
    return read[0].reference if read else Reference()


def field_rows(strings: Sequence[Example], found: Sequence[Sequence[Reading]]) -> list[Row]:
    """Each field of the first reading, and the title among the first two and three."""
    rows = []
    pairs = list(zip(strings, found, strict=True))
    for field, bar in BARS.items():
        rows.append(Row.at_least(f"{field} right", share([same(field, e, first(r)) for e, r in pairs]), bar))
    for most in (2, 3):
        among = share([None if (one := hits(e, r[:most])) is None else any(one) for e, r in pairs])
        name = f"title among the first {most}"
        rows.append(Row.at_least(name, among, 0.92) if most == 3 else Row.shown(name, among))
    for field in BARS:
        absent = [r for e, r in pairs if not getattr(truth(e), field)]
        invented = [bool(getattr(first(r), field)) for r in absent]
        rows.append(Row.shown(f"{field} read where there is none ({len(absent)} strings)", share(invented)))
    return rows


def hits(example: Example, read: Sequence[Reading]) -> list[bool] | None:
    """Whether each reading has the title; `None` where there is none to have."""
    judged = [same("title", example, reading.reference) for reading in read] or [
        same("title", example, Reference())
    ]
    return None if judged[0] is None else [bool(one) for one in judged]


def confidence_rows(strings: Sequence[Example], found: Sequence[Sequence[Reading]]) -> list[Row]:
    """How often readings that are taken for sure are right, and how many these are."""
    sure = [(e, r) for e, r in zip(strings, found, strict=True) if r and r[0].mass >= CONFIDENT]
    titled = sum(same("title", e, Reference()) is not None for e in strings)
    judged = [one for e, r in sure if (one := same("title", e, r[0].reference)) is not None]
    rows = [
        Row.at_least(f"title right at mass ≥ {CONFIDENT}", share(judged), 0.97),
        Row.at_least(f"strings with mass ≥ {CONFIDENT}", len(judged) / titled, 0.50),
    ]
    for field in ("authors", "year", "venue"):
        known = [
            (one, bool(r) and r[0].marginals.get(field, 0.0) >= CONFIDENT)
            for e, r in zip(strings, found, strict=True)
            if (one := same(field, e, first(r))) is not None
        ]
        rows.append(
            Row.shown(f"{field} right at probability ≥ {CONFIDENT}", share([one for one, at in known if at]))
        )
        rows.append(Row.shown(f"{field} with probability ≥ {CONFIDENT}", share([at for _, at in known])))
    pairs = [
        (r[0].mass, one)
        for e, r in zip(strings, found, strict=True)
        if r and (one := same("title", e, r[0].reference)) is not None
    ]
    for low, high in ((0.0, 0.5), (0.5, 0.7), (0.7, 0.9), (0.9, 0.97), (0.97, 1.01)):
        within = [one for mass, one in pairs if low <= mass < high]
        rows.append(
            Row.shown(
                f"title right at mass {low:.2f} to {min(high, 1):.2f} ({len(within)} strings)", share(within)
            )
        )
    return rows


def rendered_gain(
    strings: Sequence[Example], found: Sequence[Sequence[Reading]], alone: Sequence[Sequence[Reading]]
) -> list[Row]:
    """What rendered strings in the training change on strings segmented by hand."""
    rows = []
    for field in BARS:
        with_, without = (
            share([same(field, e, first(r)) for e, r in zip(strings, one, strict=True)])
            for one in (found, alone)
        )
        rows.append(Row.shown(f"{field} right, trained without rendered strings", without))
        if with_ is not None and without is not None:
            rows.append(Row.at_least(f"{field} gained by rendered strings", with_ - without, -0.01))
    return rows


def rendered_rows(
    unseen: Mapping[str, Sequence[Example]], found: Mapping[str, Sequence[Reading]]
) -> list[Row]:
    """Titles and authors of rendered strings made of other records and words than those in the training."""
    rows = []
    for kind, examples in unseen.items():
        for field in ("title", "authors"):
            right = share([same(field, e, first(found[e.text])) for e in examples])
            rows.append(Row.shown(f"rendered, {kind}: {field} right", right))
    return rows


def cost_rows(texts: Sequence[str]) -> list[Row]:
    """The size of the packaged file, and the time of a string."""
    size = len((files(package) / FILE).read_bytes()) / 1e6
    sample = texts[::8]
    readings(sample[0])
    model = min(timed(readings, sample) for _ in range(3))
    return [
        Row.at_most("packaged weights", size, 1.5, unit="MB"),
        Row.shown("a string, model, three readings", model, unit="ms"),
    ]


def timed(work: Callable[[str], object], texts: Sequence[str]) -> float:
    """Milliseconds a string."""
    start = time.perf_counter()
    for text in texts:
        work(text)
    return (time.perf_counter() - start) * 1000 / len(texts)


def train_packaged(out: Path) -> Model:
    """Train the packaged model on all strings and write its file."""
    gold = read_strings(data_dir("reference_strings") / "core.jsonl")
    biblio = data_dir("biblio")
    every = (record for path in sorted(biblio.glob("titles-*.tsv")) for record in read_records(path))
    venues = sorted(data_dir("venues").glob("*.csv"))
    lexicon = lexicon_of(every, venues, [example.written("title") for example in gold])
    learnt = flat(rendered(records_of(biblio), RENDERED, half=0))
    about = {
        "trained on": [
            f"{len(gold)} reference strings of the AnyStyle parser (core.xml), github.com/inukshuk/anystyle c6f5fb2f, BSD-2-Clause",
            f"{len(learnt)} strings rendered from public bibliographies (bibliographic facts) and word lists",
            "word counts of public bibliographies and of github.com/JabRef/abbrv.jabref.org a6879a86, CC0 1.0",
        ],
        "command": "python -m benchmarks.references.reading train",
        "options": {**OPTIONS, "temperature": TEMPERATURE},
    }
    return written(train([*gold, *learnt], lexicon, about), out)


def written(content: bytes, out: Path) -> Model:
    """Write the file of a model at once, or not at all."""
    model = read_model(content, out.name)
    part = out.with_name(f"{out.name}.part")
    part.write_bytes(content)
    part.replace(out)
    return model


def main(argv: Sequence[str] | None = None) -> int:
    """Run the benchmark, or `train`, from the command line."""
    given = list(sys.argv[1:] if argv is None else argv)
    if given[:1] != ["train"]:
        return bench(
            "references.reading",
            compute,
            given,
            folder=HERE,
            doc=__doc__ or "",
            packages=("python-crfsuite",),
        )
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.references.reading train", description="Make a packaged model."
    )
    parser.add_argument("--tagger", action="store_true", help="the network that tags references")
    parser.add_argument(
        "--later", action="store_true", help="the packaged network goes on with the answers it does not know"
    )
    parser.add_argument(
        "--device", choices=["cpu", "cuda"], default="cpu", help="where the network learns (cpu)"
    )
    parser.add_argument(
        "--out", type=Path, metavar="FILE", help="another file than the packaged one; a folder with --tagger"
    )
    options = parser.parse_args(given[1:])
    if options.tagger:
        sys.stdout.write(
            f"{train_packaged_tagger(options.out or PACKAGE, options.device, later=options.later)}\n"
        )
        return 0
    out = options.out or Path(package.__path__[0]) / FILE
    model = train_packaged(out)
    sys.stdout.write(
        f"{out.name}: {len(model.features)} features, {len(model.lexicon)} words, {out.stat().st_size} bytes\n"
    )
    return 0
