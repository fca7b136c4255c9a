"""What real pairs say, where there are some: the model hallucination rate, and the error rate.

The guard has neither. A benchmark compares PHR with them.

Source: [jesson2024] Section 3.2, eq. 9; the exact forms are ours.
"""

from __future__ import annotations

from collections.abc import Sequence

from guardrail.engine.flow import Flow
from guardrail.errors import InputError
from guardrail.phr.flows import Measured
from guardrail.phr.pairs import Form
from guardrail.phr.readings import Query, Settings, reader_of
from guardrail.report import Example

__all__ = ["error_rates", "model_hallucination_rates"]


def model_hallucination_rates(
    pairs: Sequence[Example],
    evaluation: Sequence[Example],
    queries: Sequence[Query],
    *,
    settings: Settings | None = None,
    form: Form | None = None,
    preamble: str = "",
    further: Sequence[float] = (),
) -> Flow[tuple[Measured, ...]]:
    """MHR: the share of responses to D_train that are unlikely under D_train ∪ D_eval.

    THR with real pairs in place of imagined ones. Asked together with a `survey` of the same settings, p(·|x, D_train) is
    asked for once.

    Args:
        pairs: D_train, at least one.
        evaluation: D_eval, at least one; it comes after D_train. As many as the horizon make MHR what PHR imagines.
        queries: at least one. For one with an answer, the result says whether that is a hallucination.
        settings: ε, the estimator and K; contexts and horizon do not matter.
        form: how pairs are written.
        preamble: the text before them.
        further: more ε at which the rate is wanted.

    Returns:
        Per query, its one reading (`.readings[0].rate` in [0, 1], larger = more hallucinations), or none and why.
        Drawn responses are not those of any imagined context.

    Raises:
        InputError: there is no pair to evaluate with.
    """
    settings, form = settings or Settings(), form or Form()
    if not evaluation:
        raise InputError("expected at least one pair to evaluate with, got none")
    reader = reader_of(settings, form, form.context(pairs, preamble), further)
    faults = yield from reader.begin(queries)
    asked = [query for query, fault in zip(queries, faults, strict=True) if not fault]
    whole = form.context([*pairs, *evaluation], preamble)
    readings = yield from reader.read(whole, settings.contexts, asked)
    rest = iter(readings)
    return tuple(
        Measured(fault=fault) if fault else Measured.of([next(rest)], other=reader.other) for fault in faults
    )


def error_rates(
    pairs: Sequence[Example],
    queries: Sequence[Query],
    *,
    settings: Settings | None = None,
    form: Form | None = None,
    preamble: str = "",
) -> Flow[list[float | str]]:
    """How often the model answers otherwise than it should.

    Args:
        pairs: D_train, at least one.
        queries: each with its true answer.
        settings: with the exact estimator 1 − p(the answer's first token | x, D_train), 1 where the model does not list
            that token; with the drawn one the share of K responses that are not the answer, letter for letter.
        form: how pairs are written.
        preamble: the text before them.

    Returns:
        Per query a number in [0, 1], larger = worse, or why there is no number.

    Raises:
        InputError: a query has no answer.
    """
    settings, form = settings or Settings(), form or Form()
    if any(query.answer is None for query in queries):
        raise InputError("expected queries with their true answers, got one without")
    return (yield from reader_of(settings, form, form.context(pairs, preamble)).errors(queries))
