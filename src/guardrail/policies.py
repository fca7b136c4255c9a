"""Policies: what to do with an answer, given what the detectors found.

```
policy = regenerate(2) | annotate()            # try again twice; mark what is still not supported
plan = Plan(policy, on_unverified="annotate", fail="open")
parse_policy("regenerate(2) | annotate")       # the same, from a configuration file
```

A policy is pure: it reads a `Review` and returns a `Decision` (and, for `regenerate`, the words with which to
ask again). Each acts on the findings of certain verdicts (`on`, unsupported ones unless told otherwise).
Composed policies act in order on the examined answer: the first that wants another attempt gets it, edits are
merged, the strongest action names the decision, and a block beats all.

A removed or blocked text occurs nowhere in the decision: not in the answer, an edit's reason, or the note.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from statistics import fmean
from typing import ClassVar, Literal, Protocol, TypeAlias, cast

from guardrail.errors import ConfigError, UnknownName
from guardrail.report import Action, Case, Decision, DetectorFailure, Edit, Finding, Verdict, worst
from guardrail.text.edits import Mark, apply, insertions, merge, one_line, plain, removals
from guardrail.text.fence import FENCE_RULE, fence

__all__ = [
    "Annotate",
    "Block",
    "Chain",
    "Flag",
    "Plan",
    "Policy",
    "Regenerate",
    "Remove",
    "Review",
    "annotate",
    "better",
    "block",
    "flag",
    "parse_policy",
    "rank",
    "regenerate",
    "remove",
]

On: TypeAlias = Verdict | Collection[Verdict]
_STRENGTH = {action: i for i, action in enumerate(Action)}
_DEFAULT_MARKS = {
    Verdict.UNVERIFIED: "unverified",
    Verdict.UNSUPPORTED: "not supported",
    Verdict.SUPPORTED: "supported",
}
_LABEL_MARKS = {"fabricated": "no such work found", "misquoted": "details differ from the real work"}
_LISTED_IN_FEEDBACK = 20
BLOCKED = "This answer was withheld: {reason}."


@dataclass(frozen=True)
class Review:
    """One examined answer, before anything is decided."""

    case: Case
    findings: tuple[Finding, ...] = ()
    failures: tuple[DetectorFailure, ...] = ()

    @property
    def verdict(self) -> Verdict | None:
        """The worst over findings and failures; `None` if there was nothing to examine."""
        found = [finding.verdict for finding in self.findings]
        return worst([*found, Verdict.UNVERIFIED] if self.failures else found)

    @cached_property
    def counts(self) -> Counter[Verdict]:
        """How many findings have each verdict; a failed detector counts as one that is unverified."""
        counts = Counter(finding.verdict for finding in self.findings)
        counts[Verdict.UNVERIFIED] += len(self.failures)
        return counts


def rank(review: Review) -> tuple[int, int, bool, float]:
    """A key for the best of several attempts; smaller is better, and of equals the earlier one is kept.

    Fewest unsupported findings, then fewest unverified ones, then the lowest mean score (an attempt in which
    nothing could be scored comes after those with a score).
    """
    scores = [finding.score for finding in review.findings if finding.score is not None]
    mean = fmean(scores) if scores else 0.0
    counts = review.counts
    return counts[Verdict.UNSUPPORTED], counts[Verdict.UNVERIFIED], not scores, mean


def better(a: Review, b: Review) -> bool:
    """Whether attempt `a` is better than `b`; `False` for equals."""
    return rank(a) < rank(b)


class Policy(Protocol):
    """What a guard asks of a policy."""

    @property
    def needs_whole_answer(self) -> bool:
        """Whether nothing may be released before the whole answer was examined."""
        ...

    @property
    def edits(self) -> bool:
        """Whether the text that is shown may differ from the one examined."""
        ...

    def feedback(self, review: Review, attempt: int) -> str | None:
        """What to tell the model before it tries again, or `None` to keep what there is.

        Args:
            review: the latest attempt.
            attempt: how many times the answer was regenerated so far.
        """
        ...

    def decide(self, review: Review) -> Decision:
        """What to show, given the best attempt."""
        ...


@dataclass(frozen=True)
class _Verdicts:
    """What the policies here have in common: the verdicts that they act on, and `|`."""

    on: frozenset[Verdict] = frozenset({Verdict.UNSUPPORTED})

    needs_whole_answer: ClassVar[bool] = False
    edits: ClassVar[bool] = True

    def feedback(self, review: Review, attempt: int) -> str | None:  # noqa: ARG002  # the protocol's
        """Content with what there is."""
        return None

    def affected(self, review: Review) -> list[Finding]:
        """The findings that this policy acts on."""
        return [finding for finding in review.findings if finding.verdict in self.on]

    def __or__(self, other: Policy) -> Chain:
        return Chain.of(cast("Policy", self), other)

    def __str__(self) -> str:
        options = ", ".join(self._options())
        return type(self).__name__.lower() + (f"({options})" if options else "")

    def _options(self) -> Iterator[str]:
        if self.on != frozenset({Verdict.UNSUPPORTED}):
            yield "on=" + "+".join(verdict.value for verdict in Verdict if verdict in self.on)


@dataclass(frozen=True)
class Flag(_Verdicts):
    """Leaves the text; says `FLAG` if something in it is not supported, whatever `on`."""

    edits: ClassVar[bool] = False

    def decide(self, review: Review) -> Decision:
        """The answer as it is."""
        clean = review.verdict in {None, Verdict.SUPPORTED}
        action = Action.PASS if clean else Action.FLAG
        return Decision(action=action, answer=review.case.answer, note="" if clean else _summary(review))


@dataclass(frozen=True)
class Annotate(_Verdicts):
    """Puts ` [mark]` after the span of each affected finding, and one line at the end for the whole answer."""

    def decide(self, review: Review) -> Decision:
        """The answer with marks."""
        marks = [_mark(finding) for finding in self.affected(review)]
        if Verdict.UNVERIFIED in self.on:
            marks += [_failure_mark(failure) for failure in review.failures]
        edits = insertions(review.case.answer, marks)
        return _edited(review, Action.ANNOTATE, edits, f"{_many(len(edits), 'mark')} added")


@dataclass(frozen=True)
class Remove(_Verdicts):
    """Cuts what is affected, and numbers the rest of a list again.

    A finding on the whole answer leaves nothing to cut: the answer is blocked, as by `block`. Where an answer
    consists of nothing else, a short sentence says so. A failed detector is no reason to cut or block.
    """

    def decide(self, review: Review) -> Decision:
        """The answer without what is affected."""
        affected = self.affected(review)
        if any(finding.span is None for finding in affected):
            return Block(self.on).decide(review)
        spans = [(finding.span, _why(finding)) for finding in affected if finding.span is not None]
        edits = removals(review.case.answer, spans)
        return _edited(
            review, Action.REMOVE, edits, f"{_many(len(spans), 'finding')} removed from the answer"
        )


@dataclass(frozen=True)
class Regenerate(_Verdicts):
    """Lets the model try again, up to `times` times; the guard keeps the best attempt (`better`).

    What is still wrong in the best attempt is left to the policies after this one; alone, it is flagged.
    """

    times: int = 1
    needs_whole_answer: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if self.times < 1:
            raise ConfigError(f"regenerate expects at least one more attempt, got {self.times!r}; use flag()")

    def feedback(self, review: Review, attempt: int) -> str | None:
        """Names what was rejected, as data, and asks for an answer without it."""
        affected = self.affected(review)
        return _feedback(review, affected) if affected and attempt < self.times else None

    def decide(self, review: Review) -> Decision:
        """As `flag`."""
        return Flag().decide(review)

    def _options(self) -> Iterator[str]:
        if self.times != 1:
            yield str(self.times)
        yield from super()._options()


@dataclass(frozen=True)
class Block(_Verdicts):
    """Replaces the answer by a message that says how many findings of which kind, and not what they quote.

    In `message`, "{reason}" stands for that count.
    """

    message: str = BLOCKED
    needs_whole_answer: ClassVar[bool] = True

    def decide(self, review: Review) -> Decision:
        """The message, if anything is affected."""
        affected = self.affected(review)
        if not affected:
            return _untouched(review)
        reason = _kinds(affected)
        return _blocked(self.message.replace("{reason}", reason), reason)

    def _options(self) -> Iterator[str]:
        yield from super()._options()
        if self.message != BLOCKED:
            yield f"message={json.dumps(self.message, ensure_ascii=False)}"


@dataclass(frozen=True)
class Chain:
    """Policies in order. Build it with `|`."""

    policies: tuple[Policy, ...]

    @classmethod
    def of(cls, *policies: Policy) -> Chain:
        """One flat chain; policies that differ only in `on` are one policy that acts on both."""
        flat: list[Policy] = []
        for policy in policies:
            for part in policy.policies if isinstance(policy, Chain) else (policy,):
                same = next((i for i, p in enumerate(flat) if _alike(p, part)), None)
                if same is None:
                    flat.append(part)
                elif isinstance(part, _Verdicts):
                    known = cast("_Verdicts", flat[same])
                    flat[same] = cast("Policy", replace(known, on=known.on | part.on))
        return cls(tuple(flat))

    @property
    def needs_whole_answer(self) -> bool:
        """Whether any of them does."""
        return any(policy.needs_whole_answer for policy in self.policies)

    @property
    def edits(self) -> bool:
        """Whether any of them does."""
        return any(policy.edits for policy in self.policies)

    def feedback(self, review: Review, attempt: int) -> str | None:
        """Of the first that wants another attempt."""
        replies = (policy.feedback(review, attempt) for policy in self.policies)
        return next((reply for reply in replies if reply is not None), None)

    def decide(self, review: Review) -> Decision:
        """All of them, in order; what one has cut is not looked at by the next."""
        if not self.policies:
            return _untouched(review)
        decisions: list[Decision] = []
        edits: tuple[Edit, ...] = ()
        remaining = review
        for policy in self.policies:
            decision = policy.decide(remaining)
            decisions.append(decision)
            edits = merge(edits, decision.edits)
            remaining = replace(remaining, findings=tuple(_uncut(remaining.findings, decision.edits)))
        strongest = max(decisions, key=lambda decision: _STRENGTH[decision.action])
        if strongest.action is Action.BLOCK:
            return strongest
        notes = dict.fromkeys(decision.note for decision in decisions if decision.note)
        return Decision(
            action=strongest.action,
            answer=apply(review.case.answer, edits) if edits else strongest.answer,
            edits=edits,
            note="; ".join(notes),
        )

    def __or__(self, other: Policy) -> Chain:
        return Chain.of(self, other)

    def __str__(self) -> str:
        return " | ".join(str(policy) for policy in self.policies)


@dataclass(frozen=True)
class Plan:
    """A policy, and what to do about what could not be checked.

    Attributes:
        policy: for what was found.
        on_unverified: what to do with unverified findings that the policy does not name: "allow" leaves them
            alone, "annotate" marks them, "block" withholds the answer. `None` means "annotate" for a policy
            that edits and "allow" for one that only flags.
        fail: what to do if a detector failed: "closed" withholds the answer, "open" shows it and says so, in
            a line at its end (under "annotate") or in the decision's note.
    """

    policy: Policy
    on_unverified: Literal["allow", "annotate", "block"] | None = None
    fail: Literal["open", "closed"] = "open"

    def __post_init__(self) -> None:
        if self.on_unverified not in {None, "allow", "annotate", "block"}:
            raise UnknownName("on_unverified", str(self.on_unverified), ["allow", "annotate", "block"])
        if self.fail not in {"open", "closed"}:
            raise UnknownName("fail mode", str(self.fail), ["open", "closed"])

    @cached_property
    def whole(self) -> Policy:
        """The policy together with what is done about unverified findings."""
        chosen = self.on_unverified or ("annotate" if self.policy.edits else "allow")
        if chosen == "allow":
            return self.policy
        unverified = frozenset({Verdict.UNVERIFIED})
        return Chain.of(self.policy, Annotate(unverified) if chosen == "annotate" else Block(unverified))

    @property
    def needs_whole_answer(self) -> bool:
        """Whether nothing may be released before the whole answer was examined."""
        return self.whole.needs_whole_answer or self.fail == "closed"

    @property
    def edits(self) -> bool:
        """Whether the text that is shown may differ from the one examined."""
        return self.whole.edits or self.fail == "closed"

    def feedback(self, review: Review, attempt: int) -> str | None:
        """The policy's."""
        return self.whole.feedback(review, attempt)

    def decide(self, review: Review) -> Decision:
        """What to show."""
        decision = self.whole.decide(review)
        if not review.failures or decision.action is Action.BLOCK:
            return decision
        names = ", ".join(dict.fromkeys(one_line(failure.detector, 40) for failure in review.failures))
        reason = f"{_many(len(review.failures), 'check')} could not be finished ({names})"
        if self.fail == "closed":
            return _blocked(BLOCKED.replace("{reason}", reason), reason)
        action = Action.FLAG if decision.action is Action.PASS else decision.action
        note = f"{decision.note}; {reason}" if decision.note else reason
        return decision.model_copy(update={"action": action, "note": note})


