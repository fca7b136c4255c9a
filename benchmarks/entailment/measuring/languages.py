"""Languages: entailment in fifteen translated and five natively written ones, and claims beside documents of another language.

Nothing here is learnt from. The labelled claims (`labelled/languages.jsonl`) were written for this purpose, those beside English documents about pages
of WiCE, which are read where the data lies.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks._stats import auc
from benchmarks._table import Row
from benchmarks.entailment.making.watching import natural, translated
from benchmarks.entailment.pairs import LABELS, Pair
from benchmarks.entailment.setting import LABELLED, Floats, Setting, shares
from guardrail.backends.entailment import EntailmentModel
from guardrail.errors import InputError
from guardrail.text.sentences import split_sentences

__all__ = ["Claim", "claims", "rows", "written_rows"]

WRITTEN = LABELLED.with_name("languages.jsonl")
_ENTAILMENT = LABELS.index("entailment")
_PAGES = "wice_dev.jsonl"
_RUN = 3  # sentences that are read together


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim beside a document.

    Attributes:
        language: of the claim.
        across: whether the document is in English.
        document: it.
        text: of the claim.
        supported: whether the document bears it out.
        kind: what is wrong with it; "true" if nothing is.
    """

    language: str
    across: bool
    document: str
    text: str
    supported: bool
    kind: str


def claims(grounding: Path, path: Path = WRITTEN) -> Iterator[Claim]:
    """The labelled claims.

    Args:
        grounding: folder with WiCE's pages.
        path: of the labels.

    Raises:
        InputError: a file is absent or of another form.
    """
    try:
        pages = [
            "\n".join(json.loads(line)["sentences"])
            for line in (grounding / _PAGES).read_text(encoding="utf-8").splitlines()
        ]
        for row in map(json.loads, path.read_text(encoding="utf-8").splitlines()):
            across = "document" not in row
            document = pages[row["row"]][: row["end"]] if across else row["document"]
            yield Claim(
                row["language"], across, document, row["claim"], bool(row["supported"]), str(row["kind"])
            )
    except (OSError, ValueError, KeyError, TypeError, IndexError) as error:
        raise InputError(
            f"expected labelled claims and their pages, got {error!r} from {path.name}"
        ) from error


def rows(setting: Setting) -> list[Row]:
    """AUROC of entailment against the rest by language; of written claims also how many true ones would be accused."""
    if setting.run.fast:
        return [Row.missing("languages: all rows", "--fast leaves them out")]
    folder = setting.run.data("multilingual")
    model = setting.model("mini", precision="auto")
    found: list[Row] = []
    for kind, sets in (("XNLI", translated(folder)), ("native", natural(folder))):
        areas = {name: _area(shares(model, pairs), pairs) for name, pairs in sets.items()}
        known = {name: area for name, area in areas.items() if area is not None}
        found.append(Row.shown(f"{kind}: AUROC of entailment, mean", sum(known.values()) / len(known)))
        found.append(
            Row.shown(
                f"{kind}: AUROC of entailment, worst ({min(known, key=known.__getitem__)})",
                min(known.values()),
            )
        )
        found += [Row.shown(f"{kind}, {name}: AUROC of entailment", area) for name, area in areas.items()]
    some = list(claims(setting.run.data("grounding")))
    whole = shares(model, [Pair(one.document, one.text, 0) for one in some])[:, _ENTAILMENT]
    found += written_rows("claims beside whole documents, all", some, whole, range(len(some)))
    return found + _read_in_parts(model, some)


def _read_in_parts(model: EntailmentModel, some: Sequence[Claim]) -> list[Row]:
    """As a detector reads documents: of the sentences and of three together, the one that entails the claim most counts."""
    pairs, owners = list[Pair](), list[int]()
    for number, one in enumerate(some):
        sentences = list(split_sentences(one.document))
        runs = [" ".join(sentences[i : i + _RUN]) for i in range(max(0, len(sentences) - _RUN + 1))]
        pairs += [Pair(part, one.text, 0) for part in dict.fromkeys([*sentences, *runs])]
        owners += [number] * (len(pairs) - len(owners))
    said = np.zeros(len(some))
    np.maximum.at(said, owners, shares(model, pairs)[:, _ENTAILMENT])
    found: list[Row] = []
    for across in (True, False):
        beside = "beside English documents" if across else "beside documents of the same language"
        chosen = {
            name: [i for i, one in enumerate(some) if one.across is across and name in (one.language, "all")]
            for name in ("all", *sorted({one.language for one in some}))
        }
        for name, places in chosen.items():
            found += written_rows(f"claims {beside}, {name}", some, said, places)
    return found


def written_rows(name: str, some: Sequence[Claim], said: Floats, places: Sequence[int]) -> list[Row]:
    """Of the claims at these places: AUROC, and the share of the true ones with a probability of entailment below .5."""
    true = [i for i in places if some[i].supported]
    accused = sum(said[i] < 0.5 for i in true)
    return [
        Row.shown(f"{name}: AUROC", auc([said[i] for i in places], [some[i].supported for i in places])),
        Row.shown(
            f"{name}: borne out, and less likely entailed than not", accused / len(true) if true else None
        ),
    ]


def _area(said: Floats, pairs: Sequence[Pair]) -> float | None:
    return auc(list(said[:, _ENTAILMENT]), [pair.label == _ENTAILMENT for pair in pairs])
