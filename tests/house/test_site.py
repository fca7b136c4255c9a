"""What the hook of mkdocs makes of pages and navigation. `make docs` builds the site, and fails on a broken link."""

import re
import shutil
from pathlib import Path
from types import SimpleNamespace

import pytest
from tests.house.source import ROOT

site = pytest.importorskip("scripts.site", reason="needs mkdocs")

STYLE = (ROOT / "docs" / "site.css").read_text(encoding="utf-8")
FOREIGN = re.compile(r"""(?:<(?!a\b)[^>]+(?:src|href)=["']?|url\(["']?|@import\s+["'])(?:https?:)?//[^>)]+""")


def linked(text, source="docs/methods/references.md"):
    return site.on_page_markdown(text, page=SimpleNamespace(file=SimpleNamespace(src_uri=source)))


class TestCitations:
    def test_lead_to_the_papers(self):
        """From wherever the page is, each key of several by itself."""
        assert linked("After [li2025].") == "After [[li2025](../papers.md#li2025)]."
        assert linked("[vovk2021; wiens2003]", "docs/thresholds.md") == (
            "[[vovk2021](papers.md#vovk2021); [wiens2003](papers.md#wiens2003)]"
        )

    def test_code_and_links_stay(self):
        """A key in backquotes or in a block is an example; a link has its own target."""
        text = "`[li2025]` and [li2025](x.md)\n```python\n# [li2025]\n```\n  ```\n[li2025]\n  ```\n"
        assert linked(text) == text

    def test_the_list_does_not_cite_itself(self):
        """Its headings are the targets."""
        assert linked("[li2025]", site.PAPERS) == "[li2025]"


class TestMarkdown:
    """What programs read."""

    def test_summary(self):
        """The first sentence that is neither a picture, a table nor code, without its links."""
        text = "# A\n\n![b](b.svg)\n\n```\nSome code.\n```\n\n| c |\n\nSee [d](d.md): it is\n`e`. More.\n"
        assert site._summary(text) == ": See d: it is `e`."
        assert site._summary("# A\n") == ""

    def test_reference(self):
        """A class is written out: its signature, what it says of itself, its public methods."""
        text = "\n".join(site._described("guardrail.Guard"))
        assert text.startswith("### Guard\n```python\nGuard(detectors: ")
        assert "#### check\n```python\ncheck(answer: " in text
        assert "Args:\n    detectors: " in text
        assert "_step" not in text


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """A site of three pages, made as `make docs` makes the whole."""
    from mkdocs.commands.build import build
    from mkdocs.config import load_config

    root = tmp_path_factory.mktemp("checkout")
    for name in ("mkdocs.yml", "scripts/site.py", "docs/site.css", "docs/images/logo.svg"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, root / name)
    for name, text in (
        ("README.md", "# Start\n\nRead [one](docs/one.md#a) `--now`.\n"),
        ("docs/one.md", "# One\n\nOne is [here](../README.md), with [data](data.txt).\n\n## A\n"),
        ("docs/design/two.md", "# Two\n\nWhy.\n"),
    ):
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    (root / "docs" / "data.txt").write_text("1", encoding="utf-8")
    nav = [{"Start": [{"Start": "README.md"}, {"One": "docs/one.md"}]}, {"Design": "docs/design"}]
    config = load_config(str(root / "mkdocs.yml"), nav=nav, plugins=["search"], site_dir=str(root / "out"))
    build(config)
    return root / "out"


