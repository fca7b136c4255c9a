"""`guardrail memory fit`: what normal answers of a model are."""

from __future__ import annotations

import math
from typing import Annotated, Literal

import typer

from guardrail.cli._errors import Usage, say
from guardrail.cli._options import API_KEY_ENV, BASE_URL


def fit(  # noqa: PLR0917  # an option each
    corpus: Annotated[
        str,
        typer.Argument(
            metavar="CORPUS",
            help="One JSON object a line: document or context, question, answer, label; a text or a question is needed.",
        ),
    ],
    model: Annotated[
        str, typer.Option(metavar="NAME", help="The chat model whose answers these are.", show_default=False)
    ],
    out: Annotated[
        str, typer.Option("--out", "-o", metavar="FILE", help="Where the fit goes.", show_default=False)
    ],
    base_url: BASE_URL = None,
    api_key_env: API_KEY_ENV = None,
    rephrasings: Annotated[int, typer.Option(metavar="N", help="Rephrasings per text.", min=1)] = 4,
    language: Annotated[
        Literal["auto", "en", "zh"], typer.Option(help="Of the texts; auto: that of the first.")
    ] = "auto",
    encoder: Annotated[
        Literal["auto", "packaged", "chrf"],
        typer.Option(help="What compares answers. Default: MiniLM for English where it is installed."),
    ] = "auto",
    false_alarms: Annotated[
        float,
        typer.Option(metavar="SHARE", help="Of normal answers that may be flagged.", min=0.001, max=0.5),
    ] = 0.05,
    source: Annotated[str, typer.Option(metavar="TEXT", help="Where the texts come from, in words.")] = "",
    cache: Annotated[
        str | None,
        typer.Option(metavar="PATH", help="Keep replies in this file, so that an interrupted run goes on."),
    ] = None,
) -> None:
    """Fit what normal answers are, by asking the model again about texts that it has answered about.

    Rows whose label is "invented" are left out; set labels by hand where you know. The model is asked for an answer where a row
    has none. All rows are summaries (a document, no question), or none is. The more rows the better: with fewer than 1 / SHARE
    of them nothing can be flagged.

    Examples:
      guardrail memory fit news.jsonl --model gpt-5-mini --out normal.json --cache replies.sqlite
      guardrail check answer.txt --context a.txt --detector memory:fit=normal.json --model gpt-5-mini

    Exit codes:
      0    made
      2    bad usage or input
      130  interrupted; with --cache the same command goes on
    """
    from guardrail.cli._guard import live_chat
    from guardrail.cli._outputs import must_be_writable
    from guardrail.memory.commands._fit import Setting, asked, fitted, read_corpus

    must_be_writable("--out", out, (corpus,))  # before anything is paid for
    setting = Setting.of(read_corpus(corpus), rephrasings, language, encoder)
    rows, left_out = asked(setting, live_chat(model, base_url, api_key_env), cache)
    made = fitted(setting, rows, false_alarms=false_alarms, source=source or corpus)
    try:
        made.save(out)
    except OSError as error:
        raise Usage(f"cannot write {out!r}: {error.strerror}") from error
    if left_out:
        say(f"note: left out {len(left_out):,} of {len(rows) + len(left_out):,} rows, {left_out[0]}")
    told = f"threshold {made.threshold:.3f}"
    if made.threshold > 1:
        told = (
            f"flags nothing: {math.ceil(1 / false_alarms):,} are needed for --false-alarms {false_alarms:g}"
        )
    typer.echo(f"{out}: {made.rows:,} normal answers, {told}, fit {made.fingerprint}")
