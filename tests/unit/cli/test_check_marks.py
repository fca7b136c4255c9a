"""`guardrail check --detector support`: each mark with its claim and the passage of its source."""

import json
import re

import pytest

from guardrail.report import Report

ANSWER = (
    "The library was built in 1904 [1]. Visitors pay 7 euros [2]. Three thousand manuscripts were sold abroad [2]. "
    "It has a café [7].\n"
)
HISTORY = "The library was built in 1904. It burnt down in 1950.\n"
VISIT = "Entrance is free for residents; visitors pay 5 euros.\n"


@pytest.fixture
def check(run, folder):
    """Check an answer by the two documents, by words alone."""
    (folder / "history.txt").write_text(HISTORY)
    (folder / "visit.txt").write_text(VISIT)

    def call(*options, answer=ANSWER, detector="support:fit=words"):
        (folder / "cited.md").write_text(answer)
        documents = ("--context", "history.txt", "visit.txt")
        return run("check", "cited.md", *documents, "--detector", detector, *options)

    return call


def on_terminal(monkeypatch, width=80):
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", str(width))


def without_colours(shown):
    return re.sub(r"\x1b\[[\d;]*m", "", shown)


def test_piped(check):
    """Two more fields than other findings have: the mark, and its source with the best passage."""
    result = check()
    rows = [line.split("\t") for line in result.stdout.splitlines() if "\t" in line]
    assert [(row[1], *row[5:]) for row in rows] == [
        ("yes", "[1]", "document 1 (history.txt): The library was built in 1904."),
        ("contradicts", "[2]", f"document 2 (visit.txt): {VISIT.strip()}"),
        ("silent", "[2]", f"document 2 (visit.txt): {VISIT.strip()}"),
        ("not at hand", "[7]", "-"),
    ]
    assert result.exit_code == 1


@pytest.mark.parametrize("width", [80, 120])
def test_terminal(check, monkeypatch, width):
    """A table of marks: the label, the claim, the passage, and the reason unless the source says it."""
    on_terminal(monkeypatch, width)
    shown = without_colours(check().stdout)
    assert max(map(len, shown.splitlines())) <= width
    flat = " ".join(shown.split())
    for words in (
        "mark says it? claim, and what the source says",
        "[1] ✓ yes The library was built in 1904 → document 1 (history.txt): The library was built in 1904. [2]",
        "[2] ✗ contradicts Visitors pay 7 euros → document 2 (visit.txt): Entrance is free",
        "→ nearest in document 2 (visit.txt): Entrance is free",
        "[7] ? not at hand It has a café [7] points to no document that is at hand",
    ):
        assert words in flat


def test_with_other_findings(check, monkeypatch):
    """Marks have their table, sentences have theirs."""
    on_terminal(monkeypatch)
    shown = check("--detector", "selfcheck-grounding:fit=words").stdout
    assert "says it?" in shown
    assert "what, and why" in shown
    assert "says it?" not in check(detector="selfcheck-grounding:fit=words").stdout


def test_hostile(check, monkeypatch):
    """A long mark is shortened; neither escape sequences nor rich's markup reach the terminal as such."""
    on_terminal(monkeypatch)
    answer = f"Visitors pay 7 [red]euros[/red]\x1b[2J [2](https://example.org/{'a' * 3000}). It opens at nine \x07[2]."
    shown = without_colours(check(answer=answer).stdout)
    assert not set(shown) & {"\x1b", "\x07"}
    assert "[red]" in shown
    assert "[2](https://exam" in shown
    table = shown[shown.index("says it?") :]
    assert "a" * 17 not in table.split("claim")[0]


def test_json(check):
    """Everything: the mark and the claim with their places, the documents, the passages."""
    report = Report.model_validate_json(check("--json").stdout)
    first, second, *_ = report.findings
    assert first.attribution.span.of(ANSWER) == "[1]"
    assert second.attribution.claim.of(ANSWER) == "Visitors pay 7 euros"
    assert second.passages[0].text == VISIT.strip()
    assert json.loads(check("--json").stdout)["findings"][0]["evidence"][0]["documents"] == [
        "document 1 (history.txt)"
    ]


def test_page(check, folder):
    """A mark leads to its passage in the document."""
    check("--html", "page.html")
    page = (folder / "page.html").read_text()
    assert 'href="#source-2"' in page
    assert f"<mark>{VISIT.strip()}</mark>" in page
