"""What holds for every variant of `SelfCheck` as a whole, and which scores are monotone. Oracles: the formulas' symmetries.

Monotone are:

- NLI and prompt, in each sample's value: a mean (`test_selfcheck.py`, and here through the detectors);
- BERTScore, falling in each similarity: 1 − a mean of maxima;
- grey-box −log p, falling in each token's log-probability; grey-box H, rising in each token's entropy;
- QA, rising with mismatches and falling with matches (`test_selfcheck.py`).

Not monotone, so nothing is asserted: n-gram in the count of one word alone (counting it more often makes all others
rarer); H in one alternative's log-probability (−p log p rises and falls); the ensemble (it has fitted weights).
"""

import math
import zlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from guardrail import Case
from guardrail.detectors import SelfCheck
from guardrail.report import Span
from guardrail.requests import (
    Ask,
    Compare,
    Completion,
    Entail,
    Entailment,
    ScoreTokens,
    Similarity,
    TokenLogprob,
)
from guardrail.selfcheck import bertscore, greybox
from guardrail.selfcheck.base import METHODS
from guardrail.testing import play

MEAN_TYPE = {"nli", "prompt", "bertscore"}
OTHERWISE = {
    "ngram": "the answer is counted once, so with samples doubled it weighs less",
    "qa": "Bayes multiplies evidence: twice as much makes it surer",
    "greybox": "knows no samples",
    "grounding": "reads documents, and knows no samples",
    "ensemble": "n-gram is among its members",
}

word = st.sampled_from(["She", "was", "born", "in", "London", "1840", "won", "prizes", "中文", "😀", "don't"])
sentence = st.lists(word, min_size=1, max_size=7).map(lambda words: " ".join(words) + ".")
text = st.lists(sentence, min_size=1, max_size=3).map(" ".join)
samples = st.lists(text, min_size=1, max_size=4)
unit = st.floats(0, 1)
logprob = st.floats(-50, 0)
every = pytest.mark.parametrize("method", METHODS)


def chance(*parts):
    """A number in [0, 1) that depends on nothing but what is given."""
    return zlib.crc32(repr(parts).encode("utf-8")) / 2**32


def reply(request):
    """Backends whose answers depend on the request's text alone."""
    if isinstance(request, Entail):
        shares = [0.01 + chance(request, i) for i in range(3)]
        return Entailment(*(share / sum(shares) for share in shares))
    if isinstance(request, Compare):
        value = 2 * chance(request.candidate, request.reference) - 1
        return Similarity(value, value, value)
    if isinstance(request, Ask):
        return Completion("No" if chance(request.messages[-1].text) < 0.5 else "Yes")
    if isinstance(request, ScoreTokens):
        return tuple(TokenLogprob(c, -5 * chance(c, i)) for i, c in enumerate(request.text))
    return value_of(type(request).__name__, request)


def value_of(kind, request):
    """What the QA variant asks: a question per sentence, wrong answers, shares of the options, an answerability."""
    from guardrail.requests import QuestionAnswer

    if kind == "Question":
        return QuestionAnswer(f"Who {request.text}", request.text[:8])
    if kind == "Distract":
        return ("one", "two", "three")
    if kind == "Choose":
        shares = [0.01 + chance(request, option) for option in request.options]
        return tuple(share / sum(shares) for share in shares)
    if kind == "Answerable":
        return chance(request)
    raise AssertionError(f"a new kind of request: say here what answers {kind}")


def scores(method, answer, texts):
    """The scores of all sentences; log-probabilities lie beside, for the variant that reads them."""
    tokens = tuple(TokenLogprob(c, -5 * chance(c, i)) for i, c in enumerate(answer))
    case = Case(answer=answer, samples=tuple(texts), logprobs=tokens)
    detector = SelfCheck(method)
    return detector, [finding.score for finding in play(detector.examine(case), reply)]


def alike(first, second):
    assert [score is None for score in first] == [score is None for score in second]
    for a, b in zip(first, second, strict=True):
        assert a == b or math.isclose(a, b, rel_tol=0, abs_tol=1e-12)


