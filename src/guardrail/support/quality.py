"""Citation recall and precision of an answer, what it leaves without a citation, and which sources it never cites."""

from __future__ import annotations

import sys
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from guardrail.report import Case, Evidence, Finding, Measurement, Passage, Report, Span
from guardrail.selfcheck.material import has_text
from guardrail.support.cited import Group
from guardrail.support.sources import Sources
from guardrail.text.claims import pieces
from guardrail.text.kinds import Kind

CITATIONS = "citations"
"""The label of the note."""
_RECALL, _PRECISION = "citation recall", "citation precision"
_UNCITED = "a claim without a citation"
_SHOWN = 20  # claims that evidence quotes
_LONGEST = 200  # characters of one
_NAMED = 5  # sources that are listed


@dataclass(frozen=True, slots=True)
class CitationQuality:
    """How well an answer cites: [gao2023alce] §3, citation quality.

    Recall is the share of claims with marks that all point to a document and whose documents together say the claim. Precision
    is the share of marks that are needed: their claim has recall 1, and it is not so that the document alone does not say it while the other documents
    do; 0 where there is no mark. Both are in [0, 1], larger is better, `None` where nothing could be judged.

    Differs: a sentence with marks in its middle is judged clause by clause; sentences that claim nothing do not count; all cited documents are
    read, not the first three, and a mark that names several is one; of more than five marks in a row none is looked for that is too many; what could not be
    judged (a model that failed, an abstract that is silent) is left out, not counted as wrong.

    Attributes:
        recall: over claims.
        precision: over marks.
        by: what judged: the entailment model or the judge.
        uncited: the claims without a citation, of many the first.
    """

    recall: float | None
    precision: float | None
    by: str
    uncited: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Judgement:
    """Marks in a row with what was found.

    Attributes:
        group: the marks.
        supported: whether their documents together say the claim; `None` = it could not be judged.
        supports: of each mark in order, as of `Attribution`.
    """

    group: Group
    supported: bool | None
    supports: tuple[str, ...]

    @property
    def in_range(self) -> bool:
        """Whether every mark points to a document."""
        return all(one.documents for one in self.group.cites)

    @property
    def is_open(self) -> bool:
        """Whether the documents are there and nothing could be said of them."""
        return self.in_range and (self.supported is None or "not at hand" in self.supports)


def citation_quality(report: Report) -> CitationQuality | None:
    """Citation recall and precision of a report; `None` if `SupportCheck` found nothing to measure.

    A corpus has the mean over its answers.

    Example:
        >>> from guardrail import Guard
        >>> from guardrail.support import SupportCheck
        >>> guard = Guard([SupportCheck(fit="words")])
        >>> found = citation_quality(guard.check("It was built in 1904 [1]. It has two doors.", context=["It was built in 1904."]))
        >>> found.recall, found.precision, found.by.partition(',')[0]
        (0.5, 1.0, 'words alone')
    """
    for finding in report.notes:
        figures = {one.name: one for one in finding.evidence if isinstance(one, Measurement)}
        if finding.label == CITATIONS and _RECALL in figures:
            quoted = (one for one in finding.evidence if isinstance(one, Passage) and one.source == _UNCITED)
            return CitationQuality(
                figures[_RECALL].value,
                figures[_PRECISION].value,
                figures[_RECALL].note,
                tuple(one.text for one in quoted),
            )
    return None


