"""What leads in a list of authors in a sentence: "See Carson, R.", "Por ejemplo, Osborne & Rubinstein".

No list of such words is complete, in any language. So a name is compared again without its first words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from guardrail.references.authors.lists import parse_authors

__all__ = ["without_lead"]

LONGEST = 4  # words that lead in names
_PAUSES = (",", "،", "，", "、")


def without_lead(names: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """The names without their first word, their first two words and so on, as far as these may lead in names.

    They may not if one is an initial, or if they are a name in full: "John Smith, Carson, R." names two people.

    Example:
        >>> list(without_lead(["Vezi", "Fastovsky, D. E.", "Weishampel, D. B."]))
        [('Fastovsky, D. E.', 'Weishampel, D. B.')]
        >>> next(without_lead(["Por ejemplo, Osborne & Rubinstein"]))
        ('Osborne', 'Rubinstein')
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
        if not rest and len(names) > 1:
            yield tuple(names[1:])
        elif rest and (read := parse_authors(" ".join(rest))):
            yield (*(name.raw for name in read), *names[1:])


def _is_initials(word: str) -> bool:
    """Whether a word is "R." or "J.-P."; "e.g." is not."""
    letters = re.split(r"[.-]+", word.strip(".,"))
    return all(len(letter) == 1 and letter.isupper() for letter in letters)
