"""Train the neural process on random ReLU functions, where it stopped if it was stopped.

The same command goes on from the last checkpoint, also after a kill.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks._data import cache_root
from guardrail.errors import GuardrailError, MissingExtra

if TYPE_CHECKING:
    from benchmarks.phr.process.training import Training

__all__ = ["default_folder", "main"]


def default_folder(size: str) -> Path:
    """Where a training of this size is put, and looked for."""
    return cache_root().parent / "models" / f"neural-process-{size}"


def main(argv: Sequence[str] | None = None) -> int:
    """Train; 0 if it is finished, 3 if `--minutes` were over first, 2 if it could not run."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.phr train", description=__doc__)
    parser.add_argument(
        "--size", choices=("small", "paper"), default="small", help="small: two CPU cores; paper: a GPU"
    )
    parser.add_argument("--device", default="cpu", help="of torch: cpu, cuda, cuda:1")
    parser.add_argument("--out", type=Path, metavar="DIR", help="default: the user's cache")
    parser.add_argument(
        "--minutes", type=float, help="stop then, with a checkpoint; the same command goes on from it"
    )
    options = parser.parse_args(argv)
    folder = options.out or default_folder(options.size)
    try:
        for library in ("torch", "transformers", "safetensors"):
            if importlib.util.find_spec(library) is None:
                raise MissingExtra(library, extra="local")
        from benchmarks.phr.process.training import RECIPES, Training

        training = Training(RECIPES[options.size], folder, device=options.device)
        sys.stderr.write(
            f"{training.recipe.to_json()}\nfrom step {training.step} of {training.recipe.steps}\n"
        )
        over = _train(training, options.minutes)
        _plot(folder)
    except GuardrailError as error:
        sys.stderr.write(f"train: {error}\n")
        return 2
    if over:
        sys.stderr.write(f"stopped at step {training.step}; the same command goes on from there\n")
        return 3
    sys.stdout.write(f"{folder}\n")
    return 0


def _train(training: Training, minutes: float | None) -> bool:
    """Whether the time was over before the training."""
    from benchmarks._progress import progress

    start, recipe = time.monotonic(), training.recipe
    with progress("pairs read", recipe.pairs_to(recipe.steps), done=recipe.pairs_to(training.step)) as told:
        for step in training.run():
            note = f"step {training.step} of {recipe.steps}: x {step['x']:.3f}, y {step['y']:.3f} nats"
            told(recipe.pairs_to(training.step), note)
            if minutes is not None and time.monotonic() - start > 60 * minutes and not training.done:
                training.save()
                return True
    return False


def _plot(folder: Path) -> None:
    """The curve, where matplotlib is there to draw it."""
    if importlib.util.find_spec("matplotlib") is None:
        return
    from benchmarks.phr.process.figures import losses
    from benchmarks.phr.process.training import CURVE

    lines = (folder / CURVE).read_text(encoding="utf-8").splitlines()
    losses([json.loads(line) for line in lines], folder)


if __name__ == "__main__":
    sys.exit(main())
