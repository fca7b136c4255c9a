"""What `guardrail logic evaluate` does behind its options: reading cases and replies, asking a model, tables."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from guardrail._visible import one_line
from guardrail.cli._errors import say
from guardrail.cli._terminal import patience
from guardrail.errors import InputError, ParseError

if TYPE_CHECKING:
    from guardrail.logic.paper.oracles.rates import Assessment, Category, CategoryCounts
    from guardrail.logic.paper.oracles.truth import Truth
    from guardrail.logic.paper.questions.evaluation import CaseOutcome, Rate

_NAMES: Mapping[Category, tuple[str, str]] = {  # of a row, of a column
    "right": ("right", "right"),
    "error_knowledge": ("wrong knowledge", "knowledge"),
    "error_inference": ("wrong inference", "inference"),
    "both": ("both", "both"),
    "unknown": ("I don't know", "unknown"),
    "unverified": ("unverified", "unverified"),
}


@dataclass(frozen=True, slots=True)
class Case:
    """A question with its answer, as `guardrail logic generate` writes it.

    Attributes:
        identifier: empty where the line gives none.
        question: in English.
        answer: whether Yes is right.
        group: its rule, or its outermost operator.
        temporal: whether it asks about years.
        truth: the facts that prove the answer; `None` where the line gives none.
    """

    identifier: str
    question: str
    answer: bool
    group: str
    temporal: bool
    truth: Truth | None


def read_cases(path: str) -> list[Case]:
    """The cases of a file of JSON lines.

    Raises:
        ParseError: a line is not a case.
    """
    from guardrail.cli._read import read_text

    lines = enumerate(read_text(path, "the cases").splitlines(), start=1)
    found = [_case(line, path, number) for number, line in lines if line.strip()]
    bare = sum(case.truth is None for case in found)
    if bare:
        say(
            f"note: {bare:,} of {len(found):,} questions give no facts to judge a reply by; "
            "`guardrail logic generate` writes them"
        )
    return found


def _case(line: str, path: str, number: int) -> Case:
    from guardrail.logic.paper.oracles.truth import Truth

    try:
        entry = json.loads(line)
        question, answer = entry["question"], entry["answer"]
    except (ValueError, KeyError, TypeError) as error:
        raise ParseError(
            f"expected a JSON object with question and answer, got {line[:60]!r}", source=path, line=number
        ) from error
    if not isinstance(question, str) or not isinstance(answer, bool):
        raise ParseError("expected a text as question, true or false as answer", source=path, line=number)
    try:
        truth = Truth.from_json(line) if entry.get("facts") or entry.get("spans") else None
    except InputError as error:
        raise ParseError(str(error), source=path, line=number) from error
    temporal = "formula" in entry
    group = str(entry.get("outer" if temporal else "rule", ""))
    return Case(str(entry.get("id", "")), question, answer, group, temporal, truth)


# --- replies -------------------------------------------------------------------------------------------------


def ask_model(cases: Sequence[Case], chat: Any, *, cache: str | None) -> list[CaseOutcome]:
    """What a model makes of cases, in order.

    Raises:
        InputError: the run as a whole failed.
    """
    from guardrail.cache import Cache
    from guardrail.engine.drivers import run_sync
    from guardrail.engine.flow import Failed
    from guardrail.engine.hub import Hub
    from guardrail.engine.run import Run
    from guardrail.logic.paper.questions.evaluation import evaluate

    hub = Hub({"chat": chat}, store=Cache(Path(cache).expanduser()) if cache else None)
    found: dict[int, CaseOutcome] = {}
    for temporal in (False, True):
        chosen = [(n, case) for n, case in enumerate(cases) if case.temporal is temporal]
        flow = evaluate([case for _, case in chosen], kind="temporal" if temporal else "relation")
        with patience(f"asking the model {len(chosen):,} questions"):
            outcomes = run_sync(Run(flow), hub)
        if isinstance(outcomes, Failed):
            raise InputError(f"the model could not be asked: {outcomes}")
        found |= {number: one for (number, _), one in zip(chosen, outcomes, strict=True)}
    return [found[number] for number in range(len(cases))]


def replay(cases: Sequence[Case], path: str, *, cache: str | None) -> list[CaseOutcome]:
    """What recorded replies make of cases, in order: lines with the id of a case or its question, or a recording.

    Raises:
        InputError: there is no such file, or none of its replies is to a case.
        ParseError: a line is no reply.
    """
    from guardrail.chat import RecordedChat
    from guardrail.logic.paper.questions.evaluation import CaseOutcome, judged

    place = Path(path).expanduser()
    if not place.is_file():
        raise InputError(f"expected recorded replies at {path!r}, found no such file: check the path")
    with place.open("rb") as stream:
        first = next((line for line in stream if line.strip()), b"")
    if not first or _is_recording(first):
        return ask_model(cases, RecordedChat(place), cache=cache)
    texts = _replies(cases, path)
    return [
        CaseOutcome(case, "failed", None, f"no recorded reply in {path!r}")
        if (text := texts.get(number)) is None
        else judged(case, text)
        for number, case in enumerate(cases)
    ]


def _is_recording(line: bytes) -> bool:
    """Whether a line is one of RecordedChat's, also one that was torn when a program ended."""
    try:
        entry = json.loads(line)
    except ValueError:
        return b'"key"' in line
    return isinstance(entry, dict) and "key" in entry


