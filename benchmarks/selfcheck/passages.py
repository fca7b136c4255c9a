"""The WikiBio passages: answers with labelled sentences, samples, and what a replication recorded."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from guardrail.errors import InputError
from guardrail.report import Span

__all__ = ["LABELS", "Passage", "read_passages"]

LABELS = {"accurate": 0.0, "minor_inaccurate": 0.5, "major_inaccurate": 1.0}


@dataclass(frozen=True, slots=True)
class Passage:
    """One answer.

    Attributes:
        number: the row.
        text: the answer.
        sentences: as the data gives them.
        labels: 0 accurate, 0.5 minor, 1 major inaccurate; one per sentence.
        samples: 20 answers of the same model.
        reference: the real text; "" where there is none.
        recorded: per scorer, one score per sentence.
        replies: per judge, per sentence, one raw reply per sample ("" where none came).
        other_samples: answers of another model.
        other_recorded: scores made with those.
    """

    number: int
    text: str
    sentences: tuple[str, ...]
    labels: tuple[float, ...]
    samples: tuple[str, ...]
    reference: str = ""
    recorded: Mapping[str, Sequence[float]] = field(default_factory=dict)
    replies: Mapping[str, Sequence[Sequence[str]]] = field(default_factory=dict)
    other_samples: tuple[str, ...] = ()
    other_recorded: Mapping[str, Sequence[float]] = field(default_factory=dict)

    @property
    def human(self) -> float:
        """The mean label."""
        return sum(self.labels) / len(self.labels)

    def spans(self) -> list[Span]:
        """Where the given sentences stand in the text.

        Raises:
            InputError: one does not stand there, after the one before.
        """
        found, position = [], 0
        for sentence in self.sentences:
            start = self.text.find(sentence.strip(), position)
            if start < 0:
                raise InputError(f"row {self.number}: {sentence[:60]!r} does not stand in the passage")
            position = start + len(sentence.strip())
            found.append(Span(start=start, end=position))
        return found


def read_passages(folder: Path) -> list[Passage]:
    """Read dataset.jsonl and, where they are there, recorded_scores.jsonl and gpt35_samples.jsonl.

    Raises:
        InputError: a file is not of that form.
    """
    recorded = {row["dataset_idx"]: row for row in _lines(folder / "recorded_scores.jsonl", needed=False)}
    other = {row["dataset_idx"]: row for row in _lines(folder / "gpt35_samples.jsonl", needed=False)}
    try:
        return [
            _passage(row, recorded.get(row["dataset_idx"], {}), other.get(row["dataset_idx"], {}))
            for row in _lines(folder / "dataset.jsonl", needed=True)
        ]
    except (KeyError, TypeError) as error:
        raise InputError(f"dataset.jsonl: expected rows of the WikiBio passages, got {error!r}") from error


def _passage(row: Mapping[str, Any], recorded: Mapping[str, Any], other: Mapping[str, Any]) -> Passage:
    return Passage(
        number=row["dataset_idx"],
        text=row["gpt3_text"],
        sentences=tuple(row["gpt3_sentences"]),
        labels=tuple(LABELS[label] for label in row["annotation"]),
        samples=tuple(row["gpt3_text_samples"]),
        reference=row.get("wiki_bio_text") or "",
        recorded=recorded.get("scores", {}),
        replies={
            judge: [[reply or "" for reply in sentence] for sentence in sentences]
            for judge, sentences in recorded.get("prompt_responses", {}).items()
        },
        other_samples=tuple(other.get("gpt35_text_samples", ())),
        other_recorded=other.get("scores", {}),
    )


def _lines(path: Path, *, needed: bool) -> list[dict[str, Any]]:
    if not path.is_file() and not needed:
        return []
    try:
        return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    except (OSError, ValueError) as error:
        raise InputError(f"{path.name}: expected JSON lines, got {error!r}") from error
