"""Wordings."""

from tests.looping import each

from guardrail.logic.knowledge import Triple, reviewed
from guardrail.logic.paper.questions.reproof import affirmed
from guardrail.logic.paper.questions.templates import wordings

RELATIONS = reviewed()
JOINT = [f"same {name}" for name, one in RELATIONS.items() if one.same]


def asked(*triple, **options):
    return list(wordings(Triple(*triple), RELATIONS, **options))


class TestWordings:
    def test_of_every_relation(self):
        """Distinct; both signs; the sign is what the denying words say (`affirmed` counts them anew)."""

        def check(name):
            triple = Triple("Not Alpha", name, "Omega (no. 1)")
            found = asked(*(triple.subject, name, triple.object), double=True)
            assert len({one.question for one in found}) == len(found)
            assert {one.affirms for one in found} == {True, False}
            for one in found:
                assert one.affirms == affirmed(one.question, triple), one.question
                assert one.question.endswith("?")
                assert "  " not in one.question
                assert " ?" not in one.question

        each([*RELATIONS, *JOINT], check)

    def test_a_joint_relation(self):
        """Said as it is, by a synonym, by an antonym."""
        questions = {one.question: one for one in asked("Rope", "same director", "Psycho")}
        assert questions["Were Rope and Psycho directed by the same person?"].affirms
        assert questions["Is it true that Rope and Psycho share a director?"].mutation == "synonym"
        opposite = questions["Is it true that Rope and Psycho have no director in common?"]
        assert (opposite.affirms, opposite.mutation) == (False, "antonym")

    def test_a_noun_phrase(self):
        """A synonym that names what the object is."""
        questions = {one.question: one.affirms for one in asked("Rope", "director", "Hitchcock")}
        assert questions["Does Rope have Hitchcock as a director?"]
        assert not questions["Is it true that Rope does not have Hitchcock as a director?"]

    def test_two_denials_only_on_request(self):
        """They are hard to read."""
        plain, double = (
            {one.question for one in asked("A", "sibling", "B", double=both)} for both in (False, True)
        )
        assert plain < double
        assert all("false" in one or "wrong" in one for one in double - plain)
