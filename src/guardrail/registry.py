"""Where detectors, chat adapters and other backends are found by name: built in, or in installed plug-ins."""

from __future__ import annotations

import importlib
import inspect
import re
import tomllib
import warnings
from collections.abc import Iterator, Mapping
from importlib import metadata
from pathlib import Path
from typing import Any, Generic, TypeVar, cast

from guardrail.errors import ConfigError, UnknownName
from guardrail.options import declared, refuse_unknown, resolve_paths

__all__ = ["BACKENDS", "CHATS", "COMMANDS", "DEFAULT", "DETECTORS", "Registry"]

T = TypeVar("T")
_VARIABLE = {inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD}


class Registry(Mapping[str, T], Generic[T]):
    """Names → classes (or other objects), imported when asked for; plug-ins come from an entry-point group.

    A plug-in that does not import warns and is skipped when listed; asked for by name it raises.
    """

    def __init__(self, kind: str, group: str, built_in: Mapping[str, str]) -> None:
        self._kind = kind
        self._group = group
        self._targets = dict(built_in)
        self._plugins: dict[str, metadata.EntryPoint] | None = None

    @property
    def group(self) -> str:
        """The entry-point group of plug-ins."""
        return self._group

    def _entry_points(self) -> dict[str, metadata.EntryPoint]:
        if self._plugins is None:
            self._plugins = {point.name: point for point in metadata.entry_points(group=self._group)}
        return self._plugins

    def __iter__(self) -> Iterator[str]:
        """Those built in, as they were listed; then those of plug-ins, by name."""
        return iter([*self._targets, *sorted(set(self._entry_points()) - set(self._targets))])

    def __len__(self) -> int:
        return len({*self._targets, *self._entry_points()})

    def __contains__(self, name: object) -> bool:
        return name in self._targets or name in self._entry_points()

    def __getitem__(self, name: str) -> T:
        if name in self._targets:
            module, _, attribute = self._targets[name].partition(":")
            return cast("T", getattr(importlib.import_module(module), attribute))
        if name in self._entry_points():
            point = self._entry_points()[name]
            try:
                return cast("T", point.load())
            except Exception as error:
                raise ConfigError(
                    f"the {self._kind} {name!r} of the plug-in {point.value!r} does not import: {error!r}. "
                    "Update or uninstall that package."
                ) from error
        meant = (known for known, target in self._targets.items() if target.endswith(f":{name}"))
        raise UnknownName(self._kind, name, self, meant=next(meant, "") if name else "")  # or by its class

    def working(self) -> dict[str, T]:
        """All that import; one warning for each that does not."""
        found = {}
        for name in self:
            try:
                found[name] = self[name]
            except (ConfigError, ImportError) as error:
                warnings.warn(str(error), RuntimeWarning, stacklevel=2)
        return found

    def create(self, name: str, parameters: Mapping[str, Any], *, folder: Path | None = None) -> Any:
        """An instance; wrong options are named, with those that exist.

        Args:
            name: what is registered.
            parameters: its options.
            folder: options that are written paths are read from here; `None` = parameters are taken as they are.
        """
        found: Any = self[name]
        if folder is not None:
            parameters = resolve_paths(self.made(name, parameters), parameters, folder)
        accepted = inspect.signature(found).parameters.values()
        if not any(one.kind is one.VAR_KEYWORD for one in accepted):
            known = [one.name for one in declared(found)] or [one.name for one in accepted]
            elsewhere = getattr(found, "elsewhere", None)
            refuse_unknown(f"{self._kind} {name!r}", parameters, known, elsewhere=elsewhere)
        needed = (one.name for one in accepted if one.default is one.empty and one.kind not in _VARIABLE)
        for missing in needed:
            if missing not in parameters:
                given = ", ".join(parameters) or "no option"
                raise ConfigError(
                    f"{self._kind} {name!r} needs {missing!r}, got {given}: write {missing} = …"
                )
        return found(**parameters)

    def written(self, text: str, *, folder: Path | None = None) -> Any:
        """An instance from `NAME:OPTION=VALUE,OPTION=VALUE`: a value is TOML, else plain text; a comma ends it where another NAME= follows."""
        name, _, options = text.partition(":")
        parameters: dict[str, Any] = {}
        for part in re.split(r",(?=\s*\w+\s*=)", options) if options else ():
            option, equals, value = (piece.strip() for piece in part.partition("="))
            if not equals or not option:
                raise ConfigError(
                    f"expected NAME:OPTION=VALUE,OPTION=VALUE, got {text!r}: no value in {part!r}"
                )
            if option in parameters:
                raise ConfigError(
                    f"expected each option once, got {option!r} twice in {text!r}: leave one out"
                )
            try:
                parameters[option] = tomllib.loads(f"value = {value}")["value"]
            except tomllib.TOMLDecodeError:
                parameters[option] = value
        return self.create(name, parameters, folder=folder)

    def made(self, name: str, parameters: Mapping[str, Any]) -> Any:
        """The class of what `create` would make: of a function what its `class_for` says, else what is registered."""
        found: Any = self[name]
        return getattr(found, "class_for", lambda _: found)(parameters)


