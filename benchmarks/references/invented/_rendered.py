"""Reference strings rendered by a program, so that their fields are known: styles that the hand-made set lacks.

They are rendered from records of `data/biblio`.
A template is written as `field:text|field:text`, with `¦` for a bar; every character belongs to a field.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import TypeAlias

from benchmarks.references.invented import _words as words
from benchmarks.references.invented._segmented import Example
from guardrail.references.bibliography.records import Record
from guardrail.references.citations.fields import Stretch

__all__ = ["KINDS", "rendered"]

Values: TypeAlias = dict[str, str]

SEED = 0
_MARKDOWN = (
    'title:**{t}** |author:by {a} |date:({y})',
    'title:**{t}** – |author:{a} |date:({y})',
    'title:**{t}** |date:({y}) |author:by {a}',
    'title:**"{t}"** |author:by {a} |date:({y}) |remark:– {r}',
    'title:*{t}* |author:by {a} |publisher:({k}, |date:{y})',
    'title:*{t}* - |author:{a}, |date:{y}',
    'title:"{t}" |author:by {a} |date:({y})|remark: - {r}',
    'title:"{t}" |author:by {a}, |journal:{j} |date:({y})',
    'title:“{t}” |author:{a}, |journal:*{j}*, |date:{y}.',
    'title:{t} - |author:{a} |date:({y})',
    'title:{t} |author:by {a}',
    'title:{t} |author:({a}, |date:{y})',
    'title:"{t}" |author:({a}, |date:{y})|remark: – {r}',
    'title:{t}. |author:{a}. |journal:{j}, |date:{y}.',
    'title:{t} — |author:{a}, |container:{c} |date:{y}',
    'author:**{a} |date:({y})** – |title:"{t}" |remark:– {r}.',
    'author:**{a} |date:({y}).** |title:*{t}*. |journal:{j}, |volume:{v}({i}), |pages:{p}.',
    'author:{a} |date:({y}). |title:"{t}." |journal:*{j}*, |volume:{v}({i}), |pages:{p}.',
    'author:{a} |date:({y}). |title:**{t}**. |container:*{c}*. |remark:{r}',
    'author:{a} |date:({y}): |title:{t}',
    'author:{a}, |title:"{t}", |container:{c} |date:{y}',
    'author:{a}: |title:{t}. |container:{c} |date:{y}',
    'author:{a}, |title:*{t}* |publisher:({k}, |date:{y})',
    "author:{f}'s |title:*{t}* |publisher:({k}, |date:{y})",
    "author:{f}’s |title:“{t}” |date:({y})",
    'title:[{t}]|url:({u}) |author:- {a}, |container:{c} |date:{y}',
    'title:[{t} |author:({a}, |date:{y})]|url:({u})',
    'title:[{t}]|url:({u}) |author:by {a} |date:({y})',
    'title:**Title:** {t} |author:**Authors:** {a} |date:**Year:** {y} |journal:**Journal:** {j}',
    'title:Title: {t} |author:Authors: {a} |container:Venue: {c} |date:Year: {y}',
    'title:{t} ¦ |author:{a} ¦ |container:{c} ¦ |date:{y}',
)  # fmt: skip
_STYLES = (
    'author:{a} |date:({y}). |title:{t}. |journal:{j}, |volume:{v}({i}), |pages:{p}. |doi:{d}',
    'author:{a} |date:({y}). |title:{t}. |container:In {c} |pages:(pp. {p}). |publisher:{k}.',
    'author:{a} |title:“{t}.” |journal:{j} |volume:{v}, no. {i} |date:({y}): |pages:{p}. |doi:{d}.',
    'author:{a}. |title:{t}. |journal:{j}. |date:{y};|volume:{v}({i}):|pages:{p}.',
    'author:{a}, |title:“{t},” |container:in {c}, |date:{y}, |pages:pp. {p}.',
    'author:{a}, |title:"{t}," |journal:{j}, |volume:vol. {v}, no. {i}, |pages:pp. {p}, |date:{y}, |doi:doi: {d}.',
    'author:{a}. |title:{t}. |container:In {c}, |date:{y}.',
    'author:{a}. |date:{y}. |title:{t}. |container:In {c}. |publisher:{k}, |location:{l}.',
    'author:{a} |date:{y}, |title:{t}, |publisher:{k}, |location:{l}.',
    'author:{a}. |title:*{t}*. |location:{l}: |publisher:{k}, |date:{y}.',
    'author:({a}, |journal:{j} |date:{y};|volume:{v}:|pages:{p})',
    'author:{a}. |title:{t}. |journal:{j} |volume:{v}, |pages:{p} |date:({y}).',
)  # fmt: skip
_PREPRINTS = (
    'author:{a}. |title:{t}. |note:arXiv preprint arXiv:{x}, |date:{y}.',
    'author:{a} |date:({y}). |title:{t}. |note:arXiv preprint arXiv:{x}.',
    'author:{a} |date:({y}). |title:*{t}*. |note:arXiv. |doi:https://doi.org/10.48550/arXiv.{x}',
    'author:{a}, |title:“{t},” |note:arXiv:{x}, |date:{y}.',
    'author:{a}. |title:{t}. |note:bioRxiv |date:({y}). |doi:doi:10.1101/{v}{v}{i}',
    'author:{a}. |title:{t}. |date:{y}. |url:https://arxiv.org/abs/{x}',
    'title:{t} |author:({a}, |date:{y}), |note:arXiv:{x}',
    'title:"{t}" – |author:{a} |date:({y}) – |note:arXiv:{x}',
    'author:{a} |date:({y}). |title:{t}. |note:SSRN Electronic Journal. |doi:https://doi.org/10.2139/ssrn.{v}{v}',
)  # fmt: skip
_WEB = (
    'author:{a} |date:({y}, {m} {n}). |title:*{t}*. |publisher:{s}. |url:{u}',
    'author:{a}. |date:({y}, {m} {n}). |title:{t}. |publisher:{s}. |url:{u}',
    'author:{o}. |date:({y}, {m} {n}). |title:*{t}*. |url:{u}',
    'author:{o}. |date:({y}). |title:{t}. |note:Retrieved {m} {n}, {y}, from |url:{u}',
    'author:{o} |date:({y}) |title:{t}. |location:{l}: |publisher:{o}.',
    'author:{a}. |title:“{t}.” |publisher:{s}, |date:{n} {m} {y}, |url:{u}. |note:Accessed {n} {m} {y}.',
    'author:{o}. |date:(n.d.). |title:{t}. |url:{u}',
    'title:{t}. |date:({y}, {m} {n}). |publisher:{s}. |url:{u}',
)  # fmt: skip


def _fields(rng: random.Random, record: Record) -> Values:
    family = record.authors[0].split(",")[0] if "," in record.authors[0] else record.authors[0].split()[-1]
    return {"a": _authors(rng, record), "f": family, "t": record.title, "c": record.venue}


def _named(rng: random.Random, name: str, style: int) -> str:
    """A name "Given Names Family" in one of the usual forms."""
    family, given = (
        (name.partition(", ")[::2])
        if ", " in name
        else (name.rsplit(maxsplit=1)[-1], " ".join(name.split()[:-1]))
    )
    initials = [part[0] for part in given.replace("-", " ").split() if part[0].isalpha()]
    if not initials:
        return family
    if rng.random() < 0.3 and len(initials) == 1:
        initials.append(rng.choice("ABCDEFGHJKLMRSTW"))
    return (
        f"{given} {family}",
        f"{family}, {' '.join(f'{letter}.' for letter in initials)}",
        f"{' '.join(f'{letter}.' for letter in initials)} {family}",
        f"{family} {''.join(initials)}",
        f"{family}, {given}",
    )[style]


def _authors(rng: random.Random, record: Record) -> str:
    names = [name for name in record.authors if name.strip()] or ["Jane Doe"]
    style = rng.choice((0, 0, 1, 1, 2, 3, 4))
    cut = record.et_al or (len(names) > 1 and rng.random() < 0.25)
    if cut and rng.random() < 0.5:
        family = names[0].split(",")[0] if "," in names[0] else names[0].split()[-1]
        return f"{family} et al."
    made = [_named(rng, name, style if style != 4 or not at else 0) for at, name in enumerate(names)]
    if cut:
        return ", ".join(made) + ", et al."
    if len(made) == 1:
        return made[0]
    last = rng.choice((" and ", ", and ", ", & ", " & ", ", "))
    return ", ".join(made[:-1]) + last + made[-1]


KINDS: Mapping[str, tuple[Sequence[str], int]] = {
    "markdown and chatbots' lists": (_MARKDOWN, 5),
    "citation styles": (_STYLES, 2),
    "preprints": (_PREPRINTS, 2),
    "web pages": (_WEB, 2),
}
"""Templates, and how many of each kind come in a round of 11."""


def rendered(records: Sequence[Record], count: int) -> dict[str, list[Example]]:
    """About `count` strings by kind; equal arguments give equal strings.

    Args:
        records: of a bibliography; those without authors, year or a venue of fewer than 40 characters are passed over.
        count: of strings in all.
    """
    rng = random.Random(SEED)
    usable = [record for record in records if record.authors and record.year and 3 < len(record.venue) < 40]
    total = sum(share for _, share in KINDS.values())
    found: dict[str, list[Example]] = {}
    for kind, (templates, share) in KINDS.items():
        found[kind] = []
        for number in range(count * share // total):
            record = rng.choice(usable)
            filled = _numbers(rng, record) | _fields(rng, record)
            found[kind].append(_render(templates[number % len(templates)], filled))
    return found


def _numbers(rng: random.Random, record: Record) -> Values:
    first = rng.randint(1, 900)
    number = rng.randint(100, 99_999)
    slug = "-".join(record.title.lower().split()[:3])
    return {
        "y": str(record.year), "v": str(rng.randint(1, 120)), "i": str(rng.randint(1, 12)), "n": str(rng.randint(1, 28)),
        "p": f"{first}{rng.choice('-–')}{first + rng.randint(2, 30)}", "d": f"https://doi.org/10.{rng.randint(1000, 9999)}/{number}",
        "x": f"{rng.randint(10, 25):02}{rng.randint(1, 12):02}.{rng.randint(1000, 19999):05}",
        "u": f"https://www.{rng.choice(('example', 'journal', 'nature', 'arxiv'))}.org/{slug}",
        "m": rng.choice(["January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"]),
        "r": rng.choice(words.REMARKS), "o": rng.choice(words.ORGANISATIONS), "s": rng.choice(words.SITES),
        "j": rng.choice(words.JOURNALS), "k": rng.choice(words.PRESSES), "l": rng.choice(words.CITIES),
    }  # fmt: skip


def _render(template: str, values: Values) -> Example:
    text = ""
    stretches = []
    for piece in template.split("|"):
        field, _, pattern = piece.partition(":")
        written = pattern.format(**values).replace("..", ".").replace("?.", "?").replace("¦", "|")
        stretches.append(Stretch(field, len(text), len(text) + len(written)))
        text += written
    return Example(text, tuple(stretches))
