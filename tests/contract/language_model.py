"""What every backend for "language_model" keeps to. Subclass `LanguageModelContract` and give it a `model`."""

import math
from concurrent.futures import ThreadPoolExecutor

import pytest

from guardrail.engine.backend import Backend
from guardrail.engine.flow import Answer, Failed, Reason, draws
from guardrail.requests import Distribution, Embed, LogProb, Sample

CONTEXT = "Input: a\nLabel: yes\n\nInput: b\nLabel: no\n\n"
QUERY = "Input: a\nLabel:"
LABELS = (" yes", " no", " perhaps")
DRAW = Sample(CONTEXT, max_tokens=12, stop=("\n",))
TELL = Distribution(CONTEXT, QUERY, LABELS)
SCORE = LogProb(CONTEXT + QUERY, " no")


class LanguageModelContract:
    """The `model` fixture goes on with any text of pairs; its draws are seeded."""

    @pytest.fixture
    def model(self):
        raise NotImplementedError

    def test_is_a_backend(self, model):
        """It has all that a lane reads, and one line that stays the same."""
        assert isinstance(model, Backend)
        assert min(model.batch, model.concurrency) >= 1
        assert model.fingerprint == model.fingerprint
        assert "\n" not in model.fingerprint

    def test_one_reply_per_request_whatever_is_asked_beside(self, model):
        """In order, and as if each were asked alone."""
        asked = [SCORE, *draws(DRAW, 3), TELL, TELL, LogProb(CONTEXT + QUERY, " yes")]
        together = model.answer(asked)
        assert all(isinstance(reply, Answer) for reply in together), together
        for request, reply in zip(asked, together, strict=True):
            (alone,) = model.answer([request])
            if isinstance(request, Sample):
                assert alone.value == reply.value
            elif isinstance(request, LogProb):
                assert alone.value == pytest.approx(reply.value, abs=1e-4)
            else:
                assert alone.value.names == reply.value.names
                assert alone.value.probabilities == pytest.approx(reply.value.probabilities, abs=1e-4)

    def test_distributions(self, model):
        """Disjoint outcomes, their natural probabilities, and where each label begins."""
        (found,) = [reply.value for reply in model.answer([TELL])]
        assert len(set(found.names)) == len(found.names) == len(found.probabilities)
        assert all(0 <= p <= 1 for p in found.probabilities)
        assert math.fsum(found.probabilities) <= 1 + 1e-4
        assert len(found.begun) == len(LABELS)
        assert all(place is None or 0 <= place < len(found.names) for place in found.begun)

    def test_a_label_of_one_outcome_scores_what_is_told(self, model):
        """The two requests are of one model."""
        label = self.whole_label(model)
        (told,) = model.answer([Distribution(CONTEXT, QUERY, (label,))])
        (score,) = model.answer([LogProb(CONTEXT + QUERY, label)])
        (place,) = told.value.begun
        assert score.value == pytest.approx(math.log(told.value.probabilities[place]), abs=1e-3)

    def whole_label(self, model):
        """A label that is one outcome."""
        return LABELS[0]

    def test_draws(self, model):
        """End with their stop or at their bound; each number is a draw of its own, the same one each time."""
        asked = draws(DRAW, 12)
        texts = [reply.value for reply in model.answer(asked)]
        assert [reply.value for reply in model.answer(asked)] == texts
        assert len(set(texts)) > 1
        for text in texts:
            assert "\n" not in text[:-1]

    def test_scores_are_log_probabilities(self, model):
        """In nats, at most 0."""
        (reply,) = model.answer([SCORE])
        assert math.isfinite(reply.value)
        assert reply.value <= 0

    def test_what_it_does_not_answer(self, model):
        """Is a failure that says so, beside what it answers."""
        other, tell = model.answer([Embed("x"), TELL])
        assert isinstance(other, Failed)
        assert (other.reason, "Embed" in other.detail) == (Reason.MISSING, True)
        assert isinstance(tell, Answer)

    def test_serves_many_threads(self, model):
        """At once."""
        asked = draws(DRAW, 8)
        expected = [reply.value for reply in model.answer(asked)]
        with ThreadPoolExecutor(4) as pool:
            replies = list(pool.map(lambda request: model.answer([request])[0], asked))
        assert [reply.value for reply in replies] == expected
