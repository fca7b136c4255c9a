"""The package as a whole: what importing it costs, what it needs, and its example."""

from __future__ import annotations

import runpy
import subprocess
import sys
from pathlib import Path

import pytest

import guardrail_openai


def said(code: str) -> str:
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    return run.stdout.strip()


class TestImport:
    def test_is_lazy(self):
        """The name alone does not load the library."""
        assert said("import sys, guardrail_openai; print('openai' in sys.modules)") == "False"

    def test_the_codecs_need_no_library(self):
        """What a server is written on loads neither openai nor an HTTP library of its own."""
        loaded = said(
            "import sys, guardrail.adapting.openai_api; print([m for m in ('openai', 'httpx2', 'starlette') if m in sys.modules])"
        )
        assert loaded == "[]"

    def test_says_what_to_install(self):
        """The exact command."""
        message = said(
            "import sys; sys.modules['openai'] = None\n"
            "import guardrail_openai\n"
            "from guardrail.errors import MissingExtra\n"
            "try: guardrail_openai.guard_openai\n"
            "except MissingExtra as error: print(error)"
        )
        assert "pip install 'guardrail-sdk[openai]'" in message

    def test_every_public_name_is_there(self):
        """And no other."""
        assert dir(guardrail_openai) == guardrail_openai.__all__ == ["guard_openai"]
        with pytest.raises(AttributeError):
            _ = guardrail_openai.nothing


def test_example_runs(capsys):
    """Without a key."""
    runpy.run_path(str(Path(__file__).parents[1] / "example.py"), run_name="__main__")
    shown = capsys.readouterr().out
    assert "Imaginary Teapots" not in shown.split("--- guarded")[1]
    assert "regenerate: 2 attempts" in shown
