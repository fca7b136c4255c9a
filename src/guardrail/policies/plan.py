"""A policy together with what is done about what could not be checked."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from guardrail.options import one_of
from guardrail.policies.actions import Annotate, Block, blocked
from guardrail.policies.composition import Chain, Policy, policies_in, texts_of, with_texts
from guardrail.policies.review import Review
from guardrail.policies.texts import Phrases, Texts
from guardrail.policies.wording import unfinished
from guardrail.report import Action, Decision, Verdict


@dataclass(frozen=True)
class Plan:
    """A policy, and what to do about what could not be checked.

    Attributes:
        policy: for what was found.
        on_unverified: what to do with unverified findings that the policy does not name: "allow" leaves them
            alone, "annotate" marks them, "block" withholds the answer, as it does where a detector failed. `None` means "annotate" for a policy
            that edits and "allow" for one that only flags.
        fail: what to do if a detector failed: "closed" withholds the answer, "open" shows it and says so, in
            a line at its end (under "annotate") or in the decision's note.
    """

    policy: Policy
    on_unverified: Literal["allow", "annotate", "block"] | None = None
    fail: Literal["open", "closed"] = "open"

    def __post_init__(self) -> None:
        if self.on_unverified is not None:
            one_of("on_unverified", self.on_unverified, ("allow", "annotate", "block"))
        one_of("fail", self.fail, ("open", "closed"))

    @cached_property
    def whole(self) -> Policy:
        """The policy together with what is done about unverified findings."""
        chosen = self.on_unverified or ("annotate" if self.policy.edits else "allow")
        if chosen == "allow":
            return self._policy
        kind = Annotate if chosen == "annotate" else Block
        return Chain.of(self._policy, kind(frozenset({Verdict.UNVERIFIED}), texts=self.texts))

    @cached_property
    def texts(self) -> Texts:
        """The user's texts, given to any part of the policy: they count for all of them."""
        return texts_of(self.policy)

    @cached_property
    def _policy(self) -> Policy:
        return with_texts(self.policy, self.texts)

    def phrases(self, answer: str, question: str = "") -> Phrases:
        """Our texts in the language of an answer."""
        return Phrases.about(answer, question=question, texts=self.texts)

    @property
    def needs_whole_answer(self) -> bool:
        """Whether nothing may be released before the whole answer was examined."""
        return self.whole.needs_whole_answer or self.fail == "closed"

    @property
    def withholds_unchecked(self) -> bool:
        """Whether an answer that could not be examined at all is withheld."""
        return self.fail == "closed" or self.on_unverified == "block"

    @property
    def edits(self) -> bool:
        """Whether the text that is shown may differ from the one examined."""
        return self.whole.edits or self.fail == "closed"

    @property
    def cuts(self) -> bool:
        """Whether text may be taken out of the answer; of a policy that is not one of ours, whether it edits."""
        return any(part.edits and not isinstance(part, Annotate) for part in policies_in(self.whole))

    @property
    def asks_again(self) -> bool:
        """Whether the policy may want another attempt."""
        return self.whole.asks_again

    def feedback(self, review: Review, attempt: int) -> str | None:
        """The policy's."""
        return self.whole.feedback(review, attempt)

    def decide(self, review: Review) -> Decision:
        """What to show."""
        decision = self.whole.decide(review)
        if not review.failures or decision.action is Action.BLOCK:
            return decision
        reason = unfinished(review.failures)
        if self.fail == "closed":
            phrases = Phrases(review.language, self.texts)
            told = unfinished(review.failures, phrases)
            return blocked(review, phrases.of("withheld", reason=told), reason)
        action = Action.FLAG if decision.action is Action.PASS else decision.action
        note = f"{decision.note}; {reason}" if decision.note else reason
        return decision.model_copy(update={"action": action, "note": note})
