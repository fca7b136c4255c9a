"""SWI-Prolog in this process: one engine, one thread, a short list of services.

`pyswip` finds the library and binds its C interface; its query layer, which takes text, is not used. Arguments go
over as atoms, numbers and lists, made by the C interface from bytes and a length; replies come back the same way.
No goal is ever written as text, so there is nothing that a label could break out of, and nothing for
`library(sandbox)` to look through; the list of services in `services.pl` is all that can be called.

**Threads.** Calls may come from any thread. One thread, started with the first call, runs them one after another:
a Prolog engine belongs to a thread, and 1.6 million facts should be in memory once.

**Fork.** A child that is forked after the engine has started has the memory of the engine but not its thread, and
its locks may never be released: every call raises `EngineFault` at once. Start such workers by "spawn" (an open
knowledge base travels, as its path), or fork before the first use.
"""

from __future__ import annotations

import atexit
import ctypes
import itertools
import os
import queue
import shutil
import sys
import tempfile
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeAlias

from guardrail.errors import BackendError, MissingExtra

Value: TypeAlias = str | int | float | Sequence["Value"]
"""What goes over: atoms as text, numbers, and lists of them."""

PACKAGE = "swi-prolog-nox"
SECONDS = 30.0
PATIENCE = 5.0  # seconds beyond a limit until the caller no longer waits
FILES = ("rules.pl", "services.pl")


class EngineFault(BackendError):
    """The Prolog engine is missing, came over a fork, or failed."""


class LimitReached(EngineFault):
    """A call used up its time or its memory; it was stopped."""


def available() -> str | None:
    """`None` where the engine can be used; else what is missing and how to get it.

    Loads the engine; costs a tenth of a second, once.
    """
    try:
        engine()
    except (EngineFault, MissingExtra) as error:
        return str(error)
    return None


class Engine:
    """The engine of this process; take it from `engine()`."""

    def __init__(self) -> None:
        self.process = os.getpid()
        self.version = ""
        self._numbers = itertools.count(1)
        self._folder = Path(tempfile.mkdtemp(prefix="guardrail-prolog-")).resolve()
        atexit.register(_remove, self._folder, self.process)
        self._jobs: queue.SimpleQueue[tuple[Future[Any], str, tuple[Value, ...], float]] = queue.SimpleQueue()
        started: Future[str] = Future()
        self._thread = threading.Thread(
            target=self._run, args=(started,), name="guardrail-prolog", daemon=True
        )
        self._thread.start()
        self.version = started.result()

    def call(self, service: str, *arguments: Value, seconds: float | None = SECONDS) -> Any:
        """Run a service of `services.pl` and return its value.

        Args:
            service: its name.
            arguments: all but the last, which is the value.
            seconds: after so long it is stopped; `None` for no limit.

        Returns:
            The value: text, numbers, and lists of them; `None` if the service failed to find any.

        Raises:
            LimitReached: stopped; the engine goes on with the next call.
            EngineFault: the process was forked, or Prolog raised an error.
        """
        if self.process != os.getpid():
            raise EngineFault(
                "expected the process that started the Prolog engine, got a fork of it, where the engine cannot "
                "run. Start workers by 'spawn', or fork them before the first knowledge base is opened."
            )
        if self._thread is threading.current_thread():
            raise EngineFault("expected a call from outside the engine's thread, got one from inside.")
        reply: Future[Any] = Future()
        self._jobs.put((reply, service, arguments, seconds or 0.0))
        found = reply.result()
        if found == ["failed"]:
            return None
        state, value = found
        if state == "ok":
            return value
        if state == "limit":
            used = f"{seconds} seconds" if value == "seconds" else value
            raise LimitReached(
                f"expected {service!r} to end within its limits, it used up {used}. "
                "Ask for less, or raise the limit."
            )
        raise EngineFault(f"expected an answer to {service!r}, got an error of Prolog: {value}")

    @contextmanager
    def place(self, file: Path) -> Iterator[Path]:
        """The file, under its name, in a folder of its own for Prolog to compile or load it from.

        Prolog knows folders by their number in the file system, which a deleted folder leaves to another, and what
        it loads by the folder and the name. So the folders that it sees are new and stay until the process ends.
        """
        folder = self._folder / f"file_{next(self._numbers)}"
        folder.mkdir()
        seen = folder / file.name
        try:
            os.link(file, seen)
        except OSError:  # another device, or a file system without links
            shutil.copyfile(file, seen)
        try:
            yield seen
        finally:
            seen.unlink()

    # --- in the engine's thread ----------------------------------------------------------------------------

    def _run(self, started: Future[str]) -> None:
        try:
            bridge = _Bridge()
            bridge.consult([Path(__file__).with_name(name) for name in FILES])
            started.set_result(_readable(bridge.serve("version", (), 0.0)[1]))
        except BaseException as error:  # noqa: BLE001  # handed to the thread that waits
            started.set_exception(error)
            return
        while True:
            reply, service, arguments, seconds = self._jobs.get()
            try:
                reply.set_result(bridge.serve(service, arguments, seconds))
            except BaseException as error:  # noqa: BLE001  # handed to the thread that waits
                reply.set_exception(error)


