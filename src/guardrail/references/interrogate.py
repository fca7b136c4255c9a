"""The interrogation of one title: which questions, how many, when to stop, and what the replies say."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations
from math import comb
from typing import Any, Literal, TypeAlias

from guardrail.engine.flow import Answer, Calls, Failed, Flow, NoBackend, Reply, each
from guardrail.references.authors.lists import overlap, parse_authors
from guardrail.references.bibliography.records import Reference
from guardrail.references.parsing import (
    Parsing,
    normalised_venue,
    read_overlap,
    read_year,
    read_yes_no,
    said,
)
from guardrail.references.prompts import (
    authors_question,
    detail_question,
    direct_question,
    overlap_question,
)
from guardrail.references.scoring import (
    Posterior,
    direct_score,
    groundedness,
    indirect_score,
    mean,
    yes_rate,
)
from guardrail.requests import Ask, Completion
from guardrail.text.yes_no import probability_of

Query: TypeAlias = Literal["iq", "dq1", "dq2", "dq3", "year", "venue"]
DIRECT: tuple[Query, ...] = ("dq1", "dq2", "dq3")
DETAILS: tuple[Query, ...] = ("year", "venue")
WITNESSES = 3  # author answers per title: the paper's i
_SURE = 0.95  # of an adaptive decision, before it stops


@dataclass(slots=True)
class Interrogation:
    """What was learned about one title.

    Attributes:
        texts: per question, the replies.
        read: per question, what each reply was read as; `None` = not understood.
        answers: the author answers, empty ones aside.
        named: how many of them are lists of authors.
        overlaps: of every pair of answers, in [0, 1]; `None` = the comparison was not understood.
        claim: of the answer's own claim with every author answer; empty if it claims no authors.
        votes: per direct query, the replies as read, empty ones aside.
        rates: per direct query, P(yes) by log-probabilities where the backend gives them.
        details: per detail, the replies as read.
        failures: replies that did not come.
        asks_authors: whether "iq" was among the questions.
    """

    texts: dict[str, list[str]] = field(default_factory=dict)
    read: dict[str, list[str | None]] = field(default_factory=dict)
    answers: list[str] = field(default_factory=list)
    named: int = 0
    overlaps: list[float | None] = field(default_factory=list)
    claim: list[float] = field(default_factory=list)
    votes: dict[str, list[bool | None]] = field(default_factory=dict)
    rates: dict[str, list[float]] = field(default_factory=dict)
    details: dict[str, list[str | None]] = field(default_factory=dict)
    failures: list[Failed] = field(default_factory=list)
    asks_authors: bool = True

    @property
    def indirect(self) -> float | None:
        """IQ: the mean over all indirect questions' agreements, the claim being one more witness."""
        authors = indirect_score([*self.overlaps, *self.claim])
        return mean([authors, *(_same_share(read) for read in self.details.values())])

    @property
    def direct(self) -> float | None:
        """DQ: the mean of the direct queries' rates; `None` if not one reply says yes or no."""
        if all(vote is None for read in self.votes.values() for vote in read):
            return None
        return direct_score({query: self.rate(query) for query in self.votes})

    def rate(self, query: str) -> float | None:
        """P(yes) of one direct query."""
        if self.rates.get(query):
            return mean(self.rates[query])
        return yes_rate(self.votes.get(query, []))

    @property
    def missing(self) -> str:
        """Which half of the score cannot be had, "" if none: half a score is not this score."""
        if self.asks_authors and self.indirect is None:
            return "no two author answers"
        if self.votes and self.direct is None:
            return "no yes or no to the direct questions"
        if not self.votes and self.asks_authors and not self.named and not self.details:
            return "no answer that names authors"  # and nothing else was asked: the model may not understand
        return ""

    @property
    def nobody_asked(self) -> bool:
        """Whether there was no model to ask; one that cannot answer says why itself."""
        return bool(self.failures) and all(isinstance(failed, NoBackend) for failed in self.failures)

    @property
    def groundedness(self) -> float | None:
        """IQ+DQ; `None` where a half is missing."""
        return None if self.missing else groundedness(self.indirect, self.direct)

    @property
    def without_claim(self) -> float | None:
        """The groundedness of the title alone, whatever the answer claims about its details."""
        return groundedness(
            mean([indirect_score(self.overlaps), *(_same_share(r) for r in self.details.values())]),
            self.direct,
        )


