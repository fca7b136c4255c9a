"""The estimators on models whose rate is known: all rows."""

from __future__ import annotations

import numpy as np

from benchmarks._table import Row, Run
from benchmarks.phr import accuracy, drift, figures

__all__ = ["rows"]

SEED = 0
PARTS = 12


def rows(run: Run) -> list[Row]:
    """Estimators, intervals and bets; each part has random numbers of its own."""
    run.parameters["seed"] = SEED
    part = 5 if run.fast else 1
    streams = iter(np.random.default_rng(SEED).spawn(PARTS))
    curves = accuracy.Curves()
    found = [
        *accuracy.quantile_rows(),
        *accuracy.form_rows(next(streams), size=200_000 // part),
        *accuracy.line_rows(next(streams), contexts=3_000 // part),
        *accuracy.coin_rows(next(streams), contexts=20_000 // part),
        *accuracy.scaling_rows(next(streams), contexts=64_000, curves=curves),
        *accuracy.horizon_rows(next(streams), contexts=1_000 // part, curves=curves),
        *accuracy.bias_rows(next(streams), contexts=300 // part, curves=curves),
        *accuracy.agreement_rows(next(streams), contexts=100, draws=20_000),
        *accuracy.information_rows(next(streams), contexts=3_000 // part),
        *accuracy.interval_rows(next(streams), replicates=2_000 // part),
        *drift.alarm_rows(next(streams), replicates=2_000 // part),
        *drift.port_rows(contexts=500 // part, seed=SEED),
    ]
    if run.out is not None:
        figures.draw(curves, run.out)
    return found
