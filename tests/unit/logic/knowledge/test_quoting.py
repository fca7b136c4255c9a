import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.looping import each

from guardrail.logic.knowledge import Triple
from guardrail.logic.knowledge.quoting import fact_line, quoted, read_fact, unquoted

LABELS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=60)
HOSTILE = [
    "O'Neill", "a')). :- halt. b('", "\\", "\\'", "'", "''", "\n:- initialization(halt).\n", "a\0b", "\0", "\r\n",
    "x" * 10_000, "'" * 10_000, "\\x41\\", "שלום עולם", "\u202egnp.exe", "😀👩‍👩‍👧", "\u2028\u2029\x85", "\ufeff", "%", "/* */",
    "halt", "X", "_", "[]", "{}", "!", "1", "0'a", '"', "`", "\x1b[31m", "\U0010ffff", " ", "\t", "ﬀ", "e\u0301",
]  # fmt: skip


class TestQuoting:
    @given(LABELS)
    def test_there_and_back(self, text):
        """Unquoting undoes quoting, exactly."""
        written = quoted(text)
        assert unquoted(written[1:-1]) == text

    @given(LABELS)
    def test_is_one_line_that_prints(self, text):
        """No control character, line break or mark of direction is left in the file."""
        assert all(c.isprintable() or ord(c) > 0xFFFF for c in quoted(text))

    @given(LABELS, LABELS, LABELS)
    def test_a_fact_is_read_back(self, subject, relation, value):
        """A line holds exactly the fact that was written."""
        triple = Triple(subject, relation, value)
        assert read_fact(fact_line(triple)) == triple

    def test_hostile_names(self):
        """Names that look like Prolog stay names."""

        def check(text):
            triple = Triple(text, text, text)
            assert read_fact(fact_line(triple)) == triple

        each(HOSTILE, check)

    @settings(max_examples=2000)
    @given(LABELS)
    def test_prolog_reads_the_same_atom(self, prolog, text):
        """SWI-Prolog's own reader finds one atom with the very characters."""
        assert prolog.call("reads_as", quoted(text), text) == 1

    def test_prolog_reads_every_character(self, prolog):
        """Each of Unicode's 1.1 million code points, a few hundred in a name."""
        points = [n for n in range(0x110000) if not 0xD800 <= n <= 0xDFFF]
        for start in range(0, len(points), 512):
            text = "".join(map(chr, points[start : start + 512]))
            assert prolog.call("reads_as", quoted(text), text) == 1, hex(points[start])

    def test_prolog_reads_hostile_names(self, prolog):
        """So it does for names that look like Prolog."""

        def check(text):
            assert prolog.call("reads_as", quoted(text), text) == 1

        each(HOSTILE, check)


class TestReadFact:
    @pytest.mark.parametrize(
        "line",
        [
            ":- initialization(halt).\n",
            "'r:a'('b','c') :- halt.\n",
            "'r:a'('b','c'). :- halt.\n",
            "'a'('b','c').\n",
            "'r:'('b','c').\n",
            "'r:a'('','c').\n",
            "'r:a'('b').\n",
            "'r:a'(b,'c').\n",
            "'r:a'('b','c')",
            "'r:a'('b\\n','c').\n",
            "'r:a'('b\\x110000\\','c').\n",
            "'r:a'('b\\xd800\\','c').\n",
            "'r:a'('\\x41\\','c').\n",
            " 'r:a'('b','c').\n",
            "'r:a'('b','c').\n\n",
            "",
        ],
    )
    def test_refuses_anything_else(self, line):
        """A directive, a rule, two clauses, another functor, or a fact that is written otherwise is none."""
        assert read_fact(line) is None
