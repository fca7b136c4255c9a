"""`guardrail selfcheck`: score the sentences of an answer."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, ClassVar

import typer

from guardrail.cli._command import Command
from guardrail.cli._errors import Usage, code_of
from guardrail.cli._options import API_KEY_ENV, BASE_URL, JSON_REPORT, QUIET


class Method(StrEnum):
    """How sentences are scored."""

    NGRAM = "ngram"
    PROMPT = "prompt"
    NLI = "nli"
    BERTSCORE = "bertscore"
    QA = "qa"
    GREYBOX = "greybox"
    GROUNDING = "grounding"
    ENSEMBLE = "ensemble"


class Premise(StrEnum):
    """What a sentence is judged by."""

    WHOLE = "whole"
    TOP = "top"


class Measure(StrEnum):
    """What of an entailment model's reply counts."""

    CONTRADICTION = "contradiction"
    NOT_ENTAILED = "not_entailed"
    UNMENTIONED = "unmentioned"


class SelfCheckCommand(Command):
    """Takes several files after `--samples` and `--context`."""

    several: ClassVar[frozenset[str]] = frozenset({"--samples", "--context"})


def selfcheck(  # noqa: PLR0917  # an option each
    answer: Annotated[
        str,
        typer.Option(
            metavar="FILE|-|TEXT",
            help="The answer: a file, - for the standard input, or the text itself (more than one word).",
            show_default=False,
        ),
    ],
    samples: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PATH...",
            help="Other answers of the model to the same question: text files with one each, .json or .jsonl "
            "files with a list, or folders. Several may follow, or repeat the option.",
        ),
    ] = None,
    context: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FILE...",
            help="Documents to compare each sentence with, in place of other answers (grounding, ensemble, nli, prompt, "
            "qa). Several as above.",
        ),
    ] = None,
    method: Annotated[
        Method | None,
        typer.Option(
            help='How to score. Default: ensemble where the extra "local" is installed, else ngram, and grounding for '
            "documents."
        ),
    ] = None,
    prompt: Annotated[
        str | None,
        typer.Option(
            metavar="TEXT|@FILE", help="What the answer replies to; with --model, to draw samples by."
        ),
    ] = None,
    draw: Annotated[
        int | None,
        typer.Option(metavar="N", help="How many samples to draw where none are given. Default: 5.", min=1),
    ] = None,
    model: Annotated[
        str | None, typer.Option(metavar="NAME", help="The chat model that is sampled, and judges (prompt).")
    ] = None,
    base_url: BASE_URL = None,
    api_key_env: API_KEY_ENV = None,
    entailment: Annotated[
        str | None,
        typer.Option(
            metavar="DIR",
            help="The entailment model's folder, or its name: entailment-mini is the packaged one (nli). Default: "
            "potsawee/deberta-v3-large-mnli, which is to be fetched.",
        ),
    ] = None,
    measure: Annotated[
        Measure | None,
        typer.Option(
            help="What counts (nli): contradictions alone, as in the paper (the default); all that is not entailed, "
            "best for documents; or the same with contradictions of other answers a little below their silence, so that "
            "inventions come before wrong details (unmentioned)."
        ),
    ] = None,
    premise: Annotated[
        Premise | None,
        typer.Option(
            help="What a sentence is judged by: each text as a whole, or of each text the sentences that are "
            "most like it (nli). Default: whole."
        ),
    ] = None,
    top: Annotated[
        int | None,
        typer.Option(metavar="N", help="How many sentences --premise top takes. Default: 3.", min=1),
    ] = None,
    encoder: Annotated[
        str | None,
        typer.Option(
            metavar="DIR", help="The encoder's folder, or its name (bertscore). Default: the packaged MiniLM."
        ),
    ] = None,
    logprobs: Annotated[
        str | None,
        typer.Option(
            metavar="FILE", help="The answer's tokens with log-probabilities, as OpenAI gives them (greybox)."
        ),
    ] = None,
    threshold: Annotated[
        float | None,
        typer.Option(metavar="SCORE", help="A score of at least this is unsupported. Default: the method's."),
    ] = None,
    json: JSON_REPORT = None,
    html: Annotated[
        str | None, typer.Option(metavar="PATH", help="Write a page with scores and evidence.")
    ] = None,
    quiet: QUIET = False,
) -> None:
    """Score every sentence of an answer against other answers of the same model, or against documents.

    What a model knows comes back when it is asked again; what it makes up comes back otherwise. A sentence
    that the other answers (or the documents) do not support is "unsupported".

    Examples:
      guardrail selfcheck --answer a.txt --samples s1.txt s2.txt s3.txt
      guardrail selfcheck --answer a.txt --samples samples.jsonl --method bertscore --html scores.html
      guardrail selfcheck --answer a.txt --samples samples/ --method nli --entailment ~/models/mnli
      guardrail selfcheck --answer a.txt --prompt @question.txt --model gpt-5-mini --method prompt
      guardrail selfcheck --answer a.txt --context manual.txt --json
      guardrail selfcheck --answer a.txt --context a.md --method nli --entailment entailment-mini

    Exit codes:
      0    every sentence is supported, or there is none
      1    a sentence is unsupported
      2    bad usage or input
      3    a sentence could not be scored (and none is unsupported)
      130  interrupted
    """
    from guardrail.cli._outputs import Outputs
    from guardrail.cli._read import named_or_text, read_text, text_or_file
    from guardrail.report import Case
    from guardrail.selfcheck.commands._samples import read_logprobs, read_samples
    from guardrail.selfcheck.commands._selfcheck import Choice, prepared

    read = [answer, *(samples or []), *(context or []), logprobs or ""]
    if read.count("-") + (answer == "@-") + (prompt == "@-") > 1:
        raise Usage('only one thing can be read from the standard input ("-"); give the others as files')
    text, place = named_or_text(answer, "the answer")
    outputs = Outputs(json=json, html=html, read=(place, *read[1:], (prompt or "").removeprefix("@")))
    case = Case.of(
        text,
        prompt=text_or_file(prompt, "the prompt") if prompt else "",
        context=[read_text(path, "a context document") for path in context or []],
        samples=read_samples(samples or []),
        logprobs=() if logprobs is None else read_logprobs(logprobs),
    )
    choice = Choice(
        method=method and method.value,
        model=model,
        base_url=base_url,
        api_key_env=api_key_env,
        entailment=entailment,
        measure=measure and measure.value,
        premise=premise and premise.value,
        top=top,
        encoder=encoder,
        threshold=threshold,
        draw=draw,
    )
    report = prepared(choice, case).of(case)
    outputs.write(report)
    if not quiet and not outputs.takes_stdout:
        from guardrail.cli._sentences import show_sentences

        source = "the standard input" if place == "-" else place or "the given text"
        show_sentences(report, source=source)
    raise typer.Exit(code_of(report))
