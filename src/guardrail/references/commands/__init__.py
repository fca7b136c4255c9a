"""What references add to the command line: `guardrail references index`, options of `check`, a look of `doctor`."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import typer

from guardrail.cli._errors import Usage
from guardrail.cli.methods import CheckContext, Item, Method, group, hang, tried, tried_model
from guardrail.references.commands.index import add, find, index_at, stats

if TYPE_CHECKING:
    from guardrail.detector import Detector
    from guardrail.report import Report


class Effort(StrEnum):
    """How much a model is asked about each reference."""

    FAST = "fast"
    ADAPTIVE = "adaptive"
    PAPER = "paper"


def _references() -> None:
    """Bibliographies for `guardrail check`: which works exist.

    Examples:
      guardrail references index add library.sqlite refs.bib
      guardrail check answer.md --bibliography library.sqlite
    """


def _index() -> None:
    """Make and ask a bibliography: one file that knows which works exist.

    Examples:
      guardrail references index add library.sqlite refs.bib zotero.json
      guardrail references index find library.sqlite "Attention is all you need"
      guardrail check answer.md --bibliography library.sqlite
    """


def _commands(app: typer.Typer) -> None:
    index = group(
        group(app, _references, "references", "Make and ask bibliographies."),
        _index,
        "index",
        "Make and ask a bibliography.",
    )
    hang(index, add, "add", "Add files to an index.")
    hang(index, find, "find", "Look a work up.")
    hang(index, stats, "stats", "Say what an index contains.")


def _detectors(
    context: CheckContext,
    *,
    bibliography: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PATH",
            help="Works known to exist: an index (see `guardrail references index`), its address in OpenSearch, or a file "
            "that can be added to one (.bib, .json, .ris, .tsv, …). Repeat for several files.",
        ),
    ] = None,
    complete: Annotated[
        bool,
        typer.Option(
            "--complete",
            help="The bibliography contains everything that may be cited: a work that is not in it is made up.",
        ),
    ] = False,
    online: Annotated[
        bool,
        typer.Option(
            "--online",
            help="Also look references up in public catalogues (Crossref, OpenAlex, arXiv and others): titles, authors, years "
            "and identifiers are sent to them. Those that need a key are asked if it is in the environment.",
        ),
    ] = False,
    effort: Annotated[
        Effort | None,
        typer.Option(
            help="Questions per reference: 6 (fast, the default), as many as the decision needs (adaptive), or 36 (paper)."
        ),
    ] = None,
) -> Iterable[Detector]:
    """References are checked, unless --detector names others alone."""
    from guardrail.references.check import ReferenceCheck

    if effort and context.model is None:
        raise Usage("--effort needs --model NAME: which chat model is to be asked?")
    known: Any = None
    if bibliography:
        from guardrail.references.commands.bibliography import opened

        known, warnings = context.open_files.enter_context(opened(bibliography, complete=complete))
        context.warnings.extend(warnings)
    elif complete:
        raise Usage("--complete says something about a bibliography: add --bibliography PATH")
    names: list[str] = []
    if online:
        from guardrail.references.sources import available

        names = available()
    return [ReferenceCheck(effort=effort.value if effort else "fast", bibliography=known, sources=names)]


def _notes(report: Report, options: Mapping[str, Any]) -> Iterable[str]:
    """What would settle the references of which no more is known, and the marks of which no source is at hand."""
    from guardrail.references.check import ReferenceCheck
    from guardrail.report import Lookup

    shown = [finding.attribution for finding in report.findings if finding.attribution is not None]
    away = sum(one.support == "not at hand" and not one.documents for one in shown)
    if away:
        works = (
            ""
            if options["bibliography"]
            else ", or --bibliography PATH for the abstracts of works that it cites"
        )
        points = "1 citation points" if away == 1 else f"{away} citations point"
        yield f"{points} to nothing that is at hand; add --context FILE for the answer's documents{works}"
    found = [finding for finding in report.findings if finding.detector == ReferenceCheck.name]
    if not any(finding.label == "unknown" for finding in found):
        return
    looked_up = any(isinstance(one, Lookup) for finding in found for one in finding.evidence)
    ways = ["--model NAME to ask a chat model about them"]
    if not options["online"]:
        ways.insert(0, "--online to ask public catalogues")
    if not (options["bibliography"] or looked_up):  # --detector names one, perhaps
        ways.insert(0, "--bibliography PATH to look them up")
    elif options["bibliography"] and not options["complete"]:
        ways.append("--complete if the bibliography has everything")
    yield f"nobody else was asked about what is unknown; add {', or '.join(ways)}"


def _doctor(
    *,
    index: Annotated[
        list[str] | None,
        typer.Option(metavar="INDEX", help="Open this bibliography index. Repeat for several."),
    ] = None,
    sources: Annotated[
        bool,
        typer.Option(
            "--sources", help="Ask every public catalogue of `guardrail check --online` whether it answers."
        ),
    ] = False,
) -> Iterator[Item]:
    """The network that reads references, the folder of remembered bibliographies, the indexes that are named, and the public catalogues."""
    from guardrail.backends import CITATIONS_MINI, MINI_INSTALL
    from guardrail.references.bibliography.remembered import cache_folder
    from guardrail.references.citations.tagging import packaged_tagger, tagger_installed

    what = "reads references in sentences and lists"
    if tagger_installed():
        yield tried_model(CITATIONS_MINI, lambda: packaged_tagger().load(), what)
    else:
        yield Item("models (optional)", CITATIONS_MINI, "missing", f"missing; {what}", MINI_INSTALL)
    section = "files"
    folder = cache_folder()
    kept = list(folder.glob("*.sqlite")) if folder.is_dir() else []
    size = sum(file.stat().st_size for file in kept) / 1e6
    detail = f"{len(kept)} remembered bibliographies, {size:.1f} MB" if kept else "empty"
    nearest = next(place for place in (folder, *folder.parents) if place.exists())
    if os.access(nearest, os.W_OK):
        yield Item(section, "cache", "ok", f"{folder}: {detail}")
    else:
        yield Item(
            section,
            "cache",
            "missing",
            f"{folder}: cannot be written, so bibliographies are read anew each time",
            "export XDG_CACHE_HOME=FOLDER",
        )
    for path in index or []:
        quoted = shlex.quote(path)
        mend = f"mv {quoted} {quoted}.broken; guardrail references index add {quoted} FILE"
        yield tried(section, path, partial(_described, path), mend)
    from guardrail.references.commands.sources import examined

    yield from examined(ask=sources)


def _described(path: str) -> str:
    with index_at(path) as index:
        return f"{len(index):,} works" + (", declared complete" if index.complete else "")


METHOD = Method(commands=_commands, detectors=_detectors, notes=_notes, doctor=_doctor)
