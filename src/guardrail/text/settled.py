r"""How much of a text that is still being written reads the same whatever comes next.

The end of a sentence is settled once the next word is there in full: it may be the second half of an abbreviation, or
join the two. Markdown reaches further: a fence, a formula, a table or a BibTeX entry changes how lines are read, and JSON
how all of it is. From the first of them on nothing is settled until the text ends. Where text may be cut, the same goes for
what is numbered or announces a number ("four works:"), for citation markers and for elements of HTML, since they
change when something behind them or in them is cut.
"""

from __future__ import annotations

import re

from guardrail.text.announced import announced, announces
from guardrail.text.citation_marks import citation_marks
from guardrail.text.elements import TAG
from guardrail.text.layout import Layout
from guardrail.text.sentences import sentences
from guardrail.text.splicing import spliced
from guardrail.text.thoughts import thought_spans

_REACHING = re.compile(
    r"```|~~~|\$\$|\\|\{|@|\A\s*[\[\"]"
    r"|^[ \t>]*(?:\||`{1,3}\Z|~{1,3}\Z)"
    r"|(?<=\$)\Z",
    re.MULTILINE,
)
_NUMBERED = re.compile(r"\[\^?\d|^[ \t>]*\(?\d{1,9}[.)]|[¹²³⁰⁴-⁹†‡]", re.MULTILINE)
_NEXT = re.compile(r"(?P<blanks>\s+)(?P<word>\S*)(?P<after>\s*)(?P<more>\S?)")
_BLANK_LINE = re.compile(r"\n[^\S\n]*\n")
_LINE_OPENER = re.compile(r"[-*+•·‣]|#{1,6}|\d{1,9}[.)]")
_WORD_BEGINS = re.compile(r"(?!https?:|www\.)[\"'“‘«*_]{0,3}[^\W_]")
_ANNOUNCES = (":", "：", "*", "_", "…", "-", "–", "—")
_TRIED = 16  # sentences from the end: each may take as long as its paragraph
_OPENERS = re.compile(r"[\[`<$]")


def settled(text: str, *, cuts: bool, after: int = 0) -> int:
    r"""Where the last sentence ends that is settled, with everything before it; `after` if none is.

    Args:
        text: what was written so far.
        cuts: whether parts of the text may be cut out of it.
        after: what was settled before.

    Example:
        >>> text = "Rivers flow. They end in s"
        >>> text[: settled(text, cuts=False)]
        'Rivers flow.'
        >>> settled("See Smith et al. ", cuts=False)
        0
    """
    stop = _reaching(text, _REACHING)
    if cuts:
        stop = min(stop, _reaching(text, _NUMBERED), _reaching(text, TAG))
    for thought in thought_spans(text):  # one that is open may still become anything
        if thought.end == len(text):
            stop = min(stop, thought.start)
    layout = Layout(text)
    if cuts:
        stop = min([stop, *(start for start, end in layout.lines if _announces_number(text, start, end))])
    found = sentences(text)
    for count in range(len(found), max(len(found) - _TRIED, 0), -1):
        end = found[count - 1].end
        if end <= after:
            break
        if end <= stop and _is_settled(text, end, layout, cuts=cuts):
            return end if sentences(text[:end]) == found[:count] else after
    return after


def _reaching(text: str, pattern: re.Pattern[str]) -> int:
    match = pattern.search(text)
    return len(text) if match is None else match.start()


def _announces_number(text: str, start: int, end: int) -> bool:
    line = text[start:end].rstrip()
    return announces(line) and any(announced(line, 0, len(line)))


def _is_settled(text: str, end: int, layout: Layout, *, cuts: bool) -> bool:
    if text.endswith(_ANNOUNCES, 0, end):  # perhaps a heading: what follows decides
        return False
    following = _NEXT.match(text, end)
    if following is None or not _is_apart(following):
        return False
    line = text.rfind("\n", 0, end) + 1
    if _OPENERS.search(_without_marks(text[line:end])) and (
        text.find("\n", end) < 0 or layout.inline_at(end) is not None
    ):
        return False
    return not cuts or _is_closed(text, end)


def _without_marks(said: str) -> str:
    """A sentence without marks of citation, which open nothing that goes on."""
    return spliced(said, ((start, stop, "") for start, stop in citation_marks(said)))


def _is_apart(following: re.Match[str]) -> bool:
    """Whether what follows a sentence begins another one, however it goes on."""
    blanks, word = following["blanks"], following["word"]
    if _BLANK_LINE.search(blanks):
        return bool(word) and blanks.endswith("\n")  # an indented paragraph belongs to the item before it
    if "\n" in blanks and _LINE_OPENER.fullmatch(word):
        return bool(following["after"] and following["more"])
    return bool(following["after"]) and _WORD_BEGINS.match(word) is not None


def _is_closed(text: str, end: int) -> bool:
    """Whether every bracket and quotation mark of the paragraph so far is closed."""
    start = text.rfind("\n\n", 0, end) + 1
    said = text[start:end]
    pairs = ("()", "（）", "[]", "“”", "«»", "「」", "『』", "《》")
    return all(said.count(pair[0]) == said.count(pair[1]) for pair in pairs) and all(
        said.count(mark) % 2 == 0 for mark in ('"', "**", "__", "`")
    )
