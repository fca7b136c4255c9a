"""Answers in another language than their documents, and in one that the checks were not made for."""

import pytest
from tests.looping import each

from guardrail import Case, Verdict
from guardrail.engine.flow import Failed, Reason
from guardrail.selfcheck import GroundingCheck, NliCheck
from guardrail.selfcheck.ensemble.check import EnsembleCheck
from guardrail.selfcheck.languages import spoken_in
from guardrail.testing import play

DOCUMENTS = {
    "English": "The ferry to the island leaves every morning at eight and takes fifty passengers. It was built in 1931.",
    "German": "Die Fähre zur Insel fährt jeden Morgen um acht Uhr und nimmt fünfzig Gäste mit. Sie wurde 1931 gebaut.",
    "French": "Le ferry pour l'île part chaque matin à huit heures et prend cinquante passagers. Il date de 1931.",
    "Spanish": "El ferry a la isla sale cada mañana a las ocho y lleva cincuenta pasajeros. Fue construido en 1931.",
    "Russian": "Паром на остров отходит каждое утро в восемь часов и берёт пятьдесят пассажиров. Он построен в 1931 году.",
    "Chinese": "开往该岛的渡轮每天早上八点出发，可载五十名乘客。它建于1931年。",
}
INVENTED = "Sie wurde 1952 in Kiel von einer Werft gebaut und kostet seither nichts mehr."


def examined(detector, answer, *documents):
    """Findings without a model: it is a failure that one is asked."""
    case = Case.of(answer, context=documents)
    return play(detector.examine(case), lambda _: Failed(Reason.MISSING, "no model here"))


def checks():
    return [
        GroundingCheck(fit="words"),
        GroundingCheck(fit="entailment"),
        EnsembleCheck(),
        NliCheck(model="packaged", measure="not_entailed"),
    ]


class TestAnotherLanguage:
    def test_is_unverified(self):
        """A faithful answer and an invented one alike: never unsupported, and the reason names the languages."""
        pairs = [(own, other) for own in DOCUMENTS for other in DOCUMENTS if own != other]
        each(pairs, self.check)

    @staticmethod
    def check(own, other):
        for detector in checks():
            for found in examined(detector, DOCUMENTS[own], DOCUMENTS[other]):
                assert found.verdict is Verdict.UNVERIFIED
                assert f"the answer is in {own} and the documents in {other}" in found.reason

    def test_documents_in_several(self):
        """The documents in the answer's language are compared, keep their numbers, and the others are counted."""
        found = examined(
            GroundingCheck(fit="words"), DOCUMENTS["English"], DOCUMENTS["German"], DOCUMENTS["English"]
        )
        assert {one.verdict for one in found} == {Verdict.SUPPORTED}
        assert "1 of 2 documents not compared: in German" in found[0].reason
        assert {one.source for finding in found for one in finding.evidence if hasattr(one, "source")} == {
            "document 2"
        }

    @pytest.mark.parametrize("answer", ["OK.", "1931", "In 1931."])
    def test_short_answers(self, answer):
        """What is too short to be in a language is in the documents'."""
        assert spoken_in(answer, [DOCUMENTS["English"]]).apart == ""
        assert spoken_in(answer, [DOCUMENTS["Russian"]]).apart == ""

    def test_a_quotation(self):
        """In an answer a quotation in another language is judged with the answer, whose language counts."""
        answer = f'{DOCUMENTS["English"]} In German: "{DOCUMENTS["German"]}" {DOCUMENTS["English"]}'
        assert spoken_in(answer, [DOCUMENTS["English"]]).compared == (True,)
        assert spoken_in(answer, [DOCUMENTS["German"]]).compared == (False,)

    def test_documents_without_a_language(self):
        """A table of numbers is compared with any answer."""
        assert spoken_in(DOCUMENTS["French"], ["1931; 50; 8.00", "|1|2|"]).compared == (True, True)

    def test_a_summary_in_another(self):
        """A long document may begin with a summary in another language."""
        document = f"{DOCUMENTS['English'] * 30} {DOCUMENTS['German'] * 60}"
        assert spoken_in(DOCUMENTS["German"], [document]).compared == (True,)
        assert spoken_in(DOCUMENTS["French"], [document]).compared == (False,)


class TestOwnLanguage:
    """Documents and answer in one language that is not English: words, numbers and names decide."""

    def test_a_copy(self):
        """Is supported, by words alone, and no model is asked."""
        for detector in (GroundingCheck(fit="words"), GroundingCheck(fit="entailment")):
            for language in ("German", "French", "Spanish"):
                found = examined(detector, DOCUMENTS[language], DOCUMENTS[language])
                assert {one.verdict for one in found} == {Verdict.SUPPORTED}
                assert (
                    f"by words alone: the check was made for English text, and the answer is in {language}"
                    in found[0].reason
                )

    def test_a_new_number(self):
        """Is unsupported: it would be so in any language."""
        found = examined(GroundingCheck(fit="entailment"), INVENTED, DOCUMENTS["German"])
        assert [one.verdict for one in found] == [Verdict.UNSUPPORTED]
        assert "'1952'" in found[0].reason

    def test_new_words_only(self):
        """Are unverified: other forms of the same words look new."""
        found = examined(GroundingCheck(fit="entailment"), INVENTED.replace(" 1952", ""), DOCUMENTS["German"])
        assert [one.verdict for one in found] == [Verdict.UNVERIFIED]

    @pytest.mark.parametrize("fit", ["words", "entailment"])
    @pytest.mark.parametrize(
        ("language", "said", "new"),
        [
            ("German", "Die Fähre zur Insel fährt jeden Morgen um acht Uhr kostenlos.", "kostenlos"),
            ("French", "Le ferry pour l'île part chaque matin à huit heures sans prendre de vélos.", "vélos"),
            ("Spanish", "El ferry a la isla sale cada mañana a las ocho y es gratuito.", "gratuito"),
        ],
    )
    def test_one_new_word(self, fit, language, said, new):
        """Is enough to leave a sentence open, and the reason names it: most of the words of a false sentence are there, too."""
        (found,) = examined(GroundingCheck(fit=fit), said, DOCUMENTS[language])
        assert found.verdict is Verdict.UNVERIFIED
        assert f"'{new}'" in found.reason

    def test_another_form_of_a_word(self):
        """Is not new, and of a capitalised one it is not said that no document has it."""
        said = "Jeder Fähre zur Insel nimmt am Morgen um acht Uhr fünfzig Gästen mit."
        (found,) = examined(GroundingCheck(fit="entailment"), said, DOCUMENTS["German"])
        assert (found.verdict, "no document" in found.reason) == (Verdict.SUPPORTED, False)

    def test_by_entailment_alone(self):
        """A check that has no words to count says nothing."""
        found = examined(NliCheck(model="packaged"), DOCUMENTS["German"], DOCUMENTS["German"])
        assert {one.verdict for one in found} == {Verdict.UNVERIFIED}
        assert "made for English" in found[0].reason
