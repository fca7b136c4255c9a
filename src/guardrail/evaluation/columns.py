"""Names of columns: which field each is probably meant for, to say so when a name is not ours."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Mapping

from guardrail._toml import packaged

FIELDS = ("answer", "prompt", "context", "samples", "logprobs", "label", "sentences", "source")
"""What a row may have, by the name of its default column."""

_USUAL: dict[str, list[str]] = packaged("guardrail.evaluation", "words.toml")["columns"]


def suggested(columns: Iterable[str], known: Mapping[str, str] | None = None) -> dict[str, str]:
    """Columns that look like fields which are read from no column yet; only names are looked at.

    Args:
        columns: of a file.
        known: columns that the user named, by field.

    Returns:
        by field, in the order of `FIELDS`.

    Example:
        >>> suggested(["model_output", "docs", "is_supported", "url", "seed"])
        {'answer': 'model_output', 'context': 'docs', 'label': '!is_supported', 'source': 'url'}
    """
    there = {_bare(name): name for name in map(str, columns)}
    taken = {name.removeprefix("!") for name in (known or {}).values()}
    found = {}
    for field in FIELDS:
        if field in there.values() or field in (known or {}):
            continue
        for usual in _USUAL[field]:
            column = there.get(usual.removeprefix("!"))
            if column is not None and column not in taken:
                found[field] = "!" * usual.startswith("!") + column
                taken.add(column)
                break
    return found


def as_option(columns: Mapping[str, str]) -> str:
    """A mapping as it is written on the command line, quoted for a shell where that is needed.

    >>> as_option({"answer": "response", "label": "!faithful"})
    "--map 'answer=response,label=!faithful'"
    """
    return "--map " + shlex.quote(",".join(f"{field}={column}" for field, column in columns.items()))


def _bare(name: str) -> str:
    """A name in small letters with underscores: "Model Output" and "modelOutput" are model_output."""
    parted = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name)
    return re.sub(r"[\W_]+", "_", parted).strip("_").lower()
