"""The summary of a run: figures of each detector, how far detectors agree, and which findings to read."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from guardrail.evaluation.measures import figure, influences, measured, share
from guardrail.evaluation.rows import ResultRow, column_batches, plain, rows_at
from guardrail.evaluation.table import FLAGGED, Array, Rows, Units, answers, findings
from guardrail.statistics.clusters import by_cluster

FORMAT = 1
MOST_SHOWN = 2_000
WORST = 100
_REASONS = 3
_DIFFERENT = 10_000
"""Reasons that are counted at once: some name what is in the answer, and a million rows may have a million of those."""
_TIMES = re.compile(r" \(×\d+\)$")
"""How many requests of one answer failed alike."""


@dataclass(frozen=True, slots=True)
class Pick:
    """A finding to read.

    Attributes:
        why: "false alarm", "missed", "highest score" or "drawn at random".
        row: the finding.
    """

    why: str
    row: ResultRow


def summarised(
    rows: Rows, scales: Mapping[str, Mapping[str, Any]], signatures: Mapping[str, str]
) -> dict[str, Any]:
    """Figures of each detector and of each pair; plain values, ready for JSON."""
    found: dict[str, Any] = {"format": FORMAT, "detectors": {}, "agreement": []}
    whole = {}
    for index, name in enumerate(rows.detectors):
        scale = scales.get(name, {})
        labelled, of_findings = _by_finding(rows, index, scale)
        whole[name] = answers(rows, index)  # made after the findings are gone: each takes as much as the rows
        found["detectors"][name] = {
            "signature": signatures.get(name, ""),
            "scale": dict(scale),
            "judged_by": "finding" if labelled else "answer",
            "answer": measured(whole[name], scale),
            "finding": of_findings,
        }
    for first, second in combinations(whole, 2):
        found["agreement"].append(
            {"first": first, "second": second, **detector_agreement(whole[first], whole[second])}
        )
    return found


def _by_finding(rows: Rows, index: int, scale: Mapping[str, Any]) -> tuple[bool, dict[str, Any]]:
    """Whether findings of a detector are labelled, and its figures by findings."""
    units = findings(rows, index)
    return bool((units.label >= 0).any()), measured(units, scale)


def detector_agreement(first: Units, second: Units) -> dict[str, Any]:
    """On how many answers two detectors decide alike: flagged, or not."""
    mine, theirs = _same(first, second)
    left, right = first.verdict[mine] == FLAGGED, second.verdict[theirs] == FLAGGED
    return {
        "answers": int(left.size),
        "both": int((left & right).sum()),
        "first_only": int((left & ~right).sum()),
        "second_only": int((~left & right).sum()),
        "neither": int((~left & ~right).sum()),
        "agree": share(left == right, first.only(mine).source, "they have no answer in common"),
    }


def _same(first: Units, second: Units) -> tuple[Array, Array]:
    """Where both have the same unit."""
    _, mine, theirs = np.intersect1d(first.key, second.key, return_indices=True)
    order = np.argsort(mine, kind="stable")
    return mine[order], theirs[order]


def compared_runs(ours: Rows, theirs: Rows) -> list[dict[str, Any]]:
    """Two runs over the same answers: each figure of both, and the difference with its interval, paired by source.

    Detectors are paired by name; where each run has one, those two.
    """
    pairs = [(name, name) for name in ours.detectors if name in theirs.detectors]
    if not pairs and len(ours.detectors) == len(theirs.detectors) == 1:
        pairs = [(ours.detectors[0], theirs.detectors[0])]
    found = []
    for name, other in pairs:
        left, right = (
            (answers(table, table.detectors.index(one)), findings(table, table.detectors.index(one)))
            for table, one in ((ours, name), (theirs, other))
        )
        level = 1 if (left[1].label >= 0).any() and (right[1].label >= 0).any() else 0
        mine, others = _same(left[level], right[level])
        first, second = left[level].only(mine), right[level].only(others)
        found.append(
            {
                "detector": name,
                "other": other,
                "judged_by": first.kind,
                "rows": int(mine.size),
                "sources": int(np.unique(first.source).size),
                "figures": _differences(first, second),
            }
        )
    return found


def _differences(first: Units, second: Units) -> dict[str, dict[str, Any]]:
    """Ours less theirs."""
    left, right = influences(first), influences(second)
    found: dict[str, dict[str, Any]] = {}
    for name in left:
        ours, theirs = left[name], right[name]
        if ours is None or theirs is None:
            reason = (
                "undefined in one of the runs: no row in common, no labels, one class only, or all unverified"
            )
            found[name] = {"ours": None, "theirs": None, "difference": figure(None, reason=reason)}
            continue
        half = by_cluster(ours[1] - theirs[1], first.source)
        reason = "" if half is not None else "one source only: no interval"
        difference = figure(ours[0] - theirs[0], half, reason=reason, least=-1.0)
        found[name] = {"ours": ours[0], "theirs": theirs[0], "difference": difference}
    return found


def picked(rows: Rows, source: Path | Iterable[ResultRow]) -> dict[str, list[Pick]]:
    """What to read of each detector: its hundred worst errors, or without labels its highest scores and some at random."""
    most = min(WORST, MOST_SHOWN // max(1, len(rows.detectors)))
    chosen: dict[int, str] = {}
    for index in range(len(rows.detectors)):
        units = findings(rows, index)
        if not (units.label >= 0).any():
            units = answers(rows, index)
        chosen |= _worst(units, most) if (units.label >= 0).any() else _examples(units, most)
    read = dict(rows_at(source, sorted(chosen)))
    found: dict[str, list[Pick]] = {name: [] for name in rows.detectors}
    for place, why in chosen.items():
        found[read[place].detector].append(Pick(why, read[place]))
    return found


def _worst(units: Units, most: int) -> dict[int, str]:
    """Sound rows that are flagged or score highest, and made-up ones that pass or score lowest; half each where there are."""
    scored = ~np.isnan(units.score)
    flagged = units.verdict == FLAGGED
    wrong_high = np.flatnonzero((units.label == 0) & scored & flagged)
    wrong_low = np.flatnonzero((units.label == 1) & scored & ~flagged)
    alarms = wrong_high[np.argsort(-units.score[wrong_high], kind="stable")]
    missed = wrong_low[np.argsort(units.score[wrong_low], kind="stable")]
    room = max(most // 2, most - missed.size)
    alarms = alarms[:room]
    missed = missed[: most - alarms.size]
    return {
        **{int(units.row[i]): "false alarm" for i in alarms},
        **{int(units.row[i]): "missed" for i in missed},
    }


def _examples(units: Units, most: int) -> dict[int, str]:
    scored = np.flatnonzero(~np.isnan(units.score))
    highest = scored[np.argsort(-units.score[scored], kind="stable")][: most // 2]
    rest = np.setdiff1d(np.arange(units.key.size), highest)
    drawn = np.random.default_rng(0).permutation(rest)[: most - highest.size]
    return {
        **{int(units.row[i]): "highest score" for i in highest},
        **{int(units.row[i]): "drawn at random" for i in drawn},
    }


def noted(source: Path | Iterable[ResultRow]) -> dict[str, dict[str, Any]]:
    """By detector the mean over answers of each figure that it measured of whole answers; the interval is by source."""
    values: dict[str, dict[str, list[tuple[str, float]]]] = {}
    for columns in column_batches(source, ("detector", "source", "figures")):
        said = columns.get("figures", [])
        if not len(
            said if isinstance(said, list) else said.keys
        ):  # most detectors measure nothing of the kind
            continue
        batch = plain(columns)
        for detector, about, figures in zip(
            batch["detector"], batch["source"], batch["figures"], strict=True
        ):
            for name, value in figures.items():
                values.setdefault(detector, {}).setdefault(name, []).append((about, value))
    return {
        detector: {name: _mean_of(own) for name, own in named.items()} for detector, named in values.items()
    }


def _mean_of(own: Sequence[tuple[str, float]]) -> dict[str, Any]:
    found = np.asarray([value for _, value in own])
    clusters = np.unique([about for about, _ in own], return_inverse=True)[1]
    half = by_cluster(found - found.mean(), clusters)
    reason = f"mean of {len(own):,} answers"
    return figure(
        found.mean(), half, reason=reason if half is not None else f"{reason} of one source: no interval"
    )


def unverified_because(source: Path | Iterable[ResultRow]) -> dict[str, list[dict[str, Any]]]:
    """By detector the reasons of its unverified rows with their number, the most frequent first."""
    counts: dict[str, Counter[str]] = {}
    for batch in map(plain, column_batches(source, ("detector", "verdict", "reason"))):
        for detector, verdict, reason in zip(*batch.values(), strict=True):
            if verdict != "unverified":
                continue
            mine = counts.setdefault(detector, Counter())
            mine[_TIMES.sub("", reason)] += 1
            if len(mine) > _DIFFERENT:
                counts[detector] = Counter(dict(mine.most_common(_DIFFERENT // 2)))
    return {
        name: [{"reason": reason, "rows": rows} for reason, rows in mine.most_common(_REASONS)]
        for name, mine in counts.items()
    }
