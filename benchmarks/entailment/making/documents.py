"""Train the packaged model further, for documents: from the weights that ship, over one pass of `shapes`.

Old pairs with their teacher's probabilities are among what it sees, so that nothing is forgotten. The same command goes on where
it was stopped. Weights of several moments are kept beside the last (`moments`), for `choose`.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from benchmarks._data import data_dir
from benchmarks._training import write_tensors
from benchmarks.entailment.making.lessons import COURSES
from benchmarks.entailment.making.loop import Recipe, Trained, train, trained
from benchmarks.entailment.making.shapes import texts
from benchmarks.entailment.making.shapes.mixture import COUNTS, Sources, mixture
from benchmarks.entailment.making.teacher import SHIPPED, Teacher
from benchmarks.entailment.making.train import RECIPES
from benchmarks.entailment.pairs import UNLABELLED, Pair, training
from benchmarks.entailment.setting import DOCUMENTS, shares
from guardrail.backends.entailment import EntailmentModel
from guardrail.backends.stored import read_groups
from guardrail.backends.weights import ENTAILMENT_MINI, files, find, places, read_config
from guardrail.errors import GuardrailError
from guardrail.selfcheck.nli.premise import passages

__all__ = [
    "MEAN",
    "MOMENTS",
    "RECIPE",
    "RECIPE_FULL",
    "blended",
    "halfway",
    "known",
    "main",
    "sources",
    "unpacked",
]

RECIPE = Recipe(rate=1e-4, batch=32, longest=256)
RECIPE_FULL = replace(RECIPES["teacher"], longest=RECIPE.longest)
"""For `--full`: as the teacher learns."""

MOMENTS = "moments"
"""Folder beside the weights: those after a quarter, a half and three quarters of the steps."""

MEAN = "mean"
"""Folder beside them: half of the weights' way, for `pack --full`."""

_LAYER = re.compile(r"\.layer\.(\d+)\.")
_MOST = 20_000  # pairs of a set that may come again
_TOKENIZER = ("tokenizer.json", "tokenizer_config.json")


def main(argv: Sequence[str] | None = None) -> int:
    """Train; 0 if it is done, 2 if it could not run."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.entailment documents", description=__doc__)
    parser.add_argument("--seed", type=int, default=0, help="of the pairs made and their order")
    parser.add_argument(
        "--base", type=Path, metavar="DIR", help="what `pack --out DIR` wrote; default: the packaged weights"
    )
    parser.add_argument(
        "--layers", type=int, metavar="N", help="begin with the first N layers alone, for the curve over size"
    )
    parser.add_argument(
        "--full",
        type=Path,
        metavar="DIR",
        help="begin with a full-precision model of any architecture instead, such as a trained teacher",
    )
    parser.add_argument("--pairs", type=int, metavar="N", help="learn the first N pairs alone")
    parser.add_argument("--again", action="store_true", help="train though there is a trained model")
    parser.add_argument("--device", choices=["cpu", "cuda"], default="cpu", help="where it computes (cpu)")
    parser.add_argument(
        "--out", type=Path, metavar="DIR", help="default: $GUARDRAIL_MODELS, or the user's cache"
    )
    options = parser.parse_args(argv)
    folder = options.out or next(places(DOCUMENTS))
    try:
        done = None if options.again else trained(folder)
        if done is None:
            packed = options.base or find(ENTAILMENT_MINI)
            base = (
                unpacked(packed, folder / "base", layers=options.layers)
                if options.full is None
                else _copied(options.full, folder / "base")
            )
            recipe = replace(RECIPE if options.full is None else RECIPE_FULL, seed=options.seed)
            done = _train(folder, packed, base, recipe, options.device, most=options.pairs)
        halfway(folder / "base", folder)
    except GuardrailError as error:
        sys.stderr.write(f"documents: {error}\n")
        return 2
    sys.stdout.write(f"{folder}\n{done.steps} steps, {done.seconds / 60:.1f} min, loss {done.loss:.3f}\n")
    return 0


def _train(
    folder: Path, packed: Path, base: Path, recipe: Recipe, device: str, *, most: int | None = None
) -> Trained:
    pairs = mixture(sources(packed, recipe.seed), seed=recipe.seed)[:most]
    steps = -(-len(pairs) // recipe.batch)
    _say(f"{len(pairs)} pairs")

    def keep(step: int, network: Any) -> None:
        write_tensors(folder / MOMENTS / f"{step}.safetensors", network.state_dict())

    return train(
        [pairs],
        folder,
        recipe=recipe,
        base=base,
        watcher=keep,
        watch_every=-(-steps // 4),
        save_every=100,
        device=device,
        say=_say,
    )


def halfway(begin: Path, end: Path) -> Path:
    """Write the mean of two models' weights, in the folder `MEAN` of the later one: it forgets less, so it is the one to pack.

    Args:
        begin: folder of the model before.
        end: folder of the model after.
    """
    from safetensors.torch import load_file

    before, after = (load_file(own / "model.safetensors") for own in (begin, end))
    mean = end / MEAN
    mean.mkdir(exist_ok=True)
    for name in ("config.json", *_TOKENIZER):
        shutil.copyfile(end / name, mean / name)
    write_tensors(mean / "model.safetensors", blended(before, after, 0.5))
    return mean


def unpacked(packed: Path, out: Path, *, layers: int | None = None) -> Path:
    """A packed model's weights in fp32, as transformers reads them; its first layers alone, if a number of them is given."""
    out.mkdir(parents=True, exist_ok=True)
    config = {key: value for key, value in read_config(packed).items() if key != "guardrail"}
    if layers is not None:
        config["num_hidden_layers"] = layers
    (out / "config.json").write_text(json.dumps(config, indent=1), encoding="utf-8")
    for name in _TOKENIZER:
        shutil.copyfile(packed / name, out / name)
    tensors = read_groups(files(packed))
    kept = range(config["num_hidden_layers"])
    write_tensors(
        out / "model.safetensors",
        {
            name: one
            for name, one in tensors.items()
            if not (layer := _LAYER.search(name)) or int(layer[1]) in kept
        },
    )
    return out


