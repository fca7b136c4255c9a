"""One guarded request: each choice is examined, asked for again where the policy wants it, and written back."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

from pydantic_core import to_jsonable_python

from guardrail._log import log
from guardrail.adapting.attempts import Attempts
from guardrail.adapting.changes import Change, Reading, Text, citations
from guardrail.adapting.codec import Choice, Codec, NotReadable
from guardrail.adapting.hearing import Heard, Reports, achecked, checked, note_failure
from guardrail.adapting.json_text import JsonText, is_valid
from guardrail.adapting.reasoning import Reasoning
from guardrail.adapting.summaries import failed, partly, shown_spans, together, untouched
from guardrail.errors import InputError
from guardrail.given import content
from guardrail.given.accepted import Documents, Json
from guardrail.given.citations import citations_of
from guardrail.given.documents import gathered
from guardrail.given.sources import Gathered
from guardrail.guard import Guard
from guardrail.policies.edits import told
from guardrail.report import Case, Verdict
from guardrail.requests import Cited, Message

_MOST_AGAIN = 16
"""How often a service is asked again for the choices of one request that has several: each may want several attempts."""

Try: TypeAlias = tuple[Json, int]  # a body, and which of its choices


@dataclass(frozen=True)
class Settled:
    """What is handed out.

    Attributes:
        body: with the report as `guardrail`.
        summary: the report.
        kept: the body of the attempt that was kept, as it came; the first one where there are several choices.
    """

    body: Json
    summary: Json
    kept: Json


class Exchange:
    """A request and the guard that looks at its answers.

    Args:
        guard: the guard.
        codec: of the protocol.
        request: the body that the application sent.
        context: documents in place of those that the request and the response bring along; `None` = those.
        users: whether documents count that are delimited in a user's message.
        reasoning: what becomes of reasoning that can be read. "check" has it examined by itself: it is shown as it is, or not.
    """

    def __init__(
        self,
        guard: Guard,
        codec: Codec,
        request: Json,
        *,
        context: Documents = None,
        users: bool = False,
        reasoning: Reasoning = "drop",
    ) -> None:
        self._guard = guard
        self._codec = codec
        self._request = request
        self._given = None if context is None else content.documents(context)
        self._users = users
        self._found: tuple[Json | None, Gathered] | None = None
        self._reasoning = reasoning
        self._form = codec.form(request)
        self._bodies: list[Json] = []
        self._latest: tuple[Json, list[Choice]] = ({}, [])
        self._left: int | None = (
            None  # how often the service may still be asked again; `None`: as the policy wants
        )

    def settle(self, first: Json, ask: Callable[[Json], Json]) -> Settled:
        """What to hand out.

        Args:
            first: the body that came.
            ask: sends another request and gives the body that comes; what it raises ends the attempts.

        Raises:
            NotReadable: the body is not of the protocol.
        """
        outcomes: dict[int, _Outcome] = {}
        for choice in self._opened(first):
            if (known := self._unexamined(choice)) is not None:
                outcomes[choice.index] = known
                continue

            def again(feedback: str, index: int = choice.index) -> Try:
                return (self._noted(ask(self._wanted(feedback))), 0) if feedback else (first, index)

            try:
                outcomes[choice.index] = _Outcome(*self._attempts().settle(again))
            except Exception as error:  # noqa: BLE001  # the fail mode says what becomes of the answer
                outcomes[choice.index] = self._failed(error)
        return self.closed(self._settled(first, outcomes))

    async def asettle(self, first: Json, ask: Callable[[Json], Awaitable[Json]]) -> Settled:
        """As `settle`; choices are examined side by side."""

        async def one(choice: Choice) -> _Outcome:
            if (known := self._unexamined(choice)) is not None:
                return known

            async def again(feedback: str) -> Try:
                if not feedback:
                    return first, choice.index
                return self._noted(await ask(self._wanted(feedback))), 0

            try:
                return _Outcome(*await self._attempts().asettle(again))
            except Exception as error:  # noqa: BLE001  # as above
                return self._failed(error)

        choices = self._opened(first)
        if len(choices) == 1:  # as nearly always: no task of its own
            found = [await one(choices[0])]
        else:
            found = await asyncio.gather(*(one(choice) for choice in choices))
        outcomes = {choice.index: one for choice, one in zip(choices, found, strict=True)}
        return await self.aclosed(self._settled(first, outcomes))

    def _opened(self, first: Json) -> list[Choice]:
        """The choices of the body that came."""
        self._bodies = [first]
        choices = self._choices(first)
        self._left = _MOST_AGAIN if len(choices) > 1 else None
        return choices

    def _choices(self, body: Json) -> list[Choice]:
        """The choices of a body; those of the latest one are known."""
        if self._latest[0] is not body:
            self._latest = body, self._codec.choices(body)
        return self._latest[1]

    def decided(self, body: Json, change: Change) -> Settled:
        """What `closed` hands out of a body with one choice, whose report is there already."""
        self._bodies = [body]
        return self._settled(body, {0: _Outcome((body, 0), change)})

    def unfinished(self, body: Json, error: Exception) -> Settled:
        """What `closed` hands out of a body with one choice whose examination failed."""
        self._bodies = [body]
        return self._settled(body, {0: self._failed(error)})

    def closed(self, settled: Settled) -> Settled:
        """What is handed out in the end, with the reasoning that may be shown."""
        return self._heard(settled, checked(self._guard, self._thoughts(settled.body)))

    async def aclosed(self, settled: Settled) -> Settled:
        """As `closed`."""
        return self._heard(settled, await achecked(self._guard, self._thoughts(settled.body)))

    def observe(self, body: Json) -> Json:
        """The report on an answer that has been shown already: the policy does nothing.

        Raises:
            NotReadable: the body is not of the protocol.
        """
        return self._watched(body, checked(self._guard, self._cases(body)))

    async def aobserve(self, body: Json) -> Json:
        """As `observe`."""
        return self._watched(body, await achecked(self._guard, self._cases(body)))

    def _cases(self, body: Json) -> Iterator[tuple[int, Case]]:
        """What is examined of answers that are only watched, with the numbers of their choices."""
        for choice in self._choices(body):
            reading = self._read((body, choice.index)) if choice.text else None
            if reading is not None:
                case = Case.of(
                    reading.text,
                    prompt=self._asked,
                    context=self.documents(body),
                    logprobs=reading.logprobs,
                    citations=citations(reading),
                )
                yield choice.index, case

    def _watched(self, body: Json, reports: Reports[int]) -> Json:
        """The summary of reports whose policy was not applied."""
        found = {}
        for choice in self._choices(body):
            report = reports.get(choice.index)
            if isinstance(report, Exception):
                summary, action = self._failed(report).summary or {}, "flag"
            elif report is None:
                summary, action = untouched("no text"), "pass"
            else:
                clean = report.verdict in {None, Verdict.SUPPORTED}
                summary, action = to_jsonable_python(report.summary()), "pass" if clean else "flag"
            summary = {**summary, "action": action}
            if choice.unread and not isinstance(report, Exception):
                summary = partly(summary, choice.unread)
            found[choice.index] = {**summary, "mode": "observe"}
        return together(found)

    # -- what is examined

    def _unexamined(self, choice: Choice) -> _Outcome | None:
        """What becomes of a choice in which there is no text, or in which something that nobody can read must not be shown."""
        if choice.unread and (not choice.text or self._guard.policy.withholds_unchecked):
            return self._failed(None, choice.unread)
        if not choice.text:
            what = "tool calls" if choice.calls else "a refusal" if choice.refused else "no text"
            return _Outcome(None, None, untouched(what))
        return None

    def _attempts(self) -> Attempts[Try]:
        return Attempts(
            self._guard,
            self._read,
            spent=lambda tried: self._codec.tokens(tried[0]),
            prompt=lambda: self._asked,
            context=lambda _: self.documents(self._bodies[0]),
        )

    def documents(self, body: Json | None = None) -> Gathered:
        """The documents that an answer should rest on.

        Args:
            body: what the service answered so far, whose tools may have found some.
        """
        if self._given is not None:
            return self._given
        if self._found is None or self._found[0] is not body:  # every choice of a body asks
            self._found = body, gathered(request=self._request, response=body, users=self._users)
        return self._found[1]

    @cached_property
    def _asked(self) -> tuple[Message, ...]:
        """What was asked; nothing where the request cannot be read: that is no reason to leave its answer unexamined."""
        try:
            return self._codec.messages(self._request)
        except Exception as error:  # noqa: BLE001  # a request is its client's
            log.warning("request_not_read", error=type(error).__name__)
            return ()

    def _read(self, tried: Try) -> Reading | None:
        body, index = tried
        choice = self._choices(body)[index]
        if choice.unread and self._bodies and body is not self._bodies[0]:
            raise ValueError(f"expected text, got {choice.unread}")  # a first answer is what there is to show
        if not choice.text:
            return None
        reading = self._structured(choice)
        if reading is None or any(one.reads_record(choice.text) for one in self._guard.detectors):
            return Text(choice.text, choice.logprobs, _citations(body, choice))
        return reading if reading.text else None

    def _structured(self, choice: Choice) -> JsonText | None:
        """What a structured answer says; `None` for text, and for an answer that is no JSON after all."""
        if self._form is None or len(choice.places) != 1:
            return None
        return JsonText.within(choice.text)

    def _wanted(self, feedback: str) -> Json:
        """Another request, for one answer.

        Raises:
            InputError: it cannot be asked again, or was often enough; the attempts there are stand.
        """
        if self._left is not None:
            self._left -= 1
            if self._left < 0:
                raise InputError(f"all choices together are asked for again at most {_MOST_AGAIN} times")
        return self._codec.again(self._request, feedback)

    def _noted(self, body: Json) -> Json:
        """A body that was asked for again.

        Raises:
            NotReadable: it has several answers, of which one would be examined.
        """
        if len(self._choices(body)) != 1:
            raise NotReadable("asked for one answer, got another number of them")
        self._bodies.append(body)
        return body

    def _failed(self, error: Exception | None, what: str = "") -> _Outcome:
        """An answer that could not be examined: its fate is the policy's fail mode. Nothing of the answer is logged."""
        name = note_failure(error, what)
        return _Outcome(None, None, failed(name, blocked=self._guard.policy.withholds_unchecked))

    # -- what is handed out

    def _settled(self, first: Json, outcomes: Mapping[int, _Outcome]) -> Settled:
        body, kept, summaries = first, first, {}
        for index, outcome in outcomes.items():
            if outcome.kept is not None and outcome.kept[0] is not first:
                kept = outcome.kept[0] if len(outcomes) == 1 else first
                body = kept if len(outcomes) == 1 else self._codec.substituted(body, index, outcome.kept[0])
            body, summaries[index] = self._written(body, index, outcome)
        summary = together(summaries)
        usages = [one.get("usage") for one in self._bodies]
        return Settled(self._codec.reported(body, summary, usages), summary, kept)

    def _written(self, body: Json, index: int, outcome: _Outcome) -> tuple[Json, Json]:
        change = outcome.change
        if change is None:
            summary = outcome.summary or untouched("tool calls")
            if summary["action"] != "block":
                return body, summary
            return self._withheld(body, index, "withheld_unchecked"), summary
        summary = change.summary
        choice = self._choices(body)[index]
        summary = partly(summary, choice.unread) if choice.unread else summary
        if change.report.blocked:
            return self._codec.blocked(body, index, self._told(change.refusal)), summary
        if not change.changed:
            return body, self._placed(summary, change, choice)
        parts = self._parts(choice, change)
        if parts is None and not change.takes_away:
            note = "marks would make the answer invalid: it is shown without them"
            return body, {**summary, "action": "flag", "note": note}
        if parts is None:
            note = "without its unsupported parts the answer would not be valid JSON of its schema"
            shown = self._withheld(body, index, "withheld_invalid")
            return shown, {**summary, "action": "block", "note": note}
        new = self._codec.edited(body, index, parts, change.taken if change.takes_away else None)
        return new, self._placed(summary, change, choice)

    def _withheld(self, body: Json, index: int, key: str) -> Json:
        """A body in which one of our texts is in the place of an answer."""
        answer, question = self._choices(body)[index].text, Case(answer="", messages=self._asked).question
        phrases = self._guard.policy.phrases(answer, question)
        return self._codec.blocked(body, index, self._told(phrases.of(key)))

    def _told(self, message: str) -> str:
        """A message in the place of an answer; in an object, where JSON is wanted."""
        return message if self._form is None else told(message)

    def _parts(self, choice: Choice, change: Change) -> list[Change] | None:
        """The change of each text block; `None` where the JSON would no longer fit what was asked for."""
        reading = self._structured(choice)
        if reading is None:
            return change.split(choice.places)
        text = change.after if reading.text != change.before else reading.changed(change)
        after = JsonText.within(text)
        if after is None or not self._is_wanted(after.value, reading.value):
            return None
        return [Change(choice.text, text, (), change.report)]

    def _is_wanted(self, value: Any, before: Any) -> bool:
        """Whether an edited value is valid, if it was so before: of a schema that we cannot read in full, that is not known."""
        return is_valid(value, self._form, before=before) or not is_valid(before, self._form, before=before)

    def _thoughts(self, body: Json) -> list[tuple[int, Case]]:
        """The reasoning that is to be examined, with the number of its choice."""
        if self._reasoning != "check":
            return []
        texts, found = self._codec.thoughts(body), self.documents(body)
        return [
            (index, Case.of(text, prompt=self._asked, context=found))
            for index, text in enumerate(texts)
            if text
        ]

    def _heard(self, settled: Settled, reports: Reports[int]) -> Settled:
        """With the reasoning of choices that may be heard. What the examinations cost is added."""
        if self._reasoning == "pass":
            return settled
        heard = Heard.of(self._guard, reports)
        body, summary = self._codec.silent(settled.body, heard.passed), settled.summary
        if heard.calls:
            summary = {**summary, "calls": summary["calls"] + sum(heard.calls.values())}
            body["guardrail"] = dict(summary)
        return Settled(body, summary, settled.kept)

    def _placed(self, summary: Json, change: Change, choice: Choice) -> Json:
        """With the places of findings, where the text that was examined is the one that is shown."""
        same = choice.text == change.before and len(choice.places) == 1
        return {**summary, "spans": shown_spans(change)} if same else summary


@dataclass(frozen=True)
class _Outcome:
    """What was kept of the attempts at a choice, and what is to be done to it."""

    kept: Try | None
    change: Change | None
    summary: Json | None = None


def _citations(body: Json, choice: Choice) -> tuple[Cited, ...]:
    """The service's own citations of an answer."""
    listed = body.get("choices")
    return citations_of(listed[choice.index] if isinstance(listed, list) else body, choice.text)
