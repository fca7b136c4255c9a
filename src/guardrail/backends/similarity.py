"""BERTScore by an encoder on this machine: how much of one text has its like in another, token by token.

Source: [zhang2020]. The kernel `similarity` is a pure function of token vectors.
"""

from __future__ import annotations

import math
import time
from collections import Counter, OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from pathlib import Path
from threading import Lock
from types import MappingProxyType
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from guardrail.backends._local import Device, LocalBackend, LocalModel, Precision
from guardrail.backends.batching import TOKENS_AT_ONCE, about_tokens
from guardrail.backends.forking import renewed
from guardrail.backends.weights import MINILM
from guardrail.engine.flow import Answer, Cost, Failed, Reason, Reply
from guardrail.errors import ConfigError
from guardrail.requests import Compare, Similarity

Baseline: TypeAlias = tuple[float, float, float]

LAYERS: Mapping[str, int] = MappingProxyType(
    {
        "bert-base-uncased": 9,
        "bert-large-uncased": 18,
        "bert-base-multilingual-cased": 9,
        "bert-base-chinese": 8,
        "roberta-base": 10,
        "roberta-large": 17,
        "roberta-large-mnli": 19,
        "microsoft/deberta-large-mnli": 18,
        "microsoft/deberta-xlarge-mnli": 40,
    }
)
"""The layer that correlates best with people's judgement, by model ([zhang2020], appendix B, and its package)."""

BASELINES: Mapping[str, Baseline] = MappingProxyType({"roberta-large": (0.83150584, 0.8314941, 0.83122575)})
"""P, R and F1 of unrelated English sentences, by model at the layer of `LAYERS` (bert_score 0.3.13)."""

_PREFIXED = {"roberta", "gpt2", "longformer", "bart"}  # their first word is spelt as one after a space
_REMEMBERED_BYTES = 128 * 2**20


@dataclass(frozen=True, slots=True)
class Tokens:
    """A text's tokens.

    Attributes:
        vectors: tokens x dimensions, each of length 1, special tokens included: a token may match them.
        weights: of the tokens in the mean; 0 for special ones.
    """

    vectors: NDArray[np.float32]
    weights: NDArray[np.float64]


def similarities(candidate: Tokens, references: Sequence[Tokens]) -> list[Similarity | None]:
    """BERTScore of one candidate against each reference, by one matrix product ([zhang2020] eqs. 1-3).

    Precision is the weighted mean over the candidate's tokens of the cosine with the most similar token of the
    reference; recall the same the other way round; F1 their harmonic mean. In [-1, 1], larger = more alike.

    Returns:
        One per reference; `None` where a side has no token of weight, or F1 would divide by 0.
    """
    if not references:
        return []
    ends = np.cumsum([len(one.vectors) for one in references])
    starts = np.concatenate(([0], ends[:-1]))
    cosines = candidate.vectors @ np.concatenate([one.vectors for one in references]).T
    best_in_reference = np.maximum.reduceat(cosines, starts, axis=1).astype(np.float64)
    best_in_candidate = cosines.max(axis=0).astype(np.float64)
    own = float(candidate.weights.sum())
    found: list[Similarity | None] = []
    for i, one in enumerate(references):
        theirs = float(one.weights.sum())
        if own <= 0 or theirs <= 0:
            found.append(None)
            continue
        precision = float(candidate.weights @ best_in_reference[:, i]) / own
        recall = float(one.weights @ best_in_candidate[starts[i] : ends[i]]) / theirs
        found.append(_similarity(precision, recall))
    return found


def rescaled(found: Similarity, baseline: Baseline) -> Similarity:
    """Spread over the range that is used: (x - b) / (1 - b) for each of P, R and F1; may be negative.

    Example:
        >>> rescaled(Similarity(0.9, 0.8, 0.85), (0.8, 0.8, 0.8)).recall
        0.0
    """
    p, r, f = baseline
    return Similarity((found.precision - p) / (1 - p), (found.recall - r) / (1 - r), (found.f1 - f) / (1 - f))


