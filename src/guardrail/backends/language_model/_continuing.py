"""What comes next: draws, and whole distributions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from guardrail.backends.draws import generator
from guardrail.backends.language_model.drawing import ranking, ranks
from guardrail.flow import Answer, Failed, Reason, Reply
from guardrail.requests import Distribution, Outcomes, Sample

if TYPE_CHECKING:
    from guardrail.backends.language_model._head import Head
    from guardrail.backends.language_model._network import Causal
    from guardrail.backends.language_model._plain import Texts
    from guardrail.backends.language_model._shared import Shared

__all__ = ["LONGEST", "NO_NUMBERS", "Draw", "Scored", "draw", "score", "spread"]

Floats: TypeAlias = NDArray[np.float64]

LONGEST = 256
"""Tokens of a reply whose request names no bound."""

NO_NUMBERS = "the model gave no numbers (NaN or infinity)"

_LIKELIEST = 256  # tokens among which a draw is looked for before all are ranked


@dataclass(slots=True)
class Draw:
    """A reply that is being drawn.

    Attributes:
        request: what is asked.
        path: the tokens of its context.
        room: how many tokens may be drawn before the window is full.
        seed: the backend's.
        tokens: drawn so far.
        reply: `None` until it has ended.
    """

    request: Sample
    path: tuple[int, ...]
    room: int
    seed: int
    tokens: list[int] = field(default_factory=list)
    reply: Reply[str] | None = None
    random: np.random.Generator = field(init=False)

    def begin(self) -> None:
        """Start from the first token."""
        self.tokens, self.reply = [], None
        self.random = generator(self.request, self.seed)

    @property
    def most(self) -> int:
        """Tokens of the reply at the most."""
        return LONGEST if self.request.max_tokens is None else self.request.max_tokens

    @property
    def growth(self) -> int:
        """Tokens that are read of it at the most."""
        return min(self.most, self.room) - 1

    def take(self, token: int, model: Causal) -> bool:
        """One more token; says whether another is wanted."""
        if token in model.ends:
            self.reply = Answer(model.written(self.tokens))
            return False
        self.tokens.append(token)
        text = model.written(self.tokens)
        cuts = [at + len(stop) for stop in self.request.stop if stop and (at := text.find(stop)) >= 0]
        if cuts:
            self.reply = Answer(text[: min(cuts)])
        elif len(self.tokens) >= self.most:
            self.reply = Answer(text)
        elif len(self.tokens) >= self.room:
            self.reply = Failed(
                Reason.REFUSED,
                f"the reply has not ended after {self.room} tokens, where the window of {model.window} is full: give "
                "a shorter context, a smaller max_tokens, or a larger window if the model takes one",
            )
        return self.reply is None


def draw(model: Causal, texts: Texts, draws: Sequence[Draw]) -> list[Reply[str]]:
    """Draw them beside each other until each has its reply."""
    for one in draws:
        one.begin()
    nodes = texts.open([one.path for one in draws])
    active = list(range(len(draws)))
    while active:
        distinct = list(dict.fromkeys(nodes[i] for i in active))
        texts.keep(distinct)
        places = {node: row for row, node in enumerate(distinct)}
        chosen = _choose(
            model.head, texts.hidden(distinct), [places[nodes[i]] for i in active], [draws[i] for i in active]
        )
        going = []
        for i, token in zip(active, chosen, strict=True):
            if token is None:
                draws[i].reply = Failed(Reason.BACKEND, NO_NUMBERS)
            elif draws[i].take(token, model):
                going.append((i, token))
        active = [i for i, _ in going]
        if active:
            for i, node in zip(active, texts.extend([(nodes[i], token) for i, token in going]), strict=True):
                nodes[i] = node
    return [one.reply for one in draws if one.reply is not None]


def _choose(head: Head, hidden: Any, rows: Sequence[int], draws: Sequence[Draw]) -> list[int | None]:
    """The next token of each draw, whose text is row `rows[i]`; `None` where the model gives no numbers."""
    found: list[int | None] = [None] * len(draws)
    groups: dict[tuple[int, float, float], list[int]] = {}
    for i, (row, one) in enumerate(zip(rows, draws, strict=True)):
        groups.setdefault((row, float(one.request.temperature), float(one.request.top_p)), []).append(i)
    for part in head.parts(hidden):
        logits = head.logits(hidden[part])
        inside = [key for key in groups if part.start <= key[0] < part.stop]
        for temperature in dict.fromkeys(key[1] for key in inside):
            ranked = _Ranked(logits, temperature)
            for key in inside:
                if key[1] == temperature:
                    mine = groups[key]
                    uniforms = np.array([draws[i].random.random() for i in mine])
                    for i, token in zip(
                        mine, ranked.tokens(key[0] - part.start, uniforms, key[2]), strict=True
                    ):
                        found[i] = token
    return found


class _Ranked:
    """The likeliest tokens of some texts; all of a text only where that does not tell."""

    def __init__(self, logits: Any, temperature: float) -> None:
        import torch

        self._greedy = temperature == 0
        self._shares = torch.softmax(logits.double() / (temperature or 1.0), -1)
        best = self._shares.topk(min(_LIKELIEST, logits.shape[-1]))
        self._best = best.values.cpu().numpy(), best.indices.cpu().numpy()
        self._whole = bool(best.values.shape[-1] == logits.shape[-1])

    def tokens(self, row: int, uniforms: Floats, top_p: float) -> list[int | None]:
        """One per uniform number."""
        if not np.isfinite(self._best[0][row, 0]):
            return [None] * len(uniforms)
        if self._greedy:
            uniforms, top_p = np.zeros_like(uniforms), 1.0
        falling, tokens = ranking(self._best[0][row], self._best[1][row])
        chosen = ranks(falling, uniforms, top_p=top_p, whole=self._whole)
        if (chosen < 0).any():
            shares = self._shares[row].cpu().numpy()
            falling, tokens = ranking(shares, np.arange(len(shares)))
            chosen = ranks(falling, uniforms, top_p=top_p)
        return [int(token) for token in tokens[chosen]]


def spread(
    model: Causal, texts: Texts, asked: Sequence[tuple[Distribution, tuple[int, ...]]]
) -> list[Reply[Outcomes]]:
    """The distribution of the next token behind each text."""
    nodes = texts.open([path for _, path in asked])
    distinct = list(dict.fromkeys(nodes))
    hidden = texts.hidden(distinct)
    shares: dict[int, tuple[float, ...]] = {}
    for part in model.head.parts(hidden):
        rows = model.head.logits(hidden[part]).double().softmax(-1).cpu().numpy()
        for node, row in zip(distinct[part], rows, strict=True):
            shares[node] = tuple(row.tolist())
    return [_outcomes(model, request, shares[node]) for (request, _), node in zip(asked, nodes, strict=True)]


@dataclass(frozen=True, slots=True)
class Scored:
    """A text whose tokens are scored.

    Attributes:
        path: all that is read: what stands before it, and all its tokens but the last.
        targets: its tokens.
    """

    path: tuple[int, ...]
    targets: tuple[int, ...]


def score(model: Causal, texts: Shared, asked: Sequence[Scored]) -> list[Reply[float]]:
    """The mean log-probability of the tokens of each text."""
    import torch

    nodes = texts.open([one.path for one in asked])
    places: dict[tuple[int, int], int] = {}
    states: list[Any] = []
    wanted: dict[tuple[int, int], int] = {}  # (row, target) and its number
    numbers: list[list[int]] = []
    for one, node in zip(asked, nodes, strict=True):
        own = []
        for (segment, place, state), target in zip(
            texts.states(node, len(one.path) - len(one.targets)), one.targets, strict=True
        ):
            if (segment, place) not in places:
                places[segment, place] = len(states)
                states.append(state)
            own.append(wanted.setdefault((places[segment, place], target), len(wanted)))
        numbers.append(own)
    hidden = torch.stack(states)
    rows, targets = (torch.tensor(column, device=hidden.device) for column in zip(*wanted, strict=True))
    logs = torch.empty(len(wanted), dtype=torch.float64, device=hidden.device)
    for part in model.head.parts(hidden):
        shares = model.head.logits(hidden[part]).log_softmax(-1)
        mine = (rows >= part.start) & (rows < part.stop)
        logs[mine] = shares[rows[mine] - part.start, targets[mine]].double()
    found = logs.cpu().numpy()
    return [_mean(found[own]) for own in numbers]


def _mean(logs: Floats) -> Reply[float]:
    value = float(logs.mean())
    return Answer(value) if math.isfinite(value) else Failed(Reason.BACKEND, NO_NUMBERS)


def _outcomes(model: Causal, request: Distribution, shares: tuple[float, ...]) -> Reply[Outcomes]:
    if not math.isfinite(math.fsum(shares)):
        return Failed(Reason.BACKEND, NO_NUMBERS)
    begun = []
    for label in request.labels:
        behind = model.continued(label)[0] if request.context + request.query else model.tokens(label).ids
        begun.append(behind[0] if behind else None)
    return Answer(Outcomes(model.pieces, shares, tuple(begun)))
