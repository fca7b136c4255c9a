"""What memory consistency adds to the command line: `guardrail memory external` and `fit`."""

from __future__ import annotations

import typer

from guardrail.cli.methods import Method, group, hang
from guardrail.memory.commands.external import ExternalCommand, external, fit


def _memory() -> None:
    """Measure how consistent a model's memory is.

    Examples:
      guardrail memory external --document article.txt --model gpt-5-mini
    """


def _commands(app: typer.Typer) -> None:
    memory = group(app, _memory, "memory", "Measure how consistent a model's memory is.")
    hang(
        memory,
        external,
        "external",
        "Whether answers about a text stay the same in other words.",
        cls=ExternalCommand,
    )
    hang(memory, fit, "fit", "Fit what normal answers are.")


METHOD = Method(commands=_commands)
