"""Passages of news and Wikipedia that cite nothing (CG2C, MIT licence), for the training of the network that tags references.

They are in none of the sets by which `benchmarks.references.silence` judges it.
"""

from __future__ import annotations

import json
import re

from benchmarks._data import data_dir

__all__ = ["passages"]

_WORK = re.compile(
    r"\b(?:(?:note|text|guide|hand|scrap|year|song)?books?|novels?|novellas?|memoirs?|(?:auto)?biograph\w+|monographs?|papers?|articles?|essays?|treatises?|poems?|poetry|plays?|"
    r"playwright|stor(?:y|ies)|wr(?:ote|iter|iters|iting|itings|itten)|publi(?:sh\w*|cation|cations)|(?:co-?)?author\w*|edit(?:ed|or|ors|ion)|magazines?|journals?|"
    r"newspapers?|reports?|stud(?:y|ies)|surveys?|thes[ei]s|dissertations?|bible|gospels?|quran|comics?|manga|laws?|acts?|bills?|codes?|constitutions?|treat(?:y|ies)|v\.)\b",
    re.IGNORECASE,
)
"""A word for what can be cited, before or behind whose name it stands."""


def passages() -> list[str]:
    """Passages of news and Wikipedia in which no word for a written work stands, sorted.

    Raises:
        DataMissing: the data are not here.
    """
    found = set()
    for data, name, field in (
        ("grounding", "cg2c_doc.jsonl", "document"),
        ("grounding", "cg2c_multihop.jsonl", "document"),
    ):
        with (data_dir(data) / name).open(encoding="utf-8") as lines:
            found |= {json.loads(line)[field] for line in lines}
    return sorted(text for text in found if not _WORK.search(text))
