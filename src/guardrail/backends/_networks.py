"""What is done to a network of transformers between its files and its first use."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from guardrail.backends._int8 import quantise
from guardrail.errors import ConfigError

__all__ = ["coarser", "keep_layers", "quiet"]


@contextmanager
def quiet(transformers: Any) -> Iterator[None]:
    """No progress bars, and no table of absent weights: what is absent is an error of ours, in our words."""
    logging = transformers.utils.logging
    bars, level = logging.is_progress_bar_enabled(), logging.get_verbosity()
    logging.disable_progress_bar()
    logging.set_verbosity_error()
    try:
        yield
    finally:
        logging.set_verbosity(level)
        if bars:
            logging.enable_progress_bar()


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
