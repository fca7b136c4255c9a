"""What users give to a model behind OpenAI's protocol, refused before anything is opened."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from guardrail.errors import ConfigError
from guardrail.given.recognition import is_of, shown, written
from guardrail.options import number


def refuse_wrong(
    kind: str,
    *,
    model: Any,
    base_url: Any,
    api_key: Any,
    client: Any,
    async_client: Any,
    timeout: Any,
    concurrency: Any,
    options: Any,
) -> None:
    """Refuse what cannot be used; `kind` is the name of the class that was called, the rest its arguments.

    Raises:
        ConfigError: one of them is wrong; the message says what to write.
    """
    if not isinstance(model, str) or not model.strip():
        more = {"openai:OpenAI": ", client=client", "openai:AsyncOpenAI": ", async_client=client"}
        behind = next((words for name, words in more.items() if is_of(model, name)), "")
        raise ConfigError(
            f"{kind} takes a model's name first, got {shown(model)}: write {kind}('gpt-5-mini'{behind})"
        )
    _refuse_client("client", client, "openai:AsyncOpenAI", "async_client=client")
    _refuse_client("async_client", async_client, "openai:OpenAI", "client=client")
    if base_url is not None and not str(base_url).startswith(("http://", "https://")):
        near = written(base_url, "'localhost:8000/v1'").strip("'\"")
        raise ConfigError(
            f"base_url= takes an address, got {shown(base_url)}: write base_url='http://{near}'"
        )
    if api_key is not None and not isinstance(api_key, str):
        raise ConfigError(f"api_key= takes a text, got {type(api_key).__name__}: write api_key='…'")
    number("timeout", timeout, above=0)
    number("concurrency", concurrency, least=1, whole=True)
    if options is not None and not isinstance(options, Mapping):
        raise ConfigError(
            f"options= takes a dict of fields, got {shown(options)}: write options={{'seed': 1}}"
        )


def _refuse_client(name: str, given: Any, other: str, instead: str) -> None:
    if isinstance(given, type):
        instead = f"{name}={given.__name__}()"
    elif not is_of(given, other) and not isinstance(given, str | Mapping):
        return
    elif not is_of(given, other):
        instead = f"{name}=client, a client of openai"
    found = "a text" if isinstance(given, str) else shown(given)  # which may be a key
    raise ConfigError(f"{name}= takes a client of openai, got {found}: write {instead}")
