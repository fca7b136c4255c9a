"""What is said of one reference: the finding of a look-up, or of the model's replies."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from guardrail.engine.flow import why
from guardrail.references.authors.words import word_set
from guardrail.references.bibliography.claims import retraction
from guardrail.references.bibliography.normalise import normalise
from guardrail.references.bibliography.records import FieldCheck, Match, Outcome, Record, Reference, Status
from guardrail.references.citations import Citation
from guardrail.references.citations.kinds import is_page
from guardrail.references.correcting import corrections
from guardrail.references.evidence import lookup_of, replies_of
from guardrail.references.interrogate import Interrogation
from guardrail.references.quotation import Differences, accused
from guardrail.references.scoring import mean
from guardrail.references.second_reading import in_marks
from guardrail.references.wording import another, belongs, compared, corrected, impossible
from guardrail.report import Evidence, Finding, Lookup, Span, Verdict

DOUBTFUL = frozenset({"labelled", "unmarked", "model"})
"""Styles whose title may be none: never an accusation."""

_IN_MARKS = {"quoted", "bibtex", "ris", "json"}  # styles that say which words are the title
_INITIALS = re.compile(r"\b[A-Z]{3,6}\b")  # Reno v. ACLU
_SHORT_FOR = word_set(
    "the a an original official paper article preprint report book code repository repo page pdf"
)
_CASE = " v. "
_MAIN = 3  # words that are a title of their own
_MISQUOTED_AGREEMENT = 0.5  # witnesses who agree at least so much know the work
_MISQUOTED_CLAIM = 0.2  # and a claim that overlaps less than this is not what they know


@dataclass(frozen=True, slots=True)
class Findings:
    """Makes the findings of one detector.

    Attributes:
        detector: its name.
        differences: which differences accuse.
        threshold: the score from which the model's replies accuse.
        looks_up: whether there is a bibliography.
        by_sources: whether catalogues are searched, too.
    """

    detector: str
    differences: Differences
    threshold: float
    looks_up: bool
    by_sources: bool

    def of_its_entry(self, mark: Citation, entry: Finding | None) -> Finding:
        """The finding on an author-year mark, or on a title that is named again, is that of the entry which it refers to."""
        if entry is None:
            return self.unverified(mark, "the reference that this mark refers to was not examined")
        reason = f"this refers to “{entry.text}”: {entry.reason}"
        return entry.model_copy(update={"span": mark.span, "reason": reason})

    def not_read(self, span: Span | None, answer: str, reason: str) -> Finding:
        """The finding on a place that could not be read."""
        return Finding(
            detector=self.detector,
            span=span,
            text="" if span is None else span.of(answer)[:200],
            verdict=Verdict.UNVERIFIED,
            label="unknown",
            reason=reason,
        )

    def from_look_up(
        self, citation: Citation, text: str, match: Match, wrong: Sequence[FieldCheck]
    ) -> Finding | None:
        """The finding of a look-up that leaves nothing to ask."""
        if match.status is Status.FOUND and match.record is not None:
            return self._of_real(citation, text, match, match.record)
        owner = next((check for check in match.fields if check.how == "owner"), None)
        if reason := self._doubt(citation, match, owner):
            return self.unverified(citation, reason, evidence=[lookup_of(match)])
        if match.exists is False:
            reason = "not in a bibliography that is declared complete"
            if self.by_sources:
                reason = "in none of the sources for its kind of work"
            reason += f", and {belongs(owner)}" if owner else ""
            reason += f"; {other}" if (other := another(match)) else ""
            return self._accused(citation, "fabricated", "no such work found", reason, match)
        if owner is not None and (citation.style in _IN_MARKS or in_marks(citation, text)):
            reason = f"the work is not known, and {belongs(owner)}"
            return self._accused(citation, "misquoted", belongs(owner), reason, match)
        impossibly = [check for check in wrong if check.outcome is Outcome.DIFFERS]
        if self.differences == "strict" and impossibly:
            reason = "whether the work exists is not known; what is said of it contradicts itself"
            return self._accused(citation, "misquoted", impossible(impossibly), reason, match)
        return None

    def _doubt(self, citation: Citation, match: Match, owner: FieldCheck | None) -> str:
        """Why that a work was not found says nothing about it; "" if it does."""
        said, legal = citation.reference, citation.style == "legal"
        if (citation.style in DOUBTFUL or _calls(said, owner)) and self.looks_up:
            if owner is None:
                return "not found, but its title could not be read reliably"
            return f"{belongs(owner)}; whether the answer gives another title could not be read reliably"
        if legal and _INITIALS.search(said.title):
            return "not found under this name, and its initials may be written out in the bibliography"
        if match.exists is False and legal and not _is_american(said):
            return "not found, but no bibliography has all laws, or all cases outside the United States"
        if match.exists is False and is_page(said):
            return "not found, but it may be a page of the web, which bibliographies do not list"
        return ""

    def _of_real(self, citation: Citation, text: str, match: Match, work: Record) -> Finding:
        """The finding on a work that exists: quoted right, quoted wrongly, or retracted."""
        reason, retracted = compared(match), retraction(work)
        if retracted:
            reason = f"the work was retracted ({retracted}); {reason}"
        if citation.style in DOUBTFUL and match.differences:
            doubt = f"it may be “{work.title}”, but what the answer says about it could not be read reliably"
            return self.unverified(citation, doubt, evidence=[lookup_of(match)])
        if wrong := accused(match, self.differences):
            found = self._accused(citation, "misquoted", corrected(wrong, work), reason, match)
            return _with_corrections(found, match, citation, text)
        if retracted and self.differences == "strict":
            return self._accused(citation, "retracted", "retracted", reason, match)
        label, mark, verdict = "verified", "", Verdict.SUPPORTED
        if match.differences:
            label, mark, verdict = "misquoted", corrected(match.differences, work), Verdict.UNVERIFIED
        if retracted:
            label, mark, verdict = (
                "retracted",
                "; ".join(filter(None, ["retracted", mark])),
                Verdict.UNVERIFIED,
            )
        found = self._finding(
            citation, verdict, label, score=0.0, mark=mark, reason=reason, evidence=[lookup_of(match)]
        )
        return found if retracted else _with_corrections(found, match, citation, text)

    def _accused(self, citation: Citation, label: str, mark: str, reason: str, match: Match) -> Finding:
        return self._finding(
            citation,
            Verdict.UNSUPPORTED,
            label,
            score=1.0,
            mark=mark,
            reason=reason,
            evidence=[lookup_of(match)],
        )

    def from_replies(
        self,
        citation: Citation,
        asked: Interrogation,
        before: str,
        evidence: list[Evidence],
        against: str,
    ) -> Finding:
        """The finding of the model's replies about a work that no look-up settled."""
        evidence = [*evidence, *replies_of(asked)]
        grounded = asked.groundedness
        if grounded is None:
            reason = why(asked.failures) or "no reply could be understood"
            if asked.nobody_asked:
                nowhere = "" if self.looks_up else "nothing was given to look it up in, and "
                return self.unverified(
                    citation, f"{before}{nowhere}no chat model was given to ask about it", evidence=evidence
                )
            missing = asked.missing or "no score"
            return self.unverified(citation, f"{before}{missing}: {reason}", evidence=evidence)
        claim, title_alone = mean(asked.claim), asked.without_claim
        score, verdict = min(1.0, max(0.0, 1 - grounded)), Verdict.UNSUPPORTED
        if (
            claim is not None
            and claim < _MISQUOTED_CLAIM
            and (mean(asked.overlaps) or 0.0) >= _MISQUOTED_AGREEMENT
            and title_alone is not None
            and 1 - title_alone < self.threshold
        ):
            label, mark, score = "misquoted", "authors differ", 1 - min(grounded, claim)
            reason = "asked apart, the model names other authors than the answer does"
        elif score >= self.threshold:
            label, mark = "fabricated", "probably no such work"
            reason = "asked about this work, the model does not know it"
        else:
            # a source that should have been asked and did not answer: the model alone does not clear the work
            unreachable = any(isinstance(e, Lookup) and e.status == "unreachable" for e in evidence)
            verdict = Verdict.UNVERIFIED if unreachable or against else Verdict.SUPPORTED
            label, mark = "misquoted" if against else "grounded", against
            reason = "asked about this work, the model answers consistently"
        return self._finding(
            citation, verdict, label, score=score, mark=mark, reason=before + reason, evidence=evidence
        )

    def _finding(
        self,
        citation: Citation,
        verdict: Verdict,
        label: str,
        *,
        score: float | None,
        reason: str,
        mark: str = "",
        evidence: Sequence[Evidence] = (),
    ) -> Finding:
        return Finding(
            detector=self.detector,
            span=citation.span,
            text=citation.reference.title,
            score=score,
            verdict=verdict,
            label=label,
            mark=mark,
            reason=reason,
            evidence=tuple(evidence),
        )

    def unverified(self, citation: Citation, reason: str, *, evidence: Sequence[Evidence] = ()) -> Finding:
        """The finding on a reference that could not be judged."""
        return self._finding(
            citation, Verdict.UNVERIFIED, "unknown", score=None, reason=reason, evidence=evidence
        )


def _calls(said: Reference, owner: FieldCheck | None) -> bool:
    """Whether a title is but what a work, whose identifier is given, is called in short: [QLoRA paper](https://arxiv.org/abs/2305.14314)."""
    if owner is None:
        return False
    if " " not in said.title.strip():  # Align → STAR → https://doi.org/…; a repository
        return True
    known = normalise(owner.found).split()
    words = [word for word in normalise(said.title).split() if word not in _SHORT_FOR]
    return len(words) < _MAIN and bool(words) and all(word in known for word in words)


def _is_american(said: Reference) -> bool:
    """Whether a case is in a reporter of the United States, or is named in their manner: Roe v. Wade."""
    return bool(said.volume) or (_CASE in said.title and not said.venue)


def _with_corrections(finding: Finding, match: Match, citation: Citation, text: str) -> Finding:
    return finding.model_copy(update={"corrections": corrections(match, citation, text)})
