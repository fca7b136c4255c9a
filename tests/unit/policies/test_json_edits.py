"""Policies on answers that are JSON: they stay JSON."""

import json

import pytest
from tests.notices import EMPTY, NOTICES

from guardrail.policies import Plan, Review, annotate, block, remove
from guardrail.policies.edits import Mark, apply, insertions, removals
from guardrail.report import Action, Case, DetectorFailure, Finding, Reason, Span, Verdict


def cut(text, *pieces, **options):
    """The text without some pieces of it."""
    spans = [Span(start=text.index(piece), end=text.index(piece) + len(piece)) for piece in pieces]
    return apply(text, removals(text, [(span, "test") for span in spans], **{**NOTICES, **options}))


def marked(text, *pieces, words="no such work"):
    spans = [
        Span(start=text.index(piece), end=text.index(piece) + len(piece)) if piece else None
        for piece in pieces
    ]
    return apply(text, insertions(text, [Mark(span, words) for span in spans]))


def finding(text, piece, verdict=Verdict.UNSUPPORTED):
    span = None if piece is None else Span(start=text.index(piece), end=text.index(piece) + len(piece))
    score = None if verdict is Verdict.UNVERIFIED else 1.0
    return Finding(
        detector="test", span=span, text=piece or "", score=score, verdict=verdict, reason="because"
    )


class TestRemove:
    @pytest.mark.parametrize(
        ("text", "pieces", "left"),
        [
            ('[{"a": 1}, {"a": 2}, {"a": 3}]', ['{"a": 1}'], '[{"a": 2}, {"a": 3}]'),
            ('[{"a": 1}, {"a": 2}, {"a": 3}]', ['{"a": 2}'], '[{"a": 1}, {"a": 3}]'),
            ('[{"a": 1}, {"a": 2}, {"a": 3}]', ['{"a": 3}'], '[{"a": 1}, {"a": 2}]'),
            ('[{"a": 1}, {"a": 2}, {"a": 3}]', ['{"a": 1}', '{"a": 3}'], '[{"a": 2}]'),
            ('[{"a": 1}, {"a": 2}, {"a": 3}]', ['{"a": 2}', '{"a": 3}'], '[{"a": 1}]'),
            ('{"list":[{"a":1}]}', ['{"a":1}'], '{"list":[]}'),
            ('{"list": [\n  {"a": 1},\n  {"a": 2}\n]}', ['{"a": 2}'], '{"list": [\n  {"a": 1}\n]}'),
            ('{"list": [\n  {"a": 1}\n]}', ['{"a": 1}'], '{"list": []}'),
            ('[7, {"a": 1}, null]', ['{"a": 1}'], "[7, null]"),
            ('[{"a": 1}, 7]', ['{"a": 1}'], "[7]"),
        ],
    )
    def test_an_element_goes_with_one_comma(self, text, pieces, left):
        """First, middle, last, only; beside numbers; pretty or compact."""
        assert cut(text, *pieces) == left

    def test_the_value_of_a_key_becomes_null(self):
        """The key stays: nobody misses it."""
        assert cut('{"best": {"a": 1}, "n": 2}', '{"a": 1}') == '{"best": null, "n": 2}'

    def test_a_string_that_goes_is_empty_or_leaves_its_list(self):
        """A text stays a text."""
        assert cut('{"a": "Tea is blue.", "n": 2}', "Tea is blue.") == '{"a": "", "n": 2}'
        assert cut('{"a": ["Tea is blue.", "Tea is hot."]}', '"Tea is blue."') == '{"a": ["Tea is hot."]}'

    def test_a_sentence_of_a_string_goes_alone(self):
        """What is left is written as JSON."""
        text = json.dumps({"a": 'Tea is blue.\n\nThey say "hot" tea.'})
        assert json.loads(cut(text, "Tea is blue.")) == {"a": 'They say "hot" tea.'}

    def test_an_answer_that_goes_as_a_whole_says_so(self):
        """An object stays an object, an array becomes an empty one."""
        assert json.loads(cut('{"title": "Tea"}', '{"title": "Tea"}')) == {"guardrail": EMPTY}
        assert cut('[{"title": "Tea"}]', '[{"title": "Tea"}]') == "[]"

    def test_a_removed_title_occurs_nowhere_else(self):
        """In another string, in the prose around; not in what was found to be right."""
        text = 'See Imaginary Teapots Here. {"note": "Read Imaginary Teapots here!", "works": [{"t": "Imaginary Teapots Here"}, {"n": 1}]}'
        left = cut(text, '{"t": "Imaginary Teapots Here"}', titles=["Imaginary Teapots Here"])
        assert left == '{"note": "", "works": [{"n": 1}]}'

    def test_what_was_found_to_be_right_stays(self):
        """A real work of the same title, in the same list."""
        text = '{"works": ["Leaf. The Art of Tea. 1999.", "Cup. The Art of Tea. 2020."]}'
        kept = Span(start=text.index("Leaf"), end=text.index('", "Cup'))
        left = cut(text, "Cup. The Art of Tea. 2020.", titles=["The Art of Tea"], kept=[kept])
        assert left == '{"works": ["Leaf. The Art of Tea. 1999."]}'

    def test_in_a_fence_the_prose_stays(self):
        """And its own findings are cut as ever."""
        text = 'Tea is blue. Tea is hot:\n\n```json\n[{"a": 1}, {"a": 2}]\n```\n'
        assert cut(text, "Tea is blue.", '{"a": 1}') == 'Tea is hot:\n\n```json\n[{"a": 2}]\n```\n'


