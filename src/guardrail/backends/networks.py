"""What a network of transformers needs that the library does not do, or does otherwise from release to release."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from threading import Lock
from typing import Any

from guardrail.backends._int8 import quantise
from guardrail.backends.forking import renewed
from guardrail.errors import ConfigError


class _Silence:
    """How the library told things before the first of those that want quiet now; it belongs to the whole process."""

    def __init__(self) -> None:
        renewed(self)

    def renew_locks(self) -> None:
        """Make new locks; nobody who came along wants quiet."""
        self._lock = Lock()
        self._wanted = 0
        self._before: tuple[bool, int] = (True, 0)

    def enter(self, logging: Any) -> None:
        """One more."""
        with self._lock:
            if not self._wanted:
                self._before = logging.is_progress_bar_enabled(), logging.get_verbosity()
                logging.disable_progress_bar()
                logging.set_verbosity_error()
            self._wanted += 1

    def leave(self, logging: Any) -> None:
        """One less; the last leaves all as it was."""
        with self._lock:
            self._wanted -= 1
            if self._wanted <= 0:
                bars, level = self._before
                logging.set_verbosity(level)
                if bars:
                    logging.enable_progress_bar()


_silence = _Silence()


@contextmanager
def quiet(transformers: Any) -> Iterator[None]:
    """No progress bars, and no table of absent weights: what is absent is an error of ours, in our words."""
    logging = transformers.utils.logging
    _silence.enter(logging)
    try:
        yield
    finally:
        _silence.leave(logging)


def keep_layers(network: Any, layers: int) -> None:
    """Leave out the layers behind the one that is read.

    Raises:
        ConfigError: it has no such layer.
    """
    stack = getattr(getattr(network, "encoder", None), "layer", None)
    if stack is None or not 1 <= layers <= len(stack):
        raise ConfigError(
            f"expected one of {len(stack) if stack is not None else 'no'} encoder layers, got layers={layers!r}"
        )
    network.encoder.layer = stack[:layers]
    network.config.num_hidden_layers = layers


def coarser(network: Any, precision: str) -> Any:
    """The whole network in less exact numbers; in "fp32" as it is."""
    import torch

    if precision == "int8":
        quantise(network)
    return network.to(torch.bfloat16) if precision == "bf16" else network


def memory_name(network: Any) -> str:
    """The argument by which a network takes what it keeps of the tokens before; its output has it by that name too.

    transformers 5.24 renamed it and warns where the former one is used; older releases, and networks whose code comes
    with their weights, know the former one only.
    """
    kind: Any = type(network)  # of any class, for mypy takes no type for hashable
    return _memory_name(kind)


@cache
def _memory_name(kind: Any) -> str:
    return "cache" if "cache" in inspect.signature(kind.forward).parameters else "past_key_values"
