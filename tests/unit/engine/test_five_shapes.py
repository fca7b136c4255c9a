"""Detectors of the shapes of all five methods in one guard: the core knows none of them.

references: a look-up, then chains of questions, a branch for each reference.
selfcheck: samples, then entailment in batches and text comparison, one finding per sentence.
phr: imagined contexts from a white-box language model, then distributions and log-probabilities.
memory: rephrase, ask again, compare; what it was answered serves selfcheck as samples.
logic: a request kind of its own, proved by a backend that is bound to one thread.
"""

import asyncio
import queue
import threading
from dataclasses import dataclass
from math import log
from typing import Any, ClassVar

import pytest
from tests.unit.engine.toys import PATIENT, Echo, chat

from guardrail import Case, Detector, Finding, Guard, Span, Verdict
from guardrail.engine.backend import Backend
from guardrail.engine.flow import (
    Answer,
    Branch,
    Cost,
    Failed,
    Request,
    compute,
    draws,
    each,
    gather,
    one,
    values,
    why,
)
from guardrail.requests import (
    Ask,
    Compare,
    Completion,
    Distribution,
    Entail,
    Entailment,
    LogProb,
    Outcomes,
    Sample,
    Similarity,
    Untrusted,
    user,
)

ANSWER = "Smith wrote Real Book. Jones wrote Fake Book. Poe wrote Odd Book."
CASE = Case.of(ANSWER, prompt="Who wrote what?", context=["Smith wrote Real Book."])


@dataclass(frozen=True, slots=True)
class Known(Request[bool]):
    """Whether a bibliography has a title."""

    lane: ClassVar[str] = "bibliography"
    reply_type: ClassVar[Any] = bool

    title: str


@dataclass(frozen=True, slots=True)
class Prove(Request[tuple[str, ...] | None]):
    """A goal against a knowledge base: the proof, or none."""

    lane: ClassVar[str] = "knowledge_base"
    reply_type: ClassVar[Any] = tuple[str, ...] | None

    goal: str


def sentences(answer):
    """Each with its span; a long function stands behind it."""
    found, start = [], 0
    for part in answer.split(". "):
        found.append((part.strip(". "), Span(start=start, end=start + len(part.rstrip(".")))))
        start += len(part) + 2
    return found


def title(sentence):
    return sentence.partition(" wrote ")[2]


class References(Detector):
    name = "references"

    def cost(self, case):
        return {"chat:subject": (0, 6 * len(sentences(case.answer)))}

    def examine(self, case):
        found = yield from compute(sentences, case.answer)
        results = yield from gather(self._check(sentence, span) for sentence, span in found)
        return [
            Finding(detector=self.name, span=span, verdict=Verdict.UNVERIFIED, reason=str(result))
            if isinstance(result, Failed)
            else result
            for result, (_, span) in zip(results, found, strict=True)
        ]

    def _check(self, sentence, span):
        known = yield from one(Known(title(sentence)))
        if isinstance(known, Answer) and known.value:
            return Finding(detector=self.name, span=span, score=0.0, verdict=Verdict.SUPPORTED)
        (asked,) = yield from gather([Branch(self._interrogate(sentence), calls={"chat:subject": (6, 6)})])
        if isinstance(asked, Failed):
            return Finding(detector=self.name, span=span, verdict=Verdict.UNVERIFIED, reason=str(asked))
        verdict = Verdict.UNSUPPORTED if asked > 0.5 else Verdict.SUPPORTED
        return Finding(detector=self.name, span=span, score=asked, verdict=verdict)

    def _interrogate(self, sentence):
        authors = Ask((user("Who wrote ", Untrusted(title(sentence)), "?"),))
        named = {c.text for c in values((yield from each(draws(authors, 3))))}
        exists = Ask((user("Does ", Untrusted(title(sentence)), " exist?"),))
        votes = [c.text == "yes" for c in values((yield from each(draws(exists, 3))))]
        return 1 - (votes.count(True) / 3 + (len(named) == 1)) / 2


class SelfCheck(Detector):
    name = "selfcheck"
    needs = frozenset({"samples"})

    def cost(self, case):
        return {} if case.samples else {"chat:subject": (4, 4)}

    def examine(self, case):
        samples, failed = case.samples, ""
        if not samples:
            replies = yield from each(draws(Ask(case.messages, temperature=1.0), 4))
            samples, failed = tuple(c.text for c in values(replies)), why(replies)
        results = yield from gather(self._score(*part, samples, failed) for part in sentences(case.answer))
        return list(results)

    def _score(self, sentence, span, samples, failed):
        pairs = yield from each(Entail(sample, sentence) for sample in samples)
        likeness = yield from each(Compare(sentence, sample) for sample in samples)
        scores = [e.contradiction for e in values(pairs)] + [1 - s.f1 for s in values(likeness)]
        if not scores:
            return Finding(
                detector=self.name, span=span, verdict=Verdict.UNVERIFIED, reason=failed or why(pairs)
            )
        score = sum(scores) / len(scores)
        verdict = Verdict.UNSUPPORTED if score > 0.5 else Verdict.SUPPORTED
        return Finding(detector=self.name, span=span, score=score, verdict=verdict)


