"""Write `docs/openapi.json`, which is what `guardrail serve` answers at `/openapi.json`: `python scripts/openapi.py`."""

from __future__ import annotations

from pathlib import Path

from guardrail.server.openapi import written

if __name__ == "__main__":
    (Path(__file__).parents[1] / "docs" / "openapi.json").write_text(written(), encoding="utf-8")
