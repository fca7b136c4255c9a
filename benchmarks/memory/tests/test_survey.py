"""The measurement: pairs one by one, then k at a time."""

import json
import math
from collections import Counter

import numpy as np
import pytest
from benchmarks.memory.pairs import Pair
from benchmarks.memory.survey import Known, Question, Wording, ask_pairs, ask_questions, plan, setting

from guardrail.cache import Cache
from guardrail.chat import ScriptedChat
from guardrail.engine.budget import Budget
from guardrail.engine.drivers import run_sync
from guardrail.engine.flow import Failed, Reason
from guardrail.engine.hub import Hub
from guardrail.engine.run import Run
from guardrail.errors import ConfigError
from guardrail.requests import Completion
from guardrail.testing import play
from guardrail.text.fence import render

PAIRS = (
    Pair("Norway", "Oslo"),
    Pair("Italy", "Rome"),
    Pair("Bolivia", "Sucre", ("La Paz",)),
    Pair("Japan", "Tokyo"),
)
TRUTH = {pair.left: pair.right for pair in PAIRS}
CAPITALS = Wording("en", "country", "capital")


def known(results=("right",) * 4):
    return Known(PAIRS, results)


def rows(ask):
    return [json.loads(line) for line in ask.messages[-1].text.partition("\n\n")[2].splitlines()]


def matches(ask):
    """Answers lists rightly."""
    return Completion(", ".join(TRUTH[left] for left, _ in rows(ask)))


class TestAskPairs:
    def test_results(self):
        """A pair is known if the reply is its name, or one of its names; a reply with more than a name does not count."""
        said = {
            "Norway": Completion("oslo."),
            "Italy": Completion("Milan"),
            "Bolivia": Completion("La Paz"),
            "Japan": Completion("Well, I think it is Tokyo!"),
        }
        found = play(ask_pairs(PAIRS, CAPITALS), lambda ask: said[ask.messages[-1].text.partition("\n\n")[2]])
        assert found.results == ("right", "wrong", "right", "wrong")
        assert found.count == 2

    def test_shows_the_name_that_the_model_gave(self):
        """Its own memory of an ambiguous pair is what it is held to; the other name stays right."""
        found = play(ask_pairs(PAIRS[2:3], CAPITALS), lambda ask: Completion("La Paz"))
        assert found.pairs == (Pair("Bolivia", "La Paz", ("Sucre",)),)

    def test_failed(self):
        """No reply is no knowledge."""
        found = play(ask_pairs(PAIRS[:1], CAPITALS), lambda ask: Failed(Reason.TIMEOUT, "no reply"))
        assert found.results == ("failed",)

    def test_temperature(self):
        """.95 throughout, once per pair."""
        asked = []
        play(ask_pairs(PAIRS, CAPITALS), lambda ask: asked.append(ask) or Completion("x"))
        assert [ask.temperature for ask in asked] == [0.95] * 4


class TestPlan:
    def test_shuffle(self):
        """A question per combination, k known pairs in each, every draw once."""
        found = plan(known(("right", "wrong", "right", "right")), 2, combinations=20)
        assert [one.combination for one in found] == list(range(20))
        assert len({one.draw for one in found}) == 20
        assert all(len(set(one.pairs)) == 2 for one in found)
        assert not any(PAIRS[1] in one.pairs for one in found)

    def test_permutations(self):
        """All orders of each combination; the same combinations as one shuffle asks."""
        found = plan(known(), 3, combinations=5, strategy="permutations")
        assert len(found) == 30
        assert len({one.draw for one in found}) == 30
        for number in range(5):
            group = [one for one in found if one.combination == number]
            assert len({one.order for one in group}) == 6
            assert len({one.pairs for one in group}) == 1
        assert [one.pairs for one in found[::6]] == [one.pairs for one in plan(known(), 3, combinations=5)]

    def test_more_questions_begin_alike(self):
        """The first of many are the few: a longer run repeats nothing."""
        assert plan(known(), 2, combinations=30)[:10] == plan(known(), 2, combinations=10)

    def test_seed(self):
        """Another seed, other questions."""
        assert plan(known(), 2, combinations=10, seed=1) != plan(known(), 2, combinations=10)

    def test_shown(self):
        """Beside the i-th left stands the right of pair order[i]: eq. 1."""
        (one, *_) = plan(known(), 3)
        assert one.shown() == [one.pairs[place].right for place in one.order]

    def test_too_few(self):
        """Says how many there are."""
        with pytest.raises(ConfigError, match="at least 5 known pairs"):
            plan(known(), 5)

    def test_every_order_is_equally_likely(self):
        """6,000 draws of 3: each of the 6 orders about 1,000 times, the right one too; 5 standard deviations."""
        counts = Counter(one.order for one in plan(known(), 3, combinations=6_000))
        assert len(counts) == 6
        assert all(abs(count - 1_000) < 5 * math.sqrt(1_000 * 5 / 6) for count in counts.values())

    def test_every_combination_is_equally_likely(self):
        """Each of 6 pairs of 4 about 1,000 times of 6,000; 5 standard deviations."""
        found = plan(known(), 2, combinations=6_000)
        counts = Counter(frozenset(pair.left for pair in one.pairs) for one in found)
        assert len(counts) == 6
        assert all(abs(count - 1_000) < 5 * math.sqrt(1_000 * 5 / 6) for count in counts.values())

    def test_most_orders(self):
        """So many different ones; all, where there are not more."""
        many = Known(tuple(Pair(str(i), f"name {i}") for i in range(10)), ("right",) * 10)
        found = plan(many, 10, combinations=1, strategy="permutations", most_orders=24)
        assert len({one.order for one in found}) == 24
        assert all(sorted(one.order) == list(range(10)) for one in found)
        assert len(plan(many, 3, combinations=1, strategy="permutations", most_orders=24)) == 6

    def test_one_more_known_pair_changes_little(self):
        """Of 400 combinations of 2 out of 100, only those that have the new pair differ: 2 % are expected."""
        pairs = tuple(Pair(str(i), f"name {i}") for i in range(101))
        results = np.full(101, "right", dtype=object)
        many = plan(Known(pairs, tuple(results)), 2, combinations=400)
        results[7] = "wrong"
        fewer = plan(Known(pairs, tuple(results)), 2, combinations=400)
        changed = [one for one, other in zip(many, fewer, strict=True) if one.pairs != other.pairs]
        assert all(pairs[7] in one.pairs for one in changed)
        assert len(changed) < 20


