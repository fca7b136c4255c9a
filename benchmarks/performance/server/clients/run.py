"""Clients in other languages and libraries against the running server: which versions work, and with what.

Each is installed in an environment of its own and knows the server by its base URL alone. What comes must be the stub's
answer without the sentence that may not be released.
"""

from __future__ import annotations

import argparse
import contextlib
import datetime as dt
import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

from benchmarks._data import cache_root
from benchmarks._rows import Row
from benchmarks._table import Run, bench
from benchmarks.performance.environments import EnvironmentFailed
from benchmarks.performance.server import targets
from benchmarks.performance.server.clients import environments
from benchmarks.performance.server.clients.upstream import anthropic, reply
from benchmarks.performance.server.processes import NotStarted
from benchmarks.performance.server.targets import LITELLM
from benchmarks.performance.speed.workers import without_paths
from guardrail.testing.server import serve

__all__ = ["COLUMNS", "Found", "asked", "compute", "main", "rows_of"]

HERE = Path(__file__).resolve().parent
CALLERS = HERE / "callers"
_PROXY = "LiteLLM proxy"
COLUMNS = ("plain", "stream", "tools", "structured")
Command: TypeAlias = "Callable[[Urls, Path], Sequence[str]]"


@dataclass(frozen=True)
class Urls:
    """Where things listen, without `/v1`.

    Attributes:
        openai: our server in front of OpenAI's API.
        anthropic: ours in front of Anthropic's.
        litellm: a LiteLLM proxy with our guardrail that rewrites; "" where it could not be started.
        litellm_blocks: one with our guardrail that blocks.
        keys: of the two proxies.
        failed: why the proxies are not there.
    """

    openai: str
    anthropic: str
    litellm: str = ""
    litellm_blocks: str = ""
    keys: tuple[str, str] = ("", "")
    failed: str = ""


@dataclass(frozen=True)
class Found:
    """What one client found.

    Attributes:
        client: its name.
        version: its own words; "–" where it could not be asked.
        cells: column → "ok" or what is wrong; a column that it does not have is not there.
    """

    client: str
    version: str
    cells: Mapping[str, str] = field(default_factory=dict)


def _python(name: str, program: str, *arguments: str) -> Command:
    def command(urls: Urls, envs: Path) -> Sequence[str]:
        python = str(environments.python(name, envs))
        return [python, str(CALLERS / program), urls.openai, *arguments]

    return command


def _node(urls: Urls, envs: Path) -> Sequence[str]:
    folder = environments.node(envs)
    return [shutil.which("node") or "node", str(CALLERS / "ask_openai.mjs"), urls.openai, str(folder)]


def _curl(urls: Urls, envs: Path) -> Sequence[str]:
    del envs
    return [sys.executable, str(CALLERS / "ask_curl.py"), urls.openai]


def _anthropic(urls: Urls, envs: Path) -> Sequence[str]:
    return [str(environments.python("anthropic", envs)), str(CALLERS / "ask_anthropic.py"), urls.anthropic]


def _through_litellm(urls: Urls, envs: Path) -> Sequence[str]:
    _there(urls)
    python = str(environments.python("openai 3", envs))
    return [python, str(CALLERS / "ask_openai.py"), urls.litellm, "chat", urls.keys[0]]


def _blocked_by_litellm(urls: Urls, envs: Path) -> Sequence[str]:
    _there(urls)
    python = str(environments.python("anthropic", envs))
    return [python, str(CALLERS / "ask_anthropic.py"), urls.litellm_blocks, urls.keys[1], "blocked"]


def _there(urls: Urls) -> None:
    if urls.failed:
        raise EnvironmentFailed(urls.failed)


CLIENTS: Mapping[str, Command] = {
    "openai-python 2": _python("openai 2", "ask_openai.py", "chat"),
    "openai-python 2, responses": _python("openai 2", "ask_openai.py", "responses"),
    "openai-python 3": _python("openai 3", "ask_openai.py", "chat"),
    "openai-python 3, responses": _python("openai 3", "ask_openai.py", "responses"),
    "openai-node": _node,
    "LangChain ChatOpenAI": _python("langchain", "ask_langchain.py"),
    "Anthropic, messages": _anthropic,
    "LiteLLM library": _python("litellm", "ask_litellm.py"),
    "curl": _curl,
    "LiteLLM proxy with our guardrail, chat": _through_litellm,
    "LiteLLM proxy with our guardrail, messages blocked": _blocked_by_litellm,
}


