"""Training of the network that tags references: `python -m benchmarks.references.reading.train`.

The packaged encoder (all-MiniLM-L6-v2) gets a head for each token and learns the labelled answers of the half "seen", in each pass with
some titles and authors exchanged for those of other labels in the same language, so that it learns shapes and not names. It learns
that bare titles are references where these were asked for, and that texts which cite nothing have none (`_silent.py`).
"""

from __future__ import annotations

import bisect
import random
import re
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.entailment.making.form import pack
from benchmarks.entailment.making.graph import graph
from benchmarks.references.answers.labels import Answer, Label, answers
from benchmarks.references.reading._labelled import kinds, said
from benchmarks.references.reading._silent import passages
from benchmarks.references.silence.written import written
from guardrail.backends.stored import read_groups
from guardrail.backends.weights import CITATIONS_MINI, GRAPH, files, minilm, verified
from guardrail.errors import InputError
from guardrail.references.citations.asking import asks_for_references
from guardrail.references.citations.tagging import FIELDS, LONGEST, TAGS, encoded

if TYPE_CHECKING:
    import torch

__all__ = [
    "PACKAGE",
    "Lesson",
    "bare",
    "exchanged",
    "lesson",
    "packaged_network",
    "train_further",
    "train_tagger",
    "without_marks",
    "write_tagger",
]

PACKAGE = Path(__file__).resolve().parents[3] / "models" / CITATIONS_MINI / "src" / "guardrail_citations_mini"
"""The module of the packaged network in a checkout."""

PASSES, FURTHER = 8, 4
"""Passes over the labelled answers alone, and then over all texts."""

RATE, LOWER = 3e-4, 1e-4
"""The highest learning rate of each."""

LEARNT, AGAIN = 2_175, 1.5
"""Answers at the beginning of the half "seen" that the packaged network knows; how many of them are repeated for each later one."""

_WARMING, _LEAST = 0.08, 0.02  # share of the steps in which the rate rises; the smallest share of it
_TOKENS = 3_000  # of a step
_HIDDEN, _MASK = 0.03, 103  # share of words that are hidden in a step, and what is there instead
_EXCHANGED = {"title": 0.4, "author": 0.3}
_AS_IT_IS = 0.3  # share of answers in which nothing is exchanged
_UNMARKED = 0.1  # share of answers without the marks around titles
_LOWERED = 0.08  # share of answers in small letters, as some people and some small models write
_SILENT = 300  # passages that cite nothing in a pass, beside the answers that cite nothing
_SILENT_LATER = 150  # of the answers, and of the passages, that cite nothing, in a pass over later answers
_LISTS = 30  # lists of bare titles in a pass
_UNKNOWN, _IN_VAIN = (
    0.3,
    0.15,
)  # share of answers whose question is not known; of those that cite nothing though it asks for references
_MARKERS = ("{}. ", "{}) ", "- ", "* ", "• ", "**{}.** ", "{}. *", '{}. "', "- **", "")
_KINDS = 32  # ways of writing a word, in answers to questions that ask for references and in others
_OPENS = re.compile(r"(?:[*_]{1,3}|[\"“«]){1,2}\Z")
_CLOSES = re.compile(r"(?:[*_]{1,3}|[\"”»]){1,2}")
_NOTHING = -100  # a place that no loss counts
_NAMES = {"journal": "journal", "container": "journal", "publisher": "journal", "doi": "identifier", "isbn": "identifier", "url": "identifier"}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Piece:
    """A field of a label, and where it is in the answer."""

    field: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Place:
    """A label: its span, whether it is an author-year mark, and its fields."""

    start: int
    end: int
    mark: bool
    pieces: tuple[Piece, ...]


@dataclass(frozen=True, slots=True)
class Lesson:
    """An answer for the network: words, how they are written, and for each its tag and its field."""

    ids: Sequence[int]
    written: Sequence[int]
    tags: Sequence[int]
    fields: Sequence[int]


