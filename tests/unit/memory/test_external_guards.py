"""What `MemoryConsistency` must not be led astray by: thoughts, fits of other things, short documents, other questions."""

import pytest
from tests.unit.memory.external_world import (
    ANSWER,
    QUESTION,
    TEXT,
    Model,
    is_rephrasing,
    numbers,
    simple_fit,
)

from guardrail import Case, Verdict
from guardrail.detectors import MemoryConsistency
from guardrail.errors import ConfigError
from guardrail.memory.external.flows import asks_alike, cleaned
from guardrail.memory.external.prompts import answer_prompt
from guardrail.requests import Ask, Completion, Similarity, Untrusted, assistant, system, user
from guardrail.testing import play
from guardrail.text.fence import FENCE_RULE

pytest.importorskip("sacrebleu")
CASE = Case.of(ANSWER, prompt=QUESTION, context=[TEXT])


def examined(case=CASE, model=None, *, f1=0.9, **options):
    """The only finding, and the requests."""
    asked = []
    model = model or Model()

    def reply(request):
        if isinstance(request, Ask):
            asked.append(request)
            return Completion(model(request))
        return Similarity(f1, f1, f1() if callable(f1) else f1)

    options = {"encoder": "chrf", "fit": simple_fit()} | options
    [finding] = play(MemoryConsistency(**options).examine(case), reply)
    return finding, asked


class TestThoughts:
    @pytest.mark.parametrize("thought", ["<think>Well, 700 yards?</think>\n", "Well, 700 yards?</think>"])
    def test_are_left_out(self, thought):
        """Of rephrasings, replies and the answer: the score is that without them."""
        inner = Model()
        finding, asked = examined(model=lambda ask: thought + inner(ask))
        assert finding.score == examined()[0].score
        assert not any("700 yards" in ask.messages[-1].text for ask in asked)
        given = CASE.model_copy(update={"answer": thought + ANSWER})
        assert examined(given)[0].score == finding.score

    def test_a_thought_that_was_cut_off(self):
        """It says nothing, and neither does an answer that is one."""
        assert cleaned("<think>Well, 700") == ""
        finding, asked = examined(CASE.model_copy(update={"answer": "<think>Well, 700"}))
        assert "a thought and nothing more" in finding.reason
        assert asked == []


class TestFitsOfOtherThings:
    @pytest.mark.parametrize(
        ("fit", "told"),
        [("summary-en-chrf", "summaries in 'en', this is answers"), ("answer-zh-chrf", "in 'zh', this is")],
    )
    def test_of_another_task_or_language(self, fit, told):
        """Unverified, says why, and asks nothing."""
        finding, asked = examined(fit=fit)
        assert finding.verdict is Verdict.UNVERIFIED
        assert told in finding.reason
        assert asked == []

    def test_of_another_chrf(self):
        """Refused at once."""
        with pytest.raises(ConfigError, match="fit anew"):
            MemoryConsistency(encoder="chrf", fit=simple_fit(compared_by="chrF2 of words"))

    def test_a_signature_tells_fits_apart(self):
        """Two fits of one encoder make two detectors."""
        one, other = (
            MemoryConsistency(encoder="chrf", fit=simple_fit(false_alarms=share)).signature()
            for share in (0.05, 0.2)
        )
        assert one.parameters["fit"] != other.parameters["fit"]

    def test_of_the_guards_encoder(self):
        """Any name but ours is the guard's; ours is not."""
        assert examined(encoder="guard", fit=simple_fit(encoder="mine"))[0].score is not None
        with pytest.raises(ConfigError, match="the encoder 'guard'"):
            MemoryConsistency(encoder="guard", fit=simple_fit())

    def test_for_a_question_in_another_language(self):
        """A fit of English answers serves for a Chinese text; chrF's T_cq of Chinese judges the rephrasings."""
        pytest.importorskip("jieba")
        case = Case.of(ANSWER, prompt=QUESTION, context=["科尔沃大桥于1921年通车，全长340米，设有两条车道。"])
        plan = MemoryConsistency(fit="answer-en-chrf").plan(case)
        assert (plan.texts_by.fit.language, plan.answers_by.fit.language) == ("zh", "en")


class TestNotFinite:
    def test_is_not_known(self):
        """A NaN of the guard's encoder keeps no rephrasing, and tells."""
        fit = simple_fit(encoder="mine")
        finding, _ = examined(encoder="guard", fit=fit, f1=float("nan"))
        assert finding.verdict is Verdict.UNVERIFIED
        assert "F1 is nan" in finding.reason

    def test_does_not_count_as_an_answer(self):
        """Four rephrasings pass; of the answers one alone can be compared."""
        values = iter([0.9] * 4 + [0.9] + [float("nan")] * 20)
        finding, _ = examined(encoder="guard", fit=simple_fit(encoder="mine"), f1=lambda: next(values))
        assert finding.verdict is Verdict.UNVERIFIED
        assert "F1 is nan" in finding.reason


