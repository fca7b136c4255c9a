"""Builds what a release uploads, and tries it as users install it: `make dist`.

    python3 scripts/release.py                     build into dist/, check, try with every Python at hand
    python3 scripts/release.py --python python3.12 --python /opt/3.13/bin/python
    python3 scripts/release.py --no-build          try what is in dist/ already

Wheels and source distributions of guardrail-sdk and of the packaged models are built and checked by `twine check --strict`. An index on
127.0.0.1 serves them. With each Python, `pip install 'guardrail-sdk[mini]'` from there fills a clean environment, and the blocks of the
README that are marked as running run in an empty folder. A Python older than `requires-python` must be refused. The first environment is
listed in dist/*.cdx.json (CycloneDX). A line per Python says what happened; exit code 1 if something failed.

Needs Python 3.11 or newer and a package index for everything else.
"""

from __future__ import annotations

import argparse
import functools
import html
import http.server
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import tomllib
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).parents[1]
DIST = ROOT / "dist"
WORK = ROOT / "out" / "release"
SOURCES = (ROOT, *sorted((ROOT / "models").iterdir()))
TOOLS = ("build>=1.2", "twine>=6.1", "cyclonedx-bom>=7,<8")
WANTED = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["requires-python"]
MINORS = range(10, 15)  # Pythons that are looked for; one that is too old must be refused


class Failed(Exception):
    """A command did; the message is what it printed."""


def run(*command: str | Path, cwd: Path = ROOT, env: dict[str, str] | None = None) -> str:
    """What a command prints.

    Raises:
        Failed: its exit code is not 0.
    """
    done = subprocess.run(  # noqa: S603
        list(map(str, command)), cwd=cwd, env=env, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise Failed((done.stdout + done.stderr).strip())
    return done.stdout.strip()


def environment(python: str | Path, folder: Path) -> Path:
    """A clean virtual environment; gives the folder of its commands."""
    run(python, "-m", "venv", "--clear", folder)
    return folder / "bin"


def clean() -> dict[str, str]:
    """The variables of this process, without those that would lead Python or pip elsewhere than to the new environment."""
    return {
        name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "VIRTUAL_ENV"))
    }


def build(tools: Path) -> None:
    """Wheels and source distributions, each wheel from its source distribution; checked as an index does."""
    shutil.rmtree(DIST, ignore_errors=True)
    for source in SOURCES:
        run(tools / "python", "-m", "build", "--outdir", DIST, source, env=clean())
    files = sorted(DIST.iterdir())
    print(run(tools / "python", "-m", "twine", "check", "--strict", *files))
    for file in files:
        print(f"{file.relative_to(ROOT)}  {file.stat().st_size / 1e6:.1f} MB")


@contextmanager
def index() -> Iterator[str]:
    """Serve dist/ as a package index on this machine; gives its address."""
    folder = WORK / "simple"
    shutil.rmtree(folder, ignore_errors=True)
    for file in [*DIST.glob("*.whl"), *DIST.glob("*.tar.gz")]:
        project = folder / re.sub(r"[-_.]+", "-", file.name.split("-")[0])
        project.mkdir(parents=True, exist_ok=True)
        shutil.copy(file, project)
        with (project / "index.html").open("a", encoding="utf-8") as page:
            page.write(
                f'<a href="{file.name}" data-requires-python="{html.escape(WANTED)}">{file.name}</a>\n'
            )

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            """Print nothing."""

    server = http.server.ThreadingHTTPServer(
        ("127.0.0.1", 0), functools.partial(Quiet, directory=str(folder))
    )
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()
        server.server_close()


def pythons() -> Iterator[str]:
    """One interpreter of each minor version at hand, of the path and of pyenv, that can make environments."""
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    for minor in MINORS:
        for candidate in (f"python3.{minor}", *sorted(map(str, pyenv.glob(f"3.{minor}.*/bin/python")))):
            try:
                code = "import ensurepip, sys; print(sys.version_info[1])"
                if run(candidate, "-c", code, env=clean()) == str(minor):
                    yield candidate
                    break
            except (Failed, OSError):
                continue


