"""What the facts say of one thing that a sentence claims, and of all of them together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from guardrail.logic.knowledge.proofs import State
from guardrail.logic.reading import Said

_SHOWN = 8  # words or reasons in one sentence


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the facts say of one claim.

    Attributes:
        state: whether they entail it, contradict it, or leave it open.
        words: why, one sentence.
        steps: the proof, in plain words, from known facts to the conclusion.
        known: the facts that decide, as a clause.
        assumed: whether it rests on names that differ standing for things that differ.
        denies: whether the claim is a denial of what is entailed.
        applies: whether the facts say anything about what was asked.
    """

    state: State
    words: str
    steps: tuple[str, ...] = ()
    known: str = ""
    assumed: bool = False
    denies: bool = False
    applies: bool = True

    def denied(self) -> Outcome:
        """The outcome for the negation. What was only assumed to be false is not known to be."""
        if self.state == "unknown":
            return self
        if self.assumed:
            return Outcome("unknown", f"Not settled: {self.words}", self.steps)
        state: State = "contradicted" if self.state == "entailed" else "entailed"
        return replace(self, state=state, denies=state == "contradicted")


@dataclass(frozen=True, slots=True)
class Ruling:
    """What the facts say of a sentence, and why."""

    state: State
    words: str
    outcomes: tuple[Outcome, ...] = ()

    @property
    def known(self) -> str:
        """The facts that decide, as clauses."""
        return "; ".join(
            dict.fromkeys(one.known for one in self.outcomes if one.known and one.state == self.state)
        )


def rule(said: Said, outcomes: Sequence[Outcome]) -> Ruling:
    """Contradicted if one claim is; entailed only if every claim is and no word is left unread.

    Args:
        said: what was read in the sentence.
        outcomes: what the facts say of its statements, then of its claims about years.
    """
    # "Not only born in London", "not founded by her alone": what is denied may be what was not read.
    against = [one for one in outcomes if one.state == "contradicted" and not (one.denies and said.unread)]
    if against and not said.hedged:
        return Ruling("contradicted", _joined(one.words for one in against), tuple(outcomes))
    if said.hedged and outcomes:
        return Ruling(
            "unknown", "The sentence may not assert what it says, so it was not judged.", tuple(outcomes)
        )
    open_ = [one for one in outcomes if one.state == "unknown"]
    if open_:
        return Ruling("unknown", _joined(one.words for one in open_), tuple(outcomes))
    if not outcomes:
        return Ruling("unknown", "Nothing in it was read as a statement about facts of the knowledge base.")
    if said.unread:
        quoted = " ".join(said.unread[:_SHOWN]) + (" …" if len(said.unread) > _SHOWN else "")
        if any(one.denies for one in outcomes):
            words = f"What it denies may be what was not read: “{quoted}”."
            return Ruling("unknown", words, tuple(outcomes))
        words = f"What was read of it is entailed, but not all of it was read: “{quoted}” was not."
        return Ruling("unknown", words, tuple(outcomes))
    return Ruling("entailed", _joined(one.words for one in outcomes), tuple(outcomes))


def _joined(reasons: Iterable[str]) -> str:
    found = list(dict.fromkeys(reasons))
    more = f" (and {len(found) - _SHOWN} more)" if len(found) > _SHOWN else ""
    return " ".join(found[:_SHOWN]) + more
