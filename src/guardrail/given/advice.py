"""What to write instead of an object that is no text but has one, or of something that is no policy."""

from __future__ import annotations

import difflib
import inspect
import re
from collections.abc import Mapping
from pathlib import PurePath
from typing import Any

from guardrail.errors import InputError
from guardrail.given.recognition import is_file, is_of, is_table, shown, written

_TEXTS = (
    "answer",
    "output",
    "output_text",
    "result",
    "response",
    "content",
    "text",
    "page_content",
    "generated_text",
)
_LISTS = ("documents", "source_documents", "context", "contexts", "texts")
_POLICIES = ("flag", "annotate", "correct", "remove", "regenerate", "block")
_LIKE = {  # what other libraries call them
    "reask": "regenerate",
    "retry": "regenerate",
    "fix": "regenerate",
    "filter": "remove",
    "redact": "remove",
    "refrain": "block",
    "reject": "block",
    "exception": "block",
    "raise": "block",
    "noop": "flag",
    "log": "flag",
    "warn": "flag",
}
_RUNNABLE = "langchain_core.runnables.base:Runnable"


def refusal(takes: str, given: object, name: str, otherwise: str) -> InputError:
    """The error that refuses an object: what is wrong, what was given, what to write.

    Args:
        takes: what may be given.
        given: the object.
        name: of the object in what to write.
        otherwise: what to write where nothing is known of the object.
    """
    words = f"{takes}, got {shown(given)}: write {instead(given, name) or otherwise}"
    if inspect.iscoroutine(given):
        given.close()  # or Python says that nobody awaited it
    return InputError(words)


def instead(given: Any, name: str) -> str:
    """The expression that gives the text, such as "result['answer']"; "" where none is known.

    Example:
        >>> instead({"answer": "yes", "sources": []}, "result"), instead(42, "result")
        ("result['answer']", '')
    """
    if isinstance(given, bytes | bytearray):
        return f"{name}.decode()"
    if isinstance(given, PurePath):
        return "path.read_text()"
    if is_file(given):
        return "file.read()"
    if inspect.isawaitable(given):
        return "await before it"
    if inspect.isroutine(given):
        return "what it returns"
    if is_of(given, _RUNNABLE):
        return "what its .invoke(…) returns"
    if is_table(given):
        return "table['text'], the column with the texts"
    return _part(given, name)


def _part(given: Any, name: str) -> str:
    """The part of an object that is a text, or texts, by its usual name."""
    if isinstance(given, Mapping):
        texts = (key for key in _TEXTS if isinstance(given.get(key), str))
        lists = (key for key in _LISTS if isinstance(given.get(key), list | tuple))
        return next((f"{name}[{key!r}]" for key in (*texts, *lists)), "")
    if isinstance(given, type):
        return ""
    if isinstance(getattr(getattr(given, "message", None), "content", None), str):
        return f"{name}.message.content"
    return next((f"{name}.{key}" for key in _TEXTS if isinstance(getattr(given, key, None), str)), "")


def policy_to_write(given: object) -> str:
    """The policy that was meant, as it is written in code.

    Example:
        >>> policy_to_write("anotate"), policy_to_write("reask"), policy_to_write("remove | block")
        ('annotate()', 'regenerate()', "parse_policy('remove | block')")
    """
    if isinstance(given, list | tuple | set):
        return "regenerate(2) | annotate()"
    if isinstance(given, str) and re.search(r"[|(]", given):
        return f"parse_policy({written(given, '…')})"
    name = (given if isinstance(given, str) else getattr(given, "__name__", "")).strip().lower()
    near = difflib.get_close_matches(name, _POLICIES, n=1)
    return f"{_LIKE.get(name, near[0] if near else 'annotate')}()"
