"""The other guards: which package, how it is configured, and how it is opened for the kit."""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import socket
import subprocess
import tempfile
import time
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.performance.environments import Peer
from guardrail.errors import GuardrailError
from guardrail.testing import leaks

__all__ = ["MAIL", "PACKAGES", "SETTINGS", "Package", "PeerFailed", "Setup"]

MAIL = "qwumbo.jaxterby@kyptholm.org"
"""An e-mail address, which each guard can find without a model."""

INSIDE = Path(__file__).parent / "inside"
_START = 180.0  # seconds
_ENVIRONMENT = {"PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "SSL_CERT_FILE"}


class PeerFailed(GuardrailError):
    """A peer did not start; the message says what it said."""


@dataclass(frozen=True, slots=True)
class Package(Peer):
    """A peer without torch."""

    extra: str = ""

    def requirements(self, torch: str = "") -> tuple[str, ...]:
        """For pip."""
        del torch
        return (f"{self.name}{self.extra}=={self.version}", *self.others)


PACKAGES = {
    "LiteLLM": Package("litellm", "1.108.7", extra="[proxy]"),
    "openai-guardrails": Package("openai-guardrails", "0.3.6", ("openai==3.57.0",)),
    "LangChain PIIMiddleware": Package("langchain", "1.5.2", ("langchain-openai==1.7.4", "openai==3.57.0")),
    "NeMo Guardrails": Package("nemoguardrails", "0.24.1", extra="[server]"),
}


@dataclass(frozen=True, slots=True)
class Setup:
    """One configuration of one peer.

    Attributes:
        peer: of `PACKAGES`.
        name: "default" or "safest", and what it does where there are several.
        policy: of the kit: what it does about what it finds.
        apis: that it speaks.
        about: how it is configured, in one line.
        options: for the function that opens it.
        streams: whether its documents let streams through this setting.
        shapes: that it has.
    """

    peer: str
    name: str
    policy: str
    apis: tuple[str, ...]
    about: str
    options: Mapping[str, Any]
    streams: bool = True
    shapes: tuple[str, ...] = leaks.SHAPES

    @property
    def axes(self) -> leaks.Axes:
        """The cases that it is asked."""
        deliveries = _DELIVERIES if self.streams else ("whole",)
        faults = tuple(one for one in leaks.FAULTS if one != "detector")
        return leaks.Axes(self.apis, self.shapes, deliveries, (self.policy,), faults)

    def door(self, python: Path) -> leaks.Door:
        """Opens it with the interpreter of its environment."""
        opening = {
            "LiteLLM": _litellm,
            "NeMo Guardrails": _nemo,
            "openai-guardrails": _worker,
            "LangChain PIIMiddleware": _worker,
        }[self.peer]

        @contextlib.contextmanager
        def door(setting: leaks.Setting) -> Iterator[leaks.Opened]:
            with opening(python, setting, dict(self.options)) as opened:
                yield opened

        return door


# -- LiteLLM and NeMo: servers


@contextlib.contextmanager
def _litellm(python: Path, setting: leaks.Setting, options: dict[str, Any]) -> Iterator[leaks.Opened]:
    upstream, key = setting.upstream, f"sk-{secrets.token_urlsafe(32)}"
    models = [
        {
            "model_name": "stub",
            "litellm_params": {"model": "openai/stub", "api_base": upstream, "api_key": "none"},
        }
    ]
    anthropic = {"model": "anthropic/stub", "api_base": upstream.removesuffix("/v1"), "api_key": "none"}
    models.append({"model_name": "stub-anthropic", "litellm_params": anthropic})
    guard = {
        "guardrail_name": "known",
        "litellm_params": {"mode": "post_call", "default_on": True, **options},
    }
    config = {"model_list": models, "guardrails": [guard], "litellm_settings": {"num_retries": 0}}
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "hook.py").write_text(
            (INSIDE / "hook.py").read_text(encoding="utf-8"), encoding="utf-8"
        )
        (Path(folder) / "config.yaml").write_text(json.dumps(config), encoding="utf-8")  # JSON is YAML
        port = _free_port()
        command = [
            str(python.parent / "litellm"),
            "--config",
            "config.yaml",
            "--port",
            str(port),
            "--host",
            "127.0.0.1",
        ]
        env = {
            "LITELLM_MASTER_KEY": key,
            "LEAKS_FORBIDDEN": "\n".join(setting.forbidden),
            "LITELLM_LOCAL_MODEL_COST_MAP": "True",
        }
        with _serving(command, Path(folder), port, env, "/health/liveliness"):
            url, sent = f"http://127.0.0.1:{port}/v1", {"authorization": f"Bearer {key}"}
            plain = leaks.over_http(url, headers=sent)
            anthropic_model = leaks.over_http(url, headers=sent, model="stub-anthropic")
            yield leaks.Opened(lambda case: (anthropic_model if case.api == "messages" else plain)(case))


