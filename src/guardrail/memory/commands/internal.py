"""`guardrail memory internal`: how often a model confuses pairs that it knows."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar

import typer

from guardrail.cli._command import Command
from guardrail.cli._errors import Exit, Usage, say
from guardrail.cli._options import API_KEY_ENV, BASE_URL, JSON_RESULT, QUIET

if TYPE_CHECKING:
    from guardrail.cache import Cache


class Language(StrEnum):
    """Of the questions."""

    EN = "en"
    ZH = "zh"


class Strategy(StrEnum):
    """How questions are made of a combination."""

    SHUFFLE = "shuffle"
    PERMUTATIONS = "permutations"


class Shuffle(StrEnum):
    """Which orders `--strategy shuffle` draws from."""

    UNIFORM = "uniform"
    MOVED = "moved"


class Prompts(StrEnum):
    """Whose words the questions are in."""

    FENCED = "fenced"
    PAPER = "paper"


class InternalCommand(Command):
    """Takes several numbers after `--k`."""

    several: ClassVar[frozenset[str]] = frozenset({"--k"})


def internal(  # noqa: PLR0917  # an option each
    pairs: Annotated[
        str, typer.Option(metavar="FILE", help="The pairs: .jsonl or .csv, one a row.", show_default=False)
    ],
    left: Annotated[
        str, typer.Option(metavar="FIELD", help='What is asked about ("country").', show_default=False)
    ],
    right: Annotated[
        str,
        typer.Option(
            metavar="FIELD",
            help='What belongs to it ("capital"); a list of names means that each is right.',
            show_default=False,
        ),
    ],
    model: Annotated[str, typer.Option(metavar="NAME", help="The chat model to ask.", show_default=False)],
    base_url: BASE_URL = None,
    api_key_env: API_KEY_ENV = None,
    also: Annotated[
        str | None, typer.Option(metavar="FIELD", help="A field with more names that are right.")
    ] = None,
    alike: Annotated[
        float | None,
        typer.Option(
            metavar="SHARE",
            help="Rows whose left agrees in this share of its letters are one, and their names are all right: 0.75 "
            "for verses. Default: equal ones only.",
            min=0.5,
            max=1.0,
        ),
    ] = None,
    language: Annotated[Language, typer.Option(help="Of the questions.")] = Language.EN,
    left_name: Annotated[
        str | None, typer.Option(metavar="WORD", help="How questions call the left. Default: the field.")
    ] = None,
    right_name: Annotated[
        str | None, typer.Option(metavar="WORD", help="How questions call the right. Default: the field.")
    ] = None,
    k: Annotated[
        list[int] | None,
        typer.Option(
            "--k",
            metavar="N...",
            help="Pairs per question. Default: 2 3 5 10, or 2 3 5 with --strategy permutations.",
            min=2,
        ),
    ] = None,
    questions: Annotated[int, typer.Option(metavar="N", help="Combinations per k.", min=1)] = 100,
    strategy: Annotated[
        Strategy,
        typer.Option(help="Ask each combination in one random order, or in all k! orders."),
    ] = Strategy.SHUFFLE,
    orders: Annotated[
        int | None,
        typer.Option(metavar="N", help="Ask at most N orders of a combination (permutations).", min=1),
    ] = None,
    shuffle: Annotated[
        Shuffle,
        typer.Option(help="Any order, or only such in which nothing is in its place (shuffle)."),
    ] = Shuffle.UNIFORM,
    prompts: Annotated[
        Prompts, typer.Option(help="Our questions, or the paper's own, about poems.")
    ] = Prompts.FENCED,
    seed: Annotated[int, typer.Option(metavar="N", help="Of combinations and orders.", min=0)] = 0,
    out: Annotated[
        str | None,
        typer.Option(
            "--out",
            "-o",
            metavar="DIR",
            help="Write the result and every question there, and keep the replies: the same command goes on where it "
            "was interrupted.",
        ),
    ] = None,
    json: JSON_RESULT = None,
    quiet: QUIET = False,
) -> None:
    """Measure how often a model confuses pairs that it knows.

    It is asked for every pair by itself; those that it knows are shuffled, k at a time, and it is to put them right. P is
    the share of lists that are not wholly right. Replies that are no list are malformed: counted apart, not as wrong.
    Where one left has several names in the file, each of them is right. Chinese needs the extra [chinese].

    Examples:
      guardrail memory internal --pairs capitals.jsonl --left country --right capital --model gpt-5-mini
      guardrail memory internal --pairs poems.jsonl --left line --right author --alike 0.75 --language zh --model glm-4
      guardrail memory internal --pairs p.csv --left term --right inventor --model m --k 2 3 5 --out runs/m

    Exit codes:
      0    every question had a reply that could be read
      2    bad usage or input
      3    some had none
      130  interrupted; with --out the same command goes on
    """
    from guardrail.cli._guard import live_chat
    from guardrail.cli._outputs import write_text
    from guardrail.cli._terminal import json_text
    from guardrail.memory.commands._internal import Options, measure, table, to_json, write_folder
    from guardrail.memory.commands._pairs import noun, read_pairs
    from guardrail.memory.internal import Wording, candidates

    permuted = strategy is Strategy.PERMUTATIONS
    if orders is not None and not permuted:
        raise Usage("--orders is for --strategy permutations: add that, or leave --orders out")
    if shuffle is Shuffle.MOVED and permuted:
        raise Usage("--shuffle moved is for --strategy shuffle: permutations are all orders")
    ks = tuple(dict.fromkeys(k or ((2, 3, 5) if permuted else (2, 3, 5, 10))))
    if permuted and orders is None and max(ks) > 7:
        raise Usage(
            f"--k {max(ks)} has too many orders to ask all of them: add --orders N, as in --orders 24"
        )
    found = candidates(read_pairs(pairs, left, right, also), alike=alike)
    if len(found.pairs) < min(ks):
        raise Usage(f"expected at least {min(ks)} different pairs in {pairs!r}, got {len(found.pairs)}")
    folder = None if out is None else _folder(out)
    wording = Wording(
        language=language.value,
        left=left_name or noun(left, language),
        right=right_name or noun(right, language),
        prompts=prompts.value,
    )
    chat = live_chat(model, base_url, api_key_env)
    options = Options(wording, ks, strategy.value, shuffle.value, questions, orders, seed)
    measured = measure(found, options, chat, _store(folder))
    asked = {"model": model, "language": language.value, "prompts": prompts.value, "shuffle": shuffle.value}
    content = to_json(found, measured, {**asked, "questions": questions, "orders": orders, "seed": seed})
    if folder is not None:
        write_folder(folder, content, measured)
    if json is not None:
        write_text(json, json_text(content))
    if not quiet and json != "-":
        typer.echo(table(found, measured))
        if folder is not None:
            say(f"note: every question is in {folder / 'questions.jsonl'}")
    raise typer.Exit(Exit.OK if measured.complete else Exit.UNVERIFIED)


def _folder(out: str) -> Path:
    folder = Path(out).expanduser()
    if folder.exists() and not folder.is_dir():
        raise Usage(f"--out: expected a folder, got the file {out!r}")
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _store(folder: Path | None) -> Cache | None:
    if folder is None:
        return None
    from guardrail.cache import Cache

    return Cache(folder / "replies.sqlite", samples=True)
