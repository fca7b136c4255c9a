"""openai-guardrails, as its documents show it: its client with the Keyword Filter on the output."""

import json
from typing import Any

from guardrails import GuardrailsOpenAI  # type: ignore[import-not-found]
from loop import work  # type: ignore[import-not-found]


def answer(job: Any, items: list[Any]) -> None:
    """Append what the client gives."""
    checked = [{"name": "Keyword Filter", "config": {"keywords": job["forbidden"]}}]
    pipeline = {"version": 1, "output": {"version": 1, "guardrails": checked}}
    client = GuardrailsOpenAI(
        config=pipeline,
        raise_guardrail_errors=job["safest"],
        base_url=job["upstream"],
        api_key="none",
        max_retries=0,
        timeout=20,
    )
    create = client.chat.completions.create if job["api"] == "chat" else client.responses.create
    found = create(**job["body"])
    for one in found if job["body"]["stream"] else [found]:
        items.append(json.loads(one.model_dump_json()))  # noqa: PERF401  # what came before an error counts


work(answer)
