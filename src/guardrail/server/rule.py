"""`[[rule]]` as it is written: which requests it is for, and what is different for them."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any, Literal

from guardrail.errors import ConfigError, UnknownName
from guardrail.given.accepted import Json
from guardrail.options import one_of
from guardrail.policies import parse_policy
from guardrail.server.keys import hash_of

_LONGEST = 500  # characters of a model's name
_FIELDS = ("keys", "models", "policy", "detectors", "mode")


@dataclass(frozen=True, slots=True)
class Rule:
    """What is done for some requests; a field that is left out is as without a rule.

    Attributes:
        keys: hashes of the clients' keys; none = all clients.
        models: names that a request may have as its model, with "*" for any characters; none = all. Case, blanks around a
            name and characters that nobody sees make no difference, since they make none to some services. Only where a rule
            stops examining (mode "monitor") must a name be written as in the rule.
        policy: as in `[guard]`.
        detectors: names among the guard's.
        mode: "enforce" or "monitor".
    """

    keys: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    policy: str | None = None
    detectors: tuple[str, ...] | None = None
    mode: Literal["enforce", "monitor"] | None = None

    @classmethod
    def of(cls, entry: Any) -> Rule:
        """From a table of the configuration.

        Raises:
            ConfigError: an entry is unknown or of the wrong kind.
        """
        if isinstance(entry, Rule):
            return entry
        if not isinstance(entry, Mapping):
            raise ConfigError(f"expected a rule as a table, got {type(entry).__name__}: write [[rule]]")
        for name in entry:
            if name not in _FIELDS:
                raise UnknownName("[[rule]] entry", str(name), _FIELDS)
        made: Json = {
            name: _names(name, entry[name]) for name in ("keys", "models", "detectors") if name in entry
        }
        made["keys"] = tuple(hash_of(key) for key in made.get("keys", ()))
        for name in ("policy", "mode"):
            if name in entry:
                made[name] = entry[name]
        if "mode" in made:
            one_of("mode", made["mode"], ("enforce", "monitor"))
        if "policy" in made:
            parse_policy(made["policy"])
        return cls(**made)

    def takes(self, owner: str, model: str) -> bool:
        """Whether a request falls under it."""
        return (not self.keys or owner in self.keys) and (not self.models or self._names(model))

    def _names(self, model: str) -> bool:
        read = str if self.mode == "monitor" else _plain
        return any(fnmatchcase(read(model), read(pattern)) for pattern in self.models)


def _plain(name: str) -> str:
    """A model's name as the most lenient service reads it."""
    text = unicodedata.normalize("NFKC", name[:_LONGEST])
    return "".join(one for one in text if unicodedata.category(one) not in {"Cc", "Cf"}).strip().casefold()


def _names(name: str, given: Any) -> tuple[str, ...]:
    if not isinstance(given, list | tuple) or not given or not all(isinstance(one, str) for one in given):
        raise ConfigError(
            f'expected {name} of [[rule]] to be a list of texts, got {given!r:.80}: write {name} = ["…"]'
        )
    return tuple(given)
