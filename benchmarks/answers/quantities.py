"""How often a quantity or quotation is rightly, and how often wrongly, said to be another than the documents': no model is asked.

On the labelled answers of `data/grounding`, and on pairs that a program made of supported sentences by changing one thing.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.grounding.sets import SETS, Example, read
from guardrail.selfcheck.grounding.premises import readable
from guardrail.text.known_quantities import KnownQuantities
from guardrail.text.quantities import quantities
from guardrail.text.quotations import KnownTexts, quotations
from guardrail.text.sentences import split_sentences
from guardrail.text.typography import normalised

__all__ = ["made", "main"]

_SWAPS = {
    "magnitude": ({"million": "billion", "billion": "million", "thousand": "million", "trillion": "billion"},),
    "unit": (
        {"miles": "kilometres", "kilometers": "miles", "kilometres": "miles", "feet": "metres", "meters": "feet", "metres": "feet"},
        {"mph": "km/h", "km/h": "mph", "km": "miles", "pounds": "kilograms", "kg": "pounds", "inches": "centimetres"},
        {"minutes": "hours", "hours": "minutes", "days": "weeks", "weeks": "months", "months": "years", "years": "months"},
        {"litres": "millilitres", "ml": "litres", "grams": "milligrams", "mg": "grams", "cups": "tablespoons"},
    ),
    "currency": ({"$": "€", "£": "$", "€": "£", "dollars": "euros", "euros": "dollars"},),
    "sign": (
        {"rose": "fell", "fell": "rose", "increase": "decrease", "increased": "decreased", "dropped": "climbed", "grew": "shrank"},
        {"up": "down", "down": "up", "higher": "lower", "lower": "higher", "decrease": "increase", "decreased": "increased"},
    ),
}  # fmt: skip


def made(sentence: str, *, seed: int = 0) -> Iterator[tuple[str, str]]:
    """Sentences that are false by one change each: the kind of the change, and the sentence."""
    near = [(max(0, one.start - 12), one.end + 9) for one in quantities(sentence)[0]]
    for kind, tables in _SWAPS.items():
        swaps = {word: other for table in tables for word, other in table.items()}
        for word, other in swaps.items():
            bounded = rf"(?<!\w){re.escape(word)}(?!\w)" if word.isalpha() else re.escape(word)
            for match in re.finditer(bounded, sentence):
                if any(start <= match.start() < end for start, end in near):
                    yield kind, sentence[: match.start()] + other + sentence[match.end() :]
    rng = random.Random(f"{seed}{sentence}")
    for said in quotations(sentence):
        words = said.split()
        words[rng.randrange(len(words))] = "purple"
        yield "quotation", sentence.replace(said, " ".join(words))


class _Known:
    """Documents, read once."""

    def __init__(self, documents: Sequence[str]) -> None:
        texts = [readable(one) for one in documents]
        self.quantities, self.texts = KnownQuantities(texts), KnownTexts(texts)

    def accused(self, sentence: str) -> list[tuple[str, str, str]]:
        """What is wrong: the kind, what is said, what the documents say."""
        plain = normalised(sentence)
        found = [(one.kind, one.said, one.known) for one in self.quantities.faults(plain)]
        return found + [("quotation", one.said, one.known) for one in self.texts.faults(sentence)]


def _rows(
    folder: Path, names: Sequence[str], *, show: bool
) -> Iterator[tuple[str, Counter[str], Counter[str]]]:
    """By set: answers and accused ones by label, and made pairs and found ones by kind."""
    for name in names:
        known: dict[tuple[str, ...], _Known] = {}
        natural: Counter[str] = Counter()
        pairs: Counter[str] = Counter()
        for example in read(folder, name):
            if example.documents not in known:
                known[example.documents] = _Known(example.documents)
            _count(example, known[example.documents], natural, pairs, show=show)
        yield name, natural, pairs


def _count(
    example: Example, known: _Known, natural: Counter[str], pairs: Counter[str], *, show: bool
) -> None:
    label = "unsupported" if example.unsupported else "supported"
    natural[label] += 1
    kinds = set()
    for sentence in split_sentences(example.answer):
        accused = known.accused(sentence)
        kinds |= {kind for kind, *_ in accused}
        for one in accused if show else ():
            sys.stderr.write(f"{label} {one} {sentence[:300]!r}\n")
        for kind, false in made(normalised(sentence)) if not (example.unsupported or accused) else ():
            pairs[f"{kind}, made"] += 1
            pairs[f"{kind}, found"] += any(
                found == kind or {found, kind} == {"unit", "other"} for found, *_ in known.accused(false)
            )
    natural[f"{label}, accused"] += bool(kinds)
    natural.update(f"{label}, {kind}" for kind in kinds)


def main(argv: Sequence[str] | None = None) -> int:
    """Print the counts of each set, and of all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="data/grounding")
    parser.add_argument("--sets", nargs="*", default=list(SETS))
    parser.add_argument("--show", action="store_true", help="write the accused sentences to stderr")
    options = parser.parse_args(argv)
    natural: Counter[str] = Counter()
    pairs: Counter[str] = Counter()
    for name, own, made_up in _rows(options.folder, options.sets, show=options.show):
        sys.stdout.write(f"{name}: {dict(sorted(own.items()))}\n")
        natural += own
        pairs += made_up
    sys.stdout.write(f"all: {dict(sorted(natural.items()))}\n")
    for kind in sorted({key.partition(",")[0] for key in pairs}):
        sys.stdout.write(f"made, {kind}: {pairs[f'{kind}, found']} of {pairs[f'{kind}, made']} found\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
