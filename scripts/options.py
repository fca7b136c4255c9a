"""Every option of every detector: one declaration, and what is made of it.

    python scripts/options.py            a line per option: do constructor, configuration file, command line and docs agree?
    python scripts/options.py --json     the same as JSON
    python scripts/options.py --write    write the tables of docs/options.md and of the pages in docs/methods

Each option is given several values, right and wrong ones, in three ways; all three must make the same detector or raise the
same error, one value must be taken, and a wrong one refused. Exit code 1 if one option does not agree.
"""

from __future__ import annotations

import argparse
import json
import math
import re
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import MISSING
from enum import EnumMeta
from pathlib import Path
from typing import Any

import typer

from guardrail.cli._application import app
from guardrail.cli._errors import Usage
from guardrail.cli._guard import named
from guardrail.config import load
from guardrail.errors import GuardrailError
from guardrail.options import Declared, declared
from guardrail.references.bibliography.index import Index
from guardrail.references.bibliography.records import Record
from guardrail.registry import DETECTORS

DOCS = Path(__file__).parent.parent / "docs" / "options.md"
METHODS = DOCS.parent / "methods"
TABLE = re.compile(r"^(<!-- table: (\S+) -->\n)(?:\|.*\n)*", re.MULTILINE)
COLUMNS = "| option | admits | default | |\n| --- | --- | --- | --- |\n"
HEAD = """# Options of the detectors

Every option is declared once, in the detector's class. In code it is an argument of the constructor, in `guardrail.toml` an
entry below the detector's name, and on the command line `guardrail check --detector NAME:OPTION=VALUE`. A value that is
not admitted is an error as soon as it is given. `python scripts/options.py --write` writes this page.
"""


def detectors() -> Iterator[tuple[str, Any]]:
    """Name and class of every built-in detector; a function that makes others has no options of its own."""
    for name in DETECTORS:
        found = DETECTORS[name]
        if isinstance(found, type) and found.__module__.startswith("guardrail."):
            yield name, found


def page() -> str:
    """The documents' tables."""
    parts = [HEAD]
    for name, found in detectors():
        first = (found.__doc__ or "").partition("\n")[0]
        parts += [f"\n## {name}\n\n`{found.__name__}`: {first}\n\n", table(name)]
    return "".join(parts)


def table(name: str) -> str:
    """The options of one detector."""
    return COLUMNS + "".join(row(one) for one in declared(DETECTORS[name]))


def filled(text: str) -> str:
    """A page with the table of a detector's options behind each mark `<!-- table: NAME -->`."""
    return TABLE.sub(lambda found: found[1] + table(found[2]), text)


def row(one: Declared) -> str:
    """One line of a table."""
    default = "must be given" if one.default is MISSING else f"`{one.default!r}`"
    what = one.option.help.replace("|", "\\|")
    return f"| `{one.name}` | {one.admits}{' or `None`' if one.optional else ''} | {default} | {what} |\n"


def values(one: Declared) -> list[Any]:
    """Values that a file can hold, some of them wrong."""
    found: list[Any] = []
    if one.choices:
        found += [[choice] for choice in one.choices] if one.several else one.choices
        return [*found, ["none of these"] if one.several else "none of these", 7]
    if one.several:
        return [[1.0, 0.0], ["ngram"], "a text", 7]
    if bool in one.types:
        return [True, False, 1, "yes"]
    if one.types and one.types <= {int, float}:
        least, most, above = one.option.least, one.option.most, one.option.above
        edge = least if math.isfinite(least) else above if math.isfinite(above) else 0.0
        inner = [edge + step for step in (0, 1, 2, 0.25)] + [most] * math.isfinite(most)
        found = [value for value in inner if float in one.types or value == int(value)]
        found = found if float in one.types else [int(value) for value in found]
        outside = [edge - 1, 0.5 if float not in one.types else most + 1]
        return [*found, *(value for value in outside if math.isfinite(value)), "3", True]
    if str in one.types:
        return ["a text", 7]
    return []


def outcome(make: Any) -> str:
    """The detector that was made, or what was wrong."""
    try:
        return str(make().signature())
    except (GuardrailError, TypeError, OSError, Usage) as error:
        return f"Error: {error}"


def same(constructor: str, other: str) -> bool:
    """Whether two ways come to the same; a file and a command line say before a message where it belongs."""
    refused = "Error: "
    if not constructor.startswith(refused):
        return other == constructor
    return other.startswith(refused) and other.endswith(constructor.removeprefix(refused))


def right(name: str, one: Declared, folder: Path, found: Any, more: dict[str, Any]) -> list[Any]:
    """Values that depend on what is there: files, and the fingerprints of what is in them."""
    if one.option.path:
        index = folder / "refs.sqlite"
        with Index.create(index) as made:
            made.add([Record("On Nothing")])
        there = {
            "references": str(index),
            "logic": more.get("kb"),
            "selfcheck-ensemble": "packaged",
            "memory": "answers-en-chrf",
        }
        return [there[name], str(folder / "missing"), 7]
    if (name, one.name) == ("references", "sources"):
        return [["crossref"], ["crossref", "doi"], ["none of these"], "a text", 7]
    if (name, one.name) in {
        ("logic", "fingerprint"),
        ("selfcheck-ensemble", "digest"),
        ("selfcheck-grounding", "digest"),
    }:
        return [getattr(found(**more), one.name), *values(one)]
    return values(one)


