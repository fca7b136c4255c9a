"""The trained model: what each feature says about each label, in one packaged file.

The file is a line of JSON (format, labels, sizes, a digest, what it was trained on) and a compressed body. It is read at
the first use and then kept.
"""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from guardrail.errors import ConfigError

__all__ = [
    "FIELDS",
    "FILE",
    "Matrix",
    "Model",
    "packaged",
    "read_model",
    "to_bytes",
]

Matrix: TypeAlias = NDArray[np.float64]

FILE = "reading.weights"
_FORMAT = 1
_MOST = 64_000_000  # bytes of a body once unpacked; ours has 2 million

FIELDS = (
    "author", "editor", "translator", "title", "journal", "container", "series", "volume", "pages", "date",
    "publisher", "location", "edition", "genre", "note", "url", "doi", "isbn", "number", "remark",
)  # fmt: skip
"""What a token can be part of. Label 2 k begins a run of field k, label 2 k + 1 goes on with it.

"container" is the book or the proceedings that a chapter or paper is in, "number" the marker of a list, "remark" what
is said about the work rather than of its reference.
"""


@dataclass(frozen=True, slots=True)
class Model:
    """A linear-chain conditional random field [lafferty2001].

    Attributes:
        features: the row of each feature, by name.
        states: a row per feature, a column per label: what the feature adds to the label's score.
        transitions: what a label (row) adds to the score of the next (column).
        lexicon: what a word mostly is in bibliographies, by word in lower case. First letter: A in nearly all
            records part of a name … E never; second: j often in names of journals, k at times, l hardly.
        about: the first line of the file.
    """

    features: Mapping[str, int]
    states: Matrix
    transitions: Matrix
    lexicon: Mapping[str, str]
    about: Mapping[str, Any]

    def scores(self, named: Sequence[Sequence[str]]) -> Matrix:
        """The score of each label (column) for each token (row), given the names of the tokens' features."""
        row = self.features.get
        found = np.empty((len(named), self.states.shape[1]))
        for at, names in enumerate(named):
            known = [place for name in names if (place := row(name)) is not None]
            self.states.take(known, axis=0).sum(axis=0, out=found[at])
        return found


@cache
def packaged() -> Model:
    """The model of reference strings that comes with this package.

    Raises:
        ConfigError: its file is absent or damaged.
    """
    try:
        return read_model((files(__package__) / FILE).read_bytes(), FILE)
    except OSError as error:
        raise ConfigError(
            f"the packaged file {FILE!r} cannot be read: {error}. Install guardrail-sdk anew."
        ) from error


def to_bytes(
    states: Mapping[tuple[str, int], float],
    transitions: Mapping[tuple[int, int], float],
    lexicon: Mapping[str, str],
    about: Mapping[str, Any],
) -> bytes:
    """The file of a model; equal arguments give equal bytes.

    Args:
        states: weights by feature and label, those that are not 0.
        transitions: weights by label and next label.
        lexicon: see `Model`.
        about: what is known of the training, for the first line.
    """
    count = 2 * len(FIELDS)
    by_name: dict[str, list[tuple[int, float]]] = {}
    for (name, label), weight in sorted(states.items()):
        if abs(weight) >= 0.01:
            by_name.setdefault(name, []).append((label, weight))
    between = np.zeros((count, count), dtype="<f2")
    for (before, after), weight in transitions.items():
        between[before, after] = weight
    entries = [entry for row in by_name.values() for entry in row]
    parts = [
        "\n".join(by_name).encode(),
        bytes(len(row) for row in by_name.values()),
        bytes(label for label, _ in entries),
        np.array([weight for _, weight in entries], dtype="<f2").tobytes(),
        between.tobytes(),
        "\n".join(f"{word} {code}" for word, code in sorted(lexicon.items())).encode(),
    ]
    body = zlib.compress(b"".join(parts), 9)
    head = {
        "format": _FORMAT, "fields": list(FIELDS), "sizes": [len(part) for part in parts],
        "sha256": hashlib.sha256(body).hexdigest(), **about,
    }  # fmt: skip
    return json.dumps(head, ensure_ascii=False).encode() + b"\n" + body


def read_model(content: bytes | Path, name: str = "") -> Model:
    """The model in a file, or in its bytes.

    Raises:
        ConfigError: the content is damaged, or of another format.
    """
    if isinstance(content, Path):
        name, content = content.name, content.read_bytes()
    line, _, body = content.partition(b"\n")
    try:
        about = json.loads(line)
        version, digest = about["format"], about["sha256"]
        sizes = [int(size) for size in about["sizes"]]
    except (ValueError, TypeError, KeyError) as error:
        raise ConfigError(
            f"{name!r} is no file of weights: its first line is {line[:60]!r}. {_AGAIN}"
        ) from error
    if version != _FORMAT or tuple(about.get("fields", ())) != FIELDS:
        raise ConfigError(
            f"{name!r}: expected format {_FORMAT} with the fields of this version, got {version!r}. {_AGAIN}"
        )
    if hashlib.sha256(body).hexdigest() != digest:
        raise ConfigError(f"{name!r} is damaged: its content does not match its SHA-256. {_AGAIN}")
    try:
        return _unpacked(zlib.decompressobj().decompress(body, _MOST), sizes, about)
    except (zlib.error, ValueError, IndexError) as error:
        raise ConfigError(f"{name!r} is damaged: {error}. {_AGAIN}") from error


_AGAIN = "Install guardrail-sdk anew, or train: python -m benchmarks.references.reading train"


def _unpacked(body: bytes, sizes: Sequence[int], about: Mapping[str, Any]) -> Model:
    parts = []
    for size in sizes:
        parts.append(body[:size])
        body = body[size:]
    names, counts, labels, weights, between, words = parts
    count = 2 * len(FIELDS)
    features = {name: row for row, name in enumerate(names.decode().split("\n"))}
    rows = np.repeat(np.arange(len(features)), np.frombuffer(counts, dtype=np.uint8))
    states = np.zeros((len(features), count))
    states[rows, np.frombuffer(labels, dtype=np.uint8)] = np.frombuffer(weights, dtype="<f2")
    transitions = np.frombuffer(between, dtype="<f2").astype(np.float64).reshape(count, count)
    lexicon = dict(line.split(" ", 1) for line in words.decode().splitlines())
    return Model(features, states, transitions, lexicon, about)
