"""A server that answers as Wikidata's query service does: SPARQL results in JSON, pages, refusals.

It reads of a query what the importer writes there (which rows, LIMIT, OFFSET) and answers from tables. Faults are
sent in order, one for each request, until they are used up.
"""

import json
import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

ENTITY = "http://www.wikidata.org/entity/"
DATE = "http://www.w3.org/2001/XMLSchema#dateTime"
WHOLE = "http://www.w3.org/2001/XMLSchema#integer"


def item(identifier):
    return {"type": "uri", "value": ENTITY + identifier}


def text(value):
    return {"xml:lang": "en", "type": "literal", "value": value}


def date(value):
    return {"datatype": DATE, "type": "literal", "value": value}


def whole(value):
    return {"datatype": WHOLE, "type": "literal", "value": str(value)}


class WikidataServer:
    """Use as a context manager.

    Attributes:
        facts: per property, (subject id, object id or a literal's JSON).
        labels, aliases: per item.
        dates, moments: (subject id, begin, precision, end, precision); of a moment both are one.
        faults: what to answer to the next requests in place of results: a status with headers, "cut" or "maxlag".
        queries: all that was asked and answered with results.
        agents: the User-Agent of every request.
    """

    def __init__(self, *, facts=(), labels=(), aliases=(), dates=(), moments=(), faults=()):
        self.facts, self.labels, self.aliases = dict(facts), dict(labels), dict(aliases)
        self.dates, self.moments, self.faults = list(dates), list(moments), list(faults)
        self.queries, self.agents, self.parameters = [], [], []

    def __enter__(self):
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            wbufsize = 1 << 16  # head and body in one packet

            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"])).decode()
                outer.agents.append(self.headers["User-Agent"])
                outer.parameters.append(parse_qs(urlsplit(self.path).query))
                outer.answer(self, parse_qs(body)["query"][0])

            def log_message(self, *_):
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01})
        self._thread.start()
        self.address = f"http://127.0.0.1:{self._server.server_port}/sparql"
        return self

    def __exit__(self, *_):
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def answer(self, handler, query):
        fault = self.faults.pop(0) if self.faults else None
        if isinstance(fault, tuple):
            return self._send(handler, fault[0], b"Rate limit exceeded", fault[1])
        if fault == "maxlag":
            said = {"error": {"code": "maxlag", "info": "Waiting for a copy: 9 seconds lagged."}}
            return self._send(handler, 200, json.dumps(said).encode(), {"Retry-After": "5"})
        variables, rows = self._rows(query)
        limit, offset = (int(re.search(rf"{word} (\d+)", query)[1]) for word in ("LIMIT", "OFFSET"))
        page = rows[offset : offset + limit]
        body = json.dumps({"head": {"vars": variables}, "results": {"bindings": page}}).encode()
        if fault == "cut":
            return self._send(handler, 200, body[: len(body) // 2])
        self.queries.append(query)
        return self._send(handler, 200, body)

    def _rows(self, query):
        values = re.search(r"VALUES \?[se] \{ (.*?) \}", query)
        wanted = {one.removeprefix("wd:") for one in values[1].split()} if values else None
        if "altLabel" in query:
            found = [(one, name) for one in sorted(wanted) for name in self.aliases.get(one, ())]
            return ["e", "alias"], [{"e": item(one), "alias": text(name)} for one, name in found]
        if "P585" in query:
            return ["s", "begin", "end"], [
                self._dated(*one) for one in self.moments if not wanted or one[0] in wanted
            ]
        if "P580" in query:
            return ["s", "begin", "end"], [
                self._dated(*one) for one in self.dates if not wanted or one[0] in wanted
            ]
        name = re.search(r"wdt:(P\d+) \?o", query)[1]
        pairs = [pair for pair in self.facts.get(name, ()) if not wanted or pair[0] in wanted]
        return ["s", "sLabel", "o", "oLabel"], [self._fact(*pair) for pair in pairs]

    def _label(self, identifier):
        """The label service: the id where there is none in the language."""
        return (
            text(self.labels[identifier])
            if identifier in self.labels
            else {"type": "literal", "value": identifier}
        )

    def _fact(self, subject, object_):
        row = {"s": item(subject), "sLabel": self._label(subject)}
        if isinstance(object_, dict):
            return {**row, "o": object_, "oLabel": object_}
        return {**row, "o": item(object_), "oLabel": self._label(object_)}

    def _dated(self, subject, begin, begin_precision, end, end_precision):
        return {
            "s": item(subject), "sLabel": self._label(subject), "begin": date(begin), "end": date(end),
            "beginPrecision": whole(begin_precision), "endPrecision": whole(end_precision),
        }  # fmt: skip

    @staticmethod
    def _send(handler, status, body, headers=None):
        handler.send_response(status)
        for name, value in {"Content-Type": "application/sparql-results+json", **(headers or {})}.items():
            handler.send_header(name, value)
        handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        handler.wfile.write(body)
