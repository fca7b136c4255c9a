"""The guard: detectors, policy and backends together."""

import asyncio
import re
import threading
import warnings

import pytest
from tests.unit.engine.toys import (
    PATIENT,
    Asks,
    Buy,
    Echo,
    Look,
    Raises,
    Roll,
    Says,
    Stuck,
    ask,
    chat,
    hub,
    supported,
    unsupported,
    unverified,
)

from guardrail import Budget, Case, Detector, Guard, Retry, Span, Verdict, annotate, block, flag, regenerate
from guardrail.chat import RecordedChat, ScriptedChat
from guardrail.engine import codec
from guardrail.engine.flow import (
    Answer,
    Branch,
    Cost,
    Failed,
    Reason,
    draws,
    each,
    gather,
    one,
    values,
    within,
)
from guardrail.errors import BackendError, ConfigError, InputError, UnknownName
from guardrail.report import Action
from guardrail.requests import Completion, Message, user

PUMPS = pytest.mark.parametrize("pump", ["sync", "async"])


def check(pump, guard, answer="An answer.", **options):
    """By the method of either pump."""
    if pump == "sync":
        return guard.check(answer, **options)
    return asyncio.run(guard.acheck(answer, **options))


def generate(pump, guard, prompt="A question?"):
    return guard.generate(prompt) if pump == "sync" else asyncio.run(guard.agenerate(prompt))


def supervise(pump, guard, generator, **options):
    if pump == "sync":
        return guard.supervise(generator, **options)

    async def produce(feedback):
        await asyncio.sleep(0)
        return generator(feedback)

    return asyncio.run(guard.asupervise(produce, **options))


class Dislikes(Detector):
    """Finds a word in the answer unsupported, as often as it stands there."""

    name = "dislikes"

    def __init__(self, word="bad"):
        self.word = word

    def cost(self, case):
        return {}

    def examine(self, case):
        yield from ()
        return [unsupported(self.name, text=self.word) for _ in range(case.answer.count(self.word))]


class Finds(Dislikes):
    """The same, with the places."""

    def examine(self, case):
        yield from ()
        found = re.finditer(self.word, case.answer)
        return [
            unsupported(self.name, text=one[0], span=Span(start=one.start(), end=one.end())) for one in found
        ]


class Consistency(Detector):
    """As the memory detector does: asks again, and offers what it was answered as samples."""

    name = "consistency"
    provides = frozenset({"samples"})

    def __init__(self, n=4):
        self.n = n

    def cost(self, case):
        return {"chat:subject": (self.n, self.n)}

    def _again(self, case):
        return (yield from each(draws(ask(f"rephrased: {case.question}"), self.n)))

    def examine(self, case):
        replies = yield from self._again(case)
        return [supported(self.name, reason=str(len(values(replies))))]

    def offer(self, case):
        replies = yield from self._again(case)
        return tuple(completion.text for completion in values(replies))


class Taker(Detector):
    """As self-consistency does: needs samples, and draws its own where there are none."""

    name = "taker"
    needs = frozenset({"samples"})

    def __init__(self, n=5):
        self.n = n
        self.saw = None

    def cost(self, case):
        return {} if case.samples else {"chat:subject": (self.n, self.n)}

    def examine(self, case):
        samples = case.samples
        if not samples:
            replies = yield from each(draws(ask(case.question), self.n))
            samples = tuple(completion.text for completion in values(replies))
        self.saw = samples
        return [supported(self.name)]


