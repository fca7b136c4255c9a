"""The published algorithm as one would run it: Algorithms 1 and 2 of [jesson2024], with the usual care.

Keys and values are kept while a text grows, and the K draws of one distribution come from one pass. Contexts are read again
for every imagined pair, and for every query of every imagined context. One thing is better than Algorithm 2 says: the responses
of p(·|x, D) and the log-probabilities of all responses under D come from the same pass over D.
"""

from __future__ import annotations

import copy
import inspect
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from guardrail.backends.language_model.drawing import draw_outcome, nucleus
from guardrail.engine.draws import generator
from guardrail.phr import Form, Settings
from guardrail.phr.estimators import rate
from guardrail.phr.pairs import END
from guardrail.report import Example
from guardrail.requests import Sample

__all__ = ["Loose", "Published", "Ran"]

Floats: TypeAlias = NDArray[np.float64]


class Loose(Form):
    """Reads any text as a pair: its last word is the label. For models that cannot write one."""

    def read(self, text: str) -> Example | None:
        """Never `None`."""
        words = "".join(c if c.isprintable() else " " for c in text).split()
        return Example(input=" ".join(words[:-1]) or "none", label=words[-1] if words else "none")


@dataclass(slots=True)
class Ran:
    """What one run found.

    Attributes:
        rates: PHR per query.
        pairs: the imagined ones per context.
        shares: p(·|x, D) by context and query, as texts.
    """

    rates: list[float] = field(default_factory=list)
    pairs: list[list[Example]] = field(default_factory=list)
    shares: dict[tuple[str, str], Floats] = field(default_factory=dict)


class Published:
    """The model, read by transformers alone.

    Args:
        folder: where it is.
        device: "cpu" or "cuda".
        kind: torch's name of the numbers that it computes with.
        seed: of all draws.
    """

    def __init__(self, folder: Path, *, device: str, kind: str, seed: int) -> None:
        import torch
        import transformers

        self._reader = transformers.AutoTokenizer.from_pretrained(
            str(folder), local_files_only=True
        ).backend_tokenizer
        self._network = (
            transformers.AutoModelForCausalLM.from_pretrained(
                str(folder), local_files_only=True, dtype=getattr(torch, kind)
            )
            .eval()
            .to(device)
        )
        names = inspect.signature(self._network.forward).parameters
        self._past = "cache" if "cache" in names else "past_key_values"  # transformers 5.24, and before
        self._end = int(self._network.config.eos_token_id)
        self._device = device
        self._seed = seed
        self.tokens = 0

    def run(self, pairs: Sequence[Example], queries: Sequence[str], settings: Settings, form: Form) -> Ran:
        """PHR of every query, from drawn responses of one token."""
        import torch

        found = Ran()
        rates: list[list[float]] = []
        with torch.inference_mode():
            for number in range(settings.contexts):
                imagined = self._imagine(form.context(pairs), number, settings, form)
                found.pairs.append(imagined)
                start, whole = form.context(pairs), form.context([*pairs, *imagined])
                rates.append([])
                for query in map(form.query, queries):
                    under, past = self._read(whole + query)
                    given, _ = self._read(start + query)
                    found.shares[whole, query] = under
                    own = self._respond(whole + query, under, 2 * number * settings.draws, settings.draws)
                    others = self._respond(
                        start + query, given, 2 * number * settings.draws + 1, settings.draws
                    )
                    scores = {text: self._score(form.response(text), under, past) for text in {*own, *others}}
                    likely, responses = (np.array([scores[text] for text in part]) for part in (own, others))
                    rates[-1].append(float(rate(likely, responses, settings.epsilon)))
        found.rates = np.mean(rates, axis=0).tolist()
        return found

    def draw(self, request: Sample) -> str:
        """One continuation."""
        import torch

        with torch.inference_mode():
            return self._draw(request)

    def _imagine(self, context: str, number: int, settings: Settings, form: Form) -> list[Example]:
        pairs: list[Example] = []
        for _ in range(settings.horizon):
            request = Sample(
                context,
                draw=number * (settings.retries + 1),
                max_tokens=settings.max_tokens,
                stop=(END,),
                top_p=settings.top_p,
            )
            pair = form.read(self._draw(request))
            if pair is None:
                raise ValueError("expected a form that reads any text as a pair")
            pairs.append(pair)
            context += form.pair(pair)
        return pairs

    def _draw(self, request: Sample) -> str:
        random = generator(request, self._seed)
        shares, past = self._read(request.context)
        tokens: list[int] = []
        while True:
            token = draw_outcome(nucleus(shares, request.top_p), random)
            if token == self._end:
                return self._text(tokens)
            tokens.append(token)
            text = self._text(tokens)
            if any(stop in text for stop in request.stop) or len(tokens) == request.max_tokens:
                return text
            shares, past = self._pass([token], past)

    def _respond(self, text: str, shares: Floats, first: int, size: int) -> list[str]:
        """K responses of one token from one distribution, without empty ones; their numbers go up by two."""
        found = []
        for k in range(size):
            request = Sample(text, first + 2 * k, max_tokens=1, stop=("\n",))
            token = draw_outcome(shares, generator(request, self._seed))
            found.append(Form().read_response("" if token == self._end else self._text([token])))
        return [text for text in found if text]

    def _score(self, text: str, shares: Floats, past: Any) -> float:
        """The mean log-probability of a label's tokens; nearly always there is one."""
        tokens = self._reader.encode(text, add_special_tokens=False).ids
        logs = [float(np.log(shares[tokens[0]]))]
        if len(tokens) > 1:
            past = copy.deepcopy(past)
            for before, token in pairwise(tokens):
                shares, past = self._pass([before], past)
                logs.append(float(np.log(shares[token])))
        return float(np.mean(logs))

    def _read(self, context: str) -> tuple[Floats, Any]:
        return self._pass([self._end, *self._reader.encode(context, add_special_tokens=False).ids], None)

    def _pass(self, ids: Sequence[int], past: Any) -> tuple[Floats, Any]:
        import torch

        self.tokens += len(ids)
        output = self._network(
            input_ids=torch.tensor([ids], device=self._device),
            use_cache=True,
            logits_to_keep=1,
            **{self._past: past},
        )
        shares: Floats = output.logits[0, -1].double().softmax(-1).cpu().numpy()
        return shares, output[self._past]

    def _text(self, tokens: Sequence[int]) -> str:
        return str(self._reader.decode(list(tokens), skip_special_tokens=False))
