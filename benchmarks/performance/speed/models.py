"""The models that are timed: true configurations with random weights where there are no real ones.

Time does not depend on the weights' values, but it does on the depth: of the last layer we compute the first token only,
which is nearly everything of one layer and little of twenty-four. So models are whole, and what makes the default end is
fewer samples: DeBERTa-v3-base with 4 of them; `--size large` is the large one with 20. The encoder has the
shape of roberta-large, but for `--fast`. All read with the tokenizer of the packaged MiniLM.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from benchmarks.performance.speed.workers import Anyone
from guardrail.backends.weights import minilm

__all__ = ["SIZES", "Maker", "Size", "classifier", "encoder", "make_classifier", "make_encoder", "pair_flops"]

Maker: TypeAlias = Callable[[], Anyone]
"""Starts a worker that can make models; called only where one is to be made."""

_REVISION = 3  # of how models are made
_SEED = 0
_LABELS = ("contradiction", "neutral", "entailment")


@dataclass(frozen=True, slots=True)
class Size:
    """Shapes of the two models.

    Attributes:
        classifier: hidden width and layers of the DeBERTa-v3.
        encoder: hidden width and layers of the RoBERTa; BERTScore reads layer 17, so 17 or more.
        samples: that BERTScore is timed with.
        pairs_with: samples that NLI is timed with.
    """

    classifier: tuple[int, int]
    encoder: tuple[int, int] = (1024, 24)
    samples: int = 10
    pairs_with: int = 20


SIZES: Mapping[str, Size] = {
    "tiny": Size((64, 2), (64, 17)),
    "base": Size((768, 12), pairs_with=4),
    "large": Size((1024, 24), samples=20),
}


def classifier(maker: Maker, root: Path, size: Size) -> Path:
    """The folder of a DeBERTa-v3 classifier with random weights, made if it is not there."""
    width, layers = size.classifier
    config = {
        "vocab_size": 128_100,
        "hidden_size": width,
        "num_hidden_layers": layers,
        "num_attention_heads": max(1, width // 64),
        "intermediate_size": 4 * width,
        "max_position_embeddings": 512,
        "type_vocab_size": 0,
        "relative_attention": True,
        "max_relative_positions": -1,
        "position_buckets": 256,
        "norm_rel_ebd": "layer_norm",
        "share_att_key": True,
        "pos_att_type": ["p2c", "c2p"],
        "position_biased_input": False,
        "layer_norm_eps": 1e-7,
        "pooler_dropout": 0,
        "pooler_hidden_act": "gelu",
        "pooler_hidden_size": width,
        "pad_token_id": 0,
    }
    return _made(maker, "make_classifier", root / "deberta-v3", config)


def encoder(maker: Maker, root: Path, size: Size) -> Path:
    """The folder of a RoBERTa with random weights, made if it is not there."""
    width, layers = size.encoder
    config = {
        "vocab_size": 50_265,
        "hidden_size": width,
        "num_hidden_layers": layers,
        "num_attention_heads": max(1, width // 64),
        "intermediate_size": 4 * width,
        "max_position_embeddings": 514,
        "type_vocab_size": 1,
        "layer_norm_eps": 1e-5,
        "pad_token_id": 0,
    }
    return _made(maker, "make_encoder", root / "roberta", config)


def pair_flops(config: Mapping[str, Any], tokens: Sequence[int]) -> float:
    """Operations (a multiplication and an addition are two) that inputs of these lengths need, each alone.

    The linear layers and attention of the published model, the two terms of DeBERTa's relative positions over
    all its 2 · 256 distances; without soft-max, norms and what is computed once per forward pass.

    Example:
        >>> pair_flops({"hidden_size": 2, "num_hidden_layers": 1, "intermediate_size": 8}, [3])
        360.0
    """
    width, inner = int(config["hidden_size"]), int(config["intermediate_size"])
    layers = int(config["num_hidden_layers"])
    distances = 2 * int(config.get("position_buckets", 0)) if config.get("relative_attention") else 0
    terms = len(config.get("pos_att_type") or ()) if distances else 0
    total = 0.0
    for length in tokens:
        linear = 2 * length * (4 * width**2 + 2 * width * inner)
        attention = 4 * length**2 * width + terms * 2 * length * distances * width
        total += layers * (linear + attention)
    return total


def make_classifier(target: str, config: Mapping[str, Any], seed: int) -> str:
    """DeBERTa-v3 with random weights and three outputs: contradiction, neutral, entailment."""
    import torch
    import transformers

    torch.manual_seed(seed)
    named = dict(enumerate(_LABELS))
    model = transformers.DebertaV2ForSequenceClassification(
        transformers.DebertaV2Config(
            **config, id2label=named, label2id={label: place for place, label in named.items()}
        )
    )
    with torch.no_grad():  # a livelier head, else all pairs score .5 and any two programs agree
        torch.nn.init.normal_(model.classifier.weight, std=0.1)
    return _saved(model, target)


def make_encoder(target: str, config: Mapping[str, Any], seed: int) -> str:
    """RoBERTa with random weights."""
    import torch
    import transformers

    torch.manual_seed(seed)
    return _saved(transformers.RobertaModel(transformers.RobertaConfig(**config)), target)


def _saved(model: Any, target: str) -> str:
    model.eval().save_pretrained(target, safe_serialization=True)
    for name in ("tokenizer.json", "tokenizer_config.json"):
        shutil.copy(minilm() / name, target)
    return target


def _made(maker: Maker, operation: str, beginning: Path, config: Mapping[str, Any]) -> Path:
    stamp = hashlib.sha256(json.dumps([config, _SEED, _REVISION], sort_keys=True).encode()).hexdigest()[:12]
    place = beginning.with_name(f"{beginning.name}-{stamp}")
    if not (place / "whole").exists():
        place.mkdir(parents=True, exist_ok=True)
        maker().ask(operation, target=str(place), config=dict(config), seed=_SEED)
        (place / "whole").touch()
    return place
