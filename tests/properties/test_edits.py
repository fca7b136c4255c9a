"""Whatever the answer and the spans: edits never raise, keep what they must keep, and lose what they must lose."""

import re

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.notices import EMPTY, LIST_GONE, NOTICES

from guardrail.policies import Plan, Review, annotate, flag, remove
from guardrail.policies.edits import (
    NUMBERED_AGAIN,
    Mark,
    apply,
    insertions,
    plain,
    removals,
)
from guardrail.report import Case, Finding, Span, Verdict
from guardrail.text.layout import Layout

PIECES = st.sampled_from(
    [
        "\n", "\n\n", " ", "1. ", "2. ", "3) ", "[1] ", "[2]: ", "- ", "* ", "```", "```bibtex\n", "\n```\n", "~~~",
        "@article{key1,\n title={A {B} C}\n}", "@book{x,", "}", "{", "$$", "$x$", "\\[", "\\]", "[1]", "[2, 3]", "[1-3]",
        "(", ")", "（", "）", '"', "“", "”", "*", "**", "_", "`", "[text](http://a.b/c)", "http://a.b/c.", "<b>", "| a | b |",
        "# Heading\n", "et al. ", "Sentence one. ", "word", "。", "中文", "é", "e\u0301", "\u200d", "\u202e", "\r\n", "\x00",
        "; ", ", ", " and ", "see ", "[^1]: ", "[^1]", "\\cite{key1}", "\"Title A\"", "|---|---|\n", "Books:\n",
    ]
)  # fmt: skip
TEXTS = st.one_of(st.text(max_size=80), st.lists(PIECES, max_size=25).map("".join))
SPANS = st.lists(
    st.tuples(st.integers(0, 200), st.integers(0, 60)).map(lambda p: Span(start=p[0], end=p[0] + p[1])),
    max_size=5,
)
MARKS = st.one_of(st.text(max_size=30), st.sampled_from(["unverified", "](http://x)", "a\nb", "}@x{", "```"]))


def is_subsequence(short, long):
    rest = iter(long)
    return all(c in rest for c in short)


@given(TEXTS, SPANS, MARKS, st.booleans())
@settings(max_examples=300, deadline=None)
def test_marks_only_insert(text, spans, mark, whole):
    """The original is a subsequence of what comes out, and every edit is an insertion."""
    marks = [Mark(span, mark) for span in spans] + [Mark(None, mark)] * whole
    edits = insertions(text, marks)
    assert all(edit.span.start == edit.span.end <= len(text) for edit in edits)
    assert is_subsequence(text, apply(text, edits))
    assert bool(edits) == bool(marks)


@given(TEXTS, SPANS, MARKS)
@settings(max_examples=200, deadline=None)
def test_marks_leave_code_and_bibtex_as_they_are(text, spans, mark):
    """Every block of the answer stands in the annotated answer, character for character."""
    marked = apply(text, insertions(text, [Mark(span, mark) for span in spans]))
    assert all(text[b.start : b.end] in marked for b in Layout(text).blocks if b.kind != "math")


@given(TEXTS, SPANS)
@settings(max_examples=400, deadline=None)
def test_cuts_never_raise_and_lose_what_was_cut(text, spans):
    """Edits are disjoint and in order; a cut text of some length survives nowhere."""
    edits = removals(text, [(span, "test") for span in spans], **NOTICES)
    positions = [place for edit in edits for place in (edit.span.start, edit.span.end)]
    assert positions == sorted(positions)
    left = apply(text, edits)
    for span in spans:
        gone = span.of(text).strip()
        if len(gone) >= 8:
            assert gone not in left


NAMES = [
    "Aqaba",
    '"Beta Title Here" (2017)',
    "Ceres et al. (2019)",
    "*Delos of Old*",
    "Eos & Foe, 2020",
    "@book{x, t={Gil}}",
]
GLUE = st.sampled_from(
    [
        " ", ", ", " and ", ", and ", "; ", "; (2) ", "(1) ", "\n", "\n\n", "\n- ", "\n2. ", "\n   - ", " (", ") ", ". ",
        " shows that ", ": ", "\n# ", " | ", "\n| ", "\n|---|---|\n", "\n```\n", '"', "**", " or ", "Books:\n", "。", "（",
    ]
)  # fmt: skip


def words(text):
    return re.sub(r"[\W\d_]+", " ", text).strip()


@given(st.lists(st.tuples(GLUE, st.sampled_from(NAMES), st.sampled_from(["cut", "keep", "-"])), max_size=8))
@settings(max_examples=600, deadline=None)
def test_what_is_kept_survives(parts):
    """Names between everything that answers put between them: those to keep are left, in order."""
    text, spans, kept = "", [], []
    for glue, name, what in parts:
        text += glue
        span = Span(start=len(text), end=len(text) + len(name))
        text += name
        spans += [(span, "test")] * (what == "cut")
        kept += [span] * (what == "keep")
    left = apply(text, removals(text, spans, kept=kept, **NOTICES))
    position = 0
    for span in kept:
        assert span.of(text) in left[position:]
        position = left.index(span.of(text), position) + len(span.of(text))


