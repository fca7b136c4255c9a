"""Answers held against documents by words, numbers, names and an entailment model."""

import math

import pytest

from guardrail import Case, Guard, Verdict
from guardrail.detectors import SelfCheck
from guardrail.engine.flow import Failed, Reason
from guardrail.errors import ConfigError
from guardrail.registry import DETECTORS
from guardrail.report import Measurement, Passage
from guardrail.requests import Entailment
from guardrail.selfcheck import GroundingCheck
from guardrail.selfcheck.grounding import fit as fits
from guardrail.selfcheck.grounding.check import ANSWER
from guardrail.selfcheck.grounding.fit import ENTAILMENT, LEXICAL, entailment_features, lexical_features
from guardrail.selfcheck.grounding.novelty import DocumentWords, novelty, plain_words
from guardrail.selfcheck.grounding.premises import MOST, Premise, Premises, lines, readable
from guardrail.statistics.fit_files import read, write_fit
from guardrail.testing import play

DOCUMENT = "Ada Lovelace was born in London in 1815. She wrote notes on the engine. She died in 1852."


def by_words(answer, *documents, **options):
    detector = GroundingCheck(fit="words", **options)
    return play(detector.examine(Case.of(answer, context=documents)), lambda _: pytest.fail("asked a model"))


def measured(finding, name):
    return next(one for one in finding.evidence if isinstance(one, Measurement) and one.name == name)


class TestWords:
    @pytest.mark.parametrize(
        "written",
        ["**91**", '"91"', "“91”", "`91`", "- 91", "| 91 |", "(91)", "_91_", "91.", "91,", "1. 91"[3:]],
    )
    def test_marks_do_not_count(self, written):
        """Markdown, quotation marks, list and table marks leave the same word."""
        assert plain_words(written) == ["91"]

    def test_one_spelling(self):
        """Case, possessives, thousands and joined capitals make no new word."""
        assert plain_words("Ann's WiFi cost 1,000.") == plain_words("ann wi-fi cost 1000")

    def test_ideographs(self):
        """Chinese and Japanese characters are words of their own."""
        assert plain_words("桅杆 high") == ["桅", "杆", "high"]


class TestNovelty:
    def test_shares(self):
        """By hand: of six words two are new; of five pairs three; of four triples three."""
        found = novelty("She died in Bern in 1842.", DocumentWords.of(["She died in 1852.", "He lives in"]))
        assert found.words == pytest.approx(2 / 6)
        assert found.pairs == pytest.approx(3 / 5)
        assert found.triples == pytest.approx(3 / 4)

    def test_a_copy(self):
        """Has nothing new, whatever marks are around it."""
        found = novelty("**She wrote notes** on the *engine*", DocumentWords.of([DOCUMENT]))
        assert (found.words, found.pairs, found.triples, found.numbers, found.names) == (0, 0, 0, (), ())

    def test_no_pairs_across_documents(self):
        """The last word of one and the first of the next are no neighbours."""
        assert novelty("a b", DocumentWords.of(["x a", "b y"])).pairs == 1.0

    @pytest.mark.parametrize("text", ["", " ", "…", "**", "- |"])
    def test_without_words(self, text):
        """Undefined, not zero."""
        assert novelty(text, DocumentWords.of([DOCUMENT])) is None

    def test_one_word(self):
        """Has no pairs: the share of words is taken."""
        assert novelty("Bern", DocumentWords.of([DOCUMENT])).triples == 1.0


