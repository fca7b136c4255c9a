"""The catalogues on this machine: one local server that answers in each service's documented format, with its errors.

`Services(works)` serves all of them, each under its own path (`address("crossref")`). Works are found by identifiers and by
title, as the services do: Crossref always has five works that look a little like it.
"""

from __future__ import annotations

import json
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self
from urllib.parse import parse_qs, unquote, urlsplit
from xml.sax.saxutils import escape

from guardrail.references.bibliography.normalise import normalise

__all__ = ["FAULTS", "NAMES", "Asked", "Services", "Work"]

FAULTS = ("rate", "error", "html", "empty", "cut", "slow")
"""What can be wrong with a reply: 429 with Retry-After, 5xx, a page for people, an empty one, a cut one, none in time."""


@dataclass(frozen=True)
class Work:
    """A work that the services have."""

    title: str
    authors: tuple[str, ...] = ()
    year: int = 2000
    venue: str = ""
    doi: str = ""
    arxiv: str = ""
    isbn: str = ""
    pmid: str = ""
    case: tuple[str, str, str] | None = None


@dataclass(frozen=True)
class Asked:
    """A request as the server got it."""

    service: str
    method: str
    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    form: Mapping[str, str] = field(default_factory=dict)


Reply = tuple[int, str, bytes]
Fault = Callable[[Asked], str | None]


def _json(content: Any, status: int = 200) -> Reply:
    return status, "application/json", json.dumps(content).encode()


def _split(name: str) -> tuple[str, str]:
    given, _, family = name.rpartition(" ")
    return given, family


