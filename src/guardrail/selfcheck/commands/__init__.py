"""What SelfCheck adds to the command line: `guardrail selfcheck`, a look of `doctor`."""

from __future__ import annotations

from collections.abc import Iterator

import typer

from guardrail.cli.methods import Item, Method, hang
from guardrail.selfcheck.commands.selfcheck import SelfCheckCommand, selfcheck


def _commands(app: typer.Typer) -> None:
    hang(
        app,
        selfcheck,
        "selfcheck",
        "Score sentences against other answers of the model.",
        cls=SelfCheckCommand,
    )


def _doctor() -> Iterator[Item]:
    """The packaged entailment model: no extra can name it, for it is a distribution of its own."""
    from guardrail.backends import ENTAILMENT_INSTALL, ENTAILMENT_MINI, is_here

    section, what = "models (optional)", "sentences against documents and other answers"
    if is_here(ENTAILMENT_MINI):
        yield Item(section, ENTAILMENT_MINI, "ok", what)
    else:
        yield Item(section, ENTAILMENT_MINI, "missing", f"missing; {what}", ENTAILMENT_INSTALL)


METHOD = Method(commands=_commands, doctor=_doctor)
