"""BERTScore: the kernel, the encoder around it, and the reference package's figures."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.backends.models import HARD, TEXTS, make, needs_local, needs_minilm

from guardrail.backends import similarity
from guardrail.backends.similarity import (
    BASELINES,
    BertScore,
    Tokens,
    inverse_frequencies,
    rescaled,
    similarities,
)
from guardrail.engine.flow import Answer, Reason
from guardrail.errors import ConfigError
from guardrail.requests import Compare, Similarity

# For STORED below: bert_score 0.3.13, transformers 4.57.6, torch 2.13.0, 2026-11-20, the packaged MiniLM:
# bert_score.score([candidate], [reference], model_type=folder, num_layers=6, idf=False), one pair per call;
# the second table with idf=get_idf_dict(the references of all four, tokenizer, nthreads=0).
PUBLISHED = [
    ("The cat sat on the mat.", "A cat was sitting on the mat."),
    ("He was born in Paris in 1921.", "She died in London in 1987."),
    ("他是医生。", "He is a doctor."),
    ("Shares fell 3% 😀", "The very long sentence about nothing that goes on, and on, and on."),
]


def tokens(*vectors, weights=None):
    matrix = np.array(vectors, dtype=np.float32)
    return Tokens(matrix, np.ones(len(vectors)) if weights is None else np.array(weights, dtype=float))


EAST, NORTH = (1.0, 0.0), (0.0, 1.0)
BETWEEN = (0.6, 0.8)


class TestSimilarities:
    def test_by_hand(self):
        """East finds .6, north .8; between finds .8: P = .7, R = .8, F1 = 1.12 / 1.5."""
        [found] = similarities(tokens(EAST, NORTH), [tokens(BETWEEN)])
        assert (found.precision, found.recall, found.f1) == pytest.approx((0.7, 0.8, 1.12 / 1.5))

    def test_weights(self):
        """Only east counts: P = .6. A token of no weight may still be matched: R stays .8."""
        [found] = similarities(tokens(EAST, NORTH, weights=[2, 0]), [tokens(BETWEEN)])
        assert (found.precision, found.recall) == pytest.approx((0.6, 0.8))

    def test_several_references(self):
        """Each is scored as if it were alone."""
        references = [tokens(EAST), tokens(NORTH, EAST, BETWEEN), tokens(BETWEEN)]
        together = similarities(tokens(NORTH, BETWEEN), references)
        assert together == [similarities(tokens(NORTH, BETWEEN), [one])[0] for one in references]

    def test_undefined(self):
        """Nothing of weight, or P + R = 0: no score."""
        assert similarities(tokens(EAST, weights=[0]), [tokens(EAST)]) == [None]
        assert similarities(tokens(EAST), [tokens(EAST, weights=[0])]) == [None]
        assert similarities(tokens(EAST), [tokens(NORTH)]) == [None]
        assert similarities(tokens(EAST), []) == []

    def test_opposite(self):
        """Negative similarities stay negative: no padding offers a 0."""
        [found] = similarities(tokens(EAST), [tokens((-1.0, 0.0))])
        assert found == Similarity(-1, -1, -1)

    @given(st.integers(1, 8), st.integers(1, 8), st.integers(0, 2**32 - 1))
    def test_properties(self, n, m, seed):
        """In [-1, 1]; turned round, P and R change places; a text against itself has 1."""
        random = np.random.default_rng(seed)
        a, b = (random.normal(size=(size, 5)) for size in (n, m))
        one, other = (tokens(*(x / np.linalg.norm(x, axis=1, keepdims=True))) for x in (a, b))
        found, turned = similarities(one, [other])[0], similarities(other, [one])[0]
        if found is not None:
            assert all(-1 <= value <= 1 for value in (found.precision, found.recall, found.f1))
            assert (found.precision, found.recall) == pytest.approx(
                (turned.recall, turned.precision), abs=1e-6
            )
        assert similarities(one, [one])[0].f1 == pytest.approx(1, abs=1e-6)


class TestRescaled:
    def test_by_hand(self):
        """(.9 - .8) / .2 = .5."""
        found = rescaled(Similarity(0.9, 0.8, 0.75), (0.8, 0.8, 0.5))
        assert (found.precision, found.recall, found.f1) == pytest.approx((0.5, 0.0, 0.5))

    def test_known(self):
        """The paper's own model; its baseline leaves 1 at 1."""
        assert rescaled(Similarity(1, 1, 1), BASELINES["roberta-large"]) == Similarity(1, 1, 1)


