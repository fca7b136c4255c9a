"""Field by field: what a work confirms of a quotation, what it contradicts, and what it leaves open.

A claim that a work cannot confirm is no error of the quotation, and nothing that was found, either. Preprint and print are
two records of one work: what either confirms is confirmed.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from guardrail.references.authors.inflection import uninflected
from guardrail.references.authors.leads import without_lead
from guardrail.references.authors.lists import ListComparison, compare_authors
from guardrail.references.authors.names import parse_name
from guardrail.references.authors.words import WORDS_OF_BODIES, word_set
from guardrail.references.bibliography.claims import Identifier, identifiers, same_address
from guardrail.references.bibliography.conferences import named
from guardrail.references.bibliography.journals import journals
from guardrail.references.bibliography.normalise import IDENTIFIERS, normalise
from guardrail.references.bibliography.records import (
    LED,
    FieldCheck,
    Match,
    Outcome,
    Record,
    Reference,
    in_order,
)
from guardrail.references.bibliography.venues import compare_venues, publishes, same_venue, unlike

# Bodies that stand for people: "the DeepMind Team" says nothing about who wrote it.
BODIES = word_set(
    "team teams group groups collaboration consortium committee researchers scientists authors author staff lab labs "
    "laboratory laboratories research university institute department company inc corporation organisation "
    "organization colleagues coauthors others unknown anonymous various google deepmind openai microsoft facebook "
    "meta nvidia"
)
# words of bodies that are often named by the beginning of their names
_LASTING = word_set(
    "academies academy agency association board bureau center centers centre centres commission "
    "committee council department institute institutes ministry office organisation organization panel "
    "society"
)
# Prefixes of archives: a work that has such a DOI may have another one where it was printed.
ARCHIVES = word_set(
    "10.48550 10.5281 10.2139 10.1101 10.64898 10.31234 10.31219 10.36227 10.21203 10.20944 10.6084 10.26434 10.5555"
)
SMALL = 2  # authors; in a longer list one wrong name does not make it badly wrong
_BODY = 3  # words of a name that stands for a body, at least
_SHORT = re.compile(r"[A-Z]{3,6}")
_COUPLE = 2  # authors who may be named with one family name
_RANK = {Outcome.CONFIRMED: 4, Outcome.NEAR: 3, Outcome.DIFFERS: 2, Outcome.OPEN: 0}
_OF_PREPRINTS = frozenset({"preprint", "published"})
_CASE = re.compile(r"\sv\.?\s")
_DASH = re.compile(r"\s*(?:[-\u2010-\u2015\u2212]+|\bto\b)\s*")
_NUMBERS = ("volume", "issue", "pages")


def check_fields(
    reference: Reference, title: FieldCheck | None, works: Sequence[Record], others: Iterable[Record] = ()
) -> tuple[FieldCheck, ...]:
    """One check for each field that was claimed, in the order of `Reference`.

    Args:
        reference: as quoted.
        title: the check of the title, which was made to find the works.
        works: the records of the one work, the nearest first.
        others: records of other works, one of which may own an identifier that was given.
    """
    found = {} if title is None else {"title": title}
    checks = [_best(check_authors(reference, work)[0] for work in works)] if reference.authors else []
    checks += [_best(_year(reference, work) for work in works)] if reference.year is not None else []
    checks += [_best(_venue(reference, work) for work in works)] if reference.venue.strip() else []
    checks += _identifiers(reference, works, others)
    checks += [_url(reference, works)] if reference.url.strip() else []
    checks += [
        _best(_number(name, getattr(reference, name), getattr(work, name)) for work in works)
        for name in _NUMBERS
        if getattr(reference, name).strip()
    ]
    found.update({check.field: check for check in checks})
    return in_order(found)


def _best(checks: Iterable[FieldCheck]) -> FieldCheck:
    """The check of the record that says most for the claim; that it is a preprint's excuses nothing if print differs."""
    return max(checks, key=lambda check: 1 if check.how in _OF_PREPRINTS else _RANK[check.outcome])


# --- authors -----------------------------------------------------------------------------------------------


