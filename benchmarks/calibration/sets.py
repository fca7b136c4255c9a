"""Real labelled answers with a cheap score, each a population of sources."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from benchmarks._table import Run
from guardrail.calibration import Rows
from guardrail.text.sentences import sentences

__all__ = ["populations"]

Labelled = tuple[float | None, bool, str, str]


def populations(run: Run) -> Iterator[tuple[str, Rows]]:
    """Sets × detectors, by name."""
    grounding = run.data("grounding")
    for name in ("qa", "summary", "data2txt"):
        yield f"RAGTruth {name} × novelty", _rows(_ragtruth(grounding / f"ragtruth_{name}.jsonl"))
    for name, file in (
        ("FactCC", "factcc"),
        ("XSumFaith", "xsumfaith"),
        ("BEGIN", "begin_wow_dev"),
        ("CG2C", "cg2c_doc"),
    ):
        yield f"{name} × novelty", _rows(_claims(grounding / f"{file}.jsonl"))
    yield "SAC3 × novelty", _rows(_consistency(run.data("consistency") / "sac3_hotpotqa.jsonl"))
    biographies = run.data("wikibio_gpt3")
    yield "WikiBio × novelty", _rows(_wikibio(biographies, _novelty_of_samples))
    for detector in ("bertscore", "nli_deberta_v3_large_mnli", "prompt_qwen3.5_9b"):
        yield f"WikiBio × recorded {detector}", _rows(_wikibio(biographies, _recorded(biographies, detector)))


def _rows(found: Iterator[Labelled]) -> Rows:
    scores, labels, sources, answers = zip(*found, strict=True)
    return Rows.of(scores, labels, sources=sources, answers=answers)


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as stream:
        for line in stream:
            yield json.loads(line)


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())


def novelty(text: str, documents: Sequence[str]) -> float | None:
    """The mean share of words, and of pairs of words, that no document has; `None` without words."""
    words = _words(text)
    if not words:
        return None
    known: set[Any] = set()
    for document in documents:
        there = _words(document)
        known.update(there)
        known.update(pairwise(there))
    pairs = list(pairwise(words))
    shares = [sum(one not in known for one in units) / len(units) for units in (words, pairs) if units]
    return sum(shares) / len(shares)


def _ragtruth(path: Path) -> Iterator[Labelled]:
    """Sentences of answers; made up = overlaps a labelled span."""
    for entry in _lines(path):
        document = json.dumps(entry["source"], ensure_ascii=False)
        for number, answer in enumerate(entry["responses"]):
            text = answer["response"]
            for span in sentences(text):
                made_up = any(
                    label["start"] < span.end and span.start < label["end"] for label in answer["labels"]
                )
                yield (
                    novelty(text[span.start : span.end], [document]),
                    made_up,
                    str(entry["source_id"]),
                    f"{entry['source_id']}:{number}",
                )


def _claims(path: Path) -> Iterator[Labelled]:
    for number, entry in enumerate(_lines(path)):
        document = entry["document"]
        yield novelty(entry["claim"], [document]), not entry["supported"], document[:300], str(number)


def _consistency(path: Path) -> Iterator[Labelled]:
    for number, entry in enumerate(_lines(path)):
        label = str(entry["label"]) != "True"
        yield novelty(entry["generated_answer"], entry["self_evaluations"]), label, str(number), str(number)


def _wikibio(folder: Path, score: Callable[[dict[str, Any]], Sequence[float | None]]) -> Iterator[Labelled]:
    for entry in _lines(folder / "dataset.jsonl"):
        name = str(entry["dataset_idx"])
        for value, label in zip(score(entry), entry["annotation"], strict=True):
            yield value, label != "accurate", name, name


def _novelty_of_samples(entry: dict[str, Any]) -> list[float | None]:
    return [novelty(text, entry["gpt3_text_samples"][:5]) for text in entry["gpt3_sentences"]]


def _recorded(folder: Path, detector: str) -> Callable[[dict[str, Any]], Sequence[float | None]]:
    scores = {entry["dataset_idx"]: entry["scores"] for entry in _lines(folder / "recorded_scores.jsonl")}
    return lambda entry: (
        scores.get(entry["dataset_idx"], {}).get(detector) or [None] * len(entry["annotation"])
    )
