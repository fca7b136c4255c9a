"""All commands in one application. Their bodies are imported when they run."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Annotated, NoReturn

import typer

from guardrail._version import __version__
from guardrail.cli._errors import Application, say
from guardrail.cli._help import NARROW, help_of
from guardrail.cli.calibrate import calibrate
from guardrail.cli.check import CheckCommand, check
from guardrail.cli.demo import demo
from guardrail.cli.doctor import doctor
from guardrail.cli.evaluate import evaluate
from guardrail.cli.methods import extended, gather, hang, methods, problems
from guardrail.cli.schema import schema
from guardrail.cli.serve import serve

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
    ("demo", "check", "evaluate", "calibrate", "serve", "doctor", "schema"),
    check=check,
    doctor=doctor,
)
hang(app, demo, "demo", "See a chain being guarded; no key needed.")
hang(
    app,
    extended(check, [one.detectors for one in methods().values() if one.detectors], behind="prompt"),
    "check",
    "Find what is made up in an answer.",
    cls=CheckCommand,
)
hang(app, serve, "serve", "Guard an endpoint for any client.")
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


def run(argv: Sequence[str] | None) -> NoReturn:
    """Run the application and exit."""
    app(args=None if argv is None else list(argv), prog_name="guardrail")
    sys.exit(0)  # not reached: the application exits by itself
