"""Where results are written, checked before anything is asked of a model."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from guardrail._visible import visible
from guardrail.cli._errors import Usage
from guardrail.cli._terminal import json_text

if TYPE_CHECKING:
    from guardrail.cli._sarif import Checked
    from guardrail.report import Report


@dataclass(frozen=True, slots=True)
class Outputs:
    """The files to write.

    Attributes:
        json: the report; "-" is the standard output.
        html: the page.
        out: the answer to show; "-" is the standard output.
        sarif: the findings of all files, with their places; "-" is the standard output.
        read: what is read, and so must not be written.

    Raises:
        Usage: a place that cannot be written, or two results for one place.
    """

    json: str | None = None
    html: str | None = None
    out: str | None = None
    sarif: str | None = None
    read: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.html == "-":
            raise Usage("--html: expected the path of a file, got '-': a page is for a browser")
        places: dict[str, str] = {}
        for option, path in (
            ("--json", self.json),
            ("--html", self.html),
            ("--out", self.out),
            ("--sarif", self.sarif),
        ):
            if path is None:
                continue
            place = path if path == "-" else str(Path(path).expanduser().absolute())
            if place in places:
                where = "the standard output" if path == "-" else path
                raise Usage(f"{places[place]} and {option} both go to {where}: give one another place")
            places[place] = option
            if path != "-":
                must_be_writable(option, path, self.read)

    @property
    def takes_stdout(self) -> bool:
        """Whether the standard output belongs to a result."""
        return "-" in {self.json, self.out, self.sarif}

    def write(self, report: Report) -> None:
        """Write all of them."""
        if self.json is not None:
            write_text(self.json, json_text(report.model_dump_json(indent=2)))
        if self.out is not None:
            end = "" if report.answer.endswith("\n") else "\n"
            write_text(self.out, report.answer + end)
        if self.html is not None:
            write_page(self.html, report)


def write_sarif(place: str, files: Sequence[Checked], unread: Iterable[str]) -> None:
    """Write the findings of several files, and why others could not be read."""
    from guardrail.cli._sarif import sarif

    write_text(place, json_text(sarif(files, unread)))


def write_text(place: str, text: str) -> None:
    """Write a file, whole or not at all; "-" prints, and on a terminal what could steer it is written out."""
    if place == "-":
        sys.stdout.write(visible(text) if sys.stdout.isatty() else text)
        sys.stdout.flush()
        return
    target = Path(place).expanduser()
    try:
        if target.exists() and not target.is_file():  # a device, a named pipe
            target.write_text(text, encoding="utf-8")
            return
        part = target.with_name(f".{target.name}.{os.getpid()}.part")
        try:
            part.write_text(text, encoding="utf-8")
            part.replace(target)
        finally:
            with contextlib.suppress(OSError):
                part.unlink(missing_ok=True)
    except OSError as error:
        raise Usage(f"cannot write {place!r}: {error.strerror}") from error


def write_page(place: str, report: Report) -> None:
    """Write the report as one HTML page."""
    from guardrail.html import render

    write_text(place, render(report))


def must_be_writable(option: str, path: str, read: tuple[str, ...]) -> None:
    """Refuse a path that cannot be written, or that is read, before any work.

    Raises:
        Usage: see the message.
    """
    target = Path(path).expanduser()
    if target.is_dir():
        raise Usage(f"{option}: expected the path of a file, got the folder {path!r}")
    if not target.parent.is_dir():
        raise Usage(f"{option}: there is no folder {str(target.parent)!r}: make it, or name another")
    if not os.access(target if target.exists() else target.parent, os.W_OK):
        raise Usage(f"{option}: {path!r} cannot be written: no permission")
    for other in read:
        source = Path(other).expanduser()
        with contextlib.suppress(OSError, ValueError):
            if other not in {"", "-"} and source.exists() and target.exists() and source.samefile(target):
                raise Usage(
                    f"{option}: {path!r} is read as well, and would be overwritten: name another file"
                )
