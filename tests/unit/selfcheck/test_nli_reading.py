"""Texts that are longer than the model: asked in parts, pooled, and nothing left out in silence.

The model of these tests reads so many words of a pair and looks for the sentence's words in what it has read: the oracle
is whether they stand there.
"""

import itertools
import math
import re

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from guardrail.engine.flow import Failed, Reason
from guardrail.requests import Entail, Entailment
from guardrail.selfcheck.nli.check import contradiction, not_entailed, unmentioned
from guardrail.selfcheck.nli.reading import pooled, read
from guardrail.testing import play

WORD = re.compile(r"\S+")


class Reader:
    """Reads at most so many words of both texts, the longer one's end cut, and says so."""

    def __init__(self, longest=60, order="sample_first"):
        self.longest = longest
        self.order = order
        self.asked = []

    def __call__(self, request):
        assert isinstance(request, Entail)
        self.asked.append(request)
        premise, hypothesis = (
            [m.end() for m in WORD.finditer(t)] for t in (request.premise, request.hypothesis)
        )
        while len(premise) + len(hypothesis) > self.longest:
            max(premise, hypothesis, key=len).pop()
        read = [
            None if len(kept) == len(WORD.findall(text)) else kept[-1]
            for kept, text in ((premise, request.premise), (hypothesis, request.hypothesis))
        ]
        return self.judge(request.premise[: read[0]], request.hypothesis[: read[1]], *read)

    def judge(self, premise, hypothesis, *read):
        if self.order == "sentence_first":
            premise, hypothesis = hypothesis, premise
        there = set(WORD.findall(hypothesis)) <= set(WORD.findall(premise))
        return Entailment(0.9, 0.02, 0.08, *read) if there else Entailment(0.05, 0.3, 0.65, *read)


def story(size, *, needle="", at=0.5):
    """So many sentences of twelve words, with one put among them."""
    lines = [f"Line {i} says that the river rose by {i} feet again today." for i in range(size)]
    if needle:
        lines.insert(int(at * size), needle)
    return " ".join(lines)


def entailment(e, c):
    return Entailment(e, c, 1.0 - e - c)


shares = st.tuples(st.floats(0.001, 1), st.floats(0.001, 1), st.floats(0.001, 1)).map(
    lambda three: Entailment(*(share / sum(three) for share in three))
)


class TestPooled:
    def test_one(self):
        """Itself, to the last bit: the paper's score where the text fits."""
        one = Entailment(0.2, 0.3, 0.5, 10, None)
        assert pooled([one]) is one
        assert pooled([]) is None

    def test_by_hand(self):
        """One entails with .95; another is sure of the contrary, and may have what is left: .05."""
        found = pooled([entailment(0.95, 0.01), entailment(0.001, 0.99), entailment(0.1, 0.1)])
        assert (found.entailment, found.contradiction) == (0.95, pytest.approx(0.05))
        assert contradiction(found) == pytest.approx(0.05)

    def test_contradicted(self):
        """Where none entails, one that contradicts is enough; those that say nothing do not dilute it."""
        found = pooled([entailment(0.02, 0.95), *[entailment(0.03, 0.01)] * 50])
        assert (found.entailment, found.contradiction) == (0.03, 0.95)

    def test_two_way(self):
        """No neutral: still adds up to 1."""
        found = pooled([Entailment(0.25, 0.75), Entailment(0.5, 0.5)])
        assert found == Entailment(0.5, 0.5)

    def test_no_numbers(self):
        """Those are left out; of none but such there is nothing."""
        odd = Entailment(math.nan, 0.5, 0.5)
        assert pooled([odd, entailment(0.5, 0.25)]).entailment == 0.5
        assert pooled([odd, odd]) is None

    @given(st.lists(shares, min_size=1, max_size=6))
    def test_is_a_distribution(self, parts):
        """Adds up to 1."""
        found = pooled(parts)
        assert found.entailment + found.contradiction + found.neutral == pytest.approx(1)

    @given(st.lists(shares, min_size=1, max_size=6), st.randoms(use_true_random=False))
    def test_order_and_repetition(self, parts, random):
        """Do not matter."""
        other = [*parts, parts[0]]
        random.shuffle(other)
        assert contradiction(pooled(other)) == pytest.approx(contradiction(pooled(parts)))

    @given(st.lists(shares, min_size=1, max_size=6))
    def test_one_that_entails_is_enough(self, parts):
        """Whatever the others say, what one part bears out (P > ½) is below the threshold, by every measure."""
        assume(any(one.entailment > 0.5 for one in parts))
        assert contradiction(pooled(parts)) < 0.5
        assert not_entailed(pooled(parts)) < 0.5
        assert unmentioned(pooled(parts)) < 0.5

    @given(st.lists(shares, min_size=1, max_size=6), shares)
    def test_more_text(self, parts, more):
        """1 − P(entailment) never rises with more to read, and is the least of the parts'."""
        assert not_entailed(pooled([*parts, more])) <= not_entailed(pooled(parts))
        assert not_entailed(pooled(parts)) == min(not_entailed(one) for one in parts)


