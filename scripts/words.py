"""Lists sentences with words that this project avoids where users read: `python scripts/words.py [FILE…]`.

Looked at: documents, and in sources every text that may be shown (docstrings of public names, messages, help). Code in
backquotes and fenced blocks is left out. A sentence that needs the word is named in `KEPT`, with the reason. Exit code 1 if
there are others.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
WORDS = {
    "stand": (
        re.compile(r"\bstand(?:s|ing)?\b(?! in for\b| for\b|-)", re.IGNORECASE),
        "write is, is written, comes",
    ),
    "is none": (re.compile(r"(?<!there )\b(?:is|are|were|was) none\b"), "write is missing, there is no …"),
    "hold": (
        re.compile(  # a relation holds: logic's own word, as is what does not hold of it
            r"(?<!whether it )(?<!relation )(?<!relations )(?<!triple )(?<!that it )(?<!does not )(?<!do not )(?<!concluded to )(?<!not to )\b(?:hold|holds|held)\b(?![ -]back)(?!-out)(?![:(])",
            re.IGNORECASE,
        ),
        "write has, keeps, contains, satisfies, is true",
    ),
    "tell": (re.compile(r"\b(?:tell|tells|told)\b", re.IGNORECASE), "write show, say, distinguish"),
    "of a kind": (re.compile(r"\bof (?:a|one|some) kind\b", re.IGNORECASE), "name the kind"),
    "beside": (re.compile(r"\bbeside\b", re.IGNORECASE), "write with, next to, as well as"),
    "worth": (re.compile(r"\bworth\b(?! [\d.])", re.IGNORECASE), "give the number"),
    "bear out": (re.compile(r"\bb(?:ear|ears|orne)\b(?:\s\w+){0,3}\sout\b", re.IGNORECASE), "write support"),
    "shall": (re.compile(r"\bshall\b", re.IGNORECASE), "write must, should"),
    "somebody's own": (re.compile(r"\bone's own\b", re.IGNORECASE), "write your own"),
}
KEPT = {
    '").beside': "the name of an attribute",
    "lasted went lived existed": "words that are looked for in answers",
    "happened occurred place going": "words that are looked for in answers",
    "hold held holds": "words that are looked for in answers",
}
PAGES = (
    "*.md",
    "docs/**/*.md",
    "examples/*.md",
    "integrations/*/README.md",
    "benchmarks/**/README.md",
    "models/*/README.md",
    "src/**/README.md",
)
SOURCES = ("src/**/*.py", "integrations/*/src/**/*.py")
FENCE = re.compile(r"^( *)(```|~~~).*?^\1\2 *$", re.MULTILINE | re.DOTALL)
REGEX = re.compile(r"\(\?|\\b")
CODE = re.compile(r"`[^`\n]+`")


def every_path() -> list[Path]:
    """All pages and sources that users read."""
    return sorted({path for pattern in (*PAGES, *SOURCES) for path in ROOT.glob(pattern)})


def texts(path: Path) -> Iterator[tuple[int, str]]:
    """What a user may read of a file, by line: lines of a page; of a source, texts of three words or more."""
    content = path.read_text(encoding="utf-8")
    if path.suffix == ".md":
        blank = FENCE.sub(lambda match: "\n" * match[0].count("\n"), content)
        yield from enumerate(blank.splitlines(), 1)
        return
    tree = ast.parse(content)
    private = _private_docstrings(tree)
    for node in ast.walk(tree):
        if not isinstance(node, ast.Constant) or not isinstance(node.value, str) or node in private:
            continue
        if len(node.value.split()) >= 3 and not REGEX.search(node.value):
            yield from enumerate(node.value.splitlines(), node.lineno)


def _private_docstrings(tree: ast.Module) -> set[ast.Constant]:
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) and node.name.startswith(
            "_"
        ):
            for inner in ast.walk(node):
                if isinstance(inner, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) and inner.body:
                    first = inner.body[0]
                    if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
                        found.add(first.value)
    return found


def problems(paths: list[Path]) -> Iterator[str]:
    """`file:line: word: sentence`, for every word to avoid that `KEPT` does not justify."""
    for path in paths:
        for number, line in texts(path):
            bare = CODE.sub("`…`", line)
            for word, (pattern, instead) in WORDS.items():
                if pattern.search(bare) and not any(kept in line for kept in KEPT):
                    yield f"{path.relative_to(ROOT)}:{number}: {word} ({instead}): {line.strip()}"


def main() -> int:
    """Print them; 1 if there are any."""
    given = [Path(name).resolve() for name in sys.argv[1:]]
    found = list(problems(given or every_path()))
    print(*found, f"{len(found)} to rewrite", sep="\n")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
