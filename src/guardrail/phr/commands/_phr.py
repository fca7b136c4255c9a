"""What `guardrail phr` measures, by which model, and how it is shown."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from guardrail._visible import one_line
from guardrail.cli._counted import Counted
from guardrail.cli._errors import Exit, Usage, code_of
from guardrail.cli._guard import reached
from guardrail.cli._show import cost_line, tell
from guardrail.cli._terminal import STYLES, Glyphs, console, patience
from guardrail.engine.flow import Answer
from guardrail.phr.check import PosteriorHallucinationRate
from guardrail.phr.pairs import END, Form, Task, recognised
from guardrail.report import Case, Finding, Measurement
from guardrail.requests import Sample

if TYPE_CHECKING:
    from rich.console import Console

    from guardrail.engine.backend import Backend
    from guardrail.phr import Survey
    from guardrail.report import Report


@dataclass(frozen=True, slots=True)
class Choice:
    """What the user chose; `options` are the detector's."""

    model: str | None = None
    base_url: str | None = None
    api_key_env: str | None = None
    conjugate: bool = False
    seed: int = 0
    budget: int | None = None
    options: Mapping[str, Any] = field(default_factory=dict)


class _RateOnly(PosteriorHallucinationRate):
    """Measures the rate of a prompt that nobody has answered: a finding without a score."""

    def _task(self, case: Case) -> Task | None:
        return recognised(case, self._form)

    def _finding(self, case: Case, task: Task, found: Survey) -> Finding:
        (one,) = found.measured
        evidence = self._evidence(one, found) if found.contexts else []
        if len(one.readings) < 2:
            return self._unverified(
                case, one.fault or "fewer than two contexts could be imagined", evidence[-1:]
            )
        reason = (
            f"no answer was given; the rate is that of all that might follow the {len(task.pairs)} examples"
        )
        return self._unverified(case, reason + self._doubts(one, found), evidence)


def measured(choice: Choice, case: Case) -> Report:
    """Imagine, and judge; on a terminal, say how far it is if it takes long.

    Raises:
        Usage: options that do not go together, or a prompt without pairs.
        GuardrailError: an extra, a key or weights are missing; the message says how to get them.
    """
    from guardrail.guard import Guard

    form = Form(choice.options["input"], choice.options["label"])
    task = _few_shot(case, form)
    detector = (PosteriorHallucinationRate if case.answer else _RateOnly)(**choice.options)
    pairs = detector.contexts * detector.horizon
    with _backend(choice, task, form) as backend, patience("phr: imagining pairs", pairs) as done:
        counted: Any = Counted(backend, done, _whole_pairs(form))
        guard = Guard([detector], backends={"language_model": counted}, budget=choice.budget)
        return guard.check(case)


def _whole_pairs(form: Form) -> Callable[[Any, Any], int]:
    """A step is an imagined pair that can be read; neither what is drawn again nor a response is one."""

    def worth(request: Any, reply: Any) -> int:
        if not isinstance(request, Sample) or request.stop != (END,) or not isinstance(reply, Answer):
            return 0
        return int(form.read(reply.value) is not None)

    return worth


def _few_shot(case: Case, form: Form) -> Task:
    task = recognised(case, form)
    if task is None:
        raise Usage(
            f'expected a few-shot prompt: pairs of a line "{form.input} …" and a line "{form.label} …", an empty line after '
            f'each, and at its end a query, "{form.input} …" and "{form.label}"; found no pair. For other words than '
            "these, give --input and --label"
        )
    if not task.query:
        raise Usage(
            f'the prompt has {len(task.pairs)} examples and no query: end it with a line "{form.input} …" and a line '
            f'"{form.label}"'
        )
    return task


