"""A sequence-to-sequence model in this process that writes texts by sampling.

Each text depends on its input and its seed alone, not on the texts that are written in the same batch: every row of a
batch has random numbers of its own (the Gumbel-max trick: the largest of log-probability plus Gumbel noise is a
draw from the distribution).
"""

from __future__ import annotations

import copy
import time
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from guardrail._log import log
from guardrail.backends._local import Device, LocalModel, Precision
from guardrail.backends._texts import network_inputs
from guardrail.backends.batching import batches
from guardrail.backends.forking import fork_safe

if TYPE_CHECKING:
    from tokenizers import Encoding

WRITING_BUDGETS = {"cpu": 8_192, "cuda": 65_536}
"""Tokens per batch, those to be written included, where none is given. More than for reading: every step reads all
weights, however few texts there are. Not measured with true weights."""

_LONGEST = 2_048  # tokens that are read of an input, for models whose positions have no bound
_UNSETTLED = {"temperature": None, "top_k": None, "top_p": None, "typical_p": None, "min_p": None}


class Writer(LocalModel):
    """A sequence-to-sequence model; see `LocalModel`.

    Args:
        model: see `weights.find`.
        temperature: above 0.
        top_k: only the so many likeliest tokens are drawn from; `None` = all.
        most: tokens that are written at the most.
        device: see `LocalModel`, as for the rest.
        precision: "fp32", "bf16" or "int8".
        budget: tokens per batch, those to be written included.
        longest: tokens of an input that are read.
    """

    def __init__(
        self,
        model: str | Path,
        *,
        temperature: float,
        top_k: int | None,
        most: int,
        device: Device = "auto",
        precision: Precision = "fp32",
        budget: int | None = None,
        longest: int | None = None,
    ) -> None:
        super().__init__(
            model, kind="seq2seq", device=device, precision=precision, budget=budget, longest=longest
        )
        if budget is None:
            self.budget = WRITING_BUDGETS[self.device.partition(":")[0]]
        if longest is None and "max_position_embeddings" not in self.config:
            self.wanted_longest = _LONGEST
        self.temperature = temperature
        self.top_k = top_k
        self.most = most

    def tokens(self, text: str) -> Encoding:
        """As `LocalModel.tokens`; a special token that a text spells out is taken apart.

        The words of T5's tokenizer include its special tokens, so it would find them in any text.
        """
        for token in sorted(token for token in self._specials if token in text):
            text = text.replace(token, f"{token[0]} {token[1:]}")
        return super().tokens(text)

    @cached_property
    def _specials(self) -> tuple[str, ...]:
        """Those with a name, and T5's gaps ("<extra_id_0>"), which have none."""
        added = self.tokenizer.get_added_tokens_decoder().values()
        return tuple(token.content for token in added if token.special)

    def write(
        self, inputs: Sequence[Encoding], rows: Sequence[tuple[int, int]]
    ) -> list[tuple[int, ...] | None]:
        """Tokens drawn for each row, without those that begin, end and fill up a text.

        Args:
            inputs: each is read once, however many rows it has.
            rows: per text to write, the number of its input and its seed (128 bits).

        Returns:
            One per row; `None` where the model's outputs are no numbers, or do not fit into the device's memory.
        """
        return fork_safe(lambda: self._write(inputs, rows))

    def _write(
        self, inputs: Sequence[Encoding], rows: Sequence[tuple[int, int]]
    ) -> list[tuple[int, ...] | None]:
        import torch

        network = self.network
        plan = batches([len(inputs[i]) + self.most for i, _ in rows], budget=self.budget)
        found: list[tuple[int, ...] | None] = [None] * len(rows)
        started = time.perf_counter()
        with self._lock, torch.inference_mode():
            states = self._read(network, inputs)
            for group in plan.groups:
                self._some(network, states, [(n, *rows[n]) for n in group], found)
        self._count(plan, time.perf_counter() - started)
        return found

    def _read(self, network: Any, inputs: Sequence[Encoding]) -> list[Any]:
        """The encoder's output for each input: tokens x dimensions."""
        import torch

        states: list[Any] = [None] * len(inputs)
        for group in batches([len(one) for one in inputs], budget=self.budget).groups:
            filled = network_inputs([inputs[i] for i in group], self._pad)
            del filled["token_type_ids"]
            tensors = {name: torch.from_numpy(value).to(self.device) for name, value in filled.items()}
            output = network.get_encoder()(**tensors).last_hidden_state
            for row, i in enumerate(group):
                states[i] = output[row, : len(inputs[i])].clone()  # not a view of the padded whole
        return states

    def _some(
        self,
        network: Any,
        states: Sequence[Any],
        rows: list[tuple[int, int, int]],
        found: list[tuple[int, ...] | None],
    ) -> None:
        """Write a group, or its halves where the whole does not fit."""
        import torch

        try:
            written = self._written(network, [states[i] for _, i, _ in rows], [seed for *_, seed in rows])
        except torch.cuda.OutOfMemoryError:
            if len(rows) == 1:
                log.warning("out_of_memory", model=self.name, tokens=len(states[rows[0][1]]))
                return
            half = len(rows) // 2
            self._some(network, states, rows[:half], found)
            self._some(network, states, rows[half:], found)
            return
        for (n, _, _), tokens in zip(rows, written, strict=True):
            found[n] = tokens

    def _written(
        self, network: Any, states: Sequence[Any], seeds: Sequence[int]
    ) -> list[tuple[int, ...] | None]:
        import torch
        import transformers
        from transformers.modeling_outputs import BaseModelOutput

        hidden = torch.nn.utils.rnn.pad_sequence(list(states), batch_first=True)
        mask = torch.nn.utils.rnn.pad_sequence(
            [torch.ones(len(state), dtype=torch.long, device=self.device) for state in states],
            batch_first=True,
        )
        settings = copy.deepcopy(network.generation_config)
        settings.update(**_UNSETTLED, do_sample=False, num_beams=1, max_new_tokens=self.most, max_length=None)
        draw = _Draw(seeds, self.temperature, self.top_k)
        output = network.generate(
            encoder_outputs=BaseModelOutput(last_hidden_state=hidden),
            attention_mask=mask,
            generation_config=settings,
            logits_processor=transformers.LogitsProcessorList([draw]),
        )
        start = settings.decoder_start_token_id
        ends = settings.eos_token_id
        last = set(ends) if isinstance(ends, list | tuple) else {ends}
        return [
            _bare(row, start, last, self._pad) if whole else None
            for row, whole in zip(output.tolist(), draw.whole, strict=True)
        ]