@PUMPS
class TestCheck:
    def test_reports_what_was_found(self, pump):
        """In the order of the answer, findings on the whole last."""
        here, there = Span(start=0, end=2), Span(start=3, end=9)
        guard = Guard([Says(supported(), unsupported(span=there)), Says(supported(span=here), name="b")])
        report = check(pump, guard)
        assert [finding.span for finding in report.findings] == [here, there, None]
        assert report.verdict is Verdict.UNSUPPORTED
        assert report.answer == "An answer."

    def test_says_what_it_cost(self, pump):
        """In total, per detector, and what each would have cost alone."""
        guard = Guard([Asks(Buy(1), name="a"), Asks(Buy(1), Buy(2), name="b")], backends=hub(Echo()))
        cost = check(pump, guard).cost
        assert cost.total == Cost(2)
        assert cost.paid == {"a": Cost(0.5), "b": Cost(1.5)}
        assert cost.alone == {"a": Cost(1), "b": Cost(2)}
        assert cost.wall_seconds > 0

    def test_says_where_its_scores_come_from(self, pump):
        """One line per detector."""
        assert (
            check(pump, Guard([Dislikes("worse")]))
            .signatures["dislikes"]
            .startswith('dislikes|version:1|word:"worse"|guardrail:')
        )

    def test_passes_on_what_the_user_has(self, pump):
        """Prompt, context and samples; nothing given is asked for again."""
        taker, backend = Taker(), chat()
        report = check(
            pump,
            Guard([taker, Consistency()], chat=backend),
            prompt="Q?",
            samples=["s1", "s2"],
            context=["c"],
        )
        assert taker.saw == ("s1", "s2")
        assert len(backend.asked) == 4  # the provider's own
        assert report.case == Case(
            answer="An answer.", messages=(user("Q?"),), samples=("s1", "s2"), context=("c",)
        )

    def test_takes_a_whole_case(self, pump):
        """As it is."""
        case = Case.of("x", prompt=[("system", "Be brief."), {"role": "user", "content": "Q?"}])
        assert check(pump, Guard([]), case).case == case
        assert case.messages == (Message("system", "Be brief."), Message("user", "Q?"))

    def test_without_detectors_finds_nothing(self, pump):
        """No verdict, rather than a good one."""
        report = check(pump, Guard([]))
        assert (report.verdict, report.decision.action) == (None, Action.PASS)


@PUMPS
class TestFailingDetectors:
    def test_one_that_raises_loses_nothing_else(self, pump):
        """Its traceback is in the report, the other's findings too."""
        report = check(pump, Guard([Raises(), Dislikes()]), "a bad answer")
        (failure,) = report.failures
        assert (failure.detector, failure.reason) == ("raises", Reason.BUG)
        assert failure.detail == "ZeroDivisionError: a bug in the detector"
        assert "in examine\n" in failure.traceback
        assert [finding.detector for finding in report.findings] == ["dislikes"]
        assert report.answer == "a bad answer"

    def test_one_that_raises_after_it_has_asked_is_billed(self, pump):
        """What was spent was spent."""
        report = check(pump, Guard([Raises(after=Buy(1))], backends=hub(Echo())))
        assert report.cost.paid == {"raises": Cost(1)}
        assert len(report.failures) == 1

    @pytest.mark.parametrize(
        ("finding", "detail"),
        [
            (supported(span=Span(start=0, end=11)), "a span must lie in the answer of 10 characters"),
            (supported(score=1.5), "a score must lie in 0.0..1.0, got 1.5"),
            (supported(score=-0.1), "a score must lie in 0.0..1.0, got -0.1"),
            ("not a finding", "AttributeError"),
        ],
    )
    def test_findings_that_cannot_be_are_a_bug_of_their_detector(self, pump, finding, detail):
        """A span beyond the answer, a score off the scale."""
        report = check(pump, Guard([Says(finding), Dislikes()]), "bad answer")
        (failure,) = report.failures
        assert failure.reason is Reason.BUG
        assert detail in failure.detail
        assert len(report.findings) == 1

    def test_one_that_is_no_generator_learns_what_to_write(self, pump):
        """A plain `return []` is the commonest slip."""

        class Plain(Says):
            def examine(self, case):
                return [supported()]

        (failure,) = check(pump, Guard([Plain()])).failures
        assert "expected examine of 'says' to be a generator, got list" in failure.detail
        assert "yield from ()" in failure.detail

    def test_one_that_gives_nothing_is_a_bug(self, pump):
        """A forgotten return is not "nothing found"."""

        class Forgetful(Says):
            def examine(self, case):
                yield from ()

        assert [f.reason for f in check(pump, Guard([Forgetful()])).failures] == [Reason.BUG]

    def test_a_failed_reply_is_no_failure_of_its_detector(self, pump):
        """The finding is unverified, with the reason."""
        gone = Echo(lambda _: Failed(Reason.REFUSED, "content filter"))
        report = check(pump, Guard([Asks(Buy(1), Buy(2))], backends=hub(gone)))
        assert report.failures == ()
        assert [(f.verdict, f.reason) for f in report.findings] == [
            (Verdict.UNVERIFIED, "refused: content filter (×2)")
        ]

    def test_without_a_backend_a_finding_says_what_is_missing(self, pump):
        """And what to give the guard."""
        (finding,) = check(pump, Guard([Asks(ask("q"))])).findings
        assert finding.reason.startswith("missing: no backend for 'chat': give the guard chat=…")

    def test_failing_open_shows_the_answer_and_says_so(self, pump):
        """In the decision's note."""
        report = check(pump, Guard([Raises()], fail="open"))
        assert (report.answer, report.decision.action) == ("An answer.", Action.FLAG)
        assert "could not be finished (raises)" in report.decision.note

    def test_failing_closed_withholds_the_answer(self, pump):
        """It could be anything."""
        report = check(pump, Guard([Raises()], fail="closed"))
        assert report.blocked
        assert "An answer." not in report.answer


