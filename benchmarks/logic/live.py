"""Any chat model by `--model` (and `--base-url`): Figures 13, 14, 18 to 21 in form, on cases made from the facts.

Replies are kept in a cache, so an interrupted run goes on where it stopped. `--repair` asks what was wrong again, with
the facts in the prompt (Figure 16); `--invented` asks about facts that the model cannot know, with names made up
for the purpose (Figure 17).
"""

from __future__ import annotations

import argparse
import random
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter
from pathlib import Path
from typing import Any

from benchmarks._table import Row, Run
from benchmarks.logic.generation import FACTS, NO_ENGINE, read_domains
from benchmarks.logic.temporal import read_history
from guardrail.cache import Cache
from guardrail.engine.drivers import run_sync
from guardrail.engine.flow import Answer, Failed, Flow, gather, one
from guardrail.engine.hub import Hub
from guardrail.engine.run import Run as Scheduled
from guardrail.errors import InputError
from guardrail.logic.knowledge import Triple, reviewed
from guardrail.logic.knowledge.prolog import available
from guardrail.logic.knowledge.proofs import sentence
from guardrail.logic.paper.oracles.truth import Truth
from guardrail.logic.paper.oracles.verdicts import judge
from guardrail.logic.paper.questions.cases import FactCase, generate
from guardrail.logic.paper.questions.evaluation import Asked, CaseOutcome, Rate, evaluate, wrong_rate
from guardrail.logic.paper.questions.prompt import Kind
from guardrail.logic.paper.questions.reply import parse_reply
from guardrail.logic.paper.temporal.generation import generate as generate_temporal
from guardrail.requests import Ask, Untrusted, system, user
from guardrail.statistics.intervals import wilson
from guardrail.text.fence import FENCE_RULE

__all__ = ["add_options", "ask", "invented", "live_rows", "rephrased", "rows"]

SEED = 0
_START, _MIDDLE = (
    ("Bra", "Kel", "Mor", "Tis", "Vu", "Zan", "Ol", "Dre"),
    ("da", "li", "mo", "ne", "ru", "shi", "to"),
)
_END = ("bek", "dor", "l", "mar", "n", "ssa", "th", "vin")


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of a live run."""
    parser.add_argument("--model", metavar="NAME", help="ask this chat model too")
    parser.add_argument(
        "--base-url", metavar="URL", help="where it is; OPENAI_BASE_URL or OpenAI's own by default"
    )
    parser.add_argument(
        "--cases", type=int, default=10, metavar="N", help="questions per domain and rule (10)"
    )
    parser.add_argument("--cache", type=Path, metavar="FILE", help="keep the replies there, to go on later")
    parser.add_argument("--repair", action="store_true", help="ask what was wrong again, with the facts")
    parser.add_argument(
        "--rephrase", action="store_true", help="let the model say each question in other words first"
    )
    parser.add_argument("--invented", action="store_true", help="ask about made-up names too, with the facts")


def rows(run: Run) -> list[Row]:
    """The rows of a live model; one that says why there are none."""
    if not run.options.__dict__.get("model"):
        return [Row.missing("Live model: wrong", "needs --model (and --base-url)")]
    if available():
        return [Row.missing("Live model: wrong", NO_ENGINE)]
    from guardrail.chat import OpenAIChat

    chat = OpenAIChat(run.options.model, base_url=run.options.base_url)
    run.parameters["model"] = run.options.model
    hub = Hub({"chat": chat}, store=Cache(run.options.cache) if run.options.cache else None)
    return live_rows(run, hub)


def live_rows(run: Run, hub: Hub) -> list[Row]:
    """All rows, from whatever answers the hub's chat lane."""
    folder, count = run.data("drowzee"), run.options.cases
    facts: Sequence[FactCase] = generate(read_domains(folder / FACTS), count=count, seed=SEED).cases
    if run.options.rephrase:
        facts = _in_other_words(facts, hub)
    events = read_history(folder, by="name")
    temporal = generate_temporal(events, count=25 * count, seed=SEED)
    plain = ask(facts, hub)
    timed = ask(temporal, hub, kind="temporal")
    years = {name: tuple((first, last) for first, last in spans) for name, spans in events.items()}
    found = [
        *_rates("Live model", "all", wrong_rate(plain)),
        _always_the_same("Live model", facts),
        *_grouped("Live model, domain", by(plain, lambda case: case.domain)),
        *_grouped("Live model, rule", by(plain, lambda case: case.rule)),
        *_verdicts("Live model, verdict", [_relation_truth(one.case) for one in plain], plain),
        *_rates("Live model, temporal", "all", wrong_rate(timed)),
        _always_the_same("Live model, temporal", temporal),
        *_grouped("Live model, operator", by(timed, lambda case: case.formula.op)),
        *_verdicts(
            "Live model, temporal verdict", [_temporal_truth(one.case, years) for one in timed], timed
        ),
    ]
    if run.options.repair:
        wrong = [one.case for one in plain if one.outcome == "wrong"]
        found += _rates(
            "Live model, asked again with the facts",
            "of the wrong ones",
            wrong_rate(ask(wrong, hub, told=True)),
        )
    if run.options.invented:
        made = [invented(case, seed=number) for number, case in enumerate(facts)]
        found += _rates(
            "Live model, made-up names with the facts", "all", wrong_rate(ask(made, hub, told=True))
        )
    return found


