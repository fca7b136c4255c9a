"""Answers that were written to cite nothing: restaurants, films, biographies by posts and dates, code, in eleven languages."""

from __future__ import annotations

import json
from pathlib import Path

__all__ = ["written"]

HERE = Path(__file__).resolve().parent


def written(half: str) -> list[str]:
    """Their texts; the half "seen" is for learning, "unseen", of another writer, for judging."""
    with (HERE / "written.jsonl").open(encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    return [row["text"] for row in rows if row["half"] == half]
