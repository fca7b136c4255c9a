"""What leads in a list of authors in a sentence: "See Carson, R.", "Por ejemplo, Osborne & Rubinstein".

No list of such words is complete, in any language. So a name is compared again without its first words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from guardrail.references.authors.lists import parse_authors

LONGEST = 4  # words that lead in names
_PAUSES = (",", "،", "，", "、")


@dataclass(frozen=True, slots=True)
class Led:
    """Names without what may lead them in.

    Attributes:
        names: the rest.
        lead: what was before.
        may_name: whether the lead may be somebody's name by how it is written: "Vezi, Fastovsky, D. E." may name two people.
    """

    names: tuple[str, ...]
    lead: str
    may_name: bool


def without_lead(names: Sequence[str]) -> Iterator[Led]:
    """The names without their first word, their first two words and so on, as far as these may lead in names.

    They may not if one is an initial, or if they are a name in full: "John Smith, Carson, R." names two people.

    Example:
        >>> next(without_lead(["Por ejemplo, Osborne & Rubinstein"]))
        Led(names=('Osborne', 'Rubinstein'), lead='Por ejemplo,', may_name=False)
        >>> next(without_lead(["Vezi", "Fastovsky, D. E."]))
        Led(names=('Fastovsky, D. E.',), lead='Vezi', may_name=True)
        >>> list(without_lead(["R. Carson"]))
        []
    """
    if not names:
        return
    words = names[0].split()
    for size in range(1, min(LONGEST, len(words)) + 1):
        lead, rest = words[:size], words[size:]
        parted = not rest or lead[-1].endswith(_PAUSES)
        if _is_initials(lead[-1]) or (parted and sum(word[:1].isupper() for word in lead) > 1):
            return
        may_name = parted and not any(word[:1].islower() for word in lead)
        if not rest and len(names) > 1:
            yield Led(tuple(names[1:]), " ".join(lead), may_name)
        elif rest and (read := parse_authors(" ".join(rest))):
            yield Led((*(name.raw for name in read), *names[1:]), " ".join(lead), may_name)


def _is_initials(word: str) -> bool:
    """Whether a word is "R." or "J.-P."; "e.g." is not."""
    letters = re.split(r"[.-]+", word.strip(".,"))
    return all(len(letter) == 1 and letter.isupper() for letter in letters)
