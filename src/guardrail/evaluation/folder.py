"""The folder of a run on the disk: what makes it resumable.

    manifest.json     what the run is (`RunInfo`); written first, never changed
    parts/            a file of rows for each `part_rows` answers, by digest of the input and number of the first answer
    open/             answers of parts that are not whole yet, a line each (runs that ask a model)
    spent*.log        calls and tokens paid for, those in flight included
    results.parquet   all rows, in order; summary.json, report.html

A part appears whole or not at all: written under another name, flushed to the disk, renamed.
"""

from __future__ import annotations

import contextlib
import json
import os
import platform
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from guardrail.calibration.scoring import without_credential
from guardrail.errors import ConfigError, InputError
from guardrail.evaluation.rows import (
    MANIFEST,
    InputFile,
    ResultRow,
    RowWriter,
    RunInfo,
    as_dict,
    read_run,
)

_COMPARED = {
    "files": "the files of answers",
    "signatures": "the detectors, their options or the version of this package",
    "backends": "the models",
    "mapping": "--map",
    "groups": "--group",
    "labels": "--labels",
    "answering_model": "--answering-model",
    "part_rows": "--part-rows",
}


@dataclass(frozen=True, slots=True)
class AnswerPart:
    """Answers that are written together.

    Attributes:
        index: among all parts of the run, from 0.
        file: where they are.
        rows: their numbers in it.
    """

    index: int
    file: InputFile
    rows: range

    @property
    def name(self) -> str:
        """Of its file, without the suffix."""
        return f"{self.file.key}-{self.rows.start:010d}"


class Folder:
    """The folder of one run, locked by this process.

    Args:
        path: made where it does not exist.
        shard: which of `shards` this process does, from 0.
        shards: how many processes share the run.
    """

    def __init__(self, path: str | Path, *, shard: int = 0, shards: int = 1) -> None:
        self.path = Path(path).expanduser()
        self.shard, self.shards = shard, shards
        self._lock: Any = None
        self._journals: dict[str, Any] = {}

    # -- the manifest

    def begun(self) -> RunInfo | None:
        """The run that is in the folder."""
        return read_run(self.path) if (self.path / MANIFEST).exists() else None

    def begin(self, info: RunInfo) -> RunInfo:
        """Write the manifest, or go on with the one that is there.

        Raises:
            ConfigError: the folder has another run, or somebody is at work on this shard.
        """
        known = self.begun()
        if known is None:
            strange = [one.name for one in self.path.iterdir()] if self.path.is_dir() else []
            if set(strange) - {"parts", "open"}:
                raise ConfigError(
                    f"expected a new folder or one of a run, got {str(self.path)!r}, which has {strange[0]!r}: name another --out"
                )
            for name in ("parts", "open"):
                (self.path / name).mkdir(parents=True, exist_ok=True)
            text = json.dumps(info.as_dict(), ensure_ascii=False, indent=1)
            durable(self.path / MANIFEST, lambda part: part.write_text(text + "\n", encoding="utf-8"))
            known = info
        differing = [
            said for name, said in _COMPARED.items() if _compared(known, name) != _compared(info, name)
        ]
        if differing:
            raise ConfigError(
                f"{str(self.path)!r} has a run that differs in {', '.join(differing)}: give the same answers and options to go on "
                "with it, or another --out to begin anew"
            )
        self._hold()
        return known

    def _hold(self) -> None:
        """Keep other processes off this shard."""
        with contextlib.suppress(ImportError):
            import fcntl

            lock = (self.path / f"lock-{self._which}").open("w")
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as error:
                lock.close()
                raise ConfigError(
                    f"another process is at work in {str(self.path)!r}: wait for it, or share the run with --shards"
                ) from error
            self._lock = lock

    @property
    def _which(self) -> str:
        return f"{self.shard}-of-{self.shards}"

    # -- parts

    def parts(self, info: RunInfo) -> list[AnswerPart]:
        """All parts of the run, in order."""
        found: list[AnswerPart] = []
        for file in info.files:
            for first in range(0, file.rows, info.part_rows):
                rows = range(first, min(first + info.part_rows, file.rows))
                found.append(AnswerPart(len(found), file, rows))
        return found

    def missing(self, info: RunInfo) -> list[AnswerPart]:
        """Those of this shard that are not written."""
        return [part for part in self.share(info) if not self.place(part, info).exists()]

    def share(self, info: RunInfo) -> list[AnswerPart]:
        """Those of this shard."""
        return [part for part in self.parts(info) if self._is_own(part)]

    def _is_own(self, part: AnswerPart) -> bool:
        return part.index % self.shards == self.shard

    def is_whole(self, info: RunInfo) -> bool:
        """Whether all parts are written, those of other shards too."""
        return all(self.place(part, info).exists() for part in self.parts(info))

    def left(self, info: RunInfo) -> int:
        """How many answers of this shard are not written down."""
        return sum(len(part.rows) - len(self.noted(part)) for part in self.missing(info))

    def write(self, part: AnswerPart, rows: Sequence[ResultRow], info: RunInfo) -> None:
        """Write a part; nothing of it is there if this is cut short."""

        def put(path: Path) -> None:
            writer = RowWriter(path)
            writer.write(rows)
            writer.close()

        durable(self.place(part, info), put)
        journal = self._journals.pop(part.name, None)
        if journal is not None:
            journal.close()
        self._open(part).unlink(missing_ok=True)

    def take(self, other: Folder, info: RunInfo) -> int:
        """Copy the parts that another folder of the same run has, and this one has not.

        Raises:
            ConfigError: it is another run.
        """
        theirs = other.begun()
        if theirs is None or any(_compared(theirs, n) != _compared(info, n) for n in _COMPARED):
            raise ConfigError(
                f"{str(other.path)!r} has no shard of this run: evaluate it with the same answers and options"
            )
        taken = 0
        for part in self.parts(info):
            source, place = other.place(part, info), self.place(part, info)
            if source.exists() and not place.exists():
                durable(place, lambda path, source=source: path.write_bytes(source.read_bytes()))  # type: ignore[misc]
                taken += 1
        return taken

    def place(self, part: AnswerPart, info: RunInfo) -> Path:
        """The file of a part."""
        return self.path / "parts" / f"{part.name}.{info.rows_format}"

    # -- answers of parts that are not whole

    def note(self, part: AnswerPart, row: int, rows: Sequence[ResultRow]) -> None:
        """Write down one answer of a part, so that it need not be paid for again."""
        file = self._journals.get(part.name)
        if file is None:
            file = self._journals[part.name] = self._open(part).open("ab", buffering=0)
        line = json.dumps([row, [as_dict(one) for one in rows]], ensure_ascii=False)
        file.write(f"{line}\n".encode())

    def noted(self, part: AnswerPart) -> dict[int, list[ResultRow]]:
        """The answers that were written down; a line that a kill cut short is left out."""
        found: dict[int, list[ResultRow]] = {}
        place = self._open(part)
        try:
            whole = place.read_bytes()
        except FileNotFoundError:  # another shard may have finished it just now
            return found
        kept = whole[: whole.rfind(b"\n") + 1]
        if len(kept) != len(whole) and self._is_own(part):  # others may be writing theirs
            os.truncate(place, len(kept))
        for line in kept.splitlines():
            row, rows = json.loads(line)
            found[row] = [ResultRow(**one) for one in rows]
        return found

    def _open(self, part: AnswerPart) -> Path:
        return self.path / "open" / f"{part.name}.jsonl"

    # -- results

    def results(self, info: RunInfo) -> tuple[Path, int]:
        """Put all rows there are into one file, in order; its path, and how many answers it has."""
        target, answers = self.path / f"results.{info.rows_format}", 0

        def put(path: Path) -> None:
            nonlocal answers
            writer = RowWriter(path)
            for part in self.parts(info):
                place = self.place(part, info)
                if place.exists():
                    writer.copy(place)
                    answers += len(part.rows)
                elif noted := self.noted(part):
                    writer.write([one for row in sorted(noted) for one in noted[row]])
                    answers += len(noted)
            writer.close()

        durable(target, put)
        return target, answers

    # -- what it cost

    @property
    def ledger(self) -> Path:
        """The file in which this shard's spending is written down."""
        return self.path / f"spent-{self._which}.log"

    def close(self) -> None:
        """Let go of the folder."""
        for file in self._journals.values():
            file.close()
        self._journals.clear()
        if self._lock is not None:
            self._lock.close()


