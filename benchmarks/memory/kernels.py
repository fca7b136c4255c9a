"""The external test's kernels against independent implementations: BM25, BERTScore, the Gaussian, Wilson's interval."""

from __future__ import annotations

import importlib.util
import math
import random
from collections.abc import Sequence

import numpy as np

from benchmarks._table import Row, Run
from benchmarks.memory.comparing import NEEDS
from benchmarks.memory.rates import flagged_share
from guardrail.backends.packaged import ComparePackaged, encoder_installed, packaged_encoder
from guardrail.engine.flow import Answer
from guardrail.memory.external import Normal, consistency
from guardrail.memory.external.formulas import chi_square_share
from guardrail.text.bm25 import Collection, bm25

__all__ = ["rows"]

TEXTS = (
    "The storm closed the harbour for two days.",
    "For two days the harbour stayed closed because of a storm.",
    "Ministers met in Lisbon to agree on fishing quotas for the coming year.",
    "Shares in the company fell by 4.5% after it cut its forecast.",
    "A new museum of glass opens on Friday, and the first week is free.",
    "The team won its third match in a row, two goals to one.",
)


def rows(run: Run) -> list[Row]:
    """Every kernel's largest difference."""
    run.parameters["kernels.seed"] = 0
    return [_bm25(), _bertscore(), *_gaussian(), _wilson(), _paper_sum()]


def _bm25() -> Row:
    name = "BM25: largest |Δ| to bm25s (Lucene's variant)"
    if importlib.util.find_spec("bm25s") is None:
        return Row.missing(name, "needs the extra bench: pip install 'guardrail-sdk[bench]'", bar="≤ 1e-9")
    import bm25s

    rng = random.Random(0)
    texts = [[_word(rng) for _ in range(rng.randint(1, 60))] for _ in range(300)]
    index = bm25s.BM25(method="lucene", k1=1.5, b=0.75, dtype="float64")
    index.index(texts, show_progress=False)
    collection, worst = Collection.of(texts), 0.0
    for _ in range(100):
        query = [_word(rng) for _ in range(rng.randint(1, 20))]
        known = [word for word in query if word in collection.counts]  # the package refuses unknown ones
        if known:
            theirs = index.get_scores(known)
            ours = [bm25(query, text, collection) for text in texts]
            worst = max(worst, float(np.abs(theirs - np.array(ours)).max()))
    return Row.at_most(name, worst, 1e-9, digits=12)


def _word(rng: random.Random) -> str:
    return f"w{min(150, int(rng.paretovariate(0.5)))}"


def _bertscore() -> Row:
    """The formula, pair by pair, on what transformers' own model gives."""
    name = "BERTScore: largest |Δ F1| to the formula on transformers' own vectors"
    if not encoder_installed():
        return Row.missing(name, NEEDS, bar="≤ 1e-5")
    vectors = _vectors(TEXTS)
    worst = 0.0
    for i, a in enumerate(TEXTS):
        for j, b in enumerate(TEXTS):
            [reply] = packaged_encoder().answer([ComparePackaged(a, b)])
            cosines = vectors[i] @ vectors[j].T  # special tokens may be matched, but do not count
            precision = float(np.mean([row.max() for row in cosines[1:-1]]))
            recall = float(np.mean([column.max() for column in cosines.T[1:-1]]))
            expected = 2 * precision * recall / (precision + recall)
            ours = reply.value.f1 if isinstance(reply, Answer) else math.inf
            worst = max(worst, abs(ours - expected))
    return Row.at_most(name, worst, 1e-5, digits=7)


def _vectors(texts: Sequence[str]) -> list[np.ndarray]:
    import torch
    from transformers import AutoModel, AutoTokenizer
    from transformers.utils import logging

    from guardrail.backends.weights import minilm

    logging.disable_progress_bar()
    folder, found = str(minilm()), []
    tokenizer, model = AutoTokenizer.from_pretrained(folder), AutoModel.from_pretrained(folder).eval()
    for text in texts:
        with torch.no_grad():
            one = model(**tokenizer(text, return_tensors="pt")).last_hidden_state[0].double().numpy()
        found.append(np.asarray(one / np.linalg.norm(one, axis=1, keepdims=True)))
    return found


def _gaussian() -> list[Row]:
    from scipy import stats

    rng = np.random.default_rng(0)
    density, share, distance = 0.0, 0.0, 0.0
    for _ in range(200):
        factor = rng.normal(size=(2, 2)) + np.eye(2)
        points = rng.normal(size=(40, 2)) @ factor + rng.normal(size=2)
        ours = Normal.fit(points)
        theirs = stats.multivariate_normal(points.mean(axis=0), np.cov(points.T))
        x, y = (float(v) for v in points[0])
        density = max(density, abs(ours.density((x, y)) / float(theirs.pdf((x, y))) - 1))
        gap = np.array([x, y]) - points.mean(axis=0)
        squared = float(gap @ np.linalg.solve(np.cov(points.T), gap))
        distance = max(distance, abs(ours.squared_distance((x, y)) / squared - 1))
        share = max(share, abs(ours.score((x, y), sides="both") - float(stats.chi2.cdf(squared, 2))))
        share = max(share, abs(chi_square_share(squared, 1) - float(stats.chi2.cdf(squared, 1))))
    return [
        Row.at_most("Gaussian density: largest relative Δ to scipy", density, 1e-9, digits=12),
        Row.at_most("Mahalanobis d²: largest relative Δ to numpy's solution", distance, 1e-9, digits=12),
        Row.at_most("χ² share of d²: largest |Δ| to scipy", share, 1e-9, digits=12),
    ]


def _wilson() -> Row:
    from scipy import stats

    worst = 0.0
    for flagged, answers in [(0, 60), (1, 60), (12, 60), (30, 60), (60, 60), (7, 9), (250, 1_000)]:
        theirs = stats.binomtest(flagged, answers).proportion_ci(0.95, method="wilson")
        ours = flagged_share(flagged, answers).interval or (math.inf, math.inf)
        worst = max(worst, abs(ours[0] - theirs.low), abs(ours[1] - theirs.high))
    return Row.at_most("Wilson's interval: largest |Δ| to scipy", worst, 1e-9, digits=12)


def _paper_sum() -> Row:
    """With p = 1 the sum is 1/n + (n − 1)/n of the one without."""
    rng = np.random.default_rng(1)
    worst = 0.0
    for n in range(2, 12):
        values = rng.uniform(-1, 1, size=n - 1).tolist()
        without, with_it = consistency(values), consistency(values, paper=True)
        assert without is not None  # noqa: S101  # there are values
        assert with_it is not None  # noqa: S101
        worst = max(worst, abs(with_it - (1 / n + (n - 1) / n * without)))
    return Row.at_most(
        "Consistency with and without p = 1: largest |Δ| to the identity", worst, 1e-12, digits=15
    )