def _replies(cases: Sequence[Case], path: str) -> dict[int, str]:
    """The replies of a file by the number of their case; those that failed are left out."""
    from guardrail.cli._read import read_text

    places = _places(cases)
    found: dict[int, str] = {}
    strangers: list[str] = []
    seen: set[int] = set()
    for line_number, line in enumerate(read_text(path, "the replies").splitlines(), start=1):
        if not line.strip():
            continue
        kind, name, text = _reply(line, path, line_number)
        numbers = places.get((kind, name), [])
        if not numbers:
            strangers.append(name)
            continue
        if len(numbers) > 1 or numbers[0] in seen:
            what = "several cases have" if len(numbers) > 1 else "an earlier line replies to"
            advice = "make each different" if len(numbers) > 1 else "keep one reply to each case"
            raise ParseError(f"{what} the {kind} {name!r:.80}: {advice}", source=path, line=line_number)
        seen.add(numbers[0])
        if text is not None:
            found[numbers[0]] = text
    if not seen:
        wanted = cases[0].identifier or cases[0].question
        raise InputError(
            f"none of the {len(strangers):,} replies in {path!r} is to one of the cases: "
            f"expected the id or question of a case, such as {wanted!r:.80}, got {strangers[0]!r:.80}"
        )
    if strangers:
        say(
            f"note: left out {len(strangers):,} replies that are to none of the cases, {strangers[0]!r:.80} first"
        )
    return found


def _places(cases: Sequence[Case]) -> dict[tuple[str, str], list[int]]:
    places: dict[tuple[str, str], list[int]] = defaultdict(list)
    for number, case in enumerate(cases):
        places["question", case.question].append(number)
        if case.identifier:
            places["id", case.identifier].append(number)
    return places


def _reply(line: str, path: str, number: int) -> tuple[str, str, str | None]:
    """By what a line names its case, the name, and the reply; `None` for one that did not come."""
    try:
        entry = json.loads(line)
    except ValueError:
        entry = None
    if isinstance(entry, dict):
        kind = "id" if "id" in entry else "question"
        name, text = entry.get(kind), entry.get("reply")
        name = str(name) if isinstance(name, int) else name
        failed = entry.get("outcome") == "failed"  # as --out writes it; its text says why
        if isinstance(name, str) and (isinstance(text, str) or failed):
            return kind, name, None if failed else text
    raise ParseError(
        f'expected a line like {{"id": "…", "reply": "…"}}, got {line[:60]!r}', source=path, line=number
    )


