"""Files of rows: JSON lines, CSV, Parquet, and folders that `save_to_disk` of Hugging Face's datasets wrote."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from hashlib import blake2b, file_digest
from pathlib import Path
from typing import IO, Any, TypeAlias

from guardrail.errors import InputError, ParseError
from guardrail.evaluation.delimited import Form, encoding_of, form_of, rows
from guardrail.evaluation.rows import BATCH, pyarrow

Raw: TypeAlias = Mapping[str, Any]

_SUFFIXES = {
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "jsonl",
    ".csv": "csv",
    ".tsv": "csv",
    ".parquet": "parquet",
}
_STATE, _SPLITS, _INFO = "state.json", "dataset_dict.json", "dataset_info.json"


class Wanted:
    """The numbers of the rows that are needed; asked for in ascending order.

    Args:
        ranges: ascending and disjoint; `None` = every row.
    """

    def __init__(self, ranges: Sequence[range] | None = None) -> None:
        self._left = None if ranges is None else [one for one in reversed(ranges) if one]

    def none_before(self, stop: int) -> bool:
        """Whether no row from here on and below `stop` is needed."""
        if self._left is None:
            return False
        return not self._left or self._left[-1].start >= stop

    def has(self, number: int) -> bool:
        """Whether this row is needed."""
        if self._left is None:
            return True
        while self._left and number >= self._left[-1].stop:
            self._left.pop()
        return bool(self._left) and number in self._left[-1]

    @property
    def over(self) -> bool:
        """Whether no more rows are needed."""
        return self._left is not None and not self._left


def numbered(path: Path, ranges: Sequence[range] | None = None) -> Iterator[tuple[int, Raw]]:
    """The rows that are needed, with their numbers from 0; the others are not parsed, where the form allows it.

    Args:
        path: the file or folder.
        ranges: numbers of the rows that are needed, ascending and disjoint; `None` = every row.

    Raises:
        InputError: it cannot be read, or has a form that is not read here.
        ParseError: a line is no JSON object; with its number.
        MissingExtra: Parquet or Arrow, and pyarrow is not installed.
    """
    wanted = Wanted(ranges)
    for number, row in _reader(path)(path, wanted):
        if wanted.has(number):
            yield number, row
        if wanted.over:
            return


def form(path: Path) -> str:
    """What is said of how a file of text is written; "" where it is UTF-8, with commas."""
    kind = _SUFFIXES.get(path.suffix.lower()) if path.is_file() else None
    if kind == "jsonl":
        return str(Form(encoding_of(path), ","))
    return str(form_of(path)) if kind == "csv" else ""


def _reader(path: Path) -> Any:
    if path.is_dir():
        return _saved_folder
    kind = _SUFFIXES.get(path.suffix.lower())
    if kind is None:
        raise InputError(
            f"expected a file that ends in {', '.join(_SUFFIXES)}, or a folder written by save_to_disk, got {str(path)!r}: "
            "convert or rename it"
        )
    if not path.is_file():
        raise InputError(f"expected a file of answers, found none at {str(path)!r}: check the path")
    return {"jsonl": _json_lines, "csv": _csv, "parquet": _parquet}[kind]


def _json_lines(path: Path, wanted: Wanted) -> Iterator[tuple[int, Raw]]:
    count = -1
    encoding = encoding_of(path)
    plain = encoding in {"utf-8", "utf-8-sig"}
    opened: IO[Any] = path.open("rb") if plain else path.open(encoding=encoding)
    with opened as stream:
        for line_number, line in enumerate(stream, 1):
            if line.isspace():
                continue
            count += 1
            if not wanted.has(count):
                if wanted.over:
                    return
                continue
            yield count, _object(line, path, line_number)


def _object(line: bytes | str, path: Path, number: int) -> Raw:
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
    return found


def _csv(path: Path, _: Wanted) -> Iterator[tuple[int, Raw]]:
    return enumerate(rows(path))


def _parquet(path: Path, wanted: Wanted) -> Iterator[tuple[int, Raw]]:
    arrow = pyarrow("reads Parquet files")
    first = 0
    try:
        with arrow.parquet.ParquetFile(path) as file:
            names = _classes(_described(file.schema_arrow.metadata))
            for group in range(file.num_row_groups):
                size = file.metadata.row_group(group).num_rows
                if not wanted.none_before(first + size):
                    batches = file.iter_batches(batch_size=BATCH // 8, row_groups=[group])
                    yield from _of_batches(batches, wanted, first, names)
                first += size
    except arrow.ArrowInvalid as error:
        raise ParseError(f"expected a Parquet file: {error}", source=str(path)) from error


def _of_batches(
    batches: Any, wanted: Wanted, first: int, names: Mapping[str, Sequence[str]]
) -> Iterator[tuple[int, Raw]]:
    """Rows of batches of Arrow; batches without a row that is needed stay as they are."""
    for batch in batches:
        if not wanted.none_before(first + batch.num_rows):
            for number, row in enumerate(batch.to_pylist(), first):
                yield number, _named(row, names) if names else row
        first += batch.num_rows


def _saved_folder(path: Path, wanted: Wanted) -> Iterator[tuple[int, Raw]]:
    """A data set that `save_to_disk` wrote: streams of Arrow, read a batch at a time."""
    arrow = pyarrow("reads folders of Hugging Face's datasets")
    names, first = _class_names(path), 0
    for part in _data_files(path):
        try:
            with arrow.memory_map(str(part)) as source, arrow.ipc.open_stream(source) as stream:
                for batch in stream:
                    small = (batch.slice(at, BATCH // 8) for at in range(0, batch.num_rows, BATCH // 8))
                    yield from _of_batches(small, wanted, first, names)
                    first += batch.num_rows
        except (arrow.ArrowInvalid, OSError) as error:
            raise ParseError(f"expected a stream of Arrow: {error}", source=str(part)) from error


def _data_files(path: Path) -> list[Path]:
    """The files of a saved data set, in order.

    Raises:
        InputError: it has several splits, or nothing of this form is there.
    """
    if (path / _SPLITS).is_file():
        splits = _json_in(path / _SPLITS).get("splits", [])
        if len(splits) == 1:
            return _data_files(path / str(splits[0]))
        named = ", ".join(str(path / str(one)) for one in splits)
        raise InputError(
            f"{str(path)!r} has {len(splits)} splits: name the one to evaluate, or several: {named}"
        )
    if not (path / _STATE).is_file():
        raise InputError(
            f"expected a folder that save_to_disk wrote, got {str(path)!r}, which has no {_STATE}: name its files, or save it with "
            "dataset.save_to_disk(FOLDER)"
        )
    state = _json_in(path / _STATE)
    if state.get("_indices_data_files") or state.get("_indices_files"):
        raise InputError(
            f"{str(path)!r} is a selection of a data set, saved by an old version of datasets: call flatten_indices() before "
            "save_to_disk"
        )
    return [path / Path(str(one["filename"])).name for one in state.get("_data_files", [])]


def _class_names(path: Path) -> dict[str, tuple[str, ...]]:
    """The names of the numbers in columns of classes (`ClassLabel`): without them 0 could mean made up or sound."""
    info = path / _INFO
    if (path / _SPLITS).is_file():
        info = next(iter(_data_files(path)), path / _INFO).with_name(_INFO)
    return _classes(_json_in(info) if info.is_file() else {})


def _described(metadata: Mapping[bytes, bytes] | None) -> Mapping[str, Any]:
    """How Hugging Face's `datasets` describes the columns of a Parquet file that it wrote."""
    try:
        found = json.loads((metadata or {}).get(b"huggingface", b"{}"))
    except ValueError:
        return {}
    info = found.get("info") if isinstance(found, dict) else None
    return info if isinstance(info, dict) else {}


