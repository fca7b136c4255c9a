"""Training: MiniLM with a head of three outputs, some passes over the pairs, on a processor or a GPU.

Every so often the weights and the optimizer's state are saved, as safetensors; a run that was stopped goes on
there, with the same batches in the same order.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any

from benchmarks._training import Progress, Stopwatch, noted, resume, save, write_note, write_tensors
from benchmarks.entailment.making.dropout import left_out
from benchmarks.entailment.making.optimizer import optimizer
from benchmarks.entailment.pairs import LABELS, UNLABELLED, Pair, in_batches
from guardrail.backends.weights import minilm, weights_digest
from guardrail.errors import InputError

__all__ = ["CURVE", "Recipe", "Trained", "least_seconds", "train", "trained"]

CURVE = "curve.jsonl"
_UNFINISHED, _BEST = "unfinished", "best.safetensors"


@dataclass(frozen=True, slots=True)
class Recipe:
    """What the weights depend on, besides the pairs.

    Attributes:
        seed: of the head and of the order of the pairs.
        batch: pairs per step.
        rate: the highest learning rate; it rises for `warm_up` of the steps and then falls to 0.
        warm_up: a share of all steps.
        longest: tokens of a pair.
        bf16: compute in bfloat16; weights stay in float32.
        looks: how often the model is judged, evenly over the second half, the last time at the end.
        frozen: layers, counted from the words on, that stay as they are, with all that lies before them; the word
            vectors always do.
        hard: weight of the labels in the loss, where a teacher's probabilities are there too; they have the rest.
        dropout: share of what a layer gives that is left out in a step; none of the attention.
        muon: move the matrices of the layers by Muon, all else by AdamW, which has all of it otherwise.
    """

    seed: int = 0
    batch: int = 64
    rate: float = 3e-4
    warm_up: float = 0.06
    longest: int = 128
    bf16: bool = True
    looks: int = 0
    frozen: int = 0
    hard: float = 0.3
    dropout: float = 0.0
    muon: bool = False


@dataclass(frozen=True, slots=True)
class Trained:
    """What is known of a trained model; written beside its weights.

    Attributes:
        recipe: how it was trained.
        pairs: how many it learnt from, each as often as it was seen.
        steps: how many there were.
        seconds: time by the clock, over all interrupted runs.
        processor_seconds: the same of the processor, summed over its cores: other load does not count.
        loss: mean of the last hundred steps.
        best: the step whose weights were kept.
        judged: what the judge said of them; 0 without one.
    """

    recipe: Recipe
    pairs: int
    steps: int
    seconds: float
    processor_seconds: float
    loss: float
    best: int
    judged: float


Judge = Callable[[Any, Any], float]
"""Of the network and its tokenizer: the share of held-out pairs that it gets right."""

Watcher = Callable[[int, Any], None]
"""Sees the network after a step; the weights do not depend on what it does."""


def trained(folder: Path) -> Trained | None:
    """What a finished training has left in a folder, if there is one."""
    return noted(folder, lambda note: Trained(**{**note, "recipe": Recipe(**note["recipe"])}))


def least_seconds(folder: Path, done: Trained, stretch: int = 100) -> float | None:
    """What all steps would take at the pace of the fastest stretch of the curve, in seconds: little slowed by other load.

    A lower bound: the judge, and reading pairs between passes, are not in it, and batches differ in length.

    Args:
        folder: of a finished training.
        done: what it left there.
        stretch: the least number of steps between two lines of the curve; `None` is said where none is so long.
    """
    lines = (folder / CURVE).read_text(encoding="utf-8").splitlines() if (folder / CURVE).is_file() else []
    times = {row["step"]: row["seconds"] for row in map(json.loads, lines)}
    pairs = zip(sorted(times), sorted(times)[1:], strict=False)
    paces = [(times[b] - times[a]) / (b - a) for a, b in pairs if b - a >= stretch]
    return min(paces) * done.steps if paces else None


def train(
    lessons: Sequence[Sequence[Pair]],
    folder: Path,
    *,
    recipe: Recipe | None = None,
    base: Path | None = None,
    judge: Judge | None = None,
    watcher: Watcher | None = None,
    watch_every: int = 200,
    save_every: int = 200,
    device: str = "cpu",
    say: Callable[[str], None] = lambda _line: None,
) -> Trained:
    """Train, or go on where an earlier run with the same recipe, base and pairs was stopped.

    Args:
        lessons: the pairs of each pass, in a fixed order.
        folder: gets config.json, the tokenizer, model.safetensors and the curve.
        recipe: see there.
        base: a model to begin with, with a head of three outputs or without one; by default MiniLM.
        judge: chooses the weights that are kept; without one, the last.
        watcher: sees the network now and then; changes nothing.
        watch_every: steps between two times.
        save_every: steps between two savings.
        device: "cpu" or "cuda", which rounds otherwise and so gives slightly different weights.
        say: gets a line of progress now and then.
    """
    import torch

    recipe, base = recipe or Recipe(), base or minilm()
    torch.set_flush_denormal(True)  # what is next to nothing costs a tenth of the time
    network, reader = _begin(recipe, base)
    network.to(device)
    drawn = left_out(network, recipe.dropout, seed=recipe.seed)
    steps = sum(-(-len(lesson) // recipe.batch) for lesson in lessons)
    moved = optimizer(network, rate=recipe.rate, muon=recipe.muon)
    unfinished = folder / _UNFINISHED
    identity = asdict(recipe) | {"steps": steps, "lessons": _digest(lessons), "base": weights_digest(base)}
    before = resume(unfinished, identity, network, moved)
    curve = _Curve(folder / CURVE, before.step)
    if before.step:
        say(f"going on at step {before.step} of {steps}")
    looks = _looks(recipe.looks, steps) if judge else set()
    watch, losses = Stopwatch(before), before.losses
    network.train()
    batches = _batches(lessons, recipe, reader, before.step)
    for step, (inputs, wanted) in enumerate(batches, before.step):
        rate = recipe.rate * _share(step, steps, recipe.warm_up)
        for group in moved.param_groups:
            group["lr"] = rate
        drawn.step = step
        loss = _learn(network, moved, inputs, wanted, bf16=recipe.bf16)
        losses = [*losses[-99:], loss]
        done = step + 1
        if done in looks and judge:
            right = judge(network.eval(), reader)
            network.train()
            say(f"step {done} of {steps}: {right:.2%} right")
            if right > curve.best:
                write_tensors(unfinished / _BEST, network.state_dict())
            curve.add(watch.at(done, losses), rate, right)
        if watcher is not None and (done % watch_every == 0 or done == steps):
            watcher(done, network)
        if done % save_every == 0 or done == steps:
            now = watch.at(done, losses)
            say(f"step {done} of {steps}: loss {sum(losses) / len(losses):.3f}, {now.seconds:.0f} s")
            curve.add(now, rate)
            if done < steps:
                save(unfinished, identity, now, network, moved)
    now = watch.at(steps, losses)
    result = Trained(
        recipe,
        pairs=sum(map(len, lessons)),
        steps=steps,
        seconds=now.seconds,
        processor_seconds=now.processor_seconds,
        loss=sum(losses) / max(1, len(losses)),
        best=curve.best_step or steps,
        judged=curve.best,
    )
    _write(folder, result, network, reader)
    return result


def _digest(lessons: Sequence[Sequence[Pair]]) -> str:
    """Of all that is learnt, a teacher's probabilities included."""
    whole = blake2b(digest_size=16)
    for lesson in lessons:
        whole.update(f"{len(lesson)} ".encode())
        for pair in lesson:
            whole.update(repr(pair).encode())
    return whole.hexdigest()