class TestOneRephrasing:
    def test_answers_need_two(self):
        """Where the fit compares the others among themselves, it is said before anything is paid for."""
        finding, asked = examined(rephrasings=1)
        assert "rephrasings=1 is too few" in finding.reason
        assert asked == []

    def test_summaries_do_with_one(self):
        """`least` follows by itself."""
        fit = simple_fit(task="summary", form="plain", relevance=True)
        model = Model(replies=("The Corvo bridge of 1921 is 340 metres long.",))
        case = Case.of("The Corvo bridge of 1921 is 340 metres long.", context=[TEXT])
        finding, _ = examined(case, model, rephrasings=1, fit=fit)
        assert finding.score is not None
        assert numbers(finding)["answers asked again"] == 1


class TestLongAnswers:
    def test_are_not_compared(self):
        """Said, and nothing asked."""
        finding, asked = examined(CASE.model_copy(update={"answer": "no " * 7_000}))
        assert "the answer has 21,000 characters, more than 20,000" in finding.reason
        assert asked == []


class TestQuotes:
    def test_not_within_words(self):
        """Short documents are words that a question may use; longer ones go where they stand alone."""
        said = answer_prompt("Is the year 1921 or 1912?", "x", language="en", documents=["1", "1912"])
        assert "Is the year 1921 or 1912?" in said[-1].text
        long = "a bridge of great length"
        said = answer_prompt(f"Is {long}ening it, or {long}?", "x", language="en", documents=[f" {long}\n"])
        assert f"Is {long}ening it, or (the text)?" in said[-1].text

    def test_chinese_has_no_blanks(self):
        """A document between other characters is found."""
        text = "科尔沃大桥于一九二一年通车全长三百四十米设有两条车道"
        said = answer_prompt(f"根据{text}回答", "x", language="zh", documents=[text])
        assert "根据（文本）回答" in said[-1].text


class TestConversation:
    EARLIER = (
        system("Be brief."),
        user("There is a bridge at Corvo: ", Untrusted(TEXT)),
        assistant("I see."),
    )

    def test_is_kept(self):
        """What "it" is stands before the question; one system message; the documents themselves are left out."""
        case = Case(answer=ANSWER, messages=(*self.EARLIER, user("How long is it?")), context=(TEXT,))
        finding, asked = examined(case)
        assert finding.score is not None
        head, *rest = next(ask for ask in asked if not is_rephrasing(ask)).messages
        assert head.text.endswith("\n\nBe brief.")
        assert FENCE_RULE in head.text
        assert [one.role for one in (head, *rest)] == ["system", "user", "assistant", "user"]
        assert rest[0].content == ("There is a bridge at Corvo: ", Untrusted("(the text)"))
        assert "How long is it?" in rest[-1].text

    def test_without_a_system_message(self):
        """Ours stands first."""
        said = answer_prompt("So?", "x", language="en", earlier=[user("A bridge."), assistant("Yes.")])
        assert [one.role for one in said] == ["system", "user", "assistant", "user"]


class TestQuestionsInOtherWords:
    @pytest.mark.parametrize(
        ("question", "text", "expected"),
        [
            ("Can I get a refund after 30 days?", "Is a refund possible after 30 days?", True),
            ("Can I get a refund after 30 days?", "Can I get a refund after 90 days?", False),
            ("Can I get a refund?", "Can I get a refund after 90 days?", False),
            ("How long is the Corvo bridge?", "The Corvo bridge is 340 metres long.", False),
            ("How long is the Corvo bridge?", "The Corvo bridge is long.", False),
            ("Name 3 rivers.", "Which three rivers are there?", True),
            ("Who paid 1,500 dollars?", "By whom were 1500 dollars paid?", True),
            ("两条车道吗？", "车道是2条吗?", True),
            ("退款期限是30天吗？", "退款期限是90天吗？", False),
        ],
    )
    def test_numbers_and_the_mark(self, question, text, expected):
        """Both are kept; small numbers in words, full width and thousands are the same."""
        assert asks_alike(question, text) is expected

    def test_true_ones_are_kept(self):
        """That T_cq of passages would drop; what asks for another number or answers is not."""
        case = Case.of("Yes.", prompt="Can I get my money back after 30 days?")
        model = Model(
            (
                "Can I get my money back after 90 days?",
                "You can get your money back after 30 days.",
                "Bananas are rich in potassium, are 30 not?",
                "After 30 days, is a refund of the amount still possible?",
                "Is my money returned to me if 30 days have passed?",
            ),
            ("Yes.",),
        )
        finding, _ = examined(case, model, rephrasings=2, retries=3, fit=None)
        assert "2 of 5 rephrasings accepted, 3 unlike" in next(
            one.note
            for one in finding.evidence
            if one.kind == "measurement" and one.name.startswith("answers")
        )
        assert finding.score is not None

    def test_no_fit_of_their_own(self):
        """The finding says by what it is judged, unless a fit was given."""
        case = Case.of(ANSWER, prompt=QUESTION)
        model = Model(
            ("What is the length of the Corvo bridge?", "The Corvo bridge: how long is it?"), ("340 m.",)
        )
        told = "normal for answers about a text"
        assert told in examined(case, model, rephrasings=2, fit=None)[0].reason
        assert told not in examined(case, model, rephrasings=2)[0].reason
        assert told not in examined(fit=None)[0].reason
