"""The most memory that a process has had at once."""

from __future__ import annotations

import resource
import sys
from pathlib import Path

__all__ = ["peak_memory"]

_STATUS = Path("/proc/self/status")


def peak_memory() -> int:
    """Of this process, in bytes.

    Linux's own figure of the program (VmHWM); elsewhere that of the process (`ru_maxrss`), which begins with what its parent had when it was started.
    """
    if _STATUS.exists():
        lines = _STATUS.read_text(encoding="ascii", errors="replace").splitlines()
        found = next((line for line in lines if line.startswith("VmHWM:")), "")
        if found:
            return int(found.split()[1]) * 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
