"""The settings of the server, from the command line and from `[server]` in the configuration."""

from __future__ import annotations

import ipaddress
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, get_args, get_origin, get_type_hints
from urllib.parse import SplitResult, urlsplit

from guardrail._toml import entries_of
from guardrail.adapting.reasoning import Reasoning
from guardrail.errors import ConfigError
from guardrail.options import number, one_of, refuse_unknown
from guardrail.server.headers import is_name
from guardrail.server.keepalive import Kind as Sign
from guardrail.server.keys import hash_of
from guardrail.server.routes import Through, passed_through
from guardrail.server.rule import Rule
from guardrail.server.stored import apart

MEBIBYTE = 1024 * 1024
_HOST = re.compile(r"(?P<name>\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::\d{1,5})?")
_FILE = (
    "keys",
    "passthrough",
    "concurrency",
    "concurrency_per_key",
    "deadline",
    "body_seconds",
    "drain",
    "on_rewrite",
    "keepalive",
    "stream",
    "reasoning",
    "keepalive_seconds",
    "vsr_headers",
    "host_names",
    "response_headers",
    "shared_state",
    "user_documents",
    "workers",
)


@dataclass(frozen=True, slots=True)
class Settings:
    """How the server listens, whom it asks, and what it admits.

    Attributes:
        upstream: the base URL that is asked, as clients write it ("https://api.openai.com/v1"). Nothing else is ever called.
        host: the address that is listened on; any but a loopback address needs `keys` or `no_auth`.
        port: 0 takes a free one.
        mode: "enforce" applies the policy; "monitor" passes every byte as it came and reports in metrics and logs.
        no_auth: whether clients need no key, though the address or the upstream key asks for one.
        upstream_key: the server's own key for the upstream; `None` sends the caller's. With it, clients need keys.
        keys: SHA-256 hashes (hexadecimal) of the clients' keys.
        rules: other policies, detectors or modes for some keys or models (`[[rule]]`); the first that fits counts.
        passthrough: further routes that are passed on unguarded, as "GET /v1/files".
        concurrency: requests at once; one more gets 429.
        concurrency_per_key: requests at once with one client's key; 0 = as many as there are places.
        deadline: seconds for a whole request, the guard's work included.
        body_seconds: seconds for the body of a request to arrive.
        body_limit: bytes of a request at most.
        held_limit: bytes of all requests that are being worked on, and again of all streams that wait for their examination.
        answer_limit: bytes of an upstream's answer that is examined.
        stream: what becomes of streamed answers: "buffer" releases them after the verdict; "sentence" releases each sentence
            when it was examined, where the guard judges by sentence; "observe" passes them on and reports at their end.
        reasoning: what becomes of reasoning that can be read, in mode "enforce": "drop" leaves it out; "check" has the guard
            examine it by itself, and shows it unless the policy would change it; "pass" shows it where the answer lost no text.
        keepalive: signs of life in a stream that is held back: "comment", "chunk" (an empty one), or "off".
        keepalive_seconds: seconds between them.
        vsr_headers: whether answers have report headers under the names of vLLM's semantic router, too.
        workers: processes that serve, each with its own guard and models; limits are those of one process.
        drain: seconds that running requests get after SIGTERM.
        host_names: further names by which clients may call it ("guard.internal"); localhost, addresses and `host` always may.
        response_headers: further headers of the upstream that are handed on to clients.
        shared_state: whether clients who share the server's upstream key may see each other's data: go on with stored
            responses, and read files and the like by routes of `passthrough`.
        user_documents: whether documents count that are delimited in a user's message, as a RAG template writes them. Only
            where users cannot write such a message themselves: else what they claim is evidence.
        on_rewrite: the answer to LiteLLM about a text that the policy changed: "rewrite" or "block".

    Raises:
        ConfigError: something is out of range, or the combination would be open to strangers.
    """

    upstream: str
    host: str = "127.0.0.1"
    port: int = 8080
    mode: Literal["enforce", "monitor"] = "enforce"
    no_auth: bool = False
    upstream_key: str | None = field(default=None, repr=False)
    keys: tuple[str, ...] = field(default=(), repr=False)
    rules: tuple[Rule, ...] = ()
    passthrough: tuple[str, ...] = ()
    concurrency: int = 64
    concurrency_per_key: int = 0
    deadline: float = 600.0
    body_seconds: float = 30.0
    body_limit: int = 32 * MEBIBYTE
    held_limit: int = 512 * MEBIBYTE
    answer_limit: int = 4 * MEBIBYTE
    stream: Literal["buffer", "sentence", "observe"] = "buffer"
    reasoning: Reasoning = "drop"
    keepalive: Sign = "comment"
    keepalive_seconds: float = 10.0
    vsr_headers: bool = False
    drain: float = 30.0
    workers: int = 1
    host_names: tuple[str, ...] = ()
    response_headers: tuple[str, ...] = ()
    shared_state: bool = False
    user_documents: bool = False
    on_rewrite: Literal["rewrite", "block"] = "rewrite"

    def __post_init__(self) -> None:
        object.__setattr__(self, "upstream", _upstream(self.upstream))
        object.__setattr__(self, "keys", tuple(hash_of(key) for key in _texts("keys", self.keys)))
        object.__setattr__(self, "rules", tuple(Rule.of(rule) for rule in self.rules))
        if any(key not in self.keys for rule in self.rules for key in rule.keys):
            raise ConfigError(
                "expected keys of [[rule]] to be among keys of [server], got another: add it there"
            )
        object.__setattr__(self, "passthrough", _texts("passthrough", self.passthrough))
        for name in ("host_names", "response_headers"):
            lowered = tuple(text.lower() for text in _texts(name, getattr(self, name)))
            object.__setattr__(self, name, lowered)
        for text in self.response_headers:
            if not is_name(text):
                raise ConfigError(
                    f"expected response_headers to name headers that may be handed on, got {text!r:.80}: leave it out"
                )
        self._check_values()
        _ = self.through  # a wrong one is refused where it is written
        self._check_sharing()
        self._check_keys()

    def _check_values(self) -> None:
        for name, kind in get_type_hints(type(self)).items():
            given = getattr(self, name)
            if get_origin(kind) is Literal:
                one_of(name, given, get_args(kind))
            elif kind is bool and not isinstance(given, bool):
                raise ConfigError(
                    f"expected {name} to be true or false, got {given!r:.80}: write {name} = true"
                )
        number("port", self.port, least=0, most=65535, whole=True)
        number("workers", self.workers, least=1, most=256, whole=True)
        if self.workers > 1 and sys.platform == "win32":
            raise ConfigError(f"several workers need Linux or macOS, got workers {self.workers}: write 1")
        for name in ("concurrency", "body_limit", "held_limit", "answer_limit"):
            number(name, getattr(self, name), least=1, whole=True)
        number("concurrency_per_key", self.concurrency_per_key, least=0, whole=True)
        for name in ("deadline", "body_seconds", "keepalive_seconds"):
            number(name, getattr(self, name), above=0)
        number("drain", self.drain, least=0)

    def _check_keys(self) -> None:
        if self.upstream_key is not None and not _is_plain(self.upstream_key):  # no header can have it
            raise ConfigError(
                "expected the upstream's key as one word of ASCII, got blanks, line breaks or other characters in it"
            )
        if self.no_auth or self.keys:
            return
        if self.upstream_key is not None:
            raise ConfigError(
                "the server's own upstream key needs client keys, got none: whoever reaches the port could spend it. "
                "Write keys = […] in [server], or pass --no-auth"
            )
        if not _is_loopback(self.host):
            raise ConfigError(
                f"an address that others can reach needs client keys, got host {self.host!r} and none. "
                "Write keys = […] in [server], or pass --no-auth"
            )

    @classmethod
    def from_file(cls, path: str | Path, **given: Any) -> Settings:
        """Settings with the table `[server]` of a configuration; what is given here wins.

        Raises:
            ConfigError: an entry is unknown or of the wrong kind, or the file cannot be read.
        """
        entries = entries_of(path)
        table, rules = entries.get("server", {}), entries.get("rule", [])
        if not isinstance(rules, list):
            raise ConfigError(f"{path}: expected rules as a list, got {type(rules).__name__}: write [[rule]]")
        if not isinstance(table, Mapping):
            raise ConfigError(
                f"{path}: expected a table, got {type(table).__name__} as server: write [server]"
            )
        refuse_unknown(f"[server] of {path}", table, _FILE)
        return cls(**{**table, "rules": tuple(rules), **given})

    @property
    def through(self) -> tuple[Through, ...]:
        """The routes of `passthrough`."""
        return tuple(passed_through(text) for text in self.passthrough)

    @property
    def needs_key(self) -> bool:
        """Whether a client must show a key."""
        return bool(self.keys) and not self.no_auth

    def _check_sharing(self) -> None:
        """Refuse to pass on what clients of one upstream key could read of each other.

        Raises:
            ConfigError: a route of `passthrough` would.
        """
        several = self.upstream_key is not None and (self.no_auth or len(self.keys) > 1)
        if not several or self.shared_state:
            return
        for route in self.passthrough:
            if not apart(route, known=self.needs_key):
                raise ConfigError(
                    f"passthrough has {route!r:.80}, and all clients are one account upstream: each could read or change what "
                    "others store there. Leave it out, let clients send upstream keys of their own (no --upstream-key-env), or, "
                    "if they may see each other's data, write shared_state = true in [server]"
                )

    @property
    def is_shared(self) -> bool:
        """Whether several clients are one account upstream, and must not reach each other's stored answers."""
        return (
            self.upstream_key is not None and self.needs_key and len(self.keys) > 1 and not self.shared_state
        )

    @property
    def checks_host(self) -> bool:
        """Whether the `Host` header is checked: always where no key keeps web pages out, and where names are given."""
        return not self.needs_key or bool(self.host_names)

    def is_called_right(self, host: str) -> bool:
        """Whether a `Host` header names this server: localhost, an IP address, the host that is listened on, or one of `host_names`.

        A web page can point a name of its own here (DNS rebinding), but no address.
        """
        found = _HOST.fullmatch(host.strip().lower())
        if found is None:
            return False
        name = found["name"]
        return (
            name in {"localhost", self.host.lower(), *self.host_names}
            or _address(name.strip("[]")) is not None
        )


