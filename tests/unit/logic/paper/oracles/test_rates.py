"""Categories of replies, their shares, and the truth that a generated case brings."""

import json

import pytest
from benchmarks.logic.temporal import history

from guardrail.errors import InputError
from guardrail.logic.knowledge.facts import Triple
from guardrail.logic.paper.oracles.rates import CATEGORIES, Assessment, assess, tally
from guardrail.logic.paper.oracles.truth import Truth
from guardrail.logic.paper.questions.evaluation import CaseOutcome, judged
from guardrail.logic.paper.temporal.generation import generate

SON = Truth("Is Priam the father of Hector?", True, (Triple("Hector", "father", "Priam"),))


class TestAssess:
    @pytest.mark.parametrize(
        ("reply", "name"),
        [
            ("Yes. The father of Hector was Priam.", "right"),
            ("Yes. Priam was male. The father of Hector was Priam.", "right"),
            ("Yes.", "unverified"),
            ("Yes. Troy had walls.", "unverified"),
            ("Perhaps. Troy had walls.", "unverified"),
            ("No.", "error_knowledge"),
            ("No. The father of Hector was Zeus.", "error_knowledge"),
            ("I cannot answer this.", "unknown"),
        ],
    )
    def test_categories(self, reply, name):
        """Right needs a fact; a wrong conclusion without any is wrong knowledge, as the oracles have it."""
        assert assess(judged(SON, reply), SON).name == name

    def test_entailed_facts_count(self):
        """A reply that says more than the fact states the fact: from the father the table concludes the child."""
        truth = Truth("Is Hector a child of Priam?", True, (Triple("Priam", "child", "Hector"),))
        found = assess(judged(truth, "Yes. The father of Hector was Priam."), truth)
        assert found.verdict.true == ()
        assert found.name == "right"

    def test_what_is_open_is_said(self):
        """A right reply may state what the facts do not settle."""
        reply = "Yes. The father of Hector was Priam. The mother of Hector was Hecuba."
        assert "do not settle: Hector, mother, Hecuba." in assess(judged(SON, reply), SON).reason

    def test_no_reply(self):
        """Neither right nor unverified."""
        found = assess(CaseOutcome(SON, "failed", None, "timeout"), SON)
        assert (found.name, found.verdict, "timeout" in found.reason) == (None, None, True)

    def test_no_truth(self):
        """Without facts nothing is judged but a refusal."""
        names = [assess(judged(SON, reply), None).name for reply in ("Yes. It is.", "No.", "I don't know.")]
        assert names == ["unverified", "unverified", "unknown"]


class TestTally:
    def test_shares(self):
        """Of the replies that came; they add up to one."""
        found = tally(
            [assess(judged(SON, reply), SON) for reply in ("Yes.", "No.", "No. I see.")]
            + [Assessment(None, "")]
        )
        assert found.replies == 3
        assert set(found.shares) == set(CATEGORIES)
        assert sum(one.value for one in found.shares.values()) == pytest.approx(1)
        assert found.shares["error_knowledge"].count == 2

    def test_contradictory(self):
        """Counted beside the categories."""
        reply = "No. The father of Hector was Priam. So Priam is the father of Hector."
        assert tally([assess(judged(SON, reply), SON)]).contradictory == 1

    def test_nothing(self):
        """Undefined is not zero."""
        found = tally([])
        assert {(one.count, one.value, one.interval) for one in found.shares.values()} == {(0, None, None)}


class TestTruthFromJson:
    def test_years(self):
        """A generated case about years brings its formula and the years of its events."""
        events = history([("Great War", 1914, 1918), ("Blitz", 1940, 1941), ("Reign", 1837, 1901)])
        for case in generate(events, count=20):
            truth = Truth.from_json(json.dumps(case.to_json()))
            assert (truth.formula, truth.year, truth.answer) == (case.formula, case.year, case.answer)
            assert set(truth.years) == set(case.formula.atoms())
            assert all(events[name].spans == spans for name, spans in truth.years.items())

    @pytest.mark.parametrize(
        ("change", "told"),
        [
            ({"facts": []}, "expected facts or dated events"),
            ({"facts": [["a", "b"]]}, "facts.0.2: Field required"),
            ({"answer": "Yes"}, "answer: "),
            ({"spans": [["War", "1914", 1918]]}, "spans.0.1: "),
            ({"formula": "F["}, "expected"),
            ({"formula": "war"}, "expected a year"),
        ],
    )
    def test_broken(self, change, told):
        """The field is named."""
        case = {"question": "Is it?", "answer": True, "facts": [["a", "author", "b"]]} | change
        with pytest.raises(InputError, match="expected") as caught:
            Truth.from_json(json.dumps(case))
        assert told in str(caught.value)
