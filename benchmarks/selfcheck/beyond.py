"""Beyond the paper: the fitted ensemble, early stop, how many samples, sentences and tokens."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from benchmarks._table import Row
from benchmarks.selfcheck.metrics import COLUMNS, SENTENCE_COLUMNS, Measured, measure, rows
from benchmarks.selfcheck.passages import Passage
from benchmarks.selfcheck.published import PROMPT
from benchmarks.selfcheck.tables import ngram_scores
from guardrail.errors import InputError
from guardrail.selfcheck import early
from guardrail.selfcheck.ensemble.stack import PENALTY, Stack
from guardrail.selfcheck.prompt import VALUES, read
from guardrail.selfcheck.tokens import tokens
from guardrail.text.sentences import sentences, split_sentences

__all__ = [
    "early_rows",
    "ensemble_rows",
    "out_of_fold",
    "sample_curves",
    "sentence_rows",
    "split_in_folds",
    "token_rows",
]

MEMBERS = ("nli_deberta_v3_large_mnli", "bertscore")
JUDGE = "prompt_qwen3.5_9b"
SEED = 0
SAMPLES_USED, LOST = 50.0, 0.5
CONFIDENCE = 0.9


def ensemble_rows(passages: Sequence[Passage]) -> list[Row]:
    """NLI, BERTScore, prompt and n-gram, stacked out of fold, against each of them."""
    some = [p for p in passages if all(name in p.recorded for name in MEMBERS) and JUDGE in p.replies]
    if len(some) < 10:
        return [Row.missing("Ensemble", "fewer than ten passages with recorded scores of all members")]
    members: dict[str, list[Sequence[float]]] = {name: [p.recorded[name] for p in some] for name in MEMBERS}
    members[JUDGE] = [values(p, JUDGE).mean(axis=1).tolist() for p in some]
    samples = [[split_sentences(sample) for sample in p.samples] for p in some]
    members["1-gram Max"] = [*ngram_scores(some, samples, 1, "max")[0]]
    figures = {name: measure(some, scores) for name, scores in members.items()}
    ours = measure(some, split_in_folds(some, members))
    found = [
        row for name, one in figures.items() for row in rows(f"Member {name}, {len(some)} passages", one)
    ]
    for column in COLUMNS:
        best = max(figure for one in figures.values() if (figure := _column(one, column)) is not None)
        suffix = ", average precision" if column in SENTENCE_COLUMNS else ""
        found.append(
            Row.at_least(
                f"Ensemble out of fold: {column}{suffix} (bar: the best member)",
                _column(ours, column),
                best,
                digits=2,
            )
        )
    for name, scores in members.items():
        alone = measure(some, split_in_folds(some, {name: scores}))
        found += [
            Row.shown(
                f"Member {name} with its passage's mean, out of fold: {column}",
                _column(alone, column),
                digits=2,
            )
            for column in COLUMNS
        ]
    plain = np.mean([_z(scores) for scores in members.values()], axis=0)
    mean = measure(some, _by_passage(some, plain))
    for column in COLUMNS:
        suffix = ", average precision" if column in SENTENCE_COLUMNS else ""
        found.append(Row.shown(f"Plain mean of z-scores: {column}{suffix}", _column(mean, column), digits=2))
    return found + [
        Row.shown(f"Ensemble out of fold: {column}, trapezoid", ours.columns[column], digits=2)
        for column in SENTENCE_COLUMNS
    ]


def _column(measured: Measured, column: str) -> float | None:
    return measured.stepwise[column] if column in SENTENCE_COLUMNS else measured.columns[column]


def split_in_folds(
    passages: Sequence[Passage], members: Mapping[str, Sequence[Sequence[float]]]
) -> list[list[float]]:
    """The stack's probabilities per passage, each from folds that leave the passage out."""
    found = out_of_fold(
        {name: np.concatenate(scores) for name, scores in members.items()},
        np.concatenate([p.labels for p in passages]),
        [p.number for p in passages for _ in p.labels],
        seed=SEED,
    )
    return _by_passage(passages, found)


