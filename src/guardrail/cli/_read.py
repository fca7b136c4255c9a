"""Reading what the user names: text in UTF-8, or one line that says what it is instead and what to do."""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path

from guardrail.errors import InputError

LARGEST = 64 << 20  # bytes; an answer is smaller

_BLANK = "got nothing: it is empty"

_MAGIC = {
    b"%PDF-": ("a PDF document", "pdftotext {file} answer.txt"),
    b"PK\x03\x04": ("a zip archive or office document", "pandoc {file} -t plain -o answer.txt"),
    b"SQLite format 3\x00": ("a SQLite file", ""),
    b"\x1f\x8b": ("a gzip archive", "gunzip -c {file} > answer.txt"),
}
_MARKS = {b"\xff\xfe": "UTF-16LE", b"\xfe\xff": "UTF-16BE"}


def read_text(place: str, what: str = "the answer") -> str:
    """The text of a file, or of the standard input for "-".

    Args:
        place: the file's path, or "-".
        what: what it is, for messages.

    Raises:
        InputError: it cannot be read, is not UTF-8 text, or is empty.
    """
    name = "the standard input" if place == "-" else repr(place)
    data = _bytes(place, name, what)
    _text_at_all(data, place, name, what)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(_not_utf8(data, error, place, name, what)) from error
    if not text.strip():
        raise InputError(f"expected {what} in {name}, {_BLANK}")
    return text


def read_several(places: Sequence[str]) -> tuple[dict[str, str], dict[str, str]]:
    """The texts of several files, and why others cannot be read; files without a text are left out.

    Raises:
        InputError: there is one file alone, and it cannot be read or has no text.
    """
    if len(places) == 1:
        return {places[0]: read_text(places[0])}, {}
    texts, unread = dict[str, str](), dict[str, str]()
    for place in places:
        try:
            texts[place] = read_text(place)
        except InputError as error:
            if not str(error).endswith(_BLANK):
                unread[place] = str(error)
    return texts, unread


def text_or_file(value: str, what: str) -> str:
    """The value itself, or the content of FILE for "@FILE" ("@@…" begins a text with @)."""
    if value.startswith("@@"):
        return value[1:]
    return read_text(value[1:], what) if value.startswith("@") else value


_NAMES_A_FILE = re.compile(r"\S+|.*\.(?:txt|md|markdown|text|json|jsonl|html?|tex|rst)", re.IGNORECASE)


def _bytes(place: str, name: str, what: str) -> bytes:
    try:
        if place == "-":
            data = sys.stdin.buffer.read(LARGEST + 1)
        else:
            with Path(place).expanduser().open("rb") as stream:
                data = stream.read(LARGEST + 1)
    except FileNotFoundError as error:
        instead = "check the path"
        if what == "the answer" and _NAMES_A_FILE.fullmatch(place) is None:
            instead = "to check a text, pipe it in: echo 'TEXT' | guardrail check -"
        raise InputError(f"expected {what} in {name}, found no such file: {instead}") from error
    except IsADirectoryError as error:
        raise InputError(f"expected {what} in {name}, found a folder: name a file in it") from error
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(f"cannot read {what} from {name}: {reason}") from error
    if len(data) > LARGEST:
        raise InputError(f"expected at most {LARGEST >> 20} MiB in {name}, got more: split it")
    return data


def _text_at_all(data: bytes, place: str, name: str, what: str) -> None:
    for magic, (kind, command) in _MAGIC.items():
        if data.startswith(magic):
            hint = command.replace("{file}", shlex.quote(place))
            advice = f". Make text of it: {hint}" if hint and place != "-" else ""
            raise InputError(f"expected {what} as text, but {name} is {kind}{advice}")
    for mark, encoding in _MARKS.items():
        if data.startswith(mark):
            raise InputError(
                f"expected {what} in UTF-8, but {name} is {encoding}. Convert it: {_iconv(place, 'UTF-16')}"
            )
    at = data.find(b"\x00")
    if at >= 0:
        raise InputError(
            f"expected {what} as text, but {name} is binary (a zero byte at offset {at}): name a text file"
        )


def _not_utf8(data: bytes, error: UnicodeDecodeError, place: str, name: str, what: str) -> str:
    at = error.start + (3 if data.startswith(b"\xef\xbb\xbf") else 0)  # the decoder counts without the mark
    line = data.count(b"\n", 0, at) + 1
    return (
        f"expected {what} in UTF-8, but {name} has byte 0x{data[at]:02x} at offset {at} (line {line}). "
        f"Convert it, if it is Latin-1: {_iconv(place, 'ISO-8859-1')}"
    )


def _iconv(place: str, encoding: str) -> str:
    source = "" if place == "-" else f" {shlex.quote(place)} > answer.utf8.txt"
    return f"iconv -f {encoding} -t UTF-8{source}"