class TestEveryVariant:
    @every
    @given(answer=text, texts=samples)
    @settings(max_examples=60)
    def test_bounds(self, method, answer, texts):
        """A score is finite and in the declared range."""
        detector, found = scores(method, answer, texts)
        for score in found:
            if score is not None:
                assert math.isfinite(score)
                assert detector.scale.least is None or detector.scale.least <= score
                assert detector.scale.most is None or score <= detector.scale.most

    @every
    @given(answer=text, texts=samples, random=st.randoms(use_true_random=False))
    @settings(max_examples=60)
    def test_order_of_samples(self, method, answer, texts, random):
        """Does not matter, to 1e-12."""
        shuffled = list(texts)
        random.shuffle(shuffled)
        alike(scores(method, answer, texts)[1], scores(method, answer, shuffled)[1])

    @pytest.mark.parametrize("method", sorted(MEAN_TYPE))
    @given(answer=text, texts=samples)
    @settings(max_examples=60)
    def test_samples_twice(self, method, answer, texts):
        """All samples twice: a mean stays what it is."""
        alike(scores(method, answer, texts)[1], scores(method, answer, [*texts, *texts])[1])

    def test_each_is_listed(self):
        """A new variant says whether its score is a mean over samples."""
        assert set(METHODS) <= {*MEAN_TYPE, *OTHERWISE}
        assert not MEAN_TYPE & set(OTHERWISE)


class TestMonotone:
    @given(answer=text, texts=samples, more=unit)
    @settings(max_examples=60)
    def test_contradiction(self, answer, texts, more):
        """Where each sample contradicts more, no sentence scores lower."""

        def harsher(request):
            found = reply(request)
            return Entailment(found.entailment, found.contradiction + more, found.neutral)

        case = Case(answer=answer, samples=tuple(texts))
        before, after = (
            [finding.score for finding in play(SelfCheck("nli").examine(case), answers)]
            for answers in (reply, harsher)
        )
        both = [(a, b) for a, b in zip(before, after, strict=True) if None not in {a, b}]
        assert all(b >= a - 1e-12 for a, b in both)

    @given(
        st.lists(st.lists(st.floats(-1, 1), min_size=1, max_size=4), min_size=1, max_size=5),
        st.integers(0, 4),
        st.integers(0, 3),
        st.floats(-1, 1),
    )
    def test_similarity(self, similarities, i, j, more):
        """One sentence of one sample that is more alike never raises BERTScore's score."""
        i, j = i % len(similarities), j % len(similarities[i % len(similarities)])
        raised = [list(sample) for sample in similarities]
        raised[i][j] = max(raised[i][j], more)
        assert bertscore.score(raised) <= bertscore.score(similarities) + 1e-12

    @given(
        st.lists(logprob, min_size=1, max_size=8),
        st.integers(0, 7),
        logprob,
        st.sampled_from(["max", "mean"]),
    )
    def test_log_probability(self, values, i, more, statistic):
        """A token that the model was surer of never raises −log p of its sentence."""
        i %= len(values)
        raised = [*values[:i], max(values[i], more), *values[i + 1 :]]
        before, after = (
            greybox.score([TokenLogprob("a", value) for value in each], "logprob", statistic)
            for each in (values, raised)
        )
        assert after <= before + 1e-12

    @given(
        st.lists(st.floats(0, 12), min_size=1, max_size=8),
        st.integers(0, 7),
        st.floats(0, 12),
        st.sampled_from(["max", "mean"]),
    )
    def test_entropy(self, values, i, more, statistic):
        """A token whose place was more open never lowers H of its sentence."""
        i %= len(values)
        raised = [*values[:i], max(values[i], more), *values[i + 1 :]]
        before, after = (
            greybox.score([TokenLogprob("a", -1.0, entropy=value) for value in each], "entropy", statistic)
            for each in (values, raised)
        )
        assert after >= before * (1 - 1e-12)


class TestGreyBox:
    @given(st.lists(logprob, min_size=1, max_size=6))
    def test_entropy_of_alternatives(self, logprobs):
        """1 or more; of a distribution at most as many as there are alternatives."""
        total = math.fsum(map(math.exp, logprobs))
        normal = [value - math.log(total) for value in logprobs]
        found = greybox.entropy(TokenLogprob("a", 0.0, tuple((str(i), p) for i, p in enumerate(normal))))
        assert 1 <= found <= len(logprobs) * (1 + 1e-9)

    @given(st.lists(st.text(max_size=4), max_size=12), st.text(max_size=3), st.text(max_size=3), st.data())
    def test_aligned(self, pieces, before, after, data):
        """However a text is cut: every token with visible text of a span's is in its group, in order, once."""
        answer = "".join(pieces)
        ends = sorted(data.draw(st.lists(st.integers(0, len(answer)), max_size=6)))
        spans = [Span(start=a, end=b) for a, b in zip(ends[::2], ends[1::2], strict=False) if a < b]
        tokens = [TokenLogprob(piece, -1.0) for piece in (before, *pieces, after)]
        groups = greybox.aligned_tokens(answer, tokens, spans)
        if groups is None:
            assert not answer
            return
        spelt = "".join(token.token for token in tokens)
        offset = spelt.find(answer)
        for span, group in zip(spans, groups, strict=True):
            own = "".join("".join(token.token for token in group).split())
            assert "".join(spelt[span.start + offset : span.end + offset].split()) in own
            assert len({id(token) for token in group}) == len(group)