def places(answer: Answer, works: Mapping[str, str]) -> list[Place]:
    """The labels of an answer.

    Args:
        answer: labelled.
        works: the kinds of the works, by key.
    """

    def place(label: Label) -> Place:
        found = said(answer.text, label, works.get(label.work, ""))
        pieces = tuple(Piece(_NAMES.get(field, field), start, end) for field, start, end in found)
        mark = label.resolves is not None and not label.reference.title
        return Place(label.span.start, label.span.end, mark, pieces)

    return [place(label) for label in answer.labels]


def lesson(text: str, labelled: Sequence[Place], tokenizer: Any, *, asked: bool = False) -> Lesson:
    """What the network learns of a text.

    Args:
        text: of an answer.
        labelled: its labels.
        tokenizer: of the network.
        asked: whether its question asks for references.
    """
    read = encoded(text, tokenizer, asked=asked)
    tags, fields = [0] * len(read.ids), [0] * len(read.ids)
    starts = [start for start, _ in read.places]
    for one in labelled:
        tag = 3 if one.mark else 1
        for at in range(bisect.bisect_left(starts, one.start), len(starts)):
            start, end = read.places[at]
            if end > one.end or start >= one.end:
                break
            tags[at] = tag
            tag = 4 if one.mark else 2
            field = next((p.field for p in one.pieces if p.start <= start < p.end), FIELDS[0])
            fields[at] = FIELDS.index(field)
    return Lesson(read.ids, read.kinds, tags, fields)


def exchanged(
    text: str, labelled: Sequence[Place], others: Mapping[str, Sequence[str]], rng: random.Random
) -> tuple[str, list[Place]]:
    """A text with other titles and authors in places of its own, and its labels there.

    Args:
        text: of an answer.
        labelled: its labels.
        others: by field, what may be put in.
        rng: chooses.
    """
    edits: list[tuple[int, int, str]] = []
    for piece in sorted((p for one in labelled for p in one.pieces), key=lambda p: p.start):
        if rng.random() < _EXCHANGED.get(piece.field, 0) and others.get(piece.field):
            new = rng.choice(others[piece.field])
            if "\n" not in new and '"' not in new and (not edits or edits[-1][1] <= piece.start):
                edits.append((piece.start, piece.end, new))

    return _edited(text, labelled, edits)


def without_marks(text: str, labelled: Sequence[Place]) -> tuple[str, list[Place]]:
    """A text without the emphasis and the quotation marks around its titles, as hurried people and small models write, and its labels there.

    Args:
        text: of an answer.
        labelled: its labels.
    """
    edits: list[tuple[int, int, str]] = []
    for piece in sorted((p for one in labelled for p in one.pieces), key=lambda p: p.start):
        before, behind = _OPENS.search(text, 0, piece.start), _CLOSES.match(text, piece.end)
        if piece.field == "title" and before and behind and (not edits or edits[-1][1] <= before.start()):
            edits += [(before.start(), before.end(), ""), (behind.start(), behind.end(), "")]
    return _edited(text, labelled, edits)


def _edited(
    text: str, labelled: Sequence[Place], edits: Sequence[tuple[int, int, str]]
) -> tuple[str, list[Place]]:
    """A text with other words in some places, and its labels there."""

    def moved(at: int, *, end: bool = False) -> int:
        by = 0
        for start, stop, new in edits:
            if stop <= at:
                by += len(new) - (stop - start)
            elif start < at:
                return start + by + (len(new) if end else 0)
        return at + by

    parts, at = [], 0
    for start, stop, new in edits:
        parts += [text[at:start], new]
        at = stop
    after = [
        Place(
            moved(one.start),
            moved(one.end, end=True),
            one.mark,
            tuple(Piece(p.field, moved(p.start), moved(p.end, end=True)) for p in one.pieces),
        )
        for one in labelled
    ]
    return "".join([*parts, text[at:]]), after