@PUMPS
class TestSharedSamples:
    def test_one_set_serves_both(self, pump):
        """Four calls instead of nine, though the prompts differ."""
        taker, backend = Taker(), chat(lambda q: f"sample {q.draw}")
        report = check(pump, Guard([taker, Consistency(4)], chat=backend), prompt="Q?")
        assert len(backend.asked) == report.cost.total.calls == 4
        assert taker.saw == tuple(f"sample {i}" for i in range(4))
        assert [finding.detector for finding in report.findings] == ["consistency", "taker"]

    def test_each_by_itself_pays_for_its_own(self, pump):
        """The figure that sharing is compared with."""
        backend = chat()
        check(pump, Guard([Taker()], chat=backend), prompt="Q?")
        check(pump, Guard([Consistency(4)], chat=backend), prompt="Q?")
        assert len(backend.asked) == 9

    def test_if_the_provider_has_none_the_taker_draws_its_own(self, pump):
        """A failed offer is no sample, and a failure of its detector."""

        class Poor(Consistency):
            def offer(self, case):
                yield from ()
                raise RuntimeError("nothing to offer")

        taker, backend = Taker(5), chat()
        report = check(pump, Guard([Poor(4), taker], chat=backend), prompt="Q?")
        assert (len(taker.saw), len(backend.asked)) == (5, 9)
        assert [(f.detector, f.detail) for f in report.failures] == [
            (Poor.name, "RuntimeError: nothing to offer")
        ]

    def test_a_taker_that_raises_is_named(self, pump):
        """Not its provider."""

        class Broken(Taker):
            def examine(self, case):
                yield from ()
                raise KeyError("samples")

        report = check(pump, Guard([Consistency(), Broken()], chat=chat()), prompt="Q?")
        assert [failure.detector for failure in report.failures] == ["taker"]
        assert [finding.detector for finding in report.findings] == ["consistency"]


