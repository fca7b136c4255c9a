"""The upstream of the kit: the test service, which plays one case at a time."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from guardrail.testing.completions import Cut, words
from guardrail.testing.leaks.cases import Case, said
from guardrail.testing.leaks.forbidden import FORBIDDEN
from guardrail.testing.server import Served, serve
from guardrail.testing.service import Behaviour, ChatService, Said, ScriptedChoice

_FAULTS = ("rate_limit", "server_error", "content_type")


class StubUpstream:
    """A running stub.

    Attributes:
        url: its base URL, with `/v1`.
        asked: how often it was asked in the present case.
    """

    def __init__(self, forbidden: Sequence[str]) -> None:
        self.forbidden = tuple(forbidden)
        self.url = ""
        self._service = ChatService(Behaviour(self.reply))
        self._case = Case("chat", "text", "whole", "remove")
        self._before = 0
        self._choice = (0, 0)  # of which request, and how many of its choices were said

    def started(self, served: Served) -> None:
        """Take note of the service, once it runs."""
        self.url = served.base_url
        self._service = served.service or self._service

    @property
    def asked(self) -> int:
        """How often it was asked in the present case."""
        return sum(self._service.requests.values()) - self._before

    def play(self, case: Case) -> None:
        """Answer by this case from now on."""
        self._case, self._before = case, sum(self._service.requests.values())
        self._choice = (0, 0)
        how = self._service.behaviour
        how.faults = {case.fault: 1.0} if case.fault in _FAULTS else {}
        if case.fault == "empty" and case.api == "chat":
            how.faults = {"empty": 1.0}
        how.damage = case.fault if case.fault in {"cut", "malformed"} else None
        how.size = 1 if case.delivery == "bytes" else None
        cuts: dict[str, Cut] = {"characters": list, "halves": self._halves}
        how.cut = cuts.get(case.delivery, words)

    def reply(self, call: ScriptedChoice) -> Said:
        """What is said: the forbidden texts, until it is asked again; a stubborn one says them always."""
        del call
        asked, before = self.asked, self._choice
        choice = before[1] + 1 if before[0] == asked else 0
        self._choice = (asked, choice)
        clean = asked > 1 and self._case.fault != "stubborn"
        return said(self._case, self.forbidden, choice, clean=clean)

    def _halves(self, text: str) -> list[str]:
        """Cut in the middle of every forbidden text, and nowhere else."""
        places = [
            found.start() + len(one) // 2
            for one in self.forbidden
            for found in re.finditer(re.escape(one), text)
        ]
        ends = [0, *sorted(places), len(text)]
        return [text[start:end] for start, end in pairwise(ends)]


@contextlib.contextmanager
def upstream(forbidden: Sequence[str] = FORBIDDEN, *, port: int = 0) -> Iterator[StubUpstream]:
    """Run the stub while the block runs, for a guard that is started by hand.

    Args:
        forbidden: what it says and the guard must not release.
        port: 0 takes a free one.
    """
    found = StubUpstream(forbidden)
    with serve(found.reply, port=port) as served:
        found.started(served)
        yield found
