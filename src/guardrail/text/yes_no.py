"""Yes or no at the beginning of a reply, by what else the model might have said there."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal

from guardrail.requests import TokenLogprob


def probability_of(word: Literal["yes", "no"], logprobs: Sequence[TokenLogprob]) -> float | None:
    """P(word) / (P(yes) + P(no)) at the first word, from its alternatives' log-probabilities: in [0, 1].

    `None` if neither is among the alternatives: the model means to say something else.
    """
    for token in logprobs[:3]:
        if not token.token.strip(" \n\t\"'*_`"):
            continue  # white space or a mark before the word
        mass = {"yes": 0.0, "no": 0.0}
        for text, logprob in token.top or ((token.token, token.logprob),):
            said = text.strip(" \n\t\"'*_`.,!").casefold()
            if said in mass and math.isfinite(logprob):
                mass[said] += math.exp(logprob)
        total = sum(mass.values())
        return mass[word] / total if total > 0 else None
    return None
