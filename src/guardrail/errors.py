"""Every error that the package raises on purpose, one tree.

```
GuardrailError
├── InputError            what was given cannot be read: file, encoding, empty text
│   └── ParseError        … at a known place (source, line)
├── ConfigError           an option or a configuration file is wrong
│   ├── UnknownName       no such detector, policy, adapter (did you mean …?)
│   ├── MissingExtra      a third-party library is not installed (with the command that installs it)
│   └── WeightsMissing    a model's weights are not on this machine (with the command that fetches them)
├── BackendError          a model or service failed; `retryable` says whether asking again may help
├── RecordingMiss         a replay was asked for something that was never recorded
├── IndexFault            a bibliography index is corrupt, of another version, or locked
└── Blocked               the policy blocked the answer; it carries the report, and is defined next to it
```

A message says what was expected, what came (as its `repr`) and what to do next.
Failures of a *reply* are not raised at all: they are values (`guardrail.engine.flow.Failed`).
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable

__all__ = [
    "BackendError",
    "ConfigError",
    "GuardrailError",
    "IndexFault",
    "InputError",
    "MissingExtra",
    "ParseError",
    "RecordingMiss",
    "UnknownName",
    "WeightsMissing",
]


class GuardrailError(Exception):
    """The root: `except GuardrailError` catches everything below and nothing else."""


class InputError(GuardrailError):
    """What was given cannot be read or is empty."""


class ParseError(InputError):
    """A file was read but its content is not what it should be.

    Attributes:
        source: the file or stream.
        line: the 1-based line, or `None` where there is none.
    """

    def __init__(self, message: str, *, source: str, line: int | None = None) -> None:
        self.source = source
        self.line = line
        place = source if line is None else f"{source}:{line}"
        super().__init__(f"{place}: {message}")


class ConfigError(GuardrailError):
    """An option or a configuration file is wrong."""


class UnknownName(ConfigError):
    """A name is not registered; the message offers the nearest ones."""

    def __init__(self, kind: str, name: str, available: Iterable[str], *, meant: str = "") -> None:
        self.name = name
        self.available = sorted(available)
        near = [meant] if meant else _nearest(name, self.available)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        super().__init__(f"no {kind} named {name!r}.{hint} Available: {', '.join(self.available) or 'none'}.")


def _nearest(name: str, available: list[str]) -> list[str]:
    """The name that was meant, if one is near: "NLI" means "nli", "ngram" means "selfcheck-ngram"."""
    word = name.lower()
    ends = [one for one in available if one.lower() == word or one.endswith((f"-{word}", f":{word}"))]
    return ends[:1] or difflib.get_close_matches(word, available, n=1, cutoff=0.55)


class MissingExtra(ConfigError, ImportError):
    """A library of an extra is not installed; the message has the command that installs it."""

    def __init__(self, what: str, *, extra: str) -> None:
        self.extra = extra
        self.command = f"pip install 'guardrail-sdk[{extra}]'"
        super().__init__(f"{what} is not installed. Install it with: {self.command}")


class WeightsMissing(ConfigError):
    """A model's weights are not on this machine; the message says how to fetch them."""


class BackendError(GuardrailError):
    """A model or service failed.

    Attributes:
        retryable: whether the same request may succeed later.
        retry_after: seconds that the service asked to wait, if it did.
    """

    def __init__(self, message: str, *, retryable: bool = False, retry_after: float | None = None) -> None:
        self.retryable = retryable
        self.retry_after = retry_after
        super().__init__(message)


class RecordingMiss(GuardrailError):
    """A replay was asked for a request that was never recorded."""


class IndexFault(GuardrailError):
    """A bibliography index is corrupt, of another version, or locked."""
