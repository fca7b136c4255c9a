"""The labelled places of real answers, as `seen.jsonl`, `unseen.jsonl` and `without.jsonl` hold them.

The answers belong to their publishers: a label says where a reference is and where its fields are, and the text is read from the data set.
`python -m benchmarks.references.real.labels ANSWERS.json WITHOUT.json FIRST.jsonl SECOND.jsonl` makes the three files of labels with their texts.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks._places import Rows, digest, json_lines, part
from benchmarks.references.answers.labels import Answer, Label
from guardrail.errors import InputError
from guardrail.references.bibliography.records import Reference
from guardrail.report import Span

__all__ = ["KINDS", "Real", "place", "real_answers", "without_references"]

HERE = Path(__file__).resolve().parent
KINDS = ("work", "page", "law", "case", "mark")
_YEAR = re.compile(r"(?<!\d)\d{4}(?!\d)")


@dataclass(frozen=True, slots=True)
class Real:
    """An answer, or a window of one, that was labelled.

    Attributes:
        answer: its text and labels; `group` is the file that it is from.
        system: the chatbot that gave it.
        second: the labels of a second hand; `None` where only one labelled it.
        unseen: whether its prompt is of the half for judging.
    """

    answer: Answer
    system: str
    second: tuple[Label, ...] | None
    unseen: bool


def real_answers(half: str, folder: Path, *, labels: Path = HERE) -> list[Real]:
    """The labelled answers of a half.

    Args:
        half: "seen" or "unseen".
        folder: of the data set `real_answers`.
        labels: the folder of the places.

    Raises:
        InputError: an answer is not in the data set, or has another text; a label has another form.
    """
    rows = Rows(folder)
    return [_real(row, rows, unseen=half == "unseen") for row in json_lines(labels / f"{half}.jsonl")]


def without_references(half: str, folder: Path, *, labels: Path = HERE) -> list[Real]:
    """The answers of a half that a hand said have no reference; as `real_answers`."""
    rows = Rows(folder)
    places = (row for row in json_lines(labels / "without.jsonl") if row["unseen"] is (half == "unseen"))
    return [_real(row, rows, unseen=row["unseen"]) for row in places]


def _real(place: Mapping[str, Any], rows: Rows, *, unseen: bool) -> Real:
    try:
        row = rows.row(place["file"], place["id"])
        where = f"{place['file']!r}, answer {place['id']!r}"
        start = place["start"]
        text = part(row["answer"], start, place["end"], digested=place["digest"], where=where)
        labels = tuple(_labels(place.get("references", ()), text, start))
        second = tuple(_labels(place["second"], text, start)) if "second" in place else None
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(f"expected a place with labels, got {error!r} from {place!r:.200}.") from error
    answer = Answer(f"{place['file']}#{place['id']}", place["file"], row["lang"], row["prompt"], text, labels)
    return Real(answer, row["system"], second, unseen)


def _labels(places: Iterable[Mapping[str, Any]], text: str, since: int) -> Iterator[Label]:
    """The labels of a window that begins at `since`."""

    def said(span: Sequence[int]) -> str:
        start, end = span
        return text[start - since : end - since]

    for one in places:
        if one["kind"] not in KINDS:
            raise InputError(f"expected one of {KINDS}, got {one['kind']!r}.")
        year = _YEAR.search(said(one["year"])) if "year" in one else None
        reference = Reference(
            title=said(one["title"]) if "title" in one else "",
            authors=tuple(map(said, one.get("authors", ()))),
            year=int(year[0]) if year else None,
        )
        span = Span(start=one["start"] - since, end=one["end"] - since)
        yield Label("", span, reference, kind=one["kind"])


# -- from labels with their texts


def place(
    row: Mapping[str, Any],
    labels: Sequence[Mapping[str, Any]],
    second: Sequence[Mapping[str, Any]] | None = None,
) -> dict[str, Any]:
    """Of an answer and its labels only the places.

    Args:
        row: `file`, `id`, `answer`, and `start` and `end` of the window that was labelled.
        labels: `kind`, `quote` and which `occurrence` of it in the window; `title`, `authors` and `year` as in the quote.
        second: the same by a second hand.

    Raises:
        InputError: a quote is not in the window, or a field not in its quote.
    """
    window = row["answer"][row["start"] : row["end"]]
    placed = {
        "file": row["file"],
        "id": str(row["id"]),
        "start": row["start"],
        "end": row["end"],
        "digest": digest(window),
        "references": _placed(window, row["start"], labels),
    }
    return placed if second is None else {**placed, "second": _placed(window, row["start"], second)}


def _placed(window: str, since: int, labels: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    found = []
    for label in labels:
        quote, start = label["quote"], -1
        for _ in range(label.get("occurrence") or 1):
            start = _within(window, quote, start + 1)
        one: dict[str, Any] = {
            "kind": label["kind"],
            "start": since + start,
            "end": since + start + len(quote),
        }
        for name in ("title", "year"):
            if label.get(name):
                at = since + start + _within(quote, label[name])
                one[name] = [at, at + len(label[name])]
        if label.get("authors"):
            places = (since + start + _within(quote, name) for name in label["authors"])
            one["authors"] = [[at, at + len(name)] for at, name in zip(places, label["authors"], strict=True)]
        found.append(one)
    return sorted(found, key=lambda one: int(one["start"]))


def _within(text: str, part: str, start: int = 0) -> int:
    at = text.find(part, start)
    if at < 0:
        raise InputError(f"expected {part!r:.200} in {text!r:.200}. Mend the label.")
    return at


def main(argv: Sequence[str] | None = None) -> int:
    """Write the three files: of labelled answers, of those without references, and of what two hands said by `k` of an answer."""
    answers, without, first, second = map(Path, sys.argv[1:] if argv is None else argv)
    hands = [{row["k"]: row["references"] for row in json_lines(path)} for path in (first, second)]
    rows = json.loads(answers.read_text(encoding="utf-8"))
    for half in ("seen", "unseen"):
        own = [row for row in rows if row["unseen"] is (half == "unseen")]
        _write(half, (place(row, hands[0][row["k"]], hands[1].get(row["k"])) for row in own))
    clean = json.loads(without.read_text(encoding="utf-8"))
    _write("without", ({**place(row, ()), "unseen": row["unseen"]} for row in clean))
    return 0


def _write(name: str, places: Iterable[Mapping[str, Any]]) -> None:
    rows = sorted(places, key=lambda one: (one["file"], one["id"], one["start"]))
    lines = (json.dumps(row, ensure_ascii=False, separators=(",", ":")) + "\n" for row in rows)
    (HERE / f"{name}.jsonl").write_text("".join(lines), encoding="utf-8")


if __name__ == "__main__":
    raise SystemExit(main())
