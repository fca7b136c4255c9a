"""What a copy of a document's sentence changed, and short answers with their questions. Oracle: read by hand."""

import pytest

from guardrail import Case, Verdict
from guardrail.requests import Entailment
from guardrail.selfcheck.grounding.check import GroundingCheck
from guardrail.selfcheck.grounding.copies import Copies
from guardrail.selfcheck.grounding.premises import Premises
from guardrail.selfcheck.grounding.questions import assents, is_plain, statement
from guardrail.testing import play
from guardrail.text.known_quantities import KnownQuantities
from guardrail.text.typography import normalised

LEAVE = "You may carry over up to five unused days until 31 March. Dr. Hahn abstained."


def changes(said, *documents):
    premises = Premises(documents)
    copies = Copies(list(zip(premises.sentences, premises.documents, strict=True)))
    spelt = KnownQuantities(list(map(normalised, documents))).respelt(normalised(said))
    return [(one.kind, one.said, one.known) for one in copies.changes(spelt)]


def judged(said, document, reply, *, question=None):
    """The findings by a model that replies so."""
    case = Case.of(said, prompt=question, context=[document])
    return play(GroundingCheck(fit="entailment").examine(case), reply)


class TestChanges:
    @pytest.mark.parametrize(
        ("said", "document", "change"),
        [
            ("You may carry over up to ten unused days until 31 March.", LEAVE, ("value", "ten", "five")),
            ("Die Tonne wird jeden Donnerstag geleert.", "Die Tonne wird jeden Dienstag geleert.", ("value", "Donnerstag", "Dienstag")),
            ("La piscina è aperta da maggio a settembre.", "La piscina è aperta da giugno a settembre.", ("value", "maggio", "giugno")),
            ("Der Filter ist alle drei Monate zu reinigen.", "Der Filter ist alle sechs Monate zu reinigen.", ("value", "drei", "sechs")),
            ("Il restauro fu affidato alla ditta Bellandi di Lucca.", "Il restauro fu affidato alla ditta Bellandi di Pisa.", ("name", "Lucca", "Pisa")),
            ("Prof. Lima opened it with a talk on droughts.", "Prof. Lima opened it with a talk on floods.", ("word", "droughts", "floods")),
        ],
    )  # fmt: skip
    def test_in_the_place_of_another(self, said, document, change):
        """In any language, whether or not the value is elsewhere in the documents."""
        assert changes(said, f"So ten people came in May. {document}") == [change]

    @pytest.mark.parametrize(
        ("said", "document"),
        [
            ("Petra scored one goal and Amira scored three.", "Petra scored three goals and Amira scored one."),
            ("Torre tiene 1.850 habitantes y Ribera tiene 5.200.", "Torre tiene 5.200 habitantes y Ribera tiene 1.850."),
            ("A ride costs 7 euros and a day ticket 3 euros.", "A ride costs 3 euros, a day ticket 7 euros."),
        ],
    )  # fmt: skip
    def test_exchanged(self, said, document):
        """Each of two numbers is said of the other's owner."""
        assert [kind for kind, _, _ in changes(said, document)] == ["exchanged"]

    @pytest.mark.parametrize(
        "document",
        [
            "item,price\nB200,349\nB300,429",
            "| Item | Price |\n|---|---|\n| B200 | 349 |\n| B300 | 429 |",
        ],
    )
    def test_of_another_row(self, document):
        """Whose first cell is not the one that is named."""
        assert [(kind, said) for kind, said, _ in changes("The B200 costs 429 euros.", document)] == [
            ("row", "429")
        ]
        assert changes("The B300 costs 429 euros.", document) == []

    @pytest.mark.parametrize(
        ("said", "document"),
        [
            ("It has 1,200 seats in the hall.", "It has 1.200 seats in the hall."),
            ("About 12,500 people came to the fair.", "About 12,480 people came to the fair."),
            ("Amira scored one goal and Petra scored three.", "Petra scored three goals and Amira scored one."),
            ("It is open from Monday to Friday.", "It is open from Mon to Fri."),
            ("Der Turm ist 368 Meter hoch.", "Der Fernsehturm ist 368 Meter hoch."),
            ("The steering committee meets in Oslo every year.", "It meets in Oslo every year; the steering committee is new."),
            ("Children pay 6 euros for a ticket.", "Adults pay 12 euros for a ticket. Children pay 6 euros for a ticket."),
            ("Quite another matter is told here.", "It is open from Mon to Fri."),
        ],
    )  # fmt: skip
    def test_the_same(self, said, document):
        """Another spelling, a rounded number, another order, a compound, a sentence of its own."""
        assert changes(said, document) == []