def check_authors(reference: Reference, work: Record, *, led: bool = True) -> tuple[FieldCheck, bool | None]:
    """The check of the authors; and whether those claimed are the work's, `None` where that is unknown.

    With `led`, words of a sentence may lead them in, as `LED` says.

    A body or a single letter that is not among the work's authors contradicts nothing. Leaving authors out, or another
    order, is a difference, and the authors are still the work's.
    """
    compared = _compared(reference, reference.authors, work)
    if led and compared.agree is False and (behind := _behind_lead(reference, work)):
        return behind, True
    readable = tuple(name for name in reference.authors if _is_readable(name))
    claimed, found = _names(reference), _names(work)
    if compared.agree is False and _scripts(reference.authors).isdisjoint(_scripts(work.authors)):
        return FieldCheck("authors", Outcome.OPEN, claimed, found, "script", "in another script"), None
    if compared.agree is False and len(readable) < len(reference.authors):
        agree = _compared(reference, readable, work).agree
        if agree is not False:
            note = "a name among them cannot be compared"
            return FieldCheck("authors", Outcome.OPEN, claimed, found, "body", note), agree
    if compared.agree is False and all(_is_no_person(name, work) for name in reference.authors):
        note = "the name may be short for another, or say where it came out"
        return FieldCheck("authors", Outcome.OPEN, claimed, found, "body", note), False
    outcome, how, note = _verdict(compared)
    return FieldCheck("authors", outcome, claimed, found, how, note), compared.agree


def as_written(reference: Reference, match: Match) -> Match:
    """The match of an entry with fields, such as BibTeX: no words of a sentence lead its title or its authors in."""
    work = match.record
    if work is None or all(check.how != LED for check in match.fields):
        return match

    def strict(check: FieldCheck) -> FieldCheck:
        if check.how != LED:
            return check
        if check.field == "authors":
            return check_authors(reference, work, led=False)[0]
        # Where the bibliography may lack works, one of this author may have the longer title.
        return replace(check, outcome=Outcome.DIFFERS, how="another" if match.complete else LED, note="")

    return replace(match, fields=tuple(map(strict, match.fields)))


def _compared(reference: Reference, names: Sequence[str], work: Record) -> ListComparison:
    """The comparison of names with a work's, in the first way to read them in which they agree, or else as they are written."""

    def with_work(said: Sequence[str]) -> ListComparison:
        return compare_authors(said, work.authors, found_is_cut=work.et_al, claimed_is_cut=reference.et_al)

    compared = with_work(names)
    if compared.agree is not False:
        return compared
    if len(names) == _COUPLE and " " not in names[0] and " " in names[1].strip():
        couple = (f"{names[0]} {parse_name(names[1]).family}", names[1])  # Will and Ariel Durant
        if (shared := with_work(couple)).agree:
            return shared
    if len(names) == 1 and "," in names[0]:  # odgers, jensen
        parts = [part.strip() for part in names[0].split(",")]
        if " " not in "".join(parts) and (several := with_work(parts)).agree:
            return several
    if _names_body(names, work):
        return compare_authors(work.authors, work.authors)
    plain = with_work(uninflected(names, work.authors))  # Olgi Tokarczuk, Keuns
    if plain.agree:
        return plain
    return compared


def _behind_lead(reference: Reference, work: Record) -> FieldCheck | None:
    """The check of authors without the words that lead them in; `None` if they are not the work's either.

    A lead that may be somebody's name is a difference: it may be an invented author.
    """
    for led in without_lead(reference.authors):  # Voir Eisner, T.
        first = compare_authors(led.names[:1], work.authors[:1])
        compared = compare_authors(
            led.names, work.authors, found_is_cut=work.et_al, claimed_is_cut=reference.et_al
        )
        if first.agree and not first.bare and compared.agree:
            outcome, _, note = _verdict(compared)
            if led.may_name:
                outcome, note = Outcome.DIFFERS, f"“{led.lead}” is not among its authors"
            return FieldCheck("authors", outcome, _names(reference), _names(work), LED, note)
    return None


def _names_body(names: Sequence[str], work: Record) -> bool:
    """Whether the work's only author is a body of three words or more, and it or its initials are named: WHO; the Department for Rivers, Lakes and Seas."""
    if len(work.authors) != 1:
        return False
    words, said = (
        [word for word in normalise(text).split() if word not in WORDS_OF_BODIES]
        for text in (work.authors[0], " ".join(names))
    )
    if len(words) < _BODY:
        return False
    beyond = [
        word for word in said if word not in words
    ]  # UK; no second author, whose name would be confirmed as well
    team = not _LASTING.isdisjoint(normalise(work.authors[0]).split())
    if team and len(said) >= _COUPLE and words[: len(said)] == said:  # National Academies (of Sciences, …)
        return True
    whole = " ".join(words) in " ".join(said) and len(beyond) <= 1 and all(len(word) <= 3 for word in beyond)
    written = [
        word for word in work.authors[0].casefold().split() if word not in WORDS_OF_BODIES
    ]  # Co-operation
    return whole or any(said == ["".join(word[0] for word in some)] for some in (words, written))