class TestUnknown:
    @pytest.mark.parametrize(
        ("said", "document"),
        [
            ("3", "three"),
            ("three", "3"),
            ("1,000", "1000"),
            ("2nd", "2"),
            ("5 pm", "17:00"),
            ("07", "7"),
            ("4", "4.0"),
        ],
    )
    def test_one_number(self, said, document):
        """May be written in several ways."""
        assert novelty(f"It was {said}.", DocumentWords.of([document])).numbers == ()

    def test_numbers(self):
        """Each once, as written."""
        found = novelty("In 1842, 1842 and 7.5%.", DocumentWords.of(["in and"]))
        assert found.numbers == ("1842", "7.5")

    def test_names(self):
        """Neighbours are one name; what begins a sentence is none."""
        said = "Gauss met her. He met Carl Friedrich Gauss in Vienna."
        assert novelty(said, DocumentWords.of(["met her in"])).names == ("Carl Friedrich Gauss", "Vienna")


class TestPremises:
    def test_records(self):
        """A JSON record becomes lines with the names that lead to its values."""
        record = (
            '{"name": "Bo", "hours": {"Monday": "9-17"}, "reviews": [{"text": "Good food. Slow service."}]}'
        )
        assert lines(record) == ["name: Bo", "hours: Monday: 9-17", "reviews: text: Good food. Slow service."]
        assert readable("no record") == "no record"

    def test_broken_or_deep_records(self):
        """Are texts like any other."""
        for text in ('{"name": ', "[" * 100_000):
            assert readable(text) == text

    def test_places(self):
        """The sentence itself comes first, and no more than `MOST` texts, none twice."""
        text = " ".join(f"Fact {i} is about thing {i * 7}." for i in range(50))
        found = Premises([text, DOCUMENT]).best("She died in 1852.")
        assert found[0] == Premise("She died in 1852.", "single", 2)
        assert len(found) <= MOST
        assert len({one.text for one in found}) == len(found)

    def test_windows_end_with_their_document(self):
        """No window joins the end of one document and the beginning of the next."""
        found = Premises(["One is here. Two is here.", "Three is here. Four is here."]).best("Two is here.")
        assert not any("Two" in one.text and "Three" in one.text for one in found if one.kind != "together")

    def test_empty(self):
        """Nothing to hold a sentence against."""
        assert Premises([]).best("She died.") == []

    def test_a_table(self):
        """Becomes lines with a heading before each cell; prose with commas stays prose."""
        assert lines("model;price\nB200;7,2\nA100;3,1") == [
            "model: B200, price: 7,2",
            "model: A100, price: 3,1",
        ]
        for text in ("He came, he saw.\nHe won, he left.", "a,b\n1", 'a,b\n1,"2'):
            assert readable(text) == text

    def test_typography(self):
        """Of PDF text is put right, within a record after it was read."""
        assert lines("Wolf-\ngang works in ﬁnance.") == ["Wolfgang works in finance."]
        assert lines('{"said": "the “big” one"}') == ['said: the "big" one']


class TestDenials:
    @pytest.mark.parametrize(
        ("said", "document", "reason"),
        [
            (
                "Acme made $3.5 billion.",
                "It made $3.5 million: Acme.",
                "the documents say $3.5 million, not $3.5 billion",
            ),
            (
                "He said “the big bridge will fall down”.",
                "He said: “The big bridge will stay”.",
                "no document has the quotation",
            ),
            (
                "Sales fell by 12 % in May.",
                "In May sales rose by 12 %.",
                "the documents say rose by 12 %, not fell by 12 %",
            ),
        ],
    )
    def test_whatever_a_model_says(self, said, document, reason):
        """A sure fault makes a sentence unsupported; the reason says what the documents have, and a passage shows it."""
        detector = GroundingCheck(fit="entailment", threshold=0.99)
        case = Case.of(said, context=["Nothing here.", document])
        (found,) = play(detector.examine(case), lambda _: Entailment(0.99, 0.005, 0.005))
        assert found.verdict is Verdict.UNSUPPORTED
        assert found.reason.startswith(reason)
        assert isinstance(found.evidence[0], Passage)
        assert found.evidence[0].source == "document 2"

    def test_the_prior(self):
        """Moves the score of a sure fault too."""
        usual, rare = (
            by_words("Acme made $3.5 billion.", "It made $3.5 million: Acme.", prior=prior)[0]
            for prior in (0.5, 0.05)
        )
        assert usual.score == pytest.approx(0.95)
        assert rare.score < usual.score

    def test_the_question(self):
        """May be quoted."""
        case = Case.of(
            'You asked "when did she die at last".', prompt="When did she die at last?", context=[DOCUMENT]
        )
        (found,) = play(GroundingCheck(fit="words").examine(case), lambda _: pytest.fail("asked a model"))
        assert "quotation" not in found.reason

    @pytest.mark.parametrize(
        ("said", "document"),
        [
            ("It holds 1200 litres of it.", "It holds 1 200 l of it."),
            ("It has two hundred (200) seats in it.", "It has 200 seats in it."),
            ("It closes at 6 pm.", "It closes at 18:00."),
            ("It was signed on March 5, 2024.", "It was signed on 2024-03-05."),
        ],
    )
    def test_another_spelling(self, said, document):
        """Is no new word, number or name."""
        (found,) = by_words(said, document)
        assert found.verdict is Verdict.SUPPORTED