# --- what users write ----------------------------------------------------------------------------------------


def flag() -> Flag:
    """Leave the text, and say in the report that something in it is not supported."""
    return Flag()


def annotate(on: On = Verdict.UNSUPPORTED) -> Annotate:
    """Mark what is affected, in the text: `… [no such work found]`."""
    return Annotate(_verdicts(on))


def remove(on: On = Verdict.UNSUPPORTED) -> Remove:
    """Cut what is affected out of the text."""
    return Remove(_verdicts(on))


def regenerate(times: int = 1, *, on: On = Verdict.UNSUPPORTED) -> Regenerate:
    """Let the model try again, up to `times` times, and keep the best attempt."""
    return Regenerate(_verdicts(on), times)


def block(message: str = BLOCKED, *, on: On = Verdict.UNSUPPORTED) -> Block:
    """Withhold the answer; "{reason}" in the message becomes the number and kinds of findings."""
    return Block(_verdicts(on), message)


_NAMES: dict[str, type[_Verdicts]] = {
    "flag": Flag,
    "annotate": Annotate,
    "remove": Remove,
    "regenerate": Regenerate,
    "block": Block,
}
_TERM = re.compile(
    r"\s*(?P<name>\w+)\s*(?:\((?P<arguments>(?:[^()\"]|\"(?:[^\"\\]|\\.)*\")*)\))?\s*(?P<end>\||$)"
)
_ARGUMENT = re.compile(r"\s*(?:(?P<key>\w+)\s*=\s*)?(?P<value>\"(?:[^\"\\]|\\.)*\"|[\w+]+)\s*(?:,|$)")


