"""The benchmark of leaks: its lines, its recording, and the peers that it describes."""

import sys
from pathlib import Path

import pytest
from benchmarks.performance.leaks.lines import Line, filled, read, table, write
from benchmarks.performance.leaks.peers import MAIL, PACKAGES, SETTINGS, PeerFailed
from benchmarks.performance.leaks.run import RECORDED

from guardrail.testing import leaks

NAMED = Line("a guard", "1.0", "default", "remove", "as it is", {})


def row(*case, **found):
    return leaks.Row(leaks.Case(*case), 200, answered=True, **found)


class TestLines:
    def test_cells_are_bytes_released_of_bytes_said(self):
        """By API and delivery; log-probabilities and faults apart; what is not offered has no cell."""
        rows = (
            row("chat", "text", "whole", "remove"),
            row("chat", "tools", "words", "remove", released={"body": 7}),
            row("chat", "many", "bytes", "remove", released={"body": 28, "report": 28}),
            row("chat", "logprobs", "whole", "remove", released={"log-probabilities": 5}),
            row("chat", "text", "whole", "remove", "cut", unchecked=True),
            row("messages", "text", "whole", "remove", not_offered="none"),
        )
        found = filled(NAMED, leaks.Table(rows, 28))
        assert found.cells == {
            "chat whole": [0, 28], "chat stream": [35, 56], "log-probs, reasoning": [5, 28], "faults": [0, 28],
        }  # fmt: skip
        assert (found.unchecked, len(found.where)) == (1, 4)

    def test_the_table_says_what_has_no_figures(self):
        """And why."""
        failed = Line("another", "2", "safest", "block", "", {}, failed="pip said: no")
        text = table([filled(NAMED, leaks.Table((row("chat", "text", "whole", "remove"),), 28)), failed])
        assert "a guard 1.0, default" in text
        assert "another 2, safest: no figures: pip said: no" in text

    def test_a_recording_replaces_the_lines_of_the_same_settings(self, tmp_path):
        """And keeps the others."""
        path = tmp_path / "recorded.json"
        other = Line("another", "2", "safest", "block", "", {"faults": [1, 2]})
        assert read(path) == []
        write(path, [NAMED, other], {})
        write(path, [Line("a guard", "1.1", "default", "remove", "as it is", {})], {})
        assert [(one.guard, one.version) for one in read(path)] == [("a guard", "1.1"), ("another", "2")]


class TestPeers:
    def test_every_setting_is_recorded_with_its_version(self):
        """So that the table without --peers is whole."""
        recorded = {(one.guard, one.setting, one.policy): one for one in read(RECORDED)}
        for one in SETTINGS:
            found = recorded[one.peer, one.name, one.policy]
            assert (found.version, found.about) == (PACKAGES[one.peer].version, one.about)
            assert found.date
            assert found.cells or found.failed

    def test_a_peer_that_stops_is_said(self, tmp_path):
        """With what it said last."""
        setup = next(one for one in SETTINGS if one.peer == "openai-guardrails")
        with pytest.raises(PeerFailed, match=r"worker.py stopped; it said: .*No module named"):
            leaks.matrix(setup.door(_without_packages(tmp_path)), axes=setup.axes, forbidden=[MAIL])


def _without_packages(folder: Path) -> Path:
    """An interpreter that finds no package."""
    script = folder / "python"
    script.write_text(f'#!/bin/sh\nexec {sys.executable} -S "$@"\n', encoding="utf-8")
    script.chmod(0o755)
    return script
