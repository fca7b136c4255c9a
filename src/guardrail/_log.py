"""The package's logger: structlog events through the standard `logging`, silent unless an application listens."""

from __future__ import annotations

import logging

import structlog

logging.getLogger("guardrail").addHandler(logging.NullHandler())

log: structlog.stdlib.BoundLogger = structlog.wrap_logger(
    logging.getLogger("guardrail"),
    wrapper_class=structlog.stdlib.BoundLogger,
    processors=[structlog.stdlib.filter_by_level, structlog.stdlib.render_to_log_kwargs],
    cache_logger_on_first_use=True,
)
