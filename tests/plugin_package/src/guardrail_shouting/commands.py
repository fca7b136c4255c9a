"""What the plug-in adds to the command line: `guardrail shout`, and `--loud` of `guardrail check`."""

from __future__ import annotations

from typing import Annotated

import typer

from guardrail.cli.methods import CheckContext, Method, hang
from guardrail_shouting import Shouting, loudness

__all__ = ["METHOD", "TAKEN"]


def shout(text: Annotated[str, typer.Argument(help="What is measured.")]) -> None:
    """Say how loud a text is."""
    typer.echo(loudness(text))


def _commands(app: typer.Typer) -> None:
    hang(app, shout, "shout", "Say how loud a text is.")


def _detectors(
    context: CheckContext,
    *,
    loud: Annotated[float, typer.Option(help="Share of capitals that is too loud.")] = 0.8,
) -> list[Shouting]:
    return [Shouting(threshold=loud)]


def _in_the_way(
    context: CheckContext, *, where: Annotated[str, typer.Option("--prompt")] = ""
) -> list[Shouting]:
    return []


METHOD = Method(commands=_commands, detectors=_detectors)
TAKEN = Method(detectors=_in_the_way)  # a mistake: `guardrail check` has a --prompt