def _classes(info: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
    features = info.get("features")
    if not isinstance(features, dict):
        return {}
    return {
        name: tuple(map(str, of["names"]))
        for name, of in features.items()
        if isinstance(of, dict) and of.get("_type") == "ClassLabel" and of.get("names")
    }


def _named(row: Raw, names: Mapping[str, Sequence[str]]) -> Raw:
    """A row with the names of its classes; -1 is how this form writes that there is none."""
    found = dict(row)
    for column, classes in names.items():
        value = row.get(column)
        if isinstance(value, int):
            found[column] = classes[value] if 0 <= value < len(classes) else None
    return found


def _json_in(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ParseError(f"expected JSON: {error}", source=str(path)) from error
    return found if isinstance(found, dict) else {}


def digest(path: Path) -> str:
    """BLAKE2b of a file's bytes; of a saved folder, of its description and data.

    Raises:
        InputError: it cannot be read.
    """
    made = blake2b(digest_size=20)
    try:
        for part in _bytes_of(path):
            with part.open("rb") as stream:
                file_digest(stream, lambda: made)
    except OSError as error:
        raise InputError(f"expected a file of answers, got {str(path)!r}: {error.strerror}") from error
    return made.hexdigest()


def _bytes_of(path: Path) -> list[Path]:
    if not path.is_dir():
        return [path]
    parts = _data_files(path)
    described = [one for one in {part.with_name(_INFO) for part in parts} if one.is_file()]
    return [*described, *parts]
