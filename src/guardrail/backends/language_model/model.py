"""`CausalModel`: the backend."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from guardrail.backends._local import Device, LocalBackend, Precision, apportion, paid_once
from guardrail.backends._texts import HALF
from guardrail.backends.batching import CHARACTERS_PER_TOKEN
from guardrail.backends.language_model._continuing import (
    LONGEST,
    NO_NUMBERS,
    Draw,
    Scored,
    Spread,
    draw,
    next_token_outcomes,
    score,
)
from guardrail.backends.language_model._engine import PrefixEngine
from guardrail.backends.language_model._network import Causal
from guardrail.backends.language_model.scoring import Window, scoring_windows, spelling
from guardrail.engine.flow import Answer, Cost, Failed, Reason, Reply, Request
from guardrail.errors import ConfigError
from guardrail.requests import Distribution, LogProb, Sample, ScoreTokens, TokenLogprob

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from tokenizers import Encoding

    Table: TypeAlias = NDArray[np.float32]

MEMORY = {"cpu": 2**31, "cuda": 2**33}
"""Bytes of keys and values that are kept where no bound is given."""

_CAPACITY = 8  # batches that a lane hands over at once, so that they can be sorted
_HALF = "the text contains half a character (a lone surrogate)"
_NOTHING = "nothing comes before the first token, and the model has no token for the beginning of a text: give a context"


class CausalModel(LocalBackend[Request[Any]]):
    """A causal language model on this machine; answers `ScoreTokens`, `LogProb`, `Sample` and `Distribution`.

    **Tokens.** A request's context is tokenised as one text (of a `Distribution`: context and query together), and what
    continues it (the scored text, a label, what is drawn) for itself, so between them there always is a border of
    tokens. Most vocabularies have a word's leading blank in its token: put a blank between context and text at the
    beginning of the text. Before the context comes the model's token for the beginning of a text (where it has none:
    for the end), unless there is neither. Special tokens that a text spells out are text.

    **Scores.** Texts longer than the window are read in windows that overlap: each further one scores `stride` tokens,
    so every token is scored once, after its whole left context or after at least window − stride tokens of it.
    Logits are computed for a part of the tokens at a time, and only for those that are scored.

    **Draws.** Random numbers belong to the request and the seed alone (`draws.generator`), so what is drawn at the same time does
    not matter, up to rounding where two tokens are about to win (`drawing`): very seldom in 32 bits, in 16 it is seen.
    A reply ends with the first stop, or before a token that ends a text; what the last token has after the stop
    is cut off. What is cut in the middle of a character ends with the replacement character. Special tokens that
    end nothing have no text. Contexts that are longer than the window are refused, never cut, and so is a draw that
    fills it.

    **Distributions** are those of the whole next token, named by the vocabulary's own pieces.

    **Shared beginnings.** What the model computes of a text (keys, values, hidden states) is kept, and serves every text that
    begins with the same tokens: contexts that branch from one, queries behind one context, many draws from one
    distribution. What was not used the longest is forgotten first, `release()` forgets all. Draws that go on alike
    are computed once, and the others of one context share it while they grow. Models whose states cannot be shared
    (windows that slide within `window`, state spaces; it is tried on a few tokens) read every text from its beginning, for every token that is
    drawn.

    Args:
        model: a folder, or a name that is looked for in `$GUARDRAIL_MODELS` (see `weights.places`).
        device: "auto" takes a GPU if there is one; else "cpu", "cuda", "cuda:1".
        precision: "fp32", "bf16" or "int8" (processors only), as for `EntailmentModel`. In 8 bits are
            `torch.nn.Linear` layers alone: of GPT-2, only the last.
        budget: tokens per batch.
        window: tokens that are read at once; by default what the model takes, at most 4,096.
        stride: tokens that a further window scores; by default half a window. Smaller: more context, more time.
        seed: of all draws.
        memory: bytes of keys and values that are kept between calls; about as many again are used during one, more where
            a single text takes more. By default 2 GiB, on a GPU 8. With 0 nothing is shared.

    Raises:
        MissingExtra: torch or transformers is not installed.
        WeightsMissing: no such model here; the message has the command that fetches it.
        ConfigError: pickled weights, no such device, a window that is longer than the model takes.
    """

    _model: Causal

    def __init__(
        self,
        model: str | Path,
        *,
        device: Device = "auto",
        precision: Precision = "fp32",
        budget: int | None = None,
        window: int | None = None,
        stride: int | None = None,
        seed: int = 0,
        memory: int | None = None,
    ) -> None:
        for name, value in (("window", window), ("stride", stride)):
            if value is not None and value < 1:
                raise ConfigError(f"expected {name} to be None or 1 or more, got {value!r}")
        if memory is not None and memory < 0:
            raise ConfigError(f"expected memory to be None or 0 bytes or more, got {memory!r}")
        if window is not None and stride is not None and stride > window:
            raise ConfigError(f"expected a stride of at most {window} (the window), got {stride!r}")
        self._model = Causal(
            model, kind="causal", device=device, precision=precision, budget=budget, longest=window
        )
        self._stride = stride
        self.seed = seed
        self._engine = PrefixEngine(
            self._model, MEMORY[self._model.device.partition(":")[0]] if memory is None else memory
        )
        self.batch = 256 if self._model.device == "cpu" else 1_024
        self.capacity = _CAPACITY * self._model.budget
        self._texts: dict[int, str] = {}

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
        """The weights, by content, how long texts are cut, and the seed of draws."""
        return f"language_model:{self._model.digest}:{self._stride or ''}:{self.seed}"

    def weight(self, request: Request[Any]) -> int:
        """About how many tokens."""
        if isinstance(request, ScoreTokens):
            return 1 + (len(request.context) + len(request.text)) // CHARACTERS_PER_TOKEN
        if isinstance(request, LogProb):
            own = len(request.continuation)
        elif isinstance(request, Distribution):
            own = len(request.query)
        elif isinstance(request, Sample):
            own = CHARACTERS_PER_TOKEN * (LONGEST if request.max_tokens is None else request.max_tokens)
        else:
            return 1
        whole = self._engine.store.limit == 0  # else what stands before is shared, as a rule
        return 1 + (own + whole * len(request.context)) // CHARACTERS_PER_TOKEN

    def release(self) -> None:
        """Forget what was computed of texts; the bound on it is `memory`."""
        self._engine.release()

    def answer(self, requests: Sequence[Request[Any]]) -> list[Reply[Any]]:
        """One reply per request, in order; of equal ones the first bears the cost."""
        self._model.asked(len(requests))
        found: dict[Request[Any], Reply[Any]] = {}
        windowed: dict[Request[Any], list[Window]] = {}
        texts: dict[Request[Any], Draw | Scored | Spread] = {}
        paths: dict[str, tuple[int, ...] | Failed] = {}
        for request in dict.fromkeys(requests):
            plan = self._plan(request, paths)
            if isinstance(plan, Failed):
                found[request] = plan
            elif isinstance(plan, list):
                windowed[request] = plan
            else:
                texts[request] = plan
        found |= self._read(windowed)
        for kind, work in ((Spread, next_token_outcomes), (Scored, score), (Draw, draw)):
            found |= self._share({one: plan for one, plan in texts.items() if isinstance(plan, kind)}, work)
        return paid_once(requests, found)

    # -- plans

    def _plan(
        self, request: Request[Any], paths: dict[str, tuple[int, ...] | Failed]
    ) -> list[Window] | Draw | Scored | Spread | Failed:
        if isinstance(request, Sample | Distribution):
            text = request.context + (request.query if isinstance(request, Distribution) else "")
            path = paths.get(text) or self._path(text)
            paths[text] = path
            if isinstance(path, Failed):
                return path
            if isinstance(request, Distribution):
                return Spread(path, request)
            if (fault := _fault(request)) is not None:
                return Failed(Reason.REFUSED, fault)
            return Draw(request, path, self.window + 1 - len(path), self.seed)
        if isinstance(request, ScoreTokens):
            return self._windows(request.context, request.text, max(0, request.top))
        if isinstance(request, LogProb):
            plan = self._windows(request.context, request.continuation, 0)
            if isinstance(plan, Failed) or len(plan) > 1 or not self._engine.shares:
                return plan
            return Scored(tuple(plan[0].ids), tuple(plan[0].targets))
        return Failed(
            Reason.MISSING,
            f"CausalModel answers ScoreTokens, LogProb, Sample and Distribution, not {type(request).__name__}",
        )

    def _path(self, text: str) -> tuple[int, ...] | Failed:
        """The tokens of a context, which has to fit into the window."""
        if HALF.search(text):
            return Failed(Reason.REFUSED, _HALF)
        begin = self._model.begin
        path = (*([] if begin is None else [begin]), *self._model.tokens(text).ids)
        if not path:
            return Failed(Reason.REFUSED, _NOTHING)
        if len(path) > self.window:
            return Failed(
                Reason.REFUSED,
                f"the context has {len(path)} tokens and the window {self.window}: give a shorter one (fewer "
                "examples), or a larger window if the model takes one",
            )
        return path

    def _windows(self, context: str, text: str, top: int) -> list[Window] | Failed:
        if HALF.search(context) or HALF.search(text):
            return Failed(Reason.REFUSED, _HALF)
        before, scored = self._model.tokens(context).ids, self._behind(context, text)[0]
        if not scored:
            return Failed(Reason.REFUSED, "the text has no tokens")
        begin = self._model.begin
        if begin is None and not before:
            return Failed(Reason.REFUSED, _NOTHING)
        prefix = [] if begin is None else [begin]
        whole = [*before, *scored]
        cuts = scoring_windows(
            len(before), len(scored), longest=self.window, stride=self.stride, begun=begin is not None
        )
        return [
            Window(
                [*prefix, *whole[start : end - 1]],
                len(prefix) + first - start - 1,
                whole[first:end],
                top,
            )
            for start, first, end in cuts
        ]

    def _behind(self, context: str, text: str) -> tuple[list[int], list[tuple[int, int]]]:
        if context:
            return self._model.continued(text)
        found = self._model.tokens(text)
        return found.ids, found.offsets

    # -- replies

    def _read(self, plans: Mapping[Request[Any], list[Window]]) -> dict[Request[Any], Reply[Any]]:
        started = time.perf_counter()
        passes = [window for plan in plans.values() for window in plan]
        tables = iter(self._model.run(cast("list[Encoding]", passes)))
        sizes = [sum(map(len, plan)) for plan in plans.values()]
        costs = apportion(time.perf_counter() - started, sizes)
        return {
            request: self._scored(request, [next(tables) for _ in plan], Cost(seconds=seconds))
            for (request, plan), seconds in zip(plans.items(), costs, strict=True)
        }

    def _share(self, plans: Mapping[Request[Any], Any], work: Any) -> dict[Request[Any], Reply[Any]]:
        """Answer requests of one kind, whose texts may share their beginnings."""
        if not plans:
            return {}
        started = time.perf_counter()
        asked = list(plans.items())
        replies: list[Reply[Any]] = [
            Failed(Reason.BACKEND, "the text does not fit into the device's memory: give a shorter one")
        ] * len(asked)

        def part(texts: Any, chosen: Sequence[int]) -> None:
            for i, reply in zip(chosen, work(self._model, texts, [asked[i][1] for i in chosen]), strict=True):
                replies[i] = reply

        draws = [plan.growth for _, plan in asked if isinstance(plan, Draw)]
        self._engine.run([plan.path for _, plan in asked], part, growth=draws or None)
        costs = apportion(time.perf_counter() - started, [len(plan.path) for _, plan in asked])
        return {
            request: replace(reply, cost=Cost(seconds=seconds))
            for (request, _), reply, seconds in zip(asked, replies, costs, strict=True)
        }

    def _scored(self, request: Request[Any], parts: Sequence[Table | None], cost: Cost) -> Reply[Any]:
        import numpy as np

        if any(part is None for part in parts):
            return Failed(
                Reason.BACKEND,
                f"a window of {self.window} tokens does not fit into the device's memory: give a smaller one",
                cost=cost,
            )
        table = np.concatenate([part for part in parts if part is not None])
        if not np.isfinite(table[:, :2]).all():
            return Failed(Reason.BACKEND, NO_NUMBERS, cost=cost)
        if isinstance(request, ScoreTokens):
            return Answer(self._told(request, table), cost)
        return Answer(math.fsum(table[:, 0].tolist()) / len(table), cost)

    def _told(self, request: ScoreTokens, table: Table) -> tuple[TokenLogprob, ...]:
        texts = spelling(request.text, self._behind(request.context, request.text)[1])
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
            known = self._texts[token] = self._model.written([token], marks=True)
        return known


def _fault(request: Sample) -> str | None:
    """What no reply can be drawn for."""
    if not (math.isfinite(request.temperature) and request.temperature >= 0):
        return f"expected a temperature of 0 or more, got {request.temperature!r}"
    if not 0 < request.top_p <= 1:
        return f"expected top_p above 0 and at most 1, got {request.top_p!r}"
    if request.max_tokens is not None and request.max_tokens < 1:
        return f"expected max_tokens to be None or 1 or more, got {request.max_tokens!r}"
    return None
