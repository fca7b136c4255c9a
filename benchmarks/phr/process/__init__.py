"""The regression experiment: a neural process whose true hallucination rate is known, and the paper's figures on it."""

from __future__ import annotations

import argparse
import importlib.util
from hashlib import blake2b
from pathlib import Path

from benchmarks._data import cache_root
from benchmarks._table import Row, Run
from benchmarks.phr.train import default_folder
from guardrail.errors import MissingExtra

__all__ = ["add_options", "rows"]


def add_options(parser: argparse.ArgumentParser) -> None:
    """Which trained process is measured."""
    parser.add_argument(
        "--process", type=Path, metavar="DIR", help="a trained neural process (default: what train left)"
    )
    parser.add_argument("--process-device", default="cpu", help="of torch: cpu, cuda, cuda:1")


def rows(run: Run) -> list[Row]:
    """PHR, THR and MI by n and ε; with `--out`, the figures."""
    for library in ("torch", "transformers", "safetensors"):
        if importlib.util.find_spec(library) is None:
            raise MissingExtra(library, extra="local")
    folder = getattr(run.options, "process", None) or _trained()
    if folder is None:
        return [
            Row.missing(
                "process: all rows",
                "no trained neural process here: python -m benchmarks.phr train --size small "
                "(two cores, a quarter of an hour; goes on where it was stopped)",
            )
        ]
    return _measured(run, folder)


def _trained() -> Path | None:
    folders = (default_folder(size) for size in ("paper", "small"))
    return next((folder for folder in folders if (folder / "model.safetensors").is_file()), None)


def _measured(run: Run, folder: Path) -> list[Row]:
    from benchmarks._progress import progress
    from benchmarks.phr.process import table
    from benchmarks.phr.process.model import NeuralProcess
    from benchmarks.phr.process.survey import Plan, count, survey

    process = NeuralProcess(folder, device=getattr(run.options, "process_device", "cpu"))
    plan = Plan.fast() if run.fast else Plan()
    training = process.config.get("training", {})
    run.parameters |= {
        "process": blake2b(process.fingerprint.encode(), digest_size=6).hexdigest(),
        "process.stages": training.get("stages"),
        "process.plan": repr(plan),
    }
    whole = blake2b(repr((process.fingerprint, plan)).encode(), digest_size=8).hexdigest()
    with progress("parts of the process", count(plan)) as told:
        found = survey(process, plan, cache_root().parent / "phr" / whole, told)
    if run.out is not None:
        from benchmarks.phr.process import figures

        figures.draw(found, run.out)
    return table.rows(found)