def _readable(number: int) -> str:
    return f"{number // 10000}.{number // 100 % 100}.{number % 100}"


class _Bridge:
    """Calls into the C library; made and used in one thread."""

    def __init__(self) -> None:
        self._core = core = _load()
        if core.PL_thread_self() == -1 and core.PL_thread_attach_engine(None) < 0:
            raise EngineFault("expected a Prolog engine for the thread, SWI-Prolog could not make one.")
        term, pointer = core.term_t, ctypes.c_void_p
        self._get_nchars = self._bound("PL_get_nchars", term, pointer, pointer, ctypes.c_uint)
        self._put_float = self._bound("PL_put_float", term, ctypes.c_double)
        self._put_int64 = self._bound("PL_put_int64", term, ctypes.c_int64)
        self._get_int64 = self._bound("PL_get_int64", term, pointer)
        # Text that crosses over is kept until it is released: after a million calls Prolog would give up.
        self._mark = self._bound("PL_mark_string_buffers", pointer)
        self._release = self._bound("PL_release_string_buffers_from_mark", ctypes.c_size_t)
        self._marked = ctypes.c_size_t()
        self._length = ctypes.c_size_t()
        self._pointer = ctypes.c_void_p()
        self._serve = core.PL_predicate(b"serve", 4, b"guardrail_services")

    def _bound(self, name: str, *types: Any) -> Any:
        """A function of the library that pyswip does not bind, or not so."""
        function = self._core._lib[name]  # noqa: SLF001  # the one handle of the library
        function.argtypes = types
        return function

    def consult(self, files: Sequence[Path]) -> None:
        """Load our own files."""
        core = self._core
        consult = core.PL_predicate(b"consult", 1, b"user")
        for file in files:
            frame = core.PL_open_foreign_frame()
            try:
                term = core.PL_new_term_ref()
                self._put(term, str(file))
                if not core.PL_call_predicate(
                    None, core.PL_Q_NODEBUG | core.PL_Q_CATCH_EXCEPTION, consult, term
                ):
                    raise EngineFault(
                        f"expected SWI-Prolog to load {file.name!r} of this package, it could not."
                    )
            finally:
                core.PL_discard_foreign_frame(frame)

    def serve(self, service: str, arguments: Sequence[Value], seconds: float) -> Any:
        """One call of `serve/4`; its reply."""
        core = self._core
        self._mark(ctypes.byref(self._marked))
        frame = core.PL_open_foreign_frame()
        try:
            first = core.PL_new_term_refs(4)
            self._put(first, service)
            self._put(first + 1, arguments)
            self._put(first + 2, float(seconds))
            flags = core.PL_Q_NODEBUG | core.PL_Q_CATCH_EXCEPTION
            if not core.PL_call_predicate(None, flags, self._serve, first):
                return ["error", "the call was lost"]
            return self._get(first + 3)
        finally:
            core.PL_discard_foreign_frame(frame)
            self._release(self._marked.value)

    def _put(self, term: int, value: Value) -> None:
        core = self._core
        if isinstance(value, str):
            data = value.encode("utf-8")
            core.PL_put_chars(term, core.PL_ATOM | core.REP_UTF8, len(data), data)
        elif isinstance(value, int):
            self._put_int64(term, value)
        elif isinstance(value, float):
            self._put_float(term, value)
        else:
            core.PL_put_nil(term)
            for item in reversed(value):
                head = core.PL_new_term_ref()
                self._put(head, item)
                core.PL_cons_list(term, head, term)

    def _get(self, term: int) -> Any:
        core = self._core
        kind = core.PL_term_type(term)
        if kind in {core.PL_ATOM, core.PL_STRING}:
            return self._text(term)
        if kind in {core.PL_NIL, core.PL_LIST_PAIR}:
            rest, head, found = core.PL_copy_term_ref(term), core.PL_new_term_ref(), []
            while core.PL_get_list(rest, head, rest):
                found.append(self._get(head))
            return found
        if kind == core.PL_INTEGER:
            number = ctypes.c_int64()
            if not self._get_int64(term, ctypes.byref(number)):
                raise EngineFault("expected whole numbers of at most 64 bits from Prolog, got a larger one.")
            return number.value
        if kind == core.PL_FLOAT:
            real = ctypes.c_double()
            core.PL_get_float(term, ctypes.byref(real))
            return real.value
        raise EngineFault(f"expected text, numbers and lists from Prolog, got a term of type {kind}.")

    def _text(self, term: int) -> str:
        core = self._core
        flags = core.CVT_ATOM | core.CVT_STRING | core.REP_UTF8
        if not self._get_nchars(term, ctypes.byref(self._length), ctypes.byref(self._pointer), flags):
            raise EngineFault("expected text from Prolog, it cannot be written as UTF-8.")
        return ctypes.string_at(self._pointer.value or 0, self._length.value).decode("utf-8")


