"""What a finding rests on and what it says is lacking, from replies made by hand."""

import math

import pytest

from guardrail.engine.flow import Failed, Reason
from guardrail.report import Passage, Span
from guardrail.requests import Entailment
from guardrail.selfcheck.nli.check import contradiction, not_entailed
from guardrail.selfcheck.nli.premise import Premise
from guardrail.selfcheck.nli.reading import Piece, Reading
from guardrail.selfcheck.nli.weighing import Measured, Seen, Weighing

BY_CONTRADICTION = Measured("P(contradiction)", contradiction, by_contradiction=True)
BY_ENTAILMENT = Measured("P(not entailed)", not_entailed, by_contradiction=False)
FIRST, SECOND = "The sea is calm.", "Ravens eat bread."
TEXT = f"{FIRST} {SECOND}"


def seen(*found, text=TEXT, **lacks):
    """A text of which each sentence was read as a part by itself, with what the model said of each."""
    borders = [(0, 16), (17, 34)] if len(found) == 2 else [(0, len(text))]
    pieces = [Piece(a, b, Entailment(*one)) for (a, b), one in zip(borders, found, strict=True)]
    given = {"of": len(pieces), "asked": len(pieces)} | lacks
    return Seen(Premise(text), Reading(pieces, **given))


def quoted(judged):
    return [(one.source, one.text) for one in judged.evidence if isinstance(one, Passage)]


class TestScore:
    def test_documents_are_one_text(self):
        """By hand: e = .6, c = min(.9, .4)."""
        judged = Weighing("context", BY_CONTRADICTION).judged(
            "x", [seen((0.6, 0.1, 0.3)), seen((0.1, 0.9, 0.0))]
        )
        assert judged.score == pytest.approx(0.4)

    def test_about_something_else(self):
        """A document that says nothing (.03, .01: .25 by itself) does not clear what another contradicts."""
        judged = Weighing("context", BY_CONTRADICTION).judged(
            "x", [seen((0.01, 0.99, 0.0)), seen((0.03, 0.01, 0.96))]
        )
        assert judged.score > 0.95

    def test_samples_count_by_their_mean(self):
        """By hand: (.25 + .75) / 2."""
        judged = Weighing("samples", BY_CONTRADICTION).judged(
            "x", [seen((0.6, 0.2, 0.2)), seen((0.2, 0.6, 0.2))]
        )
        assert (judged.score, judged.used) == (pytest.approx(0.5), 2)

    def test_nothing_known(self):
        """No score; the failures say why."""
        failed = Seen(Premise(TEXT), Reading(failures=[Failed(Reason.TIMEOUT, "slow")]))
        judged = Weighing("context", BY_CONTRADICTION).judged("x", [failed])
        assert (judged.score, judged.reason) == (None, "timeout: slow")


class TestEvidence:
    def test_the_part_that_contradicts(self):
        """The measure of contradiction points to the part where it is largest."""
        judged = Weighing("context", BY_CONTRADICTION).judged(
            "bread", [seen((0.1, 0.2, 0.7), (0.05, 0.9, 0.05))]
        )
        assert quoted(judged) == [("document 1, characters 18 to 34", SECOND)]

    def test_the_part_that_comes_nearest(self):
        """1 − P(entailment) rests on the part that entails most, though that is too little."""
        judged = Weighing("context", BY_ENTAILMENT).judged("sea", [seen((0.3, 0.1, 0.6), (0.05, 0.3, 0.65))])
        assert quoted(judged) == [("document 1, characters 1 to 16", FIRST)]

    def test_the_part_that_bears_it_out(self):
        """Of all documents, the best part of the best."""
        judged = Weighing("context", BY_CONTRADICTION).judged(
            "bread", [seen((0.1, 0.2, 0.7)), seen((0.1, 0.2, 0.7), (0.9, 0.05, 0.05))]
        )
        assert quoted(judged) == [("document 2, characters 18 to 34", SECOND)]

    def test_samples_are_quoted_against_alone(self):
        """The worst three of them; none where all bear the sentence out."""
        many = [seen((0.1, c, 0.9 - c)) for c in (0.5, 0.9, 0.6, 0.05, 0.8)]
        weighing = Weighing("samples", BY_CONTRADICTION)
        assert [source for source, _ in quoted(weighing.judged("sea", many))] == [
            "sample 2",
            "sample 5",
            "sample 3",
        ]
        assert quoted(weighing.judged("sea", [seen((0.9, 0.05, 0.05))])) == []

    def test_a_chosen_premise(self):
        """Is quoted as it was judged."""
        premise = Premise(TEXT, (Span(start=0, end=16), Span(start=40, end=57)))
        one = Seen(premise, Reading([Piece(0, len(TEXT), Entailment(0.1, 0.8, 0.1))], of=1, asked=1))
        assert quoted(Weighing("samples", BY_CONTRADICTION).judged("x", [one])) == [("sample 1", TEXT)]


