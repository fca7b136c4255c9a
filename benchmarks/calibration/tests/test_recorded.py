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

    def test_a_part_is_replaced_alone(self, tmp_path, monkeypatch):
        """The others stay, in the order of the table."""
        monkeypatch.setattr(run, "RECORDED", tmp_path / "recorded.json")
        run.record("drift", [{"quantity": "a"}], {})
        run.record("single", [{"quantity": "b"}], {})
        run.record("drift", [{"quantity": "c"}, {"quantity": "d"}], {"python": "3"})
        known = json.loads((tmp_path / "recorded.json").read_text(encoding="utf-8"))
        assert list(known) == ["single", "drift"]
        assert [row["quantity"] for row in known["drift"]["rows"]] == ["c", "d"]
        assert known["single"] == {"environment": {}, "rows": [{"quantity": "b"}]}
