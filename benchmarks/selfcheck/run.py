"""SelfCheck [manakul2023] on the WikiBio passages: n-gram from text, the rest from recorded scores and replies.

Both areas under the precision-recall curve are always shown: the paper's trapezoid, and average precision, which
does not gain from tied scores. The word `record` alone records what the packaged models say, which --fast reads.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks._data import data_dir
from benchmarks._recording import Recording
from benchmarks._table import Row, Run, bench
from benchmarks.selfcheck import beyond, embedded, recorded, short, tables
from benchmarks.selfcheck.passages import Passage, read_passages
from benchmarks.selfcheck.published import PROMPT
from benchmarks.selfcheck.scoring import Blocks
from guardrail.errors import InputError
from guardrail.selfcheck.ensemble.fits import packaged_fit, packaged_fits

__all__ = ["compute", "main"]

SHOWN_SIZES = (1, 2, 4, 8, 12, 16, 20)


def compute(run: Run) -> list[Row]:
    """Every row."""
    passages = read_passages(run.data("wikibio_gpt3"))
    run.parameters["seed"] = beyond.SEED
    run.say("n-gram")
    found = [*tables.random_rows(passages), *tables.ngram_rows(passages), *tables.words_rows(passages)]
    found += tables.recorded_rows(passages)
    run.say("prompt")
    scores = {}
    for judge in list(PROMPT)[: 1 if run.fast else None]:
        some = [p for p in passages if judge in p.replies]
        if some:
            scores[judge] = some, tables.prompt_scores(some, judge)
    found += [*tables.prompt_rows(scores), *tables.judges_rows(passages), *tables.reference_rows(passages)]
    run.say("ensemble, early stop, number of samples")
    found += [*beyond.ensemble_rows(passages), *beyond.early_rows(passages)]
    run.say("embedded default")
    # another folder's passages are not those that were recorded: there the models score all, which takes minutes
    recording = Recording.read(recorded.PATH) if run.data_folder is None else None
    found += embedded.embedded_rows(passages, fast=run.fast, recording=recording)
    run.say("short answers")
    found += _short(run, passages)
    curves = beyond.sample_curves(passages, range(1, 21) if run.out else SHOWN_SIZES)
    for title, points in curves.items():
        for size in SHOWN_SIZES:
            for column in ("NonFact", "Spearman"):
                name = f"Figures 7, 8 {title}, {size} samples: {column}"
                found.append(Row.shown(name, points[size].columns[column], digits=2))
    found += [*beyond.sentence_rows(passages), *beyond.token_rows(passages), *tables.absent_rows()]
    if run.out is not None:
        from benchmarks.selfcheck import figures

        figures.sample_plots(curves, run.out)
        plotted = {judge: values for judge, (some, values) in scores.items() if len(some) == len(passages)}
        plotted["1-gram Max"] = _unigram(passages)
        figures.precision_recall(passages, plotted, run.out)
        figures.scatter(passages, plotted, run.out)
    return found


def _short(run: Run, passages: Sequence[Passage]) -> list[Row]:
    """Answers of a sentence or two, by the packaged fit of which all models are installed."""
    name = packaged_fit()
    fit = packaged_fits()[name] if embedded.installed(name) else None
    try:
        found = short.short_rows(short.read_answers(run.data("consistency")), fit)
    except InputError as error:
        found = [Row.missing("SAC3 HotpotQA", str(error))]
    if fit is None or not fit.short or run.fast:
        return found
    return found + short.chosen_rows([p for p in passages if p.number < embedded.FITTED], fit)


def _unigram(passages: Sequence[Passage]) -> list[list[float]]:
    return tables.ngram_scores(passages, [p.samples for p in passages], 1, "max")[0]


def record() -> int:
    """Score the rows that no fit has seen by the packaged models, and write down what they say; the exit code."""
    passages = read_passages(data_dir("wikibio_gpt3"))
    found: dict[str, list[Blocks]] = {}
    embedded.embedded_rows(passages, fast=True, keep=found)
    if missing := packaged_fits().keys() - found.keys():
        sys.stderr.write(f"record: {', '.join(sorted(missing))}: {embedded.NEEDS}\n")
        return 2
    recorded.recording_of(found, packaged_fits(), passages[embedded.FITTED :]).save(recorded.PATH)
    return 0


def main(argv: Sequence[str] | None = None) -> int:
    """The command line; returns the exit code."""
    words = list(sys.argv[1:] if argv is None else argv)
    if words == ["record"]:
        return record()
    return bench(
        "selfcheck",
        compute,
        words,
        folder=Path(__file__).parent,
        doc=__doc__ or "",
        packages=("nupunkt", "spacy"),
    )
