"""Recorded replies: what a model once said, said again without it.

A recording is a file of JSON lines, `{"key", "request", "reply"}`. The key names the request without the
model, so a recording made with one service is replayed anywhere; a later line of the same key counts.
Lines written by hand may leave out `request` and give `reply` as a plain text.
"""

from __future__ import annotations

import json
import threading
import warnings
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from pathlib import Path
from typing import Any, ClassVar, TypeAlias

from pydantic import TypeAdapter, ValidationError

from guardrail.engine import codec
from guardrail.engine.backend import Backend
from guardrail.engine.flow import Answer, Cost, Failed, Reason, Reply
from guardrail.errors import InputError, ParseError, RecordingMiss
from guardrail.options import PathOption
from guardrail.requests import Ask, Completion

Said: TypeAlias = str | Completion | Answer[Completion] | Failed
Source: TypeAlias = str | Path | Mapping[str, Said] | Mapping[Ask, Said]


@dataclass(frozen=True, slots=True)
class Recorded:
    """One line of a recording; `request` is `None` where a line written by hand leaves it out."""

    key: str
    request: Ask | None
    reply: Reply[Completion]


class RecordedChat(Backend[Ask]):
    """A chat model that replays a recording, and can make one.

    Args:
        source: the file, or replies in memory by key or by request.
        record_from: the chat model to ask, and to record, where the recording has no reply. Without it an
            unknown request is answered by `Failed(Reason.MISSING)` that names it.
        key: what names a request instead of `codec.key`, for both reading and writing: a title in the
            prompt, say. Requests of one key share one reply, unless it contains `ask.draw`.
        strict: raise `RecordingMiss` for an unknown request.

    Every reply is written, in one piece, before anybody gets it, so a recording survives a kill: a torn last
    line is left out with a warning when it is read. Failures that may pass are not recorded. A replayed reply
    costs nothing; what it once cost stays in the file.

    Raises:
        ParseError: another line of the file is no recorded reply; with its number.
        InputError: there is no such file, and nothing to record from.
    """

    fingerprint: str

    paths: ClassVar[Mapping[str, PathOption]] = {"source": PathOption.FILE}

    def __init__(
        self,
        source: Source,
        *,
        record_from: Backend[Ask] | None = None,
        key: Callable[[Ask], str] | None = None,
        strict: bool = False,
    ) -> None:
        self._key = key or codec.key
        self._inner = record_from
        self._strict = strict
        self._lock = threading.Lock()
        self._path = Path(source) if isinstance(source, str | Path) else None
        self._replies: dict[str, Reply[Completion]] = {}
        if self._path is None:
            self._replies = _in_memory(source, self._key)  # type: ignore[arg-type]  # a mapping, then
        elif self._path.exists():
            for entry in read_recording(self._path):
                name = (
                    self._key(entry.request) if key is not None and entry.request is not None else entry.key
                )
                self._replies[name] = _free(entry.reply)
        elif record_from is None:
            raise InputError(
                f"expected a recording, got {str(source)!r}, which does not exist. "
                "Check the path, or make one with `record_from=`."
            )
        self.instant = record_from is None
        self.batch = 1 if record_from is None else record_from.batch
        self.concurrency = 32 if record_from is None else record_from.concurrency
        self.timeout: float | None = None if record_from is None else record_from.timeout
        self.paid = record_from is None or record_from.paid
        if record_from is None or record_from.aanswer is not None:
            self.aanswer = self._aanswer
        if record_from is None:
            content = repr(sorted((name, str(reply)) for name, reply in self._replies.items()))
            self.fingerprint = (
                f"recorded {blake2b(content.encode('utf-8', 'replace'), digest_size=12).hexdigest()}"
            )
        else:
            self.fingerprint = f"recorded {record_from.fingerprint}"
            if self._path is not None:
                _mend(self._path)

    def __len__(self) -> int:
        return len(self._replies)

    def answer(self, requests: Sequence[Ask]) -> list[Reply[Completion]]:
        """One reply per request."""
        found, missing = self._recall(requests)
        if missing and self._inner is not None:
            asked = [requests[i] for i in missing]
            self._keep(found, missing, asked, self._inner.answer(asked))
        return self._complete(requests, found)

    async def _aanswer(self, requests: Sequence[Ask]) -> list[Reply[Completion]]:
        found, missing = self._recall(requests)
        if missing and self._inner is not None and self._inner.aanswer is not None:
            asked = [requests[i] for i in missing]
            self._keep(found, missing, asked, await self._inner.aanswer(asked))
        return self._complete(requests, found)

    def group(self, request: Ask) -> Hashable:
        """The recorded model's."""
        return None if self._inner is None else self._inner.group(request)

    def weight(self, request: Ask) -> int:
        """The recorded model's."""
        return 1 if self._inner is None else self._inner.weight(request)

    def _recall(self, requests: Sequence[Ask]) -> tuple[list[Reply[Completion] | None], list[int]]:
        found = [self._replies.get(self._key(request)) for request in requests]
        return found, [i for i, reply in enumerate(found) if reply is None]

    def _complete(
        self, requests: Sequence[Ask], found: Sequence[Reply[Completion] | None]
    ) -> list[Reply[Completion]]:
        return [
            self._miss(request) if reply is None else reply
            for request, reply in zip(requests, found, strict=True)
        ]

    def _miss(self, ask: Ask) -> Failed:
        first = ask.messages[0].text if ask.messages else ""
        where = f" in {str(self._path)!r}" if self._path is not None else ""
        detail = (
            f"no recorded reply{where} to {first[:120]!r}, draw {ask.draw} (key {self._key(ask)}). "
            "Record it with `record_from=`."
        )
        if self._strict:
            raise RecordingMiss(detail)
        return Failed(Reason.MISSING, detail)

    def _keep(
        self,
        found: list[Reply[Completion] | None],
        places: Sequence[int],
        asked: Sequence[Ask],
        replies: Sequence[Reply[Completion]],
    ) -> None:
        """Put new replies in their places, and write down those that last."""
        lines = []
        with self._lock:
            for place, ask, reply in zip(places, asked, replies, strict=True):
                found[place] = reply
                if isinstance(reply, Failed) and reply.retryable:
                    continue
                name = self._key(ask)
                self._replies[name] = _free(reply)
                said = codec.encode_reply(ask, reply)
                lines.append(
                    f'{{"key":{json.dumps(name)},"request":{codec.encode_request(ask)},"reply":{said}}}\n'
                )
            if lines and self._path is not None:
                with self._path.open("ab", buffering=0) as file:  # one write: whole lines or a torn end
                    file.write("".join(lines).encode())


