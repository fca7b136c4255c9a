"""`SelfCheck`: which samples, which verdict, and what it does with input that is not as it should be."""

from collections import Counter

import pytest
from tests.looping import each

from guardrail import Case, Guard, Retry, Verdict
from guardrail.chat import ScriptedChat
from guardrail.detectors import SelfCheck
from guardrail.engine.flow import Failed, Reason
from guardrail.errors import ConfigError, UnknownName
from guardrail.registry import DETECTORS
from guardrail.report import Measurement, Passage
from guardrail.requests import (
    Answerable,
    Ask,
    Choose,
    Compare,
    Completion,
    Distract,
    Embed,
    Entail,
    Entailment,
    Question,
    QuestionAnswer,
    Similarity,
)
from guardrail.selfcheck import NgramCheck, NliCheck, SentenceCheck
from guardrail.testing import play

ANSWER = "She was born in London. She won a Nobel Prize."
SAMPLES = ("She was born in London. She wrote notes.", "Born in London, she never won a prize.")


def nobody(request):
    pytest.fail(f"asked {request!r}")


def verdicts(findings):
    return [finding.verdict for finding in findings]


class TestMaking:
    def test_by_name(self):
        """The name decides on the class; each has a name of its own."""
        assert isinstance(SelfCheck("ngram"), NgramCheck)
        assert isinstance(SelfCheck("nli", premise="top", top=2), NliCheck)
        assert SelfCheck("nli").name == "selfcheck-nli"
        assert isinstance(SelfCheck("nli"), SentenceCheck)
        Guard([SelfCheck("ngram"), SelfCheck("greybox")])

    def test_registered(self):
        """A configuration file names it with its method."""
        assert isinstance(DETECTORS.create("selfcheck", {"method": "nli", "samples": 3}), NliCheck)

    @pytest.mark.parametrize(
        "options",
        [
            {"method": "ngram", "order": "sample_first"},
            {"method": "ngram", "against": "context"},
            {"method": "ngram", "n": 0},
            {"method": "ngram", "statistic": "median"},
            {"method": "nli", "samples": 0},
            {"method": "nli", "premise": 3},
            {"method": "nli", "premise": "best"},
            {"method": "nli", "top": 0},
            {"method": "nli", "top": 1.5},
            {"method": "nli", "top": "3"},
            {"method": "nli", "similarity": "bm25"},
            {"method": "nli", "max_parts": 0},
            {"method": "ngram", "n": 2.5},
            {"method": "ngram", "n": "2"},
            {"method": "prompt", "max_tokens": 0},
            {"method": "prompt", "logprobs": -1},
            {"method": "prompt", "early_stop": "0.9"},
            {"method": "prompt", "batched": True, "logprobs": 5},
            {"method": "prompt", "early_stop": 0.3},
            {"method": "prompt", "threshold": 50},
            {"method": "nli", "threshold": -0.1},
            {"method": "bertscore", "threshold": -1},
        ],
    )
    def test_refuses(self, options):
        """Options that do not exist, or have no such value."""
        with pytest.raises(ConfigError):
            SelfCheck(**options)

    def test_unknown_method(self):
        """The names that exist are told."""
        for method in ("bert-score", 3):
            with pytest.raises(UnknownName, match="ngram"):
                SelfCheck(method)

    def test_several_methods_are_refused_with_the_line_to_write(self):
        """Each is a detector of its own."""
        with pytest.raises(ConfigError, match=r"write Guard\(\[SelfCheck\('ngram'\), SelfCheck\('nli'\)\]\)"):
            SelfCheck(["ngram", "nli"])


