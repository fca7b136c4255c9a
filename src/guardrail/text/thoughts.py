"""Thoughts that a model writes into the text of its answer: `<think>…</think>`, `[THINK]…[/THINK]` and the like."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator

from guardrail.report import Span

_TAG = re.compile(
    r"<(?P<closed>/?)(?P<name>(?:ant)?think(?:ing)?|thoughts?|reasoning|reflection|scratchpad)(?:\s[^<>\n]{0,80})?>"
    r"|\[(?P<mistral>/?)THINK\]"
    r"|<\|(?P<sky>begin|end)_of_thought\|>"
    r"|◁(?P<kimi>/?)think▷",
    re.IGNORECASE,
)
_CODE = re.compile(
    r"^[ \t>]*(?P<fence>`{3,}|~{3,})[^\n]*|(?P<ticks>`{1,2})[^`\n]+(?P=ticks)(?!`)", re.MULTILINE
)
_FENCE_END = re.compile(r"^[ \t>]*(`{3,}|~{3,})[ \t\r]*$", re.MULTILINE)
_BEGINS = re.compile(r"(?:\A|\n|[.!?…。！？)>\]}])[ \t*_]*\Z")  # prose mentions a tag elsewhere
_ENDS = re.compile(r"[ \t*_]*(?:\r?\n|\Z)")
_MARGIN = 12  # characters before a tag that are looked at


def thought_spans(text: str) -> list[Span]:
    r"""Where the thoughts in a text are, with their tags: in order, disjoint. Linear in the text.

    A thought begins at a tag outside of code that begins a line or follows the end of a sentence. It ends behind the
    first closing tag of its name; of any name, if there is none; with the text, if nothing closes it. A closing tag
    that begins or ends a line, or follows a sentence, closes one that began elsewhere in a line. Alone, with its opening
    in the prompt, it ends a thought that began with the text. Where there is another thought before it, or nothing
    after it, it is a thought by itself, with nothing in it.

    Example:
        >>> text = "<think>Rome?</think>Paris. <reflection>Sure?</reflection>"
        >>> [span.of(text) for span in thought_spans(text)]
        ['<think>Rome?</think>', '<reflection>Sure?</reflection>']
        >>> thought_spans("Rome?\n</think>\nParis.")
        [Span(start=0, end=14)]
    """
    found: list[Span] = []
    tags = list(_TAG.finditer(text))
    ends = _ends(tags)
    passed: dict[
        str, int
    ] = {}  # where a tag opened within a sentence, by its name: perhaps it was only mentioned
    for tag in _outside_code(text, tags, found):
        if not _is_meant(text, tag):
            if not _closes(tag):
                passed[_name(tag)] = tag.start()
        elif not _closes(tag):
            found.append(Span(start=tag.start(), end=_end(text, tag, ends)))
        elif passed.get(_name(tag), -1) >= (found[-1].end if found else 0):
            found.append(Span(start=passed[_name(tag)], end=tag.end()))
        elif found or not text[tag.end() :].strip():
            found.append(Span(start=tag.start(), end=tag.end()))
        else:
            found.append(Span(start=0, end=tag.end()))
    return found


def _outside_code(text: str, tags: list[re.Match[str]], found: list[Span]) -> Iterator[re.Match[str]]:
    """The tags, each after what was found of those before; code in a thought is part of it."""
    at = 0
    code = _CODE.search(text) if tags else None
    for tag in tags:
        at = max(at, found[-1].end if found else 0)
        while code is not None and code.start() < tag.start():
            if code.start() >= at:
                at = _code_end(text, code)
            code = _CODE.search(text, at if at > code.start() else code.end())
        if tag.start() >= at:
            yield tag


def _code_end(text: str, code: re.Match[str]) -> int:
    fence = code["fence"]
    if fence is None:
        return code.end()
    for match in _FENCE_END.finditer(text, code.end()):
        if match[1].startswith(fence):
            return match.end()
    return len(text)


def _is_meant(text: str, tag: re.Match[str]) -> bool:
    before = text[max(tag.start() - _MARGIN, 0) : tag.start()]
    return _BEGINS.search(before) is not None or (_closes(tag) and _ENDS.match(text, tag.end()) is not None)


def _ends(tags: list[re.Match[str]]) -> dict[str, list[re.Match[str]]]:
    """The closing tags of each name, and all of them under ""."""
    ends: dict[str, list[re.Match[str]]] = defaultdict(list)
    for tag in tags:
        if _closes(tag):
            ends[_name(tag)].append(tag)
            ends[""].append(tag)
    return ends


def _end(text: str, tag: re.Match[str], ends: dict[str, list[re.Match[str]]]) -> int:
    for closing in (ends.get(_name(tag), []), ends.get("", [])):
        index = bisect_left(closing, tag.end(), key=lambda end: end.start())
        if index < len(closing):
            return closing[index].end()
    return len(text)


def _closes(tag: re.Match[str]) -> bool:
    return "/" in (tag["closed"], tag["mistral"], tag["kimi"]) or (tag["sky"] or "").lower() == "end"


def _name(tag: re.Match[str]) -> str:
    return (tag["name"] or tag.lastgroup or "").lower()
