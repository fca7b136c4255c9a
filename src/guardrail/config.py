"""A guard's arguments from a file, `guardrail.toml`.

```toml
[guard]
policy = "regenerate(2) | annotate"   # flag, annotate, correct, remove, regenerate(n), block, joined by |
on_unverified = "annotate"            # allow, annotate, block
fail = "open"                         # open, closed
deadline = 30.0                       # seconds per answer
cache = "guardrail-cache.sqlite"      # next to this file
budget = { calls = 200, tokens = 100000 }
telemetry = true                      # spans of OpenTelemetry (extra [otel]); "content": with the texts found wrong
certificate = "certificate.json"      # thresholds that keep a promise (`guardrail calibrate`), next to this file
group = "news"                        # which of its groups the answers belong to
answering = "gpt-5-mini"              # the model whose answers are checked, where the certificate names one
probabilities = "probabilities.json"  # what scores mean on your answers (`guardrail calibrate --probabilities`)

[chat]
adapter = "openai"                    # a registered chat adapter, then its own options
model = "gpt-5-mini"

[judge]                               # optional: another model for questions that judge
adapter = "openai"
model = "gpt-5-nano"

[language_model]                      # optional: a model that can be read, for the detector "phr"
adapter = "local"                     # "local", or "completions" with a base_url; then its own options
model = "HuggingFaceTB/SmolLM2-360M"  # of a local one a folder, or a name (see `guardrail.backends.weights`)

[entailment]                          # optional, as [similarity], [embedding], [questions] and [answers]: a model
adapter = "local"                     # for the variants of "selfcheck" that need one; "packaged" is the small one
model = "deberta-nli"

[[detectors]]
name = "references"                   # a registered detector, then its own options
effort = "fast"
bibliography = "refs.sqlite"

[[detectors]]
name = "logic"
kb = "world.kb"                       # a knowledge base (`guardrail logic build`)

[texts]                               # optional: your own words in the place of marks and notices, by key
unverified = "please check"
de = { unverified = "bitte prüfen" }  # in German answers
```

Paths are relative to the file; a model is a folder next to it or, where there is none, a name. An unknown entry is an error that names it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from guardrail._toml import entries_of
from guardrail.calibration.applying import Calibration
from guardrail.detector import Detector
from guardrail.engine.budget import Budget
from guardrail.errors import ConfigError, IndexFault, InputError, MissingExtra, UnknownName, WeightsMissing
from guardrail.given.recognition import shown
from guardrail.options import seconds
from guardrail.policies import Plan, Texts, parse_policy, with_texts
from guardrail.registry import BACKENDS, CHATS, DEFAULT, DETECTORS, Registry
from guardrail.report import Report
from guardrail.telemetry import telemetry

__all__ = ["load"]

_CERTIFIED = ("certificate", "group", "answering", "probabilities")
_SECTIONS = (
    "guard",
    "chat",
    "judge",
    *BACKENDS,
    "detectors",
    "texts",
    "server",
    "rule",
)  # the last two are read by `guardrail serve`
_GUARD = ("policy", "on_unverified", "fail", "deadline", "cache", "budget", "telemetry", *_CERTIFIED)
_KINDS: dict[str, Any] = {
    "policy": str,
    "on_unverified": str,
    "fail": str,
    "cache": str,
    "deadline": int | float,
    **dict.fromkeys(_CERTIFIED, str),
}
_EXAMPLES = {
    "policy": '"regenerate(2) | annotate"',
    "on_unverified": '"annotate"',
    "fail": '"open"',
    "cache": '"replies.sqlite"',
    "deadline": "30",
    "certificate": '"certificate.json"',
    "group": '"news"',
    "answering": '"gpt-5-mini"',
    "probabilities": '"probabilities.json"',
}
_KEPT = (UnknownName, MissingExtra, WeightsMissing, InputError, IndexFault)  # a caller may want to tell these
_WORDS: dict[Any, str] = {str: "a text", int | float: "a number of seconds"}


def load(path: str | Path, *, detectors: Sequence[Detector] | None = None) -> dict[str, Any]:
    """Read the file: the arguments of `Guard`, by name.

    Args:
        path: the file.
        detectors: take these in place of the file's, which then are not made.

    Raises:
        ConfigError: the file cannot be read, or an entry is unknown or of the wrong kind.
    """
    if not isinstance(path, str) and not hasattr(path, "__fspath__"):
        raise ConfigError(
            f"expected the path of a configuration file, got {shown(path)}: write 'guardrail.toml'"
        )
    file = Path(path).expanduser().absolute()  # models are opened when they are first used, wherever that is
    entries = entries_of(path)
    for name in entries.keys() & set(_GUARD) - set(_SECTIONS):
        raise ConfigError(f"{path}: {name} is outside of any section: write it below [guard]")
    _known(path, "section", entries, _SECTIONS)
    section = _table(path, entries, "guard")
    _known(path, "[guard] entry", section, _GUARD)
    _of_right_kinds(path, section)
    plain = ("on_unverified", "fail", "deadline")
    options: dict[str, Any] = {k: section[k] for k in plain if k in section}
    with _noted(f"in [guard] of {path}"):
        policy = parse_policy(section.get("policy", "flag"))
        policy = with_texts(policy, Texts.of(_table(path, entries, "texts")))
        Plan(policy, on_unverified=section.get("on_unverified"), fail=section.get("fail", "open"))
        seconds("deadline", section.get("deadline"))
        if "policy" in section or "texts" in entries:
            options["policy"] = policy
        if "budget" in section:
            options["budget"] = _budget(path, section["budget"])
        if section.get("telemetry", False) is not False:
            options["on_report"] = _telemetry(path, section["telemetry"])
    paths = {
        name: file.parent / Path(section[name]).expanduser()
        for name in ("cache", "certificate", "probabilities")
        if name in section
    }
    options |= {"cache": paths.pop("cache")} if "cache" in paths else {}
    if learnt := paths | {name: section[name] for name in ("group", "answering") if name in section}:
        options["calibration"] = Calibration(**learnt)
    for role in ("chat", "judge"):
        if role in entries:
            options[role] = _made(file, CHATS, _table(path, entries, role), f"[{role}]")
    options["backends"] = {
        lane: _made(file, BACKENDS[lane], _table(path, entries, lane), f"[{lane}]")
        for lane in BACKENDS
        if lane in entries
    }
    options["detectors"] = _detectors(file, entries) if detectors is None else detectors
    return options


def _of_right_kinds(path: str | Path, section: Mapping[str, Any]) -> None:
    for name, kind in _KINDS.items():
        if name in section and (isinstance(section[name], bool) or not isinstance(section[name], kind)):
            raise ConfigError(
                f"{path}: expected [guard] {name} to be {_WORDS[kind]}, got {section[name]!r:.80}: "
                f"write {name} = {_EXAMPLES[name]}"
            )


def _detectors(file: Path, entries: Mapping[str, Any]) -> list[Any]:
    """Those of the file, or the one of a file that names none."""
    listed = entries.get("detectors", [{"name": DEFAULT}])
    if not isinstance(listed, list):
        raise ConfigError(
            f'{file}: expected a list of detectors, got {_kind(listed)}: write [[detectors]], and name = "…" below it'
        )
    return [_made(file, DETECTORS, entry, "[[detectors]]") for entry in listed]


@contextmanager
def _noted(place: str) -> Iterator[None]:
    """Say where an error comes from; its class and its words stay."""
    try:
        yield
    except ConfigError as error:
        error.add_note(place)
        raise


def _made(file: Path, registry: Registry[type], entry: Any, where: str) -> Any:
    """What an entry describes; options that are `paths` of its class are looked for beside the file."""
    key = "name" if registry is DETECTORS else "adapter"
    if not isinstance(entry, Mapping) or not isinstance(entry.get(key), str):
        raise ConfigError(
            f"{file}: expected {where} to have an entry {key}, got {_kind(entry)}: "
            f'write {key} = "{DEFAULT if registry is DETECTORS else next(iter(registry))}"'
        )
    options = {name: value for name, value in entry.items() if name != key}
    try:
        return registry.create(entry[key], options, folder=file.parent)
    except _KEPT as error:
        error.add_note(f"in {where} of {file}")
        raise
    except (TypeError, ConfigError) as error:
        raise ConfigError(f"{file}: {where} {entry[key]!r}: {error}") from error


def _kind(value: Any) -> str:
    """What a message may say of an entry, which can hold a key of a service: names, no values."""
    if isinstance(value, Mapping):
        return f"only {', '.join(map(repr, value))}" if value else "an empty table"
    return "a list" if isinstance(value, list) else "a text" if isinstance(value, str) else repr(value)


def _table(path: str | Path, entries: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    table = entries.get(name, {})
    if not isinstance(table, Mapping):
        raise ConfigError(f"{path}: expected a table, got {_kind(table)} as {name}: write [{name}]")
    return table


def _budget(path: str | Path, value: Any) -> Budget:
    if isinstance(value, int) and not isinstance(value, bool):
        return Budget(calls=value)
    if isinstance(value, Mapping):
        _known(path, "budget entry", value, ("calls", "tokens"))
        if all(isinstance(n, int) and not isinstance(n, bool) for n in value.values()):
            return Budget(**value)
    raise ConfigError(
        f"{path}: expected budget to be a number of calls or {{calls, tokens}}, got {value!r:.80}: write budget = 200"
    )


def _telemetry(path: str | Path, value: Any) -> Callable[[Report], None]:
    if value is not True and value != "content":
        raise ConfigError(
            f'{path}: expected [guard] telemetry to be true, false or "content", got {value!r:.80}: '
            "write telemetry = true"
        )
    return telemetry(log_content=value == "content")


def _known(path: str | Path, kind: str, entries: Mapping[str, Any], known: tuple[str, ...]) -> None:
    for name in entries:
        if name not in known:
            raise UnknownName(f"{kind} in {path}", name, known)