class TestVerdicts:
    def test_a_number_whatever_a_model_says(self):
        """It is unsupported, and the reason says what the document has."""
        (found,) = judged(
            "You may carry over up to ten unused days until 31 March.",
            LEAVE,
            lambda _: Entailment(0.98, 0.01, 0.01),
        )
        assert (found.verdict, found.reason) == (
            Verdict.UNSUPPORTED,
            "the documents say five, not ten",
        )

    @pytest.mark.parametrize(
        ("contradicted", "verdict"), [(0.9, Verdict.UNSUPPORTED), (0.1, Verdict.SUPPORTED)]
    )
    def test_a_word_if_the_model_agrees(self, contradicted, verdict):
        """A synonym is no fault."""
        document = "Prof. Lima opened it with a talk on floods. Others followed in the afternoon."
        reply = Entailment(0.95 - contradicted, contradicted, 0.05)
        (found,) = judged("Prof. Lima opened it with a talk on droughts.", document, lambda _: reply)
        assert found.verdict is verdict

    @pytest.mark.parametrize(
        ("contradicted", "verdict"), [(0.9, Verdict.UNSUPPORTED), (0.1, Verdict.UNVERIFIED)]
    )
    def test_a_word_of_a_language_that_the_model_does_not_read(self, contradicted, verdict):
        """It is never supported."""
        document = (
            "Das Abstellen von Kinderwagen im Erdgeschoss ist gestattet. Die Tür ist nachts zu schließen."
        )
        reply = Entailment(0.95 - contradicted, contradicted, 0.05)
        (found,) = judged(
            "Das Abstellen von Kinderwagen im Erdgeschoss ist verboten.", document, lambda _: reply
        )
        assert found.verdict is verdict

    def test_a_name_of_the_question(self):
        """Is nobody's invention."""
        question = "Which rooms of the Seaview Inn have a balcony?"
        said = "At the Seaview Inn the rooms on the first floor have a balcony."
        document = "The rooms on the first floor have a balcony. The others have a view of the sea."
        for asked, named in ((question, False), (None, True)):
            (found,) = judged(said, document, lambda _: Entailment(0.1, 0.1, 0.8), question=asked)
            assert ("Seaview" in found.reason) is named

    def test_a_place_about_something_else_contradicts_nothing(self):
        """Though a model says so."""
        (found,) = judged(
            "Horses graze quietly.", "The invoice is due in May.", lambda _: Entailment(0.02, 0.95, 0.03)
        )
        assert (found.verdict, found.reason) == (Verdict.UNSUPPORTED, "not in the documents")


class TestShortAnswers:
    @pytest.mark.parametrize(
        ("answer", "entailed", "verdict"),
        [
            ("Yes.", True, Verdict.SUPPORTED),
            ("Yes.", False, Verdict.UNSUPPORTED),
            ("No.", True, Verdict.UNSUPPORTED),
            ("No.", False, Verdict.SUPPORTED),
        ],
    )
    def test_yes_and_no(self, answer, entailed, verdict):
        """Are judged by the statement that the question makes."""

        def reply(request):
            assert request.hypothesis == "breakfast included in the price."
            return Entailment(0.95, 0.02, 0.03) if entailed else Entailment(0.02, 0.95, 0.03)

        question = "Is breakfast included in the price?"
        (found,) = judged(answer, "Rates include breakfast.", reply, question=question)
        assert found.verdict is verdict

    def test_yes_before_other_sentences(self):
        """Is judged too, and claims nothing by itself where that does not show."""
        said, document = "Yes. Rates include breakfast.", "Rates include breakfast. Rooms are quiet."
        for contradicted, verdict in ((0.9, Verdict.UNSUPPORTED), (0.3, None)):
            reply = Entailment(0.0, contradicted, 1 - contradicted)
            found = judged(
                said, document, lambda _, said=reply: said, question="Is breakfast included in the price?"
            )
            assert found[0].verdict is verdict

    @pytest.mark.parametrize(
        ("answer", "verdict"),
        [("1904.", Verdict.SUPPORTED), ("1971.", Verdict.UNVERIFIED), ("1899.", Verdict.UNSUPPORTED)],
    )
    def test_what_one_clause_says(self, answer, verdict):
        """With all that was asked; the year of something else is not enough, one that is nowhere is made up."""
        document = "The Brandt Observatory was opened in 1904 and closed in 1971."
        reply = Entailment(0.5, 0.2, 0.3)
        (found,) = judged(answer, document, lambda _: reply, question="When was the observatory opened?")
        assert found.verdict is verdict

    def test_statements(self):
        """Of questions that begin with a verb; others have none."""
        assert statement("Does it float?") == "it float."
        assert statement("Are we there yet?") == "we are there yet."
        assert [statement(text) for text in ("Who left?", "Is it?", "Is it late? Or early?", "")] == [""] * 4

    def test_assent(self):
        """By the first word."""
        assert [assents(text) for text in ("Yes, it does.", "No.", "Nobody", "")] == [True, False, None, None]

    def test_plain(self):
        """Nothing is plain without a verb, an answer or words that say something."""
        said = ["It opened in 1904."]
        assert not any(
            is_plain(*pair, said)
            for pair in (("opened?", "1904"), ("When was it?", "1904"), ("When was it opened?", ""))
        )
