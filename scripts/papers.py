"""Writes docs/papers.md from docs/references.bib: `python scripts/papers.py`."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import bibtexparser

DOCS = Path(__file__).parents[1] / "docs"
HEAD = """# Papers

Look up what a page cites as `[key]`. `python scripts/papers.py` writes this page from [references.bib](references.bib).
"""
ADDRESSES = {"doi": "https://doi.org/", "eprint": "https://arxiv.org/abs/", "url": ""}


def page() -> str:
    """The page, a heading per work in the order of the keys."""
    library = bibtexparser.parse_file(str(DOCS / "references.bib"))
    entries = sorted(library.entries, key=lambda entry: entry.key)
    return HEAD + "".join(f"\n## {entry.key}\n\n{written(entry.fields_dict)}\n" for entry in entries)


def written(fields: dict[str, Any]) -> str:
    """Who, what, where and when, with a link where the entry has an address."""
    got = {name: re.sub(r"[{}]", "", str(field.value)).replace("--", "–") for name, field in fields.items()}
    where = next((got[name] for name in ("journal", "booktitle", "publisher", "note") if name in got), "")
    title = got["title"]
    for name, address in ADDRESSES.items():
        if name in got:
            title = f"[{title}]({address}{got[name]})"
            break
    parts = (people(got["author"]), title, where, got.get("year", ""))
    return ". ".join(part.rstrip(".") for part in parts if part) + "."


def people(authors: str) -> str:
    """Given names first; of more than four people the first three."""
    names = [" ".join(reversed(name.split(", "))) for name in authors.split(" and ")]
    if len(names) > 4:
        return f"{', '.join(names[:3])} and others"
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))


if __name__ == "__main__":
    (DOCS / "papers.md").write_text(page(), encoding="utf-8")
