"""The results of a run: one typed row for each finding, what the run was, and how both are read and written.

A folder of a run has `manifest.json` (the run: `RunInfo`) and `results.parquet`, or `results.jsonl` where pyarrow is not
installed (the rows: `ResultRow`). Both files of rows have the same columns, by the names of the fields.
"""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from itertools import islice
from pathlib import Path
from typing import Any

from guardrail.errors import InputError, MissingExtra, ParseError

FORMAT = 1
MANIFEST = "manifest.json"
_NAMES = {"parquet": "results.parquet", "jsonl": "results.jsonl"}
BATCH = 8_192


@dataclass(frozen=True, slots=True)
class ResultRow:
    """One finding of one detector about one answer.

    An answer has at least one row for each detector: where there is no finding, `finding` is -1 and `verdict` is `None`
    (nothing to examine) or "unverified" (the detector failed; `reason` says why).

    Attributes:
        file: digest of the input file, as in `RunInfo.files`.
        row: the answer's number in that file, from 0; with `file` it identifies the answer.
        source: what the answer is about (a document, a question, a person). Rows of one source are not independent.
        detector: its name; `RunInfo.signatures` says how it was set up.
        finding: the number of the finding among this detector's of this answer, from 0.
        start: where its span begins in the answer, in code points; `None` = the whole answer.
        end: where it ends.
        text: the text of the span.
        score: in the detector's scale, larger = more likely made up; `None` = could not be scored.
        verdict: "supported", "unsupported", "unverified", or `None` as above.
        word: the detector's own word for what it found ("fabricated").
        reason: one sentence; says why where there is no score.
        label: whether the text of this finding is made up; `None` = not labelled.
        answer_label: whether anything in the whole answer is made up; `None` = not labelled.
        groups: further columns of the input that were asked for (`--group domain`), as texts.
        figures: what the detector measured of the whole answer, by name, such as citation recall; on its first row of an answer.
        calls: paid calls of this detector for this answer; on the first row of an answer, 0 on the others.
        tokens: the same of tokens.
        seconds: its share of the time by the clock, all detectors together; time is divided evenly between the answers in flight, so
            that the shares add up to the time of the run; as `calls`.
    """

    file: str
    row: int
    source: str
    detector: str
    finding: int
    start: int | None
    end: int | None
    text: str
    score: float | None
    verdict: str | None
    word: str
    reason: str
    label: bool | None
    answer_label: bool | None
    groups: dict[str, str] = field(default_factory=dict)
    figures: dict[str, float] = field(default_factory=dict)
    calls: float = 0.0
    tokens: float = 0.0
    seconds: float = 0.0

    @property
    def answer(self) -> tuple[str, int]:
        """What identifies the answer in a run."""
        return self.file, self.row


COLUMNS = tuple(one.name for one in fields(ResultRow))
"""The columns of a file of results, in order."""

MEASURED = ("calls", "tokens", "seconds")
"""Those that differ between two runs of the same answers."""


@dataclass(frozen=True, slots=True)
class InputFile:
    """One file of answers.

    Attributes:
        name: its name, without the folder.
        digest: BLAKE2b of its bytes, in hexadecimal; the first 16 digits are `ResultRow.file`.
        rows: how many answers it has.
    """

    name: str
    digest: str
    rows: int

    @property
    def key(self) -> str:
        """`ResultRow.file` of its rows."""
        return self.digest[:16]


@dataclass(frozen=True, slots=True)
class RunInfo:
    """What a run was: enough to refuse to go on with other files or options, and to say what a score comes from.

    Attributes:
        files: the files of answers, in order.
        signatures: of each detector by name, with its options and the package version.
        scales: of each detector: `least`, `most`, `unit`, `meaning`, as in `guardrail.report.Scale`.
        backends: the fingerprint of each model or service that could be asked, by lane.
        answering_model: the model that wrote the answers, as the user named it; "" = not named.
        mapping: which column of the input each field was read from.
        groups: further columns that were kept.
        labels: what labels mean that are not known, as the user wrote it.
        part_rows: answers in one part file.
        rows_format: "parquet" or "jsonl".
        package: version that made the run.
        made: when it began, ISO 8601 in UTC.
        format: version of this file's form.
    """

    files: tuple[InputFile, ...]
    signatures: Mapping[str, str]
    scales: Mapping[str, Mapping[str, Any]]
    backends: Mapping[str, str]
    answering_model: str = ""
    mapping: Mapping[str, str] = field(default_factory=dict)
    groups: tuple[str, ...] = ()
    labels: str = ""
    part_rows: int = 0
    rows_format: str = "parquet"
    package: str = ""
    made: str = ""
    format: int = FORMAT

    @property
    def answers(self) -> int:
        """Answers in all files."""
        return sum(one.rows for one in self.files)

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self)