DETECTORS: Registry[type] = Registry(
    "detector",
    "guardrail.detectors",
    {
        "logic": "guardrail.logic:FactCheck",
        "memory": "guardrail.memory:MemoryConsistency",
        "pairs": "guardrail.memory:PairConsistency",
        "phr": "guardrail.phr:PosteriorHallucinationRate",
        "references": "guardrail.references:ReferenceCheck",
        "selfcheck": "guardrail.selfcheck:SelfCheck",
        "selfcheck-bertscore": "guardrail.selfcheck:BertScoreCheck",
        "selfcheck-ensemble": "guardrail.selfcheck:EnsembleCheck",
        "selfcheck-greybox": "guardrail.selfcheck:GreyBoxCheck",
        "selfcheck-grounding": "guardrail.selfcheck:GroundingCheck",
        "selfcheck-ngram": "guardrail.selfcheck:NgramCheck",
        "selfcheck-nli": "guardrail.selfcheck:NliCheck",
        "selfcheck-prompt": "guardrail.selfcheck:PromptCheck",
        "selfcheck-qa": "guardrail.selfcheck:QACheck",
        "support": "guardrail.support:SupportCheck",
    },
)
"""Every detector by name."""

DEFAULT = "references"
"""The detector of a configuration that names none."""

CHATS: Registry[type] = Registry(
    "chat adapter",
    "guardrail.chats",
    {
        "openai": "guardrail.chat:OpenAIChat",
        "recorded": "guardrail.chat:RecordedChat",
        "scripted": "guardrail.chat:ScriptedChat",
    },
)
"""Every chat adapter that a configuration file can name."""

BACKENDS: Mapping[str, Registry[type]] = {
    "answers": Registry(
        "model that answers questions",
        "guardrail.answer_models",
        {"local": "guardrail.backends:AnswerModel"},
    ),
    "bibliography": Registry(
        "bibliography",
        "guardrail.bibliographies",
        {"index": "guardrail.references:IndexBackend"},
    ),
    "embedding": Registry(
        "embedding model",
        "guardrail.embedding_models",
        {"local": "guardrail.backends:Embedder"},
    ),
    "entailment": Registry(
        "entailment model",
        "guardrail.entailment_models",
        {
            "local": "guardrail.backends:EntailmentModel",
            "packaged": "guardrail.backends:PackagedEntailment",
        },
    ),
    "language_model": Registry(
        "language model",
        "guardrail.language_models",
        {
            "completions": "guardrail.chat:CompletionsModel",
            "local": "guardrail.backends:CausalModel",
        },
    ),
    "questions": Registry(
        "model that asks questions",
        "guardrail.question_models",
        {"local": "guardrail.backends:QuestionModel"},
    ),
    "similarity": Registry(
        "similarity model",
        "guardrail.similarity_models",
        {
            "local": "guardrail.backends:BertScore",
            "packaged": "guardrail.backends:Packaged",
        },
    ),
}
"""By lane, every other backend that a configuration file can name."""

COMMANDS: Registry[Any] = Registry(
    "set of commands",
    "guardrail.commands",
    {
        "references": "guardrail.references.commands:METHOD",
        "selfcheck": "guardrail.selfcheck.commands:METHOD",
        "memory": "guardrail.memory.commands:METHOD",
        "logic": "guardrail.logic.commands:METHOD",
    },
)
"""What each method adds to the command line, a `guardrail.cli.methods.Method`."""
