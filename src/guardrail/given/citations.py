"""Citations that a service gives apart from the text: where in the answer, and which source.

Read are OpenAI's annotations (chat completions and Responses), Anthropic's citations of a block, and LangChain's `Citation`, into which it writes
those of other services.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from guardrail.given.content import LANGCHAIN, as_plain
from guardrail.given.recognition import is_of
from guardrail.given.sources import NAMES, first_field
from guardrail.requests import Cited

MOST = 1_000
"""Citations of one answer that are read."""

KINDS = ("url_citation", "file_citation", "container_file_citation", "file_path")
"""Kinds of annotations of chat completions, each with its fields under its own name."""
_POINT = 1  # characters of the place of a citation that has one point
_BRACKETS = ("(", "[", "【", "（")


def citations_of(given: Any, text: str) -> tuple[Cited, ...]:
    """The citations that come with an answer, in the order of their places; what cannot be read is left out.

    Args:
        given: a message or a response, or anything else, which has none.
        text: the answer as it is examined: its text blocks, in their order.
    """
    if isinstance(given, str) or given is None:
        return ()
    found: list[Cited] = []
    at = 0
    for said, citations in _blocks(given):
        place = text.find(said, at) if said else -1
        if place < 0:
            continue
        at = place + len(said)
        found += [one for citation in citations if (one := _cited(citation, place, said))]
    return tuple(sorted(found, key=lambda one: (one.start, one.end)))[:MOST]


def _blocks(given: Any) -> Iterator[tuple[str, Sequence[Any]]]:
    """The texts of an answer with the citations of each."""
    if is_of(given, LANGCHAIN):
        given = {"content": given.content, **given.additional_kwargs}
    plain = as_plain(given)
    if not isinstance(plain, Mapping):
        return
    choices = plain.get("choices")
    if isinstance(choices, list) and choices:
        yield from _blocks(choices[0])
        return
    for name in ("message", "data", "kwargs"):
        if isinstance(plain.get(name), Mapping):
            yield from _blocks(plain[name])
            return
    if isinstance(plain.get("output"), list):
        for item in plain["output"]:
            if isinstance(item, Mapping) and item.get("type") == "message":
                yield from _blocks({"content": item.get("content")})
        return
    content = plain.get("content")
    if isinstance(content, str):
        yield content, _listed(plain.get("annotations"))
    for block in _listed(content):
        if isinstance(block, Mapping) and isinstance(block.get("text"), str):
            yield (
                block["text"],
                [*_listed(block.get("annotations")), *map(_whole, _listed(block.get("citations")))],
            )


def _listed(given: Any) -> list[Any]:
    return given if isinstance(given, list) else []


def _whole(citation: Any) -> Any:
    """A citation of a block: its place is the block."""
    return {**citation, "block": True} if isinstance(citation, Mapping) else None


def _cited(given: Any, base: int, said: str) -> Cited | None:
    """One citation in a text that begins at `base`; `None` if it cannot be read."""
    if not isinstance(given, Mapping):
        return None
    kind = given.get("type")
    inner = given.get(kind) if isinstance(kind, str) and kind in KINDS else None
    known: Mapping[str, Any] = inner if isinstance(inner, Mapping) else given
    place = (0, len(said)) if known.get("block") else _place(known, len(said))
    if place is None:
        return None
    start, end = place
    words = said[start:end].strip()
    is_mark = end - start <= _POINT or words.startswith(_BRACKETS) or "](" in words or words.isdigit()
    number = known.get("document_index", known.get("search_result_index"))
    return Cited(
        base + start,
        base + end,
        bool(known.get("block")) or not is_mark,
        url=first_field(known, ("url", "source")) if "://" in first_field(known, ("url", "source")) else "",
        name=first_field(known, ("document_title", *NAMES)),
        identifier=first_field(known, ("file_id", "id")),
        number=number if isinstance(number, int) and not isinstance(number, bool) else None,
        quoted=first_field(known, ("cited_text",)),
    )


def _place(known: Mapping[str, Any], size: int) -> tuple[int, int] | None:
    """Where an annotation begins and ends in a text of `size` characters; one that names a single point gets the character before it. `None` outside."""
    start, end = known.get("start_index", known.get("index")), known.get("end_index")
    whole = [one for one in (start, end) if one is not None]
    if start is None or any(not isinstance(one, int) or isinstance(one, bool) for one in whole):
        return None
    first, last = (max(0, start - _POINT), start) if end is None else (start, end)
    return (first, last) if 0 <= first <= last <= size and start >= 0 else None
