"""Entailment of pairs, kept in a file: a pair that was scored once is not scored again."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TypeAlias

from benchmarks._data import cache_root
from guardrail.backends import EntailPackaged, packaged_entailment
from guardrail.backends.entailment import EntailmentModel
from guardrail.backends.weights import GRAPH
from guardrail.engine.flow import Answer, Reason
from guardrail.errors import InputError
from guardrail.requests import Entailment

__all__ = ["Pair", "Scores", "cache_file", "opened"]

Pair: TypeAlias = tuple[str, str]
_BLOCK = 512  # pairs between two writes: what a kill costs


def cache_file() -> Path:
    """Where scores are kept: `$GUARDRAIL_GROUNDING_SCORES`, or in the user's cache."""
    given = os.environ.get("GUARDRAIL_GROUNDING_SCORES")
    return Path(given) if given else cache_root().parent / "grounding" / "scores.jsonl"


class Scores:
    """What the packaged model says of pairs, from the file or newly.

    Args:
        path: of the file; lines are appended.
        say: is told about progress.
        model: the folder of another model, in bfloat16 if it has no graph; default: the packaged one.
    """

    def __init__(
        self, path: Path, say: Callable[[str], None] = lambda _: None, *, model: Path | None = None
    ) -> None:
        self._model = packaged_entailment() if model is None else opened(model)
        self._path, self._say = path, say
        self._origin = self._model.fingerprint
        self.backend = self._model.origin
        self._known: dict[str, Entailment] = {}
        if path.is_file():
            for line in path.read_text(encoding="utf-8").splitlines():
                key, *values = json.loads(line)
                self._known[key] = Entailment(*values)

    @property
    def origin(self) -> str:
        """The model's name, version and hash."""
        return self._origin

    def of(self, pairs: Iterable[Pair]) -> Mapping[Pair, Entailment]:
        """The scores of pairs of premise and hypothesis.

        Raises:
            InputError: the model is not installed, or refuses a pair.
        """
        keys = {pair: self._key(pair) for pair in pairs}
        new = sorted((p for p, key in keys.items() if key not in self._known), key=lambda p: len(p[0]))
        self._path.parent.mkdir(parents=True, exist_ok=True)
        for start in range(0, len(new), _BLOCK):
            block = new[start : start + _BLOCK]
            self._score(block, keys)
            self._say(f"{start + len(block)} of {len(new)} pairs scored")
        return {pair: self._known[key] for pair, key in keys.items()}

    def _score(self, block: list[Pair], keys: Mapping[Pair, str]) -> None:
        replies = self._model.answer([EntailPackaged(*pair) for pair in block])
        with self._path.open("a", encoding="utf-8") as stream:
            for pair, reply in zip(block, replies, strict=True):
                if not isinstance(reply, Answer):
                    if reply.reason is not Reason.REFUSED:
                        raise InputError(f"expected the packaged entailment model, got {reply!r}.")
                    found = Entailment(0.0, 0.0, 1.0)  # not a text that it reads
                else:
                    found = reply.value
                self._known[keys[pair]] = found
                row = [keys[pair], found.entailment, found.contradiction, found.neutral]
                stream.write(json.dumps(row) + "\n")

    def _key(self, pair: Pair) -> str:
        said = "\0".join((self._origin, *pair))
        return hashlib.blake2b(said.encode("utf-8", "replace"), digest_size=12).hexdigest()


def opened(folder: Path) -> EntailmentModel:
    """A folder's model on a processor: its graph, or in bfloat16 where it has none."""
    if (folder / GRAPH).is_file():
        return EntailmentModel(folder, device="cpu", runtime="onnx")
    return EntailmentModel(folder, precision="bf16")
