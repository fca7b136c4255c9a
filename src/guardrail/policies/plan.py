"""A policy together with what is done about what could not be checked."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from guardrail.options import one_of
from guardrail.policies.actions import BLOCKED, Annotate, Block, blocked
from guardrail.policies.composition import Chain, Policy
from guardrail.policies.edits import one_line
from guardrail.policies.review import Review
from guardrail.policies.wording import many
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
            return self.policy
        unverified = frozenset({Verdict.UNVERIFIED})
        return Chain.of(self.policy, Annotate(unverified) if chosen == "annotate" else Block(unverified))

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
        whole = self.whole
        parts = whole.policies if isinstance(whole, Chain) else (whole,)
        return any(part.edits and not isinstance(part, Annotate) for part in parts)

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
        names = ", ".join(dict.fromkeys(one_line(failure.detector, 40) for failure in review.failures))
        reason = f"{many(len(review.failures), 'check')} could not be finished ({names})"
        if self.fail == "closed":
            return blocked(review, BLOCKED.replace("{reason}", reason), reason)
        action = Action.FLAG if decision.action is Action.PASS else decision.action
        note = f"{decision.note}; {reason}" if decision.note else reason
        return decision.model_copy(update={"action": action, "note": note})
