"""`MemoryConsistency`: does the answer stay the same when the source is rephrased?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import Any, ClassVar, Literal

from guardrail.backends import ComparePackaged, encoder_installed, packaged_encoder
from guardrail.detector import Detector, Resource, Scope
from guardrail.engine.backend import Backend
from guardrail.engine.flow import Calls, Flow, compute
from guardrail.errors import ConfigError, MissingExtra
from guardrail.memory.external.fits import ExternalFit, Judged, Task, packaged_fit, read_fit
from guardrail.memory.external.flows import Again, Plan, Yardstick, ask_again, cleaned
from guardrail.memory.external.measuring import (
    CHRF,
    Encoder,
    Measured,
    chosen,
    kind_of,
    likenesses,
    measure,
    name_of,
)
from guardrail.memory.external.prompts import source_of, task_of
from guardrail.memory.external.segmentation import Language, language
from guardrail.options import PathOption, number, option
from guardrail.report import Case, Finding, Measurement, Passage, Scale, Verdict

_QUOTED = 500  # characters of a response that evidence quotes
_TASKS = {"summary": "summaries", "answer": "answers"}


class MemoryConsistency(Detector):
    """Scores an answer about a text by asking again on rephrasings of that text.

    The model writes the case's documents in other words; what does not mean the same is left out; the user's question
    (without one: a summary of one sentence) is asked on each, and the given answer is compared with what comes back.
    Two numbers say how normal that is: the consistency of the answers, and their relevance to the texts. The score is
    how far the two are from those of normal answers. A case without documents has its question rephrased, and is scored
    by consistency alone; the packaged fits are of answers about a text, and the finding says so: how many normal answers
    are flagged there is not known.

    One finding, for the whole answer. The answers asked again are offered to other detectors of the guard as samples.

    Raises:
        ConfigError: an option has no such value, or there is no such fit.

    Source: [memory] §III.C; differs: `docs/design/memory.md`.
    """

    name: ClassVar[str] = "memory"
    version: ClassVar[str] = "1"
    scope: ClassVar[Scope] = "answer"
    scale: ClassVar[Scale] = Scale(
        unit="χ² share", meaning="larger = further from what normal answers are, in consistency and relevance"
    )
    provides: ClassVar[frozenset[Resource]] = frozenset({"samples"})

    rephrasings: int = option(default=4, least=1, help="rephrasings to ask for")
    retries: int = option(default=4, least=0, help="further requests for rephrasings, if some cannot be used")
    least: int | None = option(
        default=None,
        least=1,
        help="answers to rephrasings that a score needs; None = two, or one if only one is asked for (for "
        "questions the packaged fits need two)",
    )
    encoder: Encoder | Literal["auto"] = option(
        default="auto",
        help="packaged = all-MiniLM-L6-v2, English (extra local); guard = the guard's backend for similarity, with "
        "a fit of its own; chrf = character n-grams (extra memory); auto = packaged where it is installed and "
        "reads the language, else chrf",
    )
    fit: str | Path | ExternalFit | None = option(
        default=None,
        path=PathOption.FILE_OR_NAME,
        help="a fit, its file, or the name of a packaged one; None = the packaged one for the language and the "
        "encoder. With a fit of your own, other tasks and languages are unverified. Nothing checks that the "
        "guard's encoder is the one of the fit",
    )
    language: Language | Literal["auto"] = option(
        default="auto", help="language of the source; auto = by its script"
    )
    through: Literal["en", "zh"] | None = option(
        default=None,
        help="ask about translations into this language, not about rephrasings. The answers are still in the first "
        "language, and each translation is checked by translating it back",
    )
    threshold: float | None = option(
        default=None, least=0, most=1, help="unsupported from this score on; None = the fit's threshold"
    )
    temperature: float = option(default=0.95, least=0, help="temperature of all requests")
    prompts: Literal["own", "paper"] = option(
        default="own", help="paper = the prompts of the paper, unfenced and in English"
    )
    longest: int = option(
        default=20_000,
        least=1,
        help="characters; a longer source is not rephrased, a longer answer not compared",
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.least is not None:
            number("least", self.least, most=self.rephrasings, whole=True)
        self.least = self._least = min(2, self.rephrasings) if self.least is None else self.least
        if self.through is not None and (self.prompts == "paper" or self.through == self.language):
            raise ConfigError(
                f"expected through={self.through!r} with prompts='own' and another language, got {self.prompts!r}, "
                f"{self.language!r}"
            )
        if self.encoder == "guard" and self.fit is None:
            raise ConfigError(
                "expected a fit for encoder='guard', got none: numbers of another encoder say nothing about yours. "
                "guardrail.memory.external.learn makes one."
            )
        self._fit = read_fit(self.fit) if isinstance(self.fit, str | Path) else self.fit
        if self._fit is not None:  # of the packaged encoder the weights are compared when they are loaded
            if self.encoder not in {"auto", _encoder_of(self._fit)}:
                raise ConfigError(
                    f"expected a fit made with the encoder {self.encoder!r}, got one of {self._fit.encoder!r}"
                )
            if self._fit.encoder == "chrf" and self._fit.compared_by != CHRF:
                raise ConfigError(
                    f"expected a fit made with {CHRF!r}, got one of {self._fit.compared_by!r}: fit anew"
                )

    # -- what a guard calls

    def backends(self) -> Mapping[str, Backend[Any]]:
        """The packaged encoder, where it may be used."""
        wanted = self.encoder if self._fit is None else self._fit.encoder
        brings = wanted == "packaged" or (wanted == "auto" and encoder_installed())
        return {ComparePackaged.lane: packaged_encoder()} if brings else {}

    def lacks_prompt(self, case: Case) -> bool:
        """The prompt is what is asked again, unless there are documents."""
        return not (case.messages or case.context)

    def cost(self, case: Case) -> Calls:
        """Rephrasings, and as many questions again; the least if all goes well, or nothing can be kept."""
        plan = self.plan(case)
        if isinstance(plan, str):
            return {}
        kept, tries = self.rephrasings, self.rephrasings + self.retries
        each = 1 if self.through is None else 2
        compared: Counter[str] = (
            Counter()
        )  # rephrasings with the source; the answer and all others with each other
        for yardstick, pairs in ((plan.texts_by, tries), (plan.answers_by, kept * (kept + 1) // 2)):
            if yardstick.encoder != "chrf":
                compared[kind_of(yardstick.encoder).lane] += pairs
        return {
            "chat:subject": (min(2 * kept, tries), each * tries + kept),
            **{route: (0, most) for route, most in compared.items()},
        }

    def examine(self, case: Case) -> Flow[list[Finding]]:
        """One finding, or none for a case without an answer, or with neither documents nor a question."""
        plan = self.plan(case)
        if not case.answer.strip() or not (source_of(case) or case.question.strip()):
            yield from ()
            return []
        if isinstance(plan, str):
            return [self._unverified(case, plan)]
        again = yield from ask_again(plan)
        counts = Measurement(name="answers asked again", value=float(len(again.pairs)), note=again.told)
        if len(again.pairs) < self._least:
            reason = f"too few answers to compare with, {len(again.pairs)} of {self._least}: {again.told}"
            return [self._unverified(case, reason, [counts])]
        try:
            measured = yield from self._measure(case, plan, again)
        except MissingExtra as error:
            return [self._unverified(case, str(error), [counts])]
        if isinstance(measured, str):
            return [self._unverified(case, measured, [counts])]
        return [self._finding(case, plan, measured, again, counts)]

    def offer(self, case: Case) -> Flow[tuple[str, ...]]:
        """The answers on rephrasings."""
        plan = self.plan(case)
        if isinstance(plan, str):
            yield from ()
            return ()
        again = yield from ask_again(plan)
        return tuple(pair.response for pair in again.pairs)

    # -- what is asked, and how it is compared

    def plan(self, case: Case) -> Plan | str:
        """How to ask again; else why it cannot be done."""
        text = source_of(case)
        question = case.question.strip()
        source = text or question
        if not source or not case.answer.strip():
            return "there is neither a document nor a question to ask again"
        for what, long in (("source", source), ("answer", case.answer)):
            if len(long) > self.longest:
                return f"the {what} has {len(long):,} characters, more than {self.longest:,} (longest)"
        if not cleaned(case.answer):
            return "the answer is a thought and nothing more"
        tongue: Language = language(source) if self.language == "auto" else self.language
        # answers are in the language of the question, whatever the text is in
        by_question = self.language == "auto" and any(map(str.isalpha, question))
        spoken: Language = language(question) if by_question else tongue
        if self.through == tongue:
            return f"the source is in {tongue!r} already, so there is nothing to translate (through)"
        task: Task = "summary" if text and not question else "answer"
        texts_by = self._yardstick(task, tongue, source, judges=False)
        answers_by = self._yardstick(task, spoken, case.answer, judges=True)
        if isinstance(texts_by, str):
            return texts_by
        if isinstance(answers_by, str):
            return answers_by
        if answers_by.fit.form == "relative" and self.rephrasings < 2:
            return "the fit compares an answer with two others or more: rephrasings=1 is too few"
        paper = self.prompts == "paper"
        return Plan(
            source=source,
            kind="text" if text else "question",
            language=tongue,
            through=self.through,
            task=partial(task_of, case, language=tongue, paper=paper, translated=self.through is not None),
            rephrasings=self.rephrasings,
            retries=self.retries,
            texts_by=texts_by,
            answers_by=answers_by,
            spoken=spoken,
            temperature=self.temperature,
            paper=paper,
        )

    def _yardstick(self, task: Task, tongue: Language, text: str, *, judges: bool) -> Yardstick | str:
        """What compares texts of a language, and judges answers; else why nothing does.

        A fit for answers in another language than the source has no T_cq for it: chrF's is taken.
        """
        own = self._fit
        if own is not None and (judges or own.language == tongue):
            if judges and (own.task, own.language) != (task, tongue):
                return (
                    f"the fit is of normal {_TASKS[own.task]} in {own.language!r}, "
                    f"this is {_TASKS[task]} in {tongue!r}: give one for it (fit)"
                )
            return Yardstick(_encoder_of(own), own)
        if own is not None or (self.encoder == "auto" and tongue == "zh"):
            encoder: Encoder = "chrf"
        else:
            encoder = chosen(self.encoder, text)
        fit = packaged_fit(task, tongue, encoder)
        if fit is None:
            return f"no fit of normal answers for the language {tongue!r} by {name_of(encoder)}: give one with fit="
        return Yardstick(encoder, fit)

    def _measure(self, case: Case, plan: Plan, again: Again) -> Flow[Measured | str]:
        """The numbers of the answer beside those asked again; else why there are none."""
        if problem := _other_encoder(plan.answers_by.fit) or _other_encoder(plan.texts_by.fit):
            return problem
        answer = cleaned(case.answer)
        texts = [pair.response for pair in again.pairs]
        two = list(combinations(range(len(texts)), 2))
        found = yield from likenesses(
            [*((answer, text) for text in texts), *((texts[i], texts[j]) for i, j in two)],
            plan.answers_by.encoder,
        )
        own, among = found[: len(texts)], found[len(texts) :]
        known = [i for i, one in enumerate(own) if one.value is not None]
        if len(known) < self._least:
            return "; ".join(dict.fromkeys(one.reason for one in own if one.reason))
        pairs = [again.pairs[i] for i in known]
        measured = yield from compute(
            measure,
            [plan.source, *(pair.rephrasing.text for pair in pairs)],
            [answer, *(pair.response for pair in pairs)],
            [own[i].value for i in known],
            [one.value for one in among if one.value is not None],
        )
        if plan.kind == "question" or plan.spoken != plan.language:
            return replace(measured, relevance=None)
        return measured

    # -- the verdict

    def _finding(
        self, case: Case, plan: Plan, measured: Measured, again: Again, counts: Measurement
    ) -> Finding:
        fit = plan.answers_by.fit
        judged = fit.judge(measured)
        if judged is None:
            return self._unverified(case, f"too few answers to compare with: {again.told}", [counts])
        limit = judged.threshold if self.threshold is None else self.threshold
        bad = judged.score >= limit
        reason = f"when asked in other words the model answers {'otherwise' if bad else 'the same'}"
        if judged.point is None and fit.relevance:
            reason += ", by consistency alone"
        if plan.kind == "question" and self._fit is None:
            reason += ", by what is normal for answers about a text (there is no fit of others)"
        if len(again.pairs) < self.rephrasings:
            reason += f" ({again.told})"
        quoted = [
            Passage(
                source=f"asked on rephrasing {number}",
                text=pair.response[:_QUOTED],
                score=pair.rephrasing.likeness,
            )
            for number, pair in enumerate(again.pairs, 1)
        ]
        return Finding(
            detector=self.name,
            text=case.answer,
            score=judged.score,
            verdict=Verdict.UNSUPPORTED if bad else Verdict.SUPPORTED,
            label="unstable" if bad else "stable",
            mark="the model answers differently when asked in other words" if bad else "",
            reason=reason,
            evidence=(*_numbers(plan, measured, judged), counts, *quoted),
        )


def _numbers(plan: Plan, measured: Measured, judged: Judged) -> list[Measurement]:
    """What the score rests on."""
    by, fit = name_of(plan.answers_by.encoder), plan.answers_by.fit
    found = [
        Measurement(name="consistency", value=measured.consistency, note=f"{by}; larger = more consistent")
    ]
    if measured.relative is not None:
        note = "less that of the answers asked again among themselves"
        found.append(Measurement(name="relative consistency", value=measured.relative, note=note))
    if measured.relevance is not None:
        note = "BM25 over what could be reached; larger = more relevant"
        found.append(Measurement(name="relevance", value=measured.relevance, note=note))
    if judged.point is not None:
        squared = fit.normal.squared_distance(judged.point, sides=fit.sides)
        found += [
            Measurement(name="squared distance from normal answers", value=squared),
            Measurement(name="density", value=fit.normal.density(judged.point), note="of normal answers"),
        ]
    note = f"normal {fit.task} in {fit.language!r}, fit {fit.fingerprint}"
    return [*found, Measurement(name="threshold", value=judged.threshold, note=note)]


def _encoder_of(fit: ExternalFit) -> Encoder:
    """What compares for a fit: any name but ours is a word for the guard's own."""
    known: dict[str, Encoder] = {"packaged": "packaged", "chrf": "chrf"}
    return known.get(fit.encoder, "guard")


def _other_encoder(fit: ExternalFit) -> str:
    """Why the packaged encoder is not the one of the fit; "" if it is."""
    if fit.encoder != "packaged" or packaged_encoder().fingerprint == fit.compared_by:
        return ""
    return f"the fit was made with {fit.compared_by!r}, the packaged encoder is {packaged_encoder().fingerprint!r}: fit anew"