def note(
    detector: str, case: Case, judged: Sequence[Judgement], *, by: str, sources: Sources | None = None
) -> list[Finding]:
    """One finding without a verdict, on the whole answer: no policy cuts for it. None where nothing is claimed.

    Args:
        detector: whose finding it is.
        case: the answer with its documents.
        judged: its marks.
        by: what judged them.
        sources: the documents, if some are works of a bibliography: these are not missed where they are never cited, and a reference to
            one is no claim.
    """
    places: dict[tuple[int, int], list[Judgement]] = {}
    for one in judged:
        for span in one.group.cites[0].tie.sentences:
            places.setdefault((span.start, span.end), []).append(one)
    known = Sources.of(case) if sources is None else sources
    marks = sorted(
        {
            *((one.tie.mark.start, one.tie.mark.end) for group in judged for one in group.group.cites),
            *known.references,
        }
    )
    claims = [
        piece.span
        for piece in pieces(case.answer)
        if piece.kind is Kind.CLAIM and not _is_of_a_mark(piece.span, marks)
    ]
    if not claims:
        return []
    recalls, precisions, is_open = _counted(case, judged, places, claims)
    uncited = [span.of(case.answer) for span in claims if (span.start, span.end) not in places]
    evidence: list[Evidence] = [
        Measurement(name=_RECALL, value=_mean(recalls), note=by),
        Measurement(name=_PRECISION, value=_mean(precisions) if precisions or is_open else 0.0, note=by),
    ]
    evidence += [Passage(source=_UNCITED, text=text[:_LONGEST]) for text in uncited[:_SHOWN]]
    never = _never_cited(case, judged, known.given)
    good = f"{sum(recalls)} of {len(recalls)} sentences are supported by their citations as a whole"
    right = f"{sum(precisions)} of {len(precisions)} citations are right and needed"
    said = [
        f"{good}, and {right} (by {by})" if recalls else "no citation could be judged",
        f"{len(uncited)} of {len(claims)} claims without a citation" if uncited else "",
        f"never cited: {', '.join(never[:_NAMED])}" if never else "",
    ]
    more = f" and {len(never) - _NAMED} more" if len(never) > _NAMED else ""
    reason = "; ".join(filter(None, said)) + more
    return [
        Finding(detector=detector, verdict=None, label=CITATIONS, reason=reason, evidence=tuple(evidence))
    ]


def _is_of_a_mark(span: Span, marks: Sequence[tuple[int, int]]) -> bool:
    """Whether a sentence begins inside of a mark: a reference in full has several."""
    before = bisect_right(marks, (span.start, sys.maxsize)) - 1
    return before >= 0 and span.start < marks[before][1]


def _counted(
    case: Case,
    judged: Sequence[Judgement],
    places: Mapping[tuple[int, int], Sequence[Judgement]],
    claims: Sequence[Span],
) -> tuple[list[bool], list[bool], bool]:
    """Of each claim and each mark whether it counts, and whether something could not be judged; without documents nothing can."""
    if not any(map(has_text, case.context)) or (judged and all(one.is_open for one in judged)):
        return [], [], True
    values = {(span.start, span.end): _recall(places.get((span.start, span.end), ())) for span in claims}
    recalls = [value for value in values.values() if value is not None]
    return recalls, _precisions(judged, values), any(one.is_open for one in judged)


def _mean(values: Sequence[bool]) -> float | None:
    return sum(values) / len(values) if values else None


def _recall(own: Sequence[Judgement]) -> bool | None:
    """Of one claim."""
    if not own or not all(one.in_range for one in own):
        return False
    return None if any(one.is_open for one in own) else all(one.supported for one in own)


def _precisions(judged: Sequence[Judgement], values: Mapping[tuple[int, int], bool | None]) -> list[bool]:
    """Of the marks of claims whose marks all point to a document."""
    found: list[bool] = []
    for one in judged:
        own = [values.get((span.start, span.end)) for span in one.group.cites[0].tie.sentences]
        if one.in_range and not one.is_open and None not in own:
            found += [all(own) and support == "yes" for support in one.supports]
    return found


def _never_cited(case: Case, judged: Sequence[Judgement], given: int) -> list[str]:
    used = {number for one in judged for number in one.group.together}
    return [
        name
        for number, (name, text) in enumerate(
            list(zip(case.document_names, case.context, strict=True))[:given]
        )
        if number not in used and has_text(text)
    ]
