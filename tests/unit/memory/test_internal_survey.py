"""The measurement: pairs one by one, then k at a time."""

import json

import pytest

from guardrail.cache import Cache
from guardrail.chat import ScriptedChat
from guardrail.engine.budget import Budget
from guardrail.engine.drivers import run_sync
from guardrail.engine.flow import Failed, Reason
from guardrail.engine.hub import Hub
from guardrail.engine.run import Run
from guardrail.errors import ConfigError
from guardrail.memory.internal import (
    Known,
    Pair,
    Wording,
    answers_rightly,
    ask_pairs,
    ask_questions,
    plan,
    setting,
)
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
    return Known(PAIRS, results, ("",) * 4)


def rows(ask):
    return [json.loads(line) for line in ask.messages[-1].text.partition("\n\n")[2].splitlines()]


def matches(ask):
    """Answers lists rightly."""
    return Completion(", ".join(TRUTH[left] for left, _ in rows(ask)))


class TestAskPairs:
    def test_results(self):
        """Known are those whose name is given, either of several; the rest is told apart."""
        said = {
            "Norway": Completion("oslo."),
            "Italy": Completion("Milan"),
            "Bolivia": Completion("La Paz"),
            "Japan": Completion("Well, I think it is Tokyo!"),
        }
        found = play(ask_pairs(PAIRS, CAPITALS), lambda ask: said[ask.messages[-1].text.partition("\n\n")[2]])
        assert found.results == ("right", "wrong", "right", "malformed")
        assert found.count == 2

    def test_shows_the_name_that_the_model_gave(self):
        """Its own memory of an ambiguous pair is what it is held to; the other name stays right."""
        found = play(ask_pairs(PAIRS[2:3], CAPITALS), lambda ask: Completion("La Paz"))
        assert found.pairs == (Pair("Bolivia", "La Paz", ("Sucre",)),)

    def test_failed(self):
        """No reply is no knowledge, and says why."""
        found = play(ask_pairs(PAIRS[:1], CAPITALS), lambda ask: Failed(Reason.TIMEOUT, "no reply"))
        assert (found.results, found.texts) == (("failed",), ("timeout: no reply",))

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
        (one, *_) = plan(known(), 3, shuffle="moved")
        assert one.shown() == [one.pairs[place].right for place in one.order]
        assert all(shown != pair.right for shown, pair in zip(one.shown(), one.pairs, strict=True))

    @pytest.mark.parametrize(
        "options",
        [{"k": 1}, {"k": 5}, {"combinations": 0}, {"strategy": "all"}, {"shuffle": "no"}, {"most_orders": 0}],
    )
    def test_options(self, options):
        """What cannot be is refused; k = 5 of 4 known pairs too."""
        with pytest.raises(ConfigError):
            plan(known(), **({"k": 2} | options))


class TestAskQuestions:
    def test_right(self):
        """h = 1 for the whole list in order."""
        questions = plan(known(), 3, combinations=10)
        found = play(ask_questions(questions, CAPITALS), matches)
        assert {one.result for one in found} == {"right"}
        assert setting(found, 3, "shuffle").estimate.value == 0.0

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
        one = setting(found, 2, "shuffle")
        assert one.counts == {"right": 1, "wrong": 1, "malformed": 1, "failed": 1}
        assert one.faults == {"empty": 0, "length": 1, "prose": 0, "unrelated": 0}
        assert (one.estimate.value, one.estimate.size) == (0.5, 2)
        assert one.as_wrong.value == pytest.approx(2 / 3)

    def test_nothing_read(self):
        """No reply that can be read, no probability."""
        found = play(ask_questions(plan(known(), 2), CAPITALS), lambda ask: Completion(""))
        assert setting(found, 2, "shuffle").estimate is None
        assert setting(found, 2, "shuffle").as_wrong.value == 1.0

    def test_permutations_are_judged_by_combination(self):
        """Ten combinations of which two go wrong in both orders: worth ten questions, not twenty."""
        questions = plan(known(), 2, combinations=10, strategy="permutations")
        said = {True: lambda ask: Completion("Tokyo, Tokyo, "[:-2]), False: matches}
        bad = {one.draw for one in questions if one.combination in {3, 7}}
        questions = [q for q in questions if PAIRS[3] in q.pairs or q.combination not in {3, 7}]
        found = play(ask_questions(questions, CAPITALS), lambda ask: said[ask.draw in bad](ask))
        one = setting(found, 2, "permutations")
        assert one.estimate.size <= 11

    def test_pairs_that_share_a_name(self):
        """Both orders of a list with one name twice are the same words, and still are two questions."""
        twins = Known((Pair("a", "X"), Pair("b", "X")), ("right", "right"), ("", ""))
        asked = []
        questions = plan(twins, 2, combinations=3, strategy="permutations")
        play(ask_questions(questions, CAPITALS), lambda ask: asked.append(ask) or Completion("X, X"))
        assert len(asked) == 6

    def test_fenced(self):
        """Pairs are data between marks; the paper's own prompt is sent as it is."""
        asked = []
        for prompts in ("fenced", "paper"):
            wording = Wording("zh", "诗句", "作者", prompts)
            play(
                ask_questions(plan(known(), 2, combinations=1), wording),
                lambda ask: asked.append(ask) or Completion("x"),
            )
        fenced, paper = asked
        assert "<data-" in render(fenced.messages[-1])
        assert "作者" in fenced.messages[-1].text
        assert "<data-" not in "".join(map(render, paper.messages))
        assert paper.messages[0].text.startswith("You are an expert specializing in ancient Chinese poetry.")


class TestAnswersRightly:
    @pytest.mark.parametrize(
        ("names", "right"),
        [
            (["OSLO", "Ｒｏｍｅ"], True),
            (["Rome", "Oslo"], False),
            (["Oslo"], False),
            (["Oslo", "Rome", "Sucre"], False),
        ],
    )
    def test_in_order(self, names, right):
        """Up to spelling, and only whole."""
        assert answers_rightly(names, PAIRS[:2]) is right

    @pytest.mark.parametrize("name", ["Sucre", "La Paz", "LA PAZ"])
    def test_either_name(self, name):
        """Of an ambiguous pair."""
        assert answers_rightly([name], PAIRS[2:3])


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
