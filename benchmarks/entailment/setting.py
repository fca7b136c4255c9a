"""What the parts of the benchmark share: the models, the labelled pairs, and what each model has said of them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from benchmarks._recording import Recording, digest
from benchmarks._table import Row, Run
from benchmarks.entailment.making.lessons import COURSES
from benchmarks.entailment.pairs import HELD_OUT, LABELS, Pair
from benchmarks.entailment.sets import evaluation, held_back
from guardrail.backends import Precision
from guardrail.backends.entailment import EntailmentModel
from guardrail.backends.weights import ENTAILMENT_MINI, find
from guardrail.engine.flow import Answer, Reply
from guardrail.errors import ConfigError, GuardrailError
from guardrail.requests import Entail, Entailment

__all__ = [
    "DOCUMENTS",
    "FIRST",
    "FULL",
    "HELD_BACK",
    "HOW",
    "KEEP",
    "MINI",
    "QUICK",
    "RECORDED",
    "REWRITTEN",
    "TEACHER",
    "TEACHER_BASE",
    "Absent",
    "Floats",
    "Setting",
    "found",
    "shares",
]

MINI, FULL, QUICK = ENTAILMENT_MINI, "entailment-full", "minilm-nli"
"""Names under which `EntailmentModel` finds the packaged model, what it was made of, and a quickly trained one."""

FIRST = "entailment-first"
"""What the full one begins with."""

DOCUMENTS = "entailment-documents"
"""The packaged one after it was trained for documents."""

TEACHER = "entailment-teacher"
"""The larger model that the full one learnt from."""

TEACHER_BASE = "sentence-transformers/all-mpnet-base-v2"
"""The encoder that the teacher begins with (Apache-2.0)."""

HOW = {
    "mini": "the packaged model is not installed: pip install ./models/entailment-mini in a checkout, or --model DIR",
    "full": "not trained: python -m benchmarks.entailment train, or --full DIR",
    "quick": "not trained: python -m benchmarks.entailment train --course quick",
}

HELD_BACK = "held-back pairs"
"""Those that the full course does not learn from, though they are of its sets."""

REWRITTEN = ("snli_cad",)
"""Sets whose pairs were rewritten to mislead a model: sure as it is of them, a temperature by them would not be that of
texts as they come."""

FAST = 1_500
"""Pairs per set with --fast."""

RECORDED = Path(__file__).with_name("recorded.json")
"""What the packaged model said in the parts that --fast runs; it scores a sample of that anew."""

KEEP = "python -m benchmarks.entailment keep"
"""What writes that file."""

LABELLED = Path(__file__).with_name("labelled") / "context.jsonl"
"""Answers against documents, labelled by hand."""

Floats: TypeAlias = NDArray[np.float64]


class Absent(GuardrailError):
    """A part has no model to measure; the message says how to get it, without a path of this machine."""


def found(name: str) -> Path | None:
    """The folder of a named model, if it is whole and here."""
    try:
        return find(name)
    except ConfigError:
        return None


def shares(model: EntailmentModel, pairs: Sequence[Pair]) -> Floats:
    """What a model says of pairs: their probabilities in the order of `LABELS`, shape (pairs, 3)."""
    model.load()
    replies: list[Reply[Entailment]] = model.answer([Entail(pair.premise, pair.hypothesis) for pair in pairs])
    said = [reply.value for reply in replies if isinstance(reply, Answer)]
    if len(said) < len(replies):
        raise Absent(next(str(reply) for reply in replies if not isinstance(reply, Answer)))
    rows = [[math.nan if (one := getattr(s, name)) is None else one for name in LABELS] for s in said]
    return np.array(rows, dtype=np.float64).reshape(len(pairs), len(LABELS))


@dataclass(slots=True)
class Setting:
    """How this run is done.

    Attributes:
        run: its options.
        models: folders by "mini", "full" and "quick"; `None` = not here.
        most: pairs per evaluation set, drawn at random; `None` = all.
        packaged: whether "mini" is the model that ships, and not one that the command line names.
        recording: of what the packaged model says of the pairs of --fast; `None` = of no use here.
    """

    run: Run
    models: dict[str, Path | None]
    most: int | None = None
    packaged: bool = False
    recording: Recording | None = None
    _data: Path | None = None
    _sets: dict[str, list[Pair]] = field(default_factory=dict)
    _said: dict[tuple[str, str], Floats] = field(default_factory=dict)

    @classmethod
    def of(cls, run: Run) -> Setting:
        """By the command line; what it does not name is looked for."""
        options = run.options
        named = getattr(options, "model", None)
        models = {
            "mini": named or found(MINI),
            "full": getattr(options, "full", None) or found(FULL),
            "quick": found(QUICK),
        }
        most = getattr(options, "evaluate", None)
        made = cls(run, models, min(FAST, most or FAST) if run.fast else most, packaged=named is None)
        as_recorded = named is None and most is None and run.data_folder is None
        if as_recorded and models["mini"] is not None:
            made.recording = Recording.read(RECORDED)
        return made

    @property
    def data(self) -> Path:
        """The folder of the labelled pairs; its files are checked once."""
        if self._data is None:
            self._data = self.run.data("nli")
        return self._data

    def folder(self, which: str) -> Path:
        """Of a model.

        Raises:
            Absent: it is not here.
        """
        path = self.models[which]
        if path is None:
            raise Absent(HOW[which])
        return path

    def model(self, which: str, *, precision: Precision = "fp32") -> EntailmentModel:
        """On the processor; in fp32 where the model is measured, in "auto" where a detector is, as it ships."""
        return EntailmentModel(self.folder(which), device="cpu", precision=precision)

    def pairs(self, name: str) -> list[Pair]:
        """Of an evaluation set, or `HELD_BACK`; read once."""
        if name == HELD_BACK and name not in self._sets:
            self._sets[name] = held_back(self.data, COURSES["full"].sets, without=REWRITTEN)
        elif name not in self._sets:
            self._sets[name] = evaluation(self.data, name, most=self.most)
        return self._sets[name]

    def kept(self, name: str) -> Floats | None:
        """Recorded scores, with --fast; `None` where the model is to be asked."""
        return None if self.recording is None or not self.run.fast else self.recording.scores.get(name)

    def fast_pairs(self, name: str) -> list[Pair]:
        """Those of an evaluation set that --fast is about, whose scores are recorded."""
        return self.pairs(name) if self.run.fast else evaluation(self.data, name, most=FAST)

    def depends(self) -> dict[str, str]:
        """What the scores that are recorded depend on."""
        pairs = {
            name: [[p.premise, p.hypothesis, p.label] for p in self.fast_pairs(name)] for name in self.sets()
        }
        return {
            "model": self.model("mini").origin,
            "pairs": digest(pairs),
            "labelled contexts": digest(LABELLED.read_text(encoding="utf-8")),
        }

    def outdated(self, part: str) -> list[Row]:
        """A row that says why the recording does not hold here; none where it does, or nothing is read from it."""
        why = "" if self.recording is None else self.recording.outdated(self.depends())
        return [Row.missing(f"{part}: recorded scores", f"{why}: record anew by `{KEEP}`")] if why else []

    def sets(self) -> Sequence[str]:
        """The evaluation sets."""
        return HELD_OUT

    def said(self, which: str, name: str) -> Floats:
        """Of the pairs of that name; each is asked about once."""
        key = which, name
        if which == "mini" and (kept := self.kept(f"accuracy, {name}")) is not None:
            return kept
        if key not in self._said:
            self.run.say(f"{name}, {which}")
            self._said[key] = shares(self.model(which), self.pairs(name))
        return self._said[key]