def parse_policy(text: str) -> Policy:
    """A policy from its written form; `str(policy)` gives that form back.

    Args:
        text: names joined by "|", with arguments in parentheses: `regenerate(2)`,
            `annotate(on=unsupported+unverified)`, `block(message="No.")`.

    Raises:
        UnknownName: no such policy, option or verdict.
        ConfigError: anything else that is not of this form.

    Example:
        >>> str(parse_policy("regenerate(2)|annotate"))
        'regenerate(2) | annotate'
    """
    policies: list[Policy] = []
    position, more = 0, True
    while more:
        match = _TERM.match(text, position)
        if match is None:
            raise ConfigError(
                f"a policy is written like 'regenerate(2) | annotate', got {text!r}; look at {text[position:]!r}"
            )
        policies.append(_term(match.group("name"), match.group("arguments") or ""))
        position, more = match.end(), match.group("end") == "|"
    return policies[0] if len(policies) == 1 else Chain.of(*policies)


def _term(name: str, arguments: str) -> Policy:
    if name not in _NAMES:
        raise UnknownName("policy", name, _NAMES)
    options: dict[str, object] = {}
    position = 0
    readers: dict[str, Callable[[str], object]] = {"on": _read_verdicts}
    if name == "regenerate":
        readers["times"] = _read_count
    if name == "block":
        readers["message"] = _read_string
    while arguments[position:].strip():
        match = _ARGUMENT.match(arguments, position)
        if match is None:
            raise ConfigError(f"{name} expects arguments like on=unverified, got {arguments[position:]!r}")
        key = match.group("key") or (
            "times" if name == "regenerate" else "message" if name == "block" else "on"
        )
        if key not in readers:
            raise UnknownName(f"option of {name}", key, readers)
        if key in options:
            raise ConfigError(f"{name} got {key!r} twice; leave one out")
        options[key] = readers[key](match.group("value"))
        position = match.end()
    return cast("Policy", _NAMES[name](**options))  # type: ignore[arg-type]  # read by key above


