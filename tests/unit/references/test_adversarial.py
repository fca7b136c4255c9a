"""What an outside tester broke, and what holds since."""

import json
import math

import pytest

from guardrail import Guard, block, regenerate, remove
from guardrail.chat import ScriptedChat
from guardrail.detector import Detector
from guardrail.detectors import ReferenceCheck
from guardrail.engine.backend import Backend
from guardrail.engine.flow import Answer, each, values
from guardrail.engine.hub import Hub
from guardrail.errors import ConfigError
from guardrail.references import read_yes_no
from guardrail.references.bibliography.index import Index
from guardrail.references.bibliography.records import Record
from guardrail.references.citations import citations
from guardrail.references.citations.tagging import packaged_tagger
from guardrail.report import Finding, Verdict
from guardrail.requests import Ask, Completion, user

REAL = "Vaswani, A. et al. (2017). Attention Is All You Need. NeurIPS."
FAKE = "Halloran, M. (2021). Recursive Attention Pruning. ACL."
AUTHORS = "AUTHORS: Ashish Vaswani, Noam Shazeer"
SORRY = "I'm sorry, but I can't help with that."


@pytest.fixture
def shelf(tmp_path):
    """Three works, declared to be all there are."""
    path = tmp_path / "refs.sqlite"
    with Index.create(path, complete=True) as index:
        index.add(
            [
                Record("Attention Is All You Need", ("Vaswani, Ashish", "Shazeer, Noam"), year=2017),
                Record("Deep learning", ("LeCun, Yann", "Bengio, Yoshua", "Hinton, Geoffrey"), year=2015),
                Record(
                    "Deep Residual Learning for Image Recognition",
                    ("He, Kaiming", "Zhang, Xiangyu", "Ren, Shaoqing", "Sun, Jian"),
                    year=2016,
                ),
            ]
        )
    return path


def checked(answer, shelf, **options):
    return Guard([ReferenceCheck(bibliography=shelf)], **options).check(answer, prompt="Name some papers.")


def interrogated(script, answer=f"1. {REAL}", **options):
    guard = Guard([ReferenceCheck(**options)], chat=ScriptedChat(script))
    return guard.check(answer, prompt="Name some papers.").findings[0]


def says(authors, votes):
    return lambda ask: authors if "Who were the authors" in ask.messages[-1].text else votes


class Crash(Detector):
    name = "crash"

    def cost(self, case):
        return {}

    def examine(self, case):
        yield from ()
        raise RuntimeError("boom")


class TestUnseen:
    """A made-up reference that stands where the parser does not look."""

    @pytest.mark.parametrize("inner", ["\n   - ", "\n   ", " See also ", "; "])
    def test_a_second_reference_in_an_item_is_examined(self, shelf, inner):
        """An item that begins with a real work supports whatever follows in it."""
        report = checked(f"1. {REAL}{inner}{FAKE}\n", shelf)
        assert report.verdict is Verdict.UNSUPPORTED

    def test_references_below_topics_are_the_references(self, shelf):
        """The usual shape of a long answer: topics, and works under each."""
        answer = f"1. Transformers\n   - {REAL}\n2. Other things\n   - {FAKE}\n"
        titles = [finding.text for finding in checked(answer, shelf).findings]
        assert titles == ["Attention Is All You Need", "Recursive Attention Pruning"]

    @pytest.mark.parametrize(
        "answer",
        [
            f"```\n1. {FAKE}\n```",
            f"a) {FAKE}\nb) {REAL}",
            f"[^1]: {FAKE}",
            f"[Hal21] {FAKE}",
            f"1: {FAKE}\n2: {REAL}",
            f"References: [1] {FAKE} [2] {REAL}",
            f"| Paper |\n|---|\n| {FAKE} |\n",
            f"<ol><li>{FAKE}</li></ol>",
            "@article(h21, title={Recursive Attention Pruning}, author={Halloran, M}, year={2021})",
            "**Title:** Recursive Attention Pruning\n**Authors:** M. Halloran\n**Year:** 2021",
        ],
    )
    def test_common_shapes_are_seen(self, answer):
        """Each is what chat models write when they are asked for references."""
        assert citations(answer, asked_for_references=True, tagger=packaged_tagger())

    @pytest.mark.parametrize("unseen", ["\ufe0f", "\u034f", "\U000e0020"])
    def test_invisible_characters_hide_nothing(self, unseen):
        """Variation selectors, the grapheme joiner and tags, as the zero-width space."""
        assert citations("1. " + unseen.join(FAKE), asked_for_references=True, tagger=packaged_tagger())


