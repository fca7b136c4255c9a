"""The plots of docs/benchmarks.md are drawn from recorded results, and the page shows each of them."""

import re

import pytest
from scripts import plots
from tests.house.source import ROOT

PAGE = (ROOT / "docs" / "benchmarks.md").read_text(encoding="utf-8")
PICTURE = re.compile(r"!\[(.+?)\]\(images/(benchmarks-\w+\.svg)\)")


def test_page_shows_every_plot():
    """Each with a text for those who do not see it, and each is in the folder."""
    shown = {name: text for text, name in PICTURE.findall(PAGE)}
    assert set(shown) == {f"benchmarks-{name}.svg" for name in plots.PLOTS}
    for name, text in shown.items():
        assert len(text.split()) > 8, f"{name}: say what the plot shows"
        assert (ROOT / "docs" / "images" / name).is_file(), f"{name}: run python -m scripts.plots"


def test_every_plot_is_drawn(tmp_path):
    """Without a display."""
    pytest.importorskip("matplotlib")
    for path in plots.write(tmp_path):
        assert path.read_text(encoding="utf-8").count("<path") > 10


def test_what_the_texts_say_is_recorded():
    """Twelve AUCs within .001, fifty cells within .23 points, and three settings of thirteen without a leak."""
    for found in plots.references().values():
        assert [row["quantity"].split()[-1] for row in found] == list(plots.QUERIES)
        assert all(abs(row["ours"] - row["published"]) <= 0.001 for row in found)
    cells = [row for found in plots.selfcheck().values() for row in found]
    assert len(cells) == 50
    assert max(abs(row["ours"] - row["published"]) for row in cells) < 0.235
    small = plots.live()["qwen2.5-coder-0.5b-instruct"]
    assert round(small["references: share invented"]["ours"], 3) == 0.987
    assert all(
        0.45 < small[f"references: invented or well known, {name}, AUC"]["ours"] < 0.55
        for name in ("direct", "indirect", "both")
    )
    assert set(plots.LIVE_SHARES) | set(plots.LIVE_AREAS) <= set(small)
    shares = plots.leaks()
    assert (len(shares), list(shares.values()).count(0.0)) == (13, 3)


class TestTables:
    """Those of the methods' pages have the recorded figures."""

    def figures(self, method):
        """The cells of the page's last table, by row."""
        text = (ROOT / "docs" / "methods" / f"{method}.md").read_text(encoding="utf-8")
        lines = re.findall(r"^\| (.+) \|$", text.partition("## The paper's table")[2], re.MULTILINE)
        return {name: list(map(float, cells)) for name, *cells in (line.split(" | ") for line in lines[2:])}

    def test_references(self):
        """Two rows per model."""
        for model, found in plots.references().items():
            for key in ("published", "ours"):
                assert self.figures("references")[f"{model}, {key}"] == [round(row[key], 3) for row in found]

    def test_selfcheck(self):
        """Three columns of the ten rows, each as published and as computed."""
        table = self.figures("selfcheck")
        assert len(table) == 10
        for column, place in (("NonFact", 0), ("NonFact*", 2), ("Factual", 4)):
            for row in plots.selfcheck()[column]:
                n, kind = re.match(r"Table 7 (\d)-gram (\w+):", row["quantity"]).groups()
                cells = table[f"{n}-gram, {'mean' if kind == 'Avg' else 'largest'}"]
                assert cells[place : place + 2] == [row["published"], round(row["ours"], 2)]
