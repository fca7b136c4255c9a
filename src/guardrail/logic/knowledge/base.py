"""A knowledge base: its facts, what follows from them, and why.

Everything is asked of Prolog (`rules.pl`); aliases and events are kept here. Opened once, it may be asked from any
number of threads.
"""

from __future__ import annotations

import itertools
import os
import tempfile
import threading
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Self, TypeVar

from guardrail.errors import InputError
from guardrail.logic.knowledge import prolog
from guardrail.logic.knowledge.building import compile_facts
from guardrail.logic.knowledge.facts import DatedEvent, Entity, Triple
from guardrail.logic.knowledge.manifest import KnowledgeFault, Manifest, check, lines, mark
from guardrail.logic.knowledge.proofs import Judgement, Proof
from guardrail.logic.knowledge.relations import Relation, Relations
from guardrail.logic.temporal.intervals import IntervalSet

T = TypeVar("T")

_PAGE = 50_000
_numbers = itertools.count(1)


class KnowledgeBase:
    """An open knowledge base. Use `open`, and close it or use it as a context manager.

    Facts are known by label; where an alias belongs to one entity only, it stands for that entity's label.

    Attributes:
        path: its folder.
        manifest: what is in it.
        relations: the relations with their properties, as far as its facts keep them.
    """

    def __init__(self, path: Path, manifest: Manifest, relations: Relations, module: _Module) -> None:
        """Prefer `KnowledgeBase.open`, which checks the files."""
        self.path = path
        self.manifest = manifest
        self.relations = relations
        self._module: _Module | None = module
        self._lock = threading.Lock()
        self._kept: dict[str, Any] = {}

    def __reduce__(self) -> tuple[Callable[[Path], KnowledgeBase], tuple[Path]]:
        return KnowledgeBase.open, (self.path.absolute(),)

    @classmethod
    def open(cls, path: str | os.PathLike[str], *, recompile: bool = False) -> KnowledgeBase:
        """Open a knowledge base that `build` wrote; every file is checked against the manifest first.

        The compiled facts are code. They are made here, from the text, where there are none or they belong to
        another version of SWI-Prolog. Of a folder from somebody you do not trust, ask for that with `recompile`:
        the text is checked line by line to be facts and nothing else.

        Raises:
            KnowledgeFault: a file is missing, cut off, changed, or of another version; says where.
            MissingExtra: pyswip is not installed.
            EngineFault: SWI-Prolog is not installed, or this process was forked after it had started.
        """
        folder = Path(path)
        manifest = Manifest.read(folder)
        for marked in manifest.files.values():
            check(folder, marked)
        relations = Relations(
            _relation(folder, entry) for entry in lines(folder, manifest.files["relations"])
        )
        prolog.engine()
        return cls(folder, manifest, relations, _Module.of(folder, manifest, relations, recompile))

    def close(self) -> None:
        """Let go of the facts; nothing may be asked afterwards. Closing again does nothing."""
        with self._lock:
            module, self._module = self._module, None
            self._kept.clear()
        if module is not None:
            module.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"KnowledgeBase({str(self.path)!r}, {self.manifest.facts:,} facts)"

    @property
    def fingerprint(self) -> str:
        """Which content it is: equal for equal facts, entities, events and relations."""
        return self.manifest.fingerprint

    # --- questions -----------------------------------------------------------------------------------------

    def ask(self, triple: Triple, *, seconds: float = prolog.SECONDS) -> Judgement:
        """What the facts say of a triple.

        A joint relation is asked as `Triple(first, "same director", second)`.

        Args:
            triple: subject and object by label or alias.
            seconds: how long the proof may take.

        Raises:
            LimitReached: it took longer.
        """
        asked = Triple(self.canonical(triple.subject), triple.relation, self.canonical(triple.object))
        relation = asked.relation
        if relation not in self.relations and self.relations.joint(relation) is None:
            words = f"Unknown: the knowledge base has no relation {relation!r}."
            return Judgement(asked, "unknown", None, words)
        state, grounds = self.call("ask", relation, asked.subject, asked.object, seconds=seconds)
        if state == "unknown":
            return Judgement(asked, "unknown", None, _unknown(asked, grounds))
        proof = Proof.read(grounds)
        return Judgement(asked, state, proof, proof.words(self.relations))

    def objects(self, subject: str, relation: str) -> list[str]:
        """What the subject is related to, by facts and by what follows from them; in order of name."""
        return self._names("objects", relation, self.canonical(subject))

    def subjects(self, relation: str, object: str) -> list[str]:  # noqa: A002  # the term's name
        """What is related to the object, by facts and by what follows from them; in order of name."""
        return self._names("subjects", relation, self.canonical(object))

    def closure(self, relation: str, entity: str) -> list[str]:
        """All that a transitive relation reaches from an entity, itself left out; in order of name.

        Raises:
            InputError: the relation is not transitive.
        """
        if not self.relations.of(relation).transitive:
            known = sorted(name for name, one in self.relations.items() if one.transitive)
            raise InputError(f"expected a transitive relation ({', '.join(known)}), got {relation!r}.")
        return self._names("closure", relation, self.canonical(entity))

    def about(self, entity: str) -> list[Triple]:
        """The facts in which an entity is subject or object, in order."""
        flat = self.call("about", self.canonical(entity))
        return sorted(
            Triple(a, name, b) for name, a, b in zip(flat[::3], flat[1::3], flat[2::3], strict=True)
        )

    def facts(self, relation: str | None = None) -> Iterator[Triple]:
        """The facts, of one relation or all, in order of relation."""
        for name in [relation] if relation is not None else self.manifest.relations:
            for skip in range(0, self.manifest.relations.get(name, 0), _PAGE):
                flat = self.call("facts", name, skip, _PAGE)
                yield from (Triple(a, name, b) for a, b in zip(flat[::2], flat[1::2], strict=True))

    def warm(self) -> None:
        """Build the indexes now, which the first questions would else wait for: a second for a million facts."""
        self.call("about", "an entity that need not be there", seconds=None)
        self.aliases()

    # --- names ---------------------------------------------------------------------------------------------

    def entities(self) -> Mapping[str, Entity]:
        """All entities by label, with their aliases."""
        return self._keep("entities", self._read_entities)

    def aliases(self) -> Mapping[str, tuple[str, ...]]:
        """The labels that each alias may stand for."""
        return self._keep("aliases", self._read_aliases)

    def canonical(self, name: str) -> str:
        """The label that a name stands for: itself, or that of the one entity that has it as an alias."""
        labels = self.aliases().get(name, ())
        if len(labels) != 1 or name in self.entities():
            return name
        return labels[0]

    def events(self) -> Mapping[str, IntervalSet]:
        """The dated events and their years: a history for `guardrail.logic.temporal`."""
        return self._keep("events", self._read_events)

    def spans(self, event: str) -> IntervalSet:
        """The years of an event, by its name or an alias; empty where it is not known."""
        found = self.events()
        return found.get(event) or found.get(self.canonical(event)) or IntervalSet()

    def _read_entities(self) -> dict[str, Entity]:
        entries = lines(self.path, self.manifest.files["entities"])
        found = (Entity(e["label"], tuple(e.get("aliases", ())), e.get("identifier", "")) for e in entries)
        return {entity.label: entity for entity in found}

    def _read_aliases(self) -> dict[str, tuple[str, ...]]:
        found = defaultdict(list)
        # Most entities have none: of a million lines only those are parsed that may have some.
        for entry in lines(self.path, self.manifest.files["entities"], having=b'"aliases"'):
            for alias in dict.fromkeys(entry.get("aliases", ())):
                found[alias].append(entry["label"])
        return {alias: tuple(labels) for alias, labels in found.items()}

    def _read_events(self) -> dict[str, IntervalSet]:
        entries = lines(self.path, self.manifest.files["events"])
        read = (DatedEvent(e["name"], [(a, b) for a, b in e["spans"]]) for e in entries)
        return {event.name: IntervalSet(event.spans) for event in read}

    def _keep(self, name: str, make: Callable[[], T]) -> T:
        with self._lock:
            found: T | None = self._kept.get(name)
        if found is None:
            found = make()
            with self._lock:
                found = self._kept.setdefault(name, found)
        return found

    # --- the engine ----------------------------------------------------------------------------------------

    def _names(self, service: str, relation: str, entity: str) -> list[str]:
        return sorted(self.call(service, relation, entity))

    def call(self, service: str, *arguments: prolog.Value, seconds: float | None = prolog.SECONDS) -> Any:
        """What a service of `services.pl` answers about these facts.

        Raises:
            InputError: the knowledge base is closed.
            LimitReached: it took longer.
        """
        module = self._module
        if module is not None:
            found = prolog.engine().call(service, module.name, *arguments, seconds=seconds)
            if self._module is module:  # else closed meanwhile, and what came may be from no facts at all
                return found
        raise InputError(f"expected an open knowledge base, {str(self.path)!r} was closed. Open it again.")