class TestLookUp:
    """A made-up detail beside a real work."""

    def test_an_invented_subtitle_is_not_quoted_right(self, shelf):
        """A short real title is the main part of any number of made-up ones."""
        report = checked(
            "1. LeCun, Y. et al. (2015). Deep Learning: A Proof of Machine Consciousness.", shelf
        )
        assert report.verdict is not Verdict.SUPPORTED

    @pytest.mark.parametrize("word", ["\\Not", "<b not>"])
    def test_mark_up_does_not_swallow_a_word(self, shelf, word):
        """`Attention Is \\Not All You Need` is another title."""
        report = checked(f"1. Vaswani, A. et al. (2017). Attention Is {word} All You Need.", shelf)
        assert report.verdict is not Verdict.SUPPORTED

    @pytest.mark.parametrize("extra", ["doi:10.9999/fake.doi", "arXiv:2301.99999"])
    def test_an_unknown_identifier_is_not_confirmed(self, shelf, extra):
        """The link under a real title leads to nowhere."""
        report = checked(f"1. {REAL} {extra}", shelf)
        assert "not compared: " in report.findings[0].reason or report.verdict is not Verdict.SUPPORTED

    @pytest.mark.parametrize(
        "item",
        [
            "He, Kaiming, Zhang, Xiangyu, Ren, Shaoqing, Sun, Jian. (2016). Deep Residual Learning for Image Recognition.",
            '"Attention Is All You Need" (NIPS 2017), Vaswani et al.',
            'The paper "Attention Is All You Need" (Vaswani et al., 2017)',
            "Vaswani et al. 2017 - Attention Is All You Need",
            "Yann LeCun, Yoshua Bengio, Geoffrey Hinton: Deep learning. Nature 521(7553): 436-444 (2015)",
            "vaswani, a., et al. (2017). attention is all you need. neurips.",
            "Vaswani, A. et al. Attention Is All You Need. Retrieved May 3, 2024, from https://arxiv.org/abs/1706.03762",
        ],
    )
    def test_a_real_reference_is_no_fabrication(self, shelf, item):
        """Real works, in the styles of real answers."""
        assert checked(f"1. {item}", shelf).verdict is Verdict.SUPPORTED


