"""What comes next: draws, and whole distributions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from guardrail.backends.language_model.drawing import draw_outcome, nucleus
from guardrail.engine.draws import generator
from guardrail.engine.flow import Answer, Failed, Reason, Reply
from guardrail.requests import Distribution, Outcomes, Sample

if TYPE_CHECKING:
    from guardrail.backends.language_model._head import OutputHead
    from guardrail.backends.language_model._network import Causal
    from guardrail.backends.language_model._plain import TextNodes
    from guardrail.backends.language_model._shared import SharedTextNodes

Floats: TypeAlias = NDArray[np.float64]

LONGEST = 256
"""Tokens of a reply whose request names no bound."""

NO_NUMBERS = "the model gave no numbers (NaN or infinity)"


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


def draw(model: Causal, texts: TextNodes, draws: Sequence[Draw]) -> list[Reply[str]]:
    """Draw them side by side until each has its reply."""
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


def _choose(head: OutputHead, hidden: Any, rows: Sequence[int], draws: Sequence[Draw]) -> list[int | None]:
    """The next token of each draw, whose text is row `rows[i]`; `None` where the model gives no numbers."""
    found: list[int | None] = [None] * len(draws)
    groups: dict[tuple[int, float], list[int]] = {}
    for i, (row, one) in enumerate(zip(rows, draws, strict=True)):
        groups.setdefault((row, float(one.request.temperature)), []).append(i)
    for part in head.parts(hidden):
        logits = head.logits(hidden[part]).double()
        inside = [key for key in groups if part.start <= key[0] < part.stop]
        for temperature in dict.fromkeys(key[1] for key in inside):
            table = (logits / (temperature or 1.0)).softmax(-1).cpu().numpy()
            for row, mine in ((key[0], groups[key]) for key in inside if key[1] == temperature):
                shares = table[row - part.start]
                if np.isfinite(shares[0]):  # one that is no number spoils all
                    for i, token in zip(mine, _tokens(shares, [draws[i] for i in mine]), strict=True):
                        found[i] = token
    return found


def _tokens(shares: Floats, draws: Sequence[Draw]) -> list[int]:
    """One token per draw of the same distribution."""
    kept: dict[float, Floats] = {}
    found = []
    for one in draws:
        top_p = one.request.top_p
        if one.request.temperature == 0:
            found.append(int(np.argmax(shares)))
            continue
        if top_p not in kept:
            kept[top_p] = nucleus(shares, top_p)
        found.append(draw_outcome(kept[top_p], one.random))
    return found


@dataclass(frozen=True, slots=True)
class Spread:
    """A text behind which the next token's distribution is asked for."""

    path: tuple[int, ...]
    request: Distribution


def next_token_outcomes(model: Causal, texts: TextNodes, asked: Sequence[Spread]) -> list[Reply[Outcomes]]:
    """The distribution of the next token behind each text."""
    nodes = texts.open([one.path for one in asked])
    distinct = list(dict.fromkeys(nodes))
    hidden = texts.hidden(distinct)
    shares: dict[int, tuple[float, ...]] = {}
    for part in model.head.parts(hidden):
        rows = model.head.logits(hidden[part]).double().softmax(-1).cpu().numpy()
        for node, row in zip(distinct[part], rows, strict=True):
            shares[node] = tuple(row.tolist())
    return [_outcomes(model, one.request, shares[node]) for one, node in zip(asked, nodes, strict=True)]


@dataclass(frozen=True, slots=True)
class Scored:
    """A text whose tokens are scored.

    Attributes:
        path: all that is read: what comes before it, and all its tokens but the last.
        targets: its tokens.
    """

    path: tuple[int, ...]
    targets: tuple[int, ...]


def score(model: Causal, texts: SharedTextNodes, asked: Sequence[Scored]) -> list[Reply[float]]:
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
