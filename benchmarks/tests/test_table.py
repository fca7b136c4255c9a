"""The harness: rows, expected.json, JSON, exit codes."""

import importlib
import json
import platform

import benchmarks
import numpy as np
import pytest
from benchmarks._table import Expected, Result, Row, bench, environment, print_table

from guardrail.errors import InputError


def run(tmp_path, rows, *argv, expected=None):
    if expected is not None:
        (tmp_path / "expected.json").write_text(json.dumps(expected), encoding="utf-8")
    compute = rows if callable(rows) else lambda _: rows
    code = bench("trial", compute, ["--json", str(tmp_path / "result.json"), *argv], folder=tmp_path)
    path = tmp_path / "result.json"
    return code, json.loads(path.read_text(encoding="utf-8")) if path.exists() else None


class TestRow:
    @pytest.mark.parametrize(
        ("row", "ok"),
        [
            (Row.within("q", 0.917, 0.918, tolerance=0.001), True),
            (Row.within("q", 0.917, 0.9181, tolerance=0.001), False),
            (Row.rounded("q", 0.96, 0.9551, digits=2), True),
            (Row.rounded("q", 0.96, 0.9549, digits=2), False),
            (Row.at_least("q", 0.915, 0.915), True),
            (Row.at_least("q", np.float64(0.914), 0.915), False),
            (Row.at_most("q", 3.0, 2.0), False),
            (Row.between("q", 0.95, (0.93, 0.97)), True),
            (Row.between("q", 0.99, (0.93, 0.97)), False),
            (Row.equal("q", np.int64(3), 3), True),
            (Row.equal("q", "yes", "no"), False),
            (Row.shown("q", 1.0), True),
            (Row.shown("q", None), None),
            (Row.at_least("q", None, 1.0), None),
            (Row.missing("q", "no data here"), None),
        ],
    )
    def test_judges(self, row, ok):
        """Each kind of bar, at its edge; plain Python values whatever came in."""
        assert row.ok is ok
        json.dumps(row.to_dict(), allow_nan=False)

    def test_refuses_nan(self):
        """A figure is a number or None with a reason."""
        with pytest.raises(InputError, match="finite"):
            Row.shown("q", float("nan"))
        with pytest.raises(InputError, match="finite"):
            Row.shown("q", 1.0, interval=(0.0, float("inf")))

    def test_a_reason_goes_with_a_missing_figure_only(self):
        """Both ways round."""
        with pytest.raises(InputError, match="reason"):
            Row("q", ok=None)
        with pytest.raises(InputError, match="reason"):
            Row("q", ours=1.0, ok=True, reason="why")

    def test_json_has_the_published_keys(self):
        """Exactly these; the reason only where there is no figure; the unit is in the quantity."""
        row = Row.within("IQ", 0.878, 0.8781, tolerance=0.001, interval=(0.85, 0.9), unit="AUC")
        assert row.to_dict() == {
            "quantity": "IQ [AUC]",
            "published": 0.878,
            "ours": 0.8781,
            "interval": [0.85, 0.9],
            "bar": "± 0.001",
            "ok": True,
        }
        assert Row.missing("q", "why").to_dict()["reason"] == "why"


class TestBench:
    def test_good(self, tmp_path, capsys):
        """Exit code 0, JSON with exactly the documented keys, a table of at most 100 columns."""
        row = Row.within("a quantity " * 9, 0.5, 0.5, tolerance=0.1, interval=(0.4, 0.6))
        code, result = run(tmp_path, [row])
        assert code == 0
        assert list(result) == ["benchmark", "rows", "ok", "environment", "signature", "seconds"]
        assert result["ok"] is True
        assert result["signature"].startswith("benchmarks.trial|revision:1|fast:false|guardrail:")
        out = capsys.readouterr()
        assert max(map(len, out.out.splitlines())) <= 100
        assert out.err == ""
        assert "\x1b" not in out.out

    def test_a_miss_is_exit_code_1(self, tmp_path):
        """One row below its bar fails the run."""
        code, result = run(tmp_path, [Row.shown("a", 1.0), Row.at_least("b", 0.1, 0.2)])
        assert code == 1
        assert result["ok"] is False

    @pytest.mark.parametrize(
        ("expected", "code"),
        [
            (None, 1),
            ({"may_be_null": {"llama-*": "needs weights"}}, 0),
            ({"may_be_null": {"other": "needs weights"}}, 1),
            ({"may_be_null": {"llama-*": "needs weights"}, "required": ["llama-2 AUC", "gpt-*"]}, 1),
            ({"may_be_nul": {}}, 2),
        ],
    )
    def test_a_null_must_be_allowed(self, tmp_path, expected, code):
        """expected.json says which rows may have no figure, and which must be there; a misspelt key is an error."""
        assert run(tmp_path, [Row.missing("llama-2 AUC", "no data here")], expected=expected)[0] == code

    @pytest.mark.parametrize("rows", [[], [Row.shown("a", 1.0), Row.shown("a", 2.0)]])
    def test_no_rows_and_twins_fail(self, tmp_path, rows):
        """A table without rows proves nothing; one quantity stands once."""
        assert run(tmp_path, rows)[0] == 1

    def test_what_cannot_run_is_exit_code_2(self, tmp_path, capsys):
        """An error of ours is one message, not a traceback."""

        def compute(run):
            return [Row.shown("files", len(list(run.data("references").iterdir())))]

        code, result = run(tmp_path, compute, "--data", str(tmp_path / "absent"))
        assert (code, result) == (2, None)
        assert "expected a folder" in capsys.readouterr().err

    def test_options_reach_the_benchmark(self, tmp_path):
        """--fast, --data and --out; other data shows in the signature; the folder for plots is made."""
        data = tmp_path / "mine"
        data.mkdir()

        def compute(run):
            assert run.fast
            assert run.out.is_dir()
            assert run.data("references") == data
            return [Row.shown("a", 1)]

        code, result = run(tmp_path, compute, "--fast", "--data", str(data), "--out", str(tmp_path / "plots"))
        assert code == 0
        assert 'data.references:"8 of 8 files differ"' in result["signature"]
        assert str(tmp_path) not in json.dumps(result)

    def test_markup_in_a_quantity_is_text(self, capsys):
        """Brackets are printed, not interpreted."""
        print_table(Result("t", (Row.shown("x [bold]y", "[/]"),), (), {}, "t[1]", 0.0))
        out = capsys.readouterr().out
        assert "x [bold]y" in out
        assert "[/]" in out


def test_environment_names_no_machine():
    """Versions and kinds only."""
    found = environment(["no-such-package"])
    assert found["packages"]["no-such-package"] is None
    assert platform.node() not in json.dumps(found) or len(platform.node()) < 4


def test_expected_is_empty_without_a_file(tmp_path):
    """No file: no null is allowed."""
    assert Expected.read(tmp_path) == Expected()


def test_the_registry_finds_benchmarks():
    """Every listed benchmark has a main, nested ones by dotted names."""
    assert {"references", "phr", "phr.speed"} <= set(benchmarks.names())
    for name in benchmarks.names():
        assert callable(importlib.import_module(f"benchmarks.{name}.run").main)
