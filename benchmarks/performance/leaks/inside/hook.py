"""LiteLLM's custom guardrail, as its documents write one: it knows the forbidden texts. Runs inside the proxy.

Each class has its own `apply_guardrail`: the proxy does not see an inherited one.
"""

import os
from typing import Any

from fastapi import HTTPException  # type: ignore[import-not-found,unused-ignore]
from litellm.integrations.custom_guardrail import (  # type: ignore[import-not-found,unused-ignore]
    CustomGuardrail,
)

FORBIDDEN = os.environ["LEAKS_FORBIDDEN"].split("\n")
LONGEST = max(map(len, FORBIDDEN))


def rewritten(inputs: Any, kind: str) -> Any:
    """The inputs with the texts replaced, where they are an answer's."""
    if kind == "request":
        return inputs
    texts = list(inputs.get("texts", []))
    for one in FORBIDDEN:
        texts = [text.replace(one, "[removed]") for text in texts]
    return {**inputs, "texts": texts}


def refused(inputs: Any, kind: str) -> Any:
    """The inputs, unless they are an answer with such a text."""
    if kind == "response" and any(one in text for one in FORBIDDEN for text in inputs.get("texts", [])):
        raise HTTPException(status_code=400, detail={"error": "the answer was withheld"})
    return inputs


class Rewriting(CustomGuardrail):  # type: ignore[misc,unused-ignore]
    """Replaces the texts; all options as they are by default."""

    async def apply_guardrail(
        self, inputs: Any, request_data: Any, input_type: str, logging_obj: Any = None
    ) -> Any:
        """What LiteLLM calls."""
        del request_data, logging_obj
        return rewritten(inputs, input_type)


class RewritingSafest(CustomGuardrail):  # type: ignore[misc,unused-ignore]
    """The same with streams held back and rewritten."""

    streaming_transform_mode = "incremental_diff"
    streaming_buffer_until_moderated = True

    async def apply_guardrail(
        self, inputs: Any, request_data: Any, input_type: str, logging_obj: Any = None
    ) -> Any:
        """What LiteLLM calls."""
        del request_data, logging_obj
        found = rewritten(inputs, input_type)
        return {**found, "stream_holdback_chars": [LONGEST] * len(found.get("texts", []))}


class Blocking(CustomGuardrail):  # type: ignore[misc,unused-ignore]
    """Refuses the answer; all options as they are by default."""

    async def apply_guardrail(
        self, inputs: Any, request_data: Any, input_type: str, logging_obj: Any = None
    ) -> Any:
        """What LiteLLM calls."""
        del request_data, logging_obj
        return refused(inputs, input_type)


class BlockingSafest(CustomGuardrail):  # type: ignore[misc,unused-ignore]
    """The same with streams held back until they were examined."""

    streaming_buffer_until_moderated = True

    async def apply_guardrail(
        self, inputs: Any, request_data: Any, input_type: str, logging_obj: Any = None
    ) -> Any:
        """What LiteLLM calls."""
        del request_data, logging_obj
        return refused(inputs, input_type)
