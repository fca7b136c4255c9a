"""The benchmark of leaks: its lines, its recording, and the peers that it describes."""

from benchmarks.performance.leaks.lines import Line, filled, read
from benchmarks.performance.leaks.peers import PACKAGES, SETTINGS
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


class TestPeers:
    def test_every_setting_is_recorded_with_its_version(self):
        """So that the table without --peers is whole."""
        recorded = {(one.guard, one.setting, one.policy): one for one in read(RECORDED)}
        for one in SETTINGS:
            found = recorded[one.peer, one.name, one.policy]
            assert (found.version, found.about) == (PACKAGES[one.peer].version, one.about)
            assert found.date
            assert found.cells or found.failed
