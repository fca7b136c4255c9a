"""Recorded answers: which column of a file is which field, and rows read as cases with labels."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from guardrail.errors import ConfigError, InputError
from guardrail.evaluation.columns import FIELDS, as_option, suggested
from guardrail.evaluation.files import digest, form, numbered
from guardrail.evaluation.labels import Labels, Meanings, StrangeLabels, read_labels, strange
from guardrail.evaluation.rows import InputFile
from guardrail.report import Case
from guardrail.requests import TokenLogprob

_LISTS = ("context", "samples", "logprobs", "sentences")


@dataclass(frozen=True, slots=True)
class Labelled:
    """One answer of a file.

    Attributes:
        file: digest of the file, shortened; see `ResultRow`.
        row: its number, from 0.
        source: what it is about; the file and the row where nothing says.
        case: what is examined.
        labels: what people say of it.
        groups: further columns.
    """

    file: str
    row: int
    source: str
    case: Case
    labels: Labels = Labels()
    groups: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Mapped:
    """Which column each field is read from.

    Args:
        columns: by field (`FIELDS`); a field not named has a column of its own name. A label column that begins with "!" says
            what is *sound*.
        groups: further columns to keep.
        labels: what labels mean that are not known, as `Meanings.of` reads it.

    Raises:
        ConfigError: there is no such field, or no such meaning.
    """

    columns: Mapping[str, str] = field(default_factory=dict)
    groups: tuple[str, ...] = ()
    labels: str = ""
    _meanings: Meanings = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_meanings", Meanings.of(self.labels))
        for name in self.columns:
            if name not in FIELDS:
                raise ConfigError(
                    f"no field {name!r}: write one of {', '.join(FIELDS)}, as in --map answer=response"
                )

    def labelled(self, raw: Mapping[str, Any], file: InputFile, number: int) -> Labelled:
        """One row of a file, read.

        Raises:
            InputError: it has no answer, or something in it cannot be read.
        """
        taken = {name: self._value(raw, name) for name in FIELDS}
        if not isinstance(taken["answer"], str):
            raise self._no_answer(raw)
        answer = taken["answer"]
        invert = self.columns.get("label", "").startswith("!")
        labels = read_labels(
            taken["label"], answer, texts=taken["sentences"] or (), invert=invert, meanings=self._meanings
        )
        source = taken["source"]
        return Labelled(
            file=file.key,
            row=number,
            source=f"{file.key}:{number}" if source in {None, ""} else str(source),
            case=Case.of(
                answer,
                prompt=taken["prompt"],
                context=taken["context"],
                samples=taken["samples"],
                logprobs=_logprobs(taken["logprobs"]),
            ),
            labels=labels,
            groups={name: self._group(raw, name) for name in self.groups},
        )

    def _no_answer(self, raw: Mapping[str, Any]) -> InputError:
        column = self.columns.get("answer", "answer")
        if column in raw:
            return InputError(
                f"expected a text in the column {column!r}, got {raw[column]!r:.40}: leave the row out, or name another column "
                "with --map answer=COLUMN"
            )
        likely = {**self.columns, **suggested(raw, self.columns)}
        option = as_option(likely if "answer" in likely else {"answer": "COLUMN", **likely})
        return InputError(f"no column {column!r}: there are {', '.join(map(str, raw))}. Try {option}")

    @staticmethod
    def _group(raw: Mapping[str, Any], name: str) -> str:
        if name not in raw:
            raise InputError(f"no column {name!r} for --group: there are {', '.join(map(str, raw))}")
        return "" if raw[name] is None else str(raw[name])

    def _value(self, raw: Mapping[str, Any], name: str) -> Any:
        column = self.columns.get(name, name).removeprefix("!")
        if column not in raw:
            if name in self.columns:
                raise InputError(f"no column {column!r} for {name}: there are {', '.join(map(str, raw))}")
            return None
        value = raw[column]
        if isinstance(value, str) and name not in {"answer", "source"}:
            value = _list_in(value)
        if name in _LISTS and isinstance(value, str):
            return [value] if value else None
        return value


def _list_in(text: str) -> Any:
    """A list written as JSON in a column of texts, as CSV has it; else the text."""
    if text[:1] != "[":
        return text
    try:
        return json.loads(text)
    except ValueError:
        return text


def _logprobs(value: Any) -> list[TokenLogprob] | None:
    if not value:
        return None
    try:
        return [
            TokenLogprob(str(one["token"]), float(one["logprob"]))
            if isinstance(one, Mapping)
            else TokenLogprob(str(one[0]), float(one[1]))
            for one in value
        ]
    except (KeyError, IndexError, TypeError, ValueError) as error:
        raise InputError(
            f'expected log-probabilities as [["token", -0.1], …] or [{{"token", "logprob"}}, …], got {value!r:.60}'
        ) from error


@dataclass(frozen=True, slots=True)
class Survey:
    """What one file has.

    Attributes:
        file: its digest and number of rows.
        columns: of its first row.
        counts: how many rows have each field; "made up" and "sound" of labels.
        form: how it is written, where that is neither UTF-8 nor commas.
    """

    file: InputFile
    columns: tuple[str, ...]
    counts: Mapping[str, int]
    form: str = ""


def survey(path: Path, mapped: Mapped, made: str | None = None) -> Survey:
    """Read every row of a file once: a row that cannot be read is refused before money is spent.

    Args:
        path: the file.
        mapped: which column is which field.
        made: its digest, where it was computed already.

    Raises:
        InputError: a row cannot be read; with its number. Labels that are not known are named together.
    """
    file = InputFile(path.name, made or digest(path), 0)
    counts: Counter[str] = Counter()
    unknown: Counter[str] = Counter()
    first: int | None = None
    columns: tuple[str, ...] = ()
    rows = 0
    for number, raw in numbered(path):
        columns = columns or tuple(map(str, raw))
        try:
            counts.update(_has(_at(path, number, mapped, raw, file), file))
        except StrangeLabels as error:
            unknown.update(map(str, error.values))
            first = number if first is None else first
        rows = number + 1
    if first is not None:
        column = mapped.columns.get("label", "label").removeprefix("!")
        raise InputError(f"{path.name}, row {first + 1}: {strange(dict(unknown.most_common()), column)}")
    return Survey(InputFile(path.name, file.digest, rows), columns, counts, form(path))


def _has(item: Labelled, file: InputFile) -> Iterator[str]:
    """What a row has, by the name of the field."""
    case = item.case
    given = (
        ("prompt", case.messages),
        ("context", case.context),
        ("samples", case.samples),
        ("logprobs", case.logprobs),
    )
    yield from (name for name, value in given if value)
    if item.labels.whole is not None:
        yield "made up" if item.labels.whole else "sound"
    if item.source != f"{file.key}:{item.row}":
        yield "source"


def labelled(path: Path, file: InputFile, mapped: Mapped, wanted: Sequence[range]) -> Iterator[Labelled]:
    """The rows of a file whose numbers lie in one of some ranges, which are in order and disjoint."""
    for number, raw in numbered(path, wanted):
        yield _at(path, number, mapped, raw, file)


def _at(path: Path, number: int, mapped: Mapped, raw: Mapping[str, Any], file: InputFile) -> Labelled:
    try:
        return mapped.labelled(raw, file, number)
    except InputError as error:
        error.add_note(f"{path.name}, row {number + 1}")
        raise