class TestSite:
    def test_llms_txt(self, built):
        """A title, a summary, and for each page a line with its first sentence; design can be left out."""
        title, summary, *rest = (built / "llms.txt").read_text(encoding="utf-8").split("\n\n")
        assert title == "# guardrail"
        assert summary.startswith("> ")
        assert rest == [
            "## Start",
            "- [Start](index.md): Read one `--now`.\n- [One](one.md): One is here, with data.",
            "## Optional",
            "- [Two](design/two.md): Why.\n",
        ]

    def test_markdown_of_pages(self, built):
        """One for each page; links lead to the Markdown of other pages, and to files that are there."""
        pages = {path.relative_to(built).with_suffix("") for path in built.rglob("*.html")} - {Path("404")}
        assert pages == {path.relative_to(built).with_suffix("") for path in built.rglob("*.md")}
        assert "[one](one.md#a)" in (built / "index.md").read_text(encoding="utf-8")
        one = (built / "one.md").read_text(encoding="utf-8")
        assert "[here](index.md)" in one
        assert (built / site.LINK.findall(one)[1][0]).is_file()
        assert 'type="text/markdown" href="one.md"' in (built / "one.html").read_text(encoding="utf-8")

    def test_nothing_is_fetched_from_elsewhere(self, built):
        """No page and no style sheet names another host, and the theme does not ask GitHub for the repository's stars."""
        assert FOREIGN.search('<script src="//a.b/c.js">')
        for path in (*built.rglob("*.html"), *built.rglob("*.css")):
            text = path.read_text(encoding="utf-8")
            assert not FOREIGN.search(text), path.name
            assert 'data-md-component="source"' not in text
        assert '<a href="https://github.com/guardrail-sdk/guardrail"' in (built / "index.html").read_text(
            encoding="utf-8"
        )

    @pytest.mark.parametrize("tag", ['<img src="https://a.b/c.png">', "<script async src='//a.b/c.js'>"])
    def test_a_page_that_would_fetch_fails(self, tag):
        """The build says which page, and what."""
        page = SimpleNamespace(file=SimpleNamespace(src_uri="a.md", dest_uri="a.html"))
        with pytest.raises(site.PluginError, match=r"a\.md: .+a\.b"):
            site.on_post_page(f"<p>{tag}</p>", page=page)

    def test_links_are_no_fetching(self):
        """A person follows them or not."""
        page = SimpleNamespace(file=SimpleNamespace(src_uri="a.md", dest_uri="a.html"))
        link = '<a class="b" href="https://a.b">c</a>'
        assert site.on_post_page(link, page=page) == link


class TestStyle:
    def test_contrast(self):
        """Each colour of text has at least 4.5 to 1, as WCAG 2 computes it, and the comment behind it says how much."""
        colours = re.findall(r"--\S+: (#\w{6}); /\* ([\d.]+) on (#\w{6}) \*/", STYLE)
        assert len(colours) == 14  # seven in the light, seven in the dark
        for text, said, behind in colours:
            low, high = sorted(map(luminance, (text, behind)))
            contrast = (high + 0.05) / (low + 0.05)
            assert contrast >= 4.5
            assert f"{contrast:.1f}" == said, text

    def test_names(self):
        """Words in code that a browser would break are kept whole; other code, and blocks, are as they were."""
        assert site.on_page_content("<code>guardrail check --online</code>") == (
            '<code>guardrail check <span class="name">--online</span></code>'
        )
        block = "<pre><span></span><code>$ a --b\n</code></pre> <code>a b</code> --c"
        assert site.on_page_content(block) == block
        assert ".name { white-space: nowrap; }" in STYLE


def luminance(colour):
    """Relative luminance, WCAG 2.2."""
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    parts = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]


class TestPages:
    def test_pipes_in_code_of_tables(self):
        """GitHub needs the backslash there, the site shows it."""
        row = "| `a \\| b` | c |\n"
        assert site._for_the_site(row + "`a \\| b`\n", "README.md") == "| `a | b` | c |\n`a \\| b`\n"

    def test_addresses(self):
        """The reader's page of a method is under methods, the folder's README under code."""
        assert site._address("docs/methods/logic.md") == "methods/logic.html"
        assert site._address("src/guardrail/logic/README.md") == "code/logic.html"
        assert site._address("README.md") == "index.html"


def test_navigation_of_a_folder(tmp_path, monkeypatch):
    """The README first, a page alone by its title, a folder with pages as a section."""
    monkeypatch.setattr(site, "ROOT", tmp_path)
    for name, title in (
        ("b/README.md", "B"),
        ("b/one/README.md", "One: of two"),
        ("b/two/README.md", "Two"),
        ("b/two/more.md", "More"),
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(f"# {title}\n", encoding="utf-8")
    assert site._written_out({"All": "b"}) == {
        "All": [
            {"Overview": "b/README.md"},
            {"One": "b/one/README.md"},
            {"Two": [{"Overview": "b/two/README.md"}, {"More": "b/two/more.md"}]},
        ]
    }