def read_run(folder: str | Path) -> RunInfo:
    """The run in a folder.

    Raises:
        InputError: there is none, or it was written by another version of this package.
    """
    path = Path(folder) / MANIFEST
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(
            f"expected the folder of a run, got {str(folder)!r}, which has no {MANIFEST}: make one with guardrail evaluate"
        ) from error
    except ValueError as error:
        raise ParseError(f"expected JSON: {error}", source=str(path)) from error
    version = found.get("format") if isinstance(found, dict) else None
    if version != FORMAT:
        raise InputError(
            f"expected format {FORMAT} in {str(path)!r}, got {version!r}: update guardrail-sdk, or evaluate the answers again"
        )
    found["files"] = tuple(InputFile(**one) for one in found["files"])
    found["groups"] = tuple(found["groups"])
    return RunInfo(**found)


def results_file(folder: str | Path) -> Path:
    """The file of rows in the folder of a run.

    Raises:
        InputError: there is none.
    """
    for name in _NAMES.values():
        if (path := Path(folder) / name).is_file():
            return path
    raise InputError(
        f"expected {' or '.join(_NAMES.values())} in {str(folder)!r}, found neither: run guardrail evaluate to its end"
    )


def read_rows(place: str | Path, columns: Sequence[str] = COLUMNS) -> Iterator[ResultRow]:
    """The rows of a run, in the order of the input, a batch of them in memory at a time.

    Args:
        place: the folder of a run, or a file of rows.
        columns: read only these, which is faster; the others have no value that means anything.

    Raises:
        InputError: there are none.
        MissingExtra: a Parquet file, and pyarrow is not installed.
        ParseError: a line is no row; with its number.
    """
    path = Path(place)
    for batch in map(plain, column_batches(results_file(path) if path.is_dir() else path, columns)):
        rest = {name: _EMPTY[name] for name in COLUMNS if name not in batch}
        for values in zip(*batch.values(), strict=True):
            yield ResultRow(**rest, **dict(zip(batch, values, strict=True)))


_EMPTY: dict[str, Any] = {
    **dict.fromkeys(COLUMNS),
    **dict.fromkeys(("file", "source", "detector", "text", "word", "reason"), ""),
    **dict.fromkeys(("row", "finding"), -1),
    **dict.fromkeys(MEASURED, 0.0),
    "groups": {},
    "figures": {},
}
_MAPS = ("groups", "figures")


def column_batches(
    source: Path | Iterable[ResultRow], columns: Sequence[str] = COLUMNS
) -> Iterator[dict[str, Any]]:
    """Batches of some columns, in the order of `COLUMNS`: of Parquet arrays of pyarrow, else lists; see `read_rows`."""
    wanted = [name for name in COLUMNS if name in columns]
    if not isinstance(source, Path):
        left = iter(source)
        while listed := list(islice(left, BATCH)):
            yield {name: [getattr(one, name) for one in listed] for name in wanted}
    elif source.suffix != ".parquet":
        yield from _json_columns(source, wanted)
    else:
        with pyarrow("reads Parquet files").parquet.ParquetFile(source) as file:
            there = [name for name in wanted if name in file.schema_arrow.names]  # an older run has fewer
            for batch in file.iter_batches(batch_size=BATCH, columns=there):
                yield {name: batch.column(name) for name in there}


def plain(columns: Mapping[str, Any]) -> dict[str, list[Any]]:
    """Columns as lists."""
    found = {name: one if isinstance(one, list) else one.to_pylist() for name, one in columns.items()}
    for name in _MAPS:
        if name in found:
            found[name] = [dict(pairs) for pairs in found[name]]
    return found


