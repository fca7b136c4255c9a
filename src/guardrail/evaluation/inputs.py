"""Files of recorded answers, read row by row: JSON lines, CSV or Parquet."""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from typing import Any

from guardrail.errors import ConfigError, InputError, ParseError
from guardrail.evaluation.labels import Labels, read_labels
from guardrail.evaluation.rows import BATCH, InputFile, pyarrow
from guardrail.report import Case
from guardrail.requests import TokenLogprob

FIELDS = ("answer", "prompt", "context", "samples", "logprobs", "label", "sentences", "source")
"""What a row may have, by the name of its default column."""

_LISTS = ("context", "samples", "logprobs", "sentences")
_SUFFIXES = {".jsonl": "jsonl", ".ndjson": "jsonl", ".json": "jsonl", ".csv": "csv", ".parquet": "parquet"}


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

    Raises:
        ConfigError: there is no such field.
    """

    columns: Mapping[str, str] = field(default_factory=dict)
    groups: tuple[str, ...] = ()

    def __post_init__(self) -> None:
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
            column = self.columns.get("answer", "answer")
            raise InputError(
                f"expected a text in the column {column!r}, got {taken['answer']!r:.40}; there are {', '.join(map(str, raw))}: "
                "name it with --map answer=COLUMN"
            )
        answer = taken["answer"]
        invert = self.columns.get("label", "").startswith("!")
        labels = read_labels(taken["label"], answer, texts=taken["sentences"] or (), invert=invert)
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
            groups={name: "" if raw.get(name) is None else str(raw[name]) for name in self.groups},
        )

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


def read(path: Path) -> Iterator[Mapping[str, Any]]:
    """The rows of a file, as dictionaries.

    Raises:
        InputError: it cannot be read, or is of no form that is read here.
        ParseError: a line is no JSON object; with its number.
        MissingExtra: a Parquet file, and pyarrow is not installed.
    """
    kind = _SUFFIXES.get(path.suffix.lower())
    if kind is None:
        raise InputError(
            f"expected a file that ends in {', '.join(_SUFFIXES)}, got {str(path)!r}: convert or rename it"
        )
    if not path.is_file():
        raise InputError(f"expected a file of answers, found none at {str(path)!r}: check the path")
    yield from {"jsonl": _json_lines, "csv": _csv, "parquet": _parquet}[kind](path)


def _json_lines(path: Path) -> Iterator[Mapping[str, Any]]:
    with path.open("rb") as stream:
        for number, line in enumerate(stream, 1):
            if not line.strip():
                continue
            try:
                found = json.loads(line)
            except ValueError as error:
                raise ParseError(
                    f"expected one JSON object a line: {error}. A list over several lines is no JSON lines; convert it: "
                    "jq -c '.[]' FILE > FILE.jsonl",
                    source=str(path),
                    line=number,
                ) from error
            if not isinstance(found, dict):
                raise ParseError(f"expected a JSON object, got {found!r:.60}", source=str(path), line=number)
            yield found


def _csv(path: Path) -> Iterator[Mapping[str, Any]]:
    csv.field_size_limit(min(sys.maxsize, 2**31 - 1))
    with path.open(encoding="utf-8-sig", newline="") as stream:
        reader = csv.DictReader(stream)
        try:
            for row in reader:
                yield {name: value for name, value in row.items() if name is not None}
        except (csv.Error, UnicodeDecodeError) as error:
            raise ParseError(
                f"expected CSV in UTF-8 with a line of names: {error}", source=str(path), line=reader.line_num
            ) from error


def _parquet(path: Path) -> Iterator[Mapping[str, Any]]:
    arrow = pyarrow("reads Parquet files")
    try:
        with arrow.parquet.ParquetFile(path) as file:
            for batch in file.iter_batches(batch_size=BATCH // 8):
                yield from batch.to_pylist()
    except arrow.ArrowInvalid as error:
        raise ParseError(f"expected a Parquet file: {error}", source=str(path)) from error


def surveyed(path: Path, mapped: Mapped) -> InputFile:
    """A file's digest and number of rows, each of which is read once: a row that cannot be is refused before money is spent.

    Raises:
        InputError: a row cannot be read; with its number.
    """
    known, rows = InputFile(path.name, digest(path), 0), 0
    for rows, raw in enumerate(read(path), 1):
        _at(path, rows - 1, mapped, raw, known)
    return InputFile(path.name, known.digest, rows)


def labelled(path: Path, file: InputFile, mapped: Mapped, wanted: Sequence[range]) -> Iterator[Labelled]:
    """The rows of a file whose numbers lie in one of some ranges, which are in order."""
    ranges = iter(wanted)
    current = next(ranges, None)
    for number, raw in enumerate(read(path)):
        while current is not None and number >= current.stop:
            current = next(ranges, None)
        if current is None:
            return
        if number in current:
            yield _at(path, number, mapped, raw, file)


def _at(path: Path, number: int, mapped: Mapped, raw: Mapping[str, Any], file: InputFile) -> Labelled:
    try:
        return mapped.labelled(raw, file, number)
    except InputError as error:
        error.add_note(f"{path.name}, row {number + 1}")
        raise


def digest(path: Path) -> str:
    """BLAKE2b of a file's bytes.

    Raises:
        InputError: it cannot be read.
    """
    made = blake2b(digest_size=20)
    try:
        with path.open("rb") as stream:
            while block := stream.read(1 << 20):
                made.update(block)
    except OSError as error:
        raise InputError(f"expected a file of answers, got {str(path)!r}: {error.strerror}") from error
    return made.hexdigest()
