"""Pairs of input and label as text: how a context is written, and how imagined pairs are read back.

Numbers travel as text too, in Python's shortest form that reads back to the last bit, so one port serves language models
and regression models alike.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from guardrail.errors import ConfigError
from guardrail.report import Case, Example

END = "\n\n"
"""Ends every pair."""

_MARKS = " .!\"'`*“”‘’「」『』。！"  # around a label, they make it no other one

# one line that is not blank; can be matched in one way alone, so in linear time
_FIELD = r"[^\S\n]*(\S[^\n]*)"


@dataclass(frozen=True)
class Form:
    """`Input: …`, a line feed, `Label: …`, an empty line; a query ends behind the colon of `Label:`.

    The paper [jesson2024] (Appendix E.2) puts the blank behind the colon into the query. Here it begins the label: most
    vocabularies have a word's leading blank in its token.

    Attributes:
        input: the text before an input.
        label: the text before a label.
    """

    input: str = "Input:"
    label: str = "Label:"

    def __post_init__(self) -> None:
        for name in ("input", "label"):
            word = getattr(self, name)
            if not word.strip() or "\n" in word or word != word.strip():
                raise ConfigError(f"expected {name} to be words in one line, got {word!r}")

    def pair(self, example: Example) -> str:
        """One pair of a context."""
        return f"{self.query(example.input)}{self.response(example.label)}{END}"

    def query(self, text: str) -> str:
        """An input whose label is asked for; what is drawn next is a response."""
        return f"{self.input} {text}\n{self.label}"

    def response(self, label: str) -> str:
        """A label as it continues a query."""
        return f" {label}"

    def context(self, examples: Sequence[Example], preamble: str = "") -> str:
        """Pairs one after another, after a preamble if there is one."""
        start = f"{preamble}{END}" if preamble else ""
        return start + "".join(map(self.pair, examples))

    def read(self, text: str) -> Example | None:
        r"""The pair that a model imagined; `None` if the text is anything but one whole pair, with its end.

        >>> Form().read("Input: a fine film\nLabel: positive\n\n")
        Example(input='a fine film', label='positive')
        >>> Form().read("Input: a fine film\nLabel: posi") is None  # cut off
        True
        """
        match = self._whole.fullmatch(text)
        return _example(match) if match else None

    def read_response(self, text: str) -> str:
        """The label that a model drew, without its end; may be empty."""
        return text.partition("\n")[0].strip()

    def split(self, text: str) -> tuple[str, list[Example], str | None]:
        r"""A prompt as preamble, pairs, and the query at its end (`None` without one).

        >>> Form().split("Input: a\nLabel: b\n\nInput: c\nLabel:")
        ('', [Example(input='a', label='b')], 'c')
        """
        query = self._open.search(text)
        before = text[: query.start()] if query else text
        asked = query[1].strip() if query else None
        first = self._block.search(before)
        if first is None:
            return before.strip(), [], asked
        pairs, at = [], first.start()
        while match := self._block.match(before, at):
            pairs.append(_example(match))
            at = match.end()
        if before[at:].strip():  # between the pairs and the query: this is another kind of prompt
            return text.strip(), [], None
        return before[: first.start()].strip(), pairs, asked

    @cached_property
    def _pattern(self) -> str:
        return rf"{re.escape(self.input)}{_FIELD}\n{re.escape(self.label)}{_FIELD}\n"

    @cached_property
    def _whole(self) -> re.Pattern[str]:
        return re.compile(rf"{self._pattern}\n")

    @cached_property
    def _block(self) -> re.Pattern[str]:
        return re.compile(rf"^{self._pattern}\s*", re.MULTILINE)

    @cached_property
    def _open(self) -> re.Pattern[str]:
        return re.compile(rf"^{re.escape(self.input)}{_FIELD}\n{re.escape(self.label)}\s*\Z", re.MULTILINE)


def _example(match: re.Match[str]) -> Example:
    return Example(input=match[1].strip(), label=match[2].strip())


@dataclass(frozen=True, slots=True)
class Task:
    """A few-shot prompt.

    Attributes:
        pairs: the solved examples, D_n; at least one.
        query: what is to be labelled; empty if the prompt has none.
        preamble: the text before the examples.
    """

    pairs: tuple[Example, ...]
    query: str
    preamble: str = ""

    def spelt(self, answer: str, form: Form) -> str:
        """The answer in one line, spelt like the label that it is: "Positive." for "positive" is no other answer.

        The label's word may come before it, and lines that say more after it. An answer that may be several labels is not one
        of them: "***" is not "*".
        """
        whole = " ".join(answer.split())
        first = " ".join(answer.strip().partition("\n")[0].split())
        for text in (whole, first):
            for plain in (text, text.removeprefix(form.label).strip()):
                if (label := self._label(plain)) is not None:
                    return label
        return whole

    def _label(self, plain: str) -> str | None:
        labels = {pair.label for pair in self.pairs}
        for bare in (str, _unmarked, _folded):
            wanted = bare(plain)
            alike = [label for label in labels if bare(label) == wanted] if wanted else []
            if len(alike) == 1:
                return alike[0]
        return None


def _unmarked(text: str) -> str:
    return text.strip(_MARKS)


def _folded(text: str) -> str:
    return _unmarked(text).casefold()


def recognised(case: Case, form: Form) -> Task | None:
    """The few-shot task of a case; `None` if it is not one.

    The examples are the case's own, each field put in one line, or the pairs in its last user message; the query is
    behind the pairs, or is that message where it has none.
    """
    preamble, pairs, query = form.split(case.question)
    if case.examples:
        own = tuple(
            Example(input=" ".join(one.input.split()), label=" ".join(one.label.split()))
            for one in case.examples
        )
        return Task(own, query if query is not None else " ".join(case.question.split()))
    return Task(tuple(pairs), query or "", preamble) if pairs else None