def read_recording(path: str | Path) -> Iterator[Recorded]:
    """The lines of a recording, in order. A last line that a kill cut short is left out with a warning.

    Raises:
        ParseError: any other line is no recorded reply.
        InputError: the file cannot be read.
    """
    try:
        lines = Path(path).read_bytes().split(b"\n")
    except OSError as error:
        raise InputError(f"expected a recording, got {str(path)!r}: {error}") from error
    last = len(lines)
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            yield _parse(line)
        except ValueError as error:
            if number == last:  # only the end of the file has no line feed after it
                warnings.warn(
                    f"{path}:{number}: the last line is torn and left out ({len(line)} bytes)", stacklevel=2
                )
                return
            raise ParseError(
                f"expected a recorded reply as JSON, got {line[:80]!r}: {str(error).partition(chr(10))[0]}. "
                "Remove the line or restore the file.",
                source=str(path),
                line=number,
            ) from error


@dataclass(frozen=True, slots=True)
class _Failure:
    reason: Reason
    detail: str = ""
    retryable: bool = False
    retry_after: float | None = None
    cost: Cost = Cost()


@dataclass(frozen=True, slots=True)
class _Line:
    key: str
    reply: str | Answer[Completion] | _Failure
    request: Ask | None = None


_lines: TypeAdapter[_Line] = TypeAdapter(_Line)


def _parse(line: bytes) -> Recorded:
    try:
        found = _lines.validate_json(line)
    except ValidationError:
        found = _lines.validate_python(json.loads(line))  # half surrogate pairs, which the other refuses
    reply: Said = (
        Failed(
            found.reply.reason,
            found.reply.detail,
            retryable=found.reply.retryable,
            retry_after=found.reply.retry_after,
            cost=found.reply.cost,
        )
        if isinstance(found.reply, _Failure)
        else found.reply
    )
    return Recorded(found.key, found.request, _reply(reply))


def _reply(said: Said) -> Reply[Completion]:
    if isinstance(said, str):
        said = Completion(said, "recorded", "stop")
    return said if isinstance(said, Answer | Failed) else Answer(said)


def _free(reply: Reply[Completion]) -> Reply[Completion]:
    return replace(reply, cost=Cost())


def _in_memory(source: Mapping[Any, Said], key: Callable[[Ask], str]) -> dict[str, Reply[Completion]]:
    return {
        name if isinstance(name, str) else key(name): _free(_reply(said)) for name, said in source.items()
    }


def _mend(path: Path) -> None:
    """Before lines are added: take a torn last line off, or end a whole one."""
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        return
    with path.open("r+b") as file:
        content = file.read()
        if not content or content.endswith(b"\n"):
            return
        start = content.rfind(b"\n") + 1
        try:
            _parse(content[start:])
        except ValueError:
            file.truncate(start)
        else:
            file.write(b"\n")
