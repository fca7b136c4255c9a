"""What `guardrail doctor` says about public catalogues: which key each has, never the key, and whether it answers."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator

from guardrail.cli.methods import Item
from guardrail.errors import GuardrailError, MissingExtra
from guardrail.references.bibliography.records import Reference

SECTION = "sources"
LIBRARIES = {"hishel": "hishel", "defusedxml": "defusedxml"}
KNOWN = Reference(
    title="Molecular Structure of Nucleic Acids: A Structure for Deoxyribose Nucleic Acid",
    authors=("J. D. Watson", "F. H. C. Crick"),
    year=1953,
    doi="10.1038/171737a0",
)
CASE = Reference(title="Brown v. Board of Education, 347 U.S. 483", year=1954)
PREPRINT = Reference(title="Attention Is All You Need", arxiv="1706.03762")


def examined(*, ask: bool) -> Iterator[Item]:
    """An item for each catalogue."""
    absent = [name for name in LIBRARIES if importlib.util.find_spec(name) is None]
    if absent:
        missing = MissingExtra(" and ".join(absent), extra="online")
        yield Item(SECTION, "online", "missing", f"{' and '.join(absent)} not installed", missing.command)
        return
    from guardrail.references.sources.names import CATALOGUES

    for name, catalogue in CATALOGUES.items():
        try:
            source = catalogue()
        except GuardrailError as error:
            yield Item(SECTION, name, "broken", str(error))
            continue
        variable = catalogue.key_variable
        detail = (
            "needs no key"
            if not variable
            else f"key of ${variable}"
            if source.key
            else f"no key in ${variable}"
        )
        mend = f"export {variable}=KEY" if catalogue.key_needed and not source.key else ""
        if not source.key and not catalogue.keyless:
            yield Item(SECTION, name, "missing", detail, mend)
            continue
        if ask:
            known = {"courtlistener": CASE, "arxiv": PREPRINT}.get(name, KNOWN)
            try:
                works = source.lookup(known)
                detail += f"; {source.host} answers ({len(works)} works for a known one)"
            except GuardrailError as error:
                yield Item(SECTION, name, "missing", f"{detail}; {error}", mend)
                continue
            finally:
                source.close()
        yield Item(SECTION, name, "missing" if mend else "ok", detail, mend)
