"""How well a network tells entailment apart while it learns: in English, in fifteen languages, in pairs written natively."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks._stats import auc
from benchmarks.entailment.pairs import LABELS, Pair, read
from guardrail.errors import InputError

__all__ = ["Watch", "natural", "translated"]

_BATCH, _LONGEST = 32, 192
_ENTAILMENT = LABELS.index("entailment")


def translated(folder: Path) -> dict[str, list[Pair]]:
    """XNLI's pairs by language; `folder` has the multilingual sets."""
    found: dict[str, list[Pair]] = {}
    for path in sorted((folder / "xnli15").glob("*.jsonl")):
        for language, pair in _rows(path):
            found.setdefault(language, []).append(pair)
    return found


def natural(folder: Path) -> dict[str, list[Pair]]:
    """Pairs that people wrote in their own language, by language."""
    paths = sorted((folder / "nli_other").glob("*.jsonl"))
    return {path.stem.rsplit("_", 1)[1]: list(read(path)) for path in paths}


class Watch:
    """Writes AUROC of entailment against the rest, a JSON object for each look.

    Args:
        nli: folder of the labelled pairs.
        multilingual: folder of the multilingual sets.
        reader: folder of the tokenizer.
        path: of the file that is written.
        most: pairs of each language, the same at each look.
        say: gets a line at each look.
    """

    def __init__(
        self,
        nli: Path,
        multilingual: Path,
        reader: Path,
        path: Path,
        *,
        most: int = 300,
        say: Callable[[str], None] = lambda _line: None,
    ) -> None:
        self._reader, self._path, self._say = reader, path, say
        english = list(read(nli / "mnli_dev" / "pairs.jsonl"))
        self._sets = {
            "mnli": {"en": _some(english, 3 * most)},
            "xnli": {name: _some(pairs, most) for name, pairs in translated(multilingual).items()},
            "native": {name: _some(pairs, most) for name, pairs in natural(multilingual).items()},
        }

    def __call__(self, step: int, network: Any) -> None:
        """Look at a network, which is training again afterwards."""
        import transformers

        begun = time.process_time()
        reader = transformers.AutoTokenizer.from_pretrained(str(self._reader), local_files_only=True)
        network.eval()
        found = {
            kind: {name: area(network, reader, pairs) for name, pairs in sets.items()}
            for kind, sets in self._sets.items()
        }
        network.train()
        row = {"step": step, **found, "processor_seconds": round(time.process_time() - begun)}
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with self._path.open("a", encoding="utf-8") as stream:
            stream.write(json.dumps(row) + "\n")
        self._say(f"step {step}: {_line(found)}")


def area(network: Any, reader: Any, pairs: Sequence[Pair]) -> float | None:
    """AUROC of entailment against the rest, of a network that answers; `None` where one of them is absent."""
    import torch

    ordered = sorted(pairs, key=lambda pair: len(pair.premise) + len(pair.hypothesis))
    values: list[float] = []
    with torch.inference_mode(), torch.autocast(network.device.type, dtype=torch.bfloat16):
        for start in range(0, len(ordered), _BATCH):
            some = ordered[start : start + _BATCH]
            texts = [pair.premise for pair in some], [pair.hypothesis for pair in some]
            inputs = reader(*texts, truncation=True, max_length=_LONGEST, padding=True, return_tensors="pt")
            logits = network(**inputs.to(network.device)).logits
            values += logits.float().softmax(1)[:, _ENTAILMENT].tolist()
    found = auc(values, [pair.label == _ENTAILMENT for pair in ordered])
    return None if found is None else round(found, 4)


def _line(found: Mapping[str, Mapping[str, float | None]]) -> str:
    """One line for a log."""
    parts = []
    for kind, areas in found.items():
        known = {name: value for name, value in areas.items() if value is not None}
        if len(known) > 1:
            worst = min(known, key=lambda name: known[name])
            parts.append(
                f"{kind} mean {sum(known.values()) / len(known):.3f}, worst {known[worst]:.3f} ({worst})"
            )
        if kind != "xnli":
            parts.append(" ".join(f"{name} {value:.3f}" for name, value in known.items()))
    return "; ".join(parts)


def _some(pairs: Sequence[Pair], most: int) -> list[Pair]:
    return list(pairs) if len(pairs) <= most else random.Random(0).sample(list(pairs), most)


def _rows(path: Path) -> Iterator[tuple[str, Pair]]:
    try:
        with path.open(encoding="utf-8") as lines:
            for row in map(json.loads, lines):
                yield row["lang"], Pair(row["premise"], row["hypothesis"], LABELS.index(row["label"]))
    except (OSError, ValueError, KeyError) as error:
        raise InputError(f"expected one labelled pair a line, got {error!r} from {str(path)!r}") from error
