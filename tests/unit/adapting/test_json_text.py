"""JSON answers: their strings, what becomes of them, and whether a schema still admits them."""

from __future__ import annotations

import pytest

from guardrail.adapting import Change
from guardrail.adapting.json_text import JsonText, is_valid, parsed
from guardrail.report import Action, Case, Decision, Edit, Report, Span


def change(text, *cuts):
    """Some words taken out."""
    edits = tuple(
        Edit(span=Span(start=text.index(cut), end=text.index(cut) + len(cut)), replacement="") for cut in cuts
    )
    after = text
    for cut in cuts:
        after = after.replace(cut, "", 1)
    decision = Decision(action=Action.REMOVE, answer=after, edits=edits)
    return Change.of(text, Report(case=Case(answer=text), decision=decision))


class TestJsonText:
    def test_holds_the_strings(self):
        """In order; names of fields are none, a key that is a sentence is."""
        value = {"a": "One.", "b": [1, None, {"c": "Two."}], "Made up is this": True, "d": ""}
        assert JsonText(value).text == "One.\n\nTwo.\n\nMade up is this"

    def test_edits_string_by_string(self):
        """The rest is as it was."""
        reading = JsonText({"a": "One. Two.", "b": ["Three.", 4], "c": None})
        assert (
            reading.changed(change(reading.text, " Two.", "Three."))
            == '{"a": "One.", "b": ["", 4], "c": null}'
        )

    def test_a_key_that_goes_takes_its_value(self):
        """A list behind it is no neighbour of its."""
        reading = JsonText({"Made up is this": ["One."], "b": "Two."})
        assert reading.changed(change(reading.text, "Made up is this")) == '{"b": "Two."}'
        assert reading.changed(change(reading.text, "One.")) == '{"Made up is this": [""], "b": "Two."}'


OBJECT = {
    "type": "object",
    "properties": {"a": {"type": "string"}},
    "required": ["a"],
    "additionalProperties": False,
}


class TestIsValid:
    @pytest.mark.parametrize(
        ("value", "schema", "expected"),
        [
            ({"a": "x"}, OBJECT, True),
            ({}, OBJECT, False),
            ({"a": "x", "guardrail": "mark"}, OBJECT, False),
            ({"a": 1}, OBJECT, False),
            (True, {"type": "integer"}, False),
            (2.0, {"type": "integer"}, True),
            (None, {"type": ["string", "null"]}, True),
            ("", {"type": "string", "minLength": 1}, False),
            ("abc", {"pattern": "^b"}, False),
            ("b", {"enum": ["a"]}, False),
            ("b", {"const": "b"}, True),
            (["a", 1], {"items": {"type": "string"}}, False),
            ([], {"minItems": 1}, False),
            ({"x": {"a": 1}}, {"$defs": {"o": OBJECT}, "properties": {"x": {"$ref": "#/$defs/o"}}}, False),
            ("a", {"anyOf": [{"type": "null"}, {"type": "string"}]}, True),
            ("a", {"allOf": [{"type": "null"}, {"type": "string"}]}, False),
            ("a", {"not": {"type": "null"}}, False),
            ("a", {"$ref": "#"}, False),
            ("a", {"$ref": "#/nowhere"}, False),
            ("a", {"pattern": "("}, False),
        ],
    )
    def test_what_structured_outputs_use(self, value, schema, expected):
        """By the JSON Schema specification; what cannot be decided is not valid."""
        assert is_valid(value, schema) is expected

    def test_a_form_is_valid_only_as_it_was(self):
        """Whether an edited text is an address is not decided here."""
        schema = {"properties": {"mail": {"type": "string", "format": "email"}}}
        assert is_valid({"mail": "a@b.test"}, schema, before={"mail": "a@b.test"})
        assert not is_valid({"mail": "a@b."}, schema, before={"mail": "a@b.test"})


class TestParsed:
    def test_a_key_that_is_there_twice_is_refused(self):
        """One value would be examined, and both shown."""
        with pytest.raises(ValueError, match="twice"):
            parsed('{"a": "made up", "a": "fine"}')
        assert parsed('{"a": {"b": 1}, "c": {"b": 2}}') == {"a": {"b": 1}, "c": {"b": 2}}
