"""The command line, `guardrail`. What a command needs is imported when that command runs."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import NoReturn


def main(argv: Sequence[str] | None = None) -> NoReturn:
    """Run the command line and exit.

    Args:
        argv: the arguments without the program's name; those of the process by default.
    """
    try:
        from guardrail.cli._application import run

        run(argv)
    except KeyboardInterrupt:  # before or after a command, which sees to its own
        sys.stderr.write("guardrail: interrupted\n")
        sys.exit(130)
