"""Command lines that are forgiving where the shell's habits are: `--json` alone, several words after one option."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, ClassVar

from typer.core import TyperCommand

from guardrail.cli._errors import Usage


class Command(TyperCommand):
    """Lets `--json` be alone, for the standard output, and options of `several` take all words that follow."""

    several: ClassVar[frozenset[str]] = frozenset()
    """Options that take words up to the next option (`--samples a.txt b.txt`). Of a command with an argument only where that
    comes first, so that the words can belong to nothing else."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Give a lone `--json` its value, and each of several words its option."""
        takes = any(one.param_type_name == "argument" for one in self.params)
        ahead = args[:1] == ["-"] or not "".join(args[:1]).startswith("-")
        if takes and not ahead:
            _must_be_clear(args, self.several)
        several = self.several if ahead or not takes else frozenset()
        return super().parse_args(ctx, list(_json_with_value(list(_repeated(args, several)))))


def _must_be_clear(args: Sequence[str], several: frozenset[str]) -> None:
    """Refuse `--samples a.txt b.txt` ahead of any file: b.txt may be a sample, or the answer.

    Raises:
        Usage: a word that begins with no dash follows the value of such an option.
    """
    for option, value, word in zip(args, args[1:], args[2:], strict=False):
        if option in several and not value.startswith("-") and not word.startswith("-"):
            raise Usage(
                f"{option}: {word!r} may be its second value, or the answer: write the answer's file first, or - for "
                f"the standard input, and then {option} {value} …"
            )


def _json_with_value(args: Sequence[str]) -> Iterator[str]:
    """A word after `--json` is its value only if it is "-" or ends in .json, so that no answer is overwritten."""
    for place, word in enumerate(args):
        yield word
        if word == "--":
            yield from args[place + 1 :]
            return
        if word == "--json":
            following = args[place + 1] if place + 1 < len(args) else ""
            if following != "-" and not following.lower().endswith(".json"):
                yield "-"


def _repeated(args: Iterable[str], several: frozenset[str]) -> Iterator[str]:
    """`--samples a b` as `--samples a --samples b`."""
    option, first = "", False
    for word in args:
        if word.startswith("-") and word != "-":
            option = word.partition("=")[0] if word.partition("=")[0] in several else ""
            first = word == option
        elif option and not first:
            yield option
        else:
            first = False
        yield word
