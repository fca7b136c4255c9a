"""By what word a network of transformers takes what it keeps of the tokens before."""

import functools

import pytest
from tests.unit.backends.models import needs_local

from guardrail.backends.networks import memory_name


def wrapped(forward):
    """As transformers decorates: the signature is that of what is inside."""

    @functools.wraps(forward)
    def outer(*args, **kwargs):
        return forward(*args, **kwargs)

    return outer


class Now:
    @wrapped
    def forward(self, input_ids=None, cache=None, use_cache=None, **kwargs):
        pass


class Before:
    @wrapped
    def forward(self, input_ids=None, past_key_values=None, use_cache=None, **kwargs):
        pass


class Untold:
    def forward(self, *args, **kwargs):
        pass


@pytest.mark.parametrize(
    ("kind", "name"), [(Now, "cache"), (Before, "past_key_values"), (Untold, "past_key_values")]
)
def test_memory_name(kind, name):
    """Since transformers 5.24 "cache"; the former word where a network does not name the present one."""
    assert memory_name(kind()) == name


def test_of_the_library_installed():
    """The word that it found is one that the network's forward pass has."""
    needs_local()
    import torch
    import transformers

    config = transformers.GPT2Config(n_layer=1, n_head=1, n_embd=4, vocab_size=8, n_positions=8)
    network = transformers.GPT2Model(config).eval()
    name = memory_name(network)
    with torch.inference_mode():
        kept = network(input_ids=torch.tensor([[1, 2]]), use_cache=True)[name]
        network(input_ids=torch.tensor([[3]]), use_cache=True, **{name: kept})
    assert kept.get_seq_length() == 3
