"""What the QA variant asks: questions about a sentence, wrong answers to them, and which answer a text gives.

Only requests and plain data: nothing here knows who answers, so the backends that do may import it.

Source: [manakul2023] Appendix B, eqs. 14 and 15.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from guardrail.flow import Keep, Request

__all__ = ["OPTIONS", "Answerable", "Choose", "Distract", "Question", "QuestionAnswer", "options"]

OPTIONS = 4
"""How many answers a question offers, the right one included."""


@dataclass(frozen=True, slots=True)
class QuestionAnswer:
    """A question with the answer that the text it was made from gives."""

    question: str
    answer: str


@dataclass(frozen=True, slots=True)
class Question(Request[QuestionAnswer | None]):
    """A question about a text, with its answer; `None` where the model wrote no such pair.

    Attributes:
        text: what is asked about, a sentence of the answer say.
        draw: the i-th independent sample.
    """

    lane: ClassVar[str] = "questions"
    reply_type: ClassVar[Any] = QuestionAnswer | None

    text: str
    draw: int = 0

    @property
    def keep(self) -> Keep:
        """A random draw."""
        return Keep.SAMPLED


@dataclass(frozen=True, slots=True)
class Distract(Request[tuple[str, ...]]):
    """Wrong answers to a question that could be taken for the right one; as many as the model writes.

    Attributes:
        question: what is asked.
        answer: the right answer.
        context: the text that the question is about.
        draw: the i-th independent sample.
    """

    lane: ClassVar[str] = "questions"
    reply_type: ClassVar[Any] = tuple[str, ...]

    question: str
    answer: str
    context: str
    draw: int = 0

    @property
    def keep(self) -> Keep:
        """A random draw."""
        return Keep.SAMPLED


@dataclass(frozen=True, slots=True)
class Choose(Request[tuple[float, ...]]):
    """Which of several answers does a text give? One probability per option; they add up to 1.

    Attributes:
        question: what is asked.
        options: the answers, in an order that the reply keeps.
        context: the text that is to be read.
    """

    lane: ClassVar[str] = "answers"
    reply_type: ClassVar[Any] = tuple[float, ...]

    question: str
    options: tuple[str, ...]
    context: str


@dataclass(frozen=True, slots=True)
class Answerable(Request[float]):
    """Does a text answer a question? α, in [0, 1], larger = it does."""

    lane: ClassVar[str] = "answers"
    reply_type: ClassVar[Any] = float

    question: str
    context: str


def options(answer: str, distractors: Sequence[str]) -> tuple[str, ...] | None:
    """The `OPTIONS` answers that a question offers, the right one first; `None` without a wrong one.

    As in the paper's package, the last one is repeated where there are too few. Differs: there, blank
    distractors count, and more than three are an error; here the blank ones and those behind the third are
    left out.

    Example:
        >>> options("1815", ["1816", " ", "1852"])
        ('1815', '1816', '1852', '1852')
        >>> options("1815", [""]) is None
        True
    """
    wrong = [text.strip() for text in distractors if text.strip()][: OPTIONS - 1]
    if not wrong:
        return None
    return (answer, *wrong, *[wrong[-1]] * (OPTIONS - 1 - len(wrong)))
