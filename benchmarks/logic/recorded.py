"""Recorded replies of seven models: hallucination rates by model, domain and rule, and how often each says Yes."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np

from benchmarks._plots import STYLE, save
from benchmarks._stats import wilson_interval
from benchmarks._table import Row, Run
from benchmarks.logic.generation import DOMAINS
from guardrail.errors import InputError, MissingExtra
from guardrail.logic.paper.questions.reply import parse_reply

__all__ = ["PUBLISHED", "RULES", "Recorded", "Tally", "plots", "read_recorded", "rows", "tally"]

# The data's names of the rules; its "Transitive Inference" joins two subjects by an object that they share.
RULES = {
    "Negation Inference": "negation",
    "Inference Chain": "transitive",
    "Inverse Function Inference": "inverse",
    "Transitive Inference": "composite",
}
PUBLISHED = {"gpt-4": 24.7, "chatgpt": 42.1}  # §4.2, on 7,200 other cases and by the paper's oracles
VARIANT = "single"  # each question once; the other files are selections and repetitions
SELECTED = {"people": "recorded only where two of the models were wrong"}

Labels: TypeAlias = Literal["published", "corrected"]


@dataclass(frozen=True, slots=True)
class Recorded:
    """One recorded reply.

    Attributes:
        model: which said it.
        domain: of the case.
        rule: in our names.
        published: whether the published answer is Yes.
        corrected: the same, with the wrong labels corrected.
        said: whether it says Yes or No, as the data reads it; `None` where it says neither.
        text: the reply.
    """

    model: str
    domain: str
    rule: str
    published: bool
    corrected: bool
    said: bool | None
    text: str


@dataclass(frozen=True, slots=True)
class Tally:
    """How many replies are wrong, of how many; one that says neither Yes nor No is normal."""

    wrong: int
    replies: int
    yes: int
    conclusive: int

    @property
    def rate(self) -> float | None:
        """Percent wrong."""
        return 100 * self.wrong / self.replies if self.replies else None

    @property
    def interval(self) -> tuple[float, float] | None:
        """Wilson's, in percent."""
        found = wilson_interval(self.wrong, self.replies)
        return None if found is None else (100 * found[0], 100 * found[1])

    @property
    def says_yes(self) -> float | None:
        """Percent of Yes among Yes and No."""
        return 100 * self.yes / self.conclusive if self.conclusive else None


def read_recorded(folder: Path) -> list[Recorded]:
    """The replies to questions asked once, of every model.

    Raises:
        InputError: a file is missing, or is not of the format.
    """
    cases = {
        case["qid"]: case
        for path in sorted((folder / "nontemporal").glob("*.jsonl"))
        for case in _lines(path)
    }
    paths = sorted((folder / "responses").glob(f"*.{VARIANT}.jsonl"))
    if not cases or not paths:
        raise InputError(
            f"expected nontemporal/<domain>.jsonl and responses/<model>.{VARIANT}.jsonl, "
            f"got {len(cases)} cases and {len(paths)} files of replies."
        )
    try:
        return [
            _recorded(entry, cases[entry["qid"]])
            for path in paths
            for entry in _lines(path)
            if entry["qid"] in cases
        ]
    except (KeyError, TypeError) as error:
        raise InputError(f"expected the fields that SOURCE.md lists, got {error!r}.") from error


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        try:
            yield json.loads(line)
        except ValueError as error:
            raise InputError(f"{path.name}:{number}: expected JSON, got {line[:60]!r}.") from error


def _recorded(entry: dict[str, Any], case: dict[str, Any]) -> Recorded:
    corrected = case["answer_corrected"] if case.get("label_suspect") else case["answer"]
    return Recorded(
        model=entry["model"],
        domain=case["category"],
        rule=RULES[case["reasoning"]],
        published=case["answer"] == "Yes",
        corrected=corrected == "Yes",
        said={"Yes": True, "No": False}.get(entry["said"]),
        text=entry["response"],
    )


def tally(replies: Sequence[Recorded], labels: Labels = "corrected") -> Tally:
    """Count the wrong ones by published or corrected labels."""
    said = [one for one in replies if one.said is not None]
    wrong = sum(one.said != (one.corrected if labels == "corrected" else one.published) for one in said)
    return Tally(wrong, len(replies), sum(one.said is True for one in said), len(said))


def rows(run: Run) -> list[Row]:
    """Rates per model, domain and rule; plots where they are wanted."""
    replies = read_recorded(run.data("drowzee"))
    models = sorted({one.model for one in replies})
    found: list[Row] = []
    for model in models:
        mine = [one for one in replies if one.model == model]
        found += _overall(model, mine)
        found += _groups(f"Recorded: {model}, domain", mine, lambda one: one.domain, DOMAINS)
        found += _groups(f"Recorded: {model}, rule", mine, lambda one: one.rule, list(RULES.values()))
    found += _floor(replies) + _parsing(replies)
    found += [Row.missing(f"Recorded: domain {name}", why) for name, why in SELECTED.items()]
    if run.out is not None:
        plots(replies, run.out)
    return found


def _overall(model: str, replies: Sequence[Recorded]) -> list[Row]:
    corrected, published = tally(replies), tally(replies, "published")
    return [
        Row.shown(
            f"Recorded: {model}, wrong of {len(replies):,}",
            corrected.rate,
            interval=corrected.interval,
            published=PUBLISHED.get(model),
            unit="%",
            digits=1,
        ),
        Row.shown(
            f"Recorded: {model}, wrong by the published labels",
            published.rate,
            interval=published.interval,
            unit="%",
            digits=1,
        ),
        Row.shown(
            f"Recorded: {model}, mean of the rates on Yes questions and on No questions",
            _balanced(replies),
            unit="%",
            digits=1,
        ),
        Row.shown(f"Recorded: {model}, says Yes", corrected.says_yes, unit="%", digits=1),
    ]


