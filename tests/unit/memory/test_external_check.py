"""`MemoryConsistency`: what it asks, what it makes of the replies, and that its answers serve others as samples."""

import asyncio

import pytest
from tests.unit.memory.external_world import (
    ANSWER,
    QUESTION,
    REPHRASED,
    TEXT,
    Model,
    is_rephrasing,
    numbers,
    simple_fit,
)

from guardrail import Case, Guard, Verdict
from guardrail.chat import ScriptedChat
from guardrail.detectors import MemoryConsistency, SelfCheck
from guardrail.engine.budget import Budget
from guardrail.engine.flow import Failed, Reason
from guardrail.errors import ConfigError
from guardrail.memory.external.flows import cleaned
from guardrail.registry import DETECTORS
from guardrail.requests import Ask, Completion, Similarity
from guardrail.testing import play

pytest.importorskip("sacrebleu")
CASE = Case.of(ANSWER, prompt=QUESTION, context=[TEXT])


def detector(**options):
    return MemoryConsistency(**({"encoder": "chrf", "fit": simple_fit()} | options))


def examined(case=CASE, model=None, **options):
    """The only finding, and the requests."""
    asked = []
    model = model or Model()

    def reply(request):
        if isinstance(request, Ask):
            asked.append(request)
            said = model(request)
            return Completion(said) if isinstance(said, str) else said
        return Similarity(0.9, 0.9, 0.9)

    [finding] = play(detector(**options).examine(case), reply)
    return finding, asked


class TestVerdict:
    def test_what_holds(self):
        """The same length on each rephrasing: supported, with the numbers that say so."""
        finding, asked = examined()
        assert finding.verdict is Verdict.SUPPORTED
        assert 0 <= finding.score <= 1
        assert {"consistency", "relative consistency", "relevance", "threshold"} <= numbers(finding).keys()
        assert numbers(finding)["answers asked again"] == 4
        assert len(asked) == 8

    def test_what_does_not(self):
        """An answer that nobody gives again is scored above, and marked."""
        wrong, _ = examined(Case.of("Seven hundred yards", prompt=QUESTION, context=[TEXT]))
        assert wrong.verdict is Verdict.UNSUPPORTED
        assert wrong.mark
        assert wrong.score > examined()[0].score

    def test_a_threshold_of_ones_own(self):
        """It takes the fit's place."""
        assert examined(threshold=0.0)[0].verdict is Verdict.UNSUPPORTED

    def test_with_relevance(self):
        """A fit of both numbers gives distance and density; the score is the χ² share."""
        fit = simple_fit(form="plain", relevance=True)
        finding, _ = examined(fit=fit)
        found = numbers(finding)
        point = found["consistency"], found["relevance"]
        assert finding.score == pytest.approx(fit.normal.score(point, sides="below"))
        assert found["density"] == pytest.approx(fit.normal.density(point))
        assert found["squared distance from normal answers"] >= 0

    def test_the_measure_is_named(self):
        """A finding by character n-grams says so."""
        [note] = [one.note for one in examined()[0].evidence if getattr(one, "name", "") == "consistency"]
        assert "chrF" in note


