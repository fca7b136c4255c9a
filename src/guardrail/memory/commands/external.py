"""`guardrail memory external`: does an answer about a text stay the same when the text is rephrased? And `fit`."""

from __future__ import annotations

import math
from enum import StrEnum
from typing import Annotated, ClassVar

import typer

from guardrail.cli._command import Command
from guardrail.cli._errors import Exit, Usage, say
from guardrail.cli._options import API_KEY_ENV, BASE_URL, JSON_RESULT, QUIET


class Language(StrEnum):
    """Of the texts."""

    AUTO = "auto"
    EN = "en"
    ZH = "zh"


class Other(StrEnum):
    """To ask in."""

    EN = "en"
    ZH = "zh"


class Encoder(StrEnum):
    """What compares answers."""

    AUTO = "auto"
    PACKAGED = "packaged"
    CHRF = "chrf"


class Task(StrEnum):
    """What was asked."""

    SUMMARY = "summary"
    ANSWER = "answer"


class Prompts(StrEnum):
    """Whose words the questions are in."""

    OWN = "own"
    PAPER = "paper"


class ExternalCommand(Command):
    """Takes several files after `--context`."""

    several: ClassVar[frozenset[str]] = frozenset({"--context"})


def external(  # noqa: PLR0917  # an option each
    model: Annotated[str, typer.Option(metavar="NAME", help="The chat model to ask.", show_default=False)],
    document: Annotated[
        str | None,
        typer.Option(
            metavar="FILE|-|TEXT", help="A text that is summarised in one sentence.", show_default=False
        ),
    ] = None,
    question: Annotated[
        str | None, typer.Option(metavar="TEXT|@FILE", help="A question, about --context or by itself.")
    ] = None,
    context: Annotated[
        list[str] | None,
        typer.Option(metavar="FILE...", help="Documents that the question is about. Several may follow."),
    ] = None,
    answer: Annotated[
        str | None,
        typer.Option(
            metavar="FILE|-|TEXT", help="The answer to examine. Default: the model is asked for one."
        ),
    ] = None,
    corpus: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Many at once, one JSON object a line: document or context, question, answer, id, label; all but one "
            "of the first three optional.",
        ),
    ] = None,
    base_url: BASE_URL = None,
    api_key_env: API_KEY_ENV = None,
    rephrasings: Annotated[int, typer.Option(metavar="N", help="Rephrasings per text.", min=1)] = 4,
    language: Annotated[Language, typer.Option(help="Of the texts.")] = Language.AUTO,
    through: Annotated[
        Other | None,
        typer.Option(help="Ask on translations into this language; answers are compared in the first."),
    ] = None,
    encoder: Annotated[
        Encoder, typer.Option(help="What compares answers: MiniLM (English), or character n-grams.")
    ] = Encoder.AUTO,
    fit_file: Annotated[
        str | None,
        typer.Option("--fit", metavar="FILE", help="What normal answers are, from `guardrail memory fit`."),
    ] = None,
    prompts: Annotated[Prompts, typer.Option(help="Our prompts, or the paper's.")] = Prompts.OWN,
    out: Annotated[
        str | None,
        typer.Option(
            "--out",
            "-o",
            metavar="DIR",
            help="Write every text and answer there, and keep the replies: the same command goes on where it was "
            "interrupted.",
        ),
    ] = None,
    json: JSON_RESULT = None,
    quiet: QUIET = False,
) -> None:
    """Does an answer about a text stay the same when the text is rephrased?

    The model rephrases the text; what does not mean the same is left out. It answers on each rephrasing, and the answer
    is compared with those. The score is how far consistency and relevance are from those of normal answers. Chinese needs
    the extra [chinese]; comparing without an encoder, and all Chinese, the extra [memory].

    Examples:
      guardrail memory external --document article.txt --model gpt-5-mini
      guardrail memory external --question "How long is it?" --context manual.txt --answer a.txt --model m --json
      guardrail memory external --corpus news.jsonl --model m --base-url http://localhost:8000/v1 --out runs/m

    Exit codes:
      0    every answer is consistent
      1    an answer does not
      2    bad usage or input
      3    an answer could not be judged (and none is inconsistent)
      130  interrupted; with --out the same command goes on
    """
    from guardrail.cli._guard import live_chat
    from guardrail.cli._outputs import write_text
    from guardrail.cli._terminal import json_text
    from guardrail.memory import MemoryConsistency
    from guardrail.memory.commands._external import (
        Asked,
        asked_for,
        folder_of,
        run,
        table,
        to_json,
        write_folder,
    )

    entries = asked_for(Asked(document, question, tuple(context or ()), answer, corpus))
    detector = MemoryConsistency(
        rephrasings=rephrasings,
        language=language.value,
        through=None if through is None else through.value,
        encoder=encoder.value,
        fit=fit_file,
        prompts=prompts.value,
    )
    folder = folder_of(out)
    outcomes = run(entries, detector, live_chat(model, base_url, api_key_env), folder)
    content = to_json(outcomes, {"model": model, "detector": str(detector.signature())})
    if folder is not None:
        write_folder(folder, content, outcomes)
    if json is not None:
        write_text(json, json_text(content))
    if not quiet and json != "-":
        typer.echo(table(outcomes))
        if folder is not None:
            say(f"note: every text and answer is in {folder / 'results.jsonl'}")
    verdicts = {"unverified" if one.finding is None else str(one.finding.verdict) for one in outcomes}
    if "unsupported" in verdicts:
        raise typer.Exit(Exit.UNSUPPORTED)
    raise typer.Exit(Exit.UNVERIFIED if "unverified" in verdicts else Exit.OK)


