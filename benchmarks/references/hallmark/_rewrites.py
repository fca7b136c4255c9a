"""Other ways to write a true reference: whoever accuses these accuses real works.

Each rewrite takes the fields of a valid entry and returns them otherwise written, or `None` where it does not apply.
"""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Callable, Mapping
from typing import TypeAlias

__all__ = ["APART", "PAGES", "REWRITES", "Fields", "as_quoted"]

Fields: TypeAlias = Mapping[str, str]
Rewrite: TypeAlias = Callable[[Fields], dict[str, str] | None]

PAGES = "1187-1201"  # that every record gets: HALLMARK has none
_LONG = {
    "ICML": "Proceedings of the 38th International Conference on Machine Learning",
    "NeurIPS": "Advances in Neural Information Processing Systems",
    "ICLR": "International Conference on Learning Representations",
    "AAAI": "Proceedings of the AAAI Conference on Artificial Intelligence",
    "CVPR": "Proceedings of the IEEE/CVF Conference on Computer Vision and Pattern Recognition",
    "Mach. Learn.": "Machine Learning",
    "J. Mach. Learn. Res.": "Journal of Machine Learning Research",
    "Trans. Mach. Learn. Res.": "Transactions on Machine Learning Research",
}
_SERIES = {
    "ICML": "Proceedings of Machine Learning Research, volume 139",
    "NeurIPS": "Advances in NeurIPS 34",
    "CVPR": "CVPR Proceedings, IEEE/CVF",
}
_ISO = {
    "ICML": "Proc. Int. Conf. Mach. Learn.",
    "NeurIPS": "Adv. Neural Inf. Process. Syst.",
    "ICLR": "Int. Conf. Learn. Represent.",
    "AAAI": "Proc. AAAI Conf. Artif. Intell.",
    "CVPR": "Proc. IEEE Conf. Comput. Vis. Pattern Recognit.",
}
_PUBLISHER = {"NeurIPS": "Curran Associates, Inc.", "AAAI": "AAAI Press", "CVPR": "IEEE", "ICML": "PMLR"}
_DATED = {
    "ICML": "Proceedings of the 39th International Conference on Machine Learning, ICML 2022, Baltimore, MD, USA",
    "CVPR": "2022 IEEE/CVF Conference on Computer Vision and Pattern Recognition (CVPR), New Orleans, LA, USA",
    "NeurIPS": "Thirty-Fifth Conference on Neural Information Processing Systems (NeurIPS 2021)",
    "ICLR": "The Tenth International Conference on Learning Representations, ICLR 2022, Virtual Event",
    "AAAI": "Thirty-Sixth AAAI Conference on Artificial Intelligence, AAAI 2022",
}


_HOMONYM = re.compile(r" \d{4}\b")


def as_quoted(fields: Fields) -> dict[str, str]:
    """The fields as people write them: without DBLP's numbers of authors ("Wei Wang 0001") and HTML's entities."""
    return {
        **fields,
        "author": _HOMONYM.sub("", html.unescape(fields["author"])),
        "title": html.unescape(fields["title"]),
    }


def _venue(names: Mapping[str, str]) -> Rewrite:
    """The venue by another of its names."""

    def rewrite(fields: Fields) -> dict[str, str] | None:
        name = names.get(fields.get("booktitle", ""))
        return None if name is None else {**fields, "booktitle": name}

    return rewrite


def _authors(change: Callable[[list[str]], list[str]], least: int = 1) -> Rewrite:
    """The authors written otherwise, if there are so many."""

    def rewrite(fields: Fields) -> dict[str, str] | None:
        names = fields["author"].split(" and ")
        return None if len(names) < least else {**fields, "author": " and ".join(change(names))}

    return rewrite


def _initials(name: str) -> str:
    *given, family = name.split()
    return " ".join([*(f"{part[0]}." for part in given), family])


def _inverted(name: str) -> str:
    *given, family = name.split()
    return f"{family}, {' '.join(given)}" if given else family


def _ascii(text: str) -> str:
    return "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c))


def _acronym_with_year(fields: Fields) -> dict[str, str] | None:
    name = fields.get("booktitle", "")
    return {**fields, "booktitle": f"{name} {fields['year']}"} if name in _ISO else None


def _preprint(fields: Fields) -> dict[str, str] | None:
    """The preprint that came out the year before; a preprint that was not printed is left alone."""
    if "booktitle" not in fields:
        return None
    cited = {**fields, "year": str(int(fields["year"]) - 1), "journal": "arXiv preprint"}
    return {name: value for name, value in cited.items() if name not in {"booktitle", "doi", "url"}}


def _without_subtitle(fields: Fields) -> dict[str, str] | None:
    main, colon, _ = fields["title"].partition(": ")
    return {**fields, "title": main} if colon and len(main.split()) >= 4 else None


def _lower_case(fields: Fields) -> dict[str, str]:
    first, *rest = fields["title"].split()
    return {**fields, "title": " ".join([first, *(word.lower() for word in rest)])}


def _plain_letters(fields: Fields) -> dict[str, str] | None:
    plain = {name: _ascii(value) for name, value in fields.items()}
    return plain if plain != dict(fields) else None


def _doi_address(fields: Fields) -> dict[str, str] | None:
    return {**fields, "doi": f"https://doi.org/{fields['doi'].upper()}"} if fields.get("doi") else None


def _without_hyphens(fields: Fields) -> dict[str, str] | None:
    title = re.sub(r"(?<=\w)-(?=\w)", " ", fields["title"])
    return {**fields, "title": title} if title != fields["title"] else None


REWRITES: Mapping[str, Rewrite] = {
    "long name of the venue": _venue(_LONG),
    "series in place of the venue": _venue(_SERIES),
    "ISO abbreviation of the venue": _venue(_ISO),
    "venue with number, place and acronym": _venue(_DATED),
    "venue with the year": _acronym_with_year,
    "publisher in place of the venue": _venue(_PUBLISHER),
    "initials": _authors(lambda names: [*map(_initials, names)]),
    "family name first": _authors(lambda names: [*map(_inverted, names)]),
    "family names only": _authors(lambda names: [name.split()[-1] for name in names]),
    "“et al.” after the first": _authors(lambda names: [names[0], "others"], 2),
    "“et al.” after three": _authors(lambda names: [*names[:3], "others"], 4),
    "letters without accents": _plain_letters,
    "title in lower case": _lower_case,
    "title without hyphens": _without_hyphens,
    "title without subtitle": _without_subtitle,
    "DOI as an address": _doi_address,
    "pages cut short": lambda fields: {**fields, "pages": "1187--201"},
    "first page alone": lambda fields: {**fields, "pages": "1187"},
    "preprint of the year before": _preprint,
}
# What is no error by default and may be one for who is strict.
APART: Mapping[str, Rewrite] = {
    "authors cut silently": _authors(lambda names: names[:2], 4),
    "year one later": lambda fields: {**fields, "year": str(int(fields["year"]) + 1)},
    "year one earlier": lambda fields: {**fields, "year": str(int(fields["year"]) - 1)},
}
