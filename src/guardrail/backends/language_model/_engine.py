"""Work on texts in parts that fit into memory, with what they share computed once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from guardrail._log import log
from guardrail.backends.language_model._plain import PlainTextNodes, TextNodes
from guardrail.backends.language_model._prefixes import Prefixes
from guardrail.backends.language_model._shared import SharedTextNodes, portions, possible

if TYPE_CHECKING:
    from guardrail.backends.language_model._network import Causal

Work: TypeAlias = Callable[[TextNodes, Sequence[int]], None]


class PrefixEngine:
    """Keeps what was computed of texts, and opens them.

    Args:
        model: whose texts they are.
        memory: bytes of states that are kept; 0: nothing is shared.
    """

    def __init__(self, model: Causal, memory: int) -> None:
        self._model = model
        self._model.memory = memory
        self.store = Prefixes(memory)

    @cached_property
    def shares(self) -> bool:
        """Whether texts share what is computed of them; loads the model."""
        return self.store.limit > 0 and self._model.alone(self._tried)

    def release(self) -> None:
        """Forget what was computed."""
        self._model.apart(self.store.clear)

    def run(
        self, paths: Sequence[tuple[int, ...]], work: Work, *, growth: Sequence[int] | None = None
    ) -> list[int]:
        """Call `work` with texts and the positions of those that it is to do, until all are done.

        Args:
            paths: the texts that it will open.
            work: repeated from the start for texts that did not fit.
            growth: tokens that each may grow by.

        Returns:
            Positions of texts that do not fit into the device's memory even alone.
        """
        lost: list[int] = []

        def whole() -> None:
            if not self.shares:
                self._attempt(work, range(len(paths)), lost)
                return
            arrays = {path: np.array(path, dtype=np.int64) for path in set(paths)}
            for portion in portions(self._model, [arrays[path] for path in paths], growth=growth):
                self._attempt(work, portion, lost)

        self._model.alone(whole)
        return lost

    def _tried(self) -> bool:
        with self._model.trying():
            return possible(self._model)

    def _attempt(self, work: Work, portion: Sequence[int], lost: list[int]) -> None:
        import torch

        try:
            if self.shares:
                texts = SharedTextNodes(self._model, self.store)
                work(texts, portion)
                texts.close()
            else:
                work(PlainTextNodes(self._model), portion)
        except torch.cuda.OutOfMemoryError:
            self.store.clear()
            if len(portion) == 1:
                log.warning("out_of_memory", model=self._model.name)
                lost += portion
                return
        except BaseException:  # what was computed half must not be read as whole
            self.store.clear()
            raise
        else:
            return
        half = len(portion) // 2
        self._attempt(work, portion[:half], lost)
        self._attempt(work, portion[half:], lost)
