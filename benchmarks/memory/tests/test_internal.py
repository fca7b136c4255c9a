"""The simulated subject of the internal test, and what is measured on it."""

import pytest
from benchmarks.memory import coverage, internal
from benchmarks.memory.pair_subject import PairSubject
from benchmarks.memory.pairs import Candidates, Pair
from benchmarks.memory.survey import Known, Wording, ask_pairs, ask_questions, plan

from guardrail.cache import Cache
from guardrail.chat import ScriptedChat
from guardrail.engine.flow import Failed
from guardrail.requests import Ask, user
from guardrail.testing import play

PAIRS = tuple(Pair(f"place {n}", f"town {n}") for n in range(40))
PLACES = Wording("en", "place", "town")
EVERYTHING = Known(PAIRS, ("right",) * 40)


def asked(subject, k=3, **options):
    questions = plan(EVERYTHING, k, **options)
    return play(ask_questions(questions, PLACES), subject.reply)


class TestPairSubject:
    def test_knows_a_share(self):
        """And says so, pair by pair; 40 pairs at .5, 5 standard deviations."""
        subject = PairSubject(PAIRS, wrong={}, share=0.5)
        found = play(ask_pairs(PAIRS, PLACES), subject.reply)
        assert [result == "right" for result in found.results] == [subject.knows(pair) for pair in PAIRS]
        assert abs(found.count - 20) < 5 * 40**0.5 / 2

    @pytest.mark.parametrize("wrong", [0.0, 0.3, 1.0])
    def test_wrong_lists(self, wrong):
        """As often as was put in: 2,000 lists, 5 standard deviations; at 0 and 1 always."""
        found = asked(PairSubject(PAIRS, wrong={3: wrong}), combinations=2_000)
        count = sum(one.result == "wrong" for one in found)
        assert abs(count - 2_000 * wrong) <= 5 * (2_000 * wrong * (1 - wrong)) ** 0.5
        assert {one.result for one in found} <= {"right", "wrong"}

    def test_twins(self):
        """A list of one name twice can be wrong too."""
        twins = (Pair("a", "x"), Pair("b", "x"))
        known = Known(twins, ("right",) * 2)
        subject = PairSubject(twins, wrong={2: 1.0})
        found = play(ask_questions(plan(known, 2, combinations=5), PLACES), subject.reply)
        assert {one.result for one in found} == {"wrong"}

    def test_spread(self):
        """At correlation 1 all orders of a combination go one way; at 0 they do not."""
        for spread, together in ((1.0, True), (0.0, False)):
            subject = PairSubject(PAIRS, wrong={3: 0.5}, spread=spread)
            found = asked(subject, combinations=30, strategy="permutations")
            ways = [{one.result for one in found[i : i + 6]} for i in range(0, len(found), 6)]
            assert all(len(way) == 1 for way in ways) is together

    def test_intent(self):
        """What it meant is what is read, malformed replies too."""
        subject = PairSubject(PAIRS, wrong={3: 0.5}, malformed=0.3)
        found = asked(subject, combinations=200)
        for one in found:
            shown = PLACES.matching([pair.left for pair in one.question.pairs], one.question.shown())
            assert subject.intent(Ask(shown, draw=one.question.draw)) == one.result
        assert {one.result for one in found} == {"right", "wrong", "malformed"}

    def test_again(self):
        """The same for the same seed; another one answers otherwise."""
        first, again, other = (
            [one.text for one in asked(PairSubject(PAIRS, wrong={3: 0.5}, seed=seed), combinations=20)]
            for seed in (0, 0, 1)
        )
        assert first == again != other

    def test_other_questions(self):
        """It refuses what it cannot know."""
        assert isinstance(PairSubject(PAIRS, wrong={}).reply(Ask((user("Who are you?\n\nYou."),))), Failed)


class TestCoverage:
    def test_exact(self):
        """By hand for one question: 0 of 1 gives [0, .793], 1 of 1 gives [.207, 1]."""
        assert coverage.exact(0.5, 1) == pytest.approx(1.0)
        assert coverage.exact(0.05, 1) == pytest.approx(0.95)  # held by the first alone

    def test_simulated(self):
        """Few combinations of errors that go together: the plain bootstrap holds P less often than ours."""
        ours, plain = coverage.simulated(0.58, combinations=10, orders=6, spread=0.3, seeds=300)
        assert ours / 300 > plain


class TestLiveRows:
    def run(self, chat, **options):
        data = Candidates(PAIRS, 0, 0)
        return {row.quantity: row for row in internal.live_rows(data, PLACES, chat, questions=20, **options)}

    def test_rows(self, tmp_path):
        """P by k; with a cache a second run asks nothing."""
        subject = PairSubject(PAIRS, wrong={2: 0.0, 3: 1.0}, share=0.5)
        chat = ScriptedChat(subject.reply, delay=1e-5)
        store = Cache(tmp_path / "replies.sqlite", samples=True)
        found = self.run(chat, ks=(2, 3), store=store)
        assert found["Live model, k = 2: P"].ours == 0.0
        assert found["Live model, k = 3: P"].ours == 1.0
        count = len(chat.asked)
        assert self.run(chat, ks=(2, 3), store=store) == found
        assert len(chat.asked) == count
