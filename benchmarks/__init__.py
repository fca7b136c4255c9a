"""The benchmarks: each paper's published numbers beside ours.

A benchmark is a folder, at any depth, whose `run.py` defines `main(argv=None) -> int`; its `__main__.py`, for
`python -m benchmarks.<name>`, and `guardrail bench <name>` call that function. The name of a nested one is dotted
("phr.speed").
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import cast

from guardrail.errors import UnknownName

__all__ = ["Main", "load", "names"]

Main = Callable[[Sequence[str] | None], int]


def names() -> list[str]:
    """The benchmarks of this checkout, nested ones too, sorted by name."""
    root = Path(__file__).parent
    return sorted(".".join(path.parent.relative_to(root).parts) for path in root.glob("*/**/__main__.py"))


def load(name: str) -> Main:
    """The `main(argv) -> int` of one benchmark.

    Raises:
        UnknownName: there is no such benchmark; the message lists those there are.
    """
    if name not in names():
        raise UnknownName("benchmark", name, names())
    return cast("Main", importlib.import_module(f"benchmarks.{name}.run").main)
