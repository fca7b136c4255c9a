"""JSON of others is read up to a depth with which everything else can work."""

import json

import pytest

from guardrail.adapting.strict_json import DEEPEST, TooDeep, read_json


def nested(depth, opened="[", closed="]"):
    return opened * depth + closed * depth


class TestReadJson:
    @pytest.mark.parametrize("as_given", [str, str.encode])
    def test_the_limit_is_exact(self, as_given):
        """A list within nothing has one level."""
        assert read_json(as_given(nested(DEEPEST))) == json.loads(nested(DEEPEST))
        with pytest.raises(TooDeep, match="at most 100 levels"):
            read_json(as_given(nested(DEEPEST + 1)))

    @pytest.mark.parametrize("depth", [500, 900, 990, 1_000, 100_000])
    def test_any_depth_is_the_same_error(self, depth):
        """Whatever this interpreter's own limit is."""
        for text in (
            nested(depth),
            nested(depth, '{"a":', "}").replace(":}", ":1}"),
            nested(depth, '[{"a":', "}]"),
        ):
            with pytest.raises(ValueError):  # noqa: PT011  # the last two are no JSON to some
                read_json(text)

    def test_many_brackets_are_no_depth(self):
        """Side by side, or in a text."""
        side_by_side, text = [[]] * 10_000, "[" * 10_000
        assert read_json(json.dumps([side_by_side, text, {text: {}}])) == [side_by_side, text, {text: {}}]

    def test_the_deepest_place_may_be_anywhere(self):
        """Also in the last of many values."""
        with pytest.raises(TooDeep):
            read_json(json.dumps([*[1] * 1_000, {"a": json.loads(nested(DEEPEST - 1))}]))

    def test_what_is_no_json_is_a_value_error(self):
        """But none of depth."""
        with pytest.raises(ValueError, match="Expecting value") as raised:
            read_json("x")
        assert not isinstance(raised.value, TooDeep)