class TestWitness:
    """Replies that say nothing."""

    @pytest.mark.parametrize(
        "reply", [SORRY, "<html>502 Bad Gateway</html>", f"<think>Hm.</think>\n{AUTHORS}"]
    )
    def test_a_model_that_answers_nothing_proves_nothing(self, reply):
        """A refusal to every question is no evidence that the work is made up."""
        assert interrogated(reply).verdict is Verdict.UNVERIFIED

    @pytest.mark.parametrize("votes", ["", "不存在", "I cannot verify that."])
    def test_half_a_score_is_not_a_score(self, votes):
        """Names alone do not support a work of which the model says that it does not exist."""
        assert interrogated(says(AUTHORS, votes)).verdict is not Verdict.SUPPORTED

    def test_no_author_answer_is_unverified(self):
        """A reasoning model that used up its tokens."""
        assert interrogated(says("", "yes")).verdict is Verdict.UNVERIFIED

    @pytest.mark.parametrize("reply", ["yes/no", "Yes or no? No.", "Yes and no"])
    def test_both_words_are_neither(self, reply):
        """The prompt ends in "yes/no", and small models repeat it."""
        assert read_yes_no(reply) is not True

    def test_a_bibliography_that_did_not_answer_leaves_it_unverified(self):
        """As the README promises."""

        class Down:
            fingerprint = "down"

            def find_all(self, references):
                raise ConnectionError("gone")

        found = interrogated(says(AUTHORS, "yes"), bibliography=Down())
        assert found.verdict is Verdict.UNVERIFIED

    def test_many_references_do_not_make_long_questions(self):
        """Fifty questions with all titles of the answer in each."""
        chat = ScriptedChat(says(AUTHORS, "yes"))
        answer = "\n".join(
            f"{i}. Smith, J. (2020). Quantum Widgets Volume {i}. Nature." for i in range(1, 501)
        )
        Guard([ReferenceCheck()], chat=chat).check(answer)
        assert max(sum(len(m.text) for m in ask.messages) for ask in chat.asked) < 10_000

    @pytest.mark.parametrize(
        "option",
        [
            {"threshold": math.nan},
            {"threshold": "0.5"},
            {"max_references": -1},
            {"draws": 0},
            {"deadline": math.nan},
        ],
    )
    def test_nonsense_options_are_refused(self, option):
        """With threshold=nan a score of 1 is "supported", and the command line exits with 0."""
        with pytest.raises(ConfigError):
            ReferenceCheck(**option)

    def test_evidence_pairs_replies_with_their_readings(self):
        """The page shows the one beside the other."""

        def script(ask):
            if "Who were the authors" in ask.messages[-1].text:
                return AUTHORS
            return ("", "no", "yes")[ask.draw]

        found = interrogated(script, draws=3)
        replies = next(e for e in found.evidence if e.kind == "replies" and e.query == "Does it exist?")
        assert len(replies.texts) == len(replies.read)


class TestPolicies:
    """Rejected text that stays."""

    @pytest.mark.parametrize(
        "again",
        ["Of these, Recursive Attention Pruning is the best.", "RECURSIVE ATTENTION PRUNING is the best."],
    )
    def test_leak_a_removed_title_does_not_occur_again(self, shelf, again):
        """The item is cut, the sentence that praises it stays."""
        report = checked(f"1. {FAKE}\n2. {REAL}\n\n{again}", shelf, policy=remove())
        assert "recursive attention pruning" not in report.answer.lower()

    @pytest.mark.parametrize(
        "options", [{"on_unverified": "block"}, {"policy": block(on=Verdict.UNVERIFIED)}]
    )
    def test_blocking_what_is_unverified_blocks_a_failed_check(self, options):
        """The report's verdict is unverified, and the answer is shown."""
        report = Guard([Crash()], **options).check("An answer.")
        assert report.verdict is Verdict.UNVERIFIED
        assert report.blocked

    def test_an_unexamined_attempt_is_no_better(self):
        """The budget ends during the second attempt; the first had one real work of two."""

        def script(ask):
            last = ask.messages[-1].text
            text = " ".join(message.text for message in ask.messages)
            if ask.role == "generate":
                return (
                    f"1. {REAL}\n2. {FAKE}"
                    if ask.draw == 0
                    else f"1. {FAKE}\n2. Liar, L. (2020). Red Widget Lies."
                )
            if "Who were the authors" in last:
                return AUTHORS if "Attention Is" in text else f"AUTHORS: Ann{ask.draw} Bell{ask.draw}"
            return "yes" if "Attention Is" in last or "#1" in last else "no"

        guard = Guard(
            [ReferenceCheck()], chat=ScriptedChat(script), policy=regenerate(1) | remove(), budget=13
        )
        report = guard.generate("Name two papers.")
        assert "Attention Is All You Need" in report.answer

    def test_a_failed_regeneration_is_told(self):
        """Nobody learns that the provider was down when the guard asked again."""
        answers = iter([f"1. {FAKE}"])

        def generate(feedback):
            try:
                return next(answers)
            except StopIteration:
                raise ConnectionError("provider down") from None

        guard = Guard([ReferenceCheck()], chat=ScriptedChat(says(SORRY, "no")), policy=regenerate(1))
        assert "provider down" in guard.supervise(generate).model_dump_json()