# --- results -------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Results:
    """What came out, in the order of the cases.

    Attributes:
        cases: what was asked.
        outcomes: by Yes and No.
        assessments: by the oracles.
    """

    cases: Sequence[Case]
    outcomes: Sequence[CaseOutcome]
    assessments: Sequence[Assessment]

    @classmethod
    def of(cls, cases: Sequence[Case], outcomes: Sequence[CaseOutcome]) -> Results:
        """Ask the oracles about each reply."""
        from guardrail.logic.paper.oracles.rates import assess

        with patience(f"judging {len(cases):,} replies"):
            found = [assess(one, case.truth) for case, one in zip(cases, outcomes, strict=True)]
        return cls(cases, outcomes, found)

    def groups(self) -> dict[str, tuple[Rate, CategoryCounts]]:
        """All together, then each rule and operator, in the order in which they first come."""
        from guardrail.logic.paper.oracles.rates import tally
        from guardrail.logic.paper.questions.evaluation import wrong_rate

        members: dict[str, list[int]] = {"all": list(range(len(self.cases)))}
        for number, case in enumerate(self.cases):
            members.setdefault(f"  {case.group or 'other'}", []).append(number)
        return {
            name: (
                wrong_rate([self.outcomes[n] for n in numbers]),
                tally([self.assessments[n] for n in numbers]),
            )
            for name, numbers in members.items()
        }

    def entries(self) -> Iterator[dict[str, Any]]:
        """A JSON object for each question: its reply, and what is wrong with it."""
        for case, outcome, assessment in zip(self.cases, self.outcomes, self.assessments, strict=True):
            yield {
                **({"id": case.identifier} if case.identifier else {}),
                "question": case.question,
                "answer": case.answer,
                "outcome": outcome.outcome,
                "reply": outcome.text,
                **assessment.to_json(),
            }

    def lines(self) -> str:
        """The entries, one a line."""
        return "".join(json.dumps(entry, ensure_ascii=False) + "\n" for entry in self.entries())

    def to_json(self) -> dict[str, Any]:
        """Each group by name, and "questions"."""
        groups = {}
        for name, (found, verdicts) in self.groups().items():
            key = name.strip()
            if key != name and key in {"all", "questions"}:  # a group of that name, not the whole
                key = f"{key} (group)"
            groups[key] = {**asdict(found), "verdicts": asdict(verdicts)}
        return {**groups, "questions": list(self.entries())}

    def tables(self) -> Iterator[str]:
        """The rates by Yes and No; the verdicts; the verdicts of each group."""
        groups = self.groups()
        yield f"{'':<22}{'wrong':>9}{'judged':>9}{'rate':>8}  {'95 % interval':<16}{'says Yes':>9}{'unread':>8}"
        for name, (found, _) in groups.items():
            yes = "-" if found.says_yes is None else f"{found.says_yes:.2f}"
            unread = found.malformed + found.failed
            yield (
                f"{_title(name)}{found.wrong:>9,}{found.judged:>9,}"
                f"{_share(found.value, found.interval)}{yes:>9}{unread:>8,}"
            )
        yield ""
        yield f"{'verdict':<22}{'replies':>9}{'of':>9}{'rate':>8}  95 % interval"
        whole = groups["all"][1]
        for category, one in whole.shares.items():
            share = _share(one.value, one.interval).rstrip()
            yield f"{_NAMES[category][0]:<22}{one.count:>9,}{whole.replies:>9,}{share}"
        yield ""
        columns = [(category, len(label) + 3, label) for category, (_, label) in _NAMES.items()]
        yield f"{'replies':<22}{''.join(f'{label:>{width}}' for _, width, label in columns)}{'contradictory':>16}"
        for name, (_, verdicts) in groups.items():
            counts = "".join(f"{verdicts.shares[category].count:>{width},}" for category, width, _ in columns)
            yield f"{_title(name)}{counts}{verdicts.contradictory:>16,}"


def _title(name: str) -> str:
    return f"{one_line(name, 21) if name == 'all' else '  ' + one_line(name, 19):<22}"


def _share(value: float | None, interval: tuple[float, float] | None) -> str:
    ends = "-" if interval is None else f"{interval[0]:.3f} to {interval[1]:.3f}"
    return f"{'-' if value is None else f'{value:.3f}':>8}  {ends:<16}"
