"""The second evaluator: by hand, and against the rules in Prolog."""

import random

import pytest

from guardrail.logic.knowledge import KnowledgeBase, Triple, build, reviewed
from guardrail.logic.paper.questions.reproof import Evaluator, affirmed


class TestTruth:
    @pytest.mark.parametrize(
        ("triple", "expected"),
        [
            (("Zeus", "father", "Cronus"), True),
            (("Cronus", "father of", "Zeus"), True),
            (("Cronus", "child", "Zeus"), True),
            (("Eros", "descendant of", "Cronus"), True),  # Eros, Ares, Zeus, Cronus
            (("Eros", "grandparent", "Zeus"), True),
            (("Eros", "grandparent", "Cronus"), None),
            (("Zeus", "spouse", "Hera"), True),
            (("Zeus", "same father", "Hera"), True),
            (("Zeus", "father", "Hera"), False),  # one father
            (("Hera", "father of", "Zeus"), False),
            (("Cronus", "descendant of", "Eros"), False),  # not both ways
            (("Zeus", "father", "Nobody"), None),  # not known
            (("Ada", "member of political party", "Tories"), None),  # absence proves nothing
            (("Ada", "same member of political party", "Cy"), None),
            (("Ares", "same father", "Hera"), False),
        ],
    )
    def test_by_hand(self, kin, triple, expected):
        assert Evaluator(kin, reviewed()).truth(Triple(*triple)) is expected

    def test_complete_lists(self, films):
        """The directors of a film are all named."""
        second = Evaluator(films, reviewed())
        assert second.truth(Triple("Heat", "director", "Scott")) is False
        assert second.truth(Triple("Heat", "same director", "Alien")) is False
        assert second.truth(Triple("One", "comes before", "Four")) is True
        assert second.truth(Triple("Four", "comes before", "One")) is False

    def test_a_property_that_the_facts_break(self):
        """Two fathers each: nothing follows from another name."""
        facts = [Triple(child, "father", name) for child in "ABC" for name in ("X", "Y")]
        assert (
            Evaluator([*facts, Triple("D", "father", "Z")], reviewed()).truth(Triple("D", "father", "X"))
            is None
        )

    def test_agrees_with_the_rules(self, prolog, tmp_path):
        """Random facts of all kinds of relation, all pairs asked: oracle is `rules.pl`."""
        names = ("father", "mother", "spouse", "followed by", "follows", "director", "capital", "capital of")
        names += (
            "part of",
            "has part(s)",
            "student",
            "place of birth",
            "located in the administrative territorial entity",
        )
        states = {"entailed": True, "contradicted": False, "unknown": None}
        table = reviewed()
        asked = [
            *names,
            "child",
            "ancestor of",
            "comes before",
            "grandparent",
            "same director",
            "same father",
        ]
        different = 0
        for seed in range(6):
            rng = random.Random(seed)
            facts = [Triple(rng.choice("ABCDEF"), rng.choice(names), rng.choice("ABCDEF")) for _ in range(14)]
            facts = [fact for fact in facts if fact.subject != fact.object]
            build(tmp_path / str(seed), facts)
            second = Evaluator(facts, table)
            with KnowledgeBase.open(tmp_path / str(seed)) as base:
                for relation in asked:
                    for one in "ABCDEF":
                        for other in "ABCDEF":
                            if one != other:
                                triple = Triple(one, relation, other)
                                truth = states[base.ask(triple).state]
                                assert second.truth(triple) is truth, (seed, triple)
                                different += truth is not None
        assert different > 300


class TestAffirmed:
    def test_names_do_not_count(self):
        triple = Triple("No Country for Old Men", "author", "Not Sure")
        assert affirmed("Was No Country for Old Men written by Not Sure?", triple)
        assert not affirmed("Is it false that No Country for Old Men was written by Not Sure?", triple)
        assert affirmed("Is it wrong to say that No Country for Old Men was not written by Not Sure?", triple)
