"""Writing a knowledge base: facts, entities, events and relations into a folder, and the facts compiled."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, replace
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path

from guardrail.errors import InputError, MissingExtra
from guardrail.logic.knowledge import prolog
from guardrail.logic.knowledge.facts import DatedEvent, Entity, Triple, merged
from guardrail.logic.knowledge.manifest import MANIFEST, FileMark, Manifest, check_facts, mark
from guardrail.logic.knowledge.quoting import fact_line
from guardrail.logic.knowledge.relations import Relation, Relations, reviewed

TOLERANCE = 0.01
"""Share of cases in which the facts may break a declared property before it is withdrawn."""


def build(
    path: str | os.PathLike[str],
    facts: Iterable[Triple],
    *,
    events: Iterable[DatedEvent] = (),
    entities: Iterable[Entity] = (),
    relations: Relations | None = None,
    complete: Iterable[str] = (),
    source: str = "",
    replace_existing: bool = False,
) -> Manifest:
    """Write a knowledge base.

    Facts that are there twice count once; spans of one event are merged. Where SWI-Prolog is not installed, the
    facts are compiled when the knowledge base is first opened.

    Args:
        path: the folder; made whole under another name and moved there, so that it is never half there.
        facts: in any order; the same set gives the same files.
        events: dated events; several of one name are joined.
        entities: aliases and identifiers; what the facts name and this does not is added.
        relations: the table; the reviewed one by default. Relations of the facts that it does not know get no
            property.
        complete: relations of which these are known to be all facts: an absent one is then a false one.
        source: where the facts come from, in words.
        replace_existing: whether a knowledge base that is there may be replaced.

    Returns:
        The manifest, with the properties that the facts broke.

    Raises:
        InputError: the folder is there, or no knowledge base; an entity is there twice.
    """
    target = Path(path)
    _may_write(target, replace_existing)
    triples = sorted(set(facts))
    table = _with_complete(_covering(relations or reviewed(), triples), complete)
    table, withdrawn = _withdrawn(table, triples)
    people = _entities(triples, entities)
    dated = _events(events)
    target.parent.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix=f".{target.name}.", dir=target.parent))
    try:
        folder.chmod(0o755)  # mkdtemp's own is for its user alone
        files = {
            "facts": _write_facts(folder, triples),
            "entities": _write(folder / "entities.jsonl", map(asdict, people)),
            "events": _write(folder / "events.jsonl", map(asdict, dated)),
            "relations": _write(folder / "relations.jsonl", map(asdict, table.values())),
        }
        manifest = Manifest(
            source=source,
            created=datetime.now(UTC).isoformat(timespec="seconds"),
            facts=len(triples),
            entities=len(people),
            events=len(dated),
            relations=dict(sorted(Counter(t.relation for t in triples).items())),
            withdrawn=withdrawn,
            files=files,
        )
        if _has_engine():
            manifest = replace(
                manifest, compiled=compile_facts(folder / files["facts"].name, folder, checked=True)
            )
        manifest.write(folder)
        if target.exists():
            away = folder.with_name(folder.name + ".old")
            target.rename(away)
            folder.rename(target)
            shutil.rmtree(away)
        else:
            folder.rename(target)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    return manifest


def compile_facts(facts: Path, folder: Path, *, checked: bool = False) -> dict[str, str]:
    """Compile a file of facts into a folder; nothing that is in the file can run by it.

    Args:
        facts: the file.
        folder: where the compiled one goes, under the same name with `.qlf`.
        checked: whether its lines are known to be facts and nothing else.

    Returns:
        What the manifest says of it.

    Raises:
        KnowledgeFault: a line is no fact.
        EngineFault: SWI-Prolog is not installed, or could not compile it.
    """
    engine = prolog.engine()
    if not checked:
        check_facts(facts)
    with engine.place(facts) as text:
        made = Path(engine.call("compile", str(text), f"{text.parent.name}_compiling", seconds=None))
        target = folder / made.name
        draft = folder / f".{made.name}.{os.getpid()}"
        shutil.copyfile(made, draft)
        draft.replace(target)
        made.unlink()
    return {"name": target.name, "sha256": mark(target).sha256, "swipl": engine.version}


def _has_engine() -> bool:
    try:
        prolog.engine()
    except (prolog.EngineFault, MissingExtra):
        return False
    return True


def _may_write(target: Path, replace_existing: bool) -> None:
    if not target.exists():
        return
    if not replace_existing:
        raise InputError(
            f"expected no file or folder at {str(target)!r}, found one. Name another, or pass "
            "replace_existing=True."
        )
    if not (target / MANIFEST).is_file():
        raise InputError(f"expected a knowledge base to replace at {str(target)!r}, found something else.")


def _covering(table: Relations, triples: Iterable[Triple]) -> Relations:
    """The table, with an entry for every relation of the facts."""
    names = [name for name, _ in groupby(triples, key=lambda triple: triple.relation)]
    unknown = [Relation.unknown(name) for name in names if name not in table]
    return Relations([*table.values(), *unknown]) if unknown else table


def _with_complete(table: Relations, names: Iterable[str]) -> Relations:
    wanted = set(names)
    if unknown := wanted - set(table):
        raise InputError(f"expected relations of the facts to be complete, got {sorted(unknown)!r}.")
    return Relations(replace(r, complete=True) if r.name in wanted else r for r in table.values())


def _withdrawn(
    table: Relations, triples: list[Triple]
) -> tuple[Relations, Mapping[str, tuple[tuple[str, int, int], ...]]]:
    """The table without the properties that the facts break."""
    found: dict[str, tuple[tuple[str, int, int], ...]] = {}
    for name, group in groupby(triples, key=lambda triple: triple.relation):
        relation = table[name]
        if not (relation.functional or relation.asymmetric):
            continue
        pairs = [(triple.subject, triple.object) for triple in group]
        breaches = []
        if relation.functional:
            objects = Counter(subject for subject, _ in pairs)
            breaches.append(("functional", sum(n > 1 for n in objects.values()), len(objects)))
        if relation.asymmetric:
            ways = set(pairs)
            both = sum(subject != object_ and (object_, subject) in ways for subject, object_ in pairs)
            breaches.append(("asymmetric", both, len(pairs)))
        broken = tuple(breach for breach in breaches if breach[1] > TOLERANCE * breach[2])
        if broken:
            found[name] = broken
            table = table.without(name, *(lost for lost, _, _ in broken))
    return table, found


def _entities(triples: Iterable[Triple], given: Iterable[Entity]) -> list[Entity]:
    found: dict[str, Entity] = {}
    for entity in given:
        if entity.label in found:
            raise InputError(f"expected one entity for each label, got two for {entity.label!r}.")
        found[entity.label] = entity
    for triple in triples:
        for one in (triple.subject, triple.object):
            if one not in found:
                found[one] = Entity(one)
    return [found[one] for one in sorted(found)]


def _events(events: Iterable[DatedEvent]) -> list[DatedEvent]:
    found: dict[str, DatedEvent] = {}
    for event in events:
        known = found.get(event.name)
        spans = merged([*(known.spans if known else ()), *event.spans])
        found[event.name] = DatedEvent(event.name, spans)
    return [found[name] for name in sorted(found)]


def _write_facts(folder: Path, triples: Iterable[Triple]) -> FileMark:
    draft = folder / "facts.pl"
    with draft.open("w", encoding="utf-8", newline="\n") as stream:
        stream.writelines(map(fact_line, triples))
    found = mark(draft, blocks=True)
    named = draft.rename(folder / f"facts-{found.sha256[:12]}.pl")
    return replace(found, name=named.name)


def _write(path: Path, entries: Iterable[Mapping[str, object]]) -> FileMark:
    with path.open("w", encoding="utf-8", newline="\n") as stream:
        for entry in entries:
            kept = {key: value for key, value in entry.items() if value not in ("", (), False)}
            stream.write(json.dumps(kept, ensure_ascii=False) + "\n")
    return mark(path)
