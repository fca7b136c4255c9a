"""The oracle with models at hand: synonyms by embeddings and entailment, sentences that the lexicon cannot read by a judge."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from guardrail.backends import EntailPackaged
from guardrail.engine.flow import Failed, Flow, each
from guardrail.logic.oracles.goals import goal_of
from guardrail.logic.oracles.graphs import Names, cosine
from guardrail.logic.oracles.stated import knowledge
from guardrail.logic.oracles.truth import Truth
from guardrail.logic.oracles.verdicts import THRESHOLD, Known, Verdict, judge
from guardrail.logic.questions.reply import Reply, parse
from guardrail.requests import Embed
from guardrail.text.triples import Statement
from guardrail.text.triples.asking import ask_statements

__all__ = ["examined"]

_SAID = "This is {}."  # entailment models judge sentences


def examined(
    reply: str | Reply,
    truth: Truth,
    *,
    embeddings: bool = True,
    second_opinion: bool = False,
    model: bool = False,
    threshold: float = THRESHOLD,
    known: Known | None = None,
) -> Flow[Verdict]:
    """The verdict on a reply, as `judge` gives it.

    Args:
        reply: as for `judge`.
        truth: of the question.
        embeddings: whether to ask for embeddings of names that nothing else makes one (`Embed`).
        second_opinion: whether to ask the packaged entailment model about names that embeddings do not make one either:
            they are one if each entails the other, both with P of at least `threshold` (`EntailPackaged`, whose
            backend is `backends.packaged.packaged_entailment()`). What it does to verdicts has not been measured.
        model: whether to ask a judge model for the statements of sentences that were not read (`Ask`).
        threshold: cosine, or P(entailment) both ways, from which two names are one.
        known: as for `judge`.
    """
    read = parse(reply) if isinstance(reply, str) else reply
    found = knowledge(read, truth, goal_of(truth))
    further: list[Statement] = []
    if model and found.unread:
        further = yield from ask_statements(found.unread, _offered(truth), truth.lexicon)
    names = [m.name for one in (*found.statements, *further) for m in (one.subject, one.object)]
    names += [one.subject.name for one in found.dates]
    vectors: dict[str, tuple[float, ...]] = {}
    pairs = Names(truth.aliases, truth.names).open(names)
    if embeddings:
        texts = sorted({text for pair in pairs for text in pair})
        replies = yield from each([Embed(text) for text in texts])
        vectors = {
            text: got.value for text, got in zip(texts, replies, strict=True) if not isinstance(got, Failed)
        }
    mutual: dict[frozenset[str], float] = {}
    if second_opinion:
        apart = [pair for pair in pairs if (_similarity(vectors, *pair) or 0.0) < threshold]
        mutual = yield from _both_ways(apart)
    return judge(
        read,
        truth,
        similarity=lambda one, other: mutual.get(frozenset((one, other)), _similarity(vectors, one, other)),
        threshold=threshold,
        known=known,
        further=further,
    )


def _similarity(vectors: Mapping[str, tuple[float, ...]], one: str, other: str) -> float | None:
    if one not in vectors or other not in vectors:
        return None
    return cosine(vectors[one], vectors[other])


def _both_ways(pairs: Sequence[tuple[str, str]]) -> Flow[dict[frozenset[str], float]]:
    """The smaller P(entailment) of the two ways; nothing of pairs of which one way has none."""
    asked = [(_SAID.format(one), _SAID.format(other)) for one, other in pairs]
    requests = [EntailPackaged(*way) for one, other in asked for way in ((one, other), (other, one))]
    replies = yield from each(requests)
    found: dict[frozenset[str], float] = {}
    for pair, ways in zip(pairs, zip(replies[::2], replies[1::2], strict=True), strict=True):
        shares = [one.value.entailment for one in ways if not isinstance(one, Failed)]
        if len(shares) == 2 and all(map(math.isfinite, shares)):
            found[frozenset(pair)] = min(shares)
    return found


def _offered(truth: Truth) -> list[tuple[str, str]]:
    """The relations of the facts, each with a sentence that says it."""
    names = dict.fromkeys(fact.relation for fact in truth.facts)
    return [(name, truth.relations.of(name).phrase.statement("SUBJECT", "OBJECT")) for name in names]
