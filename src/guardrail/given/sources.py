"""A document with where it came from, and the documents of one request."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Source:
    """Where a document came from; each part is "" where it is not known.

    Attributes:
        place: the part of the request or the response, in words ("a tool's result", "the system prompt").
        name: the document's title, its file, the tool that gave it, or its number.
        url: its address.
        identifier: what the provider calls it, as citations do: the id of a file or a call.
        abstract: whether the text is only the abstract of it.
    """

    place: str = ""
    name: str = ""
    url: str = ""
    identifier: str = ""
    abstract: bool = False

    def __str__(self) -> str:
        """What a person calls it: its name, else its address, else its place."""
        return self.name or self.url or self.place


@dataclass(frozen=True, slots=True)
class Document:
    """A text that answers may rest on, and where it came from."""

    text: str
    source: Source = Source()


@dataclass(frozen=True, slots=True)
class Gathered:
    """The documents of a request, in their order, and the names of those whose text nobody could read."""

    documents: tuple[Document, ...] = ()
    unread: tuple[str, ...] = ()

    @property
    def texts(self) -> tuple[str, ...]:
        """What the documents say."""
        return tuple(document.text for document in self.documents)

    @property
    def sources(self) -> tuple[Source, ...]:
        """Where they came from; nothing where that is not known of any."""
        found = tuple(document.source for document in self.documents)
        return found if any(source != Source() for source in found) else ()


NAMES = ("title", "name", "filename", "file_name", "document_name")
_URLS = ("url", "link", "uri")
_IDENTIFIERS = ("file_id", "id", "document_id", "doc_id")


def source_from(fields: object, place: str = "") -> Source:
    """What the fields next to a text say of where it is from: its title or file, its address, its id; and whether it is an abstract.

    Args:
        fields: a mapping, such as the metadata of a document; of anything else nothing is known.
        place: where the text was.
    """
    known = fields if isinstance(fields, Mapping) else {}
    name, url = first_field(known, NAMES), first_field(known, _URLS)
    origin = first_field(known, ("source", "file_path", "filepath", "path"))
    if "://" in origin:
        url = url or origin
    called = name or ("" if origin == url else origin)
    return Source(place, called, url, first_field(known, _IDENTIFIERS), known.get("abstract") is True)


def first_field(known: Mapping[str, object], names: Sequence[str]) -> str:
    """The first of some fields that is a text or a number, as a text; "" without one."""
    for name in names:
        value = known.get(name)
        if isinstance(value, str | int) and not isinstance(value, bool) and str(value).strip():
            return str(value).strip()
    return ""
