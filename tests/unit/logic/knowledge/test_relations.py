import json
import os
from collections import Counter
from pathlib import Path

import pytest

from guardrail.errors import ConfigError
from guardrail.logic.knowledge import Relation, Relations, reviewed

# Of the released rule tables: what they allow and no reading of the relation bears out. The reason in brackets.
TRANSITIVE_AND_WRONG = [
    "spouse",  # would marry everyone to herself
    "father", "mother", "child",  # a grandfather is no father
    "capital", "capital of",  # a province's capital is not the state's
    "different from",  # would make everything different from itself
    "said to be the same as", "opposite of", "sibling", "shares border with", "followed by", "follows",
    "award received", "cast member", "director", "founded by", "genre", "platform", "country", "member of",
    "religion or worldview", "named after", "influenced by", "distributed by", "part of the series",
    "derivative work", "employer", "owned by", "instance of", "location", "performer", "developer",
    "programmed in", "replaces", "replaced by", "based on", "has subsidiary", "parent organization",
]  # fmt: skip
# Absence from an open list is no denial, though the released derived facts hold "not …" of each.
DENIED_AND_WRONG = [
    "member of", "parent organization", "genetic association", "proved by", "location", "influenced by",
    "award received", "symptoms and signs", "genre", "cast member", "student", "member of political party",
    "named after", "discoverer or inventor", "killed by", "place of birth", "spouse", "occupation", "founded by",
]  # fmt: skip
SYMMETRIC_AND_WRONG = [
    "father", "child", "capital of", "part of", "followed by", "influenced by", "member of", "student",
    "located in the administrative territorial entity", "subclass of", "instance of", "killed by",
]  # fmt: skip
# (from, to): the first, turned round, is not the second, though the released inverse rows pair them.
INVERSE_AND_WRONG = [
    ("contains settlement", "replaces"),
    ("discoverer or inventor", "discoverer or inventor"),
    ("child", "father"),  # the child of a mother
    ("child", "mother"),
    ("located in the administrative territorial entity", "contains settlement"),  # what is no settlement
    ("located in the administrative territorial entity", "contains the administrative territorial entity"),
    ("followed by", "followed by"),
]


def implied():
    return {
        (p[1], p[2], p[0] == "inverse") for p in reviewed().properties() if p[0] in {"inverse", "implied"}
    }


class TestReviewedTable:
    def test_every_entry_has_its_reason(self):
        """No property without a why."""
        assert [r.name for r in reviewed().values() if not r.reason] == []

    def test_wikidata_ids_are_ids_and_unique(self):
        """One relation for one property."""
        ids = [r.wikidata for r in reviewed().values() if r.wikidata]
        assert all(one[0] == "P" and one[1:].isdigit() for one in ids)
        assert len(ids) == len(set(ids))

    def test_not_transitive(self):
        """The released tables allow most of these."""
        assert [name for name in TRANSITIVE_AND_WRONG if reviewed()[name].transitive] == []

    def test_absence_denies_nothing(self):
        """Open lists are neither functional nor complete."""
        assert [
            name for name in DENIED_AND_WRONG if reviewed()[name].functional or reviewed()[name].complete
        ] == []

    def test_not_symmetric(self):
        """The sides of these differ."""
        assert [name for name in SYMMETRIC_AND_WRONG if reviewed()[name].symmetric] == []

    def test_not_the_inverse(self):
        """The converse of the first does not imply the second."""
        found = implied()
        assert [pair for pair in INVERSE_AND_WRONG if (pair[1], pair[0], True) in found] == []

    def test_predecessor_is_not_reversed(self):
        """A followed by B: A comes before B, and B follows A. The released rule says that B precedes A."""
        found = implied()
        assert ("comes before", "followed by", False) in found
        assert ("follows", "followed by", True) in found
        assert ("comes before", "followed by", True) not in found
        assert ("comes after", "followed by", True) in found

    def test_father_of_implies_what_it_must(self):
        """Implications are followed to their end, with the sides turned as often as needed."""
        found = implied()
        assert {
            ("child", "father", True), ("parent", "father", False), ("descendant of", "father", False),
            ("ancestor of", "father", True), ("ancestor of", "father of", False), ("child", "father of", False),
        } <= found  # fmt: skip
        assert not any(
            broader in {"father", "mother"} and narrower == "child" for broader, narrower, _ in found
        )

    @pytest.mark.data
    def test_knows_every_relation_of_the_data(self):
        """All 44 relations of the released facts are reviewed; none is left out."""
        path = Path(os.environ["GUARDRAIL_DATA"]) / "drowzee" / "nontemporal_facts.jsonl"
        with path.open(encoding="utf-8") as lines:
            counts = Counter(json.loads(line)["predicate"] for line in lines)
        assert {name: n for name, n in counts.items() if name not in reviewed()} == {}
        assert len(counts) == 44
        assert sum(counts.values()) == 17_196

    def test_every_relation_reads(self):
        """A statement, its denial and its question differ, and none has a gap."""
        for relation in reviewed().values():
            phrases = [(relation.phrase, "Ann", "Bob")]
            phrases += [(relation.same_phrase, "Ann and Bob", "")] if relation.same else []
            for phrase, one, other in phrases:
                said = {phrase.statement(one, other), phrase.denial(one, other), phrase.question(one, other)}
                assert len(said) == 3
                assert all("Ann" in text and "Bob" in text and "  " not in text for text in said)
                assert all(" not " in text or "cannot" in text for text in [phrase.denial(one, other)])

    def test_reads_as_english(self):
        """Statement, denial and question of a relation of each kind."""
        table = reviewed()
        assert table["founded by"].phrase.denial("SKF", "Sven") == "SKF was not founded by Sven"
        assert table["award received"].phrase.question("Ann", "it") == "Did Ann receive the award it?"
        assert (
            table["symptoms and signs"].phrase.denial("Flu", "rash")
            == "Flu cannot have the symptom or sign rash"
        )
        assert table["spouse"].phrase.question("Ann", "Bob") == "Has Ann been married to Bob?"
        assert (
            table["director"].same_phrase.question("X and Y") == "Were X and Y directed by the same person?"
        )
        assert table["genre"].same_phrase.denial("X and Y") == "X and Y do not have a genre in common"


class TestRelations:
    def test_refuses_names_that_are_not_there(self):
        """A table is whole."""
        with pytest.raises(ConfigError, match="no entry"):
            Relations([Relation("a", "is near", inverse="b")])

    def test_refuses_an_inverse_that_disagrees(self):
        """Inverses name each other and share what does not depend on the direction."""
        with pytest.raises(ConfigError, match="name each other"):
            Relations([Relation("a", "is near", inverse="b"), Relation("b", "is near")])
        pair = [Relation("a", "is in", inverse="b", transitive=True), Relation("b", "contains", inverse="a")]
        with pytest.raises(ConfigError, match="both transitive"):
            Relations(pair)

    def test_refuses_a_relation_that_becomes_its_own_converse(self):
        """By a detour over others; symmetric relations say so."""
        with pytest.raises(ConfigError, match="own converse"):
            Relations([Relation("a", "is in", inverse_of=("b",)), Relation("b", "is in", inverse_of=("c",)),
                       Relation("c", "is in", inverse_of=("a",))])  # fmt: skip

    def test_unknown_relations_have_no_property(self):
        """They can be looked up and no rule applies."""
        unknown = reviewed().of("never heard of")
        assert (unknown.negatable, unknown.transitive, unknown.symmetric, unknown.same) == (
            False,
            False,
            False,
            "",
        )
