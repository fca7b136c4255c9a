"""A model as reader: it lists the references of an answer, and only what is in the answer word for word counts.

The model adds references that this program did not find. It removes none and changes none, since an answer may try to talk it
into either.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from guardrail.references.bibliography.normalise import IDENTIFIERS
from guardrail.references.bibliography.records import Reference
from guardrail.references.citations.kinds import with_kind
from guardrail.references.citations.model import Citation
from guardrail.report import Span
from guardrail.requests import Ask, Untrusted, system, user
from guardrail.text.fence import FENCE_RULE

LONGEST = 40_000  # characters of an answer that are shown to the model
_MOST = 200  # objects of a reply that are read
_ARRAY = re.compile(r"[\[{]")
_YEAR = re.compile(r"(?<!\d)(?:1[4-9]|20)\d\d(?!\d)")


def reading(answer: str) -> Ask:
    """The request: every reference of the answer, as JSON with exact quotations."""
    return Ask(
        (
            system(f"You find references to publications in texts. {FENCE_RULE}"),
            user(
                "List every reference to a publication (article, book, preprint, thesis, report, web page, court case) in the "
                "text below, in order, also those named in running prose or in other languages. Answer with a JSON array only. "
                'Each element has the keys "quote" (the whole reference, copied exactly from the text), "title", "authors" (a '
                'list), "year", "venue" and "doi". Copy every value exactly as it is written within the quote; use "" or [] for '
                "what is not said there. Write [] if there is no reference.\n\n",
                Untrusted(answer[:LONGEST]),
            ),
        ),
        role="judge",
        temperature=0.0,
    )


def added(reply: str, answer: str, found: Sequence[Citation]) -> list[Citation]:
    """The references of a reply that are in the answer word for word, outside those that were found already.

    Args:
        reply: the model's text.
        answer: the text that was shown.
        found: what this program found; nothing that overlaps it is added.

    Example:
        >>> reply = '[{"quote": "Silent Spring, by Carson", "title": "Silent Spring", "authors": ["Carson"], "year": "1962"}]'
        >>> [one] = added(reply, "I like Silent Spring, by Carson, a lot.", [])
        >>> one.reference.title, one.reference.authors, one.reference.year
        ('Silent Spring', ('Carson',), None)
    """
    taken = [one.span for one in found]
    new: list[Citation] = []
    for entry in _entries(reply):
        citation = _citation(entry, answer, [*taken, *(one.span for one in new)])
        if citation is not None:
            new.append(citation)
    return new


def _entries(reply: str) -> Iterator[dict[str, Any]]:
    """The objects of the first JSON value in a reply that is an array or an object."""
    for match in _ARRAY.finditer(reply[:200_000]):
        try:
            value, _ = json.JSONDecoder().raw_decode(reply, match.start())
        except (ValueError, RecursionError):
            return
        values = (
            value
            if isinstance(value, list)
            else next((v for v in value.values() if isinstance(v, list)), [value])
        )
        yield from (entry for entry in values[:_MOST] if isinstance(entry, dict))
        return


def _citation(entry: dict[str, Any], answer: str, taken: Sequence[Span]) -> Citation | None:
    quote = entry.get("quote")
    if not isinstance(quote, str) or not 4 <= len(quote) <= 2_000:
        return None
    start = answer.find(quote)
    while start >= 0 and any(span.start < start + len(quote) and start < span.end for span in taken):
        start = answer.find(quote, start + 1)
    if start < 0:
        return None
    authors = entry.get("authors") if isinstance(entry.get("authors"), list) else []
    year = str(entry.get("year") or "")
    reference = Reference(
        title=_said(entry.get("title"), quote),
        authors=tuple(filter(None, (_said(name, quote) for name in (authors or [])[:50]))),
        et_al="et al" in quote,
        year=int(year) if _YEAR.fullmatch(year) and year in quote else None,
        venue=_said(entry.get("venue"), quote),
        doi=IDENTIFIERS["doi"](_said(entry.get("doi"), quote)),
    )
    if not (reference.title or reference.authors):
        return None
    return with_kind(Citation(Span(start=start, end=start + len(quote)), reference, "model"))


def _said(value: Any, quote: str) -> str:
    """A value that is in the quotation word for word, or nothing."""
    return value.strip() if isinstance(value, str) and value.strip() and value in quote else ""
