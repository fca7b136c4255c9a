"""A causal language model and its tokenizer, loaded at first use."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar, cast

from guardrail.backends._local import LocalModel
from guardrail.backends._texts import padded, positions
from guardrail.backends.batching import Workload
from guardrail.backends.forking import fork_safe
from guardrail.backends.language_model._head import OutputHead, hidden_states
from guardrail.backends.language_model._prefixes import Shape
from guardrail.backends.networks import memory_name
from guardrail.errors import ConfigError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from tokenizers import Encoding, Tokenizer

    from guardrail.backends.language_model.scoring import Window

    Table: TypeAlias = NDArray[np.float32]

T = TypeVar("T")

_WINDOW = 4_096  # tokens, unless the model takes fewer: attention grows with their square
_PROBE = 8  # tokens on which the way to the logits is tried
_ANCHOR = "a"  # a token in front, so that a decoder keeps the next one's leading blank
_BORDER = "\n"  # a token in front that no word's first letters join


class Causal(LocalModel):
    """Gives a matrix per window, a row per scored token; columns as `Head.read` has them.

    Attributes:
        memory: bytes of keys and values that are kept between calls.
    """

    memory: int = 0

    @property
    def window(self) -> int:
        """Tokens that are read at once."""
        self.load()
        return self._window

    @property
    def begin(self) -> int | None:
        """The token before every text."""
        self.load()
        return self._begin

    @cached_property
    def ends(self) -> frozenset[int]:
        """The tokens that end a text, as the model, its settings for generation, and its tokenizer name them."""
        self.load()
        settings = getattr(self.network, "generation_config", None)
        named = [self._end, self.config.get("eos_token_id"), getattr(settings, "eos_token_id", None)]
        flat = [one for given in named for one in (given if isinstance(given, list) else [given])]
        return frozenset(int(one) for one in flat if one is not None)

    @cached_property
    def pieces(self) -> tuple[str, ...]:
        """A name for every outcome of the model: the tokenizer's own piece, which is unique.

        Models may have more outcomes than their tokenizer has pieces; those go by their number.
        """
        known = {number: piece for piece, number in self.tokenizer.get_vocab(with_added_tokens=True).items()}
        taken = set(known.values())
        found = []
        for number in range(self.head.vocabulary):
            name = known.get(number, f"<no piece {number}>")
            while number not in known and name in taken:
                name += "'"
            found.append(name)
        return tuple(found)

    def continued(self, text: str) -> tuple[list[int], list[tuple[int, int]]]:
        """The tokens of a text that follows another, and where each is in it.

        Some tokenizers put a blank in front of every text, which is wrong in the middle of one.
        """
        front = self.tokens(_BORDER).ids
        both = self.tokens(_BORDER + text)
        if front and both.ids[: len(front)] == front:
            size = len(_BORDER)
            places = [(max(0, start - size), max(0, end - size)) for start, end in both.offsets[len(front) :]]
            return both.ids[len(front) :], places
        alone = self.tokens(text)  # its first letters join the border: line feeds, say
        return alone.ids, alone.offsets

    def written(self, tokens: Sequence[int], *, marks: bool = False) -> str:
        """The text of tokens that follow others; parts of a character are the replacement character.

        Args:
            tokens: their numbers.
            marks: whether the marks of beginning, end and the like are spelt out.
        """
        reader = self.tokenizer
        spelt = tokens if marks else [token for token in tokens if token not in self._silent]
        anchor = reader.encode(_ANCHOR, add_special_tokens=False).ids
        both = reader.decode([*anchor, *spelt], skip_special_tokens=False)
        return str(both[len(reader.decode(anchor, skip_special_tokens=False)) :])

    def alone(self, work: Callable[[], T]) -> T:
        """Do something with the network while nobody else does."""

        def locked() -> T:
            import torch

            self.load()
            with self._lock, torch.inference_mode():
                return work()

        return fork_safe(locked)

    def apart(self, work: Callable[[], T]) -> T:
        """Do something that needs no network while nobody else uses it."""
        with self._lock:
            return work()

    @cached_property
    def shape(self) -> Shape:
        """What it keeps of a token, of one that was read."""
        import torch
        from transformers.cache_utils import DynamicCache

        cache = DynamicCache(config=self.network.config)
        with self._lock, torch.inference_mode():
            ids = torch.zeros((1, 1), dtype=torch.long, device=self.device)
            trunk = self.network.base_model
            found = trunk(input_ids=ids, use_cache=True, **{memory_name(trunk): cache})
        kept = {tuple(part.shape[1:]) for layer in cache.layers for part in (layer.keys, layer.values)}
        if len(kept) != 1:
            raise ValueError(f"layers keep different things: {sorted(kept)!r}")
        [(heads, _, size)] = kept
        hidden = found.last_hidden_state
        return Shape(len(cache.layers), heads, size, hidden.shape[-1], hidden.dtype)

    @contextmanager
    def trying(self) -> Iterator[None]:
        """What is done meanwhile is not counted."""
        kept, self.work = self.work, Workload()
        try:
            yield
        finally:
            self.work = kept

    def padded(self, rows: Sequence[Sequence[int]]) -> tuple[Any, Any]:
        """Tokens and mask on the device, both of shape (rows, longest); padded on the right."""
        import torch

        ids, mask = padded(rows, self._pad), padded([[1] * len(row) for row in rows])
        return torch.from_numpy(ids).to(self.device), torch.from_numpy(mask).to(self.device)

    def book(
        self,
        *,
        seconds: float,
        computed: Sequence[tuple[int, int]],
        slots: int,
        texts: int = 0,
        reused: int = 0,
    ) -> None:
        """Count what was done.

        Args:
            seconds: that it took.
            texts: that were given.
            computed: of each pass the tokens, and the sum over them of the tokens that each attends to.
            slots: tokens with padding.
            reused: tokens that had not to be computed.
        """
        each, pairs = self._arithmetic
        with self._text_lock:
            self.work.operations += sum(each * tokens + pairs * seen for tokens, seen in computed)
            self.work.texts += texts
            self.work.batches += len(computed)
            self.work.tokens += sum(tokens for tokens, _ in computed)
            self.work.slots += slots
            self.work.reused += reused
            self.work.seconds += seconds

    def _bounded(self, reader: Any) -> Tokenizer:
        most = min(int(reader.model_max_length), positions(self.config, causal=True))
        if self.wanted_longest is not None and self.wanted_longest > most:
            raise ConfigError(
                f"expected a window of at most {most} tokens for {self.name!r}, got {self.wanted_longest!r}"
            )
        found = super()._bounded(reader)
        found.no_truncation()  # nothing is cut off: what is long goes into windows, or is refused
        self._window = self.wanted_longest or min(_WINDOW, most)
        begin = reader.bos_token_id
        self._begin: int | None = reader.eos_token_id if begin is None else begin
        self._silent = frozenset(mark.ids[0] for mark in self._marks.values() if len(mark) == 1)
        self._end: int | None = reader.eos_token_id
        return found

    def _forward(self, network: Any, inputs: Sequence[Encoding]) -> Iterator[Table]:
        import torch

        given = cast("Sequence[Window]", inputs)
        head = self.head
        hidden = hidden_states(network, *self.padded([one.ids for one in given]))
        rows = torch.cat(
            [hidden[row, one.first : one.first + len(one.targets)] for row, one in enumerate(given)]
        )
        targets = torch.tensor([i for one in given for i in one.targets], device=self.device)
        top = min(head.vocabulary, max(one.top for one in given))
        table = torch.cat([head.read(rows[part], targets[part], top) for part in head.parts(rows)])
        found = table.cpu().numpy()
        end = 0
        for one in given:
            start, end = end, end + len(one.targets)
            own = min(top, one.top)
            columns = [*range(2 + own), *range(2 + top, 2 + top + own)]
            yield found[start:end][:, columns]

    @cached_property
    def head(self) -> OutputHead:
        """How hidden states become logits, tried on a few tokens against the model's own way.

        The model's own way gives the logits of all tokens at once; and some models change them behind the last layer.
        """
        import torch

        network = self.network
        try:
            head = OutputHead(network.get_output_embeddings(), self.config, self.device)
            ids = torch.arange(_PROBE, device=self.device)[None] % head.vocabulary
            with self._lock, torch.inference_mode():
                own = network(input_ids=ids, use_cache=False).logits.float()
                ours = head.logits(hidden_states(network, ids, torch.ones_like(ids)))
        except (AttributeError, TypeError) as error:
            raise self._unknown(repr(error)) from error
        largest = float(own.nan_to_num().abs().max()) or 1.0
        tolerance = (1e-4 if self.precision == "fp32" else 5e-2) * largest
        if own.shape != ours.shape or not torch.allclose(own, ours, 0, tolerance, equal_nan=True):
            raise self._unknown("they come out otherwise")
        return head

    def _unknown(self, why: str) -> ConfigError:
        return ConfigError(
            f"expected logits that are made of the last hidden states, {self.name!r} "
            f"({type(self.network).__name__}) makes them in another way ({why}): such a model is not supported"
        )
