"""The packaged weights, and decoding with them."""

import itertools

import numpy as np
import pytest

from guardrail.errors import ConfigError
from guardrail.references.citations.segmentation.decoding import Lattice, runs
from guardrail.references.citations.segmentation.model import FIELDS, Model, packaged, read_model, to_bytes
from guardrail.references.citations.segmentation.tokens import LONGEST, tokenise

LABELS = 2 * len(FIELDS)


@pytest.fixture
def content():
    """The bytes of a small model."""
    return to_bytes(
        {("w=in", 0): 1.5, ("w=of", 3): -2.0}, {(0, 1): 0.5}, {"smith": "Al"}, {"command": "none"}
    )


class TestTheFileOfWeights:
    """`to_bytes` and `read_model`."""

    def test_what_was_written_is_read(self, content):
        """Weights, transitions and words come back."""
        model = read_model(content, "small")
        assert isinstance(model, Model)
        assert model.features == {"w=in": 0, "w=of": 1}
        assert (model.states[0, 0], model.states[1, 3], model.states.sum()) == (1.5, -2.0, -0.5)
        assert (model.transitions[0, 1], model.transitions.sum()) == (0.5, 0.5)
        assert model.lexicon == {"smith": "Al"}

    def test_equal_models_are_equal_files(self, content):
        """Whatever order their weights come in."""
        again = to_bytes(
            {("w=of", 3): -2.0, ("w=in", 0): 1.5}, {(0, 1): 0.5}, {"smith": "Al"}, {"command": "none"}
        )
        assert again == content

    @pytest.mark.parametrize(
        "damage",
        [
            lambda content: b"",
            lambda content: b"\x00\xff" * 50,
            lambda content: b"[]\n" + content,
            lambda content: content[:-5],
            lambda content: content[:-5] + b"12345",
            lambda content: content.partition(b"\n")[0] + b"\n",
            lambda content: content.replace(b'"format": 1', b'"format": 9'),
            lambda content: content.replace(b'"author"', b'"writer"'),
        ],
        ids=[
            "empty",
            "noise",
            "no head",
            "cut short",
            "other bytes",
            "no body",
            "another format",
            "other fields",
        ],
    )
    def test_a_damaged_file_is_named(self, content, damage):
        """And the message says what to do."""
        with pytest.raises(ConfigError, match=r"'small'.*Install guardrail-sdk anew"):
            read_model(damage(content), "small")

    def test_the_packaged_file_credits_what_it_was_trained_on(self):
        """Its first line says so, with the licence and the command."""
        about = packaged().about
        assert any("anystyle" in source and "BSD-2-Clause" in source for source in about["trained on"])
        assert about["command"] == "python -m benchmarks.references.reading train"


class TestLattice:
    """`Lattice`, compared with a sum over all labellings of three tokens (an oracle of 64,000 terms)."""

    @pytest.fixture
    def lattice(self):
        """Of random scores."""
        rng = np.random.default_rng(5)
        return Lattice.of(rng.normal(0, 1.5, (3, LABELS)), rng.normal(0, 1.5, (LABELS, LABELS)))

    @pytest.fixture
    def weights(self, lattice):
        """The weight of each labelling, by its three labels."""
        s, t = lattice.scores, lattice.transitions
        exponent = (
            s[0][:, None, None] + s[1][None, :, None] + s[2][None, None, :] + t[:, :, None] + t[None, :, :]
        )
        return np.exp(exponent)

    def _share(self, weights, kept):
        every = itertools.product(range(LABELS), repeat=3)
        return sum(weights[labels] for labels in every if kept(runs(np.array(labels)))) / weights.sum()

    def test_first_runs_have_their_probability(self, lattice, weights):
        """Each stretch, and that there is no run."""
        field = 3
        likely, none = lattice.first_runs(field)
        assert none == pytest.approx(self._share(weights, lambda found: all(f != field for f, _, _ in found)))
        for first, last in ((0, 0), (0, 1), (0, 2), (1, 2), (2, 2)):
            expected = self._share(
                weights,
                lambda found, at=(first, last): next(((a, b) for f, a, b in found if f == field), None) == at,
            )
            assert likely[first, last] == pytest.approx(expected)
        assert likely.sum() + none == pytest.approx(1.0)

    def test_any_run_has_its_probability(self, lattice, weights):
        """First or not."""
        for first, last in ((0, 0), (0, 2), (1, 1), (1, 2)):
            expected = self._share(weights, lambda found, run=(7, first, last): run in found)
            assert lattice.run(7, first, last) == pytest.approx(expected)

    def test_the_best_labels_are_the_heaviest(self, lattice, weights):
        """Of all, of those with a given first title, of those without one."""
        assert tuple(lattice.best()) == np.unravel_index(weights.argmax(), weights.shape)
        for stretch in ((1, 2), None):
            kept = [
                labels
                for labels in itertools.product(range(LABELS), repeat=3)
                if next(((a, b) for f, a, b in runs(np.array(labels)) if f == 3), None) == stretch
            ]
            assert tuple(lattice.best(3, stretch)) == max(kept, key=lambda labels: weights[labels])

    def test_marginals_sum_to_one(self, lattice, weights):
        """At each token."""
        assert lattice.marginals().sum(axis=1) == pytest.approx(np.ones(3))
        assert lattice.marginals()[1] == pytest.approx(weights.sum(axis=(0, 2)) / weights.sum())

    def test_a_thousand_tokens_of_large_scores_stay_finite(self):
        """Nothing overflows."""
        scores = np.random.default_rng(1).normal(0, 50, (1000, LABELS))
        likely, none = Lattice.of(scores, np.zeros((LABELS, LABELS))).first_runs(3)
        assert np.isfinite(likely).all()
        assert likely.sum() + none == pytest.approx(1.0, abs=1e-6)


class TestTokenise:
    """`tokenise`."""

    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("1999;50:194–199.", ["1999;", "50:", "194–199."]),
            ("知识图谱[J].软件学报,2016,53(3):582-600.", ["知识图谱", "[J].", "软件学报,", "2016,", "53", "(3):", "582-600."]),
            ("金水敏『役割語の謎』岩波書店、2003年", ["金水敏", "『役割語の謎』", "岩波書店、", "2003年"]),
            ("[A title](https://a.org/b,c;d)", ["[A", "title]", "(https://a.org/b,c;d)"]),
            ("in the U.S.A. 10,000", ["in", "the", "U.S.A.", "10,", "000"]),
        ],
    )  # fmt: skip
    def test_words_end_where_fields_may(self, text, expected):
        """Also where no blank is."""
        assert [token.text for token in tokenise(text)] == expected

    def test_tokens_are_parts_of_the_text(self):
        """In order, not overlapping, and everything but blanks and marks that nobody sees."""
        text = "Smith\u200b, J.\u202e (2020).\x00 A title[J].计算机 " * 20
        tokens = tokenise(text)
        assert all(text[token.start : token.end] == token.text for token in tokens)
        assert all(one.end <= other.start for one, other in itertools.pairwise(tokens))

    def test_only_the_beginning_of_a_long_text_is_read(self):
        """A reference has no more."""
        assert max(token.end for token in tokenise("word " * 10_000)) <= LONGEST
