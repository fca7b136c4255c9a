"""The pairs that training for documents sees: old pairs, so that nothing is forgotten, and pairs of the shape of documents."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from benchmarks.entailment.making.shapes import amounts, records, translations
from benchmarks.entailment.making.shapes.exchanging import CHANGES, COPIES, Change, joined
from benchmarks.entailment.making.shapes.labelled import Labelled
from benchmarks.entailment.making.shapes.texts import Claim
from benchmarks.entailment.pairs import LABELS, UNLABELLED, Pair
from guardrail.selfcheck.grounding.premises import Premises, readable

__all__ = ["COUNTS", "COUNTS_NEW", "COUNTS_OLD", "Sources", "mixture"]

COUNTS: Mapping[str, int] = {
    "again": 7_000,
    "conjunctions": 3_000,
    "passages": 7_000,
    "joined": 2_000,
    "sentences": 7_000,
    "absent": 2_000,
    "records": 4_000,
    "samples": 2_000,
}
"""How many pairs of each kind; claims are taken as often as `_ROUNDS`."""

COUNTS_OLD: Mapping[str, int] = {
    "again": 3_000,
    "conjunctions": 2_000,
    "passages": 4_000,
    "joined": 1_500,
    "sentences": 7_000,
    "absent": 2_500,
    "records": 3_500,
}
"""Those of the multilingual model that the packaged one is asked about, too."""

COUNTS_NEW: Mapping[str, int] = {
    "amounts": 8_000,
    "quotations": 2_500,
    "languages": 3_500,
    "labelled": 6_000,
    "translated": 9_000,
}
"""Those of which the packaged one knows nothing."""

_ROUNDS = 2
_TOKENS = 1_000  # characters of a premise, as a rule
_RIGHT = 0.5  # share of such pairs that are supported
_WIDE = ("three", "five", "together")  # premises that are no single sentence
_SUPPORTED, _OPEN, _INVENTED = (0.95, 0.04, 0.01), (0.03, 0.91, 0.06), (0.02, 0.6, 0.38)
_SHARES = {
    "number": (0.02, 0.18, 0.8),
    "date": (0.02, 0.18, 0.8),
    "negation": (0.02, 0.08, 0.9),
    "name": (0.02, 0.43, 0.55),
    "turned": (0.03, 0.42, 0.55),
    "stronger": (0.1, 0.72, 0.18),
    "unit": (0.02, 0.13, 0.85),
    "magnitude": (0.02, 0.13, 0.85),
    "direction": (0.02, 0.15, 0.83),
    "relation": (0.03, 0.32, 0.65),
    "owner": (0.02, 0.23, 0.75),
    "misquoted": (0.03, 0.47, 0.5),
}


@dataclass(frozen=True, slots=True)
class Sources:
    """What pairs are made of.

    Attributes:
        known: pairs by set, with a teacher's probabilities where there are any.
        conjunctions: labelled pairs of near copies.
        documents: texts, as sentences.
        claims: labelled claims with their documents.
        samples: sentences with what a model said of them: pairs that stay as they are.
        languages: texts of other languages, as sentences.
        labelled: claims that people judged.
        manuals: pages in many languages.
    """

    known: Mapping[str, Sequence[Pair]]
    conjunctions: Sequence[Pair] = ()
    documents: Sequence[Sequence[str]] = ()
    claims: Sequence[Claim] = ()
    samples: Sequence[Pair] = field(default=())
    languages: Sequence[Sequence[str]] = ()
    labelled: Sequence[Labelled] = ()
    manuals: Sequence[translations.Page] = ()


def mixture(sources: Sources, *, seed: int, counts: Mapping[str, int] = COUNTS) -> list[Pair]:
    """One pass in a fixed order; the same seed gives the same pairs."""
    found: list[Pair] = []
    for kind, maker in _MAKERS.items():
        source = random.Random(f"{seed} {kind}")
        stream = maker(sources, source)
        found += [pair for _, pair in zip(range(counts.get(kind, 0)), stream, strict=False)]
    claims = random.Random(f"{seed} claims")
    found += [pair for number in range(_ROUNDS) for pair in _claims(sources.claims, claims, number)]
    random.Random(f"{seed} order").shuffle(found)
    return found


def _pair(premise: str, hypothesis: str, share: tuple[float, float, float]) -> Pair:
    return Pair(premise, hypothesis, UNLABELLED, share)


def _drawn(sources: Sources, source: random.Random) -> Iterator[tuple[str, Pair]]:
    """Known pairs, each set as often as it has pairs, with the name of the set."""
    every = [(name, pair) for name, pairs in sources.known.items() for pair in pairs]
    while every:
        yield source.choice(every)


def _again(sources: Sources, source: random.Random) -> Iterator[Pair]:
    return (pair for _, pair in _drawn(sources, source))


def _conjunctions(sources: Sources, source: random.Random) -> Iterator[Pair]:
    yield from source.sample(list(sources.conjunctions), len(sources.conjunctions))


def _among(lines: Sequence[str], others: Sequence[str], source: random.Random) -> str:
    """The lines in their order among one to six others, which are cut to the length of a premise."""
    room = _TOKENS - sum(map(len, lines))
    found = [(source.random(), line) for line in lines]
    for _ in range(source.choice([1, 1, 2, 3, 4, 6])):
        other = source.choice(others)
        room -= len(other)
        if room < 0:
            break
        found.append((source.random(), other))
    return " ".join(line for _, line in sorted(found))


def _passages(sources: Sources, source: random.Random) -> Iterator[Pair]:
    """A known pair whose premise is one sentence among others: what holds of a part holds of the whole."""
    premises = {name: [pair.premise for pair in pairs] for name, pairs in sources.known.items()}
    for name, pair in _drawn(sources, source):
        yield replace(pair, premise=_among([pair.premise], premises[name], source))


def _share(pair: Pair) -> tuple[float, float, float]:
    if pair.taught is not None:
        return pair.taught
    e, n, c = (0.94 if pair.label == label else 0.03 for label in range(len(LABELS)))
    return e, n, c


def _joined(sources: Sources, source: random.Random) -> Iterator[Pair]:
    """Two hypotheses as one, both premises in one text: it follows if both do."""
    premises = {name: [pair.premise for pair in pairs] for name, pairs in sources.known.items()}
    drawn = _drawn(sources, source)
    for (name, first), (_, second) in zip(drawn, drawn, strict=False):
        (e1, _, c1), (e2, _, c2) = _share(first), _share(second)
        both, neither = e1 * e2, (1 - c1) * (1 - c2)
        share = both, max(0.0, neither - both), 1 - neither
        text = _among([first.premise, second.premise], premises[name], source)
        yield _pair(text, joined(first.hypothesis, second.hypothesis, source), share)


def _window(document: Sequence[str], place: int, source: random.Random, also: int | None = None) -> str:
    """Neighbours of a sentence, from itself alone to seven; `also`, elsewhere, is put where it belongs."""
    size = source.choice([1, 1, 3, 3, 5, 5, 7])
    start = max(0, place - source.randrange(size))
    chosen = (
        set(range(start, min(len(document), start + size)))
        | {place}
        | ({also} if also is not None else set())
    )
    return " ".join(document[i] for i in sorted(chosen))


def _sentences(sources: Sources, source: random.Random) -> Iterator[Pair]:
    """A sentence of a document beside it: as it is, shorter or joined with another; or with one thing changed."""
    documents = sources.documents
    while documents:
        document = source.choice(documents)
        place = source.randrange(len(document))
        sentence, also = document[place], None
        right = source.random() < 0.45
        if right and source.random() < 0.4:
            also = source.choice([i for i in range(len(document)) if i != place])
            text: str | None = joined(sentence, document[also], source)
            share = _SUPPORTED
        elif right:
            text = COPIES[source.choice(["copy", "shorter", "shorter"])](sentence, document, source)
            share = _SUPPORTED
        elif source.random() < 0.15:  # half of it is of another text
            other = source.choice(source.choice(documents))
            first, second = source.sample([sentence, other], 2)
            text = joined(first, second, source) if other not in document else None
            share = _OPEN
        else:
            text, share = _changed(sentence, document, source)
        if text is not None and (text != sentence or right):
            yield _pair(_window(document, place, source, also), text, share)


def _changed(
    sentence: str, document: Sequence[str], source: random.Random
) -> tuple[str | None, tuple[float, float, float]]:
    base = sentence
    if source.random() < 0.4:  # so that shorter is not always right
        base = COPIES["shorter"](sentence, document, source) or sentence
    for kind in source.sample(list(CHANGES), len(CHANGES)):
        text = CHANGES[kind](base, document, source)
        if text is not None and text not in document:
            return text, _SHARES[kind]
    return None, _OPEN


def _absent(sources: Sources, source: random.Random) -> Iterator[Pair]:
    """A sentence beside the rest of its document."""
    while sources.documents:
        document = list(source.choice(sources.documents))
        sentence = document.pop(source.randrange(len(document)))
        if source.random() < 0.5:
            sentence = COPIES["shorter"](sentence, document, source) or sentence
        yield _pair(_window(document, source.randrange(len(document)), source), sentence, _OPEN)


def _claims(claims: Sequence[Claim], source: random.Random, number: int) -> Iterator[Pair]:
    """Labelled claims: beside the whole document, and in the second round beside what a detector would read of it."""
    for claim in claims:
        share = _SUPPORTED if claim.supported else _INVENTED
        text = " ".join(claim.document.split())
        if number % 2:
            read = [
                one.text
                for one in Premises([claim.document]).best(claim.claim)
                if one.kind in ("five", "together")
            ]
            text = source.choice(read) if read else text
            share = (0.85, 0.12, 0.03) if claim.supported else share
        yield _pair(text, claim.claim, share)


def _records(sources: Sources, source: random.Random) -> Iterator[Pair]:
    """Sentences about invented records, beside the record or what a detector would read of it."""
    del sources
    while True:
        made = records.record(source)
        document = records.as_document(made)
        whole, premises = readable(document), Premises([document])
        for sentence, share in list(records.told(made, source))[:4]:
            text = whole
            if source.random() < 0.6:
                read = " ".join(one.text for one in premises.best(sentence))
                text = "\n".join(line for line in premises.sentences if line in read)
            yield _pair(text.replace("\n", " "), sentence, share)


def _changes(
    documents: Sequence[Sequence[str]], kinds: Mapping[str, Change], source: random.Random
) -> Iterator[Pair]:
    """Sentences with one of these things changed; as many that have such a thing are as they are, shorter or spelt otherwise."""
    while documents:
        document = source.choice(documents)
        place = source.randrange(len(document))
        sentence = document[place]
        for kind in source.sample(list(kinds), len(kinds)):
            text, share = kinds[kind](sentence, document, source), _SHARES[kind]
            if text is None or text in (sentence, *document):
                continue
            if source.random() < _RIGHT:
                copies = [amounts.COPIES["spelt"], COPIES["shorter"]]
                right = (copy(sentence, document, source) for copy in source.sample(copies, len(copies)))
                text, share = next((one for one in right if one is not None), sentence), _SUPPORTED
            yield _pair(_window(document, place, source), text, share)
            break


def _amounts(sources: Sources, source: random.Random) -> Iterator[Pair]:
    return _changes(sources.documents, amounts.CHANGES, source)


def _languages(sources: Sources, source: random.Random) -> Iterator[Pair]:
    """The same of texts of other languages; a third are sentences beside the rest of their text, or quotations."""
    made = _changes(sources.languages, amounts.CHANGES, source)
    other = replace(sources, documents=sources.languages)
    beside, quoted = _absent(other, source), _quotations(other, source)
    while sources.languages:
        yield from itertools.islice(made, 4)
        yield from itertools.islice(beside, 1)
        yield from itertools.islice(quoted, 1)


def _quotations(sources: Sources, source: random.Random) -> Iterator[Pair]:
    """Words of a sentence between quotation marks, beside it."""
    while sources.documents:
        document = source.choice(sources.documents)
        place = source.randrange(len(document))
        right = source.random() < 0.5
        text = amounts.QUOTED[right](document[place], document, source)
        if text is not None:
            yield _pair(_window(document, place, source), text, _SUPPORTED if right else _SHARES["misquoted"])


def _translated(sources: Sources, source: random.Random) -> Iterator[Pair]:
    """Claims in one language beside documents in another."""
    shares = {**_SHARES, "translated": _SUPPORTED, "absent": _OPEN}
    for one in translations.beside(sources.manuals, source):
        yield _pair(one.premise, one.hypothesis, shares[one.kind])


def _labelled(sources: Sources, source: random.Random) -> Iterator[Pair]:
    """Judged claims beside what a detector would read; beside one part a supported one is less surely borne out."""
    for one in source.sample(list(sources.labelled), len(sources.labelled)):
        read = [found.text for found in Premises(one.documents).best(one.claim) if found.kind in _WIDE]
        if read:
            supported = one.share[0] > _RIGHT
            yield _pair(source.choice(read), one.claim, (0.85, 0.12, 0.03) if supported else one.share)


def _samples(sources: Sources, source: random.Random) -> Iterator[Pair]:
    yield from source.sample(list(sources.samples), len(sources.samples))


_MAKERS = {
    "again": _again,
    "conjunctions": _conjunctions,
    "passages": _passages,
    "joined": _joined,
    "sentences": _sentences,
    "absent": _absent,
    "records": _records,
    "samples": _samples,
    "amounts": _amounts,
    "quotations": _quotations,
    "languages": _languages,
    "labelled": _labelled,
    "translated": _translated,
}
