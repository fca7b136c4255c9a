"""Samples and log-probabilities in files: one sample each, lists in JSON, folders; a saved response."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from guardrail.chat import token_logprobs
from guardrail.cli._read import read_text
from guardrail.errors import InputError
from guardrail.requests import TokenLogprob

_SAMPLE = "a sample"
_KEYS = ("text", "content", "answer", "sample")
_SHAPE = 'a list of texts, of objects with "text", or an object with "samples"'


def read_samples(places: Sequence[str]) -> tuple[str, ...]:
    """Sampled answers, in order.

    Args:
        places: text files with one sample each; .json or .jsonl files with a list; folders of such files, in the
            order of their names (2 before 10); "-" for one sample from the standard input.

    Raises:
        InputError: a file cannot be read, or a sample is empty; the message says which.
    """
    return tuple(sample for place in places for file in _files(place) for sample in _in_file(file))


def _files(place: str) -> list[str]:
    folder = Path(place).expanduser()
    if place == "-" or not folder.is_dir():
        return [place]
    files = [path for path in folder.iterdir() if path.is_file() and not path.name.startswith(".")]
    if not files:
        raise InputError(
            f"expected samples in the folder {place!r}, found no file: put one sample into each file"
        )
    return [str(path) for path in sorted(files, key=lambda path: _natural(path.name))]


def _natural(name: str) -> list[tuple[int, str]]:
    return [(int(part) if part.isdecimal() else -1, part) for part in re.split(r"(\d+)", name)]


def _in_file(place: str) -> Iterator[str]:
    ending = Path(place).suffix.lower()
    if ending not in {".json", ".jsonl"}:
        yield read_text(place, _SAMPLE).strip()
        return
    found = list(_texts(_json(place, _SAMPLE, lines=ending == ".jsonl"), place))
    if not found:
        raise InputError(f"expected samples in {place!r}, found an empty list: give at least one")
    for number, text in enumerate(found, 1):
        if not text.strip():
            raise InputError(f"sample {number} in {place!r} is empty: leave it out, or draw it again")
        yield text


def _texts(content: Any, place: str) -> Iterator[str]:
    listed = content.get("samples") if isinstance(content, dict) else content
    if not isinstance(listed, list):
        raise InputError(f"expected {_SHAPE} in {place!r}, got {_kind(content)}")
    for number, one in enumerate(listed, 1):
        text = next((one[key] for key in _KEYS if key in one), None) if isinstance(one, dict) else one
        if not isinstance(text, str):
            raise InputError(f"expected {_SHAPE} in {place!r}, got {_kind(one)} as number {number}")
        yield text


def read_logprobs(place: str) -> tuple[TokenLogprob, ...]:
    """The tokens of an answer with their log-probabilities, in OpenAI's format.

    Args:
        place: a JSON file: a whole chat completion asked for with `logprobs`, its choice, the choice's
            "logprobs", or the list in it ({"token", "logprob", "top_logprobs"} each).

    Raises:
        InputError: it cannot be read, or has none.
    """
    what = "log-probabilities"
    content = _json(place, what, lines=False)
    for key in ("choices", "logprobs", "content"):
        if isinstance(content, dict) and key in content:
            content = content[key]
            if key == "choices" and isinstance(content, list) and content:
                content = content[0]
    if not isinstance(content, list) or not content:
        raise InputError(
            f"expected {what} of a chat completion in {place!r}, found none: ask for the answer with "
            '"logprobs": true, "top_logprobs": 5, and save the whole response'
        )
    try:
        return token_logprobs(content)
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError, RecursionError) as error:
        raise InputError(
            f'expected {{"token": …, "logprob": …}} for each token in {place!r}, got an entry of another form'
        ) from error


def _json(place: str, what: str, *, lines: bool) -> Any:
    text = read_text(place, what)
    if not lines:
        return _loaded(text, place, 1)
    numbered = enumerate(text.split("\n"), 1)  # JSON's texts may hold other ends of lines
    return [_loaded(line, place, number) for number, line in numbered if line.strip()]


def _loaded(text: str, place: str, line: int) -> Any:
    try:
        return json.loads(text)
    except ValueError as error:
        at = line + getattr(error, "lineno", 1) - 1
        told = getattr(error, "msg", error)
        raise InputError(
            f"expected JSON in {place!r}, line {at} is none: {told}. One sample as plain text goes into a .txt file"
        ) from error
    except RecursionError as error:
        raise InputError(f"expected {_SHAPE} in {place!r}, got lists in lists without end") from error


def _kind(value: Any) -> str:
    names = {dict: "an object", list: "a list", str: "a text", bool: "true or false", type(None): "null"}
    kind = names.get(type(value), "a number")
    keys = ", ".join(repr(key) for key in list(value)[:4]) if isinstance(value, dict) else ""
    return f"{kind} with {keys}" if keys else kind
