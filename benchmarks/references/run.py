"""Tables and figures of the references paper [agrawal2024] from recorded replies, and what goes beyond it.

The detector runs end to end: our prompts, recorded replies, our parsing, our scores.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from benchmarks._plots import fdr_plot, roc_plot
from benchmarks._stats import auc, delong_interval, fdr_band, roc_band
from benchmarks._table import Row, Run, bench
from benchmarks.references import beyond, human, tokens
from benchmarks.references.replay import Scored, Topic, read_topics, replay
from guardrail.detectors import ReferenceCheck
from guardrail.errors import InputError
from guardrail.references.bibliography.normalise import normalise
from guardrail.references.citations import citations
from guardrail.references.citations.tagging import packaged_tagger

__all__ = ["compute", "main"]

NAMES = {"iq": "IQ", "dq1": "DQ1", "dq2": "DQ2", "dq3": "DQ3", "dq": "DQ", "iq+dq": "IQ+DQ"}
PUBLISHED: Mapping[str, Mapping[str, float]] = {
    "gpt-4": {"iq": 0.878, "dq1": 0.887, "dq2": 0.845, "dq3": 0.861, "dq": 0.917, "iq+dq": 0.928},
    "gpt-3.5-turbo": {"iq": 0.782, "dq1": 0.540, "dq2": 0.609, "dq3": 0.529, "dq": 0.623, "iq+dq": 0.792},
}
TOLERANCE = 0.001
READ = {"gpt-4": 1000, "gpt-3.5-turbo": 990}  # of 1,000
NO_DATA = ("gpt-3", "llama-2-70b", "llama-2-13b", "llama-2-7b")


def compute(run: Run) -> list[Row]:
    """Every row."""
    folder = run.data()
    models = sorted(path.name.removesuffix("_results.csv") for path in folder.glob("*_results.csv"))
    if not models:
        raise InputError(f"expected <model>_results.csv files in {folder.name!r}, got none")
    if run.data_folder is None and (missing := sorted(set(PUBLISHED) - set(models))):
        raise InputError(f"expected {missing[0]}_results.csv in the data set, which has only {models!r}")
    models.sort(key=lambda model: (list(PUBLISHED).index(model) if model in PUBLISHED else 99, model))
    rows: list[Row] = []
    sources: dict[str, tuple[list[Topic], Scored]] = {}
    for model in models:
        run.say(f"{model}: the paper's 36 questions per reference")
        topics = read_topics(folder / f"{model}_results.csv")
        rows.append(read_row(model, topics))
        paper = replay(topics, ReferenceCheck(effort="paper", parsing="paper", prompts="paper"))
        exact = replay(topics, ReferenceCheck(effort="paper", parsing="exact", prompts="paper"))
        rows += auc_rows(model, paper, exact)
        run.say(f"{model}: fewer questions")
        rows += beyond.rows(model, topics, paper, full=not run.fast)
        sources[model] = topics, paper
        if run.out is not None:
            plots(model, paper, run.out)
    rows += [Row.missing(f"{model} AUC", "no data here") for model in NO_DATA if model not in models]
    rows += beyond.calibration_rows({model: paper for model, (_, paper) in sources.items()}, run.out)
    rows += human.hallucination_rows(folder, models)
    if (folder / "expert_annotation_study").is_dir():
        rows += human.agreement_rows(folder)
    else:
        rows.append(Row.missing("expert study", "no expert_annotation_study folder in this data"))
    return rows + tokens.rows(folder, models)


def read_row(model: str, topics: Sequence[Topic]) -> Row:
    """How many of the titles in the recorded answers are read; these are nothing but lists of titles that were asked for."""
    read = 0
    for topic in topics:
        found = citations(
            topic.answer, asked_for_references=True, question=topic.prompt, tagger=packaged_tagger()
        )
        titles = {normalise(one.reference.title) for one in found}
        read += sum(normalise(one.text) in titles for one in topic.titles)
    return Row.at_least(f"{model} titles read in lists", read, READ.get(model, 0))


def auc_rows(model: str, paper: Scored, exact: Scored) -> list[Row]:
    """The twelve AUCs by the paper's parsing, and the same by exact parsing beside them."""
    found = []
    for name, title in NAMES.items():
        scores, labels = paper.known(name)
        quantity, ours = f"{model} AUC {title}", auc(scores, labels)
        published = PUBLISHED.get(model, {}).get(name)
        interval = delong_interval(scores, labels)
        if published is None:
            found.append(Row.shown(quantity, ours, interval=interval))
        else:
            found.append(Row.within(quantity, published, ours, tolerance=TOLERANCE, interval=interval))
    for name, title in NAMES.items():
        scores, labels = exact.known(name)
        found.append(
            Row.shown(
                f"{model} AUC {title}, exact parsing",
                auc(scores, labels),
                interval=delong_interval(scores, labels),
            )
        )
    scored = sum(score is not None for score in paper.scores["iq+dq"])
    return [*found, Row.equal(f"{model} titles scored", scored, len(paper.grounded))]


def plots(model: str, paper: Scored, out: Path) -> None:
    """Figure 5 (ROC) and Figures 6 and 10 (FDR against the fraction preserved), with bootstrap bands."""
    roc, fdr = {}, {}
    for name, title in NAMES.items():
        scores, labels = paper.known(name)
        band, rate = roc_band(scores, labels), fdr_band(scores, labels, np.linspace(0.02, 1, 50))
        value = auc(scores, labels)
        if band is not None and value is not None:
            roc[f"{title}, AUC {value:.3f}".replace("0.", ".", 1)] = band
        if rate is not None:
            fdr[title] = rate
    roc_plot(roc, out, f"roc-{model}", title=f"{model}: grounded against hallucinated references")
    fdr_plot(fdr, out, f"fdr-{model}", title=f"{model}: what a filter keeps, and how much of it is made up")


def main(argv: Sequence[str] | None = None) -> int:
    """The command line; returns the exit code."""
    return bench("references", compute, argv, folder=Path(__file__).parent, doc=__doc__ or "")
