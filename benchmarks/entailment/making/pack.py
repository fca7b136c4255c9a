"""Make the packaged model: fit the temperature of the full-precision one, fold it in, and store weights in 8 bits.

What its teacher said becomes what comes with the recipe.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from benchmarks._data import data_dir
from benchmarks.entailment.calibration import logits, temperature
from benchmarks.entailment.making.form import WORDS, pack
from benchmarks.entailment.making.lessons import COURSES
from benchmarks.entailment.making.teacher import ship
from benchmarks.entailment.record import MODEL, replaced
from benchmarks.entailment.sets import held_back
from benchmarks.entailment.setting import FULL, HOW, REWRITTEN, Absent, found, shares
from guardrail.backends.entailment import EntailmentModel
from guardrail.errors import GuardrailError

__all__ = ["PACKAGE", "main"]

PACKAGE = (
    Path(__file__).resolve().parents[3] / "models" / "entailment-mini" / "src" / "guardrail_entailment_mini"
)
"""The module of the packaged model in a checkout."""


def main(argv: Sequence[str] | None = None) -> int:
    """Pack; 0 if it is done, 2 if it could not run."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.entailment pack", description=__doc__)
    parser.add_argument(
        "--full", type=Path, metavar="DIR", help="the trained model; default: what train left"
    )
    parser.add_argument("--data", type=Path, metavar="DIR", help="folder of the labelled pairs")
    parser.add_argument(
        "--out", type=Path, metavar="DIR", default=PACKAGE, help="default: the package's module"
    )
    parser.add_argument(
        "--words", type=int, choices=(4, 8), default=8, help="bits of a word vector's numbers (8)"
    )
    options = parser.parse_args(argv)
    try:
        folder = options.full or found(FULL)
        if folder is None:
            raise Absent(HOW["full"])
        pairs = held_back(options.data or data_dir("nli"), COURSES["full"].sets, without=REWRITTEN)
        said = shares(EntailmentModel(folder, device="cpu"), pairs)
        degrees = temperature(logits(said), np.array([pair.label for pair in pairs]))
        shipped = pack(folder, options.out, temperature=degrees, coarse=WORDS if options.words == 4 else ())
        if options.out == PACKAGE:
            text = replaced(MODEL.read_text(encoding="utf-8"), "sha256", [f"`{shipped.sha256}`"])
            MODEL.write_text(text, encoding="utf-8")
            ship(folder)
    except GuardrailError as error:
        sys.stderr.write(f"pack: {error}\n")
        return 2
    sys.stdout.write(f"temperature {degrees:.4f} by {len(pairs)} pairs\n{shipped}\n")
    return 0