def fit(  # noqa: PLR0917  # an option each
    results: Annotated[
        str, typer.Argument(metavar="RESULTS", help="results.jsonl of `guardrail memory external --out DIR`.")
    ],
    out: Annotated[
        str, typer.Option("--out", "-o", metavar="FILE", help="Where the fit goes.", show_default=False)
    ],
    task: Annotated[Task, typer.Option(help="What was asked.")] = Task.ANSWER,
    language: Annotated[Other, typer.Option(help="Of the texts.")] = Other.EN,
    encoder: Annotated[
        Encoder,
        typer.Option(help="What compares answers. Default: MiniLM for English where it is installed."),
    ] = Encoder.AUTO,
    false_alarms: Annotated[
        float,
        typer.Option(metavar="SHARE", help="Of normal answers that may be flagged.", min=0.001, max=0.5),
    ] = 0.05,
    source: Annotated[str, typer.Option(metavar="TEXT", help="Where the texts come from, in words.")] = "",
) -> None:
    """Fit what normal answers are, from answers that were examined.

    Rows whose label is "invented" are left out; set labels by hand where you know. The more rows the better: with fewer
    than 1 / SHARE of them nothing can be flagged.

    Examples:
      guardrail memory fit runs/m/results.jsonl --out normal.json
      guardrail memory external --document a.txt --model m --fit normal.json

    Exit codes:
      0    made
      2    bad usage or input
    """
    from guardrail.memory.commands._external import fitted

    made = fitted(
        results,
        task=task.value,
        language=language.value,
        encoder=encoder.value,
        false_alarms=false_alarms,
        source=source or results,
    )
    try:
        made.save(out)
    except OSError as error:
        raise Usage(f"cannot write {out!r}: {error.strerror}") from error
    told = f"threshold {made.threshold:.3f}"
    if made.threshold > 1:
        told = (
            f"flags nothing: {math.ceil(1 / false_alarms):,} are needed for --false-alarms {false_alarms:g}"
        )
    typer.echo(f"{out}: {made.rows:,} normal answers, {told}, fit {made.fingerprint}")
