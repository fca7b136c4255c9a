"""Sentences that users read have none of the words that `scripts/words.py` lists."""

import pytest
from scripts import words

NOT_YET = (
    "src/guardrail/adapting/",
    "src/guardrail/calibration/",
    "src/guardrail/evaluation/",
    "src/guardrail/references/citations/",
    "src/guardrail/server/",
    "src/guardrail/testing/leaks/",
)
"""Folders whose sentences are still to be rewritten. Empty this list when they are."""


def test_sentences_avoid_them():
    """A sentence that needs one is named in `KEPT`, with the reason."""
    found = [problem for problem in words.problems(words.every_path()) if not problem.startswith(NOT_YET)]
    assert not found, "\n".join(found)


@pytest.mark.parametrize("word", sorted(words.WORDS))
def test_each_is_found(word, tmp_path, monkeypatch):
    """In a page and in a docstring, and in neither within backquotes."""
    sentence = {
        "stand": "What stands here is a title.",
        "is none": "The distribution is none.",
        "hold": "A file holds works.",
        "tell": "The message tells which.",
        "of a kind": "All works of a kind are listed.",
        "beside": "A text beside a call.",
        "worth": "It is worth little.",
        "bear out": "The samples bear it out.",
        "shall": "It shall be valid.",
        "somebody's own": "A file in one's own folder.",
    }[word]
    monkeypatch.setattr(words, "ROOT", tmp_path)
    (tmp_path / "page.md").write_text(f"Fine.\n{sentence}\n`{sentence}`\n", encoding="utf-8")
    (tmp_path / "module.py").write_text(f'"""{sentence}"""\n', encoding="utf-8")
    found = list(words.problems([tmp_path / "page.md", tmp_path / "module.py"]))
    assert [problem.split(" (")[0] for problem in found] == [f"page.md:2: {word}", f"module.py:1: {word}"]


def test_what_is_kept_is_still_there():
    """A reason for a sentence that is gone would excuse another one."""
    text = "\n".join(path.read_text(encoding="utf-8") for path in words.every_path())
    assert [kept for kept, reason in words.KEPT.items() if kept not in text or not reason] == []
