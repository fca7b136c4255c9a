"""What memory consistency adds to the command line: `guardrail memory fit`."""

from __future__ import annotations

import typer

from guardrail.cli.methods import Method, group, hang
from guardrail.memory.commands.fit import fit


def _memory() -> None:
    """Learn what normal answers of a model are.

    Examples:
      guardrail memory fit news.jsonl --model gpt-5-mini --out normal.json
      guardrail check answer.txt --context article.txt --detector memory --model gpt-5-mini
    """


def _commands(app: typer.Typer) -> None:
    memory = group(app, _memory, "memory", "Learn what normal answers of a model are.")
    hang(memory, fit, "fit", "Fit what normal answers are.")


METHOD = Method(commands=_commands)
