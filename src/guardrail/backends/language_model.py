"""A causal language model on this machine: how likely does it find each token of a text?"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from guardrail.backends import Backend
from guardrail.backends._local import HALF, Device, LocalModel, Precision, apportion
from guardrail.backends.batching import Work
from guardrail.errors import ConfigError
from guardrail.flow import Answer, Cost, Failed, Reason, Reply, Request
from guardrail.requests import LogProb, ScoreTokens, TokenLogprob

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from tokenizers import Encoding, Tokenizer

    Table: TypeAlias = NDArray[np.float32]

__all__ = ["CausalModel", "spelling", "windows"]

_WINDOW = 4_096  # tokens, unless the model takes fewer: attention grows with their square
_CAPACITY = 8  # batches that a lane hands over at once, so that they can be sorted
_CHARACTERS_PER_TOKEN = 4  # of English
_CELLS = {"cpu": 2**22, "cuda": 2**26}  # tokens x vocabulary whose logits are computed at once; 4 bytes each
_PROBE = 8  # tokens on which the way to the logits is tried
_ANCHOR = "a"  # a token in front, so that a decoder keeps the next one's leading blank


def windows(
    context: int, text: int, *, longest: int, stride: int, begun: bool = True
) -> list[tuple[int, int, int]]:
    """How a text that may be longer than what the model takes is cut into passes.

    Args:
        context: tokens before the text.
        text: tokens that are to be scored, each once.
        longest: tokens that the model reads at once.
        stride: tokens that each further window scores, 1 to `longest`.
        begun: whether each window starts with a token for the beginning of a text.

    Returns:
        Triples (start, first, end) of positions in context and text together: tokens first..end are scored, each
        after all those from start on. A token has its whole left context, or at least longest − stride tokens.

    Example:
        >>> windows(2, 5, longest=8, stride=4)
        [(0, 2, 7)]
        >>> windows(2, 20, longest=8, stride=4)
        [(0, 2, 8), (4, 8, 12), (8, 12, 16), (12, 16, 20), (14, 20, 22)]
    """
    whole = context + text
    reach = longest if begun else longest + 1  # the last token is only predicted, never read
    found = []
    first = context
    while first < whole:
        end = min(whole, max(reach, first + stride))
        found.append((max(0, end - reach), first, end))
        first = end
    return found


def spelling(text: str, offsets: Sequence[tuple[int, int]]) -> list[str]:
    """The text of each token; strung together they are the text.

    What lies between tokens (blanks that a tokenizer strips, characters that it drops) goes to the token behind,
    at the end to the last. Of several tokens that share a character the first has it, the others are empty.

    Example:
        >>> spelling("a 😀 b", [(0, 1), (2, 3), (2, 3), (4, 5)])
        ['a', ' 😀', '', ' b']
    """
    found = []
    done = 0
    for i, (_, offset) in enumerate(offsets):
        end = len(text) if i == len(offsets) - 1 else max(done, offset)
        found.append(text[done:end])
        done = end
    return found


@dataclass(frozen=True, slots=True)
class _Window:
    """One pass: what is read, and whose probabilities are wanted from output `first` on."""

    ids: Sequence[int]
    first: int
    targets: Sequence[int]
    top: int

    def __len__(self) -> int:
        return len(self.ids)


class CausalModel(Backend[Request[Any]]):
    """A causal language model on this machine; answers `ScoreTokens` and `LogProb`.

    Context and text are tokenised each for itself, so between them there always is a border of tokens. Most
    vocabularies have a word's leading blank in its token: put a blank between context and text at the beginning of
    the text. Before the context stands the model's token for the beginning of a text (where it has none: for the
    end), unless there is neither. Special tokens that a text spells out are text.

    Texts longer than the window are read in windows that overlap: each further one scores `stride` tokens, so every
    token is scored once, after its whole left context or after at least window − stride tokens of it.
    Logits are computed for a part of the tokens at a time, and only for those that are scored.

    Args:
        model: a folder, or a name that is looked for in `$GUARDRAIL_MODELS` (see `weights.places`).
        device: "auto" takes a GPU if there is one; else "cpu", "cuda", "cuda:1".
        precision: "fp32", "bf16" or "int8" (processors only), as for `EntailmentModel`. In 8 bits are
            `torch.nn.Linear` layers alone: of GPT-2, only the last.
        budget: tokens per batch.
        window: tokens that are read at once; by default what the model takes, at most 4,096.
        stride: tokens that a further window scores; by default half a window. Smaller: more context, more time.

    Raises:
        MissingExtra: torch or transformers is not installed.
        WeightsMissing: no such model here; the message holds the command that fetches it.
        ConfigError: pickled weights, no such device, a window that is longer than the model takes.
    """

    def __init__(
        self,
        model: str | Path,
        *,
        device: Device = "auto",
        precision: Precision = "fp32",
        budget: int | None = None,
        window: int | None = None,
        stride: int | None = None,
    ) -> None:
        for name, value in (("window", window), ("stride", stride)):
            if value is not None and value < 1:
                raise ConfigError(f"expected {name} to be None or 1 or more, got {value!r}")
        if window is not None and stride is not None and stride > window:
            raise ConfigError(f"expected a stride of at most {window} (the window), got {stride!r}")
        self._model = _Causal(
            model, kind="causal", device=device, precision=precision, budget=budget, longest=window
        )
        self._stride = stride
        self.batch = 64 if self._model.device == "cpu" else 1_024
        self.capacity = _CAPACITY * self._model.budget
        self._texts: dict[int, str] = {}

    @property
    def work(self) -> Work:
        """What it has done so far; a window counts as a text."""
        return self._model.work

    @property
    def window(self) -> int:
        """Tokens that are read at once; loads the model."""
        return self._model.window

    @property
    def stride(self) -> int:
        """Tokens that a further window scores; loads the model."""
        return min(self.window, self._stride or max(1, self.window // 2))

    @cached_property
    def fingerprint(self) -> str:
        """The weights, by content, and how long texts are cut."""
        return f"language_model:{self._model.digest}:{self._stride or ''}"

    def weight(self, request: Request[Any]) -> int:
        """About how many tokens."""
        if isinstance(request, ScoreTokens):
            return 1 + (len(request.context) + len(request.text)) // _CHARACTERS_PER_TOKEN
        if isinstance(request, LogProb):
            return 1 + (len(request.context) + len(request.continuation)) // _CHARACTERS_PER_TOKEN
        return 1

    def load(self) -> None:
        """Load the weights now; else the first answer does."""
        self._model.load()

    def answer(self, requests: Sequence[Request[Any]]) -> list[Reply[Any]]:
        """One reply per request, in order; of equal ones the first bears the cost."""
        self._model.asked(len(requests))
        found: dict[Request[Any], Reply[Any]] = {}
        ready: dict[Request[Any], list[_Window]] = {}
        for request in dict.fromkeys(requests):
            plan = self._plan(request)
            if isinstance(plan, Failed):
                found[request] = plan
            else:
                ready[request] = plan
        started = time.perf_counter()
        passes = [window for plan in ready.values() for window in plan]
        tables = iter(self._model.run(cast("list[Encoding]", passes)))
        sizes = [sum(map(len, plan)) for plan in ready.values()]
        costs = apportion(time.perf_counter() - started, sizes)
        for (request, plan), seconds in zip(ready.items(), costs, strict=True):
            parts = [next(tables) for _ in plan]
            found[request] = self._reply(request, parts, Cost(seconds=seconds))
        replies = []
        for request in requests:
            replies.append(found[request])
            found[request] = replace(found[request], cost=Cost())  # the first of equal ones bears it
        return replies

    def _plan(self, request: Request[Any]) -> list[_Window] | Failed:
        if isinstance(request, ScoreTokens):
            context, text, top = request.context, request.text, max(0, request.top)
        elif isinstance(request, LogProb):
            context, text, top = request.context, request.continuation, 0
        else:
            return Failed(
                Reason.MISSING, f"CausalModel answers ScoreTokens and LogProb, not {type(request).__name__}"
            )
        if HALF.search(context) or HALF.search(text):
            return Failed(Reason.REFUSED, "the text holds half a character (a lone surrogate)")
        before, scored = self._model.tokens(context).ids, self._model.tokens(text).ids
        if not scored:
            return Failed(Reason.REFUSED, "the text has no tokens")
        begin = self._model.begin
        if begin is None and not before:
            return Failed(
                Reason.REFUSED,
                "nothing comes before the first token, and the model has no token for the beginning of a text: "
                "give a context",
            )
        prefix = [] if begin is None else [begin]
        whole = [*before, *scored]
        cuts = windows(
            len(before), len(scored), longest=self.window, stride=self.stride, begun=begin is not None
        )
        return [
            _Window(
                [*prefix, *whole[start : end - 1]],
                len(prefix) + first - start - 1,
                whole[first:end],
                top,
            )
            for start, first, end in cuts
        ]

    def _reply(self, request: Request[Any], parts: Sequence[Table | None], cost: Cost) -> Reply[Any]:
        import numpy as np

        if any(part is None for part in parts):
            return Failed(
                Reason.BACKEND,
                f"a window of {self.window} tokens does not fit into the device's memory: give a smaller one",
                cost=cost,
            )
        table = np.concatenate([part for part in parts if part is not None])
        if not np.isfinite(table[:, :2]).all():
            return Failed(Reason.BACKEND, "the model gave no numbers (NaN or infinity)", cost=cost)
        if isinstance(request, ScoreTokens):
            return Answer(self._scored(request.text, table), cost)
        return Answer(math.fsum(table[:, 0].tolist()) / len(table), cost)

    def _scored(self, text: str, table: Table) -> tuple[TokenLogprob, ...]:
        texts = spelling(text, self._model.tokens(text).offsets)
        top = (table.shape[1] - 2) // 2
        found = []
        for piece, row in zip(texts, table.tolist(), strict=True):
            others = zip(row[2 : 2 + top], row[2 + top :], strict=True)
            alternatives = tuple((self._text(int(i)), logprob) for i, logprob in others)
            found.append(TokenLogprob(piece, min(0.0, row[0]), alternatives, max(0.0, row[1])))
        return tuple(found)

    def _text(self, token: int) -> str:
        """A token of the vocabulary as text; a part of a character is the replacement character."""
        known = self._texts.get(token)
        if known is None:
            reader = self._model.tokenizer
            anchor = reader.encode(_ANCHOR, add_special_tokens=False).ids
            both = reader.decode([*anchor, token], skip_special_tokens=False)
            known = both[len(reader.decode(anchor, skip_special_tokens=False)) :]
            self._texts[token] = known
        return known


class _Causal(LocalModel):
    """Gives a matrix per window, a row per scored token.

    Columns: log-probability, entropy, then the ids of the likeliest tokens, then their log-probabilities.
    """

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

    def _bounded(self, reader: Any) -> Tokenizer:
        most = min(int(reader.model_max_length), self._positions())
        if self.wanted_longest is not None and self.wanted_longest > most:
            raise ConfigError(
                f"expected a window of at most {most} tokens for {self.name!r}, got {self.wanted_longest!r}"
            )
        found = super()._bounded(reader)
        found.no_truncation()  # nothing is cut off: what is long goes into windows
        self._window = self.wanted_longest or min(_WINDOW, most)
        begin = reader.bos_token_id
        self._begin: int | None = reader.eos_token_id if begin is None else begin
        return found

    def _forward(self, network: Any, inputs: Sequence[Encoding]) -> Iterator[Table]:
        import torch

        given = cast("Sequence[_Window]", inputs)
        width = max(len(one) for one in given)
        ids = torch.full((len(given), width), self._pad, dtype=torch.long)
        mask = torch.zeros_like(ids)
        for row, one in enumerate(given):
            ids[row, : len(one)] = torch.tensor(one.ids)
            mask[row, : len(one)] = 1
        head = self._head
        hidden = _hidden(network, ids.to(self.device), mask.to(self.device))
        parts = [hidden[row, one.first : one.first + len(one.targets)] for row, one in enumerate(given)]
        rows = torch.cat(parts)
        targets = torch.tensor([i for one in given for i in one.targets], device=self.device)
        size = max(1, _CELLS[self.device.partition(":")[0]] // head.vocabulary)
        top = min(head.vocabulary, max(one.top for one in given))
        table = torch.cat(
            [head.read(rows[i : i + size], targets[i : i + size], top) for i in range(0, len(rows), size)]
        )
        found = table.cpu().numpy()
        end = 0
        for one in given:
            start, end = end, end + len(one.targets)
            own = min(top, one.top)
            columns = [*range(2 + own), *range(2 + top, 2 + top + own)]
            yield found[start:end][:, columns]

    @cached_property
    def _head(self) -> _Head:
        """How hidden states become logits, tried on a few tokens against the model's own way.

        The model's own way gives the logits of all tokens at once; and some models change them behind the last layer.
        """
        import torch

        network = self.network
        try:
            head = _Head(network.get_output_embeddings(), self.config)
            ids = torch.arange(_PROBE, device=self.device)[None] % head.vocabulary
            own = network(input_ids=ids, use_cache=False).logits.float()
            ours = head.logits(_hidden(network, ids, torch.ones_like(ids)))
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


class _Head:
    """From hidden states to logits, and from these to what is wanted."""

    def __init__(self, layer: Any, config: Mapping[str, Any]) -> None:
        self.layer = layer
        self.vocabulary = int(layer.out_features)
        self.factor = float(config.get("logit_scale") or 1.0) / float(config.get("logits_scaling") or 1.0)
        self.cap = float(config.get("final_logit_softcapping") or 0.0)

    def logits(self, hidden: Any) -> Any:
        found = self.layer(hidden).float()
        if self.factor != 1.0:
            found = found * self.factor
        return (found / self.cap).tanh() * self.cap if self.cap else found

    def read(self, hidden: Any, targets: Any, top: int) -> Any:
        import torch

        shares = self.logits(hidden).log_softmax(-1)
        best = shares.topk(top)
        own = shares.gather(1, targets[:, None])
        entropy = torch.special.entr(shares.exp()).sum(-1, keepdim=True)
        return torch.cat([own, entropy, best.indices.float(), best.values], 1)


def _hidden(network: Any, ids: Any, mask: Any) -> Any:
    return network.base_model(input_ids=ids, attention_mask=mask, use_cache=False).last_hidden_state
