"""Where the benchmarks' data is: one loader for all of them.

`python -m benchmarks._data` lists the sets; `python -m benchmarks._data NAME` fetches one where its publisher
offers the very files, and checks every SHA-256.
"""

from __future__ import annotations

import csv
import hashlib
import json
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from guardrail.errors import InputError, UnknownName

__all__ = [
    "DataMissing",
    "Dataset",
    "cache_root",
    "data_dir",
    "dataset",
    "datasets",
    "differing",
    "fetch",
    "read_csv",
    "roots",
]

HERE = Path(__file__).resolve().parent


class DataMissing(InputError):
    """A data set is nowhere; the message says where its original is and how to get it."""


@dataclass(frozen=True, slots=True)
class Dataset:
    """One folder of data.

    Attributes:
        name: the folder's name.
        origin: the public addresses it comes from.
        licence: in a few words.
        note: what was done to the original, empty where the files are unchanged.
        sha256: expected SHA-256 by file, relative to the folder.
        addresses: download address by file; empty where the publisher does not offer these very files.
    """

    name: str
    origin: tuple[str, ...]
    licence: str
    note: str
    sha256: Mapping[str, str]
    addresses: Mapping[str, str]


@cache
def datasets() -> Mapping[str, Dataset]:
    """Every known data set by name."""
    table = json.loads((HERE / "data.json").read_text(encoding="utf-8"))
    return {
        name: Dataset(
            name=name,
            origin=tuple(entry["origin"]),
            licence=entry["licence"],
            note=entry["note"],
            sha256=entry["sha256"],
            addresses=entry["addresses"],
        )
        for name, entry in table.items()
    }


def dataset(name: str) -> Dataset:
    """What is known of one data set.

    Raises:
        UnknownName: there is no such set.
    """
    if name not in datasets():
        raise UnknownName("data set", name, datasets())
    return datasets()[name]


def cache_root() -> Path:
    """The per-user folder that fetched data goes to."""
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return base / "guardrail" / "data"


def roots() -> Iterator[Path]:
    """The folders searched: `$GUARDRAIL_DATA`, `../shared/data` beside the checkout, the user's cache."""
    given = os.environ.get("GUARDRAIL_DATA")
    if given:
        yield Path(given).expanduser()
    yield HERE.parent.parent / "shared" / "data"
    yield cache_root()


def data_dir(name: str) -> Path:
    """The folder of a data set, in the first of `roots()` that has it.

    Raises:
        UnknownName: there is no such set.
        DataMissing: it is in none of the places.
    """
    known = dataset(name)
    for root in roots():
        if (root / name).is_dir():
            return root / name
    raise DataMissing(_how_to_get(known))


def differing(name: str, folder: Path) -> list[str]:
    """The files of a folder that are absent or not the expected ones (by SHA-256), sorted."""
    return sorted(
        file
        for file, digest in dataset(name).sha256.items()
        if not (folder / file).is_file() or _sha256(folder / file) != digest
    )


def read_csv(path: Path, columns: Sequence[str] = ()) -> list[dict[str, str]]:
    """The rows of a UTF-8 CSV file with a header; an absent value is an empty string.

    Raises:
        InputError: the file cannot be read, has no rows, or lacks one of `columns`.
    """
    try:
        with path.open(encoding="utf-8-sig", newline="") as stream:
            reader = csv.DictReader(stream, restval="")
            header = list(reader.fieldnames or ())
            rows = [dict(row) for row in reader]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"expected a UTF-8 CSV file, got {error!r} from {str(path)!r}.") from error
    absent = [column for column in columns if column not in header]
    if absent or not rows:
        raise InputError(
            f"{str(path)!r}: expected rows with the columns {list(columns)!r}, got {len(rows)} rows "
            f"with {header!r}."
        )
    return rows


def fetch(name: str, folder: Path | None = None) -> Path:
    """Download a data set, checking every file; files already right are left alone.

    Args:
        name: the data set.
        folder: where to put it; the user's cache by default.

    Returns:
        The folder.

    Raises:
        DataMissing: the publisher does not offer these very files, or sent other bytes.
    """
    import httpx

    known = dataset(name)
    folder = folder or cache_root() / name
    if not known.addresses:
        raise DataMissing(_how_to_get(known))
    with httpx.Client(follow_redirects=True, timeout=60) as client:
        for file in differing(name, folder):
            try:
                content = client.get(known.addresses[file]).raise_for_status().content
            except httpx.HTTPError as error:
                raise DataMissing(
                    f"{known.addresses[file]} did not answer: {error!r}. Try again later."
                ) from error
            came = hashlib.sha256(content).hexdigest()
            if came != known.sha256[file]:
                raise DataMissing(
                    f"expected SHA-256 {known.sha256[file]} of {file!r}, got {came} "
                    f"from {known.addresses[file]}. "
                    "Nothing was written; the original may have changed."
                )
            target = folder / file
            target.parent.mkdir(parents=True, exist_ok=True)
            part = target.with_name(target.name + ".part")
            part.write_bytes(content)
            part.replace(target)
    return folder


def _sha256(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _how_to_get(known: Dataset) -> str:
    lines = [f"the data set {known.name!r} was expected in one of:"]
    lines += [f"  {root / known.name}" for root in roots()]
    lines.append(f"and is in none. Its original ({known.licence}):")
    lines += [f"  {address}" for address in known.origin]
    if known.note:
        lines.append(f"What was done to it: {known.note}")
    shown = list(known.sha256.items())
    lines.append("Expected SHA-256:")
    lines += [f"  {digest}  {file}" for file, digest in shown[:12]]
    if len(shown) > 12:
        lines.append(f"  … and {len(shown) - 12} more in benchmarks/data.json")
    lines.append("Fetch it with:")
    if known.addresses:
        lines.append(f"  python -m benchmarks._data {known.name}")
    else:
        lines += [f"  git clone {address}" for address in known.origin if address.count("/") == 4]
        lines.append(f"then convert it as said above and put it into {cache_root() / known.name}")
    lines.append("or set $GUARDRAIL_DATA to a folder that holds it.")
    return "\n".join(lines)


def main(argv: Sequence[str] | None = None) -> int:
    """List the data sets, or fetch the named ones."""
    from guardrail.errors import GuardrailError

    wanted = list(sys.argv[1:] if argv is None else argv)
    for known in () if wanted else datasets().values():
        places = [root / known.name for root in roots() if (root / known.name).is_dir()]
        sys.stdout.write(f"{known.name}: {places[0] if places else 'not here'} ({known.licence})\n")
    for name in wanted:
        try:
            sys.stdout.write(f"{name}: {fetch(name)}\n")
        except GuardrailError as error:
            sys.stderr.write(f"{error}\n")
            return 2
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
