"""Training: MiniLM with a head of three outputs, one pass over the pairs, on a processor.

Every so often the weights and the optimizer's state are saved, as safetensors; a run that was stopped goes on
there, with the same batches in the same order.
"""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

from benchmarks.nli.pairs import LABELS, Pair, in_batches
from guardrail.backends.weights import minilm
from guardrail.errors import InputError

__all__ = ["Recipe", "Trained", "train", "trained"]

NOTE = "training.json"
_STATE, _UNFINISHED = "state.safetensors", "unfinished"


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
    """

    seed: int = 0
    batch: int = 64
    rate: float = 3e-4
    warm_up: float = 0.06
    longest: int = 128
    bf16: bool = True


@dataclass(frozen=True, slots=True)
class Trained:
    """What is known of a trained model; written beside its weights.

    Attributes:
        recipe: how it was trained.
        pairs: how many it learnt from.
        steps: how many there were.
        seconds: time by the clock, over all interrupted runs.
        processor_seconds: the same of the processor, summed over its cores: other load does not count.
        loss: mean of the last hundred steps.
    """

    recipe: Recipe
    pairs: int
    steps: int
    seconds: float
    processor_seconds: float
    loss: float


@dataclass(frozen=True, slots=True)
class _Progress:
    """How far a training has come: the next step, the time so far, and the last losses."""

    step: int = 0
    seconds: float = 0.0
    processor_seconds: float = 0.0
    losses: list[float] = field(default_factory=list)


def trained(folder: Path) -> Trained | None:
    """What a finished training has left in a folder, if there is one."""
    path = folder / NOTE
    if not path.is_file():
        return None
    try:
        note = json.loads(path.read_text(encoding="utf-8"))
        return Trained(**{**note, "recipe": Recipe(**note["recipe"])})
    except (ValueError, TypeError, KeyError) as error:
        raise InputError(f"expected the note of a training in {str(path)!r}, got {error!r}") from error


def train(
    pairs: Sequence[Pair],
    folder: Path,
    *,
    recipe: Recipe | None = None,
    save_every: int = 200,
    say: Callable[[str], None] = lambda _line: None,
) -> Trained:
    """Train, or go on where an earlier run with the same recipe was stopped.

    Args:
        pairs: in a fixed order.
        folder: gets config.json, the tokenizer and model.safetensors.
        recipe: see there.
        save_every: steps between two savings.
        say: gets a line of progress now and then.
    """
    import torch

    recipe = recipe or Recipe()
    network, reader = _begin(recipe)
    encoded = [
        dict(reader(pair.premise, pair.hypothesis, truncation=True, max_length=recipe.longest))
        for pair in pairs
    ]
    lengths = [len(one["input_ids"]) for one in encoded]
    plan = in_batches(lengths, size=recipe.batch, seed=recipe.seed)
    learnt = [p for p in network.parameters() if p.requires_grad]
    optimizer = torch.optim.AdamW(learnt, lr=recipe.rate, weight_decay=0.01, fused=True)
    unfinished = folder / _UNFINISHED
    identity = {**asdict(recipe), "pairs": len(pairs), "steps": len(plan)}
    before = _resume(unfinished, identity, network, optimizer)
    start, losses = before.step, before.losses
    if start:
        say(f"going on at step {start} of {len(plan)}")
    network.train()
    began, began_processor = time.perf_counter(), time.process_time()

    def so_far(step: int) -> _Progress:
        return _Progress(
            step,
            before.seconds + time.perf_counter() - began,
            before.processor_seconds + time.process_time() - began_processor,
            losses,
        )

    for step in range(start, len(plan)):
        inputs = reader.pad([encoded[i] for i in plan[step]], return_tensors="pt")
        labels = torch.tensor([pairs[i].label for i in plan[step]])
        with torch.autocast("cpu", dtype=torch.bfloat16, enabled=recipe.bf16):
            loss = network(**inputs, labels=labels).loss
        loss.backward()
        torch.nn.utils.clip_grad_norm_(learnt, 1.0)
        optimizer.param_groups[0]["lr"] = recipe.rate * _share(step, len(plan), recipe.warm_up)
        optimizer.step()
        optimizer.zero_grad()
        losses = [*losses[-99:], loss.item()]
        done = step + 1
        if done % save_every == 0 or done == len(plan):
            now = so_far(done)
            say(f"step {done} of {len(plan)}: loss {sum(losses) / len(losses):.3f}, {now.seconds:.0f} s")
            if done < len(plan):
                _save(unfinished, identity | asdict(now), network, optimizer)
    now = so_far(len(plan))
    loss = sum(losses) / max(1, len(losses))
    result = Trained(recipe, len(pairs), len(plan), now.seconds, now.processor_seconds, loss)
    network.eval().save_pretrained(folder)
    reader.save_pretrained(folder)
    (folder / NOTE).write_text(json.dumps(asdict(result), indent=2) + "\n", encoding="utf-8")
    shutil.rmtree(unfinished, ignore_errors=True)
    return result


def _begin(recipe: Recipe) -> tuple[Any, Any]:
    """MiniLM with a new head. Word vectors stay: they are half of the weights and hardly change in one pass."""
    import torch
    import transformers

    torch.manual_seed(recipe.seed)
    level = transformers.utils.logging.get_verbosity()
    transformers.utils.logging.set_verbosity_error()  # it warns that the head is new
    transformers.utils.logging.disable_progress_bar()
    base = str(minilm())
    reader = transformers.AutoTokenizer.from_pretrained(base, local_files_only=True)
    network = transformers.AutoModelForSequenceClassification.from_pretrained(
        base,
        local_files_only=True,
        use_safetensors=True,
        id2label=dict(enumerate(LABELS)),
        label2id={label: i for i, label in enumerate(LABELS)},
        hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0,
    )
    transformers.utils.logging.set_verbosity(level)
    network.base_model.embeddings.word_embeddings.requires_grad_(False)
    return network, reader


def _share(step: int, steps: int, warm_up: float) -> float:
    """Of the highest learning rate."""
    rise = max(1, round(warm_up * steps))
    return min((step + 1) / rise, max(0.0, (steps - step) / max(1, steps - rise)))


def _save(folder: Path, note: dict[str, Any], network: Any, optimizer: Any) -> None:
    """All that the next step depends on; the old state stays until the new one is whole."""
    from safetensors.torch import save_file

    tensors = {f"network.{name}": value.contiguous() for name, value in network.state_dict().items()}
    for index, state in optimizer.state_dict()["state"].items():
        tensors |= {f"optimizer.{index}.{name}": value for name, value in state.items()}
    folder.mkdir(parents=True, exist_ok=True)
    part = folder / f"{_STATE}.part"
    save_file(tensors, part, metadata={"note": json.dumps(note)})
    part.replace(folder / _STATE)


def _resume(folder: Path, identity: dict[str, Any], network: Any, optimizer: Any) -> _Progress:
    """Take up what was saved, if it is of the same training."""
    from safetensors import safe_open

    if not (folder / _STATE).is_file():
        return _Progress()
    with safe_open(folder / _STATE, framework="pt") as file:
        note = json.loads(file.metadata()["note"])
        if {key: note.get(key) for key in identity} != identity:
            return _Progress()
        tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118  # no mapping
    network.load_state_dict(
        {
            name.removeprefix("network."): value
            for name, value in tensors.items()
            if name.startswith("network.")
        }
    )
    state: dict[int, dict[str, Any]] = {}
    for name, value in tensors.items():
        if name.startswith("optimizer."):
            _, index, part = name.split(".", 2)
            state.setdefault(int(index), {})[part] = value
    optimizer.load_state_dict({**optimizer.state_dict(), "state": state})
    return _Progress(**{one.name: note[one.name] for one in fields(_Progress)})
