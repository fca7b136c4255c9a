"""The models that are timed: true configurations with random weights where there are no real ones.

Time does not depend on the weights' values, but it does on the depth: of the last layer we compute the first token only,
which is nearly everything of one layer and little of twenty-four. So models are whole, and what makes the default end is
fewer samples: DeBERTa-v3-base with 4 of them; `--size large` is the large one with 20. The encoder has the
shape of roberta-large, but for `--fast`.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from benchmarks.performance.speed.workers import Anyone
from guardrail.backends.entailment import label_order
from guardrail.errors import ConfigError

__all__ = ["SIZES", "Heads", "Maker", "Size", "classifier", "encoder", "heads", "pair_flops"]

Maker: TypeAlias = Callable[[], Anyone]
"""Starts a worker that can make models; called only where one is to be made."""

_REVISION = 2  # of how models are made
_SEED = 0
_THREE = ("contradiction", "neutral", "entailment")  # the order that uqlm takes for granted
_TWO = ("entailment", "contradiction")  # the one that selfcheckgpt does


@dataclass(frozen=True, slots=True)
class Size:
    """Shapes of the two models.

    Attributes:
        classifier: hidden width and layers of the DeBERTa-v3.
        encoder: hidden width and layers of the RoBERTa; bert_score reads layer 17, so 17 or more.
        vocabulary: pieces to learn from the texts; the configured vocabulary is the true one.
        samples: that BERTScore is timed with.
        pairs_with: samples that NLI is timed with.
    """

    classifier: tuple[int, int]
    encoder: tuple[int, int] = (1024, 24)
    vocabulary: int = 8_000
    samples: int = 10
    pairs_with: int = 20


SIZES: Mapping[str, Size] = {
    "tiny": Size((64, 2), (64, 17), 2_000),
    "base": Size((768, 12), pairs_with=4),
    "large": Size((1024, 24), samples=20),
}


@dataclass(frozen=True, slots=True)
class Heads:
    """One classifier twice: the same weights, the outputs as each package wants them.

    Attributes:
        three: contradiction, neutral, entailment: for uqlm, and for ours.
        two: entailment, contradiction: for selfcheckgpt, which leaves the neutral class out.
    """

    three: Path
    two: Path


def classifier(maker: Maker, root: Path, size: Size, corpus: Path, *, tiny: bool) -> Path:
    """The folder of a DeBERTa-v3 classifier with random weights, made if it is not there."""
    width, layers = size.classifier
    config = {
        "vocab_size": size.vocabulary if tiny else 128_100,
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
    return _made(maker, "make_classifier", root / "deberta-v3", config, corpus, vocabulary=size.vocabulary)


def encoder(maker: Maker, root: Path, size: Size, corpus: Path, *, tiny: bool) -> Path:
    """The folder of a RoBERTa with random weights; its name is "roberta-large", which bert_score looks for."""
    width, layers = size.encoder
    config = {
        "vocab_size": size.vocabulary if tiny else 50_265,
        "hidden_size": width,
        "num_hidden_layers": layers,
        "num_attention_heads": max(1, width // 64),
        "intermediate_size": 4 * width,
        "max_position_embeddings": 514,
        "type_vocab_size": 1,
        "layer_norm_eps": 1e-5,
        "pad_token_id": 1,
        "bos_token_id": 0,
        "eos_token_id": 2,
    }
    place = root / "roberta"
    return _made(
        maker, "make_encoder", place, config, corpus, vocabulary=size.vocabulary, inside="roberta-large"
    )


def heads(maker: Maker, root: Path, source: Path) -> Heads:
    """Copies of a classifier with its outputs in the orders that the peers take for granted.

    Raises:
        ConfigError: the model's labels cannot be told, or its head is not one linear layer.
    """
    config = json.loads((source / "config.json").read_text(encoding="utf-8"))
    labels = label_order(config)
    if not (source / "model.safetensors").is_file():
        raise ConfigError(f"expected one file model.safetensors in {str(source)!r}, found none")
    stamp = _stamp(
        {"config": config, "weights": _digest(source / "model.safetensors"), "revision": _REVISION}
    )
    found = Heads(root / f"{source.name}-{stamp}-three", root / f"{source.name}-{stamp}-two")
    orders: tuple[tuple[Path, Sequence[int | None], Sequence[str]], ...] = (
        (found.three, (labels.contradiction, labels.neutral, labels.entailment), _THREE),
        (found.two, (labels.entailment, labels.contradiction), _TWO),
    )
    worker: Anyone | None = None
    for target, rows, names in orders:
        if not (target / "whole").exists():
            worker = worker or maker()
            worker.ask("relabel", source=str(source), target=str(target), rows=list(rows), labels=list(names))
            (target / "whole").touch()
    return found


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


def _made(
    maker: Maker,
    operation: str,
    beginning: Path,
    config: Mapping[str, Any],
    corpus: Path,
    *,
    vocabulary: int,
    inside: str = "",
) -> Path:
    stamp = _stamp({"config": config, "corpus": _digest(corpus), "seed": _SEED, "revision": _REVISION})
    place = beginning.with_name(f"{beginning.name}-{stamp}")
    target = place / inside if inside else place
    if not (place / "whole").exists():
        place.mkdir(parents=True, exist_ok=True)
        maker().ask(
            operation,
            target=str(target),
            corpus=str(corpus),
            config=dict(config),
            vocabulary=vocabulary,
            seed=_SEED,
        )
        (place / "whole").touch()
    return target


def _stamp(content: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:12]


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
