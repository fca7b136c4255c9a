"""Files of delimited text (CSV and its kin): encoding and delimiter are found, and a row that does not fit is refused."""

from __future__ import annotations

import codecs
import csv
import io
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from guardrail.errors import InputError, MissingExtra, ParseError
from guardrail.text.language import language

_DELIMITERS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars"}
_MARKS = {  # of the order of bytes; UTF-32's begins like UTF-16's
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
_REGIONAL = {
    "cp1250": {"pl", "cs", "sk", "hu", "ro", "sl", "hr", "bs", "sq"},
    "cp1254": {"tr", "az"},
    "cp1257": {"lt", "lv", "et"},
}
"""Encodings of Windows for languages with Latin letters that its usual one, 1252, does not have."""
_LATIN = "\u024f"  # the last letter of Latin script with marks
_HEAD = 1 << 20  # bytes in which the encoding is looked for
_SAMPLE = 1 << 16  # characters in which the delimiter is
_ROWS = 100
_LINES = 200  # with letters outside of ASCII, which are shown to the detector of encodings
_SAID = re.compile(r"sep=(.)\r?\n")  # the first line that Excel writes


@dataclass(frozen=True, slots=True)
class Form:
    """How a file is written.

    Attributes:
        encoding: a name that Python knows.
        delimiter: one character.
        announced: whether a first line "sep=;" says the delimiter.
    """

    encoding: str
    delimiter: str
    announced: bool = False

    def __str__(self) -> str:
        """What is said of it; "" of commas in UTF-8."""
        written = "" if self.encoding in {"utf-8", "utf-8-sig"} else f"read as {self.encoding.upper()}"
        parted = (
            ""
            if self.delimiter == ","
            else f"{_DELIMITERS.get(self.delimiter, self.delimiter)} between fields"
        )
        return ", ".join(filter(None, (written, parted)))


def form_of(path: Path) -> Form:
    """The form of a file, by its beginning; errors as of `encoding_of`."""
    encoding = encoding_of(path)
    with path.open(encoding=encoding, errors="replace", newline="") as stream:
        sample = stream.read(_SAMPLE)
    if said := _SAID.match(sample):
        return Form(encoding, said[1], announced=True)
    counted = {delimiter: _fits(sample, delimiter) for delimiter in _DELIMITERS}
    best = max(counted, key=lambda one: counted[one])
    return Form(encoding, best if any(counted[best]) else ",")


def _fits(sample: str, delimiter: str) -> tuple[float, int]:
    """The share of rows that have as many fields as the first, and how many those are; of one field nothing."""
    try:
        found = [
            row
            for row, _ in zip(
                csv.reader(io.StringIO(sample), delimiter=delimiter), range(_ROWS), strict=False
            )
            if row
        ]
    except csv.Error:
        return 0.0, 0
    if not found or len(found[0]) < 2:
        return 0.0, 0
    rest = found[1:-1] or found[1:] or found  # the last one may be cut
    return sum(len(row) == len(found[0]) for row in rest) / len(rest), len(found[0])


def encoding_of(path: Path) -> str:
    """The encoding of a file of text.

    Raises:
        MissingExtra: it is neither UTF-8 nor UTF-16, and what finds others is not installed.
        InputError: no encoding fits.
    """
    with path.open("rb") as stream:
        head = stream.read(_HEAD)
    for mark, name in _MARKS.items():
        if head.startswith(mark):
            return name
    zeros = [head[start:4096:2].count(0) for start in (0, 1)]
    if max(zeros) > len(head[:4096]) // 8:
        return "utf-16-le" if zeros[1] > zeros[0] else "utf-16-be"
    try:
        codecs.getincrementaldecoder("utf-8")().decode(head)
    except UnicodeDecodeError:
        return _guessed(head, path)
    return "utf-8"


def _guessed(head: bytes, path: Path) -> str:
    try:
        from charset_normalizer import from_bytes
    except ImportError as error:
        raise MissingExtra(
            f"{path.name} is not in UTF-8; charset-normalizer, which finds the encoding,", extra="evaluate"
        ) from error
    telling = b"\n".join([line for line in head.splitlines() if not line.isascii()][:_LINES])
    best = from_bytes(telling).best()
    if best is None:
        raise InputError(
            f"expected text, got bytes of no encoding that is known in {path.name!r}: save it as UTF-8"
        )
    letters = [one for one in str(best) if one.isalpha()]
    if 2 * sum(one <= _LATIN for one in letters) < len(letters):
        return best.encoding
    # of Latin letters each encoding makes others, which the library mistakes for each other and a language does not
    read = ((name, language(telling.decode(name, errors="replace"))) for name in _REGIONAL)
    return next((name for name, code in read if code in _REGIONAL[name]), "cp1252")


def rows(path: Path) -> Iterator[Mapping[str, str]]:
    """The rows of a file, by the names in its first line; blank lines are none.

    Raises:
        ParseError: a row has more or fewer fields than there are names, which is text that lacks its quotation marks.
    """
    form = form_of(path)
    csv.field_size_limit(min(sys.maxsize, 2**31 - 1))
    with path.open(encoding=form.encoding, newline="") as stream:
        if form.announced:
            stream.readline()
        reader = csv.reader(stream, delimiter=form.delimiter, strict=True)
        try:
            names = next(reader, [])
            for number, row in enumerate(filter(None, reader), 1):
                if len(row) != len(names):
                    raise ParseError(
                        _misfit(form, names, row, number), source=str(path), line=reader.line_num
                    )
                yield dict(zip(names, row, strict=True))
        except (csv.Error, UnicodeError) as error:
            raise ParseError(
                f"expected CSV in {form.encoding.upper()} with a line of names: {error}",
                source=str(path),
                line=reader.line_num,
            ) from error


def _misfit(form: Form, names: list[str], row: list[str], number: int) -> str:
    between = _DELIMITERS.get(form.delimiter, repr(form.delimiter))
    cause = f"has {between} in it" if len(row) > len(names) else "goes over several lines"
    return (
        f"expected {len(names)} fields, as in the line of names, got {len(row)} in row {number}: a text that {cause} needs "
        'quotation marks ("…") around it. Write the file with a CSV library, or as JSON lines'
    )