@contextlib.contextmanager
def _nemo(python: Path, setting: leaks.Setting, options: dict[str, Any]) -> Iterator[leaks.Opened]:
    patterns = [one.replace(".", r"\.") for one in setting.forbidden]
    config = {
        "models": [
            {
                "type": "main",
                "engine": "openai",
                "model": "stub",
                "parameters": {"base_url": setting.upstream},
            }
        ],
        "rails": {
            "output": {"flows": ["regex check output"], "streaming": options},
            "config": {"regex_detection": {"output": {"patterns": patterns}}},
        },
    }
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "configs" / "known"
        place.mkdir(parents=True)
        (place / "config.yml").write_text(json.dumps(config), encoding="utf-8")
        port = _free_port()
        command = [
            str(python.parent / "nemoguardrails"), "server", "--config", str(place.parent), "--port", str(port),
            "--default-config-id", "known", "--disable-chat-ui",
        ]  # fmt: skip
        with _serving(command, Path(folder), port, {"OPENAI_API_KEY": "none"}, "/v1/health"):
            yield leaks.Opened(leaks.over_http(f"http://127.0.0.1:{port}/v1"))


@contextlib.contextmanager
def _serving(
    command: Sequence[str], folder: Path, port: int, env: Mapping[str, str], healthy: str
) -> Iterator[None]:
    """A server in a process of its own, from when it is healthy."""
    log = folder / "log.txt"
    with log.open("wb") as out:
        child = subprocess.Popen(  # noqa: S603  # a peer of the table
            command, cwd=folder, env=_environment(env), stdout=out, stderr=subprocess.STDOUT
        )
    try:
        until = time.monotonic() + _START
        while not _is_healthy(f"http://127.0.0.1:{port}{healthy}"):
            if child.poll() is not None or time.monotonic() > until:
                told = log.read_text(encoding="utf-8", errors="replace").strip().splitlines()[-3:]
                raise PeerFailed(f"{Path(command[0]).name} did not start; it said: {' / '.join(told)}")
            time.sleep(0.5)
        yield
    finally:
        child.terminate()
        try:
            child.wait(timeout=20)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()


def _is_healthy(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=5) as response:  # noqa: S310  # this machine
            return bool(response.status == 200)
    except OSError:
        return False


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def _environment(more: Mapping[str, str]) -> dict[str, str]:
    """Of a child: nothing of ours, so that it imports its own packages and finds no key."""
    return {**{name: value for name, value in os.environ.items() if name in _ENVIRONMENT}, **more}


# -- the others: libraries


@contextlib.contextmanager
def _worker(python: Path, setting: leaks.Setting, options: dict[str, Any]) -> Iterator[leaks.Opened]:
    script = INSIDE / options.pop("script")
    with tempfile.TemporaryDirectory() as folder, (Path(folder) / "log.txt").open("w+b") as log:
        child = subprocess.Popen(  # noqa: S603  # a peer of the table
            [str(python), str(script)], cwd=folder, env=_environment({}), text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log,
        )  # fmt: skip

        def ask(case: leaks.Case) -> leaks.Reply:
            job = {
                **options, "api": case.api, "shape": case.shape, "body": leaks.request(case), "upstream": setting.upstream,
                "forbidden": list(setting.forbidden),
            }  # fmt: skip
            into: Any = child.stdin
            out: Any = child.stdout
            into.write(json.dumps(job) + "\n")
            into.flush()
            if not (line := out.readline()):
                log.seek(0)
                told = log.read().decode("utf-8", "replace").strip().splitlines()[-3:]
                raise PeerFailed(f"{script.name} stopped; it said: {' / '.join(told)}")
            found = json.loads(line)
            error = found["error"]
            items = [*found["items"], *([error] if error else [])]
            return leaks.Reply(500 if error else 200, json.dumps(items), items=items, ended=not error)

        with child:
            try:
                yield leaks.Opened(ask)
            finally:
                child.terminate()


