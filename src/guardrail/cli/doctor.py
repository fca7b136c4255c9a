"""`guardrail doctor`: what is installed, configured and reachable, and what would mend the rest."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from guardrail._visible import one_line
from guardrail.cli._errors import Exit
from guardrail.cli._terminal import Glyphs, console, json_text

if TYPE_CHECKING:
    from guardrail.cli.methods import Item

_SIGNS = {"ok": "supported", "missing": "unverified", "broken": "unsupported"}
_STYLES = {"ok": "green", "missing": "yellow", "broken": "bold red"}


def doctor(
    online: Annotated[
        bool,
        typer.Option(
            "--online", help="Also ask whether the endpoint of $OPENAI_BASE_URL (else OpenAI) answers."
        ),
    ] = False,
    base_url: Annotated[
        str | None, typer.Option(metavar="URL", help="Ask whether this OpenAI-compatible endpoint answers.")
    ] = None,
    config: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Read this configuration. Default: guardrail.toml, if it is here."),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print everything as JSON.")] = False,
    **options: Any,
) -> None:
    """Say what is installed, configured and reachable; for what is not, the command that mends it.

    Packaged models that are installed are loaded, which takes a second or two.
    Without --online, --base-url or --sources it stays off the network. Keys are never shown.

    Exit codes:
      0    all that is needed works (what is optional may be missing)
      1    something is broken
    """
    from guardrail.cli import _examine

    items = _examine.everything(online=online, base_url=base_url, config=config, options=options)
    broken = any(item.state == "broken" for item in items)
    if json:
        content = {"ok": not broken, "items": [asdict(item) for item in items]}
        typer.echo(json_text(content), nl=False)
    else:
        _show(items)
    raise typer.Exit(Exit.UNSUPPORTED if broken else Exit.OK)


def _show(items: list[Item]) -> None:
    out = console()
    glyphs = Glyphs(out)
    section = ""
    wide = max(len(item.name) for item in items) + 1
    for item in items:
        if item.section != section:
            section = item.section
            out.print(f"\n{section}" if item is not items[0] else section, style="bold")
        from rich.text import Text

        sign = "-" if item.state == "missing" else glyphs.of(_SIGNS[item.state])
        line = Text(f"  {sign} ", style=_STYLES[item.state])
        line.append(f"{one_line(item.name):<{wide}}", style="" if item.state == "ok" else _STYLES[item.state])
        line.append(one_line(item.detail), style="dim" if item.state == "ok" else "")
        out.print(line, soft_wrap=True)
        if item.mend:
            out.print(f"      {one_line(item.mend)}", style="cyan", soft_wrap=True)
    broken = sum(item.state == "broken" for item in items)
    missing = sum(item.state == "missing" for item in items)
    out.print()
    if broken:
        out.print(f"{broken} broken: run the commands above", style="bold red")
    else:
        out.print(
            f"all that is needed works; {missing} optional missing" if missing else "everything is there"
        )