class TestCore:
    """Faults of others that take more with them than they should."""

    def test_a_wide_step_survives_its_budget(self):
        """It asked once, for 1,500; a hundred answers are there and lost."""

        class Wide(Detector):
            name = "wide"

            def cost(self, case):
                return {"chat:subject": (1500, 1500)}

            def examine(self, case):
                replies = yield from each([Ask((user(str(i)),)) for i in range(1500)])
                reason = f"{len(values(replies))} answered"
                return [Finding(detector=self.name, verdict=Verdict.UNVERIFIED, reason=reason)]

        report = Guard([Wide()], chat=ScriptedChat("yes"), budget=100).check("An answer.")
        assert [finding.reason for finding in report.findings] == ["100 answered"]

    def test_a_reply_without_a_cost_hangs_nobody(self):
        """Without a deadline the call would not return."""

        class Free(Backend):
            fingerprint = "free"

            def answer(self, requests):
                return [Answer(Completion("yes"), None) for _ in requests]

        report = Guard([ReferenceCheck()], chat=Free(), deadline=0.5).check(f"1. {REAL}")
        assert "the time is up" not in report.findings[0].reason

    def test_a_failed_offer_is_a_failure(self):
        """A bug in a detector is in the report."""

        class Giver(Crash):
            provides = frozenset({"samples"})

            def examine(self, case):
                yield from ()
                return []

            def offer(self, case):
                yield from ()
                raise RuntimeError("boom")

        class Taker(Detector):
            name = "taker"
            needs = frozenset({"samples"})

            def cost(self, case):
                return {}

            def examine(self, case):
                yield from ()
                return []

        assert Guard([Giver(), Taker()]).check("An answer.").failures

    def test_an_exception_that_cannot_be_printed_is_a_failure(self):
        """Some libraries' exceptions raise in __str__."""

        class Silent(Exception):
            def __str__(self):
                raise ValueError("no words")

        class Mute(Crash):
            def examine(self, case):
                yield from ()
                raise Silent

        assert Guard([Mute()]).check("An answer.").failures

    def test_a_verdict_without_score_and_reason_is_refused(self):
        """Rule 2: a score, or `None` with a reason."""
        with pytest.raises(ValueError, match="why"):
            Finding(detector="x", verdict=Verdict.SUPPORTED)

    @pytest.mark.parametrize("where", ["answer", "reply"])
    def test_half_an_emoji_is_reported(self, where):
        """A token limit cuts one in two; `check --json` ends with 70, after all questions were paid for."""
        half = "\ud83d"
        answer = f"1. {REAL} {half if where == 'answer' else ''}"
        reply = AUTHORS + (half if where == "reply" else "")
        report = Guard([ReferenceCheck()], chat=ScriptedChat(says(reply, "yes"))).check(answer)
        assert json.loads(report.model_dump_json())

    def test_a_shared_hub_keeps_the_bibliography(self, shelf):
        """A real work comes out as made up, because its bibliography was dropped."""
        guard = Guard([ReferenceCheck(bibliography=shelf)], backends=Hub({"chat": ScriptedChat("no")}))
        assert guard.check(f"1. {REAL}").verdict is Verdict.SUPPORTED

    def test_guards_of_one_hub_share_the_bibliography(self, shelf):
        """One detector in both, or a detector each: the second was refused as another backend."""
        hub, one = Hub({"chat": ScriptedChat("no")}), ReferenceCheck(bibliography=shelf)
        guards = [
            Guard([detector], backends=hub) for detector in (one, one, ReferenceCheck(bibliography=shelf))
        ]
        assert [guard.check(f"1. {REAL}").verdict for guard in guards] == [Verdict.SUPPORTED] * 3

    def test_messages_with_content_blocks_are_understood(self):
        """The form in which OpenAI's and LangChain's messages come."""
        prompt = [{"role": "user", "content": [{"type": "text", "text": "Name some papers."}]}]
        report = Guard([ReferenceCheck()], chat=ScriptedChat(says(AUTHORS, "yes"))).check(
            f"1. {REAL}", prompt=prompt
        )
        assert not report.failures
