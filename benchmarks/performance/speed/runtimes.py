"""Our layers and what else runs a classifier: transformers, sentence-transformers, ONNX Runtime and OpenVINO.

One thread each, and the processor's time rather than the clock's: others on the machine change it less.
"""

from __future__ import annotations

import random
import statistics
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from benchmarks._data import data_dir
from benchmarks._rows import Row
from benchmarks.performance.speed.setting import Setting
from benchmarks.performance.speed.workers import Anyone, WorkerFailed

__all__ = ["runtime_rows"]

Pair: TypeAlias = "tuple[str, str]"

LENGTHS: Mapping[int, int] = {64: 8, 128: 4, 256: 2}
"""Tokens of a pair, and how many pairs make a batch."""

OURS: Mapping[str, str] = {"ours fp32": "fp32", "ours bf16": "bf16", "ours int8": "int8"}
LIBRARIES: Mapping[str, tuple[str, str]] = {
    "transformers": ("transformers", ""),
    "CrossEncoder torch": ("torch", ""),
    "CrossEncoder torch bf16": ("torch bf16", ""),
    "CrossEncoder ONNX": ("onnx", "onnx"),
    "CrossEncoder ONNX O3": ("onnx", "onnx O3"),
    "CrossEncoder ONNX int8": ("onnx", "onnx int8"),
    "CrossEncoder OpenVINO bf16": ("openvino", "openvino"),
    "CrossEncoder OpenVINO bf16, one pair a call": ("openvino alone", "openvino"),
    "CrossEncoder ONNX int8, one pair a call": ("onnx alone", "onnx int8"),
    "CrossEncoder OpenVINO fp32": ("openvino fp32", "openvino"),
}
"""The way a worker loads it, and which of its exports."""

MINILM = "MiniLM-L6, trained"
_PAIRS = 192  # real ones, for what a form's numbers are off by
_FAST_PAIRS = 24
_SEED = 0
WORDS = [
    "the",
    "old",
    "house",
    "of",
    "a",
    "man",
    "who",
    "lived",
    "near",
    "river",
    "and",
    "city",
    "his",
    "wife",
    "had",
    "two",
    "children",
    "in",
    "school",
    "year",
    "after",
    "war",
    "they",
    "went",
    "to",
    "new",
    "town",
    "where",
    "he",
    "worked",
    "as",
    "teacher",
    "for",
    "many",
    "people",
    "day",
    "night",
    "water",
    "light",
    "book",
    "table",
    "door",
    "window",
    "road",
    "bridge",
    "church",
    "king",
    "army",
    "ship",
    "sea",
    "island",
    "mountain",
    "forest",
    "bird",
    "horse",
    "dog",
    "cat",
    "tree",
    "flower",
    "garden",
    "street",
    "market",
    "food",
    "bread",
    "wine",
    "music",
    "song",
    "story",
    "letter",
    "paper",
    "money",
    "bank",
    "power",
    "state",
    "law",
    "court",
]

_DEBERTA: Mapping[str, Any] = {
    "type_vocab_size": 0, "relative_attention": True, "max_relative_positions": -1, "position_buckets": 256,
    "norm_rel_ebd": "layer_norm", "share_att_key": True, "pos_att_type": ["p2c", "c2p"], "position_biased_input": False,
    "layer_norm_eps": 1e-7, "pooler_dropout": 0, "pooler_hidden_act": "gelu",
}  # fmt: skip


def shapes(*, fast: bool) -> dict[str, tuple[str, dict[str, Any]]]:
    """The random models: the family and its configuration, by name."""
    if fast:
        return {"DeBERTa, tiny": ("DebertaV2", {**_sizes(64, 2), **_DEBERTA, "pooler_hidden_size": 64})}
    return {
        "DeBERTa-v3-base": ("DebertaV2", {**_sizes(768, 12), **_DEBERTA, "pooler_hidden_size": 768}),
        # a third of its layers, for memory: several copies are loaded at once
        "RoBERTa-large, 8 of 24 layers": (
            "Roberta",
            {**_sizes(1024, 8), "max_position_embeddings": 514, "type_vocab_size": 1, "layer_norm_eps": 1e-5},
        ),
    }


def _sizes(width: int, layers: int) -> dict[str, Any]:
    return {
        "hidden_size": width,
        "num_hidden_layers": layers,
        "num_attention_heads": width // 64,
        "intermediate_size": 4 * width,
        "max_position_embeddings": 512,
    }


def runtime_rows(setting: Setting) -> list[Row]:
    """Pairs per second of the processor, by shape, length and contender; and how far each is from fp32."""
    found: list[Row] = []
    for shape in (MINILM, *shapes(fast=setting.fast)):
        setting.say(f"runtimes: {shape}")
        try:
            found += _shape_rows(setting, shape)
        except WorkerFailed as error:
            found.append(Row.missing(f"{shape}: pairs per second", str(error)))
        finally:
            setting.close()
    return found


