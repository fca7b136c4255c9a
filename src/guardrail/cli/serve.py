"""`guardrail serve`: guard an OpenAI-compatible endpoint for clients in any language."""

from __future__ import annotations

import os
from functools import partial
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from guardrail.cli._errors import Usage, say
from guardrail.errors import MissingExtra

if TYPE_CHECKING:
    from guardrail.guard import Guard


def serve(  # noqa: PLR0917  # an option each
    upstream: Annotated[
        str | None,
        typer.Option(metavar="URL", help="Base URL of the endpoint that is guarded.", show_default=False),
    ] = None,
    config: Annotated[
        str, typer.Option(metavar="FILE", help="A guardrail.toml with detectors, policy and [server].")
    ] = "guardrail.toml",
    host: Annotated[
        str,
        typer.Option(
            metavar="ADDRESS", help="Listen here. Any but a loopback address needs client keys or --no-auth."
        ),
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(metavar="NUMBER", help="Listen here; 0 takes a free port.")] = 8080,
    host_name: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="A name by which clients call it, if not localhost or an address. Repeat it for several.",
            show_default=False,
        ),
    ] = None,
    workers: Annotated[
        int | None,
        typer.Option(
            metavar="NUMBER",
            help="Processes that serve, each with its own models.  [default: 1, or that of [server]]",
            show_default=False,
        ),
    ] = None,
    mode: Annotated[
        Literal["enforce", "monitor"],
        typer.Option(
            help="enforce applies the policy; monitor passes everything on unchanged and reports in /metrics and the log."
        ),
    ] = "enforce",
    stream: Annotated[
        Literal["buffer", "sentence", "observe"] | None,
        typer.Option(
            help="Streamed answers: buffer releases them after the verdict; sentence releases each sentence once it was "
            "examined; observe passes them on and reports at their end. Default: [server] stream, else buffer.",
            show_default=False,
        ),
    ] = None,
    reasoning: Annotated[
        Literal["drop", "check", "pass"] | None,
        typer.Option(
            help="Reasoning that can be read: drop leaves it out; check shows it if the guard has nothing against it; pass "
            "shows it where the policy cut nothing from the answer. Default: [server] reasoning, else drop.",
            show_default=False,
        ),
    ] = None,
    no_auth: Annotated[
        bool,
        typer.Option("--no-auth", help="Clients need no key. Who may connect is then your proxy's business."),
    ] = False,
    upstream_key_env: Annotated[
        str | None,
        typer.Option(
            metavar="VARIABLE",
            help="Environment variable with the server's own upstream key. Default: the caller's key is sent on.",
        ),
    ] = None,
    quiet: Annotated[
        bool,
        typer.Option(
            "--quiet", "-q", help="No log line for each answer; warnings and errors are still written."
        ),
    ] = False,
) -> None:
    """Guard an OpenAI-compatible endpoint: clients change their base URL, and nothing else.

    Answers are held back until they were examined; with --stream sentence, sentence by sentence. SIGTERM stops listening and finishes what runs.
    The log goes to the standard error output: a line for each answer that was examined, without its text.

    Examples:
      guardrail serve --upstream https://api.openai.com/v1
      guardrail serve --upstream http://127.0.0.1:8000/v1 --config guardrail.toml --mode monitor
      OPENAI_BASE_URL=http://127.0.0.1:8080/v1 python my_bot.py

    Exit codes:
      0    ended by SIGTERM or Ctrl-C
      2    bad usage or configuration
    """
    if upstream is None:
        raise Usage("expected the endpoint to guard, got none. Write --upstream https://api.openai.com/v1")
    key = None
    if upstream_key_env is not None and not (key := os.environ.get(upstream_key_env)):
        raise Usage(f"expected the upstream's key in ${upstream_key_env}, got nothing. Set the variable")
    try:
        from guardrail.server import Settings, run
    except ImportError as error:
        raise MissingExtra("the server", extra="server") from error
    given = {
        "host_names": tuple(host_name) if host_name else None,
        "workers": workers,
        "stream": stream,
        "reasoning": reasoning,
    }
    settings = Settings.from_file(
        config,
        upstream=upstream,
        host=host,
        port=port,
        mode=mode,
        no_auth=no_auth,
        upstream_key=key,
        **{name: value for name, value in given.items() if value is not None},
    )
    run(
        settings,
        partial(_made, config, quiet=quiet),
        listening=lambda url: say(f"guarding {settings.upstream} at {url}/v1 ({settings.mode})"),
        say=say,
    )


def _made(config: str, *, quiet: bool) -> Guard:
    """The guard of a process that serves; its log starts here, since each worker writes its own."""
    from guardrail.guard import Guard
    from guardrail.server import write_log

    write_log(quiet=quiet)
    return Guard.from_config(config)
