"""OpenAI's protocol as pure functions on dicts and bytes, and the exchange that a guard has over it.

`route` says what is done with a request, a `Codec` how it is read; `Exchange` examines each choice of a response, asks again where the policy wants it,
and gives the body to hand out; a codec writes it as JSON or as the events of a stream. Nothing here knows an HTTP
library: a client's transport and a server do the sending. The exchange and the codec's interface are those of every protocol (`guardrail.adapting.codec`).
"""

from __future__ import annotations

from guardrail.adapting.codec import Choice, Codec, Incoming, NotReadable, Piecewise, read_stream
from guardrail.adapting.errors import has_answer, without_text
from guardrail.adapting.exchange import Exchange, Settled
from guardrail.adapting.openai_api.chat import ChatCompletions
from guardrail.adapting.openai_api.responses import Responses
from guardrail.adapting.openai_api.routes import Route, allowed, error_body, route
from guardrail.adapting.sentence_exchange import SentenceExchange, why_buffered
from guardrail.adapting.sentence_release import warn_if_buffered
from guardrail.adapting.watching import Watch

__all__ = [
    "ChatCompletions",
    "Choice",
    "Codec",
    "Exchange",
    "Incoming",
    "NotReadable",
    "Piecewise",
    "Responses",
    "Route",
    "SentenceExchange",
    "Settled",
    "Watch",
    "allowed",
    "error_body",
    "has_answer",
    "read_stream",
    "route",
    "warn_if_buffered",
    "why_buffered",
    "without_text",
]
