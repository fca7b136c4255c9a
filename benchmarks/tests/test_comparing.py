"""scripts/compare_benchmarks.py: what is kept, what differs, what is gone."""

import importlib.util
import json
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def script():
    """The script as a module."""
    spec = importlib.util.spec_from_file_location(
        "compare_benchmarks", ROOT / "scripts/compare_benchmarks.py"
    )
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def write(folder, name, **rows):
    """Results: a figure, or a figure and a bar, by quantity."""
    folder.mkdir(exist_ok=True)
    several = [
        {"quantity": q.replace("_", ": "), "ours": v, "bar": None} if not isinstance(v, tuple) else
        {"quantity": q.replace("_", ": "), "ours": v[0], "bar": v[1]}
        for q, v in rows.items()
    ]  # fmt: skip
    (folder / f"{name}.json").write_text(json.dumps({"rows": several}), encoding="utf-8")


class TestCompare:
    @pytest.mark.parametrize(
        ("new", "code", "said"),
        [
            ({"core_same": 1, "time": (9, "≤ 10"), "more": 1}, 0, "1 equal, 1 free, 1 appeared"),
            ({"core_same": 2, "time": (3, "≤ 10")}, 1, "differs: core: same: 1 (bar None) -> 2"),
            ({"core_same": 1, "time": (3, "≤ 11")}, 1, "changed in kind: time"),
            ({"core_same": 1, "time": (None, "≤ 10")}, 1, "changed in kind: time"),
            ({"core_same": 1}, 1, "vanished: time"),
        ],
    )
    def test_rows(self, script, tmp_path, capsys, new, code, said):
        """What was twice the same stays the same; a time keeps its bar and that it has a figure; none vanishes."""
        write(tmp_path / "1", "old", core_same=1, time=(2, "≤ 10"))
        write(tmp_path / "2", "old", core_same=1, time=(4, "≤ 10"))
        write(tmp_path / "new", "old", **new)
        assert script.main([str(tmp_path / name) for name in ("1", "2", "new")]) == code
        assert said in capsys.readouterr().out

    def test_renamed(self, script, tmp_path):
        """By the table of benchmarks, and by the beginnings of quantities."""
        for name in ("1", "2"):
            write(tmp_path / name, "core", core_same=1)
        write(tmp_path / "new", "performance.engine", engine_same=1)
        folders = [str(tmp_path / name) for name in ("1", "2", "new")]
        assert script.main([*folders, "core=performance.engine"]) == 1
        moved = [*folders, "core=performance.engine", "--quantity", "core: =engine: "]
        assert script.main(moved) == 0
