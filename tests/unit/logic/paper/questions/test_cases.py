"""Generated cases, over facts written here."""

import json
from collections import Counter, defaultdict
from itertools import pairwise

import pytest
from benchmarks._data import data_dir
from benchmarks.logic.generation import FACTS, read_domains

from guardrail.errors import ConfigError, InputError
from guardrail.logic.knowledge import Triple, reviewed
from guardrail.logic.paper.questions import cases as module
from guardrail.logic.paper.questions.cases import RULES, Disagreement, generate
from guardrail.logic.paper.questions.reproof import Evaluator


@pytest.fixture
def made(prolog, films, kin):
    return generate({"films": films, "kin": kin}, count=12, seed=1)


class TestGenerate:
    def test_every_cell(self, made):
        """Each domain by each rule, with as many cases as it says."""
        assert set(made.cells) == {(domain, rule) for domain in ("films", "kin") for rule in RULES}
        counts = Counter((case.domain, case.rule) for case in made.cases)
        assert {key: cell.cases for key, cell in made.cells.items()} == {
            key: counts[key] for key in made.cells
        }
        assert min(counts.values()) > 0

    def test_answers_are_right(self, made, films, kin):
        """By the second evaluator, from the base triples of the proof alone where it is no exclusion."""
        second = Evaluator([*films, *kin], reviewed())
        for case in made.cases:
            assert second.answer(case.question, case.triple) is case.answer
            assert case.facts
            assert set(case.facts) <= {*films, *kin}
            if case.answer == case.affirms:
                assert Evaluator(case.facts, reviewed()).truth(case.triple) is True

    def test_is_even(self, made):
        """Yes and No alternate in each cell."""
        cells = defaultdict(list)
        for case in made.cases:
            cells[case.domain, case.rule].append(case.answer)
        assert all(abs(2 * sum(answers) - len(answers)) <= 1 for answers in cells.values())

    def test_never_asks_twice(self, made):
        assert len({case.question for case in made.cases}) == len(made.cases)

    def test_short_cells_say_why(self, prolog, kin):
        made = generate({"party": kin[-3:]}, count=200)
        assert made.cells["party", "transitive"].reason.startswith("needs a transitive relation")
        short = made.cells["party", "composite"]
        assert (short.cases, short.triples) == (2, 1)  # Ada and Bea, asked both ways
        assert "1 triples follow" in short.reason

    def test_a_no_never_comes_from_absence(self, prolog, kin):
        """Parties are not listed whole: no case says that Ada is no Tory."""
        made = generate({"party": kin[-3:]}, count=200)
        assert {case.proof for case in made.cases} == {"fact", "inverse", "composite"}
        assert not any("Ada" in case.question and "Tories" in case.question for case in made.cases)

    def test_other_domains_are_known(self, prolog):
        """What one domain would exclude and another states is not asked in the first."""
        first = [Triple("Rope", "director", "X"), Triple("Psycho", "director", "X")]
        second = [Triple("Rope", "director", "Y"), Triple("Heat", "director", "X")]
        doubtful = Triple("Rope", "director", "X")
        alone = generate({"second": second}, count=50)
        assert doubtful in {case.triple for case in alone.cases}
        both = generate({"first": first, "second": second}, count=50)
        assert doubtful not in {case.triple for case in both.cases if case.domain == "second"}

    def test_hostile_names(self, prolog):
        """Names that would be code, patterns or questions elsewhere are names; both proofs agree on them."""
        names = [
            "halt.",
            "a', b), halt, x('",
            "not\nno",
            "(.*)+[",
            "{o} {0} {}",
            "שלום",
            "x" * 10_000,
            "A\0B",
            "Is it false?",
        ]
        facts = [Triple(name, "director", f"of {name}") for name in names]
        facts += [Triple(name, "followed by", other) for name, other in pairwise(names)]
        made = generate({"hostile": facts}, count=20)
        second = Evaluator(facts, reviewed())
        assert {case.rule for case in made.cases} == set(RULES)
        for case in made.cases:
            assert second.answer(case.question, case.triple) is case.answer
            assert case.triple.subject in case.question

    def test_repeats(self, prolog, films):
        first, again, other = (generate({"films": films}, count=6, seed=seed) for seed in (1, 1, 2))
        assert first == again
        assert first.cases != other.cases

    def test_to_json(self, made):
        entry = json.loads(json.dumps(made.cases[0].to_json()))
        assert (entry["question"], entry["answer"]) == (made.cases[0].question, made.cases[0].answer)

    def test_an_evaluator_that_is_wrong(self, prolog, films, monkeypatch):
        """Two proofs that differ are an error."""
        monkeypatch.setattr(module.Evaluator, "truth", lambda *_: False)
        with pytest.raises(Disagreement, match="second proof"):
            generate({"films": films}, count=5)

    def test_options(self, films):
        with pytest.raises(ConfigError, match="expected count"):
            generate({"films": films}, count=0)

    def test_no_facts(self):
        with pytest.raises(InputError, match="expected base triples"):
            generate({"films": []})


@pytest.mark.data
def test_real_facts(prolog):
    """A small cell of each domain of the real facts; nature has 57 triples, mathematics 79."""
    domains = read_domains(data_dir("drowzee") / FACTS)
    assert (len(domains["nature"]), len(domains["math"])) == (57, 79)
    made = generate(domains, count=8)
    full = [key for key, cell in made.cells.items() if cell.cases == 8]
    assert len(full) == 32
    assert {domain for (domain, rule), cell in made.cells.items() if not cell.cases} == {
        "health",
        "math",
        "society",
        "tech",
    }
