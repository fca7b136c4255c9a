"""Graphs, their similarity, and the threshold."""

import pytest

from guardrail.errors import InputError
from guardrail.logic.knowledge.facts import Triple
from guardrail.logic.knowledge.relations import reviewed
from guardrail.logic.oracles.graphs import Graph, Names, canonical, cosine, jaccard
from guardrail.logic.oracles.thresholds import best, estimate, laplace

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

    def test_cosine(self):
        """Of (3, 4) and (4, 3): 24/25. Of a zero vector there is none."""
        assert cosine((3, 4), (4, 3)) == pytest.approx(0.96)
        assert cosine((0, 0), (1, 0)) is None


class TestThresholds:
    def test_laplace(self):
        """The paper's: 270 of 270 give 99.6 %; without trials, one half."""
        assert laplace(270, 270) == pytest.approx(271 / 272)
        assert laplace(0, 0) == 0.5
        with pytest.raises(InputError, match="expected 0 ≤ successes ≤ trials"):
            laplace(2, 1)

    def test_estimate(self):
        """Three below .8, two of them wrong: Laplace 3/5; one of four on the wrong side."""
        found = estimate([(0.1, True), (0.5, True), (0.7, False), (1.0, False)], 0.8)
        assert (found.below, found.wrong, found.precision, found.accuracy) == (3, 2, 0.6, 0.75)

    def test_best(self):
        """The best lies between the wrong and the right; of several the nearest to .8."""
        assert best([(0.1, True), (0.5, True), (0.7, False)]).threshold == pytest.approx(0.7)
        assert best([(0.5, True), (1.0, False)]).threshold == 0.8

    def test_none(self):
        """Without replies there is nothing to estimate."""
        with pytest.raises(InputError, match="at least one reply"):
            best([])
        with pytest.raises(InputError, match="at least one candidate"):
            best([(0.5, True)], candidates=[])