class TestBudget:
    def test_bounds_one_guard_call(self):
        """The next has its own."""
        backend = Echo()
        guard = Guard([Asks(*map(Roll, range(10)))], budget=4, backends=hub(backend))
        for calls in (4, 8):
            report = guard.check("x")
            assert report.cost.total.calls == 4
            assert len(backend.asked) == calls
            assert report.findings[0].reason == "budget: the budget is used up (×6)"

    def test_a_number_is_a_number_of_calls(self):
        """`budget=3` is the short form."""
        assert Guard([], budget=3).budget == Budget(calls=3)

    def test_what_was_finished_is_in_the_report(self):
        """Partial and marked: three references of eight."""

        class References(Says):
            def reference(self, i):
                replies = yield from each([Buy((i, k)) for k in range(10)])
                return supported(text=str(i)) if len(values(replies)) == 10 else unverified(text=str(i))

            def examine(self, case):
                flows = [Branch(self.reference(i), calls={"chat:subject": (10, 10)}) for i in range(8)]
                results = yield from gather(flows)
                return [unverified(reason=str(r)) if isinstance(r, Failed) else r for r in results]

        report = Guard([References()], budget=30, backends=hub(Echo())).check("x")
        assert [len(report.with_verdict(v)) for v in (Verdict.SUPPORTED, Verdict.UNVERIFIED)] == [3, 5]
        assert report.cost.total.calls == 30


@PUMPS
class TestDeadline:
    def test_of_the_guard_leaves_what_is_late_unverified(self, pump):
        """And what was done stands."""
        backend = Stuck(lambda buy: buy.key == "slow")
        guard = Guard(
            [Asks(Buy("slow"), name="a"), Asks(Buy(1), name="b")], deadline=0.1, backends=hub(backend)
        )
        report = check(pump, guard)
        backend.let_go.set()
        assert {f.detector: f.verdict.value for f in report.findings} == {"a": "unverified", "b": "supported"}
        assert report.cost.paid["a"].calls == 1  # the call was made
        assert report.failures == ()

    def test_of_a_detector_leaves_the_others_their_time(self, pump):
        """The slow detector ends, the guard goes on."""
        backend = Stuck(lambda buy: buy.key == "slow")

        class Later(Says):
            def examine(self, case):
                yield from gather([Branch(one(Buy("slow")), seconds=0.2)])
                return [supported(self.name)]

        guard = Guard(
            [Asks(Buy("slow"), name="hasty", deadline=0.02), Later(name="later")],
            deadline=PATIENT,
            backends=hub(backend),
        )
        report = check(pump, guard)
        backend.let_go.set()
        assert {f.detector: f.reason for f in report.findings} == {
            "hasty": "deadline: the time is up",
            "later": "so it says",
        }

    def test_counts_the_examination_and_not_the_model_that_answers(self, pump):
        """A framework's model may take longer than a check is allowed to."""
        guard = Guard([Asks(Buy(1))], deadline=0.15, backends=hub(Echo()))

        def slow(_):
            threading.Event().wait(0.3)
            return "An answer."

        report = supervise(pump, guard, slow)
        assert [finding.verdict for finding in report.findings] == [Verdict.SUPPORTED]


@PUMPS
class TestGenerate:
    def test_answers_and_examines(self, pump):
        """With the guard's own chat model."""
        report = generate(pump, Guard([Dislikes()], chat=chat("a bad answer")))
        assert (report.case.answer, len(report.findings)) == ("a bad answer", 1)
        assert report.case.question == "A question?"
        assert report.cost.total.calls == 1

    def test_tries_again_with_what_was_wrong(self, pump):
        """A new draw, the rejected words in the feedback."""
        backend = chat(lambda q: "bad" if q.draw == 0 else "good")
        report = generate(pump, Guard([Dislikes()], chat=backend, policy=regenerate(2)))
        assert (report.answer, report.decision.attempts) == ("good", 2)
        assert report.decision.action is Action.REGENERATE
        assert "Your previous answer was rejected" in backend.asked[1].messages[-1].text

    def test_asking_again_is_one_request_in_every_process(self, pump, monkeypatch):
        """What was rejected goes as untrusted text: a recording or a cache finds it, whatever the salt of the fences."""
        keys = []
        for salt in (b"one", b"two"):
            monkeypatch.setattr("guardrail.text.fence._salt", salt)
            backend = chat(lambda q: "bad" if q.draw == 0 else "good")
            generate(pump, Guard([Finds()], chat=backend, policy=regenerate()))
            keys.append(codec.key(backend.asked[1]))
        assert keys[0] == keys[1]

    def test_raises_where_there_is_no_answer(self, pump):
        """Whether to try later is in the error."""
        busy = Echo(lambda _: Failed(Reason.BACKEND, "429", retryable=True, retry_after=9))
        with pytest.raises(BackendError, match="429") as caught:
            generate(pump, Guard([], chat=busy, retry=Retry(attempts=1)))
        assert (caught.value.retryable, caught.value.retry_after) == (True, 9)


