"""Recorded scores: no bit is lost, what is out of date is told, and a run that disagrees has no figure."""

import numpy as np
import pytest
from benchmarks._recording import COARSE_LARGEST, EXACT, Recording, agreement_row, same_arithmetic

from guardrail.errors import InputError


class TestRecording:
    def test_no_bit_is_lost(self, tmp_path):
        """Also of what has no short decimal form, in any shape."""
        values = np.random.default_rng(0).random((3, 7))
        kept = Recording({"model": "a"}, {"command": "x"}, {"one": values, "two": values[0]})
        kept.save(tmp_path / "r.json")
        found = Recording.read(tmp_path / "r.json")
        assert (found.depends, found.made) == ({"model": "a"}, {"command": "x"})
        assert found.scores["one"].tolist() == values.tolist()
        assert found.scores["two"].shape == (7,)

    @pytest.mark.parametrize("text", ["", "[]", "{}", '{"depends": {}, "made": {}, "scores": {"a": {}}}'])
    def test_another_file(self, tmp_path, text):
        """Is told by its name, without its folder."""
        (tmp_path / "r.json").write_text(text, encoding="utf-8")
        with pytest.raises(InputError, match=r"expected recorded scores in 'r\.json'"):
            Recording.read(tmp_path / "r.json")

    def test_out_of_date(self):
        """The first thing that is another now; what was recorded beyond that does not matter."""
        kept = Recording({"model": "a", "data": "b"})
        assert kept.outdated({"model": "a"}) == ""
        assert kept.outdated({"model": "c"}) == "recorded of another model: expected 'c', got 'a'"
        assert "another fit" in kept.outdated({"fit": "d"})


class TestAgreement:
    def row(self, gap, *, exact=True):
        return agreement_row("q", [0.5, 0.5], [0.5, 0.5 + gap], exact=exact, command="record it")

    def test_within(self):
        """The largest |Δ| against the bar of the arithmetic."""
        assert self.row(EXACT / 2).ours == pytest.approx(EXACT / 2)
        assert self.row(0.009, exact=False).ok is True

    @pytest.mark.parametrize(
        ("gap", "exact"), [(2 * EXACT, True), (1.1 * COARSE_LARGEST, False), (0.011, False)]
    )
    def test_beyond(self, gap, exact):
        """No figure but a reason that names the command; in coarse numbers the mean has a bar, too."""
        row = self.row(gap, exact=exact)
        assert row.ok is None
        assert "record anew by `record it`" in row.reason

    def test_arithmetic(self):
        """Exact only where both were computed in fp32."""
        assert same_arithmetic("m:1:fp32:", "m:1:fp32:")
        assert not same_arithmetic("m:1:bf16:", "m:1:bf16:")
        assert not same_arithmetic("m:1:bf16:", "m:1:fp32:")
