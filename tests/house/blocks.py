"""Fenced blocks of a Markdown page that run: found, run, and what they print compared with what the page says.

    python tests/house/blocks.py PAGE     those of a page, in the working folder; exit code 1 at the first that differs

The marks are described in test_documents.py. Needs the standard library only: an environment that has nothing but the wheel runs it too
(scripts/release.py).
"""

from __future__ import annotations

import doctest
import re
import subprocess
import sys
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

BLOCK = re.compile(
    r"^<!-- (runs|file: .+?|help: .+?) -->\n+```(\w*)[^\n]*\n(.*?)^```$", re.MULTILINE | re.DOTALL
)
PRINTED = re.compile(r"^print\(.*?\)(?:  # (.*)|\n# (.*)|)$", re.MULTILINE)


def blocks(path, kind):
    """(line, what the comment says, language, text) of a page's marked blocks of one kind."""
    text = path.read_text(encoding="utf-8")
    for match in BLOCK.finditer(text):
        mark, language, body = match.groups()
        if mark.partition(":")[0] == kind:
            yield text[: match.start()].count("\n") + 1, mark.partition(": ")[2], language, body


def same(expected, got):
    """Equal line by line, but for trailing blanks; `...` stands for anything."""
    want, have = (
        "\n".join(line.rstrip() for line in text.strip().splitlines()) + "\n" for text in (expected, got)
    )
    return doctest.OutputChecker().check_output(want, have, doctest.ELLIPSIS)


def shell(command):
    found = subprocess.run(
        command,
        shell=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        timeout=120,
    )
    return found.stdout


def run(path, name):
    """Run a page's blocks in the working folder; `name` is the page's in messages. Gives how many ran.

    Raises:
        AssertionError: one prints something else, or is in another language.
    """
    ran = 0
    for _, file, _, body in blocks(path, "file"):
        Path(file).write_text(body, encoding="utf-8")
    names = {"__name__": "__main__"}
    for line, _, language, body in blocks(path, "runs"):
        place = f"{name}:{line}"
        if language == "python":
            with redirect_stdout(StringIO()) as printed:
                exec(compile("\n" * (line + 1) + body, str(path), "exec", dont_inherit=True), names)
            told = [inline or below for inline, below in PRINTED.findall(body)]
            if all(told) and told and not same("\n".join(told), printed.getvalue()):
                raise AssertionError(f"{place}:\n{printed.getvalue()}")
        elif language == "console":
            for step in re.split(r"^\$ ", body, flags=re.MULTILINE)[1:]:
                command, _, expected = step.partition("\n")
                output = shell(command.partition("  #")[0])
                if not same(expected, output):
                    raise AssertionError(f"{place}: {command}\nexpected:\n{expected}\ngot:\n{output}")
        else:
            raise AssertionError(f"{place}: expected a python or console block, got {language!r}")
        ran += 1
    return ran


if __name__ == "__main__":
    print(run(Path(sys.argv[1]), sys.argv[1]))