class TestAnnotate:
    def test_a_mark_is_a_key_of_its_object(self):
        """Behind the last one, written as they are."""
        assert (
            marked('[{"a": 1}, {"b": 2}]', '{"b": 2}') == '[{"a": 1}, {"b": 2, "guardrail": "no such work"}]'
        )
        assert marked('{\n  "b": 2\n}', '{\n  "b": 2\n}') == '{\n  "b": 2,\n  "guardrail": "no such work"\n}'

    def test_a_key_that_is_there_already_stays(self):
        """The mark takes another one."""
        text = '{"guardrail": "mine"}'
        assert json.loads(marked(text, text)) == {"guardrail": "mine", "guardrail_2": "no such work"}

    def test_a_mark_on_a_text_stands_in_it(self):
        """Within its quotes, and written as JSON."""
        text = json.dumps({"a": 'He said "tea". More.'})
        assert json.loads(marked(text, "He said", words='a "b"')) == {"a": 'He said [a "b"] "tea". More.'}

    def test_a_mark_on_the_whole_answer_is_a_key_of_it(self):
        """Not a line below it."""
        assert marked('{"a": 1}', None) == '{"a": 1, "guardrail": "no such work"}'

    def test_an_array_has_no_place_for_a_mark_on_all_of_it(self):
        """The answer is flagged instead."""
        text = '["tea", "milk"]'
        decision = annotate().decide(Review(Case(answer=text), findings=(finding(text, None),)))
        assert (decision.action, decision.answer) == (Action.FLAG, text)

    def test_a_mark_in_what_is_removed_goes_with_it(self):
        """Both policies, in either order."""
        text = '[{"a": 1}, {"b": 2}]'
        review = Review(Case(answer=text), findings=(finding(text, '{"a": 1}'),))
        for policy in (annotate() | remove(), remove() | annotate()):
            assert policy.decide(review).answer == '[{"b": 2}]'


class TestBlock:
    def test_the_message_is_an_object(self):
        """Where the answer is JSON and nothing else."""
        text = '[{"a": 1}]'
        decision = block("No answer.").decide(
            Review(Case(answer=text), findings=(finding(text, '{"a": 1}'),))
        )
        assert json.loads(decision.answer) == {"guardrail": "No answer."}

    def test_a_failed_check_withholds_json_as_json(self):
        """fail="closed"."""
        failure = DetectorFailure(detector="test", reason=Reason.BACKEND, detail="x")
        decision = Plan(remove(), fail="closed").decide(Review(Case(answer='{"a": 1}'), failures=(failure,)))
        assert list(json.loads(decision.answer)) == ["guardrail"]