def _read_verdicts(value: str) -> frozenset[Verdict]:
    names = value.split("+")
    for name in names:
        if name not in set(Verdict):
            raise UnknownName("verdict", name, [verdict.value for verdict in Verdict])
    return frozenset(Verdict(name) for name in names)


def _read_count(value: str) -> int:
    if not re.fullmatch(r"[0-9]{1,3}", value):
        raise ConfigError(f"regenerate expects a number of attempts, got {value!r}")
    return int(value)


def _read_string(value: str) -> str:
    try:
        text = json.loads(value)
    except ValueError:
        text = None
    if not isinstance(text, str):
        raise ConfigError(f'block expects a message in double quotes, got {value!r}; write message="…"')
    return text


def _verdicts(on: On) -> frozenset[Verdict]:
    return frozenset({on}) if isinstance(on, Verdict) else frozenset(Verdict(verdict) for verdict in on)


def _alike(a: Policy, b: Policy) -> bool:
    if not isinstance(a, _Verdicts) or not isinstance(b, _Verdicts) or type(a) is not type(b):
        return False
    return replace(a, on=b.on) == b


# --- decisions -----------------------------------------------------------------------------------------------


def _untouched(review: Review) -> Decision:
    return Decision(action=Action.PASS, answer=review.case.answer)


