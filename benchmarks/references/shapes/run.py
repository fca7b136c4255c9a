"""Works in every shape of a list that chatbots write: is each found and verified, and is one with a made-up title flagged?

A program puts fifteen works, five to a list, into each shape. The index has the works and is declared complete. Some titles are
hard on purpose: one word, a name, a comma, a colon, a name before which stands another one.
"""

from __future__ import annotations

import argparse
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from benchmarks._rows import Row
from benchmarks._table import Run, bench
from benchmarks.references.answers.changes import invented
from benchmarks.references.answers.run import add_reader
from benchmarks.references.shapes._shapes import SHAPES
from guardrail import Guard, Verdict
from guardrail.detectors import ReferenceCheck
from guardrail.references.bibliography.index import Index
from guardrail.references.bibliography.records import Record

__all__ = ["main"]

HERE = Path(__file__).resolve().parent
QUESTION = "What should I read?"
IN_A_LIST = 5
LONG = 4  # words of a title that lends its second half
WORKS = (
    Record("Eichmann in Jerusalem", ("Hannah Arendt",), year=1963, venue="Viking"),
    Record("Behave", ("Robert Sapolsky",), year=2017, venue="Penguin Press"),
    Record("Thinking, Fast and Slow", ("Daniel Kahneman",), year=2011, venue="Farrar, Straus and Giroux"),
    Record(
        "Deep Residual Learning for Image Recognition",
        ("Kaiming He", "Xiangyu Zhang", "Shaoqing Ren", "Jian Sun"),
        year=2016,
        venue="CVPR",
    ),
    Record(
        "BERT: Pre-training of Deep Bidirectional Transformers for Language Understanding",
        ("Jacob Devlin", "Ming-Wei Chang", "Kenton Lee", "Kristina Toutanova"),
        year=2019,
        venue="NAACL",
    ),
    Record("Jane Eyre", ("Charlotte Brontë",), year=1847, venue="Penguin Classics"),
    Record("Man's Search for Meaning", ("Viktor E. Frankl",), year=1946, venue="Beacon Press"),
    Record("Die Blechtrommel", ("Günter Grass",), year=1959, venue="Luchterhand"),
    Record("Walden", ("Henry David Thoreau",), year=1854, venue="Ticknor and Fields"),
    Record("The Immortal Life of Henrietta Lacks", ("Rebecca Skloot",), year=2010, venue="Crown"),
    Record(
        "Bowling Alone: The Collapse and Revival of American Community",
        ("Robert D. Putnam",),
        year=2000,
        venue="Simon & Schuster",
    ),
    Record("The Selfish Gene", ("Richard Dawkins",), year=1976, venue="Oxford University Press"),
    Record(
        "Nudge: Improving Decisions About Health, Wealth, and Happiness",
        ("Richard H. Thaler", "Cass R. Sunstein"),
        year=2008,
        venue="Yale University Press",
    ),
    Record(
        "Sapiens: A Brief History of Humankind", ("Yuval Noah Harari",), year=2011, venue="Harvill Secker"
    ),
    Record("Gödel, Escher, Bach", ("Douglas Hofstadter",), year=1979, venue="Basic Books"),
)


def compute(run: Run) -> list[Row]:
    """Every row."""
    shapes = SHAPES[::4] if run.fast else SHAPES
    lists = [WORKS[at : at + IN_A_LIST] for at in range(0, len(WORKS), IN_A_LIST)]
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch) / "works.sqlite"
        with Index.create(path, complete=True) as index:
            index.add(WORKS)
        check = ReferenceCheck(bibliography=path, reader=run.options.reader)
        run.parameters["reader"] = check.reader
        guard = Guard([check])
        try:
            real, made_up = Counter[str](), Counter[str]()
            for shape in shapes:
                run.say(shape)
                for works in lists:
                    titles = [work.title for work in works]
                    real.update(_outcomes(guard, shape, works, titles))
                    made_up.update(_outcomes(guard, shape, works, [_invented(work) for work in works]))
        finally:
            guard.close()
    count = real.total()
    return [
        Row.shown("references", count),
        Row.at_least("verified", real["supported"] / count, 0.95),
        Row.shown("not found", real["none"] / count),
        Row.at_most("real works accused", real["unsupported"] / count, 0.01),
        Row.equal("made-up works verified", made_up["supported"], 0),
        Row.shown("made-up works flagged", made_up["unsupported"] / made_up.total()),
    ]


def _invented(work: Record) -> str:
    """A title that nobody has given: half of it, or its one word, and half of another work's."""
    at = WORKS.index(work)
    others = (*WORKS[at + 1 :], *WORKS[:at])
    other = next(one.title for one in others if len(one.title.split()) >= LONG)
    return invented(work.title if " " in work.title else f"{work.title} {work.title}", other)


def _outcomes(guard: Guard, shape: str, works: Sequence[Record], titles: Sequence[str]) -> list[str]:
    """The worst verdict on each work of a list; "none" without one."""
    rows = [
        shape.format(
            t=title,
            a=_names(work),
            ai=_by_initials(work),
            af=_family_first(work),
            al=_families(work),
            y=work.year,
            v=work.venue,
        )
        for work, title in zip(works, titles, strict=True)
    ]
    text = "Here are some books and papers:\n\n" + "\n".join(rows)
    findings = guard.check(text, prompt=QUESTION).findings
    order = [Verdict.UNSUPPORTED, Verdict.UNVERIFIED, Verdict.SUPPORTED]
    found: list[str] = []
    for title in titles:
        at = text.index(title)
        near = [
            finding.verdict
            for finding in findings
            if finding.verdict
            and finding.span
            and finding.span.start < at + len(title)
            and finding.span.end > at
        ]
        found.append(min(near, key=order.index).value if near else "none")
    return found


def _names(work: Record) -> str:
    """In full; more than two are cut short."""
    return f"{work.authors[0]} et al." if len(work.authors) > 2 else " and ".join(work.authors)


def _families(work: Record) -> str:
    names = [name.split()[-1] for name in work.authors]
    return f"{names[0]} et al." if len(names) > 2 else " and ".join(names)


def _by_initials(work: Record) -> str:
    """Arendt, H., as in APA."""
    names = [f"{n.split()[-1]}, {' '.join(f'{g[0]}.' for g in n.split()[:-1])}" for n in work.authors]
    return ", & ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else names[0]


def _family_first(work: Record) -> str:
    """Arendt, Hannah, as in MLA."""
    first, *more = work.authors
    inverted = f"{first.split()[-1]}, {' '.join(first.split()[:-1])}"
    return ", and ".join([", ".join([inverted, *more[:-1]]), more[-1]]) if more else inverted


def add_options(parser: argparse.ArgumentParser) -> None:
    """Options of this benchmark alone."""
    add_reader(parser)


def main(argv: Sequence[str] | None = None) -> int:
    """The command line; returns the exit code."""
    return bench("references.shapes", compute, argv, folder=HERE, doc=__doc__ or "", add_options=add_options)
