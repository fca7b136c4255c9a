"""Reading a reply to a question of fact: its first word, exactly, and the reasons that follow.

Nothing is searched for inside the text: "no" is in "know". What does not begin as asked is `malformed`.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import Literal, TypeAlias

from guardrail.text.sentences import split_sentences

Conclusion: TypeAlias = Literal["yes", "no", "unknown", "malformed"]

_LABEL = re.compile(
    r"(?:(?:final |my )?(?:answer|conclusion|judge?ment|verdict)\s*[:\-–—]\s*)", re.IGNORECASE
)
_MARKS = "*_`\"'“”‘’#>[](){} \t\r\n\f\v\u00a0\u200b\ufeff"
_WORD = re.compile(r"(yes|no)\b", re.IGNORECASE)
# What may stand between the word and its reasons. "No doubt", "yes and no", "Yes/No" are no conclusions.
_AFTER = re.compile(
    r"[*_`\"'”’)\]}]*\s*(?:$|[.,:;!–—-]|[\r\n]|\(|(?=(?:because|since|it|they|he|she|this|that)\b))",
    re.IGNORECASE,
)
_UNSURE = re.compile(
    r"(?:(?:i )?(?:do not|don't|dont) (?:really |actually )?know\b|(?:it is |it's |this is )?(?:unknown|uncertain|unclear)\b"
    r"|(?:i am |i'm )?(?:not (?:sure|certain)|unsure)\b)",
    re.IGNORECASE,
)
_CANNOT = (
    r"(?:cannot|can not|can't|could not|couldn't|am unable to|'m unable to|am not able to|'m not able to)"
)
_REFUSAL = re.compile(
    rf"(?:i ?)?{_CANNOT} (?:\w+ )?(?:answer|say|tell|determine|judge|confirm|verify|provide|give|assist|help|comply)\b"
    r"|i (?:am|'m) (?:\w+ )?(?:sorry|afraid)\b|i'm (?:\w+ )?(?:sorry|afraid)\b|(?:sorry|apologies|i apologi[sz]e)\b"
    r"|as an? (?:ai|artificial|large|language)\b|unfortunately, i\b"
    r"|i (?:do not|don't) have (?:\w+ ){0,3}(?:information|knowledge|access|data|evidence)\b",
    re.IGNORECASE,
)
_ITEM = re.compile(r"^[ \t]*(?:\(?\d{1,3}[.)]|[-*•–])[ \t]+(.*)$")
_INLINE = re.compile(r"(?:^|(?<=[.!?;:]))[ \t]*(?=\(?(\d{1,2})[.)][ \t]+\S)", re.MULTILINE)
_BECAUSE = re.compile(r"(?:because|since)\b:?\s*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ReadReply:
    """What a reply concludes, and why.

    Attributes:
        conclusion: `yes`, `no`, `unknown` (it says so, or will not answer) or `malformed` (anything else).
        reasons: the sentences that follow, one each, numbers and bullets taken off; of a malformed reply, all.
    """

    conclusion: Conclusion
    reasons: tuple[str, ...] = ()


def parse_reply(text: str) -> ReadReply:
    """Read a reply that was asked to begin with Yes, No or I don't know.

    A label before the word ("Answer:"), emphasis and quotation marks are passed over; a reply that says both
    words one after the other is malformed.

    Example:
        >>> parse_reply("Yes, because Euler was born in Basel.")
        ReadReply(conclusion='yes', reasons=('Euler was born in Basel.',))
        >>> parse_reply("I don't know.").conclusion, parse_reply("No doubt it is so.").conclusion
        ('unknown', 'malformed')
    """
    body = _head(text)
    word = _WORD.match(body)
    if word:
        after = _AFTER.match(body, word.end())
        rest = body[after.end() :] if after else ""
        if after is None or _second(rest):
            return ReadReply("malformed", _reasons(body))
        return ReadReply("yes" if word[1].lower() == "yes" else "no", _reasons(rest))
    plain = unicodedata.normalize("NFKC", body[:200]).replace("’", "'")
    unsure = _UNSURE.match(plain)
    if unsure or _REFUSAL.match(plain):
        return ReadReply("unknown", _reasons(body[unsure.end() :] if unsure else ""))
    return ReadReply("malformed", _reasons(body))


def _head(text: str) -> str:
    """The text from its first word on, without marks and a label."""
    body = text.lstrip(_MARKS)
    label = _LABEL.match(body)
    return body[label.end() :].lstrip(_MARKS) if label else body


def _second(rest: str) -> bool:
    """Whether the other conclusion, or the same, follows at once: "Yes, no", "No. Yes."."""
    body = rest.lstrip(_MARKS + ".,:;!–—-")
    word = _WORD.match(body)
    return word is not None and _AFTER.match(body, word.end()) is not None


def _reasons(text: str) -> tuple[str, ...]:
    """The sentences: items of a list where it has one, else as the splitter finds them."""
    lines = _on_lines(text).splitlines()
    if not any(_ITEM.match(line) for line in lines):
        return tuple(_sentences(text))
    found: list[str] = []
    before: list[str] = []
    for line in lines:
        item = _ITEM.match(line)
        if item:
            found.append(item[1].strip())
        elif found and line.strip():
            found[-1] += " " + line.strip()
        else:
            before.append(line)
    return (*_sentences("\n".join(before)), *(one for one in found if _has_letters(one)))


def _on_lines(text: str) -> str:
    """The text with each item of a numbered list (1, 2, 3, in order) on a line of its own."""
    expected, starts = 1, []
    for match in _INLINE.finditer(text):
        if int(match[1]) == expected:
            starts.append(match.end())
            expected += 1
    if len(starts) < 2:
        return text
    ends = [*starts[1:], len(text)]
    pieces = [text[start:end].strip(" \t") for start, end in zip(starts, ends, strict=True)]
    return "\n".join([text[: starts[0]], *pieces])


def _sentences(text: str) -> list[str]:
    body = text.lstrip(_MARKS + ".,:;!–—-")
    because = _BECAUSE.match(body)
    if because:
        body = body[because.end() :]
    return [one for one in (piece.strip() for piece in split_sentences(body)) if _has_letters(one)]


def _has_letters(text: str) -> bool:
    return any(char.isalnum() for char in text)
