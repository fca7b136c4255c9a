"""The server behind `guardrail serve`: any client is guarded by changing its base URL. See docs/server.md.

It needs the extra [server]; `Settings`, `run` and `write_log` are what the command line uses, `Application` is an ASGI application.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from guardrail._lazy import lazy

if TYPE_CHECKING:
    from guardrail.server.application import Application as Application
    from guardrail.server.log_lines import write_log as write_log
    from guardrail.server.running import run as run
    from guardrail.server.settings import Settings as Settings

_HOMES = {
    "Application": "guardrail.server.application",
    "Settings": "guardrail.server.settings",
    "run": "guardrail.server.running",
    "write_log": "guardrail.server.log_lines",
}

__all__ = [*_HOMES]  # noqa: PLE0604  # names of _HOMES

__getattr__, __dir__ = lazy(__name__, _HOMES)
