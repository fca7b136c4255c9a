"""`Sources`: several catalogues as one bibliography, with three honest answers.

- *found*: a source has the work. The others are not waited for if nothing of it differs; if something does, the answer says who of
  them was silent.
- *absent*: every source that was asked has answered, and none has it. `Match.complete` only if those list all works of its
  kind (`kinds`).
- *unreachable*: a source gave no answer, and no other has the work. The nearest work of the others is there.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

from guardrail.errors import ConfigError
from guardrail.references.bibliography.matching import judge
from guardrail.references.bibliography.readings import judge_readings, readings
from guardrail.references.bibliography.records import (
    Bibliography,
    Match,
    Record,
    Reference,
    Status,
    abstracts_of,
)
from guardrail.references.bibliography.titles import Title
from guardrail.references.sources.address import Address
from guardrail.references.sources.client import Count
from guardrail.references.sources.faults import SourceFault
from guardrail.references.sources.kinds import Kind, asked, case_name, covered, kind_of
from guardrail.references.sources.memory import Memory
from guardrail.references.sources.pace import Clock
from guardrail.references.sources.resolver import Resolver
from guardrail.references.sources.workers import Workers

PATIENCE = 120.0  # seconds for all references of one call; what is then open is unreachable


class Sources:
    """A `Bibliography` that asks local ones first and, about what these do not settle, catalogues over the network."""

    def __init__(
        self,
        resolvers: Sequence[Resolver],
        *,
        first: Sequence[Bibliography] = (),
        address: Address | None = None,
        memory: Memory | None = None,
        clock: Clock | None = None,
        patience: float = PATIENCE,
    ) -> None:
        """Nothing is sent yet.

        Args:
            resolvers: catalogues, each once; see `guardrail.references.sources.opened` for those in a list of names.
            first: bibliographies on this machine. What they find as quoted is not sent anywhere.
            address: also ask whether the addresses in references answer.
            memory: closed with this one.
            clock: tells which year it is.
            patience: seconds for all references of one call.

        Raises:
            ConfigError: a catalogue is given twice.
        """
        self._resolvers = {one.name: one for one in resolvers}
        if len(self._resolvers) < len(resolvers):
            raise ConfigError(f"expected each source once, got {', '.join(one.name for one in resolvers)}")
        self._first = tuple(first)
        self._address = address
        self._memory = memory
        self._clock = clock or Clock()
        self._patience = patience
        self._workers = {
            name: Workers(one.client.manners.concurrency, f"guardrail-{name}")
            for name, one in self._resolvers.items()
        }
        if address is not None:
            self._workers[address.name] = Workers(4, "guardrail-url")

    @property
    def fingerprint(self) -> str:
        """Which sources, at which addresses; not what they contain today."""
        parts = [one.fingerprint for one in self._first]
        parts += [f"{name}={one.client.base_url}" for name, one in self._resolvers.items()]
        digest = hashlib.sha256("|".join(parts).encode()).hexdigest()[:16]
        return f"sources:{'+'.join(self._resolvers)}:{digest}"

    @property
    def counts(self) -> Mapping[str, Count]:
        """What each catalogue was asked so far."""
        return {name: one.count for name, one in self._resolvers.items()}

    def find(self, reference: Reference) -> Match:
        """Look one reference up."""
        return self.find_all([reference])[0]

    def find_all(self, references: Sequence[Reference]) -> list[Match]:
        """Look several up: all at once, and all catalogues of each at once."""
        this_year = datetime.fromtimestamp(self._clock.time(), UTC).year
        local = self._local(references)
        inquiries = [
            self._begin(reference, before, this_year)
            for reference, before in zip(references, local, strict=True)
        ]
        until = time.monotonic() + self._patience
        return [self._end(inquiry, until) for inquiry in inquiries]

    def abstracts(self, records: Sequence[Record]) -> list[str]:
        """The abstracts of works that a look-up found, in order; nothing is asked for them over the network.

        A catalogue's record has its abstract where the reply had it; of others the bibliographies on this machine may have one.
        """
        found = [record.abstract for record in records]
        for one in self._first:
            found = [have or also for have, also in zip(found, abstracts_of(one, records), strict=True)]
        return found

    def close(self) -> None:
        """Drop what waits, and close connections, files and the bibliographies that were given."""
        for resolver in self._resolvers.values():
            resolver.client.stop.set()
        for worker in self._workers.values():
            worker.close()
        closing: list[Any] = [*self._resolvers.values(), *self._first, self._address, self._memory]
        for one in closing:
            if hasattr(one, "close"):
                one.close()

    # -- one reference

    def _local(self, references: Sequence[Reference]) -> list[list[Match]]:
        answers = [_answers(one, references) for one in self._first]
        return (
            [list(matches) for matches in zip(*answers, strict=True)] if answers else [[] for _ in references]
        )

    def _begin(self, reference: Reference, before: list[Match], this_year: int) -> _Inquiry:
        kind, sure = kind_of(reference, this_year)
        inquiry = _Inquiry(reference, kind, sure, before)
        if any(map(_is_settled, before)):
            return inquiry
        for name in asked(reference, kind, self._resolvers):
            resolver = self._resolvers[name]
            try:
                if next(iter(resolver.searches(reference)), None) is None:  # nothing to ask it by
                    continue
            except Exception as error:  # noqa: BLE001  # as below
                inquiry.faults[name] = f"{name}: {error!r:.200}"
                continue
            inquiry.asked[name] = f"{resolver.title} ({resolver.host}: {resolver.sends})"
            inquiry.running[self._workers[name].submit(lambda r=resolver: r.lookup(reference))] = name  # type: ignore[misc]  # bound now
        if self._address is not None and reference.url:
            address = self._address
            inquiry.remark = self._workers[address.name].submit(lambda: address.remark(reference))
        return inquiry

    def _end(self, inquiry: _Inquiry, until: float) -> Match:
        while inquiry.running and not inquiry.confirmed:
            done, _ = wait(inquiry.running, max(0.0, until - time.monotonic()), FIRST_COMPLETED)
            if not done:
                break
            for future in done:
                self._take(inquiry, inquiry.running.pop(future), future)
        for future, name in inquiry.running.items():
            future.cancel()
            if not inquiry.confirmed:
                inquiry.faults[name] = f"{name}: no answer within {self._patience:g} s"
        return inquiry.match(until)

    def _take(self, inquiry: _Inquiry, name: str, future: Future[list[Record]]) -> None:
        try:
            inquiry.take(name, future.result())
        except SourceFault as fault:
            self._resolvers[name].client.add(faults=1)
            inquiry.faults[name] = str(fault)
        except Exception as error:  # noqa: BLE001  # a bug in one source is a fault of it, not an absence
            self._resolvers[name].client.add(faults=1)
            inquiry.faults[name] = f"{name}: {error!r:.200}"


@dataclass(slots=True)
class _Inquiry:
    """What is known of one reference while its sources are asked."""

    reference: Reference
    kind: Kind
    sure: bool
    before: list[Match]
    asked: dict[str, str] = field(default_factory=dict)
    running: dict[Future[list[Record]], str] = field(default_factory=dict)
    remark: Future[str] | None = None
    works: list[Record] = field(default_factory=list)
    answered: list[str] = field(default_factory=list)
    faults: dict[str, str] = field(default_factory=dict)
    confirmed: Match | None = None

    def take(self, name: str, works: list[Record]) -> None:
        """What a source has."""
        self.answered.append(name)
        self.works += works
        match = self._judged()
        if _is_settled(match):
            self.confirmed = match

    def match(self, until: float) -> Match:
        """The answer."""
        found = self.confirmed or next(filter(_is_settled, self.before), None) or self._open()
        sources = [source for one in self.before for source in one.sources]
        sources += self.asked.values()
        if remark := self._remark(until):  # no detail: an absent work's detail is about its identifier
            sources.append(f"{Address.title}: {remark}")
        return replace(found, sources=tuple(sources))

    def _open(self) -> Match:
        """Nothing was found as quoted: another field differs, or it is absent, or that is not known."""
        local = [one for one in self.before if one.record is not None]
        self.works += [one.record for one in local if one.record is not None]
        candidates = [self._judged(), *local]
        found = [one for one in candidates if one.status is Status.FOUND]
        unheard = [one.detail for one in self.before if one.status is Status.UNREACHABLE]
        faults = "; ".join([*unheard, *sorted(self.faults.values())])
        if found:
            nearest = min(found, key=lambda one: (len(one.differences), -one.similarity))
            silent = f"not every source answered ({faults})" if faults else ""
            return replace(nearest, detail="; ".join(filter(None, [nearest.detail, silent])))
        if faults:
            nearest = next((one for one in candidates if one.record is not None), candidates[0])
            return replace(nearest, status=Status.UNREACHABLE, complete=False, detail=faults)
        # a case at the place that is cited: its name may be cut or spelt out in another way
        named_otherwise = self.kind is Kind.CASE and bool(self.works)
        whole = self.sure and not named_otherwise and covered(self.reference, self.kind, self.answered)
        complete = whole or any(one.complete for one in self.before)
        return replace(candidates[0], complete=complete)

    def _judged(self) -> Match:
        """The works that were found, weighed together; the title may have been cut out of its text wrongly."""
        reference = case_name(self.reference) if self.kind is Kind.CASE else self.reference
        match = judge(reference, self.works)
        if match.status is Status.FOUND:
            return match
        known = {Title(work.title).squeezed for work in self.works}
        parts = [part for part in readings(reference.title) if part.title.squeezed in known]
        return (judge_readings(reference, parts, self.works) if parts else None) or match

    def _remark(self, until: float) -> str:
        if self.remark is None:
            return ""
        if self.confirmed is not None and self.remark.cancel():
            return ""
        wait([self.remark], max(0.0, until - time.monotonic()))
        return self.remark.result() if self.remark.done() and self.remark.exception() is None else ""


def _answers(bibliography: Bibliography, references: Sequence[Reference]) -> list[Match]:
    """What a bibliography says; a bug in it is no answer."""
    try:
        return bibliography.find_all(references)
    except Exception as error:  # noqa: BLE001  # the other sources are still asked
        return [Match(Status.UNREACHABLE, detail=f"{type(bibliography).__name__}: {error!r:.200}")] * len(
            references
        )


def _is_settled(match: Match) -> bool:
    return match.status is Status.FOUND and not match.differences
