"""Reading replies: a list of k names; anything else in a reply makes it malformed.

A malformed reply is no answer to the question, and so neither right nor wrong. A name that was not on offer is an answer,
and a wrong one.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence

from guardrail.memory.internal.chinese import chinese_name_key

_READ = 10_000  # characters of a reply that are looked at
_THOUGHT_END = "</think>"
_BLOCK = re.compile(r"\A```\w*[ \t]*\n(.*)```\Z", re.DOTALL)
_LEAD = re.compile(r"\A(?:the )?(?:answer|答案|答|作者)(?: is|是|为)?\s*[:：]\s*", re.IGNORECASE)
_NUMBER = re.compile(
    r"(?:^|(?<=[,，、;；\n]))[ \t]*(?:[(（]?\d{1,2}[)）.．、:：](?!\d)|[-*•–](?!\d))[ \t]*", re.MULTILINE
)
_SEPARATOR = re.compile("[,，、;；]")
_PROSE = re.compile(r"[。！？!?:：=→\n]|\w{4}\. ")
_ENDS = " \t\r\n.。,，、;；\"'“”‘’「」『』`*_"
_BRACKETS = (("[", "]"), ("［", "］"), ("(", ")"), ("（", "）"), ("<", ">"), ("〈", "〉"))
_AND = re.compile(r"(?:and[ \t]+|&|和|与|及|以及)[ \t]*", re.IGNORECASE)
_LONG = 40  # characters of a name, unless longer ones are on offer


def read_list(reply: str, on_offer: Sequence[str], *, right: Collection[str] = ()) -> tuple[str, ...]:
    r"""The list that a reply is: as many names as were on offer, by comma (,，、) or line, numbered or not.

    Empty where the reply is not such a list: no text, another number of names, more than names, or not one name that was on offer.

    Args:
        reply: the whole of it; a thought before it (<think>) is left out.
        on_offer: the names that the question showed.
        right: names that would be right too, though not shown.

    Example:
        >>> read_list("1. Rome\n2. Oslo", ["Oslo", "Rome"]), read_list("Well: Rome, Oslo!", ["Oslo", "Rome"])
        (('Rome', 'Oslo'), ())
    """
    text = _said(reply)
    if not _bared(text):
        return ()
    known = {chinese_name_key(name): name for name in (*on_offer, *right)}
    longest = max(_LONG, *(len(name) for name in known.values()))
    lines = [_bared(line) for line in _NUMBER.sub("", _whole(text)).splitlines()]
    widest = 1 + max(len(_SEPARATOR.findall(name)) for name in known.values())
    pieces = (_rejoined(_SEPARATOR.split(line), known, widest) for line in lines if line)
    names = [_bared(name) for line in pieces for name in line]
    names[1:] = [_without_and(name, known) for name in names[1:]]
    if any(
        len(name) > longest or (_PROSE.search(name) and chinese_name_key(name) not in known) for name in names
    ):
        return ()
    if len(names) != len(on_offer) or not all(names):
        return ()
    if not any(chinese_name_key(name) in known for name in names):
        return ()  # "I do not know, sorry" is two words and a comma
    return tuple(names)


def thought_end(reply: str) -> int:
    """Where a reply begins behind the thought of a reasoning model; its end where the thought was cut off.

    What opens a thought is often in the prompt, so that only its end is seen.

    Example:
        >>> thought_end("<think>Rome?</think>Paris"), thought_end("Rome?</think>Paris"), thought_end("Paris")
        (20, 13, 0)
    """
    end = reply.rfind(_THOUGHT_END)
    if end >= 0:
        return end + len(_THOUGHT_END)
    return len(reply) if reply.lstrip().startswith("<think>") else 0


def _said(reply: str) -> str:
    begin = thought_end(reply)
    text = reply[begin : begin + _READ].strip()
    return _LEAD.sub("", _BLOCK.sub(r"\1", text).strip(), count=1)


def _whole(text: str) -> str:
    """Without marks and a pair of brackets around all of it."""
    text = text.strip("`* \t\n")
    return text[1:-1] if any(_around(text, *pair) for pair in _BRACKETS) else text


def _bared(text: str) -> str:
    """A name without marks around it, and without brackets that hold it or lack their other half.

    Brackets that hold a part of it stay: what is in them is a gloss ("Paris (France)", "[唐]王维").
    """
    while True:
        text = text.strip(_ENDS)
        for opening, closing in _BRACKETS:
            if _around(text, opening, closing):
                text = text[1:-1]
                break
            if text.startswith(opening) and closing not in text:
                text = text[1:]
                break
            if text.endswith(closing) and opening not in text:
                text = text[:-1]
                break
        else:
            return text


def _around(text: str, opening: str, closing: str) -> bool:
    """Whether one pair of brackets holds it all."""
    return text.startswith(opening) and text.rfind(opening) == 0 and 0 < text.find(closing) == len(text) - 1


def _without_and(name: str, known: Mapping[str, str]) -> str:
    """The last of "Oslo, and Rome" is Rome where that is on offer, and "and Rome" is not."""
    match = _AND.match(name)
    if match is None or chinese_name_key(name) in known:
        return name
    rest = _bared(name[match.end() :])
    return rest if chinese_name_key(rest) in known else name


def _rejoined(pieces: Sequence[str], known: Mapping[str, str], widest: int) -> Sequence[str]:
    """Names that hold a comma themselves ("Washington, D.C.") are put together again, of `widest` pieces at most."""
    if widest == 1:
        return pieces
    found: list[str] = []
    place = 0
    while place < len(pieces):
        ends = range(min(len(pieces), place + widest), place + 1, -1)
        end = next((e for e in ends if chinese_name_key(",".join(pieces[place:e])) in known), place + 1)
        found.append(", ".join(piece.strip() for piece in pieces[place:end]))
        place = end
    return found