def _learn(network: Any, moved: Any, inputs: Any, wanted: Any, *, bf16: bool) -> float:
    """One step of the optimizer; the loss before it."""
    import torch

    device = network.device
    with torch.autocast(device.type, dtype=torch.bfloat16, enabled=bf16):
        said = network(**inputs.to(device))
    loss = torch.nn.functional.cross_entropy(said.logits.float(), wanted.to(device))
    loss.backward()
    torch.nn.utils.clip_grad_norm_([one for group in moved.param_groups for one in group["params"]], 1.0)
    moved.step()
    moved.zero_grad()
    return float(loss.detach())


class _Curve:
    """Loss and learning rate by step, one JSON object a line; what an interrupted run wrote in vain is dropped."""

    def __init__(self, path: Path, step: int) -> None:
        self._path = path
        lines = path.read_text(encoding="utf-8").splitlines() if step and path.is_file() else []
        rows = [json.loads(line) for line in lines if line.endswith("}")]
        self._rows = [row for row in rows if row["step"] <= step]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(json.dumps(row) + "\n" for row in self._rows), encoding="utf-8")

    @property
    def best(self) -> float:
        """The most that the judge has said so far."""
        return max((row["right"] for row in self._rows if "right" in row), default=0.0)

    @property
    def best_step(self) -> int:
        """The first step at which it was said; 0 without a judge."""
        return next((row["step"] for row in self._rows if row.get("right") == self.best), 0)

    def add(self, now: Progress, rate: float, right: float | None = None) -> None:
        """A further line."""
        row = {"step": now.step, "loss": sum(now.losses) / len(now.losses), "rate": rate}
        row |= {"seconds": now.seconds} | ({} if right is None else {"right": right})
        self._rows.append(row)
        with self._path.open("a", encoding="utf-8") as stream:
            stream.write(json.dumps(row) + "\n")


