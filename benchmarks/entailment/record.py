"""Write the figures of a run, as its --json left them, into the documents that show them."""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from benchmarks._rows import as_number
from guardrail.errors import GuardrailError, InputError

__all__ = ["kinds", "main", "metrics", "replaced"]

_ROOT = Path(__file__).resolve().parents[2]
MODEL, OWN = _ROOT / "models" / "entailment-mini" / "README.md", Path(__file__).with_name("README.md")

METRICS = (
    "*accuracy*",
    "*calibration error",
    "packaged weights*",
    "loading the weights*",
    "pairs of *core*second*",
    "answer of *",
    "WikiBio, *rows 119-237: *",
    "context, * half: *",
    "context, * half, default threshold: *",
)
"""Patterns of the rows that the packaged model's README shows."""

LEFT_OUT = (
    "full precision: *",
    "quantised: *",
    "*trapezoid",
    "*Spearman",
    "WikiBio, n-gram alone*",
    "WikiBio, BERTScore alone*",
)
_KIND = re.compile(r"context, (tuning|unseen) half, (\w+): right")


def main(argv: Sequence[str] | None = None) -> int:
    """Write; 0 if it is done, 2 if a file is not as expected."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.entailment record", description=__doc__)
    parser.add_argument("json", type=Path, help="what `python -m benchmarks.entailment --json` wrote")
    options = parser.parse_args(argv)
    try:
        rows = json.loads(options.json.read_text(encoding="utf-8"))["rows"]
        for path, name, lines in ((MODEL, "metrics", metrics(rows)), (OWN, "kinds", kinds(rows))):
            text = path.read_text(encoding="utf-8")
            path.write_text(replaced(text, name, lines), encoding="utf-8")
            sys.stdout.write(f"{path.relative_to(_ROOT)}: {name}\n")
    except (OSError, ValueError, KeyError, TypeError) as error:
        sys.stderr.write(f"record: expected the JSON of a run, and both READMEs, got {error!r}\n")
        return 2
    except GuardrailError as error:
        sys.stderr.write(f"record: {error}\n")
        return 2
    return 0


def replaced(text: str, name: str, lines: Iterable[str]) -> str:
    """A text with other lines between `<!-- name -->` and `<!-- /name -->`.

    Raises:
        InputError: it does not hold the two marks once each.

    Example:
        >>> replaced("a <!-- x -->old<!-- /x --> b", "x", ["new"]).splitlines()
        ['a <!-- x -->', '', 'new', '', '<!-- /x --> b']
    """
    start, end = f"<!-- {name} -->", f"<!-- /{name} -->"
    if text.count(start) != 1 or text.count(end) != 1:
        raise InputError(f"expected {start} and {end} once each in the document that shows the figures")
    before, _, rest = text.partition(start)
    _, _, after = rest.partition(end)
    return "\n".join((f"{before}{start}", "", *lines, "", f"{end}{after}"))


def metrics(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """A table of the rows that the packaged model's README shows."""
    shown = [
        row
        for row in rows
        if row["ours"] is not None
        and any(fnmatchcase(row["quantity"], pattern) for pattern in METRICS)
        and not any(fnmatchcase(row["quantity"], pattern) for pattern in LEFT_OUT)
    ]
    body = [
        f"| {row['quantity']} | {_text(row['ours'])} | {_interval(row['interval'])} | {row['bar'] or ''} |"
        for row in shown
    ]
    return ["| quantity | value | 95 % | bar |", "| --- | ---: | ---: | ---: |", *body]


def kinds(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """A table of the labelled contexts: kinds down, halves across."""
    found: dict[str, dict[str, str]] = {}
    for row in rows:
        if place := _KIND.fullmatch(row["quantity"]):
            found.setdefault(place[2], {})[place[1]] = str(row["ours"])
    body = [
        f"| `{kind}` | {one.get('tuning', '–')} | {one.get('unseen', '–')} |" for kind, one in found.items()
    ]
    return ["| `kind` | tuning half | unseen half |", "| --- | ---: | ---: |", *body]


def _text(value: Any) -> str:
    if not isinstance(value, float):
        return str(value)
    return as_number(value, 4 if abs(value) < 0.1 else 3 if abs(value) < 1 else 2 if abs(value) < 100 else 0)


def _interval(ends: Sequence[float] | None) -> str:
    return "" if ends is None else " … ".join(_text(end) for end in ends)
