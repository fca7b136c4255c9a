"""Rows of the paper's tables from text alone, from recorded scores, and through recorded replies."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np

from benchmarks._table import Row
from benchmarks.selfcheck import published
from benchmarks.selfcheck.metrics import measure, passage_score, rows, tasks
from benchmarks.selfcheck.passages import Passage
from guardrail import Case, Guard
from guardrail.chat import RecordedChat
from guardrail.detectors import SelfCheck
from guardrail.errors import ParseError
from guardrail.report import Span
from guardrail.requests import Ask
from guardrail.selfcheck import PromptCheck, ngram
from guardrail.selfcheck.ngram import Statistic, Tokens
from guardrail.text.sentences import split_sentences

__all__ = [
    "absent_rows",
    "judges_rows",
    "ngram_rows",
    "ngram_scores",
    "prompt_rows",
    "prompt_scores",
    "random_rows",
    "recorded_rows",
    "reference_rows",
    "words_rows",
]

TOLERANCE = 1.0
UNSEEN = 119  # rows before this one chose thresholds
RECORDED_TOLERANCE = 0.05
STATISTICS: tuple[Statistic, ...] = ("mean", "max")
NEEDS = {
    "gpt3": "needs GPT-3's token log-probabilities, which nobody published",
    "qa": "needs question generation and answering weights: potsawee/t5-large-generation-squad-QuestionAnswer, "
    "potsawee/t5-large-generation-race-Distractor, potsawee/longformer-large-4096-answering-race",
    "bertscore": "needs encoder weights: huggingface-cli download FacebookAI/roberta-large",
    "nli": "needs entailment weights: huggingface-cli download potsawee/deberta-v3-large-mnli",
    "prompt": "needs a judge's replies against the real texts; none are recorded",
    "proxy": "needs the weights of a proxy language model, LLaMA-30B in the paper",
}

Scores = list[list[float]]


def random_rows(passages: Sequence[Passage]) -> list[Row]:
    """What guessing gives: the share of positives."""
    return [
        Row.within(
            f"Random: {name}",
            published.RANDOM[name],
            100.0 * float(positive[counted].mean()),
            tolerance=0.005,
            digits=2,
        )
        for name, (counted, positive, _) in tasks(passages).items()
    ]


def ngram_scores(
    passages: Sequence[Passage],
    samples: Sequence[Sequence[Sequence[str]]],
    n: int,
    statistic: Statistic,
    tokens: Tokens = "paper",
) -> tuple[Scores, list[float]]:
    """Scores of sentences and of passages; samples are split into sentences already."""
    found = [
        ngram.surprisals(p.sentences, given, n=n, tokens=tokens)
        for p, given in zip(passages, samples, strict=True)
    ]
    sentences = [[ngram.sentence_score(values, statistic) or 0.0 for values in one] for one in found]
    return sentences, [passage_score(one, statistic) or 0.0 for one in found]


def ngram_rows(passages: Sequence[Passage]) -> list[Row]:
    """Table 7: ten rows of five columns."""
    started = time.perf_counter()
    samples = [[split_sentences(sample) for sample in p.samples] for p in passages]
    found: list[Row] = []
    for statistic in STATISTICS:
        for n in range(1, 6):
            figures = measure(passages, *ngram_scores(passages, samples, n, statistic))
            title = f"Table 7 {n}-gram {'Avg' if statistic == 'mean' else 'Max'}"
            found += rows(title, figures, published.NGRAM[n, statistic], tolerance=TOLERANCE)
    seconds = (time.perf_counter() - started) / len(passages) / 10
    return [*found, Row.shown("n-gram, one answer with 20 samples", 1e3 * seconds, unit="ms", digits=2)]


def words_rows(passages: Sequence[Passage]) -> list[Row]:
    """The default's words against the paper's tokens, unigram maximum, on the rows that chose no threshold."""
    some = [p for p in passages if p.number >= UNSEEN]
    if not some:
        return []
    samples = [[split_sentences(sample) for sample in p.samples] for p in some]
    found: list[Row] = []
    for tokens in ("words", "paper"):
        figures = measure(some, *ngram_scores(some, samples, 1, "max", tokens)).columns
        name = f"1-gram Max, tokens={tokens!r}, rows {UNSEEN}-{some[-1].number}"
        found += [Row.shown(f"{name}: {column}", value, digits=2) for column, value in figures.items()]
    return found


def recorded_rows(passages: Sequence[Passage]) -> list[Row]:
    """Scores that a replication recorded, by our metrics."""
    found: list[Row] = []
    for name, figures in published.RECORDED.items():
        some = [p for p in passages if name in p.recorded]
        if some:
            ours = measure(some, [p.recorded[name] for p in some])
            title = f"Recorded {name}, {len(some)} passages"
            found += rows(title, ours, figures, tolerance=RECORDED_TOLERANCE)
        else:
            found.append(Row.missing(f"Recorded {name}", "no recorded scores in this data"))
    for name, figures in published.OTHER_SAMPLES.items():
        some = [p for p in passages if name in p.other_recorded]
        if some:
            ours = measure(some, [p.other_recorded[name] for p in some])
            found += rows(f"Recorded {name}, gpt-3.5 samples", ours, figures, tolerance=RECORDED_TOLERANCE)
    some = [p for p in passages if p.other_samples]
    if some:
        samples = [[split_sentences(sample) for sample in p.other_samples] for p in some]
        found += rows("1-gram Max, gpt-3.5 samples", measure(some, *ngram_scores(some, samples, 1, "max")))
    return found


def reference_rows(passages: Sequence[Passage]) -> list[Row]:
    """Table 3: the real text in place of samples, where the data has it (the paper: all 238)."""
    some = [p for p in passages if p.reference]
    if not some:
        return [Row.missing("Table 3 WikiBio+1gm", "no real texts in this data")]
    samples = [[split_sentences(p.reference)] for p in some]
    figures = measure(some, *ngram_scores(some, samples, 1, "max"))
    return rows(f"Table 3 WikiBio+1gm, {len(some)} passages", figures, published.WIKIBIO_UNIGRAM)


def prompt_scores(passages: Sequence[Passage], judge: str, size: int | None = None) -> Scores:
    """A judge's recorded replies through the detector, our own prompts, parsing and scores.

    Args:
        passages: with replies of this judge.
        judge: whose.
        size: how many of the samples; all by default.
    """
    found = []
    for passage in passages:
        samples = passage.samples[:size]
        given: list[Span] = passage.spans()
        detector = SelfCheck("prompt", splitter=partial(_given, given))
        assert isinstance(detector, PromptCheck)  # noqa: S101  # for type checkers
        replies: dict[Ask, str] = {}
        for span, said in zip(given, passage.replies[judge], strict=True):
            for sample, reply in zip(samples, said, strict=False):
                replies[detector.ask(span.of(passage.text), sample)] = reply
        chat = RecordedChat(replies, key=_words)
        report = Guard([detector], chat=chat).check(Case(answer=passage.text, samples=samples))
        scores = [finding.score for finding in report.findings if finding.score is not None]
        if report.failures or len(scores) != len(given):
            raise ParseError(
                f"expected {len(given)} scores, got {len(scores)}: {report.failures}",
                source=f"row {passage.number}",
            )
        found.append(scores)
    return found


def _given(spans: Sequence[Span], answer: str) -> Sequence[Span]:
    del answer
    return spans


def _words(ask: Ask) -> str:
    return "\n".join(message.text for message in ask.messages)


def prompt_rows(scores: Mapping[str, tuple[Sequence[Passage], Scores]]) -> list[Row]:
    """Table 2's prompt row with other judges than the paper's."""
    found: list[Row] = []
    for judge, figures in published.PROMPT.items():
        if judge in scores:
            passages, values = scores[judge]
            title = f"Table 2 {judge}, through the detector"
            found += rows(title, measure(passages, values), figures, tolerance=RECORDED_TOLERANCE)
        else:
            found.append(
                Row.missing(f"Table 2 {judge}, through the detector", "--fast, or no recorded replies")
            )
    return found


def judges_rows(passages: Sequence[Passage]) -> list[Row]:
    """Tables 4 and 6 with two other judges: few samples, and how often the two say the same."""
    found: list[Row] = []
    judges = [judge for judge in published.PROMPT if all(judge in p.replies for p in passages)]
    for judge in judges:
        for size in (4, 20):
            values = [_mean_replies(p, judge, size) for p in passages]
            figures = measure(passages, values).columns
            found += [
                Row.shown(f"Table 4 {judge}, {size} samples: {column}", figures[column], digits=2)
                for column in ("Pearson", "Spearman")
            ]
    if len(judges) == 2:
        first, second = ([_reads(p, judge) for p in passages] for judge in judges)
        pairs = [
            (x, y)
            for a, b in zip(first, second, strict=True)
            for x, y in zip(a.ravel().tolist(), b.ravel().tolist(), strict=True)
        ]
        for x, one in ((0.0, "Yes"), (1.0, "No")):
            for y, two in ((0.0, "Yes"), (1.0, "No")):
                found.append(Row.shown(f"Table 6 {judges[0]} {one}, {judges[1]} {two}", pairs.count((x, y))))
    return found


def _reads(passage: Passage, judge: str) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    from guardrail.selfcheck.prompt import VALUES, read

    return np.array([[VALUES[read(reply)] for reply in said] for said in passage.replies[judge]])


def _mean_replies(passage: Passage, judge: str, size: int) -> list[float]:
    found: list[float] = _reads(passage, judge)[:, :size].mean(axis=1).tolist()
    return found


def absent_rows() -> list[Row]:
    """The rows that need what is not here."""
    return [
        Row.missing(title, NEEDS[need], published=" / ".join(f"{figure:.2f}" for figure in figures.values()))
        for title, (figures, need) in published.ABSENT.items()
    ]
