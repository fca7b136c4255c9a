"""Elements of an XML file, one after another, without holding the file in memory.

Nothing is fetched: a document type that is named is not read. An entity that a file defines itself is refused, since a few of
them make gigabytes of a kilobyte. The names of letters ("&uuml;") are read as HTML defines them, which are DBLP's.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from html.entities import name2codepoint
from pathlib import Path
from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers.expat import ExpatError, ParserCreate

from guardrail.errors import ParseError
from guardrail.references.bibliography.formats.lines import opened

CHUNK = 1 << 16
DEEPEST = 50  # elements within each other


def elements(path: Path, wanted: Collection[str]) -> Iterator[tuple[int, Element]]:
    """The outermost elements of these names, each with the line where it begins.

    Raises:
        ParseError: the file is no XML, is cut short, or defines entities.
    """
    reader = _Reader(path, frozenset(wanted))
    with opened(path) as stream:
        chunk = b"begin"
        while chunk:
            chunk = stream.read(CHUNK)
            fault = reader.feed(chunk)
            yield from reader.taken()
            if fault is not None:
                raise fault


def inner_text(element: Element | None) -> str:
    """The text of an element and of those within it, in one line."""
    return "" if element is None else " ".join("".join(element.itertext()).split())


class _Reader:
    def __init__(self, path: Path, wanted: frozenset[str]) -> None:
        self._path = path
        self._wanted = wanted
        self._found: list[tuple[int, Element]] = []
        self._builder: TreeBuilder | None = None
        self._depth = 0
        self._line = 1
        parser = ParserCreate()
        parser.buffer_text = True
        parser.UseForeignDTD(True)  # an unknown entity is handed over, also where no document type is named
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._data
        parser.SkippedEntityHandler = self._entity
        parser.EntityDeclHandler = self._refuse
        self._parser = parser

    def feed(self, chunk: bytes) -> ParseError | None:
        """Read on, nothing at the end; what is wrong is returned, for the elements before it are good."""
        try:
            self._parser.Parse(chunk, not chunk)
        except ExpatError as error:
            return ParseError(f"expected XML: {error}.", source=str(self._path), line=error.lineno)
        except (
            LookupError,
            ValueError,
        ) as error:  # an encoding that Python does not have, or expat not with it
            return self._error(f"expected XML in a known encoding: {error}.")
        except ParseError as error:
            return error
        return None

    def taken(self) -> list[tuple[int, Element]]:
        found, self._found = self._found, []
        return found

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        if self._builder is None and name in self._wanted:
            self._builder, self._depth, self._line = TreeBuilder(), 0, self._parser.CurrentLineNumber
        if self._builder is not None:
            self._depth += 1
            if self._depth > DEEPEST:
                raise self._error(f"expected at most {DEEPEST} elements within each other.")
            self._builder.start(name, attributes)

    def _end(self, name: str) -> None:
        if self._builder is None:
            return
        self._builder.end(name)
        self._depth -= 1
        if not self._depth:
            self._found.append((self._line, self._builder.close()))
            self._builder = None

    def _data(self, text: str) -> None:
        if self._builder is not None:
            self._builder.data(text)

    def _entity(self, name: str, is_parameter: bool) -> None:  # expat's
        if self._builder is not None and not is_parameter:
            code = name2codepoint.get(name)
            self._builder.data(chr(code) if code else f"&{name};")

    def _refuse(self, name: str, *_declared: object) -> None:
        raise self._error(f"expected a file that defines no entities, found the entity {name!r}.")

    def _error(self, message: str) -> ParseError:
        return ParseError(message, source=str(self._path), line=self._parser.CurrentLineNumber)
