"""What moves the weights: AdamW, or Muon for the matrices of the layers and AdamW for all else.

Muon makes every direction of a matrix's momentum equally long before it is added, so that rare directions are learnt
as fast as common ones. Of a small model that sees each pair a few times it makes more, step by step; what it costs is
matrix products whose size does not depend on the batch, so larger batches suit it.

Source: Jordan et al., Muon: An optimizer for hidden layers in neural networks, 2024; the length of a step as in Liu et
al., Muon is scalable for LLM training, 2025, which makes one rate serve both parts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from guardrail.errors import ConfigError

__all__ = ["Joined", "needs_muon", "optimizer"]

_DECAY = 0.01


class Joined:
    """Several optimizers, each of its own weights, used as one of torch's: one rate, one state to keep.

    Args:
        parts: of torch; no weight is in two of them.
    """

    def __init__(self, parts: Sequence[Any]) -> None:
        self._parts = parts

    @property
    def param_groups(self) -> list[dict[str, Any]]:
        """Of all parts, in order."""
        return [group for part in self._parts for group in part.param_groups]

    def step(self) -> None:
        """Of all parts."""
        for part in self._parts:
            part.step()

    def zero_grad(self) -> None:
        """Of all parts."""
        for part in self._parts:
            part.zero_grad()

    def state_dict(self) -> dict[str, Any]:
        """The state of each weight, by its number among all."""
        state: dict[int, Any] = {}
        for first, part in zip(self._first(), self._parts, strict=True):
            state |= {first + number: one for number, one in part.state_dict()["state"].items()}
        return {"state": state}

    def load_state_dict(self, saved: Mapping[str, Any]) -> None:
        """Take up what `state_dict` gave."""
        for first, part in zip(self._first(), self._parts, strict=True):
            last = first + _weights(part)
            own = {number - first: one for number, one in saved["state"].items() if first <= number < last}
            part.load_state_dict({**part.state_dict(), "state": own})

    def _first(self) -> list[int]:
        return [sum(map(_weights, self._parts[:number])) for number in range(len(self._parts))]


def _weights(part: Any) -> int:
    return sum(len(group["params"]) for group in part.param_groups)


def needs_muon() -> None:
    """Asked before what takes hours.

    Raises:
        ConfigError: torch is too old to have it.
    """
    import torch

    if not hasattr(torch.optim, "Muon"):
        raise ConfigError(
            f"expected a torch with the optimizer Muon, got {torch.__version__}: pip install -U 'torch>=2.9'"
        )


def optimizer(network: Any, *, rate: float, muon: bool) -> Any:
    """For the weights of a classifier that are learnt.

    Args:
        network: of transformers, with layers of matrices.
        rate: the learning rate.
        muon: for the matrices of the layers; else AdamW is for all.

    Raises:
        ConfigError: torch is too old to have it.
    """
    import torch

    learnt = {name: weight for name, weight in network.named_parameters() if weight.requires_grad}
    matrices = {name for name, weight in learnt.items() if muon and ".layer." in name and weight.ndim == 2}
    rest = [weight for name, weight in learnt.items() if name not in matrices]
    adamw = torch.optim.AdamW(rest, lr=rate, weight_decay=_DECAY, fused=True)
    if not matrices:
        return adamw
    needs_muon()
    moved = [weight for name, weight in learnt.items() if name in matrices]
    muon_ = torch.optim.Muon(moved, lr=rate, weight_decay=_DECAY, adjust_lr_fn="match_rms_adamw")
    return Joined([muon_, adamw])
