"""Whose object something is, and how a message names it without showing its content."""

from __future__ import annotations

import inspect
import io
import math
import re
import sys
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from numbers import Number
from pathlib import PurePath
from typing import Any

_LONGEST = 60  # characters of a text in a message
_SECRET = re.compile(r"^(?:sk|pk|rk|gsk|ghp|xai|hf|Bearer)[-_ ]|^AIza|^eyJ|://[^/]*@", re.IGNORECASE)


def is_of(given: object, *classes: str) -> bool:
    """Whether something is an instance of one of some classes, each "module:Class".

    A module that nobody has imported is not imported: then nothing is an instance of its classes.
    """
    for name in classes:
        module, _, attribute = name.partition(":")
        kind = getattr(sys.modules.get(module), attribute, None)
        if isinstance(kind, type) and isinstance(given, kind):
            return True
    return False


def is_file(given: object) -> bool:
    """Whether something is an open file, whose lines are no list of texts."""
    return isinstance(given, io.IOBase) or callable(getattr(given, "readline", None))


def is_table(given: object) -> bool:
    """Whether something is a table, as of pandas, whose parts are the names of its columns."""
    return hasattr(given, "columns") and not isinstance(given, type)


def is_missing(given: object) -> bool:
    """Whether something is an empty cell of a table: `None`, not a number, or the like of pandas."""
    return (
        given is None or (isinstance(given, float) and math.isnan(given)) or type(given).__name__ == "NAType"
    )


def fields_of(given: object) -> dict[str, Any] | None:
    """The fields of a pydantic model or a dataclass by name; `None` of anything else."""
    if is_of(given, "pydantic:BaseModel"):
        return dict(given)  # type: ignore[call-overload, no-any-return]  # pairs of names and values
    if is_dataclass(given) and not isinstance(given, type):
        return {field.name: getattr(given, field.name) for field in fields(given)}
    return None


def _looks_secret(text: str) -> bool:
    """Whether a text may be a key of a service, which no message repeats."""
    return bool(_SECRET.search(text)) or bool(re.fullmatch(r"[A-Za-z0-9_+/=-]{32,}", text))


def shown(given: object) -> str:
    """Something in a few words, as a message names it: short texts and numbers themselves, of all else the kind.

    Example:
        >>> shown("gpt-5-mini"), shown({"api_key": "sk-1"}), shown([1, 2])
        ("'gpt-5-mini'", "a dict with 'api_key'", 'a list of 2')
    """
    if isinstance(given, str):
        if _looks_secret(given):
            return "a text that looks like a key"
        return repr(str(given) if len(given) <= _LONGEST else given[: _LONGEST - 1] + "…")
    if given is None or isinstance(given, Number):
        return repr(given)
    if isinstance(given, bytes | bytearray):
        return f"{len(given)} bytes"
    if isinstance(given, type):
        return f"the class {given.__name__}"
    if isinstance(given, Mapping):
        names = ", ".join(shown(name) for name in list(given)[:4])
        return f"a {type(given).__name__} with {names}" if names else f"an empty {type(given).__name__}"
    if isinstance(given, list | tuple | set | frozenset):
        return f"a {type(given).__name__} of {len(given)}"
    if inspect.isroutine(given):
        return f"the function {getattr(given, '__name__', '')}".rstrip()
    if inspect.isawaitable(given):
        return "a call that was not awaited"
    if isinstance(given, PurePath):
        return f"the path {str(given)!r}"
    if is_file(given):
        return "an open file"
    return f"an object of the class {type(given).__name__}"


def written(given: Any, fallback: str) -> str:
    """A short text as it would be written in code, or the fallback."""
    return (
        repr(given)
        if isinstance(given, str) and len(given) <= _LONGEST and not _looks_secret(given)
        else fallback
    )