# -- what is run

_THREE = ("chat", "responses", "messages")
_TWO = ("chat", "responses")
_ONE_CHOICE = tuple(one for one in leaks.SHAPES if one != "many")
_TEXT = (
    "text",
    "structured",
    "logprobs",
    "reasoning",
)  # it gives one choice always, and refuses tools but in passthrough
_DELIVERIES = ("whole", "words", "characters", "halves")


def _filter(action: str) -> dict[str, Any]:
    pattern = {"pattern_type": "prebuilt", "pattern_name": "email", "action": action}
    return {"guardrail": "litellm_content_filter", "patterns": [pattern]}


def _hook(name: str) -> dict[str, Any]:
    return {"guardrail": f"hook.{name}"}


def _pii(strategy: str, *, events: bool) -> dict[str, Any]:
    return {"script": "langchain_worker.py", "strategy": strategy, "events": events}


def _keywords(*, safest: bool) -> dict[str, Any]:
    return {"script": "openai_guardrails_worker.py", "safest": safest}


_LITELLM = "LiteLLM"
_PII = "LangChain PIIMiddleware"
SETTINGS = (
    Setup(_LITELLM, "default, own filter", "remove", _THREE,
          "litellm_content_filter, mode post_call, prebuilt pattern email with action MASK", _filter("MASK")),
    Setup(_LITELLM, "default, own filter", "block", _THREE,
          "litellm_content_filter, mode post_call, prebuilt pattern email with action BLOCK", _filter("BLOCK")),
    Setup(_LITELLM, "default, hook", "remove", _THREE,
          "CustomGuardrail.apply_guardrail that replaces the text, mode post_call", _hook("Rewriting")),
    Setup(_LITELLM, "safest, hook", "remove", _THREE,
          "the same with streaming_transform_mode incremental_diff, streaming_buffer_until_moderated and stream_holdback_chars",
          _hook("RewritingSafest")),
    Setup(_LITELLM, "default, hook", "block", _THREE,
          "CustomGuardrail.apply_guardrail that raises HTTPException 400, mode post_call", _hook("Blocking")),
    Setup(_LITELLM, "safest, hook", "block", _THREE,
          "the same with streaming_buffer_until_moderated", _hook("BlockingSafest")),
    Setup("openai-guardrails", "default", "block", _TWO,
          "GuardrailsOpenAI, Keyword Filter on the output", _keywords(safest=False)),
    Setup("openai-guardrails", "safest", "block", _TWO,
          "the same with raise_guardrail_errors=True and without streams, as its documents advise", _keywords(safest=True),
          streams=False),
    Setup(_PII, "default", "remove", _TWO,
          "PIIMiddleware('email', apply_to_output=True), strategy redact; agent.stream(stream_mode='messages')",
          _pii("redact", events=False), shapes=_ONE_CHOICE),
    Setup(_PII, "safest", "remove", _TWO,
          "the same; streams by agent.stream_events(version='v3'), which its stream transformer edits",
          _pii("redact", events=True), shapes=_ONE_CHOICE),
    Setup(_PII, "default", "block", _TWO,
          "strategy block; agent.stream(stream_mode='messages')", _pii("block", events=False), shapes=_ONE_CHOICE),
    Setup(_PII, "safest", "block", _TWO,
          "strategy block; streams by agent.stream_events(version='v3')", _pii("block", events=True), shapes=_ONE_CHOICE),
    Setup("NeMo Guardrails", "default", "block", ("chat",),
          "server, output rail 'regex check output', streaming enabled, stream_first as it is by default (True)", {"enabled": True},
          shapes=_TEXT),
    Setup("NeMo Guardrails", "safest", "block", ("chat",),
          "the same with stream_first: False", {"enabled": True, "stream_first": False}, shapes=_TEXT),
)  # fmt: skip