@PUMPS
class TestSupervise:
    def test_guards_somebody_elses_generator(self, pump):
        """Text or a completion; no feedback at first."""
        told = []
        generator = {"": "a bad answer"}

        def produce(feedback):
            told.append(feedback)
            return generator[feedback]

        assert supervise(pump, Guard([Dislikes()]), produce).answer == "a bad answer"
        generator[""] = Completion("said", "model")
        assert supervise(pump, Guard([Dislikes()]), produce).answer == "said"
        assert told == ["", ""]

    def test_what_is_no_text_is_refused(self, pump):
        """A generator that forgot its return."""
        with pytest.raises(InputError, match="must return an answer, got None: write return"):
            supervise(pump, Guard([]), lambda _: None)

    def test_keeps_the_best_attempt(self, pump):
        """The middle one, though a worse one came after it."""
        drafts = iter(["bad bad bad", "bad", "bad bad"])
        report = supervise(pump, Guard([Dislikes()], policy=regenerate(2)), lambda _: next(drafts))
        assert (report.answer, report.decision.attempts) == ("bad", 3)
        assert report.case.answer == "bad"

    def test_stops_at_the_first_good_one(self, pump):
        """No more is generated than is needed."""
        drafts = iter(["bad", "good", "never seen"])
        report = supervise(pump, Guard([Dislikes()], policy=regenerate(5)), lambda _: next(drafts))
        assert report.answer == "good"
        assert next(drafts) == "never seen"

    def test_the_generators_own_exception_comes_out_as_it_is(self, pump):
        """A framework's error handling must still see it."""

        class ProvidersError(Exception):
            pass

        error = ProvidersError("quota")

        def broken(_):
            raise error

        with pytest.raises(ProvidersError) as caught:
            supervise(pump, Guard([Dislikes()]), broken)
        assert caught.value is error

    def test_a_failed_second_attempt_leaves_the_first(self, pump):
        """A bad answer is better than an exception for one."""
        drafts = ["bad"]
        guard = Guard([Dislikes()], policy=regenerate(3) | annotate())
        report = supervise(pump, guard, lambda _: drafts.pop())
        assert report.case.answer == "bad"
        assert report.decision.action is Action.ANNOTATE

    def test_an_attempt_that_repeats_what_was_rejected_is_none(self, pump):
        """A small model hands our marks back; nothing is wrong in that answer, and no user should read it."""
        rejected = []

        def produce(feedback):
            rejected.extend(re.findall("<data-[0-9a-f]+>", feedback)[:1])
            return {0: "bad", 1: f"- {''.join(rejected)}: probably no such work"}.get(len(rejected), "good")

        detector = Finds()
        assert supervise(pump, Guard([detector], policy=regenerate(2)), produce).answer == "good"
        rejected.clear()
        report = supervise(pump, Guard([detector], policy=regenerate()), produce)
        assert (report.answer, report.decision.attempts) == ("bad", 2)
        assert "repeated what was rejected" in report.decision.note

    def test_context_reaches_the_detectors(self, pump):
        """And so does the prompt."""
        report = supervise(pump, Guard([]), lambda _: "x", prompt="Q?", context=["document"])
        assert (report.case.question, report.case.context) == ("Q?", ("document",))

    def test_a_bug_in_a_policy_is_raised(self, pump):
        """It must not turn into an empty answer."""

        class Broken:
            needs_whole_answer = edits = asks_again = False

            def feedback(self, review, attempt):
                raise LookupError("a bug in the policy")

            def decide(self, review):
                raise LookupError("a bug in the policy")

        with pytest.raises(LookupError, match="a bug in the policy"):
            supervise(pump, Guard([Dislikes()], policy=Broken()), lambda _: "x")


