"""Beyond the paper: agreement without a model, few calls, stopping early, calibration and thresholds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks._plots import calibration_plot
from benchmarks._stats import auc, brier, delong_interval, ece, reliability, wilson_interval
from benchmarks._table import Row
from benchmarks.references.fdr import threshold_for_fdr
from benchmarks.references.replay import QUERIES, Scored, Topic, agreement, replay
from guardrail.detectors import ReferenceCheck
from guardrail.references import read_yes_no
from guardrail.statistics.calibration import fit_logistic

__all__ = ["calibration_rows", "fast_auc_over_all_draws", "rows"]

LOCAL_TOLERANCE = 0.005
FAST_BARS = {"gpt-4": 0.915, "gpt-3.5-turbo": 0.780}
FAST_CALLS = 6
MAX_FDR = 0.1


def rows(model: str, topics: Sequence[Topic], paper: Scored, *, full: bool) -> list[Row]:
    """Local agreement, the fast and the adaptive effort.

    Args:
        model: whose replies.
        topics: the recorded answers.
        paper: the scores of the paper's way.
        full: three of the recorded draws end to end, instead of one.
    """
    everything = replay(topics, ReferenceCheck(effort="paper", agreement="local"))
    return [
        *_local(model, paper, everything),
        *_fast(model, topics, range(3 if full else 1)),
        *_adaptive(model, topics, everything),
    ]


def _local(model: str, paper: Scored, local: Scored) -> list[Row]:
    by_model = auc(*paper.known("iq"))
    ours = auc(*local.known("iq"))
    interval = delong_interval(*local.known("iq"))
    if by_model is None:
        return [Row.missing(f"{model} AUC IQ, local agreement", "one class only")]
    return [
        Row.within(
            f"{model} AUC IQ, local agreement (published: ours by the model)",
            by_model,
            ours,
            tolerance=LOCAL_TOLERANCE,
            interval=interval,
        ),
        Row.equal(f"{model} comparison calls, local agreement", _comparisons(local), 0),
    ]


def _comparisons(scored: Scored) -> int:
    """Calls beyond the 3 author questions and 10 of each direct query."""
    return sum(calls - 33 for calls in scored.calls)


def _fast(model: str, topics: Sequence[Topic], draws: Sequence[int]) -> list[Row]:
    runs = [replay(topics, ReferenceCheck(effort="fast"), offset=draw) for draw in draws]
    end_to_end = [auc(*run.known("iq+dq")) for run in runs]
    values = fast_auc_over_all_draws(topics)
    diagonal = [values[draw, draw, draw] for draw in draws]
    bar = FAST_BARS.get(model)
    quantity = f"{model} AUC IQ+DQ, fast, mean over all {values.size} draws"
    spread = (float(np.quantile(values, 0.025)), float(np.quantile(values, 0.975)))
    return [
        Row.shown(quantity, float(values.mean()), interval=spread)
        if bar is None
        else Row.at_least(quantity, float(values.mean()), bar, interval=spread),
        Row.at_most(
            f"{model} fast, end to end against kernels, largest AUC difference",
            max(abs(a - b) for a, b in zip(end_to_end, diagonal, strict=True) if a is not None),
            1e-9,
            digits=9,
        ),
        Row.shown(
            f"{model} fast, titles left without a score",
            100 * float(np.mean([[score is None for score in run.scores["iq+dq"]] for run in runs])),
            unit="%",
            digits=2,
        ),
        Row.at_most(
            f"{model} fast, completions per reference, most", max(map(max, (r.calls for r in runs))), 6
        ),
    ]


def fast_auc_over_all_draws(topics: Sequence[Topic]) -> NDArray[np.float64]:
    """AUC of IQ+DQ with one reply of each direct query, for every choice of the three replies.

    Returns:
        Shape (draws of DQ1, of DQ2, of DQ3), in [0, 1].
    """
    titles = [title for topic in topics for title in topic.titles]
    labels = np.array([title.grounded for title in titles])
    authors = np.array([agreement(title.answers) for title in titles], dtype=float)
    draws = min(len(title.votes[query]) for title in titles for query in QUERIES)
    replies = [[title.votes[query][:draws] for query in QUERIES] for title in titles]
    read = [[[read_yes_no(reply) for reply in votes] for votes in row] for row in replies]
    yes = np.array([[[vote is True for vote in votes] for votes in row] for row in read])
    understood = np.array([[[vote is not None for vote in votes] for votes in row] for row in read])
    said = np.array([[[bool(reply.strip()) for reply in votes] for votes in row] for row in replies])
    values = np.empty((draws, draws, draws))
    queries = range(len(QUERIES))
    for chosen in product(range(draws), repeat=3):
        counted = said[:, queries, chosen].sum(axis=1)
        direct = yes[:, queries, chosen].sum(axis=1) / np.maximum(counted, 1)
        kept = understood[:, queries, chosen].any(axis=1)  # half a score is none
        values[chosen] = auc((authors + direct)[kept] / 2, labels[kept])
    return values


def _adaptive(model: str, topics: Sequence[Topic], everything: Scored) -> list[Row]:
    detector = ReferenceCheck(effort="adaptive")
    adaptive = replay(topics, detector)
    limit = 1 - detector.threshold
    same = [
        (a > limit) == (b > limit)
        for a, b in zip(adaptive.scores["iq+dq"], everything.scores["iq+dq"], strict=True)
        if a is not None and b is not None
    ]
    scores, labels = adaptive.known("iq+dq")
    return [
        Row.shown(
            f"{model} adaptive, mean completions per reference", float(np.mean(adaptive.calls)), digits=2
        ),
        Row.shown(
            f"{model} AUC IQ+DQ, adaptive", auc(scores, labels), interval=delong_interval(scores, labels)
        ),
        Row.shown(
            f"{model} adaptive, same decision as all 33 questions",
            100 * sum(same) / len(same),
            unit="%",
            digits=1,
        ),
    ]


def calibration_rows(papers: Mapping[str, Scored], out: Path | None) -> list[Row]:
    """P(hallucinated) fitted on one model and tested on another; thresholds with a guarantee; title length."""
    found: list[Row] = []
    points = {}
    for fitted in papers:
        for tested in papers:
            if fitted == tested:
                continue
            scores, labels = papers[fitted].known("iq+dq")
            curve = fit_logistic(scores, [not label for label in labels])
            scores, labels = papers[tested].known("iq+dq")
            made_up = [not label for label in labels]
            probabilities = curve.probabilities(scores)
            name = f"P(hallucinated) fitted on {fitted}, tested on {tested}"
            raw = [1 - score for score in scores]
            found += [
                Row.shown(f"{name}: Brier", brier(probabilities, made_up)),
                Row.shown(f"{name}: Brier of the raw score", brier(raw, made_up)),
                Row.shown(f"{name}: ECE", ece(probabilities, made_up)),
                Row.shown(f"{name}: ECE of the raw score", ece(raw, made_up)),
            ]
            point = reliability(probabilities, made_up)
            if point is not None:
                points[f"{fitted} → {tested}"] = point
    for model, scored in papers.items():
        found += [*_threshold(model, scored), *_length(model, scored)]
    if out is not None and points:
        calibration_plot(points, out, "calibration", title="P(hallucinated), fitted on the other model")
    return found


def _threshold(model: str, scored: Scored) -> list[Row]:
    """Learn then test: a threshold on the titles of every other answer, judged on the rest."""
    scores, labels = np.array(scored.scores["iq+dq"], dtype=float), np.array(scored.grounded)
    known = np.isfinite(scores)
    half = (np.arange(scores.size) // 5) % 2 == 0
    answers = np.arange(scores.size) // 5
    used = known & half
    chosen = threshold_for_fdr(scores[used], labels[used], sources=answers[used], max_fdr=MAX_FDR)
    quantity = f"{model} FDR on unseen titles at the threshold for {MAX_FDR:g}"
    if chosen is None:
        return [Row.missing(quantity, "no threshold keeps the rate with 95 % confidence")]
    kept = known & ~half & (scores >= chosen.value)
    false = int((~labels[kept]).sum())
    return [
        Row.shown(quantity, false / int(kept.sum()), interval=wilson_interval(false, int(kept.sum()))),
        Row.shown(f"{model} share kept at that threshold", kept.sum() / (known & ~half).sum()),
    ]


def _length(model: str, scored: Scored) -> list[Row]:
    """What the title's length alone tells; it may be an artefact of labels by exact match, so it stays out."""
    lengths = [len(finding.text) for finding in scored.findings]
    alone = auc([-float(length) for length in lengths], scored.grounded)
    both = [(s, n) for s, n in zip(scored.scores["iq+dq"], lengths, strict=True)]
    with_length = auc([(s or 0.0) - n / 200 for s, n in both], scored.grounded)
    return [
        Row.shown(f"{model} AUC title length alone (not used)", alone),
        Row.shown(f"{model} AUC IQ+DQ with title length (not used)", with_length),
    ]
