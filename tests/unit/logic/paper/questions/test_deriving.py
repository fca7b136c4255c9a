"""What follows from facts, rule by rule."""

import pytest

from guardrail.logic.knowledge import Triple
from guardrail.logic.paper.questions import deriving

FAMILY = [
    ("Ann", "father", "Bob"), ("Bob", "father", "Carl"), ("Ann", "mother", "Dora"), ("Eve", "mother", "Dora"),
    ("Carl", "child", "Gus"), ("Hal", "father", "Ian"),
]  # fmt: skip


def derived(base, rule, relation, *, limit=1000, each=1000, seed=0):
    return list(deriving.derived(base, rule, relation, limit=limit, each=each, seed=seed))


class TestDerived:
    def test_lists_what_the_rule_adds(self, opened):
        """And no fact of the base."""
        base = opened(*FAMILY)
        found = derived(base, "transitive", "descendant of")
        assert Triple("Ann", "descendant of", "Carl") in found
        assert Triple("Ann", "descendant of", "Bob") not in found  # one step: implied

    def test_composites_once(self, opened):
        """A pair of subjects once, whatever they share."""
        base = opened(
            ("X", "genre", "a"),
            ("Y", "genre", "a"),
            ("X", "genre", "b"),
            ("Y", "genre", "b"),
            ("Z", "genre", "b"),
        )
        pairs = [frozenset((one.subject, one.object)) for one in derived(base, "composite", "genre")]
        assert sorted(map(sorted, pairs)) == [["X", "Y"], ["X", "Z"], ["Y", "Z"]]

    def test_negations_only_where_allowed(self, opened):
        """From complete lists and converses, never from open lists."""
        base = opened(
            ("X", "director", "D"), ("Y", "director", "E"), ("X", "genre", "a"), ("Y", "genre", "b")
        )
        found = {(one.subject, one.object) for one in derived(base, "negation", "director")}
        assert found == {("X", "E"), ("Y", "D")}
        assert derived(base, "negation", "genre") == []

    @pytest.mark.parametrize(
        "rule", ["negation", "symmetric", "inverse", "implied", "transitive", "chain", "composite"]
    )
    def test_every_derived_fact_is_confirmed_by_asking(self, opened, rule):
        """What a rule lists is what `ask` says, for every relation, drawn with a seed."""
        base = opened(*FAMILY, ("F", "shares border with", "S"), ("X", "director", "D"), ("Y", "director", "D"),
                      ("Z", "director", "E"), ("Ann", "place of birth", "Bonn"),
                      ("Bonn", "located in the administrative territorial entity", "NRW"))  # fmt: skip
        count = 0
        for name in base.relations:
            for one in derived(base, rule, name, seed=3):
                count += 1
                assert base.ask(one).state == ("contradicted" if rule == "negation" else "entailed")
        assert count > 0

    def test_limits_and_seeds(self, opened):
        """At most so many, of each at most so many; one seed gives one order."""
        base = opened(*((f"f{i}", "director", f"d{i % 4}") for i in range(40)))
        assert len(derived(base, "composite", "director", limit=7)) == 7
        drawn = derived(base, "composite", "director", each=3, seed=1)
        assert len(drawn) == 12
        assert drawn == derived(base, "composite", "director", each=3, seed=1)
        assert drawn != derived(base, "composite", "director", each=3, seed=2)
        assert len(derived(base, "negation", "director", each=2, seed=1)) == 80
