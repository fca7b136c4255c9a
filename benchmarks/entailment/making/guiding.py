"""A deep network that a shallow one learns from: what it says of a pair, and what its layers give on the way there.

Needs no labels, so texts of all languages serve. The shallow one begins as every so-manyth layer of the deep one.

Source: Sun et al., Patient knowledge distillation for BERT model compression, 2019.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks._training import write_tensors
from guardrail.errors import InputError

__all__ = ["Guide", "thinned"]

_LAYER = re.compile(r"\.layer\.(\d+)\.")
_TOKENIZER = ("tokenizer.json", "tokenizer_config.json")


def thinned(deep: Path, out: Path, *, layers: int) -> Path:
    """Write a model of so many layers: the last of every two, three, … of a deep one's, with its head.

    Args:
        deep: folder of a classifier with layers as BERT's, in safetensors.
        out: made if it is not there; nothing is done where it has a model.
        layers: by which the deep one's number is divided without rest.

    Raises:
        InputError: it is not.
    """
    from safetensors.torch import load_file

    if (out / "model.safetensors").is_file():
        return out
    config = json.loads((deep / "config.json").read_text(encoding="utf-8"))
    step, rest = divmod(config["num_hidden_layers"], layers)
    if rest:
        raise InputError(f"expected a divisor of {config['num_hidden_layers']} layers, got {layers}")
    tensors = {}
    for name, one in load_file(deep / "model.safetensors").items():
        found = _LAYER.search(name)
        if found is None:
            tensors[name] = one
        elif (int(found[1]) + 1) % step == 0:
            tensors[name.replace(found[0], f".layer.{int(found[1]) // step}.")] = one
    out.mkdir(parents=True, exist_ok=True)
    (out / "config.json").write_text(json.dumps(config | {"num_hidden_layers": layers}), encoding="utf-8")
    for name in _TOKENIZER:
        shutil.copyfile(deep / name, out / name)
    write_tensors(out / "model.safetensors", tensors)
    return out


class Guide:
    """A trained deep network.

    Args:
        folder: of the classifier.
        device: where it computes.
    """

    def __init__(self, folder: Path, device: str) -> None:
        import transformers

        self._network = transformers.AutoModelForSequenceClassification.from_pretrained(
            str(folder), local_files_only=True, use_safetensors=True
        ).to(device)
        self._network.eval().requires_grad_(False)

    def __call__(self, inputs: Any, states: Sequence[Any]) -> tuple[Any, Any]:
        """What it says of a batch, and how far the shallow network's states are from its own.

        Args:
            inputs: of the batch, padded.
            states: of the shallow network, of the words and of each layer.

        Returns:
            Probabilities, shape (pairs, labels); and the mean squared difference in units of the deep network's variance, by
            which 1 is as far as not to know anything.
        """
        import torch

        with torch.no_grad():
            said = self._network(**inputs, output_hidden_states=True)
        step = (len(said.hidden_states) - 1) // (len(states) - 1)
        real = inputs["attention_mask"].bool()
        apart = []
        for number, own in enumerate(states[1:], 1):
            theirs = said.hidden_states[step * number][real].float()
            spread = theirs.var(0).mean()
            apart.append((own[real].float() - theirs).pow(2).mean() / spread)
        return said.logits.float().softmax(1), torch.stack(apart).mean()
