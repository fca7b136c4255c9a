"""What a choice of `/completions` says: a text with its stop, the likeliest next tokens, a prompt's log-probabilities.

Log-probabilities come in two forms: parallel lists (`tokens`, `token_logprobs`, `top_logprobs`, `text_offset`;
OpenAI, vLLM), or one entry per token as in chat completions (`content`; llama.cpp).
"""

from __future__ import annotations

import bisect
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from guardrail.requests import Outcomes

_BLANKS = str.maketrans("Ġ▁", "  ")  # as vocabularies spell a leading blank
_ESCAPE = "bytes:"  # before a token that is a part of a character


def stopped(choice: Mapping[str, Any], stops: Sequence[str]) -> str:
    """The text with the stop that ended it.

    Raises:
        KeyError, TypeError: the choice has no text.
    """
    text = choice["text"] or ""
    ends = [at + len(stop) for stop in stops if stop and (at := text.find(stop)) >= 0]
    if ends:  # the service sends it, or it was looked for here
        return str(text[: min(ends)])
    if choice.get("finish_reason") != "stop" or len(stops) != 1:
        return str(text)
    for name in (
        "stop_reason",
        "matched_stop",
    ):  # vLLM, SGLang: the stop's text; else the model ended the text
        if name in choice:
            return f"{text}{choice[name]}" if choice[name] in stops else str(text)
    return f"{text}{stops[0]}"


def distribution(
    choice: Mapping[str, Any],
    top: int,
    labels: Sequence[str],
    tokenize: Callable[[str], Sequence[str]] | None = None,
) -> Outcomes | None:
    """The likeliest next tokens; `None` if there are none.

    Args:
        choice: with log-probabilities.
        top: how many were asked for. Of more, which are the drawn token, the least likely are left out: what is not listed
            is less likely than all that is.
        labels: whose first outcome is looked for.
        tokenize: from a label to its tokens; see `first_outcome`.

    Raises:
        KeyError, TypeError, ValueError: these are no log-probabilities.
    """
    ranked = sorted(_alternatives(choice), key=lambda one: -one[2])[:top]
    found: dict[str, tuple[str, float]] = {}
    for name, text, logprob in ranked:
        if math.isnan(logprob):
            raise ValueError(f"expected log-probabilities, got {logprob!r} for {name!r}")
        found.setdefault(name, (text, math.exp(min(0.0, logprob))))
    if not found:
        return None
    texts = [text for text, _ in found.values()]
    begun = tuple(first_outcome(label, texts, tokenize) for label in labels)
    return Outcomes(tuple(found), tuple(p for _, p in found.values()), begun)


def first_outcome(
    label: str, texts: Sequence[str], tokenize: Callable[[str], Sequence[str]] | None = None
) -> int | None:
    """Which of the listed tokens a label begins with; `None` if none of them.

    With a tokenizer the one that is the label's first token; else the longest that the label starts with, by which
    the tokenizers of language models cut, as a rule. Services that list no token with a leading blank leave it out, so it
    is left out of the label too. Of equal texts the first, which is the likeliest.

    Example:
        >>> first_outcome(" positive", [" negative", " p", " pos", ""])
        2
        >>> first_outcome(" positive", [" negative", " posit"], lambda label: [" pos", "itive"]) is None
        True
    """
    told = [text.translate(_BLANKS) for text in texts]
    if not any(text[:1].isspace() and text.strip() for text in told):
        label = label.lstrip()
    if tokenize is not None:
        first = next((text for token in tokenize(label) if (text := token.translate(_BLANKS))), "")
        wanted = {first, first.lstrip()} if label == label.lstrip() else {first}
        return next((i for i, text in enumerate(told) if text and text in wanted), None)
    fitting = [i for i, text in enumerate(told) if text and label.startswith(text)]
    return max(fitting, key=lambda i: (len(told[i]), -i), default=None)


def _alternatives(choice: Mapping[str, Any]) -> Iterator[tuple[str, str, float]]:
    """(a name of its own, text, log-probability) of each alternative of the first token."""
    logprobs = choice.get("logprobs") or {}
    if content := logprobs.get("content"):
        for one in content[0].get("top_logprobs") or ():
            yield _name(one), str(one["token"]), float(one["logprob"])
        return
    tops = logprobs.get("top_logprobs") or ()
    for token, logprob in ((tops[0] if tops else None) or {}).items():
        yield token, token, float(logprob)


def _name(one: Mapping[str, Any]) -> str:
    """What tells a token from others of the same text: its number, or its bytes."""
    if one.get("id") is not None:
        return f"{one['id']}:{one['token']}"
    if one.get("bytes"):
        return bytes(one["bytes"]).decode("utf-8", "backslashreplace")
    return str(one["token"])


def mean_logprob(choice: Mapping[str, Any], context: str, continuation: str) -> float | str | None:
    """The mean log-probability per token of a continuation that was echoed.

    Returns:
        In nats, at most 0; `None` if the prompt's tokens are not listed; a text if they are and cannot be read, saying why.

    Raises:
        KeyError, TypeError, ValueError: these are no log-probabilities.
    """
    logprobs = choice.get("logprobs") or {}
    if content := logprobs.get("content"):
        tokens, logs = [str(one["token"]) for one in content], [one["logprob"] for one in content]
        offsets: Sequence[int] = ()
    else:
        tokens, logs = list(logprobs.get("tokens") or ()), list(logprobs.get("token_logprobs") or ())
        offsets = logprobs.get("text_offset") or ()
    prompt = context + continuation
    begins = _begins(tokens, offsets, prompt)
    if begins is None:
        return None
    start, end = begins[0] + len(context), begins[0] + len(prompt)
    first, last = (bisect.bisect_left(begins[1], place) for place in (start, end))
    edges = [*begins[1], begins[1][-1] + len(tokens[-1])]
    if edges[first] != start or edges[last] != end or first == last:
        return f"a token of the model reaches over an end of the continuation {continuation!r:.80}"
    found = logs[first:last]
    if any(one is None for one in found):
        return "nothing comes before the first token: give a context"
    values = [float(one) for one in found]
    if not all(map(math.isfinite, values)):
        return f"the service returned a log-probability that is not a number: {values!r:.80}"
    return min(0.0, math.fsum(values) / len(values))


def _begins(tokens: Sequence[str], offsets: Sequence[int], prompt: str) -> tuple[int, list[int]] | None:
    """Where the prompt begins among the tokens, and each token; `None` if they are not the prompt's.

    A token for the beginning of a text may stand before it. Where tokens are parts of characters and told as escapes, their
    texts are not the prompt's, and the service's own offsets are taken.
    """
    places, at = [], 0
    for token in tokens:
        places.append(at)
        at += len(token)
    where = "".join(tokens).find(prompt) if tokens else -1
    if where >= 0:
        return where, places
    if not tokens or len(offsets) != len(tokens):
        return None
    if offsets[0] != 0 or offsets[-1] + len(tokens[-1]) < len(prompt):  # not echoed, or not all of it
        return None
    same = all(
        token.startswith(_ESCAPE) or prompt[at:].startswith(token)
        for at, token in zip(offsets, tokens, strict=True)
        if at < len(prompt)
    )
    return (0, list(offsets)) if same else None