class TestRephrasing:
    def test_each_is_shown_those_before(self):
        """The third request holds the two that were kept, fenced; the first none."""
        _, asked = examined()
        first, second, third = [ask.messages[-1] for ask in asked if is_rephrasing(ask)][:3]
        assert REPHRASED[0] not in first.text
        assert REPHRASED[0] in second.text
        assert all(text in third.text for text in REPHRASED[:2])
        assert all(isinstance(part, str) is (TEXT not in str(part)) for part in first.content)

    def test_temperature(self):
        """All at .95."""
        assert {ask.temperature for ask in examined()[1]} == {0.95}

    def test_unlike_ones_are_tried_again(self):
        """A text about something else is dropped, within the bound, and told."""
        other = "Bananas are rich in potassium, and monkeys are said to love them more than anything."
        finding, asked = examined(model=Model((other, *REPHRASED)))
        assert numbers(finding)["answers asked again"] == 4
        assert sum(map(is_rephrasing, asked)) == 5
        assert "unlike" not in finding.reason  # all four were had in the end
        assert len({(ask.messages, ask.draw) for ask in asked}) == len(asked)

    def test_too_few(self):
        """Nothing that means the same: unverified, with the counts, after as many tries as allowed."""
        other = "Bananas are rich in potassium."
        finding, asked = examined(model=Model((other, other + " Really.")))
        assert finding.verdict is Verdict.UNVERIFIED
        assert finding.score is None
        assert "too few" in finding.reason
        assert "0 of 8 rephrasings accepted, 8 unlike the source" in finding.reason
        assert len(asked) == 8

    @pytest.mark.parametrize("said", ["", " \n", "...", TEXT, f"{{{TEXT}}}"])
    def test_malformed(self, said):
        """Empty replies and the source itself are counted apart."""
        finding, _ = examined(model=Model((said,)))
        assert finding.verdict is Verdict.UNVERIFIED
        assert "8 empty or repeated" in finding.reason

    def test_empty_answers(self):
        """They are counted, and two others are enough."""
        finding, _ = examined(model=Model(replies=("", "340 metres.", " ", "340 metres long.")))
        assert finding.score is not None
        assert "2 answers empty" in finding.reason
        assert numbers(finding)["answers asked again"] == 2

    def test_the_papers_prompts(self):
        """Unfenced, the examples in square brackets."""
        asked = []

        def reply(request):
            if not isinstance(request, Ask):
                return Similarity(0.9, 0.9, 0.9)
            asked.append(request.messages[-1])
            if "rephrase" in asked[-1].text:
                return Completion(REPHRASED[sum("rephrase" in one.text for one in asked) - 1])
            return Completion("A bridge of 340 metres.")

        [finding] = play(
            detector(prompts="paper", fit=simple_fit(task="summary")).examine(
                Case.of(ANSWER, context=[TEXT])
            ),
            reply,
        )
        assert finding.score is not None
        assert all(isinstance(one.content, str) for one in asked)
        assert f"{{{TEXT}}}" in asked[0].text
        assert any(f"[{REPHRASED[0]}]" in one.text for one in asked)
        assert any("summarize the following text in one sentence" in one.text for one in asked)

    def test_cleaned(self):
        """Brackets and fences around a whole reply go; those within stay."""
        assert cleaned("“好。”") == "好。"
        assert cleaned("[1] and [2]") == "[1] and [2]"
        assert cleaned("{") == "{"


class TestQuestions:
    def test_the_users_question_is_asked(self):
        """On each rephrasing, which is fenced; a document that the question quotes is left out of it."""
        case = Case.of(ANSWER, prompt=f"{TEXT}\n\n{QUESTION}", context=[TEXT])
        _, asked = examined(case)
        last = [ask.messages[-1].text for ask in asked if not is_rephrasing(ask)]
        assert all(QUESTION in text and TEXT not in text for text in last)

    def test_without_a_question(self):
        """A summary is asked for."""
        _, asked = examined(Case.of(ANSWER, context=[TEXT]), fit=simple_fit(task="summary"))
        assert any("one sentence" in ask.messages[-1].text for ask in asked)

    def test_without_a_document(self):
        """The question is rephrased, and put to the model as the user's own, after what was said before."""
        model = Model(
            ("What is the length of the Corvo bridge?", "The Corvo bridge: how long is it?"), ("340 m.",)
        )
        case = Case.of(ANSWER, prompt=[("system", "Be brief."), ("user", QUESTION)])
        finding, asked = examined(case, model, rephrasings=2)
        asked_again = [ask.messages for ask in asked if not is_rephrasing(ask)]
        assert [messages[0].text for messages in asked_again] == ["Be brief."] * 2
        assert [messages[1].text for messages in asked_again] == list(model.rephrased)
        assert finding.score is not None
        assert "relevance" not in numbers(finding)

    def test_nothing_to_ask(self):
        """Neither a document nor a question, or no answer: no finding, and nothing asked."""
        for case in (Case(answer="Yes."), Case.of(" ", prompt=QUESTION, context=[TEXT])):
            assert play(detector().examine(case), lambda request: Failed(Reason.BUG)) == []
            assert detector().cost(case) == {}

    def test_too_long(self):
        """What is too long is said, and nothing asked."""
        finding, asked = examined(longest=10)
        assert "more than 10" in finding.reason
        assert asked == []

    def test_no_fit(self):
        """A language without a packaged fit is unverified."""
        case = Case.of(
            "Мост длиной 340 метров.", prompt="Какой длины мост?", context=["Мост длиной 340 метров."]
        )
        [finding] = play(MemoryConsistency(encoder="chrf").examine(case), lambda request: Failed(Reason.BUG))
        assert finding.verdict is Verdict.UNVERIFIED
        assert "no fit" in finding.reason


