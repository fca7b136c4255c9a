"""A bibliography in OpenSearch or Elasticsearch, for collections that are too large for one machine.

The engine gives candidates, by the same keys as the embedded index and by words with a letter wrong; what was quoted is judged
by the same rules. Everything that comes from a reference travels in JSON bodies, never in a path or a query language.

A document is a work (`keys`, `words`, `record`), something said about a retraction (`retracts`, `record`), or, by its number alone,
the abstract of a work (`record`) or how far a file was imported (`record`). So no search for a reference carries abstracts. What the whole index declares is in the mapping's `_meta`.
"""

from __future__ import annotations

import json
import os
import re
import time
import weakref
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from itertools import islice
from typing import Any, Self

import httpx

from guardrail.engine.retry_after import retry_after
from guardrail.errors import ConfigError, IndexFault
from guardrail.references.bibliography.abstracts import bounded
from guardrail.references.bibliography.formats.json_items import as_object
from guardrail.references.bibliography.index import Added, Bookmark
from guardrail.references.bibliography.insertion import cleaned, identity_of, keys_of, unknown_works
from guardrail.references.bibliography.lookup import exact_keys, has_its_title, most_alike
from guardrail.references.bibliography.matching import as_quoted, is_same, judge
from guardrail.references.bibliography.normalise import key
from guardrail.references.bibliography.readings import Reading, judge_readings, readings
from guardrail.references.bibliography.records import Match, Record, Reference, Status
from guardrail.references.bibliography.retractions import (
    Retraction,
    latest,
    retraction_keys,
    retractions_of,
    spread,
    without_mark,
)
from guardrail.references.bibliography.titles import Title

ADDRESS = re.compile(
    r"(?:opensearch|elasticsearch)(?:\+(?P<scheme>https?))?://(?P<host>[A-Za-z0-9._\-\[\]:]+)/(?P<index>[a-z0-9][a-z0-9._-]{0,200})/?"
)
VERSION = 1
TOGETHER = 16  # references of one request
CANDIDATES = 50
MOST_ALIKE = 5  # records of one work that are asked for their abstract
MOST_WORDS = 40  # of a title that are searched; each may become twenty, and a query has room for a thousand
BULK = 1 << 22  # bytes of one request
AGAIN = {429, 502, 503, 504}  # statuses after which the same request may succeed

MAPPINGS = {
    "dynamic": "strict",
    "_meta": {"guardrail": VERSION, "complete": False},
    "properties": {
        "keys": {"type": "keyword"},
        "words": {"type": "text", "analyzer": "whitespace"},
        "retracts": {"type": "keyword"},
        "record": {"type": "object", "enabled": False},
    },
}

Source = Mapping[str, Any]


class _NoAnswerError(Exception):
    """The engine did not answer a search, or not completely."""


class _NobodyError(_NoAnswerError):
    """The engine did not answer at all."""


@dataclass(slots=True)
class _Asked:
    """A reference with what was found for it."""

    reference: Reference
    title: Title
    works: list[Record] = field(default_factory=list)
    parts: list[Reading] = field(default_factory=list)


