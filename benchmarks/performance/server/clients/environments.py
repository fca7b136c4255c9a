"""The clients' environments: each made on the spot for one version of one client, and used again."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

from benchmarks.performance.environments import EnvironmentFailed, Peer, installed
from benchmarks.performance.server.targets import LITELLM
from benchmarks.performance.speed.workers import without_paths

__all__ = ["NODE", "PEERS", "node", "python"]

PEERS = {
    "openai 2": Peer("openai", "2.54.0"),
    "openai 3": Peer("openai", "3.57.0"),
    "langchain": Peer("langchain-openai", "1.7.4"),
    "anthropic": Peer("anthropic", "2.14.0"),
    "litellm": LITELLM,
}
NODE = "7.57.0"
"""The version of `openai` from npm."""


def python(name: str, root: Path, *, make: Callable[..., Path] = installed) -> Path:
    """The interpreter of a client's environment.

    Raises:
        EnvironmentFailed: it could not be made.
    """
    peer = PEERS[name]
    folder = root if peer is LITELLM else root / peer.version
    return make(peer, folder, torch="")


def node(root: Path) -> Path:
    """A folder whose `node_modules` has OpenAI's JavaScript client.

    Raises:
        EnvironmentFailed: there is no npm, or it failed.
    """
    folder = root / f"node-{NODE}"
    if (folder / "node_modules" / "openai" / "package.json").is_file():
        return folder
    npm = shutil.which("npm")
    if npm is None:
        raise EnvironmentFailed("openai from npm: expected npm and node, found none: install Node.js")
    folder.mkdir(parents=True, exist_ok=True)
    words = [npm, "install", "--silent", "--no-audit", "--no-fund", "--prefix", str(folder), f"openai@{NODE}"]
    done = subprocess.run(words, capture_output=True, text=True, timeout=600, check=False)  # noqa: S603  # npm
    if done.returncode:
        said = without_paths(done.stdout + done.stderr)[-300:]
        raise EnvironmentFailed(f"openai from npm: npm said: {said}")
    return folder
