"""Every number that the table rests on, per answer and per sentence: novelty, entailment, labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from benchmarks.grounding.scoring import Pair, Scores
from benchmarks.grounding.sets import Example
from guardrail.requests import Entailment
from guardrail.selfcheck.grounding.fit import entailment_features, lexical_features
from guardrail.selfcheck.grounding.novelty import DocumentWords, novelty, plain_words
from guardrail.selfcheck.grounding.premises import Premise, Premises, readable
from guardrail.selfcheck.nli.premise import passages
from guardrail.text.claims import pieces
from guardrail.text.kinds import Kind
from guardrail.text.typography import normalised

__all__ = ["Measured", "Sentence", "measure", "precision"]


@dataclass(slots=True)
class Sentence:
    """A claim of an answer.

    Attributes:
        text: of it.
        unsupported: its own label where spans are labelled, else the answer's.
        features: `LEXICAL` and `ENTAILMENT`, by name.
        best: 1 − the largest P(entailment) over all premises.
        alone: the same over single sentences.
        shipped: 1 − P(entailment) by the premise of `SelfCheck("nli", premise="top")`.
    """

    text: str
    unsupported: bool
    features: dict[str, float]
    best: float = 1.0
    alone: float = 1.0
    shipped: float = 1.0


@dataclass(slots=True)
class Measured:
    """An answer with its numbers; each baseline is one, larger = less likely supported."""

    example: Example
    sentences: list[Sentence]
    baselines: dict[str, float] = field(default_factory=dict)


@dataclass(slots=True)
class _Read:
    premises: Premises
    vocabulary: DocumentWords
    texts: tuple[str, ...]


def measure(examples: Sequence[Example], scores: Scores) -> list[Measured]:
    """Answers without a word are left out."""
    read: dict[tuple[str, ...], _Read] = {}
    found: list[Measured] = []
    best: list[list[list[Premise]]] = []
    for example in examples:
        if example.documents not in read:
            texts = tuple(map(readable, example.documents))
            read[example.documents] = _Read(Premises(example.documents), DocumentWords.of(texts), texts)
        documents = read[example.documents]
        one = _counted(example, documents.vocabulary)
        if one is not None:
            found.append(one)
            best.append([documents.premises.best(sentence.text) for sentence in one.sentences])
    shipped = [
        [
            passages(read[one.example.documents].texts[0]).by_words(sentence.text).text
            for sentence in one.sentences
        ]
        for one in found
    ]
    _add_entailment(found, best, shipped, scores)
    return found


def _counted(example: Example, vocabulary: DocumentWords) -> Measured | None:
    whole = novelty(example.answer, vocabulary)
    if whole is None:
        return None
    own = []
    for piece in pieces(example.answer):
        text = normalised(piece.text)
        counted = novelty(text, vocabulary) if piece.kind is Kind.CLAIM else None
        if counted is not None:
            start, end = piece.span.start, piece.span.end
            touched = example.spans is not None and any(a < end and start < b for a, b in example.spans)
            label = example.unsupported if example.spans is None else touched
            own.append(Sentence(text, label, lexical_features(counted)))
    return Measured(
        example,
        own,
        {
            "novelty of words": whole.words,
            "novelty of pairs": whole.pairs,
            "novelty of triples": whole.triples,
            "1 − ROUGE-L precision": 1.0 - precision(plain_words(example.answer), vocabulary.words),
            "length": float(whole.length),
            "everything flagged": 0.0,
        },
    )


def precision(words: Sequence[str], reference: Sequence[str]) -> float:
    """ROUGE-L precision: the longest common subsequence, as a share of `words`; in [0, 1], 0 of no words.

    Source: [lin2004]; the subsequence by bits, as in Hyyrö (2004).

    Example:
        >>> precision(["a", "cat", "sat"], ["a", "fat", "cat"])
        0.6666666666666666
    """
    if not words:
        return 0.0
    places: dict[str, int] = {}
    for i, word in enumerate(words):
        places[word] = places.get(word, 0) | 1 << i
    full = (1 << len(words)) - 1
    rest = full
    for word in reference:
        if matched := rest & places.get(word, 0):
            rest = (rest + matched | rest - matched) & full
    return (len(words) - rest.bit_count()) / len(words)


def _add_entailment(
    found: Sequence[Measured],
    best: Sequence[Sequence[Sequence[Premise]]],
    shipped: Sequence[Sequence[str]],
    scores: Scores,
) -> None:
    wanted: dict[Pair, None] = {}
    for one, premises, usual in zip(found, best, shipped, strict=True):
        for sentence, texts, text in zip(one.sentences, premises, usual, strict=True):
            wanted |= dict.fromkeys((premise.text, sentence.text) for premise in texts)
            wanted[text, sentence.text] = None
    said = scores.of(wanted)
    for one, premises, usual in zip(found, best, shipped, strict=True):
        for sentence, texts, text in zip(one.sentences, premises, usual, strict=True):
            _fill(sentence, texts, text, said)
        one.baselines |= _pooled(one.sentences)


def _fill(
    sentence: Sentence, premises: Sequence[Premise], usual: str, said: Mapping[Pair, Entailment]
) -> None:
    read = [(premise, said[premise.text, sentence.text]) for premise in premises]
    if not read:  # a document without a word entails nothing
        read = [(Premise("", "single", 1), Entailment(0.0, 0.0, 1.0))]
    sentence.features |= entailment_features(read)
    sentence.best = 1.0 - max(one.entailment for _, one in read)
    alone = [one.entailment for premise, one in read if premise.kind == "single"]
    sentence.alone = 1.0 - max(alone or [0.0])
    sentence.shipped = 1.0 - said[usual, sentence.text].entailment


def _pooled(own: Sequence[Sentence]) -> dict[str, float]:
    return {
        "entailment as before, largest": max((one.shipped for one in own), default=0.0),
        "entailment as before, mean": sum(one.shipped for one in own) / max(1, len(own)),
        "entailment by one sentence, largest": max((one.alone for one in own), default=0.0),
        "entailment by better premises, largest": max((one.best for one in own), default=0.0),
        "entailment by better premises, mean": sum(one.best for one in own) / max(1, len(own)),
    }
