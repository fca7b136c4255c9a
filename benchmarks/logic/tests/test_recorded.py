"""The rows on recorded replies, cases and the simulated subject, on small data written here."""

import argparse
import json

import pytest
from benchmarks._data import data_dir
from benchmarks._table import Run
from benchmarks.logic import generation, live, recorded, simulated

from guardrail.chat import ScriptedChat
from guardrail.engine.hub import Hub
from guardrail.errors import InputError
from guardrail.logic.knowledge import Triple, reviewed
from guardrail.logic.knowledge.prolog import available
from guardrail.logic.paper.questions.cases import FactCase
from guardrail.logic.paper.questions.reproof import Evaluator

needs_engine = pytest.mark.skipif(available() is not None, reason="needs SWI-Prolog")


def lines(path, entries):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(map(json.dumps, entries)), encoding="utf-8")


@pytest.fixture
def folder(tmp_path):
    """Three questions, one with a wrong label, and two models; the first says Yes to everything."""
    cases = [
        {"qid": "m1", "category": "math", "reasoning": "Transitive Inference", "answer": "Yes"},
        {"qid": "m2", "category": "math", "reasoning": "Negation Inference", "answer": "No"},
        {
            "qid": "t1",
            "category": "tech",
            "reasoning": "Inverse Function Inference",
            "answer": "No",
            "label_suspect": "reversed",
            "answer_corrected": "Yes",
        },
    ]
    lines(tmp_path / "nontemporal" / "all.jsonl", cases)
    for model, words in (("eager", ("Yes", "Yes", "Yes")), ("wary", ("No", None, "No"))):
        entries = [
            {"model": model, "qid": one["qid"], "said": word, "response": f"{word}, because."}
            for one, word in zip(cases, words, strict=True)
        ]
        lines(tmp_path / "responses" / f"{model}.single.jsonl", entries)
        lines(tmp_path / "responses" / f"{model}.hallu_only.jsonl", entries)
    return tmp_path


class TestRecorded:
    def test_rows(self, folder):
        """Counted by hand: eager is wrong on m2, and on t1 by the published label; wary on m1 and t1."""
        rows = {row.quantity: row for row in recorded.rows(Run("logic", data_folder=folder))}
        assert rows["Recorded: eager, wrong of 3"].ours == pytest.approx(100 / 3)
        assert rows["Recorded: eager, wrong by the published labels"].ours == pytest.approx(200 / 3)
        assert rows["Recorded: eager, says Yes"].ours == 100
        assert rows["Recorded: eager, mean of the rates on Yes questions and on No questions"].ours == 50
        assert rows["Recorded: wary, wrong of 3"].ours == pytest.approx(200 / 3)
        assert rows["Recorded: wary, rule negation: wrong of 1"].ours == 0
        assert rows["Recorded: wary, domain tech: wrong of 1"].ours == 100
        assert rows["Recorded: domain people"].ok is None

    def test_other_data(self, tmp_path):
        with pytest.raises(InputError, match=r"expected nontemporal/<domain>\.jsonl"):
            recorded.rows(Run("logic", data_folder=tmp_path))
        lines(tmp_path / "nontemporal" / "a.jsonl", [{"qid": "a"}])
        lines(tmp_path / "responses" / "b.single.jsonl", [{"qid": "a"}])
        with pytest.raises(InputError, match="expected the fields"):
            recorded.rows(Run("logic", data_folder=tmp_path))

    @pytest.mark.data
    def test_real_data(self):
        """Counts of the files: 25,053 replies of seven models; 650 reversed questions and four slips are corrected."""
        replies = recorded.read_recorded(data_dir("drowzee"))
        assert len(replies) == 25_053
        assert len({one.model for one in replies}) == 7
        assert any(one.corrected != one.published for one in replies)


def fact_lines(*facts):
    return [dict(zip(("category", "subject", "predicate", "object"), fact, strict=True)) for fact in facts]


@pytest.fixture
def facts(tmp_path):
    entries = fact_lines(
        *(("films", f"Film {n}", "director", f"Director {n % 4}") for n in range(12)),
        *(("books", f"Book {n}", "followed by", f"Book {n + 1}") for n in range(12)),
    )
    lines(tmp_path / generation.FACTS, entries)
    events = [f"e{n},Event {n},{1900 + 3 * n}-01-01,{1905 + 3 * n}-01-01" for n in range(30)]
    (tmp_path / "temporal_facts.csv").write_text(
        "\n".join(["event,name,begin,end", *events]), encoding="utf-8"
    )
    return tmp_path