def _batches(
    lessons: Sequence[Sequence[Pair]],
    recipe: Recipe,
    reader: Any,
    start: int,
) -> Iterator[tuple[Any, Any]]:
    """Padded inputs, and the wanted probabilities, from a step on; the order depends on seed and lesson alone."""
    import torch

    passed = 0
    for number, lesson in enumerate(lessons):
        count = -(-len(lesson) // recipe.batch)
        if passed + count > start:
            texts = [pair.premise for pair in lesson], [pair.hypothesis for pair in lesson]
            encoded = reader(*texts, truncation=True, max_length=recipe.longest)
            lengths = [len(ids) for ids in encoded["input_ids"]]
            wanted = torch.tensor([_wanted(pair, recipe.hard) for pair in lesson])
            plan = in_batches(lengths, size=recipe.batch, seed=recipe.seed + 1_000 * number)
            for batch in plan[max(0, start - passed) :]:
                inputs = reader.pad(
                    [{k: v[i] for k, v in encoded.items()} for i in batch], return_tensors="pt"
                )
                yield inputs, wanted[batch]
        passed += count


def _wanted(pair: Pair, hard: float) -> list[float]:
    """The probabilities that are learnt: of the label and the teacher, or of the one that there is."""
    truth = [float(pair.label == label) for label in range(len(LABELS))]
    if pair.taught is None:
        if pair.label == UNLABELLED:
            raise InputError(f"expected a label, or a teacher's probabilities, of {pair!r}")
        return truth
    if pair.label == UNLABELLED:
        return list(pair.taught)
    return [hard * one + (1 - hard) * other for one, other in zip(truth, pair.taught, strict=True)]


def _looks(count: int, steps: int) -> set[int]:
    """After which steps the judge is asked."""
    return {steps - round(i * steps / 2 / count) for i in range(count)}


def _write(folder: Path, result: Trained, network: Any, reader: Any) -> None:
    """Write the model as transformers reads it; the note comes last, and says that all is there."""
    from safetensors.torch import load_file

    unfinished = folder / _UNFINISHED
    if result.judged:
        network.load_state_dict(load_file(unfinished / _BEST))
    network.eval().save_pretrained(folder)
    reader.save_pretrained(folder)
    write_note(folder, result)
    shutil.rmtree(unfinished, ignore_errors=True)


def _begin(recipe: Recipe, base: Path) -> tuple[Any, Any]:
    """A model with a head of three outputs. Word vectors stay: they are half of the weights and hardly change."""
    import torch
    import transformers

    torch.manual_seed(recipe.seed)
    level = transformers.utils.logging.get_verbosity()
    transformers.utils.logging.set_verbosity_error()  # it warns that the head is new
    transformers.utils.logging.disable_progress_bar()
    reader = transformers.AutoTokenizer.from_pretrained(str(base), local_files_only=True)
    network = transformers.AutoModelForSequenceClassification.from_pretrained(
        str(base),
        local_files_only=True,
        use_safetensors=True,
        id2label=dict(enumerate(LABELS)),
        label2id={label: i for i, label in enumerate(LABELS)},
        hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0,
        attn_implementation="eager",  # the fused kernel's backward pass in bf16 takes half of a step's time
    )
    transformers.utils.logging.set_verbosity(level)
    body = network.base_model
    body.embeddings.word_embeddings.requires_grad_(False)
    if recipe.frozen:  # one weight that is learnt before them would take the gradient through all of them
        body.requires_grad_(False)
        for layer in body.encoder.layer[recipe.frozen :]:
            layer.requires_grad_(True)
        if getattr(body, "pooler", None) is not None:
            body.pooler.requires_grad_(True)
    return network, reader


def _share(step: int, steps: int, warm_up: float) -> float:
    """Of the highest learning rate."""
    rise = max(1, round(warm_up * steps))
    return min((step + 1) / rise, max(0.0, (steps - step) / max(1, steps - rise)))
