"""Grey-box: how sure was the model of its own tokens?

Source: [manakul2023] §3.1 and Appendix A.1, eq. 13: H is 2 to the entropy in bits, so it counts how many tokens
seemed about equally likely. Over the alternatives that the model's interface gives (the paper had five), or over the
whole vocabulary where the tokens say their entropy, as those of a local model do.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import ClassVar, Literal, TypeAlias

from guardrail.detector import Scope
from guardrail.engine.flow import Answer, Calls, Flow, compute, one, why
from guardrail.options import option
from guardrail.report import Case, Measurement, Scale, Span
from guardrail.requests import ScoreTokens, TokenLogprob
from guardrail.selfcheck.base import SentenceCheck
from guardrail.selfcheck.material import Judged, Material
from guardrail.text.claims import Piece

LIMITS = {
    ("logprob", "mean"): 0.7,
    ("logprob", "max"): 4.0,
    ("entropy", "mean"): 2.0,
    ("entropy", "max"): 5.0,
}
"""Default thresholds: nats, or tokens about equally likely. Round figures, not fitted: nobody recorded the
log-probabilities that the paper used."""

_MOST_BITS = 64.0  # no vocabulary is as large as that
_LEAST, _ROUNDING = (
    -1e6,
    1e-3,
)  # what lies outside is no log-probability (services say −9999 for "hardly ever")

Quantity: TypeAlias = Literal["logprob", "entropy"]


def surprisal(token: TokenLogprob) -> float | None:
    """−log p in nats, 0 or more; `None` where it is no log-probability: NaN, infinite, or above 0."""
    return max(0.0, -token.logprob) if _LEAST <= token.logprob <= _ROUNDING else None


def entropy(token: TokenLogprob) -> float | None:
    """H of eq. 13: 1 or more; `None` if neither entropy nor alternatives are given, or one is no number.

    The entropy of the whole vocabulary counts where it is given. The alternatives' probabilities are taken as they
    are: what they lack to 1 is not shared out.

    Example:
        >>> round(entropy(TokenLogprob("a", math.log(0.5), (("a", math.log(0.5)), ("b", math.log(0.5))))), 6)
        2.0
    """
    if token.entropy is not None:
        return _choices(token.entropy / math.log(2))
    if not token.top:
        return None
    bits = 0.0
    for _, logprob in token.top:
        if not logprob <= _ROUNDING:  # NaN, too
            return None
        if logprob > -math.inf:  # p log p → 0
            bits -= math.exp(logprob) * logprob / math.log(2)
    return _choices(max(0.0, bits))


def _choices(bits: float) -> float | None:
    return max(1.0, math.pow(2.0, bits)) if -_ROUNDING <= bits <= _MOST_BITS else None


def score(
    tokens: Sequence[TokenLogprob], quantity: Quantity, statistic: Literal["max", "mean"]
) -> float | None:
    """The mean or the largest −log p or H of a sentence's tokens; `None` if one is undefined, or without tokens."""
    values = [surprisal(t) if quantity == "logprob" else entropy(t) for t in tokens]
    known = [value for value in values if value is not None]
    if not known or len(known) < len(values):
        return None
    return max(known) if statistic == "max" else math.fsum(known) / len(known)


def aligned_tokens(
    answer: str, tokens: Sequence[TokenLogprob], spans: Sequence[Span]
) -> list[list[TokenLogprob]] | None:
    """The tokens of each span of the answer; one that reaches over an edge belongs to both sides.

    Tokens without any text of a span's (blanks between sentences) belong to none. One without text completes a
    character that the token before it began, and belongs where that character is. `None` if the tokens, strung
    together, do not contain the answer; blanks at its end, which a file has and a model did not write, do not count.
    """
    spelt = "".join(token.token for token in tokens)
    answer = answer.rstrip()
    offset = spelt.find(answer)
    if offset < 0 or not answer:
        return None
    found: list[list[TokenLogprob]] = [[] for _ in spans]
    start = -offset
    first = 0
    last: int | None = None  # the span of the character before
    for token in tokens:
        end = start + len(token.token)
        if end == start:
            if last is not None:
                found[last].append(token)
            continue
        last = None
        while first < len(spans) and spans[first].end <= start:
            first += 1
        for i in range(first, len(spans)):
            if spans[i].start >= end:
                break
            if token.token[max(0, spans[i].start - start) : spans[i].end - start].strip():
                found[i].append(token)
                if end <= spans[i].end and token.token[-1].strip():
                    last = i
        start = end
    return found


