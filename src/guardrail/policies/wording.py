"""What policies say: marks, notes, and the words with which to ask again."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection

from guardrail.policies.edits import Mark, flattened, plain
from guardrail.policies.review import Review
from guardrail.policies.texts import ENGLISH, Phrases
from guardrail.report import DetectorFailure, Finding, Verdict
from guardrail.requests import Message, user
from guardrail.text.fence import FENCE_RULE, fence, fenced_pieces, repeats_marks

_OF_VERDICT = {
    "unverified": "unverified",
    "unsupported": "not_supported",
    "supported": "supported",
}
_OF_LABEL = {"fabricated": "no_such_work", "misquoted": "details_differ", "retracted": "retracted"}
_LISTED_IN_FEEDBACK = 20


def mark(finding: Finding, phrases: Phrases = ENGLISH) -> Mark:
    """What to write after a finding: its own words, else those of its label, else those of its verdict.

    Words that cannot be said in the answer's language are those of the label, if it has some there.
    """
    key = _OF_LABEL.get(finding.label)
    text = phrases.mark(finding.mark)
    if text is None and key is None:
        text = finding.mark
    text = text or phrases.of(key or _OF_VERDICT[finding.word])
    if finding.span is None:
        text = phrases.of("whole_answer", mark=text)
    return Mark(finding.span, text, why(finding))


def failure_mark(failure: DetectorFailure, phrases: Phrases = ENGLISH) -> Mark:
    """What to write below an answer that a detector could not finish."""
    name = flattened(failure.detector, 40)
    return Mark(None, phrases.of("unfinished", name=name), f"{name}: {failure.reason}")


def why(finding: Finding) -> str:
    """The reason of an edit; it quotes nothing of the answer."""
    return f"{flattened(finding.detector, 40)}: {finding.verdict}"


def count_of(count: int, noun: str) -> str:
    """A count with its noun: 1 mark, 2 marks."""
    return f"{count} {noun}{'' if count == 1 else 's'}"


def unconfirmed(findings: Collection[Finding], unfinished: int, phrases: Phrases = ENGLISH) -> str:
    """How many findings of which kind, and how many checks were not finished."""
    checks = "one_check" if unfinished == 1 else "many_checks"
    parts = [
        _kinds(findings, phrases) if findings else "",
        phrases.of(checks, count=unfinished) if unfinished else "",
    ]
    return "; ".join(filter(None, parts))


def unfinished(failures: Collection[DetectorFailure], phrases: Phrases = ENGLISH) -> str:
    """How many checks failed, and which."""
    names = ", ".join(dict.fromkeys(flattened(failure.detector, 40) for failure in failures))
    key = "one_check_named" if len(failures) == 1 else "many_checks_named"
    return phrases.of(key, count=len(failures), names=names)


def _kinds(findings: Collection[Finding], phrases: Phrases) -> str:
    """How many of which kind; a label that is more than a word or two is not repeated."""
    counts: Counter[str] = Counter()
    for finding in findings:
        known = re.fullmatch(r"[A-Za-z][A-Za-z -]{0,30}", finding.label)
        told = finding.text and finding.label.lower() not in finding.text.lower()
        counts[finding.label if known and told else finding.word] += 1
    kinds = ", ".join(phrases.kind(kind, count) for kind, count in counts.most_common())
    return phrases.of("one_part" if len(findings) == 1 else "many_parts", count=len(findings), kinds=kinds)


def summary(review: Review) -> str:
    """How many findings, of the verdicts that are not clean."""
    counts = review.counts
    parts = [f"{counts[v]} {v.value}" for v in (Verdict.UNSUPPORTED, Verdict.UNVERIFIED) if counts[v]]
    return f"not supported: {', '.join(parts)}"


def feedback(review: Review, affected: list[Finding]) -> str:
    """The words with which to ask again; what was rejected is quoted as data."""
    lines = []
    for finding in affected[:_LISTED_IN_FEEDBACK]:
        text = flattened(finding.span.of(review.case.answer) if finding.span else "", 300)
        what = fence(text) if text else "the answer as a whole"
        lines.append(f"- {what}: {plain(mark(finding).text)}")
    if len(affected) > _LISTED_IN_FEEDBACK:
        lines.append(f"- and {len(affected) - _LISTED_IN_FEEDBACK} more of the same kind")
    listed = "\n".join(dict.fromkeys(lines))
    return (
        f"Your previous answer was rejected, because these parts of it could not be confirmed. {FENCE_RULE}\n\n"
        f"{listed}\n\n"
        "Answer the question again without them and without repeating the marks. Put nothing in their place "
        "that you are not sure of: fewer items, or saying that you do not know, is better."
    )


def request_again(feedback: str) -> Message:
    """The words with which to ask again as a message, what is quoted in them as untrusted text: one request in every process."""
    return user(*fenced_pieces(feedback))


def repeats_rejected(answer: str, feedback: str) -> bool:
    """Whether an answer hands back the marks around what was rejected: it is no new answer, and no user should read it."""
    return repeats_marks(answer, feedback)
