"""The server's log on the standard error output: a line for each event, without a word of an answer or a key."""

from __future__ import annotations

import logging
import re
import sys
import time
from collections.abc import Sequence
from typing import Any

from guardrail._visible import one_line

_OWN = frozenset(vars(logging.makeLogRecord({})))
_LONGEST = 300  # characters of a field


class _Lines(logging.Formatter):
    """`guardrail: 2026-01-31T12:00:00Z guarded verdict=supported action=pass …`."""

    def format(self, record: logging.LogRecord) -> str:
        """One line; a traceback quotes what was worked on, so that only the class of the exception is named."""
        fields = {name: value for name, value in vars(record).items() if name not in _OWN}
        if record.exc_info and record.exc_info[0] is not None:
            fields["error"] = record.exc_info[0].__name__
        written = [f"{name}={_written(name, value)}" for name, value in fields.items()]
        when = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(record.created))
        return f"guardrail: {when} {one_line(' '.join([record.getMessage(), *written]))}"


def _written(name: str, value: Any) -> str:
    if value is None:
        return "none"
    if isinstance(value, Sequence) and not isinstance(value, str):
        return ",".join(map(str, value)) or "none"
    text = (
        f"{value:.10g}" if isinstance(value, float) else str(value)
    )  # calls that share a request add up to 5.0
    if name == "error":  # the repr of an exception has its words, which may quote the answer
        text = re.sub(r"^(\w+)\(.*", r"\1", text, flags=re.DOTALL)
    text = text[:_LONGEST]
    return f'"{text}"' if " " in text else text


def write_log(*, quiet: bool = False, of: str = "guardrail") -> None:
    """Write the package's log to the standard error output of this process.

    Args:
        quiet: only warnings and errors, no line for an answer that was examined.
        of: whose log; "" is that of all libraries.
    """
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_Lines())
    logger = logging.getLogger(of)
    logger.addHandler(handler)
    logger.setLevel(logging.WARNING if quiet else logging.INFO)
