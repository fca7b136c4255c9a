"""What all sources share. A source's own file has two things to say: which requests, and how to read the replies."""

from __future__ import annotations

import json
import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from typing import Any, ClassVar, TypeAlias

import httpx

from guardrail.errors import ConfigError
from guardrail.references.bibliography.matching import judge
from guardrail.references.bibliography.records import Record, Reference, Status
from guardrail.references.sources.client import Client, Count, Manners, Query
from guardrail.references.sources.guarded import Guarded
from guardrail.references.sources.memory import Memory
from guardrail.references.sources.pace import Clock

Searches: TypeAlias = Iterator[tuple[Query, Callable[[bytes], list[Record]]]]
"""Requests, each with how its reply is read."""


class Resolver(ABC):
    """A public catalogue of works.

    Attributes:
        name: in `sources=[…]`.
        title: for people.
        home: the base address; `$GUARDRAIL_<NAME>_URL` or `base_url` replaces it (a mirror, a test).
        sends: what of a reference it is sent, for people.
        key_variable: the environment variable of its key, "" if it has none.
        key_needed: whether it is of little use without a key, so that it is not among those `available` without one.
        keyless: whether it answers without a key at all.
        manners: what the service asks of its callers.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    home: ClassVar[str]
    sends: ClassVar[str] = "title, identifiers"
    key_variable: ClassVar[str] = ""
    key_needed: ClassVar[bool] = False
    keyless: ClassVar[bool] = True
    manners: ClassVar[Manners] = Manners()

    def __init__(
        self,
        *,
        base_url: str | None = None,
        key: str | None = None,
        memory: Memory | None = None,
        clock: Clock | None = None,
        manners: Manners | None = None,
        timeout: float = 10.0,
        transport: httpx.BaseTransport | None = None,
        elsewhere: Guarded | None = None,
    ) -> None:
        """Nothing is sent yet.

        Args:
            base_url: instead of `home`.
            key: instead of the one in the environment.
            memory: keeps replies; `None` = keep none.
            clock: the time; tests give their own.
            manners: instead of the service's, for a mirror of one's own.
            timeout: seconds to connect, and between two pieces of a reply.
            transport: carries the requests; tests give their own.
            elsewhere: fetches what redirects lead to, where that is allowed at all.

        Raises:
            ConfigError: the base address is none.
        """
        given = base_url or os.environ.get(f"GUARDRAIL_{self.name.upper()}_URL") or self.home
        try:
            address = httpx.URL(given)
        except (httpx.InvalidURL, TypeError):
            address = httpx.URL("")
        if address.scheme not in {"http", "https"} or not address.host or address.userinfo:
            raise ConfigError(
                f"{self.name}: expected a base address such as {self.home!r}, got {given!r:.80}"
            )
        self.key = os.environ.get(self.key_variable, "") if key is None and self.key_variable else key or ""
        if not (self.key.isascii() and self.key.isprintable()):
            raise ConfigError(
                f"{self.name}: the key in {self.key_variable} has characters that no key has; set it anew"
            )
        self.elsewhere = elsewhere
        self.client = Client(
            self.name,
            given,
            manners or self.manners,
            key=self.key,
            memory=memory,
            clock=clock,
            timeout=timeout,
            transport=transport,
        )
        self._clock = self.client.clock

    @property
    def host(self) -> str:
        """To whom requests go."""
        return self.client.base_url.host

    @property
    def count(self) -> Count:
        """What was asked so far."""
        return self.client.count

    def lookup(self, reference: Reference) -> list[Record]:
        """Works that may be the one that is meant, the nearest first as far as the service knows; none if it has none.

        Requests are made one after the other, the cheapest first, until a work is the one that is meant in every field.

        Raises:
            SourceFault: the source gave no answer to one of them.
        """
        asked: list[str] = []
        works: list[Record] = []
        for query, read in self.searches(reference):
            asked.append(self.client.key_of(query))
            works += self.client.fetch(query, read, self.elsewhere) or []
            if works and confirmed(reference, works):
                return works
        self.client.unsettled(asked)
        return works

    @abstractmethod
    def searches(self, reference: Reference) -> Searches:
        """The requests for a reference, each with how its reply is read; the cheapest first, none if it has nothing to ask by."""

    def close(self) -> None:
        """Close the connections; whoever waits for its turn gets a fault."""
        self.client.close()

    def __repr__(self) -> str:
        return f"{type(self).__name__}(base_url={str(self.client.base_url)!r})"  # never the key


def confirmed(reference: Reference, works: list[Record]) -> bool:
    """Whether one of the works is the one that is meant, and nothing about it differs."""
    match = judge(reference, works)
    return match.status is Status.FOUND and not match.differences


def loaded(body: bytes) -> Any:
    """The JSON of a body.

    Raises:
        ValueError: it is no JSON.
    """
    return json.loads(body.decode("utf-8"))


def text(value: object) -> str:
    """What a service gives as a text, in one line; "" for nothing, and for what is no text."""
    if isinstance(value, bool) or not isinstance(value, str | int):
        return ""
    return " ".join(str(value).split())[:5_000]


def year(value: object) -> int | None:
    """The year at the beginning of a date."""
    digits = text(value)[:4]
    return int(digits) if len(digits) == 4 and digits.isascii() and digits.isdigit() else None


def first(value: object) -> object:
    """The first of a list, or what is no list itself; `None` of an empty one."""
    if isinstance(value, list):
        return value[0] if value else None
    return value
