"""`guardrail evaluate` on many rows: its rate beside the bare kernel, its memory, its page, and kills in the middle.

Rows are one sentence of drawn words with two samples, a label and a source of five rows; the detector is `selfcheck-ngram`,
which asks no model, so that the rate is that of everything around the detector.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple, TypeVar

from benchmarks._rows import Row
from benchmarks._table import Run, bench
from guardrail.evaluation import Evaluation, ResultRow, read_rows
from guardrail.evaluation.files import digest
from guardrail.evaluation.inputs import Mapped, labelled, survey
from guardrail.evaluation.rows import RowWriter
from guardrail.selfcheck.ngram import scores
from guardrail.text.sentences import split_sentences

__all__ = ["compute", "main"]

Result = TypeVar("Result")
HERE = Path(__file__).resolve().parent
SEED = 20261125
MOST_GROWTH = 500.0  # MB
MOST_SHOWN = 2_000
MOST_PAGE = 5.0  # MB
KILLS = 5
PARTS = 100  # of the run that is killed
WORDS = tuple(f"{first}{second}" for first in "bdfgklmnprstvz" for second in ("an", "el", "ir", "o", "u"))
COMMAND = (
    "import sys\n"
    "from guardrail.cli import main\n"
    "try:\n"
    "    main(sys.argv[1:])\n"
    "finally:\n"
    "    print(open('/proc/self/status').read() if sys.platform == 'linux' else '')\n"
)


def compute(run: Run) -> list[Row]:
    """Every row."""
    run.parameters["seed"] = SEED
    many = run.options.rows or (5_000 if run.fast else 100_000)
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        killed = run.options.killed or (2_000 if run.fast else 50_000)
        passages = run.options.passages or (50 if run.fast else 10_000)
        return [
            *_rate(run, folder, many),
            *_shared(folder, many),
            *_passages(run, folder, passages),
            *_kills(run, folder, killed),
        ]


def _rate(run: Run, folder: Path, many: int) -> list[Row]:
    path, few = folder / "many.jsonl", folder / "few.jsonl"
    path.write_text("".join(_lines(many)), encoding="utf-8")
    few.write_text("".join(_lines(1_000)), encoding="utf-8")
    bare, bare_processor = _bare(path)
    start = _evaluated(few, folder / "few")
    run.say(f"{many:,} rows")
    whole = _evaluated(path, folder / "many")
    rate = (many - 1_000) / (whole.seconds - start.seconds)
    page = (folder / "many" / "report.html").read_text(encoding="utf-8")
    shown = page.count('class="pick"')
    growth = None if whole.memory is None or start.memory is None else whole.memory - start.memory
    written = sum(1 for _ in read_rows(folder / "many", ["row"]))
    return [
        Row.shown("rows", many),
        Row.equal("findings written", written, many),
        Row.shown("bare kernel", many / bare, unit="rows/s", digits=0),
        Row.shown("guardrail evaluate, start and figures of 1,000 rows", start.seconds, unit="s", digits=1),
        Row.shown("guardrail evaluate, all rows", whole.seconds, unit="s", digits=1),
        Row.shown("guardrail evaluate, without the start", rate, unit="rows/s", digits=0),
        Row.shown("evaluate / bare kernel, time", (whole.seconds - start.seconds) / bare, digits=1),
        Row.shown(
            "evaluate / bare kernel, processor time",
            (whole.processor - start.processor) / bare_processor,
            digits=1,
        ),
        Row.shown("peak memory with 1,000 rows", start.memory, unit="MB", digits=0),
        Row.at_most("peak memory over that", growth, MOST_GROWTH, unit="MB", digits=0),
        Row.shown("results on disk", _size(folder / "many" / "results.parquet"), unit="MB", digits=1),
        Row.at_most("the page", len(page.encode()) / 1e6, MOST_PAGE, unit="MB", digits=2),
        Row.at_most("findings shown on it", shown, MOST_SHOWN, digits=0),
    ]


def _shared(folder: Path, many: int) -> list[Row]:
    """What does not get shorter with more shards, in processor time a million rows."""
    path, run = folder / "many.jsonl", folder / "many"
    mapped, last = Mapped(), [range(many - 1, many)]
    key, digesting = _processor(lambda: digest(path))
    found, reading = _processor(lambda: survey(path, mapped, key))
    _, passing = _processor(lambda: list(labelled(path, found.file, mapped, last)))
    _, joining = _processor(lambda: _joined(run, folder / "joined.parquet"))
    Evaluation.read(folder / "few")  # imports what figures need
    _, figures = _processor(lambda: Evaluation.read(run))
    of = {
        "a digest of the input, every shard": digesting,
        "reading every row once, the first shard": reading,
        "passing over lines of other shards, every shard": passing,
        "putting the parts together, at the end": joining,
        "figures, at the end": figures,
    }
    return [
        Row.shown(f"shared: {name}", seconds * 1e6 / many, unit="s / 10^6 rows", digits=1)
        for name, seconds in of.items()
    ]


def _joined(run: Path, target: Path) -> None:
    writer = RowWriter(target)
    for part in sorted((run / "parts").glob("*.parquet")):
        writer.copy(part)
    writer.close()


def _processor(work: Callable[[], Result]) -> tuple[Result, float]:
    begin = time.process_time()
    return work(), time.process_time() - begin


def _passages(run: Run, folder: Path, many: int) -> list[Row]:
    """Passages of some nine sentences with twenty samples each, over and over."""
    known = [json.loads(line) for line in (run.data("wikibio_gpt3") / "dataset.jsonl").open(encoding="utf-8")]
    rows = [
        {"answer": " ".join(one["gpt3_sentences"]), "samples": one["gpt3_text_samples"], "source": str(i)}
        for i, one in enumerate(known)
    ]
    path, few = folder / "passages.jsonl", folder / "passage.jsonl"
    with path.open("w", encoding="utf-8") as stream:
        stream.writelines(json.dumps(rows[i % len(rows)]) + "\n" for i in range(many))
    few.write_text(json.dumps(rows[0]) + "\n", encoding="utf-8")
    start = _evaluated(few, folder / "passage")
    whole = _evaluated(path, folder / "passages")
    some = min(many, len(rows))
    begin, begin_processor = time.perf_counter(), time.process_time()
    for row in rows[:some]:
        scores(split_sentences(row["answer"]), row["samples"])
    bare = (time.perf_counter() - begin) / some
    bare_processor = (time.process_time() - begin_processor) / some
    run.say(f"{many:,} passages")
    return [
        Row.shown("passages of WikiBio, over and over", many),
        Row.shown("passages: bare kernel", 1 / bare, unit="rows/s", digits=0),
        Row.shown(
            "passages: guardrail evaluate, without the start",
            many / (whole.seconds - start.seconds),
            unit="rows/s",
            digits=0,
        ),
        Row.shown(
            "passages: evaluate / bare kernel, time",
            (whole.seconds - start.seconds) / many / bare,
            digits=1,
        ),
        Row.shown(
            "passages: evaluate / bare kernel, processor time",
            (whole.processor - start.processor) / many / bare_processor,
            digits=1,
        ),
    ]


def _kills(run: Run, folder: Path, many: int) -> list[Row]:
    """A run killed at random moments, and one that nobody disturbs."""
    path, out = folder / "killed.jsonl", folder / "killed"
    path.write_text("".join(_lines(many)), encoding="utf-8")
    size = max(1, many // PARTS)
    _evaluated(path, folder / "whole")
    drawn, done, hit = random.Random(SEED), [], 0
    for _ in range(KILLS):
        process = subprocess.Popen(_command(path, out, part_rows=size), stdout=subprocess.DEVNULL)  # noqa: S603  # our own
        wanted = _parts(out) + drawn.randint(1, PARTS // (KILLS + 1))
        while process.poll() is None and _parts(out) < wanted:
            time.sleep(0.005)
        time.sleep(0.02 * drawn.random())
        hit += process.poll() is None
        process.send_signal(signal.SIGKILL)
        process.wait()
        done.append(_parts(out))
        run.say(f"killed with {done[-1]} parts")
    _evaluated(path, out, part_rows=size)
    mine, theirs = (_plain(folder / name) for name in ("killed", "whole"))
    differing = sum(a != b for a, b in zip(mine, theirs, strict=False)) + abs(len(mine) - len(theirs))
    return [
        Row.shown("kills: rows", many),
        Row.equal("kills: processes that were at work", hit, KILLS),
        Row.shown("kills: parts there after each", ", ".join(map(str, done))),
        Row.equal("kills: rows that differ from the uninterrupted run", differing, 0),
    ]


def _lines(count: int) -> Iterator[str]:
    drawn = random.Random(SEED)
    for i in range(count):
        said = " ".join(drawn.choices(WORDS, k=12)).capitalize() + "."
        other = " ".join(drawn.choices(WORDS, k=12)).capitalize() + "."
        made_up = drawn.random() < 0.3
        samples = [other, other] if made_up else [said, other]
        label = made_up != (
            drawn.random() < 0.05
        )  # one label in twenty is wrong, so that there are errors to show
        row = {"answer": said, "samples": samples, "label": label, "source": f"s{i // 5}"}
        yield json.dumps(row) + "\n"


def _bare(path: Path) -> tuple[float, float]:
    """Seconds of the kernel alone, on the same texts in lists: by the clock, and of the processor."""
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    begin, begin_processor = time.perf_counter(), time.process_time()
    for row in rows:
        scores([row["answer"]], row["samples"])
    return time.perf_counter() - begin, time.process_time() - begin_processor


def _parts(out: Path) -> int:
    return len(list((out / "parts").glob("[!.]*.parquet")))


def _command(path: Path, out: Path, *, part_rows: int = 500) -> list[str]:
    options = ["--detector", "selfcheck-ngram", "--out", str(out), "--part-rows", str(part_rows), "-q"]
    return [sys.executable, "-c", COMMAND, "evaluate", str(path), *options]


class Evaluated(NamedTuple):
    """One run of the command: seconds by the clock and of the processor, and its peak memory in MB (`None` = not known)."""

    seconds: float
    processor: float
    memory: float | None


def _evaluated(path: Path, out: Path, *, part_rows: int = 500) -> Evaluated:
    begin, before = time.perf_counter(), os.times()
    environment = os.environ | {"OMP_NUM_THREADS": "1"}
    done = subprocess.run(  # noqa: S603  # our own
        _command(path, out, part_rows=part_rows),
        check=True,
        stdout=subprocess.PIPE,
        text=True,
        env=environment,
    )
    seconds, after = time.perf_counter() - begin, os.times()
    processor = sum(after[2:4]) - sum(before[2:4])  # of the children
    peak = re.search(r"VmHWM:\s+(\d+) kB", done.stdout)
    return Evaluated(seconds, processor, int(peak.group(1)) / 1000 if peak else None)


def _plain(folder: Path) -> list[ResultRow]:
    return [replace(row, calls=0.0, tokens=0.0, seconds=0.0) for row in read_rows(folder)]


def _size(path: Path) -> float:
    return path.stat().st_size / 1e6


def main(argv: Sequence[str] | None = None) -> int:
    """Run the benchmark from the command line."""
    return bench(
        "performance.evaluate", compute, argv, folder=HERE, doc=__doc__ or "", add_options=_add_options
    )


def _add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--rows", type=int, default=None, help="how many (default: 100,000; with --fast 5,000)"
    )
    parser.add_argument(
        "--passages", type=int, default=None, help="rows of long passages (default: 10,000; --fast 50)"
    )
    parser.add_argument(
        "--killed",
        type=int,
        default=None,
        help="rows of the run that is killed (default: 50,000; --fast 2,000)",
    )