@contextmanager
def _backend(choice: Choice, task: Task, form: Form) -> Iterator[Backend[Any]]:
    """Who answers; closed at the end if it holds connections."""
    if (choice.model is None) != choice.conjugate:
        raise Usage(
            "which model? Give --model DIR, or --base-url URL and --model NAME, or --conjugate; one of the three"
        )
    if choice.base_url is None and choice.api_key_env is not None:
        raise Usage("--api-key-env is for an endpoint: add --base-url URL, or leave it out")
    if choice.conjugate:
        if choice.base_url is not None:
            raise Usage("--conjugate asks nobody: leave --base-url out")
        yield _coins(choice, task, form)
    elif choice.base_url is not None:
        from guardrail.chat import CompletionsModel

        model = reached(CompletionsModel, choice.model, choice.base_url, choice.api_key_env, seed=choice.seed)
        try:
            yield model
        finally:
            model.close()
    else:
        from guardrail.backends import CausalModel

        name = str(choice.model)
        folder = Path(name).expanduser()
        named = folder.is_dir() or name.startswith((".", "/", "~"))  # else the name of weights that are here
        local = CausalModel(folder if named else name, seed=choice.seed)
        with patience("loading the model"):
            local.load()
        yield local


def _coins(choice: Choice, task: Task, form: Form) -> Backend[Any]:
    from guardrail.phr import BernoulliModel

    labels = sorted({pair.label for pair in task.pairs})
    if len(labels) != 2 or task.preamble:
        raise Usage(
            f"--conjugate is a coin per input: it takes two labels and nothing before the pairs, got {labels!r}"
            + (f" and {one_line(task.preamble, 40)!r}" if task.preamble else "")
        )
    queries = dict.fromkeys([*(pair.input for pair in task.pairs), task.query])
    return BernoulliModel(list(queries), labels=(labels[0], labels[1]), seed=choice.seed, form=form)


# --- what came of it ---------------------------------------------------------------------------------------


def _rate(finding: Finding) -> Measurement | None:
    found = (one for one in finding.evidence if isinstance(one, Measurement))
    return next((one for one in found if one.name == "PHR"), None)


def code(report: Report) -> Exit:
    """What the exit code says: without an answer, whether the rate could be measured."""
    if report.case.answer or report.failures:
        return Exit.UNVERIFIED if report.failures else code_of(report)
    return Exit.OK if all(_rate(finding) for finding in report.findings) else Exit.UNVERIFIED


def show_rates(report: Report, epsilon: float) -> None:
    """Print the verdict with its score, and a line per measurement: tab-separated into a pipe."""
    out = console()
    glyphs = Glyphs(out)
    for failure in report.failures:
        tell(out, f"could not finish: {failure.reason} ({one_line(failure.detail, 200)})", "yellow")
    for finding in report.findings:
        head = "" if finding.score is None else f" {finding.score:.2f}"
        if report.case.answer or _rate(finding) is None:
            text = (
                f"{glyphs.of(finding.word)} {finding.word}{head} {glyphs.dot} {one_line(finding.reason, 600)}"
            )
            tell(out, text, STYLES[finding.word])
        else:
            tell(out, one_line(finding.reason, 600))
        _evidence(out, finding)
        if _rate(finding) is not None:
            tell(out, _meaning(epsilon), "dim")
    paid = report.cost.total.calls > 0  # else it was asked here, which costs time alone
    tell(out, cost_line(report.cost) if paid else f"{report.cost.wall_seconds:.2f} s", "dim")


def _evidence(out: Console, finding: Finding) -> None:
    from rich.table import Table
    from rich.text import Text

    rows = [
        (one.name, f"{one.value:.3g}", _interval(one), one.note)
        for one in finding.evidence
        if isinstance(one, Measurement)
    ]
    if not out.is_terminal:
        for row in rows:
            out.file.write("\t".join(cell or "-" for cell in row) + "\n")  # rich would turn tabs into blanks
        return
    table = Table.grid(padding=(0, 2))
    for name, value, interval, note in rows:
        table.add_row(Text(name), Text(value, style="bold"), Text(interval), Text(note, style="dim"))
    out.print(table)


def _interval(one: Measurement) -> str:
    return "" if one.interval is None else f"{one.interval[0]:.3g} to {one.interval[1]:.3g}"


def _meaning(epsilon: float) -> str:
    if epsilon > 0.5:
        follows = (
            "above a half, it follows the error rate: what is less likely than another answer is unlikely"
        )
    else:
        follows = "at most a half, it follows the likely set: only what is rare among the answers is unlikely"
    return f"epsilon {epsilon:g} is {follows}"
