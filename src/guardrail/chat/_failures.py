"""What went wrong at a provider, as a value: one table for every adapter.

Exceptions are known by the names of their classes, so that nothing is imported to read them: the clients of
OpenAI, Anthropic and others share the names, and those of httpx and httpx2 are twins.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

from guardrail.engine.flow import Cost, Failed, Reason
from guardrail.engine.retry_after import retry_after


@dataclass(frozen=True, slots=True)
class _Rule:
    """What a class of exceptions means.

    Attributes:
        reason: of the failed reply.
        retryable: whether the same request may succeed later; `None` leaves it to the HTTP status.
        says: the beginning of the detail; `{…}` are options of the adapter.
    """

    reason: Reason = Reason.BACKEND
    retryable: bool | None = False
    says: str = ""


_KEY = "the credential was not accepted: set {key_variable} or pass {key_option}"

TABLE: Mapping[str, _Rule] = {
    # In order of httpx's and openai's trees; the most derived class of an exception that stands here counts.
    "TimeoutException": _Rule(Reason.TIMEOUT, True, "no reply in time"),
    "APITimeoutError": _Rule(Reason.TIMEOUT, True, "no reply in time"),
    "TimeoutError": _Rule(Reason.TIMEOUT, True, "no reply in time"),
    "TransportError": _Rule(retryable=True, says="the connection failed"),
    "APIConnectionError": _Rule(retryable=True, says="the connection failed"),
    "ConnectionError": _Rule(retryable=True, says="the connection failed"),
    "DecodingError": _Rule(retryable=True, says="the body could not be decoded"),
    "JSONDecodeError": _Rule(retryable=True, says="the body is no JSON"),
    "APIResponseValidationError": _Rule(retryable=True, says="the body is not of the expected shape"),
    "APIStatusError": _Rule(retryable=None, says="the service refused"),
    "HTTPStatusError": _Rule(retryable=None, says="the service refused"),
    "BadRequestError": _Rule(Reason.REFUSED, says="the request was not accepted"),
    "UnprocessableEntityError": _Rule(Reason.REFUSED, says="the request was not accepted"),
    "RequestTooLargeError": _Rule(Reason.REFUSED, says="the request is too large"),
    "AuthenticationError": _Rule(says=_KEY),
    "OAuthError": _Rule(says=_KEY),
    "SubjectTokenProviderError": _Rule(says=_KEY),
    "PermissionDeniedError": _Rule(
        says="the credential may not use this model or endpoint: check {model_option}"
    ),
    "NotFoundError": _Rule(says="no such model or endpoint: check {model_option} and {url_option}"),
    "ConflictError": _Rule(retryable=True, says="the service was busy with the same resource"),
    "RateLimitError": _Rule(retryable=True, says="too many requests"),
    "OverloadedError": _Rule(retryable=True, says="the service is overloaded"),
    "ServiceUnavailableError": _Rule(retryable=True, says="the service is overloaded"),
    "DeadlineExceededError": _Rule(Reason.TIMEOUT, True, "no reply in time"),
    "InternalServerError": _Rule(retryable=True, says="the service failed"),
    "LengthFinishReasonError": _Rule(Reason.REFUSED, says="the reply reached its length limit"),
    "ContentFilterFinishReasonError": _Rule(Reason.REFUSED, says="the content filter took the reply"),
    "OutputParserException": _Rule(retryable=True, says="the reply could not be read"),
    # Of openai's other interfaces; a chat completion does not raise them, a client's own transport may.
    "WebSocketConnectionClosedError": _Rule(retryable=True, says="the connection failed"),
    "WebSocketQueueFullError": _Rule(retryable=True, says="the connection is overloaded"),
    "InvalidWebhookSignatureError": _Rule(says="a webhook's signature is wrong"),
    "APIError": _Rule(says="the service failed"),
    "OpenAIError": _Rule(says="the client failed"),
    "AnthropicError": _Rule(says="the client failed"),
}

_BY_STATUS = {
    400: "BadRequestError",
    401: "AuthenticationError",
    403: "PermissionDeniedError",
    404: "NotFoundError",
    408: "APITimeoutError",
    409: "ConflictError",
    422: "UnprocessableEntityError",
    429: "RateLimitError",
}

_PERMANENT = frozenset({"insufficient_quota", "billing_hard_limit_reached", "billing_not_active"})
_FILTERED = frozenset({"content_filter", "content_policy_violation", "ResponsibleAIPolicyViolation"})


def provider_failure(
    error: BaseException,
    *,
    options: Mapping[str, str],
    cost: Cost,
    secret: str = "",
    timeout: float | None = None,
) -> Failed:
    """An exception of a provider's client, as a value.

    Args:
        error: the exception.
        options: what the messages name: key_variable, key_option, model_option, url_option.
        cost: what was spent.
        secret: a credential, taken out of whatever the service repeats.
        timeout: the time limit, for the message.
    """
    rule = _rule(error)
    if rule is None:
        detail = f"{type(error).__name__}: {error}"
        return Failed(Reason.BACKEND, _clean(detail, secret), cost=cost, error=error)
    code = _code(error)
    retryable, reason = rule.retryable, rule.reason
    if retryable is None:
        retryable = _status(error) in {408, 409, 425, 429} or _status(error) >= 500
    if code in _PERMANENT:
        retryable = False
    if code in _FILTERED:
        reason, retryable = Reason.REFUSED, False
    says = rule.says.format(**options)
    if reason is Reason.TIMEOUT and timeout is not None:
        says = f"no reply in {timeout:g} s"
    words = _clean(_message(error), secret)
    status = f" (HTTP {_status(error)})" if _status(error) else ""
    return Failed(
        reason,
        f"{says}{status}: {words}" if words else f"{says}{status}",
        retryable=retryable,
        retry_after=retry_after(_headers(error)) if retryable else None,
        cost=cost,
        error=error,
    )


_WITHIN: Mapping[str, _Rule] = {
    "ServerTimeoutError": TABLE["TimeoutError"],
    "ClientConnectionError": TABLE["ConnectionError"],
}
"""Of aiohttp's tree: openai's transport over it calls a refused or broken connection a timeout."""

_DEEPEST = 8  # causes of causes that are looked at


def _rule(error: BaseException) -> _Rule | None:
    if (within := _within(error)) is not None:
        return within[1]
    for kind in type(error).__mro__:
        name = kind.__name__
        if name in {"APIStatusError", "HTTPStatusError"}:
            return TABLE.get(_BY_STATUS.get(_status(error), name), TABLE[name])
        if name in TABLE:
            return TABLE[name]
    status = _status(error)  # a client of another family that at least has a status
    return TABLE[_BY_STATUS.get(status, "APIStatusError")] if status >= 400 else None


def _within(error: BaseException) -> tuple[BaseException, _Rule] | None:
    """What an exception was raised from, and its meaning, where that is told by the cause alone."""
    cause = error.__cause__
    for _ in range(_DEEPEST):
        if cause is None:
            return None
        for kind in type(cause).__mro__:
            if kind.__name__ in _WITHIN:
                return cause, _WITHIN[kind.__name__]
        cause = cause.__cause__
    return None


def _status(error: BaseException) -> int:
    response = getattr(error, "response", None)
    for found in (
        getattr(error, "status_code", None),
        getattr(response, "status_code", None),
        getattr(error, "code", None),
    ):
        if isinstance(found, int) and not isinstance(found, bool) and 100 <= found < 600:
            return int(found)
    return 0


def _code(error: BaseException) -> str:
    code = getattr(error, "code", None)
    return code if isinstance(code, str) else ""


def _headers(error: BaseException) -> Mapping[str, str]:
    headers = getattr(getattr(error, "response", None), "headers", None)
    return headers if isinstance(headers, Mapping) else {}


def _message(error: BaseException) -> str:
    """The service's own words, shortly, with the cause where the client hides it."""
    told = service_words(error)
    if told:
        return told[:300]
    if (within := _within(error)) is not None:
        return f"{type(within[0]).__name__}: {' '.join(str(within[0]).split())}"[:300]
    words = " ".join(str(error).split())[:300]
    cause = error.__cause__ if type(error).__name__ == "APIConnectionError" else None
    return f"{words} {type(cause).__name__}: {cause}"[:300] if cause is not None else words


def service_words(error: BaseException) -> str:
    """What the service said itself, in one line: OpenAI's "message", or the "detail" of FastAPI; "" if neither is there."""
    body = getattr(error, "body", None)
    known = body if isinstance(body, Mapping) else {}
    told = next((known[name] for name in ("message", "detail") if known.get(name)), "")
    return " ".join((told if isinstance(told, str) else json.dumps(told, default=repr)).split())


def _clean(text: str, secret: str) -> str:
    return text.replace(secret, "…") if len(secret) > 3 else text
