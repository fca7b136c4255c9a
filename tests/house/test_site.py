"""What the hook of mkdocs makes of pages and navigation. `make docs` builds the site, and fails on a broken link."""

from types import SimpleNamespace

import pytest

site = pytest.importorskip("scripts.site", reason="needs mkdocs")


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
