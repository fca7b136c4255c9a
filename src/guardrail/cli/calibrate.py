"""`guardrail calibrate`: thresholds that keep a promise, and scores as probabilities."""

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
    ] = "",
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Where the certificate goes; with --target.")
    ] = None,
    probabilities: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Also learn what scores mean on these answers, into this file."),
    ] = None,
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

    --probabilities turns the scores of each detector into P(made up), from 20 labels up: 50 give a slope and an intercept.

    Examples:
      guardrail evaluate answers.jsonl --detector selfcheck-ngram --out run
      guardrail calibrate run --target fdr=0.1,confidence=0.95 --out certificate.json
      guardrail calibrate run --target fdr=0.2,share=0.1 --out certificate.json
      guardrail calibrate run --target fdr=0.1,missed=0.3 --by domain --out certificate.json
      guardrail calibrate run --probabilities probabilities.json

    Exit codes:
      0    what was asked for was written
      1    it was written, and some promise could not be kept by any threshold
      2    wrong options or input; nothing was written
    """
    from guardrail.errors import ConfigError

    if bool(target) != (out is not None) or (out is None and probabilities is None):
        given = "--target" if target else "--out" if out else "neither"
        raise ConfigError(
            f"expected --target with --out, or --probabilities, got {given}: write --target fdr=0.1 --out certificate.json"
        )
    kept = True
    if probabilities is not None:
        _learn(run, probabilities)
    if out is not None:
        kept = _certify(run, target, out, by=by, unknown=unknown, refuse=refuse or [])
    raise typer.Exit(0 if kept else 1)


def _learn(run: Path, out: Path) -> None:
    """Write the probabilities."""
    from guardrail.calibration.probabilities import learn_probabilities
    from guardrail.evaluation.labelled import read_by_detector

    found = read_by_detector(run)
    one = next(iter(found.values()))
    made = learn_probabilities(
        {name: (its.rows, its.unit) for name, its in found.items()}, one.scoring, scales=one.scales
    )
    made.save(out)
    typer.echo(made.text())


def _certify(
    run: Path,
    target: str,
    out: Path,
    *,
    by: str,
    unknown: Literal["unverified", "strictest"],
    refuse: list[Path],
) -> bool:
    """Write the certificate; whether every promise has a threshold."""
    from guardrail.calibration import Target, certify
    from guardrail.cli._errors import say
    from guardrail.evaluation.labelled import read_labelled

    names = tuple(filter(None, (name.strip() for name in by.split(","))))
    wanted = Target.parse(target)
    found = read_labelled(run, by=names)
    made = certify(
        found.rows,
        wanted,
        found.scoring,
        scales=found.scales,
        unit=found.unit,
        by=names,
        unknown=unknown,
        refused=[read_labelled(other).rows for other in refuse],
    )
    made.save(out)
    typer.echo(made.text())
    if not found.named:
        say(
            "the answers name no source, so each counts as a source of its own. If several are about one document or question, this "
            "overstates the evidence: evaluate again with --map source=COLUMN"
        )
    kept = all(outcome.threshold is not None for group in made.groups for outcome in group.outcomes)
    kept = kept and bool(made.groups)
    if not kept:
        say(
            "not every promise could be shown. What helps: labels from more sources (not more rows of the same), a weaker bound, fewer "
            "promises at once, or a detector that ranks better; some sources only place the thresholds and are not tested"
        )
    return kept