def ask(
    cases: Sequence[Asked], hub: Hub, *, kind: Kind = "relation", told: bool = False
) -> list[CaseOutcome]:
    """What a model makes of cases; with `told`, their facts stand in the prompt.

    Raises:
        InputError: the run as a whole failed.
    """
    flow = evaluate(cases, kind=kind, context=_facts if told else None)
    found = run_sync(Scheduled(flow), hub)
    if isinstance(found, Failed):
        raise InputError(f"the model could not be asked: {found}")
    return found


def _in_other_words(cases: Sequence[FactCase], hub: Hub) -> list[FactCase]:
    """The cases in a model's words; each as it was where the model's question does not ask the same."""
    relations = reviewed()
    flows = [
        rephrased(
            case.question,
            sentence(case.triple, relations, holds=case.affirms),
            sentence(case.triple, relations, holds=not case.affirms),
        )
        for case in cases
    ]
    said = run_sync(Scheduled(gather(flows)), hub)
    if isinstance(said, Failed):
        raise InputError(f"the model could not be asked: {said}")
    return [
        case if isinstance(text, Failed) else replace(case, question=text)
        for case, text in zip(cases, said, strict=True)
    ]


def rephrased(question: str, affirmed: str, denied: str) -> Flow[str]:
    """The question in other words by a model (role "judge"), if it still asks the same; else as it was.

    What comes back is given to the model again, once with the statement that Yes would say and once with the one that
    No would: it is used only if the replies are Yes and No.

    Args:
        question: as the templates have it.
        affirmed: the statement that an answer Yes affirms.
        denied: the statement that an answer No affirms.
    """
    asked = user(
        "Say this question in other words. Keep every name letter by letter and change nothing of what it asks. "
        "Reply with the new question alone.\n",
        Untrusted(question),
    )
    reply = yield from one(Ask((system(FENCE_RULE), asked), temperature=0.0, role="judge"))
    if isinstance(reply, Failed):
        return question
    text = reply.value.text.strip()
    if not text.endswith("?") or "\n" in text:
        return question
    for said, expected in ((affirmed, "yes"), (denied, "no")):
        back = user(
            "Suppose this is known to be true: ",
            Untrusted(said),
            "\nWhat is then the answer to this question: ",
            Untrusted(text),
            "\nReply Yes or No.",
        )
        read = yield from one(Ask((system(FENCE_RULE), back), temperature=0.0, role="judge"))
        if not isinstance(read, Answer) or parse_reply(read.value.text).conclusion != expected:
            return question
    return text


@dataclass(frozen=True, slots=True)
class _Renamed:
    names: Mapping[str, str]

    def __call__(self, text: str) -> str:
        pattern = "|".join(re.escape(name) for name in sorted(self.names, key=len, reverse=True))
        return re.sub(rf"(?<!\w)(?:{pattern})(?!\w)", lambda match: self.names[match[0]], text)

    def triple(self, one: Triple) -> Triple:
        return Triple(self.names[one.subject], one.relation, self.names[one.object])


