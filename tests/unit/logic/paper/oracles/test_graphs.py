"""Graphs and their similarity."""

import pytest

from guardrail.logic.knowledge.facts import Triple
from guardrail.logic.knowledge.relations import reviewed
from guardrail.logic.paper.oracles.graphs import Graph, Names, canonical, jaccard

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
        assert jaccard(["Paris", "France"], ["paris", "Lyon"], NAMES) == pytest.approx(1 / 3)

    def test_alias(self):
        """An alias is the same, and counts once."""
        assert jaccard(["USA", "United States"], ["United States"], NAMES) == pytest.approx(1 / 2)

    def test_nothing(self):
        """Of nothing there is no similarity."""
        assert jaccard([], [], NAMES) is None
        assert jaccard([], ["Paris"], NAMES) == 0

    def test_edges(self):
        """Edges are one where relation and both nodes are."""
        graph = Graph(frozenset([Triple("the Paris", "country", "France")]))
        assert jaccard(graph.edges, [Triple("Paris", "country", "France")], NAMES) == 1
        assert jaccard(graph.edges, [Triple("Paris", "capital", "France")], NAMES) == 0
        assert graph.nodes == {"the Paris", "France"}

    @pytest.mark.parametrize("one", ["1813", "Nobel Prize in Physics", "France"])
    def test_never_by_meaning(self, one):
        """Years, siblings and two names of the facts are not made one by embeddings."""
        names = Names({}, ["1812", "Nobel Prize in Chemistry", "France", "Paris"], similarity=lambda *_: 1.0)
        other = {"1813": "1812", "France": "Paris"}.get(one, "Nobel Prize in Chemistry")
        assert not names.same(one, other)

    def test_threshold(self):
        """A cosine of .8 is enough, less is not."""
        for value, same in ((0.8, True), (0.79, False)):
            names = Names({}, ["Paris"], similarity=lambda *_, value=value: value)
            assert names.same("City of Light", "Paris") is same
