"""`guardrail check`: examine a given answer."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

import typer

from guardrail.cli._command import Command
from guardrail.cli._errors import Exit, Usage, code_of, say, worst_of
from guardrail.cli._options import API_KEY_ENV, BACKEND, BASE_URL, JSON_REPORT, MODEL, QUIET

OPTIONS = ("detector", "model", "base_url", "api_key_env", "backend", "config", "budget", "deadline")
"""Those that say what a guard is made of, not what is done with one answer; methods add theirs."""


class CheckCommand(Command):
    """Takes several files after `--samples` and `--context`, where FILE comes first."""

    several: ClassVar[frozenset[str]] = frozenset({"--samples", "--context"})


def check(  # noqa: PLR0917  # an option each
    file: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="FILE",
            help="The answer, in UTF-8; - or nothing: from the standard input. With several files, each is checked as an answer of its own; those without a text are left out.",
            show_default=False,
        ),
    ] = None,
    prompt: Annotated[
        str | None,
        typer.Option(metavar="TEXT|@FILE", help="The question that was answered, or @FILE to read it from."),
    ] = None,
    detector: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME[:OPTION=VALUE,...]",
            help="Run this detector with these options; `guardrail doctor` lists detectors. A value is TOML or plain text. "
            "Repeat for several. Default: references; with --context selfcheck-grounding, with --samples selfcheck, with "
            "--logprobs selfcheck-greybox.",
        ),
    ] = None,
    model: MODEL = None,
    base_url: BASE_URL = None,
    api_key_env: API_KEY_ENV = None,
    backend: BACKEND = None,
    policy: Annotated[
        str | None,
        typer.Option(
            metavar="POLICY",
            help="What to do about findings: flag (default), annotate, correct, remove, block, joined by |. "
            "regenerate is accepted, but a given answer cannot be written again.",
        ),
    ] = None,
    on_unverified: Annotated[
        Literal["allow", "annotate", "block"] | None,
        typer.Option(
            help="What to do about what could not be checked. Default: annotate if the policy edits, else allow."
        ),
    ] = None,
    fail: Annotated[
        Literal["open", "closed"] | None,
        typer.Option(
            help="If a check breaks: open shows the answer and says so (default), closed withholds it."
        ),
    ] = None,
    config: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="A guardrail.toml with detectors, model and policy. Options for detectors, policy, budget and deadline "
            "override it.",
        ),
    ] = None,
    budget: Annotated[
        str | None,
        typer.Option(metavar="CALLS[,TOKENS]", help="Stop asking the model after so many calls, or tokens."),
    ] = None,
    deadline: Annotated[
        float | None,
        typer.Option(metavar="SECONDS", help="What is not checked after so many seconds is unverified."),
    ] = None,
    context: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FILE...",
            help="Documents that the answer should be based on: each claim of the answer is compared with all of them. "
            "Several may follow where the answer's FILE comes first, or repeat the option.",
        ),
    ] = None,
    samples: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PATH...",
            help="Other answers of the model to the same prompt, to compare with: text files with one each, .json or .jsonl "
            "files with a list, or folders. Several as above.",
        ),
    ] = None,
    logprobs: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="The answer's tokens with log-probabilities: a saved response of OpenAI's chat completions.",
        ),
    ] = None,
    json: JSON_REPORT = None,
    html: Annotated[str | None, typer.Option(metavar="PATH", help="Write a page with the evidence.")] = None,
    out: Annotated[
        str | None,
        typer.Option(metavar="PATH", help="Write the answer after the policy; - prints it."),
    ] = None,
    sarif: Annotated[
        str | None,
        typer.Option(
            metavar="PATH",
            help="Write what is unsupported or unverified, with its place in each FILE, as SARIF 2.1.0; - prints it.",
        ),
    ] = None,
    short: Annotated[
        bool,
        typer.Option(
            "--short",
            help="Print one line for each unsupported or unverified finding, as FILE:LINE:COLUMN, instead of the answer. The default with several files.",
        ),
    ] = False,
    pass_unverified: Annotated[
        bool,
        typer.Option(
            "--pass-unverified",
            help="Exit with 0, not 3, where something could not be verified; for hooks and CI.",
        ),
    ] = False,
    quiet: QUIET = False,
    **more: Any,
) -> None:
    """Find what is made up in an answer: references, and with --context or --samples claims that these do not support.

    With --facts, sentences that contradict known facts are found, too. A bibliography decides about a reference without
    a model. The model of --model is asked about all others; without it they are "unverified", which does not mean that
    they are correct. A sentence about which the knowledge base says nothing is unverified, too. --detector runs other
    detectors instead.

    Examples:
      guardrail check answer.md --bibliography refs.bib
      guardrail check answer.md --bibliography refs.bib --complete --policy remove --out clean.md
      guardrail check answer.md --context manual.txt --prompt "How long is the warranty?"
      guardrail check answer.md --context manual.txt faq.txt --detector support --html report.html
      guardrail check answer.md --facts world.kb --policy annotate --out -
      guardrail check answer.md --model gpt-5-mini --prompt @question.txt --html report.html
      guardrail check answer.md --samples s1.txt s2.txt s3.txt
      guardrail check answer.md --detector selfcheck-ngram:samples=3 --model gpt-5-mini --prompt @question.txt
      guardrail check answer.md --context manual.txt --detector selfcheck-nli --backend entailment=packaged
      guardrail check README.md docs/*.md --bibliography refs.bib --sarif guardrail.sarif
      ask-my-bot "five papers on X" | guardrail check - --bibliography library.sqlite --json

    Exit codes:
      0    everything is supported, or there is nothing to check
      1    something is unsupported
      2    bad usage or input; with several files also where one of them cannot be read (the others are checked)
      3    something could not be verified (and nothing is unsupported)
      4    the policy blocked the answer
      130  interrupted
    """
    from guardrail.cli._guard import Choice, build
    from guardrail.cli._outputs import Outputs, write_sarif
    from guardrail.cli._read import read_several, read_text, text_or_file
    from guardrail.cli._samples import read_logprobs, read_samples
    from guardrail.cli._sarif import Checked, lines
    from guardrail.cli._show import show
    from guardrail.report import Case

    places = file or ["-"]
    if not file and sys.stdin.isatty():
        raise Usage(
            "expected an answer to check, got none. Name a FILE, or pipe it in: echo 'TEXT' | guardrail check -"
        )
    if len(places) > 1:
        alone = {"prompt": prompt, "samples": samples, "logprobs": logprobs, "json": json, "html": html}
        _refused(len(places), {**alone, "out": out})
    read = [*places, *(context or []), *(samples or []), logprobs or ""]
    if read.count("-") + (prompt == "@-") > 1:
        raise Usage('only one thing can be read from the standard input ("-"); give the others as files')
    outputs = Outputs(
        json=json, html=html, out=out, sarif=sarif, read=(*read, (prompt or "").removeprefix("@"))
    )
    texts, unread = read_several(places)
    for reason in unread.values():
        say(f"error: {reason}")
    first = Case.of(
        next(iter(texts.values()), ""),
        prompt=text_or_file(prompt, "the prompt") if prompt else "",
        context=[
            {"page_content": read_text(path, "a context document"), "metadata": {"source": Path(path).name}}
            for path in context or []
        ],
        samples=read_samples(samples or []),
        logprobs=read_logprobs(logprobs) if logprobs else (),
    )
    cases = {place: first.model_copy(update={"answer": text}) for place, text in texts.items()}
    given = {"context": first.context, "samples": first.samples, "logprobs": first.logprobs}
    choice = Choice(
        model=model,
        base_url=base_url,
        api_key_env=api_key_env,
        policy=policy,
        on_unverified=on_unverified,
        fail=fail,
        config=config,
        budget=budget,
        deadline=deadline,
        detectors=detector or (),
        backends=backend or (),
        given=frozenset(name for name, found in given.items() if found),
        more=more,
    )
    with build(choice) as built:
        for warning in built.warnings:
            say(f"note: {warning}")
        for case in cases.values():
            built.must_be_able(case)
        files = [Checked(place, built.check(case)) for place, case in cases.items()]
        if sarif is not None:
            write_sarif(sarif, files, unread.values())
        if len(places) == 1:
            outputs.write(files[0].report)
        if not quiet and not outputs.takes_stdout:
            if short or len(places) > 1:
                for line in lines(files):
                    sys.stdout.write(f"{line}\n")
            else:
                report = files[0].report
                source = "the standard input" if places[0] == "-" else places[0]
                show(report, source=source, notes=built.notes(report))
    code = Exit.USAGE if unread else worst_of(code_of(one.report) for one in files)
    raise typer.Exit(Exit.OK if pass_unverified and code is Exit.UNVERIFIED else code)


def _refused(files: int, alone: Mapping[str, object]) -> None:
    """Refuse the options that are for one answer."""
    for name in (name for name, value in alone.items() if value):
        raise Usage(f"--{name} is for one answer, got {files} files: check them one by one, or leave it out")
