"""The plots: written twice, the same bytes; nothing of the machine in them."""

import numpy as np
import pytest
from benchmarks._plots import calibration_plot, fdr_plot, roc_plot, save
from benchmarks._stats import fdr_band, reliability, roc_band

from guardrail.errors import InputError

LABELS = np.arange(80) % 3 == 0
SCORES = np.where(LABELS, 0.6, 0.3) + np.arange(80) % 7 / 20


def draw(kind, folder):
    if kind == "roc":
        return roc_plot(
            {"a": roc_band(SCORES, LABELS), "b": roc_band(-SCORES, LABELS)}, folder, "p", title="t"
        )
    if kind == "fdr":
        return fdr_plot({"a": fdr_band(SCORES, LABELS, np.linspace(0.05, 1, 20))}, folder, "p")
    return calibration_plot({"a": reliability(SCORES, LABELS)}, folder, "p")


@pytest.mark.parametrize("kind", ["roc", "fdr", "calibration"])
def test_a_plot_is_the_same_bytes_every_time(kind, tmp_path):
    """SVG and PNG, no date."""
    first, again = draw(kind, tmp_path / "1"), draw(kind, tmp_path / "2")
    assert [path.name for path in first] == ["p.svg", "p.png"]
    assert [path.read_bytes() for path in first] == [path.read_bytes() for path in again]
    assert first[1].read_bytes().startswith(b"\x89PNG")
    assert b"<dc:date>" not in first[0].read_bytes()


def test_a_plot_does_not_touch_the_users_settings(tmp_path):
    """The style ends with the call, and pyplot is not needed. A backend's name may come back in small letters."""
    import matplotlib as mpl

    def settings():
        return {**mpl.rcParams, "backend": str(mpl.rcParams["backend"]).lower()}

    before = settings()
    draw("roc", tmp_path)
    assert settings() == before


@pytest.mark.parametrize("name", ["", "../x", "a/b"])
def test_a_name_is_a_plain_name(name, tmp_path):
    """No way out of the folder."""
    with pytest.raises(InputError, match="plain file name"):
        save(None, tmp_path, name)
