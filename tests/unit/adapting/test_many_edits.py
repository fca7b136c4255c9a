"""Places in a text that was edited in very many places: found in one pass, and the same as by looking at every edit."""

from hypothesis import given
from hypothesis import strategies as st

from guardrail.adapting.changes import Change
from guardrail.adapting.summaries import shown_spans
from guardrail.policies.edits import apply
from guardrail.report import Action, Case, Decision, Edit, Finding, Report, Span, Verdict

TEXT = "abcdefghijklmnopqrstuvwxyz0123456789"
spans = st.tuples(st.integers(0, 30), st.integers(0, 5)).map(lambda pair: (pair[0], pair[0] + pair[1]))
wanted = st.lists(st.tuples(spans, st.sampled_from(("", "+", "[made up]"))), max_size=8)


def edits_of(given_edits):
    """Edits that do not overlap, in their order."""
    found, reached = [], 0
    for (start, end), replacement in sorted(given_edits):
        if start >= reached:
            found.append(Edit(span=Span(start=start, end=end), replacement=replacement))
            reached = max(end, start + 1)
    return tuple(found)


def change_of(text, edits, places=()):
    """What a policy would have made of it, with a finding in each place."""
    findings = tuple(
        Finding(detector="d", span=Span(start=a, end=b), score=1.0, verdict=Verdict.UNSUPPORTED)
        for a, b in places
    )
    decision = Decision(action=Action.REMOVE, answer=apply(text, edits), edits=edits)
    return Change(
        text, decision.answer, edits, Report(case=Case(answer=text), findings=findings, decision=decision)
    )


def looked_at(edits, start, end):
    """Where a place is afterwards, by every edit; `None` if something in it was cut."""
    first, last, cut = start, end, False
    for edit in edits:
        grown = len(edit.replacement) - (edit.span.end - edit.span.start)
        if edit.span.end <= start:
            first, last = first + grown, last + grown
        elif edit.span.start < end:
            cut = cut or edit.span.end > edit.span.start
            last += grown
    return None if cut else (first, last)


class TestPlaces:
    @given(wanted, st.lists(spans, max_size=6))
    def test_findings_are_where_every_edit_puts_them(self, given_edits, places):
        """Those of which something was cut are nowhere."""
        edits = edits_of(given_edits)
        expected = [place for a, b in places if (place := looked_at(edits, a, b)) is not None]
        found = shown_spans(change_of(TEXT, edits, places)) if edits else []
        if edits and apply(TEXT, edits) != TEXT:
            assert [(one["start"], one["end"]) for one in found] == expected

    def test_very_many_take_no_time(self):
        """25,000 findings and as many edits are an answer of 100 kB in bullets: looking at every pair took minutes."""
        text = "- a\n" * 25_000
        edits = tuple(Edit(span=Span(start=4 * i + 3, end=4 * i + 3), replacement="!") for i in range(25_000))
        found = shown_spans(change_of(text, edits, [(4 * i + 2, 4 * i + 3) for i in range(25_000)]))
        assert len(found) == 25_000
        assert (found[-1]["start"], found[-1]["end"]) == (4 * 24_999 + 2 + 24_999, 4 * 24_999 + 3 + 24_999)


class TestParts:
    @given(wanted, st.lists(st.integers(1, 9), min_size=1, max_size=6), st.integers(0, 2))
    def test_the_parts_are_what_the_whole_becomes(self, given_edits, sizes, joint):
        """Every edit is in the part that it touches; what lies between two parts is no part's."""
        bounds, reached = [], 0
        for size in sizes:
            bounds.append((reached, min(reached + size, len(TEXT))))
            reached = min(reached + size + joint, len(TEXT))
        change = change_of(TEXT, edits_of(given_edits))
        parts = change.split(bounds)
        assert [part.before for part in parts] == [TEXT[a:b] for a, b in bounds]
        if joint == 0 and bounds[-1][1] == len(TEXT):
            assert "".join(part.after for part in parts) == change.after
        assert {part.takes_away for part in parts} == {change.takes_away}

    def test_very_many_parts_take_no_time(self):
        """An answer of JSON with 20,000 strings."""
        text = "ab" * 20_000
        edits = tuple(Edit(span=Span(start=2 * i, end=2 * i + 1), replacement="") for i in range(20_000))
        parts = change_of(text, edits).split([(2 * i, 2 * i + 2) for i in range(20_000)])
        assert {part.after for part in parts} == {"b"}
