"""The guard that the options of `guardrail selfcheck` ask for."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from guardrail.backends import ENTAILMENT_MINI
from guardrail.cli._counted import Counted
from guardrail.cli._errors import Usage
from guardrail.cli._guard import Nobody, live_chat, names_model
from guardrail.cli._terminal import patience

if TYPE_CHECKING:
    from guardrail.engine.backend import Backend
    from guardrail.report import Case, Report
    from guardrail.selfcheck import SentenceCheck

ENTAILMENT = "potsawee/deberta-v3-large-mnli"
"""The entailment model of SelfCheckGPT, looked for where local weights are."""

_BY_METHOD = {"--entailment": "nli", "--measure": "nli", "--premise": "nli", "--encoder": "bertscore"}


@dataclass(frozen=True, slots=True)
class Choice:
    """What the user chose; `None` = nothing."""

    method: str | None = None
    model: str | None = None
    base_url: str | None = None
    api_key_env: str | None = None
    entailment: str | None = None
    measure: str | None = None
    premise: str | None = None
    top: int | None = None
    encoder: str | None = None
    threshold: float | None = None
    draw: int | None = None


@dataclass(frozen=True, slots=True)
class Judgement:
    """A detector with all that it needs for one case."""

    detector: SentenceCheck
    chat: Any
    backends: dict[str, Backend[Any]]

    def of(self, case: Case) -> Report:
        """Examine; on a terminal, say how far it is if it takes long."""
        from guardrail.guard import Guard

        questions = Guard([self.detector], chat=self.chat, backends=self.backends).estimate(case).most
        pairs = 0
        if not questions and "entailment" in self.backends:
            from guardrail.text.sentences import split_sentences

            pairs = len(split_sentences(case.answer)) * len(case.samples or case.context)
        asking = f"asking the model, at most {questions:,} times" if questions else "comparing"
        with patience(f"selfcheck: {asking}", questions or pairs) as done:
            backends = {lane: Counted(backend, done) for lane, backend in self.backends.items()}
            return Guard([self.detector], chat=Counted(self.chat, done), backends=backends).check(case)


def prepared(choice: Choice, case: Case) -> Judgement:
    """The detector and what answers it.

    Raises:
        Usage: options that do not go together, or something to compare with is lacking.
        GuardrailError: an extra, a key or weights are missing; the message says how to get them.
    """
    options: dict[str, Any] = {}
    if choice.threshold is not None:
        options["threshold"] = choice.threshold
    if choice.draw is not None:
        options["samples"] = choice.draw
    if choice.method == "nli":  # with any other the options are refused below
        options |= {
            name: value
            for name in ("measure", "premise", "top")
            if (value := getattr(choice, name)) is not None
        }
        # What a detector brings along refuses what it cannot read; a model of the guard's would judge it.
        if choice.entailment == ENTAILMENT_MINI:
            options["model"] = "packaged"
    if choice.method == "bertscore" and choice.encoder is None:
        options["encoder"] = "packaged"
    _agree(choice, case)
    detector = _detector(choice, case, options)
    method = detector.method
    for option, wanted in _BY_METHOD.items():
        if getattr(choice, option[2:]) is not None and method != wanted:
            raise Usage(f"{option} is for --method {wanted}, not {method}: add that, or leave {option} out")
    live = names_model(
        choice.model, {"--base-url": choice.base_url, "--api-key-env": choice.api_key_env, "--draw": choice.draw}
    )  # fmt: skip
    if method == "prompt" and not live:
        raise Usage("--method prompt asks a chat model: add --model NAME, and --base-url URL if it is yours")
    if detector.needs and not (case.samples or case.context):
        _must_draw(case, live=live)
    chat = live_chat(choice.model, choice.base_url, choice.api_key_env) if live else Nobody()
    return Judgement(detector, chat, _local(method, choice, detector))


def _detector(choice: Choice, case: Case, options: dict[str, Any]) -> SentenceCheck:
    """The method that was named, else the default one; of documents without any, one that reads them."""
    from guardrail.selfcheck import SelfCheck

    detector = SelfCheck(choice.method or "", **options)
    if case.context and not choice.method and not detector.reads_context:
        detector = SelfCheck("grounding", **options)
    method = detector.method
    if case.context and not detector.reads_context:
        raise Usage(
            f"--context: the method {method} compares answers with each other; add --method grounding, nli, prompt or qa, "
            "or give other answers with --samples"
        )
    if method == "grounding" and not case.context:
        raise Usage("--method grounding compares an answer with documents: add --context FILES")
    return detector


def _agree(choice: Choice, case: Case) -> None:
    """Options that say the same twice, or something about a method that was not chosen."""
    if case.samples and case.context:
        raise Usage(
            "--samples and --context: give one of them; the answer is compared with other answers or documents"
        )
    grey = choice.method == "greybox"
    if grey and not case.logprobs:
        raise Usage("--method greybox reads the answer's own log-probabilities: add --logprobs FILE")
    if case.logprobs and not grey:
        raise Usage("--logprobs is for --method greybox: add that, or leave --logprobs out")
    if grey and (case.samples or case.context or choice.draw):
        raise Usage(
            "--method greybox reads log-probabilities only: leave --samples, --context and --draw out"
        )
    if choice.top is not None and choice.premise != "top":
        raise Usage("--top says how many sentences --premise top takes: add that, or leave --top out")
    if choice.draw is not None and (case.samples or case.context):
        raise Usage("--draw draws samples where none are given: leave it, or --samples and --context, out")


def _must_draw(case: Case, *, live: bool) -> None:
    if live and case.messages:
        return
    expected = "expected other answers to compare with, got none: add --samples FILES"
    if live:
        raise Usage(f"{expected}, or --prompt TEXT to have the model draw them")
    if case.messages:
        raise Usage(f"{expected}, or --model NAME to draw them from")
    raise Usage(f"{expected}, or draw them from a model: --prompt TEXT --model NAME [--draw 5]")


def _local(method: str, choice: Choice, detector: SentenceCheck) -> dict[str, Backend[Any]]:
    """Models on this machine that the method needs; those that it brings along are loaded."""
    for brought in detector.backends().values():  # now, so that what is missing is an error and not a reason
        with patience("loading the models"):
            brought.load()
    if method == "nli" and choice.entailment != ENTAILMENT_MINI:
        from guardrail.backends import EntailmentModel

        return {"entailment": EntailmentModel(_weights(choice.entailment or ENTAILMENT))}
    if method == "bertscore" and choice.encoder is not None:
        from guardrail.backends import BertScore

        return {"similarity": BertScore(_weights(choice.encoder))}
    if method == "qa":
        from guardrail.backends import AnswerModel, QuestionModel

        return {"questions": QuestionModel(), "answers": AnswerModel()}
    return {}


def _weights(name: str) -> str | Path:
    """A folder that is there, or is plainly meant to be, as a path; any other word is a model's name."""
    path = Path(name).expanduser()
    return path if path.is_dir() or name.startswith((".", "/", "~")) else name
