"""What holds for every input. Oracles: the formulas' own symmetries and bounds."""

import math

from hypothesis import given, settings
from hypothesis import strategies as st

from guardrail.requests import Entailment
from guardrail.selfcheck import bertscore, early, ngram, prompt
from guardrail.selfcheck.material import mean
from guardrail.selfcheck.nli import check as nli
from guardrail.selfcheck.qa import scores as qa
from guardrail.selfcheck.similar import most_like
from guardrail.selfcheck.tokens import tokens
from guardrail.text.sentences import sentences

word = st.sampled_from(["a", "b", "c", "Dr.", "don't", "中文", "😀", "-"])
sentence = st.lists(word, min_size=1, max_size=6).map(" ".join)
passages = st.lists(st.lists(sentence, max_size=3), max_size=4)
unit = st.floats(0, 1)
n_gram = st.integers(1, 4)


class TestNgram:
    @given(st.lists(sentence, min_size=1, max_size=3), passages, n_gram, st.sampled_from(["words", "paper"]))
    def test_bounds(self, answer, samples, n, kind):
        """Between 0 and the log of all n-grams; the mean is at most the largest. Without a word there is neither."""
        ceiling = ngram.counted([*samples, answer], n, tokens=kind).ceiling
        largest = ngram.scores(answer, samples, n=n, tokens=kind)
        means = ngram.scores(answer, samples, n=n, statistic="mean", tokens=kind)
        for top, middle in zip(largest, means, strict=True):
            if top is None or middle is None:
                assert top is middle
                continue
            assert 0 <= middle <= top + 1e-12
            assert top <= ceiling + 1e-12

    @given(st.lists(sentence, min_size=1, max_size=3), passages, st.randoms(), n_gram)
    def test_order_of_samples(self, answer, samples, random, n):
        """Does not matter."""
        shuffled = list(samples)
        random.shuffle(shuffled)
        assert ngram.scores(answer, samples, n=n) == ngram.scores(answer, shuffled, n=n)

    @given(st.lists(sentence, min_size=1, max_size=3), passages)
    def test_a_sample_that_agrees(self, answer, samples):
        """One more sample that is the sentence itself, many times, never makes it rarer than before."""
        before = ngram.scores(answer[:1], samples, tokens="paper")[0]
        after = ngram.scores(answer[:1], [*samples, answer[:1] * 50], tokens="paper")[0]
        assert after <= max(before, math.log(len(tokens(answer[0])))) + 1e-9

    @given(passages, n_gram)
    def test_shares_sum_to_one(self, samples, n):
        """The p̃ of all n-grams."""
        model = ngram.counted(samples, n)
        assert model.counts.total() == model.total


class TestMeans:
    @given(st.lists(unit, min_size=1, max_size=20), st.randoms())
    def test_order_and_duplicates(self, values, random):
        """NLI and prompt: neither the order of samples nor each coming twice matters."""
        shuffled = list(values)
        random.shuffle(shuffled)
        assert mean(values) == mean(shuffled)
        assert math.isclose(mean(values * 2), mean(values), abs_tol=1e-12)
        assert min(values) - 1e-12 <= mean(values) <= max(values) + 1e-12

    @given(st.lists(unit, min_size=1, max_size=20), st.integers(0, 19), unit)
    def test_monotone(self, values, i, more):
        """One sample that contradicts more never lowers the score."""
        i %= len(values)
        raised = [*values[:i], max(values[i], more), *values[i + 1 :]]
        assert mean(raised) >= mean(values)

    @given(unit, unit, st.one_of(st.none(), unit))
    def test_contradiction(self, e, c, n):
        """A probability, or undefined only where there is nothing of both; it falls as entailment rises."""
        found = nli.contradiction(Entailment(e, c, n))
        if found is None:
            assert e + c == 0
        else:
            assert 0 <= found <= 1
            assert nli.contradiction(Entailment(e + 1, c, n)) <= found

    @given(st.lists(st.lists(st.floats(-1, 1), max_size=4), max_size=5), st.floats(-1, 1))
    def test_bertscore(self, similarities, more):
        """In [0, 2] without a baseline; one more sentence in a sample never raises it."""
        score = bertscore.score(similarities)
        if score is None:
            assert not any(similarities)
            return
        assert 0 <= score <= 2
        longer = [[*sample, more] if sample else sample for sample in similarities]
        assert bertscore.score(longer) <= score


