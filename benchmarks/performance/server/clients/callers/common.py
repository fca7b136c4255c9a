"""What every program does: run its questions, check what came, and print one line of JSON."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping
from typing import Any

ASKED = "Which rivers flow north?"
BEGIN, END = "Rivers flow.", "They end in seas."
FORBIDDEN = ("Xyzzyville", "Quuxington")
SCHEMA = {
    "type": "object",
    "properties": {"text": {"type": "string"}},
    "required": ["text"],
    "additionalProperties": False,
}
LOOK = {
    "type": "object",
    "properties": {"q": {"type": "string"}},
    "required": ["q"],
}


def leaked(text: str) -> bool:
    """Whether there is a word in it that may not be released."""
    return any(word in text for word in FORBIDDEN)


def edited(text: str) -> str:
    """Whether a text is the stub's without the sentence that may not be released: "ok", or what is wrong."""
    if leaked(text):
        return "leaked"
    return "ok" if text.startswith(BEGIN) and text.rstrip().endswith(END) else f"got {text!r:.120}"


def called(name: Any, arguments: Any) -> str:
    """Whether a tool call is the stub's."""
    found = json.loads(arguments) if isinstance(arguments, str) else arguments
    return "ok" if (name, found) == ("look", {"q": "rivers"}) else f"got {name} {arguments!r:.120}"


def told(version: str, questions: Mapping[str, Callable[[], str]]) -> None:
    """Run them all and print what became of each."""
    found = {"version": version}
    for what, ask in questions.items():
        try:
            found[what] = ask()
        except Exception as error:  # noqa: BLE001  # the table shows it
            text = str(error)
            found[what] = "leaked" if leaked(text) else f"{type(error).__name__}: {text}"[:200]
    sys.stdout.write(json.dumps(found) + "\n")
