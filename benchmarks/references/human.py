"""Hallucination rates (Table 1) and the expert study (§5.2 and Table 3) of [agrawal2024]."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from benchmarks._data import read_csv
from benchmarks._stats import cohen_kappa, wilson_interval
from benchmarks._table import Row
from guardrail.errors import InputError

__all__ = ["agreement_rows", "hallucination_rows", "study"]

RATES = {"gpt-4": 46.8, "gpt-3.5-turbo": 59.6}
RATES_WITHOUT_DATA = {"gpt-3": 73.6, "llama-2-70b": 66.2, "llama-2-13b": 76.7, "llama-2-7b": 68.3}
KAPPAS = {
    ("A", "B"): 0.96,
    ("A", "C"): 0.98,
    ("B", "C"): 0.98,
    ("D", "A"): 0.96,
    ("D", "B"): 1.0,
    ("D", "C"): 0.98,
    ("A", "Bing"): 0.98,
    ("B", "Bing"): 0.98,
    ("C", "Bing"): 1.0,
    ("D", "Bing"): 0.98,
}
SEARCH_SAYS = {"True": "G", "False": "H"}


def hallucination_rows(folder: Path, models: Sequence[str]) -> list[Row]:
    """The share of generated titles that the web search did not find, with Wilson intervals (Table 1)."""
    found = []
    for model in models:
        labels = [row["bing_return"] for row in read_csv(folder / f"{model}_results.csv", ["bing_return"])]
        _only(labels, SEARCH_SAYS, f"{model}_results.csv")
        found.append(_share(f"{model} hallucinated", labels.count("False"), len(labels), RATES.get(model)))
    return found + [
        Row.missing(f"{model} hallucinated", "no data here", published=published, unit="%", digits=1)
        for model, published in RATES_WITHOUT_DATA.items()
        if model not in models
    ]


def agreement_rows(folder: Path) -> list[Row]:
    """Cohen's κ of every pair of raters (Table 3), and each expert's agreement with the search (§5.2)."""
    raters = study(folder / "expert_annotation_study")
    found = []
    for (first, second), published in KAPPAS.items():
        kappa = cohen_kappa(raters[first], raters[second])
        quantity = f"kappa {first} and {second}"
        interval = kappa.interval if kappa and kappa.value < 1 else None  # at 1 the formula's width is 0
        found.append(
            Row.missing(quantity, "both gave every title one label", published=published, digits=2)
            if kappa is None
            else Row.rounded(quantity, published, kappa.value, digits=2, interval=interval)
        )
    for expert in "ABCD":
        same = sum(one == other for one, other in zip(raters[expert], raters["Bing"], strict=True))
        published = 100.0 if expert == "C" else 99.0  # "one 100 %, the other three 99 %"; the files say who
        found.append(_share(f"expert {expert} agrees with Bing", same, len(raters[expert]), published))
    for rater, labels in raters.items():
        interval = wilson_interval(labels.count("H"), len(labels))
        rate = 100 * labels.count("H") / len(labels)
        quantity = f"study, hallucinated by {'expert ' if len(rater) == 1 else ''}{rater}"
        found.append(Row.shown(quantity, rate, interval=_percent(interval), unit="%", digits=1))
    return found


def study(folder: Path) -> dict[str, list[str]]:
    """G or H by rater ("A" to "D" and "Bing"), in the order of titles of expert A's file.

    The label's column is spelt differently from file to file; it is the one that begins with "label".

    Raises:
        InputError: a file lacks the column, holds another label, or labels other titles.
    """
    raters: dict[str, Mapping[str, str]] = {}
    for expert in "ABCD":
        table = read_csv(folder / f"expert_{expert}.csv", ["gen_title"])
        columns = [column for column in table[0] if column.strip().lower().startswith("label")]
        if len(columns) != 1:
            raise InputError(f"expert_{expert}.csv: expected one column of labels, got {list(table[0])!r}.")
        raters[expert] = {row["gen_title"]: row[columns[0]].strip().upper() for row in table}
    truth = read_csv(folder / "ground_truth.csv", ["gen_title", "bing_return"])
    _only([row["bing_return"] for row in truth], SEARCH_SAYS, "ground_truth.csv")
    raters["Bing"] = {row["gen_title"]: SEARCH_SAYS[row["bing_return"]] for row in truth}
    for rater, labels in raters.items():
        _only(list(labels.values()), {"G": "", "H": ""}, f"rater {rater}")
        if labels.keys() != raters["A"].keys():
            raise InputError(
                f"rater {rater}: expected the titles of expert A, got others. Compare the files."
            )
    return {rater: [labels[title] for title in raters["A"]] for rater, labels in raters.items()}


def _only(labels: list[str], allowed: Mapping[str, str], where: str) -> None:
    other = sorted(set(labels) - set(allowed))
    if other:
        raise InputError(f"{where}: expected labels of {sorted(allowed)!r}, got {other[:5]!r}.")


def _share(quantity: str, count: int, total: int, published: float | None) -> Row:
    interval = _percent(wilson_interval(count, total))
    if published is None:
        return Row.shown(quantity, 100 * count / total, digits=1, interval=interval, unit="%")
    return Row.rounded(quantity, published, 100 * count / total, digits=1, interval=interval, unit="%")


def _percent(interval: tuple[float, float] | None) -> tuple[float, float] | None:
    return None if interval is None else (100 * interval[0], 100 * interval[1])
