"""Evaluation as a library: cases in memory, or the folder of a run."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from guardrail.errors import InputError
from guardrail.evaluation.folder import durable
from guardrail.evaluation.inputs import Labelled
from guardrail.evaluation.labels import Label, read_labels
from guardrail.evaluation.rows import ResultRow, RunInfo, read_rows, read_run, results_file
from guardrail.evaluation.running import PARALLEL, Job, examined, is_instant, rows_of
from guardrail.evaluation.summary import Pick, compared_runs, noted, picked, summarised, unverified_because
from guardrail.evaluation.table import UNVERIFIED, Rows, gather
from guardrail.guard import Guard
from guardrail.report import Case

MEMORY = "given"


@dataclass(frozen=True)
class Evaluation:
    """Detectors over many answers, and how good their scores are.

    Attributes:
        info: what was run.
        summary: figures by detector, as in `summary.json`: `["detectors"][name]["finding" or "answer"][figure]`, each
            `{"value", "interval", "reason"}`; `None` where it is undefined.
        source: the rows, or the file that has them.
    """

    info: RunInfo
    summary: Mapping[str, Any]
    source: Path | Sequence[ResultRow] = field(repr=False)
    table: Rows = field(repr=False)

    @property
    def rows(self) -> Iterator[ResultRow]:
        """Every row, in the order of the input."""
        return read_rows(self.source) if isinstance(self.source, Path) else iter(self.source)

    def figure(self, detector: str, name: str) -> float | None:
        """A figure of one detector, judged by its findings if those are labelled, else by answers.

        Args:
            detector: its name.
            name: "auroc", "flagged", …; of a group with a dot, as "shipped.f1".

        Raises:
            InputError: there is no such detector or figure.
        """
        of = self.summary["detectors"].get(detector)
        found: Any = None if of is None else of[of["judged_by"]]
        for part in name.split("."):
            found = found.get(part) if isinstance(found, Mapping) else None
        if not isinstance(found, Mapping) or "value" not in found:
            known = ", ".join(self.summary["detectors"])
            raise InputError(
                f"no figure {name!r} of {detector!r}: detectors are {known}; figures are named as in summary.json ('shipped.f1')"
            )
        value: float | None = found["value"]
        return value

    def picks(self) -> dict[str, list[Pick]]:
        """What to read of each detector: its worst errors, or without labels its highest scores and some at random."""
        return picked(self.table, self.source)

    def compare(self, other: Evaluation) -> list[dict[str, Any]]:
        """This run and another over the same answers; the differences have intervals that are paired by source."""
        return compared_runs(self.table, other.table)

    def html(self, *, against: Evaluation | None = None) -> str:
        """One self-contained page.

        Args:
            against: another run over the same answers, to compare with.
        """
        from guardrail.evaluation.page import render

        return render(
            self.info,
            self.summary,
            self.picks(),
            comparison=None if against is None else self.compare(against),
            other=None if against is None else against.info,
            names=_names(self, against),
        )

    def write(self, folder: str | Path, *, against: Evaluation | None = None) -> None:
        """Write `summary.json` and `report.html` into a folder."""
        place = Path(folder)
        place.mkdir(parents=True, exist_ok=True)
        content = dict(self.summary)
        if against is not None:
            content["comparison"] = self.compare(against)
        text = json.dumps(content, ensure_ascii=False, indent=1, allow_nan=False)
        durable(place / "summary.json", lambda part: part.write_text(text + "\n", encoding="utf-8"))
        page = self.html(against=against)
        durable(place / "report.html", lambda part: part.write_text(page, encoding="utf-8", newline="\n"))

    @classmethod
    def read(cls, folder: str | Path) -> Evaluation:
        """The run in a folder; its figures are computed from the rows.

        Raises:
            InputError: there is no run, or it has no rows yet.
        """
        return made(read_run(folder), results_file(folder))


def _names(ours: Evaluation, theirs: Evaluation | None) -> tuple[str, str]:
    """Two runs by their folders, with the path where both have the same name."""
    folders = [one.source.parent if one and isinstance(one.source, Path) else None for one in (ours, theirs)]
    shown = [folder and (folder.name or str(folder.resolve())) for folder in folders]
    if shown[0] == shown[1]:
        shown = [folder and str(folder) for folder in folders]
    return shown[0] or "this run", shown[1] or "the other run"


def made(info: RunInfo, source: Path | Sequence[ResultRow], **more: Any) -> Evaluation:
    """An evaluation of rows; `more` goes into the summary."""
    table = gather(source)
    figures = summarised(table, info.scales, info.signatures)
    reasons = unverified_because(source) if (table.verdict == UNVERIFIED).any() else {}
    of_answers = noted(source)
    for name, of in figures["detectors"].items():
        of["unverified_because"] = reasons.get(name, [])
        of["noted"] = of_answers.get(name, {})
    summary = {"answers": table.answers, **more, "run": info.as_dict(), **figures}
    return Evaluation(info, summary, source, table)


def evaluate(
    cases: Iterable[Case | str],
    guard: Guard,
    *,
    labels: Iterable[Label] | None = None,
    sources: Iterable[str] | None = None,
    parallel: int | None = None,
) -> Evaluation:
    """Run a guard's detectors over answers, and say what their scores are worth.

    The policy does nothing; nothing that a case brings along (samples, log-probabilities) is generated again.

    Args:
        cases: answers, as cases or texts.
        guard: whose detectors examine them.
        labels: of each, true for *made up*: of the answer, of its sentences (a list), or spans (a list of [start, end]);
            see `guardrail.evaluation.labels.read_labels`.
        sources: what each answer is about: answers about the same thing are not independent. Default: each its own.
        parallel: answers in flight at once; default 32 where a model is asked, else 1.

    Raises:
        InputError: a label cannot be read, or there are other labels or sources than cases.

    Example:
        >>> from guardrail import Guard
        >>> from guardrail.selfcheck import NgramCheck
        >>> case = Case.of("Ada wrote it. Bob ate it.", samples=["Ada wrote it. Bob read it."])
        >>> found = evaluate([case, case], Guard([NgramCheck()]), labels=[[0, 1], [0, 1]])
        >>> found.figure("selfcheck-ngram", "auroc")
        1.0
    """
    listed = [case if isinstance(case, Case) else Case.of(case) for case in cases]
    given = _as_many("labels", labels, len(listed))
    about = _as_many("sources", sources, len(listed))
    items = [
        Labelled(
            MEMORY,
            i,
            f"{MEMORY}:{i}" if source is None else str(source),
            case,
            read_labels(label, case.answer),
        )
        for i, (case, label, source) in enumerate(zip(listed, given, about, strict=True))
    ]
    names = [detector.name for detector in guard.detectors]
    found: dict[int, list[ResultRow]] = {}
    many = parallel or (1 if is_instant(guard) else PARALLEL)
    for one in examined((Job(item) for item in items), guard, parallel=many):
        item = one.job.item
        found[item.row] = rows_of(item, one.report, names, seconds=one.seconds)
    return made(info_of(guard), [row for i in sorted(found) for row in found[i]])


def info_of(guard: Guard, **more: Any) -> RunInfo:
    """What a run with this guard is; `more` are further fields."""
    from guardrail._version import __version__

    return RunInfo(
        **{
            "files": (),
            "signatures": {one.name: str(one.signature()) for one in guard.detectors},
            "scales": {one.name: one.scale.model_dump() for one in guard.detectors},
            "backends": {
                lane: backend.fingerprint
                for lane, backend in sorted(guard.hub.backends.items())
                if lane != "compute"
            },
            "package": __version__,
            **more,
        }
    )


def _as_many(name: str, given: Iterable[Any] | None, count: int) -> list[Any]:
    found = [None] * count if given is None else list(given)
    if len(found) != count:
        raise InputError(f"expected {name} for {count} cases, got {len(found)}: give one for each, or None")
    return found