class Services:
    """The server; use as a context manager.

    Attributes:
        asked: every request.
        fault: from a request to one of `FAULTS`, a status as text ("403"), or `None`.
        retry_after: what "rate" asks to wait.
    """

    def __init__(self, works: Iterable[Work] = (), *, retry_after: str = "0", keep: bool = True) -> None:
        self.works = list(works)
        self.asked: list[Asked] = []
        self.calls: Counter[str] = Counter()
        self.retry_after = retry_after
        self.fault: Fault = lambda asked: None  # noqa: ARG005
        self.redirect: Callable[[Asked], str | None] = lambda asked: None  # noqa: ARG005
        self.released = threading.Event()
        self._keep = keep
        self._titles: dict[str, list[Work]] = {}
        for work in self.works:
            self._titles.setdefault(normalise(work.title), []).append(work)
        self._by = {
            kind: {getattr(work, kind).lower(): work for work in self.works if getattr(work, kind)}
            for kind in ("doi", "arxiv", "isbn", "pmid")
        }
        self._cases = {work.case: work for work in self.works if work.case}
        self._pmids = {str(900_000 + at): work for at, work in enumerate(self.works)}
        self._numbers = {id(work): number for number, work in self._pmids.items()}
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._server.services = self
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)

    def address(self, service: str) -> str:
        """The base address of a service."""
        return f"http://127.0.0.1:{self._server.server_port}/{service}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.released.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def note(self, asked: Asked) -> None:
        """Count a request."""
        self.calls[asked.service] += 1
        if self._keep:
            self.asked.append(asked)

    def answer(self, asked: Asked) -> Reply:
        """The reply of a service."""
        return _SERVICES[asked.service](self, asked)

    # -- finding works

    def titled(self, text: str, most: int = 5) -> list[Work]:
        """Works whose title these words begin with, the longest first."""
        said = normalise(text).split()
        for end in range(len(said), 0, -1):
            if found := self._titles.get(" ".join(said[:end])):
                return found[:most]
        return []

    def by(self, kind: str, value: str) -> Work | None:
        """The work with an identifier."""
        return self._by[kind].get(value.lower())

    # -- services

    def crossref(self, asked: Asked) -> Reply:
        """/works/{DOI} and /works?query.bibliographic=…, as JSON."""
        if doi := asked.path.partition("/works/")[2]:
            work = self.by("doi", unquote(doi))
            if work is None:
                return 404, "text/plain", b"Resource not found."
            return _json({"status": "ok", "message-type": "work", "message": _csl(work)})
        found = self.titled(asked.query["query.bibliographic"])
        found += [work for work in self.works[: 5 - len(found)] if work not in found]
        message = {"items": [_csl(work) for work in found], "total-results": len(found)}
        return _json({"status": "ok", "message-type": "work-list", "message": message})

    def openalex(self, asked: Asked) -> Reply:
        """/works/doi:… and /works?filter=title.search:…, as JSON."""
        if "/works/" in asked.path:
            kind, _, value = unquote(asked.path.partition("/works/")[2]).partition(":")
            work = self.by(kind, value)
            if work is None:
                return 404, "text/html", b"<!doctype html>\n<title>404 Not Found</title>"
            return _json(self._openalex(work))
        found = self.titled(asked.query["filter"].removeprefix("title.search:"))
        results = [self._openalex(work) for work in found]
        return _json(
            {"meta": {"count": len(found), "page": 1, "per_page": 5}, "results": results, "group_by": []}
        )

    def _openalex(self, work: Work) -> dict[str, Any]:
        return {
            "id": f"https://openalex.org/W{self._numbers[id(work)]}",
            "doi": f"https://doi.org/{work.doi}" if work.doi else None,
            "ids": {"pmid": f"https://pubmed.ncbi.nlm.nih.gov/{work.pmid}"} if work.pmid else {},
            "title": work.title,
            "publication_year": work.year,
            "authorships": [{"author": {"display_name": name}} for name in work.authors],
            "primary_location": {"source": {"display_name": work.venue}} if work.venue else None,
            "biblio": {"volume": None, "issue": None, "first_page": None, "last_page": None},
            "is_retracted": False,
            "type": "article",
        }

    def semantic_scholar(self, asked: Asked) -> Reply:
        """/graph/v1/paper/{id} and /graph/v1/paper/search/match."""
        if asked.path.endswith("/paper/search/match"):
            found = self.titled(asked.query["query"], 1)
            if not found:
                return _json({"error": "Title match not found"}, 404)
            return _json({"data": [{**_paper(work), "matchScore": 174.2} for work in found]})
        kind, _, value = unquote(asked.path.partition("/paper/")[2]).partition(":")
        work = self.by(kind.lower(), value)
        if work is None:
            return _json({"error": f"Paper with id {kind}:{value} not found"}, 404)
        return _json(_paper(work))

    def arxiv(self, asked: Asked) -> Reply:
        """/api/query?id_list=… and ?search_query=ti:"…", in Atom."""
        if number := asked.query.get("id_list"):
            known = self.by("arxiv", number)
            found = [known] if known else []
        else:
            query = asked.query["search_query"]
            found = self.titled(query.removeprefix('ti:"').rstrip('"')) if query.startswith('ti:"') else []
            found = [work for work in found if work.arxiv]
        entries = "".join(_entry(work) for work in found)
        feed = (
            '<?xml version="1.0" encoding="UTF-8"?>\n<feed xmlns="http://www.w3.org/2005/Atom" '
            'xmlns:opensearch="http://a9.com/-/spec/opensearch/1.1/" xmlns:arxiv="http://arxiv.org/schemas/atom">'
            f"<title>arXiv Query</title><opensearch:totalResults>{len(found)}</opensearch:totalResults>{entries}</feed>"
        )
        return 200, "application/atom+xml; charset=UTF-8", feed.encode()

    def dblp(self, asked: Asked) -> Reply:
        """/search/publ/api?format=json."""
        found = self.titled(asked.query["q"])
        hits: dict[str, Any] = {
            "@total": str(len(found)),
            "@computed": str(len(found)),
            "@sent": str(len(found)),
        }
        if found:
            hits["hit"] = [
                {"@score": "9", "@id": str(at), "info": _info(work)} for at, work in enumerate(found)
            ]
        return _json({"result": {"status": {"@code": "200", "text": "OK"}, "hits": hits}})

    def open_library(self, asked: Asked) -> Reply:
        """/search.json?title=… and ?isbn=…, books."""
        isbn = asked.query.get("isbn")
        known = self.by("isbn", isbn) if isbn else None
        found = ([known] if known else []) if isbn else self.titled(asked.query["title"])
        docs = [
            {
                "key": f"/works/OL{at}W",
                "title": work.title,
                "author_name": list(work.authors),
                "first_publish_year": work.year,
                "publish_year": [work.year],
                "publisher": [work.venue],
                **({"isbn": [work.isbn]} if work.isbn else {}),
            }
            for at, work in enumerate(found)
        ]
        return _json({"numFound": len(docs), "start": 0, "numFoundExact": True, "docs": docs})

    def pubmed(self, asked: Asked) -> Reply:
        """esearch.fcgi and esummary.fcgi of E-utilities, as JSON."""
        head = {"header": {"type": "esearch", "version": "0.3"}}
        if asked.path.endswith("esearch.fcgi"):
            term = asked.query["term"]
            if term.endswith("[doi]"):
                known = self.by("doi", term.removesuffix("[doi]"))
                found = [known] if known else []
            else:
                wanted = {word.removesuffix("[Title]") for word in term.split(" AND ")}
                found = self._with_words(wanted)[:5]
            numbers = [self._numbers[id(work)] for work in found]
            return _json({**head, "esearchresult": {"count": str(len(numbers)), "idlist": numbers}})
        result: dict[str, Any] = {"uids": asked.query["id"].split(",")}
        for number in result["uids"]:
            work = self._pmids.get(number) or self.by("pmid", number)
            result[number] = (
                {"uid": number, "error": "cannot get document summary"}
                if work is None
                else _summary(number, work)
            )
        return _json({**head, "result": result})

    def _with_words(self, wanted: set[str]) -> list[Work]:
        if not hasattr(self, "_words"):
            self._words: dict[str, set[int]] = {}
            for at, work in enumerate(self.works):
                for word in normalise(work.title).split():
                    self._words.setdefault(word, set()).add(at)
        sets = sorted((self._words.get(word, set()) for word in wanted), key=len)
        return [self.works[at] for at in sorted(set.intersection(*sets))] if sets else []

    def courtlistener(self, asked: Asked) -> Reply:
        """POST /api/rest/v4/citation-lookup/."""
        place = (asked.form["volume"], asked.form["reporter"], asked.form["page"])
        work = self._cases.get(place)
        cited: dict[str, Any] = {
            "citation": " ".join(place),
            "normalized_citations": [" ".join(place)],
            "start_index": 0,
            "end_index": len(" ".join(place)),
            "status": 200 if work else 404,
            "error_message": "" if work else f"Citation not found: {' '.join(place)!r}",
            "clusters": [],
        }
        if work:
            cited["clusters"] = [
                {
                    "absolute_url": "/opinion/1/case/",
                    "case_name": work.title,
                    "date_filed": f"{work.year}-05-17",
                    "citations": [dict(zip(("volume", "reporter", "page"), place, strict=True))],
                }
            ]
        return _json([cited])

    def doi(self, asked: Asked) -> Reply:
        """/api/handles/{DOI}, and content negotiation at /{DOI}."""
        handle = unquote(asked.path.partition("/api/handles/")[2])
        if handle:
            known = self.by("doi", handle) is not None
            content = (
                {"responseCode": 1, "handle": handle, "values": []}
                if known
                else {"responseCode": 100, "handle": handle}
            )
            return _json(content, 200 if known else 404)
        work = self.by("doi", unquote(asked.path.removeprefix("/")))
        if work is None:
            return 404, "text/html", b"<html><title>DOI Not Found</title></html>"
        return _json({**_csl(work), "title": work.title, "container-title": work.venue})


