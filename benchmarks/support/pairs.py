"""Pairs of a right answer and the same with one wrong field, mark or number; their texts are read from where they are."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, TypeAlias

from benchmarks._places import Rows, json_lines
from benchmarks.references.answers.labels import answers as cited_answers
from benchmarks.references.answers.labels import works
from benchmarks.references.real.labels import real_answers
from benchmarks.support.answers import Answer, Half, answers
from guardrail.errors import InputError
from guardrail.references.bibliography.formats import read_records
from guardrail.references.bibliography.index import Index
from guardrail.references.bibliography.normalise import normalise
from guardrail.references.bibliography.records import Record
from guardrail.report import Case

__all__ = ["KINDS", "Pair", "bibliography", "pairs"]

KINDS = ("field", "mark", "number")
Data: TypeAlias = Callable[[str], Path]
"""The folder of a data set, by its name."""

_HERE = Path(__file__).resolve().parent / "labelled"
_RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
_STYLES: Mapping[str, Callable[[str], str]] = {
    "note": lambda number: f"[^{number}]",
    "k": lambda number: f"【{number}】",
    "sup": lambda number: number.translate(_RAISED),
}
_PASSAGE = re.compile(r"\s*passage \d+:")
_BEGINNING = 3  # words of a title
_CUT = 40  # characters after which the data cut the name of a venue
_UNSPACED = ("zh", "ja")


@dataclass(frozen=True, slots=True)
class Pair:
    """Two answers that differ in one place.

    Attributes:
        name: unique; the letter says the kind.
        kind: "field" of a reference, "mark" of citation, "number".
        what: which field, how marks are written, which kind of number.
        right: the case with the right answer, and its documents.
        wrong: the case with the wrong one.
        record: of a field, what the bibliography has of the work; empty where that is written with the answer.
    """

    name: str
    kind: str
    what: str
    right: Case
    wrong: Case
    record: Mapping[str, Any]


def pairs(half: Half, data: Data) -> list[Pair]:
    """The pairs of a half; odd numbers are "seen": rules were chosen on these.

    Raises:
        InputError: a text is not in the data, or is another one.
    """
    texts = _Texts(half, data)
    rows = json_lines(_HERE / "corrections.jsonl")
    return [_pair(row, texts) for row in rows if (int(row["id"].split("-")[1]) % 2 == 1) == (half == "seen")]


def bibliography(path: Path, given: Sequence[Pair], half: Half, data: Data) -> None:
    """Make the index in which references are looked up: the works that the written answers cite, and those of the data that an answer may mean.

    These are all whose title begins with three words that an answer has. The data have no volumes, issues and pages, and venues that are cut short: the
    record of a cited work gets those of its pair.

    Args:
        path: of the index.
        given: the pairs.
        half: whose written answers are cited.
        data: the folders of the data.
    """
    known = {(normalise(one.record["title"]), one.record["year"]): one.record for one in given if one.record}
    answers = [_words(one.right.answer) for one in given if one.kind == "field"]
    meant = {tuple(words[i : i + _BEGINNING]) for words in answers for i in range(len(words))}
    with Index.create(path) as index:
        index.add(works(half).values())
        for file in sorted(data("biblio").glob("titles-*.tsv")):
            index.add(_records(file, known, meant))


def _records(
    file: Path, known: Mapping[tuple[str, int | None], Mapping[str, Any]], meant: Collection[tuple[str, ...]]
) -> Iterator[Record]:
    for record in read_records(file):
        if tuple(_words(record.title)[:_BEGINNING]) in meant:
            title, venue = normalise(record.title), record.venue if len(record.venue) < _CUT else ""
            yield replace(record, **{"venue": venue, **known.get((title, record.year), {})})


def _words(text: str) -> list[str]:
    return re.findall(r"[^\W_]+", text.casefold())


def _pair(row: Mapping[str, Any], texts: _Texts) -> Pair:
    case, at, old = texts.case(row), row["start"], row["old"]
    if case.answer[at : at + len(old)] != old:
        raise InputError(f"{row['id']}: expected {old!r} at {at}: is the data set another version?")
    wrong = case.answer[:at] + row["new"] + case.answer[at + len(old) :]
    other = case.model_copy(update={"answer": wrong})
    return Pair(row["id"], row["kind"], row["what"], case, other, row.get("record", {}))


class _Texts:
    """Where the texts of pairs are."""

    def __init__(self, half: Half, data: Data) -> None:
        self._half, self._data = half, data

    def case(self, row: Mapping[str, Any]) -> Case:
        """The right answer with its documents."""
        if "answer" in row:
            return Case.of(row["answer"], prompt=row["question"], context=row["documents"])
        of = row["of"]
        if row["kind"] == "field":
            return Case.of(self._citing[of])
        if "parts" in row:
            labelled = self._labelled[of].case
            return labelled.model_copy(update={"answer": _excerpt(row, labelled.answer)})
        name, *keys = of.split(":")
        folder, _, file = name.partition("/")
        rows = self._rows[folder]
        if file == "expertqa_support/pairs":
            return _claim(rows.row(file, keys[0]))
        return _answer(rows.row(file, keys[0]), int(keys[1]))

    @cached_property
    def _rows(self) -> dict[str, Rows]:
        return {
            "attribution": Rows(self._data("attribution")),
            "grounding": Rows(self._data("grounding"), key="source_id"),
        }

    @cached_property
    def _labelled(self) -> dict[str, Answer]:
        return {
            one.name: one
            for one in answers(self._half, self._data("attribution"), self._data("real_answers"))
        }

    @cached_property
    def _citing(self) -> dict[str, str]:
        real = (one.answer for one in real_answers(self._half, self._data("real_answers")))
        found = {f"real/{one.id}": one.text for one in real}
        return found | {f"answers/{one.id}": one.text for one in cited_answers(self._half)}


def _excerpt(row: Mapping[str, Any], answer: str) -> str:
    """Some sentences of a labelled answer, with its marks in the style of the pair."""
    text, end = "", 0
    for start, stop in row["parts"]:
        if text:
            text += "\n" if "\n" in answer[end:start] else "" if row["lang"] in _UNSPACED else " "
        text, end = text + answer[start:stop], stop
    style = _STYLES.get(row.get("style", ""))
    return re.sub(r"\[(\d+)\]", lambda mark: style(mark[1]), text) if style else text


def _claim(row: Mapping[str, Any]) -> Case:
    """A claim that its reader called wholly supported, with what it cites."""
    context = [
        {"title": one["ref"].partition(" ")[0].strip("[]"), "text": one["text"]} for one in row["evidence"]
    ]
    return Case.of(row["claim"], prompt=row["question"], context=context)


def _answer(row: Mapping[str, Any], number: int) -> Case:
    """An answer in which people found nothing unsupported."""
    source, answer = row["source"], row["responses"][number]["response"]
    if isinstance(source, str):
        return Case.of(answer, context=[source])
    passages = [text.strip() for text in _PASSAGE.split(source["passages"])]
    return Case.of(answer, prompt=source["question"], context=[text for text in passages if text])
