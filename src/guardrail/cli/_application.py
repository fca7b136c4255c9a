"""All commands in one application. Their bodies are imported when they run."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Annotated, Any, NoReturn

import typer

from guardrail._version import __version__
from guardrail.cli._command import Command
from guardrail.cli._errors import Application
from guardrail.cli._help import NARROW, help_of
from guardrail.cli.bench import bench
from guardrail.cli.check import check
from guardrail.cli.demo import demo
from guardrail.cli.doctor import doctor
from guardrail.logic.commands.logic import ask, build, evaluate, generate, prove
from guardrail.memory.commands import app as memory_app
from guardrail.phr.commands.phr import phr
from guardrail.references.commands.index import add, find, stats
from guardrail.selfcheck.commands.selfcheck import SelfCheckCommand, selfcheck

__all__ = ["app", "run"]

app = typer.Typer(
    name="guardrail",
    cls=Application,
    add_completion=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings=NARROW,
    invoke_without_command=True,
)
index_app = typer.Typer(rich_markup_mode=None, invoke_without_command=True, context_settings=NARROW)
facts_app = typer.Typer(rich_markup_mode=None, invoke_without_command=True, context_settings=NARROW)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"guardrail {__version__}")
        raise typer.Exit


def root(
    context: typer.Context,
    *,
    version: Annotated[  # noqa: ARG001  # its callback does the work
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Find what a language model probably made up, and act on it.

    Try first:
      guardrail demo                                       see it work; no key needed
      guardrail check answer.md --bibliography refs.bib    references; no model needed
      guardrail selfcheck --answer a.txt --samples s*.txt  sentences; no model needed
      guardrail doctor                                     what is installed, what is missing

    Each command has its own --help. Set GUARDRAIL_DEBUG=1 to see where an error comes from.
    """
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


def _command(group: typer.Typer, command: Callable[..., None], name: str, short: str, **more: Any) -> None:
    settings = NARROW | more.pop("context_settings", {})
    group.command(name, help=help_of(command), short_help=short, context_settings=settings, **more)(command)


def _index(context: typer.Context) -> None:
    """Make and ask a bibliography: one file that knows which works exist.

    Examples:
      guardrail index add library.sqlite refs.bib zotero.json
      guardrail index find library.sqlite "Attention is all you need"
      guardrail check answer.md --bibliography library.sqlite
    """
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


def _facts(context: typer.Context) -> None:
    """Make and ask a knowledge base: facts, what follows from them, and proofs.

    Asking needs SWI-Prolog and the extra [logic]; `guardrail doctor` says whether they are there.

    Examples:
      guardrail facts build world.kb facts.tsv events.csv
      guardrail facts prove world.kb "Paris" "country" "France"
      guardrail check answer.md --facts world.kb
    """
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


app.callback(help=help_of(root))(root)
_command(app, demo, "demo", "See a chain being guarded; no key needed.")
_command(app, check, "check", "Find made-up references and false facts in an answer.", cls=Command)
_command(
    app, selfcheck, "selfcheck", "Score sentences against other answers of the model.", cls=SelfCheckCommand
)
_command(app, phr, "phr", "Judge the answer to a few-shot prompt by the model's own tasks.", cls=Command)
app.add_typer(index_app, name="index", short_help="Make and ask a bibliography.")
index_app.callback(help=help_of(_index))(_index)
_command(index_app, add, "add", "Add files to an index.")
_command(index_app, find, "find", "Look a work up.")
_command(index_app, stats, "stats", "Say what an index holds.")
app.add_typer(facts_app, name="facts", short_help="Make and ask a knowledge base.")
facts_app.callback(help=help_of(_facts))(_facts)
_command(facts_app, build, "build", "Make a knowledge base from facts.")
_command(facts_app, ask, "ask", "Ask whether a relation holds.")
_command(facts_app, prove, "prove", "Prove or refute it, step by step.")
_command(facts_app, generate, "generate", "Make questions with known answers.")
_command(facts_app, evaluate, "evaluate", "Put questions to a model.")
app.add_typer(memory_app, name="memory", short_help="Measure how consistent a model's memory is.")
_command(app, doctor, "doctor", "What is installed, what is missing.")
_command(
    app,
    bench,
    "bench",
    "Run a benchmark.",
    context_settings={
        "ignore_unknown_options": True,  # they are the benchmark's
        "allow_extra_args": True,
        "allow_interspersed_args": False,
    },
)


def run(argv: Sequence[str] | None) -> NoReturn:
    """Run the application and exit."""
    app(args=None if argv is None else list(argv), prog_name="guardrail")
    sys.exit(0)  # not reached: the application exits by itself