def _verdict(compared: ListComparison) -> tuple[Outcome, str, str]:
    """Outcome, kind and note of a comparison of two lists."""
    if compared.agree is None:
        return Outcome.OPEN, "", ""
    named = f"{compared.claimed} of {compared.known} authors"
    if compared.agree is False:
        if compared.namesakes:
            return Outcome.DIFFERS, "given", "the given names differ"
        wrong, of = (
            (compared.missing, compared.known)  # those named beyond the authors that are known may be right
            if compared.found_is_cut
            else (len(compared.strangers), compared.claimed)
        )
        who = (
            f"{wrong} of the {of} authors named did not write it"
            if of > 1
            else "the author named did not write it"
        )
        if wrong == of > 1:
            who = f"none of the {of} authors named wrote it"
        note = "the first authors differ" if compared.found_is_cut else who
        if wrong == 1 and of > SMALL:
            return Outcome.DIFFERS, "one", note
        return Outcome.DIFFERS, "changed" if compared.missing else "added", note
    if not compared.ordered:
        return Outcome.DIFFERS, "order", "the order differs"
    if compared.strangers:
        return Outcome.NEAR, "cut", f"only the first {compared.known} are known"
    if compared.missing and not compared.claimed_is_cut:
        if compared.bare:
            return Outcome.NEAR, "short", f"names {named}"
        if not compared.found_is_cut:
            return Outcome.DIFFERS, "missing", f"names {named}, without “et al.”"
    return Outcome.CONFIRMED, "", ""


def _scripts(names: Iterable[str]) -> set[str]:
    """The scripts of names, by the first words of their letters' names: LATIN, CJK, HANGUL."""
    return {
        unicodedata.name(letter, "").split(" ")[0] for name in names for letter in name if letter.isalpha()
    }


def _is_no_person(text: str, work: Record) -> bool:
    """Whether a name may be a name in short (UNEP), or is where the work came out (*Otters*, Little, Brown, 2014)."""
    return bool(_SHORT.fullmatch(text.strip()) or (work.venue and normalise(text) == normalise(work.venue)))


def _is_readable(text: str) -> bool:
    """Whether the name says who somebody is: no single letter, no team."""
    if not BODIES.isdisjoint(normalise(text).split()):
        return False
    name = parse_name(text)
    parts = [part for part in (name.family, *name.given) if any(map(str.isalpha, part))]
    return any(len(part) > 1 or not part.isascii() for part in parts)


def _names(work: Reference | Record) -> str:
    return "; ".join([*work.authors, *(["et al."] if work.et_al else [])])


# --- year, venue, address, numbers -------------------------------------------------------------------------


def _year(reference: Reference, work: Record) -> FieldCheck:
    claimed, found = reference.year, work.year
    if claimed is None or found is None:
        return FieldCheck("year", Outcome.OPEN, str(claimed))
    apart = abs(claimed - found)
    check = FieldCheck("year", Outcome.CONFIRMED, str(claimed), str(found))
    is_case = _CASE.search(reference.title) is not None and not work.authors  # a court decides in one year
    if apart == 1 and not is_case:
        note = f"differs by one ({claimed}, {found}), as between preprint and print"
        return replace(check, outcome=Outcome.NEAR, how="by one", note=note)
    return replace(check, outcome=Outcome.DIFFERS, how="other") if apart else check


def _venue(reference: Reference, work: Record) -> FieldCheck:
    on_arxiv = any(i.kind == "arxiv" for i in identifiers(work))
    if on_arxiv and same_venue(reference.venue, "arXiv"):
        return FieldCheck("venue", Outcome.CONFIRMED, reference.venue, work.venue or "arXiv")
    venue = work.venue or ("arXiv" if on_arxiv else "")
    if not venue:
        return FieldCheck("venue", Outcome.OPEN, reference.venue)
    check = compare_venues(reference.venue, venue)
    article = bool(
        work.volume or work.issue or work.pages
    )  # a book has other publishers elsewhere, but is in no journal
    if (
        check.outcome is Outcome.OPEN
        and (article or (journals(check.claimed) and not publishes(check.claimed)))
        and check.how in {"", "unknown"}
        and unlike(check.claimed, venue)
    ):
        note = f"the work appeared in {venue}"
        return replace(check, outcome=Outcome.DIFFERS, how=check.how or "unlike", note=note)
    return check