class TestWhole:
    def test_that_fits(self):
        """One request, the text as it is: the paper's way."""
        reader = Reader()
        (found,) = play(read([("a b. c d.", "a")]), reader)
        assert reader.asked == [Entail("a b. c d.", "a")]
        assert (found.of, found.asked, [(p.start, p.end) for p in found.pieces]) == (1, 1, [(0, 9)])

    def test_unknown(self):
        """A backend that does not say how much it reads is believed."""
        asked = []
        play(read([(story(400), "x")]), lambda request: asked.append(request) or entailment(0.5, 0.2))
        assert len(asked) == 1

    def test_nothing(self):
        """No pair, no request."""
        assert play(read([]), Reader()) == []


class TestLong:
    NEEDLE = "Zeppelin sank Tuesday."

    @pytest.mark.parametrize("at", [0, 0.03, 0.25, 0.5, 0.75, 0.97, 1])
    @pytest.mark.parametrize("size", [5, 6, 30])
    def test_found_wherever_it_stands(self, at, size):
        """Also on the border of two parts."""
        text = story(size, needle=self.NEEDLE, at=at)
        (found,) = play(read([(text, "Zeppelin sank Tuesday.")], most=99), Reader())
        assert found.found.entailment == 0.9
        assert (found.unread, found.failures) == (False, [])

    def test_every_border(self):
        """Two neighbouring sentences are read together, wherever they stand."""
        for at in range(40):
            lines = story(40).split(". ")
            both = f"{lines[at]}. {lines[at + 1]}." if at < 38 else "river"
            (found,) = play(read([(story(40), both)], most=99), Reader(90))
            assert found.found.entailment == 0.9, at

    @given(
        st.lists(st.integers(1, 30), min_size=1, max_size=40),
        st.integers(30, 80),
        st.integers(1, 6),
        st.sampled_from(["sample_first", "sentence_first"]),
    )
    def test_all_is_read(self, lengths, longest, words, order):
        """However long the sentences are: every character but blanks is in a piece that was read; nothing is asked twice."""
        text = " ".join(" ".join(f"w{i}n{j}" for j in range(n)) + "." for i, n in enumerate(lengths))
        sentence = " ".join(["claim"] * words)
        reader = Reader(longest, order)
        (found,) = play(read([(text, sentence)], order=order, most=10_000), reader)
        covered = set().union(*(range(p.start, p.end) for p in found.pieces))
        assert not found.unread
        assert all(text[i].isspace() for i in set(range(len(text))) - covered)
        assert len(reader.asked) == len(found.pieces) == found.of

    def test_dense_places(self):
        """Where a text has more tokens per character than at its beginning, parts are cut once more."""
        text = f"{'Extraordinarily longwinded introductions. ' * 12}{'It is so. I do. ' * 60}{self.NEEDLE}"
        (found,) = play(read([(text, self.NEEDLE)], most=99), Reader(40))
        assert found.found.entailment == 0.9
        assert not found.unread

    def test_the_first_piece_is_kept(self):
        """What was read at once is not asked again: parts that lie within it are left out."""
        reader = Reader()
        (found,) = play(read([(story(8), "x")], most=99), reader)
        first = found.pieces[0]
        assert first.start == 0
        assert all(piece.end > first.end for piece in found.pieces[1:])

    def test_tried_with_one(self):
        """A text of 100,000 characters is sent once; the other nine sentences are asked about its parts."""
        text = story(1_600)
        assert len(text) > 90_000
        reader = Reader()
        found = play(read([(text, f"claim {'so ' * i}") for i in range(10)], most=3), reader)
        assert sum(request.premise == text for request in reader.asked) == 1
        assert len(reader.asked) <= 10 * 3 + 1
        assert all(one.asked <= 3 < one.of for one in found)

    def test_a_model_that_reads_it_all(self):
        """Then everybody asks for the whole."""
        text = story(1_600)
        found = play(read([(text, f"claim {i}") for i in range(4)]), Reader(10**6))
        assert [(one.of, one.asked, len(one.pieces)) for one in found] == [(1, 1, 1)] * 4

    def test_the_trial_fails(self):
        """One failure is one pair's."""
        text = story(1_600)
        asked = []

        def reply(request):
            asked.append(request)
            return Failed(Reason.TIMEOUT, "slow") if len(asked) == 1 else Reader()(request)

        found = play(read([(text, "short"), (text, "a longer claim")], most=4), reply)
        assert [len(one.failures) for one in found] == [0, 1]
        assert found[0].found is not None

    def test_most_like_it(self):
        """With few parts allowed those are read that share words with the sentence: the needle is found."""
        text = story(1_000, needle=self.NEEDLE, at=0.7)
        reader = Reader()
        (found, _) = play(read([(text, self.NEEDLE), (text, "river feet")], most=4), reader)
        assert found.found.entailment == 0.9
        assert (found.asked, len(found.pieces)) == (4, 4)
        assert found.of > 100
        assert [p.start for p in found.pieces] == sorted(p.start for p in found.pieces)

    def test_a_long_sentence(self):
        """A sentence that is longer than half of what the model reads: it says how much of it was read."""
        sentence = "claim " * 50
        (found,) = play(read([(story(20), sentence)], most=99), Reader())
        assert found.sentence_read == len("claim " * 30) - 1

    def test_sentence_first(self):
        """The paper's package has the sentence as premise: then the hypothesis is cut into parts."""
        text = story(30, needle=self.NEEDLE, at=0.9)
        reader = Reader(order="sentence_first")
        (found,) = play(read([(text, self.NEEDLE)], order="sentence_first", most=99), reader)
        assert found.found.entailment == 0.9
        assert {request.premise for request in reader.asked} == {self.NEEDLE}

    def test_shared_parts(self):
        """All sentences get the same parts of a text, so that its tokens are computed once."""
        reader = Reader()
        play(read([(story(40), f"claim number {i}") for i in range(9)], most=99), reader)
        assert len({request.premise for request in reader.asked}) < 20

    def test_one_long_sentence_among_short_ones(self):
        """Does not make the parts of the others smaller; it is read to the end with smaller ones."""
        short = [(story(40), f"claim number {i}") for i in range(9)]
        alone, beside = Reader(100), Reader(100)
        play(read(short, most=99), alone)
        found = play(read([*short, (story(40), "claim " * 40)], most=99), beside)
        asked = [request for request in beside.asked if len(request.hypothesis) < 30]
        assert asked == alone.asked
        assert not found[-1].unread
        last = max(piece.end for piece in found[-1].pieces)
        assert last == len(story(40))

    def test_parts_that_fail(self):
        """The rest counts, and the failures are kept."""
        text = story(30, needle=self.NEEDLE, at=0.9)

        def reply(request):
            return (
                Failed(Reason.TIMEOUT, "slow")
                if "Line 12 " in request.premise and len(request.premise) < 500
                else Reader()(request)
            )

        (found,) = play(read([(text, self.NEEDLE)], most=99), reply)
        assert found.failures
        assert found.found.entailment == 0.9

    @pytest.mark.parametrize("count", [0, -5, 1, 15, 10**9])
    @pytest.mark.parametrize("size", [3, 2_000])
    def test_backends_that_say_nonsense(self, count, size):
        """Whatever a backend says of what it read: it ends soon, and what was not read is said."""
        asked = []
        pairs = [(story(size), "claim"), (story(size), "another claim")]

        def reply(request):
            asked.append(request)
            return Entailment(0.1, 0.1, 0.8, count, count)

        found = play(read(pairs, most=8), reply)
        assert len(asked) <= 2 * 8
        assert all(one.unread == (count < 10**9) for one in found)

    def test_shrinking(self):
        """A backend that reads less and less of each part is left after four rounds."""
        asked = []

        def reply(request):
            asked.append(request)
            return Entailment(0.1, 0.1, 0.8, len(request.premise) // 2)

        (found,) = play(read([(story(300), "claim")], most=50), reply)
        assert found.unread
        assert len(asked) <= 50


def test_pieces_are_in_order():
    """As they stand in the text."""
    (found,) = play(read([(story(60), "x")], most=99), Reader())
    assert all(a.start < b.start for a, b in itertools.pairwise(found.pieces))
