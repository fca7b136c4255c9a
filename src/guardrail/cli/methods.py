"""How a method hangs its commands into the command line, which knows none of them by name.

A method registers one `Method` (`guardrail.registry.COMMANDS`; plug-ins by the entry-point group "guardrail.commands").
Options that it adds to `guardrail check` and `guardrail doctor` are the keyword-only parameters of its two functions, written
as typer reads them.
"""

from __future__ import annotations

import functools
import inspect
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import typer

from guardrail.cli._help import NARROW, help_of
from guardrail.errors import ConfigError
from guardrail.registry import COMMANDS

if TYPE_CHECKING:
    from guardrail.detector import Detector
    from guardrail.report import Report


@dataclass(frozen=True, slots=True)
class CheckContext:
    """What a method needs to make detectors for `guardrail check`.

    Attributes:
        model: the chat model that was named, or `None`.
        open_files: closes what the detectors read, when the check is over.
        given: what the answer came with: "context", "samples", "logprobs".
        warnings: shown to the user before the result; a method may add to them.
    """

    model: str | None
    open_files: ExitStack
    given: frozenset[str] = frozenset()
    warnings: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Item:
    """One thing that `guardrail doctor` looked at; `missing` things are optional."""

    section: str
    name: str
    state: Literal["ok", "missing", "broken"]
    detail: str = ""
    mend: str = ""


@dataclass(frozen=True, slots=True)
class Method:
    """What one method brings to the command line.

    Attributes:
        commands: adds its commands to the application.
        detectors: the detectors that its options of `guardrail check` ask for; takes a `CheckContext`, then the options.
        reads: which of "context", "samples" and "logprobs" its detectors are for: where one of them is given, detectors of others run
            only if an option asks for them.
        notes: what would settle more, where no model and no configuration was given; takes the report and the options by name.
        doctor: what `guardrail doctor` looks at; takes the options.
    """

    commands: Callable[[typer.Typer], None] | None = None
    detectors: Callable[..., Iterable[Detector]] | None = None
    reads: frozenset[str] = frozenset()
    notes: Callable[[Report, Mapping[str, Any]], Iterable[str]] | None = None
    doctor: Callable[..., Iterator[Item]] | None = None


_gathered: dict[str, Method] = {}
_problems: dict[str, str] = {}


def methods() -> Mapping[str, Method]:
    """Every method that hangs in the command line, by name, in the order of the registry."""
    return _gathered


def problems() -> Mapping[str, str]:
    """What is wrong with those that were left out, by name."""
    return _problems


def gather(
    reserved: Iterable[str], *, check: Callable[..., None], doctor: Callable[..., None]
) -> typer.Typer:
    """Load every method; one that is faulty, or takes a name that is taken, is left out whole.

    Args:
        reserved: names of the frame's own commands.
        check: the frame's `check`, whose options may not be declared again.
        doctor: the same.

    Returns:
        An application with the commands of all methods.
    """
    app = typer.Typer()
    commands = set(reserved)
    options = {detectors: _spelt(command) for detectors, command in ((True, check), (False, doctor))}
    for name in COMMANDS:
        try:
            method, made, new = _loaded(name, commands, options)
        except (Exception, SystemExit) as error:  # noqa: BLE001  # a plug-in may fail in any way
            _problems[name] = f"{type(error).__name__}: {error}"
            continue
        app.registered_commands += made.registered_commands
        app.registered_groups += made.registered_groups
        commands |= _names(made)
        for key, added in new.items():
            options[key] |= added
        _gathered[name] = method
    return app


def _loaded(
    name: str, commands: set[str], options: Mapping[bool, set[str]]
) -> tuple[Method, typer.Typer, dict[bool, set[str]]]:
    """A method with its commands and options, none of which is taken yet."""
    method = COMMANDS[name]
    if not isinstance(method, Method):
        raise TypeError(f"expected a Method of guardrail.cli.methods, got {method!r}")
    made = typer.Typer()
    if method.commands is not None:
        method.commands(made)
    new = {True: _spelt(method.detectors), False: _spelt(method.doctor)}
    for added, taken in ((_names(made), commands), *((new[key], options[key]) for key in new)):
        if both := sorted(added & taken):
            raise ConfigError(f"{both[0]!r} is there already")
    return method, made, new


def _names(app: typer.Typer) -> set[str]:
    """The commands and groups of an application, but for those without a name."""
    named = [*(one.name for one in app.registered_commands), *(one.name for one in app.registered_groups)]
    return {name for name in named if name}


def _spelt(function: Callable[..., Any] | None) -> set[str]:
    """The options that a function declares, as they are written on the command line."""
    if function is None:
        return set()
    found: set[str] = set()
    for one in _read(function):
        marks = getattr(one.annotation, "__metadata__", ())
        # In an annotation typer's first argument is a spelling, though it is called `default`.
        names = [
            name
            for mark in marks
            for name in (getattr(mark, "default", None), *(getattr(mark, "param_decls", None) or ()))
        ]
        written = {name for name in names if isinstance(name, str) and name.startswith("-")}
        found |= written or {option(one.name)}
    return found


def hang(app: typer.Typer, command: Callable[..., None], name: str, short: str, **more: Any) -> None:
    """Add a command; its docstring is its help text."""
    app.command(name, help=help_of(command), short_help=short, context_settings=NARROW, **more)(command)


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
    """The options that a method's function declares: its keyword-only parameters."""
    return [one for one in _read(function) if one.kind is inspect.Parameter.KEYWORD_ONLY]


def defaults() -> dict[str, Any]:
    """The options that methods add to `guardrail check`, none of them given."""
    functions = [method.detectors for method in methods().values() if method.detectors is not None]
    return {one.name: one.default for function in functions for one in own(function)}


@functools.cache
def _read(function: Callable[..., Any]) -> list[inspect.Parameter]:
    """The parameters that are options, with their annotations evaluated."""
    found = []
    for one in inspect.signature(function).parameters.values():
        kind = one.annotation
        if one.default is inspect.Parameter.empty:
            continue
        if isinstance(kind, str):  # as typing.get_type_hints does, but for these parameters only
            kind = eval(kind, inspect.unwrap(function).__globals__)  # noqa: S307  # the module's own code
        found.append(one.replace(annotation=kind))
    return found


def extended(
    command: Callable[..., None], functions: Iterable[Callable[..., Any]], *, behind: str
) -> Callable[..., None]:
    """A command with the options of methods' functions, listed behind the option named `behind`.

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
    return _with([*known[:place], *added, *known[place:]], command)


def borrowing(
    command: Callable[..., None], lender: Callable[..., None], names: Iterable[str]
) -> Callable[..., None]:
    """A command with some options of another, ahead of its own.

    The command gets them by name in `**options`.
    """
    lent, kept = (inspect.signature(one, eval_str=True).parameters for one in (lender, command))
    return _with([*(lent[name] for name in names), *kept.values()], command)


def _with(parameters: list[inspect.Parameter], command: Callable[..., None]) -> Callable[..., None]:
    """A command that seems to have these parameters."""

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


def tried_model(model: str, load: Callable[[], object], what: str) -> Item:
    """An item for `guardrail doctor`: a packaged model that is installed, loaded to see whether it can be.

    Args:
        model: its name; `guardrail-{model}` is the distribution.
        load: loads it.
        what: it does.
    """

    def look() -> str:
        began = time.perf_counter()
        load()
        return f"loaded in {time.perf_counter() - began:.1f} s; {what}"

    mend = f"pip install --force-reinstall guardrail-{model}  # in a checkout: ./models/{model}"
    return tried("models (optional)", model, look, mend)
