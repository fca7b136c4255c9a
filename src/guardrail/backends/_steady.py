"""Batches whose scores do not depend on the company: a probe says whether the model's own do, and then every input goes alone."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from guardrail.backends._texts import TextTokens
from guardrail.backends.batching import batches

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from tokenizers import Encoding

    Array = NDArray[np.float32]

_OVERHEAD = 32  # tokens that take as long as starting a forward pass, roughly
_STEADY = (
    1e-5  # of a probability, or of a place of a vector: an input in company may be so far from itself alone
)
PROBE = (  # pairs of unlike lengths
    ("It rained.", "It was wet."),
    ("The committee met on Tuesday in the old town hall.", "Nobody came."),
    ("She was born in 1821, and lived in Paris, London and Rome. " * 5, "She lived in Rome for 12 years."),
)


class SteadyTexts(TextTokens):
    """A model by another library; what inherits from it computes `_forward`."""

    def _run(self, inputs: Sequence[Encoding], budget: int) -> list[Array | None]:
        _ = self._loaded
        tokens = budget if self._is_steady else 1  # of tokens: each pair alone
        plan = batches([len(one) for one in inputs], budget=tokens, overhead=_OVERHEAD)
        found: list[Array | None] = [None] * len(inputs)
        started = time.perf_counter()
        with self._lock:
            for group in plan.groups:
                for i, row in zip(group, self._forward([inputs[i] for i in group]), strict=True):
                    found[i] = row
        self._count(plan, time.perf_counter() - started)
        return found

    @cached_property
    def _is_steady(self) -> bool:
        with self._lock:
            return is_steady(self._compared, [self.input(*pair) for pair in PROBE])

    def _compared(self, inputs: Sequence[Encoding]) -> Any:
        """What the probe compares: probabilities."""
        return softmax_rows(self._forward(inputs))

    def _forward(self, inputs: Sequence[Encoding]) -> Array:
        """One batch, inputs x outputs: logits of a classifier."""
        raise NotImplementedError


def softmax_rows(logits: Any) -> Any:
    """The soft-max of each row.

    Args:
        logits: inputs x outputs.
    """
    import numpy as np

    powers = np.exp(np.asarray(logits, float) - np.max(logits, axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)


def is_steady(forward: Callable[[Sequence[Any]], Any], inputs: Sequence[Any]) -> bool:
    """Whether a model says of inputs in one batch what it says of each alone, to 1e-5.

    Args:
        forward: what a batch gives, inputs x numbers.
        inputs: of unlike lengths.
    """
    import numpy as np

    together = np.asarray(forward(inputs))
    alone = np.concatenate([np.asarray(forward([one])) for one in inputs])
    return bool(np.abs(together - alone).max() <= _STEADY)