class TestFit:
    @pytest.mark.parametrize("name", ["entailment", "words"])
    def test_packaged(self, name, tmp_path):
        """Reads back as it was written, knows its features, and no doubt lowers a score."""
        fit = fits.packaged_curve(name)
        write_fit(fit, tmp_path / "fit.json")
        assert read(fits.Curve, (tmp_path / "fit.json").read_text(encoding="utf-8"), name) == fit
        assert fit.features == ((*ENTAILMENT, *LEXICAL) if name == "entailment" else LEXICAL)
        assert min(fit.weights) >= 0
        assert set(fit.provenance["sets"]) >= {"factcc", "ragtruth_qa"}

    def test_prior(self):
        """By Bayes' rule: odds of 1 at a prior of one half are odds of 1/9 at a tenth."""
        assert fits.probability(0.0, 0.1) == pytest.approx(0.1)
        assert fits.probability(math.log(3), 0.5) == pytest.approx(0.75)

    def test_an_answer(self):
        """Says nothing of no evidence, however long; one bad sentence raises it."""
        assert fits.answer_probability([0.0] * 9) == pytest.approx(0.5)
        assert fits.answer_probability([-3.0, 3.0]) > fits.answer_probability([-3.0, -3.0])
        assert fits.answer_probability([]) is None

    @pytest.mark.parametrize("text", ["", "{}", "[]", '{"format": 2}', '{"format": 1, "features": []}'])
    def test_no_fit(self, text):
        """Refused."""
        with pytest.raises(ConfigError):
            read(fits.Curve, text, "fit.json")


class TestFeatures:
    def test_bounds(self):
        """Lexical ones are shares; certain replies stay finite."""
        found = novelty("Bob Ray met Al Poe in 1842, 1843 and 1844.", DocumentWords.of([DOCUMENT]))
        assert all(0 <= value <= 1 for value in lexical_features(found).values())
        read = [(Premise("a", "single", 1), Entailment(1.0, 0.0, 0.0))]
        assert all(math.isfinite(value) for value in entailment_features(read).values())

    def test_best_place(self):
        """One place that entails a sentence is enough."""
        wide = [
            (Premise("a", "single", 1), Entailment(0.1, 0.1, 0.8)),
            (Premise("b", "five", 1), Entailment(0.9, 0, 0.1)),
        ]
        features = entailment_features(wide)
        assert features["best"] == pytest.approx(-math.log(9))
        assert features["alone"] == pytest.approx(math.log(9))


