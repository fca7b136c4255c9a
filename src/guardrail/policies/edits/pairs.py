"""Quotes, brackets and emphasis: what closes what, and how far one looks for it."""

from __future__ import annotations

PAIRS = {
    "(": ")",
    "[": "]",
    "（": "）",
    "“": "”",
    "‘": "’",
    "«": "»",
    "‹": "›",
    "「": "」",
    "『": "』",
    "《": "》",
}
NESTED = 8  # how many quotes and brackets are looked for around one piece
REACH = 600  # how far a parenthesis or quotation may reach


def matches(opener: str, closer: str) -> bool:
    """Whether two characters are a pair of quotes, brackets or emphasis."""
    return PAIRS.get(opener) == closer or (opener == closer and opener in "\"'*_~")
