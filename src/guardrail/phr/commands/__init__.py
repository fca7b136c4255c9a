"""What PHR adds to the command line: `guardrail phr`."""

from __future__ import annotations

import typer

from guardrail.cli._command import Command
from guardrail.cli.methods import Method, hang
from guardrail.phr.commands.phr import phr


def _commands(app: typer.Typer) -> None:
    hang(app, phr, "phr", "Judge the answer to a few-shot prompt by the model's own tasks.", cls=Command)


METHOD = Method(commands=_commands)
