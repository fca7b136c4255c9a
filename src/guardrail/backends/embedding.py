"""One vector per text by a sentence encoder on this machine: the mean of its token vectors."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from guardrail.backends._held import HeldEncoder
from guardrail.backends._local import Device, LocalBackend, LocalModel, Precision, apportion, paid_once
from guardrail.backends.weights import MINILM
from guardrail.engine.flow import Answer, Cost, Failed, Reason, Reply
from guardrail.errors import ConfigError
from guardrail.requests import Embed, Vector


def mean_pooled(tokens: NDArray[np.floating], *, normalise: bool = True) -> NDArray[np.float64] | None:
    """The mean of a text's token vectors, special tokens included.

    Args:
        tokens: tokens x dimensions.
        normalise: scale it to length 1.

    Returns:
        One vector; `None` of no tokens, of what is not finite, or of a mean of length 0 that is to be scaled.

    Example:
        >>> mean_pooled(np.array([[1.0, 0.0], [5.0, 8.0]])).tolist()
        [0.6, 0.8]
    """
    if not len(tokens):
        return None
    mean: NDArray[np.float64] = tokens.mean(axis=0, dtype=np.float64)
    size = float(np.linalg.norm(mean))
    if not np.isfinite(size) or (normalise and size == 0):
        return None
    return np.divide(mean, size) if normalise else mean


class Embedder(LocalBackend[Embed]):
    """A sentence encoder on this machine, all-MiniLM-L6-v2 by default.

    Args:
        model: the packaged encoder, a folder, a name that is looked for in `$GUARDRAIL_MODELS`, or a SentenceTransformer that you
            have loaded (with any of its backends).
        normalise: scale vectors to length 1, so that their product is the cosine.
        device: "auto" takes a GPU if there is one; else "cpu", "cuda", "cuda:1".
        precision: "fp32", "bf16" or "int8", as for `EntailmentModel`.
        budget: tokens per batch.
        longest: tokens of a text that are read; by default as many as the model was made for. What is longer
            loses its end: logged once, counted in `work.truncated`.

    Raises:
        MissingExtra: torch, transformers or the packaged encoder is not installed.
        WeightsMissing: no such model here; the message has the command that fetches it.
        ConfigError: pickled weights, a folder whose model pools in another way (load it with sentence-transformers), no such device.
    """

    batch = 256

    def __init__(
        self,
        model: Any = MINILM,
        *,
        normalise: bool = True,
        device: Device = "auto",
        precision: Precision = "fp32",
        budget: int | None = None,
        longest: int | None = None,
    ) -> None:
        self.normalise = normalise
        self._model: LocalModel | HeldEncoder
        if not isinstance(model, str | Path):
            if (device, precision) != ("auto", "fp32"):
                raise ConfigError(
                    f"expected no device= or precision= with a {type(model).__name__}, which has its own, got {device!r}, {precision!r}"
                )
            self._model = HeldEncoder(model, budget=budget, longest=longest)
            return
        self._model = LocalModel(
            model, kind="encoder", device=device, precision=precision, budget=budget, longest=longest
        )
        _must_be_mean(self._model.folder)
        if longest is None:
            self._model.wanted_longest = _made_for(self._model.folder)

    @cached_property
    def fingerprint(self) -> str:
        """The weights, by content, and whether vectors are scaled."""
        return f"embedding:{self._model.digest}:{'unit' if self.normalise else 'mean'}"

    def answer(self, requests: Sequence[Embed]) -> list[Reply[Vector]]:
        """One vector per text, in order; equal texts are encoded once."""
        self._model.asked(len(requests))
        found: dict[str, Reply[Vector]] = {}
        ready = {}
        for text in dict.fromkeys(request.text for request in requests):
            if not text.strip() or not len(self._model.tokens(text)):
                found[text] = Failed(Reason.REFUSED, "the text has no words")
            else:
                ready[text] = self._model.input(text)
        started = time.perf_counter()
        matrices = self._model.run(list(ready.values()))
        costs = apportion(time.perf_counter() - started, [len(one) for one in ready.values()])
        for text, matrix, seconds in zip(ready, matrices, costs, strict=True):
            rows = (
                None if matrix is None else np.atleast_2d(matrix)
            )  # tokens, or the one vector of a SentenceTransformer
            vector = None if rows is None else mean_pooled(rows, normalise=self.normalise)
            if vector is None:
                found[text] = Failed(Reason.BACKEND, "the model gave no vector", cost=Cost(seconds=seconds))
            else:
                found[text] = Answer(tuple(vector.tolist()), Cost(seconds=seconds))
        return paid_once([request.text for request in requests], found)


def _must_be_mean(folder: Path) -> None:
    path = folder / "1_Pooling" / "config.json"
    if not path.is_file():
        return
    modes = json.loads(path.read_text(encoding="utf-8"))
    wanted = [name for name, value in modes.items() if name.startswith("pooling_mode") and value is True]
    if isinstance(modes.get("pooling_mode"), str):  # sentence-transformers 6 writes "mean", not flags
        wanted = [modes["pooling_mode"]]
    if wanted not in ([], ["mean"], ["pooling_mode_mean_tokens"]):
        raise ConfigError(
            f"expected a model that takes the mean of its tokens, got {wanted!r} in {str(path)!r}: load it yourself, and give "
            "Embedder(SentenceTransformer(…))"
        )


def _made_for(folder: Path) -> int | None:
    path = folder / "sentence_bert_config.json"
    if not path.is_file():
        return None
    longest = json.loads(path.read_text(encoding="utf-8")).get("max_seq_length")
    return longest if isinstance(longest, int) else None