def out_of_fold(
    scores: Mapping[str, ArrayLike],
    labels: ArrayLike,
    passages: Sequence[Hashable],
    *,
    folds: int = 5,
    seed: int = 0,
    penalty: float = PENALTY,
) -> NDArray[np.float64]:
    """P(made up) per sentence, each by a stack that saw no sentence of its passage.

    Args:
        scores: as for `Stack.fit`.
        labels: as for `Stack.fit`.
        passages: as for `Stack.fit`; the folds are drawn over them.
        folds: how many, at least 2 and at most as many as there are passages.
        seed: of the draw.
        penalty: as for `Stack.fit`.
    """
    names = list(dict.fromkeys(passages))
    if not 2 <= folds <= len(names):
        raise InputError(f"folds: expected 2 to {len(names)} (the passages), got {folds!r}")
    order = np.random.default_rng(seed).permutation(len(names))
    fold_of = {names[i]: position % folds for position, i in enumerate(order)}
    fold = np.array([fold_of[passage] for passage in passages])
    arrays = {name: np.asarray(values, dtype=np.float64) for name, values in scores.items()}
    target = np.asarray(labels, dtype=np.float64)
    found = np.empty(len(fold))
    for k in range(folds):
        test, train = fold == k, fold != k
        stack = Stack.fit(
            {name: values[train] for name, values in arrays.items()},
            target[train],
            [p for p, kept in zip(passages, train, strict=True) if kept],
            penalty=penalty,
        )
        held_out = {name: values[test] for name, values in arrays.items()}
        found[test] = stack.predict(held_out, [p for p, kept in zip(passages, test, strict=True) if kept])
    return found


def _by_passage(passages: Sequence[Passage], flat: NDArray[np.float64]) -> list[list[float]]:
    edges = np.cumsum([0, *(len(p.labels) for p in passages)]).tolist()
    return [flat[a:b].tolist() for a, b in pairwise(edges)]


def _z(scores: Sequence[Sequence[float]]) -> NDArray[np.float64]:
    flat = np.concatenate([np.asarray(one, dtype=np.float64) for one in scores])
    found: NDArray[np.float64] = (flat - flat.mean()) / flat.std()
    return found


def values(passage: Passage, judge: str) -> NDArray[np.float64]:
    """A judge's replies as numbers: shape (sentences, samples)."""
    return np.array([[VALUES[read(reply)] for reply in said] for said in passage.replies[judge]])


def early_rows(passages: Sequence[Passage]) -> list[Row]:
    """Samples used, and what the AUC-PR loses, with either judge; both halves of the data apart, too."""
    found: list[Row] = []
    halves = {"": passages, ", rows 0-118": passages[:119], ", rows 119-237": passages[119:]}
    for judge in PROMPT:
        for name, some in halves.items():
            some = [p for p in some if judge in p.replies]  # noqa: PLW2901  # the half that is there
            if not some:
                found.append(Row.missing(f"Early stop, {judge}{name}", "no recorded replies in this data"))
                continue
            found += _early(f"Early stop, {judge}{name}", some, judge, judged=not name)
    return found


def stop_after(
    values: Sequence[Sequence[float]],
    *,
    threshold: float = 0.5,
    confidence: float = 0.9,
    margin: float = early.MARGIN,
    first: int = early.FIRST,
) -> int:
    """How many samples are enough for every sentence of an answer.

    Args:
        values: per sentence, its value for each sample, in the order of the samples.
        threshold: of the verdict.
        confidence: how sure it must be.
        margin: around the threshold.
        first: samples that are always looked at.

    Example:
        >>> stop_after([[1.0] * 20, [0.0] * 20]), stop_after([[0.0, 1.0] * 10])
        (4, 8)
    """
    planned = min((len(row) for row in values), default=0)
    for seen in range(min(first, planned), planned):
        if all(
            early.settled(
                math.fsum(row[:seen]),
                seen,
                planned,
                threshold=threshold,
                confidence=confidence,
                margin=margin,
            )
            for row in values
        ):
            return seen
    return planned


