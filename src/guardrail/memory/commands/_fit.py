"""What `guardrail memory fit` does behind its options: reading texts, asking the model, fitting."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from typing import Any

from guardrail.backends import ComparePackaged, packaged_encoder
from guardrail.cache import Cache
from guardrail.cli._errors import Interrupted, Usage
from guardrail.cli._read import read_text
from guardrail.cli._terminal import patience
from guardrail.engine.drivers import run_sync
from guardrail.engine.flow import Answer, Branch, Failed, Flow, gather, one, why
from guardrail.engine.hub import Hub
from guardrail.engine.run import Run
from guardrail.errors import ConfigError, InputError, ParseError
from guardrail.memory.external import (
    ExternalFit,
    Measured,
    MemoryConsistency,
    chrf,
    learn,
    measure,
    packaged_fit,
)
from guardrail.memory.external.fits import Task
from guardrail.memory.external.flows import ask_again, cleaned
from guardrail.memory.external.measuring import CHRF, Encoder, chosen
from guardrail.memory.external.prompts import source_of, task_of
from guardrail.memory.external.segmentation import Language
from guardrail.memory.external.segmentation import language as language_of
from guardrail.report import Case
from guardrail.requests import Ask


def read_corpus(path: str) -> list[Case]:
    """The cases of a file that are not labelled "invented".

    Raises:
        ParseError: a line is no case.
    """
    found = []
    for number, line in enumerate(read_text(path, "the corpus").split("\n"), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
            context = row.get("context") or row.get("document") or ()
            case = Case.of(row.get("answer") or "", prompt=row.get("question") or "", context=context)
        except (ValueError, TypeError, AttributeError, InputError) as error:
            raise ParseError(
                f"expected a JSON object with document or context, question, answer as texts, got {line[:60]!r}",
                source=path,
                line=number,
            ) from error
        if not case.context and not case.question:
            raise ParseError("expected a document or a question, got none", source=path, line=number)
        if row.get("label") != "invented":
            found.append(case)
    return found


@dataclass(frozen=True, slots=True)
class Setting:
    """What is fitted: cases of one task, in one language, compared by one encoder."""

    cases: Sequence[Case]
    task: Task
    language: Language
    encoder: Encoder
    detector: MemoryConsistency

    @classmethod
    def of(cls, cases: Sequence[Case], rephrasings: int, language: Any, encoder: Any) -> Setting:
        """Of cases that are not invented.

        Raises:
            Usage: there are none, or some are summaries and some are not.
        """
        summaries = {bool(source_of(case)) and not case.question.strip() for case in cases}
        if len(summaries) != 1:
            found = "both" if summaries else "none"
            raise Usage(
                f"expected answers to questions or summaries, got {found}: give questions or summaries alone"
            )
        first = source_of(cases[0]) or cases[0].question
        by = chosen(encoder, first)
        tongue = language_of(first) if language == "auto" else language
        detector = MemoryConsistency(rephrasings=rephrasings, language=tongue, encoder=by)
        return cls(cases, "summary" if summaries == {True} else "answer", tongue, by, detector)


@dataclass(frozen=True, slots=True)
class Row:
    """The source and its rephrasings, with the answer on each."""

    texts: tuple[str, ...]
    responses: tuple[str, ...]


def asked(setting: Setting, chat: Any, cache: str | None) -> tuple[list[Row], list[str]]:
    """The answers on rephrasings; and why there are too few, of rows that have less than two.

    Raises:
        InputError: the model could not be asked at all.
        Interrupted: by Ctrl-C; with a cache the same command goes on where this one stopped.
    """
    store = None if cache is None else Cache(Path(cache).expanduser(), samples=True)
    hub = Hub({"chat": chat, **setting.detector.backends()}, store=store)
    try:
        with patience(f"asking about {len(setting.cases):,} texts"):
            found = run_sync(Run(_all_asked(setting)), hub)
    except KeyboardInterrupt as error:
        kept = "replies are kept: the same command goes on" if cache else "nothing was kept: see --cache"
        raise Interrupted(kept) from error
    if isinstance(found, Failed):
        if isinstance(found.error, ConfigError):
            raise found.error
        raise InputError(f"the model could not be asked: {found}")
    return [one for one in found if isinstance(one, Row)], [
        str(one) for one in found if not isinstance(one, Row)
    ]


def _all_asked(setting: Setting) -> Flow[list[Row | str | Failed]]:
    """All cases at their own speed, in order; one that fails does not stop the others."""
    return (yield from gather(Branch(_asked(case, setting)) for case in setting.cases))


def _asked(case: Case, setting: Setting) -> Flow[Row | str]:
    detector, answer = setting.detector, case.answer
    if not answer.strip():
        messages = task_of(case, source_of(case) or case.question.strip(), language=setting.language)
        reply = yield from one(Ask(messages, temperature=detector.temperature))
        if isinstance(reply, Failed):
            return why([reply])
        answer = cleaned(reply.value.text)
        case = case.model_copy(update={"answer": answer})
    plan = detector.plan(case)
    if isinstance(plan, str):
        return plan
    again = yield from ask_again(plan)
    if len(again.pairs) < 2:
        return f"too few answers to compare with: {again.told}"
    return Row(
        (plan.source, *(pair.rephrasing.text for pair in again.pairs)),
        (answer, *(pair.response for pair in again.pairs)),
    )


def fitted(setting: Setting, rows: Sequence[Row], *, false_alarms: float, source: str) -> ExternalFit:
    """A fit of what was answered.

    T_cq is that of the packaged fit of the same encoder: the rephrasings at hand have passed one already.

    Raises:
        InputError: too few rows.
    """
    by = setting.encoder
    found: list[Measured] = []
    rephrasings: list[float] = []
    with patience(f"comparing the answers of {len(rows):,} rows"):
        for row in rows:
            texts, answers = row.texts, row.responses
            own = _alike([(answers[0], other) for other in answers[1:]], by)
            places = [i for i, value in enumerate(own, 1) if value is not None]
            others = [answers[i] for i in places]
            found.append(
                measure(
                    [texts[0], *(texts[i] for i in places)],
                    [answers[0], *others],
                    _known(own),
                    _known(_alike(list(combinations(others, 2)), by)),
                )
            )
            rephrasings += _known(_alike([(text, texts[0]) for text in texts[1:]], by))
    made = learn(
        found,
        task=setting.task,
        language=setting.language,
        encoder=by,
        compared_by=CHRF if by == "chrf" else packaged_encoder().fingerprint,
        rephrasings=rephrasings,
        false_alarms=false_alarms,
        form="plain" if setting.task == "summary" else "relative",
        relevance=setting.task == "summary",
        provenance={"corpus": source, "command": "guardrail memory fit"},
    )
    known = packaged_fit(setting.task, setting.language, by)
    return made if known is None else replace(made, same_meaning=known.same_meaning)


def _known(values: Sequence[float | None]) -> list[float]:
    return [value for value in values if value is not None]


def _alike(pairs: Sequence[tuple[str, str]], encoder: Encoder) -> list[float | None]:
    """How alike each two are; `None` where one has no words, which is not the same as unlike."""
    if encoder == "chrf":
        return [chrf(*pair) for pair in pairs]
    replies = packaged_encoder().answer([ComparePackaged(*pair) for pair in pairs])
    if lost := next((reply for reply in replies if not isinstance(reply, Answer)), None):
        raise InputError(f"expected texts that the encoder can compare, got: {lost}")
    return [reply.value.f1 for reply in replies if isinstance(reply, Answer)]
