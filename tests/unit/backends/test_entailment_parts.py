"""`SelfCheck("nli")` with a real tokenizer and a tiny random model: texts that are longer than its 64 positions."""

import pytest
from tests.unit.backends.models import TEXTS

from guardrail import Case, Guard
from guardrail.backends.entailment import EntailmentModel
from guardrail.detectors import SelfCheck
from guardrail.engine.flow import Answer
from guardrail.requests import Entail
from guardrail.selfcheck.nli.check import contradiction
from guardrail.selfcheck.nli.reading import pooled

SENTENCES = [f"{' '.join(text.split()[:11]).capitalize()}." for text in TEXTS]
LONG = " ".join(SENTENCES)  # some forty sentences of twelve tokens
ANSWER = "The cat was born in London. He won a small red prize in the year nineteen seven."


class Noting(EntailmentModel):
    """The model itself; keeps what it was asked and what it said."""

    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        self.said = {}

    def answer(self, requests):
        replies = super().answer(requests)
        self.said.update(zip(requests, replies, strict=True))
        return replies


@pytest.mark.parametrize("family", ["bert", "roberta", "deberta"])
@pytest.mark.parametrize("order", ["premise_first", "hypothesis_first"])
class TestParts:
    def test_all_is_read(self, folders, family, order):
        """Every word of the document stands in what the model has read beside every sentence."""
        model = Noting(folders(family), device="cpu", order=order)
        detector = SelfCheck("nli", max_parts=99)
        report = Guard([detector], backends={"entailment": model}).check(Case.of(ANSWER, context=[LONG]))
        for finding in report.findings:
            assert finding.score is not None
            read = [
                request.premise[: reply.value.premise_read]
                for request, reply in model.said.items()
                if request.hypothesis == finding.text
            ]
            assert all(any(sentence in text for text in read) for sentence in SENTENCES)
            assert len(read) > 5

    def test_the_score(self, folders, family, order):
        """Oracle: each of those texts scored alone by the model, pooled by hand."""
        model = Noting(folders(family), device="cpu", order=order)
        detector = SelfCheck("nli", max_parts=99)
        report = Guard([detector], backends={"entailment": model}).check(Case.of(ANSWER, context=[LONG]))
        plain = EntailmentModel(folders(family), device="cpu", order=order)
        for finding in report.findings:
            found = [
                plain.answer([Entail(request.premise[: reply.value.premise_read], request.hypothesis)])[
                    0
                ].value
                for request, reply in model.said.items()
                if request.hypothesis == finding.text
            ]
            entails = max(one.entailment for one in found)
            against = min(1 - entails, max(one.contradiction for one in found))
            assert finding.score == pytest.approx(against / (entails + against), abs=1e-3)
            assert finding.score == pytest.approx(contradiction(pooled(found)), abs=1e-3)


class TestOther:
    def test_that_fits(self, folders):
        """A text that fits is one pair, as it was before there were parts: the paper's score."""
        model = EntailmentModel(folders(), device="cpu")
        sample = " ".join(SENTENCES[:3])
        (reply,) = model.answer([Entail(sample, ANSWER[:27])])
        assert isinstance(reply, Answer)
        report = Guard([SelfCheck("nli")], backends={"entailment": model}).check(
            Case.of(ANSWER[:27], samples=[sample])
        )
        assert report.findings[0].score == pytest.approx(contradiction(reply.value), abs=1e-4)
        assert model.work.truncated == 0

    @pytest.mark.parametrize("order", ["sample_first", "sentence_first"])
    def test_orders(self, folders, order):
        """The paper's text and its package: both are read to the end."""
        model = Noting(folders(), device="cpu")
        report = Guard([SelfCheck("nli", order=order, max_parts=99)], backends={"entailment": model}).check(
            Case.of(ANSWER, context=[LONG])
        )
        for finding in report.findings:
            assert finding.score is not None
            assert "(" not in finding.reason.replace("(P = ", "")  # nothing that was not read
        texts = {r.premise if order == "sample_first" else r.hypothesis for r in model.said}
        assert all(any(sentence in text for text in texts - {LONG}) for sentence in SENTENCES[6:])

    @pytest.mark.parametrize("text", ["他是医生。" * 60, "😀 " * 200, "كان كاتبا. " * 60, "x" * 5_000])
    def test_other_scripts(self, folders, text):
        """Characters that the vocabulary does not know: read to the end, or said."""
        model = EntailmentModel(folders(), device="cpu")
        report = Guard([SelfCheck("nli")], backends={"entailment": model}).check(
            Case.of(ANSWER, context=[text])
        )
        assert all(finding.score is not None for finding in report.findings)

    def test_top(self, folders):
        """Chosen sentences fit, so nothing is cut."""
        model = EntailmentModel(folders(), device="cpu")
        detector = SelfCheck("nli", premise="top", top=2)
        report = Guard([detector], backends={"entailment": model}).check(Case.of(ANSWER, context=[LONG]))
        assert all(finding.score is not None for finding in report.findings)
        assert (model.work.texts, model.work.truncated) == (2, 0)
