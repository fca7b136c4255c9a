"""The detector: compares each sentence with documents, by an entailment model where there is one, and by counting words.

Read on in this order: options, cost, flow (`judge`), verdict (`_judged`).
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, TypeAlias

from guardrail.backends import EntailPackaged, entailment_installed, packaged_entailment, reads_script
from guardrail.engine.backend import Backend
from guardrail.engine.flow import Answer, Calls, Flow, Reply, compute, each, why
from guardrail.errors import ConfigError
from guardrail.options import option
from guardrail.report import Case, Evidence, Measurement, Passage, Scale
from guardrail.requests import Entailment
from guardrail.selfcheck.base import SentenceCheck, compute_if_long, size_of
from guardrail.selfcheck.grounding.copies import Copies
from guardrail.selfcheck.grounding.denials import SURE, Denial, Denials
from guardrail.selfcheck.grounding.fit import (
    PRIOR,
    answer_probability,
    entailment_features,
    lexical_features,
    packaged_curve,
    probability,
)
from guardrail.selfcheck.grounding.novelty import DocumentWords, Novelty, novelty, plain_words
from guardrail.selfcheck.grounding.premises import MOST, Premise, Premises, lines, readable
from guardrail.selfcheck.grounding.questions import assents, is_plain, statement
from guardrail.selfcheck.languages import spoken_in
from guardrail.selfcheck.material import Judged, Material, clauses, has_text
from guardrail.text.claims import Piece
from guardrail.text.kinds import is_bare_answer
from guardrail.text.typography import normalised

_Replies: TypeAlias = Sequence[tuple[Premise, Reply[Entailment]]]

FITS = ("auto", "entailment", "words")
_QUOTED = 500  # characters of a document that evidence quotes
_NAMED = 5  # numbers and names that are listed
ANSWER = "P(not supported), the whole answer"
"""The measurement by which answers are ranked; see `answer_probability`."""
_WHOLE = "that some sentence is not; at the prior as a share of answers"
_FEW = 3  # words of a short answer that are read with its question
_SURE = 0.8  # P(entailment) from which a short answer counts as supported
_WITNESS = 0.75  # P(contradiction) from which on a word in the place of another surely does not mean the same
_NO_WORD = "the sentence has no word to look for"
_SCRIPT = "the check was made for English text"


@dataclass(frozen=True, slots=True)
class _Prepared:
    """What is known of a claim before a model is asked; a record is shown to none, since models read sentences.

    The hypothesis has the documents' spelling of numbers; a short answer of a few words comes with its question.
    """

    claim: Piece
    hypothesis: str
    counted: Novelty | None
    premises: tuple[Premise, ...]
    partial: str = ""
    denial: Denial | None = None
    doubt: Denial | None = None
    alone: bool = True  # whether the answer claims nothing else
    plain: bool = False  # of a short answer, whether a document says in one clause what was asked
    unlearnt: str = ""  # why only words are compared: of a language that the model does not read

    @property
    def is_read(self) -> bool:
        """Whether the model is asked; of another language it knows a few words that are the same in English."""
        return not self.unlearnt or self.doubt is not None


@dataclass(frozen=True, slots=True)
class _Weighed:
    """Log-odds of a sentence by itself, what the model said of which places, and what is lacking."""

    log_odds: float | None
    read: Sequence[tuple[Premise, Entailment]] = ()
    partial: str = ""


class GroundingCheck(SentenceCheck):
    """Scores each sentence of an answer by the documents of the case (`case.context`): P(not supported).

    Where the packaged entailment model is installed, it reads the places of the documents that are most like the sentence;
    words, numbers and names that no document has count besides. Without it these alone decide, by a fit of their own.
    The signature says which fit it was. A document may be a JSON record.

    The probability is valid where this share of sentences (`prior`) is not supported: .5 in the fit, so that .5 is
    where the evidence speaks neither way. The fit's own threshold is a little above. It was learnt on English.

    An answer in another language than its documents is unverified. If both are in one that is not English, words, numbers
    and names decide alone. Then a sentence is supported only if the documents have each of its words in some form, and
    unsupported only if it also has a number that no document has.
    """

    name: ClassVar[str] = "selfcheck-grounding"
    scale: ClassVar[Scale] = Scale(unit="P(not supported)", sentences=True)
    reads_context = True

    fit: str = option(
        default="auto",
        choices=FITS,
        help="entailment = by the packaged entailment model and by words; words = by words, numbers and names alone, without "
        "a model; auto = the first where that model is installed",
    )
    prior: float = option(
        default=PRIOR,
        above=0,
        most=0.99,
        help="the share of sentences that you expect not to be supported; scores are probabilities at this share",
    )
    digest: str | None = option(default=None, help="the fingerprint that the fit must have; None = any")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.fit == "auto":
            self.fit = "entailment" if entailment_installed() else "words"
        self._fit, self._words = packaged_curve(self.fit), packaged_curve("words")
        if self.digest not in (None, self._fit.fingerprint):
            raise ConfigError(
                f"expected the fit {self.fit!r} with the fingerprint {self.digest!r}, got {self._fit.fingerprint!r}: "
                "install the version of guardrail-sdk that had it, or leave digest= out"
            )
        self.digest = self._fit.fingerprint

    @property
    def needs_documents(self) -> bool:
        """Always: it compares with nothing else."""
        return True

    def backends(self) -> Mapping[str, Backend[Any]]:
        """The packaged entailment model, if its fit is used."""
        return {EntailPackaged.lane: packaged_entailment()} if self.fit == "entailment" else {}

    def cost(self, case: Case) -> Calls:
        """Calls of the entailment model: at least one per different sentence, at most `MOST`."""
        if self.fit != "entailment" or not any(map(has_text, case.context)):
            return {}
        distinct = len(set(self._claims(case)))
        return {EntailPackaged.lane: (0, distinct * MOST)} if distinct else {}

    # -- flow

    def _judge_case(self, case: Case, claims: Sequence[Piece]) -> Flow[tuple[list[Judged], Material]]:
        named = [pair for pair in zip(case.context, case.document_names, strict=True) if has_text(pair[0])]
        texts = tuple(text for text, _ in named)
        empty = len(case.context) - len(texts)
        lacking = f"{empty} of them empty" if empty else ""
        if not texts:
            lacking = f"every one of the {empty} documents is empty" if empty else "there are no documents"
        material = Material(
            texts,
            "context",
            lacking,
            case.answer,
            asked=tuple(message.text for message in case.messages),
            names=tuple(name for _, name in named),
        )
        if not texts:
            return [Judged(None, reason=material.lacking)] * len(claims), material
        return (yield from self.judge(claims, material)), material

    def judge(self, claims: Sequence[Piece], material: Material) -> Flow[list[Judged]]:
        """Judge claims by documents, of which there is at least one with text."""
        found = yield from compute(spoken_in, material.answer, material.texts)
        if found.apart:
            return [Judged(None, reason=found.apart)] * len(claims)
        # a document that is not compared is empty, so that the others keep their numbers
        compared = zip(material.texts, found.compared, strict=True)
        material = replace(material, texts=tuple(text if can else "" for text, can in compared))
        size = size_of(claims, material.texts)
        prepared = yield from compute_if_long(size, _prepared, tuple(claims), material, bool(found.unlearnt))
        partial = [(clauses(found.left_out, one.partial), one) for one in prepared]
        prepared = [replace(one, partial=said, unlearnt=found.unlearnt) for said, one in partial]
        asked = [one.premises if self.fit == "entailment" and one.is_read else () for one in prepared]
        pairs = [(one, premise) for one, own in zip(prepared, asked, strict=True) for premise in own]
        replies = iter(
            (yield from each([EntailPackaged(premise.text, one.hypothesis) for one, premise in pairs]))
        )
        return self._judged(
            [
                (one, [(premise, next(replies)) for premise in own])
                for one, own in zip(prepared, asked, strict=True)
            ],
            material.labels,
        )

    # -- verdict

    def _judged(self, rows: Sequence[tuple[_Prepared, _Replies]], labels: Sequence[str]) -> list[Judged]:
        """All sentences, each by itself; and what that makes of the answer."""
        found = [(one, self._weighed(one, replies)) for one, replies in rows]
        weighed = [(one, _denied(one, said)) for one, said in (_witnessed(*row) for row in found)]
        odds = [one.log_odds for _, one in weighed if one.log_odds is not None]
        whole = answer_probability(odds, self.prior)
        return [self._judged_one(prepared, one, whole, labels) for prepared, one in weighed]

    def _weighed(self, one: _Prepared, replies: _Replies) -> _Weighed:
        """One sentence by what was counted and what the model said; where it said nothing, by words alone."""
        if one.counted is None:
            return _Weighed(None, partial=_NO_WORD)
        if one.claim.form == "record":
            return _Weighed(self._words.log_odds(lexical_features(one.counted)))
        if not one.premises and not one.unlearnt:
            return _Weighed(None, partial=_SCRIPT)
        read = [(premise, reply.value) for premise, reply in replies if isinstance(reply, Answer)]
        read = [(premise, found) for premise, found in read if _is_whole(found)]
        features = lexical_features(one.counted)
        failed = why([reply for _, reply in replies])
        if read and not one.unlearnt:
            features |= entailment_features(read)
            partial = f"{len(read)} of {len(replies)} places were read: {failed}" if failed else ""
            return _Weighed(self._fit.log_odds(features), read, partial)
        partial = one.unlearnt and f"by words alone: {one.unlearnt}"
        if self.fit == "entailment" and not one.unlearnt:
            partial = f"by words alone: {failed or 'the model gave no probability'}"
        return _Weighed(self._words.log_odds(features), read, partial)

    def _judged_one(
        self, one: _Prepared, weighed: _Weighed, whole: float | None, labels: Sequence[str]
    ) -> Judged:
        fit = self._words if one.unlearnt else self._fit
        limit = fit.threshold if self.threshold is None else self.threshold
        if one.counted is None or weighed.log_odds is None:
            return Judged(None, limit, weighed.partial)
        score = probability(weighed.log_odds, self.prior)
        if one.denial:
            score = max(score, limit)
        elif one.claim.form == "short":
            return self._judged_short(one, weighed, labels)
        elif one.unlearnt and (undecided := _undecided(one, one.counted, denied=score >= limit)):
            return Judged(None, limit, f"{undecided}: {one.unlearnt}")
        asked = self.fit == "entailment" and not one.unlearnt and one.claim.form == "sentence"
        if asked and not weighed.read and score < limit:
            return Judged(None, limit, weighed.partial)  # the model was asked in vain: that is never clean
        reason = "" if weighed.read else "the documents have most of its words"
        if score >= limit:
            reason = one.denial.reason if one.denial else _against(one, weighed.read, labels)
        evidence = [
            *(one.denial.evidence if one.denial else ()),
            *_evidence(one.counted, one.premises, weighed.read, labels),
            Measurement(name=ANSWER, value=whole, note=_WHOLE),
        ]
        partial = clauses(one.partial, weighed.partial)
        return Judged(
            score,
            limit,
            reason,
            tuple(evidence),
            partial=partial,
            contradicted=one.denial is not None,
            new_words=one.counted.words,
            instead=one.denial.instead if one.denial else None,
        )

    def _judged_short(self, one: _Prepared, weighed: _Weighed, labels: Sequence[str]) -> Judged:
        """A short answer to a question: supported or not only where that is sure, since the model was made for statements."""
        assert one.counted is not None  # noqa: S101  # the caller has looked
        limit = self._fit.threshold if self.threshold is None else self.threshold
        evidence = tuple(_evidence(one.counted, one.premises, weighed.read, labels))
        entailed = max((found.entailment for _, found in weighed.read), default=0.0)
        denied = max((found.contradiction for _, found in weighed.read), default=0.0)
        if absent := _absent(one.counted):
            return Judged(max(limit, _SURE), limit, absent, evidence)
        said = assents(one.claim.text) if one.hypothesis == statement(one.claim.question) else None
        if said is False:
            entailed, denied = denied, entailed
        if said is not None and denied >= _SURE and entailed < 1 - _SURE:
            return Judged(max(limit, denied), limit, _against(one, weighed.read, labels), evidence)
        bare = said is None and is_bare_answer(one.claim.text)
        if not bare and ((entailed >= _SURE and denied < 1 - _SURE) or (one.plain and denied < _WITNESS)):
            return Judged(min(limit / 2, 1 - entailed), limit, "", evidence)
        if not one.alone and is_bare_answer(one.claim.text):
            return Judged(None, limit, "what follows says what it means", silent=True)
        reason = "a short answer: its words are in the documents, but whether they answer the question could not be decided"
        return Judged(None, limit, reason, evidence)


def _undecided(one: _Prepared, counted: Novelty, *, denied: bool) -> str:
    """Why words alone decide nothing about a claim: some of it is not in the documents and may mean the same; "" if they do."""
    if one.doubt:
        return f"{one.doubt.reason}, which may mean the same"
    if denied and counted.numbers:
        return ""
    if counted.strange:
        return f"{_listed(counted.strange)} in no document"
    return "many of its words are in no document in this form" if denied else ""


def _witnessed(one: _Prepared, weighed: _Weighed) -> tuple[_Prepared, _Weighed]:
    """A claim with a word in the place of another, which the model says is contradicted: so they do not mean the same."""
    if one.doubt is None or one.denial or not weighed.read:
        return one, weighed
    denied = max(found.contradiction for _, found in weighed.read)
    if denied < max(_WITNESS, *(found.entailment for _, found in weighed.read)):
        return one, weighed
    return replace(one, denial=one.doubt), weighed


def _denied(one: _Prepared, weighed: _Weighed) -> _Weighed:
    """What was weighed; of a denied claim at least as doubtful as `SURE`, whatever a model says."""
    if one.denial is None:
        return weighed
    odds = math.log(SURE / (1.0 - SURE))
    return replace(weighed, log_odds=odds if weighed.log_odds is None else max(odds, weighed.log_odds))


def _prepared(claims: Sequence[Piece], material: Material, unlearnt: bool) -> list[_Prepared]:
    texts = material.texts
    written = [readable(text) for text in texts]
    vocabulary, premises = DocumentWords.of(written), Premises(texts)
    copies = Copies(list(zip(premises.sentences, premises.documents, strict=True)))
    denials = Denials(vocabulary.quantities, copies, labels=material.labels, asked=material.asked)
    strange = sum(not any(map(reads_script, lines(text))) for text in texts if text)
    partial = f"{strange} of {len(texts)} documents: {_SCRIPT}" if strange else ""
    known = {word for asked in material.asked for word in plain_words(asked)}
    found = []
    for claim in claims:
        text = vocabulary.rejoined(normalised(claim.text))
        read = claim.form != "record" and reads_script(text)
        best = (
            tuple(one for one in premises.best(f"{claim.question} {text}") if reads_script(one.text))
            if read
            else ()
        )
        asked = f"{claim.question} " if claim.question and len(text.split()) <= _FEW else ""
        polar = statement(claim.question) if assents(text) is not None else ""
        denial, doubt = denials.of(claim.text, question=claim.question, names=unlearnt)
        hypothesis = polar or asked + (vocabulary.quantities.respelt(text) if read else text)
        found.append(
            _Prepared(
                claim,
                hypothesis,
                _counted(text, vocabulary, known, unlearnt),
                best,
                partial,
                denial,
                doubt,
                len(claims) == 1,
                bool(claim.question) and is_plain(claim.question, text, premises.sentences),
            )
        )
    return found


def _counted(text: str, vocabulary: DocumentWords, asked: Collection[str], unlearnt: bool) -> Novelty | None:
    """How much of a claim is new; a name that the question has is no invention of the answer.

    In other languages nouns are capitalised or inflected: only one of which no document has any form is a name that is new.
    """
    counted = novelty(text, vocabulary)
    if counted is None or not counted.names:
        return counted
    names = [name for name in counted.names if not all(word in asked for word in plain_words(name))]
    if unlearnt:
        strange = {word.casefold() for word in counted.strange}
        names = [name for name in names if not strange.isdisjoint(plain_words(name))]
    return replace(counted, names=tuple(names))


def _is_whole(found: Entailment) -> bool:
    """Whether its numbers are probabilities."""
    return 0 <= found.entailment <= 1 and 0 <= found.contradiction <= 1


def _against(one: _Prepared, read: Sequence[tuple[Premise, Entailment]], labels: Sequence[str]) -> str:
    """Why a sentence is not supported, in one clause; a place that speaks of something else contradicts nothing."""
    absent = _absent(one.counted) if one.counted else ""
    against = _contradictor(one, read)
    said = []
    if against is not None:
        said.append(f"contradicted by {labels[against[0].document - 1]} (P = {against[1].contradiction:.2f})")
    if absent:
        said.append(absent)
    return "; ".join(said) or "not in the documents"


def _contradictor(
    one: _Prepared, read: Sequence[tuple[Premise, Entailment]]
) -> tuple[Premise, Entailment] | None:
    """The place that most probably contradicts a claim, if one does and none bears it out as surely."""
    own = set(filter(_says, plain_words(one.hypothesis)))
    near = [row for row in read if not own or own & set(plain_words(row[0].text))]
    against = max(near, key=lambda row: row[1].contradiction, default=None)
    if against is None or against[1].contradiction <= max(0.5, *(row[1].entailment for row in read)):
        return None
    return against


def _says(word: str) -> bool:
    return len(word) > _FEW or word.isdecimal()


def _absent(counted: Novelty) -> str:
    """The numbers and names that no document has; "" if there are none."""
    words = [*counted.numbers, *counted.names]
    return f"{_listed(words)} in no document" if words else ""


def _listed(words: Sequence[str]) -> str:
    listed = ", ".join(f"'{word}'" for word in words[:_NAMED])
    more = f" and {len(words) - _NAMED} more" if len(words) > _NAMED else ""
    return f"{listed}{more} {'is' if len(words) == 1 else 'are'}"


def _evidence(
    counted: Novelty,
    premises: Sequence[Premise],
    read: Sequence[tuple[Premise, Entailment]],
    labels: Sequence[str],
) -> Iterator[Evidence]:
    """The place that bears the sentence out most, the one that contradicts it most, and what is in no document."""
    if read:
        best = max(read, key=lambda pair: pair[1].entailment)
        against = max(read, key=lambda pair: pair[1].contradiction)
        value, denied = best[1].entailment, against[1].contradiction
        yield Measurement(name="P(entailment)", value=value, note="by the place that entails it most")
        if denied > value:
            yield Measurement(
                name="P(contradiction)", value=denied, note="by the place that contradicts it most"
            )
            yield _quoted(against[0], against[1].entailment, labels)
        if denied <= value or against[0] != best[0]:
            yield _quoted(best[0], value, labels)
    elif premises:
        yield _quoted(premises[0], None, labels)
    note = _absent(counted) or "share of the sentence's words"
    yield Measurement(name="words in no document", value=counted.words, note=note)


def _quoted(premise: Premise, score: float | None, labels: Sequence[str]) -> Passage:
    text = premise.text if len(premise.text) <= _QUOTED else f"{premise.text[:_QUOTED]}…"
    return Passage(source=labels[premise.document - 1], text=text, score=score)
