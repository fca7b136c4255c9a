"""How a method hangs its commands into the command line, which knows none of them by name.

A method registers one `Method` (`guardrail.registry.COMMANDS`; plug-ins by the entry-point group "guardrail.commands").
Options that it adds to `guardrail check` and `guardrail doctor` are the keyword-only parameters of its two functions, written
as typer reads them.
"""

from __future__ import annotations

import functools
import inspect
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import typer

from guardrail.cli._help import NARROW, help_of
from guardrail.registry import COMMANDS

if TYPE_CHECKING:
    from guardrail.detector import Detector
    from guardrail.report import Report

__all__ = ["CheckContext", "Item", "Method", "extended", "group", "hang", "methods", "option", "own", "tried"]


@dataclass(frozen=True, slots=True)
class CheckContext:
    """What a method needs to make detectors for `guardrail check`.

    Attributes:
        model: the chat model that was named, or `None`.
        open_files: closes what the detectors read, when the check is over.
        warnings: shown to the user before the result; a method may add to them.
    """

    model: str | None
    open_files: ExitStack
    warnings: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Item:
    """One thing that `guardrail doctor` looked at; `missing` things are optional."""

    section: str
    name: str
    state: Literal["ok", "missing", "broken"]
    detail: str = ""
    mend: str = ""

    def as_dict(self) -> dict[str, str]:
        """For JSON."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Method:
    """What one method brings to the command line.

    Attributes:
        commands: adds its commands to the application.
        detectors: the detectors that its options of `guardrail check` ask for; takes a `CheckContext`, then the options.
        notes: what a reader of that check's result should know; takes the report and the options by name.
        doctor: what `guardrail doctor` looks at; takes the options.
    """

    commands: Callable[[typer.Typer], None] | None = None
    detectors: Callable[..., Iterable[Detector]] | None = None
    notes: Callable[[Report, Mapping[str, Any]], Iterable[str]] | None = None
    doctor: Callable[..., Iterator[Item]] | None = None


@functools.cache
def methods() -> Mapping[str, Method]:
    """Every method that brings something, by name; one that does not import warns and is left out."""
    return COMMANDS.working()


def hang(app: typer.Typer, command: Callable[..., None], name: str, short: str, **more: Any) -> None:
    """Add a command; its docstring is its help text."""
    settings = NARROW | more.pop("context_settings", {})
    app.command(name, help=help_of(command), short_help=short, context_settings=settings, **more)(command)


def group(app: typer.Typer, about: Callable[..., None], name: str, short: str) -> typer.Typer:
    """Add a group of commands, whose help text is the docstring of `about`; alone it prints that."""
    made = typer.Typer(rich_markup_mode=None, invoke_without_command=True, context_settings=NARROW)

    def alone(context: typer.Context) -> None:
        if context.invoked_subcommand is None:
            typer.echo(context.get_help())

    made.callback(help=help_of(about))(alone)
    app.add_typer(made, name=name, short_help=short)
    return made


def option(name: str) -> str:
    """A parameter's name as an option."""
    return f"--{name.replace('_', '-')}"


def own(function: Callable[..., Any]) -> list[inspect.Parameter]:
    """The options that a method's function declares: its keyword-only parameters, with their annotations evaluated."""
    found = []
    for one in inspect.signature(function).parameters.values():
        if one.kind is inspect.Parameter.KEYWORD_ONLY:
            kind = one.annotation
            if isinstance(kind, str):  # as typing.get_type_hints does, but for these parameters only
                kind = eval(kind, inspect.unwrap(function).__globals__)  # noqa: S307  # the module's own code
            found.append(one.replace(annotation=kind))
    return found


def extended(
    command: Callable[..., None], functions: Iterable[Callable[..., Any]], *, behind: str
) -> Callable[..., None]:
    """A command with the options of methods' functions, listed behind the option of that name.

    The command gets them by name in `**more`.
    """
    known = [
        one
        for one in inspect.signature(command, eval_str=True).parameters.values()
        if one.kind is not inspect.Parameter.VAR_KEYWORD
    ]
    place = [one.name for one in known].index(behind) + 1
    added = [
        one.replace(kind=inspect.Parameter.POSITIONAL_OR_KEYWORD)
        for function in functions
        for one in own(function)
    ]
    names = {one.name for one in known}
    unique = []
    for one in added:
        if one.name in names:
            warnings.warn(f"{option(one.name)}: a second option of that name is left out", stacklevel=2)
        else:
            names.add(one.name)
            unique.append(one)
    parameters = [*known[:place], *unique, *known[place:]]

    @functools.wraps(command)
    def whole(**given: Any) -> None:
        command(**given)

    whole.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]  # what typer reads
    whole.__annotations__ = {one.name: one.annotation for one in parameters}
    return whole


def tried(section: str, name: str, look: Callable[[], str], mend: str) -> Item:
    """An item for `guardrail doctor`: what `look` says, or what is wrong with it."""
    try:
        return Item(section, name, "ok", look())
    except Exception as error:  # noqa: BLE001  # whatever is wrong with it is the finding
        return Item(section, name, "broken", str(error) or type(error).__name__, mend)
