"""The folder of a knowledge base: its files, what their manifest says of them, and what is wrong with them.

```
manifest.json        format, version, counts, source, date, SHA-256 of every file
facts-<hash>.pl      one fact per line; the name changes with the content
facts-<hash>.qlf     the same, compiled; belongs to one version of SWI-Prolog and is made anew for another
entities.jsonl       label, aliases, identifier
events.jsonl         name and spans of years
relations.jsonl      the relations with their properties, as they were when it was built
```
"""

from __future__ import annotations

import hashlib
import json
import os
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from guardrail.errors import ParseError
from guardrail.logic.knowledge.quoting import read_fact

FORMAT = "guardrail-knowledge"
VERSION = 1
MANIFEST = "manifest.json"
_FILES = ("facts", "entities", "events", "relations")
BLOCK = 10_000  # lines of a file of facts that share a hash


class KnowledgeFault(ParseError):
    """A knowledge base is corrupt, cut off, of another version, or no knowledge base.

    Attributes:
        source: the file.
        line: where in it, `None` where that is not known.
    """


@dataclass(frozen=True, slots=True)
class FileMark:
    """What the manifest says of a file.

    Attributes:
        name: in the folder.
        size: in bytes.
        sha256: of the whole.
        lines: how many.
        blocks: the first 16 digits of the SHA-256 of every `BLOCK` lines: they say where a change is.
    """

    name: str
    size: int
    sha256: str
    lines: int
    blocks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Manifest:
    """What is in a knowledge base.

    Attributes:
        source: where the facts come from, in words.
        created: date of the build, ISO 8601.
        facts: how many.
        entities: how many labels.
        events: how many.
        relations: facts per relation.
        withdrawn: properties that the facts break too often, by relation: property, breaches, cases.
        files: `facts`, `entities`, `events`, `relations`.
        compiled: name, SHA-256 and version of SWI-Prolog of the compiled facts; empty where there are none.
    """

    source: str
    created: str
    facts: int
    entities: int
    events: int
    relations: Mapping[str, int]
    withdrawn: Mapping[str, tuple[tuple[str, int, int], ...]]
    files: Mapping[str, FileMark]
    compiled: Mapping[str, str] = field(default_factory=dict)

    @property
    def fingerprint(self) -> str:
        """Which content it is: equal for equal facts, entities, events and relations."""
        joined = "".join(self.files[name].sha256 for name in sorted(self.files))
        return hashlib.sha256(joined.encode()).hexdigest()

    def write(self, folder: Path) -> None:
        """Put it into the folder, whole or not at all."""
        content = {"format": FORMAT, "version": VERSION, **asdict(self)}
        target = folder / MANIFEST
        draft = folder / f".{MANIFEST}.{os.getpid()}"
        draft.write_text(json.dumps(content, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
        draft.replace(target)

    @classmethod
    def read(cls, folder: Path) -> Manifest:
        """The manifest of a folder.

        Raises:
            KnowledgeFault: there is none, it is damaged, or of another version.
        """
        path = folder / MANIFEST
        try:
            content = json.loads(path.read_bytes())
        except FileNotFoundError as error:
            raise KnowledgeFault(
                "expected a knowledge base, found no manifest. "
                f"Build one with: {shlex.join(['guardrail', 'logic', 'build', str(folder)])} FILE",
                source=str(path),
            ) from error
        except NotADirectoryError as error:
            raise KnowledgeFault(
                "expected the folder of a knowledge base, found a file: name the folder that `guardrail logic build` made",
                source=str(folder),
            ) from error
        except OSError as error:
            raise KnowledgeFault(f"cannot be read: {error}", source=str(path)) from error
        except json.JSONDecodeError as error:
            raise _broken(path, error.lineno, f"expected JSON: {error.msg}") from error
        except UnicodeDecodeError as error:
            raise _broken(path, None, f"expected UTF-8: {error}") from error
        except RecursionError as error:
            raise _broken(path, None, "expected JSON, found brackets nested too deep") from error
        if not isinstance(content, dict) or content.pop("format", None) != FORMAT:
            raise _broken(path, 1, f"expected the format {FORMAT!r}")
        if (version := content.pop("version", None)) != VERSION:
            raise KnowledgeFault(
                f"expected version {VERSION}, found {version!r}. Build it again with this version of guardrail.",
                source=str(path),
                line=1,
            )
        try:
            marks = content.pop("files")
            files = {name: _file_mark(marks.pop(name)) for name in _FILES}
            withdrawn = {r: tuple(map(_breach, found)) for r, found in content.pop("withdrawn").items()}
            relations = _counts(content.pop("relations"))
            compiled = _compiled(content.pop("compiled", {}), files["facts"].name)
            found = cls(files=files, withdrawn=withdrawn, relations=relations, compiled=compiled, **content)
            _counts({name: getattr(found, name) for name in ("facts", "entities", "events")})
        except (TypeError, KeyError, AttributeError, ValueError) as error:
            raise _broken(path, None, f"an entry is missing or of a wrong kind: {error}") from error
        return found


def _file_mark(entry: dict[str, Any]) -> FileMark:
    found = FileMark(**{**entry, "blocks": tuple(entry["blocks"])})
    if Path(found.name).name != found.name or found.name.startswith("."):
        raise ValueError(f"{found.name!r} is no name of a file in the folder")
    return found


def _compiled(entry: Any, facts: str) -> dict[str, str]:
    """What is said of the compiled facts. They are code, so no other file may be named."""
    if not isinstance(entry, dict) or not all(isinstance(text, str) for text in entry.values()):
        raise ValueError(f"expected texts on the compiled facts, found {entry!r:.60}")
    expected = str(Path(facts).with_suffix(".qlf"))
    if entry and (set(entry) != {"name", "sha256", "swipl"} or entry["name"] != expected):
        raise ValueError(f"expected {expected!r} as the compiled facts, found {entry!r:.200}")
    return entry


def _counts(entry: Any) -> dict[str, int]:
    if not isinstance(entry, dict) or any(type(count) is not int or count < 0 for count in entry.values()):
        raise ValueError(f"expected counts, found {entry!r:.60}")
    return entry


def _breach(entry: list[Any]) -> tuple[str, int, int]:
    name, breaches, cases = entry
    return name, breaches, cases


def _broken(path: Path, line: int | None, what: str) -> KnowledgeFault:
    return KnowledgeFault(
        f"{what}. The knowledge base is damaged: build it again, or fetch it again.",
        source=str(path),
        line=line,
    )


def mark(path: Path, *, blocks: bool = False) -> FileMark:
    """The marks of a file as it is now."""
    whole = hashlib.sha256()
    count = size = 0
    found: list[str] = []
    with path.open("rb") as stream:
        if not blocks:
            while part := stream.read(1 << 20):
                whole.update(part)
                count += part.count(b"\n")
                size += len(part)
            return FileMark(path.name, size, whole.hexdigest(), count)
        for piece in _pieces(stream):
            joined = b"".join(piece)
            whole.update(joined)
            count += len(piece)
            size += len(joined)
            found.append(hashlib.sha256(joined).hexdigest()[:16])
    return FileMark(path.name, size, whole.hexdigest(), count, tuple(found))


def _pieces(stream: Any) -> Iterator[list[bytes]]:
    piece: list[bytes] = []
    for line in stream:
        piece.append(line)
        if len(piece) == BLOCK:
            yield piece
            piece = []
    if piece:
        yield piece


def check(folder: Path, expected: FileMark) -> None:
    """Whether a file is as the manifest says.

    Raises:
        KnowledgeFault: it is gone, cut off or changed; names the place where that is known.
    """
    path = folder / expected.name
    try:
        found = mark(path)
    except OSError as error:
        raise _broken(path, None, f"cannot be read: {error.strerror}") from error
    if found.sha256 == expected.sha256:
        return
    line, what = _place(path, expected)
    if found.size < expected.size:
        what = f"cut off: expected {expected.size:,} bytes, found {found.size:,}{what and ', '}{what}"
    else:
        what = f"changed since it was built{what and ', '}{what}"
    raise _broken(path, line, what)


def _place(path: Path, expected: FileMark) -> tuple[int | None, str]:
    """The first line that is none, else the first block that differs."""
    facts = path.suffix == ".pl"
    number = 0
    with path.open("rb") as stream:
        for index, piece in enumerate(_pieces(stream)):
            whole = index < len(expected.blocks) and (
                hashlib.sha256(b"".join(piece)).hexdigest()[:16] == expected.blocks[index]
            )
            if not whole:
                for line in piece:
                    number += 1
                    if not (_is_fact(line) if facts else _is_json(line)):
                        return number, f"this line is damaged: {line[:60]!r}"
                if expected.blocks:
                    return number - len(piece) + 1, f"in the {len(piece):,} lines from here"
            else:
                number += len(piece)
    return (number + 1, "the file ends here") if number < expected.lines else (None, "")


def _is_fact(line: bytes) -> bool:
    try:
        return line.endswith(b"\n") and read_fact(line.decode("utf-8")) is not None
    except UnicodeDecodeError:
        return False


def _is_json(line: bytes) -> bool:
    try:
        json.loads(line)
    except ValueError:
        return False
    return line.endswith(b"\n")


def check_facts(path: Path) -> None:
    """Whether every line of a file of facts is one fact and nothing else: compiling it can then run nothing.

    Raises:
        KnowledgeFault: a line is anything else.
    """
    with path.open("rb") as stream:
        for number, line in enumerate(stream, start=1):
            if not _is_fact(line):
                raise _broken(path, number, f"expected one fact, found {line[:60]!r}")


def lines(folder: Path, marked: FileMark, having: bytes = b"") -> Iterator[Any]:
    """The entries of a file of JSON lines; of those lines only that contain the bytes.

    Raises:
        KnowledgeFault: a line is no JSON.
    """
    path = folder / marked.name
    with path.open("rb") as stream:
        for number, line in enumerate(stream, start=1):
            if having not in line:
                continue
            try:
                yield json.loads(line)
            except ValueError as error:
                raise _broken(path, number, f"expected JSON: {error}") from error
