"""The package's logger: structlog events through the standard `logging`, silent unless an application listens.

A library may leave this to Python, which shows warnings on stderr where nobody listens: httpx does, and logs nothing above INFO. Events of
this package belong to single answers (a document that could not be read, a reply that could not be kept), so that a chat
service would fill its terminal, and Python would show their names without their fields. urllib3 is silent and speaks by
`warnings`; those are errors in many test suites, and one must not lose an answer. So the log is silent but for `notice`.
"""

from __future__ import annotations

import logging

import structlog

_logger = logging.getLogger("guardrail")
_logger.addFilter(lambda record: _logger.hasHandlers() or hasattr(record, "notice"))

log: structlog.stdlib.BoundLogger = structlog.wrap_logger(
    _logger,
    wrapper_class=structlog.stdlib.BoundLogger,
    processors=[structlog.stdlib.filter_by_level, structlog.stdlib.render_to_log_kwargs],
    cache_logger_on_first_use=True,
)


def notice(words: str) -> None:
    """Show on stderr what a developer must see who has set up no logging; whoever listens has had the event.

    Args:
        words: one line, with nothing of an answer in it.
    """
    if not _logger.hasHandlers():
        _logger.warning(words, extra={"notice": True})
