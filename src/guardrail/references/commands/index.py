"""`guardrail references index`: make and ask a bibliography index."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Annotated

import typer

from guardrail._visible import one_line
from guardrail.cli._errors import Exit, Interrupted, Usage, say
from guardrail.cli._terminal import Glyphs, console, json_text
from guardrail.errors import GuardrailError, IndexFault, InputError

if TYPE_CHECKING:
    from guardrail.references.bibliography.index import Index
    from guardrail.references.bibliography.opensearch import OpenSearch
    from guardrail.references.bibliography.records import Match


class Kind(StrEnum):
    """Formats of bibliographies."""

    BIBTEX = "bibtex"
    CSL_JSON = "csl-json"
    TSV = "tsv"
    RIS = "ris"
    CROSSREF = "crossref"
    OPENALEX = "openalex"
    DBLP = "dblp"
    ACL_XML = "acl-xml"
    RETRACTION_WATCH = "retraction-watch"
    ENDNOTE = "endnote"
    PUBMED = "pubmed"
    WEB_OF_SCIENCE = "web-of-science"


INDEX_FILE = Annotated[
    str, typer.Argument(metavar="INDEX", help="The index file, for example library.sqlite.")
]
INDEX = Annotated[
    str,
    typer.Argument(
        metavar="INDEX",
        help="The index file, for example library.sqlite, or opensearch://HOST:PORT/NAME.",
    ),
]


def add(
    index: INDEX,
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="FILES...",
            help="BibTeX, CSL-JSON, RIS or tab-separated files; exports of EndNote, PubMed and Web of Science; data of Crossref, OpenAlex (JSON), DBLP and the ACL "
            "Anthology (XML); Retraction Watch's CSV. In UTF-8, also packed by gzip.",
        ),
    ],
    complete: Annotated[
        bool,
        typer.Option(
            "--complete",
            help="Declare that the index has every work that may be cited: what is not in it is made up. "
            "Once declared, it stays, unless an entry is left out later.",
        ),
    ] = False,
    kind: Annotated[
        Kind | None,
        typer.Option("--format", help="What the files are; recognised from each file by default."),
    ] = None,
    abstracts: Annotated[
        bool,
        typer.Option(
            "--abstracts/--no-abstracts",
            help="Whether to keep the abstracts that the files have, with which --detector support compares what an answer says of a "
            "work. They make the index four times as large.",
        ),
    ] = True,
) -> None:
    """Add files to an index; it is made if there is none.

    What is in the index already is left out. An interrupted import goes on where it stopped: run the same
    command again. Broken entries are named and left out. Where nothing could be added to a new
    index, none is made. Works that Retraction Watch lists are marked as retracted, whenever they were added.

    Examples:
      guardrail references index add library.sqlite refs.bib
      guardrail references index add library.sqlite exports/*.json --complete
      guardrail references index add library.sqlite dblp.xml.gz retraction_watch.csv

    Exit codes:
      0    added, or everything was there already
      2    bad usage or input, no works in the files of a new index, an index that cannot be used, or
           --complete of files of which an entry was left out
      130  interrupted; what was read is kept
    """
    from guardrail.references.bibliography.importers import import_files
    from guardrail.references.commands.bibliography import passed_over

    paths = [_source(file, index) for file in files]
    done = (0, 0)
    with _growing(index) as known, _progress() as advance:
        was_complete = known.complete

        def progress(read: int, added: int) -> None:
            nonlocal done
            done = read, added
            advance(read, added)

        try:
            imported = import_files(
                known, paths, format=kind and kind.value, abstracts=abstracts, progress=progress
            )
        except KeyboardInterrupt as error:
            kept = f"{done[0]:,} records were read and {done[1]:,} added, and are kept; run the same command again to go on"
            raise Interrupted(kept if done[0] else "nothing was added") from error
        except GuardrailError:
            if done[0]:
                say(f"note: {done[0]:,} records were read before, {done[1]:,} of them added, and are kept")
            raise
        for warning in (*imported.left_out(), *passed_over(imported)):
            say(f"note: {warning}")
        total = len(known)
        if not total:
            raise InputError(
                f"expected works to add to {index!r}, found none in {_files(len(files))}: check what is in them"
            )
        if complete and imported.lost:
            entries = "1 entry was" if imported.lost == 1 else f"{imported.lost:,} entries were"
            raise InputError(
                f"--complete: {entries} left out of {index!r}, so it is not declared complete; its {total:,} works are kept. "
                "Correct the files and add them again"
            )
        if complete:
            known.declare_complete()
        _say_lost(index, lost=was_complete and not known.complete)
    parts = [f"{imported.added:,} added", f"{imported.read - imported.added:,} there already"]
    if imported.retractions:
        parts.append(f"{imported.retractions:,} retracted")
    if imported.skipped:
        parts.append(f"{_files(imported.skipped)} imported before")
    if imported.resumed:
        parts.append(f"{_files(imported.resumed)} resumed")
    typer.echo(f"{one_line(index)}: {', '.join(parts)}; {total:,} works now")


def _say_lost(index: str, *, lost: bool) -> None:
    """Say that an index is no longer complete."""
    if lost:
        say(
            f"note: {index!r} was declared complete, and no longer is: correct the entries that were left out, and add the "
            "files again with --complete"
        )


def find(
    index: INDEX,
    title: Annotated[str, typer.Argument(metavar="TITLE", help="The title; small errors do not matter.")],
    author: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="An author as quoted. Repeat for several.")
    ] = None,
    year: Annotated[int | None, typer.Option(metavar="YEAR", help="The year as quoted.")] = None,
    json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> None:
    """Look a work up, and compare what is quoted with what is known.

    Examples:
      guardrail references index find library.sqlite "Attention is all you need"
      guardrail references index find library.sqlite "Deep residual learning" --author "K. He" --year 2016

    Exit codes:
      0    found, and quoted right
      1    not found, or something is quoted wrongly
      2    bad usage, or an index that cannot be used
      3    the index could not answer
    """
    from guardrail.references.bibliography.comparison import as_written
    from guardrail.references.bibliography.records import Reference, Status

    if not title.strip():
        raise InputError("expected a TITLE to look up, got nothing")
    with index_at(index) as known:
        asked = Reference(title=title, authors=tuple(author or ()), year=year)
        match = as_written(asked, known.find(asked))
    if json:
        typer.echo(json_text({"exists": match.exists, **asdict(match)}), nl=False)
    else:
        _show(match)
    if match.status is Status.UNREACHABLE:
        raise typer.Exit(Exit.UNVERIFIED)
    raise typer.Exit(Exit.OK if match.status is Status.FOUND and not match.differences else Exit.UNSUPPORTED)


def stats(
    index: INDEX_FILE,
    json: Annotated[bool, typer.Option("--json", help="Print the figures as JSON.")] = False,
) -> None:
    """Say what an index contains.

    Example:
      guardrail references index stats library.sqlite
    """
    from guardrail.references.bibliography.opening import is_address

    if is_address(index):
        raise Usage("stats are of an index in a file: ask OpenSearch itself, GET /NAME/_stats")
    from guardrail.references.bibliography.index import Index

    with Index.open(Path(index).expanduser()) as known:
        found, fingerprint = known.stats(), known.fingerprint
    if json:
        content = asdict(found) | {"path": str(found.path), "fingerprint": fingerprint}
        typer.echo(json_text(content), nl=False)
        return
    kind = (
        "has everything (declared complete)" if found.complete else "may lack works (not declared complete)"
    )
    typer.echo(f"{one_line(str(found.path))}: {found.records:,} works, {_size(found.size)}")
    typer.echo(f"  {kind}")
    if found.abstracts:
        typer.echo(f"  abstracts: {found.abstracts:,}")
    if found.retractions:
        typer.echo(f"  identifiers of retracted works: {found.retractions:,}")
    if found.unfinished:
        typer.echo(
            f"  {_files(found.unfinished)} not read to the end; add {'it' if found.unfinished == 1 else 'them'} again to go on"
        )
    typer.echo(f"  {found.words:,} distinct title words; {fingerprint}")


def index_at(place: str) -> Index | OpenSearch:
    """The index at a place."""
    from guardrail.references.bibliography.opening import is_address, open_bibliography

    return open_bibliography(place if is_address(place) else Path(place).expanduser())


@contextmanager
def _growing(index: str) -> Iterator[Index | OpenSearch]:
    """The index, made if there is none; a file that was made and is still empty at the end goes again."""
    from guardrail.references.bibliography.opening import create_bibliography, is_address

    if is_address(index):
        with create_bibliography(index) as known:
            yield known
        return
    target = Path(index).expanduser()
    made = [path for path in (target, *target.parents) if not path.exists()]
    with create_bibliography(target) as known:
        try:
            yield known
        finally:
            empty = target in made and not _holds_works(known)
            known.close()
            if empty:
                target.unlink()
                for log in target.parent.glob(f"{target.name}-*"):
                    log.unlink()
                for folder in made[1:]:
                    folder.rmdir()


def _holds_works(known: Index | OpenSearch) -> bool:
    try:
        return bool(len(known))
    except IndexFault:
        return False  # it was made by this command, and cannot even be read


def _source(file: str, index: str) -> Path:
    path = Path(file).expanduser()
    if not path.exists():
        raise InputError(f"expected a file to add at {file!r}, found nothing: check the path")
    if path.is_dir():
        raise Usage(
            f"expected files to add, got the folder {file!r}: name the files in it, {file.rstrip('/')}/*.bib"
        )
    if Path(index).expanduser().exists() and path.samefile(Path(index).expanduser()):
        raise Usage(f"{file!r} is the index itself: first INDEX, then the FILES to add to it")
    return path


@contextmanager
def _progress() -> Iterator[Callable[[int, int], None]]:
    """Figures on a terminal after the first second; how many records are to come nobody knows."""
    if not sys.stderr.isatty():
        yield lambda _read, _added: None
        return
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    bar = Progress(
        SpinnerColumn(),
        TextColumn("{task.description}", markup=False),
        TimeElapsedColumn(),
        console=console(stderr=True),
        transient=True,
    )
    task = bar.add_task("reading")
    start = monotonic()

    def advance(read: int, added: int) -> None:
        bar.update(task, description=f"{read:,} records read, {added:,} new")
        if not bar.live.is_started and monotonic() - start > 1:
            bar.start()

    try:
        yield advance
    finally:
        bar.stop()


def _show(match: Match) -> None:
    from guardrail.references.wording import another

    out = console()
    glyphs = Glyphs(out)
    record = match.record

    def tell(line: str, style: str = "") -> None:
        out.print(line, style=style, soft_wrap=not out.is_terminal)

    if match.status == "found" and not match.differences:
        tell(f"{glyphs.of('supported')} found", "green")
    elif match.status == "found":
        tell(f"{glyphs.of('unsupported')} found, but quoted wrongly", "bold red")
    elif match.status == "absent":
        certain = "; the index is declared complete" if match.complete else ""
        tell(f"{glyphs.of('unsupported')} {another(match) or 'not found'}{certain}", "bold red")
    else:
        tell(f"{glyphs.of('unverified')} could not be looked up: {one_line(match.detail)}", "yellow")
    for check in match.fields:
        known = f", is {one_line(check.found)!r}" if check.found and check.outcome != "confirmed" else ""
        note = f" ({one_line(check.note)})" if check.note else ""
        tell(f"  {check.field}, {check.outcome}: quoted {one_line(check.claimed)!r}{known}{note}")
    if record is None:
        return
    if match.status == "absent":
        tell(f"  nearest ({match.similarity:.2f}):", "dim")
    tell(f"  {one_line(record.title)}", "bold")
    people = "; ".join(record.authors) + ("; et al." if record.et_al else "")
    rest = ", ".join(part for part in (record.venue, str(record.year or "")) if part)
    identifier = record.doi or record.arxiv or record.isbn or record.pmid
    printed = ", ".join(
        f"{name} {value}"
        for name, value in (("vol.", record.volume), ("no.", record.issue), ("pp.", record.pages))
        if value
    )
    for line in (people, rest, printed, identifier):
        if line:
            tell(f"  {one_line(line)}")
    if record.retracted:
        tell(f"  retracted: {one_line(record.retracted)}", "bold red")


def _files(count: int) -> str:
    return f"{count} file{'' if count == 1 else 's'}"


def _size(size: float) -> str:
    for unit in ("B", "kB", "MB"):
        if size < 1000:
            return f"{size:.0f} {unit}" if unit == "B" else f"{size:.1f} {unit}"
        size /= 1000
    return f"{size:.1f} GB"
