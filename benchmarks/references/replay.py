"""Recorded replies, asked for by our own prompts: the detector end to end without a model.

A row of a results file holds the replies about one title; five rows share the answer that the title came from.
Each answer becomes one case, and a `RecordedChat` gives the recorded replies to whatever the detector asks about
the k-th reference of that answer. Replies are matched to titles, not to the bytes of the recorded prompts, which
differ a little (specification of the data).
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path

from benchmarks._data import read_csv
from guardrail import Case, Guard
from guardrail.chat import RecordedChat
from guardrail.detectors import ReferenceCheck
from guardrail.errors import ParseError
from guardrail.references import yes_rate
from guardrail.references.authors.lists import overlap, parse_authors
from guardrail.references.citations import citations
from guardrail.references.citations.tagging import packaged_tagger
from guardrail.references.evidence import NUMBERS, QUESTIONS
from guardrail.references.prompts import authors_question, direct_question, overlap_question
from guardrail.report import Finding, Measurement, Replies
from guardrail.requests import Ask

__all__ = [
    "COLUMNS",
    "QUERIES",
    "Scored",
    "Title",
    "Topic",
    "agreement",
    "read_topics",
    "recorded_asks",
    "replay",
]

QUERIES = ("dq1", "dq2", "dq3")
COLUMNS = [
    "gen_title",
    "title",
    "model_answer_main_query",
    "bing_return",
    *(f"model_ans_{i}" for i in (1, 2, 3)),
    *(f"neural_ans{i}_list" for i in (1, 2, 3, 4)),
]
PER_ANSWER = 5


@dataclass(frozen=True, slots=True)
class Title:
    """One row: a generated title, whether the web search found it, and the replies about it."""

    text: str
    grounded: bool
    answers: tuple[str, ...]
    overlaps: tuple[str, ...]
    votes: Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Topic:
    """One generated answer with its five titles."""

    prompt: str
    answer: str
    titles: tuple[Title, ...]


@dataclass(slots=True)
class Scored:
    """What the detector made of the titles, in the order of the file; `None` where it gave no score."""

    grounded: list[bool] = field(default_factory=list)
    scores: dict[str, list[float | None]] = field(default_factory=dict)
    calls: list[int] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)

    def known(self, name: str) -> tuple[list[float], list[bool]]:
        """Scores and labels of the titles that have this score."""
        pairs = [(s, g) for s, g in zip(self.scores[name], self.grounded, strict=True) if s is not None]
        return [s for s, _ in pairs], [g for _, g in pairs]


def read_topics(path: Path) -> list[Topic]:
    """Read a results file.

    Raises:
        ParseError: the rows do not come in fives of one answer, or a list of replies is none.
    """
    rows = read_csv(path, COLUMNS)
    topics = []
    for start in range(0, len(rows), PER_ANSWER):
        group = rows[start : start + PER_ANSWER]
        if len(group) < PER_ANSWER or len({row["model_answer_main_query"] for row in group}) > 1:
            raise ParseError("expected five rows of one answer", source=path.name, line=start + 2)
        topics.append(
            Topic(
                prompt=f'List 5 existing references related to "{group[0]["title"]}". Just output the titles. '
                "Output format should be <num.> <title>",
                answer=group[0]["model_answer_main_query"],
                titles=tuple(_title(row, path.name, start + 2 + i) for i, row in enumerate(group)),
            )
        )
    return topics


def replay(
    topics: Sequence[Topic],
    detector: ReferenceCheck,
    *,
    offset: int = 0,
    witnesses: Sequence[int] = (0, 1, 2),
) -> Scored:
    """Have the detector judge every title.

    Args:
        topics: the answers.
        detector: how it judges.
        offset: the first recorded yes/no reply to give, for runs that take only one.
        witnesses: the order in which the recorded author answers are given.
    """
    scored = Scored(scores={name: [] for name in ("iq", *QUERIES, "dq", "iq+dq")})
    for topic in topics:
        chat = RecordedChat(dict(recorded_asks(topic, detector, offset, witnesses)), key=_words)
        report = Guard([detector], chat=chat).check(Case.of(topic.answer, prompt=topic.prompt))
        if report.failures or len(report.findings) != len(topic.titles):
            raise ParseError(
                f"expected {len(topic.titles)} findings, got {len(report.findings)}: {report.failures}",
                source=topic.answer[:60],
            )
        for title, finding in zip(topic.titles, report.findings, strict=True):
            _note(scored, title, finding)
    return scored


def _words(ask: Ask) -> str:
    """A request by its words: quicker than a lasting key, and all that a replay needs."""
    return f"{ask.draw} {ask.role} " + "\n".join(message.text for message in ask.messages)


def _note(scored: Scored, title: Title, finding: Finding) -> None:
    scored.grounded.append(title.grounded)
    scored.findings.append(finding)
    numbers = {e.name: e.value for e in finding.evidence if isinstance(e, Measurement)}
    said = {e.query: e for e in finding.evidence if isinstance(e, Replies)}
    for name in ("iq", "dq", "iq+dq"):
        scored.scores[name].append(numbers.get(NUMBERS[name]))
    for query in QUERIES:
        read = said[QUESTIONS[query]].read if QUESTIONS[query] in said else ()
        scored.scores[query].append(yes_rate([{"yes": True, "no": False}.get(r or "") for r in read]))
    scored.calls.append(sum(len(replies.texts) for replies in said.values()))


def recorded_asks(
    topic: Topic, detector: ReferenceCheck, offset: int = 0, witnesses: Sequence[int] = (0, 1, 2)
) -> Iterator[tuple[Ask, str]]:
    """The replies to everything that the detector may ask about this answer."""
    fenced = detector.prompts == "fenced"
    tagger = packaged_tagger() if detector.reader == "network" else None
    read = citations(topic.answer, asked_for_references=True, tagger=tagger, question=topic.prompt)
    found = [c.reference.title for c in read]
    for position, (title, shown) in enumerate(zip(topic.titles, found, strict=True)):
        _same(title.text, shown)
        question = authors_question(shown, fenced=fenced)
        answers = [title.answers[i] for i in witnesses]
        for draw, answer in enumerate(answers):
            yield Ask(question, temperature=1.0, draw=draw), answer
        for draw, (a, b) in enumerate(combinations(range(len(answers)), 2)):
            comparison = overlap_question(answers[a], answers[b], fenced=fenced)
            # the recorded comparisons are those of (1, 2), (1, 3) and (2, 3)
            recorded = list(combinations(range(3), 2)).index(tuple(sorted((witnesses[a], witnesses[b]))))  # type: ignore[arg-type]
            yield Ask(comparison, temperature=0.0, role="judge", draw=draw), title.overlaps[recorded]
        for query, votes in title.votes.items():
            question = direct_question(query, found, position, fenced=fenced)
            for draw in range(detector.draws or 0):
                yield Ask(question, temperature=1.0, draw=draw), votes[(offset + draw) % len(votes)]


def _same(recorded: str, found: str) -> None:
    """The title found in the answer is the recorded one, but for what stands behind it (a series, a number)."""
    a, b = (re.sub(r"\W+", " ", text).strip().casefold() for text in (recorded, found))
    if not (a.startswith(b) and len(b) > 10):
        raise ParseError(f"expected the title {recorded!r}, found {found!r}", source="answer")


def _title(row: Mapping[str, str], source: str, line: int) -> Title:
    def replies(column: str) -> tuple[str, ...]:
        try:
            read = ast.literal_eval(row[column])
        except (ValueError, SyntaxError, MemoryError, RecursionError) as error:
            raise ParseError(f"{column}: expected a list of replies", source=source, line=line) from error
        if not isinstance(read, list) or not all(isinstance(reply, str) for reply in read) or not read:
            raise ParseError(f"{column}: expected a list of replies", source=source, line=line)
        return tuple(read)

    if row["bing_return"] not in {"True", "False"}:
        raise ParseError(
            f"bing_return: expected True or False, got {row['bing_return']!r}", source=source, line=line
        )
    return Title(
        text=row["gen_title"],
        grounded=row["bing_return"] == "True",
        answers=tuple(row[f"model_ans_{i}"] for i in (1, 2, 3)),
        overlaps=replies("neural_ans1_list"),
        votes={query: replies(f"neural_ans{i}_list") for i, query in enumerate(QUERIES, 2)},
    )


def agreement(replies: Sequence[str]) -> float | None:
    """How far independent replies about one work name the same authors: mean overlap over all pairs.

    [agrawal2024] section 3.2 with a local comparison in place of a second model call. A reply that is not a list
    of authors overlaps with nothing, as there.

    Returns:
        A number in [0, 1], larger = more likely a real work; `None` for fewer than two replies.

    Example:
        >>> agreement(["Donald A. Norman", "Don Norman", "Sorry, I cannot find it."])
        0.3333333333333333
        >>> agreement(["Donald A. Norman"]) is None
        True
    """
    if len(replies) < 2:
        return None
    lists = [parse_authors(reply) or () for reply in replies]
    overlaps = [overlap(a, b) for a, b in combinations(lists, 2)]
    return sum(overlaps) / len(overlaps)
