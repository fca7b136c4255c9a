"""The pictures of docs/citations.md: `python -m scripts.pictures [FOLDER]` (docs/images by default).

Runs the page's first example and draws its answer as a chatbot shows it: as the model wrote it, with the guard's marks, and
without what the guard removed. Needs the network that reads references (extra `mini`).
"""

from __future__ import annotations

import contextlib
import re
import sys
import tempfile
from collections.abc import Iterable, Iterator
from html import escape
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

from guardrail import Guard, Report, annotate, remove

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "citations.md"
EXAMPLE = re.compile(r"<!-- runs -->\n```python\n(.+?)^```$", re.MULTILINE | re.DOTALL)
STYLED = re.compile(r"\*([^*\n]+)\*")
WIDTH, LETTERS, LINE = 400, 50, 20

STYLE = """
  :root { --paper: #fff; --ink: #1c1d21; --soft: #5c606a; --line: #dcdcd6; --mark: #a8321a; }
  @media (prefers-color-scheme: dark) {
    :root { --paper: #1e2025; --ink: #e9e8e3; --soft: #a3a7b1; --line: #353841; --mark: #ff9f86; }
  }
  rect { fill: var(--paper); stroke: var(--line); }
  text { fill: var(--ink); white-space: pre; }
  .title { fill: var(--soft); font-weight: 600; }
  .mark { fill: var(--mark); font-weight: 600; }
  .italic { font-style: italic; }
"""

Run = tuple[str, str]
"""Text and its class in the picture."""


def drawn() -> dict[str, str]:
    """The pictures by the name of their file."""
    found = EXAMPLE.search(PAGE.read_text(encoding="utf-8"))
    if found is None:
        raise SystemExit(f"{PAGE}: expected an example in Python")
    names: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        exec(found[1], names)  # noqa: S102  # the page's own code, which the tests run too
        check, answer = names["check"], names["ANSWER"]
        marked = Guard([check], policy=annotate()).check(answer)
        removed = Guard([check], policy=remove()).check(answer)
    return {
        "citations-before.svg": picture("Without a guard", [(answer, "")]),
        "citations-marked.svg": picture("With annotate()", shown(marked)),
        "citations-removed.svg": picture("With remove()", shown(removed)),
    }


def shown(report: Report) -> Iterator[Run]:
    """The text that is shown; what the policy put in is marked."""
    place = 0
    for edit in report.decision.edits:
        yield report.case.answer[place : edit.span.start], ""
        yield edit.replacement, "mark"
        place = edit.span.end
    yield report.case.answer[place:], ""


def picture(title: str, runs: Iterable[Run]) -> str:
    """A card with a title and lines of text, in colours for light and for dark pages."""
    lines = list(_lines(runs))
    while not lines[-1]:
        lines.pop()
    rows = [f'<text class="title" x="16" y="28">{escape(title)}</text>']
    rows += [
        f'<text x="16" y="{56 + i * LINE}">{_spans(line)}</text>' for i, line in enumerate(lines) if line
    ]
    height = 60 + len(lines) * LINE
    font = "font-family=\"system-ui, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif\" font-size=\"13\""
    return "\n".join(
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" {font}>',
            f"<style>{STYLE}</style>",
            f'<rect x=".5" y=".5" width="{WIDTH - 1}" height="{height - 1}" rx="10"/>',
            *rows,
            "</svg>\n",
        )
    )


def _spans(line: Iterable[Run]) -> str:
    found = ""
    for kind, runs in groupby(line, key=itemgetter(1)):
        text = escape("".join(text for text, _ in runs), quote=False)
        found += f'<tspan class="{kind}">{text}</tspan>' if kind else text
    return found


def _lines(runs: Iterable[Run]) -> Iterator[list[Run]]:
    """Lines of at most `LETTERS` letters, broken between words; Markdown's italics are italic."""
    line: list[Run] = []
    for text, kind in runs:
        for i, piece in enumerate(STYLED.split(text)):
            for word in re.findall(r"\n|[^\s]+[^\S\n]*|[^\S\n]+", piece):
                if word == "\n" or sum(len(each) for each, _ in line) + len(word.rstrip()) > LETTERS:
                    yield line
                    line = []
                if word != "\n":
                    line.append((word, kind or ("italic" if i % 2 else "")))
    yield line


def main(folder: str = "docs/images") -> None:
    """Draw all."""
    for name, content in drawn().items():
        (ROOT / folder / name).write_text(content, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
