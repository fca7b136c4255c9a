"""What is measured against each other: the stub by itself, and three proxies in front of it."""

from __future__ import annotations

import contextlib
import json
import secrets
import socket
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.performance.environments import Peer, installed
from benchmarks.performance.server.load import request
from benchmarks.performance.server.processes import Process, module, started

__all__ = ["LITELLM", "Target", "bare", "guarded", "litellm", "litellm_proxy", "stub"]

LITELLM = Peer("litellm", "1.108.7", ("litellm[proxy]==1.108.7",))
QUESTION = (
    "Which rivers flow north, how long are they, and where do they end? Answer in a few sentences, please."
)


@dataclass(frozen=True)
class Target:
    """Something that answers chat completions.

    Attributes:
        name: for rows.
        process: its processes; `None` where they are not counted.
        url: without `/v1`.
        headers: that a client sends.
    """

    name: str
    process: Process | None
    url: str
    headers: Mapping[str, str] = field(default_factory=dict)

    def request(self, number: int, *, stream: bool = False) -> bytes:
        """A question with its number."""
        body = {"model": "m", "messages": [{"role": "user", "content": f"{number}. {QUESTION}"}]}
        more = {"stream": True} if stream else {}
        return request(self.url, "/v1/chat/completions", {**body, **more}, **self.headers)

    def seconds(self) -> float:
        """Processor time so far."""
        return self.process.seconds() if self.process else 0.0


def stub(base_url: str) -> Target:
    """The upstream itself."""
    return Target("stub", None, base_url.removesuffix("/v1"))


@contextlib.contextmanager
def bare(base_url: str) -> Iterator[Target]:
    """The 40-line proxy."""
    with started(module("proxy", base_url), ready="/v1/models") as process:
        yield Target("bare proxy", process, process.url)


@contextlib.contextmanager
def guarded(base_url: str, guard: str, **settings: object) -> Iterator[Target]:
    """Our server with one of this benchmark's guards."""
    command = module("guarded", base_url, guard, json.dumps(settings))
    with started(command, ready="/readyz") as process:
        yield Target("guardrail serve", process, process.url)


@contextlib.contextmanager
def litellm_proxy(python: Path, config: Mapping[str, object]) -> Iterator[Target]:
    """LiteLLM's proxy with a configuration, which is JSON and so YAML, and with a key of its own."""
    key = f"sk-{secrets.token_urlsafe(32)}"
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    environment = {
        "LITELLM_MASTER_KEY": key,
        "LITELLM_LOCAL_MODEL_COST_MAP": "True",  # nothing is fetched
        "LITELLM_LOG": "CRITICAL",
        "NO_PROXY": "127.0.0.1",
        "PYTHONPATH": "",
        "DISABLE_SCHEMA_UPDATE": "true",
    }
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "litellm.yaml"
        path.write_text(json.dumps(config), encoding="utf-8")
        command = [str(python.parent / "litellm"), "--config", str(path), "--host", "127.0.0.1"]
        command += ["--port", str(port), "--telemetry", "False"]
        url = f"http://127.0.0.1:{port}"
        with started(
            command, ready="/health/liveliness", url=url, environment=environment, seconds=240
        ) as process:
            yield Target("LiteLLM proxy", process, url, {"authorization": f"Bearer {key}"})


def models(base_url: str) -> dict[str, object]:
    """LiteLLM's configuration of one model, asked over OpenAI's protocol."""
    asked = {"model": "openai/m", "api_base": base_url, "api_key": "none"}
    return {
        "model_list": [{"model_name": "m", "litellm_params": asked}],
        "litellm_settings": {"num_retries": 0, "telemetry": False},
    }


@contextlib.contextmanager
def litellm(base_url: str, environments: Path) -> Iterator[Target]:
    """LiteLLM's proxy without guardrails, in an environment that is made if need be."""
    python = installed(LITELLM, environments, torch="")
    with litellm_proxy(python, models(base_url)) as target:
        yield target
