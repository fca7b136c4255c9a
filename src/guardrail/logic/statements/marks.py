"""Sentences without the marks of Markdown, so that "**Paris** is in *France*" is read as "Paris is in France".

Only marks that change nothing go: emphasis, code, links, notes, tags, and the numbers of a list within a line. What
was struck out goes with its marks. Around a title ("*Pride and Prejudice*") quotation marks stay, or it would fall
into two names. A sentence keeps its place and its length, so that what is found in it is at the same place in the text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from guardrail.logic.statements.lexicon import Lexicon
from guardrail.logic.statements.words import BE, PARTICLES, several, stem, words
from guardrail.report import Span
from guardrail.text.markup import DEPTH, PAIRED

_DROPPED = re.compile(
    r"~~[^~\n]+~~[ \t]?"  # struck out
    r"|[ \t]?\[\^?\d{1,3}(?:[ \t]?[,–-][ \t]?\d{1,3})*\](?![(\[])"  # a note or a source
    r"|<(?:br|hr)[ \t]*/?>|<sup>[^<>\n]{0,20}</sup>"
)
_HALF = re.compile(r"(?<![\w*\\])(?:\*{2,3}|_{2,3})(?=\w)|(?<=[\w.,:;!?)])(?:\*{2,3}|_{2,3})(?![\w*])")
_CELL = re.compile(r"(?<![ \t])[ \t]*\|[ \t]*")
_NUMBER = re.compile(r"(?:^|(?<=[ :;,]))\(?(\d{1,2}|[a-z])\)[ \t]+")
_NUMBERS = (tuple(map(str, range(1, 27))), tuple("abcdefghijklmnopqrstuvwxyz"))
_FOLLOWING = re.compile(r"(?<![ \t])(?:[ \t]+(?:the[ \t]+following|these)(?:[ \t]+[a-z]+)?)?[ \t]*:[ \t]*")
_AND = re.compile(r"(?<![ \t])[ \t]*(?:[,;](?:[ \t]+(?:and|&)(?=[ \t]))?|(?<=[ \t])(?:and|&)(?=[ \t]))[ \t]*")
_SMALL = PARTICLES | several("a an and & or in on at to for with by from")
_WORDS = 12  # of a title, and of a name in a list


def unmarked(text: str, spans: Sequence[Span], lexicon: Lexicon) -> str:
    r"""The text with each of these sentences written without marks, blanks behind it up to its old length.

    Example:
        >>> from guardrail.logic.statements.lexicon import Lexicon
        >>> unmarked("**Paris** is in *France*. Yes!", [Span(start=0, end=25)], Lexicon({}, []))
        'Paris is in France.       Yes!'
    """
    parts, place = [], 0
    for span in spans:
        sentence = span.of(text)
        parts += [text[place : span.start], _plain(sentence, lexicon).ljust(len(sentence))]
        place = span.end
    return "".join([*parts, text[place:]])


def _plain(sentence: str, lexicon: Lexicon) -> str:
    whole = sentence
    for _ in range(DEPTH):
        before, whole = whole, PAIRED.sub(_content, whole)
        if whole == before:
            break
    plain = _CELL.sub("; ", _HALF.sub("", _DROPPED.sub("", whole)))
    listed = _listed(plain, lexicon)
    return next(form for form in (listed, plain, sentence) if len(form) <= len(sentence))


def _content(match: re.Match[str]) -> str:
    """What stands between two marks; in quotation marks where they hold a title together."""
    kind = match.lastgroup or ""
    text = match[kind]
    parts = text.split()
    slanted = len(match["stars"] or match["lines"] or "**") == 1 or match["tag"] in {"i", "em"}
    title = (
        1 < len(parts) <= _WORDS
        and parts[0][0].isupper()
        and not match.string.startswith(("'s", "’s"), match.end())
    )
    loose = [word for word in parts if not word[0].isupper() and word not in PARTICLES]
    whole = len(text) > len(match.string) - 5 or text[-1] in ".!?:"
    quoted = title and loose and not whole and (slanted or set(loose) <= _SMALL)
    return f"“{text}”" if quoted else text


def _listed(sentence: str, lexicon: Lexicon) -> str:
    """With the names of a list as prose has them: "wrote: 1) Emma; 2) Persuasion." as "wrote Emma & Persuasion."."""
    found = list(_NUMBER.finditer(sentence))
    numbers = tuple(one[1] for one in found)
    first = (
        1 if numbers[:1] in {("2",), ("b",)} else 0
    )  # a line that begins with "1)" is an item, without its number
    numbered = first + len(found) > 1 and numbers in {some[first : first + len(found)] for some in _NUMBERS}
    plain = _NUMBER.sub("", sentence) if numbered else sentence
    colon = _FOLLOWING.search(plain)
    begin = colon.start() if colon is not None else found[0].start() if numbered else 0
    lead, tail = plain[:begin].rstrip(), plain[colon.end() if colon is not None else begin :]
    body = tail.rstrip(" .!")
    names = [name.strip() for name in _AND.split(body)]
    if not begin or not _related(lead, lexicon) or not all(map(_is_name, names)):
        return plain
    joined = " & ".join([*filter(None, [", ".join(names[:-1])]), names[-1]])
    return f"{lead} {joined}{tail[len(body) :]}"


def _related(lead: str, lexicon: Lexicon) -> bool:
    """Whether it ends in "is" or in a way of saying a relation, so that the names behind it belong to that."""
    keys = ["BE" if word.key in BE else stem(word.key) for word in words(lead)[-4:]]
    ends = [(len(keys) - at, lexicon.saying(keys, at)) for at in range(len(keys))]
    return keys[-1:] == ["BE"] or any(said is not None and said[0] == length for length, said in ends)


def _is_name(text: str) -> bool:
    parts = text.strip('“”"').split()
    return (
        0 < len(parts) <= _WORDS
        and parts[0][0].isupper()
        and all(p[0].isupper() or p in PARTICLES for p in parts)
    )