def _balanced(replies: Sequence[Recorded]) -> float | None:
    """Percent wrong where both answers count alike: 50 for a model that says one word to everything."""
    rates = [tally([one for one in replies if one.corrected is answer]).rate for answer in (True, False)]
    return None if None in rates else sum(rate or 0.0 for rate in rates) / 2


def _groups(
    title: str, replies: Sequence[Recorded], key: Callable[[Recorded], str], order: Sequence[str]
) -> list[Row]:
    rows = []
    for name in order:
        group = [one for one in replies if key(one) == name]
        if group:
            found = tally(group)
            rows.append(
                Row.shown(
                    f"{title} {name}: wrong of {len(group):,}",
                    found.rate,
                    interval=found.interval,
                    unit="%",
                    digits=1,
                )
            )
    return rows


def _floor(replies: Sequence[Recorded]) -> list[Row]:
    """What one word for everything would come to, on the questions that most models were asked."""
    few = [one for one in replies if one.model == "gpt-4"] or list(replies)
    yes = sum(one.corrected for one in few) / len(few)
    return [
        Row.shown("Recorded: wrong if one always said No", 100 * yes, unit="%", digits=1),
        Row.shown("Recorded: wrong if one always said Yes", 100 * (1 - yes), unit="%", digits=1),
    ]


def _parsing(replies: Sequence[Recorded]) -> list[Row]:
    """Our reading of the first word against the data's of the whole text; they were asked by another prompt."""
    read = [(parse_reply(one.text).conclusion, one) for one in replies]
    first = [(word == "yes", one.said) for word, one in read if word in {"yes", "no"}]
    agree = sum(ours == theirs for ours, theirs in first)
    return [
        Row.shown(
            "Recorded: replies that begin with Yes or No", 100 * len(first) / len(read), unit="%", digits=1
        ),
        Row.at_least(
            "Recorded: of these, read as the data has it", 100 * agree / len(first), 99.9, unit="%", digits=2
        )
        if first
        else Row.missing("Recorded: of these, read as the data has it", "no reply begins so"),
    ]


# -- Figures 13 and 18 in form: rates by model, by model and domain, by model and rule


def plots(replies: Sequence[Recorded], folder: Path) -> None:
    """All three, from the corrected labels."""
    models = sorted({one.model for one in replies})
    _bars(replies, models, folder)
    _map(replies, models, ("domain", DOMAINS, lambda one: one.domain), folder, "figure-13b-domains")
    _map(replies, models, ("rule", tuple(RULES.values()), lambda one: one.rule), folder, "figure-18-rules")


def _bars(replies: Sequence[Recorded], models: Sequence[str], folder: Path) -> None:
    figure, axes, context = _figure("wrong replies, %", "")
    with context():
        for place, model in enumerate(reversed(models)):
            found = tally([one for one in replies if one.model == model])
            low, high = found.interval or (0.0, 0.0)
            rate = found.rate or 0.0
            axes.barh(place, rate, color="#0072B2", height=0.6)
            axes.plot([low, high], [place, place], color="black", linewidth=1.2)
            axes.text(
                max(high, rate) + 1, place, f"says Yes {found.says_yes or 0:.0f} %", va="center", fontsize=7
            )
        axes.set_yticks(range(len(models)), list(reversed(models)))
        axes.set_xlim(0, 100)
        axes.grid(axis="y", visible=False)
    save(figure, folder, "figure-13a-models")


def _map(
    replies: Sequence[Recorded],
    models: Sequence[str],
    across: tuple[str, Sequence[str], Callable[[Recorded], str]],
    folder: Path,
    name: str,
) -> None:
    title, order, key = across
    columns = [column for column in order if any(key(one) == column for one in replies)]
    cells = [
        [tally([one for one in replies if one.model == model and key(one) == column]) for column in columns]
        for model in models
    ]
    figure, axes, context = _figure("", "")
    with context():
        shown = np.ma.masked_invalid(
            [[cell.rate if cell.rate is not None else np.nan for cell in row] for row in cells]
        )
        axes.imshow(shown, cmap="Blues", vmin=0, vmax=100, aspect="auto")
        for i, row in enumerate(cells):
            for j, cell in enumerate(row):
                text = "–" if cell.rate is None else f"{cell.rate:.0f}\n({cell.replies})"
                colour = "white" if (cell.rate or 0) > 60 else "black"
                axes.text(j, i, text, ha="center", va="center", fontsize=6, color=colour)
        axes.set_xticks(range(len(columns)), columns, rotation=30, ha="right")
        axes.set_yticks(range(len(models)), list(models))
        axes.set_title(f"wrong replies by {title}, % (replies)")
        axes.grid(visible=False)
    save(figure, folder, name)


def _figure(across: str, up: str) -> tuple[Any, Any, Callable[[], Any]]:
    try:
        import matplotlib as mpl
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError as error:
        raise MissingExtra("matplotlib, which draws the plots,", extra="bench") from error
    settings: dict[Any, Any] = {**mpl.rcParamsDefault, **STYLE, "backend": "agg"}

    def context() -> Any:
        return mpl.rc_context(settings)

    with context():
        figure = Figure(figsize=(5.6, 3.8), layout="constrained")
        FigureCanvasAgg(figure)
        axes = figure.add_subplot()
        axes.set(xlabel=across, ylabel=up)
    return figure, axes, context