def agreement(name: str, found: Any, one: Declared, folder: Path, more: dict[str, Any]) -> dict[str, Any]:
    """Whether the ways agree on one option."""
    differ, taken, refused = [], 0, 0
    tried = right(name, one, folder, found, more)
    more = {key: value for key, value in more.items() if key != one.name}
    for value in tried:
        options = {**more, one.name: value}
        written = "".join(f"{key} = {json.dumps(given)}\n" for key, given in options.items())
        file = folder / "guardrail.toml"
        file.write_text(f'[[detectors]]\nname = "{name}"\n{written}', encoding="utf-8")
        text = f"{name}:" + ",".join(f"{key}={json.dumps(given)}" for key, given in options.items())
        came = {
            "constructor": outcome(lambda given=options: found(**given)),
            "file": outcome(lambda at=file: load(at)["detectors"][0]),
            "command line": outcome(lambda given=text: named([given])[0]),
        }
        taken += not came["constructor"].startswith("Error: ")
        refused += came["constructor"].startswith("Error: ")
        if not all(same(came["constructor"], other) for other in came.values()):
            differ.append({"value": value, **came})
    in_docs = DOCS.exists() and row(one) in DOCS.read_text(encoding="utf-8")
    given = [] if one.written else ["in code alone"]
    ok = (
        not differ
        and in_docs
        and (not one.written or refused > 0)
        and (not one.written or taken > 0 or name == "memory")
    )
    return {"detector": name, "option": one.name, "taken": taken, "refused": refused, "differ": differ, "in docs": in_docs, "note": given, "ok": ok}  # fmt: skip


def rows(folder: Path) -> Iterator[dict[str, Any]]:
    """A row per option."""
    for name, found in detectors():
        more: dict[str, Any] = {}
        if name == "logic":
            knowledge = small_knowledge(folder)
            if knowledge is None:
                yield {
                    "detector": name,
                    "option": "",
                    "ok": None,
                    "note": ["SWI-Prolog or pyswip is not installed"],
                }
                continue
            more = {"kb": str(knowledge)}
        for one in declared(found):
            yield agreement(name, found, one, folder, more)


COMMANDS = {"check": "references", "memory fit": "memory"}
"""Commands with options of their own, each with a detector whose options these may be."""


def flags() -> Iterator[dict[str, Any]]:
    """What commands say of options that a detector declares: the same default, bounds and choices, or nothing."""
    root: Any = typer.main.get_command(app)
    for command, name in COMMANDS.items():
        found = root
        for part in command.split():
            found = found.commands[part]
        known = {one.name: one for one in declared(DETECTORS[name])}
        for flag in found.params:
            one = known.get(flag.name)
            if one is None or one.option.path:
                continue
            wrong = []
            default = getattr(flag.default, "value", flag.default)
            if default is not None and not callable(default) and default != one.default:
                wrong.append(f"default {default!r}, declared {one.default!r}")
            for bound, limit in (("min", one.option.least), ("max", one.option.most)):
                given = getattr(flag, bound, None)
                if given is not None and given != limit:
                    wrong.append(f"{bound} {given!r}, declared {limit!r}")
            kind = getattr(getattr(flag, "type_descriptor", None), "annotation", None)
            named_choices = {str(each.value) for each in kind} if isinstance(kind, EnumMeta) else set()
            if strange := named_choices - set(one.choices):
                wrong.append(f"{sorted(strange)} are not among the choices")
            yield {
                "detector": name,
                "option": one.name,
                "note": [f"guardrail {command} {flag.opts[0]}", *wrong],
                "ok": not wrong,
            }


def small_knowledge(folder: Path) -> Path | None:
    """A knowledge base of one fact; `None` where there is no Prolog."""
    from guardrail.logic.knowledge import Triple, build
    from guardrail.logic.knowledge.prolog import available

    if available() is not None:
        return None
    build(folder / "world.kb", [Triple("Paris", "capital of", "France")])
    return folder / "world.kb"


def main() -> int:
    """Print the table, or write the pages."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--write", action="store_true", help="write the tables of docs")
    arguments = parser.parse_args()
    if arguments.write:
        DOCS.write_text(page(), encoding="utf-8")
        for path in METHODS.glob("*.md"):
            path.write_text(filled(path.read_text(encoding="utf-8")), encoding="utf-8")
        return 0
    with tempfile.TemporaryDirectory() as folder:
        found = [*rows(Path(folder)), *flags()]
    if arguments.json:
        print(json.dumps(found, ensure_ascii=False, indent=2, default=str))
    else:
        for one in found:
            state = {True: "ok ", False: "NO ", None: "-  "}[one["ok"]]
            counts = f"{one['taken']} values taken, {one['refused']} refused" if "taken" in one else ""
            print(f"{state} {one['detector']:22} {one['option']:16} {counts} {'; '.join(one['note'])}")
            for differ in one.get("differ", ()):
                print(f"      {differ}")
    wrong = sum(one["ok"] is False for one in found)
    print(f"{sum(one['ok'] is True for one in found)} options agree, {wrong} do not", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
