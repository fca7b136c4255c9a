"""The written form of a policy, as in a configuration file."""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Callable, Mapping
from typing import Any, cast

from guardrail.errors import ConfigError, UnknownName
from guardrail.given.advice import policy_to_write
from guardrail.given.recognition import shown
from guardrail.policies.actions import Annotate, Block, Correct, Flag, Regenerate, Remove, verdicts
from guardrail.policies.composition import Chain, Policy, VerdictPolicy
from guardrail.policies.texts import Texts, table
from guardrail.report import Verdict

_TERM = re.compile(
    r"\s*(?P<name>\w+)\s*(?:\((?P<arguments>(?:[^()\"]|\"(?:[^\"\\]|\\.)*\")*)\))?\s*(?P<end>\||$)"
)
_ARGUMENT = re.compile(r"\s*(?:(?P<key>[\w.]+)\s*=\s*)?(?P<value>\"(?:[^\"\\]|\\.)*\"|[\w+]+)\s*(?:,|$)")


def parse_policy(text: str) -> Policy:
    """A policy from its written form; `str(policy)` gives that form back.

    Args:
        text: names joined by "|", with arguments in parentheses: `regenerate(2)`,
            `annotate(on=unsupported+unverified)`, `block(message="No.")`. A text in the place of ours has its key, or its
            language and its key: `annotate(unverified="?", de.unverified="ungeprüft")`.

    Raises:
        UnknownName: no such policy, option, text or verdict.
        ConfigError: anything else that is not of this form.

    Example:
        >>> str(parse_policy("regenerate(2)|annotate"))
        'regenerate(2) | annotate'
    """
    if not isinstance(text, str):
        raise ConfigError(
            f"parse_policy takes a text, got {shown(text)}: write policy={policy_to_write(text)}"
        )
    policies: list[Policy] = []
    position, more = 0, True
    while more:
        match = _TERM.match(text, position)
        if match is None:
            raise ConfigError(
                f"a policy is written with | between its parts, got {text!r}: write 'regenerate(2) | annotate'"
            )
        policies.append(_term(match.group("name"), match.group("arguments") or ""))
        position, more = match.end(), match.group("end") == "|"
    return policies[0] if len(policies) == 1 else Chain.of(*policies)


def _term(name: str, arguments: str) -> Policy:
    if name not in _POLICIES:
        raise UnknownName("policy", name, _POLICIES)
    policy, readers = _POLICIES[name]
    options: dict[str, object] = {}
    texts: dict[tuple[str, str], str] = {}
    position = 0
    while arguments[position:].strip():
        match = _ARGUMENT.match(arguments, position)
        if match is None:
            raise ConfigError(f"{name} expects arguments like on=unverified, got {arguments[position:]!r}")
        key = match.group("key") or next(iter(readers))
        code, _, text = key.rpartition(".")
        reader = readers.get(key) or (_read_string if text in table()["en"] else None)
        if reader is None:
            near = difflib.get_close_matches(text, table()["en"], n=1, cutoff=0.75)
            raise UnknownName(f"option of {name}", key, readers, meant=near[0] if near else "")
        if key in options or (code, text) in texts:
            raise ConfigError(f"{name} got {key!r} twice; leave one out")
        if key in readers:
            options[key] = reader(match.group("value"))
        else:
            texts[code, text] = str(reader(match.group("value")))
        position = match.end()
    return cast("Policy", policy(**options, texts=_texts(texts)))  # type: ignore[arg-type]  # read by key above


def _texts(found: Mapping[tuple[str, str], str]) -> Texts:
    """The texts of a language, "" for all of them, and a key."""
    given: dict[str, Any] = {}
    for (code, key), text in found.items():
        (given.setdefault(code, {}) if code else given)[key] = text
    return Texts.of(given)


def _read_verdicts(value: str) -> frozenset[Verdict]:
    return verdicts(value.split("+"))


def _read_count(value: str) -> int:
    if not re.fullmatch(r"[0-9]{1,3}", value):
        raise ConfigError(f"regenerate expects a number of attempts, got {value!r}")
    return int(value)


def _read_string(value: str) -> str:
    try:
        text = json.loads(value)
    except ValueError:
        text = None
    if not isinstance(text, str):
        raise ConfigError(f'a message or text is written in double quotes, got {value!r}; write message="…"')
    return text


_POLICIES: dict[str, tuple[type[VerdictPolicy], dict[str, Callable[[str], object]]]] = {
    "flag": (Flag, {"on": _read_verdicts}),
    "annotate": (Annotate, {"on": _read_verdicts}),
    "correct": (Correct, {"on": _read_verdicts}),
    "remove": (Remove, {"on": _read_verdicts, "what": str}),
    "regenerate": (Regenerate, {"times": _read_count, "on": _read_verdicts}),
    "block": (Block, {"message": _read_string, "on": _read_verdicts}),
}
"""Each policy with how its options are read; the first may be given without its name."""
