"""All commands in one application. Their bodies are imported when they run."""

from __future__ import annotations

import logging
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

from guardrail._version import __version__
from guardrail.cli._command import Command
from guardrail.cli._errors import Application, Usage, say, usage
from guardrail.cli._help import NARROW, help_of
from guardrail.cli.calibrate import calibrate
from guardrail.cli.check import OPTIONS, CheckCommand, check
from guardrail.cli.demo import demo
from guardrail.cli.doctor import doctor
from guardrail.cli.evaluate import evaluate
from guardrail.cli.mcp import mcp
from guardrail.cli.methods import borrowing, extended, gather, hang, methods, problems
from guardrail.cli.schema import schema
from guardrail.cli.serve import serve

if TYPE_CHECKING:
    from guardrail.cli._guard import Choice

_PRINTED = logging.NullHandler()  # for the log's notices: a command prints what its reports say

app = typer.Typer(
    name="guardrail",
    cls=Application,
    add_completion=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings=NARROW,
    invoke_without_command=True,
)


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
      guardrail check answer.md --samples s*.txt           sentences; no model needed
      guardrail doctor                                     what is installed, what is missing

    Each command has its own --help. Set GUARDRAIL_DEBUG=1 to see where an error comes from.
    """
    for name, problem in problems().items():
        say(f"note: the commands of {name!r} are left out ({problem}); update or uninstall that plug-in")
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


app.callback(help=help_of(root))(root)
_methods = gather(
    ("demo", "check", "evaluate", "calibrate", "serve", "mcp", "doctor", "schema"),
    check=check,
    doctor=doctor,
)
hang(app, demo, "demo", "See a chain being guarded; no key needed.")
_making = [one.detectors for one in methods().values() if one.detectors]
hang(
    app,
    extended(check, _making, behind="prompt"),
    "check",
    "Find what is made up in an answer.",
    cls=CheckCommand,
)
hang(app, serve, "serve", "Guard an endpoint for any client.")
hang(
    app,
    extended(borrowing(mcp, check, OPTIONS), _making, behind="detector"),
    "mcp",
    "Tools for a model that checks its own answers.",
)
hang(app, evaluate, "evaluate", "Run detectors over files of answers; with labels, measure them.")
hang(app, calibrate, "calibrate", "Thresholds that keep a promise, from labelled scores.")
app.registered_commands += _methods.registered_commands
app.registered_groups += _methods.registered_groups
hang(
    app,
    extended(doctor, [one.doctor for one in methods().values() if one.doctor], behind="config"),
    "doctor",
    "What is installed, what is missing.",
)
hang(app, schema, "schema", "Print the JSON Schema of a report.")


def choice_of(words: Sequence[str]) -> Choice:
    """What options of `guardrail mcp` ask for, where something else than the command line takes them.

    Args:
        words: as they are split by a shell.

    Raises:
        Usage: one is unknown, or its value is wrong.
    """
    from guardrail.cli._guard import Choice

    taken: list[Choice] = []

    def take(**options: Any) -> None:
        taken.append(Choice.of(options))

    made = typer.Typer(add_completion=False, rich_markup_mode=None)
    made.command(cls=Command)(extended(borrowing(take, check, OPTIONS), _making, behind="detector"))
    try:
        typer.main.get_command(made).main(list(words), prog_name="guardrail mcp", standalone_mode=False)
    except Exception as error:
        if not hasattr(error, "format_message"):  # the command line's own complaints
            raise
        raise Usage(usage(error)) from error
    if not taken:
        raise Usage(f"expected options of guardrail mcp, got {' '.join(words)!r}")  # --help
    return taken[0]


def run(argv: Sequence[str] | None) -> NoReturn:
    """Run the application and exit."""
    logging.getLogger("guardrail").addHandler(_PRINTED)
    app(args=None if argv is None else list(argv), prog_name="guardrail")
    sys.exit(0)  # not reached: the application exits by itself
