import pickle

import pytest

from guardrail.errors import InputError
from guardrail.logic.knowledge import DatedEvent, Entity, Triple


class TestTriple:
    @pytest.mark.parametrize("bad", ["", None, 3, "half \ud800"])
    @pytest.mark.parametrize("place", [0, 1, 2])
    def test_refuses_what_is_no_label(self, bad, place):
        """Empty text, no text and half of a surrogate pair name nothing, wherever they stand."""
        parts = ["a", "r", "b"]
        parts[place] = bad
        with pytest.raises(InputError):
            Triple(*parts)

    def test_is_in_order_of_relation(self):
        """Sorting puts the facts of a relation together."""
        assert min([Triple("a", "s", "b"), Triple("z", "r", "b")]).relation == "r"

    def test_travels(self):
        """It can be pickled."""
        triple = Triple("a'\0", "r\n", "b)")
        assert pickle.loads(pickle.dumps(triple)) == triple


class TestDatedEvent:
    def test_merges_its_spans(self):
        """Spans in any order that touch become one."""
        event = DatedEvent("war", [(1939, 1945), (1914, 1918), (1946, 1947)])
        assert event.spans == ((1914, 1918), (1939, 1947))

    @pytest.mark.parametrize("spans", [[], [(2, 1)], [(1.5, 2)], [(1, float("inf"))], [(True, 2.5)]])
    def test_refuses_no_spans_and_wrong_ones(self, spans):
        """An event has at least one span, of whole years, in order."""
        with pytest.raises(InputError):
            DatedEvent("war", spans)

    def test_travels(self):
        """It can be pickled."""
        event = DatedEvent("war", [(1914, 1918)])
        assert pickle.loads(pickle.dumps(event)) == event


class TestEntity:
    def test_refuses_an_empty_alias(self):
        """Every name is a label."""
        with pytest.raises(InputError):
            Entity("a", ("",))
