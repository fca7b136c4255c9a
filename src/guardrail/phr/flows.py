"""The flow: contexts that a model imagines, what each says about the responses to some queries, and what that costs.

A context is imagined pair by pair, each drawn with all before it; contexts run side by side. The imagined pairs do
not depend on a query, so one set serves all queries of a D_n.

Source: [jesson2024] Algorithms 1 to 3.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from guardrail.engine.flow import Branch, Failed, Flow, gather, one
from guardrail.phr.estimators import Estimate, Information, estimate, information, share
from guardrail.phr.pairs import END, Form
from guardrail.phr.readings import Drawn, Query, Reading, Settings, Whole, lost
from guardrail.phr.reliability import wealth
from guardrail.report import Example
from guardrail.requests import Sample

LANE = "language_model"
"""Where requests go. They are paid only where that lane's backend is: a model on this machine is not."""

ROUND = 5
"""Contexts between two looks of an early stop."""


@dataclass(frozen=True, slots=True)
class Imagined:
    """One imagined context.

    Attributes:
        pairs: the imagined ones, as many as the horizon; fewer in a context that was given up.
        redrawn: how often a pair was drawn again because it could not be read.
        fault: why it was given up; empty if it was not.
    """

    pairs: tuple[Example, ...] = ()
    redrawn: int = 0
    fault: str = ""


@dataclass(frozen=True, slots=True)
class Measured:
    """What the contexts say about one query.

    Attributes:
        readings: one per context that gave one, in the order of the contexts.
        fault: why there is no reading, or why some contexts gave nothing.
        other: the largest probability that some distribution did not list; 0 for models that list everything.
    """

    readings: tuple[Reading, ...] = ()
    fault: str = ""
    other: float = 0.0

    @property
    def rate(self) -> Estimate | None:
        """PHR with its interval; `None` without a reading."""
        return estimate([one.rate for one in self.readings]) if self.readings else None

    @property
    def unlikely(self) -> Estimate | None:
        """The share of contexts under which the given answer is a hallucination; `None` without an answer."""
        found = [one.unlikely for one in self.readings if one.unlikely is not None]
        return share(found) if found else None

    @property
    def information(self) -> Information | None:
        """The mutual information of response and mechanism; `None` where an entropy is undefined."""
        pairs = [(one.total, one.known) for one in self.readings]
        known = [(total, rest) for total, rest in pairs if total is not None and rest is not None]
        if not known or len(known) < len(pairs):
            return None
        totals, rests = zip(*known, strict=True)
        return information(totals, rests)

    @property
    def left_out(self) -> int:
        """Drawn responses that no reading counts, for they were empty or did not come."""
        return sum(one.left_out for one in self.readings)

    @property
    def wealth(self) -> float:
        """What bets against the martingale reach (`reliability.py`); 1 without a reading."""
        kept = [(one.means, one.kept) for one in self.readings if one.means]
        if not kept:
            return 1.0
        return wealth([values for values, _ in kept], kept[0][1])


@dataclass(frozen=True, slots=True)
class Survey:
    """What all contexts say.

    Attributes:
        measured: per query.
        contexts: all that were begun.
        settings: as given.
    """

    measured: tuple[Measured, ...]
    contexts: tuple[Imagined, ...]
    settings: Settings = field(default_factory=Settings)

    @property
    def redrawn(self) -> int:
        """Pairs drawn again because they could not be read."""
        return sum(one.redrawn for one in self.contexts)

    @property
    def given_up(self) -> int:
        """Contexts that were not finished."""
        return sum(bool(one.fault) for one in self.contexts)


def imagine(start: str, *, number: int, settings: Settings, form: Form) -> Flow[Imagined]:
    """Extend D_n by `settings.horizon` pairs, one after another.

    A reply that is no whole pair is drawn again, at most `settings.retries` times per pair; then the context is given
    up. Each draw has a number that no other context and no other try has, so contexts are independent.

    Args:
        start: D_n, as the model reads it.
        number: of this context; the same number and model give the same context.
        settings: horizon, retries, how pairs are drawn.
        form: how pairs are written.
    """
    context = start
    found: list[Example] = []
    redrawn = 0
    for _ in range(settings.horizon):
        for attempt in range(settings.retries + 1):
            reply = yield from one(
                Sample(
                    context,
                    draw=number * (settings.retries + 1) + attempt,
                    max_tokens=settings.max_tokens,
                    stop=(END,),
                    top_p=settings.top_p,
                )
            )
            if isinstance(reply, Failed):
                return Imagined(tuple(found), redrawn, str(reply))
            pair = form.read(reply.value)
            if pair is not None:
                break
            redrawn += 1
        else:
            redrawn -= 1  # the last one was not drawn again
            fault = f"no imagined pair could be read in {settings.retries + 1} tries"
            return Imagined(tuple(found), redrawn, fault)
        found.append(pair)
        context += form.pair(pair)
    return Imagined(tuple(found), redrawn)