def rows_at(source: Path | Iterable[ResultRow], places: Sequence[int]) -> Iterator[tuple[int, ResultRow]]:
    """Some rows with their numbers, which are ascending; the texts of the others are not read from Parquet."""
    if not isinstance(source, Path) or source.suffix != ".parquet":
        wanted = frozenset(places)
        every = read_rows(source) if isinstance(source, Path) else source
        yield from ((place, row) for place, row in enumerate(every) if place in wanted)
        return
    first, rest = 0, list(places)
    with pyarrow("reads Parquet files").parquet.ParquetFile(source) as file:
        for group in range(file.num_row_groups):
            size = file.metadata.row_group(group).num_rows
            here = rest[: bisect_left(rest, first + size)]
            rest = rest[len(here) :]
            if here:
                taken = file.read_row_group(group, columns=COLUMNS).take([place - first for place in here])
                columns = plain({name: taken.column(name) for name in taken.column_names})
                for place, values in zip(here, zip(*columns.values(), strict=True), strict=True):
                    yield place, ResultRow(**dict(zip(columns, values, strict=True)))
            first += size


def _json_columns(path: Path, wanted: list[str]) -> Iterator[dict[str, list[Any]]]:
    batch: dict[str, list[Any]] = {name: [] for name in wanted}
    try:
        stream = path.open(encoding="utf-8")
    except OSError as error:
        raise InputError(f"expected a file of results, got {str(path)!r}: {error.strerror}") from error
    with stream:
        for number, line in enumerate(stream, 1):
            try:
                found = json.loads(line)
                for name in wanted:
                    batch[name].append(found.get(name, {}) if name in _MAPS else found[name])
            except (ValueError, KeyError, TypeError) as error:
                raise ParseError(
                    f"expected a row of results: {error!r}", source=str(path), line=number
                ) from error
            if number % BATCH == 0:
                yield batch
                batch = {name: [] for name in wanted}
    if batch[wanted[0]]:
        yield batch


def pyarrow(what: str) -> Any:
    """The library, with its Parquet module.

    Raises:
        MissingExtra: it is not installed.
    """
    try:
        import pyarrow as pa
        import pyarrow.parquet
    except ImportError as error:
        raise MissingExtra(f"pyarrow, which {what},", extra="evaluate") from error
    return pa


def has_pyarrow() -> bool:
    """Whether Parquet can be written."""
    try:
        pyarrow("")
    except MissingExtra:
        return False
    return True


def schema() -> Any:
    """The columns with their types, for Parquet."""
    arrow = pyarrow("writes Parquet files")
    text, number, whole, yes = arrow.string(), arrow.float64(), arrow.int64(), arrow.bool_()
    of = {
        **dict.fromkeys(("row", "finding", "start", "end"), whole),
        **dict.fromkeys(("score", *MEASURED), number),
        **dict.fromkeys(("label", "answer_label"), yes),
        "groups": arrow.map_(text, text),
        "figures": arrow.map_(text, number),
    }
    return arrow.schema([(name, of.get(name, text)) for name in COLUMNS])


class RowWriter:
    """Writes rows into one file, in the form of its suffix.

    Args:
        path: ends in .parquet or .jsonl.

    Raises:
        MissingExtra: a Parquet file, and pyarrow is not installed.
    """

    def __init__(self, path: Path) -> None:
        self._parquet = path.suffix == ".parquet"
        if self._parquet:
            arrow = pyarrow("writes Parquet files")
            self._arrow, self._schema = arrow, schema()
            self._file: Any = arrow.parquet.ParquetWriter(path, self._schema, compression="zstd")
        else:
            self._file = path.open("w", encoding="utf-8", newline="\n")

    def write(self, rows: Iterable[ResultRow]) -> None:
        """Add rows; of Parquet a row group for each call."""
        if not self._parquet:
            self._file.writelines(json.dumps(as_dict(row), ensure_ascii=False) + "\n" for row in rows)
            return
        listed = list(rows)
        columns = {name: [getattr(row, name) for row in listed] for name in COLUMNS}
        for name in _MAPS:
            columns[name] = [list(one.items()) for one in columns[name]]
        self._file.write_table(self._arrow.table(columns, schema=self._schema))

    def copy(self, part: Path) -> None:
        """Add all rows of a file of the same form."""
        if self._parquet:
            self._file.write_table(self._arrow.parquet.read_table(part, schema=self._schema))
        else:
            self._file.write(part.read_text(encoding="utf-8"))

    def close(self) -> None:
        """Finish the file."""
        self._file.close()


def as_dict(row: ResultRow) -> dict[str, Any]:
    """The columns of a row, by name."""
    return {name: getattr(row, name) for name in COLUMNS}
