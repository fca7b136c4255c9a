"""A title without what stands around it."""

from __future__ import annotations

import re

from guardrail.references.citations.words import quotation_at

__all__ = ["clean_title"]

_LINKS_BEHIND = re.compile(
    r"(?:\s*\[+\s?(?:abs|pdf|html|code|link|doi|paper|arxiv)\s?\]*){1,4}$", re.IGNORECASE
)
_KIND_BEFORE = re.compile(  # as search engines show it; [2305.14314], as arXiv does
    r"^(?:【\d{1,3}】|(?:Books?|Reviewed|Novel|Livre|Libro|Buch):\s|[(\[](?:PDF|HTML|DOC|BOOK|CITATION)[)\]]|\[\d{4}\.\d{4,5}\])\s*(?=\S)"
)
_SITE_BEHIND = re.compile(r"\s[·|–—-]\s(?:[\w-]{1,40}\.){1,4}[a-z]{2,6}$")
_SHORT_BEHIND = re.compile(r"\s\([\"“„«]\s?[A-Z][\w-]{2,15}\s?[\"”“»]\)$")  # … of a Drug („SOMMER“)
_EDITION_BEHIND = re.compile(  # (любое издание), (any edition)
    r"\s\((?:(?:[^\W\d_A-Z]\w*\s){1,3}|\d{1,2}(?:st|nd|rd|th|e|ª|a|\.)?\s)(?:издани[ея]|editions?|éditions?|edición|edição|edizione|wydani[ea]|vydání|druk|Auflagen?|Ausgaben?|[Ee]d\.?|Edition)\)\.?$"
)
_ORNAMENT = re.compile(
    r"\s*[\U0001f000-\U0001faff\u2190-\u21ff\u2600-\u27bf\u2b00-\u2bff][\s\U0001f000-\U0001faff\u2190-\u21ff\u2600-\u27bf\u2b00-\u2bff\ufe0f\u200d]*"
)


def clean_title(text: str) -> str:
    """A title without emphasis, enclosing quotes, and final period."""
    text = _KIND_BEFORE.sub("", _SITE_BEHIND.sub("", _LINKS_BEHIND.sub("", " ".join(text.split()))))
    text = _SHORT_BEHIND.sub("", text)
    for _ in range(4):
        before = text
        text = _EDITION_BEHIND.sub("", text)
        if ornament := _ORNAMENT.match(text):
            text = text[ornament.end() :]
        text = text.strip(" ,;:–—")
        if (text.endswith(")") and text.count(")") > text.count("(")) or text.endswith((" (", " [")):
            text = text[:-1]
        while text.endswith(".") and not text.endswith("..."):
            text = text[:-1]
        for mark in ("***", "**", "*", "___", "__", "_", "`"):
            if text.startswith(mark) and text.endswith(mark) and len(text) > 2 * len(mark):
                text = text[len(mark) : -len(mark)]
        quotation = quotation_at(text, 0)
        if quotation and quotation.end == len(text):
            text = text[quotation.inner_start : quotation.inner_end]
        if text == before:
            break
    return text.replace("**", "").strip()