class TestAskQuestions:
    def test_right(self):
        """h = 1 for the whole list in order."""
        questions = plan(known(), 3, combinations=10)
        found = play(ask_questions(questions, CAPITALS), matches)
        assert {one.result for one in found} == {"right"}
        assert setting(found, "shuffle").estimate.value == 0.0

    def test_results(self):
        """One wrong name makes a list wrong; a reply that is no list, and none at all, are neither."""
        questions = plan(known(), 2, combinations=4)
        said = {
            0: matches,
            1: lambda ask: Completion(", ".join(right for _, right in reversed(rows(ask)))),
            2: lambda ask: Completion("I had rather not say."),
            3: lambda ask: Failed(Reason.REFUSED),
        }
        questions = [q if q.draw != 1 else type(q)(1, 1, q.pairs, (0, 1)) for q in questions]
        found = play(ask_questions(questions, CAPITALS), lambda ask: said[ask.draw](ask))
        assert [one.result for one in found] == ["right", "wrong", "malformed", "failed"]
        one = setting(found, "shuffle")
        assert one.counts == {"right": 1, "wrong": 1, "malformed": 1, "failed": 1}
        assert (one.estimate.value, one.estimate.size) == (0.5, 2)

    def test_nothing_read(self):
        """No reply that can be read, no probability."""
        found = play(ask_questions(plan(known(), 2), CAPITALS), lambda ask: Completion(""))
        assert setting(found, "shuffle").estimate is None

    def test_permutations_are_judged_by_combination(self):
        """Ten combinations of which two go wrong in both orders: worth ten questions, not twenty."""
        questions = plan(known(), 2, combinations=10, strategy="permutations")
        said = {True: lambda ask: Completion("Tokyo, Tokyo, "[:-2]), False: matches}
        bad = {one.draw for one in questions if one.combination in {3, 7}}
        questions = [q for q in questions if PAIRS[3] in q.pairs or q.combination not in {3, 7}]
        found = play(ask_questions(questions, CAPITALS), lambda ask: said[ask.draw in bad](ask))
        one = setting(found, "permutations")
        assert one.estimate.size <= 11

    def test_pairs_that_share_a_name(self):
        """Both orders of a list with one name twice are the same words, and still are two questions."""
        twins = Known((Pair("a", "X"), Pair("b", "X")), ("right", "right"))
        asked = []
        questions = plan(twins, 2, combinations=3, strategy="permutations")
        play(ask_questions(questions, CAPITALS), lambda ask: asked.append(ask) or Completion("X, X"))
        assert len(asked) == 6

    def test_fenced(self):
        """Pairs are data between marks."""
        asked = []
        questions = plan(known(), 2, combinations=1)
        play(
            ask_questions(questions, Wording("zh", "诗句", "作者")),
            lambda ask: asked.append(ask) or Completion("x"),
        )
        (fenced,) = asked
        assert "<data-" in render(fenced.messages[-1])
        assert "作者" in fenced.messages[-1].text

    @pytest.mark.parametrize(
        ("reply", "result"),
        [
            ("OSLO, Ｒｏｍｅ", "right"),
            ("Rome, Oslo", "wrong"),
            ("Oslo", "malformed"),
            ("Oslo, Rome, Sucre", "malformed"),
        ],
    )
    def test_in_order(self, reply, result):
        """Up to spelling, and only whole."""
        question = Question(0, 0, PAIRS[:2], (0, 1))
        (found,) = play(ask_questions([question], CAPITALS), lambda ask: Completion(reply))
        assert found.result == result

    @pytest.mark.parametrize("name", ["Sucre", "La Paz", "LA PAZ"])
    def test_either_name(self, name):
        """Of an ambiguous pair."""
        question = Question(0, 0, PAIRS[2:4], (0, 1))
        (found,) = play(ask_questions([question], CAPITALS), lambda ask: Completion(f"{name}, Tokyo"))
        assert found.result == "right"


class TestThroughABackend:
    def test_goes_on_where_it_stopped(self, tmp_path):
        """With a cache that keeps draws a run that ran out of budget asks only what it lacks."""
        questions = plan(known(), 2, combinations=30)
        chat = ScriptedChat(matches, delay=1e-4)  # an instant one is asked again for nothing
        with_cache = {"store": Cache(tmp_path / "replies.sqlite", samples=True)}
        first = run_sync(
            Run(ask_questions(questions, CAPITALS), budget=Budget(calls=20)),
            Hub({"chat": chat}, **with_cache),
        )
        assert [one.result for one in first].count("right") == 20
        second = run_sync(Run(ask_questions(questions, CAPITALS)), Hub({"chat": chat}, **with_cache))
        assert {one.result for one in second} == {"right"}
        assert len(chat.asked) == 30
