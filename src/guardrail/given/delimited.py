"""Documents that are delimited in a prompt: in tags, below a label ("Context:"), or behind a line that announces them.

Only what is delimited is a document; the instructions around it are no evidence. Each line is read a few times at most.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from guardrail.given.sources import Document, Source, first_field, source_from

_TAG = re.compile(r"<(/?)([A-Za-z][\w-]{0,40})((?:\s[^<>]{0,400})?)>")
_ATTRIBUTE = re.compile(r"""([\w-]{1,40})\s?=\s?(?:"([^"<>]{0,400})"|'([^'<>]{0,400})')""")
_CHILD = re.compile(r"\s*<([\w-]{1,40})>([^<>]{1,400})</\1>")
_RULE = re.compile(r"\s*([-=*_~]{3,}|\"{3}|`{3}\w*)\s*")
_EDGE = re.compile(r"\s*[-=*#<\[]{2,}\s*(BEGIN|START|END)\b(.{0,80})", re.IGNORECASE)
_ITEM = re.compile(r"\s*(?:#{1,6}\s)?(?:\[(\d{1,3})\]|([^\W\d_]{2,20})\s?[\[#]?(\d{1,3})\]?\s?[:.)-])\s?(.*)")
_ANNOUNCED = re.compile(
    r"\bfollowing (?:\w+ (?:of|from) )?(?:the )?(?:(?:retrieved|relevant|provided|given|numbered|reference) )*"
    r"(?:contexts?|documents|passages|sources|search results|excerpts|snippets)\b|\bcontext information is below\b",
    re.IGNORECASE,
)
_LABEL = 80  # characters of a label at most
_CHILDREN = 10  # tags that name a document, at most
_MOST_ITEMS = 1_000
_ABOVE = 6  # lines above the first document that are looked at
_PARAGRAPH, _SAID = 3, 600  # the last of them that have text, and characters of each
_WITHOUT_BLANKS = "\u3000"  # scripts from here on


@cache
def _words() -> Mapping[str, frozenset[str]]:
    """The words of `delimiters.toml`, by what they mark."""
    read = tomllib.loads(files("guardrail.given").joinpath("delimiters.toml").read_text(encoding="utf-8"))
    return {name: frozenset(words) for name, words in read.items()}


def delimited(text: str, *, by_user: bool = False) -> list[Document]:
    """The documents that are delimited in a prompt, in their order; where they are from is the name that the prompt gives them.

    Args:
        text: a system prompt, or a user's message that a template made.
        by_user: whether the end of it may be a user's own words: then nothing behind the first question counts.

    Example:
        >>> [one.text for one in delimited("Be brief. <document>Ada was born in 1815.</document>")]
        ['Ada was born in 1815.']
        >>> delimited("You are the helper of a firm that was founded in 1904.")
        []
    """
    lines = [_Line.of(line) for line in text.split("\n")]
    asked = next((i for i, line in enumerate(lines) if line.kind == "question"), len(lines))
    if by_user:
        text = "\n".join(line.text for line in lines[:asked])
    tagged, rest = _tagged(text)
    lines = [_Line.of(line) for line in rest.split("\n")]
    return tagged + [one for name, block in _blocks(lines, by_user=by_user) for one in _items(name, block)]


# -- tags


def _tagged(text: str) -> tuple[list[Document], str]:
    """The documents in tags, and the text without them. A tag that has documents in it is none itself."""
    leaves, holders = _words()["tags"], _words()["holders"]
    found: list[Document] = []
    rest: list[str] = []
    opened: list[tuple[str, str, int, int]] = []  # name, attributes, where it ends, documents before it
    at = 0
    for tag in _TAG.finditer(text):
        name = tag[2].casefold()
        if name not in leaves and name not in holders:
            continue
        if not tag[1]:
            if not opened or (opened[-1][0] in holders and name != opened[-1][0]):
                if not opened:
                    rest.append(text[at : tag.start()])
                    at = tag.start()
                opened.append((name, tag[3], tag.end(), len(found)))
        elif opened and name in {one[0] for one in opened}:
            while opened[-1][0] != name:
                opened.pop()
            _, attributes, start, before = opened.pop()
            if len(found) == before and (inner := text[start : tag.start()].strip()):
                found.append(_of_tag(attributes, inner))
            at = at if opened else tag.end()
    return found, "\n".join([*rest, text[at:]])


