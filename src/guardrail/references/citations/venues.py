"""Names of journals, conferences and publishers, as sentences give them: (Harper & Row, 1974), in *American Psychologist*."""

from __future__ import annotations

import re
from functools import lru_cache

from guardrail.references.bibliography.conferences import conference
from guardrail.references.bibliography.journals import journals
from guardrail.references.bibliography.normalise import normalise
from guardrail.references.citations.houses import is_press
from guardrail.references.citations.words import VENUE

__all__ = ["is_journal", "is_venue"]

_SHORTENED_PLAIN = re.compile(  # N Engl J Med, but not La Reproduction or He et al.
    r"(?<!\w)J\s[A-Z]|(?:[A-Z]\w{0,8}\s){2}[A-Z]\w*$"
)
_NO_VENUES = frozenset({"RFC", "ISO", "DIN", "ANSI", "ISBN", "ISSN", "DVD", "BCE", "USA", "USSR", "TBA"})
_SHORTEST, _LONGEST = 3, 120  # characters of a name
_PRESS = re.compile(
    r"(?<!\w)(?:UP|U\.P\.|Univ\.|Presse?s?|Publications?|Publishing|Publishers?|Books|Verlag|Éditions|Editions|Editorial|Ediciones|Editora|"
    r"& (?:Row|Schuster|Unwin|Hall|Windus|Rinehart|Co|Company|Sons|Stoughton|Nicolson|Warburg|Wishart|Breakfast|Winston|Francis)|"
    r"and (?:Row|Schuster|Unwin|Hall|Windus|Co|Company|Sons)|Journal|Review|Quarterly|Proceedings|Transactions|Annals|Bulletin)(?!\w)"
)
_NAMES = (
    "Allyn and Bacon|Atheneum|Berg|Bodley Head|CUP|Delacorte|Dell|Dent|Duckworth|Free Press|Liveright|Longman|Longmans|Murray|OUP|Oneworld|Puffin|"
    "Reaktion|Sheed Ward|Stackpole|Tarcher|Taschen|Tauris|Ten Speed|Thames Hudson|Unwin|Van Nostrand|Verso|Viking|Virago|Wadsworth|W H Freeman|Freeman|"
    "Weidenfeld Nicolson|Westview|William Morrow|Zed|Zone|Harvard|Princeton|Yale|Oxford|Cambridge|Stanford|Cornell|Chicago|MIT|Duke|Columbia|"
    "The Atlantic|Atlantic Monthly|New Yorker|Harper's|Language|Diacritics|Psychological Science|Lancet|Guardian|Economist|New York Times|"
    "NEJM|JAMA|BMJ|PNAS|AER|QJE|JPE|ApJ|PRL|CACM|JMLR|TACL|Washington Post|Le Monde|Wired|Slate|Aeon|Quanta|Time|Newsweek|Scientific American"
)
_MORE = frozenset(map(normalise, _NAMES.split("|")))
"""Further publishers, magazines, and universities that lend their names to a press."""


@lru_cache(maxsize=4096)
def is_venue(name: str) -> bool:
    """Whether a name is known as that of a journal, a conference or a publisher; that it is not proves nothing.

    Example:
        >>> [is_venue(name) for name in ("Harper & Row", "PNAS", "Biological Conservation", "Kahneman")]
        [True, True, True, False]
    """
    name = name.strip(" *_.,;:")
    said = normalise(name).removeprefix("the ")
    if len(said) < _SHORTEST or len(name) > _LONGEST:
        return False
    first, stroke, second = name.partition("/")
    if stroke and (is_venue(first) or is_venue(second)):
        return True  # SPCK/Fortress
    if is_press(name) or _PRESS.search(name) or said in _MORE or f"the {said}" in _MORE:
        return True
    if VENUE.search(name) or conference(name) is not None:
        return True
    known = journals(name)
    short = name.isupper() or "." in name or _SHORTENED_PLAIN.search(name)
    return is_journal(name) or bool(known and short) or _is_acronym(name)


def is_journal(name: str) -> bool:
    """Whether a name is exactly that of a known journal, so that in italics it is no title of a work."""
    said = normalise(name).removeprefix("the ")
    return said in journals(said)


def _is_acronym(name: str) -> bool:
    """PVLDB, QJE, ICML 2019: no person is written like this."""
    return 3 <= len(name) <= 8 and name.isalpha() and name.isupper() and name not in _NO_VENUES
