"""Sentences to learn from: `sentences.jsonl`, `examples.txt` with its gaps filled, mixtures, claims of real answers."""

from __future__ import annotations

import json
import random
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from guardrail.text.sentences import split_sentences

__all__ = ["Example", "claims_of_answers", "made", "plain", "templates", "written"]

Claims = Mapping[
    str, Sequence[str]
]  # sentences of real answers by language; nearly all of them claim something

ANSWERS = {
    "en": (
        "legal_us/answers_without",
        "legal_us/answers_with_law",
        "openresearcher/answers",
        "expertqa/answers",
        "haluquestqa/answers",
        "factool/scientific",
        "scholarqa_cs/answers",
    ),
    "zh": (
        "lawbench_zh/answers",
        "factool/chinese_facteval",
        "multilingual/halluqa_zh",
        "deep_research/odr_gpt-4.1",
    ),
    "ja": ("multilingual/rakuda_ja",),
    "pt": ("oab_pt/answers",),
}
"""Sets of `real_answers` that may be learnt from (MIT and Apache-2.0)."""

WRITTEN = {"claim": 4.0, "nothing": 2.0, "lacking": 2.0}  # weight of a sentence of `sentences.jsonl`

_GAP = re.compile(r"\(([^()]*)\)")
_NUMBERS = ("5", "12", "1904", "2019", "2023")
_WORDS, _CHARACTERS = (1, 1, 2, 3, 4, 6, 8, 11, 15), (2, 3, 4, 6, 9, 14, 20)  # of a topic
_JOINTS = {
    "en": (", but ", ", and ", ": ", ", ", ". ", " – ", "; "),
    "de": (", aber ", ", und ", ": ", ", "),
    "fr": (", mais ", " et ", " : ", ", "),
    "es": (", pero ", " y ", ": ", ", "),
    "it": (", ma ", " e ", ": ", ", "),
    "pt": (", mas ", " e ", ": ", ", "),
    "nl": (", maar ", " en ", ": ", ", "),
    "zh": ("，但", "，", "：", "。"),
    "ja": ("、", "：", "が、", "。"),
    "ko": (", ", ": ", ". ", "만 "),
}


@dataclass(frozen=True, slots=True)
class Example:
    """One sentence to learn from: its label ("claim", "nothing", "lacking") and how much it counts."""

    label: str
    text: str
    weight: float = 1.0
    language: str = ""


def plain(sentence: str) -> str:
    """Without the marks of Markdown."""
    return re.sub(r"[*_`#>]+", "", sentence).strip()


def templates() -> dict[str, list[tuple[str, str]]]:
    """Label and template, by language."""
    labels = {"n": "nothing", "l": "lacking", "c": "claim"}
    found: dict[str, list[tuple[str, str]]] = defaultdict(list)
    language = ""
    for line in (Path(__file__).parent / "examples.txt").read_text("utf-8").splitlines():
        if line.startswith("["):
            language = line[1:3]
        elif line and not line.startswith("# "):
            found[language].append((labels[line[0]], line[2:]))
    return found


def written() -> list[Example]:
    """The sentences of `sentences.jsonl`."""
    lines = (Path(__file__).parent / "sentences.jsonl").read_text("utf-8").splitlines()
    rows = map(json.loads, lines)
    return [Example(row["label"], row["text"], WRITTEN[row["label"]], row["lang"]) for row in rows]


def claims_of_answers(folder: Path, without: set[str]) -> dict[str, list[str]]:
    """Sentences drawn from real answers.

    Args:
        folder: `real_answers`.
        without: ends of prompts whose answers are left out.
    """
    drawn = random.Random(1)
    found: dict[str, list[str]] = defaultdict(list)
    for language, names in ANSWERS.items():
        for name in names:
            lines = (folder / f"{name}.jsonl").read_text("utf-8").splitlines()
            drawn.shuffle(lines)
            some: list[str] = []
            for row in map(json.loads, lines[:150]):
                if row.get("lang", language) != language or any(
                    end in row["prompt"] for end in without if end
                ):
                    continue
                texts = [plain(sentence) for sentence in split_sentences(row["answer"][:6000])]
                texts = [text for text in texts if 3 < len(text) < 400 and "http" not in text]
                some += drawn.sample(texts, min(len(texts), 6))
            found[language] += some[:500]
    return found


