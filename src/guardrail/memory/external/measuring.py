"""From texts to the point (consistency, relevance): what fits are made of and what answers are scored by."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from guardrail.errors import InputError
from guardrail.memory.external.consistency import consistency, relative_consistency
from guardrail.memory.external.gaussian import Point
from guardrail.memory.external.relevance import Collection, relevance
from guardrail.memory.external.segmentation import Tokenizer, language, split_sentences, words

__all__ = ["Form", "Measured", "measure", "relevance_of"]


Form: TypeAlias = Literal["plain", "relative"]


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
    *,
    tokenizer: Tokenizer | None = None,
    paper: bool = False,
) -> Measured:
    """The numbers of one source with its responses.

    Args:
        documents: q_0 (or q̂_1) and the rephrasings, in the order of the responses.
        responses: r_1, which is in question, and the others.
        likenesses: of r_1 with each of the others.
        among: of each two of the others, in any order.
        tokenizer: words of a text; by default by its language.
        paper: as `consistency`; relevance is then the plain sum of BM25 too.

    Raises:
        InputError: lengths that do not go together.
        MissingExtra: a text is Chinese, and jieba is not installed.
    """
    if len(documents) != len(responses) or len(likenesses) != len(responses) - 1:
        raise InputError(
            "expected a document per response, and a likeness per response but the first, got "
            f"{len(documents)}, {len(responses)}, {len(likenesses)}"
        )
    return Measured(
        consistency(likenesses, paper=paper),
        relative_consistency(likenesses, among),
        relevance_of(documents, responses, tokenizer=tokenizer, normalised=not paper),
    )


def relevance_of(
    documents: Sequence[str],
    responses: Sequence[str],
    *,
    tokenizer: Tokenizer | None = None,
    normalised: bool = True,
) -> float | None:
    """Eq. 8 on texts, with rarities from the sentences of all documents; `None` where there are no words."""
    tongue = language(documents[0]) if documents else "en"
    cut = tokenizer or (lambda text: words(text, language=tongue))
    sentences = [cut(one) for text in documents for one in split_sentences(text, language=tongue)]
    if not any(sentences):
        return None
    return relevance(
        [cut(text) for text in responses],
        [cut(text) for text in documents],
        Collection.of([one for one in sentences if one]),
        normalised=normalised,
    )
