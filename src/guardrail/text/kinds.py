"""What a sentence does: it claims something, claims nothing, says that the sources lack it, or asks.

A small learnt classifier decides. It knows the words that people use when they talk about an answer ("hope", "passage",
"following"), and not those of a subject: these are all one token, and are counted. So what is not known speaks for a claim,
and in a language that was never learnt everything but a question is one. A claim that is silenced is never examined: in
doubt a sentence is a claim. How the classifier was learnt and how well it does: `benchmarks/kinds/README.md`.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Container, Iterable, Mapping, Sequence
from enum import StrEnum
from functools import cache, lru_cache
from importlib.resources import files
from math import exp
from typing import NamedTuple

from guardrail.text.citation_marks import source_nouns
from guardrail.text.sentences import split_sentences

_READ, _WHOLE = 600, 3_000  # characters of a sentence, and of a text: what is longer says something
_BARE = 40  # characters of a bare answer
_NOTHING, _LACKING = 0.8, 0.55
"""From which probability a sentence is one of these."""
_ALONE, _NUMBERED = 0.9, 0.85
"""The same for a word alone to claim nothing, and for a sentence with a number to be lacking: they may say much."""

_JOINED = (
    "\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3"  # scripts that are read character by character
)
_TOKEN = re.compile(rf"\d+(?:[.,]\d+)*|[{_JOINED}]|[^\W\d_{_JOINED}]+|[,:;!?]")
_FIGURE = re.compile(r"(?<!\w)\d")
_NAMES = re.compile(r"\A[A-Z]\w+ [A-Z]\w+ [a-z]")  # Ada Lovelace died …: somebody did something
_MARKUP = re.compile(r"[*_`\"“”„«»#>|]+")
_CLOSING = " \t\r\n*_\"'”’»)]）】」』"
_QUOTATION = "\"'”’»」』"
_TAG = re.compile(r"(?P<head>.*)[,，、](?P<tail>[^,，、]*)", re.DOTALL)
_OR = ("or ", "oder ", "ou ", "o ", "of ", "还是", "或", "または", "それとも", "아니면")  # a choice is no tag
_LONG_FORMS = (
    *(("cannot", "can not"), ("can't", "can not"), ("won't", "will not"), ("n't", " not")),
    *(("'m ", " am "), ("'ll ", " will "), ("'re ", " are "), ("'ve ", " have "), ("i'd ", "i would ")),
    *(("let's", "let us"), ("here's", "here is"), ("that's", "that is"), ("it's", "it is")),
)
_UNKNOWN, _NUMBER, _ASKS = "?", "#", "??"
_SOURCE = "contract"  # for whatever a text is called by what it is: what is said of one is said of all
_NONE = (0.0, 0.0)
_COUNTS = (1, 2, 3, 5, 8, 12)  # of unknown words, from which on it is a term that there are so many
_LONGEST = 4  # tokens of a term


class Kind(StrEnum):
    """What a piece of an answer is."""

    CLAIM = "claim"
    NOTHING = "nothing claimed"
    LACKING = "says the sources lack it"
    QUESTION = "question"
    CODE = "code"
    THOUGHT = "thought"
    HEADING = "heading"
    SOURCES = "sources"


class _Fit(NamedTuple):
    words: frozenset[str]
    bias: tuple[float, float]
    weights: dict[str, tuple[float, float]]
    """Of a term: what it adds to the log-odds of "nothing claimed" and of "lacking", each against "claim". What longer terms
    begin with is here too: a run of tokens that is not here need not be followed further."""

    @classmethod
    def of(cls, words: Iterable[str], weights: Mapping[str, Sequence[int]]) -> _Fit:
        """A fit from what `kinds.json` has: weights in hundredths, the bias under the empty term."""
        table = {term: (pair[0] / 100, pair[1] / 100) for term, pair in weights.items()}
        bias = table.pop("")
        parts = [term.split(" ") for term in table]
        begun = (" ".join(part[:length]) for part in parts for length in range(1, len(part)))
        return cls(frozenset(words), bias, dict.fromkeys(begun, _NONE) | table)


def kind_of(sentence: str) -> Kind:
    """The kind of one plain sentence, without marks of citation: a claim, nothing, lacking or a question.

    Example:
        >>> [kind_of(s).name for s in ("I hope this helps!", "The text does not mention the founder.", "Who was he?")]
        ['NOTHING', 'LACKING', 'QUESTION']
        >>> [kind_of(s).name for s in ("Yes.", "Happy to help: the CEO was arrested in 2019.")]
        ['CLAIM', 'CLAIM']
    """
    return Kind.CLAIM if len(sentence) > _READ else _kind(sentence)


def is_bare_answer(text: str) -> bool:
    """Whether a text is "yes" or "no" alone, in any of some thirty languages: it says something only with its question.

    Example:
        >>> is_bare_answer("Yes."), is_bare_answer("是的。"), is_bare_answer("Yes, in 1904.")
        (True, True, False)
    """
    return len(text) <= _BARE and _words(text) in _bare()


def refuses(text: str) -> bool:
    """Whether a whole text claims nothing: no sentence is a claim, and it is more than questions.

    Example:
        >>> refuses("I don't know. Please ask somebody else."), refuses("I don't know. Ask Ann, who wrote it.")
        (True, False)
    """
    if len(text) > _WHOLE:
        return False
    kinds = {kind_of(sentence) for sentence in split_sentences(text)}
    return Kind.CLAIM not in kinds and not kinds <= {Kind.QUESTION}


def terms(sentence: str, words: Container[str]) -> set[str]:
    """What the classifier reads: runs of one to four tokens, how many words are unknown, and the end with the beginning.

    Args:
        sentence: at most some hundreds of characters; linear in them.
        words: in small letters; any other word is unknown. A run of unknown words is one token.
    """
    tokens, counts = _tokens(sentence, words)
    found = {*tokens, *counts}
    runs = tokens
    for length in range(1, _LONGEST):
        runs = [f"{run} {token}" for run, token in zip(runs, tokens[length:], strict=False)]
        found.update(runs)
    return found


def _tokens(sentence: str, words: Container[str]) -> tuple[list[str], list[str]]:
    """The tokens with both ends, and the terms for how many words are unknown."""
    tokens, unknown = ["^"], 0
    text = _plain(sentence)
    for word in _TOKEN.findall(text):
        found = _SOURCE if word in source_nouns() else word
        if found in words or found in ",:;!":
            tokens.append(found)
        elif found[0].isdigit():
            tokens.append(_NUMBER)
        elif found == _UNKNOWN:
            tokens.append(_ASKS)
        else:
            unknown += 1
            if tokens[-1] != _UNKNOWN:
                tokens.append(_UNKNOWN)
    tokens += (".", "$") if text.rstrip(_CLOSING).endswith((".", "。", "।")) else ("$",)
    end = tokens[-2] if tokens[-2] in ".:!" else ""
    return (
        tokens,
        [
            *(f"≥{count}" for count in _COUNTS if unknown >= count),
            f"{end}$ {sum(unknown >= count for count in _COUNTS)}",  # a lead-in may name its subject
            *dict.fromkeys((f"{end}$ {tokens[1]}", f"{end}$ {' '.join(tokens[1:3])}")),
        ],
    )


@lru_cache(maxsize=16_384)
def _kind(sentence: str) -> Kind:
    body = sentence.rstrip(_CLOSING)
    if is_bare_answer(sentence) or not any(map(str.isalnum, body)):
        return Kind.CLAIM
    if body.endswith(("?", "？", "؟", "\u037e")):
        return Kind.QUESTION if _asks(sentence, sentence[len(body) :]) else Kind.CLAIM
    nothing, lacking = _probabilities(sentence)
    if nothing >= (_NOTHING if len(_TOKEN.findall(body)) > 1 else _ALONE):
        return Kind.NOTHING
    least = _NUMBERED if _FIGURE.search(body) or _NAMES.search(body) else _LACKING
    return Kind.LACKING if lacking >= least else Kind.CLAIM


def _probabilities(sentence: str) -> tuple[float, float]:
    """Of "nothing claimed" and "lacking"; the rest is a claim's."""
    fit = _fit()
    found = [fit.weights.get(term, _NONE) for term in terms(sentence, fit.words)]
    nothing = fit.bias[0] + sum(weight[0] for weight in found)
    lacking = fit.bias[1] + sum(weight[1] for weight in found)
    powers = exp(min(nothing, 50)), exp(min(lacking, 50))
    return powers[0] / (1 + sum(powers)), powers[1] / (1 + sum(powers))


