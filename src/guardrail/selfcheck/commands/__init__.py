"""What SelfCheck adds to the command line: the detectors of documents, samples and log-probabilities in `check`, a look of `doctor`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from guardrail.cli.methods import CheckContext, Item, Method, tried_model

if TYPE_CHECKING:
    from guardrail.detector import Detector
    from guardrail.report import Report


def _doctor() -> Iterator[Item]:
    """The packaged models: what runs them, and what SelfCheck() does without them."""
    from guardrail.backends import (
        ENTAILMENT_MINI,
        MINI_INSTALL,
        encoder_installed,
        entailment_installed,
        is_here,
        packaged_entailment,
    )

    section, what = "models (optional)", "sentences against documents and other answers"
    if entailment_installed():
        yield tried_model(ENTAILMENT_MINI, packaged_entailment().load, what)
    elif is_here(ENTAILMENT_MINI):
        needs = "its weights are here, but neither onnxruntime nor torch to run them"
        yield Item(section, ENTAILMENT_MINI, "missing", needs, "pip install 'guardrail-sdk[mini]'")
    else:
        without = f"missing; {what}: without it SelfCheck() reads no documents and counts words alone"
        yield Item(section, ENTAILMENT_MINI, "missing", without, MINI_INSTALL)
    if encoder_installed():
        yield Item(section, "all-MiniLM-L6-v2", "ok", "SelfCheck() also compares sentences by BERTScore")
    else:
        lost = "missing; SelfCheck() judges without BERTScore"
        yield Item(section, "all-MiniLM-L6-v2", "missing", lost, "pip install 'guardrail-sdk[local]'")


def _detectors(context: CheckContext) -> list[Detector]:
    """What compares claims with the documents and samples that there are, or reads log-probabilities."""
    from guardrail.selfcheck import SelfCheck

    made: dict[str, Callable[[], Detector]] = {
        "context": lambda: SelfCheck("grounding"),
        "samples": lambda: SelfCheck(against="samples" if "context" in context.given else "auto"),
        "logprobs": lambda: SelfCheck("greybox"),
    }
    return [make() for name, make in made.items() if name in context.given]


def _notes(report: Report, _options: Mapping[str, Any]) -> Iterable[str]:
    """What to add where a detector had nothing to compare the answer with."""
    from guardrail.report import Verdict

    case = report.case
    ways = {
        "selfcheck-grounding": (case.context, "--context FILE for the documents"),
        "selfcheck-greybox": (case.logprobs, "--logprobs FILE for the answer's log-probabilities"),
    }
    samples = (
        case.samples,
        "--samples FILE for other answers, or --prompt TEXT and --model NAME to draw them",
    )
    for finding in report.findings:
        given, way = ways.get(finding.detector, samples)
        alone = finding.span is None and finding.verdict is Verdict.UNVERIFIED
        if finding.detector.startswith("selfcheck") and alone and not given:
            yield f"{finding.detector} had nothing to compare the answer with; add {way}"


METHOD = Method(
    detectors=_detectors,
    reads=frozenset({"context", "samples", "logprobs"}),
    notes=_notes,
    doctor=_doctor,
)
