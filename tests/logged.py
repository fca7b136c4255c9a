"""What the package writes to its log. `structlog.testing.capture_logs` sees nothing of it: the logger has its own processors."""

import contextlib
import logging


class _Kept(logging.Handler):
    def __init__(self):
        super().__init__()
        self.lines = []

    def emit(self, record):
        self.lines.append(vars(record) | {"message": record.getMessage()})


@contextlib.contextmanager
def logged():
    """All records, with every field, while the block runs; of every level."""
    logger, kept = logging.getLogger("guardrail"), _Kept()
    level = logger.level
    logger.addHandler(kept)
    logger.setLevel(logging.DEBUG)
    try:
        yield kept.lines
    finally:
        logger.removeHandler(kept)
        logger.setLevel(level)
