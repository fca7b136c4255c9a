"""The tokens of an answer with their log-probabilities, as OpenAI's protocol has them."""

from __future__ import annotations

import bisect
import itertools
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from guardrail.requests import TokenLogprob


def token_logprobs(tokens: Sequence[Mapping[str, Any]]) -> tuple[TokenLogprob, ...]:
    """The entries of `logprobs.content`: {"token", "logprob", "bytes", "top_logprobs"} each.

    Strung together the tokens are the answer, also where one of them ends within a character (`spelt`).

    Raises:
        KeyError, TypeError, ValueError: an entry is no log-probability.
    """
    found = tuple(map(token_logprob, tokens))
    texts = spelt(tokens)
    return tuple(replace(one, token=text) for one, text in zip(found, texts, strict=True)) if texts else found


def token_logprob(one: Mapping[str, Any]) -> TokenLogprob:
    """One entry, spelt as it is listed.

    Raises:
        KeyError, TypeError, ValueError: it is no log-probability.
    """
    top = tuple((str(other["token"]), float(other["logprob"])) for other in one.get("top_logprobs") or ())
    return TokenLogprob(str(one["token"]), float(one["logprob"]), top)


def spelt(tokens: Sequence[Any]) -> list[str]:
    """The tokens' texts by their bytes; none where bytes are not listed or are no text.

    OpenAI writes a token that ends within a character as an escape, which spells nothing, and other services as
    "\ufffd". Here the first of several tokens has the character that they share, and the others are empty.

    Example:
        >>> spelt([{"bytes": [104, 195]}, {"bytes": [169]}])
        ['hé', '']
    """
    try:
        pieces = [bytes([*one["bytes"]]) for one in tokens]  # of a number bytes() would make zeros
        text = b"".join(pieces).decode("utf-8")
    except (KeyError, TypeError, ValueError, OverflowError):
        return []
    ends = [*itertools.accumulate(map(len, pieces))]
    found = [""] * len(pieces)
    place = 0
    for character in text:
        found[bisect.bisect_right(ends, place)] += character
        place += len(character.encode("utf-8"))
    return found
