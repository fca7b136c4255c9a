"""A hook of mkdocs: the site's pages are the documents of this checkout, each where it is.

A page keeps its path in the checkout as its source, so that links between documents work on the site as they do in the
checkout. An entry of the navigation that names a folder becomes its pages. A file that a page links to and that is no page
(an example, a configuration) comes along as it is.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mkdocs.structure.files import File, Files

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mkdocs.config.defaults import MkDocsConfig

ROOT = Path(__file__).parents[1]
LINK = re.compile(r"\]\(([^)#\s:]+)(#[^)\s]*)?\)")
MARK = re.compile(
    r"^<!-- (?:runs|file: .+?|help: .+?|options: .+?|table: .+?|public: .+?) -->\n+", re.MULTILINE
)
ROW = re.compile(r"^\|.*$", re.MULTILINE)
CODE = re.compile(r"`[^`\n]+`")
CITED = re.compile(r"\[((?:[a-z]+\d{4}[a-z]?|memory)(?:; (?:[a-z]+\d{4}[a-z]?|memory))*)\](?!\()")
KEPT = re.compile(r"(^( *)```.*?^\2``` *$|`[^`\n]+`)", re.MULTILINE | re.DOTALL)
PAPERS = "docs/papers.md"
HEADING = re.compile(r"^# (.+)$", re.MULTILINE)


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Write the folders of the navigation out."""
    config.nav = [_written_out(entry) for entry in config.nav or []]
    return config


def on_files(given: Files, config: MkDocsConfig) -> Files:
    """Every page of the navigation, and what these link to."""
    files = Files([file for file in given if file.src_dir != config.docs_dir])  # the theme's
    for style in map(str, config.extra_css):  # ours; the others are the plugins'
        if (ROOT / style).is_file():
            files.append(File.generated(config, style, abs_src_path=str(ROOT / style)))
    waiting = list(_pages(config.nav or []))
    seen = set(waiting)
    for source in waiting:  # grows by what a page links to
        if not source.endswith(".md"):
            files.append(File.generated(config, source, abs_src_path=str(ROOT / source)))
            continue
        text = _for_the_site((ROOT / source).read_text(encoding="utf-8"), source)
        page = File.generated(config, source, content=text)
        page.dest_uri = _address(source)
        page.__dict__.pop("url", None)  # computed from where it was before
        files.append(page)
        found = [target for target in _links(text, source) if target not in seen]
        seen.update(found)
        waiting += found
    return files


def on_page_markdown(text: str, page: Any, **_: Any) -> str:
    """A citation leads to the list of papers."""
    if page.file.src_uri == PAPERS:
        return text
    papers = os.path.relpath(PAPERS, Path(page.file.src_uri).parent)

    def linked(found: re.Match[str]) -> str:
        keys = (f"[{key}]({papers}#{key})" for key in found[1].split("; "))
        return f"[{'; '.join(keys)}]"

    pieces = KEPT.split(text)  # text, code, its indentation, text, …
    return "".join(
        CITED.sub(linked, piece) if i % 3 == 0 else piece
        for i, piece in enumerate(pieces)
        if i % 3 != 2 and piece
    )


def _written_out(entry: dict[str, Any]) -> dict[str, Any]:
    [(title, content)] = entry.items()
    if isinstance(content, list):
        return {title: [_written_out(each) for each in content]}
    folder = ROOT / content
    if not folder.is_dir():
        return entry
    return {title: _entries(folder)}


def _entries(folder: Path) -> list[dict[str, Any]]:
    """The pages of a folder: its README, the others by name, then a section for each folder that has pages."""
    pages = sorted(folder.glob("*.md"), key=lambda page: (page.name != "README.md", page.name))
    found: list[dict[str, Any]] = [
        {"Overview" if page.name == "README.md" else _title(page): str(page.relative_to(ROOT))}
        for page in pages
    ]
    for inner in sorted(path for path in folder.iterdir() if path.is_dir()):
        entries = _entries(inner)
        if len(entries) == 1:
            found += [{_title(ROOT / path): path} for path in entries[0].values()]
        elif entries:
            readme = inner / "README.md"
            title = _title(readme) if readme.exists() else inner.name.capitalize()
            found.append({title: entries})
    return found


def _title(page: Path) -> str:
    found = HEADING.search(page.read_text(encoding="utf-8"))
    return re.sub(r"[:,] .*|`", "", found[1]) if found else page.stem


def _pages(nav: list[Any]) -> Iterator[str]:
    for entry in nav:
        [content] = entry.values()
        if isinstance(content, list):
            yield from _pages(content)
        else:
            yield content


def _address(source: str) -> str:
    """`docs/methods/logic.md` is `methods/logic.html`, `src/guardrail/logic/README.md` is `code/logic.html`."""
    path = Path(source)
    parts = list(path.with_suffix("").parts)
    if parts == ["README"]:
        return "index.html"
    for before, after in (
        (["src", "guardrail"], ["code"]),
        (["docs"], []),
        (["integrations"], ["integrations"]),
    ):
        if parts[: len(before)] == before:
            parts = [*after, *parts[len(before) :]]
            break
    if parts[-1] == "README" and len(parts) > 1:
        parts = [*parts[:-2], parts[-2]] if parts[0] == "code" else [*parts[:-1], "index"]
    return "/".join(parts) + ".html"


def _links(text: str, source: str) -> Iterator[str]:
    """Files that a page links to, by their path in the checkout."""
    for match in LINK.finditer(text):
        target = ((ROOT / source).parent / match[1]).resolve()
        if target.is_file() and target.is_relative_to(ROOT):
            yield str(target.relative_to(ROOT))


def _for_the_site(text: str, source: str) -> str:
    r"""Without the marks by which tests find examples; a link to a folder leads to its README.

    In code within a table a `|` is written as `\|`; Python's Markdown would show the backslash.
    """

    def whole(match: re.Match[str]) -> str:
        target = (ROOT / source).parent / match[1]
        if target.is_dir() and (target / "README.md").is_file():
            return f"]({match[1].rstrip('/')}/README.md{match[2] or ''})"
        return match[0]

    def bare(row: re.Match[str]) -> str:
        return CODE.sub(lambda code: code[0].replace("\\|", "|"), row[0])

    return ROW.sub(bare, LINK.sub(whole, MARK.sub("", text)))
