"""Texts as a model on this machine reads them: its tokenizer, and what was read before."""

from __future__ import annotations

import importlib.util
import re
import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from guardrail._log import log
from guardrail.backends.batching import Batches, Workload
from guardrail.backends.forking import fork_safe, renewed
from guardrail.errors import ConfigError, MissingExtra
from guardrail.options import number

if TYPE_CHECKING:
    from tokenizers import Encoding, Tokenizer

    Array = NDArray[np.float32]

HALF = re.compile("[\ud800-\udfff]")
"""Half a surrogate pair, which a reply cut off in the middle may hold: no character, and no tokenizer takes it."""

LONGEST = 512  # tokens, where neither tokenizer nor model names a bound
_NO_BOUND = 100_000  # tokenizers say 10**30 for "none"
INPUTS = ("input_ids", "attention_mask", "token_type_ids")
"""What a network takes of texts, by the names that transformers gives it."""
_KNOWN_TEXTS, _KNOWN_IN_ALL = 4_096, 4_000_000  # and characters of them all: some hundred bytes a token
_KNOWN_CHARACTERS = 16_384  # a longer text is not remembered: the tokens that were cut off would be, too


class TextTokens:
    """The tokens of texts and pairs. What runs the model inherits from it, and says how the tokenizer is loaded.

    Args:
        name: of the model, for messages.
        longest: tokens of an input that are read; `None`: all that the model takes.
    """

    config: Mapping[str, Any]
    budget: int  # tokens per batch

    def __init__(self, name: str, longest: int | None) -> None:
        self.name = name
        self.work = Workload()
        self.wanted_longest = longest
        self._known: OrderedDict[str, Encoding] = OrderedDict()
        self._known_characters = 0
        renewed(self)

    def renew_locks(self) -> None:
        """Make new locks."""
        self._lock = threading.RLock()  # one forward pass at a time: two would share the same cores
        self._text_lock = threading.Lock()

    def load(self) -> None:
        """Load now what would be loaded at first use."""
        _ = self._loaded

    @property
    def _loaded(self) -> tuple[Any, Tokenizer]:
        """What computes, and the tokenizer as `_prepared` made it."""
        return fork_safe(self._load_once)

    def _load_once(self) -> tuple[Any, Tokenizer]:
        with self._lock:
            return self._load

    @cached_property
    def _load(self) -> tuple[Any, Tokenizer]:
        raise NotImplementedError

    def _longest(self, advised: int, *, causal: bool = False) -> int:
        """Tokens of an input that are read: as many as wanted, else as many as the tokenizer advises and the model takes."""
        bound = min(advised, positions(self.config, causal=causal))
        longest = self.wanted_longest or (bound if bound < _NO_BOUND else LONGEST)
        if bound < min(longest, _NO_BOUND):
            raise ConfigError(f"expected at most {bound} tokens for {self.name!r}, got longest={longest!r}")
        return longest

    def _prepared(self, tokenizer: Tokenizer, special: Mapping[str, Any], longest: int) -> Tokenizer:
        """The tokenizer, bounded; its special tokens are remembered by the names that the model gives them."""
        self._marks = {
            name: tokenizer.encode(token, add_special_tokens=False)
            for name, token in special.items()
            if isinstance(token, str)
        }
        tokenizer.encode_special_tokens = True  # a "[SEP]" that a text spells out is text, and ends nothing
        tokenizer.no_padding()
        tokenizer.enable_truncation(longest, strategy="longest_first")
        return tokenizer

    @cached_property
    def tokenizer(self) -> Tokenizer:
        """The fast tokenizer, bounded to the longest input."""
        return self._loaded[1]

    def tokens(self, text: str) -> Encoding:
        """The tokens of a text without special ones, computed once (as long as it is remembered).

        Half a character is read as the sign for "no character".
        """
        with self._text_lock:
            known = self._known.get(text)
            if known is not None:
                self._known.move_to_end(text)
                return known
        found = self.tokenizer.encode(HALF.sub("\ufffd", text), add_special_tokens=False)
        if len(text) > _KNOWN_CHARACTERS:
            return found
        with self._text_lock:
            if text not in self._known:
                self._known_characters += len(text)
            self._known[text] = found
            while len(self._known) > _KNOWN_TEXTS or self._known_characters > _KNOWN_IN_ALL:
                oldest, _ = self._known.popitem(last=False)
                self._known_characters -= len(oldest)
        return found

    def special(self, name: str) -> Encoding | None:
        """A special token as the tokenizer calls it ("sep_token", say), alone; `None` if it has none."""
        _ = self._loaded
        return self._marks.get(name)

    def run(self, inputs: Sequence[Encoding], *, budget: int | None = None) -> list[Array | None]:
        """What the model says of each input, in order: logits of a classifier, or a matrix tokens x dimensions.

        `None` for an input that does not fit into the device's memory even alone.
        """
        return fork_safe(lambda: self._run(inputs, budget or self.budget))

    def _run(self, inputs: Sequence[Encoding], budget: int) -> list[Array | None]:
        raise NotImplementedError

    def asked(self, requests: int) -> None:
        """Count requests."""
        with self._text_lock:
            self.work.requests += requests

    def input(self, first: str, second: str | None = None) -> Encoding:
        """One input of the model: a text or a pair with the special tokens, cut to what the model takes."""
        one = self.tokens(first)
        other = None if second is None else self.tokens(second)
        whole = self.tokenizer.post_process(one, other)
        if whole.overflowing or one.overflowing or (other is not None and other.overflowing):
            self.count_truncated()
        return whole

    def count_truncated(self) -> None:
        """Count an input that lost its end, and say so the first time."""
        with self._text_lock:
            first_time, self.work.truncated = not self.work.truncated, self.work.truncated + 1
        if first_time:
            log.warning("truncated", model=self.name, longest=self.longest, note="only the beginning is read")

    def _count(self, plan: Batches, seconds: float) -> None:
        """Count the batches that were computed."""
        with self._text_lock:
            self.work.texts += sum(map(len, plan.groups))
            self.work.batches += len(plan.groups)
            self.work.tokens += plan.tokens
            self.work.slots += plan.slots
            self.work.seconds += seconds

    @property
    def longest(self) -> int:
        """Tokens of an input that are read."""
        return int((self.tokenizer.truncation or {})["max_length"])


