"""Stand-in until the stream lands."""

from __future__ import annotations

from enum import StrEnum

from guardrail.text.refusals import claims_nothing
from guardrail.text.refusals import refuses as refuses


class Kind(StrEnum):
    CLAIM = "claim"
    NOTHING = "nothing claimed"
    LACKING = "says the sources lack it"
    QUESTION = "question"
    CODE = "code"
    THOUGHT = "thought"
    HEADING = "heading"
    SOURCES = "sources"


def kind_of(sentence: str) -> Kind:
    if sentence.rstrip().endswith(("?", "？", "؟")):
        return Kind.QUESTION
    return Kind.NOTHING if claims_nothing(sentence) else Kind.CLAIM


def is_bare_answer(text: str) -> bool:
    return text.strip(" .!").casefold() in {"yes", "no", "ja", "nein", "oui", "non"}
