"""The evidence of a finding: what a look-up found, what the model said."""

from __future__ import annotations

from guardrail.references.bibliography.claims import retraction
from guardrail.references.bibliography.records import Match, Record, Status
from guardrail.references.interrogate import Interrogation
from guardrail.references.scoring import mean
from guardrail.report import ComparedField, Evidence, Lookup, Measurement, Replies, Work

QUESTIONS = {
    "iq": "Who wrote it?",
    "dq1": "Does it exist?",
    "dq2": "Does it exist? (put to the model as its own earlier reply)",
    "dq3": "Does it exist? (put to the model as one of a list)",
    "year": "In which year did it appear?",
    "venue": "Where did it appear?",
}
"""Each query, by its name in [agrawal2024], as a report puts it."""

NUMBERS = {
    "iq": "the replies name the same authors",
    "dq": "replies that say it exists",
    "iq+dq": "both together",
}
"""Likewise each groundedness."""


def lookup_of(match: Match) -> Lookup:
    """What was found, and how each field compares."""
    return Lookup(
        status=match.status.value,
        sources=match.sources,
        work=None if match.record is None else _work(match.record),
        similarity=None if match.record is None and match.status is Status.UNREACHABLE else match.similarity,
        exists=match.exists,
        fields=tuple(
            ComparedField(
                field=check.field,
                outcome=check.outcome.value,
                claimed=check.claimed,
                found=check.found,
                note=check.note,
            )
            for check in match.fields
        ),
    )


def _work(record: Record) -> Work:
    return Work(
        title=record.title,
        authors=(*record.authors, "et al.") if record.et_al else record.authors,
        year=record.year,
        venue=record.venue,
        identifier=record.doi or record.arxiv or record.isbn or record.pmid,
        source=record.source,
        retracted=retraction(record),
    )


def replies_of(asked: Interrogation) -> list[Evidence]:
    """What the model said, and the numbers it came to."""
    told: list[Evidence] = []
    for query, texts in asked.texts.items():
        read = asked.read[query] if query != "iq" else []
        told.append(
            Replies(query=QUESTIONS[query], texts=tuple(text[:1_000] for text in texts), read=tuple(read))
        )
    if not asked.texts:
        return told
    scores = {"iq": asked.indirect, "dq": asked.direct, "iq+dq": asked.groundedness}
    numbers = {NUMBERS[name]: value for name, value in scores.items()}
    if asked.claim:
        numbers["the answer names the same authors as the replies"] = mean(asked.claim)
    told += [
        Measurement(name=name, value=value, note="groundedness, larger = more likely real")
        for name, value in numbers.items()
    ]
    return told