_SERVICES: Mapping[str, Callable[[Services, Asked], Reply]] = {
    "crossref": Services.crossref,
    "openalex": Services.openalex,
    "semantic_scholar": Services.semantic_scholar,
    "arxiv": Services.arxiv,
    "dblp": Services.dblp,
    "open_library": Services.open_library,
    "pubmed": Services.pubmed,
    "courtlistener": Services.courtlistener,
    "doi": Services.doi,
}
NAMES = tuple(_SERVICES)


def _csl(work: Work) -> dict[str, Any]:
    people = [dict(zip(("given", "family"), _split(name), strict=True)) for name in work.authors]
    return {
        "DOI": work.doi,
        "type": "book" if work.isbn else "journal-article",
        "title": [work.title],
        "author": [{**person, "sequence": "first", "affiliation": []} for person in people],
        "issued": {"date-parts": [[work.year, 1]]},
        "container-title": [work.venue] if work.venue and not work.isbn else [],
        "publisher": work.venue,
        **({"ISBN": [work.isbn]} if work.isbn else {}),
        "URL": f"https://doi.org/{work.doi}",
    }


def _paper(work: Work) -> dict[str, Any]:
    ids = {"DOI": work.doi, "ArXiv": work.arxiv, "PubMed": work.pmid}
    return {
        "paperId": "649def34f8be52c8b66281af98ae884c09aef38b",
        "title": work.title,
        "authors": [{"authorId": "1", "name": name} for name in work.authors],
        "year": work.year,
        "venue": work.venue,
        "publicationVenue": None,
        "journal": None,
        "externalIds": {kind: value for kind, value in ids.items() if value},
        "url": "https://www.semanticscholar.org/paper/649def34",
    }