def inverse_frequencies(texts: Iterable[Iterable[int]]) -> tuple[Mapping[int, float], float]:
    """How rare each token is: ln((n + 1) / (n_t + 1)) of n texts, of which n_t contain the token.

    Returns:
        By token, and the value for tokens that are in no text.

    Example:
        >>> known, unknown = inverse_frequencies([[1, 2], [1]])
        >>> known[1], round(known[2], 4), round(unknown, 4)
        (0.0, 0.4055, 1.0986)
    """
    total, counts = 0, Counter[int]()
    for text in texts:
        total += 1
        counts.update(set(text))
    return {token: math.log((total + 1) / (n + 1)) for token, n in counts.items()}, math.log(total + 1)


class BertScore(LocalBackend[Compare]):
    """BERTScore with an encoder on this machine, all-MiniLM-L6-v2 by default.

    Each distinct text is encoded once, and remembered for as long as there is room, so that a sentence that is
    compared with a hundred others costs one forward pass; what remains is matrix products.

    Equal to the package bert_score 0.3.13 to 1e-5, one pair at a time. Differs: in batches that package gives a
    token whose similarities are all negative the 0 of the padding (5 of 500 pairs, by up to 1e-3), so its
    figures depend on the batch; texts without words have no score here (there: 0).

    Args:
        model: the packaged encoder, a folder, or a name that is looked for in `$GUARDRAIL_MODELS`.
        layer: whose output is compared, from 1; by default the one of `LAYERS`, else the last.
        idf: texts (the references, say) of which it is learnt how much each token counts; by default all count
            alike.
        baseline: P, R and F1 of unrelated texts, to rescale by (`BASELINES` has one); scores may then be
            negative.
        device: "auto" takes a GPU if there is one; else "cpu", "cuda", "cuda:1".
        precision: "fp32", "bf16" or "int8", as for `EntailmentModel`.
        budget: tokens per batch.
        longest: tokens of a text that are read; what is longer loses its end: logged once, counted in
            `work.truncated`.

    Raises:
        MissingExtra: torch, transformers or the packaged encoder is not installed.
        WeightsMissing: no such model here; the message has the command that fetches it.
        ConfigError: pickled weights, no such layer or device, a baseline of 1 or more.
    """

    batch = 4_096
    capacity: int | None = TOKENS_AT_ONCE

    _model: LocalModel

    def __init__(
        self,
        model: str | Path = MINILM,
        *,
        layer: int | None = None,
        idf: Iterable[str] | None = None,
        baseline: Baseline | None = None,
        device: Device = "auto",
        precision: Precision = "fp32",
        budget: int | None = None,
        longest: int | None = None,
    ) -> None:
        if baseline is not None and sum(-1 <= b < 1 for b in baseline) != 3:
            raise ConfigError(f"expected a baseline of P, R and F1, each below 1, got {baseline!r}")
        self._model = LocalModel(
            model,
            kind="encoder",
            layers=_layer(str(model)) if layer is None else layer,
            device=device,
            precision=precision,
            budget=budget,
            longest=longest,
        )
        self.baseline = baseline
        self._corpus = None if idf is None else tuple(idf)
        self._known: OrderedDict[str, Tokens] = OrderedDict()
        self._bytes = 0
        renewed(self)

    def renew_locks(self) -> None:
        """Make new locks."""
        self._lock = Lock()

    @cached_property
    def fingerprint(self) -> str:
        """The weights, by content, the layer, the texts of `idf`, and the baseline."""
        corpus = ""
        if self._corpus is not None:
            corpus = blake2b(
                "\0".join(self._corpus).encode("utf-8", "surrogatepass"), digest_size=16
            ).hexdigest()
        return f"bertscore:{self._model.digest}:{corpus}:{self.baseline or ''}"

    def weight(self, request: Compare) -> int:
        """About how many tokens; the vectors of all that are answered together are in memory at once."""
        return about_tokens(request.candidate, request.reference)

    def answer(self, requests: Sequence[Compare]) -> list[Reply[Similarity]]:
        """One reply per pair, in order; the time is shared evenly."""
        started = time.perf_counter()
        self._model.asked(len(requests))
        encoded = self._encoded([text for one in requests for text in (one.candidate, one.reference)])
        wanted: dict[str, dict[str, Similarity | None]] = {}
        for one in requests:
            if encoded[one.candidate] is not None and encoded[one.reference] is not None:
                wanted.setdefault(one.candidate, {})[one.reference] = None
        for candidate, row in wanted.items():
            tokens = [encoded[reference] for reference in row]
            scores = similarities(_there(encoded[candidate]), [_there(one) for one in tokens])
            row.update(zip(row, scores, strict=True))
        cost = Cost(seconds=(time.perf_counter() - started) / max(1, len(requests)))
        return [self._reply(one, encoded, wanted, cost) for one in requests]

    def _reply(
        self,
        asked: Compare,
        encoded: Mapping[str, Tokens | None],
        found: Mapping[str, Mapping[str, Similarity | None]],
        cost: Cost,
    ) -> Reply[Similarity]:
        for name, text in (("candidate", asked.candidate), ("reference", asked.reference)):
            if encoded[text] is None:
                return self._failed(name, text, cost)
        value = found[asked.candidate][asked.reference]
        if value is None:
            return Failed(Reason.BACKEND, "the similarity is not defined", cost=cost)
        return Answer(value if self.baseline is None else rescaled(value, self.baseline), cost)

    def _failed(self, name: str, text: str, cost: Cost) -> Failed:
        """Why there are no vectors of a text."""
        spelt = self._spelt(text)
        if spelt and len(self._model.tokens(spelt)):
            what = f"the encoder has no vectors of the {name} that are numbers, or no room for it"
            return Failed(Reason.BACKEND, what, cost=cost)
        return Failed(Reason.REFUSED, f"the {name} has no words that could be compared", cost=cost)

    # -- texts

    @cached_property
    def _rarity(self) -> tuple[Mapping[int, float], float]:
        corpus = [self._model.input(self._spelt(text)).ids for text in self._corpus or ()]
        return inverse_frequencies(corpus)

    def _spelt(self, text: str) -> str:
        stripped = text.strip()
        prefixed = str(self._model.config.get("model_type", "")) in _PREFIXED
        return f" {stripped}" if prefixed and stripped else stripped

    def _encoded(self, texts: Sequence[str]) -> dict[str, Tokens | None]:
        """The tokens of each distinct text, remembered or encoded now; `None` where there are none."""
        found: dict[str, Tokens | None] = {}
        with self._lock:
            for text in dict.fromkeys(texts):
                if text in self._known:
                    self._known.move_to_end(text)
                    found[text] = self._known[text]
        fresh = {}
        for text in dict.fromkeys(texts):
            if text not in found:
                found[text] = None
                spelt = self._spelt(text)
                if spelt and len(self._model.tokens(spelt)):
                    fresh[text] = self._model.input(spelt)
        for text, one, matrix in zip(
            fresh, fresh.values(), self._model.run(list(fresh.values())), strict=True
        ):
            if matrix is None or not np.isfinite(matrix).all():
                continue
            tokens = Tokens(_units(matrix), self._weights(one.ids, one.special_tokens_mask))
            found[text] = tokens
            self._remember(text, tokens)
        return found

    def _weights(self, ids: Sequence[int], special: Sequence[int]) -> NDArray[np.float64]:
        if self._corpus is None:
            return 1.0 - np.asarray(special, dtype=np.float64)
        known, unknown = self._rarity
        return np.array([known.get(token, unknown) for token in ids], dtype=np.float64)

    def _remember(self, text: str, tokens: Tokens) -> None:
        with self._lock:
            if text not in self._known:
                self._known[text] = tokens
                self._bytes += tokens.vectors.nbytes
            while self._bytes > _REMEMBERED_BYTES:
                _, oldest = self._known.popitem(last=False)
                self._bytes -= oldest.vectors.nbytes


def _layer(model: str) -> int | None:
    """The one that is known to compare best, also where the model lies in a folder of its name ("owner--name")."""
    return LAYERS.get(model) or LAYERS.get(Path(model).name.replace("--", "/"))


def _there(tokens: Tokens | None) -> Tokens:
    assert tokens is not None  # noqa: S101  # only pairs whose texts have tokens get here
    return tokens


def _units(matrix: NDArray[np.float32]) -> NDArray[np.float32]:
    sizes = np.linalg.norm(matrix, axis=1, keepdims=True)
    return (matrix / np.where(sizes > 0, sizes, 1)).astype(np.float32)


def _similarity(precision: float, recall: float) -> Similarity | None:
    p, r = (min(1.0, max(-1.0, value)) for value in (precision, recall))
    if not math.isfinite(p + r) or p + r == 0:
        return None
    # Of values near 0 with unlike signs the harmonic mean runs away: it is kept in the range.
    return Similarity(p, r, min(1.0, max(-1.0, 2 * p * r / (p + r))))
