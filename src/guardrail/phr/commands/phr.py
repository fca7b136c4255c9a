"""`guardrail phr`: is the answer to a few-shot prompt unlikely under the task that the model infers?"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from guardrail.cli._errors import Usage
from guardrail.cli._options import API_KEY_ENV, JSON_REPORT, QUIET


class Estimator(StrEnum):
    """How a rate is computed."""

    EXACT = "exact"
    DRAWN = "drawn"


def phr(  # noqa: PLR0917  # an option each
    prompt: Annotated[
        str,
        typer.Option(
            metavar="FILE|-|TEXT",
            help="The few-shot prompt: a file, - for the standard input, or the text itself.",
            show_default=False,
        ),
    ],
    answer: Annotated[
        str | None,
        typer.Option(
            metavar="TEXT|@FILE", help="The answer to judge. Without one, the rate alone is measured."
        ),
    ] = None,
    model: Annotated[
        str | None,
        typer.Option(
            metavar="DIR|NAME",
            help="The model: a folder with its weights, or a name of weights on this machine; with --base-url, its name "
            "there.",
        ),
    ] = None,
    base_url: Annotated[
        str | None,
        typer.Option(
            "--base-url", metavar="URL", help="Ask an OpenAI-compatible endpoint; it must have /completions."
        ),
    ] = None,
    api_key_env: API_KEY_ENV = None,
    conjugate: Annotated[
        bool,
        typer.Option(
            "--conjugate",
            help="No model: a coin per input, with a known posterior. To see what the numbers mean; takes two labels.",
        ),
    ] = False,
    contexts: Annotated[
        int, typer.Option("--contexts", "-M", metavar="M", help="Contexts to imagine at the most.", min=2)
    ] = 10,
    horizon: Annotated[
        int, typer.Option(metavar="N", help="Pairs to imagine in each context (N − n).", min=1)
    ] = 5,
    epsilon: Annotated[
        float,
        typer.Option(
            metavar="SHARE",
            help="Above 0.5 the rate follows the error rate; at 0.05 only what hardly ever is an answer is unlikely.",
        ),
    ] = 0.75,
    estimator: Annotated[
        Estimator,
        typer.Option(
            help="exact: by the distribution over the next token, labels by their first. drawn: the paper's, by draws."
        ),
    ] = Estimator.EXACT,
    draws: Annotated[int, typer.Option(metavar="K", help="Responses per context (drawn).", min=1)] = 50,
    until_se: Annotated[
        float | None,
        typer.Option(metavar="ERROR", help="Stop as soon as the standard error of the rate is no larger."),
    ] = None,
    seed: Annotated[int, typer.Option(metavar="N", help="Of all draws.")] = 0,
    input: Annotated[  # noqa: A002  # the prompt's own word
        str, typer.Option(metavar="WORD", help="The text before an input.")
    ] = "Input:",
    label: Annotated[str, typer.Option(metavar="WORD", help="The text before a label.")] = "Label:",
    threshold: Annotated[
        float, typer.Option(metavar="SCORE", help="A score of at least this is unsupported.")
    ] = 0.5,
    budget: Annotated[
        int | None,
        typer.Option(
            metavar="CALLS", help="Ask an endpoint at most so often: fewer contexts, each finished.", min=0
        ),
    ] = None,
    deadline: Annotated[
        float | None, typer.Option(metavar="SECONDS", help="What is not imagined by then is left out.")
    ] = None,
    json: JSON_REPORT = None,
    quiet: QUIET = False,
) -> None:
    """Measure the posterior hallucination rate of a few-shot prompt, and judge an answer by it.

    The model imagines how the examples might go on. An answer that it would then call unlikely, in most of
    the contexts so imagined, is "unsupported". The prompt has pairs and a query at its end:

      Input: a fine film
      Label: positive

      Input: nothing works here
      Label:

    Examples:
      guardrail phr --prompt prompt.txt --answer negative --model HuggingFaceTB/SmolLM2-360M
      guardrail phr --prompt prompt.txt --answer negative --base-url http://localhost:8000/v1 --model m
      guardrail phr --prompt prompt.txt --model HuggingFaceTB/SmolLM2-360M -M 40 --until-se 0.02 --json
      guardrail phr --prompt prompt.txt --answer negative --conjugate

    Exit codes:
      0    the answer is likely, or without an answer: the rate was measured
      1    the answer is unlikely
      2    bad usage or input
      3    it could not be measured; the reason is printed
      130  interrupted
    """
    from guardrail.cli._outputs import Outputs
    from guardrail.cli._read import named_or_text, text_or_file
    from guardrail.phr.commands._phr import Choice, code, measured, show_rates
    from guardrail.report import Case

    if [prompt, answer].count("-") + [prompt, answer].count("@-") > 1:
        raise Usage('only one thing can be read from the standard input ("-"); give the other as a file')
    text, place = named_or_text(prompt, "the prompt")
    given = "" if answer is None else text_or_file(answer, "the answer")
    if answer is not None and not given.strip():
        raise Usage("--answer: expected an answer, got nothing; leave it out to measure the rate alone")
    outputs = Outputs(json=json, read=(place, (answer or "").removeprefix("@")))
    choice = Choice(
        model=model,
        base_url=base_url,
        api_key_env=api_key_env,
        conjugate=conjugate,
        seed=seed,
        budget=budget,
        options={
            "contexts": contexts,
            "horizon": horizon,
            "epsilon": epsilon,
            "estimator": estimator.value,
            "draws": draws,
            "until_se": until_se,
            "threshold": threshold,
            "input": input,
            "label": label,
            "deadline": deadline,
        },
    )
    report = measured(choice, Case.of(given, prompt=text))
    outputs.write(report)
    if not quiet and not outputs.takes_stdout:
        show_rates(report, epsilon)
    raise typer.Exit(code(report))
