"""`PairConsistency`: does the model give the same matches when the lists are in another order?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from guardrail.detector import Detector, Scope
from guardrail.engine.flow import Calls, Failed, Flow, Reply, each, why
from guardrail.errors import ConfigError, MissingExtra
from guardrail.memory.internal.chinese import chinese_name_key
from guardrail.memory.internal.task import Match, Order, Task, read_answer, recognised
from guardrail.options import option
from guardrail.report import Case, Finding, Measurement, Replies, Scale, Span, Verdict
from guardrail.requests import Ask, Completion
from guardrail.statistics.intervals import wilson

_SHOWN = 1_000  # characters of a reply that are kept as evidence


class PairConsistency(Detector):
    """Judges the answer to "match these with those" by asking again with the partners in other orders.

    Applies to cases whose last user message asks to match two lists (`task.py` says in which forms); nothing is found in
    others. The user's own question is asked again, word for word but for the order.

    One finding for each match of the answer. Its score is the share of readable replies that give another partner. No key
    is needed, and none is used: matches that the model makes up the same way each time are not seen. The share of
    replies that differ anywhere, 1 − mean h of the paper with the answer in the place of the truth, is in the evidence.

    Raises:
        ConfigError: an option has no such value.

    Source: [memory] §III-B; the use on an answer without a key, and the score per match, are ours.
    """

    name: ClassVar[str] = "pairs"
    version: ClassVar[str] = "1"
    scope: ClassVar[Scope] = "answer"
    scale: ClassVar[Scale] = Scale(
        unit="share", meaning="larger = asked in other orders, the model more often gives another partner"
    )

    questions: int = option(default=5, least=1, help="how often the question is asked again")
    least: int = option(default=3, least=1, help="readable replies that a score needs")
    temperature: float = option(default=0.95, least=0, most=2, help="temperature of the replies")
    threshold: float = option(default=0.5, least=0, most=1, help="unsupported from this score on")
    seed: int = option(default=0, least=0, help="seed of the orders")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.least > self.questions:
            raise ConfigError(
                f"expected least to be at most questions ({self.questions}), got {self.least!r}"
            )

    def lacks_prompt(self, case: Case) -> bool:
        """The lists are in the prompt."""
        return not case.messages

    def cost(self, case: Case) -> Calls:
        """A question each time, where there is a list of matches to check."""
        try:
            task = recognised(case)
            asked = task is not None and bool(_given(case, task))
        except MissingExtra:
            asked = False
        return {"chat:subject": (self.questions, self.questions)} if asked else {}

    def examine(self, case: Case) -> Flow[list[Finding]]:
        """One finding per match, or none where the case is no matching task."""
        task = recognised(case)
        if task is None or not case.answer.strip():
            yield from ()
            return []
        try:
            given = _given(case, task)
        except MissingExtra as error:
            return [self._unverified(case, str(error))]
        if not given:
            return [self._unverified(case, "the answer could not be read as one partner for each item")]
        asked = [task.again(order) for order in self._orders(len(task.rights))]
        replies = yield from each(
            Ask(messages, temperature=self.temperature, draw=draw) for draw, (messages, _) in enumerate(asked)
        )
        answered = [
            [match.name for match in read_answer(reply.value.text, task.lefts, rights, task.labels)]
            for (_, rights), reply in zip(asked, replies, strict=True)
            if not isinstance(reply, Failed)
        ]
        return self._judged(case, task, given, replies, answered)

    def _orders(self, k: int) -> list[Order]:
        """Other orders than the one that the answer saw."""
        rng = np.random.default_rng((self.seed, k))
        found: list[Order] = []
        while len(found) < self.questions:
            order: Order = tuple(rng.permutation(k).tolist())
            if order != tuple(range(k)):
                found.append(order)
        return found

    def _judged(
        self,
        case: Case,
        task: Task,
        given: Sequence[Match],
        replies: Sequence[Reply[Completion]],
        answered: Sequence[Sequence[str]],
    ) -> list[Finding]:
        texts = [reply.value.text[:_SHOWN] for reply in replies if not isinstance(reply, Failed)]
        said = Replies(
            query="the same question, with the partners in other orders",
            texts=tuple(texts),
            read=tuple(", ".join(names) if names else None for names in answered),
        )
        usable = [[chinese_name_key(name) for name in names] for names in answered if names]
        if len(usable) < self.least:
            reason = f"asked again, {len(usable)} of {len(replies)} replies could be read, and {self.least} are needed"
            failed = why(replies)
            return [self._unverified(case, f"{reason}: {failed}" if failed else reason, [said])]
        wanted = [chinese_name_key(match.name) for match in given]
        differ = sum(names != wanted for names in usable)
        whole = Measurement(
            name="replies that differ",
            value=differ / len(usable),
            interval=wilson(differ, len(usable)),
            note=f"1 − mean h over {len(usable)} replies, for all {len(given)} matches together",
        )
        findings = []
        for i, (left, match) in enumerate(zip(task.lefts, given, strict=True)):
            same = sum(names[i] == wanted[i] for names in usable)
            score = 1 - same / len(usable)
            bad = score >= self.threshold
            found = match.end > match.start
            findings.append(
                Finding(
                    detector=self.name,
                    span=Span(start=match.start, end=match.end) if found else None,
                    text=case.answer[match.start : match.end],
                    score=score,
                    verdict=Verdict.UNSUPPORTED if bad else Verdict.SUPPORTED,
                    label="inconsistent" if bad else "consistent",
                    mark="matched otherwise when asked again" if bad else "",
                    reason=f"{left!r}: asked in other orders, {same} of {len(usable)} replies give {match.name!r}",
                    evidence=(said, whole),
                )
            )
        return findings


def _given(case: Case, task: Task) -> list[Match]:
    return read_answer(case.answer, task.lefts, task.rights, task.labels)
