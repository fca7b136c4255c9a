"""What the tests of evaluation share: small files of answers, and a run of the command in this process."""

import json
import random

import pytest

from guardrail.cli import main
from guardrail.evaluation.files import numbered

WORDS = ["ada", "bob", "cat", "dog", "eve", "fig", "gin", "hat", "ink", "jam"]


def answers(count, *, seed=1):
    """Rows of one sentence with a sample and a label; five rows to a source."""
    drawn = random.Random(seed)
    for i in range(count):
        said = " ".join(drawn.choices(WORDS, k=6)).capitalize() + "."
        made_up = drawn.random() < 0.4
        other = " ".join(drawn.choices(WORDS, k=6)).capitalize() + "." if made_up else said
        yield {"answer": said, "samples": [other], "label": [made_up], "source": f"s{i // 5}", "domain": "x"}


def read(path):
    """Every row of a file, as a dictionary."""
    return [row for _, row in numbered(path)]


@pytest.fixture
def file(tmp_path):
    """A function that writes rows as JSON lines."""

    def write(rows, name="answers.jsonl"):
        path = tmp_path / name
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        return path

    return write


@pytest.fixture
def evaluate(capsys):
    """A function that runs the command and gives its exit code and what it said."""

    def call(*words):
        with pytest.raises(SystemExit) as ended:
            main(["evaluate", *map(str, words)])
        printed = capsys.readouterr()
        return ended.value.code, printed.out + printed.err

    return call
