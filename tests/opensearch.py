"""The few calls of OpenSearch that a bibliography makes, on this machine, with the replies that its documentation shows.

What was written is found only after a refresh, as there. Formats: docs.opensearch.org, document APIs (bulk, get), search APIs
(multi-search, count), index APIs (create, get and put mapping, refresh); errors as `RestStatus` and its bodies have them.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from rapidfuzz.distance import OSA

Fault = Callable[[str], "tuple[int, dict[str, str], bytes] | None"]


class Engine:
    """Indexes in memory; `seen` has every request as method, path, headers and body."""

    def __init__(self) -> None:
        self.mappings: dict[str, dict[str, Any]] = {}
        self.written: dict[str, dict[str, Any]] = {}
        self.visible: dict[str, dict[str, Any]] = {}
        self.seen: list[tuple[str, str, dict[str, str], str]] = []
        self.fault: Fault = lambda _path: None
        self.lock = threading.Lock()

    def answer(self, method: str, path: str, body: str) -> tuple[int, Any]:
        index, _, call = path.strip("/").partition("/")
        if method == "PUT" and not call:
            return self._create(index, json.loads(body))
        if index not in self.mappings:
            return 404, _error("index_not_found_exception", f"no such index [{index}]", 404)
        if call == "_mapping" and method == "GET":
            return 200, {index: {"mappings": self.mappings[index]}}
        if call == "_mapping":
            self.mappings[index] |= json.loads(body)
            return 200, {"acknowledged": True}
        if call == "_refresh":
            self.visible = dict(self.written)
            return 200, {"_shards": {"total": 2, "successful": 1, "failed": 0}}
        if call == "_count":
            count = len(self._matching(json.loads(body)["query"]))
            return 200, {"count": count, "_shards": {"total": 1, "successful": 1, "skipped": 0, "failed": 0}}
        if call == "_bulk":
            return 200, self._bulk(index, [json.loads(line) for line in body.splitlines()])
        if call == "_msearch":
            lines = [json.loads(line) for line in body.splitlines()]
            assert all(header["index"] == index for header in lines[::2])
            return 200, {"took": 1, "responses": [self._search(index, query) for query in lines[1::2]]}
        name = call.removeprefix("_doc/")
        found = self.written.get(name)
        head = {"_index": index, "_id": name, "found": found is not None}
        return (200, head | {"_version": 1, "_source": found}) if found else (404, head)

    def _create(self, index: str, body: dict[str, Any]) -> tuple[int, Any]:
        if index in self.mappings:
            return 400, _error("resource_already_exists_exception", f"index [{index}/Xy] already exists", 400)
        self.mappings[index] = body["mappings"]
        return 200, {"acknowledged": True, "shards_acknowledged": True, "index": index}

    def _bulk(self, index: str, lines: list[dict[str, Any]]) -> dict[str, Any]:
        items = []
        for head, document in zip(lines[::2], lines[1::2], strict=True):
            [(action, to)] = head.items()
            unknown = set(document) - set(self.mappings[index]["properties"])
            there = to["_id"] in self.written
            done = {"_index": to["_index"], "_id": to["_id"], "status": 200 if there else 201}
            if unknown:
                done |= {
                    "status": 400,
                    "error": {"type": "strict_dynamic_mapping_exception", "reason": str(unknown)},
                }
            elif there and action == "create":
                done |= {
                    "status": 409,
                    "error": {"type": "version_conflict_engine_exception", "reason": "there"},
                }
            else:
                self.written[to["_id"]] = document
            items.append({action: done})
        return {
            "took": 7,
            "errors": any("error" in one for item in items for one in item.values()),
            "items": items,
        }

    def _search(self, index: str, query: dict[str, Any]) -> dict[str, Any]:
        reply = {
            "took": 1,
            "timed_out": False,
            "_shards": {"total": 1, "successful": 1, "skipped": 0, "failed": 0},
        }
        found = self._matching(query.get("query", {"match_all": {}}))
        hits = [
            {"_index": index, "_id": name, "_score": score, "_source": self.visible[name]}
            for name, score in found
        ]
        hits.sort(key=lambda hit: -hit["_score"])
        reply["hits"] = {
            "total": {"value": len(hits), "relation": "eq"},
            "hits": hits[: query.get("size", 10)],
        }
        if "aggs" in query:
            filters = query["aggs"]["words"]["filters"]["filters"]
            buckets = {name: {"doc_count": len(self._matching(one))} for name, one in filters.items()}
            reply["aggregations"] = {"words": {"buckets": buckets}}
        return reply | {"status": 200}

    def _matching(self, query: dict[str, Any]) -> list[tuple[str, float]]:
        [(kind, about)] = query.items()
        scores = {name: _score(kind, about, document) for name, document in self.visible.items()}
        return [(name, score) for name, score in scores.items() if score]


def _score(kind: str, about: dict[str, Any], document: dict[str, Any]) -> float:
    if kind == "match_all":
        return 1.0
    if kind == "exists":
        return float(about["field"] in document)
    [(field, wanted)] = about.items()
    if kind == "terms":
        return float(not set(wanted).isdisjoint(document.get(field, ())))
    words = document.get(field, "").split()
    if kind == "term":
        return float(wanted in words)
    assert kind == "match"
    assert wanted["fuzziness"] == "AUTO"
    asked = wanted["query"].split()
    hits = sum(any(_near(word, other) for other in words) for word in asked)
    least = int(wanted["minimum_should_match"].rstrip("%")) * len(asked) // 100
    return hits / len(words) if hits >= max(least, 1) else 0.0


def _near(word: str, other: str) -> bool:
    """AUTO: words of up to two letters to the letter, of up to five with one edit, longer ones with two."""
    edits = 0 if len(word) <= 2 else 1 if len(word) <= 5 else 2
    return OSA.distance(word, other, score_cutoff=edits) <= edits


def _error(kind: str, reason: str, status: int) -> dict[str, Any]:
    cause = {"type": kind, "reason": reason}
    return {"error": {"root_cause": [cause], **cause}, "status": status}


@contextmanager
def opensearch() -> Iterator[tuple[Engine, str]]:
    """A running engine, and the address of an index in it that is not there yet."""
    engine = Engine()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = -1  # one packet for each reply

        def _reply(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()
            with engine.lock:
                engine.seen.append((self.command, self.path, dict(self.headers), body))
                fault = engine.fault(self.path)
                status, reply = (0, None) if fault else engine.answer(self.command, self.path, body)
            if fault:
                status, headers, raw = fault
                headers = {
                    "Connection": "close",
                    **headers,
                }  # or the next request may meet a connection that is gone
            else:
                headers, raw = {"Content-Type": "application/json; charset=UTF-8"}, json.dumps(reply).encode()
            self.send_response(status)
            for name, value in {"Content-Length": str(len(raw)), **headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(raw)
            self.close_connection = bool(fault)

        do_GET = do_PUT = do_POST = _reply  # noqa: N815  # http.server's names

        def log_message(self, *_: object) -> None:
            """Print nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield engine, f"opensearch+http://127.0.0.1:{server.server_port}/works"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
