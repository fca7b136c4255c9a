"""`NeuralProcess`: a trained network behind the port that language models have, and by arrays."""

from __future__ import annotations

import importlib.util
import math
import threading
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from benchmarks.phr.process.model.contexts import Contexts
from benchmarks.phr.process.model.network import Shape, build
from guardrail.backends.forking import fork_safe
from guardrail.backends.weights import read_config, verified, weights_digest
from guardrail.engine.backend import Backend
from guardrail.engine.codec import key
from guardrail.engine.flow import Answer, Failed, Reason, Reply, Request
from guardrail.errors import ConfigError, MissingExtra
from guardrail.phr.pairs import END, Form
from guardrail.report import Example
from guardrail.requests import Distribution, LogProb, Outcomes, Sample

__all__ = ["NeuralProcess"]

Masses: TypeAlias = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class _Asked:
    """A request that was understood.

    Attributes:
        place: in the batch.
        request: as it came.
        x: inputs of the context's pairs.
        y: their labels.
        query: the input whose label is asked for; `None` = the next pair is.
    """

    place: int
    request: Sample | LogProb | Distribution
    x: tuple[float, ...]
    y: tuple[float, ...]
    query: float | None


class NeuralProcess(Backend[Request[Any]]):
    """A neural process over pairs of numbers, written as text.

    Answers `Sample` (a pair, or a label behind a query), `LogProb` (log density of a label, in nats) and
    `Distribution`: its outcomes are the bins of the bar distribution, named by their ends, and a label begins with the
    bin that it lies in. Bins are equally wide, so PHR's exact estimator ranks them as it would rank densities; a
    likely set is made of whole bins.

    `temperature` and `top_p` of a `Sample` act on bins. Every request reads its context again; requests of contexts of
    one length are computed together. Code that asks much uses `contexts`.

    Args:
        folder: of config.json and model.safetensors, as `python -m benchmarks.phr train` leaves them.
        device: of torch: "cpu", "cuda", "cuda:1".
        seed: of all draws. A draw depends on it and the request alone, up to rounding on the border of two bins.
        form: how pairs are written.

    Raises:
        MissingExtra: torch, transformers or safetensors is not installed.
        ConfigError: the folder holds no such model.
    """

    paid = False
    batch = 256

    def __init__(
        self, folder: str | Path, *, device: str = "cpu", seed: int = 0, form: Form | None = None
    ) -> None:
        for library in ("torch", "transformers", "safetensors"):
            if importlib.util.find_spec(library) is None:
                raise MissingExtra(library, extra="local")
        self.folder = verified(Path(folder).expanduser())
        self.config = read_config(self.folder)
        self.shape = Shape.from_dict(self.config)
        self.bars = self.shape.bars
        self.device = device
        self.seed = seed
        self.form = form or Form()
        self._lock = threading.RLock()

    @cached_property
    def fingerprint(self) -> str:
        """Weights, shape, seed and form."""
        return f"neural-process:{weights_digest(self.folder)}:{self.seed}:{self.form!r}"

    @cached_property
    def network(self) -> Any:
        """The torch modules, loaded at first use."""
        from safetensors.torch import load_file

        network = build(self.shape)
        wanted = {name for name, one in network.named_parameters() if one.requires_grad}
        weights = load_file(self.folder / "model.safetensors")
        if set(weights) != wanted:
            differing = sorted(set(weights) ^ wanted)
            raise ConfigError(f"{str(self.folder)!r} holds weights of another network: {differing[:5]!r}")
        network.load_state_dict(weights, strict=False)
        return network.to(self.device).eval()

    def contexts(self, x: ArrayLike, y: ArrayLike, *, room: int = 64) -> Contexts:
        """Contexts that are read once and then asked, extended or branched; see `Contexts`."""
        with self._lock:
            network = self.network
        return Contexts(network, self.shape, x, y, room=room)

    # -- the port

    def answer(self, requests: Sequence[Request[Any]]) -> list[Reply[Any]]:
        """One reply per request, in order."""
        return fork_safe(lambda: self._answer(requests))

    def _answer(self, requests: Sequence[Request[Any]]) -> list[Reply[Any]]:
        replies: list[Reply[Any]] = [Failed(Reason.BUG, "was not answered")] * len(requests)
        alike: dict[tuple[int, bool], list[_Asked]] = defaultdict(list)
        for place, request in enumerate(requests):
            asked = self._read(place, request)
            if isinstance(asked, Failed):
                replies[place] = asked
            else:
                alike[len(asked.x), asked.query is None].append(asked)
        for group in alike.values():
            for asked, reply in zip(group, self._replies(group), strict=True):
                replies[asked.place] = reply
        return replies

    def _read(self, place: int, request: Request[Any]) -> _Asked | Failed:
        if not isinstance(request, Sample | LogProb | Distribution):
            return Failed(Reason.MISSING, f"NeuralProcess answers no {type(request).__name__}")
        text = request.context + (request.query if isinstance(request, Distribution) else "")
        preamble, pairs, query = self.form.split(text)
        if preamble:
            return Failed(Reason.REFUSED, f"expected a context of pairs and a query, got {text[-80:]!r}")
        if query is None and not isinstance(request, Sample):
            return Failed(Reason.REFUSED, "expected a context that ends with a query")
        try:
            x = tuple(_number(pair.input) for pair in pairs)
            y = tuple(_number(pair.label) for pair in pairs)
            asked = None if query is None else _number(query)
            if isinstance(request, LogProb):
                _number(self.form.read_response(request.continuation))
        except ValueError as error:
            return Failed(Reason.REFUSED, f"the context does not suit a neural process: {error}")
        return _Asked(place, request, x, y, asked)

    def _replies(self, group: Sequence[_Asked]) -> list[Reply[Any]]:
        """Of requests whose contexts are of one length, and which all ask for a label, or all for a pair."""
        contexts = self.contexts([one.x for one in group], [one.y for one in group], room=1)
        queries = [one.query for one in group if one.query is not None]
        if queries:
            masses = _whole(contexts.labels(np.array(queries)[:, None])[:, 0])
            return [self._label(one, mass) for one, mass in zip(group, masses, strict=True)]
        draws = [self._uniforms(one.request) for one in group]
        inputs = [
            self._draw(one.request, mass, draw[0])
            for one, mass, draw in zip(group, _whole(contexts.next_input()), draws, strict=True)
        ]
        masses = _whole(contexts.labels(np.array(inputs)[:, None])[:, 0])
        found: list[Reply[Any]] = []
        for one, x, mass, draw in zip(group, inputs, masses, draws, strict=True):
            pair = Example(input=repr(x), label=repr(self._draw(one.request, mass, draw[1])))
            found.append(Answer(_stopped(self.form.pair(pair), one.request)))
        return found

    def _label(self, asked: _Asked, mass: Masses) -> Reply[Any]:
        request = asked.request
        if isinstance(request, Sample):
            y = self._draw(request, mass, self._uniforms(request)[1])
            return Answer(_stopped(self.form.response(repr(y)) + END, request))
        if isinstance(request, LogProb):
            y = _number(self.form.read_response(request.continuation))
            with np.errstate(divide="ignore"):
                return Answer(float(self.bars.log_density(np.log(mass), y)))
        return Answer(Outcomes(self._names, tuple(mass.tolist()), tuple(map(self._bin, request.labels))))

    def _bin(self, label: str) -> int | None:
        try:
            return int(self.bars.bin(_number(self.form.read_response(label))))
        except ValueError:
            return None  # no number, so no outcome begins it

    @cached_property
    def _names(self) -> tuple[str, ...]:
        inner = (-self.bars.edge + self.bars.width * np.arange(1, self.bars.count)).round(9).tolist()
        ends = [-math.inf, *inner, math.inf]
        return tuple(f"[{low:g}, {high:g})" for low, high in pairwise(ends))

    def _uniforms(self, request: Request[Any]) -> tuple[tuple[float, float], tuple[float, float]]:
        """Random numbers of the request: for an input and for a label, each the bin and where in it."""
        random = np.random.Generator(np.random.Philox(key=int(key(request, f"seed {self.seed}")[:32], 16)))
        one, two, three, four = random.random(4).tolist()
        return (one, two), (three, four)

    def _draw(self, request: Any, mass: Masses, uniforms: tuple[float, float]) -> float:
        chosen = _nucleus(mass, request.temperature, request.top_p)
        return float(self.bars.draw(chosen[None], [uniforms[0]], [uniforms[1]])[0])


def _whole(masses: NDArray[np.float32]) -> Masses:
    """In double precision, adding up to 1."""
    found: Masses = masses.astype(np.float64)
    found /= found.sum(axis=-1, keepdims=True)
    return found


def _nucleus(mass: Masses, temperature: float, top_p: float) -> Masses:
    """The mass from which a draw with these settings is taken."""
    if temperature <= 0:
        likeliest: Masses = (mass == mass.max()).astype(np.float64)
        return likeliest
    if temperature != 1:
        mass = (mass / mass.max()) ** (1 / temperature)
    if top_p < 1:
        order = np.argsort(-mass, kind="stable")
        before = np.cumsum(mass[order]) - mass[order]
        mass = mass.copy()
        mass[order[before >= top_p * mass.sum()]] = 0.0
    return mass


def _stopped(text: str, request: Any) -> str:
    ends = [found + len(stop) for stop in request.stop if stop and (found := text.find(stop)) >= 0]
    return text[: min(ends)] if ends else text


def _number(text: str) -> float:
    found = float(text)
    if not math.isfinite(found):
        raise ValueError(f"expected a finite number, got {text!r}")
    return found