class TestLanguages:
    def test_chinese(self):
        """Prompts in Chinese, chrF, the packaged fit."""
        pytest.importorskip("jieba")
        text = "科尔沃大桥于1921年通车，全长340米，设有两条车道。"
        model = Model(
            (
                "科尔沃大桥1921年通车，全长340米，有两条车道。",
                "1921年通车的科尔沃大桥全长340米，设有两条车道。",
            ),
            ("全长340米。", "340米。"),
        )
        case = Case.of("全长340米。", prompt="大桥有多长？", context=[text])
        asked = []

        def reply(request):
            asked.append(request)
            return Completion(model(request))

        [finding] = play(MemoryConsistency(rephrasings=2).examine(case), reply)
        assert finding.score is not None
        assert finding.verdict is Verdict.SUPPORTED
        assert "改写" in asked[0].messages[-1].text

    def test_the_guards_encoder_is_told(self):
        """Its calls may be paid for: each rephrasing with the source, all answers with each other."""
        asked = []

        def reply(request):
            asked.append(request.route)
            return Completion(Model()(request)) if isinstance(request, Ask) else Similarity(0.9, 0.9, 0.9)

        guards = detector(encoder="guard", fit=simple_fit(encoder="guard", compared_by="mine"))
        play(guards.examine(CASE), reply)
        told = guards.cost(CASE)
        assert told["similarity"] == (0, 8 + 10)
        assert 0 < asked.count("similarity") <= 18

    def test_through_another_language(self):
        """The translation is what is asked about; its translation back is what is compared."""
        back = dict(zip(("译文一。", "译文二。"), REPHRASED, strict=False))
        asked = []

        def reply(request):
            text = request.messages[-1].text
            asked.append(text)
            if "翻译成中文" in text:
                return Completion("译文二。" if "译文一" in text else "译文一。")
            if "into English" in text:
                return Completion(next(found for sent, found in back.items() if sent in text))
            return Completion("340 metres." if "language of the question" in text else "?")

        options = {"rephrasings": 2, "through": "zh"}
        [finding] = play(detector(**options).examine(CASE), reply)
        assert finding.score is not None
        assert numbers(finding)["answers asked again"] == 2
        assert len(asked) == 6
        assert any("译文一。" in text and QUESTION in text for text in asked)
        least, most = detector(**options).cost(CASE)["chat:subject"]
        assert least <= 6 <= most

    def test_a_question_in_another_language(self):
        """English about a Chinese text: answers are compared as English ones, by consistency alone."""
        pytest.importorskip("jieba")
        text = "科尔沃大桥于1921年通车，全长340米，设有两条车道。"
        model = Model(
            (
                "科尔沃大桥1921年通车，全长340米，有两条车道。",
                "1921年通车的科尔沃大桥全长340米，设有两条车道。",
            ),
            ("It is 340 metres long.", "340 metres long."),
        )
        case = Case.of(ANSWER, prompt=QUESTION, context=[text])
        found = MemoryConsistency(rephrasings=2, encoder="chrf").examine(case)
        [finding] = play(found, lambda request: Completion(model(request)))
        assert finding.verdict is Verdict.SUPPORTED
        assert "relevance" not in numbers(finding)
        assert "'en'" in next(e.note for e in finding.evidence if getattr(e, "name", "") == "threshold")
        bare = case.model_copy(update={"answer": "340", "messages": ()})
        assert MemoryConsistency(encoder="chrf").plan(bare).spoken == "zh"

    def test_summaries_of_translations(self):
        """Are asked for in the first language."""
        case, fit = Case.of(ANSWER, context=[TEXT]), simple_fit(task="summary")
        plan = detector(through="zh", fit=fit).plan(case)
        assert "one sentence in English that" in plan.question("译文。").messages[-1].text
        assert "one sentence that" in detector(fit=fit).plan(case).question("x").messages[-1].text

    def test_through_its_own(self):
        """There is nothing to translate."""
        assert "already" in examined(through="en")[0].reason


class TestFailures:
    def test_no_model(self):
        """Nobody answers: unverified, one request."""
        finding, asked = examined(model=lambda ask: Failed(Reason.MISSING, "no model"))
        assert "no model" in finding.reason
        assert len(asked) == 1

    def test_a_model_that_stops(self):
        """What was had until then is scored, and the reason told."""
        inner = Model()
        calls = []

        def model(ask):
            calls.append(ask)
            return inner(ask) if len(calls) <= 5 else Failed(Reason.TIMEOUT, "too late")

        finding, _ = examined(model=model)
        assert finding.score is not None
        assert "too late" in finding.reason

    def test_no_encoder(self):
        """What the guard's encoder cannot compare is unverified."""
        fit = simple_fit()
        object.__setattr__(fit, "encoder", "mine")

        def reply(request):
            return (
                Completion(Model()(request))
                if isinstance(request, Ask)
                else Failed(Reason.MISSING, "no encoder")
            )

        [finding] = play(MemoryConsistency(encoder="auto", fit=fit).examine(CASE), reply)
        assert finding.verdict is Verdict.UNVERIFIED
        assert "no encoder" in finding.reason


