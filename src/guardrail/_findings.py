"""A finding in the words of its readers: why, the passage that says otherwise, what could be written in its place."""

from __future__ import annotations

from typing import TYPE_CHECKING

from guardrail._visible import one_line

if TYPE_CHECKING:
    from guardrail.report import Finding, Work

_LONGEST = 160  # characters of a passage
_VERDICTS = ("not_in_documents", "not_in_answers", "not_supported")


def why(finding: Finding) -> str:
    """The reason, with what an annotation would say; one line."""
    mark = one_line(finding.mark, 300)
    reason = one_line(finding.reason, 400)
    if reason and repeats(finding):
        return reason
    return f"{reason} ({mark})" if mark and reason else mark or reason


def repeats(finding: Finding) -> bool:
    """Whether a mark only says the verdict again: "not supported by documents"."""
    from guardrail.policies.texts import FALLBACK, table

    return finding.mark in {table()[FALLBACK][key] for key in _VERDICTS}


def against(finding: Finding, longest: int = _LONGEST) -> str:
    """What another answer or a document has in the place of something unsupported, with where it is; "" if that is not known.

    Args:
        finding: any.
        longest: characters of the passage.
    """
    passage = next((one for one in finding.evidence if one.kind == "passage"), None)
    if passage is None or finding.word != "unsupported":
        return ""
    return f"{one_line(passage.source, 40)}: {one_line(passage.text, longest)}"


def suggestion(finding: Finding, answer: str) -> str:
    """What could be written in its place: the text with its corrections, or the work that was meant; "" if neither is known.

    Args:
        finding: of a report on this answer.
        answer: as it was examined.
    """
    if finding.word != "unsupported":
        return ""
    if finding.corrections and finding.span is not None:
        from guardrail.policies.edits import apply

        tail = answer[finding.span.end :]
        edited = apply(answer, finding.corrections)
        return one_line(edited[finding.span.start : len(edited) - len(tail)])
    for one in finding.evidence:
        if one.kind == "lookup" and one.status == "found" and one.work is not None and one.exists:
            return "" if one.work.retracted else _cited(one.work)
    return ""


def _cited(work: Work) -> str:
    """A work as a reference."""
    authors, year = "; ".join(work.authors), "" if work.year is None else str(work.year)
    place = ", ".join(filter(None, (work.venue, year, work.identifier)))
    return ". ".join(one_line(part) for part in (authors, work.title, place) if part) + "."
