"""Edits of a whole answer: thoughts in its text (`<think>…</think>`) apart, the rest as prose with JSON in it.

A thought is no part of what is shown as the answer: nothing in it is marked. Nobody has examined it either, and it may say what is
cut: where something is cut, thoughts go, tags and all.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from guardrail.policies.edits import json_edits
from guardrail.policies.edits.application import merge, replacement
from guardrail.policies.edits.cuts import past
from guardrail.policies.edits.extents import trim
from guardrail.policies.edits.marks import Mark
from guardrail.policies.edits.removing import SHORTEST_ECHO, Cutting
from guardrail.report import Edit, Span
from guardrail.text.thoughts import thought_spans

_WHY = "a thought, which nobody examined"


def told_in_json(answer: str, message: str) -> str:
    """As `json_edits.message_in_json`: an object, if the answer behind its thoughts is JSON and nothing else."""
    return json_edits.message_in_json(_blanked(answer, thought_spans(answer)), message)


def merged(text: str, first: Sequence[Edit], second: Sequence[Edit]) -> tuple[Edit, ...]:
    """As `json_edits.json_merged`."""
    return json_edits.json_merged(_blanked(text, thought_spans(text)), first, second)


def insertions(text: str, marks: Sequence[Mark]) -> tuple[Edit, ...]:
    """As `json_edits.json_insertions`; of a thought nothing is marked."""
    apart = thought_spans(text)
    if not apart:
        return json_edits.json_insertions(text, marks)
    bare = _blanked(text, apart)
    shown = [mark for mark in marks if mark.span is None or _says_something(bare, mark.span)]
    return json_edits.json_insertions(bare, shown)


def removals(
    text: str,
    spans: Sequence[tuple[Span, str]],
    *,
    empty: str,
    list_gone: str,
    language: str = "",
    titles: Sequence[str] = (),
    kept: Sequence[Span] = (),
) -> tuple[Edit, ...]:
    """As `json_edits.json_removals`; where something is cut, thoughts are cut, too."""
    apart = thought_spans(text)
    if not any(span.of(text).strip() for span, _ in spans):
        return ()
    bare = _blanked(text, apart)
    edits = json_edits.json_removals(
        bare,
        [*_said_again(text, bare, spans), *(one for one in spans if _says_something(bare, one[0]))],
        Cutting(empty, list_gone, language, titles, [span for span in kept if _says_something(bare, span)]),
    )
    if not apart:
        return edits
    if not any(map(str.isalnum, bare)) or any(e.span == Span(start=0, end=len(text)) for e in edits):
        why = edits[0].why if edits else _WHY
        shown = edits[0].replacement if edits else empty
        return (replacement(0, len(text), shown, why),)
    gone = [Edit(span=_with_blanks(text, one), replacement="", why=_WHY) for one in apart]
    return merge(gone, [piece for edit in edits for piece in _outside(edit, gone)])


def _said_again(text: str, bare: str, spans: Sequence[tuple[Span, str]]) -> Iterator[tuple[Span, str]]:
    """What is cut of a thought, where the rest of the text says it again."""
    pieces = {s.of(text).strip(): why for s, why in spans if not _says_something(bare, s)}
    for piece, why in pieces.items():
        at = bare.find(piece) if len(piece) >= SHORTEST_ECHO else -1
        while at >= 0:
            yield Span(start=at, end=at + len(piece)), why
            at = bare.find(piece, at + len(piece))


def _says_something(text: str, span: Span) -> bool:
    piece = trim(text, span)
    return piece.end > piece.start


def _blanked(text: str, apart: Sequence[Span]) -> str:
    """The text with blanks in the place of thoughts, each on a line of its own, so that nothing moves."""
    pieces, at = [], 0
    for span in apart:
        size = span.end - span.start
        pieces += [text[at : span.start], "\n" + " " * (size - 2) + "\n"]
        at = span.end
    return "".join([*pieces, text[at:]])


def _with_blanks(text: str, thought: Span) -> Span:
    """With the blanks behind it, where there are some before it, or it begins the text; at its end, with those before it."""
    start, end = thought.start, thought.end
    if start == 0 or text[start - 1].isspace():
        end = past(text, end, len(text))
    return Span(start=len(text[:start].rstrip()) if end == len(text) else start, end=end)


def _outside(edit: Edit, gone: Sequence[Edit]) -> Iterator[Edit]:
    """What of an edit lies outside of thoughts, which it may reach with the blanks that it takes along."""
    words, at = edit.replacement, edit.span.start
    if at == edit.span.end:
        yield edit
        return
    for one in gone:
        if one.span.end <= at or one.span.start >= edit.span.end:
            continue
        if one.span.start > at:
            yield replacement(at, one.span.start, words, edit.why)
            words = ""
        at = max(at, one.span.end)
    if at < edit.span.end:
        yield replacement(at, edit.span.end, words, edit.why)
