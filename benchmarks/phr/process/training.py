"""Training of the neural process: the recipe, the steps, and checkpoints that a killed run goes on from.

All random numbers of a step are drawn from the seed and the number of the step, so a checkpoint needs no state of a
generator: weights, both moments of AdamW and the step are all there is.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from benchmarks._training import write_tensors
from benchmarks.phr.process.functions import EDGE, NOISE, Functions
from benchmarks.phr.process.model.network import Shape, attention, build, tokens
from guardrail.errors import ConfigError

if TYPE_CHECKING:
    from torch import Tensor

__all__ = ["RECIPES", "Recipe", "Training", "batch", "losses"]

Floats: TypeAlias = NDArray[np.float32]

CHECKPOINT, WEIGHTS, CONFIG, CURVE = (
    "checkpoint.safetensors",
    "model.safetensors",
    "config.json",
    "curve.jsonl",
)
MOMENTS = ("exp_avg", "exp_avg_sq")


@dataclass(frozen=True, slots=True)
class Recipe:
    """What is trained, on what, and how.

    Attributes:
        shape: of the network.
        stages: optimiser steps, and of how many pairs of each sequence: a random subset in random order.
        batch: sequences per step.
        rate: the peak learning rate.
        warmup: steps until it is reached; then it falls like a cosine to a tenth.
        decay: of the weights.
        sequences: functions of the training set.
        length: pairs of each.
        seed: of weights, data and batches.
        autocast: whether matrix products are in bfloat16.
    """

    shape: Shape = field(default_factory=Shape)
    stages: tuple[tuple[int, int], ...] = ((2_400, 64), (1_400, 200))
    batch: int = 16
    rate: float = 2e-3
    warmup: int = 150
    decay: float = 1e-6
    sequences: int = 8_000
    length: int = 2_000
    seed: int = 0
    autocast: bool = False

    @property
    def steps(self) -> int:
        """Of all stages."""
        return sum(steps for steps, _ in self.stages)

    def pairs_at(self, step: int) -> int:
        """Pairs per sequence in a step, counted from 0."""
        for steps, pairs_seen in self.stages:
            if step < steps:
                return pairs_seen
            step -= steps
        return self.stages[-1][1]

    def pairs_to(self, step: int) -> int:
        """Pairs per sequence in all steps before this one: what time goes by, roughly."""
        found = 0
        for steps, pairs_seen in self.stages:
            found += pairs_seen * min(step, steps)
            step = max(0, step - steps)
        return found

    def rate_at(self, step: int) -> float:
        """The learning rate of a step, counted from 0."""
        if step < self.warmup:
            return self.rate * (step + 1) / self.warmup
        done = (step - self.warmup) / max(1, self.steps - self.warmup)
        return self.rate * (0.1 + 0.9 * 0.5 * (1 + math.cos(math.pi * min(1.0, done))))

    def to_json(self) -> str:
        """Every figure, so that a checkpoint knows its own recipe."""
        return json.dumps(asdict(self), sort_keys=True)


RECIPES = {
    "small": Recipe(),
    # the paper's figures where it gives any; width, layers, batch and steps are ours
    "paper": Recipe(
        Shape(width=256, layers=8, heads=8, inner=688, bins=800),
        stages=((200_000, 512),),
        batch=32,
        rate=1e-4,
        warmup=2_000,
        autocast=True,
    ),
}


def batch(recipe: Recipe, step: int) -> tuple[Floats, Floats]:
    """What a step sees: x and y, each of shape (batch, pairs), of sequences that are the same whenever they are met.

    Of a sequence of the training set the inputs and the noise are drawn whole; μ is evaluated where it is looked at.
    """
    random = np.random.default_rng([recipe.seed, 1, step])
    count = recipe.pairs_at(step)
    functions, inputs, noises = [], [], []
    for number in random.integers(recipe.sequences, size=recipe.batch).tolist():
        stream = np.random.default_rng([recipe.seed, 0, number])
        functions.append(Functions.random(stream, 1))
        places = random.permutation(recipe.length)[:count]
        inputs.append(stream.uniform(-EDGE, EDGE, recipe.length)[places])
        noises.append(stream.standard_normal(recipe.length)[places])
    x = np.stack(inputs)
    y = Functions.together(functions)(x) + NOISE * np.stack(noises)
    return x.astype(np.float32), y.astype(np.float32)


class Training:
    """A run in a folder: goes on where the folder's checkpoint is.

    Args:
        recipe: what to do.
        folder: gets checkpoint, curve and, at the end, the model.
        device: of torch.
        every: steps between two checkpoints.

    Raises:
        ConfigError: the folder's checkpoint is one of another recipe.
    """

    def __init__(self, recipe: Recipe, folder: Path, *, device: str = "cpu", every: int = 250) -> None:
        import torch

        self.recipe = recipe
        self.folder = folder
        self.device = device
        self.every = every
        self.step = 0
        self.network = build(recipe.shape, seed=recipe.seed).to(device)
        self.parameters = {name: one for name, one in self.network.named_parameters() if one.requires_grad}
        self.optimiser = torch.optim.AdamW(
            self.parameters.values(), lr=recipe.rate, betas=(0.9, 0.999), eps=1e-8, weight_decay=recipe.decay
        )
        folder.mkdir(parents=True, exist_ok=True)
        if (folder / CHECKPOINT).is_file():
            self._load()
        self._cut_curve()

    @property
    def done(self) -> bool:
        """Whether all steps are."""
        return self.step >= self.recipe.steps

    def run(self) -> Iterator[dict[str, float]]:
        """Train to the end; tells step, learning rate and mean negative log densities [nats] after each step."""
        while not self.done:
            told = self._advance()
            with (self.folder / CURVE).open("a", encoding="utf-8") as stream:
                stream.write(json.dumps(told) + "\n")
            if self.step % self.every == 0 or self.done:
                self.save()
            yield told
        self._export()

    def _advance(self) -> dict[str, float]:
        import torch

        rate = self.recipe.rate_at(self.step)
        for group in self.optimiser.param_groups:
            group["lr"] = rate
        x, y = (torch.from_numpy(one).to(self.device) for one in batch(self.recipe, self.step))
        with torch.autocast(self.device.partition(":")[0], torch.bfloat16, enabled=self.recipe.autocast):
            loss_x, loss_y = losses(self.network, self.recipe.shape, x, y)
        self.optimiser.zero_grad(set_to_none=True)
        (0.5 * (loss_x + loss_y)).backward()
        torch.nn.utils.clip_grad_norm_(self.parameters.values(), 1.0)
        self.optimiser.step()
        self.step += 1
        return {
            "step": self.step,
            "rate": round(rate, 9),
            "x": round(loss_x.item(), 5),
            "y": round(loss_y.item(), 5),
        }

    # -- files

    def save(self) -> None:
        """Write a checkpoint of this step."""
        tensors = {f"weights.{name}": one.detach() for name, one in self.parameters.items()}
        for name, one in self.parameters.items():
            state = self.optimiser.state[one]
            tensors |= {f"{moment}.{name}": state[moment] for moment in MOMENTS}
        told = {"step": self.step, "recipe": self.recipe.to_json()}
        write_tensors(self.folder / CHECKPOINT, tensors, ("training", json.dumps(told)))

    def _load(self) -> None:
        import torch
        from safetensors import safe_open

        with safe_open(self.folder / CHECKPOINT, framework="pt", device=self.device) as stored:
            told = json.loads(stored.metadata()["training"])
            if told["recipe"] != self.recipe.to_json():
                raise ConfigError(
                    f"{str(self.folder)!r} holds a training of another recipe: give another --out, or remove it. "
                    f"Expected {self.recipe.to_json()}, found {told['recipe']}"
                )
            self.step = told["step"]
            with torch.no_grad():
                for name, one in self.parameters.items():
                    one.copy_(stored.get_tensor(f"weights.{name}"))
                    state = {moment: stored.get_tensor(f"{moment}.{name}") for moment in MOMENTS}
                    self.optimiser.state[one] = {"step": torch.tensor(float(self.step)), **state}

    def _cut_curve(self) -> None:
        """Lines of steps that the checkpoint does not have are written again."""
        path = self.folder / CURVE
        if not path.is_file():
            return
        lines = path.read_text(encoding="utf-8").splitlines()[: self.step]
        part = path.with_name(path.name + ".part")
        part.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        part.replace(path)

    def _export(self) -> None:
        tensors = {name: one.detach() for name, one in self.parameters.items()}
        config = {**self.recipe.shape.to_dict(), "training": json.loads(self.recipe.to_json())}
        part = self.folder / (CONFIG + ".part")
        part.write_text(json.dumps(config, indent=2) + "\n", encoding="utf-8")
        part.replace(self.folder / CONFIG)
        write_tensors(self.folder / WEIGHTS, tensors)


def losses(network: Any, shape: Shape, x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
    """Mean −log p(x_i | pairs before) and −log p(y_i | x_i, pairs before), in nats."""
    import torch

    bars = shape.bars
    inputs = tokens(x, y)[:, :-1]
    logits = network["head"](attention(network, inputs)).float()
    targets = torch.stack([x, y], dim=2).flatten(1)
    numbers = torch.from_numpy(bars.bin(targets.cpu().numpy())).to(x.device)
    offsets = torch.from_numpy(bars.offset(targets.cpu().numpy())).to(x.device)
    costs = torch.nn.functional.cross_entropy(logits.flatten(0, 1), numbers.flatten(), reduction="none")
    costs = costs.view(numbers.shape) - offsets
    return costs[:, 0::2].mean(), costs[:, 1::2].mean()
