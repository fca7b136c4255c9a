"""The benchmarks: each paper's published numbers beside ours.

A benchmark is a folder, at any depth, whose `run.py` defines `main(argv=None) -> int`, which its `__main__.py` calls:
`python -m benchmarks.<name>`. The name of a nested one is dotted ("phr.speed").
"""

from __future__ import annotations

from pathlib import Path

__all__ = ["names"]


def names() -> list[str]:
    """The benchmarks of this checkout, nested ones too, sorted by name."""
    root = Path(__file__).parent
    return sorted(".".join(path.parent.relative_to(root).parts) for path in root.glob("*/**/__main__.py"))