def _early(title: str, passages: Sequence[Passage], judge: str, *, judged: bool) -> list[Row]:
    everything = [values(p, judge) for p in passages]
    used = [stop_after(one.tolist(), confidence=CONFIDENCE) for one in everything]
    full = measure(passages, [one.mean(axis=1).tolist() for one in everything])
    stopped = measure(
        passages, [one[:, :k].mean(axis=1).tolist() for one, k in zip(everything, used, strict=True)]
    )
    share = 100.0 * sum(used) / sum(one.shape[1] for one in everything)
    same = np.mean(
        [
            (a >= 0.5) == (b >= 0.5)
            for one, k in zip(everything, used, strict=True)
            for a, b in zip(one.mean(axis=1), one[:, :k].mean(axis=1), strict=True)
        ]
    )
    name = f"{title}: samples used"
    found = [
        Row.at_most(name, share, SAMPLES_USED, unit="%", digits=1)
        if judged
        else Row.shown(name, share, unit="%", digits=1),
        Row.shown(f"{title}: same verdict as with all samples", 100.0 * float(same), unit="%", digits=1),
    ]
    for column in COLUMNS:
        lost = _minus(full.columns[column], stopped.columns[column])
        name = f"{title}: {column} lost" + (", trapezoid" if column in SENTENCE_COLUMNS else "")
        if judged and column in SENTENCE_COLUMNS:
            found.append(Row.at_most(name, lost, LOST, digits=2))
        else:
            found.append(Row.shown(name, lost, digits=2))
    return found + [
        Row.shown(
            f"{title}: {column} lost, average precision",
            _minus(full.stepwise[column], stopped.stepwise[column]),
            digits=2,
        )
        for column in SENTENCE_COLUMNS
    ]


def _minus(a: float | None, b: float | None) -> float | None:
    return None if a is None or b is None else a - b


def sample_curves(passages: Sequence[Passage], sizes: Sequence[int]) -> dict[str, dict[int, Measured]]:
    """Figures 7 and 8: every column by the number of samples, for what has data per sample."""
    curves: dict[str, dict[int, Measured]] = {"1-gram Max": {}}
    split = [[split_sentences(sample) for sample in p.samples] for p in passages]
    for size in sizes:
        some = [one[:size] for one in split]
        curves["1-gram Max"][size] = measure(passages, *ngram_scores(passages, some, 1, "max"))
    for judge in PROMPT:
        if all(judge in p.replies for p in passages):
            everything = [values(p, judge) for p in passages]
            curves[judge] = {
                size: measure(passages, [one[:, :size].mean(axis=1).tolist() for one in everything])
                for size in sizes
            }
    return curves


def sentence_rows(passages: Sequence[Passage]) -> list[Row]:
    """How our sentences agree with the given ones."""
    exact = right = ours = given = 0
    for passage in passages:
        found, wanted = sentences(passage.text), passage.spans()
        exact += [(s.start, s.end) for s in found] == [(s.start, s.end) for s in wanted]
        ends = {span.end for span in found} & {span.end for span in wanted}
        right, ours, given = right + len(ends), ours + len(found), given + len(wanted)
    return [
        Row.shown("Sentences: passages split exactly as given", exact),
        Row.shown("Sentences: passages", len(passages)),
        Row.at_least("Sentences: precision of boundaries", right / ours, 0.99, digits=4),
        Row.at_least("Sentences: recall of boundaries", right / given, 0.99, digits=4),
    ]


def token_rows(passages: Sequence[Passage]) -> list[Row]:
    """How our tokens agree with spaCy's rules, where spaCy is installed."""
    quantity = "Tokens: share of spaCy's that ours has too"
    try:
        import spacy  # type: ignore[import-not-found,unused-ignore]  # rarely installed
    except ImportError:
        return [Row.missing(quantity, "needs spaCy: pip install spacy", bar="≥ 0.999")]
    tokenizer: Any = spacy.blank("en")
    right = total = 0
    for passage in passages:
        for text in (*passage.sentences, *passage.samples):
            theirs = {(t.idx, t.idx + len(t)) for t in tokenizer(text) if not t.is_space}
            right += len(theirs & set(_places(text, tokens(text))))
            total += len(theirs)
    return [Row.at_least(quantity, right / total, 0.999, digits=5)]


def _places(text: str, found: Sequence[str]) -> list[tuple[int, int]]:
    places, position = [], 0
    for token in found:
        start = text.index(token, position)
        position = start + len(token)
        places.append((start, position))
    return places