def invented(case: FactCase, *, seed: int) -> FactCase:
    """The case about names that are made up, each in the place of one of its own."""
    rng = random.Random(seed)
    ends = dict.fromkeys(end for one in (case.triple, *case.facts) for end in (one.subject, one.object))
    names: dict[str, str] = {}
    for end in ends:
        while (name := rng.choice(_START) + rng.choice(_MIDDLE) + rng.choice(_END)) in names.values():
            pass
        names[end] = name
    renamed = _Renamed(names)
    return replace(
        case,
        question=renamed(case.question),
        triple=renamed.triple(case.triple),
        facts=tuple(map(renamed.triple, case.facts)),
        explanation=renamed(case.explanation),
    )


def _facts(case: FactCase) -> list[str]:
    return [f"{sentence(fact, reviewed(), holds=True)}." for fact in case.facts]


def _relation_truth(case: Any) -> Truth:
    return Truth(case.question, case.answer, case.facts, asked=case.triple, affirms=case.affirms)


def _temporal_truth(case: Any, years: Mapping[str, Sequence[tuple[Any, Any]]]) -> Truth:
    spans = tuple((name, first, last) for name in sorted(case.formula.atoms()) for first, last in years[name])
    return Truth(case.question, case.answer, spans=spans, formula=case.formula, year=case.year)


def _verdicts(title: str, truths: Sequence[Truth], outcomes: Sequence[CaseOutcome]) -> list[Row]:
    """Figures 14 and 20: what the oracles find wrong, of all replies."""
    names = [
        judge(one.text, truth).name
        for truth, one in zip(truths, outcomes, strict=True)
        if one.outcome != "failed"
    ]
    rows = []
    for name in ("error_inference", "error_knowledge", "both", "unverified"):
        if not names:
            rows.append(Row.missing(f"{title}, {name}", "no question had a reply"))
            continue
        interval = wilson(names.count(name), len(names))
        share, ends = 100 * names.count(name) / len(names), (100 * interval[0], 100 * interval[1])
        rows.append(Row.shown(f"{title}, {name} of {len(names):,}", share, interval=ends, unit="%", digits=1))
    return rows


def by(outcomes: Iterable[CaseOutcome], key: Callable[[Any], str]) -> Mapping[str, Rate]:
    """The rate of each group of cases."""
    groups: dict[str, list[CaseOutcome]] = defaultdict(list)
    for outcome in outcomes:
        groups[key(outcome.case)].append(outcome)
    return {name: wrong_rate(group) for name, group in groups.items()}


def _grouped(title: str, rates: Mapping[Any, Rate]) -> list[Row]:
    return [row for name, one in sorted(rates.items()) for row in _rates(title, name, one)[:1]]


def _always_the_same(title: str, cases: Sequence[Asked]) -> Row:
    """What saying Yes to everything, or No, would get wrong, whichever is less."""
    yes = sum(map(attrgetter("answer"), cases))
    return Row.shown(
        f"{title}: wrong by always the same word",
        100 * min(yes, len(cases) - yes) / max(1, len(cases)),
        unit="%",
        digits=1,
    )


def _rates(title: str, name: str, one: Rate) -> list[Row]:
    if one.value is None or one.interval is None:
        why = f"{one.failed} of {one.failed + one.malformed} questions had no reply, the others no conclusion"
        return [Row.missing(f"{title}, {name}: wrong", why)]
    return [
        Row.shown(
            f"{title}, {name}: wrong of {one.judged:,}",
            100 * one.value,
            interval=(100 * one.interval[0], 100 * one.interval[1]),
            unit="%",
            digits=1,
        ),
        Row.shown(
            f"{title}, {name}: says Yes",
            None if one.says_yes is None else 100 * one.says_yes,
            unit="%",
            digits=1,
        ),
        Row.shown(f"{title}, {name}: no conclusion, no reply", f"{one.malformed}, {one.failed}"),
    ]