def _asks(question: str, closing: str) -> bool:
    """Whether what ends with a question mark asks, and does not tell: "Did you know that …?", "He was arrested, right?".

    Args:
        question: the sentence.
        closing: what follows the mark; the end of a quotation that began inside the sentence is not the sentence's.
    """
    if any(mark in _QUOTATION for mark in closing) and question.lstrip("*_ ")[:1] not in "\"'“”„‘«»「『":
        return False
    text = _plain(question).strip(" ¿¡")
    if text.startswith(_telling()):
        return False
    match = _TAG.fullmatch(text.rstrip(_CLOSING + "?؟"))
    if match is None or match["tail"].strip().startswith(_OR):
        return True
    head, tail = (len(_TOKEN.findall(part)) for part in match.group("head", "tail"))
    return not head >= 3 >= tail


def _plain(sentence: str) -> str:
    """Small letters, without markup, English contractions written out."""
    text = unicodedata.normalize("NFKC", sentence).casefold().replace("’", "'")
    text = _MARKUP.sub(" ", text)
    if "'" in text or "cannot" in text:
        for short, long in _LONG_FORMS:
            text = text.replace(short, long)
    return text


def _words(text: str) -> str:
    return " ".join(re.sub(r"[^\w\s]|_", " ", _plain(text)).split())


@cache
def _fit() -> _Fit:
    data = json.loads((files(__package__) / "kinds.json").read_text("utf-8"))
    return _Fit.of(data["words"].split(), data["weights"])


@cache
def _answers() -> dict[str, dict[str, list[str]]]:
    found: dict[str, dict[str, list[str]]] = json.loads(
        (files(__package__) / "answers.json").read_text("utf-8")
    )
    return found


@cache
def _bare() -> frozenset[str]:
    return frozenset(_words(one) for words in _answers()["bare"].values() for one in words)


@cache
def _telling() -> tuple[str, ...]:
    return tuple(_plain(one) for words in _answers()["telling"].values() for one in words)