def _of_tag(attributes: str, inner: str) -> Document:
    """A document in a tag. Attributes and tags at its edges name it; one of those may hold its text."""
    known: dict[str, object] = {
        one[1].casefold(): one[2] or one[3] or "" for one in _ATTRIBUTE.finditer(attributes)
    }
    inner = _after_names(inner, known)
    opening = _TAG.match(inner)
    if opening and not opening[1] and opening[2].casefold() in _words()["bodies"]:
        end = inner.rfind(f"</{opening[2]}>")
        if end > 0 and not _after_names(inner[end + len(opening[2]) + 3 :], known).strip():
            inner = inner[opening.end() : end]
    source = source_from(known)
    if not source.name and not source.url:
        source = Source(name=first_field(known, ("index", "number", "n", "id")), identifier=source.identifier)
    return Document(inner.strip(), source)


def _after_names(text: str, known: dict[str, object]) -> str:
    """The text behind the tags at its beginning that name a document; their values are added to what is known."""
    at = 0
    for _ in range(_CHILDREN):
        found = _CHILD.match(text, at)
        if found is None or found[1].casefold() not in _words()["names"]:
            break
        known.setdefault(found[1].casefold(), found[2].strip())
        at = found.end()
    return text[at:].lstrip()


# -- labels, announcements, rules


@dataclass(frozen=True, slots=True)
class _Line:
    """A line of a prompt.

    Attributes:
        text: the line.
        kind: "documents", "question", "answer", "instructions" or "heading" of a label; "begin" and "end" of marks, "rule", "announced"; "" of others.
        rest: what follows the label, or the name in a mark.
        level: of a Markdown heading; 0 = it is none.
    """

    text: str
    kind: str = ""
    rest: str = ""
    level: int = 0

    @classmethod
    def of(cls, line: str) -> _Line:
        """Read a line."""
        if _RULE.fullmatch(line):
            return cls(line, "rule")
        if edge := _EDGE.fullmatch(line):
            kind = "end" if edge[1].upper() == "END" else "begin"
            named = not _words()["documents"].isdisjoint(re.findall(r"\w+", edge[2].casefold()))
            name = edge[2].partition(":")[2].strip("-=*#<>[] \t")
            return cls(line, kind if named or kind == "end" else "", name)
        plain = line.strip()
        body = plain.lstrip("#")
        level = len(plain) - len(body)
        label, colon, rest = _parted(body.strip())
        kind = _label_kind(label, alone=not rest) if colon or level or _is_bold(body) else ""
        if not kind and _ANNOUNCED.search(line[:2_000]):
            kind = "announced"
        return cls(line, kind or ("heading" if level else ""), rest if kind == "documents" else "", level)


def _parted(text: str) -> tuple[str, str, str]:
    """A label, its colon, and what follows; a text without a colon near its beginning is all label."""
    places = [place for colon in ":\uff1a" if 0 <= (place := text.find(colon, 0, _LABEL)) < _LABEL]
    if not places:
        return text[:_LABEL], "", ""
    at = min(places)
    return text[:at], ":", text[at + 1 :].strip().strip("*_").strip()


def _is_bold(text: str) -> bool:
    plain = text.strip()
    return len(plain) < _LABEL and plain.startswith(("**", "__")) and plain.endswith(("**", "__"))


def _label_kind(label: str, *, alone: bool) -> str:
    words = label.strip("*_ \t").casefold().split()
    name = " ".join(words)
    for kind in ("documents", "question"):
        if name in _words()[kind]:
            return kind
    for kind in ("answer", "instructions"):
        if alone and name in _words()[kind]:
            return kind
    points = alone and bool(words) and words[-1] in _words()["documents"]
    return "documents" if points and not _words()["pointing"].isdisjoint(words[-5:-1]) else ""


