"""Anthropic's protocol as pure functions on dicts and events, for the same exchange as OpenAI's."""

from __future__ import annotations

from guardrail.adapting.anthropic_api.messages import Messages

__all__ = ["Messages"]
