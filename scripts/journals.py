"""Writes `journals.txt.xz`, the journals that `guardrail.references.bibliography.journals` knows, from the data set `venues`.

`python -m scripts.journals` writes the file; with `--check` it says whether the file is up to date. The lists are
those of abbrv.jabref.org (CC0): full names and abbreviations. An abbreviation that follows from the name ("J. Mach. Learn. Res.",
each word the beginning of a word of the name) is not stored.
"""

from __future__ import annotations

import csv
import lzma
import sys
from collections import defaultdict
from pathlib import Path

from benchmarks._data import data_dir

from guardrail.references.bibliography.journals import FILE, abbreviates
from guardrail.references.bibliography.normalise import normalise

SKIPPED = "ieee_strings"  # names of macros


def listed(folder: Path) -> str:
    """A line per journal: its normalised name, and those of its abbreviations that do not follow from it."""
    found: dict[str, set[str]] = defaultdict(set)
    for path in sorted(folder.glob("journal_abbreviations_*.csv")):
        if SKIPPED in path.name:
            continue
        with path.open(encoding="utf-8", newline="") as stream:
            for row in filter(None, csv.reader(stream)):
                name, *short = (normalise(cell) for cell in row[:2])
                if name and short:
                    found[name].update(short)
    lines = []
    for name, shorts in sorted(found.items()):
        kept = sorted(
            short
            for short in shorts
            if short and short != name and not abbreviates(short.split(), name.split())
        )
        lines.append("\t".join([name, *kept]))
    return "\n".join(lines) + "\n"


def main() -> int:
    """Write the file, or compare it."""
    text = listed(data_dir("venues"))
    if "--check" in sys.argv:
        return int(lzma.decompress(FILE.read_bytes()).decode() != text)
    packed = lzma.compress(text.encode(), preset=9 | lzma.PRESET_EXTREME)
    FILE.write_bytes(packed)
    sys.stdout.write(f"{text.count(chr(10)):,} journals, {len(packed):,} bytes\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
