"""The matrix: every case through a door, and what came out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from typing import Any

from guardrail.errors import ConfigError
from guardrail.testing.leaks.cases import CLEAN, Axes, Case
from guardrail.testing.leaks.doors import Door, NotOffered, Opened, Setting, over_http
from guardrail.testing.leaks.forbidden import FORBIDDEN, Forbidden
from guardrail.testing.leaks.replies import Reply, shown, texts_by_channel
from guardrail.testing.leaks.table import Row, Table
from guardrail.testing.leaks.upstream import StubUpstream, upstream

_ENDS = {"chat": "data: [DONE]", "responses": "response.completed", "messages": "message_stop"}
_HELD = ("content_filter", '"refusal"', '"incomplete"')


def matrix(
    door: Door | str,
    *,
    axes: Axes | None = None,
    forbidden: Sequence[str] = FORBIDDEN,
    mark: str = "made up",
    fragment: int = 6,
    stub: StubUpstream | None = None,
) -> Table:
    """Run every case through a guard and count what got out.

    Args:
        door: opens the guard with a `Setting`; or the base URL (with `/v1`) of a guard that runs already, in front of `stub`. Of a
            running guard the kit can neither change the policy nor break a check: name the one policy in `axes`.
        axes: which cases; all by default.
        forbidden: the texts that must not get out. The guard must know them.
        mark: what annotate puts by a forbidden text, or a part of it.
        fragment: how many characters of a forbidden text in a row count as released.
        stub: the upstream, if it runs already (`leaks.upstream`).

    Raises:
        ConfigError: a base URL without `stub`, or with several policies.
    """
    wanted = axes or Axes()
    texts = Forbidden(forbidden if stub is None else stub.forbidden, fragment)
    if isinstance(door, str) and (stub is None or len(wanted.policies) != 1):
        raise ConfigError(
            "a running guard needs its upstream and one policy: write "
            "matrix(url, stub=stub, axes=Axes(policies=['remove'])) within leaks.upstream(port=…)"
        )
    with upstream(forbidden) if stub is None else nullcontext(stub) as running:
        rows: list[Row] = []
        for policy in wanted.policies:
            for breaks in (False, True):
                cases = list(wanted.cases(policy, broken=breaks))
                if breaks and (isinstance(door, str) or "detector" not in wanted.faults):
                    continue
                setting = Setting(running.url, policy, breaks, texts.texts, mark)
                rows += _opened(door, setting, cases, running, texts)
    return Table(tuple(rows), texts.size)


def _opened(
    door: Door | str, setting: Setting, cases: Sequence[Case], running: StubUpstream, texts: Forbidden
) -> Iterator[Row]:
    try:
        with nullcontext(door) if isinstance(door, str) else door(setting) as found:
            opened = Opened(over_http(found)) if isinstance(found, str) else found
            for case in cases:
                running.play(case)
                try:
                    reply = opened.ask(case)
                except NotOffered as reason:
                    yield Row(case, not_offered=str(reason) or "not offered")
                else:
                    yield examined(case, reply, texts, setting.mark)
            for name, read in opened.channels.items():
                case = Case("all", name, "whole", setting.policy, "detector" if setting.breaks else "")
                count = texts.counted(texts.disclosed(read()))
                yield Row(case, 200, {name: count} if count else {}, answered=True)
    except NotOffered as reason:
        yield from (Row(case, not_offered=str(reason) or "not offered") for case in cases)


def examined(case: Case, reply: Reply, texts: Forbidden, mark: str) -> Row:
    """What a reply releases."""
    success = 200 <= reply.status < 300
    items = reply.read()
    harmless = any(CLEAN in text for text in shown(items))
    annotated = case.policy == "annotate" and case.fault in {"", "stubborn"} and success
    broken = case.policy == "annotate" and case.streams and case.fault in {"cut", "malformed"}
    released = {} if annotated else _released(reply, texts)
    if broken:  # sentences that were out already have their marks; nowhere else may the texts be
        released.pop("body", None)
    return Row(
        case,
        reply.status,
        released,
        _unmarked(items, texts, mark) if annotated or broken else 0,
        success and _unchecked(case, reply, harmless=harmless),
        success and (harmless or _is_held(reply)),
    )


def _released(reply: Reply, texts: Forbidden) -> dict[str, int]:
    """Bytes by channel. What only the body as it came shows (a comment of a stream, a name given twice) is the body's."""
    found: dict[str, frozenset[tuple[int, int]]] = {}
    for channel, text in texts_by_channel(reply):
        if disclosed := texts.disclosed(text):
            found[channel] = found.get(channel, frozenset()) | disclosed
    everywhere = frozenset().union(*found.values())
    if hidden := texts.disclosed(reply.body) - everywhere:
        found["body"] = found.get("body", frozenset()) | hidden
    return {channel: texts.counted(disclosed) for channel, disclosed in sorted(found.items())}


def _unmarked(items: Sequence[Any], texts: Forbidden, mark: str) -> int:
    """How many forbidden texts were shown, at some time, that had no mark of their own yet."""
    most = 0
    for text in shown(items):
        there = sum(text.count(one) for one in texts.texts)
        most = max(most, there - text.count(mark))
    return most


def _unchecked(case: Case, reply: Reply, *, harmless: bool) -> bool:
    """Whether a success claims what nobody checked."""
    told = reply.body + str(reply.headers)
    if case.fault in {"cut", "malformed"}:
        whole = (
            _ENDS[case.api] in reply.body if case.streams else reply.ended and bool(reply.read())
        ) and "error" not in told
        return whole and not _is_held(reply)
    if case.fault == "content_type":
        return not _is_held(reply)
    if case.fault in {"rate_limit", "server_error"}:
        return harmless
    if case.fault == "detector":
        return harmless and "unverified" not in told
    return case.fault == "empty" and "supported" in told.replace("unsupported", "")


def _is_held(reply: Reply) -> bool:
    """Whether the answer says that it was withheld."""
    return any(sign in reply.body for sign in _HELD)