class TestQa:
    counts = st.floats(0, 500)

    @given(counts, counts, st.floats(0.51, 0.99), st.floats(0.51, 0.99))
    def test_bounds_and_symmetry(self, matches, mismatches, beta_1, beta_2):
        """A probability; false and true change places with matches and mismatches, β₁ and β₂."""
        score = qa.bayes_score(matches, mismatches, beta_1=beta_1, beta_2=beta_2)
        mirrored = qa.bayes_score(mismatches, matches, beta_1=beta_2, beta_2=beta_1)
        assert 0 <= score <= 1
        assert math.isclose(score, 1 - mirrored, abs_tol=1e-9)

    @given(counts, counts, st.floats(0, 10))
    def test_monotone(self, matches, mismatches, more):
        """Mismatches raise it, matches lower it."""
        score = qa.bayes_score(matches, mismatches)
        assert qa.bayes_score(matches, mismatches + more) >= score
        assert qa.bayes_score(matches + more, mismatches) <= score


scoring = st.sampled_from(["counting", "bayes", "bayes_with_alpha"])
answered = st.lists(st.tuples(st.integers(0, 3), unit), max_size=8)
beta = st.floats(0.51, 0.97)


def of_question(scoring, answers, **chosen):
    return qa.question_score(scoring, 0, [a for a, _ in answers], [alpha for _, alpha in answers], **chosen)


class TestQuestions:
    @given(scoring, answered, unit, unit, beta, beta)
    def test_bounds(self, scoring, answers, own, bound, beta_1, beta_2):
        """Whatever was answered."""
        score = of_question(scoring, answers, own=own, bound=bound, beta_1=beta_1, beta_2=beta_2)
        assert 0 <= score <= 1

    @given(scoring, answered, st.randoms())
    def test_order_of_samples(self, scoring, answers, random):
        """Does not matter."""
        shuffled = list(answers)
        random.shuffle(shuffled)
        assert math.isclose(of_question(scoring, shuffled), of_question(scoring, answers), abs_tol=1e-12)

    @given(scoring, answered)
    def test_each_twice(self, scoring, answers):
        """The share stays; Bayes grows surer, of the same thing."""
        once, twice = of_question(scoring, answers), of_question(scoring, answers * 2)
        if scoring == "counting":
            assert math.isclose(once, twice, abs_tol=1e-12)
        else:
            assert abs(twice - 0.5) >= abs(once - 0.5) - 1e-12
            assert (twice - 0.5) * (once - 0.5) >= -1e-12

    @given(scoring, answered.filter(bool), st.integers(1, 3), st.data())
    def test_monotone(self, scoring, answers, other, data):
        """A sample that answers otherwise instead never lowers the score; nor does one more, at the usual β."""
        i = data.draw(st.integers(0, len(answers) - 1))
        changed = [*answers[:i], (other, answers[i][1]), *answers[i + 1 :]]
        assert of_question(scoring, changed) >= of_question(scoring, answers) - 1e-12
        more = [*answers, (other, 0.9)]
        assert of_question(scoring, more) >= of_question(scoring, answers) - 1e-12

    @given(scoring, answered, st.integers(0, 3))
    def test_unanswerable_samples(self, scoring, answers, option):
        """Weigh nothing."""
        assert math.isclose(
            of_question(scoring, [*answers, (option, 0.0)]), of_question(scoring, answers), abs_tol=1e-12
        )


class TestEarly:
    @given(st.integers(1, 20), st.integers(0, 20), unit, unit)
    def test_probability(self, planned, seen, share, threshold):
        """In [0, 1], falling as the threshold rises."""
        seen = min(seen, planned)
        low, high = sorted((threshold, 1 - threshold))
        above = early.probability_above(share * seen, seen, planned, low)
        assert 0 <= early.probability_above(share * seen, seen, planned, high) <= above + 1e-12 <= 1 + 1e-12


class TestText:
    @given(st.text(max_size=300))
    @settings(max_examples=300)
    def test_tokens_lose_nothing(self, text):
        """All characters but blanks, in order."""
        assert "".join(tokens(text)) == "".join(text.split())

    @given(st.text(alphabet=st.sampled_from("aB1 .!?。\n#-*|>`\"'()é中\u200b"), max_size=200))
    @settings(max_examples=300)
    def test_sentences(self, text):
        """In order, disjoint, inside, not blank, without blanks around them."""
        end = 0
        for span in sentences(text):
            assert end <= span.start < span.end <= len(text)
            assert span.of(text).strip() == span.of(text) != ""
            end = span.end

    @given(st.text(max_size=50), st.text(max_size=50))
    def test_similarity(self, a, b):
        """Symmetric, in [0, 1]."""
        [(_, one)], [(_, other)] = most_like(a, [b], 1), most_like(b, [a], 1)
        assert 0 <= one == other <= 1

    @given(st.text(max_size=100))
    def test_replies(self, text):
        """Any reply is read as one of three, a batch as one of them or none."""
        assert prompt.read(text) in prompt.Support
        assert prompt.read(text, "paper") in prompt.Support
        assert len(prompt.read_batch(text, 3)) == 3
