"""A service's own citations, kept when the text is edited: their places move with it, and those of removed text go.

OpenAI's annotations lie at places of the text (`start_index`, `end_index`, or `index`); Anthropic's citations belong to a whole block.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import unquote_plus

from guardrail.adapting.changes import Change
from guardrail.adapting.residue import Field, is_wordless, one_of, stripped, word
from guardrail.given.citations import KINDS, MOST
from guardrail.report import Edit

__all__ = ["of_block", "of_text"]

Json = dict[str, Any]


def _wordless(value: Any, taken: Sequence[str]) -> Any:
    """A name or a quotation that clients expect: as it is where it can be no prose, else empty."""
    return value if is_wordless(value, taken) else ""


def _address(value: Any, taken: Sequence[str]) -> Any:
    """An address without its fragment; empty where it may spell out a text that was taken out."""
    if not isinstance(value, str):
        return ""
    bare = value.partition("#")[0]
    said = " ".join(unquote_plus(bare).replace("-", " ").replace("_", " ").casefold().split())
    gone = (" ".join(text.replace("-", " ").casefold().split()).rstrip(".!? ") for text in taken)
    return bare if is_wordless(bare, taken) and not any(text and text in said for text in gone) else ""


_PROSE = ("title", "cited_text", "document_title", "filename", "quote", "source")
_FIELDS: Mapping[str, Field] = {
    "type": one_of("url_citation"),
    **dict.fromkeys(_PROSE, _wordless),
    **dict.fromkeys(("start_index", "end_index", "index"), word),
    "url": _address,
}


def of_text(annotations: Any, change: Change, taken: Sequence[str] | None) -> list[Json]:
    """The annotations of a text after a change.

    Args:
        annotations: what the service said; anything but objects is left out.
        change: of this text.
        taken: what was taken out of the answer, which may not turn up in them; `None` = nothing was.
    """
    if not change.edits and change.changed:  # another text is in its place
        return []
    placed = [one for one in _objects(annotations) if taken is None or _has_place(one)]
    found = (_moved(one, change.edits, len(change.before)) for one in placed)
    return [one if taken is None else _safe(one, taken) for one in found if one is not None]


def of_block(citations: Any, change: Change, taken: Sequence[str] | None) -> list[Json]:
    """The citations of a block of text after a change: all, unless some of the block went.

    Args:
        citations: what the service said of the block.
        change: of the block's text.
        taken: as of `of_text`.
    """
    cut = (change.changed and not change.edits) or any(
        edit.span.end > edit.span.start for edit in change.edits
    )
    if cut:
        return []
    return [dict(one) if taken is None else _safe(one, taken) for one in _objects(citations)]


def _objects(given: Any) -> list[Mapping[str, Any]]:
    return [one for one in given[:MOST] if isinstance(one, Mapping)] if isinstance(given, list) else []


def _has_place(annotation: Mapping[str, Any]) -> bool:
    """Whether it is known which words an annotation belongs to: else it may be those that went."""
    inner = annotation.get(str(annotation.get("type")))
    known = inner if isinstance(inner, Mapping) else annotation
    return known.get("start_index", known.get("index")) is not None


def _moved(annotation: Mapping[str, Any], edits: Sequence[Edit], size: int) -> Json | None:
    """An annotation with its places in the edited text; `None` if its text went, or it points outside of the text."""
    kind = annotation.get("type")
    inner = annotation.get(kind) if isinstance(kind, str) else None
    if isinstance(inner, Mapping):  # of chat completions
        moved = _moved({**inner, "type": None}, edits, size)
        if moved is None:
            return None
        moved.pop("type")
        return {**annotation, str(kind): moved}
    start = annotation.get("start_index", annotation.get("index"))
    end = annotation.get("end_index", start)
    if start is None:
        return dict(annotation)
    if not (isinstance(start, int) and isinstance(end, int) and 0 <= start <= end <= size):
        return None
    if any(_cuts(edit, start, end) for edit in edits):
        return None
    places = {
        "start_index": start + _shift(edits, start, inclusive=True),
        "end_index": end + _shift(edits, end, inclusive=start == end),
        "index": start + _shift(edits, start, inclusive=True),
    }
    return {name: places.get(name, value) for name, value in annotation.items()}


def _cuts(edit: Edit, start: int, end: int) -> bool:
    """Whether an edit takes a place away; a citation at one point belongs to the character before it."""
    first = max(0, start - 1) if start == end else start
    return edit.span.start < max(end, first + 1) and first < edit.span.end


def _shift(edits: Sequence[Edit], place: int, *, inclusive: bool) -> int:
    """By how much a place moves; of what is put in at the place itself only with `inclusive`."""
    return sum(
        len(edit.replacement) - (edit.span.end - edit.span.start)
        for edit in edits
        if edit.span.end < place or (edit.span.end == place and (inclusive or edit.span.start < place))
    )


def _safe(one: Mapping[str, Any], taken: Sequence[str]) -> Json:
    """Without what may be prose."""
    kind = one.get("type")
    inner = one.get(kind) if isinstance(kind, str) and kind in KINDS else None
    bare = {name: value for name, value in one.items() if not isinstance(value, Mapping)}
    found = stripped(bare, _FIELDS, taken)
    if isinstance(inner, Mapping):
        found[str(kind)] = _safe({name: value for name, value in inner.items() if name != "type"}, taken)
    return found
