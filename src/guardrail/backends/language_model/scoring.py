"""Scoring the tokens of a text that is given: how it is cut into windows, and how its tokens spell it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Window:
    """One pass.

    Attributes:
        ids: what is read.
        first: the output from which on probabilities are wanted.
        targets: the tokens whose probabilities they are.
        top: how many alternatives to each.
    """

    ids: Sequence[int]
    first: int
    targets: Sequence[int]
    top: int

    def __len__(self) -> int:
        return len(self.ids)


def scoring_windows(
    context: int, text: int, *, longest: int, stride: int, begun: bool = True
) -> list[tuple[int, int, int]]:
    """How a text that may be longer than what the model takes is cut into passes.

    Args:
        context: tokens before the text.
        text: tokens that are to be scored, each once.
        longest: tokens that the model reads at once.
        stride: tokens that each further window scores, 1 to `longest`.
        begun: whether each window starts with a token for the beginning of a text.

    Returns:
        Triples (start, first, end) of positions in context and text together: tokens first..end are scored, each
        after all those from start on. A token has its whole left context, or at least longest − stride tokens.

    Example:
        >>> scoring_windows(2, 5, longest=8, stride=4)
        [(0, 2, 7)]
        >>> scoring_windows(2, 20, longest=8, stride=4)
        [(0, 2, 8), (4, 8, 12), (8, 12, 16), (12, 16, 20), (14, 20, 22)]
    """
    whole = context + text
    reach = longest if begun else longest + 1  # the last token is only predicted, never read
    found = []
    first = context
    while first < whole:
        end = min(whole, max(reach, first + stride))
        found.append((max(0, end - reach), first, end))
        first = end
    return found


def spelling(text: str, offsets: Sequence[tuple[int, int]]) -> list[str]:
    """The text of each token; strung together they are the text.

    What lies between tokens (blanks that a tokenizer strips, characters that it drops) goes to the token behind,
    at the end to the last. Of several tokens that share a character the first has it, the others are empty.

    Example:
        >>> spelling("a 😀 b", [(0, 1), (2, 3), (2, 3), (4, 5)])
        ['a', ' 😀', '', ' b']
    """
    found = []
    done = 0
    for i, (_, offset) in enumerate(offsets):
        end = len(text) if i == len(offsets) - 1 else max(done, offset)
        found.append(text[done:end])
        done = end
    return found
