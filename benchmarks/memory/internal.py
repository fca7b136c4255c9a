"""Internal consistency: Figure 2 and Table II in form, the instrument against a subject that is known, a live model."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks._table import Row, Run
from benchmarks.memory import coverage
from benchmarks.memory.pair_subject import PairSubject
from benchmarks.memory.pairs import Candidates, Pair, candidates
from benchmarks.memory.survey import (
    Known,
    Setting,
    Strategy,
    Wording,
    ask_pairs,
    ask_questions,
    plan,
    setting,
)
from guardrail.engine.drivers import run_sync
from guardrail.engine.flow import Failed, Flow
from guardrail.engine.hub import Hub
from guardrail.engine.run import Run as Scheduled
from guardrail.errors import InputError
from guardrail.requests import Ask

__all__ = ["ALIKE", "SUBJECTS", "add_options", "live_rows", "measured", "read_capitals", "read_poems", "rows"]

SEED = 0
KS = (2, 3, 5, 10)
ALIKE = 0.75
"""Couplets that agree so far are one: collections print some with other characters. Any share from .6 to .8 gives the same."""
POEMS = Wording("zh", "诗句", "作者")
CAPITALS = Wording("en", "country", "capital")
SUBJECTS: Mapping[str, Mapping[int, float]] = {
    "careful": {2: 0.05, 3: 0.12, 5: 0.33, 10: 0.75},
    "middling": {2: 0.29, 3: 0.58, 5: 0.91, 10: 0.99},
    "hasty": {2: 0.4, 3: 0.7, 5: 0.97, 10: 1.0},
}
"""P(k) of the simulated subjects of the figure. Of no model."""


def rows(run: Run) -> list[Row]:
    """Every row."""
    run.parameters["seed"] = SEED
    folder = run.data()
    poems, capitals = read_poems(folder / "poems.jsonl"), read_capitals(folder / "capitals.jsonl")
    found = [*_data_rows(poems, capitals), *_instrument_rows(poems, capitals)]
    run.say("internal: figures")
    curves = _figure_rows(poems, found)
    strategies = _table_rows(poems, found, fast=run.fast)
    if run.out is not None:
        from benchmarks.memory import internal_figures

        internal_figures.by_size(curves, run.out)
        internal_figures.by_strategy(strategies, run.out)
    run.say("internal: coverage")
    return [*found, *coverage.rows(run, poems.pairs), *_live_rows(run, poems, capitals)]


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of a live run that are about pairs."""
    parser.add_argument("--pairs", choices=("poems", "capitals"), default="poems", help="for a live model")
    parser.add_argument(
        "--questions", type=int, default=100, metavar="N", help="per k, for a live model (100)"
    )


def read_poems(path: Path) -> Candidates:
    """First couplet → poet; where the collections name several poets, each is right."""
    return candidates((Pair(row["line"], row["author"]) for row in _lines(path)), alike=ALIKE)


def read_capitals(path: Path) -> Candidates:
    """Country → capital; of several capitals each is right."""
    return candidates(
        Pair(row["country"], row["capital"] or "", tuple(row["capitals"][1:])) for row in _lines(path)
    )


def measured(flow: Flow[Any], backend: Any, store: Any = None) -> Any:
    """What a flow finds, driven as in production.

    Raises:
        InputError: the model could not be asked at all.
    """
    found = run_sync(Scheduled(flow), Hub({"chat": backend}, store=store))
    if isinstance(found, Failed):
        raise InputError(f"the model could not be asked: {found}")
    return found


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as stream:
        for line in stream:
            yield json.loads(line)


def _data_rows(poems: Candidates, capitals: Candidates) -> list[Row]:
    return [
        Row.shown("Poems: couplets that can be asked for", len(poems.pairs)),
        Row.shown("Poems: couplets with several poets, either accepted", len(poems.ambiguous)),
        Row.shown("Poems: rows whose couplet was there already", poems.merged),
        Row.shown("Poems: rows of no named poet, left out", poems.nameless),
        Row.shown("Capitals: countries that can be asked for", len(capitals.pairs)),
        Row.shown("Capitals: countries with several capitals", len(capitals.ambiguous)),
    ]


