"""What a policy is, and several of them in order."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import ClassVar, Protocol, cast

from guardrail.errors import ConfigError
from guardrail.given.advice import policy_to_write
from guardrail.given.recognition import shown
from guardrail.policies.edits import NUMBERED_AGAIN, apply, merged
from guardrail.policies.review import Review
from guardrail.policies.texts import Phrases, Texts
from guardrail.report import Action, Decision, Edit, Finding, Verdict

_STRENGTH = {action: i for i, action in enumerate(Action)}


class Policy(Protocol):
    """What a guard asks of a policy."""

    @property
    def needs_whole_answer(self) -> bool:
        """Whether nothing may be released before the whole answer was examined: its scope is "answer", else "sentence"."""
        ...

    @property
    def edits(self) -> bool:
        """Whether the text that is shown may differ from the one examined."""
        ...

    @property
    def asks_again(self) -> bool:
        """Whether it may want another attempt."""
        ...

    def feedback(self, review: Review, attempt: int) -> str | None:
        """The feedback to the model before it tries again, or `None` to keep what there is.

        Args:
            review: the latest attempt.
            attempt: how many times the answer was regenerated so far.
        """
        ...

    def decide(self, review: Review) -> Decision:
        """What to show, given the best attempt."""
        ...


@dataclass(frozen=True)
class VerdictPolicy:
    """What the policies here have in common: the verdicts that they act on, the user's texts, and `|`."""

    on: frozenset[Verdict] = frozenset({Verdict.UNSUPPORTED})
    texts: Texts = field(default=Texts(), kw_only=True)

    needs_whole_answer: ClassVar[bool] = False
    edits: ClassVar[bool] = True
    asks_again: ClassVar[bool] = False

    def feedback(self, review: Review, attempt: int) -> str | None:  # noqa: ARG002  # the protocol's
        """Content with what there is."""
        return None

    def affected(self, review: Review) -> list[Finding]:
        """The findings that this policy acts on."""
        return [finding for finding in review.findings if finding.verdict in self.on]

    def phrases(self, review: Review) -> Phrases:
        """Our texts in the language of the answer."""
        return Phrases(review.language, self.texts)

    def __or__(self, other: Policy) -> Chain:
        return Chain.of(cast("Policy", self), other)

    def __str__(self) -> str:
        options = ", ".join(self._options())
        return type(self).__name__.lower() + (f"({options})" if options else "")

    def _options(self) -> Iterator[str]:
        if self.on != type(self).on:
            yield "on=" + "+".join(verdict.value for verdict in Verdict if verdict in self.on)
        yield from self.texts.written()


@dataclass(frozen=True)
class Chain:
    """Policies in order. Build it with `|`."""

    policies: tuple[Policy, ...]

    @classmethod
    def of(cls, *policies: Policy) -> Chain:
        """One flat chain; policies that differ only in `on` are one policy that acts on both.

        Raises:
            ConfigError: one of them is no policy.
        """
        flat: list[Policy] = []
        for policy in policies:
            if isinstance(policy, type) or not hasattr(policy, "decide"):
                raise ConfigError(f"| joins policies, got {shown(policy)}: write {policy_to_write(policy)}")
            for part in policies_in(policy):
                same = next((i for i, p in enumerate(flat) if _alike(p, part)), None)
                if same is None:
                    flat.append(part)
                elif isinstance(part, VerdictPolicy):
                    known = cast("VerdictPolicy", flat[same])
                    flat[same] = cast("Policy", replace(known, on=known.on | part.on))
        return cls(tuple(flat))

    @property
    def needs_whole_answer(self) -> bool:
        """Whether any of them does."""
        return any(policy.needs_whole_answer for policy in self.policies)

    @property
    def edits(self) -> bool:
        """Whether any of them does."""
        return any(policy.edits for policy in self.policies)

    @property
    def asks_again(self) -> bool:
        """Whether any of them may."""
        return any(policy.asks_again for policy in self.policies)

    def feedback(self, review: Review, attempt: int) -> str | None:
        """Of the first that wants another attempt."""
        replies = (policy.feedback(review, attempt) for policy in self.policies)
        return next((reply for reply in replies if reply is not None), None)

    def decide(self, review: Review) -> Decision:
        """All of them, in order; what one has cut is not looked at by the next."""
        if not self.policies:
            return unchanged(review)
        decisions: list[Decision] = []
        edits: tuple[Edit, ...] = ()
        remaining = review
        for policy in self.policies:
            decision = policy.decide(remaining)
            decisions.append(decision)
            edits = merged(review.case.answer, edits, decision.edits)
            remaining = replace(remaining, findings=tuple(_uncut(remaining.findings, decision.edits)))
        strongest = max(decisions, key=lambda decision: _STRENGTH[decision.action])
        if strongest.action is Action.BLOCK:
            return strongest
        notes = dict.fromkeys(decision.note for decision in decisions if decision.note)
        return Decision(
            action=strongest.action,
            answer=apply(review.case.answer, edits) if edits else strongest.answer,
            edits=edits,
            note="; ".join(notes),
        )

    def __or__(self, other: Policy) -> Chain:
        return Chain.of(self, other)

    def __str__(self) -> str:
        return " | ".join(str(policy) for policy in self.policies)


def policies_in(policy: Policy) -> tuple[Policy, ...]:
    """The policies that a policy consists of."""
    return policy.policies if isinstance(policy, Chain) else (policy,)


def texts_of(policy: Policy) -> Texts:
    """The user's texts in all parts of a policy; of two for one key the first."""
    found = Texts()
    for part in policies_in(policy):
        found = found.over(part.texts) if isinstance(part, VerdictPolicy) else found
    return found


def with_texts(policy: Policy, texts: Texts) -> Policy:
    """A policy whose parts all have these texts, where they have no others themselves."""
    made = [
        cast("Policy", replace(part, texts=part.texts.over(texts)))
        if isinstance(part, VerdictPolicy)
        else part
        for part in policies_in(policy)
    ]
    return Chain.of(*made) if isinstance(policy, Chain) else made[0]


def _alike(a: Policy, b: Policy) -> bool:
    if not isinstance(a, VerdictPolicy) or not isinstance(b, VerdictPolicy) or type(a) is not type(b):
        return False
    return replace(a, on=b.on) == b


def unchanged(review: Review) -> Decision:
    """The answer as it is."""
    return Decision(action=Action.PASS, answer=review.case.answer)


def _uncut(findings: Iterable[Finding], edits: Iterable[Edit]) -> Iterator[Finding]:
    """The findings whose text an edit has neither taken away nor put right; edits are disjoint."""
    cuts = sorted(
        (edit.span.start, edit.span.end)
        for edit in edits
        if edit.span.end > edit.span.start and edit.why != NUMBERED_AGAIN
    )
    made = {(edit.span, edit.replacement) for edit in edits}
    for finding in findings:
        span = finding.span
        if finding.corrections and all((one.span, one.replacement) in made for one in finding.corrections):
            continue
        index = -1 if span is None else bisect_right(cuts, span.start, key=lambda cut: cut[0]) - 1
        if span is None or index < 0 or span.end > cuts[index][1]:
            yield finding