class RunCosts:
    """Calls and tokens of a run, over all its processes one after the other; what is in flight counts as spent.

    Args:
        path: a line for each reservation ("r CALLS") and for each answer ("s RESERVED CALLS TOKENS").
        calls: the bound; `None` = none.
        tokens: the same.
    """

    def __init__(self, path: Path, *, calls: float | None = None, tokens: float | None = None) -> None:
        self.calls, self.tokens = 0.0, 0.0
        self.most_calls, self.most_tokens = calls, tokens
        if path.exists():
            whole = path.read_bytes()
            kept = whole[: whole.rfind(b"\n") + 1]
            os.truncate(path, len(kept))
            for line in kept.decode("ascii").splitlines():
                kind, *numbers = line.split()
                self._count(kind, [float(one) for one in numbers])
        self._file = path.open("ab", buffering=0)

    @property
    def bounded(self) -> bool:
        """Whether there is a bound, so that calls have to be reserved."""
        return self.most_calls is not None or self.most_tokens is not None

    def reserve(self, calls: int) -> bool:
        """Set calls aside; False if that is more than is left."""
        if self.most_tokens is not None and calls and self.tokens >= self.most_tokens:
            return False
        if not calls:
            return True
        if self.most_calls is not None and self.calls + calls > self.most_calls:
            return False
        self._book("r", calls)
        return True

    def settle(self, reserved: int, calls: float, tokens: float) -> None:
        """What an answer really cost, in place of what was reserved for it."""
        if reserved or calls or tokens:
            self._book("s", reserved if self.bounded else 0, calls, tokens)

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def _book(self, kind: str, *numbers: float) -> None:
        self._count(kind, numbers)
        self._file.write(f"{' '.join([kind, *map(repr, map(float, numbers))])}\n".encode())

    def _count(self, kind: str, numbers: Sequence[float]) -> None:
        if kind == "r":
            self.calls += numbers[0]
        else:
            self.calls += numbers[1] - numbers[0]
            self.tokens += numbers[2]


def durable(target: Path, put: Callable[[Path], object]) -> None:
    """Write a file that is there whole or not at all, and stays after a power cut."""
    # other machines may have the same process numbers
    part = target.with_name(f".{platform.node()}-{os.getpid()}-{target.name}")
    try:
        put(part)
        with part.open("rb") as file:
            os.fsync(file.fileno())
        part.replace(target)
    except OSError as error:
        raise InputError(f"cannot write {str(target)!r}: {error.strerror}") from error
    finally:
        part.unlink(missing_ok=True)
    with contextlib.suppress(OSError):  # not every system opens folders
        folder = os.open(target.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def _compared(info: RunInfo, name: str) -> Any:
    value = getattr(info, name)
    if name == "backends":
        value = {lane: without_credential(fingerprint) for lane, fingerprint in value.items()}
    return json.loads(json.dumps(value, default=repr, sort_keys=True))