def blended(begin: Mapping[str, Any], end: Mapping[str, Any], share: float) -> dict[str, Any]:
    """`share` of the end's weights and the rest of the begin's.

    Source: Wortsman et al., Robust fine-tuning of zero-shot models, 2022.
    """
    return {
        name: (1 - share) * begin[name] + share * one if name in begin else one for name, one in end.items()
    }


def _copied(full: Path, out: Path) -> Path:
    """A full-precision model beside what it becomes."""
    out.mkdir(parents=True, exist_ok=True)
    for name in ("config.json", *_TOKENIZER, "model.safetensors"):
        shutil.copyfile(full / name, out / name)
    return out


def sources(packed: Path, seed: int) -> Sources:
    """What may be learnt from, read from the data folders."""
    nli, grounding, wikibio = data_dir("nli"), data_dir("grounding"), data_dir("wikibio_gpt3")
    source = random.Random(f"{seed} sources")
    old = known(nli, source)
    conjunctions = training(nli, (*COURSES["full"].sets, "conjnli"))["conjnli"]
    return Sources(
        old,
        conjunctions,
        texts.documents(grounding, wikibio),
        texts.claims(grounding),
        _samples(wikibio, packed, source),
    )


def known(nli: Path, source: random.Random) -> dict[str, list[Pair]]:
    """The recipe's own pairs with what its teacher said."""
    course, teacher = COURSES["full"], Teacher(SHIPPED, None)
    sets = training(nli, course.sets)
    taught = {name: teacher(own) if name in course.taught else own for name, own in sets.items()}
    return {name: own if len(own) <= _MOST else source.sample(own, _MOST) for name, own in taught.items()}


def _samples(wikibio: Path, packed: Path, source: random.Random) -> list[Pair]:
    """Sentences of biographies beside samples, with what the packed model says of them: that is to stay so."""
    pairs = [
        Pair(passages(sample).by_words(sentence).text, sentence, UNLABELLED)
        for sentences, samples in texts.samples(wikibio)
        for sentence in sentences
        for sample in samples
    ]
    some = source.sample(pairs, COUNTS["samples"])
    said = shares(EntailmentModel(packed, device="cpu", runtime="onnx"), some)
    return [replace(pair, taught=(e, n, c)) for pair, (e, n, c) in zip(some, said.tolist(), strict=True)]


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)