def _url(reference: Reference, works: Iterable[Record]) -> FieldCheck:
    """Confirmed if the address is that of one of the works, or has its DOI or arXiv number in it."""
    for work in works:
        known = [i for i in identifiers(work) if i.kind in {"doi", "arxiv"} and i.value]
        if same_address(reference.url, work.url) or any(
            i.value == IDENTIFIERS[i.kind](reference.url) for i in known
        ):
            return FieldCheck("url", Outcome.CONFIRMED, reference.url, work.url)
    return FieldCheck("url", Outcome.OPEN, reference.url)


def _number(field: str, claimed: str, found: str) -> FieldCheck:
    """The check of a volume, an issue or a range of pages; "123–45" is 123 to 145, and its first page alone is enough."""
    ours, theirs = _range(claimed), _range(found)
    if not ours or not theirs:
        return FieldCheck(field, Outcome.OPEN, claimed, found)
    same = ours == theirs or (field == "pages" and ours[0] == theirs[0] and 1 in {len(ours), len(theirs)})
    return FieldCheck(
        field, Outcome.CONFIRMED if same else Outcome.DIFFERS, claimed, found, "" if same else "other"
    )


def _range(text: str) -> list[str]:
    """The first and the last number of a range, in full."""
    plain = re.sub(r"^\s*(?:pages?|pp?|vol(?:ume)?|no|issue|number)\b[.:]?\s*", "", text.lower())
    ends = [re.sub(r"[^a-z0-9]", "", end).lstrip("0") for end in _DASH.split(plain, maxsplit=1)]
    ends = [end for end in ends if end]
    if len(ends) == 2 and ends[0].isdecimal() and ends[1].isdecimal() and len(ends[1]) < len(ends[0]):
        ends[1] = ends[0][: len(ends[0]) - len(ends[1])] + ends[1]
    return ends


# --- identifiers -------------------------------------------------------------------------------------------


def _identifiers(
    reference: Reference, works: Sequence[Record], others: Iterable[Record]
) -> Iterator[FieldCheck]:
    """One check for each identifier.

    It is confirmed by any record of the work. It is wrong if it is another work's, if the record has another one of the
    kind, or if the venue gives no such DOIs. Every edition has an ISBN of its own.
    """
    confirmed = {(i.kind, i.value) for work in works for i in identifiers(work) if i.value}
    owners = {(i.kind, i.value): other for other in others for i in identifiers(other) if i.value}
    real = {i.kind: i.value for work in reversed(works) for i in identifiers(work) if i.value}
    for said in identifiers(reference):
        check = FieldCheck(said.field, Outcome.OPEN, said.value or getattr(reference, said.field))
        if not said.value:
            pass
        elif (said.kind, said.value) in confirmed:
            check = replace(check, outcome=Outcome.CONFIRMED, found=said.value)
        elif owner := owners.get((said.kind, said.value)):
            note = f"it belongs to “{owner.title}”"
            check = replace(check, outcome=Outcome.DIFFERS, found=owner.title, how="owner", note=note)
        elif said.kind in real and said.kind != "isbn":
            check = replace(check, outcome=Outcome.DIFFERS, found=real[said.kind], how="other")
            if _may_have_both(said, real[said.kind]):
                check = replace(
                    check, outcome=Outcome.OPEN, how="published", note="only the preprint's DOI is known"
                )
        elif said.kind == "doi" and "arxiv" in real and all(map(_only_preprint, works)):
            check = replace(check, how="published", note="only the preprint is known")
        elif said.kind == "doi" and (note := _foreign(said.value, works)):
            check = replace(check, outcome=Outcome.DIFFERS, how="publisher", note=note)
        yield check


def _may_have_both(said: Identifier, real: str) -> bool:
    """Whether one of two DOIs is an archive's, so that the other may be the publisher's."""
    prefixes = {said.value.partition("/")[0], real.partition("/")[0]}
    return said.kind == "doi" and len(prefixes) == 2 and not prefixes.isdisjoint(ARCHIVES)


def _only_preprint(work: Record) -> bool:
    place = named(work.venue)
    return not work.venue or (place is not None and place.conference.preprint)


def _foreign(doi: str, works: Sequence[Record]) -> str:
    """Why a DOI cannot be that of the places where a work appeared; "" if it may be."""
    prefix = doi.partition("/")[0]
    note = ""
    for work in works:
        if _only_preprint(work):
            continue
        place = named(work.venue)
        if place is None or place.beside or place.conference.prefixes is None:
            return ""
        name, own = place.conference.acronyms[0], place.conference.prefixes
        if prefix in own | ARCHIVES:
            return ""
        note = f"DOIs of {name} begin with {' or '.join(sorted(own))}" if own else f"{name} gives no DOIs"
    return note