def as_built(packages: Path) -> None:
    """Every file of the wheels is installed as it is in dist/: pip did not take another distribution of that name.

    Raises:
        Failed: one is not.
    """
    for wheel in DIST.glob("*.whl"):
        with zipfile.ZipFile(wheel) as archive:
            [record] = [name for name in archive.namelist() if name.endswith(".dist-info/RECORD")]
            built = {line for line in archive.read(record).decode().splitlines() if "sha256=" in line}
        installed = packages / record
        if not installed.is_file() or not built <= set(installed.read_text(encoding="utf-8").splitlines()):
            raise Failed(f"what pip installed is not {wheel.name}")


def tried(python: str, address: str, version: str, tools: Path) -> str:
    """Install with a Python, run the README's blocks; gives the line that says so.

    Raises:
        Failed: installing or a block.
    """
    what = f"guardrail-sdk[mini]=={version}"
    number = run(python, "-c", "import platform; print(platform.python_version())")
    least = tuple(map(int, WANTED.removeprefix(">=").split(".")))
    started = time.perf_counter()
    with tempfile.TemporaryDirectory(prefix="guardrail-release-") as name:
        folder = Path(name)
        commands = environment(python, folder / "venv")
        install = (commands / "python", "-m", "pip", "install", "--quiet", "--extra-index-url", address, what)
        if tuple(map(int, number.split(".")[:2])) < least:
            return f"Python {number}: refused, as it must be: {refusal(install)}"
        run(*install, env=clean())
        installed, started = time.perf_counter() - started, time.perf_counter()
        [packages] = (folder / "venv").glob("lib/python*/site-packages")
        as_built(packages)
        (folder / "empty").mkdir()
        variables = clean() | {
            "PATH": os.pathsep.join([str(commands), os.environ["PATH"]]),
            "HOME": str(folder / "empty"),
            "COLUMNS": "100",
            "NO_COLOR": "1",
            "TERM": "dumb",
        }
        said = run(commands / "guardrail", "--version", cwd=folder / "empty", env=variables)
        if said != f"guardrail {version}":
            raise Failed(f"expected guardrail --version to print {version}, got {said!r}")
        page = ROOT / "README.md"
        script = ROOT / "tests" / "house" / "blocks.py"
        ran = run(commands / "python", "-P", script, page, cwd=folder / "empty", env=variables)
        seconds = time.perf_counter() - started
        listed(commands, version, tools)
    return (
        f"Python {number}: installed in {installed:.0f} s, {ran} blocks of the README ran in {seconds:.0f} s"
    )


def refusal(install: tuple[str | Path, ...]) -> str:
    """What pip says to a Python that is too old.

    Raises:
        Failed: it installs, or says something else.
    """
    try:
        run(*install, env=clean())
    except Failed as error:
        lines = [
            line
            for line in str(error).splitlines()
            if re.search("requires? a different python", line, re.IGNORECASE)
        ]
        if not lines:
            raise
        return lines[0].removeprefix("ERROR: ")
    raise Failed("pip installed it")


def listed(commands: Path, version: str, tools: Path) -> None:
    """Write what an installation contains, once: from the first environment."""
    file = DIST / f"guardrail_sdk-{version}.cdx.json"
    if not file.exists():
        run(tools / "cyclonedx-py", "environment", commands / "python", "--output-reproducible", "-o", file)
        print(file.relative_to(ROOT))


def main() -> int:
    """Build, check, try."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument(
        "--python", action="append", help="an interpreter; again for several (default: all at hand)"
    )
    parser.add_argument("--no-build", action="store_true", help="build nothing; try what is in dist/")
    given = parser.parse_args()
    WORK.mkdir(parents=True, exist_ok=True)
    tools = environment(sys.executable, WORK / "tools")
    run(tools / "python", "-m", "pip", "install", "--quiet", *TOOLS, env=clean())
    if not given.no_build:
        build(tools)
    [wheel] = DIST.glob("guardrail_sdk-*.whl")
    version = wheel.name.split("-")[1]
    failed = 0
    at_hand = list(given.python or pythons())
    if not at_hand:
        print("expected a Python to try it with, found none: name one with --python", flush=True)
    with index() as address:
        for python in at_hand:
            try:
                print(tried(python, address, version, tools), flush=True)
            except Failed as error:
                failed += 1
                print(f"{python}: failed\n{error}", flush=True)
    return bool(failed) or not at_hand


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Failed as error:
        sys.exit(f"release: {error}")
