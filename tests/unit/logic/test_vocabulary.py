"""Every way of saying in the table of relations is read back as what it says."""

import pytest
from tests.looping import each

from guardrail.logic.knowledge.facts import Triple
from guardrail.logic.knowledge.relations import Relation, Relations, reviewed
from guardrail.logic.paper.oracles.graphs import canonical
from guardrail.logic.statements.reading import statements
from guardrail.logic.vocabulary import lexicon, sayings

TABLE = reviewed()
LEXICON = lexicon([Triple("Alpha", "unknown relation", "Omega")])
WAYS = [
    (relation.name, words)
    for relation in TABLE.values()
    for words in (relation.says, *relation.also)
    if "{" not in words
]
NOUNS = [(relation.name, noun) for relation in TABLE.values() for noun in relation.nouns]


def read(text):
    """What a sentence may say, in one form, and what of it is denied."""
    found = [one for said in statements(text, LEXICON) for one in said.readings()]
    return {
        (canonical(Triple(one.subject.name, one.relation, one.object.name), TABLE), one.negated)
        for one in found
    }


def edge(relation):
    return canonical(Triple("Alpha", relation, "Omega"), TABLE)


class TestTable:
    def test_said(self):
        """A sentence with a way of saying says the relation."""

        def check(relation, words):
            assert (edge(relation), False) in read(f"Alpha {words} Omega.")

        each(WAYS, check)

    def test_denied(self):
        """The denial that questions and proofs are worded with is read as one."""

        def check(relation):
            assert (edge(relation), True) in read(TABLE[relation].phrase.denial("Alpha", "Omega") + ".")

        each([name for name, one in TABLE.items() if "{" not in one.phrase.says], check)

    @pytest.mark.parametrize(
        "form",
        [
            "Omega is the {} of Alpha.",
            "The {} of Alpha is Omega.",
            "Alpha's {} is Omega.",
            "Omega was Alpha's {}.",
        ],
    )
    def test_noun(self, form):
        """So does what the object is called, in each form."""

        def check(relation, noun):
            assert (edge(relation), False) in read(form.format(noun))

        each(NOUNS, check)


class TestSayings:
    def test_used_first(self):
        """Of several meanings, that of a relation in use is the likeliest."""
        for used in ("country", "continent", "location"):
            found = lexicon([Triple("Alpha", used, "Omega")])
            [one] = statements("Alpha lies in Omega.", found)
            assert one.relation == used

    def test_object_first(self):
        """A way of saying may name the object first."""
        table = Relations([Relation("teacher", "was taught by", also=("{o} taught {s}",), reason="-")])
        found = lexicon([Triple("Alpha", "teacher", "Omega")], relations=table)
        [one] = statements("Omega taught Alpha.", found)
        assert (one.subject.name, one.object.name) == ("Alpha", "Omega")

    def test_unknown_relation(self):
        """A relation that the table lacks is read by its name."""
        [one] = statements("The unknown relation of Alpha is Omega.", LEXICON)
        assert (one.subject.name, one.relation) == ("Alpha", "unknown relation")
        assert any(one.relation == "odd" for one in sayings(TABLE, used=["odd"]))

    def test_aliases_and_events(self):
        """Aliases and events are names too."""
        found = lexicon([], events=["Blitz"], aliases={"the bombing of London": "Blitz"})
        assert found.entity("Bombing of London") == found.entity("blitz") == "Blitz"
