"""Pieces of answers rendered by a program: works in sentences, lists and blocks of lines, and what names no work.

Titles, authors and years are those of public bibliographies, sentences around them those of MultiNLI's training set (OANC), and the
frames of `_frames.py` are filled by chance. Every character belongs to a field; what is no part of a reference is a "remark".
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence

from benchmarks.references.reading import _frames as frames
from benchmarks.references.reading import _words as words
from benchmarks.references.reading._rendered import KINDS, LANGUAGES, named, numbers
from benchmarks.references.reading._strings import Example
from guardrail.references.bibliography.records import Record
from guardrail.references.citations.segmentation.fields import Stretch

__all__ = ["answers"]

_CHOICE = re.compile(r"<([^<>]*)>")
_MARKS = (
    "“{}”", '"{}"', "*{}*", "*{}*", "*{}*", "_{}_", "**{}**", "‘{}’", "'{}'", "“{},”", '"{}"', "***{}***", "<em>{}</em>", "[{}](https://www.jstor.org/stable/0000)",
)  # fmt: skip
_MARKERS = (
    "1. ", "2. ", "3) ", "- ", "* ", "• ", "[4] ", "(5) ", "1️⃣ ", "🥇 ", "📘 ", "– ", "   - ", "> ", "a) ", "### 2. ", "",
)  # fmt: skip
_COLLEAGUES = (
    " and colleagues",
    " et al.",
    " and others",
    " and co-authors",
    " and two colleagues",
    " *et al.*",
)
_REMARKS = (
    *words.REMARKS,
    "still worth reading",
    "start here",
    "a bit dated, but clear",
    "dense",
    "the standard textbook",
    "short and readable",
)
_SHARES = (
    ("prose", 0.40),
    ("blocks", 0.18),
    ("strings", 0.16),
    ("negatives", 0.10),
    ("europe", 0.08),
    ("east", 0.08),
)

_Piece = tuple[str, str]


def answers(
    records: Sequence[Record], sentences: Sequence[str], count: int, *, half: int, seed: int = 0
) -> list[Example]:
    """Rendered pieces of answers; equal arguments give equal pieces.

    Args:
        records: of a bibliography; those without authors and year are passed over.
        sentences: that name no work.
        count: how many pieces.
        half: 0 or 1: which half of the records, names and words is used.
        seed: of the choices.
    """
    rng = random.Random(10 * seed + half)
    usable = [one for one in records if one.authors and one.year and 8 < len(one.title) < 160]
    maker = _Maker(rng, usable[half::2], sentences[half::2], half)
    names, weights = zip(*_SHARES, strict=True)
    return [_example(getattr(maker, name)()) for name in rng.choices(names, weights, k=count)]


class _Maker:
    """Fills frames."""

    def __init__(
        self, rng: random.Random, records: Sequence[Record], sentences: Sequence[str], half: int
    ) -> None:
        self.rng, self.records, self.sentences, self.half = rng, records, sentences, half

    def prose(self) -> list[_Piece]:
        """A paragraph with one to three works."""
        found = list[_Piece]()
        for _ in range(self.rng.choice((1, 1, 1, 2, 2, 3))):
            if self.rng.random() < 0.3:
                found.append(("remark", self.sentence() + " "))
            found += [*self.filled(self.rng.choice(frames.PROSE)), ("remark", " ")]
            if self.rng.random() < 0.3:
                found[-2:] = [_unended(found[-2]), ("remark", self.rng.choice(frames.JOINTS))]
        if self.rng.random() < 0.25:
            found.append(("remark", self.sentence()))
        return found

    def blocks(self) -> list[_Piece]:
        """One to four items or blocks in one shape."""
        frame, gap = self.rng.choice(frames.BLOCKS), self.rng.choice(("\n", "\n", "\n\n"))
        found = list[_Piece]()
        if self.rng.random() < 0.2:
            found.append(("remark", f"{self.sentence()}{gap}"))
        for _ in range(self.rng.choice((1, 1, 2, 3, 4))):
            found += [*self.filled(frame), ("remark", gap)]
        return found

    def negatives(self) -> list[_Piece]:
        return self.filled(self.rng.choice(frames.NEGATIVES))

    def strings(self) -> list[_Piece]:
        """A reference string of a style with something around it, or two of them in one paragraph."""
        found = list[_Piece]()
        for _ in range(self.rng.choice((1, 1, 2))):
            before, _, after = self.rng.choice(frames.STRINGS).partition("§")
            kind = self.rng.choice(
                ("citation styles", "citation styles", "preprints", "markdown and chatbots' lists")
            )
            templates, values, _ = KINDS[kind]
            record = self.rng.choice(self.records)
            filled = numbers(self.rng, record, self.half) | values(self.rng, record, self.half)
            if self.rng.random() < 0.4:
                filled["j"] = self.journal(marked=True)
            found += self.filled(before.rstrip("|"))
            found += [
                (field, text.format(**filled).replace("..", "."))
                for field, text in _split(self.rng.choice(templates))
            ]
            found += [*self.filled(after.lstrip("|")), ("remark", "\n" if self.rng.random() < 0.3 else " ")]
        return found

    def europe(self) -> list[_Piece]:
        """One to three works in European languages."""
        found = list[_Piece]()
        for _ in range(self.rng.choice((1, 1, 2, 3))):
            found += [*self.filled(self.rng.choice(frames.EUROPE)), ("remark", self.rng.choice((" ", "\n")))]
        return found

    def east(self) -> list[_Piece]:
        """One to three works in Chinese, Japanese, Korean or Russian."""
        language = self.rng.choice(("zh", "zh", "ja", "ja", "ko", "ru"))
        _, values, _ = KINDS[LANGUAGES[language]]
        found = list[_Piece]()
        for _ in range(self.rng.choice((1, 1, 2, 3))):
            record = self.rng.choice(self.records)
            filled = numbers(self.rng, record, self.half) | values(self.rng, record, self.half)
            filled["N"] = self.rng.choice(_MARKERS)
            pieces = _split(self.chosen(self.rng.choice(frames.EAST[language])))
            found += [(field, text.format(**filled)) for field, text in pieces]
            found.append(("remark", self.rng.choice(("\n", "", " "))))
        return found

    def filled(self, frame: str) -> list[_Piece]:
        """The pieces of a frame."""
        if not frame:
            return []
        record = self.rng.choice(self.records)
        values = self.values(record)
        found = []
        for field, text in _split(self.chosen(frame)):
            written = text.format_map(values).replace("¦", "|").replace("..", ".").replace("?.", "?")
            found.append((field, written))
        return found

    def chosen(self, frame: str) -> str:
        return _CHOICE.sub(lambda match: self.rng.choice(match[1].split("/")), frame)

    def values(self, record: Record) -> dict[str, str]:
        """What a frame may name; some of it of a work, the rest by chance."""
        rng = self.rng
        year = record.year if record.year and rng.random() < 0.6 else rng.randint(1890, 2024)
        names, title = self.people(record), self.title(record.title)
        short = " ".join(title.split()[: rng.randint(1, 4)])
        known = numbers(rng, record, self.half) | KINDS["citation styles"][1](rng, record, self.half)
        family = names.split()[-1] if rng.random() < 0.5 and not names.endswith(_COLLEAGUES) else names
        press = rng.choice(words.PRESSES["en"][self.half :: 2])
        marked = rng.choice(_MARKS).format(title)
        if rng.random() < 0.12:
            marked = _capitals(title)
        return known | {
            "A": names, "P": f"{family}{rng.choice(('’s', chr(39) + 's'))}", "U": f"{names.split()[-1].upper()}, {names.split()[0]}",
            "T": marked, "t": title, "Y": str(year), "Z": str(year + rng.randint(30, 80)), "X": str(rng.randint(1900, 2020)),
            "J": self.journal(marked=rng.random() < 0.5), "K": press, "R": self.remark(), "N": rng.choice(_MARKERS),
            "L": self.lead(), "V": rng.choice(frames.VERBS).replace("@", " "), "S": self.sentence(), "C": self.clause(),
            "E": rng.choice((".", ".", f", {self.clause()}.", f" {self.clause()}.", f". {self.sentence()}", "; ", " and ", f" – {self.clause()}.")),
            "W": _capitals(short), "w": short.lower(), "M": known["m"],
        }  # fmt: skip

    def title(self, title: str) -> str:
        """As it is, with capitals, or without; at times only its beginning."""
        if self.rng.random() < 0.3 and len(title.split()) > 4:
            title = " ".join(title.split()[: self.rng.randint(2, 5)]).rstrip(" :,-–")
        if self.rng.random() < 0.05 and len(title.split()) > 4:
            first, rest = title.split(maxsplit=2)[:2], title.split(maxsplit=2)[2]
            title = f"“{' '.join(first)}”: {rest}"
        chance = self.rng.random()
        return _capitals(title) if chance < 0.35 else title[:1] + title[1:].lower() if chance < 0.5 else title

    def people(self, record: Record) -> str:
        """Names as in prose."""
        names = [name for name in record.authors if name.strip()][:4]
        style = self.rng.choice((0, 0, 0, 2, 5))
        made = [named(self.rng, name, style) if style < 5 else _family(name) for name in names]
        if len(made) > 2 and self.rng.random() < 0.5:
            return made[0] + self.rng.choice(_COLLEAGUES)
        if len(made) == 1:
            return self.rng.choice(("", "", "", "", "Professor ", "the economist ")) + made[0]
        return ", ".join(made[:-1]) + self.rng.choice((" and ", " and ", " & ", ", and ")) + made[-1]

    def journal(self, *, marked: bool) -> str:
        name = self.rng.choice(words.JOURNALS["en"][self.half :: 2])
        return f"*{name}*" if marked else name

    def sentence(self) -> str:
        text = self.rng.choice(self.sentences)
        return text[0].upper() + text[1:] + "."

    def clause(self) -> str:
        said = self.rng.choice(self.sentences).split()[: self.rng.randint(3, 14)]
        return " ".join([said[0].lower(), *said[1:]]).rstrip(",;:")

    def lead(self) -> str:
        """What a sentence begins with before it names a work."""
        return self.rng.choice(
            (
                self.rng.choice(frames.LEADS),
                "",
                f"{self.clause().capitalize()}{self.rng.choice((', and ', ': ', ', see ', ' in ', ' – ', ' with '))}",
            )
        )

    def remark(self) -> str:
        return self.rng.choice(_REMARKS) if self.rng.random() < 0.6 else self.sentence()


def _split(frame: str) -> list[_Piece]:
    pieces = (piece.partition(":") for piece in frame.split("|"))
    return [(field, text) for field, _, text in pieces]


def _unended(piece: _Piece) -> _Piece:
    """Without the stop that ends a sentence."""
    return piece[0], piece[1].rstrip(". ")


def _family(name: str) -> str:
    return name.split(",", maxsplit=1)[0] if "," in name else name.rsplit(maxsplit=1)[-1]


def _capitals(text: str) -> str:
    small = {"of", "the", "and", "in", "on", "for", "a", "an", "to", "with", "by", "from", "as", "at", "or"}
    parts = text.split()
    return " ".join(
        word if at and word.lower() in small else word[:1].upper() + word[1:] for at, word in enumerate(parts)
    )


def _example(pieces: Sequence[_Piece]) -> Example:
    """The text; neighbouring remarks are one stretch."""
    text, stretches = "", list[Stretch]()
    for field, written in pieces:
        if not written:
            continue
        start = len(text)
        text += written
        if field == "remark" and stretches and stretches[-1].field == "remark":
            stretches[-1] = Stretch("remark", stretches[-1].start, len(text))
        else:
            stretches.append(Stretch(field, start, len(text)))
    return Example(text, tuple(stretches))
