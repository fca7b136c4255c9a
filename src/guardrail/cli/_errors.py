"""How the command line fails: one line that says what to do, and an exit code that means one thing."""

from __future__ import annotations

import os
import sys
import threading
import traceback
from collections.abc import Iterable
from difflib import SequenceMatcher
from enum import IntEnum
from typing import TYPE_CHECKING, Any, NoReturn

from typer.core import TyperGroup

from guardrail._visible import one_line

if TYPE_CHECKING:
    from guardrail.report import Report


class Exit(IntEnum):
    """What the exit codes mean."""

    OK = 0
    UNSUPPORTED = 1
    USAGE = 2
    UNVERIFIED = 3
    BLOCKED = 4
    BUG = 70  # EX_SOFTWARE
    INTERRUPTED = 130  # 128 + SIGINT
    PIPE = 141  # 128 + SIGPIPE


def code_of(report: Report) -> Exit:
    """What the exit code says of a report."""
    if report.blocked:
        return Exit.BLOCKED
    codes = {"unsupported": Exit.UNSUPPORTED, "unverified": Exit.UNVERIFIED}
    return codes.get(str(report.verdict), Exit.OK)


def worst_of(codes: Iterable[Exit]) -> Exit:
    """The code for several reports: blocked, then unsupported, then unverified."""
    order = (Exit.BLOCKED, Exit.UNSUPPORTED, Exit.UNVERIFIED)
    return min(codes, key=lambda code: order.index(code) if code in order else len(order), default=Exit.OK)


class Usage(Exception):  # named for what it is
    """The command line was used wrongly; the message says how to use it."""


class Interrupted(KeyboardInterrupt):
    """Ctrl-C, with what was done until then."""

    def __init__(self, done: str = "") -> None:
        self.done = done
        super().__init__(done)


def say(message: str) -> None:
    """One line on the standard error output; a command that goes over several becomes one that can be pasted."""
    whole = one_line(message.replace("\\\n", " "))
    sys.stderr.write(f"guardrail: {whole}\n")


class Application(TyperGroup):
    """The group of all commands: whatever happens below ends in one line and an exit code."""

    def main(self, *args: Any, **options: Any) -> NoReturn:
        """Run and exit."""
        for stream in (sys.stdout, sys.stderr):
            reconfigure = getattr(stream, "reconfigure", None)
            if reconfigure is not None:  # a terminal that cannot show a letter gets its number
                reconfigure(errors="backslashreplace")
        options["standalone_mode"] = False
        try:
            code = super().main(*args, **options)
            sys.stdout.flush()
        except BrokenPipeError:
            code = _quiet_pipe()
        except Exception as error:  # noqa: BLE001  # the one place where everything ends
            code = _failed(error)
        sys.exit(code if isinstance(code, int) else Exit.OK)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """A command; in the place of one that has the name of a detector, what to write."""
        from guardrail.registry import DETECTORS

        found = super().get_command(ctx, cmd_name)
        if found is None and cmd_name in DETECTORS:
            raise Usage(f"{cmd_name!r} is a detector: write guardrail check FILE --detector {cmd_name}")
        return found

    def invoke(self, ctx: Any) -> Any:
        """Commands may be interrupted, and their reader may go away."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt as error:
            done = getattr(error, "done", "")
            say(f"interrupted; {done}" if done else "interrupted")
            _leave(Exit.INTERRUPTED)
        except BrokenPipeError:
            sys.exit(_quiet_pipe())


def _leave(code: int) -> NoReturn:
    """Exit; at once where a thread is still in a library, which would abort the process while Python winds up."""
    if any(thread.daemon and thread.name == "guardrail-evaluate" for thread in threading.enumerate()):
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
    sys.exit(code)


def _failed(error: Exception) -> int:
    from guardrail.errors import GuardrailError

    if os.environ.get("GUARDRAIL_DEBUG") not in {None, "", "0"}:
        traceback.print_exception(error)
    if hasattr(error, "format_message"):  # the command line's own complaints
        say(usage(error))
        return int(getattr(error, "exit_code", Exit.USAGE))
    if isinstance(error, GuardrailError | Usage):
        say(": ".join([*getattr(error, "__notes__", []), str(error)]))  # first where, then what to do
        return Exit.USAGE
    if isinstance(error, OSError) and error.filename is not None:
        say(
            f"cannot use {error.filename!r}: {error.strerror}. Check that it exists and that you may read or write it."
        )
        return Exit.USAGE
    if isinstance(error, RuntimeError) and "home directory" in str(error):  # of Path.expanduser
        say("a path begins with ~ and the name of nobody on this machine: write the folder out")
        return Exit.USAGE
    if type(error).__name__ == "Abort":
        say("stopped: the input ended early")
        return Exit.INTERRUPTED
    say(
        f"a fault in guardrail itself, {type(error).__name__}: {error}. "
        "Please report it; GUARDRAIL_DEBUG=1 shows where it happened."
    )
    return Exit.BUG


def usage(error: Any) -> str:
    """What a complaint of the command line's library says, with what was expected and given."""
    message = error.format_message().replace("Value error, ", "")
    for wrong in getattr(error.__cause__, "errors", list)()[:1]:  # pydantic's: it does not say what was given
        expected = wrong["msg"].removeprefix("Input should be ").partition(", unable")[0]
        if expected != wrong["msg"]:
            message = message.replace(wrong["msg"], f"expected {expected}, got {wrong['input']!r}")
    near = getattr(error, "possibilities", None)
    if near:
        nearest = max(near, key=lambda option: SequenceMatcher(None, option, error.option_name).ratio())
        message = f"{error.message}. Did you mean {nearest}?"
    context = getattr(error, "ctx", None)
    command = getattr(context, "command_path", "") or "guardrail"
    return f"{message.rstrip('.') if not message.endswith('?') else message} (see: {command} --help)"


def _quiet_pipe() -> int:
    """The reader has gone (`| head`): nothing to tell, and no complaint from Python at its end."""
    silent = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        try:
            os.dup2(silent, stream.fileno())
        except (OSError, ValueError, AttributeError):
            continue
    return Exit.PIPE
