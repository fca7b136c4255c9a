"""A hook of mkdocs: the site's pages are the documents of this checkout, each where it is.

A page keeps its path in the checkout as its source, so that links between documents work on the site as they do in the
checkout. An entry of the navigation that names a folder becomes its pages. A file that a page links to and that is no page
(an example, a configuration) comes along as it is.

With each page comes its Markdown (`cli.md` with `cli.html`), and `llms.txt` lists these [llmstxt.org]. A page that would
fetch something from another host fails the build.
"""

from __future__ import annotations

import os
import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mkdocs.exceptions import PluginError
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
FETCHED = re.compile(r"""<(?!a\b)\w+\b[^>]*\b(?:src|srcset|href|data)=["'](?:https?:)?//[^>]*>""")
API = re.compile(r"^::: (\S+)$", re.MULTILINE)
PARAGRAPH = re.compile(r"^(?=[\w`\[*])[^|]+$")
INLINE = re.compile(r"(?<!<pre>)(?<!</span>)<code>([^<]+)</code>")
NAME = re.compile(
    r"(?<!\S)(?=\S*[-/?])\S{1,36}(?!\S)"
)  # a browser would break it; longer ones may not fit a phone
KEPT_WHOLE = r'<span class="name">\g<0></span>'
SENTENCE = re.compile(r".+?[.?](?=\s|$)", re.DOTALL)
OPTIONAL = ("Benchmarks", "Design")  # sections that a reader who is short of room leaves out


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Write the folders of the navigation out."""
    config.nav = [_written_out(entry) for entry in config.nav or []]
    return config


def on_files(given: Files, config: MkDocsConfig) -> Files:
    """Every page of the navigation, and what these link to."""
    files = Files([file for file in given if file.src_dir != config.docs_dir])  # the theme's
    for own in (
        *map(str, config.extra_css),
        config.theme["logo"],
    ):  # styles of plugins are not in the checkout
        if (ROOT / own).is_file():
            files.append(File.generated(config, own, abs_src_path=str(ROOT / own)))
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


def on_page_content(html: str, **_: Any) -> str:
    """Names and options in code are not broken at a hyphen or a stroke."""
    return INLINE.sub(lambda code: f"<code>{NAME.sub(KEPT_WHOLE, code[1])}</code>", html)


def on_env(env: Any, config: MkDocsConfig, files: Files) -> Any:
    """The Markdown of each page, and the list of them."""
    target = Path(config.site_dir)
    for file in files.documentation_pages():
        if file.page is not None and file.page.markdown is not None:
            path = target / _markdown_address(file)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(_as_markdown(file.page.markdown, file, files), encoding="utf-8")
    (target / "llms.txt").write_text(_llms(config, files), encoding="utf-8")
    return env


def on_post_page(output: str, page: Any, **_: Any) -> str:
    """The page names its Markdown, and fetches nothing from elsewhere."""
    name = Path(_markdown_address(page.file)).name
    link = f'<link rel="alternate" type="text/markdown" href="{name}"></head>'
    return _closed(output, page.file.src_uri).replace("</head>", link, 1)


def on_post_template(output: str, template_name: str, **_: Any) -> str:
    """The page for what does not exist is a template of the theme."""
    return _closed(output, template_name) if template_name.endswith(".html") else output


def _closed(output: str, name: str) -> str:
    """A page that fetches nothing from elsewhere.

    Raises:
        PluginError: it loads something from another host.
    """
    output = output.replace(
        ' data-md-component="source"', ""
    )  # by which the theme would ask GitHub for stars
    if found := FETCHED.search(output):
        raise PluginError(f"{name}: expected nothing from other hosts, got {found[0]}")
    return output


def _markdown_address(file: File) -> str:
    return str(Path(file.dest_uri).with_suffix(".md"))


def _as_markdown(text: str, file: File, files: Files) -> str:
    """A page for programs: links lead to the Markdown of other pages, and classes and functions are written out."""
    here = Path(file.src_uri).parent

    def moved(match: re.Match[str]) -> str:
        other = files.get_file_from_path(os.path.normpath(here / match[1]))
        if other is None:
            return match[0]
        to = _markdown_address(other) if other.is_documentation_page() else other.dest_uri
        return f"]({os.path.relpath(to, Path(file.dest_uri).parent)}{match[2] or ''})"

    pieces = KEPT.split(text)  # text, code, its indentation, text, …
    text = "".join(
        LINK.sub(moved, piece) if i % 3 == 0 else piece for i, piece in enumerate(pieces) if i % 3 != 2
    )
    return API.sub(lambda match: "\n\n".join(_described(match[1])), text)


def _described(path: str) -> Iterator[str]:
    """A class or function and its public members: name, signature, docstring."""
    found = _package()[path.partition(".")[2]]
    found = found.final_target if found.is_alias else found
    own = found.members.values() if found.is_class else ()
    for one in (found, *(each for each in own if each.is_public and not each.is_alias)):
        if one.docstring is None:
            continue
        yield f"{'###' if one is found else '####'} {one.name}"
        if one.is_function or "__init__" in one.members:
            yield f"```python\n{one.signature()}\n```"
        yield one.docstring.value


@cache
def _package() -> Any:
    """The package as the reference's own tool reads it; nothing is imported."""
    import griffe

    return griffe.load("guardrail", search_paths=[str(ROOT / "src")], resolve_aliases=True)


def _llms(config: MkDocsConfig, files: Files) -> str:
    """The list of pages for language models, in the form of llmstxt.org."""
    parts = [f"# {config.site_name}\n", f"> {config.site_description}\n"]
    optional = [name for name in OPTIONAL if any(name in section for section in config.nav or [])]
    sections = [next(iter(section.items())) for section in config.nav or []]
    listed = {name: list(_pages(content)) for name, content in sections}
    listed["Optional"] = [page for name in optional for page in listed.pop(name)]
    for name, sources in listed.items():
        if sources:
            lines = [_line(file) for source in sources if (file := files.get_file_from_path(source))]
            parts.append(f"## {name}\n\n" + "\n".join(lines) + "\n")
    return "\n".join(parts)


def _line(file: File) -> str:
    text = file.page.markdown or "" if file.page else ""
    found = HEADING.search(text)
    title = found[1].replace("`", "") if found else file.name
    return f"- [{title}]({_markdown_address(file)}){_summary(text)}"


def _summary(text: str) -> str:
    """The first sentence of a page."""
    plain = re.sub(
        r"\[([^\]]+)\]\([^)]+\)", r"\1", KEPT.sub(lambda code: "" if "\n" in code[0] else code[0], text)
    )
    for paragraph in plain.split("\n\n"):
        if PARAGRAPH.match(paragraph.strip()) and (found := SENTENCE.match(" ".join(paragraph.split()))):
            return f": {found[0]}"
    return ""


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