def _instrument_rows(poems: Candidates, capitals: Candidates) -> list[Row]:
    """Every pair and every reply must be read as it was meant."""
    found = []
    for title, data, wording in (("poems, Chinese", poems, POEMS), ("capitals, English", capitals, CAPITALS)):
        subject = PairSubject(data.pairs, wrong=SUBJECTS["middling"], share=0.75, malformed=0.1, seed=SEED)
        known: Known = measured(ask_pairs(data.pairs, wording), subject)
        misjudged = sum(
            (result == "right") != subject.knows(pair)
            for pair, result in zip(data.pairs, known.results, strict=True)
        )
        found.append(Row.shown(f"Simulated subject, {title}: pairs known", known.count))
        found.append(Row.equal(f"Simulated subject, {title}: pairs misjudged", misjudged, 0))
        wrong = total = 0
        for k in KS:
            questions = plan(known, k, seed=SEED)
            outcomes = measured(ask_questions(questions, wording), subject)
            for one in outcomes:
                shown = wording.matching([pair.left for pair in one.question.pairs], one.question.shown())
                wrong += subject.intent(Ask(shown, draw=one.question.draw)) != one.result
            total += len(outcomes)
        found.append(Row.shown(f"Simulated subject, {title}: lists asked for", total))
        found.append(Row.equal(f"Simulated subject, {title}: replies misread", wrong, 0))
    return found


def _figure_rows(poems: Candidates, found: list[Row]) -> dict[str, dict[int, Setting]]:
    """Figure 2 in form: P against k, n = 100."""
    curves: dict[str, dict[int, Setting]] = {}
    for name, wrong in SUBJECTS.items():
        subject = PairSubject(poems.pairs, wrong=wrong, share=0.75, malformed=0.03, seed=SEED)
        known: Known = measured(ask_pairs(poems.pairs, POEMS), subject)
        curves[name] = {
            k: setting(measured(ask_questions(plan(known, k, seed=SEED), POEMS), subject), "shuffle")
            for k in KS
        }
        for k, one in curves[name].items():
            found += _setting_rows(
                f"Figure 2 in form, simulated {name} (P put in {wrong[k]:g}), k = {k}", one
            )
    return curves


def _table_rows(poems: Candidates, found: list[Row], *, fast: bool) -> dict[int, dict[Strategy, Setting]]:
    """Table II in form: one shuffle and all orders of the same combinations."""
    wrong = SUBJECTS["middling"]
    subject = PairSubject(poems.pairs, wrong=wrong, share=0.75, spread=0.3, seed=SEED)
    known: Known = measured(ask_pairs(poems.pairs, POEMS), subject)
    table: dict[int, dict[Strategy, Setting]] = {}
    for k in (2, 3, 5):
        table[k] = {}
        for strategy in ("shuffle", "permutations"):
            questions = plan(
                known, k, combinations=100, strategy=strategy, most_orders=12 if fast else None, seed=SEED
            )
            outcomes = measured(ask_questions(questions, POEMS), subject)
            table[k][strategy] = one = setting(outcomes, strategy)
            title = f"Table II in form, simulated middling (P put in {wrong[k]:g}), {strategy}, k = {k}"
            found += _setting_rows(title, one)
    return table


def _setting_rows(title: str, one: Setting) -> list[Row]:
    if one.estimate is None:
        return [Row.missing(f"{title}: P", "no reply could be read")]
    return [Row.shown(f"{title}: P", one.estimate.value, interval=one.estimate.interval)]


def _live_rows(run: Run, poems: Candidates, capitals: Candidates) -> list[Row]:
    """Figure 2 of a live model; with --cache an interrupted run goes on where it stopped."""
    options = run.options
    if not options.model:
        return [Row.missing("Live model: P", "needs --model (and --base-url)")]
    from guardrail.cache import Cache
    from guardrail.chat import OpenAIChat

    chat = OpenAIChat(options.model, base_url=options.base_url)
    store = Cache(options.cache, samples=True) if options.cache else None
    run.parameters["model"] = options.model
    data, wording = (poems, POEMS) if options.pairs == "poems" else (capitals, CAPITALS)
    return live_rows(data, wording, chat, questions=options.questions, store=store)


def live_rows(
    data: Candidates,
    wording: Wording,
    chat: Any,
    *,
    questions: int,
    store: Any = None,
    ks: Sequence[int] = KS,
) -> list[Row]:
    """P by k, and what could not be read, from whatever answers."""
    known: Known = measured(ask_pairs(data.pairs, wording), chat, store)
    found = [
        Row.shown(f"Live model: pairs known of {len(data.pairs)}", known.count),
        Row.shown("Live model: pairs without a reply", known.results.count("failed")),
    ]
    for k in ks:
        if known.count < k:
            found.append(Row.missing(f"Live model, k = {k}: P", f"only {known.count} pairs are known"))
            continue
        asked = plan(known, k, combinations=questions, seed=SEED)
        one = setting(measured(ask_questions(asked, wording), chat, store), "shuffle")
        found += _setting_rows(f"Live model, k = {k}", one)
        unread = f"{one.counts['malformed']}, {one.counts['failed']}"
        found.append(Row.shown(f"Live model, k = {k}: malformed, no reply", unread))
    return found
