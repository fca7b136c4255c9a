"""Rules for every test, here, under `integrations/` and in docstrings.

The network is off, the home folder is empty, no key is set, examples are drawn the same way each time in CI,
and in CI a test that needs data which is there may not be skipped. Each worker of pytest-xdist keeps these rules for
itself: it has a home of its own, and shares with the others only what `once` makes and what libraries keep.
"""

from __future__ import annotations

import fcntl
import ipaddress
import os
import signal
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).parent
KEYS = ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "HF_TOKEN", "LANGSMITH_API_KEY", "LANGCHAIN_API_KEY")
TRACING = ("LANGSMITH_TRACING", "LANGCHAIN_TRACING", "LANGCHAIN_TRACING_V2")

# -- no network ----------------------------------------------------------------------------------


class NetworkIsOff(RuntimeError):
    """A test reached for another machine."""


_reached: list[str] = []
_watching = False


def _is_here(host) -> bool:
    if host in {None, "", b"", "localhost", b"localhost"}:
        return True
    text = host.decode("ascii", "replace") if isinstance(host, bytes) else str(host)
    try:
        return ipaddress.ip_address(text.partition("%")[0]).is_loopback
    except ValueError:
        return False


def _watch(event: str, arguments: tuple) -> None:
    """Called by the interpreter, so that no library's way to the network is missed."""
    if not _watching or not event.startswith("socket."):
        return
    if event in {"socket.connect", "socket.sendto"}:
        address = arguments[-1]
        away = isinstance(address, tuple) and not _is_here(address[0])
    elif event in {"socket.getaddrinfo", "socket.gethostbyname"}:
        address = arguments[0]
        away = not _is_here(address)
    else:
        return
    if away:
        _reached.append(repr(address))
        raise NetworkIsOff(
            f"expected tests to stay on this machine, got {address!r}: run a server on 127.0.0.1"
        )


@pytest.fixture(autouse=True)
def _no_network():
    """Fails a test that tried, even where the code under test swallowed the error."""
    _reached.clear()
    yield
    if _reached:
        tried = ", ".join(sorted(set(_reached)))
        _reached.clear()
        pytest.fail(f"the test reached for the network: {tried}", pytrace=False)


# -- an empty home, the same examples ------------------------------------------------------------


def pytest_configure(config: pytest.Config) -> None:
    """Before anything is collected."""
    global _watching  # noqa: PLW0603  # an audit hook cannot be removed, only told to rest
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        # a shell started this in the background, and tests press Ctrl-C
        signal.signal(signal.SIGINT, signal.default_int_handler)
    home = Path(tempfile.mkdtemp(prefix="guardrail-home-"))
    config.add_cleanup(lambda: _remove(home))
    patch = pytest.MonkeyPatch()
    config.add_cleanup(patch.undo)
    if "GUARDRAIL_DATA" not in os.environ and (data := _data()):
        patch.setenv("GUARDRAIL_DATA", str(data))
    patch.setenv("HOME", str(home))
    patch.setenv("XDG_CACHE_HOME", str(home / ".cache"))
    patch.setenv("XDG_CONFIG_HOME", str(home / ".config"))
    patch.setenv("XDG_DATA_HOME", str(home / ".local" / "share"))
    patch.setenv("MPLBACKEND", "Agg")
    # Matplotlib's list of fonts and Hypothesis's tables take seconds to make: kept between runs. Workers write
    # there together: Matplotlib locks its file and reads a broken one again, Hypothesis moves a finished one in.
    patch.setenv("MPLCONFIGDIR", str(_kept(config, home, "matplotlib")))
    patch.setenv("HYPOTHESIS_STORAGE_DIRECTORY", str(_kept(config, home, "hypothesis")))
    for name in (*KEYS, *TRACING):
        patch.delenv(name, raising=False)
    _watching = True
    sys.addaudithook(_watch)
    _profile()


def pytest_unconfigure() -> None:
    """The hook stays with the interpreter, at rest."""
    global _watching  # noqa: PLW0603
    _watching = False


def _data() -> Path | None:
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    places = (ROOT.parent / "shared" / "data", cache / "guardrail" / "data")
    return next((place for place in places if place.is_dir()), None)


def _kept(config: pytest.Config, home: Path, name: str) -> Path:
    cache = getattr(config, "cache", None)  # absent under -p no:cacheprovider
    return cache.mkdir(name) if cache else home / name


def _remove(folder: Path) -> None:
    import shutil

    shutil.rmtree(folder, ignore_errors=True)


def _profile() -> None:
    try:
        from hypothesis import settings
    except ImportError:  # a test of the wheel alone
        return
    settings.register_profile("here", deadline=None, database=None)
    settings.register_profile("ci", deadline=None, database=None, derandomize=True, print_blob=True)
    settings.load_profile("ci" if _in_ci() else "here")


# -- made once, whoever asks first ---------------------------------------------------------------


@pytest.fixture(scope="session")
def once(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory):
    """`once("wheel", make)`: the folder that `make(folder)` filled, once per run for all workers. To be read only.

    Args of the function: a name that no other caller uses, and a function that fills the empty folder it is given.
    """
    top = tmp_path_factory.getbasetemp()
    shared = (top.parent if hasattr(request.config, "workerinput") else top) / "once"
    shared.mkdir(exist_ok=True)

    def get(name: str, make: Callable[[Path], object]) -> Path:
        folder, whole = shared / name, shared / f"{name}.whole"
        with (shared / f"{name}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)  # the others wait here until it is made
            if not whole.exists():
                _remove(folder)  # of a worker that failed half-way
                folder.mkdir()
                make(folder)
                whole.touch()
        return folder

    return get


# -- data that is there must be used -------------------------------------------------------------


def _in_ci() -> bool:
    return os.environ.get("CI", "").lower() not in {"", "0", "false"}


def _have_data() -> bool:
    return Path(os.environ.get("GUARDRAIL_DATA") or "absent").is_dir()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Without any data, the tests that need it are skipped; they say how to get it when it is half there."""
    if _have_data():
        return
    absent = pytest.mark.skip(
        reason="the real data are not here: set GUARDRAIL_DATA, see benchmarks/README.md"
    )
    for item in items:
        if item.get_closest_marker("data"):
            item.add_marker(absent)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item):
    """In CI, with the data at hand, a skipped `data` test is a failed one."""
    report = yield
    if report.skipped and not hasattr(report, "wasxfail") and item.get_closest_marker("data"):
        data = os.environ.get("GUARDRAIL_DATA", "")
        if _in_ci() and _have_data():
            why = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr
            report.outcome = "failed"
            report.longrepr = f"{item.nodeid}: needs data, which is at {data}, and was skipped. {why}"
    return report
