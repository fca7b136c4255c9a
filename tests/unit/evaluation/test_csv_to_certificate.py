"""The whole way of a newcomer: a CSV with other names, a run, a certificate, a guard."""

import csv

import pytest

from guardrail import Guard, Verdict
from guardrail.cli import main

WORDS = ("--detector", "selfcheck-grounding:fit=words")
COLUMNS = "answer=model_output,context=docs,label=hallucinated,source=url"
DOCUMENT = "Town {0} lies on the river Alder. It has {0} houses."


def table(path, sources):
    """Two answers about each source, one of which says what the document does not."""
    with path.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream)
        writer.writerow(["url", "docs", "model_output", "hallucinated"])
        for i in range(sources):
            document, url = DOCUMENT.format(i), f"https://towns.example/{i}"
            writer.writerow([url, document, f"Town {i} lies on the river Alder.", "no"])
            writer.writerow([url, document, f"Pirates from Lisbon burnt it in {1500 + i}.", "yes"])


@pytest.fixture
def command(tmp_path, monkeypatch, capsys):
    """A function that runs a command in an empty folder."""
    monkeypatch.chdir(tmp_path)

    def call(*words):
        with pytest.raises(SystemExit) as ended:
            main([*words])
        printed = capsys.readouterr()
        return ended.value.code, printed.out + printed.err

    return call


def test_to_a_guard(command, tmp_path):
    """The option that the first message suggests is the one that works, and the guard flags by the certificate."""
    table(tmp_path / "qa.csv", 120)
    code, said = command("evaluate", "qa.csv", *WORDS, "--out", "run")
    assert code == 2
    assert f"--map {COLUMNS}" in said
    assert command("evaluate", "qa.csv", "--map", COLUMNS, *WORDS, "--out", "run")[0] == 0
    code, said = command("calibrate", "run", "--target", "fdr=0.2,missed=0.2", "--out", "c.json")
    assert (code, "120 sources, 240 answers" in said) == (0, True)
    (tmp_path / "guardrail.toml").write_text(
        '[guard]\ncertificate = "c.json"\n[[detectors]]\nname = "selfcheck-grounding"\nfit = "words"\n',
        encoding="utf-8",
    )
    with Guard.from_config(tmp_path / "guardrail.toml") as guard:
        document = DOCUMENT.format(7)
        sound = guard.check("Town 7 lies on the river Alder.", context=[document], prompt="Where is it?")
        assert sound.verdict is Verdict.SUPPORTED
        made_up = guard.check("Pirates from Lisbon burnt it in 1507.", context=[document], prompt="Why?")
        assert made_up.verdict is Verdict.UNSUPPORTED


def test_too_few_sources(command, tmp_path):
    """No threshold, with about how many sources would be needed; nothing is flagged then."""
    table(tmp_path / "qa.csv", 20)
    assert command("evaluate", "qa.csv", "--map", COLUMNS, *WORDS, "--out", "run", "-q")[0] == 0
    code, said = command("calibrate", "run", "--target", "fdr=0.1", "--out", "c.json")
    assert code == 1
    assert "20 sources, 40 answers" in said
    assert "would be needed" in said
    assert "nothing is flagged" in said
