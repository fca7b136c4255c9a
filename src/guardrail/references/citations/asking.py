"""Whether a question asks for references, so that a list of titles in the answer is meant as such."""

from __future__ import annotations

import re

__all__ = ["asks_for_references"]

_WORKS = (
    r"references?|bibliography|works cited|cited works|sources|citations?|further reading|reading list|literature|"
    r"(?:research |scientific |academic |journal |key |seminal |review )?(?:papers?|articles?|publications?)|"
    r"books?|textbooks?|monographs?|novels?|studies|works|titles|preprints|theses|"
    r"livres|ouvrages|références|bibliographie|bücher|literatur|quellen|libros|referencias|bibliografía|"
    r"(?:\w{0,20}?(?:参考文献|文献|论文|书籍|参考)\w{0,5})"
)
_ASKS = re.compile(
    rf"(?<!\w)(?:{_WORKS}|cite|bibtex|doi|arxiv)(?!\w)",
    re.IGNORECASE,
)


def asks_for_references(question: str) -> bool:
    """Whether a prompt asks for references, so that a list of titles in the answer is meant as such.

    Example:
        >>> asks_for_references("Give me five papers on graph colouring."), asks_for_references("How are you?")
        (True, False)
    """
    return _ASKS.search(question[-20_000:]) is not None
