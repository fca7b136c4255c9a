"""The form in which the packaged model is shipped: weights in 8 bits, calibrated by its own head, no needless files."""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from hashlib import file_digest
from pathlib import Path
from typing import Any

from benchmarks._training import write_tensors
from benchmarks.entailment.making.groups import in_groups, with_stored_form
from guardrail.backends.stored import is_in_groups, read_groups
from guardrail.backends.weights import files, read_config, verified
from guardrail.errors import InputError

__all__ = ["WEIGHTS", "WORDS", "Shipped", "made_of", "pack"]

WEIGHTS = "model.safetensors"

WORDS = ("bert.embeddings.word_embeddings.weight",)
"""The table of word vectors."""

_HEAD = ("classifier.weight", "classifier.bias")
_TOKENIZER = ("tokenizer.json", "tokenizer_config.json", "special_tokens_map.json")
# What differs from one machine or release to the next, and what only a tokenizer that cuts or pads by itself reads.
_DROPPED = {
    "config.json": {"_name_or_path", "dtype", "torch_dtype", "transformers_version"},
    "tokenizer.json": {"padding", "truncation"},
    "tokenizer_config.json": {
        "is_local",
        "local_files_only",
        "max_length",
        "name_or_path",
        "pad_to_multiple_of",
        "special_tokens_map_file",
        "stride",
        "tokenizer_file",
        "truncation_strategy",
        "vocab_file",
    },
}


@dataclass(frozen=True, slots=True)
class Shipped:
    """What was written.

    Attributes:
        size: bytes of the weights.
        sha256: of the weights.
    """

    size: int
    sha256: str

    def __str__(self) -> str:
        """With the digest by which `guardrail.backends.weights` knows these weights."""
        return f"{self.size:,} bytes, SHA-256 {self.sha256}"


def pack(trained: Path, out: Path, *, temperature: float, coarse: Collection[str] = ()) -> Shipped:
    """Write a trained model's weights in 8 bits, its configuration and its tokenizer; the same bytes each time.

    Args:
        trained: folder of a classifier in safetensors whose head is one linear layer, as BERT's.
        out: made if it is not there; what else it holds stays.
        temperature: the head's weights are divided by it, so the probabilities are those of logits / temperature.
        coarse: names of tables of 4 bits.

    Raises:
        InputError: the temperature is no positive number, or there is no such head.
        ConfigError: the folder holds no whole model, or weights that are no finite numbers.
    """
    from safetensors.torch import load_file

    if not (math.isfinite(temperature) and temperature > 0):
        raise InputError(f"expected a positive temperature, got {temperature!r}")
    tensors = {name: one for path in files(verified(trained)) for name, one in load_file(path).items()}
    absent = [name for name in _HEAD if name not in tensors]
    if absent:
        raise InputError(f"expected a head of one linear layer, got no {absent!r} in {str(trained)!r}")
    for name in _HEAD:
        tensors[name] = tensors[name].double().div(temperature).float()
    out.mkdir(parents=True, exist_ok=True)
    _write(out, "config.json", with_stored_form(read_config(trained)))
    for name in _TOKENIZER:
        if (trained / name).is_file():
            _write(out, name, json.loads((trained / name).read_text(encoding="utf-8")))
    weights = out / WEIGHTS
    write_tensors(weights, in_groups(tensors, coarse=coarse))
    with weights.open("rb") as stream:
        return Shipped(weights.stat().st_size, file_digest(stream, "sha256").hexdigest())


def made_of(packed: Path, trained: Path) -> bool:
    """Whether a folder holds the very weights of a trained model in 8 bits, whatever its head was divided by.

    Args:
        packed: what `pack` wrote; of a model in another form it is not so.
        trained: folder of a classifier in safetensors.

    Raises:
        ConfigError: a file is absent or damaged.
    """
    import torch
    from safetensors.torch import load_file

    if not is_in_groups(read_config(packed)):
        return False
    stored = in_groups(read_groups(files(verified(packed))))  # what was rounded once is not rounded farther
    own = in_groups({name: one for path in files(verified(trained)) for name, one in load_file(path).items()})
    if stored.keys() != own.keys() or any(stored[name].shape != one.shape for name, one in own.items()):
        return False
    return all(  # but for the last bits of scales
        bool(torch.isclose(stored[name].float(), one.float(), rtol=1e-6, atol=0).all())
        for name, one in own.items()
        if name not in _HEAD
    )


def _write(folder: Path, name: str, content: Mapping[str, Any]) -> None:
    """As JSON, without what is dropped; a tokenizer's words take no lines of their own."""
    kept = {key: value for key, value in content.items() if key not in _DROPPED.get(name, ())}
    small = name != "tokenizer.json"
    text = json.dumps(
        kept,
        ensure_ascii=False,
        indent=2 if small else None,
        separators=None if small else (",", ":"),
        sort_keys=small,
    )
    (folder / name).write_text(text + "\n", encoding="utf-8")
