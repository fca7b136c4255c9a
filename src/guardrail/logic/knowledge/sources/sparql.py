"""A polite client of a SPARQL service: one request at a time, a pause between them, waiting when the service says so."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any, Self, TypeAlias

import httpx
import tenacity

from guardrail._version import __version__
from guardrail.engine.retry_after import retry_after
from guardrail.errors import BackendError

WIKIDATA = "https://query.wikidata.org/sparql"
AGENT = f"guardrail-sdk/{__version__} (knowledge import) python-httpx/{httpx.__version__}"
MAXLAG = "5"  # seconds: a service whose copies are further behind refuses, and is asked later
ATTEMPTS = 8  # of one request
TIMEOUT = 90.0  # seconds for one reply
LONGEST = 300.0  # seconds that a Retry-After may make us wait

Row: TypeAlias = Mapping[str, Mapping[str, str]]
"""One solution: per variable its `type`, `value`, and perhaps `xml:lang` and `datatype`."""


class Sparql:
    """A SPARQL endpoint that answers in JSON.

    Args:
        endpoint: its address.
        contact: how its operators can reach you (an address or a page); they ask for it in the User-Agent.
        pause: seconds between requests.
        sleep: how to wait; tests give their own.
    """

    def __init__(
        self,
        endpoint: str = WIKIDATA,
        *,
        contact: str = "",
        pause: float = 1.0,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        agent = f"{AGENT} {contact}".strip()
        headers = {"User-Agent": agent, "Accept": "application/sparql-results+json"}
        self.endpoint = endpoint
        self._client = httpx.Client(headers=headers, timeout=TIMEOUT, follow_redirects=False)
        self._pause = pause
        self._sleep = sleep
        self._asked = False

    def close(self) -> None:
        """Close the connection."""
        self._client.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def query(self, text: str) -> list[Row]:
        """The solutions of a query.

        Raises:
            BackendError: refused, or failed as often as may be tried.
        """
        if self._asked:
            self._sleep(self._pause)
        self._asked = True
        backoff = tenacity.wait_random_exponential(multiplier=1, max=60)

        def wait(state: tenacity.RetryCallState) -> float:
            error = state.outcome.exception() if state.outcome else None
            told = error.retry_after if isinstance(error, BackendError) else None
            return min(told, LONGEST) if told is not None else backoff(state)

        for attempt in tenacity.Retrying(
            retry=tenacity.retry_if_exception(lambda e: isinstance(e, BackendError) and e.retryable),
            stop=tenacity.stop_after_attempt(ATTEMPTS),
            wait=wait,
            sleep=self._sleep,
            reraise=True,
        ):
            with attempt:
                return self._once(text)
        raise AssertionError("not reached: Retrying raises")

    def _once(self, text: str) -> list[Row]:
        try:
            reply = self._client.post(
                self.endpoint, params={"format": "json", "maxlag": MAXLAG}, data={"query": text}
            )
        except httpx.HTTPError as error:
            raise BackendError(f"{self.endpoint}: no answer: {error!r}", retryable=True) from error
        if reply.status_code == 429 or reply.status_code >= 500:
            raise self._refused(reply, retryable=True)
        if not reply.is_success:
            raise self._refused(reply, retryable=False)
        try:
            content: Any = reply.json()
        except ValueError as error:  # a query that times out half-way ends in the middle of the JSON
            raise BackendError(
                f"{self.endpoint}: expected JSON to its end, got {reply.text[-80:]!r}", retryable=True
            ) from error
        if isinstance(content, dict) and "error" in content:
            raise self._refused(reply, retryable=content["error"].get("code") in {"maxlag", "ratelimited"})
        try:
            rows: list[Row] = content["results"]["bindings"]
        except (KeyError, TypeError) as error:
            raise BackendError(
                f"{self.endpoint}: expected results of SPARQL in JSON, got {reply.text[:80]!r}. Is it the address "
                "of a SPARQL service?"
            ) from error
        return rows

    def _refused(self, reply: httpx.Response, *, retryable: bool) -> BackendError:
        said = " ".join(reply.text.split())[:160]
        return BackendError(
            f"{self.endpoint}: expected results, got {reply.status_code}: {said!r}",
            retryable=retryable,
            retry_after=retry_after(reply.headers),
        )