def bare(titles: Sequence[str], rng: random.Random) -> tuple[str, list[Place]]:
    """A list of titles that says nothing else, and its labels.

    Args:
        titles: to choose from.
        rng: chooses.
    """
    marker = rng.choice(_MARKERS)
    close = {"*": "*", '"': '"'}.get(marker[-1:], "") if not marker.endswith("* ") else ""
    close = "**" if marker.endswith("**") else close
    text, labelled = rng.choice(("", "", "Here are some:\n\n", "Sure!\n\n")), []
    for number, title in enumerate(rng.sample(titles, min(len(titles), rng.randint(1, 8))), start=1):
        text += marker.format(number) if "{}" in marker else marker
        start, end = len(text), len(text) + len(title)
        labelled.append(Place(start, end, mark=False, pieces=(Piece("title", start, end),)))
        text += f"{title}{close}\n"
    return text[:-1], labelled


def train_tagger(
    learnt: Sequence[Answer],
    works: Mapping[str, str],
    *,
    silent: Sequence[str] = (),
    further: Sequence[str] = (),
    seed: int = 0,
    device: str = "cpu",
) -> Any:
    """The trained network, a `BertForTokenClassification`; an hour and a half on two cores, minutes on a GPU.

    Args:
        learnt: labelled answers.
        works: the kinds of the works that they cite, by key.
        silent: answers that cite nothing; all of them in each pass.
        further: passages that cite nothing; some of them in each pass.
        seed: of all that is by chance.
        device: "cpu" or "cuda", which rounds otherwise and so gives slightly different weights.
    """
    import torch

    tokenizer = _prepared(torch, seed)
    network = _network(torch).to(device)
    told = [(answer, places(answer, works)) for answer in learnt]
    pool = _pool(told)
    rng = random.Random(seed)
    _train(torch, network, [lambda: _steps(told, pool, tokenizer, rng)] * PASSES, RATE)
    _tell_apart(network)

    def everything() -> list[list[Lesson]]:
        nothing = [*silent, *rng.sample(further, min(_SILENT, len(further)))]
        return _steps(told, pool, tokenizer, rng, silent=nothing)

    _train(torch, network, [everything] * FURTHER, LOWER)
    return network.cpu().eval()


def train_further(
    network: Any,
    learnt: Sequence[Answer],
    later: Sequence[Answer],
    works: Mapping[str, str],
    *,
    silent: Sequence[str] = (),
    further: Sequence[str] = (),
    seed: int = 0,
    device: str = "cpu",
) -> Any:
    """A trained network that learns later answers as well, and repeats some of what it knows so as not to forget it; twenty to forty minutes on two cores.

    Args:
        network: as `train_tagger` gives it, or `packaged_network`.
        learnt: labelled answers that it knows; some of them in each pass, `AGAIN` for each later one.
        later: labelled answers that it does not know; all of them in each pass.
        works: the kinds of the works that they cite, by key.
        silent: answers that cite nothing; some of them in each pass.
        further: passages that cite nothing; some of them in each pass.
        seed: of all that is by chance.
        device: "cpu" or "cuda", which rounds otherwise and so gives slightly different weights.
    """
    import torch

    tokenizer = _prepared(torch, seed)
    known, new = ([(answer, places(answer, works)) for answer in some] for some in (learnt, later))
    pool, rng = _pool([*known, *new]), random.Random(seed)

    def some() -> list[list[Lesson]]:
        nothing = [
            one for texts in (silent, further) for one in rng.sample(texts, min(_SILENT_LATER, len(texts)))
        ]
        told = [*new, *rng.sample(known, min(int(AGAIN * len(new)), len(known)))]
        return _steps(told, pool, tokenizer, rng, silent=nothing)

    _train(torch, network.to(device), [some] * FURTHER, LOWER)
    return network.cpu().eval()


