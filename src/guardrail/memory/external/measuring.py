"""From texts to numbers: how alike two are, and how consistent and relevant the responses to one source are.

Two texts are compared by BERTScore, or by chrF where no encoder reads the language. Fits are made of what `measure`
says of normal responses, and answers are scored by it.

Source: [memory] eqs. 5 and 7 for BERTScore; chrF [popovic2015], by the library sacrebleu, is ours.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Any, Literal, TypeAlias

from guardrail.backends import ComparePackaged, encoder_installed, reads_script
from guardrail.engine.flow import Answer, Flow, compute, each, why
from guardrail.errors import InputError, MissingExtra
from guardrail.memory.external.formulas import Point, consistency, relative_consistency, relevance
from guardrail.memory.external.segmentation import language, split_sentences, words
from guardrail.requests import Compare
from guardrail.text.bm25 import Collection

Encoder: TypeAlias = Literal["packaged", "guard", "chrf"]
Form: TypeAlias = Literal["plain", "relative"]

CHRF = "sacrebleu chrF, character n-grams of 1 to 6, beta 1"
"""The fingerprint of chrF as it is used here."""

_NAMES = {
    "packaged": "BERTScore F1, all-MiniLM-L6-v2",
    "guard": "BERTScore F1, the guard's encoder",
    "chrf": "chrF1, character n-grams (no encoder)",
}


@dataclass(frozen=True, slots=True)
class Likeness:
    """How alike two texts are: at most 1, `None` where it could not be said, and why."""

    value: float | None
    reason: str = ""


def name_of(encoder: Encoder) -> str:
    """What a finding calls it."""
    return _NAMES[encoder]


def kind_of(encoder: Encoder) -> type[Compare]:
    """The request that asks an encoder how alike two texts are; chrF is asked nothing."""
    return ComparePackaged if encoder == "packaged" else Compare


def chosen(encoder: Encoder | Literal["auto"], text: str) -> Encoder:
    """The encoder for a text: "auto" is the packaged one where it is installed and reads the script, else chrF."""
    if encoder != "auto":
        return encoder
    return "packaged" if encoder_installed() and reads_script(text) else "chrf"


def chrf(first: str, second: str) -> float | None:
    """The character n-gram F-score of two texts, symmetric (β = 1), blanks left out.

    Returns:
        In [0, 1], larger = more alike; `None` where one has neither letter nor digit.

    Raises:
        MissingExtra: sacrebleu is not installed.

    Example:
        >>> chrf("Paris is in France.", "Paris is in France."), chrf("Paris", "...")
        (1.0, None)
    """
    if not (_says(first) and _says(second)):
        return None
    return min(1.0, max(0.0, float(_metric().sentence_score(first, [second]).score) / 100.0))


def likenesses(pairs: Sequence[tuple[str, str]], encoder: Encoder) -> Flow[list[Likeness]]:
    """How alike the texts of each pair are; one that cannot be said has a reason."""
    if encoder == "chrf":
        try:
            values = yield from compute(_chrf_each, tuple(pairs))
        except MissingExtra as error:
            return [Likeness(None, str(error))] * len(pairs)
        return [Likeness(value, "" if value is not None else "no words to compare") for value in values]
    kind = kind_of(encoder)
    replies = yield from each([kind(first, second) for first, second in pairs])
    found = []
    for reply in replies:
        if not isinstance(reply, Answer):
            found.append(Likeness(None, why([reply])))
        elif not math.isfinite(reply.value.f1):
            found.append(Likeness(None, f"the encoder's F1 is {reply.value.f1}"))
        else:
            found.append(Likeness(reply.value.f1))
    return found


def _chrf_each(pairs: Sequence[tuple[str, str]]) -> list[float | None]:
    return [chrf(first, second) for first, second in pairs]


def _says(text: str) -> bool:
    return any(map(str.isalnum, text))


@cache
def _metric() -> Any:
    try:
        from sacrebleu.metrics.chrf import CHRF as Metric  # noqa: N811  # a class, not a constant
    except ImportError as error:
        raise MissingExtra("sacrebleu, which compares texts by character n-grams,", extra="memory") from error
    return Metric(beta=1)


@dataclass(frozen=True, slots=True)
class Measured:
    """What the responses to one source are.

    Attributes:
        consistency: of r_1 with the others; at most 1, `None` where nothing could be compared.
        relative: the same less that of the others among themselves; `None` with fewer than two others.
        relevance: in [0, 1); `None` where no response has a word, or there is no document.
    """

    consistency: float | None
    relative: float | None
    relevance: float | None

    def of(self, form: Form) -> float | None:
        """The consistency in one of its forms."""
        return self.relative if form == "relative" else self.consistency

    def point(self, form: Form = "plain") -> Point | None:
        """Consistency and relevance, where both are known."""
        value = self.of(form)
        return None if value is None or self.relevance is None else (value, self.relevance)


def measure(
    documents: Sequence[str],
    responses: Sequence[str],
    likenesses: Sequence[float],
    among: Sequence[float] = (),
) -> Measured:
    """The numbers of one source with its responses; words are as rare as they are in the sentences of all documents.

    Args:
        documents: q_0 (or q̂_1) and the rephrasings, in the order of the responses.
        responses: r_1, which is in question, and the others.
        likenesses: of r_1 with each of the others.
        among: of each two of the others, in any order.

    Raises:
        InputError: lengths that do not go together.
        MissingExtra: a text is Chinese, and jieba is not installed.
    """
    if len(documents) != len(responses) or len(likenesses) != len(responses) - 1:
        raise InputError(
            "expected a document per response, and a likeness per response but the first, got "
            f"{len(documents)}, {len(responses)}, {len(likenesses)}"
        )
    tongue = language(documents[0])
    cut = partial(words, language=tongue)
    sentences = [cut(one) for text in documents for one in split_sentences(text, language=tongue)]
    found = None
    if any(sentences):
        collection = Collection.of([one for one in sentences if one])
        found = relevance([cut(text) for text in responses], [cut(text) for text in documents], collection)
    return Measured(consistency(likenesses), relative_consistency(likenesses, among), found)
