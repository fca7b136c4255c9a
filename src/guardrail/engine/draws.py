"""Random numbers for what a model draws: of a request and a seed alone."""

from __future__ import annotations

from typing import Any

import numpy as np

from guardrail.engine.codec import key
from guardrail.engine.flow import Request


def generator(request: Request[Any], seed: int) -> np.random.Generator:
    """Random numbers that depend on a request and a seed alone: Philox, keyed by 128 bits of the request's key.

    Two backends of one model draw the same from it, however they compute.
    """
    return np.random.Generator(np.random.Philox(key=int(key(request, f"seed {seed}")[:32], 16)))
