"""Graphs and their similarity."""

import pytest

from guardrail.logic.knowledge.facts import Triple
from guardrail.logic.knowledge.relations import reviewed
from guardrail.logic.paper.oracles.graphs import Names, canonical, jaccard, nodes_of

NAMES = Names({"USA": "United States"}, ["United States", "Paris", "France", "1812"])


class TestEdges:
    @pytest.mark.parametrize(
        ("one", "other"),
        [
            (Triple("a", "author of", "b"), Triple("b", "author", "a")),
            (Triple("a", "capital of", "b"), Triple("b", "capital", "a")),
            (Triple("b", "sibling", "a"), Triple("a", "sibling", "b")),
        ],
    )
    def test_one_form(self, one, other):
        """Inverse and symmetric ways of saying are one edge."""
        assert canonical(one, reviewed()) == canonical(other, reviewed())

    def test_direction(self):
        """The converse of a relation with a direction is another edge."""
        one, other = Triple("a", "follows", "b"), Triple("b", "follows", "a")
        assert canonical(one, reviewed()) != canonical(other, reviewed())


class TestJaccard:
    def test_by_hand(self):
        """{Paris, France} and {paris, Lyon}: one in common of three."""
        assert jaccard(["Paris", "France"], ["paris", "Lyon"], NAMES.same) == pytest.approx(1 / 3)

    def test_alias(self):
        """An alias is the same, and counts once."""
        assert jaccard(["USA", "United States"], ["United States"], NAMES.same) == pytest.approx(1 / 2)

    def test_nothing(self):
        """Of nothing there is no similarity."""
        assert jaccard([], [], NAMES.same) is None
        assert jaccard([], ["Paris"], NAMES.same) == 0

    def test_edges(self):
        """Edges are one where relation and both nodes are."""
        edges = [Triple("the Paris", "country", "France")]
        assert jaccard(edges, [Triple("Paris", "country", "France")], NAMES.same_edge) == 1
        assert jaccard(edges, [Triple("Paris", "capital", "France")], NAMES.same_edge) == 0
        assert nodes_of(edges) == ["France", "the Paris"]
