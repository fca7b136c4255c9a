"""Virtual environments of other packages: each made here for one package, and used again while nothing has changed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
import venv
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.performance.speed.workers import without_paths
from guardrail.errors import GuardrailError

__all__ = ["EnvironmentFailed", "Peer", "installed", "python"]

TORCH = "torch==2.13.0"
"""The version of the project's own set-up; others may bring GBs of CUDA."""

_STAMP = "stamp.json"
_LIMIT = 1_800.0  # seconds


class EnvironmentFailed(GuardrailError):
    """A peer could not be installed; the message says what failed and how to mend it."""


@dataclass(frozen=True, slots=True)
class Peer:
    """A package to be compared with.

    Attributes:
        name: of the package, and of its environment's folder.
        version: the one that is measured.
        others: what else its environment needs.
        options: for pip.
    """

    name: str
    version: str
    others: tuple[str, ...] = ()
    options: tuple[str, ...] = ()

    def requirements(self, torch: str = TORCH) -> tuple[str, ...]:
        """For pip; `torch` is "" where the package needs none."""
        first = (torch,) if torch else ()
        return (*first, f"{self.name}=={self.version}", *self.others)


def python(place: Path) -> Path:
    """The interpreter of an environment."""
    return place / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def installed(
    peer: Peer,
    root: Path,
    *,
    torch: str = TORCH,
    say: Callable[[str], object] = lambda text: print(text, file=sys.stderr),  # it takes minutes
    run: Callable[[Sequence[str]], tuple[int, str]] | None = None,
    make: Callable[[Path], None] | None = None,
) -> Path:
    """The interpreter of the peer's environment, which is made if need be.

    Args:
        peer: which.
        root: holds the environments.
        torch: requirement for torch; "" for none.
        say: takes a line of progress.
        run: runs a command: its exit code and what it said.
        make: makes an empty environment.

    Raises:
        EnvironmentFailed: the message says what failed and how to mend it.
    """
    place = root / peer.name
    stamp = {"requirements": peer.requirements(torch), "options": peer.options, "python": sys.version}
    if _read(place / _STAMP) == json.loads(json.dumps(stamp)) and python(place).exists():
        return python(place)
    size = "about 1.5 GB, some minutes" if torch else "a minute or two"
    say(f"making an environment for {peer.name} {peer.version} (once, {size})")
    started = time.monotonic()
    mend = (
        f"Mend the cause and run again; the environment is made anew. By hand: "
        f"pip install {' '.join(map(_quoted, (*peer.options, *peer.requirements(torch))))} "
        "in an environment of its own, below the folder that --envs names."
    )
    try:
        (make or _make)(place)
        code, said = (run or _run)(
            [str(python(place)), "-m", "pip", "install", *peer.options, *peer.requirements(torch)]
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise EnvironmentFailed(f"{peer.name}: {without_paths(repr(error))}. {mend}") from error
    if code:
        raise EnvironmentFailed(f"{peer.name}: pip said: {_cause(said)}. {mend}")
    (place / _STAMP).write_text(json.dumps(stamp), encoding="utf-8")
    say(f"{peer.name} is there ({time.monotonic() - started:.0f} s)")
    return python(place)


def _read(path: Path) -> object:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None


def _make(place: Path) -> None:
    venv.EnvBuilder(with_pip=True, clear=True, symlinks=os.name != "nt").create(place)


def _run(command: Sequence[str]) -> tuple[int, str]:
    done = subprocess.run(  # noqa: S603  # pip
        command, capture_output=True, text=True, timeout=_LIMIT, check=False
    )
    return done.returncode, done.stdout + done.stderr


def _cause(said: str) -> str:
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    errors = [line for line in lines if "error" in line.lower()] or lines or ["nothing"]
    return without_paths("; ".join(errors[-3:]))[:300]


def _quoted(text: str) -> str:
    return f"'{text}'" if set(text) & set("<>;* ") else text
