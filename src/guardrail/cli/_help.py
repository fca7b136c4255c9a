"""Help texts: a command's docstring, with its examples and tables kept as they are written."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

NARROW: dict[str, Any] = {"max_content_width": 100, "help_option_names": ["-h", "--help"]}
"""Settings of every command."""

_AS_IT_IS = "\b\n"  # at the start of a paragraph: do not wrap


def help_of(command: Callable[..., Any]) -> str:
    """The docstring; paragraphs with indented lines are not wrapped."""
    paragraphs = inspect.cleandoc(command.__doc__ or "").split("\n\n")
    return "\n\n".join(_AS_IT_IS + text if "\n  " in text else text for text in paragraphs)
