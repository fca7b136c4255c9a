"""The nine development sets as rows of one form: documents, an answer, and whether it is not supported."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.entailment.making.shapes.texts import is_learnt
from guardrail.errors import InputError

__all__ = ["RAGTRUTH", "SETS", "Example", "read", "sample"]

RAGTRUTH = ("ragtruth_qa", "ragtruth_summary", "ragtruth_data2txt")
SETS = (
    "factcc", "xsumfaith", "begin_wow_dev", "cg2c_doc", "wice_dev", "factcheck_bench", *RAGTRUTH,
)  # fmt: skip
"""The sets of the table, each a file `<name>.jsonl`."""


@dataclass(frozen=True, slots=True)
class Example:
    """One labelled answer.

    Attributes:
        source: rows of one source belong together: a document with its answers, a claim with its evidence.
        documents: what the answer should rest on.
        answer: a sentence or several.
        unsupported: the label of the whole; partial support is not support.
        spans: unsupported places of the answer, where they are labelled; `None` = only the whole is.
        kind: "irrelevant" for evidence that does not speak of the claim, else empty.
    """

    source: str
    documents: tuple[str, ...]
    answer: str
    unsupported: bool
    spans: tuple[tuple[int, int], ...] | None = None
    kind: str = ""


def read(folder: Path, name: str) -> list[Example]:
    """All rows of a set that the packaged model has not learnt from: of `cg2c_doc` about half of the articles.

    Raises:
        InputError: the file is absent or of another form.
    """
    path = folder / f"{name}.jsonl"
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
        rows = [example for line in lines for example in _examples(json.loads(line))]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InputError(
            f"expected rows of the form of {name!r}, got {error!r} from {path.name!r}."
        ) from error
    if name != "cg2c_doc":
        return rows
    learnt = is_learnt(row.documents[0] for row in rows)
    return [row for row in rows if row.documents[0] not in learnt]


def sample(examples: Sequence[Example], most: int | None, *, seed: int = 0) -> list[Example]:
    """At most so many rows, whole sources drawn at random; a larger sample begins with the smaller one."""
    order = sorted({example.source for example in examples})
    random.Random(seed).shuffle(order)
    place = {source: i for i, source in enumerate(order)}
    drawn = sorted(examples, key=lambda example: place[example.source])
    return drawn if most is None else drawn[:most]


def _examples(row: Mapping[str, Any]) -> Iterator[Example]:
    """The form of a row is known by its fields."""
    if "responses" in row:
        yield from _ragtruth(row)
    elif "sentences" in row:
        page = "\n".join(row["sentences"])
        yield Example(page[:200], (page,), row["claim"], row["label"] != "supported")
    elif "stance" in row:
        kind = "irrelevant" if row["stance"] == "irrelevant" else ""
        wrong = row["stance"] != "completely-support"
        yield Example(row["claim"], (row["evidence"],), row["claim"], wrong, kind=kind)
    else:
        yield Example(row["document"], (row["document"],), row["claim"], not row["supported"])


def _ragtruth(row: Mapping[str, Any]) -> Iterator[Example]:
    source = row["source"]
    if isinstance(source, str):
        documents = [source]
    elif "passages" in source:
        documents = [source["passages"]]
    else:
        documents = [json.dumps(source, ensure_ascii=False)]
    for one in row["responses"]:
        spans = tuple((label["start"], label["end"]) for label in one["labels"])
        yield Example(str(row["source_id"]), tuple(documents), one["response"], bool(spans), spans)
