"""Whether a sentence of a real answer claims something: labels of several hands beside what the package says.

`sentences.jsonl` has only places and labels: the answers belong to their publishers, and are read from the data sets.
`python -m benchmarks.answers.sentences LABELLED.json > sentences.jsonl` makes it of sentences that were labelled with their texts.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

from benchmarks._places import digest, json_lines, part
from benchmarks._rows import Row
from benchmarks._stats import cohen_kappa, resampled
from benchmarks._table import Run
from guardrail.errors import InputError
from guardrail.text.claims import Piece, pieces
from guardrail.text.kinds import Kind

__all__ = [
    "FILE",
    "LABELS",
    "Labelled",
    "Sentence",
    "macro_f1",
    "place",
    "read_sentences",
    "sentence_rows",
    "texts",
]

FILE = Path(__file__).with_name("sentences.jsonl")
LABELS = ("claim", "nothing", "lacking")
FEWEST = 40
"""Sentences of each label that the unseen half has at least."""
_REPLICATES = 200
_MISSING = "there are no labelled sentences"


@dataclass(frozen=True, slots=True)
class Labelled:
    """Where a labelled sentence is.

    Attributes:
        k: its number.
        source: folder and file below `real_answers`, or "grounding/ragtruth_qa".
        id: of the answer in that file; of RAGTruth the source and the number of the response, with "-" between.
        start: in the answer, in characters.
        end: behind it.
        digest: of the sentence.
        lang: ISO 639-1.
        label: one of `LABELS`: what two hands agree on, or a third decided.
        hand1: what the first said.
        hand2: what the second said.
        unseen: whether nobody who wrote the rules has seen it.
    """

    k: int
    source: str
    id: str
    start: int
    end: int
    digest: str
    lang: str
    label: str
    hand1: str
    hand2: str
    unseen: bool


_CALLED = {
    Kind.LACKING: "lacking",
    **dict.fromkeys([Kind.NOTHING, Kind.QUESTION, Kind.HEADING, Kind.SOURCES], "nothing"),
}


@dataclass(frozen=True, slots=True)
class Sentence:
    """A labelled sentence with its text, and what it was called."""

    labelled: Labelled
    text: str
    called: str


def place(row: Mapping[str, Any]) -> Labelled:
    """Of a labelled sentence with its text only the place and the labels.

    Raises:
        InputError: the row has another form.
    """
    try:
        return Labelled(
            k=row["k"],
            source=row["source"],
            id=str(row["id"]),
            start=row["start"],
            end=row["end"],
            digest=digest(row["sentence"]),
            lang=row["lang"],
            label=row["label"],
            hand1=row["hand1"],
            hand2=row["hand2"],
            unseen=bool(row["unseen"]),
        )
    except (KeyError, TypeError, AttributeError) as error:
        raise InputError(f"expected a labelled sentence, got {error!r} from {row!r:.200}.") from error


def read_sentences(path: Path = FILE) -> list[Labelled]:
    """All places of the file.

    Raises:
        InputError: a line has another form or an unknown label.
    """
    try:
        found = [Labelled(**json.loads(line)) for line in path.read_text(encoding="utf-8").splitlines()]
    except (OSError, ValueError, TypeError) as error:
        raise InputError(f"expected places of sentences in {path.name!r}, got {error!r}.") from error
    for one in found:
        if one.label not in LABELS:
            raise InputError(f"sentence {one.k}: expected one of {LABELS}, got {one.label!r}.")
    return found


def texts(found: Iterable[Labelled], folder: Callable[[str], Path]) -> Iterator[tuple[str, str]]:
    """The sentences, read from their data sets, each with the answer that it is in.

    Args:
        found: their places.
        folder: where a data set is.

    Raises:
        InputError: an answer is not there, or has another text at that place.
    """

    @cache
    def answers(source: str) -> dict[str, str]:
        return dict(_answers(source, folder))

    for one in found:
        where = f"sentence {one.k}: {one.source!r}, answer {one.id!r}"
        answer = answers(one.source).get(one.id, "")
        yield part(answer, one.start, one.end, digested=one.digest, where=where), answer


def _answers(source: str, folder: Callable[[str], Path]) -> Iterator[tuple[str, str]]:
    name, _, file = source.rpartition("/")
    if name != "grounding":
        for row in json_lines(folder("real_answers") / name / f"{file}.jsonl"):
            yield str(row["id"]), row["answer"]
        return
    for row in json_lines(folder("grounding") / f"{file}.jsonl"):
        for number, one in enumerate(row["responses"]):
            yield f"{row['source_id']}-{number}", one["response"]


def sentence_rows(run: Run) -> list[Row]:
    """Figures of both halves; only the unseen one has bars."""
    if not FILE.is_file():
        return [Row.missing("sentences, unseen: macro-F1", _MISSING, bar="≥ 0.850")]
    places = read_sentences()
    said = zip(places, texts(places, run.data), strict=True)
    found = [Sentence(one, text, called(kind_at(one, answer))) for one, (text, answer) in said]
    rows = []
    for half, unseen in (("seen", False), ("unseen", True)):
        rows += list(_half_rows(half, [one for one in found if one.labelled.unseen is unseen], bars=unseen))
    return rows


def kind_at(one: Labelled, answer: str) -> str:
    """The kind of the piece of the answer that covers most of a sentence."""

    def shared(piece: Piece) -> int:
        return min(piece.span.end, one.end) - max(piece.span.start, one.start)

    found = max(pieces(answer), key=shared, default=None)
    return found.kind if found is not None and shared(found) > 0 else Kind.NOTHING


def called(kind: str) -> str:
    """The label of a kind: a question, a heading and a list of sources claim nothing."""
    return _CALLED.get(Kind(kind), "claim")


def _half_rows(half: str, own: Sequence[Sentence], *, bars: bool) -> Iterator[Row]:
    truth, said = [one.labelled.label for one in own], [one.called for one in own]
    for label in LABELS:
        quantity = f"sentences, {half}: {label}"
        count = truth.count(label)
        yield Row.at_least(quantity, count, FEWEST, digits=0) if bars else Row.shown(quantity, count)
    quantity, value = f"sentences, {half}: macro-F1", macro_f1(truth, said)
    groups = [(one.labelled.source, one.labelled.id) for one in own]
    interval = (
        resampled(
            groups,
            lambda drawn: macro_f1([truth[i] for i in drawn], [said[i] for i in drawn]),
            replicates=_REPLICATES,
        )
        if own
        else None
    )
    yield (
        Row.at_least(quantity, value, 0.85, interval=interval)
        if bars
        else Row.shown(quantity, value, interval=interval)
    )
    yield Row.shown(f"{quantity}, all called claims", macro_f1(truth, ["claim"] * len(truth)))
    for name, english in (("English", True), ("other languages", False)):
        kept = [i for i, one in enumerate(own) if (one.labelled.lang == "en") is english]
        yield Row.shown(f"{quantity}, {name}", macro_f1([truth[i] for i in kept], [said[i] for i in kept]))
    lost = [one.called == "nothing" for one in own if one.labelled.label == "claim"]
    quantity, share = (
        f"sentences, {half}: claims called nothing claimed",
        sum(lost) / len(lost) if lost else None,
    )
    yield Row.at_most(quantity, share, 0.01) if bars else Row.shown(quantity, share)
    kappa = cohen_kappa([one.labelled.hand1 for one in own], [one.labelled.hand2 for one in own])
    yield Row.shown(
        f"sentences, {half}: agreement of two hands, κ",
        kappa and kappa.value,
        interval=None if kappa is None else kappa.interval,
    )


def macro_f1(truth: Sequence[str], said: Sequence[str]) -> float | None:
    """The mean F1 of the labels that occur; `None` without rows.

    >>> round(macro_f1(["claim", "claim", "nothing"], ["claim", "nothing", "nothing"]), 3)
    0.667
    """
    scores = []
    for label in sorted({*truth, *said}):
        both = sum(a == b == label for a, b in zip(truth, said, strict=True))
        scores.append(2 * both / (truth.count(label) + said.count(label)))
    return sum(scores) / len(scores) if scores else None


def main(argv: Sequence[str] | None = None) -> int:
    """Print the places of labelled sentences as JSON lines; what no label fits is left out."""
    (path,) = sys.argv[1:] if argv is None else argv
    for row in json.loads(Path(path).read_text(encoding="utf-8")):
        if row["label"] in LABELS:
            sys.stdout.write(json.dumps(asdict(place(row)), ensure_ascii=False) + "\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
