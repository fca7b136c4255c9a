"""The table of providers' errors."""

import inspect

import aiohttp
import httpx
import httpx2
import openai
import pytest

from guardrail.chat._failures import TABLE, provider_failure
from guardrail.engine.flow import Cost, Reason

OPTIONS = {"key_variable": "KEY", "key_option": "key=", "model_option": "model", "url_option": "url="}
REQUEST = httpx2.Request("POST", "http://x")


def failed(error):
    return provider_failure(error, options=OPTIONS, cost=Cost(calls=1), secret="sk-secret")


def status(code, kind=openai.APIStatusError, body=None, headers=()):
    response = httpx2.Response(code, request=REQUEST, headers=dict(headers))
    return kind("words", response=response, body=body)


def openai_errors():
    found = [*inspect.getmembers(openai, inspect.isclass)]
    found += inspect.getmembers(openai._exceptions, inspect.isclass)
    kinds = {
        kind for _, kind in found if issubclass(kind, Exception) and kind.__module__.startswith("openai")
    }
    return sorted((k for k in kinds if not k.__name__.startswith("_")), key=lambda k: k.__name__)


class TestTable:
    def test_every_exception_of_openai_is_in_it(self):
        """A new one fails here, and is decided by a person."""
        names = [kind.__name__ for kind in openai_errors()]
        assert names
        assert [name for name in names if name not in TABLE] == []

    def test_every_line_can_be_said(self):
        """No option is missing in a message."""
        for rule in TABLE.values():
            rule.says.format(**OPTIONS)


class TestFailure:
    @pytest.mark.parametrize(
        ("error", "reason", "retryable"),
        [
            (openai.APITimeoutError(REQUEST), Reason.TIMEOUT, True),
            (openai.APIConnectionError(request=REQUEST), Reason.BACKEND, True),
            (httpx.ReadTimeout("slow"), Reason.TIMEOUT, True),
            (httpx2.RemoteProtocolError("cut"), Reason.BACKEND, True),
            (TimeoutError(), Reason.TIMEOUT, True),
            (ConnectionResetError(), Reason.BACKEND, True),
            (status(429, openai.RateLimitError), Reason.BACKEND, True),
            (status(429, openai.RateLimitError, {"code": "insufficient_quota"}), Reason.BACKEND, False),
            (status(400, openai.BadRequestError), Reason.REFUSED, False),
            (status(400, openai.BadRequestError, {"code": "content_filter"}), Reason.REFUSED, False),
            (status(401, openai.AuthenticationError), Reason.BACKEND, False),
            (status(403, openai.PermissionDeniedError), Reason.BACKEND, False),
            (status(404, openai.NotFoundError), Reason.BACKEND, False),
            (status(409, openai.ConflictError), Reason.BACKEND, True),
            (status(500, openai.InternalServerError), Reason.BACKEND, True),
            (status(529), Reason.BACKEND, True),
            (status(418), Reason.BACKEND, False),
            (ValueError("a bug"), Reason.BACKEND, False),
        ],
    )
    def test_maps(self, error, reason, retryable):
        """Reason and whether to ask again; the exception goes along."""
        found = failed(error)
        assert (found.reason, found.retryable, found.error) == (reason, retryable, error)
        assert found.cost == Cost(calls=1)
        assert found.detail

    @pytest.mark.parametrize(
        ("cause", "reason", "says"),
        [
            (
                aiohttp.ServerDisconnectedError(),
                Reason.BACKEND,
                "the connection failed: ServerDisconnectedError",
            ),
            (
                aiohttp.ConnectionTimeoutError("slow"),
                Reason.TIMEOUT,
                "no reply in time: ConnectionTimeoutError",
            ),
            (ValueError("odd"), Reason.TIMEOUT, "no reply in time: Request timed out"),
        ],
    )
    def test_what_a_transport_hides(self, cause, reason, says):
        """openai's transport over aiohttp calls every broken connection a timeout; the cause tells."""
        between, error = httpx2.ConnectTimeout("timed out"), openai.APITimeoutError(REQUEST)
        between.__cause__, error.__cause__ = cause, between
        found = failed(error)
        assert (found.reason, found.retryable) == (reason, True)
        assert found.detail.startswith(says)

    def test_reads_a_stranger_by_its_status(self):
        """A provider's client that nobody knows here."""

        class Throttled(Exception):
            status_code = 429

        assert failed(Throttled()).retryable

    def test_says_what_to_set(self):
        """And in the service's words what was wrong, without the credential."""
        error = status(401, openai.AuthenticationError, {"message": "bad key sk-secret\nsee docs"})
        assert failed(error).detail == (
            "the credential was not accepted: set KEY or pass key= (HTTP 401): bad key … see docs"
        )

    def test_waits_as_asked(self):
        """Seconds of the header, for failures that may pass."""
        headers = [("retry-after", "7")]
        assert failed(status(429, openai.RateLimitError, headers=headers)).retry_after == 7
        assert failed(status(503, openai.InternalServerError, headers=headers)).retry_after == 7
        assert failed(status(400, openai.BadRequestError, headers=headers)).retry_after is None

    @pytest.mark.parametrize(
        ("body", "said"),
        [
            ({"message": "no  such\nthing"}, "no such thing"),
            ({"detail": "Unexpected fields: {'top_k'}"}, "Unexpected fields: {'top_k'}"),
            (
                {"detail": [{"loc": ["body", "n"], "msg": "too many"}]},
                '[{"loc": ["body", "n"], "msg": "too many"}]',
            ),
            ({"detail": None}, "words"),
            ("<html>", "words"),
        ],
    )
    def test_the_services_own_words_are_told(self, body, said):
        """OpenAI's message, FastAPI's detail, else what the client says."""
        assert failed(status(422, openai.UnprocessableEntityError, body)).detail.endswith(
            f"(HTTP 422): {said}"
        )
