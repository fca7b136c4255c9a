"""The likeliest ways to read a reference string, each with its probability."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from guardrail.references.bibliography.normalise import normalise
from guardrail.references.bibliography.records import Reference
from guardrail.references.citations.segmentation.decoding import Lattice, runs
from guardrail.references.citations.segmentation.features import features
from guardrail.references.citations.segmentation.fields import YEAR, Stretch, reference_of, stretches_of
from guardrail.references.citations.segmentation.model import FIELDS, Matrix, Model, packaged
from guardrail.references.citations.segmentation.tokens import LONGEST, Token, tokenise
from guardrail.report import Span

__all__ = ["Reading", "readings"]

_TITLE = FIELDS.index("title")
_DATE = FIELDS.index("date")
_DATED = 0.1
"""The least probability to be a date of a year that is taken for one because there is no other."""

_TRIED = 4
"""Stretches tried for each reading asked for: several may give one title, with other punctuation around it."""


@dataclass(frozen=True, slots=True)
class Reading:
    """One way to read a string. Readings of one string differ in their titles.

    Attributes:
        reference: the fields, the likeliest given this title.
        mass: the probability of this title, in [0, 1]; of a reading without a title, that there is none. The masses
            of all readings of a string sum to at most 1.
        marginals: by field, the probability, over all readings, that what it was read from is exactly right (all of
            it and nothing more); of the year, that it is part of a date.
        spans: by field, where it stands in the string.
    """

    reference: Reference
    mass: float
    marginals: Mapping[str, float]
    spans: Mapping[str, tuple[Span, ...]]


def readings(text: str, limit: int = 3, *, model: Model | None = None) -> list[Reading]:
    """Read one reference string, in the likeliest ways.

    Args:
        text: one reference, without commentary; only its first 2,000 characters are read.
        limit: how many readings at most.
        model: another model than the packaged one.

    Returns:
        Readings with different titles, the likeliest first; none for a text without words.

    Raises:
        ConfigError: the packaged weights are absent or damaged.

    Example:
        >>> first, *_ = readings("Turing, A. M. (1950). Computing machinery and intelligence. Mind, 59(236), 433-460.")
        >>> first.reference.title, first.reference.year, first.reference.venue
        ('Computing machinery and intelligence', 1950, 'Mind')
        >>> first.mass > 0.5
        True
    """
    text = text[:LONGEST]
    tokens = tokenise(text)
    if limit < 1 or not any(letter.isalnum() for letter in text):
        return []
    model = model or packaged()
    lattice = Lattice.of(model.scores(features(tokens, model.lexicon)), model.transitions)
    likely, none = lattice.first_runs(_TITLE)
    by_title: dict[str, tuple[tuple[int, int] | None, float]] = {}
    for stretch, mass in [*_likeliest(likely, limit * _TRIED), (None, none)]:
        title = normalise(text[tokens[stretch[0]].start : tokens[stretch[1]].end]) if stretch else ""
        kept, summed = by_title.get(title, (stretch, 0.0))
        by_title[title] = kept, min(summed + mass, 1.0)
    best = sorted(by_title.values(), key=lambda entry: -entry[1])[:limit]
    marginals = lattice.marginals()
    found = []
    for stretch, mass in best:
        if mass > 0.0:
            labelled = _labelled(tokens, lattice.best(_TITLE, stretch))
            chosen = stretches_of(list(labelled))
            if "year" not in chosen and (year := _year(tokens, marginals, chosen)):
                labelled |= year
                chosen["year"] = list(year)
            sure = {
                name: _sure(lattice, marginals, name, [labelled[one] for one in own])
                for name, own in chosen.items()
            }
            sure |= {"title": mass} if "title" in chosen else {}
            spans = {name: tuple(Span(start=s.start, end=s.end) for s in own) for name, own in chosen.items()}
            found.append(Reading(reference_of(text, chosen), mass, sure, spans))
    return found


def _likeliest(likely: Matrix, count: int) -> list[tuple[tuple[int, int], float]]:
    """The likeliest stretches, those that are possible at all."""
    flat = likely.ravel()
    places = np.argsort(-flat, kind="stable")[:count]
    width = likely.shape[1]
    return [
        ((int(place) // width, int(place) % width), float(flat[place]))
        for place in places
        if flat[place] > 0.0
    ]


def _labelled(tokens: Sequence[Token], labels: NDArray[np.intp]) -> dict[Stretch, tuple[int, int, int]]:
    """The stretches of a labelling, each with its field's number and its first and last token."""
    return {Stretch(FIELDS[f], tokens[a].start, tokens[b].end): (f, a, b) for f, a, b in runs(labels)}


def _year(
    tokens: Sequence[Token], marginals: Matrix, chosen: Mapping[str, Sequence[Stretch]]
) -> dict[Stretch, tuple[int, int, int]]:
    """Where no date was read: the year that is the likeliest of all to be one, outside the title and the names."""
    taken = [stretch for name in ("title", "authors") for stretch in chosen.get(name, ())]
    likely = [
        (float(marginals[at, [2 * _DATE, 2 * _DATE + 1]].sum()), at)
        for at, token in enumerate(tokens)
        if YEAR.search(token.text) and not any(s.start <= token.start < s.end for s in taken)
    ]
    sure, at = max(likely, default=(0.0, 0))
    return {Stretch("date", tokens[at].start, tokens[at].end): (_DATE, at, at)} if sure >= _DATED else {}


def _sure(lattice: Lattice, marginals: Matrix, name: str, own: Sequence[tuple[int, int, int]]) -> float:
    """How likely the stretches that a field was read from are right."""
    if name == "year":
        return max(float(marginals[a : b + 1, [2 * f, 2 * f + 1]].sum(axis=1).max()) for f, a, b in own)
    return min(lattice.run(f, a, b) for f, a, b in own)
