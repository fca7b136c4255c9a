"""Models of true shapes with random weights, whose texts have the form of a trained model's.

A model with plain random weights says every piece of its vocabulary about as often, parts of characters included, and
never a pair that could be read. So the output layer is made: pieces that begin with a blank get rows of normal numbers,
so large that the next one has an entropy of about four nats; all others get rows of zeros, and are said about once in 250
tokens. A text then is a sequence of words, its tokens are the same when it is read again, and a drawn response is nearly always one
token. What the words are does not matter for time; every pair has the same number of tokens.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.phr.tasks import TASKS, Rows, read
from guardrail.phr import Form

__all__ = ["LARGE", "LLAMA", "TINY", "Shape", "make", "tasks", "vocabulary"]

_SPREAD = 3.0  # standard deviation of the logits of what is said
_END = "<|endoftext|>"


@dataclass(frozen=True, slots=True)
class Shape:
    """Of a Llama.

    Attributes:
        width: of hidden states.
        layers: how many.
        heads: of attention.
        inner: width of the feed-forward layers.
        pieces: of the vocabulary that is learnt from the tasks' texts.
        outcomes: of the output layer; those without a piece are hardly ever said.
    """

    width: int
    layers: int
    heads: int
    inner: int
    pieces: int
    outcomes: int


TINY = Shape(64, 2, 2, 128, 1_000, 1_000)
LARGE = Shape(640, 10, 10, 1_728, 8_192, 8_192)  # 60 million parameters
LLAMA = Shape(4_096, 32, 32, 11_008, 8_192, 32_000)  # Llama-2-7B


def tasks(folder: Path) -> list[Rows]:
    """Every task with labels."""
    return [read(folder, name) for name in TASKS]


def vocabulary(rows: Sequence[Rows], pieces: int) -> Any:
    """Byte-level pieces, learnt from pairs as contexts write them."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

    form = Form()
    found = Tokenizer(models.BPE())
    found.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    found.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=pieces,
        special_tokens=[_END],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    texts = (form.pair(pair) for task in rows for pair in (*task.learnt, *task.asked))
    found.train_from_iterator(texts, trainer)
    return found


def make(
    folder: Path, shape: Shape, rows: Sequence[Rows], *, seed: int, kind: str = "float32", device: str = "cpu"
) -> int:
    """Save a model and its tokenizer; gives the number of its parameters. On a GPU its weights are drawn in a second."""
    import torch
    import transformers

    words = vocabulary(rows, shape.pieces)
    config = transformers.LlamaConfig(
        vocab_size=shape.outcomes,
        hidden_size=shape.width,
        intermediate_size=shape.inner,
        num_hidden_layers=shape.layers,
        num_attention_heads=shape.heads,
        max_position_embeddings=4_096,
        bos_token_id=0,
        eos_token_id=0,
        tie_word_embeddings=False,
    )
    torch.manual_seed(seed)
    before = torch.get_default_dtype()
    torch.set_default_dtype(getattr(torch, kind))
    try:
        with torch.device(device):
            network = transformers.LlamaForCausalLM(config)
    finally:
        torch.set_default_dtype(before)
    said = [number for piece, number in words.get_vocab().items() if piece.startswith("Ġ") and piece != "Ġ"]
    with torch.inference_mode():
        weight = network.get_output_embeddings().weight
        weight.zero_()
        drawn = torch.randn(len(said), shape.width).to(weight)
        weight[sorted(said)] = drawn * (_SPREAD / shape.width**0.5)
    network.save_pretrained(folder)
    transformers.PreTrainedTokenizerFast(
        tokenizer_object=words, bos_token=_END, eos_token=_END, model_max_length=4_096
    ).save_pretrained(folder)
    return sum(weight.numel() for weight in network.parameters())