def _bare(tokens: Sequence[int], start: int | None, ends: set[int | None], pad: int) -> tuple[int, ...]:
    """What stands between the first token and the end."""
    rest = list(tokens[1:] if tokens and tokens[0] == start else tokens)
    stop = next((i for i, token in enumerate(rest) if token in ends), len(rest))
    return tuple(token for token in rest[:stop] if token != pad)


class _Draw:
    """Leaves one token per row: the drawn one. Each row's random numbers are its own."""

    def __init__(self, seeds: Sequence[int], temperature: float, top_k: int | None) -> None:
        import numpy as np

        self._random = [np.random.Generator(np.random.Philox(key=seed)) for seed in seeds]
        self._temperature = temperature
        self._top_k = top_k
        self.whole = [True] * len(seeds)

    def __call__(self, input_ids: Any, scores: Any) -> Any:
        import numpy as np
        import torch

        del input_ids
        size = min(self._top_k or scores.shape[-1], scores.shape[-1])
        values, places = (scores.float() / self._temperature).topk(size)
        for row, good in enumerate(torch.isfinite(values[:, 0]).tolist()):
            self.whole[row] = self.whole[row] and good
        noise = np.stack([random.gumbel(size=size) for random in self._random]).astype(np.float32)
        drawn = (values + torch.from_numpy(noise).to(values.device)).argmax(dim=-1, keepdim=True)
        return torch.full_like(scores, -torch.inf).scatter_(1, places.gather(1, drawn), 0.0)
