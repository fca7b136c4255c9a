"""Questions about a text, and wrong answers to them, written by models on this machine."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

from guardrail.backends._inputs import joined_input, mark
from guardrail.backends._local import Device, Precision
from guardrail.backends._writing import Writer
from guardrail.backends.batching import CHARACTERS_PER_TOKEN, Workload
from guardrail.engine.backend import Backend
from guardrail.engine.flow import Answer, Cost, Failed, Reason, Reply
from guardrail.errors import ConfigError
from guardrail.options import PathOption, number
from guardrail.requests import Distract, Question, QuestionAnswer

if TYPE_CHECKING:
    from tokenizers import Encoding

QUESTIONS = "potsawee/t5-large-generation-squad-QuestionAnswer"
"""Writes a question and its answer about a text; G1 of the paper."""

DISTRACTORS = "potsawee/t5-large-generation-race-Distractor"
"""Writes wrong answers to a question; G2 of the paper."""

_CAPACITY = 8  # batches that a lane hands over at once
_GAPS = re.compile(r"<extra_id_\d+>")  # T5's, which the models write between distractors too

Asked: TypeAlias = Question | Distract


class QuestionModel(Backend[Asked]):
    """Writes questions and distractors with two sequence-to-sequence models of transformers.

    The first reads a text and writes "question <sep> answer"; the second reads "question <sep> answer <sep>
    text" and writes "distractor <sep> distractor <sep> distractor". A text is drawn by sampling, as in the
    paper's package (selfcheckgpt 0.1.7): at temperature 1 among the 50 likeliest tokens, 128 tokens at the most.
    The same request has the same reply, whatever is asked with it (but for the last bits of floats, which may
    turn a draw that is near to even); another `draw` has another. Each distinct text is read once.

    Args:
        questions: a folder, or a name that is looked for in `$GUARDRAIL_MODELS` (see `weights.places`).
        distractors: likewise.
        separator: what is written between the parts; `None` = the tokenizer's own `sep_token`.
        temperature: above 0.
        top_k: how many tokens are drawn from; `None` = all.
        most: tokens that are written at the most.
        seed: of all draws.
        device: "auto" takes a GPU if there is one; else "cpu", "cuda", "cuda:1".
        precision: "fp32", "bf16" or "int8", as for `EntailmentModel`.
        budget: tokens per batch, those to be written included.
        longest: tokens of an input that are read; of longer ones the text loses its end, which is logged once.

    Raises:
        MissingExtra: torch or transformers is not installed.
        WeightsMissing: no such model here; the message has the command that fetches it.
        ConfigError: pickled weights, nonsense options, a tokenizer without `sep_token`.

    Differs from that package: a separator within a text is text; inputs are cut at `longest`.
    """

    paid = False
    paths: ClassVar[Mapping[str, PathOption]] = {
        "questions": PathOption.FILE_OR_NAME,
        "distractors": PathOption.FILE_OR_NAME,
    }

    def __init__(
        self,
        questions: str | Path = QUESTIONS,
        distractors: str | Path = DISTRACTORS,
        *,
        separator: str | None = None,
        temperature: float = 1.0,
        top_k: int | None = 50,
        most: int = 128,
        seed: int = 0,
        device: Device = "auto",
        precision: Precision = "fp32",
        budget: int | None = None,
        longest: int | None = None,
    ) -> None:
        number("temperature", temperature, least=0)
        if temperature <= 0:
            raise ConfigError(f"expected temperature to be above 0, got {temperature!r}")
        if top_k is not None:
            number("top_k", top_k, least=1, whole=True)
        number("most", most, least=1, whole=True)
        number("seed", seed, whole=True)
        shared: dict[str, Any] = {
            "temperature": temperature,
            "top_k": top_k,
            "most": most,
            "device": device,
            "precision": precision,
            "budget": budget,
            "longest": longest,
        }
        self._questions = Writer(questions, **shared)
        self._distractors = Writer(distractors, **shared)
        self._separator = separator
        self.seed = seed
        self.batch = 256
        self.capacity = _CAPACITY * self._questions.budget

    @property
    def work(self) -> tuple[Workload, Workload]:
        """What the two models have done so far, questions first."""
        return self._questions.work, self._distractors.work

    @cached_property
    def fingerprint(self) -> str:
        """The weights, by content, the separator, and all that draws depend on."""
        drawn = [self._separator, self._questions.temperature, self._questions.top_k, self._questions.most]
        settings = json.dumps([*drawn, self.seed])
        return f"questions:{self._questions.digest}:{self._distractors.digest}:{settings}"

    def weight(self, request: Asked) -> int:
        """About how many tokens, those to be written included."""
        if isinstance(request, Question):
            characters = len(request.text)
        else:
            characters = len(request.question) + len(request.answer) + len(request.context)
        return 2 + characters // CHARACTERS_PER_TOKEN + self._questions.most

    def load(self) -> None:
        """Load the weights now; else the first answer does."""
        self._questions.load()
        self._distractors.load()

    def answer(self, requests: Sequence[Asked]) -> list[Reply[Any]]:
        """One reply per request, in order; the time is shared evenly."""
        started = time.perf_counter()
        found: dict[Asked, Reply[Any]] = {}
        for writer, kind in ((self._questions, Question), (self._distractors, Distract)):
            asked = [one for one in dict.fromkeys(requests) if isinstance(one, kind)]
            writer.asked(sum(isinstance(one, kind) for one in requests))
            found.update(self._answered(writer, asked))
        cost = Cost(seconds=(time.perf_counter() - started) / max(1, len(requests)))
        return [replace(found[one], cost=cost) for one in requests]

    def _answered(self, writer: Writer, asked: Sequence[Asked]) -> dict[Asked, Reply[Any]]:
        found: dict[Asked, Reply[Any]] = {}
        inputs: dict[tuple[str, ...], Encoding] = {}
        numbers: dict[tuple[str, ...], int] = {}
        rows: dict[Asked, tuple[int, int]] = {}
        for one in asked:
            texts = (one.text,) if isinstance(one, Question) else (one.question, one.answer, one.context)
            if not all(text.strip() for text in texts):
                found[one] = Failed(Reason.REFUSED, "a text to ask about has no words")
                continue
            if texts not in inputs:
                numbers[texts] = len(inputs)
                inputs[texts] = self._input(writer, texts)
            rows[one] = (numbers[texts], self._seed(one, texts))
        written = writer.write(list(inputs.values()), list(rows.values())) if rows else []
        for one, tokens in zip(rows, written, strict=True):
            if tokens is None:
                found[one] = Failed(
                    Reason.BACKEND, "the model's outputs are no numbers, or do not fit into memory"
                )
            else:
                text = writer.tokenizer.decode(list(tokens), skip_special_tokens=False)
                found[one] = Answer(self._parsed(one, text, self._between(writer)))
        return found

    def _input(self, writer: Writer, texts: tuple[str, ...]) -> Encoding:
        if len(texts) == 1:
            return writer.input(texts[0])
        question, answer, context = texts
        between = mark(writer, self._between(writer))
        pieces = [f"{question} ", f" {answer} ", f" {context}"]
        first, second, third = (writer.tokens(piece) for piece in pieces)
        return joined_input(writer, [first, between, second, between, third], cut=4)

    def _between(self, writer: Writer) -> str:
        if self._separator is not None:
            return self._separator
        token = writer.special("sep_token")
        if token is None:
            raise ConfigError(
                f"expected the tokenizer of {writer.name!r} to have a sep_token, got none. Say what its model "
                "writes between question and answer: separator='<sep>', for example."
            )
        return str(token.tokens[0])

    def _seed(self, asked: Asked, texts: tuple[str, ...]) -> int:
        named = json.dumps([type(asked).__name__, *texts, asked.draw, self.seed])
        return int.from_bytes(blake2b(named.encode(), digest_size=16).digest(), "little")

    def _parsed(self, asked: Asked, text: str, separator: str) -> QuestionAnswer | tuple[str, ...] | None:
        """Exactly two parts are a question and its answer; wrong answers are as many as there are."""
        if isinstance(asked, Question):
            parts = [part.strip() for part in text.split(separator)]
            return QuestionAnswer(*parts) if len(parts) == 2 and all(parts) else None
        return tuple(
            part.strip() for part in _GAPS.sub(lambda _: separator, text).split(separator) if part.strip()
        )
