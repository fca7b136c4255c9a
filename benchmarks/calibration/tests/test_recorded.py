"""The recorded table of promises, and how it is kept."""

import json

from benchmarks.calibration import run


class TestRecorded:
    def test_every_part_kept_its_bars(self):
        """1,000 runs each: no cell broken in more than 5 % and two standard errors, which is .064."""
        known = json.loads(run.RECORDED.read_text(encoding="utf-8"))
        assert list(known) == [*run.PARTS]
        rows = [row for part in known.values() for row in part["rows"]]
        assert all(row["ok"] is True for row in rows)
        cells = [row for row in rows if row["quantity"].endswith(": broken, by source")]
        assert len(cells) == 64
        assert {row["bar"] for row in cells} == {"≤ 0.064"}
