"""What of an answer may be released while the model still writes it: sentence by sentence, without any I/O.

Text goes in as it comes (`feed`). `due` says which beginning of it is to be examined next, and `examined` what may be
released now that it was. At the end `finish` makes one review of all steps, and `rest` is what is still to be shown. What
is released is always the beginning of what the policy makes of the whole answer; if that cannot be kept, `rest` says so
instead of showing more.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from guardrail.errors import GuardrailError
from guardrail.policies import Plan, Review
from guardrail.policies.edits import apply
from guardrail.policies.edits.removing import SHORTEST_ECHO
from guardrail.report import Action, Edit, Finding
from guardrail.text.settled import settled

WITHDRAWN = "what was released is not how the answer may begin; nothing more of it was shown"
"""The note in the report of an answer of which nothing more may be shown."""

_LONGEST = 50_000  # characters; of a longer answer the rest waits for the end
_GROWTH = 20  # looked at again once it has grown by a twentieth, so that long answers take linear time
_CROWDED = 200  # findings; each look takes longer the more there are, so from here on the text must grow by a quarter
_CROWDED_GROWTH = 4
_ENDS = re.compile(r"[.!?…。！？｡\n]")


class Withdrawn(GuardrailError):
    """What was released is not the beginning of what may be shown."""


class SentenceStream:
    """One answer that is released sentence by sentence.

    Args:
        policy: of a guard whose scope is "sentence".

    Attributes:
        released: the text that was released so far.
    """

    def __init__(self, policy: Plan) -> None:
        self.released = ""
        self._policy = policy
        self._cuts = policy.cuts
        self._parts: list[str] = []
        self._length = 0
        self._growth = _GROWTH
        self._next = 0  # length from which the text is looked at again
        self._ended_one = False
        self._reached = 0  # how far was examined
        self._shown = 0  # how far of the model's text is behind what was released
        self._frozen: tuple[Finding, ...] = ()
        self._said_in: str | None = None  # the language of what our own words were released in
        self._held = False

    @property
    def text(self) -> str:
        """What came so far."""
        self._parts = ["".join(self._parts)]
        return self._parts[0]

    def feed(self, delta: str) -> None:
        """Take what the model wrote next, in pieces of any size."""
        self._parts.append(delta)
        self._length += len(delta)
        self._ended_one = self._ended_one or _ENDS.search(delta) is not None

    def hold(self) -> None:
        """Release nothing more before the end."""
        self._held = True

    def due(self) -> str | None:
        """The beginning of the answer that is to be examined now; `None` if there is nothing new to examine."""
        if self._held or not self._ended_one or self._length < self._next:
            return None
        if self._length > _LONGEST:
            self.hold()
            return None
        text = self.text
        self._next = self._length + max(1, self._length // self._growth)
        reached = settled(text, cuts=self._cuts, after=self._reached)
        if reached == self._reached:
            return None
        self._reached = reached
        self._ended_one = _ENDS.search(text, reached) is not None
        return text[:reached]

    def examined(self, review: Review) -> str:
        """What may be released, now that the beginning that was due has been examined; it is not given again."""
        prefix = review.case.answer
        if len(review.findings) > _CROWDED:
            self._growth = _CROWDED_GROWTH
        if self._held or review.failures or not self._is_by_sentence(review.findings):
            return ""
        review = self._with_frozen(review)
        decision = self._policy.decide(review)
        if decision.action is Action.BLOCK or apply(prefix, decision.edits) != decision.answer:
            return ""
        end = self._end_of_kept(review, decision.edits) if self._cuts else len(prefix)
        made = [edit for edit in decision.edits if edit.span.end <= end]
        shown = apply(prefix[:end], made)
        if end <= self._shown or not shown.startswith(self.released):
            return ""
        fresh = shown[len(self.released) :]
        self.released, self._shown = shown, end
        if any(edit.replacement for edit in made):
            self._said_in = review.language
        self._frozen = tuple(f for f in review.findings if f.span is not None and f.span.end <= end)
        return fresh

    def finish(self, review: Review) -> Review:
        """The review of the whole answer: about what was released it says what it said then."""
        return self._with_frozen(review)

    def rest(self, answer: str) -> str:
        """What is still to be shown of what the policy made of the whole answer.

        Raises:
            Withdrawn: what was released is not its beginning. Nothing more of it may be shown.
        """
        if not answer.startswith(self.released):
            raise Withdrawn("expected an answer that begins with what was released, got another one")
        return answer[len(self.released) :]

    def _is_by_sentence(self, findings: Sequence[Finding]) -> bool:
        """Whether findings keep to their sentences, as their detectors promise; else nothing more is released."""
        kept = all(
            f.span is not None and (f.span.start >= self._shown or f.span.end <= self._shown)
            for f in findings
        )
        if not kept:
            self.hold()
        return kept

    def _with_frozen(self, review: Review) -> Review:
        """Of what was released the findings of then; with the evidence of now, where nothing else has changed."""
        if not self._shown:
            return review
        review = replace(review, said_in=self._said_in)
        now = {_key(finding): finding for finding in review.findings}
        before = [now.get(_key(finding), finding) for finding in self._frozen]
        later = [f for f in review.findings if f.span is None or f.span.end > self._shown]
        return replace(review, findings=(*before, *later))

    # -- how far

    def _end_of_kept(self, review: Review, edits: Sequence[Edit]) -> int:
        """The end of the last sentence that stays; what nobody judged may still be cut, if something like it is cut later.

        A cut takes blanks around it along, and text that says the same elsewhere, but nothing that was found to stay.
        """
        end = self._shown
        cuts = [edit for edit in edits if edit.span.end > max(edit.span.start, end)]
        for start, stop in self._kept(review, cuts):
            if _unjudged(review.case.answer, end, start, cuts) >= SHORTEST_ECHO:
                break
            end = max(end, stop)
        return end

    def _kept(self, review: Review, cuts: Sequence[Edit]) -> Iterator[tuple[int, int]]:
        """The findings that say something and stay; an answer of marks alone is nothing that could be shown."""
        text = review.case.answer
        spans = sorted((f.span.start, f.span.end) for f in review.findings if f.span is not None)
        for start, stop in spans:
            touched = any(cut.span.start < stop and start < cut.span.end for cut in cuts)
            if start >= self._shown and not touched and any(map(str.isalnum, text[start:stop])):
                yield start, stop


def _unjudged(text: str, start: int, end: int, cuts: Sequence[Edit]) -> int:
    """How many characters between two places are neither blank nor cut."""
    left, position = [], start
    for cut in cuts:
        if cut.span.end > start and cut.span.start < end:
            left.append(text[position : max(position, cut.span.start)])
            position = max(position, cut.span.end)
    left.append(text[position : max(position, end)])
    return sum(len("".join(part.split())) for part in left)


def _key(finding: Finding) -> tuple[object, ...]:
    span = finding.span
    place = None if span is None else (span.start, span.end)
    return finding.detector, place, finding.verdict, finding.label, finding.mark, finding.text