def context(case: Case) -> str:
    """What a proxy reads before the answer: the messages' texts, each with an empty line behind it."""
    return "".join(f"{message.text}\n\n" for message in case.messages)


_ALTERNATIVES = 5  # per token, as many as the paper had: for a proxy that tells no entropy
_NO_ALTERNATIVES = "a token has no alternatives, so no entropy"
_NO_NUMBER = "a token's log-probability is no finite number of at most 0"
_NOTHING = "no token of the sentence has a log-probability"


class GreyBoxCheck(SentenceCheck):
    """Scores sentences by the answer's own token log-probabilities (`case.logprobs`).

    Those of a proxy, another model that can be read, may stand in for the model's own: given in the case, or with
    `proxy=True` asked of the backend for "language_model" (`CausalModel`, say) where the case has none. What it is given
    as context are the texts of the case's messages, each with an empty line behind it. In the paper proxies did worse
    than the model itself, most of them little better than chance, and the entropy better than −log p; the thresholds
    are not fitted to any. The default thresholds are `LIMITS`.
    """

    name: ClassVar[str] = "selfcheck-greybox"
    scale: ClassVar[Scale] = Scale(
        most=None, unit="nats, or equally likely tokens", meaning="larger = less sure", sentences=True
    )

    proxy: bool = option(
        default=False,
        help="ask another model for log-probabilities if the case has none; False = ask no model",
    )
    quantity: Quantity = option(
        default="logprob",
        help="logprob = −log p in nats; entropy = H of eq. 13, which needs alternatives per token",
    )
    statistic: Literal["max", "mean"] = option(default="max", help="over the tokens of a sentence")

    @property
    def reach(self) -> Scope:
        """The whole answer where a proxy reads it: it would read it again with each sentence."""
        return "answer" if self.proxy else super().reach

    def cost(self, case: Case) -> Calls:
        """The proxy's one call, if there is anything to ask it."""
        asks = self.proxy and not case.logprobs and bool(self._claims(case))
        return {ScoreTokens.lane: (1, 1)} if asks else {}

    def _judge_case(self, case: Case, claims: Sequence[Piece]) -> Flow[tuple[list[Judged], Material]]:
        nothing = Material()
        tokens, lacking = case.logprobs, "there are no log-probabilities of the answer's tokens"
        whose = "the model"
        if not tokens and self.proxy:
            reply = yield from one(ScoreTokens(context(case), case.answer, _ALTERNATIVES))
            whose = "the proxy"
            if isinstance(reply, Answer):
                tokens = reply.value
            else:
                lacking = f"{lacking}, and no proxy gave any: {why([reply])}"
        if not tokens:
            return [Judged(None, reason=lacking)] * len(claims), Material(lacking=lacking)
        groups = yield from compute(aligned_tokens, case.answer, tokens, [claim.span for claim in claims])
        if groups is None:
            reason = "the tokens with log-probabilities do not spell the answer"
            return [Judged(None, reason=reason)] * len(claims), nothing
        return [self._judge_one(group, whose) for group in groups], nothing

    def _judge_one(self, found: Sequence[TokenLogprob], whose: str) -> Judged:
        limit = LIMITS[self.quantity, self.statistic] if self.threshold is None else self.threshold
        value = score(found, self.quantity, self.statistic)
        if value is None:
            without = self.quantity == "entropy" and any(
                not token.top and token.entropy is None for token in found
            )
            return Judged(None, limit, _NO_ALTERNATIVES if without else _NO_NUMBER if found else _NOTHING)
        of_token = surprisal if self.quantity == "logprob" else entropy
        least = max(found, key=lambda token: of_token(token) or 0.0)
        what = "−log p" if self.quantity == "logprob" else "H"
        evidence = (
            Measurement(name=f"{what}, {self.statistic}", value=value, note="larger = less sure"),
            Measurement(
                name=f"{what} of {least.token[:40]!r}", value=of_token(least), note="the least sure token"
            ),
        )
        sure = "was not" if value >= limit else "was"
        return Judged(value, limit, f"{whose} {sure} sure of its words", evidence)

    def _mark(self, other: str) -> str:
        del other
        return "a language model was not sure of this" if self.proxy else "the model was not sure of this"
