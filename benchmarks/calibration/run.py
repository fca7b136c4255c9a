"""Thresholds that keep promises: broken promises where the truth is known, power, another share, drift, another model."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from benchmarks._rows import Row
from benchmarks._table import Run, bench, environment
from benchmarks.calibration.drifting import alarms
from benchmarks.calibration.models import another_model
from benchmarks.calibration.real import real
from benchmarks.calibration.synthetic import SEED, power, promises, shares, single
from guardrail.errors import InputError

__all__ = ["PARTS", "RECORDED", "main", "record"]

RECORDED = Path(__file__).parent / "recorded.json"

PARTS: Mapping[str, Callable[[Run, int], Iterator[Row]]] = {
    "single": single,
    "promises": promises,
    "power": power,
    "shares": shares,
    "models": another_model,
    "drift": alarms,
    "real": real,
}


def compute(run: Run) -> list[Row]:
    """The rows of all parts, or of those asked for."""
    run.parameters["seed"] = SEED
    runs = 100 if run.fast else 1000
    run.parameters["runs"] = runs
    wanted = run.options.only or [*PARTS]
    if len(wanted) < len(PARTS):
        run.parameters["only"] = ",".join(wanted)
        run.expected = replace(run.expected, required=())  # of the whole table
    if run.options.record and run.fast:
        raise InputError("expected a whole run to record, got --fast: leave one of the two out")
    found = {name: list(PARTS[name](run, runs)) for name in PARTS if name in wanted}
    if run.options.record:
        for name, rows in found.items():
            record(name, [row.to_dict() for row in rows], environment())
    return [row for rows in found.values() for row in rows]


def record(part: str, rows: Sequence[Mapping[str, Any]], where: Mapping[str, Any]) -> None:
    """Keep the rows of a part in `recorded.json`, one a line; other parts stay."""
    known = json.loads(RECORDED.read_text(encoding="utf-8")) if RECORDED.is_file() else {}
    known[part] = {"environment": where, "rows": rows}
    parts = []
    for name in filter(known.get, PARTS):
        lines = ",\n".join(f"   {json.dumps(row, ensure_ascii=False)}" for row in known[name]["rows"])
        about = json.dumps(known[name]["environment"], ensure_ascii=False)
        parts.append(f' "{name}": {{\n  "environment": {about},\n  "rows": [\n{lines}\n  ]\n }}')
    RECORDED.write_text("{\n" + ",\n".join(parts) + "\n}\n", encoding="utf-8")


def _add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--only", action="append", choices=[*PARTS], help="one part of the table; may be given again"
    )
    parser.add_argument("--record", action="store_true", help="keep the rows in recorded.json")


def main(argv: Sequence[str] | None = None) -> int:
    """The command."""
    return bench(
        "calibration",
        compute,
        argv,
        folder=Path(__file__).parent,
        doc=__doc__ or "",
        add_options=_add_options,
    )