class TestCheck:
    def test_words_alone(self):
        """Without a model the sentence with a number and names that no document has is unsupported; the reason lists them."""
        good, bad = by_words(
            "**Ada Lovelace** was born in London in 1815. She taught Carl Gauss in Vienna in 1842.", DOCUMENT
        )
        assert (good.verdict, bad.verdict) == (Verdict.SUPPORTED, Verdict.UNSUPPORTED)
        assert "'1842', 'Carl Gauss', 'Vienna' are in no document" in bad.reason
        assert "words" in good.reason
        assert any(isinstance(one, Passage) and one.source == "document 1" for one in bad.evidence)

    def test_evidence_of_a_model(self):
        """The place that entails most, and the one that contradicts most."""

        def reply(request):
            return Entailment(0.02, 0.95, 0.03) if "1852" in request.premise else Entailment(0.05, 0.1, 0.85)

        detector = GroundingCheck(fit="entailment")
        (found,) = play(detector.examine(Case.of("Death came in 1842.", context=[DOCUMENT])), reply)
        assert found.verdict is Verdict.UNSUPPORTED
        assert found.reason.endswith("'1842' is in no document")
        assert measured(found, "P(contradiction)").value == pytest.approx(0.95)
        assert measured(found, "words in no document").note == "'1842' is in no document"

    def test_the_whole_answer(self):
        """Every finding carries one probability of the whole answer."""
        found = by_words("She died in 1852. She flew to Mars in 1999.", DOCUMENT)
        assert len({measured(one, ANSWER).value for one in found}) == 1

    def test_prior(self):
        """Moves every score the same way."""
        usual, rare = by_words("She flew home.", DOCUMENT), by_words("She flew home.", DOCUMENT, prior=0.05)
        assert rare[0].score < usual[0].score

    def test_failures_of_numbers(self):
        """A reply that is no probability is passed over: without another one the sentence is not cleared."""
        detector = GroundingCheck(fit="entailment")
        case = Case.of("She died in 1852.", context=[DOCUMENT])
        (found,) = play(detector.examine(case), lambda _: Entailment(math.nan, 0.0, 0.0))
        assert "by words alone" in found.reason
        (failed,) = play(detector.examine(case), lambda _: Failed(Reason.TIMEOUT, "no reply"))
        assert "by words alone: timeout: no reply" in failed.reason
        assert (failed.verdict, found.verdict) == (Verdict.UNVERIFIED, Verdict.UNVERIFIED)

    @pytest.mark.parametrize("documents", [[], [" "], ["\u200b"]])
    def test_no_documents(self, documents):
        """Unverified, and no word of support."""
        (found,) = by_words("She died in 1852.", *documents)
        assert (found.verdict, found.score) == (Verdict.UNVERIFIED, None)

    def test_no_words(self):
        """Unverified."""
        assert {one.verdict for one in by_words("!!! 😀", DOCUMENT)} <= {None, Verdict.UNVERIFIED}

    def test_cost(self):
        """No calls by words; at most `MOST` for each different sentence by the model."""
        case = Case.of("She died. She died. He died.", context=[DOCUMENT])
        assert GroundingCheck(fit="words").cost(case) == {}
        assert GroundingCheck(fit="entailment").cost(case) == {"entailment:mini": (0, 2 * MOST)}

    def test_signature(self):
        """Names the fit with its fingerprint, and re-creates the detector."""
        signature = GroundingCheck(fit="words").signature()
        assert signature.parameters["fit"] == "words"
        assert signature.parameters["digest"] == fits.packaged_curve("words").fingerprint
        assert DETECTORS.create(signature.detector, signature.parameters).signature() == signature

    def test_what_cannot_be(self):
        """Another fingerprint, fit or prior is refused."""
        for options in ({"digest": "0"}, {"fit": "best"}, {"prior": 0.0}, {"prior": 1.0}):
            with pytest.raises(ConfigError):
                SelfCheck("grounding", **options)

    def test_in_a_guard(self):
        """Like any detector."""
        report = Guard([SelfCheck("grounding", fit="words")]).check("She died in 1852.", context=[DOCUMENT])
        assert report.verdict is Verdict.SUPPORTED