def _prepared(torch: Any, seed: int) -> Any:
    """The tokenizer, which leaves texts as long as they are; chance begins with the seed."""
    from tokenizers import Tokenizer

    random.seed(seed)
    torch.manual_seed(seed)
    tokenizer = Tokenizer.from_file(str(minilm() / "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def packaged_network() -> Any:
    """The packaged network, to learn more."""
    import torch

    network = _network(torch)
    network.load_state_dict(read_groups(files(verified(PACKAGE))))
    return network


def _train(torch: Any, network: Any, passes: Sequence[Callable[[], list[list[Lesson]]]], rate: float) -> None:
    """Learn the steps of some passes; the rate rises to its highest and falls to its least."""
    optimizer = torch.optim.AdamW(network.parameters(), lr=rate, weight_decay=0.01)
    begun, done, total = time.perf_counter(), 0, 0
    network.train()
    for number, made in enumerate(passes, start=1):
        steps = made()
        total = total or len(passes) * len(steps)
        losses = 0.0
        for step in steps:
            share = min(1.0, done / (_WARMING * total + 1)) * max(_LEAST, 1 - done / total)
            for group in optimizer.param_groups:
                group["lr"] = rate * share
            loss = _loss(torch, network, step)
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
            optimizer.step()
            losses += float(loss.detach())
            done += 1
        sys.stderr.write(
            f"pass {number} of {len(passes)}: loss {losses / len(steps):.4f}, {time.perf_counter() - begun:.0f} s\n"
        )


def _tell_apart(network: Any) -> None:
    """Begin with the same for words of answers to questions that ask for references."""
    table = network.bert.embeddings.token_type_embeddings.weight.data
    half = _KINDS // 2
    table[half:] = table[:half]


def _network(torch: Any) -> Any:
    """MiniLM with a head for each token, and a vector for each way of writing a word."""
    from transformers import BertForTokenClassification

    labels = [*TAGS, *(f"says {field}" for field in FIELDS)]
    network = BertForTokenClassification.from_pretrained(
        minilm(),
        num_labels=len(labels),
        id2label=dict(enumerate(labels)),
        label2id={name: at for at, name in enumerate(labels)},
        torch_dtype=torch.float32,
    )
    table = network.bert.embeddings.token_type_embeddings
    wider = torch.nn.Embedding(_KINDS, table.weight.shape[1])
    wider.weight.data[:] = table.weight.data[0] + 0.01 * torch.randn_like(wider.weight)
    network.bert.embeddings.token_type_embeddings = wider
    network.config.type_vocab_size = _KINDS
    return network


def _pool(told: Sequence[tuple[Answer, Sequence[Place]]]) -> dict[str, dict[str, list[str]]]:
    """By language and field, what the labels say."""
    pool: dict[str, dict[str, list[str]]] = {}
    for answer, labelled in told:
        own = pool.setdefault(answer.language, {})
        for piece in (p for one in labelled for p in one.pieces):
            own.setdefault(piece.field, []).append(answer.text[piece.start : piece.end])
    return pool


def _steps(
    told: Sequence[tuple[Answer, Sequence[Place]]],
    pool: Mapping[str, Mapping[str, Sequence[str]]],
    tokenizer: Any,
    rng: random.Random,
    *,
    silent: Sequence[str] = (),
) -> list[list[Lesson]]:
    """The lessons of a pass, of about equal length in a step: of answers, and with texts that cite nothing also lists of bare titles and marks of questions."""
    found = list[Lesson]()
    for text in silent:
        found += _parts(lesson(text, [], tokenizer, asked=rng.random() < _IN_VAIN), rng)
    for _ in range(_LISTS if silent else 0):
        text, own = bare(pool[rng.choice(told)[0].language].get("title", ["Silent Spring"]), rng)
        found += _parts(lesson(text, own, tokenizer, asked=True), rng)
    for answer, labelled in told:
        text, own = answer.text, list(labelled)
        if rng.random() >= _AS_IT_IS:
            text, own = exchanged(text, own, pool[answer.language], rng)
        if rng.random() < _UNMARKED:
            text, own = without_marks(text, own)
        if rng.random() < _LOWERED and len(text.lower()) == len(text):
            text = text.lower()
        asked = bool(silent) and asks_for_references(answer.question) and rng.random() >= _UNKNOWN
        found += _parts(lesson(text, own, tokenizer, asked=asked), rng)
    found.sort(key=lambda one: len(one.ids) + 40 * rng.random())
    steps: list[list[Lesson]] = [[]]
    for one in found:
        if steps[-1] and (len(steps[-1]) + 1) * max(len(one.ids), *(len(o.ids) for o in steps[-1])) > _TOKENS:
            steps.append([])
        steps[-1].append(one)
    rng.shuffle(steps)
    return steps


def _parts(whole: Lesson, rng: random.Random) -> Iterator[Lesson]:
    """A lesson in as few parts as a window can hold, cut elsewhere in each pass."""
    count = len(whole.ids)
    number = -(-count // LONGEST)
    spare = number * LONGEST - count
    cuts = sorted(rng.randint(0, spare) for _ in range(number - 1))
    ends = [0, *((at + 1) * LONGEST - left for at, left in enumerate(cuts)), count]
    for first, end in pairwise(ends):
        yield Lesson(
            whole.ids[first:end], whole.written[first:end], whole.tags[first:end], whole.fields[first:end]
        )


def _rounds(torch: Any, device: str) -> bool:
    """Whether a device is quicker in bfloat16: a GPU, or a processor that has it (else it took three times as long)."""
    return device != "cpu" or bool(getattr(torch.cpu, "_is_amx_tile_supported", lambda: False)())


def _loss(torch: Any, network: Any, step: Sequence[Lesson]) -> torch.Tensor:
    """Of the tags, and half of that of the fields of references."""
    width = max(len(one.ids) for one in step)

    def filled(rows: Sequence[Sequence[int]], empty: int) -> torch.Tensor:
        return torch.tensor([[*row, *[empty] * (width - len(row))] for row in rows], device=network.device)

    ids = filled([one.ids for one in step], 0)
    tags, fields = (
        filled([one.tags for one in step], _NOTHING),
        filled([one.fields for one in step], _NOTHING),
    )
    ids = ids.where((torch.rand(ids.shape, device=ids.device) >= _HIDDEN) | (ids < _MASK), _MASK)
    with torch.autocast(network.device.type, torch.bfloat16, enabled=_rounds(torch, network.device.type)):
        scores = network(
            input_ids=ids,
            token_type_ids=filled([one.written for one in step], 0),
            attention_mask=(tags != _NOTHING).long(),
        ).logits.float()
    loss: torch.Tensor = torch.nn.functional.cross_entropy(
        scores[..., : len(TAGS)].flatten(0, 1), tags.flatten(), ignore_index=_NOTHING
    )
    fields = fields.where(tags > 0, _NOTHING)
    if bool((fields != _NOTHING).any()):
        loss = loss + 0.5 * torch.nn.functional.cross_entropy(
            scores[..., len(TAGS) :].flatten(0, 1), fields.flatten(), ignore_index=_NOTHING
        )
    return loss


def write_tagger(network: Any, out: Path) -> str:
    """Write a trained network in 8 bits with its graph; the lines by which `guardrail.backends.weights` knows it.

    Args:
        network: see `train_tagger`.
        out: a folder; made if it is not there.
    """
    with tempfile.TemporaryDirectory() as folder:
        network.save_pretrained(folder, safe_serialization=True)
        for name in ("tokenizer.json", "tokenizer_config.json"):
            (Path(folder) / name).write_bytes((minilm() / name).read_bytes())
        shipped = pack(Path(folder), out, temperature=1.0)
    written = graph(out)
    (out / GRAPH).write_bytes(written)
    return f"weights {shipped.sha256}, graph {sha256(written).hexdigest()}"


def train_packaged_tagger(out: Path, device: str = "cpu", *, later: bool = False) -> str:
    """Train the packaged network on the half "seen" and on what cites nothing, and write it.

    Args:
        out: a folder.
        device: "cpu" or "cuda".
        later: only go on with the packaged network, and learn the answers that came later.

    Raises:
        InputError: none came later.
    """
    seen, works = answers("seen"), kinds("seen")
    if later and not seen[LEARNT:]:
        raise InputError(
            f"the packaged network has learnt all {len(seen)} answers; add some at the end of seen.jsonl, or train without --later"
        )
    silent, further = written("seen"), passages()
    if later:
        network = train_further(
            packaged_network(),
            seen[:LEARNT],
            seen[LEARNT:],
            works,
            silent=silent,
            further=further,
            device=device,
        )
    else:
        network = train_tagger(seen, works, silent=silent, further=further, device=device)
    return write_tagger(network, out)