class TestSamples:
    def test_given_are_used(self):
        """Nothing is drawn that was given."""
        detector = SelfCheck("ngram")
        case = Case.of(ANSWER, prompt="Who?", samples=SAMPLES)
        assert detector.cost(case) == {}
        findings = play(detector.examine(case), nobody)
        assert [finding.span.of(ANSWER) for finding in findings] == ANSWER.replace(". ", ".|").split("|")

    def test_drawn(self):
        """Independent answers to the case's own messages, at temperature 1."""
        asked = []

        def reply(request):
            asked.append(request)
            return Completion(SAMPLES[0])

        case = Case.of(ANSWER, prompt=[("system", "Be brief."), ("user", "Who?")])
        play(SelfCheck("ngram", samples=3).examine(case), reply)
        assert asked == [Ask(case.messages, temperature=1.0, draw=i) for i in range(3)]

    def test_some_fail(self):
        """The rest is scored, and the reason says what is lacking."""

        def reply(request):
            return Completion(SAMPLES[0]) if request.draw == 0 else Failed(Reason.TIMEOUT, "60 s")

        findings = play(SelfCheck("ngram", samples=3).examine(Case.of(ANSWER, prompt="Who?")), reply)
        assert all(finding.score is not None for finding in findings)
        assert all("timeout: 60 s (×2)" in finding.reason for finding in findings)

    @pytest.mark.parametrize("method", ["ngram", "prompt", "nli", "bertscore"])
    @pytest.mark.parametrize(
        ("case", "reason"),
        [
            (Case(answer=ANSWER), "no samples"),
            (Case.of(ANSWER, samples=["", " \n"]), "every one of the 2 samples is empty"),
            (Case.of(ANSWER, prompt="Who?"), "no sample could be had: 5 of 5 samples are empty"),
        ],
    )
    def test_none(self, method, case, reason):
        """Without a sample nothing is clean."""
        [finding] = play(SelfCheck(method).examine(case), lambda request: Completion(" "))
        assert (finding.span, finding.verdict) == (None, Verdict.UNVERIFIED)  # said once, of the whole answer
        assert reason in finding.reason

    def test_in_a_guard(self):
        """Samples come through the driver; the made-up word is in the reason and the evidence."""
        guard = Guard([SelfCheck("ngram")], chat=ScriptedChat(SAMPLES[0]))
        first, second = guard.check(ANSWER, prompt="Who?").findings
        assert (first.verdict, second.verdict) == (Verdict.SUPPORTED, Verdict.UNSUPPORTED)
        assert "is in none of the other answers" in second.reason
        assert any(isinstance(one, Passage) and one.source == "sample 1" for one in second.evidence)


class TestDocuments:
    def reply(self, request):
        """One document entails the birth; none the prize."""
        assert isinstance(request, Entail)
        good = "London" in request.premise and "London" in request.hypothesis
        return Entailment(0.9, 0.05, 0.05) if good else Entailment(0.05, 0.9, 0.05)

    def test_stand_in_for_samples(self):
        """One that bears the sentence out is enough; nothing is drawn."""
        case = Case.of(ANSWER, prompt="Who?", context=["Born in London.", "About fish."])
        findings = play(SelfCheck("nli").examine(case), self.reply)
        assert verdicts(findings) == [Verdict.SUPPORTED, Verdict.UNSUPPORTED]
        assert findings[0].score == pytest.approx(0.1 / (0.9 + 0.1))  # all that the .9 leaves
        assert "documents" in findings[1].mark

    def test_samples_on_request(self):
        """`against="samples"` leaves documents alone, and samples count by their mean."""
        case = Case.of(ANSWER, context=["x"], samples=["Born in London.", "About fish."])
        first, _ = play(SelfCheck("nli", against="samples").examine(case), self.reply)
        assert first.score == pytest.approx(0.5)

    def test_none(self):
        """There is nothing to compare with."""
        case = Case.of(ANSWER, prompt="Who?", samples=SAMPLES)
        findings = play(SelfCheck("nli", against="context").examine(case), nobody)
        assert "no documents" in findings[0].reason


class TestCost:
    """What a variant tells before, and what it then asks, route by route."""

    CASES = (
        Case.of(f"{ANSWER} She won a Nobel Prize.", samples=(*SAMPLES, SAMPLES[0], "She won a Nobel Prize.")),
        Case.of(ANSWER, prompt="Who?"),
        Case.of(ANSWER, prompt="Who?", context=SAMPLES),
    )

    def test_holds(self):
        """Equal questions are asked once; models of every kind are told."""
        made = {
            "ngram": SelfCheck("ngram"),
            "prompt": SelfCheck("prompt", batched=True),
            "nli": SelfCheck("nli"),
            "nli, the sentence most like it": SelfCheck("nli", premise="top", top=1),
            "nli, by vectors": SelfCheck("nli", premise="top", similarity="embedding"),
            "bertscore": SelfCheck("bertscore"),
            "qa": SelfCheck("qa", questions=2),
            "members that ask the same": SelfCheck(
                "ensemble", fit=None, members=["nli", NliCheck(measure="not_entailed"), "qa"]
            ),
        }
        each(
            {
                f"{name}, {number}": (one, case)
                for name, one in made.items()
                for number, case in enumerate(self.CASES)
            },
            self.check,
        )

    def check(self, detector, case):
        """Play it."""
        told, asked = detector.cost(case), Counter()

        def reply(request):
            asked[request.route] += 1
            return self.reply(request)

        play(detector.examine(case), reply)
        assert asked.keys() <= told.keys()
        for route, (least, most) in told.items():
            assert least <= asked[route] <= most, (route, told, asked)

    def reply(self, request):
        """What a model of each kind says."""
        kinds = {
            Ask: Completion(SAMPLES[0]),
            Entail: Entailment(0.5, 0.25, 0.25),
            Compare: Similarity(0.5, 0.5, 0.5),
            Embed: (1.0, 0.0),
            Distract: ("b", "c", "d"),
            Choose: (1.0, 0.0, 0.0, 0.0),
            Answerable: 1.0,
        }
        if isinstance(request, Question):
            return QuestionAnswer(f"{request.text} {request.draw}?", "a")
        return kinds[type(request)]

    def test_questions_do_not_depend_on_the_number_of_samples(self):
        """They are about the answer alone: two requests for each, at the most."""
        told = SelfCheck("qa", questions=2, samples=5).cost(self.CASES[1])
        assert told == {"chat:subject": (5, 5), "questions": (0, 8), "answers": (0, 48)}