class OpenSearch:
    """A bibliography in one index of OpenSearch or Elasticsearch; implements `Bibliography`, and files can be added to it.

    The address is `opensearch://HOST:PORT/INDEX`, by https, or `opensearch+http://…`. Name and password are taken from
    `OPENSEARCH_USERNAME` and `OPENSEARCH_PASSWORD`, or an API key from `OPENSEARCH_API_KEY`.
    """

    def __init__(self, address: str, *, timeout: float = 10.0, attempts: int = 3, wait: float = 0.25) -> None:
        """Prefer `open` and `create`, which also look whether the index is there.

        Args:
            address: of the index.
            timeout: seconds for one request.
            attempts: requests before an overloaded or unreachable engine counts as unreachable.
            wait: seconds before the second attempt, twice as many before each further one, unless the engine names them.

        Raises:
            ConfigError: it is no such address, or holds a password.
        """
        found = ADDRESS.fullmatch(address)
        if found is None:
            why = (
                "a password does not belong in an address: export OPENSEARCH_USERNAME and OPENSEARCH_PASSWORD; "
                * ("@" in address)
            )
            raise ConfigError(
                f"expected an address such as 'opensearch://search.example.org:9200/works', got "
                f"{re.sub('//[^@/]*@', '//…@', address)!r}: {why}the index's name has small letters, digits, '.', '_' and '-'"
            )
        self.address = address
        self.index = found["index"]
        self._name = f"index {found['host']}/{self.index}"
        self._url = f"{found['scheme'] or 'https'}://{found['host']}"
        try:
            httpx.URL(self._url)
        except httpx.InvalidURL as error:
            raise ConfigError(
                f"expected the address of a host and a port, got {address!r}: {error}"
            ) from error
        self._options = (timeout, attempts, wait)
        self._client: tuple[int, httpx.Client] | None = None
        self.complete = False

    def __reduce__(self) -> tuple[Callable[[str], OpenSearch], tuple[str]]:
        return OpenSearch.open, (self.address,)

    @classmethod
    def open(cls, address: str, **options: Any) -> OpenSearch:
        """Open an index that is there and has works in it.

        Raises:
            ConfigError: it is no such address.
            IndexFault: the engine does not answer, or has no such index with works.
        """
        opened = cls(address, **options)
        with opened._or_closed():
            opened._look()
            if not len(opened):
                raise IndexFault(f"expected works in the index {address!r}, found none. {opened._remedy}")
        return opened

    @classmethod
    def create(cls, address: str, *, complete: bool = False, **options: Any) -> OpenSearch:
        """Make an index, or open the one that is there, for adding records; see `Index.create`.

        Raises:
            ConfigError: it is no such address.
            IndexFault: the engine does not answer, or has another kind of index there.
        """
        made = cls(address, **options)
        with made._or_closed():
            reply = made._checked("PUT", "", {"mappings": MAPPINGS}, besides={400})
            if reply.status_code == 400 and "resource_already_exists" not in reply.text:
                raise IndexFault(f"the index {address!r} cannot be made: {_reason(reply)}.")
            made._look()
            if complete:
                made.declare_complete()
        return made

    @contextmanager
    def _or_closed(self) -> Iterator[None]:
        try:
            yield
        except BaseException:
            self.close()
            raise

    # --- looking up ----------------------------------------------------------------------------------------

    @property
    def fingerprint(self) -> str:
        """Which index, with how many documents."""
        try:
            return f"opensearch:{self.index}:{self._count({'match_all': {}})}:{'complete' if self.complete else 'open'}"
        except IndexFault:
            return "opensearch:unreadable"

    def find(self, reference: Reference) -> Match:
        """Look one reference up; see `Index.find`."""
        return self.find_all([reference])[0]

    def find_all(self, references: Sequence[Reference]) -> list[Match]:
        """Look several references up, in order; a few share each request."""
        rest = iter(references)
        matches: list[Match] = []
        while batch := list(islice(rest, TOGETHER)):
            matches += self._find(batch)
        return [replace(match, sources=(self._name,), complete=self.complete) for match in matches]

    def abstracts(self, records: Sequence[Record]) -> list[str]:
        """The abstracts of works that a look-up found, in order; see `Index.abstracts`."""
        try:
            return [record.abstract or self._abstract_of(record) for record in records]
        except (_NoAnswerError, IndexFault):
            return [record.abstract for record in records]

    def _abstract_of(self, record: Record) -> str:
        said = as_quoted(record)
        (sources,) = self._search([_keyed(exact_keys(said, Title(record.title)), MOST_ALIKE)])
        works = [work for work in map(_record, sources) if is_same(judge(said, [work]))]
        for number in dict.fromkeys(map(_number, works)):
            reply = self._checked("GET", f"_doc/abstract-{number}", besides={404})
            if reply.is_success:
                found = as_object(as_object(self._body(reply).get("_source")).get("record"))
                return bounded(str(found.get("abstract", "")))
        return ""

    def _find(self, references: Sequence[Reference]) -> list[Match]:
        try:
            return self._judged([_asked(reference) for reference in references])
        except _NoAnswerError as error:
            if len(references) > 1 and not isinstance(error, _NobodyError):  # perhaps one of them is to blame
                return [match for reference in references for match in self._find([reference])]
            return [Match(Status.UNREACHABLE, detail=str(error))] * len(references)

    def _judged(self, asked: Sequence[_Asked]) -> list[Match]:
        able = [one for one in asked if exact_keys(one.reference, one.title)]
        exact = [_keyed(exact_keys(one.reference, one.title), 200) for one in able]
        found = self._search([*exact, *(_similar(one.title) for one in able)])
        groups = list(map(_candidates, able, found[: len(able)], found[len(able) :]))
        for one, marked in zip(able, self._marked(groups), strict=True):
            one.works = marked
        frequency = self._frequency(able)
        matches = {id(one): judge(one.reference, one.works, frequency) for one in able}
        doubtful = [
            one for one in able if not has_its_title(matches[id(one)]) and readings(one.reference.title)
        ]
        for one, works in zip(doubtful, self._titled(doubtful), strict=True):
            again = judge_readings(one.reference, one.parts, works, frequency)
            if again and (matches[id(one)].status is not Status.FOUND or has_its_title(again)):
                matches[id(one)] = again
        unable = Match(Status.UNREACHABLE, detail="neither a title nor an identifier was given")
        return [matches.get(id(one), unable) for one in asked]

    def _titled(self, asked: Sequence[_Asked]) -> list[list[Record]]:
        """For each reference, the works that have a part of its title as theirs."""
        for one in asked:
            one.parts = readings(one.reference.title)
        found = self._search(
            [_keyed([key("title", part.title.squeezed) for part in one.parts]) for one in asked]
        )
        return self._marked([list(map(_record, sources)) for sources in found])

    def _marked(self, groups: Sequence[Sequence[Record]]) -> list[list[Record]]:
        """Groups of works, each marked where it was retracted."""
        hashes = sorted({hashed for works in groups for work in works for hashed in retraction_keys(work)})
        known: dict[int, list[tuple[str, str]]] = {}
        for source in self._search([_terms("retracts", hashes)])[0] if hashes else []:
            said = as_object(source.get("record"))
            for hashed in source.get("retracts", ()):
                known.setdefault(int(hashed), []).append((str(said.get("date")), str(said.get("text"))))
        return [spread([latest(work, known) for work in works]) for works in groups]

    def _frequency(self, asked: Sequence[_Asked]) -> Callable[[str], int]:
        """In how many titles a word occurs, of those words in which a reference and a candidate differ."""
        words = {
            word
            for one in asked
            for work in one.works
            for word in set(one.title.words[:MOST_WORDS]) ^ set(Title(work.title).words[:MOST_WORDS])
        }
        if not words:
            return lambda _word: 0
        each = {word: {"term": {"words": word}} for word in sorted(words)}
        query = {"size": 0, "aggs": {"words": {"filters": {"filters": each}}}}
        [reply] = self._replies([query])
        buckets = as_object(as_object(as_object(reply.get("aggregations")).get("words")).get("buckets"))
        times = {word: int(as_object(bucket).get("doc_count", 0)) for word, bucket in buckets.items()}
        return lambda word: times.get(word, 0)

    def _search(self, queries: Sequence[Mapping[str, Any]]) -> list[list[Source]]:
        """What each query finds."""
        try:
            return [[hit["_source"] for hit in reply["hits"]["hits"]] for reply in self._replies(queries)]
        except (KeyError, TypeError) as error:
            raise _NoAnswerError(f"{self._name} gave a reply that cannot be read ({error!r})") from error

    def _replies(self, queries: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
        if not queries:
            return []
        header = {"index": self.index, "allow_partial_search_results": False}
        body = _lines(line for query in queries for line in (header, query))
        try:
            replies = self._body(self._checked("POST", "_msearch", body, lines=True)).get("responses")
        except IndexFault as error:
            raise _NobodyError(str(error)) from error
        if not isinstance(replies, list) or len(replies) != len(queries):
            raise _NoAnswerError(f"{self._name} gave a reply that cannot be read")
        for reply in map(as_object, replies):
            if "error" in reply or reply.get("timed_out") or as_object(reply.get("_shards")).get("failed"):
                raise _NoAnswerError(
                    f"{self._name} could not answer completely ({str(reply.get('error', 'shards'))[:200]})"
                )
        return replies

    # --- adding --------------------------------------------------------------------------------------------

    def add_batch(
        self,
        records: Sequence[Record],
        *,
        retractions: Sequence[Retraction] = (),
        bookmark: Bookmark | None = None,
    ) -> Added:
        """Add some records and retractions, then the bookmark; returns how many were new."""
        works = [cleaned(retraction.work) for retraction in retractions if retraction.work]
        clean = [cleaned(record) for record in records]
        said = [*retractions, *retractions_of(clean)]
        documents = dict(map(_document, [*clean, *self._lacking(works)]))
        added = self._bulk("create", documents)
        self._bulk("create", dict(_abstract(record) for record in (*works, *clean) if record.abstract))
        marked = self._bulk("create", dict(document for one in said for document in _retractions(one)))
        if bookmark is not None:
            self._bulk("index", {f"file-{key('file', bookmark.content)}": {"record": asdict(bookmark)}})
        return Added(added, marked)

    def bookmark(self, content: str) -> Bookmark | None:
        """How far the file with this hash was imported; `None` if it never was."""
        reply = self._checked("GET", f"_doc/file-{key('file', content)}", besides={404})
        found = as_object(self._body(reply).get("_source")).get("record") if reply.is_success else None
        return Bookmark(**found) if isinstance(found, dict) and found.get("content") == content else None

    def optimise(self) -> None:
        """Make what was added visible to searches."""
        self._checked("POST", "_refresh")

    def declare_complete(self, complete: bool = True, /) -> None:
        """Declare that every work which may be cited is in here; see `Index.declare_complete`."""
        self._checked("PUT", "_mapping", {"_meta": {"guardrail": VERSION, "complete": complete}})
        self.complete = complete

    def __len__(self) -> int:
        return self._count({"exists": {"field": "keys"}})

    def _lacking(self, works: Sequence[Record]) -> list[Record]:
        """Those works whose DOI and PMID no work has."""
        if not works:
            return []
        self.optimise()
        known: set[int] = set()
        rest = iter([work for work in works if retraction_keys(work)])
        while batch := list(islice(rest, 100)):
            try:
                found = self._search([_keyed(retraction_keys(work), 1) for work in batch])
            except _NoAnswerError as error:
                raise IndexFault(str(error)) from error
            known |= {
                hashed
                for work, sources in zip(batch, found, strict=True)
                if sources
                for hashed in retraction_keys(work)
            }
        return unknown_works(works, known)

    def _bulk(self, action: str, documents: Mapping[str, Source]) -> int:
        """Write documents; returns how many were new. One that is there stays as it is with `create`."""
        new = 0
        rest = list(documents.items())
        while rest:
            lines: list[Any] = []
            size = 0
            while rest and size < BULK:
                name, document = rest.pop()
                lines += [{action: {"_index": self.index, "_id": name}}, document]
                size += len(json.dumps(document))
            reply = self._body(self._checked("POST", "_bulk", _lines(lines), lines=True))
            done = [as_object(as_object(item).get(action)) for item in reply.get("items") or ()]
            failed = [item for item in done if item.get("status") not in {200, 201, 409}]
            if failed or len(done) != len(lines) // 2:
                why = as_object(failed[0]).get("error") if failed else "a reply that cannot be read"
                raise IndexFault(f"the index {self.address!r} refused documents: {str(why)[:300]}.")
            new += sum(item.get("status") == 201 for item in done)
        return new

    # --- requests ------------------------------------------------------------------------------------------

    def close(self) -> None:
        """Close the connections; the next look-up makes new ones."""
        if self._client is not None:
            _close(*self._client)
        self._client = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def _remedy(self) -> str:
        return f"Build it with: guardrail references index add {self.address} FILE"

    def _look(self) -> None:
        """Read what the index declares; refuse one that is not ours."""
        reply = self._checked("GET", "_mapping", besides={404})
        if reply.status_code == 404:
            raise IndexFault(f"expected a bibliography index at {self.address!r}, found none. {self._remedy}")
        for mapping in self._body(reply).values():  # by the index's own name, where an alias was given
            meta = as_object(as_object(as_object(mapping).get("mappings")).get("_meta"))
            if meta.get("guardrail") != VERSION:
                raise IndexFault(
                    f"expected a bibliography index at {self.address!r}, found another kind of index."
                )
            self.complete = bool(meta.get("complete"))

    def _count(self, query: Mapping[str, Any]) -> int:
        count = self._body(self._checked("POST", "_count", {"query": query})).get("count")
        if not isinstance(count, int):
            raise IndexFault(f"the index {self.address!r} gave a reply that cannot be read.")
        return count

    def _body(self, reply: httpx.Response) -> dict[str, Any]:
        try:
            return as_object(reply.json())
        except ValueError as error:
            raise IndexFault(f"the index {self.address!r} gave a reply that cannot be read.") from error

    def _checked(
        self, method: str, path: str, body: Any = None, *, lines: bool = False, besides: Collection[int] = ()
    ) -> httpx.Response:
        """The reply to a request; `IndexFault` if there is none, or if its status is no success and none of `besides`."""
        kind = "application/x-ndjson" if lines else "application/json"
        content = body if lines or body is None else json.dumps(body)
        place = f"/{self.index}/{path}".rstrip("/")
        _, attempts, wait = self._options
        for attempt in range(attempts):
            try:
                reply = self._http().request(method, place, content=content, headers={"Content-Type": kind})
            except httpx.HTTPError as error:
                why, pause = str(error) or type(error).__name__, 0.0
            else:
                if reply.is_success or reply.status_code in besides:
                    return reply
                why, pause = f"{reply.status_code} {_reason(reply)}", _pause(reply)
                if reply.status_code not in AGAIN:
                    break
            if attempt + 1 < attempts:
                time.sleep(max(pause, wait * 2**attempt))
        raise IndexFault(f"the index {self.address!r} does not answer: {why}.")

    def _http(self) -> httpx.Client:
        """This process's client: connections do not survive a fork."""
        if self._client is None or self._client[0] != os.getpid():
            name, key_ = os.environ.get("OPENSEARCH_USERNAME"), os.environ.get("OPENSEARCH_API_KEY")
            client = httpx.Client(
                base_url=self._url,
                timeout=self._options[0],
                auth=(name, os.environ.get("OPENSEARCH_PASSWORD", "")) if name else None,
                headers={"Authorization": f"ApiKey {key_}"} if key_ and not name else None,
            )
            self._client = os.getpid(), client
            weakref.finalize(self, _close, *self._client)
        return self._client[1]


def _close(process: int, client: httpx.Client) -> None:
    """Close a client in the process that made it: elsewhere its connections are the parent's."""
    if process == os.getpid():
        client.close()


def _asked(reference: Reference) -> _Asked:
    bare = replace(reference, title=without_mark(reference.title))
    return _Asked(bare, Title(bare.title))


def _keyed(hashes: Iterable[int], size: int = CANDIDATES) -> dict[str, Any]:
    return {**_terms("keys", hashes), "size": size}


def _terms(name: str, hashes: Iterable[int]) -> dict[str, Any]:
    return {"query": {"terms": {name: [str(hashed) for hashed in hashes]}}, "size": 1000}


def _similar(title: Title) -> dict[str, Any]:
    """Most of the words, one or two letters of each wrong."""
    words = " ".join(title.words[:MOST_WORDS])
    like = {"query": words, "fuzziness": "AUTO", "max_expansions": 20, "minimum_should_match": "60%"}
    return {"query": {"match": {"words": like}}, "size": CANDIDATES}


def _candidates(one: _Asked, exact: Sequence[Source], near: Sequence[Source]) -> list[Record]:
    """The works with a key, and those whose titles look most alike."""
    works, others = list(map(_record, exact)), list(map(_record, near))
    best = most_alike(one.title, {at: work.title for at, work in enumerate(others)})
    return works + [others[at] for _, _, at in best if others[at] not in works]


def _record(source: Source) -> Record:
    try:
        fields = source["record"]
        return Record(**{**fields, "authors": tuple(fields.get("authors", ()))})
    except (KeyError, TypeError, AttributeError) as error:
        raise _NoAnswerError(f"a document cannot be read ({error!r})") from error


def _document(record: Record) -> tuple[str, Source]:
    """A work's number and document."""
    title = Title(record.title)
    fields = asdict(replace(record, abstract=""))
    said = {name: value for name, value in fields.items() if value or name == "title"}
    document = {"keys": sorted({str(hashed) for hashed in keys_of(record, title)}), "record": said}
    if title.words:
        document["words"] = title.normalised
    return f"work-{_number(record)}", document


def _number(record: Record) -> str:
    return f"{identity_of(record, Title(record.title).normalised) % 2**64:016x}"


def _abstract(record: Record) -> tuple[str, Source]:
    """The number and document of a work's abstract."""
    return f"abstract-{_number(record)}", {"record": {"abstract": record.abstract}}


def _retractions(said: Retraction) -> Iterator[tuple[str, Source]]:
    """The document about a retraction; what was said before stays, and the latest counts."""
    if hashes := retraction_keys(said):
        record = {"date": said.date, "text": said.text}
        name = key("retraction", json.dumps([hashes, record]))
        yield f"said-{name % 2**64:016x}", {"retracts": [str(hashed) for hashed in hashes], "record": record}


def _lines(objects: Iterable[Any]) -> str:
    return "".join(f"{json.dumps(one)}\n" for one in objects)


def _reason(reply: httpx.Response) -> str:
    """What the engine says is wrong, in few words."""
    try:
        error = as_object(reply.json()).get("error")
    except ValueError:
        return reply.reason_phrase
    return str(as_object(error).get("reason") or error or reply.reason_phrase)[:300]


def _pause(reply: httpx.Response) -> float:
    """The seconds that the engine asks to wait, ten at most."""
    return min(retry_after(reply.headers) or 0.0, 10.0)
