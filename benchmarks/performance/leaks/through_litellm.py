"""The leak matrix through a LiteLLM proxy that asks `guardrail serve` about every answer: chat completions, whole and in streams.

`python -m benchmarks.performance.leaks.through_litellm` installs LiteLLM into an environment of its own. Streams are shown as settled
by the server (`stream_holdback_chars`); nothing else keeps them back. It prints a table for each policy and what a stream came in.
"""

from __future__ import annotations

import contextlib
import json
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path

from benchmarks.performance.environments import installed
from benchmarks.performance.leaks.ours import server
from benchmarks.performance.server.targets import LITELLM, Target, litellm_proxy, models
from guardrail.testing import leaks

_POLICIES = ("remove", "annotate")
_MARK = "made up"


def config(upstream: str, ours: str) -> dict[str, object]:
    """LiteLLM's configuration: it asks about every chunk."""
    guardrail = {
        "guardrail": "generic_guardrail_api",
        "mode": ["pre_call", "post_call"],
        "api_base": ours,
        "unreachable_fallback": "fail_closed",
        "fail_on_error": True,
        "default_on": True,
        "streaming_transform_mode": "incremental_diff",
        "streaming_sampling_rate": 1,
    }
    return {
        **models(upstream),
        "guardrails": [{"guardrail_name": "guardrail", "litellm_params": guardrail}],
    }


def texts(reply: leaks.Reply) -> list[str]:
    """The pieces of the answer in a stream."""
    choices = [one for item in reply.read() for one in item.get("choices") or ()]
    return [text for one in choices if (text := (one.get("delta") or {}).get("content"))]


@contextlib.contextmanager
def asking(python: Path, stub: leaks.StubUpstream, policy: str, *, by_sentence: bool) -> Iterator[leaks.Ask]:
    """A way to ask the proxy, in front of our server, in front of the stub."""
    setting = leaks.Setting(stub.url, policy, False, leaks.FORBIDDEN, _MARK)  # no check breaks
    with (
        server(setting, by_sentence=by_sentence) as ours,
        litellm_proxy(python, config(stub.url, ours.removesuffix("/v1"))) as proxy,
    ):
        yield over(proxy)


def over(proxy: Target) -> leaks.Ask:
    """Over HTTP, with the proxy's key."""
    return leaks.over_http(f"{proxy.url}/v1", headers=dict(proxy.headers), model="m")


def door(ask: leaks.Ask) -> leaks.Door:
    """One that is open already."""

    def opened(setting: leaks.Setting) -> AbstractContextManager[leaks.Opened]:
        del setting
        return contextlib.nullcontext(leaks.Opened(ask))

    return opened


def main(argv: list[str]) -> int:
    """Run it; the only argument is where the environment is made."""
    envs = Path(argv[0]) if argv else Path.home() / ".cache" / "guardrail-peers"
    python, ok = installed(LITELLM, envs, torch=""), True
    with leaks.upstream() as stub:
        for policy, by_sentence in ((p, s) for p in _POLICIES for s in (True, False)):
            axes = leaks.Axes(
                apis=["chat"],
                shapes=["text", "tools"],
                deliveries=["whole", "words", "characters", "halves"],
                policies=[policy],
                faults=["clean"],
            )
            with asking(python, stub, policy, by_sentence=by_sentence) as ask:
                found = leaks.matrix(door(ask), axes=axes, stub=stub)
                case = leaks.Case("chat", "text", "words", policy)
                stub.play(case)
                pieces = texts(ask(case))
            sys.stdout.write(
                f"judged by {'sentence' if by_sentence else 'answer'}\n{found}\n{json.dumps(pieces)}\n\n"
            )
            ok = ok and found.ok
    return 0 if ok else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