def _upstream(url: Any) -> str:
    """The base URL without a slash at its end."""
    parts = urlsplit(url) if isinstance(url, str) else None
    if parts is None or parts.scheme not in {"http", "https"} or not parts.hostname:
        raise ConfigError(
            f"expected the upstream's base URL, got {url!r:.80}: write https://api.openai.com/v1"
        )
    if not _is_plain(str(url)) or "\\" in str(url) or not _has_port(parts):
        raise ConfigError(
            f"expected the upstream's base URL without blanks and with a port up to 65535, got {url!r:.80}"
        )
    if parts.username or parts.password:
        raise ConfigError("the upstream's URL has a name or password: give the key by --upstream-key-env")
    if parts.query or parts.fragment:
        raise ConfigError(f"the upstream's URL ends in a query or fragment, got {url!r:.80}: leave it out")
    return str(url).rstrip("/")


def _has_port(parts: SplitResult) -> bool:
    try:
        return parts.port != 0
    except ValueError:
        return False


def _is_plain(text: str) -> bool:
    """Whether a text is one word of visible ASCII: it goes into a line of HTTP."""
    return text.isascii() and text.isprintable() and " " not in text


def _texts(name: str, given: Any) -> tuple[str, ...]:
    if isinstance(given, str) or not all(isinstance(one, str) for one in given):
        raise ConfigError(f'expected {name} to be a list of texts: write {name} = ["…"]')
    return tuple(given)


def _is_loopback(host: str) -> bool:
    address = _address(host)
    return host == "localhost" if address is None else address.is_loopback


def _address(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(text)
    except ValueError:
        return None
