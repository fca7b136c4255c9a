"""A packaged network that scores each token of a text, run by ONNX Runtime."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from guardrail.backends._onnx import session_of
from guardrail.backends.forking import abandoned, fork_safe, renewed
from guardrail.backends.weights import GRAPH, find

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class TokenScores:
    """The network, loaded at first use; safe in threads and in forked children.

    Args:
        model: its folder or name, for `weights.find`.
    """

    def __init__(self, model: str) -> None:
        self._model = model
        self._loaded: tuple[Any, Any] | None = None
        renewed(self)

    def renew_locks(self) -> None:
        """Make a new lock; in a forked child the session's threads are gone, and it is made anew."""
        self._lock = threading.Lock()
        abandoned(self._loaded)
        self._loaded = None

    def load(self) -> None:
        """Load the network now; else the first use does.

        Raises:
            WeightsMissing, ConfigError: as `weights.find`.
        """
        self._load()

    @property
    def tokenizer(self) -> Any:
        """Its `tokenizers.Tokenizer`, which neither cuts nor pads.

        Raises:
            WeightsMissing, ConfigError: as `weights.find`.
        """
        return self._load()[1]

    def scores(self, ids: Sequence[int], kinds: Sequence[int]) -> NDArray[np.float32]:
        """What it gives for each token, before any softmax: as many rows as tokens.

        Args:
            ids: of the tokens.
            kinds: a further input for each (`token_type_ids`).
        """
        import numpy as np

        session, _ = self._load()
        fed = {
            "input_ids": np.array([ids]),
            "token_type_ids": np.array([kinds]),
            "attention_mask": np.ones((1, len(ids)), np.int64),
        }
        given: NDArray[np.float32] = fork_safe(lambda: session.run(None, fed))[0][0]
        return given

    def _load(self) -> tuple[Any, Any]:
        with self._lock:
            if self._loaded is None:
                from tokenizers import Tokenizer

                folder = find(self._model)
                tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
                tokenizer.no_truncation()
                tokenizer.no_padding()
                self._loaded = session_of(folder / GRAPH), tokenizer
            return self._loaded
