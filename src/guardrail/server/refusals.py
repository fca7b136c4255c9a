"""What the server says when it does not answer: errors in the form that the client's library reads."""

from __future__ import annotations

from collections.abc import Mapping

from starlette.responses import JSONResponse, Response

from guardrail._log import log

_KINDS = {
    400: "invalid_request_error",
    401: "authentication_error",
    404: "not_found_error",
    429: "rate_limit_error",
}
_FINAL = {"x-should-retry": "false"}  # OpenAI's clients ask again after 5xx unless they are told not to
_FAULTS = frozenset({502, 503, 504})
LATER = frozenset({408, 429, 502, 503, 504})


class Refused(Exception):
    """A request is answered by an error of this server.

    Attributes:
        status: of HTTP.
        code: one word, for programs and for the metrics.
        headers: further ones.
        is_logged: whether there is a line about it in the log.
    """

    def __init__(self, status: int, code: str, message: str, **headers: str) -> None:
        self.status = status
        self.code = code
        self.is_logged = False
        self.headers = {name.replace("_", "-"): value for name, value in headers.items()}
        super().__init__(message)

    def response(self, path: str) -> Response:
        """As the API of that path writes errors; Anthropic's has a form of its own."""
        headers = {**({} if self.status in LATER else _FINAL), **self.headers}
        return JSONResponse(self.body(path), self.status, headers)

    def log(self, route: str) -> None:
        """One line for the operator, where it is a fault of the upstream or a limit of this server, not the client's."""
        if self.is_logged or self.status not in _FAULTS:
            return
        self.is_logged = True
        why = (
            {"why": str(self)} if self.code == "upstream_unreachable" else {}
        )  # others may quote the upstream
        event = "upstream_failed" if self.code.startswith("upstream_") else "not_answered"
        log.warning(event, route=route, status=self.status, code=self.code, **why)

    def body(self, path: str) -> Mapping[str, object]:
        """The error as JSON."""
        kind = _KINDS.get(self.status, "invalid_request_error" if self.status < 500 else "api_error")
        if path.startswith("/v1/messages"):
            return {"type": "error", "error": {"type": kind, "message": str(self)}}
        return {"error": {"message": str(self), "type": kind, "param": None, "code": self.code}}
