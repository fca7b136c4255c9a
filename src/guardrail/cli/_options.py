"""Options that several commands share."""

from __future__ import annotations

from typing import Annotated

import typer

_PATH = "to the standard output if no PATH follows. A PATH ends in .json, or is given as --json=PATH."

MODEL = Annotated[str | None, typer.Option(metavar="NAME", help="The chat model that detectors ask.")]

BASE_URL = Annotated[
    str | None,
    typer.Option(
        "--base-url",
        metavar="URL",
        help="Its OpenAI-compatible endpoint. Default: $OPENAI_BASE_URL, else OpenAI.",
    ),
]
API_KEY_ENV = Annotated[
    str | None,
    typer.Option(
        "--api-key-env",
        metavar="VARIABLE",
        help="Environment variable with the key. Default: OPENAI_API_KEY. Keys are never an option: "
        "they would show in the list of processes.",
    ),
]
BACKEND = Annotated[
    list[str] | None,
    typer.Option(
        "--backend",
        metavar="LANE=ADAPTER[:OPTION=VALUE,...]",
        help="Another model that a detector needs, as in a guardrail.toml: entailment=packaged, entailment=local:model=DIR, "
        "language_model=completions:model=NAME,base_url=URL. Repeat for several.",
    ),
]
QUIET = Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing; see the exit code.")]
JSON_REPORT = Annotated[
    str | None,
    typer.Option("--json", metavar="[PATH]", help=f"Write the whole report as JSON, {_PATH}"),
]