def _entry(work: Work) -> str:
    people = "".join(f"<author><name>{escape(name)}</name></author>" for name in work.authors)
    return (
        f"<entry><id>http://arxiv.org/abs/{work.arxiv}v3</id><published>{work.year}-06-12T17:57:34Z</published>"
        f"<title>{escape(work.title)}</title><summary>…</summary>{people}</entry>"
    )


def _info(work: Work) -> dict[str, Any]:
    people: Any = [{"@pid": "1/2", "text": f"{name} 0001"} for name in work.authors]
    return {
        "authors": {"author": people[0] if len(people) == 1 else people},
        "title": f"{escape(work.title)}.",
        "venue": escape(work.venue),
        "year": str(work.year),
        "type": "Journal Articles",
        **({"doi": work.doi} if work.doi else {}),
        "ee": "https://example.org",
    }


def _summary(number: str, work: Work) -> dict[str, Any]:
    names = [_split(name) for name in work.authors]
    people = [f"{family} {''.join(part[0] for part in given.split())}".strip() for given, family in names]
    return {
        "uid": number,
        "pubdate": f"{work.year} Jun",
        "source": work.venue,
        "fulljournalname": work.venue,
        "title": f"{work.title}.",
        "authors": [{"name": name, "authtype": "Author", "clusterid": ""} for name in people],
        "volume": "",
        "issue": "",
        "pages": "",
        "pubtype": ["Journal Article"],
        "articleids": [{"idtype": "pubmed", "value": number}, {"idtype": "doi", "value": work.doi}],
    }


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128
    services: Services

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that went away is no news."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: _Server

    def log_message(self, *arguments: Any) -> None:
        """Nothing."""

    def do_GET(self) -> None:
        """Answer."""
        self._answer({})

    def do_POST(self) -> None:
        """Answer."""
        body = self.rfile.read(int(self.headers.get("content-length", "0"))).decode()
        self._answer({name: values[0] for name, values in parse_qs(body).items()})

    def _answer(self, form: Mapping[str, str]) -> None:
        services, parts = self.server.services, urlsplit(self.path)
        name, _, rest = parts.path.removeprefix("/").partition("/")
        query = {name: values[0] for name, values in parse_qs(parts.query, keep_blank_values=True).items()}
        asked = Asked(name, self.command, f"/{rest}", query, dict(self.headers.items()), form)
        services.note(asked)
        if target := services.redirect(asked):
            self._send((302, "text/plain", b""), {"Location": target})
            return
        fault = services.fault(asked)
        if fault == "slow":
            services.released.wait()
            self.close_connection = True
        elif fault == "cut":
            body = services.answer(asked)[2]
            self._send((200, "application/json", body[: len(body) // 2]), {"Content-Length": str(len(body))})
            self.close_connection = True
        elif fault:
            self._send(
                _faulty(fault), {"Retry-After": services.retry_after} if fault in {"rate", "429"} else {}
            )
        else:
            self._send(services.answer(asked), {})

    def _send(self, reply: Reply, headers: Mapping[str, str]) -> None:
        status, kind, body = reply
        self.send_response(status)
        for name, value in {"Content-Type": kind, "Content-Length": str(len(body)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)


def _faulty(fault: str) -> Reply:
    page = b"<!DOCTYPE html><html><body>We are checking your browser.</body></html>"
    known: dict[str, Reply] = {
        "rate": _json({"error": "Too many requests"}, 429),
        "error": (503, "text/html", page),
        "html": (200, "text/html", page),
        "empty": (200, "application/json", b""),
    }
    return known.get(fault) or (int(fault), "text/plain", b"")
