"""From hidden states to logits, and from these to what is wanted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

CELLS = {"cpu": 2**22, "cuda": 2**26}
"""Tokens x vocabulary whose logits are computed at once; 4 bytes each."""


class OutputHead:
    """The last layer of a causal language model.

    Args:
        layer: the linear layer.
        config: the model's; some scale their logits or cap them.
        device: "cpu", "cuda", "cuda:1".
    """

    def __init__(self, layer: Any, config: Mapping[str, Any], device: str) -> None:
        self.layer = layer
        self.vocabulary = int(layer.out_features)
        self.factor = float(config.get("logit_scale") or 1.0) / float(config.get("logits_scaling") or 1.0)
        self.cap = float(config.get("final_logit_softcapping") or 0.0)
        self.device = device.partition(":")[0]

    def parts(self, hidden: Any) -> Iterator[slice]:
        """Rows whose logits may be computed at once."""
        size = max(1, CELLS[self.device] // self.vocabulary)
        for start in range(0, len(hidden), size):
            yield slice(start, start + size)

    def logits(self, hidden: Any) -> Any:
        """Shape (rows, vocabulary), in 32 bits."""
        found = self.layer(hidden).float()
        if self.factor != 1.0:
            found = found * self.factor
        return (found / self.cap).tanh() * self.cap if self.cap else found

    def read(self, hidden: Any, targets: Any, top: int) -> Any:
        """A row per hidden state: log-probability of its target, entropy, ids of the likeliest tokens, theirs."""
        import torch

        shares = self.logits(hidden).log_softmax(-1)
        best = shares.topk(top)
        own = shares.gather(1, targets[:, None])
        entropy = torch.special.entr(shares.exp()).sum(-1, keepdim=True)
        return torch.cat([own, entropy, best.indices.float(), best.values], 1)


def hidden_states(network: Any, ids: Any, mask: Any) -> Any:
    """What the last layer reads, of texts that are padded on the right."""
    return network.base_model(input_ids=ids, attention_mask=mask, use_cache=False).last_hidden_state
