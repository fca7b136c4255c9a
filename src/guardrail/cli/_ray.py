"""Shards of `guardrail evaluate` as tasks of Ray: on this machine, or on a cluster whose machines see the same folders."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from guardrail.errors import GuardrailError, MissingExtra

CPUS = 0.5
"""Of a task. Whole ones may wait without a word for a processor that something else of Ray has; fractions do not."""

COMMAND = "from guardrail.cli import main; main()"  # a process of its own, as of every shard

_FINE = (0, 3)  # all is done; or answers are left, which is the rule for one of several shards


def shared_out(words: Sequence[str], shards: int | None = None) -> None:
    """Run a command once for each shard, and wait for all of them.

    A task is never repeated by Ray, since its calls may have been paid for: the same command goes on where it ended.

    Args:
        words: of `guardrail evaluate`, without --engine, --shards and --shard.
        shards: how many; default: as many as the cluster has processors, and at least 2.

    Raises:
        MissingExtra: Ray is not installed.
        GuardrailError: a shard failed; with what it said.
    """
    ray = _library()
    if not ray.is_initialized():  # RAY_ADDRESS names a cluster; without it Ray starts here
        ray.init(log_to_driver=False, include_dashboard=False)
    count = shards or max(2, int(ray.cluster_resources().get("CPU", 2)))
    task = ray.remote(num_cpus=CPUS, max_retries=0)(one_shard)
    waiting = [
        task.remote([*words, "--shards", str(count), "--shard", str(i)], str(Path.cwd()))
        for i in range(count)
    ]
    try:
        ended = ray.get(waiting)
    except KeyboardInterrupt:
        for one in waiting:
            ray.cancel(one)  # ends the command there; what it did is kept
        raise
    except ray.exceptions.RayError as error:
        raise GuardrailError(
            f"a shard ended before its time ({type(error).__name__}): what was done is kept, and the same command goes on"
        ) from error
    for code, said in ended:
        if code not in _FINE:
            raise GuardrailError(f"a shard failed: {said.strip() or f'exit code {code}'}")


def one_shard(words: Sequence[str], folder: str) -> tuple[int, str]:
    """The command in a worker of Ray: its exit code, and what it wrote to the error stream."""
    there = (
        folder if Path(folder).is_dir() else None
    )  # another machine may not have it; paths of files are whole
    command = [sys.executable, "-c", COMMAND, *words]
    done = subprocess.run(command, cwd=there, stderr=subprocess.PIPE, text=True, check=False)  # noqa: S603  # our own
    return done.returncode, done.stderr[-2_000:]


def _library() -> Any:
    try:
        import ray
        import ray.exceptions
    except ImportError as error:
        raise MissingExtra("ray, which runs shards as tasks,", extra="ray") from error
    return ray