class TestAsyncSupervise:
    def test_a_cancelled_generator_cancels_the_caller(self):
        """As without the guard."""

        async def cancelled(_):
            raise asyncio.CancelledError

        async def main():
            task = asyncio.create_task(Guard([]).asupervise(cancelled))
            await asyncio.wait([task])
            return task.cancelled()

        assert asyncio.run(main())


class TestEstimate:
    def test_adds_up_what_the_detectors_say(self):
        """Least and most, without asking anything."""
        backend = chat()
        guard = Guard([Asks(Buy(1), Buy(2)), Consistency(4), Taker(5)], chat=backend)
        estimate = guard.estimate("x", prompt="Q?")
        assert (estimate.least, estimate.most) == (4, 11)  # samples may come from the other detector
        assert estimate.by_detector == {"asks": (0, 2), "consistency": (4, 4), "taker": (0, 5)}
        assert backend.asked == []

    def test_counts_a_route_where_its_backend_is_paid(self):
        """Else nobody pays for it."""

        class Looks(Asks):
            def cost(self, case):
                return {"look": (2, 5), **super().cost(case)}

        guards = [Guard([Looks(Buy(1))], backends={"look": Echo(paid=paid)}) for paid in (False, True)]
        assert [guard.estimate("x").by_detector["asks"] for guard in guards] == [(0, 1), (2, 6)]

    def test_counts_what_nobody_answers(self):
        """As it would be paid for if somebody did."""
        assert Guard([Asks(Buy(1), Buy(2))]).estimate("x").most == 2


class TestBudgetWithoutABackend:
    def test_the_reason_is_what_lacks(self):
        """A larger budget would not help: asked one by one, or with a reservation."""

        class Reserves(Asks):
            def examine(self, case):
                return (yield from within(super().examine(case), calls=self.cost(case)))

        for kind in (Asks, Reserves):
            [finding] = Guard([kind(Buy(1), Buy(2))], budget=1).check("x").findings
            assert finding.reason.startswith("missing: no backend for 'buy'")
            assert finding.reason.endswith("(×2)")


class TestReports:
    def test_every_report_is_told(self):
        """Whole, to one listener."""
        told = []
        guard = Guard([Dislikes()], on_report=told.append)
        assert told == [guard.check("bad")]

    def test_a_listener_that_raises_does_not_lose_the_answer(self, caplog):
        """It is logged, and a warning."""
        with (
            caplog.at_level("ERROR", logger="guardrail"),
            pytest.warns(RuntimeWarning, match="on_report raised ZeroDivisionError"),
        ):
            assert Guard([], on_report=lambda _: 1 / 0).check("x").answer == "x"
        assert "on_report_failed" in caplog.text
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert Guard([], on_report=lambda _: 1 / 0).check("x").answer == "x"

    def test_a_listener_that_raises_is_seen_in_async_use(self):
        """By a warning, for the log is silent where nobody listens."""
        with pytest.warns(RuntimeWarning, match="on_report raised ZeroDivisionError"):
            assert asyncio.run(Guard([], on_report=lambda _: 1 / 0).acheck("x")).answer == "x"

    def test_travel_as_json(self):
        """The wire format."""
        report = Guard([Dislikes(), Raises()], policy=annotate()).check("bad")
        assert type(report).model_validate_json(report.model_dump_json()) == report