class TestGeneration:
    @needs_engine
    def test_a_wrong_evaluator_is_seen(self, facts, monkeypatch):
        """The rows judge the cases anew."""
        run = Run("logic", data_folder=facts)
        made = generation.generate_facts(generation.read_domains(facts / generation.FACTS), count=5)
        monkeypatch.setattr(generation, "generate_facts", lambda *_, **__: made)
        monkeypatch.setattr(Evaluator, "truth", lambda *_: None)
        rows = {row.quantity: row for row in generation.rows(run)}
        assert rows["Cases: answers proved again by the second evaluator"].ok is False

    def test_other_files(self, tmp_path):
        with pytest.raises(InputError, match="expected facts"):
            generation.read_domains(tmp_path / "facts.jsonl")


def film(number):
    fact = Triple(f"Film {number}", "director", f"Director {number}")
    asked = Triple(fact.object, "director of", fact.subject)
    question = f"Did {fact.object} direct {fact.subject}?"
    return FactCase(
        str(number), question, True, "films", "inverse", asked, True, "none", (fact,), "inverse", ""
    )


class TestSimulated:
    CASES = tuple(film(n) for n in range(60))
    FACTS = tuple(fact for one in CASES for fact in one.facts)

    def test_coverage(self):
        """Near what the binomial law says, within four standard errors of 60 seeds."""
        held = simulated.coverage(self.CASES, self.FACTS, 0.2, 0.3, seeds=60)
        exact = simulated.exact_coverage(len(self.CASES), 0.2, 0.3)
        assert held["knowledge"] / 60 == pytest.approx(exact["knowledge"], abs=0.12)
        assert held["inference"] / 60 == pytest.approx(exact["inference"], abs=0.12)

    def test_a_judge_that_is_wrong_is_seen(self):
        """Where every reply is called correct, no interval holds the rates."""
        held = simulated.coverage(self.CASES, self.FACTS, 0.2, 0.3, seeds=5, verdict=lambda *_: "correct")
        assert held["knowledge"] == held["inference"] == 0

    def test_exact_coverage(self):
        """One reply or none, by hand: (0, .793) after no error, (.207, 1) after one; without a reply all is held.

        .5 is held always; .1 by no error alone: .05 + .95 × .9.
        """
        exact = simulated.exact_coverage(1, 0.1, 0.5)
        assert exact["knowledge"] == pytest.approx(0.05 + 0.95 * 0.9)
        assert exact["inference"] == pytest.approx(1)


class TestLive:
    @needs_engine
    def test_a_model_that_always_says_yes(self, facts):
        """It is wrong on half, and right on all where what was wrong is asked again by one that always says No."""
        options = argparse.Namespace(cases=6, repair=True, invented=True, rephrase=False)
        run = Run("logic", data_folder=facts, options=options)
        chat = ScriptedChat(lambda ask: "No." if "Take these statements" in ask.messages[-1].text else "Yes.")
        rows = live.live_rows(run, Hub({"chat": chat}))
        found = {row.quantity.rpartition(" of ")[0] or row.quantity: row for row in rows}
        assert found["Live model, all: wrong"].ours == pytest.approx(50, abs=2)
        assert found["Live model, all: says Yes"].ours == 100
        # by the oracles a wrong conclusion without any fact is one of knowledge
        for kind in ("verdict", "temporal verdict"):
            assert found[f"Live model, {kind}, error_knowledge"].ours == pytest.approx(50, abs=2)
            assert found[f"Live model, {kind}, error_inference"].ours == 0
        assert found["Live model, asked again with the facts, of the wrong ones: wrong"].ours == 0
        assert found["Live model, made-up names with the facts, all: wrong"].ours == pytest.approx(50, abs=2)

    @needs_engine
    def test_in_other_words(self, facts):
        """The model's question is asked where it asks the same, else the one of the template."""
        asked = []

        def answer(ask):
            text = ask.messages[-1].text
            if text.startswith("Say this question"):
                return "Really?" if "Film" in text else "So?"
            if text.startswith("Suppose"):  # reads "Really?" rightly; "So?" as always true
                return "No" if "not" in text.split("What is then")[0] and "Really" in text else "Yes"
            asked.append(text)
            return "No."

        options = argparse.Namespace(cases=4, repair=False, invented=False, rephrase=True)
        run = Run("logic", data_folder=facts, options=options)
        live.live_rows(run, Hub({"chat": ScriptedChat(answer)}))
        assert any("Question: Really?" in text for text in asked)
        assert not any("Question: So?" in text for text in asked)

    def test_made_up_names(self):
        """Each name in the place of one of its own, in question, triple and facts."""
        case = live.invented(film(1), seed=3)
        (fact,) = case.facts
        assert case.question == f"Did {case.triple.subject} direct {case.triple.object}?"
        assert (fact.subject, fact.object) == (case.triple.object, case.triple.subject)
        assert not {"Film 1", "Director 1"} & {fact.subject, fact.object}
        assert Evaluator(case.facts, reviewed()).truth(case.triple) is True
