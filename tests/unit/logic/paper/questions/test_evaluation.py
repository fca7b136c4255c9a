"""Prompts, evaluation, and the simulated subject."""

import pytest
from benchmarks.logic.subject import Subject, estimate

from guardrail.chat import ScriptedChat
from guardrail.engine.drivers import run_sync
from guardrail.engine.flow import Answer
from guardrail.engine.hub import Hub
from guardrail.engine.run import Run
from guardrail.errors import ConfigError, InputError
from guardrail.logic.knowledge import Triple, reviewed
from guardrail.logic.paper.oracles.truth import Truth
from guardrail.logic.paper.oracles.verdicts import judge
from guardrail.logic.paper.questions.cases import FactCase
from guardrail.logic.paper.questions.evaluation import evaluate, judged, wrong_rate
from guardrail.logic.paper.questions.prompt import prompt
from guardrail.requests import Completion, Untrusted
from guardrail.testing import play

RELATIONS = reviewed()


def case(number, *, answer=True):
    fact = Triple(f"Film {number}", "director", "Mann")
    asked = Triple("Mann", "director of", f"Film {number}")
    question = (
        f"Did Mann direct Film {number}?" if answer else f"Is it false that Mann directed Film {number}?"
    )
    return FactCase(
        str(number), question, answer, "films", "inverse", asked, answer, "none", (fact,), "inverse", ""
    )


class TestPrompt:
    def test_the_question_is_data(self):
        """It and the context are fenced; the form is asked for."""
        messages = prompt("Is A B?", context=["A is B.", "C is D."])
        pieces = [piece for message in messages for piece in message.content if isinstance(piece, Untrusted)]
        assert [piece.text for piece in pieces] == ["A is B.\nC is D.", "Is A B?"]
        assert "I don't know" in messages[-1].text

    def test_temporal(self):
        assert "years" in prompt("Was it?", kind="temporal")[-1].text


class TestEvaluate:
    def test_outcomes(self):
        """Right, wrong, unknown, malformed and failed, in the order of the cases."""
        chat = ScriptedChat(
            {"Film 1?": "Yes.", "Film 2?": "No.", "Film 3?": "I don't know.", "Film 4?": "Perhaps."}
        )
        found = run_sync(Run(evaluate([case(n) for n in range(1, 6)])), Hub({"chat": chat}))
        assert [one.outcome for one in found] == ["right", "wrong", "unknown", "malformed", "failed"]
        total = wrong_rate(found)
        assert (total.wrong, total.judged, total.malformed, total.failed) == (1, 3, 1, 1)
        assert total.value == pytest.approx(1 / 3)
        assert total.says_yes == 0.5

    def test_with_the_facts(self):
        """They stand in the prompt."""
        seen = []

        def answer(ask):
            seen.append(ask.messages[-1].text)
            return Answer(Completion("Yes."))

        play(evaluate([case(1)], context=lambda one: [str(one.facts[0].object)]), answer)
        assert "Take these statements as true:\nMann" in seen[0]

    def test_nothing_judged_is_no_rate(self):
        """Undefined is not zero."""
        none = wrong_rate([judged(case(1), "Perhaps.")])
        assert (none.value, none.interval, none.says_yes) == (None, None, None)


class TestSubject:
    FACTS = tuple(
        Triple(f"Film {n}", "director", name) for n, name in enumerate(("Mann", "Scott", "Lang", "Ford"))
    )

    def subject(self, **rates):
        rates = {"knowledge_error": 0.0, "inference_error": 0.0, **rates}
        return Subject(RELATIONS, self.FACTS, **rates)

    @staticmethod
    def verdict(one, text):
        return judge(
            text, Truth(one.question, one.answer, one.facts, asked=one.triple, affirms=one.affirms)
        ).name

    @pytest.mark.parametrize(
        ("rates", "expected"),
        [
            ({}, "correct"),
            ({"inference_error": 1.0}, "error_inference"),
            ({"knowledge_error": 1.0}, "error_knowledge"),
            # a false fact and a turned conclusion: the right word
            ({"knowledge_error": 1.0, "inference_error": 1.0}, "error_knowledge"),
        ],
    )
    @pytest.mark.parametrize("answer", [True, False])
    def test_the_oracles_find_what_was_put_in(self, rates, expected, answer):
        """From the text alone."""
        one = case(1, answer=answer)
        assert self.verdict(one, self.subject(**rates).reply(one)) == expected

    def test_a_false_fact_is_false(self):
        """It is none of the facts, keeps subject and relation, and the conclusion follows from it."""
        text = self.subject(knowledge_error=1.0).reply(case(1))
        assert text.startswith("No.\n1. Film 1 was directed by ")
        assert "Scott" not in text  # Film 1's own
        assert text == self.subject(knowledge_error=1.0).seeded(99).reply(case(1))

    def test_silence(self):
        assert self.subject(silence=1.0).reply(case(1)) == "I don't know."

    def test_what_does_not_change(self):
        """A false fact from which nothing else follows leaves the conclusion: of two other films, one is wrong."""
        facts = self.FACTS[:2]
        joint = Triple("Film 0", "same director", "Film 1")
        one = FactCase(
            "x", "Is it so?", False, "films", "composite", joint, True, "none", facts, "different", ""
        )
        assert self.subject(knowledge_error=1.0).reply(one).startswith("No.")

    def test_rates_are_found_again(self):
        """Of 3,000 replies: within three standard errors (3 √(.3 × .7 / 2400) = .028)."""
        subject = self.subject(knowledge_error=0.3, inference_error=0.1, silence=0.2)
        texts = [subject.reply(case(1)) for _ in range(3000)]
        verdicts = {text: self.verdict(case(1), text) for text in set(texts)}
        found = estimate([verdicts[text] for text in texts if text != "I don't know."])
        assert found["knowledge"].value == pytest.approx(0.3, abs=0.03)
        assert found["inference"].value == pytest.approx(0.1, abs=0.025)
        assert found["inference"].replies < found["knowledge"].replies < 3000

    def test_options(self):
        with pytest.raises(ConfigError, match="from 0 to 1"):
            self.subject(knowledge_error=1.5)
        with pytest.raises(InputError, match="four entities"):
            Subject(RELATIONS, self.FACTS[:1], knowledge_error=0, inference_error=0)

    def test_no_reply_is_no_rate(self):
        assert estimate([]) == {}
        assert set(estimate(["both"])) == {"knowledge"}
