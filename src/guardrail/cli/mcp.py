"""`guardrail mcp`: tools for a model, over standard input and output."""

from __future__ import annotations

from typing import Any

from guardrail.cli._errors import say
from guardrail.errors import MissingExtra


def mcp(**options: Any) -> None:
    """Give a model two tools, check_references and check_answer, by the Model Context Protocol (MCP).

    A host starts it and speaks to it over the standard input and output; the log goes to the standard error output.
    It takes the options of `guardrail check` that choose detectors, models and sources. The context and samples of a
    call choose detectors as --context and --samples do there. Without --deadline, a check ends after 50 seconds; what
    is not checked by then is unverified.

    Examples:
      guardrail mcp --bibliography library.sqlite
      guardrail mcp --online
      guardrail mcp --config guardrail.toml

    Exit codes:
      0    the host has ended it
      2    bad usage or configuration
    """
    try:
        from guardrail.mcp.tools import server
    except ImportError as error:
        raise MissingExtra("the server of tools", extra="mcp") from error
    from guardrail.cli._guard import Choice, Guards
    from guardrail.server import write_log

    write_log(quiet=True, of="")
    with Guards(Choice.of(options)) as guards:
        for warning in guards.of(frozenset()).warnings:  # made now, so that what is missing ends the command
            say(f"note: {warning}")
        server(guards).run("stdio")