def _blocks(lines: Sequence[_Line], *, by_user: bool) -> Iterator[tuple[str, list[str]]]:
    """The name of each block, if its mark has one, and its lines."""
    last = max((i for i, line in enumerate(lines) if line.kind == "question"), default=-1)
    at = 0
    while at < len(lines):
        line = lines[at]
        if line.kind == "question" and by_user:
            return
        if line.kind == "begin":
            end = next((i for i in range(at + 1, len(lines)) if lines[i].kind == "end"), len(lines))
            yield line.rest, [one.text for one in lines[at + 1 : end]]
            at = end + 1
        elif line.kind in {"documents", "announced"}:
            start = at + 1 if line.kind == "documents" else _behind(lines, at)
            end = _end(lines, start, line, last=last, by_user=by_user)
            yield "", [line.rest, *(one.text for one in lines[start:end])]
            at = max(end, at + 1)
        elif _begins_items(lines, at):
            end = max(at + 1, _end(lines, at, _Line(""), last=last, by_user=by_user))
            yield "", [one.text for one in lines[at:end]]
            at = end
        else:
            at += 1


def _begins_items(lines: Sequence[_Line], at: int) -> bool:
    """Whether documents with numbers in brackets begin at a line, below a paragraph that speaks of documents: "Cite these sources:"."""
    first = _ITEM.match(lines[at].text)
    if first is None or first[1] not in {"0", "1"}:
        return False
    before = [line.text[-_SAID:] for line in lines[max(0, at - _ABOVE) : at] if line.text.strip()]
    return _has_any("documents", " ".join(before[-_PARAGRAPH:])) and not _has_any("instructions", before[-1])


def _has_any(kind: str, text: str) -> bool:
    """Whether a text has a word that is a label of this kind; those of scripts without blanks may be part of a longer run."""
    labels, said = _words()[kind], text.casefold()
    apart = not labels.isdisjoint(re.findall(r"\w+", said))
    return apart or any(label in said for label in labels if label > _WITHOUT_BLANKS)


def _behind(lines: Sequence[_Line], at: int) -> int:
    """Where what a line announces begins: below it after a colon or before a rule, else below its paragraph."""
    start = at + 1
    if lines[at].text.rstrip().endswith((":", "\uff1a")):
        return start
    while start < len(lines) and lines[start].text.strip() and not lines[start].kind:
        start += 1
    return start


def _end(lines: Sequence[_Line], start: int, label: _Line, *, last: int, by_user: bool) -> int:
    """Where a block ends: at a question, instructions, a heading like its own, or the rule that it began with.

    Documents may have questions in them, as FAQs do: what closes a block of the operator's is the last one.

    Args:
        lines: of the prompt.
        start: where the block begins.
        label: its label.
        last: where the last question is.
        by_user: whether the first one closes it.
    """
    rule, said, question = "", bool(label.rest), len(lines)
    for place in range(start, len(lines)):
        line = lines[place]
        if line.kind == "rule" and not said:
            rule = line.text.strip()
        elif line.kind == "rule" and rule and line.text.strip()[0] == rule[0]:
            return place
        elif line.kind == "begin" or (said and _closes(line, behind=place > last, ruled=bool(rule))):
            return min(place, question)
        elif line.level and said and 0 < line.level <= label.level:
            return place
        elif line.kind == "question":
            question = place
            if by_user:
                return place
        said = said or bool(line.text.strip() and line.kind != "rule")
    return question


def _closes(line: _Line, *, behind: bool, ruled: bool) -> bool:
    """Whether instructions come next, or the place of an answer behind the last question."""
    return (line.kind == "instructions" and not ruled) or (line.kind == "answer" and behind)


def _items(name: str, lines: Sequence[str]) -> Iterator[Document]:
    """The numbered documents of a block, or the block as one."""
    starts: list[tuple[int, int, str]] = []
    for place, line in enumerate(lines):
        found = _ITEM.match(line) if len(starts) < _MOST_ITEMS else None
        if found is None or not (found[1] or (found[2] or "").casefold() in _words()["items"]):
            continue
        number = int(found[1] or found[3])
        if number == starts[-1][1] + 1 if starts else number in {0, 1}:
            starts.append((place, number, found[4]))
    bounds = [*(place for place, _, _ in starts), len(lines)]
    if text := _text(lines[: bounds[0]]):
        yield Document(text, Source(name=name))
    for (place, number, rest), end in zip(starts, bounds[1:], strict=True):
        if text := _text([rest, *lines[place + 1 : end]]):
            yield Document(text, Source(name=f"[{number}]"))


def _text(lines: Sequence[str]) -> str:
    """Lines without the rules around them."""
    kept = list(lines)
    for side in (0, -1):
        while kept and (not kept[side].strip() or _RULE.fullmatch(kept[side])):
            kept.pop(side)
    return "\n".join(kept).strip()