class TestConstruction:
    def test_a_class_instead_of_a_detector_is_refused(self):
        """The commonest slip, with what to write."""
        with pytest.raises(ConfigError, match=r"got Dislikes, which makes one: write Dislikes\(\)"):
            Guard([Dislikes])

    def test_what_is_no_detector_is_refused(self):
        """With what it lacks."""
        with pytest.raises(ConfigError, match=r"a class that inherits guardrail\.detector\.Detector"):
            Guard([object()])

    def test_two_of_one_name_are_refused(self):
        """Their findings could not be told apart."""
        with pytest.raises(ConfigError, match=r"\['dislikes'\] more than once"):
            Guard([Dislikes("a"), Dislikes("b")])

    def test_an_unknown_name_is_refused(self):
        """With the nearest one."""
        with pytest.raises(UnknownName, match="Did you mean 'references'"):
            Guard(["reference"])

    def test_two_backends_for_one_lane_are_refused(self):
        """Unless the guard is given one."""

        class Brings(Says):
            def backends(self):
                return {"look": Echo(fingerprint=self.name)}

        with pytest.raises(ConfigError, match="two detectors bring different backends for 'look'"):
            Guard([Brings(name="a"), Brings(name="b")])
        given = Echo()
        guard = Guard([Brings(name="a"), Brings(name="b")], backends={"look": given})
        assert guard.hub.backends["look"] is given

    def test_a_detector_brings_its_backend(self):
        """A bibliography, say."""

        class Brings(Asks):
            def backends(self):
                return {"look": Echo()}

        assert Guard([Brings(Look(1))]).check("x").verdict is Verdict.SUPPORTED

    def test_a_judge_may_be_another_model(self):
        """And is the chat model where there is none."""
        detector = Asks(ask("q", role="judge"))
        Guard([detector], chat=chat("subject"), judge=chat("judge")).check("x")
        assert detector.replies[0].value.text == "judge"

    def test_a_judge_may_be_a_recording_that_is_still_empty(self, tmp_path):
        """It is asked, and makes its recording; the chat model is not asked in its place."""
        detector = Asks(ask("q", role="judge"))
        judge = RecordedChat(tmp_path / "judge.jsonl", record_from=ScriptedChat("judge"))
        Guard([detector], chat=chat("subject"), judge=judge).check("x")
        assert (detector.replies[0].value.text, len(judge)) == ("judge", 1)
        Guard([detector], chat=chat("subject")).check("x")
        assert detector.replies[0].value.text == "subject"

    def test_needs_the_whole_answer_where_something_does(self):
        """A detector of whole answers, a policy that blocks, a guard that fails closed."""

        class Sentences(Dislikes):
            scope = "sentence"

        assert not Guard([Sentences()], policy=flag()).needs_whole_answer
        assert Guard([Dislikes()], policy=flag()).needs_whole_answer
        assert Guard([Sentences()], policy=block()).needs_whole_answer
        assert Guard([Sentences()], fail="closed").needs_whole_answer


class TestSharing:
    def test_sixteen_threads_may_share_one_guard(self):
        """Each has its own report."""
        guard = Guard([Dislikes(), Asks(Buy(1), Buy(2))], backends=hub(Echo()), policy=annotate())
        found = {}

        def work(n):
            found[n] = [len(guard.check("bad " * n).with_verdict(Verdict.UNSUPPORTED)) for _ in range(10)]

        threads = [threading.Thread(target=work, args=(n,)) for n in range(16)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(PATIENT)
        assert found == {n: [n] * 10 for n in range(16)}
        assert guard.hub.queued() == 0

    def test_guards_may_share_a_hub(self):
        """And with it lanes and memory."""
        backends = hub(Echo())
        first, second = Guard([Asks(Buy(1))], backends=backends), Guard([Asks(Buy(2))], backends=backends)
        assert [guard.check("x").verdict for guard in (first, second)] == [Verdict.SUPPORTED] * 2
        assert backends.spent == Cost(2)

    def test_works_inside_a_running_loop(self):
        """A notebook's cell calls `check`."""
        guard = Guard([Asks(Buy(1))], backends=hub(Echo()))

        async def cell():
            return guard.check("x")

        assert asyncio.run(cell()).verdict is Verdict.SUPPORTED

    def test_answers_given_at_once_are_answers(self):
        """An instant backend, no thread at all."""
        backend = Echo(instant=True)
        assert Guard([Asks(Buy(1))], backends=hub(backend)).check("x").cost.total == Cost(1)
        assert backend.threads == {threading.current_thread().name}
        assert backend._reply(Buy(1)) == Answer("re 1", Cost(1))
