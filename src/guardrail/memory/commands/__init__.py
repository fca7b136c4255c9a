"""`guardrail memory`: does a model keep what it knows apart, and do its answers hold in other words?"""

from __future__ import annotations

import typer

from guardrail.cli._help import NARROW, help_of
from guardrail.memory.commands.external import ExternalCommand, external, fit
from guardrail.memory.commands.internal import InternalCommand, internal

__all__ = ["app"]

app = typer.Typer(rich_markup_mode=None, invoke_without_command=True, context_settings=NARROW)


def _memory(context: typer.Context) -> None:
    """Measure how consistent a model's memory is.

    Examples:
      guardrail memory internal --pairs capitals.jsonl --left country --right capital --model gpt-5-mini
      guardrail memory external --document article.txt --model gpt-5-mini
    """
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


app.callback(help=help_of(_memory))(_memory)
app.command(
    "internal",
    cls=InternalCommand,
    help=help_of(internal),
    short_help="How often it confuses pairs that it knows.",
    context_settings=NARROW,
)(internal)
app.command(
    "external",
    cls=ExternalCommand,
    help=help_of(external),
    short_help="Whether answers about a text hold in other words.",
    context_settings=NARROW,
)(external)
app.command("fit", help=help_of(fit), short_help="Fit what normal answers are.", context_settings=NARROW)(fit)
