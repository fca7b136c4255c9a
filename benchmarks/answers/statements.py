"""The sets of `data/attribution` as rows of one form: a statement, its documents, and whether they support it."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from benchmarks.answers.marks import with_marks, without_marks
from guardrail.errors import InputError

__all__ = ["LONGEST", "SETS", "Statement", "read", "sample"]

LONGEST = 20_000
"""Characters of a document that are read."""

Json: TypeAlias = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Statement:
    """One labelled statement.

    Attributes:
        source: statements of one question or document belong together.
        documents: what it should rest on, each cut at `LONGEST`.
        marked: with marks of citation: those of the data, or one that was put on.
        bare: without them.
        unsupported: the label; partial support is not support. `None` = nobody knows: the evidence does not settle it.
        question: that it answers, or "".
        own: whether the marks are those of the data.
    """

    source: str
    documents: tuple[str, ...]
    marked: str
    bare: str
    unsupported: bool | None
    question: str = ""
    own: bool = False

    @classmethod
    def of(
        cls, row: Json, source: str, documents: Sequence[str], *, unsupported: bool | None
    ) -> Statement | None:
        """A row's statement; `None` where there is no document."""
        texts = tuple(text[:LONGEST] for text in documents if text.strip())
        claim = row["claim"].strip()
        bare = without_marks(claim)
        if not texts or not bare:
            return None
        own = bare != claim
        marked = claim if own else with_marks(claim, str(row["id"]))
        return cls(source, texts, marked, bare, unsupported, row.get("question", ""), own)


def _expertqa(folder: Path) -> Iterator[Statement | None]:
    for row in _rows(folder / "expertqa_support" / "pairs.jsonl"):
        documents = [one["text"] for one in row["evidence"]]
        yield Statement.of(row, row["question"], documents, unsupported=row["support"] != "Complete")


def _bench(name: str) -> Callable[[Path], Iterator[Statement | None]]:
    def read(folder: Path) -> Iterator[Statement | None]:
        for file in ("dev_and_test500", "test_ood"):
            for row in _rows(folder / "attributionbench" / f"{file}.jsonl"):
                if row["src_dataset"] == name:
                    wrong = row["label"] != "attributable"
                    yield Statement.of(row, row["question"], row["references"], unsupported=wrong)

    return read


def _lfqa(folder: Path) -> Iterator[Statement | None]:
    documents = {
        (row["docset"], row["question_id"]): [one["text"] for one in row["docs"]]
        for row in _rows(folder / "lfqa_verification" / "documents.jsonl")
    }
    for row in _rows(folder / "lfqa_verification" / "pairs.jsonl"):
        texts = documents[row["docset"], row["question_id"]]
        wrong = row["majority"] != "supported"
        yield Statement.of(row, str(row["question_id"]), texts, unsupported=wrong)


def _covid(folder: Path) -> Iterator[Statement | None]:
    """What is not known is so by the evidence alone: the abstract may settle it."""
    abstracts = {
        row["doc_id"]: " ".join([row["title"], *row["abstract"]])
        for row in _rows(folder / "check_covid" / "abstracts.jsonl")
    }
    for row in _rows(folder / "check_covid" / "pairs.jsonl"):
        known = row["label"] != "NOTENOUGHINFO"
        text = abstracts[row["doc_id"]] if known else row["evidence_text"]
        wrong = row["label"] != "SUPPORT" if known else None
        yield Statement.of(row, row["doc_id"], [text], unsupported=wrong)


def _wikipedia(folder: Path) -> Iterator[Statement | None]:
    for row in _rows(folder / "wikipedia_citations" / "pairs.jsonl"):
        if row["label"] != "Source unavailable":
            wrong = row["label"] != "Supported"
            yield Statement.of(row, row["article"], [row["source_text"] or ""], unsupported=wrong)


def _integrity(folder: Path) -> Iterator[Statement | None]:
    """The label of the publication, else of most annotators; what is accurate in part is not."""
    articles = {
        row["reference_pmc"]: row["text"]
        for row in _rows(folder / "citation_integrity" / "reference_articles.jsonl")
    }
    for row in _rows(folder / "citation_integrity" / "pairs.jsonl"):
        labels = row["final_labels"] or ([row["majority"].upper()] if row["majority"] else [])
        if labels:
            wrong = labels != ["ACCURATE"]
            source = row["reference_pmc"]
            yield Statement.of(row, source, [articles[source]], unsupported=wrong)


def _summedits(folder: Path) -> Iterator[Statement | None]:
    texts = {row["doc_id"]: row["text"] for row in _rows(folder / "summedits" / "documents.jsonl")}
    for row in _rows(folder / "summedits" / "pairs.jsonl"):
        wrong = row["label"] != "consistent"
        yield Statement.of(row, row["doc_id"], [texts[row["doc_id"]]], unsupported=wrong)


SETS: Mapping[str, Callable[[Path], Iterator[Statement | None]]] = {
    "expertqa_support": _expertqa,
    "AttributedQA": _bench("AttributedQA"),
    "HAGRID": _bench("HAGRID"),
    "Stanford GenSearch": _bench("Stanford-GenSearch"),
    "AttrScore": _bench("AttrScore-GenSearch"),
    "ExpertQA of AttributionBench": _bench("ExpertQA"),
    "LFQA of AttributionBench": _bench("LFQA"),
    "lfqa_verification": _lfqa,
    "check_covid": _covid,
    "wikipedia_citations": _wikipedia,
    "citation_integrity": _integrity,
    "summedits": _summedits,
}
"""Readers of the sets of the table."""


def read(folder: Path, name: str) -> list[Statement]:
    """All statements of a set that have a document.

    Raises:
        InputError: a file is absent or of another form.
    """
    try:
        return [one for one in SETS[name](folder) if one is not None]
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise InputError(
            f"expected the statements of {name!r} in the form of its publisher, got {error!r}."
        ) from error


def sample(statements: Sequence[Statement], most: int | None, *, seed: int = 0) -> list[Statement]:
    """At most so many: one of each source in turn, sources and their statements in random order.

    A larger sample begins with the smaller one.
    """
    shuffled = list(statements)
    random.Random(seed).shuffle(shuffled)
    rounds: Counter[str] = Counter()
    turn = []
    for one in shuffled:
        turn.append(rounds[one.source])
        rounds[one.source] += 1
    order = sorted(range(len(shuffled)), key=turn.__getitem__)
    return [shuffled[i] for i in order[:most]]


def _rows(path: Path) -> list[Json]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
