"""Rows about another model: a certificate made from the recorded replies of one, and the answers of the other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks._rows import Row
from benchmarks._table import Run
from benchmarks.calibration.methods import ERROR, Tally
from benchmarks.calibration.synthetic import SEED
from benchmarks.references.replay import Topic, read_topics, recorded_asks
from guardrail import Case, Guard
from guardrail.calibration import Calibration, Certificate, DriftMonitor, Rows, Scoring, Target, certify
from guardrail.chat import RecordedChat
from guardrail.detectors import ReferenceCheck
from guardrail.errors import ConfigError
from guardrail.evaluation import evaluate
from guardrail.evaluation.labelled import labelled
from guardrail.requests import Ask

__all__ = ["Answers", "another_model", "refused"]

MADE_WITH, OTHER = "gpt-4", "gpt-3.5-turbo"
TARGET = "fdr=0.3,missed=0.3"
TIMES, WITHIN = 200, 100


def _words(ask: Ask) -> str:
    """A request by its words: all that a replay needs."""
    return f"{ask.draw} {ask.role} " + "\n".join(message.text for message in ask.messages)


@dataclass(frozen=True)
class Answers:
    """The answers of one model about 200 topics, five titles each, and what it replied when it was asked about them.

    Attributes:
        model: its name.
        topics: as the results file has them.
        chat: the replies; those of other models too, where the service is known by one name.
    """

    model: str
    topics: Sequence[Topic]
    chat: RecordedChat

    @property
    def cases(self) -> list[Case]:
        """One case per topic."""
        return [Case.of(topic.answer, prompt=topic.prompt) for topic in self.topics]

    @cached_property
    def rows(self) -> Rows:
        """Scores of the detector, with labels: a title that the web search did not find is made up."""
        guard = Guard([ReferenceCheck()], chat=self.chat)
        labels = [list(_invented(topic)) for topic in self.topics]
        names = [f"topic {number}" for number in range(len(self.topics))]
        found = evaluate(self.cases, guard, labels=labels, sources=names)
        return labelled(found.rows, {ReferenceCheck.name: ReferenceCheck.scale})[0]

    @cached_property
    def worst(self) -> NDArray[np.float64]:
        """The worst score of each answer: what is watched for drift."""
        return self.rows.by_answer().scores

    def certificate(self, target: str = TARGET) -> Certificate:
        """Made from these answers."""
        guard = Guard([ReferenceCheck()], chat=self.chat)
        prints = {lane: backend.fingerprint for lane, backend in guard.hub.backends.items()}
        signatures = {one.name: str(one.signature()) for one in guard.detectors}
        scoring = Scoring.of(signatures, prints, model=self.model)
        return certify(
            self.rows, Target.parse(target), scoring, scales={ReferenceCheck.name: ReferenceCheck.scale}
        )


def _invented(topic: Topic) -> Iterator[list[int]]:
    start = 0
    for title in topic.titles:
        begin = topic.answer.find(title.text, start)
        if begin < 0:
            begin = topic.answer.find(title.text)
        start = begin + len(title.text)
        if not title.grounded:
            yield [begin, start]


def both(run: Run, *, together: bool, most: int | None = None) -> tuple[Answers, Answers]:
    """The answers of two models.

    Args:
        run: says where the data are.
        together: whether one service answers for both, as where a provider puts another model behind the same name.
        most: topics of each; all by default.
    """
    detector, folder = ReferenceCheck(), run.data("references")
    topics = {name: read_topics(folder / f"{name}_results.csv")[:most] for name in (MADE_WITH, OTHER)}
    replies: dict[str, dict[Ask, Any]] = {
        name: {ask: said for topic in found for ask, said in recorded_asks(topic, detector)}
        for name, found in topics.items()
    }
    if together:
        known = {**replies[OTHER], **replies[MADE_WITH]}
        replies = {MADE_WITH: known, OTHER: known}
    first, second = (
        Answers(name, topics[name], RecordedChat(replies[name], key=_words)) for name in (MADE_WITH, OTHER)
    )
    return first, second


def refused(certificate: Certificate, answering: str, **options: Any) -> str:
    """What a guard says that does not take the certificate; "" if it does."""
    try:
        Guard(calibration=Calibration(certificate, answering=answering), **options).close()
    except ConfigError as error:
        return str(error)
    return ""


def another_model(run: Run, runs: int) -> Iterator[Row]:
    """Refused by name, by its replies and by another option; and noticed where the name stays while the model changes."""
    apart, other = both(run, together=False)
    made = apart.certificate()
    same: dict[str, Any] = {"detectors": [ReferenceCheck()], "chat": apart.chat, "answering": MADE_WITH}
    name = f"certificate from {MADE_WITH}'s recorded replies"
    for said, changed, wanted in (
        ("taken by the same guard", {}, 0),
        (f"refused for answers of {OTHER}", {"answering": OTHER}, 1),
        (f"refused with {OTHER} as the model asked", {"chat": other.chat}, 1),
        ("refused with other questions", {"detectors": [ReferenceCheck(queries=("iq",))]}, 1),
    ):
        yield Row.within(
            f"{name}: {said}", wanted, int(bool(refused(made, **{**same, **changed}))), tolerance=0
        )
    for group in made.groups:
        for outcome in group.outcomes:
            yield Row.shown(f"{name}: {outcome.risk} ≤ {outcome.bound:g}, threshold", outcome.threshold)
    yield from _unnoticed(run, name, min(runs, TIMES))


def _unnoticed(run: Run, name: str, times: int) -> Iterator[Row]:
    """The provider puts the other model behind the name: what the guard sees."""
    first, second = both(run, together=True)
    with Guard(
        [ReferenceCheck()],
        chat=first.chat,
        calibration=Calibration(first.certificate(), answering=MADE_WITH),
    ) as guard:
        seen = _first_alarm(guard, second.cases)
    yield Row.at_most(f"{name}: {OTHER} behind the same name, answers until the alarm", seen, WITHIN)
    limit = Tally(times).limit
    yield Row.at_least(
        f"{name}: {OTHER} behind the same name, alarm within {WITHIN} answers, random halves",
        _alarms(first.worst, second.worst, times),
        0.95,
    )
    yield Row.at_most(
        f"{name}: alarm on the other half of {MADE_WITH}'s own answers",
        _alarms(first.worst, None, times),
        limit,
    )


def _first_alarm(guard: Guard, cases: Sequence[Case]) -> int | None:
    """After how many answers the alarm is on; `None` = never."""
    for number, case in enumerate(cases, 1):
        guard.check(case)
        if guard.drift is not None and guard.drift.alarm:
            return number
    return None


def _alarms(known: NDArray[np.float64], live: NDArray[np.float64] | None, times: int) -> float:
    """Alarms within 100 answers, of random halves of the calibration's; live are its other half or another model's answers."""
    found = 0
    for number in range(times):
        rng = np.random.default_rng((SEED, 10, number))
        order = rng.permutation(known.size)
        monitor = DriftMonitor(known[order[: known.size // 2]], error=ERROR, seed=number)
        rest = known[order[known.size // 2 :]] if live is None else rng.permutation(live)
        found += any(monitor.observe(float(score)) for score in rest[:WITHIN])
    return found / times
