"""The six policies, and the functions that users write them with."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import ClassVar, Literal, TypeAlias, get_args

from guardrail.errors import ConfigError, UnknownName
from guardrail.given.recognition import shown
from guardrail.options import number, one_of
from guardrail.policies.composition import VerdictPolicy, unchanged
from guardrail.policies.edits import apply, insertions, removals, told_in_json
from guardrail.policies.review import Review
from guardrail.policies.texts import Given, Texts
from guardrail.policies.wording import count_of, failure_mark, feedback, mark, summary, unconfirmed, why
from guardrail.report import Action, Decision, Edit, Finding, Span, Verdict

On: TypeAlias = Verdict | str | Collection[Verdict | str]
What: TypeAlias = Literal["claim", "mark"]
_KNOWN_OTHERWISE = frozenset({Verdict.UNSUPPORTED, Verdict.UNVERIFIED})


@dataclass(frozen=True)
class Flag(VerdictPolicy):
    """Leaves the text; says `FLAG` if something in it is not supported, whatever `on`."""

    edits: ClassVar[bool] = False

    def decide(self, review: Review) -> Decision:
        """The answer as it is."""
        clean = review.verdict in {None, Verdict.SUPPORTED}
        action = Action.PASS if clean else Action.FLAG
        return Decision(action=action, answer=review.case.answer, note="" if clean else summary(review))


@dataclass(frozen=True)
class Annotate(VerdictPolicy):
    """Puts ` [mark]` after the span of each affected finding, and one line at the end for the whole answer.

    In JSON, a mark is a key "guardrail" of the object that it is about.
    """

    def decide(self, review: Review) -> Decision:
        """The answer with marks."""
        affected = self.affected(review)
        failures = review.failures if Verdict.UNVERIFIED in self.on else ()
        if not affected and not failures:
            return unchanged(review)
        phrases = self.phrases(review)
        marks = [mark(finding, phrases) for finding in affected]
        marks += [failure_mark(failure, phrases) for failure in failures]
        edits = insertions(review.case.answer, marks)
        if marks and not edits:  # an array of JSON has no place for a mark
            return Decision(action=Action.FLAG, answer=review.case.answer, note=summary(review))
        return _edited(review, Action.ANNOTATE, edits, f"{count_of(len(edits), 'mark')} added")


@dataclass(frozen=True)
class Correct(VerdictPolicy):
    """Puts right what a detector knows to be otherwise: a year from the record, a number from the source, a mark for the source that says it.

    Only where the evidence is one and certain (`Finding.corrections`), whether or not the finding is an accusation. The policies after it act on
    what is left.
    """

    on: frozenset[Verdict] = _KNOWN_OTHERWISE

    def decide(self, review: Review) -> Decision:
        """The answer with what is known in the place of what is wrong."""
        known = {(one.span, one.replacement): one for f in self.affected(review) for one in f.corrections}
        edits = list(self._undisputed(sorted(known.values(), key=lambda edit: edit.span.start)))
        if not edits:
            return unchanged(review)
        note = f"{count_of(len(edits), 'correction')} made"
        return _edited(review, Action.CORRECT, tuple(edits), note)

    @staticmethod
    def _undisputed(known: Sequence[Edit]) -> Iterator[Edit]:
        """Those of places of which nobody knows something else; in order."""
        until = 0
        for edit, following in zip_longest(known, known[1:]):
            span = edit.span
            if until <= span.start and (following is None or span.end <= following.span.start):
                yield edit
            until = max(until, span.end)


@dataclass(frozen=True)
class Remove(VerdictPolicy):
    """Cuts what is affected, and numbers the rest of a list again.

    A finding on the whole answer leaves nothing to cut: the answer is blocked, as by `block`. Where an answer
    consists of nothing else, a short sentence says so. Everything else that was found stays. A failed detector is no reason to cut or block.

    With `what="mark"`, of a claim that a mark of citation is for only the mark goes, if there is one in the text.
    """

    what: What = "claim"

    def __post_init__(self) -> None:
        one_of("what", self.what, get_args(What))

    def decide(self, review: Review) -> Decision:
        """The answer without what is affected."""
        affected = self.affected(review)
        if not affected:
            return unchanged(review)
        if any(finding.span is None for finding in affected):
            return Block(self.on, texts=self.texts).decide(review)
        marks = {id(f): only for f in affected if (only := self._mark_alone(f)) is not None}
        spans = [
            (marks.get(id(finding), finding.span), why(finding))
            for finding in affected
            if finding.span is not None
        ]
        cut = set(map(id, affected))
        kept = [f.span for f in review.findings if f.span is not None and f.verdict and id(f) not in cut]
        titles = [finding.text for finding in affected if id(finding) not in marks]
        phrases = self.phrases(review)
        empty, list_gone = phrases.of("nothing_left"), phrases.of("list_gone")
        edits = removals(
            review.case.answer,
            spans,
            empty=empty,
            list_gone=list_gone,
            language=review.language,
            titles=titles,
            kept=kept,
        )
        return _edited(
            review, Action.REMOVE, edits, f"{count_of(len(spans), 'finding')} removed from the answer"
        )

    def _mark_alone(self, finding: Finding) -> Span | None:
        """Where the mark of citation is, if nothing else of a finding is to go: its claim may be right, or was not to be cut."""
        shown = finding.attribution
        if shown is None or shown.span.start == shown.span.end:
            return None
        return shown.span if self.what == "mark" or finding.span == shown.span else None

    def _options(self) -> Iterator[str]:
        yield from super()._options()
        if self.what != "claim":
            yield f"what={self.what}"


@dataclass(frozen=True)
class Regenerate(VerdictPolicy):
    """Lets the model try again, up to `times` times; the guard keeps the best attempt (`better`).

    What is still wrong in the best attempt is left to the policies after this one; alone, it is flagged.
    """

    times: int = 1
    needs_whole_answer: ClassVar[bool] = True
    asks_again: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if self.times == 0:
            raise ConfigError("regenerate takes a number of attempts from 1, got 0: write flag()")
        number("times", self.times, least=1, whole=True)

    def feedback(self, review: Review, attempt: int) -> str | None:
        """Names what was rejected, as data, and asks for an answer without it."""
        affected = self.affected(review)
        return feedback(review, affected) if affected and attempt < self.times else None

    def decide(self, review: Review) -> Decision:
        """As `flag`."""
        return Flag().decide(review)

    def _options(self) -> Iterator[str]:
        if self.times != 1:
            yield str(self.times)
        yield from super()._options()


@dataclass(frozen=True)
class Block(VerdictPolicy):
    """Replaces the answer by a message that says how many findings of which kind, and not what they quote.

    In `message`, "{reason}" is that count. Without a message, it is the text "withheld" in the answer's language.
    """

    message: str = ""
    needs_whole_answer: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if not isinstance(self.message, str):
            raise ConfigError(
                f"block takes a message as a text, got {shown(self.message)}: write block('No answer.')"
            )

    def decide(self, review: Review) -> Decision:
        """The message, if anything is affected; a check that failed is something unverified."""
        affected = self.affected(review)
        failed = len(review.failures) if Verdict.UNVERIFIED in self.on else 0
        if not affected and not failed:
            return unchanged(review)
        phrases = self.phrases(review)
        reason = unconfirmed(affected, failed, phrases)
        message = self.message.replace("{reason}", reason) or phrases.of("withheld", reason=reason)
        return blocked(review, message, unconfirmed(affected, failed))

    def _options(self) -> Iterator[str]:
        yield from super()._options()
        if self.message:
            yield f"message={json.dumps(self.message, ensure_ascii=False)}"


def flag() -> Flag:
    """Leave the text, and say in the report that something in it is not supported."""
    return Flag()


def annotate(on: On = Verdict.UNSUPPORTED, *, texts: Given | None = None) -> Annotate:
    """Mark what is affected, in the text and its language: `… [no such work found]`.

    Args:
        on: the verdicts that are affected.
        texts: your own words in the place of ours: `{"no_such_work": "?", "de": {"no_such_work": "gibt es nicht"}}`.

    Raises:
        UnknownName: there is no such verdict, or no text with such a key.
        ConfigError: something is no verdict, or no text.
    """
    return Annotate(verdicts(on), texts=Texts.of(texts))


def correct(on: On = _KNOWN_OTHERWISE) -> Correct:
    """Put right what is known to be otherwise, and leave the rest to the policies after it: `correct() | annotate()`.

    Each correction is an edit of the decision, with what it replaces.
    """
    return Correct(verdicts(on))


def remove(on: On = Verdict.UNSUPPORTED, *, what: What = "claim", texts: Given | None = None) -> Remove:
    """Cut what is affected out of the text; `texts` as of `annotate`.

    Args:
        on: the verdicts that are affected.
        what: "mark" = of a claim with a mark of citation only the mark; all other findings are cut as ever.
        texts: your own words in the place of ours.

    Raises:
        ConfigError: `what` is neither.
    """
    return Remove(verdicts(on), what, texts=Texts.of(texts))


def regenerate(times: int = 1, *, on: On = Verdict.UNSUPPORTED) -> Regenerate:
    """Let the model try again, up to `times` times, and keep the best attempt."""
    return Regenerate(verdicts(on), times)


def block(message: str = "", *, on: On = Verdict.UNSUPPORTED, texts: Given | None = None) -> Block:
    """Withhold the answer; "{reason}" in the message becomes the number and kinds of findings.

    Without a message, the text "withheld" is shown in the answer's language; `texts` as of `annotate`.
    """
    return Block(verdicts(on), message, texts=Texts.of(texts))


def verdicts(on: On) -> frozenset[Verdict]:
    """The verdicts that a user means.

    Raises:
        UnknownName: there is no such verdict.
        ConfigError: something else was given.
    """
    if not isinstance(on, Collection):
        raise ConfigError(f"on= takes verdicts, got {shown(on)}: write on={{'unsupported', 'unverified'}}")
    found = [on] if isinstance(on, str) else list(on)
    for one in found:
        if one not in set(Verdict):
            raise UnknownName("verdict", str(one), [verdict.value for verdict in Verdict])
    return frozenset(map(Verdict, found))


def blocked(review: Review, message: str, reason: str) -> Decision:
    """A message in the answer's place; in an object, where the answer is JSON."""
    return Decision(action=Action.BLOCK, answer=told_in_json(review.case.answer, message), note=reason)


def _edited(review: Review, action: Action, edits: tuple[Edit, ...], note: str) -> Decision:
    if not edits:
        return unchanged(review)
    return Decision(action=action, answer=apply(review.case.answer, edits), edits=edits, note=note)