class TestPrompt:
    def test_batched_falls_back(self):
        """A line that cannot be read costs one question, not the batch."""
        asked = []

        def reply(request):
            asked.append(request)
            text = request.messages[-1].text
            return Completion("1. Yes\n2. who knows" if "1. " in text else "No")

        detector = SelfCheck("prompt", batched=True)
        case = Case.of(ANSWER, samples=SAMPLES)
        findings = play(detector.examine(case), reply)
        assert [finding.score for finding in findings] == [0.0, 1.0]
        assert len(asked) == 4
        assert detector.cost(case) == {"chat:judge": (2, 6)}
        assert all(ask.role == "judge" and ask.temperature == 0 for ask in asked)

    def test_one_bad_reply(self):
        """A sample whose question fails is left out, and the reason names the failure if none is left."""

        def reply(request):
            return (
                Failed(Reason.BACKEND, "500") if SAMPLES[0] in request.messages[-1].text else Completion("No")
            )

        findings = play(SelfCheck("prompt").examine(Case.of(ANSWER, samples=SAMPLES)), reply)
        assert [finding.score for finding in findings] == [1.0, 1.0]
        used = [e.value for e in findings[0].evidence if isinstance(e, Measurement) and "used" in e.name]
        assert used == [1.0]

    def test_early_stop(self):
        """Unanimous replies: four samples of twenty are drawn."""
        drawn = set()

        def reply(request):
            if request.role == "judge":
                return Completion("Yes")
            drawn.add(request.draw)
            return Completion(f"{SAMPLES[0]} {request.draw}")

        detector = SelfCheck("prompt", early_stop=0.9, samples=20)
        findings = play(detector.examine(Case.of(ANSWER, prompt="Who?")), reply)
        assert verdicts(findings) == [Verdict.SUPPORTED] * 2
        assert drawn == {0, 1, 2, 3}

    def test_early_stop_waits_for_a_score(self):
        """The first three samples fail: nothing is settled, the others are drawn."""

        def reply(request):
            if request.role == "judge":
                return Completion("Yes")
            if request.draw < 3:
                return Failed(Reason.BACKEND, "500")
            return Completion(f"{SAMPLES[0]} {request.draw}")

        detector = SelfCheck("prompt", early_stop=0.9, samples=20)
        findings = play(detector.examine(Case.of(ANSWER, prompt="Who?")), reply)
        assert verdicts(findings) == [Verdict.SUPPORTED] * 2

    def test_early_stop_asks_once(self):
        """A service that is down costs what it costs without early stop: each round would else ask all of it again."""

        def down(request):
            asked.append(request)
            return Failed(Reason.BACKEND, "503", retryable=True)

        for options in ({}, {"early_stop": 0.9}):
            asked = []
            detector = SelfCheck("prompt", samples=20, **options)
            guard = Guard([detector], chat=ScriptedChat(down), retry=Retry(attempts=1))
            report = guard.check(ANSWER, prompt="Who?")
            assert {one.verdict for one in report.findings} == {Verdict.UNVERIFIED}
            assert sorted(one.draw for one in asked) == [*range(20)]

    def test_early_stop_judges_once(self):
        """The same of a judge that fails now and then, on samples that are given: as many calls as there are."""

        def judge(request):
            asked.append(request)
            return (
                Failed(Reason.BACKEND, "503", retryable=True)
                if len(asked) % 3 == 0
                else Completion("Perhaps")
            )

        asked = []
        samples = [f"{SAMPLES[0]} {i}" for i in range(12)]
        detector = SelfCheck("prompt", early_stop=0.9)
        guard = Guard([detector], chat=ScriptedChat(judge), retry=Retry(attempts=1))
        guard.check(ANSWER, samples=samples)
        assert len(asked) == 2 * 12

    def test_early_stop_waits_for_every_sentence(self):
        """One is settled after four samples; of the other the judge has said nothing that counts."""

        def judge(request):
            text = request.messages[-1].text
            return Completion(
                "Yes" if "born in London" in text else "No" if int(text.split("#")[1][:2]) > 15 else "Perhaps"
            )

        samples = [f"Something. #{10 + i} was the number." for i in range(20)]
        detector = SelfCheck("prompt", early_stop=0.9, samples=20)
        first, second = play(detector.examine(Case.of(ANSWER, samples=samples)), judge)
        whole = play(SelfCheck("prompt", samples=20).examine(Case.of(ANSWER, samples=samples)), judge)
        assert (first.verdict, second.verdict) == (Verdict.SUPPORTED, Verdict.UNSUPPORTED)
        assert [one.verdict for one in whole] == [first.verdict, second.verdict]

    def test_what_is_not_read_is_said(self):
        """Of a long document only the beginning is asked about; a finding says so."""
        long = "Nothing of note. " * 1_500 + ANSWER
        detector = SelfCheck("prompt")
        findings = play(
            detector.examine(Case.of(ANSWER, context=[long, "Short."])), lambda _: Completion("No")
        )
        assert all("first 20,000 characters of 1 of 2 documents were read" in f.reason for f in findings)
        findings = play(detector.examine(Case.of(ANSWER, context=["Short."])), lambda _: Completion("No"))
        assert not any("characters" in f.reason for f in findings)