def _shape_rows(setting: Setting, shape: str) -> list[Row]:
    own, library = setting.own(), setting.libraries()
    folder = setting.models / f"runtimes-{shape.split(',', maxsplit=1)[0]}{'-fast' if setting.fast else ''}"
    if shape == MINILM:
        own.ask("plain", target=str(folder))
    elif not (folder / "model.safetensors").exists():
        family, config = shapes(fast=setting.fast)[shape]
        library.ask(
            "make",
            target=str(folder),
            family=family,
            config=config,
            words=list(dict.fromkeys(WORDS)),
            seed=_SEED,
        )
    exports = library.ask("export", folder=str(folder), root=f"{folder}-exports").value
    people, rows = _people(own, library, str(folder), exports, shape)
    for tokens, number in LENGTHS.items():
        rows += _rates(setting, people, f"{shape}, {tokens} tokens", tokens, number)
    if shape == MINILM:
        rows += _gaps(people, shape, _real(_FAST_PAIRS if setting.fast else _PAIRS))
    return rows


class Contender:
    """One way to score pairs."""

    def __init__(self, worker: Anyone, operation: str, name: str) -> None:
        self._worker, self._operation, self._name = worker, operation, name

    def __call__(self, pairs: Sequence[Pair]) -> tuple[float, list[list[float]]]:
        """Seconds of the processor, and the probabilities of each pair."""
        value = self._worker.ask(self._operation, name=self._name, pairs=list(pairs)).value
        return float(value["seconds"]), value["rows"]


def _people(
    own: Anyone, library: Anyone, folder: str, exports: Mapping[str, str], shape: str
) -> tuple[dict[str, Contender], list[Row]]:
    people: dict[str, Contender] = {}
    rows: list[Row] = []
    for name, precision in OURS.items():
        own.ask("load_classifier", name=name, folder=folder, precision=precision)
        people[name] = Contender(own, "classify", name)
    for name, (way, which) in LIBRARIES.items():
        place = exports[which] if which else folder
        if place.startswith("error: "):
            rows.append(Row.missing(f"{shape}: {name}", place.removeprefix("error: ")[:200]))
            continue
        try:
            library.ask("load", name=name, folder=place, way=way)
        except WorkerFailed as error:
            rows.append(Row.missing(f"{shape}: {name}", str(error)[:200]))
            continue
        people[name] = Contender(library, "score", name)
    return people, rows


def _rates(
    setting: Setting, people: Mapping[str, Contender], label: str, tokens: int, number: int
) -> list[Row]:
    """In turn, each round with texts of its own; the first round is for warming up."""
    draw = random.Random(_SEED + tokens)
    times: dict[str, list[float]] = {name: [] for name in people}
    for turn in range(setting.rounds + 1):
        pairs = [_pair(draw, tokens) for _ in range(number)]
        for name, contender in people.items():
            seconds, _ = contender(pairs)
            if turn:
                times[name].append(seconds)
    rows = []
    for name, taken in times.items():
        rates = [number / seconds for seconds in taken]
        rows.append(
            Row.shown(
                f"{label}: {name}",
                statistics.median(rates),
                interval=(min(rates), max(rates)),
                unit="pairs/s",
                digits=1,
            )
        )
        if name not in OURS:
            against = "ours bf16" if "bf16" in name else "ours int8" if "int8" in name else "ours fp32"
            shares = [mine / seconds for mine, seconds in zip(times[against], taken, strict=True)]
            rows.append(Row.shown(f"{label}: {name}, times as fast as {against}", statistics.median(shares)))
    return rows


def _pair(draw: random.Random, tokens: int) -> Pair:
    """A pair of as many tokens, three special ones included; a quarter are the second text's."""
    second = tokens // 4
    texts = [" ".join(draw.choices(WORDS, k=count)) for count in (tokens - 3 - second, second)]
    return texts[0], texts[1]


def _real(number: int) -> list[Pair]:
    """Pairs of MultiNLI's development set, from its beginning."""
    [path] = sorted((data_dir("nli") / "mnli_dev").glob("*.jsonl"))
    return _read(path, number)


def _read(path: Path, number: int) -> list[Pair]:
    import json

    rows = (json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()[:number])
    return [(row["premise"], row["hypothesis"]) for row in rows]


def _gaps(people: Mapping[str, Contender], shape: str, pairs: Sequence[Pair]) -> list[Row]:
    """|Δ| of the probabilities against transformers in fp32, all pairs in one batch, and how far a pair is from itself alone."""
    exact = people["transformers"](pairs)[1]
    rows = []
    for name, contender in people.items():
        together = contender(pairs)[1]
        gaps = [
            abs(a - b)
            for one, other in zip(exact, together, strict=True)
            for a, b in zip(one, other, strict=True)
        ]
        alone = [row for pair in pairs[:12] for row in contender([pair])[1]]
        moved = max(
            abs(a - b)
            for one, other in zip(alone, together, strict=False)
            for a, b in zip(one, other, strict=True)
        )
        rows += [
            Row.shown(f"{shape}: {name}, mean |Δ| to fp32", statistics.fmean(gaps), digits=5),
            Row.shown(f"{shape}: {name}, largest |Δ| to fp32", max(gaps), digits=4),
            Row.shown(f"{shape}: {name}, largest |Δ| of a pair alone and in a batch", moved, digits=6),
        ]
    return rows
