"""What logic adds to the command line: `guardrail logic`, an option of `check`, a look of `doctor`."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from guardrail.cli.methods import CheckContext, Item, Method, group, hang
from guardrail.logic.commands.logic import ask, build, evaluate, generate, prove

if TYPE_CHECKING:
    from guardrail.detector import Detector


def _logic() -> None:
    """Make and ask a knowledge base: facts, what follows from them, and proofs.

    Asking needs SWI-Prolog and the extra [logic]; `guardrail doctor` says whether they are there.

    Examples:
      guardrail logic build world.kb facts.tsv events.csv
      guardrail logic prove world.kb "Paris" "country" "France"
      guardrail check answer.md --facts world.kb
    """


def _commands(app: typer.Typer) -> None:
    logic = group(app, _logic, "logic", "Make and ask a knowledge base.")
    hang(logic, build, "build", "Make a knowledge base from facts.")
    hang(logic, ask, "ask", "Ask whether a relation holds.")
    hang(logic, prove, "prove", "Prove or refute it, step by step.")
    hang(logic, generate, "generate", "Make questions with known answers.")
    hang(logic, evaluate, "evaluate", "Put questions to a model, and judge its replies.")


def _detectors(
    context: CheckContext,
    *,
    facts: Annotated[
        str | None,
        typer.Option(
            metavar="KB",
            help="Also check every sentence by a knowledge base: a folder made by `guardrail logic build`.",
        ),
    ] = None,
) -> Iterable[Detector]:
    """Sentences are held against facts where a knowledge base is named."""
    if facts is None:
        return []
    from guardrail.logic.check import FactCheck
    from guardrail.logic.commands._logic import opened

    return [FactCheck(context.open_files.enter_context(opened(facts)))]


def _doctor() -> Iterator[Item]:
    """SWI-Prolog, and whether knowledge bases can be opened; starts the engine where it is there."""
    from guardrail.logic.knowledge import prolog

    section = "programs (optional)"
    place = shutil.which("swipl")
    yield Item(
        section,
        "swipl",
        "ok" if place else "missing",
        place or "not found; SWI-Prolog, for knowledge bases",
        "" if place else f"sudo apt-get install {prolog.PACKAGE}",
    )
    missing = prolog.available()
    if missing is None:
        yield Item(section, "knowledge bases", "ok", f"SWI-Prolog {prolog.engine().version}, by pyswip")
        return
    mend = f"sudo apt-get install {prolog.PACKAGE}; pip install 'guardrail-sdk[logic]'"
    yield Item(section, "knowledge bases", "missing", f"cannot be opened: {missing.split('. ')[0]}", mend)


METHOD = Method(commands=_commands, detectors=_detectors, doctor=_doctor)
