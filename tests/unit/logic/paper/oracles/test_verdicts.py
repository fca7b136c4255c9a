"""The verdict on a reply: each class, by paraphrase and by logic; what is hostile says nothing."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from guardrail.errors import InputError
from guardrail.logic.knowledge.facts import Triple
from guardrail.logic.paper.oracles.truth import Truth
from guardrail.logic.paper.oracles.verdicts import judge
from guardrail.logic.temporal.formula import Atom

LOUVRE = Truth(
    "Is the Louvre located in France?",
    True,
    (
        Triple("Louvre", "located in the administrative territorial entity", "Paris"),
        Triple("Paris", "located in the administrative territorial entity", "France"),
    ),
)
CITIES = Truth(
    "Are Berlin and Munich in the same country?",
    True,
    (Triple("Berlin", "country", "Germany"), Triple("Munich", "country", "Germany")),
)
FILMS = Truth("Did George Lucas direct Jaws?", False, (Triple("Jaws", "director", "Steven Spielberg"),))
WAR = Truth("Did the Korean War end before 1960?", True, spans=(("Korean War", 1950, 1953),))
ALIVE = Truth(
    "Was Winston Churchill still alive when the Korean War began?",
    True,
    spans=(("Winston Churchill", 1874, 1965), ("Korean War", 1950, 1953)),
)


def names(truth, *replies):
    return [judge(reply, truth).name for reply in replies]


class TestCorrect:
    @pytest.mark.parametrize(
        "reply",
        [
            "Yes. Berlin and Munich are in Germany.",
            "Yes. Both Berlin and Munich are German cities.",
            "Yes, both cities lie in Germany.",
            "Yes.\n1. The country of Berlin is Germany.\n2. The country of Munich is Germany.\n3. So it is the same country.",
            "Yes.",
            "I don't know.",
            "I cannot answer this question.",
        ],
    )
    def test_paraphrase(self, reply):
        """The same facts in other words, none at all, and a refusal are correct."""
        assert judge(reply, CITIES).name == "correct"

    def test_further_true_fact(self):
        """What goes beyond the facts is no error: similarity of graphs alone would make it one."""
        found = judge("No. Steven Spielberg directed Jaws. George Lucas directed Star Wars.", FILMS)
        assert (found.name, found.false) == ("correct", ())
        assert found.unverified == ("Star Wars, director, George Lucas",)

    def test_finer(self):
        """A value between the two of a fact entails it, and is not given in its place."""
        reply = (
            "Yes. The Louvre lies in the Palais Royal. The Palais Royal lies in Paris. Paris lies in France."
        )
        assert judge(reply, LOUVRE).name == "correct"

    def test_coarser(self):
        """What follows from the facts is true."""
        found = judge("Yes. The Louvre lies in France.", LOUVRE)
        assert (found.name, found.missing != ()) == ("correct", True)


class TestKnowledge:
    def test_false_fact(self):
        """A false value, from which the conclusion follows; the fact it goes against is told."""
        found = judge("No.\n1. Berlin is in Germany.\n2. Munich is in Austria.", CITIES)
        assert found.name == "error_knowledge"
        assert found.false == ("Munich, country, Austria (against: Munich, country, Germany)",)
        assert "against: Munich, country, Germany" in found.reason

    def test_false_fact_right_conclusion(self):
        """A right conclusion does not make what is false true."""
        assert judge("Yes. Berlin and Munich are in Austria.", CITIES).name == "error_knowledge"

    def test_denied_fact(self):
        """To deny a fact is false, too."""
        assert judge("No. Steven Spielberg did not direct Jaws.", FILMS).name == "error_knowledge"

    def test_no_reasons(self):
        """A wrong word without any of the facts is not put down to reasoning."""
        assert judge("Yes.", FILMS).name == "error_knowledge"

    def test_what_follows_is_false(self):
        """Of statements that are not known, one is false if together with true ones they lead to what is false."""
        truth = Truth("Is Zeus a grandparent of Hector?", False, (Triple("Hector", "father", "Priam"),))
        found = judge(
            "Yes. The father of Hector was Priam. The mother of Priam was Hera. Priam was a son of Zeus.",
            truth,
        )
        assert found.name == "error_knowledge"
        assert "Zeus, child, Priam (against: what follows from it is false)" in found.false


class TestInference:
    def test_wrong_conclusion(self):
        """True facts, and a conclusion that they do not bear."""
        reply = (
            "No.\n1. The Louvre is in Paris.\n2. Paris is in France.\n3. It is in a city, not in a country."
        )
        assert judge(reply, LOUVRE).name == "error_inference"

    def test_conclusion_is_no_knowledge(self):
        """What stands behind "so" is concluded, not known."""
        reply = "No.\n1. The Louvre is in Paris.\n2. Paris is in France.\n3. So the Louvre is not in France."
        assert judge(reply, LOUVRE).name == "error_inference"


class TestBoth:
    def test_does_not_follow(self):
        """A false fact, and a conclusion that does not follow even from that."""
        reply = "No.\n1. The Louvre is in Lyon.\n2. Lyon is in France.\n3. So the Louvre is not in France."
        found = judge(reply, LOUVRE)
        assert (found.name, found.follows) == ("both", False)

    def test_same(self):
        """Two that share a false value share one."""
        assert judge("No. Berlin and Munich are in Austria.", CITIES).name == "both"


class TestContradictory:
    @pytest.mark.parametrize(
        ("truth", "reply", "name"),
        [
            (CITIES, "Yes.\n1. Berlin is in Germany.\n2. Munich is in Austria.\n3. So it is not the same country.", "error_knowledge"),
            (LOUVRE, "Yes.\n1. The Louvre is in Rome.\n2. Hence the Louvre is not in France.", "error_knowledge"),
            (FILMS, "No.\n1. Steven Spielberg directed Jaws.\n2. Thus George Lucas directed Jaws.", "error_inference"),
            (WAR, "Yes.\n1. The Korean War lasted from 1950 to 1970.\n2. So the war did not end before 1960.", "error_knowledge"),
        ],
    )  # fmt: skip
    def test_first_word_and_reasons(self, truth, reply, name):
        """The first word says one thing and the reasons conclude another."""
        found = judge(reply, truth)
        assert (found.contradictory, found.name) == (True, name)

    @pytest.mark.parametrize(
        "reply", ["No.\n1. Spielberg directed Jaws.\n2. So Lucas did not direct Jaws.", "No."]
    )
    def test_agreeing(self, reply):
        """Reasons that conclude the same, or nothing, contradict nothing."""
        assert not judge(reply, FILMS).contradictory


class TestYears:
    @pytest.mark.parametrize(
        "reply",
        [
            "Yes. It lasted from 1950 to 1953.",
            "Yes. The Korean War (1950–1953) was over by then.",
            "Yes, it began in 1950 and ended in 1953.",
            "Yes, it took place between 1950 and 1953.",
            "Yes. The war ended in 1953.",
        ],
    )
    def test_paraphrase(self, reply):
        """The same span in other words."""
        assert judge(reply, WAR).name == "correct"

    def test_classes(self):
        """False years with what follows from them, true years without, false years without."""
        assert names(
            ALIVE,
            "No.\n1. Winston Churchill lived from 1874 to 1949.\n2. The Korean War lasted from 1950 to 1953.",
            "No.\n1. Winston Churchill lived from 1874 to 1965.\n2. The Korean War lasted from 1950 to 1953.",
            "No.\n1. Winston Churchill lived from 1874 to 1960.\n2. The Korean War lasted from 1950 to 1953.",
        ) == ["error_knowledge", "error_inference", "both"]

    def test_formula_given(self):
        """A generated question brings its formula; its wording is not read."""
        truth = Truth("?", True, spans=(("war", 1950, 1953),), formula=Atom("war"), year=1951)
        assert names(
            truth, "No. The war lasted from 1950 to 1952.", "No. The war lasted from 1952 to 1953."
        ) == [
            "both",
            "error_knowledge",
        ]

    def test_several_spans(self):
        """An event of several spans is dated by any of them."""
        truth = Truth(
            "Was he in office in 1952?", True, spans=(("Churchill", 1940, 1945), ("Churchill", 1951, 1955))
        )
        assert judge("Yes. Churchill governed from 1951 to 1955.", truth).name == "correct"
        assert judge("Yes. Churchill governed from 1951 to 1954.", truth).name == "error_knowledge"


class TestUnreadable:
    @pytest.mark.parametrize("reply", ["Perhaps.", "", "Yes and no.", "\0", "x" * 10_000])
    def test_unverified(self, reply):
        """Where neither the first word nor the reasons tell what is concluded, nothing is verified."""
        assert judge(reply, FILMS).name == "unverified"

    def test_asked_given(self):
        """What is asked may be given, joint relations too; Yes may mean that it does not hold."""
        facts = CITIES.facts
        truth = Truth("?", False, facts, asked=Triple("Berlin", "same country", "Munich"), affirms=False)
        assert judge("Yes. Berlin and Munich are in Germany.", truth).name == "error_inference"
        assert judge("Yes. Berlin and Munich are in Austria.", truth).name == "both"

    def test_nothing_known(self):
        """A question without facts is refused."""
        with pytest.raises(InputError, match="expected facts or dated events"):
            Truth("Is it?", True)
        with pytest.raises(InputError, match="expected a year"):
            Truth("Is it?", True, spans=(("war", 1, 2),), formula=Atom("war"))

    @settings(max_examples=150, deadline=None)
    @given(
        st.lists(
            st.one_of(
                st.sampled_from(
                    ["Yes.", "No.", "1.", "The Louvre", "is located in", "Paris", "not", "So", "\n2.", "lasted from 1950 to 1953", "it",
                     "France", ",", '"', "halt.", "\u202e", "\0", "(", "y" * 10_000]
                ),
                st.text(max_size=10),
            ),
            max_size=20,
        )
    )  # fmt: skip
    def test_any_reply(self, pieces):
        """Any reply gets a verdict, with similarities in [0, 1]."""
        for truth in (LOUVRE, WAR):
            found = judge(" ".join(pieces), truth)
            assert found.name in {"correct", "error_inference", "error_knowledge", "both", "unverified"}
            assert all(one is None or 0 <= one <= 1 for one in (found.nodes, found.edges))

    @settings(max_examples=60, deadline=None)
    @given(st.text(min_size=1, max_size=20), st.text(min_size=1, max_size=20), st.text(max_size=40))
    def test_any_names(self, subject, object_, question):
        """Names and questions may be any text."""
        truth = Truth(question, True, (Triple(subject, "country", object_),), (("'); halt.", 1, 2),))
        judge(f"No. {subject} is in {object_}. {subject} lasted from 1 to 2.", truth)


class TestQuestionsRead:
    @pytest.mark.parametrize(
        ("question", "answer", "spans", "both"),
        [
            ("Was the Berlin Wall standing in every year from 1970 to 1980?", True, [("Berlin Wall", 1961, 1989)],
             "No. The Berlin Wall stood from 1965 to 1989."),
            ("Was there a year between 1930 and 1940 in which the Weimar Republic existed?", True,
             [("Weimar Republic", 1918, 1933)], "No. The Weimar Republic existed from 1919 to 1934."),
            ("Is it wrong that the Vietnam War was over in 1970?", True, [("Vietnam War", 1955, 1975)],
             "No. The Vietnam War lasted from 1956 to 1975."),
            ("Did neither the Blitz nor the Gulf War happen in 1900?", True, [("Blitz", 1940, 1941), ("Gulf War", 1990, 1991)],
             "No. The Blitz lasted from 1939 to 1941."),
            ("Did the Cold War go on until the Gulf War began?", True, [("Cold War", 1947, 1991), ("Gulf War", 1990, 1991)],
             "No. The Cold War lasted from 1945 to 1991."),
            ("Did the reigns of Elizabeth and Philip overlap?", True, [("Elizabeth", 1558, 1603), ("Philip", 1556, 1598)],
             "No. Elizabeth reigned from 1560 to 1603."),
            ("In 1950, was the Korean War going on or was the Gulf War under way?", True,
             [("Korean War", 1950, 1953), ("Gulf War", 1990, 1991)], "No. The Korean War lasted from 1949 to 1953."),
        ],
    )  # fmt: skip
    def test_years(self, question, answer, spans, both):
        """A conclusion that does not follow from false years shows that the question was understood."""
        assert judge(both, Truth(question, answer, spans=tuple(spans))).name == "both"

    @pytest.mark.parametrize(
        ("question", "answer", "facts", "both"),
        [
            ("Are Lyon and Nice located in different countries?", False,
             [("Lyon", "country", "France"), ("Nice", "country", "France")], "Yes. Both are in Italy."),
            ("Is the father of Albert also the father of Bertha?", True,
             [("Albert", "father", "Carl"), ("Bertha", "father", "Carl")],
             "No. Albert's father is David. Bertha's father is David."),
            ("Is Ulm not located in Germany?", False,
             [("Ulm", "located in the administrative territorial entity", "Swabia"),
              ("Swabia", "located in the administrative territorial entity", "Germany")],
             "Yes. Ulm is located in Bavaria. Bavaria is located in Germany."),
        ],
    )  # fmt: skip
    def test_facts(self, question, answer, facts, both):
        """So it does with false facts."""
        assert judge(both, Truth(question, answer, tuple(Triple(*fact) for fact in facts))).name == "both"
