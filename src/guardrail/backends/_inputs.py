"""Inputs of a local model that are put together from texts and special tokens.

Texts are never read as markup: a "<sep>" that somebody wrote is text, the one between two pieces is the token.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from guardrail.backends._local import LocalModel

if TYPE_CHECKING:
    from tokenizers import Encoding


def mark(model: LocalModel, text: str) -> Encoding:
    """A separator as the model reads it: one of its special tokens, else the tokens of that text."""
    for name in ("sep_token", "bos_token", "cls_token", "eos_token"):
        token = model.special(name)
        if token is not None and token.tokens == [text]:
            return token
    return model.tokens(text)


def joined_input(
    model: LocalModel, pieces: Sequence[Encoding], *, cut: int, second: Encoding | None = None
) -> Encoding:
    """One input of the model: the pieces one behind the other, and a second text, with the special tokens.

    Args:
        model: whose tokenizer frames it.
        pieces: in their order.
        cut: which piece loses its end where all are more than the model takes.
        second: the other text of a pair.
    """
    from tokenizers import Encoding

    tokenizer = model.tokenizer
    fixed = sum(len(piece) for i, piece in enumerate(pieces) if i != cut) + len(second or ())
    room = model.longest - tokenizer.num_special_tokens_to_add(second is not None) - fixed
    parts = [Encoding.merge([piece]) for piece in pieces]  # copies: cutting changes an encoding
    over = len(parts[cut]) > room
    if over:
        parts[cut].truncate(max(0, room))
    whole = tokenizer.post_process(Encoding.merge(parts), second)
    if over or any(piece.overflowing for piece in pieces):
        model.count_truncated()
    return whole
