"""Citations that a service gives apart from the text: where in the answer, and which source.

Read are OpenAI's annotations (chat completions and Responses), Anthropic's citations of a block, also as LiteLLM passes them on, and LangChain's
`Citation`, into which it writes those of other services.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from guardrail.given.accepted import JsonObject
from guardrail.given.content import LANGCHAIN, as_plain
from guardrail.given.recognition import is_of
from guardrail.given.sources import NAMES, first_field
from guardrail.requests import Cited

MOST = 1_000
"""Citations of one answer that are read."""

KINDS = ("url_citation", "file_citation", "container_file_citation", "file_path")
"""Kinds of annotations of chat completions, each with its fields under its own name."""
DEEPER = (*KINDS, "value", "extras")
"""Names under which an annotation may have more of its fields; the last two are LangChain's."""
PLACES = ("start_index", "index", "file_index")
"""Names of the place at which an annotation begins, or which it has; the last one is LangChain's."""
_POINT = 1  # characters of the place of a citation that has one point
_BRACKETS = ("(", "[", "【", "（")


def fields_of(annotation: JsonObject) -> JsonObject:
    """The fields of an annotation, also those that it has a level deeper.

    Example:
        >>> fields_of({"type": "url_citation", "url_citation": {"start_index": 3}})["start_index"]
        3
    """
    deeper = [annotation[name] for name in DEEPER if isinstance(annotation.get(name), Mapping)]
    return {name: value for one in (*deeper, annotation) for name, value in one.items()}


def begins(fields: JsonObject) -> Any:
    """The place at which an annotation with such fields begins; `None` if it names none."""
    return next((fields[name] for name in PLACES if fields.get(name) is not None), None)


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
        known = plain.get("provider_specific_fields")
        blocks = _of_blocks(known.get("citations"), content) if isinstance(known, Mapping) else ()
        yield content, [*_listed(plain.get("annotations")), *blocks]
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


def _of_blocks(given: Any, content: str) -> Iterator[Any]:
    """LiteLLM's lists of citations, one for each block that it joined into a text; each citation repeats its block."""
    at = 0
    for citations in _listed(given)[:MOST]:
        cited = [one for one in _listed(citations) if isinstance(one, Mapping)]
        said = cited[0].get("supported_text") if cited else ""
        if not isinstance(said, str) or (place := content.find(said, at)) < 0:
            return  # what follows would be looked for in the whole text again and again
        at = place + len(said)
        yield from ({**one, "block": True, "start_index": place, "end_index": at} for one in cited)


def _cited(given: Any, base: int, said: str) -> Cited | None:
    """One citation in a text that begins at `base`; `None` if it cannot be read."""
    if not isinstance(given, Mapping):
        return None
    known = fields_of(given)
    begin = begins(known)
    langchain = known.get("type") == "citation"  # its `id` is its own
    is_block = bool(known.get("block")) or (langchain and begin is None)
    place = (0, len(said)) if is_block and begin is None else _place(begin, known.get("end_index"), len(said))
    if place is None:
        return None
    start, end = place
    words = said[start:end].strip()
    is_mark = end - start <= _POINT or words.startswith(_BRACKETS) or "](" in words or words.isdigit()
    number = known.get("document_index", known.get("search_result_index"))
    return Cited(
        base + start,
        base + end,
        is_block or not is_mark,
        url=first_field(known, ("url", "source")) if "://" in first_field(known, ("url", "source")) else "",
        name=first_field(known, ("document_title", *NAMES)),
        identifier=first_field(known, ("file_id",) if langchain else ("file_id", "id")),
        number=number if isinstance(number, int) and not isinstance(number, bool) else None,
        quoted=first_field(known, ("cited_text",)),
    )


def _place(start: Any, end: Any, size: int) -> tuple[int, int] | None:
    """Where an annotation begins and ends in a text of `size` characters; one that names a single point gets the character before it. `None` outside."""
    whole = [one for one in (start, end) if one is not None]
    if start is None or any(not isinstance(one, int) or isinstance(one, bool) for one in whole):
        return None
    first, last = (max(0, start - _POINT), start) if end is None else (start, end)
    return (first, last) if 0 <= first <= last <= size and start >= 0 else None