def _same_share(read: Sequence[str | None]) -> float | None:
    """Share of pairs of replies that name the same year or venue; an unreadable one agrees with none."""
    pairs = list(combinations(read, 2))
    return mean(float(a is not None and a == b) for a, b in pairs) if pairs else None


@dataclass(frozen=True, slots=True)
class Interviewer:
    """How a title is interrogated.

    Attributes:
        queries: which questions.
        draws: yes/no replies per direct query (the paper's j = 10).
        agreement: "local" compares author lists by name, "model" asks the judge as the paper does.
        stop_at: a score threshold; interrogation stops once the decision at it is settled. `None` asks all.
    """

    queries: tuple[Query, ...]
    draws: int
    agreement: Literal["local", "model"]
    parsing: Parsing
    fenced: bool
    logprobs: int | None
    stop_at: float | None

    @property
    def direct(self) -> tuple[Query, ...]:
        """The direct queries asked."""
        return tuple(query for query in self.queries if query in DIRECT)

    @property
    def details(self) -> tuple[Query, ...]:
        """The further indirect questions asked."""
        return tuple(query for query in self.queries if query in DETAILS)

    def calls(self, titles: Sequence[str]) -> Calls:
        """Questions about so many titles; equal ones are asked once."""
        distinct = len(set(titles))
        if not distinct:
            return {}
        adaptive = self.stop_at is not None
        witnesses = WITNESSES if "iq" in self.queries else 0
        first = min(2, witnesses) if adaptive else witnesses
        details = len(self.details) * WITNESSES
        least = distinct * (first + len(self.direct) * (1 if adaptive else self.draws) + details)
        most = len(titles) * (witnesses + len(self.direct) * self.draws + details)
        if self.agreement == "local":
            return {"chat:subject": (least, most)}
        pairs = comb(first, 2), len(titles) * comb(witnesses, 2)
        return {"chat:subject": (least, most), "chat:judge": pairs}

    def interrogate(self, reference: Reference, titles: Sequence[str], position: int) -> Flow[Interrogation]:
        """The flow: all questions at once, or in rounds until the decision is settled."""
        found = Interrogation(votes={query: [] for query in self.direct}, asks_authors="iq" in self.queries)
        adaptive = self.stop_at is not None
        witnesses = (min(2, WITNESSES) if adaptive else WITNESSES) if "iq" in self.queries else 0
        asked = yield from self._round(
            found, reference, titles, position, (0, witnesses), (0, 1 if adaptive else self.draws)
        )
        while adaptive and not self._settled(found):
            more = asked[0] if "iq" not in self.queries else min(asked[0] + 1, WITNESSES)
            votes = min(asked[1] + 1, self.draws) if self.direct else asked[1]
            if (more, votes) == asked:
                break
            asked = yield from self._round(
                found, reference, titles, position, (asked[0], more), (asked[1], votes)
            )
        return found

    def _round(  # noqa: PLR0917  # two ranges read best side by side
        self,
        found: Interrogation,
        reference: Reference,
        titles: Sequence[str],
        position: int,
        witnesses: tuple[int, int],
        votes: tuple[int, int],
    ) -> Flow[tuple[int, int]]:
        """Ask the witnesses and votes of these half-open ranges; how many of each are asked now."""
        asks: list[tuple[str, Ask]] = []
        if witnesses[1] > witnesses[0]:
            question = authors_question(reference.title, fenced=self.fenced)
            asks += [("iq", self._sample(question, draw)) for draw in range(*witnesses)]
        for query in self.direct:
            question = direct_question(query, titles, position, fenced=self.fenced)
            asks += [(query, self._sample(question, draw, self.logprobs)) for draw in range(*votes)]
        if witnesses[0] == 0:
            for detail in self.details:
                question = detail_question(detail, reference.title, fenced=self.fenced)
                asks += [(detail, self._sample(question, draw)) for draw in range(WITNESSES)]
        replies = yield from each([ask for _, ask in asks])
        before = len(found.answers)
        for (name, _), reply in zip(asks, replies, strict=True):
            self._read(found, name, reply)
        yield from self._compare(found, reference, before)
        return witnesses[1], votes[1]

    def _sample(self, question: Any, draw: int, logprobs: int | None = None) -> Ask:
        return Ask(question, temperature=1.0, logprobs=logprobs, draw=draw)

    def _read(self, found: Interrogation, query: str, reply: Reply[Completion]) -> None:
        if isinstance(reply, Failed):
            found.failures.append(reply)
            return
        text = reply.value.text if self.parsing == "paper" else said(reply.value.text)
        found.texts.setdefault(query, []).append(text)
        read: str | None = None
        if not text.strip() and self.parsing != "paper":
            pass  # an empty reply says nothing about the work
        elif query == "iq":
            found.answers.append(text)
        elif query in found.votes:
            vote = read_yes_no(text, self.parsing)
            read = {True: "yes", False: "no", None: None}[vote]
            found.votes[query].append(vote)
            sure = probability_of("yes", reply.value.logprobs)
            if sure is not None:
                found.rates.setdefault(query, []).append(sure)
        else:
            year = read_year(text) if query == "year" else None
            read = normalised_venue(text) if query == "venue" else None if year is None else str(year)
            found.details.setdefault(query, []).append(read)
        found.read.setdefault(query, []).append(read)

    def _compare(self, found: Interrogation, reference: Reference, before: int) -> Flow[None]:
        """Overlaps of the new answers with all earlier ones, and of the answer's claim with the new ones."""
        everyone = combinations(range(len(found.answers)), 2)
        pairs = [(a, b) for a, b in everyone if b >= before]
        if self.agreement == "model":
            first = len(found.overlaps)
            asks = [
                # one draw each: equal pairs are compared anew, as the paper does
                Ask(
                    overlap_question(found.answers[a], found.answers[b], fenced=self.fenced),
                    temperature=0.0,
                    role="judge",
                    draw=first + k,
                )
                for k, (a, b) in enumerate(pairs)
            ]
            replies = yield from each(asks)
            for reply in replies:
                if isinstance(reply, Answer):
                    found.overlaps.append(read_overlap(reply.value.text, self.parsing))
                else:
                    found.failures.append(reply)
        lists = [parse_authors(answer) for answer in found.answers]
        found.named = sum(names is not None for names in lists)
        if self.agreement == "local":
            found.overlaps += [_list_overlap(lists[a], lists[b]) for a, b in pairs]
        if reference.authors:
            claimed = parse_authors(", ".join(reference.authors))
            found.claim += [_list_overlap(claimed, names) for names in lists[before:]]

    def _settled(self, found: Interrogation) -> bool:
        if self.stop_at is None:
            return True
        witnesses = WITNESSES if "iq" in self.queries else 0
        posterior = Posterior(
            overlaps=[*found.overlaps, *found.claim],
            pairs=comb(witnesses, 2) + (witnesses if found.claim else 0),
            votes=found.votes,
            draws=self.draws,
        )
        supported = posterior.above(1 - self.stop_at)
        return supported >= _SURE or supported <= 1 - _SURE


def _list_overlap(first: Any, second: Any) -> float:
    """Two parsed author lists; whoever gives no list agrees with nobody ([agrawal2024] footnote 10)."""
    return 0.0 if first is None or second is None else overlap(first, second)
