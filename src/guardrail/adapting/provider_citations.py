"""A service's own citations, kept when the text is edited: their places move with it, and those of removed text go.

OpenAI's annotations and LangChain's lie at places of the text (`start_index`, `end_index`, or `index`); Anthropic's citations belong to a whole block,
as does an annotation without a place.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import unquote_plus

from guardrail.adapting.changes import Change, Places, Taken
from guardrail.adapting.residue import Field, is_wordless, one_of, stripped, word
from guardrail.given.accepted import Json, JsonObject
from guardrail.given.citations import DEEPER, MOST, PLACES, begins, fields_of


def _wordless(value: Any, taken: Sequence[str]) -> Any:
    """A name or a quotation that clients expect: as it is where it can be no prose, else empty."""
    return value if is_wordless(value, taken) else ""


def _address(value: Any, taken: Sequence[str]) -> Any:
    """An address without its fragment; empty where it may spell out a text that was taken out."""
    if not isinstance(value, str):
        return ""
    bare = value.partition("#")[0]
    said = " ".join(unquote_plus(bare).replace("-", " ").replace("_", " ").casefold().split())
    gone = taken.plain if isinstance(taken, Taken) else Taken(taken).plain
    return bare if is_wordless(bare, taken) and not any(text in said for text in gone) else ""


_PROSE = ("title", "cited_text", "document_title", "filename", "quote", "source")
_FIELDS: Mapping[str, Field] = {
    "type": one_of("url_citation"),
    **dict.fromkeys(_PROSE, _wordless),
    **dict.fromkeys((*PLACES, "end_index"), word),
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
    places, whole, size = Places(change.edits), _is_whole(change), len(change.before)
    moved = (_moved(one, places, size, whole=whole) for one in _objects(annotations))
    return [one if taken is None else _safe(one, taken) for one in moved if one is not None]


def of_block(citations: Any, change: Change, taken: Sequence[str] | None) -> list[Json]:
    """The citations of a block of text after a change: all, unless some of the block went.

    Args:
        citations: what the service said of the block.
        change: of the block's text.
        taken: as of `of_text`.
    """
    if not _is_whole(change):
        return []
    return [dict(one) if taken is None else _safe(one, taken) for one in _objects(citations)]


def _is_whole(change: Change) -> bool:
    """Whether nothing of a text went: what is put right says what its source says, and a cut behind it takes blanks along."""
    if not change.edits:
        return not change.changed
    gone = [(edit.span.of(change.before), edit.replacement) for edit in change.edits]
    return not any(words.strip() and (words, new) not in change.corrected for words, new in gone)


def _objects(given: Any) -> list[JsonObject]:
    return [one for one in given[:MOST] if isinstance(one, Mapping)] if isinstance(given, list) else []


def _moved(annotation: JsonObject, places: Places, size: int, *, whole: bool) -> Json | None:
    """An annotation with its places in the edited text; `None` if its text went, or it points outside of the text.

    Where nobody knows which words one without a place belongs to, it may be those that went. One at a single point belongs to the
    character before it.
    """
    fields = fields_of(annotation)
    start = begins(fields)
    if start is None:
        return dict(annotation) if whole else None
    end = start if fields.get("end_index") is None else fields["end_index"]
    if not (isinstance(start, int) and isinstance(end, int) and 0 <= start <= end <= size):
        return None
    if start < end:
        place = places.of(start, end)
    elif place := places.of(max(0, start - 1), max(1, start)):
        place = (place[0] + min(1, start),) * 2
    if place is None:
        return None
    return _with(annotation, {**dict.fromkeys(PLACES, place[0]), "end_index": place[1]})


def _with(annotation: JsonObject, places: Mapping[str, int]) -> Json:
    """An annotation with other places, also a level deeper."""
    deeper = {name: {**annotation[name]} for name in DEEPER if isinstance(annotation.get(name), Mapping)}
    for one in deeper.values():
        one.update({name: place for name, place in places.items() if one.get(name) is not None})
    moved = {name: place for name, place in places.items() if annotation.get(name) is not None}
    return {**annotation, **deeper, **moved}


def _safe(one: JsonObject, taken: Sequence[str]) -> Json:
    """Without what may be prose."""
    deeper = {name: _bare(one[name], taken) for name in DEEPER if isinstance(one.get(name), Mapping)}
    return {**_bare(one, taken), **deeper}


def _bare(fields: JsonObject, taken: Sequence[str]) -> Json:
    flat = {name: value for name, value in fields.items() if not isinstance(value, Mapping)}
    return stripped(flat, _FIELDS, taken)