def compute(run: Run) -> list[Row]:
    """Ask all clients, print the table, and keep it where that is wanted."""
    envs = run.options.envs or cache_root().parent / "clients"
    wanted = run.options.only or list(CLIENTS)
    with _serving(envs, proxies=any(name.startswith(_PROXY) for name in wanted)) as urls:
        found = []
        for name in wanted:
            run.say(name)
            found.append(asked(name, CLIENTS[name], urls, envs))
    _print(found)
    if run.options.record:
        _record(found)
    return [row for one in found for row in rows_of(one)]


@contextlib.contextmanager
def _serving(envs: Path, *, proxies: bool) -> Iterator[Urls]:
    """Our server in front of each stub, and LiteLLM's proxies that ask ours about every answer."""
    with contextlib.ExitStack() as stack:
        model = stack.enter_context(serve(reply)).base_url
        openai = stack.enter_context(targets.guarded(model, "spotter", keepalive_seconds=0.05)).url
        other = stack.enter_context(anthropic())
        messages = stack.enter_context(targets.guarded(other, "spotter", keepalive_seconds=0.05)).url
        if not proxies:
            yield Urls(openai, messages)
            return
        try:
            python = environments.python("litellm", envs)
            blocks = stack.enter_context(targets.guarded(model, "spotter", on_rewrite="block")).url
            one = stack.enter_context(targets.litellm_proxy(python, with_guardrail(model, openai)))
            two = stack.enter_context(targets.litellm_proxy(python, with_guardrail(model, blocks)))
        except (EnvironmentFailed, NotStarted) as error:
            yield Urls(openai, messages, failed=str(error))
            return
        keys = (one.headers["authorization"][7:], two.headers["authorization"][7:])
        yield Urls(openai, messages, one.url, two.url, keys)


def with_guardrail(base_url: str, ours: str) -> dict[str, object]:
    """LiteLLM's configuration of one model, and of our server as its guardrail."""
    guardrail = {
        "guardrail": "generic_guardrail_api",
        "mode": ["pre_call", "post_call"],
        "api_base": ours,
        "unreachable_fallback": "fail_closed",
        "fail_on_error": True,
        "default_on": True,
        "streaming_buffer_until_moderated": True,
        "streaming_transform_mode": "incremental_diff",
    }
    named = {"guardrail_name": "guardrail", "litellm_params": guardrail}
    return {**targets.models(base_url), "guardrails": [named]}


def asked(name: str, command: Command, urls: Urls, envs: Path) -> Found:
    """What a client found; a client that cannot be asked has the reason in its first column."""
    try:
        done = subprocess.run(  # noqa: S603  # our own programs
            command(urls, envs), capture_output=True, text=True, timeout=300, check=False
        )
        said = json.loads(done.stdout.splitlines()[-1])
        version = said.pop("version")
        through = f"{LITELLM.version}, client " if name.startswith(_PROXY) else ""
        return Found(name, through + version, said)
    except (EnvironmentFailed, subprocess.TimeoutExpired, OSError) as error:
        return Found(name, "–", {"plain": without_paths(f"not asked: {error}")[:300]})
    except (ValueError, IndexError):
        return Found(name, "–", {"plain": without_paths(f"failed: {done.stderr}")[-300:]})


def rows_of(found: Found) -> list[Row]:
    """One row for each thing that the client was asked to do."""
    name = found.client
    return [
        Row.shown(f"{name}: version", found.version),
        *(Row.equal(f"{name}: {column}", cell, "ok") for column, cell in found.cells.items()),
    ]


def _print(found: Sequence[Found]) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table(title="Clients", title_justify="left")
    for heading in ("client", "version", *COLUMNS):
        table.add_column(heading)
    for one in found:
        cells = ("ok" if one.cells.get(c) == "ok" else "FAILED" if c in one.cells else "–" for c in COLUMNS)
        table.add_row(one.client, one.version, *cells)
    Console(width=None if sys.stdout.isatty() else 100).print(table)


def _record(found: Sequence[Found]) -> None:
    """Keep the table beside this file, with the date."""
    today = dt.datetime.now(tz=dt.UTC).date().isoformat()
    rows = [{"client": one.client, "version": one.version, "date": today, **one.cells} for one in found]
    text = "[\n" + ",\n".join("  " + json.dumps(row, ensure_ascii=False) for row in rows) + "\n]\n"
    (HERE / "recorded.json").write_text(text, encoding="utf-8")


def main(argv: Sequence[str] | None = None) -> int:
    """Run it from the command line."""
    return bench(
        "performance.server.clients",
        compute,
        argv,
        folder=HERE,
        doc=__doc__ or "",
        add_options=_add_options,
        packages=("starlette", "uvicorn"),
    )


def _add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--only", action="append", choices=list(CLIENTS), help="one client; may be repeated")
    parser.add_argument("--record", action="store_true", help="keep the table as recorded.json")
    parser.add_argument(
        "--envs", type=Path, metavar="DIR", help="where the environments are (default: the user's cache)"
    )
