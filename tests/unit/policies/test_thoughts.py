"""Edits of an answer in which a model thinks aloud: tags stay pairs, JSON stays JSON, and what is cut is not in a thought."""

import json

from tests.looping import each
from tests.notices import EMPTY, NOTICES

from guardrail.policies.edits import Mark, apply, insertions, removals, told_in_json
from guardrail.report import Span

BAD, GOOD = "Zyzzyva is a town.", "Paris is in France."
THOUGHTS = {
    "before": f"<think>\nIs it so? {BAD} Well, Paris…\n</think>\n\n",
    "in square brackets": f"[THINK]{BAD} {GOOD}[/THINK]",
    "opened in the prompt": f"Perhaps {BAD}\n</think>\n\n",
    "two": f"<thinking>{GOOD}</thinking>\n<reflection>\n- {BAD}\n</reflection>\n",
    "with JSON in it": '<think>\n{"a": "maybe"}\n</think>',
}


def at(text, part):
    start = text.rindex(part)
    return Span(start=start, end=start + len(part))


def cut(text, part=BAD):
    return apply(text, removals(text, [(at(text, part), "why")], **NOTICES))


def marked(text, part=BAD):
    return apply(text, insertions(text, [Mark(at(text, part) if part else None, "m")]))


class TestCuts:
    def test_thoughts_go_where_something_is_cut(self):
        """They may say it again, and nobody examined them; no tag is left."""

        def check(thought):
            assert cut(f"{thought}{GOOD} {BAD} Rome is in Italy.") == f"{GOOD} Rome is in Italy."
            assert cut(f"{thought}{BAD}") == EMPTY
            assert cut(f"{thought}- {GOOD}\n- {BAD}\n") == f"- {GOOD}"

        each(THOUGHTS, check)

    def test_a_thought_in_the_middle_or_at_the_end(self):
        """Closed or not."""
        each(
            [
                f"{GOOD} <think>{BAD}</think> {BAD}",
                f"{GOOD} {BAD}\n<think>Is it, {BAD}",
                f"{GOOD}\n<think>{BAD}",
            ],
            lambda text: self._is(cut(text), GOOD),
        )

    def test_a_finding_within_a_thought_cuts_the_thought(self):
        """It is no part of what is shown as the answer."""
        assert cut(f"<think>{BAD} And so on.</think>{GOOD}") == GOOD

    def test_json_behind_a_thought_stays_json(self):
        """Also where the thought has some, and where nothing is left."""

        def check(thought):
            text = thought + json.dumps({"a": f"{GOOD} {BAD}", "b": [BAD, 1]})
            assert json.loads(cut(text)) == {"a": GOOD, "b": [1]}
            assert json.loads(told_in_json(text, "No.")) == {"guardrail": "No."}

        each(THOUGHTS, check)

    def test_nothing_to_cut_leaves_the_thought(self):
        """It is the model's, and was examined by nobody."""
        assert removals(THOUGHTS["before"] + GOOD, [], **NOTICES) == ()

    @staticmethod
    def _is(text, expected):
        assert text == expected


class TestMarks:
    def test_no_mark_is_in_a_thought(self):
        """Nor in its tags."""

        def check(thought):
            assert marked(f"{thought}{GOOD} {BAD}") == f"{thought}{GOOD} {BAD} [m]"
            assert marked(thought + GOOD, BAD if BAD in thought else GOOD).startswith(thought)
            assert marked(f"{thought}{GOOD}", None) == f"{thought}{GOOD}\n\n[m]"

        each(THOUGHTS, check)

    def test_json_behind_a_thought_stays_json(self):
        """The mark is in its string, or its key."""

        def check(thought):
            value = {"a": f"{BAD} {GOOD}"}
            text = thought + json.dumps(value)
            assert json.loads(marked(text)[len(thought) :]) == {"a": f"{BAD} [m] {GOOD}"}
            assert json.loads(marked(text, None)[len(thought) :]) == {**value, "guardrail": "m"}

        each(THOUGHTS, check)