class TestDenied:
    """Documents that do not bear a sentence out contradict it, or say nothing of it."""

    @pytest.mark.parametrize("measured", [BY_CONTRADICTION, BY_ENTAILMENT])
    def test_contradicted(self, measured):
        """By the part that contradicts most, which is quoted first, though another comes nearer to entailing it."""
        documents = [seen((0.3, 0.31, 0.39)), seen((0.2, 0.1, 0.7), (0.05, 0.9, 0.05))]
        judged = Weighing("context", measured).judged("bread", documents)
        assert judged.reason == "contradicted by document 2 (P = 0.90)"
        assert quoted(judged)[0] == ("document 2, characters 18 to 34", SECOND)
        assert [source for source, _ in quoted(judged)[1:]] == ["document 1"]

    @pytest.mark.parametrize("measured", [BY_CONTRADICTION, BY_ENTAILMENT])
    def test_absent(self, measured):
        """It is likelier that even that part leaves the sentence open."""
        judged = Weighing("context", measured).judged("bread", [seen((0.1, 0.4, 0.5)), seen((0.1, 0.2, 0.7))])
        assert judged.score >= judged.threshold
        assert judged.reason == "not in the documents"

    def test_borne_out(self):
        """Nothing is said of it, whatever another document contradicts."""
        judged = Weighing("context", BY_ENTAILMENT).judged(
            "x", [seen((0.9, 0.1, 0.0)), seen((0.0, 1.0, 0.0))]
        )
        assert judged.reason == ""

    def test_cannot_be_told(self):
        """A two-way model knows no neutral, samples are no documents, and NaN is no number."""
        two_way = Weighing("context", BY_ENTAILMENT).judged("x", [seen((0.1, 0.9))])
        samples = Weighing("samples", BY_ENTAILMENT).judged("x", [seen((0.1, 0.9, 0.0))])
        odd = Weighing("context", BY_ENTAILMENT).judged("x", [seen((0.1, math.nan, 0.0))])
        assert (two_way.reason, samples.reason, odd.reason) == ("", "", "")


@pytest.mark.parametrize(
    ("lacks", "said"),
    [
        ({"of": 118, "asked": 16}, "16 of 118 parts of long texts were read"),
        ({"unread": True}, "1 of 2 documents could not be read to the end"),
        ({"sentence_read": 1_234}, "its first 1,234 characters were read"),
        ({"failures": [Failed(Reason.TIMEOUT, "slow")]}, "some parts had no reply: timeout: slow"),
        ({}, ""),
    ],
)
def test_what_is_lacking(lacks, said):
    """Stands beside the score."""
    judged = Weighing("context", BY_CONTRADICTION).judged(
        "x", [seen((0.6, 0.1, 0.3), **lacks), seen((0.6, 0.1, 0.3))]
    )
    assert said in judged.partial
    assert bool(said) == bool(judged.partial)
