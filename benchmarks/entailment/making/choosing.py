"""Judge a training for documents: the weights it began with, those of its moments and those it ended with.

Each is packed as it would ship and ranks the answers of a small, fixed part of the sets of `benchmarks.grounding`: by what the
model says alone, and by a fit that never saw the set. The weights are chosen by these rows, so figures of them flatter. Of
`cg2c_doc` only articles that were not learnt from are asked about. MNLI is there to see what is forgotten. What was measured is
not measured again.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks._data import data_dir
from benchmarks._stats import auc
from benchmarks.entailment.making.documents import MOMENTS, blended
from benchmarks.entailment.making.form import pack
from benchmarks.entailment.making.graph import graph
from benchmarks.entailment.pairs import Pair
from benchmarks.entailment.sets import evaluation, right
from benchmarks.entailment.setting import DOCUMENTS, shares
from benchmarks.grounding.fitting import left_out, score
from benchmarks.grounding.measuring import Measured, measure
from benchmarks.grounding.scoring import Scores, cache_file, opened
from benchmarks.grounding.sets import RAGTRUTH, SETS, Example, read, sample
from guardrail.backends.weights import GRAPH, places, read_config
from guardrail.errors import GuardrailError

__all__ = ["CURVE", "ROWS", "areas", "main", "rows"]

CURVE = Path(__file__).resolve().parents[1] / "documents.json"
"""What was measured of the recipe's own training."""

ROWS = {name: 60 if name in RAGTRUTH else 150 for name in SETS}
"""Rows of each set: an answer of RAGTruth has many sentences."""

_RAW = {
    "largest over sentences": "entailment by better premises, largest",
    "mean over sentences": "entailment by better premises, mean",
}
_FIT = "fit, set left out"
_PAIRS = 2_000  # of MNLI
_TOKENIZER = ("config.json", "tokenizer.json", "tokenizer_config.json")


def rows(folder: Path) -> dict[str, list[Example]]:
    """The answers that are asked about; `folder` has the sets of `benchmarks.grounding`."""
    return {name: sample(read(folder, name), most) for name, most in ROWS.items()}


def areas(sets: Mapping[str, Sequence[Measured]]) -> dict[str, dict[str, float]]:
    """AUROC of "not supported" by set and in the mean: by the model alone, and by a fit that never saw the set."""
    fits = left_out("entailment", sets)
    found: dict[str, dict[str, float]] = {}
    for how in (*_RAW, _FIT):
        own = {}
        for name, answers in sets.items():
            truth = [one.example.unsupported for one in answers]
            values = [one.baselines[_RAW[how]] if how in _RAW else score(fits[name], one) for one in answers]
            area = auc(values, truth)
            if area is not None:
                own[name] = round(area, 4)
        found[how] = own | {"mean": round(float(np.mean(list(own.values()))), 4)}
    return found


def main(argv: Sequence[str] | None = None) -> int:
    """Measure what is not in the file yet; 0 if it is done, 2 if it could not run."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.entailment choose", description=__doc__)
    parser.add_argument(
        "--trained", type=Path, metavar="DIR", help="what `documents` left; default: where it puts it"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", default=CURVE, help="of the curve")
    parser.add_argument(
        "--end", action="store_true", help="the weights it ended with alone, for the curve over size"
    )
    options = parser.parse_args(argv)
    try:
        _measure(options.trained or next(places(DOCUMENTS)), options.json, end=options.end)
    except GuardrailError as error:
        sys.stderr.write(f"choose: {error}\n")
        return 2
    return 0


def _measure(trained: Path, out: Path, *, end: bool = False) -> None:
    known = json.loads(out.read_text(encoding="utf-8")) if out.is_file() else []
    done = {row["weights"] for row in known}
    examples = rows(data_dir("grounding"))
    pairs = _pairs()
    for name, tensors in _end(trained) if end else _weights(trained):
        if name in done:
            continue
        found = _judged(trained if tensors is None else _packed(trained, tensors), examples, pairs)
        known.append({"weights": name, **found})
        out.write_text(json.dumps(known, indent=1) + "\n", encoding="utf-8")
        _say(f"{name}: {found['mnli_dev']} {[found[how]['mean'] for how in (*_RAW, _FIT)]}")


def _judged(packed: Path, examples: Mapping[str, Sequence[Example]], pairs: Sequence[Pair]) -> dict[str, Any]:
    scores = Scores(cache_file(), _say, model=packed)
    said = shares(opened(packed), pairs)
    accuracy = float(right([pair.label for pair in pairs], said).mean())
    return {
        "mnli_dev": round(accuracy, 4),
        **areas({name: measure(own, scores) for name, own in examples.items()}),
    }


def _pairs() -> list[Pair]:
    whole = evaluation(data_dir("nli"), "mnli_dev")
    return random.Random(0).sample(whole, _PAIRS)


def _weights(trained: Path) -> Iterator[tuple[str, Any]]:
    """By name: "step 0", which it began with, the moments; and the means of begin and end, which forget less."""
    from safetensors.torch import load_file

    begin = load_file(trained / "base" / "model.safetensors")
    yield "step 0", begin
    moments = sorted((trained / MOMENTS).glob("*.safetensors"), key=lambda path: int(path.stem))
    for path in moments:
        yield f"step {path.stem}", load_file(path)
    if (trained / "model.safetensors").is_file():
        end = load_file(trained / "model.safetensors")
        for share in (0.75, 0.5):
            yield f"{share} of the end, {1 - share} of step 0", blended(begin, end, share)


def _end(trained: Path) -> Iterator[tuple[str, Any]]:
    """The weights that a training ended with, by their number of layers; `None` where they are no BERT, which is judged as it is."""
    from safetensors.torch import load_file

    config = read_config(trained / "base")
    layers = f"{config['num_hidden_layers']} layers"
    if config["model_type"] == "bert":
        yield layers, load_file(trained / "model.safetensors")
    else:
        yield f"{config['model_type']}, {layers}", None


def _packed(trained: Path, tensors: Mapping[str, Any]) -> Path:
    from safetensors.torch import save_file

    full, packed = trained / "judged" / "full", trained / "judged" / "packed"
    full.mkdir(parents=True, exist_ok=True)
    for name in _TOKENIZER:
        shutil.copyfile(trained / "base" / name, full / name)
    save_file({name: one.contiguous() for name, one in tensors.items()}, full / "model.safetensors")
    pack(full, packed, temperature=1.0)
    (packed / GRAPH).write_bytes(graph(packed))
    return packed


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)