def survey(
    pairs: Sequence[Example],
    queries: Sequence[Query],
    *,
    settings: Settings | None = None,
    form: Form | None = None,
    preamble: str = "",
    labels: Sequence[str] = (),
) -> Flow[Survey]:
    """PHR, mutual information and the martingale's bets for every query of one D_n.

    Args:
        pairs: D_n, at least one.
        queries: at least one; what is not answered for one leaves the others alone.
        settings: see `Settings`; with `until_se` contexts are imagined in rounds of five, until the standard error
            of every query's PHR is no larger, or `contexts` are reached.
        form: how pairs are written.
        preamble: the text before them.
        labels: an answer that is one of these is left without a reading where the estimator cannot distinguish it from another
            of them: by the first token, if that is the same.
    """
    settings, form = settings or Settings(), form or Form()
    method = Whole if settings.estimator == "exact" else Drawn
    reader = method(settings, form, form.context(pairs, preamble), tuple(labels))
    faults = yield from reader.begin(queries)
    asked = [query for query, fault in zip(queries, faults, strict=True) if not fault]
    if not asked:
        return Survey(tuple(Measured(fault=fault) for fault in faults), (), settings)
    contexts: list[Imagined] = []
    readings: list[list[Reading | str]] = [[] for _ in asked]
    calls = per_context(settings, len(asked))
    reserved = {LANE: (calls, calls)}  # of a small budget fewer contexts, each finished
    size = settings.contexts if settings.until_se is None else ROUND
    for first in range(0, settings.contexts, size):
        numbers = range(first, min(settings.contexts, first + size))
        results = yield from gather(
            Branch(_context(reader, asked, number), calls=reserved) for number in numbers
        )
        for result in results:
            if isinstance(result, Failed):
                contexts.append(Imagined(fault=lost(result)))
                continue
            contexts.append(result[0])
            # of a context given up there is no reading
            for column, reading in zip(readings, result[1], strict=False):
                column.append(reading)
        if settings.until_se is not None and all(_precise(column, settings.until_se) for column in readings):
            break
    given_up = next((one.fault for one in contexts if one.fault), "")
    columns = iter(readings)
    measured: list[Measured] = []
    for fault in faults:
        if fault:
            measured.append(Measured(fault=fault))
            continue
        column = next(columns)
        lacking = next((one for one in column if isinstance(one, str)), given_up)
        found = tuple(one for one in column if isinstance(one, Reading))
        measured.append(Measured(found, lacking, reader.other))
    return Survey(tuple(measured), tuple(contexts), settings)


def _context(
    reader: Whole | Drawn, queries: Sequence[Query], number: int
) -> Flow[tuple[Imagined, list[Reading | str]]]:
    """One context from its first pair to what it says; at its own speed."""
    found = yield from imagine(reader.base, number=number, settings=reader.settings, form=reader.form)
    if found.fault:
        return found, []
    readings = yield from reader.read(reader.base + reader.form.context(found.pairs), number, queries)
    return found, readings


def _precise(column: Sequence[Reading | str], wanted: float) -> bool:
    rates = [one.rate for one in column if isinstance(one, Reading)]
    return len(rates) > 1 and estimate(rates).precision <= wanted


def per_context(settings: Settings, queries: int) -> int:
    """How many requests one context takes if every pair is read at the first try; what redrawing takes comes on top.

    >>> per_context(Settings(horizon=5), 1)
    6
    """
    # by draws: two sets of draws; three sets of scores, and the answer's
    readings = 1 if settings.estimator == "exact" else 5 * settings.draws + 1
    return settings.horizon + queries * readings


def bounds(settings: Settings, queries: int) -> tuple[int, int]:
    """The fewest requests, where pairs are read at once and contexts come out alike, and the most, with every redrawing.

    >>> bounds(Settings(contexts=10, horizon=5, retries=3), 1)
    (52, 211)
    """
    contexts = settings.contexts
    first = contexts if settings.until_se is None else min(ROUND, contexts)
    redrawn = settings.horizon * settings.retries
    if settings.estimator == "exact":
        least, begun = settings.horizon * first + 2 * queries, queries
    else:
        least = (settings.horizon + 2 * settings.draws * queries) * first + 2 * queries
        begun = 2 * queries
    return least, begun + contexts * (redrawn + per_context(settings, queries))
