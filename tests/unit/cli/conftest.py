"""A folder with an answer and a bibliography, and two ways to run the command line in it."""

import subprocess
import sys

import pytest
from typer.testing import CliRunner

ANSWER = """\
1. Vaswani, A., Shazeer, N. (2017). Attention Is All You Need. NeurIPS.
2. Bengio, Y., Goodfellow, I. (2016). Deep Residual Learning for Image Recognition. CVPR.
3. Halloran, M. (2021). Recursive Attention Pruning for Long Documents. ACL.
"""
WORKS = """\
@inproceedings{vaswani2017, title = {Attention Is All You Need},
  author = {Vaswani, Ashish and Shazeer, Noam and others}, booktitle = {NeurIPS}, year = {2017}}
@inproceedings{he2016, title = {Deep Residual Learning for Image Recognition},
  author = {He, Kaiming and Zhang, Xiangyu and Ren, Shaoqing and Sun, Jian}, booktitle = {CVPR}, year = {2016}}
"""
FIRST, SECOND, THIRD = ANSWER.splitlines(keepends=True)


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    (tmp_path / "answer.md").write_text(ANSWER, encoding="utf-8")
    (tmp_path / "refs.bib").write_text(WORKS, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "GUARDRAIL_DEBUG", "COLUMNS", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


@pytest.fixture
def run():
    """In this process, through typer's runner: `run("check", "-", input="…")`."""
    from guardrail.cli._application import app

    def call(*arguments, **options):
        return CliRunner().invoke(app, [str(argument) for argument in arguments], **options)

    return call


@pytest.fixture
def process():
    """In a process of its own, as from a shell."""

    def call(*arguments, **options):
        command = [sys.executable, "-m", "guardrail.cli", *map(str, arguments)]
        given = {"capture_output": True, "text": True, "timeout": 60, "encoding": "utf-8"}
        return subprocess.run(command, check=False, **(given | options))

    return call