def must_be_installed(*libraries: str, extra: str) -> None:
    """Refuse to go on without a library; nothing is imported to find out."""
    for library in libraries:
        if importlib.util.find_spec(library) is None:
            raise MissingExtra(library, extra=extra)


def must_be_sizes(**sizes: int | None) -> None:
    """Refuse a number of tokens below 1."""
    for option, value in sizes.items():
        if value is not None:
            number(option, value, least=1, whole=True)


def padded(rows: Sequence[Sequence[int]], filler: int = 0) -> NDArray[np.int64]:
    """Rows x the longest of them, filled up on the right."""
    found = np.full((len(rows), max(map(len, rows))), filler, np.int64)
    for place, row in zip(found, rows, strict=True):
        place[: len(row)] = row
    return found


def network_inputs(inputs: Sequence[Encoding], filler: int) -> dict[str, NDArray[np.int64]]:
    """`INPUTS` of one batch, inputs x tokens."""
    marks = [[1] * len(one) for one in inputs]
    columns = ([one.ids for one in inputs], filler), (marks, 0), ([one.type_ids for one in inputs], 0)
    return {name: padded(*column) for name, column in zip(INPUTS, columns, strict=True)}


def positions(config: Mapping[str, Any], *, causal: bool) -> int:
    """How many positions the model has: those of RoBERTa and its kin begin behind the padding's."""
    given = config.get("max_position_embeddings")
    if given is None and causal:  # GPT-2; T5 names a number too, and is not bound by it
        given = config.get("n_positions")
    if not isinstance(given, int) or given < 1:
        return _NO_BOUND
    kin = ("roberta", "camembert", "xmod", "longformer", "mpnet")
    behind = any(name in str(config.get("model_type", "")) for name in kin)
    return given - (int(config.get("pad_token_id") or 0) + 1 if behind else 0)
