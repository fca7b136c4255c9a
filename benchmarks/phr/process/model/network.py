"""The network: a Llama decoder over numbers, and its memory of what it has read.

A token is one number. Its input is (x, y, is x, is y), through one linear layer: an x has y = 0, a y comes with the x
that it belongs to, and the start has neither. Behind each token the head says how the next number is distributed over the
bins: x_1 behind the start, y_i behind x_i, x_i+1 behind y_i.

Source: [jesson2024] Appendix E.1; that a y comes with its x is ours, and saves the network a layer of copying.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from benchmarks.phr.process.model.bars import Bars
from guardrail.backends.networks import memory_name
from guardrail.errors import ConfigError

if TYPE_CHECKING:
    from torch import Tensor

__all__ = ["KIND", "Shape", "attention", "build", "memory", "tokens"]

KIND = "guardrail-neural-process"
FEATURES = 4


@dataclass(frozen=True, slots=True)
class Shape:
    """The size of a network.

    Attributes:
        width: of a token's vector.
        layers: of the decoder.
        heads: of its attention.
        inner: width of its feed-forward layers.
        bins: of the bar distribution.
        edge: of the bar distribution.

    Raises:
        ConfigError: a number is out of range, or the heads do not divide the width.
    """

    width: int = 64
    layers: int = 4
    heads: int = 4
    inner: int = 192
    bins: int = 800
    edge: float = 4.0

    def __post_init__(self) -> None:
        if min(self.width, self.layers, self.heads, self.inner) < 1 or self.width % (2 * self.heads):
            raise ConfigError(f"expected sizes of 1 or more and a width that 2 · heads divides, got {self!r}")

    @property
    def bars(self) -> Bars:
        """Where the bins are."""
        return Bars(self.bins, self.edge)

    def to_dict(self) -> dict[str, Any]:
        """As config.json holds it."""
        return {"model_type": KIND, **asdict(self)}

    @classmethod
    def from_dict(cls, config: dict[str, Any]) -> Shape:
        """The reverse; what else is in there is left alone."""
        if config.get("model_type") != KIND:
            raise ConfigError(
                f"expected a config.json of model_type {KIND!r}, got {config.get('model_type')!r}"
            )
        try:
            return cls(**{name: config[name] for name in cls.__slots__})
        except KeyError as error:
            raise ConfigError(f"config.json lacks {error}") from error


def build(shape: Shape, *, seed: int = 0) -> Any:
    """A `torch.nn.ModuleDict` of `embed`, `decoder` (a transformers LlamaModel) and `head`, with random weights.

    The random numbers of torch are left as they were.
    """
    import torch
    from transformers import LlamaConfig, LlamaModel

    config = LlamaConfig(
        vocab_size=1,  # numbers are embedded here, not by the decoder
        hidden_size=shape.width,
        intermediate_size=shape.inner,
        num_hidden_layers=shape.layers,
        num_attention_heads=shape.heads,
        num_key_value_heads=shape.heads,
        max_position_embeddings=8_192,
        use_cache=False,
        attn_implementation="sdpa",
        pad_token_id=None,
        bos_token_id=None,
        eos_token_id=None,
    )
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        found = torch.nn.ModuleDict(
            {
                "embed": torch.nn.Linear(FEATURES, shape.width),
                "decoder": LlamaModel(config),
                "head": torch.nn.Linear(shape.width, shape.bins),
            }
        )
    found["decoder"].embed_tokens.weight.requires_grad_(requires_grad=False)  # never asked
    return found


def tokens(x: Tensor, y: Tensor, *, start: bool = True) -> Tensor:
    """Inputs of pairs: x and y of shape (B, n) become (B, 2n, 4), with the start before them (B, 2n + 1, 4)."""
    import torch

    one, zero = torch.ones_like(x), torch.zeros_like(x)
    both = torch.stack([torch.stack([x, zero, one, zero], -1), torch.stack([x, y, zero, one], -1)], 2)
    found = both.flatten(1, 2)
    return torch.nn.functional.pad(found, (0, 0, 1, 0)) if start else found


def attention(
    network: Any,
    inputs: Tensor,
    *,
    mask: Tensor | None = None,
    past: Any = None,
    at: int = 0,
    steps: bool = True,
) -> Tensor:
    """What the decoder says behind each token: shape (B, T, width).

    Args:
        network: of `build`.
        inputs: shape (B, T, 4).
        mask: 0 where a token (dimension 2) may look at another (dimension 3), −∞ elsewhere; `None` = causal.
        past: a `memory`, which gets the tokens.
        at: the first token's position.
        steps: whether each token is a position behind the one before; else all are at the same.
    """
    import torch

    count = inputs.shape[1]
    places = (
        torch.arange(count, device=inputs.device)
        if steps
        else torch.zeros(count, dtype=torch.long, device=inputs.device)
    )
    decoder = network["decoder"]
    found: Tensor = decoder(
        inputs_embeds=network["embed"](inputs),
        attention_mask=mask,
        position_ids=(places + at)[None],
        use_cache=past is not None,
        **{memory_name(decoder): past},
    ).last_hidden_state
    return found


@cache
def _memory_class() -> Any:
    """A cache that is written in place: transformers' own copies all that it holds with every token."""
    from transformers import Cache

    class Memory(Cache):  # type: ignore[misc]  # of a package that mypy does not follow
        """Keys and values per layer, with room for `room` tokens.

        Attributes:
            length: tokens that are kept. What an update brings stands behind them, and is overwritten by the next one
                unless the length was moved on.
        """

        def __init__(self, shape: Shape, rows: int, room: int, like: Tensor) -> None:
            size = (rows, shape.heads, room, shape.width // shape.heads)
            self.stores = [(like.new_empty(size), like.new_empty(size)) for _ in range(shape.layers)]
            self.layers: list[Any] = []  # transformers looks there for kinds of layers: there is but one
            self.length = 0

        def update(
            self, key_states: Tensor, value_states: Tensor, layer_idx: int, *rest: Any, **more: Any
        ) -> tuple[Tensor, Tensor]:
            del rest, more
            end = self.length + key_states.shape[-2]
            keys, values = (store[:, :, :end] for store in self.stores[layer_idx])
            keys[:, :, self.length :] = key_states
            values[:, :, self.length :] = value_states
            return keys, values

        def repeat(self, copies: int) -> Any:
            other = object.__new__(Memory)
            other.layers, other.length = [], self.length
            other.stores = []
            for stores in self.stores:
                wider = [one.new_empty((len(one) * copies, *one.shape[1:])) for one in stores]
                for one, store in zip(wider, stores, strict=True):
                    used = store[:, :, : self.length]
                    one[:, :, : self.length] = used.repeat_interleave(copies, dim=0)
                other.stores.append(tuple(wider))
            return other

        def get_seq_length(self, layer_idx: int = 0) -> int:
            del layer_idx
            return int(self.length)

    return Memory


def memory(shape: Shape, *, rows: int, room: int, like: Tensor) -> Any:
    """An empty memory of `rows` contexts, with room for so many tokens each.

    Whoever reads tokens into it moves its `length` on afterwards, or leaves it, so that they are forgotten again.
    """
    return _memory_class()(shape, rows, room, like)
