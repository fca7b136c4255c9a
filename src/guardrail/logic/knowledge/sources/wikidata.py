"""Importing from Wikidata: facts of chosen properties, labels, aliases, and dates with their precision.

Every page that arrives is written to a state file before the next is asked for; an import that was killed goes on
behind the last whole page.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import os
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from guardrail.errors import ConfigError, InputError
from guardrail.logic.knowledge.facts import DatedEvent, Entity, Triple
from guardrail.logic.knowledge.relations import reviewed
from guardrail.logic.knowledge.sources.reading import ReadFacts, year_of
from guardrail.logic.knowledge.sources.sparql import Row, Sparql

ENTITY = "http://www.wikidata.org/entity/"
YEAR = 9  # Wikidata's precision of a date that is known to the year; 10 month, 11 day; less is vaguer
_PROPERTY, _ITEM = re.compile(r"P[1-9]\d{0,9}"), re.compile(r"Q[1-9]\d{0,11}")
_LANGUAGE = re.compile(r"[a-z]{2,12}(?:-[a-z0-9]{1,8})*")

_FACTS = """\
SELECT ?s ?sLabel ?o ?oLabel WHERE {{
  {{ SELECT ?s ?o WHERE {{ {scope} ?s wdt:{property} ?o . }} ORDER BY ?s ?o LIMIT {limit} OFFSET {offset} }}
  SERVICE wikibase:label {{ bd:serviceParam wikibase:language "{language}". }}
}} ORDER BY ?s ?o"""
_DATES = """\
SELECT ?s ?sLabel ?begin ?beginPrecision ?end ?endPrecision WHERE {{
  {{ SELECT ?s ?begin ?beginPrecision ?end ?endPrecision WHERE {{
    {scope}
    ?s p:P580/psv:P580 [ wikibase:timeValue ?begin ; wikibase:timePrecision ?beginPrecision ] ;
       p:P582/psv:P582 [ wikibase:timeValue ?end ; wikibase:timePrecision ?endPrecision ] .
  }} ORDER BY ?s ?begin ?end LIMIT {limit} OFFSET {offset} }}
  SERVICE wikibase:label {{ bd:serviceParam wikibase:language "{language}". }}
}} ORDER BY ?s ?begin ?end"""
_MOMENTS = """\
SELECT ?s ?sLabel ?begin ?beginPrecision ?end ?endPrecision WHERE {{
  {{ SELECT ?s ?begin ?beginPrecision (?begin AS ?end) (?beginPrecision AS ?endPrecision) WHERE {{
    {scope}
    ?s p:P585/psv:P585 [ wikibase:timeValue ?begin ; wikibase:timePrecision ?beginPrecision ] .
  }} ORDER BY ?s ?begin LIMIT {limit} OFFSET {offset} }}
  SERVICE wikibase:label {{ bd:serviceParam wikibase:language "{language}". }}
}} ORDER BY ?s ?begin"""
_ALIASES = """\
SELECT ?e ?alias WHERE {{
  VALUES ?e {{ {items} }}
  ?e skos:altLabel ?alias . FILTER(LANG(?alias) = "{language}")
}} ORDER BY ?e ?alias LIMIT {limit} OFFSET {offset}"""


class State:
    """The pages that have arrived, in a file of JSON lines; the last line may be cut off by a kill.

    Args:
        path: the file; made if it is not there.
        options: what the import was asked for; a file of another import is refused.

    Raises:
        InputError: the file belongs to another import, or a line before the last is damaged.
    """

    def __init__(self, path: str | os.PathLike[str], options: object) -> None:
        self.path = Path(path)
        self._head = {"import": hashlib.sha256(json.dumps(options).encode()).hexdigest()}
        self._pages: dict[tuple[str, int], list[Row]] = {}
        if self.path.exists():
            self._read()
        else:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._append(self._head)

    def get(self, name: str, page: int) -> list[Row] | None:
        """A page, if it has arrived."""
        return self._pages.get((name, page))

    def put(self, name: str, page: int, rows: list[Row]) -> None:
        """Keep a page; it is on the disk when this returns."""
        self._append({"name": name, "page": page, "rows": rows})
        self._pages[name, page] = rows

    def _append(self, entry: object) -> None:
        with self.path.open("a", encoding="utf-8") as stream:
            stream.write(json.dumps(entry, ensure_ascii=False) + "\n")
            stream.flush()
            os.fsync(stream.fileno())

    def _read(self) -> None:
        whole = 0
        content = self.path.read_bytes()
        for number, line in enumerate(content.splitlines(keepends=True), start=1):
            try:
                entry = json.loads(line) if line.endswith(b"\n") else None
            except ValueError:
                entry = None
            if entry is None:
                if whole + len(line) == len(content):
                    break  # written when it was killed
                raise InputError(
                    f"{self.path}:{number}: expected a page, got {line[:60]!r}. Delete the file."
                )
            if number == 1 and entry != self._head:
                raise InputError(
                    f"{self.path}: expected the state of this import, found that of another one. Name another file, "
                    "or delete it."
                )
            if number > 1:
                self._pages[entry["name"], entry["page"]] = entry["rows"]
            whole += len(line)
        if whole < len(content):
            with self.path.open("r+b") as stream:
                stream.truncate(whole)
        if not whole:
            self._append(self._head)


class Wikidata:
    """An import.

    Args:
        service: the endpoint.
        properties: ids of properties (P112); those of the reviewed table keep its names, others Wikidata's id.
        items: subjects to ask for (Q95); empty: see `instances_of`.
        instances_of: a class: its instances, and those of its subclasses, are the subjects.
        language: of labels and aliases.
        page: rows of one request.

    Raises:
        ConfigError: an id or a language is not valid; nothing says which subjects.
    """

    def __init__(
        self,
        service: Sparql,
        properties: Sequence[str],
        *,
        items: Sequence[str] = (),
        instances_of: str = "",
        language: str = "en",
        page: int = 2000,
    ) -> None:
        self._service = service
        self._properties = [_matching(_PROPERTY, one, "the id of a property") for one in properties]
        self._items = [_matching(_ITEM, one, "the id of an item") for one in items]
        self._class = instances_of and _matching(_ITEM, instances_of, "the id of a class")
        self._language = _matching(_LANGUAGE, language, "a language code")
        self._page = page
        if bool(self._items) == bool(self._class):
            raise ConfigError("expected either items or instances_of, to say which subjects are wanted.")

    def load(self, state: str | os.PathLike[str]) -> ReadFacts:
        """Fetch what is missing in the state file, then put it together.

        An item whose label another one has too is called "label (Q95)", with the label as an alias. Of the subjects'
        years, start and end are asked for, or the point in time; not what began and has no end there.

        Args:
            state: the state file; keep it until the import is done.

        Returns:
            Facts, events and entities, and what had to be left out.

        Raises:
            BackendError: the service does not answer; what arrived is kept.
            InputError: the state file belongs to another import.
        """
        options = [
            self._service.endpoint,
            self._properties,
            self._items,
            self._class,
            self._language,
            self._page,
        ]
        pages = State(state, options)
        scope = self._scope()
        facts = {
            one: list(self._rows(pages, one, _FACTS, scope=scope, property=one)) for one in self._properties
        }
        dated: list[Row] = []
        for name, template in (("dates", _DATES), ("moments", _MOMENTS)):
            dated += self._rows(pages, name, template, scope=scope)
        found = ReadFacts()
        names = _names([*(row for rows in facts.values() for row in rows), *dated])
        other = self._aliases(pages, sorted(names, key=lambda item: int(item[1:])))
        labels = _unique(names)
        for one, rows in facts.items():
            relation = reviewed().by_property(one)
            for number, row in enumerate(rows, start=1):
                _fact(found, row, relation.name if relation else one, labels, (one, number))
        _events(found, dated, labels)
        for item, label in labels.items():
            known = [name for name in dict.fromkeys([names[item], *other.get(item, ())]) if name != label]
            found.entities.append(Entity(label, tuple(known), item))
        return found

    def _scope(self) -> str:
        if self._class:
            return f"?s wdt:P31/wdt:P279* wd:{self._class} ."
        return f"VALUES ?s {{ {' '.join('wd:' + item for item in self._items)} }}"

    def _rows(self, pages: State, name: str, template: str, **values: str) -> Iterator[Row]:
        for number in itertools.count():
            rows = pages.get(name, number)
            if rows is None:
                query = template.format(
                    **values, language=self._language, limit=self._page, offset=number * self._page
                )
                rows = self._service.query(query)
                pages.put(name, number, rows)
            yield from rows
            if len(rows) < self._page:
                return

    def _aliases(self, pages: State, items: Sequence[str]) -> dict[str, list[str]]:
        found: dict[str, list[str]] = defaultdict(list)
        for start in range(0, len(items), 200):
            some = items[start : start + 200]
            name = f"aliases {hashlib.sha256(' '.join(some).encode()).hexdigest()[:16]}"
            values = " ".join("wd:" + item for item in some)
            for row in self._rows(pages, name, _ALIASES, items=values):
                item = _item(row, "e")
                if item and (alias := _value(row, "alias")):
                    found[item].append(alias)
        return found


def _matching(pattern: re.Pattern[str], text: str, what: str) -> str:
    if not pattern.fullmatch(text):
        raise ConfigError(f"expected {what}, got {text!r}.")
    return text


def _value(row: Row, variable: str) -> str:
    return row.get(variable, {}).get("value", "")


def _item(row: Row, variable: str) -> str:
    """The id of an item; empty where the value is none (text, a number, a blank node)."""
    entry = row.get(variable, {})
    value = entry.get("value", "").removeprefix(ENTITY)
    return value if entry.get("type") == "uri" and _ITEM.fullmatch(value) else ""


def _names(rows: Iterable[Row]) -> dict[str, str]:
    """The label of each item; the service gives the id where there is none in the language."""
    found: dict[str, str] = {}
    for row in rows:
        for variable in ("s", "o"):
            if item := _item(row, variable):
                found[item] = _value(row, f"{variable}Label") or item
    return found


def _unique(names: dict[str, str]) -> dict[str, str]:
    """A label of its own for each item, whatever the order they came in."""
    shared = Counter(names.values())
    return {item: name if shared[name] == 1 else f"{name} ({item})" for item, name in names.items()}


def _fact(found: ReadFacts, row: Row, relation: str, labels: dict[str, str], place: tuple[str, int]) -> None:
    subject = _item(row, "s")
    entry = row.get("o", {})
    object_ = labels.get(_item(row, "o")) or (
        entry.get("value", "") if entry.get("type") == "literal" else ""
    )
    if not subject or not object_:
        found.problem(*place, f"expected an item and an item or a literal, got {_shown(row)}")
        return
    try:
        found.facts.append(Triple(labels[subject], relation, object_))
    except InputError as error:
        found.problem(*place, error)


def _events(found: ReadFacts, rows: Sequence[Row], labels: dict[str, str]) -> None:
    """One event per item. Begins and ends come as every pair; as many of one as of the other go together in order."""
    begins: dict[str, set[int]] = defaultdict(set)
    ends: dict[str, set[int]] = defaultdict(set)
    first: dict[str, int] = {}
    for number, row in enumerate(rows, start=1):
        try:
            begin, end = _year(row, "begin"), _year(row, "end")
        except InputError as error:
            found.problem("dates", number, f"{_value(row, 'sLabel')!r}: {error}")
            continue
        if item := _item(row, "s"):
            begins[item].add(begin)
            ends[item].add(end)
            first.setdefault(item, number)
    for item, number in first.items():
        spans = list(zip(sorted(begins[item]), sorted(ends[item]), strict=False))
        if len(begins[item]) != len(ends[item]):
            what = f"{len(begins[item])} beginnings and {len(ends[item])} ends"
            found.problem("dates", number, f"{labels[item]!r}: expected as many of both, got {what}")
            continue
        try:
            found.events.append(DatedEvent(labels[item], spans))
        except InputError as error:
            found.problem("dates", number, f"{labels[item]!r}: {error}")


def _year(row: Row, variable: str) -> int:
    precision = _value(row, f"{variable}Precision")
    if not precision.isdigit() or int(precision) < YEAR:
        raise InputError(f"expected a date known to the year (precision {YEAR} or more), got {precision!r}.")
    return year_of(_value(row, variable))


def _shown(row: Any) -> str:
    return repr({name: entry.get("value") for name, entry in row.items()})[:120]