class TestInverseFrequencies:
    def test_by_hand(self):
        """Of three texts token 1 is in all, 2 in one (twice), 9 in none: ln 4/4, ln 4/2, ln 4."""
        known, unknown = inverse_frequencies([[1, 2, 2], [1], [1]])
        assert (known[1], known[2], unknown) == pytest.approx((0, math.log(2), math.log(4)))


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    needs_local()
    made = {}

    def get(family="bert"):
        if family not in made:
            made[family] = make(tmp_path_factory.mktemp(family), family=family, seed=3)
        return made[family]

    return get


SHORT = [" ".join(text.split()[: 2 + i % 9]) for i, text in enumerate(TEXTS)]
PAIRS = [Compare(a, b) for a in SHORT[:8] for b in SHORT[4:16]]


def triple(reply):
    return np.array([reply.value.precision, reply.value.recall, reply.value.f1])


class TestBertScore:
    @pytest.mark.parametrize("family", ["bert", "roberta", "deberta"])
    def test_neighbours_do_not_matter(self, folders, family):
        """Together, alone, in small batches: the same to 1e-4."""
        together = [triple(reply) for reply in BertScore(folders(family), device="cpu").answer(PAIRS)]
        narrow = BertScore(folders(family), device="cpu", budget=32)
        alone = [triple(narrow.answer([pair])[0]) for pair in PAIRS]
        assert np.abs(np.array(together) - alone).max() < 1e-4
        assert np.std(together, axis=0).min() > 0.01

    def test_each_text_once(self, folders):
        """Sixteen distinct texts in 96 pairs: sixteen go through the model, and none the second time."""
        model = BertScore(folders(), device="cpu")
        model.answer(PAIRS)
        model.answer(PAIRS[::-1])
        assert (model.work.requests, model.work.texts) == (192, 16)

    def test_no_vectors(self, folders, monkeypatch):
        """Of a text with words that is the encoder's failure, and no refusal of the text."""
        model = BertScore(folders(), device="cpu")
        monkeypatch.setattr(model._model, "run", lambda inputs: [None] * len(inputs))
        words, blank = model.answer([Compare(TEXTS[0], TEXTS[1]), Compare(" ", TEXTS[1])])
        assert (words.reason, blank.reason) == (Reason.BACKEND, Reason.REFUSED)
        monkeypatch.undo()
        assert isinstance(model.answer([Compare(TEXTS[0], TEXTS[1])])[0], Answer)

    def test_forgets_the_oldest(self, folders, monkeypatch):
        """Memory is bounded; what is forgotten is encoded again and scores the same."""
        from guardrail.backends import similarity

        monkeypatch.setattr(similarity, "_REMEMBERED_BYTES", 5_000)
        model = BertScore(folders(), device="cpu")
        first = [triple(reply) for reply in model.answer(PAIRS)]
        assert sum(t.vectors.nbytes for t in model._known.values()) == model._bytes <= 5_000
        assert np.abs(np.array([triple(reply) for reply in model.answer(PAIRS)]) - first).max() < 1e-4

    @pytest.mark.parametrize(
        ("model", "layer"),
        [
            ("roberta-large", 17),
            ("/models/roberta-large", 17),
            ("microsoft--deberta-large-mnli", 18),
            ("microsoft/deberta-large-mnli", 18),
            ("/models/another", None),
        ],
    )
    def test_known_layers(self, model, layer):
        """By the name, wherever the weights lie."""
        assert similarity._layer(model) == layer

    def test_layer(self, folders):
        """Oracle: the first layer's output as transformers gives it."""
        import torch
        import transformers

        model = BertScore(folders(), device="cpu", layer=1)
        reader = transformers.AutoTokenizer.from_pretrained(folders(), local_files_only=True)
        network = transformers.AutoModel.from_pretrained(folders(), local_files_only=True)
        encoded = []
        for text in (PAIRS[1].candidate, PAIRS[1].reference):
            with torch.inference_mode():
                inputs = reader(text, return_tensors="pt")
                hidden = network(**inputs, output_hidden_states=True).hidden_states[1][0]
            unit = (hidden / hidden.norm(dim=1, keepdim=True)).numpy()
            encoded.append(tokens(*unit, weights=[0, *[1] * (len(unit) - 2), 0]))
        expected = similarities(encoded[0], [encoded[1]])[0]
        assert triple(model.answer([PAIRS[1]])[0]) == pytest.approx(
            [expected.precision, expected.recall, expected.f1], abs=1e-5
        )

    def test_options(self, folders):
        """Layers that are not there, baselines that divide by 0."""
        with pytest.raises(ConfigError, match="one of 2 encoder layers, got layers=3"):
            BertScore(folders(), device="cpu", layer=3).load()
        with pytest.raises(ConfigError, match="each below 1"):
            BertScore(folders(), device="cpu", baseline=(0.5, 1.0, 0.5))

    def test_baseline(self, folders):
        """Rescaled as by the pure function."""
        plain = BertScore(folders(), device="cpu").answer([PAIRS[1]])[0].value
        scaled = BertScore(folders(), device="cpu", baseline=(0.1, 0.2, 0.3)).answer([PAIRS[1]])[0].value
        assert scaled == rescaled(plain, (0.1, 0.2, 0.3))

    def test_hard_texts(self, folders):
        """Blank ones are refused, each with the side that is blank; all others have finite scores."""
        model = BertScore(folders(), device="cpu")
        left = model.answer([Compare(text, "a cat") for text in HARD])
        right = model.answer([Compare("a cat", text) for text in HARD])
        for text, one, other in zip(HARD, left, right, strict=True):
            if text.strip(" \n\t\x00\x07"):
                assert np.isfinite([triple(one), triple(other)]).all()
            else:
                assert (one.reason, other.reason) == (Reason.REFUSED, Reason.REFUSED)
                assert "candidate has no words" in one.detail
                assert "reference has no words" in other.detail
        assert model.work.truncated == 1

    def test_fingerprint(self, folders):
        """Layer, texts of idf and baseline change scores, so they change it."""
        options = [{}, {"layer": 1}, {"idf": ["a"]}, {"idf": ["b"]}, {"baseline": (0.1, 0.1, 0.1)}]
        found = {BertScore(folders(), device="cpu", **each).fingerprint for each in options}
        assert len(found) == len(options)

    def test_nothing(self, folders):
        """No requests, no replies."""
        assert BertScore(folders(), device="cpu").answer([]) == []


STORED = {
    False: [
        [0.91863501, 0.89590472, 0.9071275],
        [0.32422689, 0.32660797, 0.32541308],
        [0.13869654, 0.18317257, 0.15786169],
        [0.09078555, 0.06890994, 0.07834945],
    ],
    True: [
        [0.88320863, 0.87902045, 0.88110954],
        [0.31574109, 0.32588169, 0.32073125],
        [0.13869654, 0.177826, 0.15584262],
        [0.09078555, 0.06997918, 0.07903598],
    ],
}


class TestReferencePackage:
    @pytest.mark.parametrize("idf", [False, True])
    def test_stored(self, idf):
        """The package's figures for the packaged encoder, to 1e-5."""
        needs_local()
        needs_minilm()
        corpus = [reference for _, reference in PUBLISHED] if idf else None
        replies = BertScore(device="cpu", idf=corpus).answer([Compare(*pair) for pair in PUBLISHED])
        assert all(isinstance(reply, Answer) for reply in replies)
        assert np.abs(np.array([triple(reply) for reply in replies]) - STORED[idf]).max() < 1e-5