class TestBudget:
    @pytest.mark.parametrize(("calls", "pairs"), [(8, 4), (5, 2), (4, 2), (3, 1)])
    def test_whole_pairs(self, calls, pairs):
        """Few calls still make whole pairs of a rephrasing and an answer; two are enough for a score."""
        guard = Guard([detector()], chat=ScriptedChat(Model()), budget=Budget(calls=calls))
        report = guard.check(CASE)
        assert report.cost.total.calls <= calls
        [finding] = report.findings
        assert numbers(finding)["answers asked again"] == pairs
        assert (finding.score is not None) == (pairs >= 2)
        if pairs < 4:
            assert "budget" in finding.reason

    def test_cost(self):
        """What was said before holds."""
        guard = Guard([detector()], chat=ScriptedChat(Model()))
        estimate = guard.estimate(CASE)
        assert (estimate.least, estimate.most) == (8, 12)
        assert guard.check(CASE).cost.total.calls == 8

    def test_a_deadline(self):
        """No time: unverified, with the reason."""
        [finding] = Guard([detector(deadline=0)], chat=ScriptedChat(Model())).check(CASE).findings
        assert finding.verdict is Verdict.UNVERIFIED
        assert "deadline" in finding.reason


class TestSharing:
    def test_the_answers_are_samples(self):
        """SelfCheck beside it is scored by the answers asked again, and asks the model nothing more."""
        chat = ScriptedChat(Model())
        alone = ScriptedChat(Model())
        Guard([detector()], chat=alone).check(CASE)
        report = Guard([detector(), SelfCheck("ngram")], chat=chat).check(CASE)
        assert chat.asked == alone.asked
        assert len(chat.asked) == 8
        assert report.failures == ()
        by = {finding.detector: finding for finding in report.findings}
        assert by["selfcheck-ngram"].score is not None
        assert by["memory"].score is not None
        assert report.cost.total.calls == 8

    def test_the_estimate(self):
        """At least what memory asks; at most what both ask, since memory may have nothing to give."""
        guard = Guard([detector(), SelfCheck("ngram", samples=5)], chat=ScriptedChat(Model()))
        estimate = guard.estimate(CASE)
        assert (estimate.least, estimate.most) == (8, 12 + 5)
        assert estimate.by_detector["selfcheck-ngram"] == (0, 5)
        given = CASE.model_copy(update={"samples": ("340 m.",)})
        assert guard.estimate(given).by_detector["selfcheck-ngram"] == (0, 0)

    def test_the_same_on_an_event_loop(self):
        """And the report is the same."""
        made = [Guard([SelfCheck("ngram"), detector()], chat=ScriptedChat(Model())) for _ in range(2)]
        assert asyncio.run(made[0].acheck(CASE)).findings == made[1].check(CASE).findings

    def test_samples_that_are_given(self):
        """Are used; memory's own are for memory."""
        chat = ScriptedChat(Model())
        case = CASE.model_copy(update={"samples": ("It is 340 metres long.",) * 3})
        report = Guard([detector(), SelfCheck("ngram")], chat=chat).check(case)
        assert len(chat.asked) == 8
        assert all(finding.score is not None for finding in report.findings)

    def test_nothing_to_share(self):
        """Where no rephrasing is accepted SelfCheck draws its own."""
        other = "Bananas are rich in potassium."

        def model(ask):
            return other if is_rephrasing(ask) else "340 metres."

        chat = ScriptedChat(model)
        report = Guard([detector(retries=0), SelfCheck("ngram", samples=3)], chat=chat).check(CASE)
        by = {finding.detector: finding for finding in report.findings}
        assert by["memory"].verdict is Verdict.UNVERIFIED
        assert by["selfcheck-ngram"].score is not None
        assert len(chat.asked) == 4 + 3


class TestOptions:
    @pytest.mark.parametrize(
        "options",
        [
            {"rephrasings": 0},
            {"least": 5},
            {"least": 0},
            {"retries": -1},
            {"encoder": "bert"},
            {"language": "fr"},
            {"through": "fr"},
            {"through": "zh", "prompts": "paper"},
            {"through": "en", "language": "en"},
            {"threshold": 2},
            {"prompts": "mine"},
            {"temperature": -1},
            {"fit": "nowhere.json"},
            {"encoder": "guard"},
            {"encoder": "packaged", "fit": "answer-en-chrf"},
            {"longest": 0},
        ],
    )
    def test_refused(self, options):
        """Nonsense is refused at once."""
        with pytest.raises(ConfigError):
            MemoryConsistency(**options)

    def test_by_name(self):
        """The registry makes it."""
        assert isinstance(DETECTORS.create("memory", {"rephrasings": 2}), MemoryConsistency)

    def test_the_encoder_comes_along_only_where_it_may_be_used(self):
        """chrF brings none."""
        assert detector().backends() == {}
