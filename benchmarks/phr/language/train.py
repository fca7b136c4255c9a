"""Training of the toy: a causal model of some million parameters that has read few-shot prompts and nothing else.

`python -m benchmarks.phr train-language`. Every so often the weights and the optimizer's state are saved, as
safetensors; a run that was killed goes on there with the same sequences.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import math
import shutil
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from benchmarks._data import data_dir
from benchmarks._training import Stopwatch, noted, resume, save, write_note
from benchmarks.phr.language.corpus import BEGIN, END, Sequences, tokenizer
from benchmarks.phr.language.tasks import TASKS, Rows, read
from guardrail.backends.weights import places
from guardrail.errors import GuardrailError, MissingExtra

__all__ = ["NAME", "Recipe", "Trained", "home", "main", "train", "trained"]

NAME = "phr-toy"
"""Under this name `CausalModel` finds what was trained."""

_UNFINISHED = "unfinished"


@dataclass(frozen=True, slots=True)
class Recipe:
    """What the weights depend on, besides the rows.

    Attributes:
        seed: of weights and sequences.
        vocabulary: tokens.
        width: of the hidden states.
        layers: how many.
        heads: of each layer.
        inner: width of the feed-forward part.
        steps: how many.
        tokens: per step; at least one sequence.
        lengths: of sequences: (share of the steps, tokens), one after another. Contexts that are longer than what was
            read are not understood, so the last ones are long.
        rate: the highest learning rate; it rises for `warm_up` of the steps and then falls to a tenth, as a cosine.
        warm_up: a share of all steps.
        label_weight: of the loss of a label's first token; all others weigh 1.
        bf16: compute in bfloat16; weights stay in float32.
    """

    seed: int = 0
    vocabulary: int = 4_096
    width: int = 192
    layers: int = 4
    heads: int = 4
    inner: int = 512
    steps: int = 650
    tokens: int = 2_048
    lengths: tuple[tuple[float, int], ...] = ((0.9, 512), (0.1, 4_096))
    rate: float = 2e-3
    warm_up: float = 0.05
    label_weight: float = 10.0
    bf16: bool = True

    def length(self, step: int) -> int:
        """Of the sequences of a step."""
        done = 0.0
        for share, length in self.lengths:
            done += share
            if step < round(done * self.steps):
                return length
        return self.lengths[-1][1]


@dataclass(frozen=True, slots=True)
class Trained:
    """What is known of a trained model; written beside its weights.

    Attributes:
        recipe: how it was trained.
        tasks: what it has read, and how many rows of each.
        parameters: how many there are.
        tokens: how many were read.
        seconds: time by the clock, over all interrupted runs.
        processor_seconds: the same of the processor, summed over its cores: other load does not count.
        loss: nats per token, mean of the last fifty steps, labels weighed as the recipe says.
    """

    recipe: Recipe
    tasks: dict[str, int]
    parameters: int
    tokens: int
    seconds: float
    processor_seconds: float
    loss: float


def home() -> Path:
    """Where the toy is, or is to be put."""
    return next(places(NAME))


def trained(folder: Path) -> Trained | None:
    """What a finished training has left in a folder, if there is one; a model from elsewhere has no such note."""

    def made(note: Mapping[str, Any]) -> Trained:
        lengths = tuple((share, length) for share, length in note["recipe"]["lengths"])
        return Trained(**{**note, "recipe": Recipe(**{**note["recipe"], "lengths": lengths})})

    return noted(folder, made)


def train(
    tasks: Sequence[Rows],
    folder: Path,
    *,
    recipe: Recipe | None = None,
    save_every: int = 50,
    say: Callable[[int, int, float], None] = lambda _done, _steps, _loss: None,
) -> Trained:
    """Train, or go on where an earlier run with the same recipe and rows was stopped.

    Args:
        tasks: with what may be learnt.
        folder: gets config.json, tokenizer.json, model.safetensors and a note.
        recipe: see there.
        save_every: steps between two savings.
        say: called after each step with its number, how many there are, and the mean of the last losses.
    """
    import torch

    recipe = recipe or Recipe()
    reader = tokenizer(tasks, vocabulary=recipe.vocabulary)
    network = _network(recipe, reader)
    source = Sequences(tasks, reader, seed=recipe.seed, label_weight=recipe.label_weight)
    optimizer = _optimizer(network, recipe)
    unfinished = folder / _UNFINISHED
    rows = {one.task: len(one.learnt) for one in tasks}
    identity = json.loads(json.dumps({**asdict(recipe), "tasks": rows}))
    before = resume(unfinished, identity, network, optimizer)
    losses = before.losses
    watch = Stopwatch(before)
    network.train()
    for step in range(before.step, recipe.steps):
        length = recipe.length(step)
        ids, weights = source.batch(step, size=max(1, recipe.tokens // length), length=length)
        optimizer.param_groups[0]["lr"] = optimizer.param_groups[1]["lr"] = recipe.rate * _share(step, recipe)
        loss = _loss(network, torch.from_numpy(ids), torch.from_numpy(weights), bf16=recipe.bf16)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
        losses = [*losses[-49:], loss.item()]
        done = step + 1
        if done % save_every == 0 and done < recipe.steps:
            save(unfinished, identity, watch.at(done, losses), network, optimizer)
        say(done, recipe.steps, math.fsum(losses) / len(losses))
    now = watch.at(recipe.steps, losses)
    result = Trained(
        recipe=recipe,
        tasks=rows,
        parameters=sum(p.numel() for p in network.parameters()),
        tokens=sum(max(1, recipe.tokens // (n := recipe.length(i))) * n for i in range(recipe.steps)),
        seconds=now.seconds,
        processor_seconds=now.processor_seconds,
        loss=math.fsum(losses) / max(1, len(losses)),
    )
    _write(folder, network, reader, result)
    shutil.rmtree(unfinished, ignore_errors=True)
    return result


def _network(recipe: Recipe, reader: Any) -> Any:
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM

    torch.manual_seed(recipe.seed)
    return LlamaForCausalLM(
        LlamaConfig(
            vocab_size=reader.get_vocab_size(),
            hidden_size=recipe.width,
            num_hidden_layers=recipe.layers,
            num_attention_heads=recipe.heads,
            intermediate_size=recipe.inner,
            max_position_embeddings=max(length for _, length in recipe.lengths),
            tie_word_embeddings=True,
            bos_token_id=reader.token_to_id(BEGIN),
            eos_token_id=reader.token_to_id(END),
            pad_token_id=reader.token_to_id(END),
        )
    )


def _optimizer(network: Any, recipe: Recipe) -> Any:
    import torch

    matrices = [p for p in network.parameters() if p.ndim > 1]
    scales = [p for p in network.parameters() if p.ndim == 1]
    groups = [{"params": matrices, "weight_decay": 0.1}, {"params": scales, "weight_decay": 0.0}]
    return torch.optim.AdamW(groups, lr=recipe.rate, betas=(0.9, 0.95), fused=True)


def _loss(network: Any, ids: Any, weights: Any, *, bf16: bool) -> Any:
    """Cross-entropy of the next token, averaged by the weights."""
    import torch

    with torch.autocast("cpu", dtype=torch.bfloat16, enabled=bf16):
        logits = network(input_ids=ids[:, :-1], use_cache=False).logits
    losses = torch.nn.functional.cross_entropy(
        logits.flatten(0, 1).float(), ids[:, 1:].flatten(), reduction="none"
    )
    heavy = weights[:, 1:].flatten()
    return (losses * heavy).sum() / heavy.sum()


def _share(step: int, recipe: Recipe) -> float:
    """Of the highest learning rate."""
    rise = max(1, round(recipe.warm_up * recipe.steps))
    if step < rise:
        return (step + 1) / rise
    course = (step - rise) / max(1, recipe.steps - rise)
    return 0.1 + 0.45 * (1 + math.cos(math.pi * course))


def _write(folder: Path, network: Any, reader: Any, result: Trained) -> None:
    """A folder as transformers reads it; the note comes last, and says that all is there."""
    from transformers import PreTrainedTokenizerFast
    from transformers.utils import logging

    logging.disable_progress_bar()
    longest = network.config.max_position_embeddings
    wrapped = PreTrainedTokenizerFast(
        tokenizer_object=reader, bos_token=BEGIN, eos_token=END, pad_token=END, model_max_length=longest
    )
    network.eval().save_pretrained(folder)
    wrapped.save_pretrained(folder)
    write_note(folder, result)


def main(argv: Sequence[str] | None = None) -> int:
    """Train the toy from a command line; gives the exit code."""
    from benchmarks._progress import progress

    parser = argparse.ArgumentParser(prog="python -m benchmarks.phr train-language", description=__doc__)
    parser.add_argument("--data", type=Path, metavar="DIR", help="another folder of tasks with labels")
    parser.add_argument("--model", type=Path, metavar="DIR", help="where the model is to be put")
    parser.add_argument("--seed", type=int, default=0, help="of weights and sequences")
    parser.add_argument("--steps", type=int, default=Recipe().steps, help="of training")
    parser.add_argument("--again", action="store_true", help="train though there is a trained model")
    options = parser.parse_args(argv)
    folder = options.model or home()
    recipe = Recipe(seed=options.seed, steps=options.steps)
    try:
        for library in ("torch", "transformers", "safetensors", "tokenizers"):
            if importlib.util.find_spec(library) is None:
                raise MissingExtra(library, extra="local")
        done = trained(folder)
        if done is None or done.recipe != recipe or options.again:
            data = options.data or data_dir("icl")
            with progress("training the toy", recipe.steps) as tell:
                done = train(
                    [read(data, task) for task in TASKS],
                    folder,
                    recipe=recipe,
                    say=lambda step, _steps, loss: tell(step, f"loss {loss:.3f}"),
                )
    except GuardrailError as error:
        sys.stderr.write(f"train-language: {error}\n")
        return 2
    sys.stdout.write(
        f"A toy of {done.parameters / 1e6:.1f} million parameters, trained on {done.tokens / 1e6:.1f} million tokens "
        f"in {done.seconds / 60:.1f} minutes ({done.processor_seconds / 60:.1f} of the processor, cores summed); "
        f"loss {done.loss:.3f}. CausalModel({NAME!r}) finds it: {folder}\n"
    )
    return 0