def _blocked(message: str, reason: str) -> Decision:
    return Decision(action=Action.BLOCK, answer=message, note=reason)


def _edited(review: Review, action: Action, edits: tuple[Edit, ...], note: str) -> Decision:
    if not edits:
        return _untouched(review)
    return Decision(action=action, answer=apply(review.case.answer, edits), edits=edits, note=note)


def _uncut(findings: Iterable[Finding], edits: tuple[Edit, ...]) -> Iterator[Finding]:
    """The findings whose text an edit has not taken away."""
    cuts = [edit.span for edit in edits if edit.span.end > edit.span.start and edit.why != "numbered again"]
    for finding in findings:
        span = finding.span
        if span is None or not any(cut.start <= span.start and span.end <= cut.end for cut in cuts):
            yield finding


def _mark(finding: Finding) -> Mark:
    text = finding.mark or _LABEL_MARKS.get(finding.label) or _DEFAULT_MARKS[finding.verdict]
    if finding.span is None:
        text = f"the whole answer: {text}"
    return Mark(finding.span, text, _why(finding))


def _failure_mark(failure: DetectorFailure) -> Mark:
    name = one_line(failure.detector, 40)
    return Mark(None, f"unverified: {name} could not be finished", f"{name}: {failure.reason}")


def _why(finding: Finding) -> str:
    return f"{one_line(finding.detector, 40)}: {finding.verdict}"


def _many(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"


def _kinds(findings: Collection[Finding]) -> str:
    """How many of which kind; a label that is more than a word or two is not repeated."""
    counts: Counter[str] = Counter()
    for finding in findings:
        known = re.fullmatch(r"[A-Za-z][A-Za-z -]{0,30}", finding.label)
        told = finding.label.lower() not in (finding.text.lower() or finding.label.lower() + " ")
        counts[finding.label if known and told else finding.verdict.value] += 1
    kinds = ", ".join(f"{count} {kind}" for kind, count in counts.most_common())
    return f"{_many(len(findings), 'part')} of it could not be confirmed ({kinds})"


def _summary(review: Review) -> str:
    counts = review.counts
    parts = [f"{counts[v]} {v.value}" for v in (Verdict.UNSUPPORTED, Verdict.UNVERIFIED) if counts[v]]
    return f"not supported: {', '.join(parts)}"


def _feedback(review: Review, affected: list[Finding]) -> str:
    lines = []
    for finding in affected[:_LISTED_IN_FEEDBACK]:
        text = one_line(finding.span.of(review.case.answer) if finding.span else "", 300)
        what = fence(text) if text else "the answer as a whole"
        lines.append(f"- {what}: {plain(_mark(finding).text)}")
    if len(affected) > _LISTED_IN_FEEDBACK:
        lines.append(f"- and {len(affected) - _LISTED_IN_FEEDBACK} more of the same kind")
    listed = "\n".join(dict.fromkeys(lines))
    return (
        f"Your previous answer was rejected, because these parts of it could not be confirmed. {FENCE_RULE}\n\n"
        f"{listed}\n\n"
        "Answer the question again without them and without repeating the marks. Put nothing in their place "
        "that you are not sure of: fewer items, or saying that you do not know, is better."
    )
