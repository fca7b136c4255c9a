"""What is asked: one pair at a time, and k pairs whose second halves are shuffled."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from guardrail.requests import Message, Untrusted, system, user
from guardrail.text.fence import FENCE_RULE

__all__ = ["Language", "Prompts", "Wording"]

Language: TypeAlias = Literal["en", "zh"]
Prompts: TypeAlias = Literal["fenced", "paper"]

_PAPER = (
    "You are an expert specializing in ancient Chinese poetry. Please match the following poems with the poets who "
    "wrote them. Please strictly follow the following rules for the answer format: the answer only consists of the "
    "poet's names, separated by commas and does not contain any other content."
)
_SINGLE = {
    "en": "Which {right} belongs to this {left}? Reply with the {right} alone, without an explanation.",
    "zh": "与下面的「{left}」对应的「{right}」是什么？只回答「{right}」，不要解释，也不要输出任何其他内容。",
}
_LIST = {
    "en": "Each line below holds one {left} and one {right}, and the {right} entries may have changed places. Which "
    "{right} belongs to each {left}? Reply with the {right} entries alone, in the order in which the {left} entries "
    "stand, separated by commas.",
    "zh": "下面每一行有一个「{left}」和一个「{right}」，但「{right}」的位置可能被打乱了。请按「{left}」的先后顺序，"
    "依次给出与之对应的「{right}」。只输出「{right}」，用逗号分隔，不要输出任何其他内容。",
}
_SYSTEM = {"en": "You say what you remember.", "zh": "请根据你的记忆作答。"}


@dataclass(frozen=True, slots=True)
class Wording:
    """How questions are worded.

    Attributes:
        language: English or Chinese.
        left: what the first halves are ("country", "诗句").
        right: what the second halves are ("capital", "作者").
        prompts: ours, with the pairs fenced as data; or the paper's own, unfenced and about poems only. The paper does not
            print how it asks for a single poem; there ours is sent, unfenced.
    """

    language: Language = "en"
    left: str = "item"
    right: str = "name"
    prompts: Prompts = "fenced"

    def single(self, left: str) -> tuple[Message, ...]:
        """Asks for the right of one left."""
        return self._messages(_SINGLE[self.language].format(left=self.left, right=self.right), left)

    def matching(self, lefts: Sequence[str], rights: Sequence[str]) -> tuple[Message, ...]:
        """Asks for the rights in the order of the lefts; the rights come in a shuffled one ([memory] Table I)."""
        pairs = zip(lefts, rights, strict=True)
        lines = "\n".join(json.dumps(pair, ensure_ascii=False) for pair in pairs)
        asked = _LIST[self.language].format(left=self.left, right=self.right)
        return self._messages(_PAPER if self.prompts == "paper" else asked, lines)

    def _messages(self, asked: str, data: str) -> tuple[Message, ...]:
        if self.prompts == "paper":
            return (user(f"{asked}\n\n{data}"),)
        return (system(f"{_SYSTEM[self.language]} {FENCE_RULE}"), user(f"{asked}\n\n", Untrusted(data)))
