"""`guardrail calibrate`: thresholds that keep a promise."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer


def calibrate(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="Folder that guardrail evaluate --out wrote.")],
    *,
    target: Annotated[
        str,
        typer.Option(
            help="What to promise: sound, answers, missed, fdr (each =bound), share and confidence."
        ),
    ],
    out: Annotated[Path, typer.Option(metavar="FILE", help="Where the certificate goes.")],
    by: Annotated[
        str, typer.Option(metavar="NAMES", help="Thresholds for each group: columns that the run kept.")
    ] = "",
    unknown: Annotated[
        Literal["unverified", "strictest"], typer.Option(help="What becomes of answers of no known group.")
    ] = "unverified",
    refuse: Annotated[
        list[Path] | None,
        typer.Option(metavar="RUN", help="A run that something was fitted on; may be given again."),
    ] = None,
) -> None:
    """Find thresholds that keep a promise, from the labelled scores of a run.

    The promises, each a mean over sources in which every source counts once:
      sound=B      of a source's sound findings, flagged
      answers=B    of a source's wholly sound answers, those in which something is flagged
      missed=B     of a source's made-up findings, those that pass as supported
      fdr=B        sound findings among the flagged ones

    share=S extends fdr to answers among which fewer are made up than in the run, down to this share of findings.

    All promises are kept together with the given confidence (0.95) for new sources drawn like those of the run.

    Examples:
      guardrail evaluate answers.jsonl --detector selfcheck-ngram --out run
      guardrail calibrate run --target fdr=0.1,confidence=0.95 --out certificate.json
      guardrail calibrate run --target fdr=0.2,share=0.1 --out certificate.json
      guardrail calibrate run --target fdr=0.1,missed=0.3 --by domain --out certificate.json

    Exit codes:
      0    the certificate was written
      1    it was written, and some promise could not be kept by any threshold
      2    wrong options or input; nothing was written
    """
    from guardrail.calibration import Target, certify
    from guardrail.evaluation.labelled import read_labelled

    wanted = Target.parse(target)
    names = tuple(filter(None, (name.strip() for name in by.split(","))))
    found = read_labelled(run, by=names)
    made = certify(
        found.rows,
        wanted,
        found.scoring,
        scales=found.scales,
        unit=found.unit,
        by=names,
        unknown=unknown,
        refused=[read_labelled(other).rows for other in refuse or ()],
    )
    made.save(out)
    typer.echo(made.text())
    kept = all(outcome.threshold is not None for group in made.groups for outcome in group.outcomes)
    raise typer.Exit(0 if kept and made.groups else 1)
