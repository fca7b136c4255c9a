"""The guard that the options of `guardrail check` ask for."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from guardrail.cli._errors import Usage
from guardrail.cli.methods import CheckContext, Method, defaults, methods, option, own
from guardrail.engine.backend import Backend
from guardrail.engine.flow import Failed, NoBackend, Reason
from guardrail.errors import ConfigError, MissingExtra

if TYPE_CHECKING:
    from guardrail.detector import Calls, Detector
    from guardrail.engine.budget import Budget
    from guardrail.guard import Guard
    from guardrail.policies import Policy
    from guardrail.report import Case, Report


_ADAPTERS = {  # what --backend LANE= takes, to be pasted; of a lane that is not here a folder with a model
    "bibliography": "index:path=PATH",
    "entailment": "packaged",
    "language_model": "completions:model=NAME",
    "similarity": "packaged",
}


@dataclass(frozen=True, slots=True)
class Choice:
    """What the user chose; `None` = nothing. Options of a few words were checked by the command line."""

    model: str | None = None
    base_url: str | None = None
    api_key_env: str | None = None
    policy: str | None = None
    on_unverified: Any = None
    fail: Any = None
    config: str | None = None
    budget: str | None = None
    deadline: float | None = None
    detectors: Sequence[str] = ()
    backends: Sequence[str] = ()
    given: frozenset[str] = frozenset()
    """What the answer came with: "context", "samples", "logprobs"."""
    replies: str | None = None
    """A recording that answers in place of a chat model."""
    more: Mapping[str, Any] = field(default_factory=dict)
    """Options that the methods added, by name."""

    @classmethod
    def of(cls, options: Mapping[str, Any]) -> Choice:
        """The choice that options of `guardrail check` make, by the names of its parameters."""
        taken = {name: value for name, value in options.items() if name not in {"detector", "backend"}}
        more = {name: taken.pop(name) for name in defaults() if name in taken}
        return cls(**taken, detectors=options["detector"] or (), backends=options["backend"] or (), more=more)


@dataclass(slots=True)
class Built:
    """A guard, and what there is to say about it."""

    guard: Guard
    choice: Choice
    regenerates: bool = False
    warnings: list[str] = field(default_factory=list)

    def check(self, case: Case) -> Report:
        """Examine; on a terminal, say so if it takes long."""
        from guardrail.cli._terminal import patience

        most = self.guard.estimate(case).most
        asking = f"asking the model, at most {most:,} questions" if self._asks() and most else "looking up"
        with patience(f"checking: {asking}"):
            return self.guard.check(case)

    def must_be_able(self, case: Case) -> None:
        """Refuse a detector of `--detector` that can judge nothing here: one error in place of a reason at every sentence.

        Raises:
            Usage: it needs a model, and none was given, or the question that was answered.
        """
        for detector in self.guard.detectors if self.choice.detectors else ():
            if detector.lacks_prompt(case):
                raise Usage(
                    f"--detector {detector.name} needs the question that was answered: add --prompt TEXT"
                )
            if detector.needs_documents and not case.context and self._is_missing("bibliography"):
                raise Usage(
                    f"--detector {detector.name} needs documents to compare the answer with: add --context FILE"
                )
            for route, (least, _) in _least(detector, case).items():
                if least and self._is_missing(route):
                    raise Usage(f"--detector {detector.name} needs {self._model(route, detector, case)}")

    def notes(self, report: Report) -> list[str]:
        """What a reader of the result should know."""
        notes = []
        if self.regenerates:
            notes.append(
                "regenerate: a given answer cannot be written again, so that step is left out; it works in "
                "a chain (`guardrail demo`)"
            )
        if not self._asks():
            for method in methods().values():
                notes += method.notes(report, self.choice.more) if method.notes else ()
        return notes

    def _is_missing(self, route: str) -> bool:
        known = self.guard.hub.backends
        return isinstance(known.get(route, known.get(route.partition(":")[0], _NOBODY)), Nobody)

    def _model(self, route: str, detector: Detector, case: Case) -> str:
        """A model that is not there, and what to add."""
        lane = route.partition(":")[0]
        what = "a chat model" if lane == "chat" else f"a model for {lane!r}"
        if self.choice.config is not None:
            return f"{what}, and {self.choice.config} has none: add [{lane}] to it"
        if lane != "chat":
            return f"{what}, and none was given: add {_backend(lane)}"
        draws = "samples" in detector.needs and not case.samples and not case.context
        return f"{what}, and none was given: add --model NAME{', or --samples FILE' if draws else ''}"

    def _asks(self) -> bool:
        return self.choice.model is not None or self.choice.config is not None


class Guards:
    """Guards of one choice for answers that come with different things: which detectors run depends on that.

    They are made when they are first needed, and share the models that were named.

    Args:
        choice: what all of them have in common.

    Use it as a context manager, which closes them.
    """

    def __init__(self, choice: Choice) -> None:
        self._choice = choice
        self._open = ExitStack()
        self._made: dict[frozenset[str], Built] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()

    def close(self) -> None:
        """Close what they keep open."""
        self._open.close()

    def of(self, given: frozenset[str]) -> Built:
        """The guard for answers that come with these: "context", "samples".

        Raises:
            Usage: as `build`.
            GuardrailError: as `build`.
        """
        if self._choice.config is not None:
            given = frozenset()  # the file names its detectors, whatever there is
        if given not in self._made:
            models = None
            if self._made:
                named_lanes = {text.partition("=")[0] for text in self._choice.backends}
                known = next(iter(self._made.values())).guard.hub.backends
                models = {lane: known[lane] for lane in named_lanes}
            choice = replace(self._choice, given=given)
            self._made[given] = self._open.enter_context(build(choice, models))
        return self._made[given]


@contextmanager
def build(choice: Choice, models: Mapping[str, Backend[Any]] | None = None) -> Iterator[Built]:
    """The guard, and what it keeps open.

    Args:
        choice: what it is made of.
        models: those of `choice.backends`, if they are loaded already.

    Raises:
        Usage: options that do not go together.
        GuardrailError: a file among them is wrong, or an extra is missing.
    """
    from guardrail.policies import Plan, parse_policy, with_texts

    with ExitStack() as open_files:
        built = _configured(choice) if choice.config is not None else _optioned(choice, open_files, models)
        guard, plan = open_files.enter_context(built.guard), built.guard.policy
        for backend in guard.hub.backends.values():  # nobody else has made them
            open_files.callback(backend.close)
        policy = plan.policy
        if choice.policy is not None:
            policy = with_texts(parse_policy(choice.policy), plan.texts)
        once = _without_regenerate(policy)
        built.regenerates = once is not policy
        guard.policy = Plan(
            once,
            on_unverified=choice.on_unverified or plan.on_unverified,
            fail=choice.fail or plan.fail,
        )
        if choice.budget is not None:
            guard.budget = budget_of(choice.budget)
        if choice.deadline is not None:
            if not choice.deadline > 0:
                raise Usage(f"--deadline: expected seconds above 0, got {choice.deadline!r}")
            guard.deadline = choice.deadline
        yield built


def _configured(choice: Choice) -> Built:
    from guardrail.guard import Guard

    asked = {
        "--model": choice.model,
        "--base-url": choice.base_url,
        "--api-key-env": choice.api_key_env,
        "--replies": choice.replies,
        "--backend": choice.backends,
    }
    shorthands = [name for method in methods().values() for name in _given(method, choice)]
    for name in [*shorthands, *(name for name, value in asked.items() if value)]:
        raise Usage(
            f"{name} cannot be combined with --config: write it into {choice.config}, or leave --config out"
        )
    return Built(Guard.from_config(choice.config or "", detectors=named(choice.detectors) or None), choice)


def _optioned(choice: Choice, open_files: ExitStack, models: Mapping[str, Backend[Any]] | None) -> Built:
    from guardrail.guard import Guard

    if choice.replies is not None and choice.model is not None:
        raise Usage("--replies and --model: give one of them, recorded replies or a model that is asked")
    live = names_model(choice.model, {"--base-url": choice.base_url, "--api-key-env": choice.api_key_env})
    context = CheckContext(choice.model, open_files, given=choice.given)
    detectors = named(choice.detectors)
    for method in methods().values():
        given = _given(method, choice)
        unasked = choice.detectors or (choice.given and not choice.given & method.reads)
        if method.detectors is None or (unasked and not given):
            continue
        made = method.detectors(context, **{p.name: choice.more[p.name] for p in own(method.detectors)})
        for one in made:
            if given and any(one.name == other.name for other in detectors):
                raise Usage(
                    f"{given[0]} and --detector {one.name}: give one of them; an option is written "
                    f"--detector {one.name}:NAME=VALUE"
                )
            detectors.append(one)
    chat = live_chat(choice.model, choice.base_url, choice.api_key_env) if live else _recorded(choice)
    loaded = _loaded(choice.backends) if models is None else dict(models)
    guard = Guard(detectors, chat=chat, backends=_absent(detectors) | loaded)
    return Built(guard, choice, warnings=context.warnings)


def _recorded(choice: Choice) -> Backend[Any]:
    """Recorded replies, or nobody."""
    if choice.replies is None:
        return Nobody()
    from guardrail.chat import RecordedChat

    return RecordedChat(choice.replies)


def _absent(detectors: Sequence[Detector]) -> dict[str, Nobody]:
    """Stand-ins for models that a configuration file could name and that no detector brings along."""
    from guardrail.registry import BACKENDS

    brought = {lane for detector in detectors for lane in detector.backends()}
    return {
        lane: Nobody(
            f"no model for {lane!r} was given: add {_backend(lane)}, or name one under [{lane}] in a guardrail.toml, and "
            "pass --config"
        )
        for lane in BACKENDS
        if lane not in brought
    }


def _least(detector: Detector, case: Case) -> Calls:
    """What it must ask; nothing where it can do without, or fails to say: then the examination says why."""
    try:
        return detector.cost(case) if detector.needs_models else {}
    except Exception:  # noqa: BLE001  # somebody's plug-in
        return {}


def _backend(lane: str) -> str:
    return f"--backend {lane}={_ADAPTERS.get(lane, 'local:model=DIR')}"


def _loaded(texts: Sequence[str]) -> dict[str, Backend[Any]]:
    """The models of `--backend LANE=ADAPTER[:OPTION=VALUE,…]`, loaded now, so that what is missing is an error and not a reason."""
    from guardrail.cli._terminal import patience
    from guardrail.registry import BACKENDS

    made: dict[str, Backend[Any]] = {}
    for text in texts:
        lane, equals, written = text.partition("=")
        if not equals or lane not in BACKENDS or lane in made:
            raise Usage(
                f"--backend: expected LANE=ADAPTER:OPTION=VALUE, each of {', '.join(BACKENDS)} at most once, got {text!r}"
            )
        try:
            made[lane] = BACKENDS[lane].written(written, folder=Path())
        except TypeError as error:
            raise Usage(f"--backend {text}: {error}") from error
        with patience(f"loading the model for {lane}"):
            made[lane].load()
    return made


def _given(method: Method, choice: Choice) -> list[str]:
    """The options of a method that were given, as they are written."""
    own_options = own(method.detectors) if method.detectors else ()
    return [option(one.name) for one in own_options if choice.more[one.name] != one.default]


def named(texts: Sequence[str]) -> list[Detector]:
    """The detectors of `--detector NAME[:OPTION=VALUE,…]`."""
    from guardrail.registry import DETECTORS

    made = []
    for text in texts:
        try:
            made.append(DETECTORS.written(text, folder=Path()))
        except (TypeError, ConfigError) as error:
            raise Usage(f"--detector {text}: {error}") from error
    return made


def names_model(model: str | None, options: Mapping[str, object]) -> bool:
    """Whether a chat model is named.

    Raises:
        Usage: none is, but an option says something about it.
    """
    given = next((option for option, value in options.items() if value), None)
    if model is None and given is not None:
        raise Usage(f"{given} needs --model NAME: which chat model is to be asked?")
    return model is not None


def live_chat(model: str | None, base_url: str | None, api_key_env: str | None = None) -> Any:
    """A chat model behind OpenAI's protocol.

    Raises:
        Usage: the named variable has no key.
        MissingExtra: openai is not installed.
        ConfigError: no key, or a bad address.
    """
    from guardrail.chat import OpenAIChat

    if base_url is not None and not base_url.startswith(("http://", "https://")):
        raise Usage(f"--base-url: expected an address like http://localhost:8000/v1, got {base_url!r}")
    key = None
    if api_key_env is not None:
        key = os.environ.get(api_key_env)
        if not key:
            raise Usage(f"--api-key-env: the variable {api_key_env!r} is not set; export it with the key")
    try:
        return OpenAIChat(model or "", base_url=base_url, api_key=key)
    except MissingExtra:
        raise
    except ConfigError as error:
        if "credential" not in str(error):
            raise
        raise Usage(
            f"no key for the model {model!r}: export OPENAI_API_KEY, or name another variable with "
            "--api-key-env, or give the --base-url of a server that wants none"
        ) from error


def budget_of(text: str) -> Budget:
    """The budget of `--budget`.

    Raises:
        Usage: it is no budget.
    """
    from guardrail.engine.budget import Budget

    parts = text.split(",")
    if len(parts) > 2 or not all(part.strip().isdecimal() for part in parts):
        raise Usage(f"--budget: expected calls, or calls,tokens, as in 200 or 200,50000, got {text!r}")
    return replace(Budget(), **dict(zip(("calls", "tokens"), map(int, parts), strict=False)))


def _without_regenerate(policy: Policy) -> Policy:
    """The policy for an answer that cannot be written again; the same object if that makes no difference."""
    from guardrail.policies import Chain, Regenerate, flag

    parts = policy.policies if isinstance(policy, Chain) else (policy,)
    rest = [part for part in parts if not isinstance(part, Regenerate)]
    if len(rest) == len(parts):
        return policy
    return Chain.of(*rest) if rest else flag()


class Nobody(Backend[Any]):
    """Used where no model was given, so that reasons speak of options and not of code."""

    paid = False
    batch = 64
    instant = True
    fingerprint = "nobody"

    def __init__(self, why: str = "no model was asked") -> None:
        self._why = why

    def answer(self, requests: Sequence[Any]) -> list[Failed]:
        """No reply, and why."""
        return [NoBackend(Reason.MISSING, self._why)] * len(requests)


_NOBODY = Nobody()
