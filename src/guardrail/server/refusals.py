"""What the server says when it does not answer: errors in the form that the client's library reads."""

from __future__ import annotations

from collections.abc import Mapping

from starlette.responses import JSONResponse, Response

_KINDS = {
    400: "invalid_request_error",
    401: "authentication_error",
    404: "not_found_error",
    429: "rate_limit_error",
}
_FINAL = {"x-should-retry": "false"}  # OpenAI's clients ask again after 5xx unless they are told not to
LATER = frozenset({408, 429, 502, 503, 504})


class Refused(Exception):
    """A request is answered by an error of this server.

    Attributes:
        status: of HTTP.
        code: one word, for programs and for the metrics.
        headers: further ones.
    """

    def __init__(self, status: int, code: str, message: str, **headers: str) -> None:
        self.status = status
        self.code = code
        self.headers = {name.replace("_", "-"): value for name, value in headers.items()}
        super().__init__(message)

    def response(self, path: str) -> Response:
        """As the API of that path writes errors; Anthropic's has a form of its own."""
        headers = {**({} if self.status in LATER else _FINAL), **self.headers}
        return JSONResponse(self.body(path), self.status, headers)

    def body(self, path: str) -> Mapping[str, object]:
        """The error as JSON."""
        kind = _KINDS.get(self.status, "invalid_request_error" if self.status < 500 else "api_error")
        if path.startswith("/v1/messages"):
            return {"type": "error", "error": {"type": kind, "message": str(self)}}
        return {"error": {"message": str(self), "type": kind, "param": None, "code": self.code}}