@given(TEXTS, SPANS, SPANS)
@settings(max_examples=400, deadline=None)
def test_of_what_is_kept_only_markers_change(text, spans, kept):
    """Any text, any spans: no cut takes a letter of what stays, but those of a marker whose entry is gone."""
    pieces = [(max(s.start, 0), min(s.end, len(text))) for s in spans if s.of(text).strip()]
    edits = removals(text, [(span, "test") for span in spans], kept=kept, **NOTICES)
    markers = [m.span() for m in re.finditer(r"\[\^?[\d, –—;-]+\](\([^()\s]*\))?|\\cite\{[^{}\n]*\}", text)]
    for span in kept:
        if any(start < span.end and end > span.start for start, end in pieces):
            continue
        for edit in edits:
            start, end = max(edit.span.start, span.start), min(edit.span.end, span.end)
            if start < end and edit.why != NUMBERED_AGAIN and words(text[start:end]):
                assert any(a < edit.span.end and b > edit.span.start for a, b in markers)


@given(TEXTS)
@settings(deadline=None)
def test_nothing_found_changes_nothing(text):
    """No findings: the answer as it was, byte for byte, under every policy."""
    review = Review(Case(answer=text))
    for policy in (flag(), annotate(), remove(), annotate() | remove(), Plan(remove())):
        assert policy.decide(review).answer == text


ENTRIES = st.lists(st.text("abcdefghij klm", min_size=3, max_size=20).map(str.strip), min_size=1, max_size=8)
STYLES = st.sampled_from(["{}. ", "{}) ", "[{}] ", " {}. "])


@given(
    ENTRIES, STYLES, st.integers(0, 12), st.sets(st.integers(0, 7)), st.sampled_from(["\n", "\n\n", "\r\n"])
)
@settings(max_examples=300, deadline=None)
def test_lists_stay_consecutive_and_markers_follow(entries, style, first, rejected, gap):
    """What is left is numbered from the same first number; each marker still points to its own entry."""
    rejected = {index for index in rejected if index < len(entries)}
    entries = [f"zq{index}x {entry}" for index, entry in enumerate(entries)]
    lines = [style.format(first + index) + entry for index, entry in enumerate(entries)]
    cited = "".join(f"Claim{index}k [{first + index}]. " for index in range(len(entries)))
    text = cited.strip() + "\n\n" + gap.join(lines)
    spans = []
    for index in rejected:
        start = text.index(entries[index])
        spans.append((Span(start=start, end=start + len(entries[index])), "test"))
    left = apply(text, removals(text, spans, **NOTICES))
    kept = [index for index in range(len(entries)) if index not in rejected]
    numbers = {int(m[2]): int(m[1]) for m in re.finditer(r"^ ?\[?(\d+)[\].)]+ zq(\d)x", left, re.MULTILINE)}
    assert {index: first + place for place, index in enumerate(kept)} == numbers
    for index in range(len(entries)):
        assert (f"Claim{index}k [{numbers[index]}]." if index in numbers else f"Claim{index}k.") in left
    assert (LIST_GONE in left) == (not kept)


@given(
    st.lists(
        st.sampled_from(
            ["plain words here. ", "(see MARKER-xyzzy-1). ", "- MARKER-xyzzy-1\n", "\n", "MARKER-xyzzy-1; "]
        ),
        max_size=9,
    )
)
@settings(deadline=None)
def test_a_rejected_marker_is_nowhere_in_the_decision(pieces):
    """One finding on one occurrence: no occurrence is left, in the answer or around it."""
    text = "Start here. " + "".join(pieces) + "MARKER-xyzzy-1"
    start = text.rindex("MARKER")
    span = Span(start=start, end=len(text))
    finding = Finding(
        detector="d",
        span=span,
        text=span.of(text),
        verdict=Verdict.UNSUPPORTED,
        score=1.0,
        mark="MARKER-xyzzy-1",
    )
    decision = (remove() | annotate()).decide(Review(Case(answer=text), (finding,)))
    assert "xyzzy" not in decision.model_dump_json()


@given(st.text())
def test_a_plain_mark_cannot_break_out(mark):
    """One line, no bracket, quote of code, tag or control character."""
    assert not set(plain(mark)) & set("[]<>`{}|\n\r\x00\u202e")


def test_the_honest_sentence_itself_holds_nothing_of_the_answer():
    """An answer that is one rejected reference becomes a sentence."""
    assert apply("Foo, 2020.", removals("Foo, 2020.", [(Span(start=0, end=10), "x")], **NOTICES)) == EMPTY
