"""Training of the model of passages: labelled answers as words with fields, and the adaptation of a model to them."""

import itertools

import numpy as np
import pytest
from benchmarks.references.answers.labels import Answer, Label
from benchmarks.references.reading import _adapting
from benchmarks.references.reading._labelled import labelled

from guardrail.references.bibliography import Reference
from guardrail.references.citations.segmentation.model import FIELDS, Model, packaged, packaged_passages
from guardrail.report import Span

TEXT = (
    "Two to begin with:\n\n"
    "1. Moe, B., & Tarn, I. (1990). Rivers of salt. *Ocean Letters*, 7(2), 11–19.\n\n"
    'They follow Tarn\'s "Seas of Sand" (Tidal Press, 1984), which sold well.'
)


def label(quote, said):
    start = TEXT.index(quote)
    return Label("key", Span(start=start, end=start + len(quote)), said)


@pytest.fixture(scope="module")
def fields():
    """What each field of the passages is made of."""
    labels = (
        label(
            "Moe, B., & Tarn, I. (1990). Rivers of salt. *Ocean Letters*, 7(2), 11–19.",
            Reference("Rivers of salt", ("Moe, B.", "Tarn, I."), year=1990, venue="Ocean Letters"),
        ),
        label(
            'Tarn\'s "Seas of Sand" (Tidal Press, 1984)',
            Reference("Seas of Sand", ("Tarn",), year=1984, venue="Tidal Press"),
        ),
    )
    answer = Answer("a", "lists", "en", "", TEXT, labels)
    examples = labelled([answer], {"key": "article"}, model=packaged_passages(), lexicon=packaged().lexicon)
    return [
        [(one.field, example.text[one.start : one.end]) for one in example.stretches] for example in examples
    ]


class TestLabelled:
    def test_words_have_the_fields_of_their_label(self, fields):
        """Of a list, with what the label leaves open."""
        assert [one for one in fields[1] if one[0] != "remark"] == [
            ("number", "1."),
            ("author", "Moe, B., & Tarn, I."),
            ("date", "(1990)."),
            ("title", "Rivers of salt."),
            ("journal", "*Ocean Letters*,"),
            ("volume", "7(2),"),
            ("pages", "11–19."),
        ]

    def test_what_is_around_a_label_is_a_remark(self, fields):
        """Also where it names somebody."""
        assert fields[0] == [("remark", "Two to begin with:")]
        assert [field for field, _ in fields[2]] == ["remark", "author", "title", "journal", "date", "remark"]
        assert fields[2][0][1] == "They follow"


COUNT = 2 * len(FIELDS)


def model(seed=0):
    """Of two features, with small random weights."""
    random = np.random.default_rng(seed)
    return Model({"a": 0, "b": 1}, random.normal(size=(2, COUNT)), random.normal(size=(COUNT, COUNT)), {}, {})


EXAMPLES = [([["a"], ["a", "b"], ["b", "c"]], [0, 1, 6]), ([["c"], ["b"]], [6, 7])]


class TestAdapting:
    def test_the_sum_over_all_labellings_is_that_of_enumeration(self):
        """Oracle: 40³ and 40² labellings, one by one."""
        task = _adapting._Task.of(model(), EXAMPLES, 0.0, 1)
        states, between = task.states, task.transitions
        total = said = 0.0
        for features, own in EXAMPLES:
            scores = [sum(states[task.names.index(name)] for name in names) for names in features]
            weights = []
            for labels in itertools.product(range(COUNT), repeat=len(own)):
                score = sum(row[at] for row, at in zip(scores, labels, strict=True))
                weights.append(score + sum(between[pair] for pair in itertools.pairwise(labels)))
                said += weights[-1] if list(labels) == own else 0.0
            total += float(np.logaddexp.reduce(weights))
        assert task.loss(np.zeros(task.size))[0] == pytest.approx(total - said)

    def test_the_gradient_is_that_of_differences(self):
        """Oracle: (f(x + h) - f(x - h)) / 2 h."""
        task = _adapting._Task.of(model(), EXAMPLES, 0.3, 1)
        at = np.random.default_rng(1).normal(size=task.size) / 10
        _, gradient = task.loss(at)
        for place in (0, 5, len(task.rows) - 1, len(task.rows) + 1, task.size - 1):
            step = np.zeros(task.size)
            step[place] = 1e-5
            assert gradient[place] == pytest.approx(
                (task.loss(at + step)[0] - task.loss(at - step)[0]) / 2e-5, abs=1e-6
            )

    def test_a_strong_prior_keeps_the_first_weights(self):
        """And a weak one makes the examples likelier."""
        base = model()
        near = _adapting.adapted(base, EXAMPLES, strength=1e6, least=1, steps=20, smallest=0.0)
        assert all(
            value == pytest.approx(base.states[base.features[name], at], abs=1e-4)
            for (name, at), value in near.states.items()
            if name in base.features
        )
        far = _adapting.adapted(base, EXAMPLES, strength=0.01, least=1, steps=50, smallest=0.0)
        assert far.states["a", 0] > base.states[0, 0]
