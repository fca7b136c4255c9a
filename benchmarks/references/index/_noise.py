"""Titles as they come out wrong: noise that keeps the work, and near misses that name another one."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence

from guardrail.references.bibliography.records import Record

__all__ = ["INVENTED", "MISREAD", "NEAR_MISSES", "NOISES", "content_words"]

SMALL = frozenset(
    ["with", "from", "using", "into", "over", "under", "toward", "towards", "through", "between", "among"]
)  # of the words of four letters and more, those that carry no meaning
SCANNED = (("rn", "m"), ("m", "rn"), ("cl", "d"), ("l", "1"), ("o", "0"), ("i", "l"), ("s", "5"), ("w", "vv"))
KEYS = "abcdefghijklmnopqrstuvwxyz"

Change = Callable[[random.Random, str], "str | None"]


def content_words(title: str) -> list[re.Match[str]]:
    """The words of at least four letters that carry meaning."""
    return [word for word in re.finditer(r"[A-Za-z]{4,}", title) if word.group().lower() not in SMALL]


def _case(rng: random.Random, title: str) -> str:
    return rng.choice([str.upper, str.lower, str.title])(title)


def _punctuation(rng: random.Random, title: str) -> str:
    mode = rng.randrange(3)
    if mode == 0:
        return re.sub(r"[^\w\s]", "", title)
    if mode == 1:
        return re.sub(r"[^\w\s]", " ", title) + "."
    return f"“{title}”".replace(" - ", "—").replace("-", "‐").replace(":", " –")


def _latex(rng: random.Random, title: str) -> str | None:
    words = content_words(title)
    if not words:
        return None
    word = rng.choice(words)
    start, end = word.span()
    braced = rng.choice(["{%s}", r"\emph{%s}", r"\textbf{%s}", "{\\it %s}"]) % word.group()
    return "{" + title[:start].replace("&", r"\&") + braced + title[end:].replace("&", r"\&") + "}"


def _subtitle(_rng: random.Random, title: str) -> str | None:
    main, colon, rest = title.partition(": ")
    return main if colon and rest and len(re.findall(r"\w+", main)) >= 3 else None


def _typo(rng: random.Random, title: str) -> str | None:
    words = content_words(title)
    if not words:
        return None
    word = rng.choice(words)
    at = rng.randrange(word.start() + 1, word.end())
    letter = rng.choice(KEYS)
    mode = rng.randrange(4)
    if mode == 0:
        return title[:at] + title[at + 1 :]
    if mode == 1:
        return title[:at] + letter + title[at:]
    if mode == 2 or at + 1 >= word.end() or title[at] == title[at + 1]:
        return title[:at] + (letter if letter != title[at].lower() else "q") + title[at + 1 :]
    return title[:at] + title[at + 1] + title[at] + title[at + 2 :]


def _scan(rng: random.Random, title: str) -> str | None:
    places = [(m.start(), old, new) for old, new in SCANNED for m in re.finditer(old, title)]
    if not places:
        return None
    for at, old, new in sorted(rng.sample(places, min(len(places), rng.randint(1, 3))), reverse=True):
        if title[at : at + len(old)] == old:
            title = title[:at] + new + title[at + len(old) :]
    if rng.random() < 0.3 and " " in title:  # a hyphen at the end of a line
        at = rng.choice([m.start() for m in re.finditer(r"(?<=\w\w)(?=\w\w)", title)] or [0])
        title = title[:at] + "- " + title[at:]
    return title


NOISES: dict[str, Change] = {
    "case": _case,
    "punctuation": _punctuation,
    "LaTeX": _latex,
    "truncated subtitle": _subtitle,
    "one typo": _typo,
    "OCR": _scan,
}


def _replaced(vocabulary: Sequence[str]) -> Change:
    def change(rng: random.Random, title: str) -> str | None:
        words = content_words(title)
        if not words:
            return None
        word = rng.choice(words)
        other = rng.choice(vocabulary)
        if other == word.group().lower():
            return None
        other = other.capitalize() if word.group()[0].isupper() else other
        return title[: word.start()] + other + title[word.end() :]

    return change


def _swapped(_vocabulary: Sequence[str]) -> Change:
    pairs = (
        ("supervised", "unsupervised"), ("unsupervised", "supervised"), ("static", "dynamic"),
        ("dynamic", "static"), ("local", "global"), ("global", "local"), ("discrete", "continuous"),
        ("linear", "nonlinear"), ("learning", "planning"), ("image", "video"), ("video", "image"),
        ("online", "offline"), ("forward", "backward"), ("directed", "undirected"), ("detection", "deletion"),
        ("robust", "fast"), ("efficient", "effective"), ("deterministic", "stochastic"), ("single", "multiple"),
        ("2d", "3d"), ("3d", "2d"), ("spatial", "spectral"), ("word", "world"), ("semantic", "syntactic"),
    )  # fmt: skip

    def change(rng: random.Random, title: str) -> str | None:
        found = [
            (m, new) for old, new in pairs for m in re.finditer(rf"\b{old}\b", title, flags=re.IGNORECASE)
        ]
        if not found:
            return None
        word, other = rng.choice(found)
        return title[: word.start()] + other + title[word.end() :]

    return change


def _number(_vocabulary: Sequence[str]) -> Change:
    def change(rng: random.Random, title: str) -> str | None:
        found = list(re.finditer(r"\d+", title))
        if not found:
            return None
        word = rng.choice(found)
        return title[: word.start()] + str(int(word.group()[:9]) + rng.randint(1, 3)) + title[word.end() :]

    return change


def _dropped(_vocabulary: Sequence[str]) -> Change:
    def change(rng: random.Random, title: str) -> str | None:
        words = [word for word in content_words(title) if word.end() < len(title) - 1]
        if len(words) < 4:
            return None
        word = rng.choice(words)
        return title[: word.start()] + title[word.end() :].lstrip(" -")

    return change


NEAR_MISSES: dict[str, Callable[[Sequence[str]], Change]] = {
    "word replaced": _replaced,
    "word turned into its opposite": _swapped,
    "number changed": _number,
    "word dropped": _dropped,
}


Rewrite = Callable[[random.Random, Record, Sequence[str]], "str | None"]


def _misread(pattern: str) -> Rewrite:
    """The title in what stood around it: a pattern with {title}, {author} and {year}."""

    def change(_rng: random.Random, record: Record, _vocabulary: Sequence[str]) -> str | None:
        if len(re.findall(r"\w+", record.title)) < 3 or not record.authors:
            return None
        return pattern.format(title=record.title, author=record.authors[0], year=record.year)

    return change


def _invented(pattern: str) -> Rewrite:
    """The title with {more}, two to five words of other titles."""

    def change(rng: random.Random, record: Record, vocabulary: Sequence[str]) -> str | None:
        more = " ".join(rng.choices(vocabulary, k=rng.randint(2, 5))).capitalize()
        return pattern.format(title=record.title, more=more)

    return change


def _near(name: str) -> Rewrite:
    def change(rng: random.Random, record: Record, vocabulary: Sequence[str]) -> str | None:
        return NEAR_MISSES[name](vocabulary)(rng, record.title)

    return change


MISREAD: dict[str, Rewrite] = {
    "introduced and quoted": _misread('The paper "{title}"'),
    "author before": _misread("{author} et al.: {title}"),
    "year before": _misread("{year} - {title}"),
    "author and year behind": _misread("{title} | {author} | {year}"),
}
INVENTED: dict[str, Rewrite] = {
    "invented subtitle": _invented("{title}: {more}"),
    "invented subtitle in brackets": _invented("{title} ({more})"),
    "invented main title": _invented("{more}: {title}"),
    "word replaced, authors and year right": _near("word replaced"),
    "number changed, authors and year right": _near("number changed"),
}
