"""Languages: entailment in fifteen translated and five natively written ones, and claims beside documents of another language.

Nothing here is learnt from. The labelled claims (`labelled/languages.jsonl`) were written for this purpose, those beside English documents about pages
of WiCE, which are read where the data lies.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks._stats import auc
from benchmarks._table import Row
from benchmarks.entailment.making.watching import natural, translated
from benchmarks.entailment.pairs import LABELS, Pair
from benchmarks.entailment.setting import LABELLED, Floats, Setting, shares
from guardrail.errors import InputError

__all__ = ["Claim", "claims", "rows"]

WRITTEN = LABELLED.with_name("languages.jsonl")
_ENTAILMENT = LABELS.index("entailment")
_PAGES = "wice_dev.jsonl"


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
    said = shares(model, [Pair(one.document, one.text, 0) for one in some])[:, _ENTAILMENT]
    for across in (True, False):
        beside = "beside English documents" if across else "beside documents of the same language"
        chosen = {
            name: [i for i, one in enumerate(some) if one.across is across and name in (one.language, "all")]
            for name in ("all", *sorted({one.language for one in some}))
        }
        for name, places in chosen.items():
            found += _written(f"claims {beside}, {name}", some, said, places)
    return found


def _written(name: str, some: Sequence[Claim], said: Floats, places: Sequence[int]) -> list[Row]:
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
