"""`[[rule]]`: other detectors, another policy or mode for some clients or models; and what a client may ask for itself."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass

from guardrail.errors import ConfigError, UnknownName
from guardrail.guard import Guard
from guardrail.policies import Chain, Policy, block, parse_policy, with_texts
from guardrail.server.refusals import Refused
from guardrail.server.rule import Rule
from guardrail.server.settings import Settings


@dataclass(frozen=True)
class Chosen:
    """What a request is answered with."""

    guard: Guard
    settings: Settings


class Rules:
    """Chooses by the first rule that a request falls under, then by what its client asks for.

    Args:
        settings: with the rules.
        guard: whose models all rules share.

    Raises:
        ConfigError: a rule names a detector that the guard has not, or changes one that has a certificate.
    """

    def __init__(self, settings: Settings, guard: Guard) -> None:
        self._plain = Chosen(guard, settings)
        self._rules = [(rule, _applied(rule, self._plain)) for rule in settings.rules]
        self._strict: dict[int, Guard] = {}

    @property
    def guards(self) -> list[Guard]:
        """Those that may examine an answer: what follows a rule for every request never does."""
        found = []
        for rule, chosen in [*self._rules, (Rule(), self._plain)]:
            found.append(chosen.guard)
            if not rule.keys and not rule.models:
                break
        return found

    @property
    def by_model(self) -> bool:
        """Whether a request's model matters."""
        return any(rule.models for rule, _ in self._rules)

    def choose(self, owner: str, model: str, headers: Mapping[str, str]) -> Chosen:
        """What a request is answered with.

        Raises:
            Refused: its client asks for less than the operator does.
        """
        found = next((chosen for rule, chosen in self._rules if rule.takes(owner, model)), self._plain)
        mode, policy = headers.get("x-guardrail-mode"), headers.get("x-guardrail-policy")
        if mode not in {None, "enforce", found.settings.mode} or policy not in {None, "block"}:
            raise Refused(
                400,
                "only_tighter",
                "a client may only tighten: expected x-guardrail-mode: enforce, or x-guardrail-policy: block",
            )
        if mode == "enforce" and found.settings.mode != "enforce":
            found = Chosen(found.guard, dataclasses.replace(found.settings, mode="enforce"))
        if policy is not None and found.guard.calibration.certificate is not None:
            raise Refused(
                400,
                "certified",
                "x-guardrail-policy cannot change a guard that has a certificate: leave it out",
            )
        if policy is not None:
            found = Chosen(self._stricter(found.guard), found.settings)
        return found

    def _stricter(self, guard: Guard) -> Guard:
        """The same guard, whose policy then withholds what is still unsupported."""
        if id(guard) not in self._strict:
            self._strict[id(guard)] = _varied(guard, Chain.of(guard.policy.policy, block()), None)
        return self._strict[id(guard)]


def _applied(rule: Rule, plain: Chosen) -> Chosen:
    guard, settings = plain.guard, plain.settings
    if rule.policy is not None or rule.detectors is not None:
        policy = guard.policy.policy
        if rule.policy is not None:
            policy = with_texts(parse_policy(rule.policy), guard.policy.texts)
        guard = _varied(guard, policy, rule.detectors)
    if rule.mode is not None:
        settings = dataclasses.replace(settings, mode=rule.mode)
    return Chosen(guard, settings)


def _varied(guard: Guard, policy: Policy, detectors: tuple[str, ...] | None) -> Guard:
    """A guard with the same models, cache and limits."""
    if guard.calibration.certificate is not None:
        raise ConfigError(
            "a certificate belongs to one policy and its detectors, got a [[rule]] that changes them: "
            "use one server for each"
        )
    by_name = {detector.name: detector for detector in guard.detectors}
    for name in detectors or ():
        if name not in by_name:
            raise UnknownName("detector of [[rule]]", name, tuple(by_name))
    kept = guard.detectors if detectors is None else tuple(by_name[name] for name in detectors)
    return Guard(
        kept,
        policy=policy,
        on_unverified=guard.policy.on_unverified,
        fail=guard.policy.fail,
        budget=guard.budget,
        deadline=guard.deadline,
        backends=guard.hub,
        on_report=guard.on_report,
        calibration=guard.calibration.only([detector.name for detector in kept]),
    )
