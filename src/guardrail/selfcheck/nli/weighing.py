"""From what an entailment model said of texts and one sentence to a judgement with its evidence."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from guardrail.engine.flow import why
from guardrail.report import Evidence, Measurement, Passage
from guardrail.requests import Entailment
from guardrail.selfcheck.material import Judged, mean, places_of_worst
from guardrail.selfcheck.nli.premise import Passages, Premise, passages
from guardrail.selfcheck.nli.reading import Piece, Reading, pooled

Kind: TypeAlias = Literal["samples", "context"]
_Place: TypeAlias = tuple[int, Piece]  # of a text, and a part of it

_QUOTES = 3
_SENTENCE = 500  # characters that are quoted of a sentence
_PREMISE = 1_500  # and of a premise put together from some


@dataclass(frozen=True, slots=True)
class Measured:
    """How a reply becomes a number.

    Attributes:
        name: what the finding calls it.
        of: the number, in [0, 1], larger = more likely made up; `None` = undefined.
        by_contradiction: whether a part that contradicts makes it large, or only the lack of one that entails.
    """

    name: str
    of: Callable[[Entailment], float | None]
    by_contradiction: bool


@dataclass(frozen=True, slots=True)
class Seen:
    """One text: what was chosen of it, and what the model said of that."""

    premise: Premise
    reading: Reading


@dataclass(frozen=True, slots=True)
class Weighing:
    """Judges the sentences of one answer by what was said of the same texts.

    Attributes:
        kind: samples count by the mean of their numbers; documents are pooled as if they were one text.
        measured: the number.
        limit: a score of at least this is unsupported.
        labels: what a person calls each text; without them it is called by its number.
    """

    kind: Kind
    measured: Measured
    limit: float = 0.5
    labels: Sequence[str] = ()
    _split: dict[str, Passages] = field(default_factory=dict)  # texts that are quoted, split once

    def judged(self, sentence: str, seen: Sequence[Seen]) -> Judged:
        """The judgement on one sentence by all texts."""
        values = [self._value(one.reading.found) for one in seen]
        known = [value for value in values if value is not None]
        failures = why(failure for one in seen for failure in one.reading.failures)
        if known and self.kind == "context":
            score = self._value(pooled(piece.found for one in seen for piece in one.reading.pieces))
        else:
            score = mean(known)
        if score is None:
            return Judged(
                None,
                self.limit,
                failures
                or f"none of the {'samples' if self.kind == 'samples' else 'documents'} gave a value",
            )
        evidence: list[Evidence] = [
            Measurement(name=self.measured.name, value=score, note="larger = more likely made up"),
            Measurement(name=f"{self.kind} used", value=float(len(known))),
        ]
        reason = ""
        if self.kind == "context" and score < self.limit:
            evidence += self._bearing_out(sentence, seen)
        else:
            reason, place = self._denied(seen) if self.kind == "context" else ("", None)
            evidence += self._speaking_against(sentence, seen, values, place)
        partial = self._partial(seen, values, failures)
        return Judged(score, self.limit, reason, tuple(evidence), len(known), partial)

    def _label(self, number: int) -> str:
        kind = "sample" if self.kind == "samples" else "document"
        return self.labels[number] if self.labels else f"{kind} {number + 1}"

    def _value(self, found: Entailment | None) -> float | None:
        return None if found is None else self.measured.of(found)

    def _partial(self, seen: Sequence[Seen], values: Sequence[float | None], failures: str) -> str:
        """What the score lacks."""
        said = []
        texts = "samples" if self.kind == "samples" else "documents"
        known = sum(value is not None for value in values)
        if failures and known < len(values):
            said.append(f"{known} of {len(values)} {texts}: {failures}")
        elif failures:
            said.append(f"some parts had no reply: {failures}")
        long = [one.reading for one in seen if one.reading.asked < one.reading.of]
        if long:
            asked, there = sum(one.asked for one in long), sum(one.of for one in long)
            said.append(f"{asked} of {there} parts of long texts were read, those most like it")
        if unread := sum(one.reading.unread for one in seen):
            said.append(f"{unread} of {len(seen)} {texts} could not be read to the end")
        if strange := sum(not one.premise.alike for one in seen):
            said.append(f"nothing like it in {strange} of {len(seen)} {texts}: their beginnings were taken")
        read = [one.reading.sentence_read for one in seen if one.reading.sentence_read is not None]
        if read:
            said.append(
                f"the sentence is too long for the model: its first {min(read):,} characters were read"
            )
        return "; ".join(said)

    def _bearing_out(self, sentence: str, seen: Sequence[Seen]) -> list[Passage]:
        """The place that speaks most for the sentence."""
        places = [(number, piece) for number, one in enumerate(seen) for piece in one.reading.pieces]
        number, piece = max(places, key=lambda place: _finite(place[1].found.entailment))
        return [self._quoted(sentence, seen[number], number, piece)]

    def _denied(self, seen: Sequence[Seen]) -> tuple[str, _Place | None]:
        """Whether documents contradict a sentence or say nothing of it, by a three-way model; and where they contradict.

        The part that contradicts most decides: it does where that is likelier than that it leaves the sentence open.
        """
        places = [
            (number, piece)
            for number, one in enumerate(seen)
            for piece in one.reading.pieces
            if piece.found.neutral is not None and math.isfinite(piece.found.contradiction)
        ]
        if not places:
            return "", None
        number, piece = max(places, key=lambda place: place[1].found.contradiction)
        contradiction, neutral = piece.found.contradiction, piece.found.neutral or 0.0
        if contradiction > neutral:
            return f"contradicted by {self._label(number)} (P = {contradiction:.2f})", (number, piece)
        return "not in the documents", None

    def _speaking_against(
        self, sentence: str, seen: Sequence[Seen], values: Sequence[float | None], first: _Place | None
    ) -> list[Passage]:
        """What the texts that speak against the sentence say in its place, that place first if there is one."""
        places = [first] if first else []
        places += (
            (i, max(seen[i].reading.pieces, key=self._decides))
            for i in places_of_worst(values, self.limit)
            if not first or i != first[0]
        )
        return [self._quoted(sentence, seen[i], i, piece) for i, piece in places[:_QUOTES]]

    def _decides(self, piece: Piece) -> float:
        """The number of a text rests on the part for which this is largest."""
        found = piece.found
        return _finite(found.contradiction if self.measured.by_contradiction else found.entailment)

    def _quoted(self, sentence: str, one: Seen, number: int, piece: Piece) -> Passage:
        """A premise that was put together, or the sentence of a part that is most like the one judged."""
        source = self._label(number)
        score = self._value(piece.found)
        text = one.premise.text[piece.start : piece.end]
        if one.premise.spans:
            quote = text if len(text) <= _PREMISE else f"{text[:_PREMISE]}…"
            return Passage(source=source, text=quote, score=score)
        if one.reading.of > 1:
            source += f", characters {piece.start + 1:,} to {piece.end:,}"
        if text not in self._split:
            self._split[text] = passages(text)
        quote = self._split[text].by_words(sentence, 1).text[:_SENTENCE]
        return Passage(source=source, text=quote, score=score)


def _finite(value: float) -> float:
    return value if math.isfinite(value) else -math.inf
