"""`guardrail demo`: see it work."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from guardrail.cli._errors import Usage
from guardrail.cli._terminal import json_text

if TYPE_CHECKING:
    from guardrail.demo import Outcome

PAGE = "guardrail-demo.html"
SENTENCES = "guardrail-demo-sentences.html"
MODEL = "gpt-5-mini"


def demo(
    model: Annotated[
        str | None,
        typer.Option(metavar="NAME", help=f"Run on this live model. Default with a key: {MODEL}."),
    ] = None,
    base_url: Annotated[
        str | None, typer.Option(metavar="URL", help="… at this OpenAI-compatible endpoint.")
    ] = None,
    scripted: Annotated[
        bool, typer.Option("--scripted", help="Use the script, also where OPENAI_API_KEY is set.")
    ] = False,
    out: Annotated[
        str | None,
        typer.Option(metavar="DIR", help=f"Folder for {PAGE} and {SENTENCES}. Default: the current one."),
    ] = None,
    json: Annotated[
        bool, typer.Option("--json", help="Print the question and the three reports as JSON.")
    ] = False,
) -> None:
    """Watch a LangChain chain being guarded: a model makes references up, and the guard notices.

    Then it scores the sentences of a second answer against other answers to the same question: by n-grams,
    by the packaged entailment model where it is installed, and by MiniLM with the extra "local".

    Without a key it runs on a scripted model, in a few seconds, off the network. With OPENAI_API_KEY set, or
    with --base-url, the same chains run on a live model (a few dozen short questions).

    Examples:
      guardrail demo
      guardrail demo --model llama3.2 --base-url http://localhost:11434/v1
    """
    folder = _folder(out)
    pages = (str(folder / PAGE), str(folder / SENTENCES))
    chat, told = _chat(model, base_url, scripted=scripted)
    from guardrail.cli._outputs import write_text
    from guardrail.cli._stage import Stage
    from guardrail.demo.scenario import run

    if json:
        outcome = run(chat)
        _write(pages, outcome)
        reports: dict[str, Any] = {
            "question": outcome.question,
            "model": told,
            "raw": outcome.raw,
            "annotated": outcome.annotated.model_dump(mode="json"),
            "regenerated": outcome.regenerated.model_dump(mode="json"),
            "scored": outcome.scored.model_dump(mode="json"),
            "page": pages[0],
            "sentences_page": pages[1],
        }
        write_text("-", json_text(reports))
        return
    stage = Stage()
    stage.opening(told)
    with stage.working() as step:
        outcome = run(chat, step=step)
    _write(pages, outcome)
    stage.play(outcome, pages)


def _write(pages: tuple[str, str], outcome: Outcome) -> None:
    from guardrail.cli._outputs import write_page

    for place, report in zip(pages, (outcome.annotated, outcome.scored), strict=True):
        write_page(place, report)


def _folder(out: str | None) -> Path:
    folder = Path(out or ".").expanduser()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise Usage(
            f"--out: {str(folder)!r} cannot be made: {error.strerror}; name another folder"
        ) from error
    if not os.access(folder, os.W_OK):
        raise Usage(f"{str(folder)!r} cannot be written; name another folder with --out DIR")
    return folder


def _chat(model: str | None, base_url: str | None, *, scripted: bool) -> tuple[Any, str]:
    """The live model that was asked for, else `None` for the script; and what to call it."""
    if scripted and (model or base_url):
        raise Usage("--scripted runs without a model: leave --model and --base-url out")
    live = model or base_url or os.environ.get("OPENAI_API_KEY")
    if scripted or not live:
        return None, "a scripted chat model: no key, no network"
    if base_url and not model:
        raise Usage("--base-url needs --model NAME: which of its models is to answer?")
    from guardrail.cli._guard import live_chat

    name = model or MODEL
    return live_chat(name, base_url), f"the live model {name}"
