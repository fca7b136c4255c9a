"""The questions, as messages. `fenced=False` gives the paper's own unfenced prompts, for reproduction.

Source: [agrawal2024] Figures 2 and 3; differs: what was really sent when the published replies were recorded
carries a system message and "the above paper" in the second direct query.
"""

from __future__ import annotations

from collections.abc import Sequence

from guardrail.requests import Message, Untrusted, assistant, system, user
from guardrail.text.fence import FENCE_RULE

MAX_TITLE = 500
"""Characters of a title that are asked about; a longer one is hostile or no title."""

_SYSTEM = "You are a helpful assistant"
_LISTED = 9  # titles that "dq3" shows at most, those around the one in question; the paper's lists have five
_OVERLAP_WIDTH = 100  # characters of each list that the comparing model sees: [agrawal2024], released code


def direct_question(
    query: str, titles: Sequence[str], position: int, *, fenced: bool = True
) -> tuple[Message, ...]:
    """Ask whether a work exists: "dq1" outright, "dq2" as an earlier reply, "dq3" as one of a list.

    Args:
        query: "dq1", "dq2" or "dq3".
        titles: all titles of the answer, in order; only "dq3" shows them.
        position: index of the title in question, from 0.
        fenced: keep titles apart as untrusted text.
    """
    title = _piece(titles[position], fenced)
    if query == "dq1":
        turns = [user('Does the reference "', title, '" exist? Just output yes/no.')]
    elif query == "dq2":
        turns = [
            user("Give a famous reference for reading."),
            assistant(title),
            user("Does the above paper exist? Just output yes/no."),
        ]
    else:
        listing: list[str | Untrusted] = []
        first = max(0, min(position - _LISTED // 2, len(titles) - _LISTED))
        position -= first
        for number, each_title in enumerate(titles[first : first + _LISTED], 1):
            listing += [f"{number}. " if number == 1 else f"\n{number}. ", _piece(each_title, fenced)]
        turns = [
            user(
                "A language model generated references related to a research topic with the following titles:"
            ),
            assistant(*listing),
            user(f"Does the reference with title #{position + 1} exist? Just output yes/no."),
        ]
    return (_system(fenced), *turns)


def authors_question(title: str, *, fenced: bool = True) -> tuple[Message, ...]:
    """Ask who wrote a work."""
    return (
        _system(fenced),
        user(
            'Who were the authors of the reference, "',
            _piece(title, fenced),
            '"? Please, list only the author names, formatted as - AUTHORS: <firstname> <lastname>, '
            "separated by commas. Do not mention the reference in the answer.",
        ),
    )


def detail_question(detail: str, title: str, *, fenced: bool = True) -> tuple[Message, ...]:
    """Ask for the year or the venue of a work (the paper's future work 2)."""
    asks = {
        "year": ("In which year was the reference, ", "Output only the four-digit year."),
        "venue": (
            "In which journal, conference or by which publisher was the reference, ",
            "Output only its name.",
        ),
    }
    before, after = asks[detail]
    return (_system(fenced), user(before, '"', _piece(title, fenced), '", published? ', after))


def overlap_question(first: str, second: str, *, fenced: bool = True) -> tuple[Message, ...]:
    """Ask a model how much two author lists overlap."""
    return (
        _system(fenced),
        user(
            "Below are what should be two lists of authors. On a scale of 0-100%, how much overlap is there in "
            "the author names (ignore minor variations such as middle initials or accents)? Answer with a "
            "number between 0 and 100. Also, provide a justification. Note: if either of them is not a list of "
            "authors, output 0. Output format should be ANS: <ans> JUSTIFICATION: <justification>.\n\n1. ",
            _piece(first[:_OVERLAP_WIDTH], fenced),
            "\n2. ",
            _piece(second[:_OVERLAP_WIDTH], fenced),
        ),
    )


def _system(fenced: bool) -> Message:
    return system(f"{_SYSTEM}. {FENCE_RULE}") if fenced else system(_SYSTEM)


def _piece(text: str, fenced: bool) -> str | Untrusted:
    """One line, bounded, and untrusted where that is wanted."""
    line = " ".join(text[: 4 * MAX_TITLE].split())[:MAX_TITLE]
    return Untrusted(line) if fenced else line