def _relation(folder: Path, entry: dict[str, Any]) -> Relation:
    try:
        for key in ("also", "nouns", "inverse_of", "implies"):
            entry[key] = tuple(entry.get(key, ()))
        entry["chains"] = tuple((first, second) for first, second in entry.get("chains", ()))
        return Relation(**entry)
    except (TypeError, ValueError) as error:
        raise KnowledgeFault(
            f"expected a relation: {error}", source=str(folder / "relations.jsonl")
        ) from error


def _unknown(asked: Triple, absent: list[str]) -> str:
    if absent:
        names = " and ".join(repr(asked.subject if side == "subject" else asked.object) for side in absent)
        return f"Unknown: the knowledge base has nothing about {names}."
    return "Unknown: the facts neither entail nor exclude it, and their silence proves nothing."


class _Module:
    """The Prolog module that holds the facts of one folder; knowledge bases of the same files share it."""

    _open: dict[tuple[str, str], _Module] = {}  # noqa: RUF012  # all of this process
    _lock = threading.Lock()

    def __init__(self, key: tuple[str, str]) -> None:
        self.key = key
        self.name = f"kb_{next(_numbers)}"
        self.users = 0

    @classmethod
    def of(cls, folder: Path, manifest: Manifest, relations: Relations, recompile: bool) -> _Module:
        key = (str(folder.resolve()), manifest.fingerprint)
        with cls._lock:
            module = cls._open.get(key)
            if module is None:
                module = cls(key)
                module._load(folder, manifest, relations, recompile)
                cls._open[key] = module
            module.users += 1
            return module

    def release(self) -> None:
        with self._lock:
            self.users -= 1
            if self.users:
                return
            del self._open[self.key]
        engine = prolog.engine()
        if engine.process == os.getpid():
            engine.call("unload", "", self.name, seconds=None)

    def _load(self, folder: Path, manifest: Manifest, relations: Relations, recompile: bool) -> None:
        engine = prolog.engine()
        usable = not recompile and manifest.compiled.get("swipl") == engine.version
        compiled = folder / manifest.compiled.get("name", "")
        if usable and compiled.is_file() and mark(compiled).sha256 == manifest.compiled["sha256"]:
            self._read(compiled, manifest, relations)
            return
        facts = folder / manifest.files["facts"].name
        if os.access(folder, os.W_OK):
            made = compile_facts(facts, folder)
            replace(manifest, compiled=made).write(folder)
            self._read(folder / made["name"], manifest, relations)
            return
        with tempfile.TemporaryDirectory(prefix="guardrail-") as place:
            made = compile_facts(facts, Path(place))
            self._read(Path(place) / made["name"], manifest, relations)

    def _read(self, compiled: Path, manifest: Manifest, relations: Relations) -> None:
        engine = prolog.engine()
        with engine.place(compiled) as file:
            count = engine.call("load", str(file), self.name, seconds=None)
        if count != manifest.facts:
            engine.call("unload", "", self.name, seconds=None)
            raise KnowledgeFault(
                f"expected {manifest.facts:,} facts, loaded {count!r}. Open it with recompile=True.",
                source=str(compiled),
            )
        engine.call("declare", self.name, [list(one) for one in relations.properties()], seconds=None)
