"""The plug-in package, built and installed for these tests alone."""

import importlib
import subprocess
import sys
from pathlib import Path

import pytest

from guardrail.registry import DETECTORS

PACKAGE = Path(__file__).parents[1] / "plugin_package"


@pytest.fixture(scope="session")
def site(once):
    """A folder into which pip has installed the package, from nothing but what is here."""

    def make(folder):
        command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation"]
        command += ["--no-index", "--disable-pip-version-check", "--target", str(folder), str(PACKAGE)]
        found = subprocess.run(command, capture_output=True, text=True, check=False)
        assert found.returncode == 0, found.stderr

    return once("plugin", make)


@pytest.fixture
def installed(site, monkeypatch):
    """As if the package were installed beside guardrail."""
    monkeypatch.syspath_prepend(str(site))
    monkeypatch.setattr(DETECTORS, "_plugins", None)
    importlib.invalidate_caches()
    yield site
    for name in [name for name in sys.modules if name.startswith("guardrail_shouting")]:
        del sys.modules[name]
