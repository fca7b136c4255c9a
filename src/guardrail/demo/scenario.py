"""Two questions through guarded LangChain chains.

The answer to the first names references: one chain marks what is made up, one has it written again. The answer to
the second is a text, whose sentences are scored against other answers to the same question.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib import import_module
from importlib.resources import as_file, files
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from guardrail.demo import portrait
from guardrail.demo.script import QUESTION, scripted_chat
from guardrail.errors import MissingExtra
from guardrail.guard import Guard
from guardrail.policies import Policy, annotate, regenerate
from guardrail.references import ReferenceCheck
from guardrail.report import Report
from guardrail.selfcheck import SelfCheck, SentenceCheck

if TYPE_CHECKING:
    from guardrail.engine.backend import Backend
    from guardrail.references.bibliography.index import Index


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the demo came to.

    Attributes:
        question: what was asked.
        raw: the model's answer as it came.
        annotated: the report of `prompt | model | GuardedOutput(guard)` under `annotate()`.
        regenerated: the report of `guard_runnable(guard, prompt | model)` under `regenerate(2) | annotate()`.
        scored: the report of `prompt | model | GuardedOutput(guard)` with SelfCheck, under `flag()`, on the
            second question.
        works: how many works the bibliography has.
        true: whether the sentences of the second answer are, for the script; of a live model nobody knows.
    """

    question: str
    raw: str
    annotated: Report
    regenerated: Report
    scored: Report
    works: int
    true: tuple[bool, ...] | None = None

    @property
    def calls(self) -> float:
        """Questions that the guard asked, for all answers."""
        reports = (self.annotated, self.regenerated, self.scored)
        return sum(cost.calls for report in reports for cost in report.cost.paid.values()) - sum(
            report.cost.paid["guard"].calls for report in reports if "guard" in report.cost.paid
        )


def run(
    chat: Any = None, *, question: str = QUESTION, step: Callable[[str], None] = lambda _: None
) -> Outcome:
    """Run the demo.

    Args:
        chat: the model to guard, from `guardrail.chat`; the scripted one by default.
        question: what to ask it for references.
        step: called with what comes next.

    Raises:
        MissingExtra: langchain is not installed.
        BackendError: a live model did not answer.
    """
    try:
        from langchain_core.prompts import ChatPromptTemplate

        from guardrail.demo.model import DemoModel
    except ImportError as error:
        raise MissingExtra("langchain", extra="langchain") from error
    # The demo stands where an application stands: it uses the adapter as any user would.
    adapter = import_module("guardrail_langchain")
    true = portrait.TRUE if chat is None else None
    chat = scripted_chat() if chat is None else chat
    chain = ChatPromptTemplate.from_messages([("human", "{question}")]) | DemoModel(chat=chat)
    with _bibliography() as index:

        def guarded(policy: Policy) -> tuple[Guard, list[Report]]:
            reports: list[Report] = []
            detector = ReferenceCheck(bibliography=index)
            return Guard([detector], chat=chat, policy=policy, on_report=reports.append), reports

        step("the model answers; the guard looks up and asks")
        guard, annotated = guarded(annotate())
        (chain | adapter.GuardedOutput(guard)).invoke({"question": question})
        step("the model answers again without what was rejected")
        guard, regenerated = guarded(cast("Policy", regenerate(2) | annotate()))
        adapter.guard_runnable(guard, chain).invoke({"question": question})
        works = len(index)
    step("another question; its answer is compared, sentence by sentence, with five more")
    scored: list[Report] = []
    detectors, backends = _scorers()
    guard = Guard(detectors, chat=chat, backends=backends, on_report=scored.append)
    (chain | adapter.GuardedOutput(guard)).invoke({"question": portrait.QUESTION})
    raw = annotated[-1].case.answer
    return Outcome(question, raw, annotated[-1], regenerated[-1], scored[-1], works, true)


def _scorers() -> tuple[list[SentenceCheck], dict[str, Backend[Any]]]:
    """SelfCheck by n-grams, by MiniLM where the extra `local` is installed, and by its own default, whatever it finds."""
    from guardrail.backends import BertScore

    detectors: list[SentenceCheck] = [SelfCheck("ngram")]
    backends: dict[str, Backend[Any]] = {}
    with suppress(MissingExtra):
        backends["similarity"] = BertScore()
        detectors.append(SelfCheck("bertscore"))
    detectors.append(SelfCheck())
    return list({detector.name: detector for detector in detectors}.values()), backends


@contextmanager
def _bibliography() -> Iterator[Index]:
    """The packaged BibTeX as an index, in a temporary file."""
    from guardrail.references.bibliography.importers import import_files
    from guardrail.references.bibliography.index import Index

    with tempfile.TemporaryDirectory(prefix="guardrail-demo-", ignore_cleanup_errors=True) as folder:
        with (
            Index.create(Path(folder) / "works.sqlite") as index,
            as_file(files("guardrail.demo") / "works.bib") as works,
        ):
            import_files(index, [works])
        with Index.open(Path(folder) / "works.sqlite") as index:
            yield index
