"""Lists of authors: reading one out of a model's reply, and telling how far two of them agree.

Nothing here asks a model; which two names are one author's is said by `guardrail.references.authors.names.same_author`.
Every function reads a bounded part of its input (`LONGEST_REPLY`, `MOST_AUTHORS`), so that a hostile reply
costs no more than a long one.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from guardrail.references.authors.names import (
    LONGEST_NAME,
    Name,
    NameKey,
    are_initials,
    name_key,
    parse_name,
    same_key,
)
from guardrail.references.authors.words import (
    ANSWERS,
    DEGREES,
    EAST_ASIAN,
    EAST_ASIAN_PROSE,
    NEVER_NAMES,
    PARTICLES,
    PLACEHOLDERS,
    SUFFIXES,
    WORDS_OF_BODIES,
)

LONGEST_REPLY = 4000
"""Characters of a reply that are read."""

MOST_AUTHORS = 64
"""Authors of a list that are read."""

# --- reading a list ----------------------------------------------------------------------------------------

_TITLE = r"(?:\"[^\"\n]{1,300}\"|“[^”\n]{1,300}”|[^\"\n]{1,200}?)"
_LEAD = re.compile(
    r"[\W_]{0,9}(?:(?:the )?(?:names? of the )?(?:author|editor)s?(?:\(s\))?(?: names?| list)?[*_ ]{0,4}[:\-–—]+"
    rf"|(?:the )?(?:author|editor)s?(?: of {_TITLE},?)? (?:is|are):?[*_]{{0,3}}\s|(?:written |edited )?by:? )",
    re.IGNORECASE,
)
_BULLET = re.compile(r"^\s*(?:[-*•‣◦–—]|\(?\d{1,3}[.)\]:])\s*", re.MULTILINE)
_ET_AL = re.compile(
    r",?\s?\b(?:et\.? ?al(?:ii|ia)?\b\.?|(?:(?:and|&) )?(?:many )?others\b|and co-?workers\b)|等",
    re.IGNORECASE,
)
_EDITORS = re.compile(r"[(\[]\s?(?:eds?|editors?|hrsg|authors?)\.?\s?[)\]]", re.IGNORECASE)
_ASIDE = re.compile(r"[(\[]([^()\[\]\n]{0,200})[)\]]")
_SEGMENT = re.compile(r"[;\n]|(?<!\S)(?:and|und|et|with|&)(?!\S)", re.IGNORECASE)
_INITIAL = re.compile(r"\b\w\.(?!\w\w)")
_MOST_INITIALS = 3  # in one word
_DIGITS = re.compile(r"\d")
_CAPITALS = re.compile(r"[A-Z]")
_STRANGE = re.compile(r"[^\w\s.,'’‘`´ʼ\-‐‑–·&()]|_")


def parse_authors(reply: str) -> tuple[Name, ...] | None:
    """Read the list of authors that a model was asked for.

    Understands "AUTHORS:" and "The authors of … are" in front, bullets, one name a line, "and", "&", ";",
    "et al.", "(Eds.)", and "Last, First" or "Last, F." pairs between commas.

    Args:
        reply: what the model said; only its first `LONGEST_REPLY` characters and `MOST_AUTHORS` names are read.

    Returns:
        The names in order, each once; `None` if the reply is anything else than a list of authors: a
        refusal, prose, a placeholder, nothing.

    Example:
        >>> [str(name) for name in parse_authors("AUTHORS: Koop, G., & Potter, S. M.")]
        ['G Koop', 'S M Potter']
        >>> parse_authors("I could not find a reference with that title.") is None
        True
    """
    text = unicodedata.normalize("NFKC", reply[:LONGEST_REPLY])[:LONGEST_REPLY]
    cut = len(text) >= LONGEST_REPLY
    text = (
        text.replace("、", ",")
        .replace("**", "")
        .replace("_", " ")
        .replace("\r\n", "\n")
        .replace("\r", "\n")
        .strip()
    )
    led = _LEAD.match(text)
    body = text[led.end() :] if led else text
    names = _parse_body(body, cut=cut)
    if names is None and led and "\n\n" in body:
        names = _parse_body(body.strip().partition("\n\n")[0], cut=False)  # a list, then a remark
    return names


def _parse_body(body: str, *, cut: bool) -> tuple[Name, ...] | None:
    if any(mark in body for mark in "<>{}?!:=@"):
        return None
    plain = _ASIDE.sub(_nickname_only, _EDITORS.sub("", _BULLET.sub("", body)))
    plain = _ET_AL.sub("", plain)
    segments = [_pieces(segment) for segment in _SEGMENT.split(plain)]
    segments = [segment for segment in segments if segment]
    if cut and segments:
        segments[-1].pop()  # it may have lost its end
    pieces = _join([segment for segment in segments if segment])
    if not pieces or not all(_is_name(piece) for piece in pieces):
        return None
    unique = {name_key(name).whole: name for name in reversed([parse_name(p) for p in pieces[:MOST_AUTHORS]])}
    return tuple(name for whole, name in reversed(unique.items()) if whole) or None


def _nickname_only(aside: re.Match[str]) -> str:
    """A nickname in brackets stays, anything longer goes: "(also known as …)", "(MIT, Cambridge)"."""
    return f"({aside[1]})" if aside[1].isalpha() else ""


def _pieces(segment: str) -> list[str]:
    pieces = [piece.strip(" \t\"'“”*`。").removesuffix("..") for piece in segment.split(",")]
    return [
        piece
        for piece in pieces
        if piece.strip(". ") and piece.replace(".", "").strip("() ").casefold() not in DEGREES
    ]


def _join(segments: list[list[str]]) -> list[str]:
    """Pieces between commas, with family names and the given names that follow them put together."""
    if len(segments) > 1 and all(len(segment) == 2 and _is_one_word(segment[0]) for segment in segments):
        return [", ".join(segment) for segment in segments]  # "Dobre, Ana Maria; Floroiu, Roxana"
    joined = [_join_initials(segment) for segment in segments]
    paired = [_paired(segment) for segment in joined]
    if all(pairs or " " in segment[0] for pairs, segment in zip(paired, joined, strict=True)):
        joined = [pairs or segment for pairs, segment in zip(paired, joined, strict=True)]
    return [piece for segment in joined for piece in segment]


def _join_initials(segment: list[str]) -> list[str]:
    """Attach "J. D.", "Jeffrey D." and "Jr." to the family name before them."""
    found: list[str] = []
    open_family = False  # whether the last piece is a family name that may still get its given names
    for piece in segment:
        words = piece.replace(".", " ").split()
        capitals = not piece.isupper() and len(words) > 1  # Cohen LE; LE is a family name, too
        initials = [
            are_initials(word) or (capitals and word.isupper() and len(word) <= _MOST_INITIALS)
            for word in words
        ]
        if open_family and found[-1].isupper() and max(map(len, words)) > 1:
            open_family = False  # "IEEE, ISO"
        if found and len(words) == 1 and words[0].casefold() in SUFFIXES:
            found[-1] += f", {piece}"
        elif open_family and (
            all(initials) or (initials[-1] and not initials[0] and _is_one_word(found[-1]))
        ):
            found[-1] += f", {piece}"
            open_family = False
        else:
            found.append(piece)
            open_family = not any(initials) and len(words) <= 4
    return found


def _is_one_word(piece: str) -> bool:
    """Whether it is "Ullman" or "van Steen", which needs a given name; "IEEE" and "张伟" do not."""
    if "," in piece or piece.isupper() or EAST_ASIAN.search(piece):
        return False
    return sum(word.casefold() not in PARTICLES for word in piece.split()) == 1


def _paired(segment: list[str]) -> list[str] | None:
    """The pieces as family name, given name, family name, given name and so on, if that is what they are."""
    found: list[str] = []
    singles = sum(map(_is_one_word, segment))
    surely = len(segment) >= 6 and 2 * singles > len(segment)  # then "Sawaya, Nicolas Peter" is a pair, too
    pieces = iter(segment)
    for piece in pieces:
        if "," in piece:  # has its given names already
            found.append(piece)
        elif not _is_one_word(piece) or not (given := next(pieces, "")):
            return None
        elif surely or _is_one_word(_INITIAL.sub("", given)):
            found.append(f"{piece}, {given}")
        else:
            return None
    return found


def _is_name(piece: str) -> bool:
    """Whether a piece of a list can be the name of a person or of an organisation."""
    folded = piece.casefold().replace("’", "'")
    words = re.split(r"[\s,]+", piece)
    if len(piece) > LONGEST_NAME or len(words) > 9 or _STRANGE.search(piece):
        return False
    if folded.strip(" .") in PLACEHOLDERS | ANSWERS or not NEVER_NAMES.isdisjoint(
        word.strip("(),.0123456789") for word in folded.split()
    ):
        return False
    if any(
        not word.isalpha() and _DIGITS.search(word) and len(_CAPITALS.findall(word)) < 2 for word in words
    ):
        return False  # "Author 1", but "W3C", "RIPv6 Working Group"
    if EAST_ASIAN.search(piece):
        return len(piece) <= 24 and max(map(len, words)) <= 12 and not EAST_ASIAN_PROSE.search(piece)
    small = [word for word in words if word.islower()]
    return len(small) < len(words) and all(word.strip(".") in PARTICLES | WORDS_OF_BODIES for word in small)


# --- comparing two lists -----------------------------------------------------------------------------------


def _partners(a: Sequence[NameKey], b: Sequence[NameKey]) -> dict[int, int]:
    """A largest one-to-one matching, from places in `b` to places in `a` (augmenting paths)."""
    edges = [[j for j, other in enumerate(b) if same_key(key, other)] for key in a]
    partner: dict[int, int] = {}

    def place(i: int, seen: set[int]) -> bool:
        for j in edges[i]:
            if j not in seen:
                seen.add(j)
                if j not in partner or place(partner[j], seen):
                    partner[j] = i
                    return True
        return False

    for i in range(len(a)):
        place(i, set())
    return partner


def _ordered(a: Sequence[NameKey], b: Sequence[NameKey], partners: Mapping[int, int]) -> bool:
    """Whether as many of `a` can be matched with `b` without changing their order."""
    places = [partners[j] for j in sorted(partners)]
    if places == sorted(places):
        return True
    row = [0] * (len(b) + 1)  # longest common subsequence
    for key in a:
        before = row[:]
        for j, other in enumerate(b):
            row[j + 1] = max(before[j + 1], row[j], before[j] + same_key(key, other))
    return row[-1] == len(partners)


def overlap(a: Sequence[Name], b: Sequence[Name]) -> float:
    """The share of authors that two lists have in common: matched one to one, over all distinct authors.

    Returns:
        A number in [0, 1], 1 for the same authors in any order; 0 if either list is empty (a reply that is no
        list overlaps with nothing). Symmetric.

    Example:
        >>> ours, theirs = parse_authors("A. Aho, J. Ullman"), parse_authors("Jeffrey Ullman, Ravi Sethi")
        >>> round(overlap(ours, theirs), 3)
        0.333
    """
    if not a or not b:
        return 0.0
    ours, theirs = ([name_key(name) for name in names[:MOST_AUTHORS]] for names in (a, b))
    matched = len(_partners(ours, theirs))
    return matched / (len(ours) + len(theirs) - matched)


# --- a quotation and a real work ---------------------------------------------------------------------------


def _quoted(names: Sequence[str]) -> tuple[list[NameKey], bool]:
    """The authors of a quotation, and whether it was cut short by "et al."."""
    found: list[NameKey] = []
    cut = False
    for text in names[:MOST_AUTHORS]:
        plain, dropped = _ET_AL.subn("", _EDITORS.sub("", text[:LONGEST_REPLY]))
        cut = cut or dropped > 0
        found.extend(name_key(parse_name(piece)) for piece in _SEGMENT.split(plain))
    return [key for key in found if key.whole][:MOST_AUTHORS], cut


@dataclass(frozen=True, slots=True)
class ListComparison:
    """How the authors of a quotation compare with those of the real work.

    Attributes:
        agree: `False` if somebody is claimed who did not write it; `None` where that is unknown.
        claimed: how many are named.
        known: how many the source names.
        strangers: places, among those claimed, of names that nobody of the work has.
        namesakes: whether every stranger has the family name of an author who is otherwise missing.
        missing: how many of the work's known authors are not named.
        ordered: whether those that agree are in the work's order.
        claimed_is_cut: whether the quotation ends in "et al.".
        found_is_cut: whether the source knows the first authors only.
        bare: whether the quotation has family names only.
    """

    agree: bool | None
    claimed: int = 0
    known: int = 0
    strangers: tuple[int, ...] = ()
    namesakes: bool = False
    missing: int = 0
    ordered: bool = True
    claimed_is_cut: bool = False
    found_is_cut: bool = False
    bare: bool = False


def compare_authors(
    claimed: Sequence[str], found: Sequence[str], *, found_is_cut: bool = False, claimed_is_cut: bool = False
) -> ListComparison:
    """Compare the authors of a quotation with those of the real work: order, missing, added and changed names.

    Args:
        claimed: one name each, as quoted: full names, family names, "Smith et al.", "Smith & Jones".
        found: the work's authors, first ones first.
        found_is_cut: whether the work has more authors than `found` ("et al." among them says so as well).
        claimed_is_cut: whether the quotation ended in "et al."; so it does if a name of it does.

    Example:
        >>> compared = compare_authors(["A. Lee", "J. Smith"], ["John Smith", "Ann Lee", "Bo Chen"])
        >>> compared.agree, compared.ordered, compared.missing
        (True, False, 1)
    """
    ours, ours_cut = _quoted(claimed)
    theirs, theirs_cut = _quoted(found)
    if not ours or not theirs:
        return ListComparison(None)
    partners = _partners(ours, theirs)
    strangers = tuple(i for i in range(len(ours)) if i not in partners.values())
    missing = [key for j, key in enumerate(theirs) if j not in partners]
    cut = found_is_cut or theirs_cut
    return ListComparison(
        agree=_agreement_of(ours, theirs, len(partners), cut=cut, full=not (claimed_is_cut or ours_cut)),
        claimed=len(ours),
        known=len(theirs),
        strangers=strangers,
        namesakes=bool(strangers)
        and len(_partners([_family(ours[i]) for i in strangers], [*map(_family, missing)])) == len(strangers),
        missing=len(missing),
        ordered=_ordered(ours, theirs, partners),
        claimed_is_cut=claimed_is_cut or ours_cut,
        found_is_cut=cut,
        bare=not any(reading.given for key in ours for reading in key.readings),
    )


def _family(key: NameKey) -> NameKey:
    """The family name alone."""
    family = max(key.readings[0].families, key=len, default="")
    return name_key(Name(family))


def _agreement_of(
    ours: Sequence[NameKey], theirs: Sequence[NameKey], matched: int, *, cut: bool, full: bool
) -> bool | None:
    if matched == len(ours):
        return True
    if not cut:
        return False
    if matched == len(theirs):
        return True  # all that is known is claimed; the rest are names beyond it
    if len(ours) > len(theirs) and full:
        return False  # a full list, longer than what is known, that lacks some of the known
    return None if matched else False
