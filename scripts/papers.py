"""Writes docs/papers.md from docs/references.bib: `python scripts/papers.py`."""

from __future__ import annotations

import re
from pathlib import Path

from guardrail.references.bibliography.formats.bibtex_entries import entries

DOCS = Path(__file__).parents[1] / "docs"
HEAD = """# Papers

Look up what a page cites as `[key]`. `python scripts/papers.py` writes this page from [references.bib](references.bib).
"""
ADDRESSES = {"doi": "https://doi.org/", "eprint": "https://arxiv.org/abs/", "url": ""}


def page() -> str:
    """The page, a heading per work in the order of the keys."""
    text = (DOCS / "references.bib").read_text(encoding="utf-8")
    works = sorted(entries(text, {}), key=lambda entry: entry.key)
    return HEAD + "".join(f"\n## {entry.key}\n\n{written(entry.fields)}\n" for entry in works)


def written(fields: dict[str, str]) -> str:
    """Who, what, where and when, with a link where the entry has an address."""
    got = {name: re.sub(r"[{}]", "", value).replace("--", "–") for name, value in fields.items()}
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
