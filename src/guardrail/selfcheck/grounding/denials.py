"""What of a sentence is not as its documents have it: a quantity, a quotation, a number or name in the place of another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from guardrail.report import Passage
from guardrail.selfcheck.grounding.copies import Change, Copies
from guardrail.selfcheck.grounding.novelty import plain_words
from guardrail.selfcheck.grounding.substitutes import Substitute, Substitutes
from guardrail.text.known_quantities import Fault, KnownQuantities
from guardrail.text.quotations import KnownTexts, Misquotation
from guardrail.text.typography import normalised

_Found: TypeAlias = Fault | Misquotation | Change | Substitute

SURE = 0.95
"""The least probability that a denied sentence is not supported, where neither is likelier than the other beforehand."""

_SHORT = 2  # letters of words that say nothing
_QUOTED = 200  # characters of a quotation that a reason repeats


@dataclass(frozen=True, slots=True)
class Denial:
    """Why a sentence is not supported whatever a model says, and the places that show it."""

    reason: str
    evidence: tuple[Passage, ...]
    instead: tuple[str, str] | None = None  # what the sentence has and the documents have, where it is one


class Denials:
    """Documents, read once for any number of sentences.

    Args:
        quantities: of the documents.
        copies: the sentences of the documents.
        labels: what a person calls each document.
        asked: what the user said, whose words an answer may quote.
    """

    def __init__(
        self,
        quantities: KnownQuantities,
        copies: Copies,
        *,
        labels: Sequence[str],
        asked: Sequence[str] = (),
    ) -> None:
        self._labels, self._copies = labels, copies
        self._quantities, self._texts = quantities, KnownTexts(quantities.texts, also=asked)
        self._substitutes = Substitutes(copies.sentences, quantities)

    def of(
        self, sentence: str, *, question: str = "", names: bool = False
    ) -> tuple[Denial | None, Denial | None]:
        """What is surely wrong with a sentence, and what may be: a word in the place of another; `None` where nothing is.

        Args:
            sentence: of an answer.
            question: that it answers, if it is no sentence by itself.
            names: whether a name in the place of another is surely wrong; else it is a word.
        """
        asked = f"{question} {sentence}".strip()
        changes = self._copies.changes(self._quantities.respelt(normalised(sentence)))
        sure: list[_Found] = [*self._quantities.faults(normalised(asked)), *self._texts.faults(asked)]
        unsure = {"word"} if names else {"word", "name"}
        sure += [one for one in changes if one.kind not in unsure]
        if not sure and (number := self._substitutes.of(normalised(sentence))):
            sure.append(number)
        return self._denial(sure, sentence), self._denial([one for one in changes if one.kind in unsure])

    def _denial(self, found: Sequence[_Found], sentence: str = "") -> Denial | None:
        if not found:
            return None
        shown = [
            Passage(source=self._labels[one.document - 1], text=one.passage, score=None)
            for one in found
            if one.document
        ]
        pairs = {(one.said, one.known) for one in found}
        single = next(iter(pairs)) if len(pairs) == 1 and _is_exact(found[0], sentence) else None
        reason = "; ".join(dict.fromkeys(map(self._reason, found)))
        return Denial(reason, tuple(dict.fromkeys(shown)), single)

    def _reason(self, one: _Found) -> str:
        if not isinstance(one, Misquotation):
            return f"the documents say {one.known}, not {one.said}"
        said = one.said if len(one.said) <= _QUOTED else f"{one.said[:_QUOTED]}…"
        nearest = f"; {self._labels[one.document - 1]} has '{one.known[:_QUOTED]}'" if one.document else ""
        return f"no document has the quotation '{said}'{nearest}"


def _is_exact(one: _Found, sentence: str) -> bool:
    """Whether what the documents have can be put in the place of what was said: nothing else of the sentence differs from theirs."""
    if isinstance(one, Misquotation) or not one.document:
        return False
    if isinstance(one, Substitute) or (isinstance(one, Fault) and one.kind != "sign"):
        return True
    if isinstance(one, Change) and one.kind != "value":
        return False
    known = {*plain_words(one.passage), *plain_words(one.said)}
    return all(word in known for word in plain_words(normalised(sentence)) if len(word) > _SHORT)