class Posterior(Detector):
    name = "phr"

    def __init__(self, contexts=6, horizon=3):
        self.contexts = contexts
        self.horizon = horizon

    def cost(self, case):
        return {}

    def examine(self, case):
        rates = yield from gather(self._imagine(case, i) for i in range(self.contexts))
        found = [rate for rate in rates if isinstance(rate, float)]
        if not found:
            return [Finding(detector=self.name, verdict=Verdict.UNVERIFIED, reason=str(rates[0]))]
        score = sum(found) / len(found)
        verdict = Verdict.UNSUPPORTED if score > 0.5 else Verdict.SUPPORTED
        return [Finding(detector=self.name, score=score, verdict=verdict)]

    def _imagine(self, case, i):
        context = case.question
        for step in range(self.horizon):  # each draw depends on the one before
            drawn = yield from one(Sample(context, draw=i * self.horizon + step))
            if isinstance(drawn, Failed):
                raise RuntimeError(why([drawn]))
            context += drawn.value
        likely, given = yield from each(
            [Distribution(context, case.question, ("A", "B")), LogProb(context, case.answer)]
        )
        (labels,), (logprob,) = values([likely]), values([given])
        return float(logprob < log(max(labels.probabilities)))


class Memory(Detector):
    name = "memory"
    provides = frozenset({"samples"})

    def cost(self, case):
        return {"chat:subject": (6, 6)}

    def _answers(self, case):
        source = case.context[0]
        replies = []
        for i in range(3):  # each new one is shown the earlier ones
            shown = " ".join(c.text for c in values(replies))
            replies.append((yield from one(Ask((user("Rephrase ", Untrusted(source), shown),), draw=i))))
        prompts = [Ask((user(c.text, case.question),)) for c in values(replies)]
        return values((yield from each(prompts)))

    def examine(self, case):
        answers = yield from self._answers(case)
        likeness = yield from each(Compare(case.answer, answer.text) for answer in answers)
        found = [s.f1 for s in values(likeness)]
        if not found:
            return [Finding(detector=self.name, verdict=Verdict.UNVERIFIED, reason=why(likeness))]
        return [Finding(detector=self.name, score=1 - sum(found) / len(found), verdict=Verdict.SUPPORTED)]

    def offer(self, case):
        return tuple(answer.text for answer in (yield from self._answers(case)))


class Logic(Detector):
    name = "logic"

    def cost(self, case):
        return {}

    def examine(self, case):
        found = sentences(case.answer)
        proofs = yield from each(Prove(sentence) for sentence, _ in found)
        return [self._finding(proof, span) for proof, (_, span) in zip(proofs, found, strict=True)]

    def _finding(self, proof, span):
        if isinstance(proof, Failed):
            return Finding(detector=self.name, span=span, verdict=Verdict.UNVERIFIED, reason=str(proof))
        if proof.value is None:
            return Finding(detector=self.name, span=span, verdict=Verdict.UNVERIFIED, reason="no proof")
        return Finding(detector=self.name, span=span, score=0.0, verdict=Verdict.SUPPORTED)


class Engine(Backend[Prove]):
    """Answers from one thread of its own, whichever thread calls: as a Prolog engine must."""

    fingerprint = "toy knowledge base"
    batch = 8

    def __init__(self):
        self._goals = queue.SimpleQueue()
        self._home = threading.Thread(target=self._live, daemon=True)
        self.used_by = set()
        self._home.start()

    def _live(self):
        while True:
            goals, replies = self._goals.get()
            self.used_by.add(threading.current_thread())
            replies.put([Answer(("base fact",) if "Real" in goal.goal else None) for goal in goals])

    def answer(self, requests):
        replies = queue.SimpleQueue()
        self._goals.put((requests, replies))
        return replies.get(timeout=PATIENT)


class Entailer(Echo):
    """A local model: batches, no call to pay for."""

    async def aanswer(self, requests):
        await asyncio.sleep(0)
        return self.answer(requests)


def said(request):
    """What the subject model says."""
    text = request.messages[-1].text
    if text.startswith("Who wrote") and "Fake" in text:
        return f"Author {request.draw}"  # another each time
    if text.startswith("Does"):
        return "no" if "Fake" in text else "yes"
    return f"take {request.draw}: {text}"[:60]


def language_model(request):
    if isinstance(request, Sample):
        return Answer(f" {request.draw % 2}")
    return Answer(Outcomes(("A", "B"), (0.7, 0.2))) if isinstance(request, Distribution) else Answer(log(0.1))


