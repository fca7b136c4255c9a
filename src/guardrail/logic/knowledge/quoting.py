r"""The one place where a label becomes Prolog text, and text becomes a label again.

Prolog text exists in one file only, the facts of a knowledge base, one fact per line:

    'r:award received'('Ahmed Zewail','Wolf Prize in Chemistry').

Queries contain no text at all: their arguments go to Prolog as atoms (see `prolog`). The name of a relation gets the
prefix `r:`, so that no relation, whatever its name, can be one of Prolog's own predicates.
"""

from __future__ import annotations

import re

from guardrail.errors import InputError
from guardrail.logic.knowledge.facts import Triple

PREFIX = "r:"

_ATOM = r"'((?:[^'\\\x00-\x1f\x7f-\x9f]|\\\\|\\'|\\x[0-9a-f]{1,6}\\)*)'"
FACT = re.compile(rf"{_ATOM}\({_ATOM},{_ATOM}\)\.\n?")
"""A whole line of a file of facts, its three atoms as groups, still escaped."""
_ESCAPE = re.compile(r"\\(?:x([0-9a-f]+)\\|(.))")


def quoted(text: str) -> str:
    r"""The text as a quoted atom; what does not print is written as a number (in the first plane).

    Example:
        >>> print(quoted("O'Neill\n:- halt."))
        'O\'Neill\xa\:- halt.'
    """
    if text.isprintable():
        return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
    return "'" + "".join(map(_written, text)) + "'"


def _written(character: str) -> str:
    if character in "\\'":
        return "\\" + character
    # SWI-Prolog 9.0 refuses some numbers beyond the first plane, which it reads as characters.
    plain = character.isprintable() or ord(character) > 0xFFFF
    return character if plain else f"\\x{ord(character):x}\\"


def unquoted(escaped: str) -> str:
    r"""What stood between the quotes, as it was before `quoted`.

    Example:
        >>> unquoted(r"O\'Neill")
        "O'Neill"
    """
    if "\\" not in escaped:
        return escaped
    return _ESCAPE.sub(lambda match: chr(int(match[1], 16)) if match[1] else match[2], escaped)


def fact_line(triple: Triple) -> str:
    """One line of a file of facts, with its line break."""
    functor = quoted(PREFIX + triple.relation)
    return f"{functor}({quoted(triple.subject)},{quoted(triple.object)}).\n"


def read_fact(line: str) -> Triple | None:
    """The fact of a line, `None` where it is anything but one fact as `fact_line` writes it."""
    match = FACT.fullmatch(line)
    if match is None:
        return None
    try:
        functor, subject, object_ = (unquoted(part) for part in match.groups())
        triple = Triple(subject, functor.removeprefix(PREFIX), object_)
    except (InputError, ValueError):  # an empty label, a number that is no character
        return None
    return triple if functor.startswith(PREFIX) and fact_line(triple) == line.rstrip("\n") + "\n" else None