def made(claims: Claims, own: Sequence[Example], *, seed: int = 0, each: int = 32) -> list[Example]:
    """The templates filled, at most `each` times (twice that with a gap for a topic); mixtures; `own`; the claims themselves.

    A sentence that claims nothing, joined to a claim, is a claim: so the classifier learns what politeness may not cover.
    """
    drawn = random.Random(seed)
    found = list(own)
    texts_of = templates()
    for language in dict.fromkeys([*texts_of, *(example.language for example in own)]):
        lines, ours = texts_of[language], [one for one in own if one.language == language]
        filler = _Filler(language, lines + [(one.label, one.text) for one in ours], claims, drawn)
        filled: dict[str, list[str]] = defaultdict(list)
        for label, template in lines:
            ways = 1
            for gap in _GAP.finditer(template):
                ways *= gap[1].count("|") + 1
            for _ in range(min(each, ways * (2 if "{" in template else 1))):
                filled[label].append(filler.filled(template))
        found += [Example(label, text) for label, texts in filled.items() for text in texts]
        for one in ours:
            filled[one.label].append(one.text)
        found += _mixed(filled, filler, drawn)
        found += [Example("claim", text) for text in claims.get(language, ()) if text[-1] not in "?？:："]
    return found


def _mixed(filled: Mapping[str, Sequence[str]], filler: _Filler, drawn: random.Random) -> Iterator[Example]:
    joints = _JOINTS.get(filler.language, (", ", ": ", ". "))
    closed = {label: [text for text in texts if text[-1] not in "?？:："] for label, texts in filled.items()}
    for label, share in (("nothing", 0.5), ("lacking", 0.25)):
        for text in closed[label]:
            if drawn.random() < share:
                joint = drawn.choice(joints)
                yield Example("claim", text.rstrip(".!。！") + joint + filler.claim())
                yield Example(
                    "claim", filler.claim().rstrip(".。") + joint + text[:1].lower() + text[1:], 0.3
                )
    for _ in range(len(filled["nothing"]) // 4):
        for label in ("nothing", "lacking"):
            first, second = drawn.choice(closed["nothing"]), drawn.choice(filled[label])
            yield Example(label, first.rstrip(".!。！") + drawn.choice(joints) + second)


class _Filler:
    """Puts topics and claims of one language into templates."""

    def __init__(
        self, language: str, lines: Sequence[tuple[str, str]], claims: Claims, drawn: random.Random
    ) -> None:
        self.language = language
        self._drawn = drawn
        self._real = list(claims.get(language, ()))
        self._other = list(claims["en"])
        self._own = [text for label, text in lines if label == "claim" and "{c}" not in text]
        self._sources = self._real or [self._chosen(text) for text in self._own * 3 if "{x}" not in text]

    def filled(self, template: str) -> str:
        text = self._chosen(template)
        while "{c}" in text:
            text = text.replace("{c}", self.claim(), 1)
        text = text.replace("#", self._drawn.choice(_NUMBERS))
        while "{x}" in text:
            text = text.replace("{x}", self._topic(), 1)
        return text.strip()

    def claim(self) -> str:
        if self._real and self._drawn.random() < 0.6:
            text = self._drawn.choice(self._real)
        else:
            text = self.filled(self._drawn.choice(self._own))
        return text[:1].lower() + text[1:] if self._drawn.random() < 0.5 else text

    def _chosen(self, template: str) -> str:
        while (gap := _GAP.search(template)) is not None:
            template = template[: gap.start()] + self._drawn.choice(gap[1].split("|")) + template[gap.end() :]
        return template

    def _topic(self) -> str:
        """Some words in a row of a claim; where real claims are few, every other topic is English."""
        own = bool(self._real) or self._drawn.random() < 0.5
        text = self._drawn.choice(self._sources if own else self._other)
        joined = self.language in {"zh", "ja"}
        parts = re.findall(r"\w", text) if joined else re.findall(r"[\w'-]+", text)
        length = self._drawn.choice(_CHARACTERS if joined else _WORDS)
        start = self._drawn.randint(0, max(0, len(parts) - length))
        return ("" if joined else " ").join(parts[start : start + length]) or "it"