class World:
    """All backends of one guard."""

    def __init__(self):
        self.chat = chat(said)
        self.engine = Engine()
        self.entailer = Entailer(
            lambda e: Answer(Entailment(0.2, 0.9 if "Fake" in e.hypothesis else 0.1)), batch=16
        )
        self.backends = {
            "bibliography": Echo(lambda known: Answer("Real" in known.title), instant=True),
            "entailment": self.entailer,
            "similarity": Entailer(lambda _: Answer(Similarity(0.8, 0.8, 0.8)), batch=32),
            "language_model": Echo(language_model, batch=16, concurrency=1),
            "knowledge_base": self.engine,
        }
        for local in self.backends.values():
            local.paid = False

    def guard(self, *detectors, **options):
        return Guard(detectors or ALL(), chat=self.chat, backends=self.backends, **options)


def ALL():  # noqa: N802  # fresh ones each time
    return [References(), SelfCheck(), Posterior(), Memory(), Logic()]


def check(pump, guard, case=CASE):
    return guard.check(case) if pump == "sync" else asyncio.run(guard.acheck(case))


PUMPS = pytest.mark.parametrize("pump", ["sync", "async"])


@PUMPS
class TestFiveShapes:
    def test_run_in_one_guard(self, pump):
        """Each finds what it would find alone."""
        report = check(pump, World().guard())
        assert report.failures == ()
        found = {}
        for finding in report.findings:
            found.setdefault(finding.detector, []).append(finding.verdict.value)
        assert found == {
            "references": ["supported", "unsupported", "supported"],
            "selfcheck": ["supported", "unsupported", "supported"],
            "phr": ["unsupported"],
            "memory": ["supported"],
            "logic": ["supported", "unverified", "unverified"],
        }

    def test_find_the_same_alone(self, pump):
        """Sharing changes the bill, not the scores."""
        together = check(pump, World().guard()).findings
        alone = [f for d in ALL() if d.name != "selfcheck" for f in check(pump, World().guard(d)).findings]
        assert sorted(map(str, alone)) == sorted(str(f) for f in together if f.detector != "selfcheck")

    def test_share_the_samples_of_the_one_that_has_them(self, pump):
        """Six calls of memory serve selfcheck, which asks for none; twelve are for two references."""
        world = World()
        report = check(pump, world.guard())
        assert report.cost.total.calls == len(world.chat.asked) == 6 + 12
        assert report.cost.paid.keys() == {"memory", "references"}
        assert sum(cost.calls for cost in report.cost.paid.values()) == pytest.approx(18)

    def test_batch_across_their_branches(self, pump):
        """Nine pairs of three sentences; six contexts step by step, of which two are different in the end."""
        world = World()
        check(pump, world.guard(SelfCheck(), Memory(), Posterior()))
        assert [len(batch) for batch in world.entailer.batches] == [9]
        assert [len(batch) for batch in world.backends["language_model"].batches] == [6, 6, 6, 4]

    def test_a_thread_bound_backend_is_used_from_its_thread_alone(self, pump):
        """Whatever pump or lane calls it."""
        world = World()
        for _ in range(3):
            check(pump, world.guard())
        assert world.engine.used_by == {world.engine._home}

    def test_estimate_holds(self, pump):
        """What was paid lies between least and most."""
        world = World()
        guard = world.guard()
        estimate = guard.estimate(CASE)
        calls = check(pump, guard).cost.total.calls
        assert estimate.least - 4 <= calls <= estimate.most  # selfcheck's four are shared

    def test_out_of_budget_some_are_finished_and_the_rest_say_why(self, pump):
        """The look-up and memory fit, one reference of two does, the other is unverified."""
        world = World()
        report = check(pump, world.guard(References(), Logic(), budget=6))
        assert report.failures == ()
        assert len(world.chat.asked) == 6
        reasons = [f.reason for f in report.findings if f.detector == "references" and f.reason]
        assert reasons == ["budget: needs 6 calls, 0 left in the budget"]

    def test_a_missing_backend_leaves_the_others_at_work(self, pump):
        """No language model: one detector is unverified."""
        world = World()
        del world.backends["language_model"]
        report = check(pump, world.guard())
        (finding,) = [f for f in report.findings if f.detector == "phr"]
        assert finding.verdict is Verdict.UNVERIFIED
        assert "no backend for 'language_model'" in finding.reason
        assert len(report.findings) == 11

    def test_leave_nothing_queued(self, pump):
        """In any lane."""
        guard = World().guard()
        check(pump, guard)
        assert guard.hub.queued() == 0


def test_fifty_at_once_on_one_loop():
    """All five detectors for fifty callers: the same verdicts, everything shared that may be."""
    world = World()
    guard = world.guard()

    async def main():
        return await asyncio.gather(*(guard.acheck(CASE) for _ in range(50)))

    reports = asyncio.run(main())
    assert len({tuple((f.detector, f.verdict) for f in report.findings) for report in reports}) == 1
    assert guard.hub.queued() == 0
    assert sum(report.cost.total.calls for report in reports) == len(world.chat.asked) == 50 * 18
    assert guard.hub.spent.calls == Cost(50 * 18).calls
    assert Completion(said(Ask((user("Does it?"),)))).text == "yes"
