"""Score the pairs and answers of --fast by the packaged model, and keep what it says."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from benchmarks._recording import Recording
from benchmarks._table import Run
from benchmarks.entailment.measuring import accuracy, context, precision
from benchmarks.entailment.setting import FAST, KEEP, MINI, RECORDED, Setting, found
from guardrail import __version__
from guardrail.errors import GuardrailError

__all__ = ["main"]


def main(argv: Sequence[str] | None = None) -> int:
    """Write; 0 if it is done, 2 if the model or the data is not here."""
    argparse.ArgumentParser(prog=KEEP, description=__doc__).parse_args(argv)
    try:
        setting = Setting(Run("entailment", fast=True), {"mini": found(MINI)}, FAST, packaged=True)
        scores = {
            **accuracy.scores(setting),
            **precision.scores(setting),
            **context.scores_by_choice(setting),
        }
        made = {
            "guardrail": __version__,
            "command": KEEP,
            "fp32": setting.model("mini").fingerprint,
            "auto": setting.model("mini", precision="auto").fingerprint,
        }
        Recording(setting.depends(), made, scores).save(RECORDED)
    except GuardrailError as error:
        sys.stderr.write(f"keep: {error}\n")
        return 2
    return 0
