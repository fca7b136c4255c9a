"""Languages: entailment in fifteen translated and five natively written ones, and claims with documents of another language.

Nothing here is learnt from. The labelled claims (`labelled/languages.jsonl`) were written for this purpose, those with English documents about pages
of WiCE, which are read from the data set.
"""

from __future__ import annotations

import json
import re
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

__all__ = ["Claim", "claims", "in_common", "rows", "written_rows"]

WRITTEN = LABELLED.with_name("languages.jsonl")
_ENTAILMENT = LABELS.index("entailment")
_PAGES = "wice_dev.jsonl"
_TOKEN = re.compile(r"[\u3041-\u30ff\u3400-\u9fff]|[^\W\u3041-\u30ff\u3400-\u9fff]+")


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim beside a document.

    Attributes:
        language: of the claim.
        across: whether the document is in English.
        document: it.
        text: of the claim.
        supported: by the document.
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
    ways = {"whole": whole, "by sentences": _by_sentences(model, some)}
    for across in (True, False):
        beside = "with English documents" if across else "with documents of the same language"
        own = [i for i, one in enumerate(some) if one.across is across]
        for way, said in ways.items():
            found += written_rows(f"claims {beside}, {way}, all", some, said, own)
        words = [in_common(one) for one in some]
        area = auc([words[i] for i in own], [some[i].supported for i in own])
        found.append(Row.shown(f"claims {beside}, words in common, all: AUROC", area))
        for language in sorted({some[i].language for i in own}):
            places = [i for i in own if some[i].language == language]
            found += written_rows(
                f"claims {beside}, by sentences, {language}", some, ways["by sentences"], places
            )
    return found


def _by_sentences(model: EntailmentModel, some: Sequence[Claim]) -> Floats:
    """P(entailment) by the sentence of the document that entails the claim most."""
    pairs, owners = list[Pair](), list[int]()
    for number, one in enumerate(some):
        pairs += [Pair(sentence, one.text, 0) for sentence in split_sentences(one.document)]
        owners += [number] * (len(pairs) - len(owners))
    said = np.zeros(len(some))
    np.maximum.at(said, owners, shares(model, pairs)[:, _ENTAILMENT])
    return said


def in_common(claim: Claim) -> float:
    """The share of a claim's words and East Asian characters that its document has, in [0, 1]: a baseline without a model.

    Example:
        >>> in_common(Claim("en", True, "The bridge is long.", "The bridge is short.", False, "name"))
        0.75
    """
    own, others = (_TOKEN.findall(text.casefold()) for text in (claim.text, claim.document))
    return sum(token in set(others) for token in own) / max(1, len(own))


def written_rows(name: str, some: Sequence[Claim], said: Floats, places: Sequence[int]) -> list[Row]:
    """Of the claims at these places: AUROC, and the share of the true ones with a probability of entailment below .5."""
    true = [i for i in places if some[i].supported]
    accused = sum(said[i] < 0.5 for i in true)
    return [
        Row.shown(f"{name}: AUROC", auc([said[i] for i in places], [some[i].supported for i in places])),
        Row.shown(f"{name}: supported, and P(entailment) below .5", accused / len(true) if true else None),
    ]


def _area(said: Floats, pairs: Sequence[Pair]) -> float | None:
    return auc(list(said[:, _ENTAILMENT]), [pair.label == _ENTAILMENT for pair in pairs])
