"""What the reader of an answer sees of a policy, in the answer's language: the table `texts.toml`, and what a user puts in its place.

A text has a key. A detector's mark is English; if the table knows it, or its parts, it is said in the answer's language.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TypeAlias

from guardrail.errors import ConfigError, UnknownName
from guardrail.given.recognition import shown
from guardrail.text.language import language

Given: TypeAlias = Mapping[str, str | Mapping[str, str]]
"""A text for each key, in every language; or for a language a mapping of its own: {"unverified": "?", "de": {"retracted": "…"}}."""

FALLBACK = "en"
_EVERY = ""  # the language of a text that is for all of them
_CODE = re.compile(r"[a-z]{2,3}")
_PLACE = re.compile(r"\{(\w+)\}")
_READ_AGAIN = {"fields", "field", "head", "tail", "names", "value"}  # what a detector fills in
_LIST = re.compile(r", | and ")
_LONGEST = 300  # characters of a mark that is looked for in the table


@cache
def table() -> Mapping[str, Mapping[str, str]]:
    """The texts by language and key."""
    return tomllib.loads(files("guardrail.policies").joinpath("texts.toml").read_text(encoding="utf-8"))


@dataclass(frozen=True)
class Texts:
    """A user's texts, which replace those of the table.

    Attributes:
        own: language ("" = every language), key and text of each.
    """

    own: tuple[tuple[str, str, str], ...] = ()

    @classmethod
    def of(cls, given: Given | None) -> Texts:
        """Those of a mapping.

        Raises:
            UnknownName: a key is no text's.
            ConfigError: something is no text, or no language.
        """
        found: dict[tuple[str, str], str] = {}
        for key, value in _items(given):
            if isinstance(value, Mapping):
                if not _CODE.fullmatch(key):
                    raise ConfigError(
                        f"texts= takes languages as two letters, got {key!r}: write {{'de': {{…}}}}"
                    )
                found |= {(key, name): _text(name, one) for name, one in _items(value)}
            else:
                found[_EVERY, key] = _text(key, value)
        return cls(tuple((code, key, text) for (code, key), text in found.items()))

    def written(self) -> Iterator[str]:
        """Each as an option of a policy's written form."""
        for code, key, text in self.own:
            yield f"{code + '.' if code else ''}{key}={json.dumps(text, ensure_ascii=False)}"

    def over(self, others: Texts) -> Texts:
        """These, and those of the others that they do not replace."""
        mine = {(code, key) for code, key, _ in self.own}
        return Texts((*self.own, *(one for one in others.own if one[:2] not in mine)))


def _items(given: object) -> Iterator[tuple[str, object]]:
    if given is None:
        return
    if not isinstance(given, Mapping):
        raise ConfigError(
            f"texts= takes a mapping from keys to texts, got {shown(given)}: write texts={{'unverified': '…'}}"
        )
    yield from ((str(key), value) for key, value in given.items())


def _text(key: str, value: object) -> str:
    if key not in table()[FALLBACK]:
        raise UnknownName("text", key, table()[FALLBACK])
    if not isinstance(value, str) or not value.strip():
        raise ConfigError(f"texts= takes a text for {key!r}, got {shown(value)}: write {{{key!r}: '…'}}")
    return value


@dataclass(frozen=True)
class Phrases:
    """The texts in one language.

    Attributes:
        language: as `guardrail.text.language` says it; of one that the table does not have, texts are English.
        texts: the user's own.
    """

    language: str = FALLBACK
    texts: Texts = Texts()

    @classmethod
    def about(cls, answer: str, *, question: str = "", texts: Texts = Texts()) -> Phrases:
        """In the language of an answer; of a short one, in that of its question."""
        return cls(language(answer, hint=language(question)), texts)

    def of(self, key: str, **values: object) -> str:
        """The text of a key, with what is filled in."""
        return _PLACE.sub(lambda place: str(values.get(place[1], place[0])), self._template(key))

    def kind(self, label: str, count: int) -> str:
        """The number of findings with a label; a label that the table does not have stays as it is."""
        key = f"kind_{label}"
        kind = self.of(key) if key in table()[FALLBACK] else label
        return self.of("counted", count=count, kind=kind)

    def mark(self, text: str) -> str | None:
        """A mark that a detector wrote in English; `None` if the table does not have it, or some part of it."""
        if self.is_english:
            return text
        return self._said(text) if len(text) <= _LONGEST else None

    @property
    def is_english(self) -> bool:
        """Whether everything is said as the detectors say it."""
        return not self.texts.own and (self.language == FALLBACK or self.language not in table())

    def _template(self, key: str) -> str:
        own = {(code, name): text for code, name, text in self.texts.own}
        known = table()
        return (
            own.get((self.language, key))
            or own.get((_EVERY, key))
            or known.get(self.language, {}).get(key)
            or known[FALLBACK][key]
        )

    def _said(self, text: str) -> str | None:
        if text in _exact():
            return self.of(_exact()[text])
        if "; " in text:
            parts = [self._said(part) for part in text.split("; ")]
            if None not in parts:
                return self.of("semicolon").join(map(str, parts))
        for key, pattern in _patterns().items():
            if (match := pattern.fullmatch(text)) is not None:
                values = {name: self._part(name, value) for name, value in match.groupdict().items()}
                if None not in values.values():
                    return self.of(key, **values)
        return None

    def _part(self, name: str, value: str) -> str | None:
        if name == "value":
            return None if "; " in value else value
        if name in {"head", "tail", "field"}:
            return self._said(value)
        listed = [
            self._said(one) if name == "fields" or one == "others" else one for one in _LIST.split(value)
        ]
        return None if None in listed else self.of("comma").join(map(str, listed))


@cache
def _exact() -> Mapping[str, str]:
    """The key of each English text in which nothing is filled in, kinds aside."""
    english = table()[FALLBACK]
    return {t: key for key, t in english.items() if not _PLACE.search(t) and not key.startswith("kind_")}


@cache
def _patterns() -> Mapping[str, re.Pattern[str]]:
    """What reads each English text in which a detector fills something in, in the order of the table."""
    found = {}
    for key, text in table()[FALLBACK].items():
        places = set(_PLACE.findall(text))
        if places and places <= _READ_AGAIN:
            parts = _PLACE.split(text)
            read = (f"(?P<{part}>.+?)" if i % 2 else re.escape(part) for i, part in enumerate(parts))
            found[key] = re.compile("".join(read), re.DOTALL)
    return found


ENGLISH = Phrases()
"""As in reports, which operators read."""
