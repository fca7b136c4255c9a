"""The leak kit: count what a guard lets out that it should have kept back.

A stub upstream says texts that are forbidden, over three APIs, whole and in streams that are cut in every way, with tools, structured
answers, several choices, log-probabilities and reasoning, and it fails in the ways that upstreams fail. `matrix` sends every case
through a guard and counts forbidden bytes in all that comes out.

Point it at a door: a function that opens the guard for a `Setting` and gives its base URL, or an `Opened`.

Example:
    >>> from contextlib import contextmanager
    >>> from guardrail.testing import leaks
    >>> @contextmanager
    ... def unguarded(setting):
    ...     yield setting.upstream
    >>> few = leaks.Axes(apis=["chat"], shapes=["text"], deliveries=["whole"], policies=["remove"], faults=[])
    >>> table = leaks.matrix(unguarded, axes=few)
    >>> table.ok, table.bytes == table.most
    (False, True)
"""

from __future__ import annotations

from guardrail.testing.leaks.cases import APIS, DELIVERIES, FAULTS, POLICIES, SHAPES, Axes, Case, request
from guardrail.testing.leaks.detector import KnownTexts
from guardrail.testing.leaks.doors import Ask, Door, NotOffered, Opened, Setting, called, over_http
from guardrail.testing.leaks.forbidden import FORBIDDEN, Forbidden
from guardrail.testing.leaks.matrix import matrix
from guardrail.testing.leaks.replies import Reply
from guardrail.testing.leaks.table import Row, Table
from guardrail.testing.leaks.upstream import StubUpstream, upstream

__all__ = [
    "APIS",
    "DELIVERIES",
    "FAULTS",
    "FORBIDDEN",
    "POLICIES",
    "SHAPES",
    "Ask",
    "Axes",
    "Case",
    "Door",
    "Forbidden",
    "KnownTexts",
    "NotOffered",
    "Opened",
    "Reply",
    "Row",
    "Setting",
    "StubUpstream",
    "Table",
    "called",
    "matrix",
    "over_http",
    "request",
    "upstream",
]
