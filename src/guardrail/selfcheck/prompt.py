"""Prompt: does a model say that the sampled answer supports the sentence?

Source: [manakul2023] §5.5, eq. 11. `fenced=False` gives the paper's own prompt and system message (Appendix C).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import ClassVar, Literal, TypeAlias

from guardrail.detector import Scope
from guardrail.engine.flow import Calls, Failed, Flow, Reply, each, gather, one, why
from guardrail.errors import ConfigError
from guardrail.options import option
from guardrail.report import Evidence, Measurement, Passage, Scale
from guardrail.requests import Ask, Completion, Message, Untrusted, system, user
from guardrail.selfcheck.base import StoppingCheck, compute_if_long, size_of
from guardrail.selfcheck.material import Judged, Material, clauses, mean, places_of_worst
from guardrail.selfcheck.similar import nearest
from guardrail.text.fence import FENCE_RULE
from guardrail.text.yes_no import probability_of

Parsing: TypeAlias = Literal["exact", "paper"]

JUDGE = "chat:judge"
"""Who is asked."""
_SYSTEM = "You are a helpful assistant."
_READ = 2_000  # characters of a reply that are looked at
_LONGEST = 20_000  # characters of a text that are asked about
_QUOTED = 500  # characters of a sample's sentence that evidence quotes
_PREFIX = re.compile(r"(?:[\W_]*(?:answer|回答|答案?)\s*[:：])?[\W_]*", re.IGNORECASE)
_WORD = re.compile(r"(?:(yes|是的|是)|no|不是|否)(?![\w'’])", re.IGNORECASE)
_BOTH = re.compile(r"[\W_]*(?:and|or|/)[\W_]*(?:yes|no)(?![\w'’])", re.IGNORECASE)
_LINE = re.compile(r"[\W_]*(\d{1,4})(?:[.):：\]]|\s*[-–—])[\W_]*(.*)")


class Support(StrEnum):
    """What a reply says."""

    YES = "yes"
    NO = "no"
    OTHER = "other"


VALUES = {Support.YES: 0.0, Support.NO: 1.0, Support.OTHER: 0.5}
"""[manakul2023] §5.5: a reply that is neither counts one half."""


def question(sentence: str, passage: str, *, fenced: bool = True) -> tuple[Message, ...]:
    """Ask whether a passage supports a sentence; line ends become spaces."""
    return (
        _system(fenced),
        user(
            "Context: ",
            _one_line(passage, fenced),
            "\nSentence: ",
            _one_line(sentence, fenced),
            "\nIs the sentence supported by the context above?\nAnswer Yes or No:",
        ),
    )


def batched_question(sentences: Sequence[str], passage: str, *, fenced: bool = True) -> tuple[Message, ...]:
    """Ask about several sentences at once, numbered from 1."""
    numbered: list[str | Untrusted] = []
    for place, sentence in enumerate(sentences, 1):
        numbered += [f"\n{place}. ", _one_line(sentence, fenced)]
    return (
        _system(fenced),
        user(
            "Context: ",
            _one_line(passage, fenced),
            "\nSentences:",
            *numbered,
            "\nFor each sentence, is it supported by the context above?\n"
            'Answer with one line per sentence, its number and Yes or No, such as "1. Yes":',
        ),
    )


def read(reply: str, parsing: Parsing = "exact") -> Support:
    """What a reply says.

    Exact: the first word, after an optional "Answer:", is yes or no, and not "yes and no"; else OTHER.
    Paper: what the reply begins with, letter by letter, once blanks are stripped.

    Example:
        >>> [read(text).value for text in ("Yes.", "Answer: No", "I do not know", "Not supported", "Yes or no?")]
        ['yes', 'no', 'other', 'other', 'other']
        >>> read("Not supported", "paper").value
        'no'
    """
    text = unicodedata.normalize("NFKC", reply[:_READ])
    if parsing == "paper":
        start = text.strip().lower()
        return (
            Support.YES
            if start.startswith("yes")
            else Support.NO
            if start.startswith("no")
            else Support.OTHER
        )
    before = _PREFIX.match(text)
    match = _WORD.match(text, before.end() if before else 0)
    if match is None or _BOTH.match(text, match.end()):
        return Support.OTHER
    return Support.YES if match[1] else Support.NO


def read_batch(reply: str, sentences: int, parsing: Parsing = "exact") -> list[Support | None]:
    r"""What a reply says of each numbered sentence; `None` where it has no line, or lines that differ.

    Args:
        reply: of the judge.
        sentences: how many it was asked about.
        parsing: as of `read`.

    Example:
        >>> [s and s.value for s in read_batch("1. Yes\n2: no\n3) Perhaps", 4)]
        ['yes', 'no', None, None]
    """
    found: dict[int, set[Support]] = {}
    for line in unicodedata.normalize("NFKC", reply[: _READ + 40 * sentences]).splitlines():
        match = _LINE.match(line)
        if match is not None:
            found.setdefault(int(match[1]), set()).add(read(match[2], parsing))
    read_lines: list[Support | None] = []
    for place in range(1, sentences + 1):
        said = found.get(place, set()) - {Support.OTHER}
        read_lines.append(said.pop() if len(said) == 1 and len(found[place]) == 1 else None)
    return read_lines


def _system(fenced: bool) -> Message:
    return system(f"{_SYSTEM} {FENCE_RULE}") if fenced else system(_SYSTEM)


def _one_line(text: str, fenced: bool) -> str | Untrusted:
    line = " ".join(text[:_LONGEST].split())
    return Untrusted(line) if fenced else line


def _cut(sentence: str, material: Material) -> str:
    """What was not asked about, for its length."""
    long = sum(len(text) > _LONGEST for text in material.texts)
    whose = [f"{long} of {len(material.texts)} {material.called}"] if long else []
    whose += ["the sentence"] if len(sentence) > _LONGEST else []
    return f"only the first {_LONGEST:,} characters of {' and of '.join(whose)} were read" if whose else ""


class PromptCheck(StoppingCheck):
    """Scores sentences by asking the judge model whether each sample supports them.

    The score is the mean over the samples, in [0, 1]; against documents, the smallest over the documents: one
    that supports the sentence is enough.
    """

    name: ClassVar[str] = "selfcheck-prompt"
    scale: ClassVar[Scale] = Scale(unit="share of “not supported”", sentences=True)
    reads_context = True

    batched: bool = option(
        default=False,
        help="ask about all sentences at once, one question per sample; sentences whose line cannot be read are "
        "asked about alone",
    )
    logprobs: int | None = option(
        default=None,
        least=0,
        help="alternatives per token to request; P(no) then comes from one reply, if the model returns "
        "log-probabilities. None = request none",
    )
    prompts: Literal["fenced", "paper"] = option(
        default="fenced", help="paper = the published prompt, unfenced"
    )
    parsing: Parsing = option(
        default="exact", help="paper = the published rule, by what the reply begins with"
    )
    max_tokens: int | None = option(
        default=None,
        least=1,
        help="tokens of a reply about one sentence; None = no bound, for models that think first",
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.batched and self.logprobs is not None:
            raise ConfigError(
                "expected batched questions or log-probabilities, got both: one reply has one P(no)"
            )

    @property
    def reach(self) -> Scope:
        """The whole answer where one question is about all sentences."""
        return "answer" if self.batched else super().reach

    def ask(self, sentence: str, passage: str) -> Ask:
        """The question about one sentence and one text."""
        return Ask(
            question(sentence, passage, fenced=self.prompts == "fenced"),
            temperature=0.0,
            max_tokens=self.max_tokens,
            logprobs=self.logprobs,
            role="judge",
        )

    def ask_batched(self, sentences: Sequence[str], passage: str) -> Ask:
        """The question about all sentences and one text."""
        messages = batched_question(sentences, passage, fenced=self.prompts == "fenced")
        return Ask(messages, temperature=0.0, role="judge")

    def _asks(self, sentences: Sequence[str], texts: Sequence[str]) -> Calls:
        singles = len({self.ask(sentence, text) for sentence in sentences for text in texts})
        if not self._batches(len(sentences)):
            return {JUDGE: (singles, singles)}
        batches = len({self.ask_batched(sentences, text) for text in texts})
        return {JUDGE: (batches, batches + singles)}

    def _asks_at_most(self, sentences: int, samples: int) -> Mapping[str, int]:
        return {JUDGE: samples * (sentences + self._batches(sentences))}

    def _batches(self, sentences: int) -> bool:
        return self.batched and sentences > 1

    def _judge(self, sentences: Sequence[str], material: Material) -> Flow[list[Judged]]:
        columns = yield from gather(self._by_text(sentences, text) for text in material.texts)
        size = size_of(sentences, material.texts)
        return (yield from compute_if_long(size, self._judged, sentences, columns, material))

    def _judged(
        self,
        sentences: Sequence[str],
        columns: Sequence[Failed | Sequence[float | Failed | Support]],
        material: Material,
    ) -> list[Judged]:
        return [
            self._judge_one(
                sentence, [one if isinstance(one, Failed) else one[place] for one in columns], material
            )
            for place, sentence in enumerate(sentences)
        ]

    def _judge_one(
        self, sentence: str, replies: Sequence[float | Failed | Support], material: Material
    ) -> Judged:
        """One sentence by one reply per text. Samples count by their mean; of documents one that supports it is enough."""
        failures = why([reply for reply in replies if isinstance(reply, Failed)])
        if self.parsing == "exact" and all(isinstance(reply, Failed | Support) for reply in replies):
            # not one reply says yes or no: the judge is no witness against anybody
            return Judged(None, reason=failures or "no reply of the judge says yes or no")
        values = [
            None if isinstance(reply, Failed) else VALUES[reply] if isinstance(reply, Support) else reply
            for reply in replies
        ]
        known = [value for value in values if value is not None]
        limit = 0.5 if self.threshold is None else self.threshold
        cut = _cut(sentence, material)
        value_of = min(known, default=None) if material.kind == "context" else mean(known)
        if value_of is None:
            return Judged(None, limit, failures or f"no {material.kind} gave a value", partial=cut)
        evidence: list[Evidence] = [
            Measurement(name="share of “not supported”", value=value_of, note="larger = more likely made up"),
            Measurement(name=f"{material.kind} used", value=float(len(known))),
        ]
        evidence += _speaking_against(sentence, material, values, limit)
        lost = f"{len(known)} of {len(values)} {material.kind}: {failures}" if failures else ""
        partial = clauses(lost, cut)
        return Judged(min(1.0, max(0.0, value_of)), limit, "", tuple(evidence), len(known), partial)

    def _by_text(self, sentences: Sequence[str], passage: str) -> Flow[list[float | Failed | Support]]:
        """What one text says of every sentence; `Support.OTHER` where it says neither."""
        found: list[float | Failed | Support | None] = [None] * len(sentences)
        if self._batches(len(sentences)):
            reply = yield from one(self.ask_batched(sentences, passage))
            if isinstance(reply, Failed):
                return [reply] * len(sentences)
            lines = read_batch(reply.value.text, len(sentences), self.parsing)
            found = [None if said is None else VALUES[said] for said in lines]
        left = [i for i, value in enumerate(found) if value is None]
        replies = yield from each([self.ask(sentences[i], passage) for i in left])
        for i, single in zip(left, replies, strict=True):
            found[i] = self._value(single)
        return [value for value in found if value is not None]

    def _value(self, reply: Reply[Completion]) -> float | Failed | Support:
        if isinstance(reply, Failed):
            return reply
        if self.logprobs is not None:
            sure = probability_of("no", reply.value.logprobs)
            if sure is not None:
                return sure
        said = read(reply.value.text, self.parsing)
        return said if said is Support.OTHER else VALUES[said]


def _speaking_against(
    sentence: str, material: Material, values: Sequence[float | None], limit: float
) -> list[Passage]:
    """What the texts that speak against a sentence say in its place: their nearest sentences, of three texts."""
    return [
        Passage(source=material.labels[i], text=text[:_QUOTED], score=values[i])
        for i in places_of_worst(values, limit)[:3]
        for text, _ in nearest(sentence, material.texts[i], 1)
    ]