def _load() -> Any:
    """`pyswip.core`, with its ways of starting and ending undone where they reach into the rest of the process.

    Raises:
        MissingExtra: pyswip is not installed.
        EngineFault: SWI-Prolog is not installed.
    """
    leave, hook, arguments = sys.exit, sys.excepthook, sys.argv
    try:
        sys.argv = sys.argv[:0]  # pyswip encodes it, and fails where an argument is not UTF-8
        from pyswip import core, prolog  # the second starts Prolog, in this thread
    except ModuleNotFoundError as error:
        if error.name != "pyswip":
            raise
        raise MissingExtra("pyswip, which the knowledge base needs,", extra="logic") from error
    except Exception as error:
        raise EngineFault(
            f"expected SWI-Prolog, which the knowledge base needs, got {type(error).__name__}: {error}. "
            f"Install it (Debian, Ubuntu: apt-get install {PACKAGE}), then try again."
        ) from error
    finally:
        sys.exit, sys.excepthook, sys.argv = leave, hook, arguments  # pyswip takes the first two over
    del prolog
    # It would take Prolog down in the main thread while ours may be at work; the system frees all memory anyway.
    atexit.unregister(core.cleanupProlog)
    return core


def _remove(folder: Path, process: int) -> None:
    if process == os.getpid():  # not in a fork
        shutil.rmtree(folder, ignore_errors=True)


_engine: Engine | None = None
_lock = threading.Lock()


def engine() -> Engine:
    """The engine of this process, started if need be.

    Raises:
        MissingExtra: pyswip is not installed.
        EngineFault: SWI-Prolog is not installed, or this process was forked after the engine had started.
    """
    global _engine  # noqa: PLW0603  # Prolog is one per process
    with _lock:
        if _engine is None:
            _engine = Engine()
        return _engine


def _after_fork() -> None:
    """The lock may have been held by a thread that the child does not have."""
    global _lock  # noqa: PLW0603
    _lock = threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
