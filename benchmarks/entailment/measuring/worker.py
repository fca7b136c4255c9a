"""What is timed, in a process of its own: nothing is loaded yet, and the number of threads is what was asked for."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.performance.speed.serving import serve

if TYPE_CHECKING:
    from guardrail import Guard
    from guardrail.backends import Precision


__all__ = ["Timings"]


class Timings:
    """One model and one guard, made before the clock starts."""

    def __init__(self) -> None:
        self._model: Any = None
        self._guard: Guard | None = None

    def operations(self) -> dict[str, Any]:
        """By name."""
        return {"load": self.load, "score": self.score, "guard": self.guard, "check": self.check}

    def load(
        self, folder: str, longest: int | None = None, precision: Precision = "fp32"
    ) -> dict[str, float]:
        """Seconds of all imports, then of making the model and reading its weights."""
        started = time.perf_counter()
        import torch  # noqa: F401  # what the model will need, so that it is not timed with it
        import transformers

        from guardrail.backends.entailment import EntailmentModel

        config = transformers.AutoConfig.from_pretrained(folder, local_files_only=True)
        _ = transformers.MODEL_FOR_SEQUENCE_CLASSIFICATION_MAPPING[type(config)]
        _ = transformers.AutoTokenizer
        imported = time.perf_counter()
        self._model = EntailmentModel(Path(folder), device="cpu", precision=precision, longest=longest)
        self._model.load()
        return {"imports": imported - started, "load": time.perf_counter() - imported}

    def score(self, pairs: Sequence[tuple[str, str]]) -> int:
        """Score pairs; how many tokens there were."""
        from guardrail.engine.flow import Answer
        from guardrail.requests import Entail

        before = self._model.work.tokens
        replies = self._model.answer([Entail(premise, hypothesis) for premise, hypothesis in pairs])
        if not all(isinstance(reply, Answer) for reply in replies):
            raise RuntimeError("a pair has no reply")
        return int(self._model.work.tokens - before)

    def guard(self, options: Mapping[str, Any]) -> str:
        """Make a guard of the detector with these options and the model that was loaded."""
        from guardrail import Guard
        from guardrail.detectors import SelfCheck

        detector = SelfCheck("nli", **options)
        self._guard = Guard([detector], backends={"entailment": self._model})
        return str(detector.signature())

    def check(self, answer: str, samples: Sequence[str]) -> list[float | None]:
        """One score per sentence."""
        from guardrail import Case

        if self._guard is None:
            raise RuntimeError("no guard was made")
        report = self._guard.check(Case.of(answer, samples=samples))
        if report.failures:
            raise RuntimeError(str(report.failures[0]))
        return [finding.score for finding in report.findings]


if __name__ == "__main__":
    serve(Timings().operations())