class TestBertScore:
    def test_by_hand(self):
        """Best of each sample: .9 and .7; 1 − .8."""

        def reply(request):
            assert isinstance(request, Compare)
            f1 = {"She was born in London.": 0.9, "She wrote notes.": 0.1}.get(request.reference, 0.7)
            return Similarity(f1, f1, f1)

        first, _ = play(SelfCheck("bertscore").examine(Case.of(ANSWER, samples=SAMPLES)), reply)
        assert first.score == pytest.approx(0.2)

    def test_short_samples(self):
        """Nothing long enough to compare with."""
        findings = play(SelfCheck("bertscore").examine(Case.of(ANSWER, samples=["No."])), nobody)
        assert "4 tokens" in findings[0].reason


def anything(request):
    if isinstance(request, Entail):
        return Entailment(0.0, 0.0, 1.0)
    if isinstance(request, Compare):
        return Similarity(float("nan"), float("nan"), float("nan"))
    return Completion("?")


class TestOddInput:
    @pytest.mark.parametrize("method", ["ngram", "prompt", "nli", "bertscore"])
    @pytest.mark.parametrize(
        ("answer", "samples"),
        [
            ("Yes", ["No", "Yes"]),
            (ANSWER, [ANSWER] * 5),
            ("😀 😀", ["😀"]),
            ("他生于1950年。他是作家。", ["他生于1951年。", "他是诗人。"]),
            ("word " * 2_000 + "end.", ["word word."]),
            ("x" * 10_000, ["x"]),
            ("\x00\ud800.", ["\ud800"]),
        ],
        ids=["one word", "all equal", "emoji", "Chinese", "long", "one long word", "broken"],
    )
    def test_a_score_or_a_reason(self, method, answer, samples):
        """Never NaN, never a crash, also where the backend gives nothing of use."""
        case = Case.of(answer, samples=samples)
        findings = play(SelfCheck(method).examine(case), anything)
        assert findings
        for finding in findings:
            assert (finding.score is None) == (finding.verdict in {None, Verdict.UNVERIFIED})
            assert finding.reason

    def test_equal_samples_bear_out(self):
        """What every sample says word for word is supported."""
        findings = play(SelfCheck("ngram").examine(Case.of(ANSWER, samples=[ANSWER] * 5)), nobody)
        assert verdicts(findings) == [Verdict.SUPPORTED] * 2

    def test_code_alone(self):
        """What nobody examines is unverified."""
        [finding] = play(
            SelfCheck("ngram").examine(Case.of("```python\nx = 1\n```", samples=SAMPLES)), nobody
        )
        assert (finding.verdict, finding.label) == (Verdict.UNVERIFIED, "code")

    def test_many_sentences(self):
        """Those left out are unverified, and say so."""
        detector = SelfCheck("ngram", max_sentences=1)
        findings = play(detector.examine(Case.of(ANSWER, samples=SAMPLES)), nobody)
        assert findings[1].verdict is Verdict.UNVERIFIED
        assert "max_sentences" in findings[1].reason

    def test_given_sentences(self):
        """A splitter of the user's own."""
        from guardrail.report import Span

        detector = SelfCheck("ngram", splitter=lambda answer: [Span(start=0, end=len(answer))])
        [finding] = play(detector.examine(Case.of(ANSWER, samples=SAMPLES)), nobody)
        assert finding.text == ANSWER

    def test_given_sentences_are_all_judged(self):
        """Whoever brings the sentences says what is judged, thanks included; else they claim nothing."""
        from guardrail.report import Span

        case = Case.of("You're welcome!", samples=SAMPLES)
        [finding] = play(SelfCheck("ngram").examine(case), nobody)
        assert finding.verdict is None
        whole = SelfCheck("ngram", splitter=lambda answer: [Span(start=0, end=len(answer))])
        [finding] = play(whole.examine(case), nobody)
        assert finding.score is not None
