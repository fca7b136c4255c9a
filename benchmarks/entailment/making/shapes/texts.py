"""The texts that training for documents may learn from, and the half of `cg2c_doc` that it does.

`cg2c_doc` is also a set that the model is judged by: so pieces of one article go to one half, and only the other half is
judged. Of `data/grounding` nothing else is learnt but the documents of `cg2c_multihop`, whose claims are of one kind.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from guardrail.errors import InputError
from guardrail.selfcheck.grounding.novelty import plain_words
from guardrail.text.sentences import split_sentences
from guardrail.text.typography import normalised

__all__ = ["Claim", "alternatives", "articles", "claims", "documents", "is_learnt", "languages", "samples"]

_OVERLAP = 8  # words in a row that two pieces of one article share
_WIKIBIO = 119  # rows of WikiBio that may be learnt from: the first ones
_FEWEST, _MOST = 4, 40  # words of a sentence
_SHORTEST, _LONGEST = 10, 250  # characters of one in any script
_LANGUAGES = (
    "lawbench_zh/answers.jsonl",
    "multilingual/halluqa_zh.jsonl",
    "multilingual/rakuda_ja.jsonl",
    "factool/chinese_facteval.jsonl",
    "deep_research/claude37_search.jsonl",
    "oab_pt/answers.jsonl",
)
_ALTERNATIVES = (
    "haluquestqa/answers.jsonl",
    "legal_us/answers_with_law.jsonl",
    "openresearcher/answers.jsonl",
    "deep_research/odr_claude4-sonnet.jsonl",
    "deep_research/odr_gpt-4.1.jsonl",
    "deep_research/odr_gpt-5.jsonl",
)


@dataclass(frozen=True, slots=True)
class Claim:
    """A row of `cg2c_doc`."""

    document: str
    claim: str
    supported: bool


def claims(grounding: Path) -> list[Claim]:
    """The half of `cg2c_doc` that is learnt from."""
    rows = [
        Claim(row["document"], row["claim"], row["supported"]) for row in _rows(grounding / "cg2c_doc.jsonl")
    ]
    learnt = is_learnt([row.document for row in rows])
    return [row for row in rows if row.document in learnt]


def is_learnt(texts: Iterable[str]) -> frozenset[str]:
    """Which documents of `cg2c_doc` are learnt from: about half of the articles, all pieces of one together."""
    groups = articles(dict.fromkeys(texts))
    heads = {text: min(group) for group in groups for text in group}
    return frozenset(text for text, head in heads.items() if hashlib.blake2b(head.encode()).digest()[0] % 2)


def articles(texts: Iterable[str]) -> list[list[str]]:
    """Texts that share eight words in a row are together, also by way of a third.

    Example:
        >>> articles(["a b c d e f g h i", "b c d e f g h i j", "x y"])
        [['a b c d e f g h i', 'b c d e f g h i j'], ['x y']]
    """
    whole = list(texts)
    parent = list(range(len(whole)))

    def head(i: int) -> int:
        while parent[i] != i:
            parent[i] = parent[parent[i]]
            i = parent[i]
        return i

    seen: dict[tuple[str, ...], int] = {}
    for number, text in enumerate(whole):
        words = plain_words(text)
        for start in range(len(words) - _OVERLAP + 1):
            other = seen.setdefault(tuple(words[start : start + _OVERLAP]), number)
            parent[head(number)] = head(other)
    found: dict[int, list[str]] = {}
    for number, text in enumerate(whole):
        found.setdefault(head(number), []).append(text)
    return list(found.values())


def documents(grounding: Path, wikibio: Path) -> list[list[str]]:
    """Texts as sentences: those of the learnt half of `cg2c_doc`, of `cg2c_multihop`, and WikiBio's rows 0-118."""
    texts = [row.document for row in claims(grounding)]
    texts += [row["document"] for row in _rows(grounding / "cg2c_multihop.jsonl")]
    texts += [row["wiki_bio_text"] for row in _biographies(wikibio)]
    return [own for text in dict.fromkeys(texts) if len(own := _sentences(text)) > 1]


def languages(answers: Path) -> list[list[str]]:
    """Texts of other languages as sentences: answers in Chinese, Japanese and Portuguese whose sets are under Apache-2.0.

    Args:
        answers: folder of the real answers.
    """
    texts = [
        normalised(row["answer"])
        for name in _LANGUAGES
        for row in _rows(answers / name)
        if row["lang"] != "en"
    ]
    whole = [[" ".join(one.split()) for one in split_sentences(text)] for text in dict.fromkeys(texts)]
    fitting = [[one for one in own if _SHORTEST <= len(one) <= _LONGEST] for own in whole]
    return [own for own in fitting if len(own) > 1]


def alternatives(answers: Path) -> list[list[str]]:
    """English answers of several systems to one question, where there are two at least; of sets under MIT or Apache-2.0.

    Args:
        answers: folder of the real answers.
    """
    found: dict[str, dict[str, None]] = {}
    for name in _ALTERNATIVES:
        for row in _rows(answers / name):
            if row["lang"] == "en":
                found.setdefault(row["prompt"], {})[normalised(row["answer"])] = None
    return [list(own) for own in found.values() if len(own) > 1]


def samples(wikibio: Path) -> list[tuple[list[str], list[str]]]:
    """Of WikiBio's rows 0-118 the sentences of the passage, and the samples that it is held against."""
    return [(list(row["gpt3_sentences"]), list(row["gpt3_text_samples"])) for row in _biographies(wikibio)]


def _sentences(text: str) -> list[str]:
    whole = [" ".join(one.split()) for one in split_sentences(text)]
    return [one for one in whole if _FEWEST <= len(one.split()) <= _MOST]


def _biographies(wikibio: Path) -> Sequence[Mapping[str, Any]]:
    return [row for row in _rows(wikibio / "dataset.jsonl") if row["dataset_idx"] < _WIKIBIO]


def _rows(path: Path) -> Iterator[Mapping[str, Any]]:
    try:
        with path.open(encoding="utf-8") as lines:
            yield from map(json.loads, lines)
    except (OSError, ValueError) as error:
        raise InputError(f"expected one JSON object a line, got {error!r} from {path.name!r}") from error
