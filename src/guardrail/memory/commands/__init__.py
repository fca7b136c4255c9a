"""What memory consistency adds to the command line: `guardrail memory internal` and `fit`."""

from __future__ import annotations

import typer

from guardrail.cli.methods import Method, group, hang
from guardrail.memory.commands.fit import fit
from guardrail.memory.commands.internal import InternalCommand, internal


def _memory() -> None:
    """Measure how consistent a model's memory is.

    Examples:
      guardrail memory internal --pairs capitals.jsonl --left country --right capital --model gpt-5-mini
      guardrail memory fit news.jsonl --model gpt-5-mini --out normal.json
      guardrail check answer.txt --context article.txt --detector memory --model gpt-5-mini
    """


def _commands(app: typer.Typer) -> None:
    memory = group(app, _memory, "memory", "Measure how consistent a model's memory is.")
    hang(memory, internal, "internal", "How often it confuses pairs that it knows.", cls=InternalCommand)
    hang(memory, fit, "fit", "Fit what normal answers are.")


METHOD = Method(commands=_commands)
