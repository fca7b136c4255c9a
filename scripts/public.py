"""What semantic versioning covers, name by name: `python scripts/public.py --write` writes the tables of docs/public.md.

The modules are listed here, with what is in their `__all__` for the package's own use only. Everything else is internal.
"""

from __future__ import annotations

import importlib
import re
import sys
from pathlib import Path

PAGE = Path(__file__).parents[1] / "docs" / "public.md"
TABLE = re.compile(r"^(<!-- public: (\w+) -->\n)(?:\|.*\n)*", re.MULTILINE)
HEAD = "| import from | names |\n| --- | --- |\n"

STABLE = {
    "guardrail": "",
    "guardrail.detectors": "",
    "guardrail.chat": "",
    "guardrail.policies": "ENGLISH Phrases Plan Texts better rank with_texts",
    "guardrail.report": "",
    "guardrail.errors": "",
    "guardrail.telemetry": "",
    "guardrail.html": "framed",
    "guardrail_langchain": "",
    "guardrail_openai": "",
    "guardrail.references": "Parsing",
    "guardrail.references.bibliography": "",
    "guardrail.references.sources": "",
    "guardrail.selfcheck": "",
    "guardrail.support": "",
    "guardrail.logic": "",
    "guardrail.logic.knowledge": "",
    "guardrail.memory": "",
    "guardrail.phr": "",
    "guardrail.backends": (
        "CITATIONS_MINI ComparePackaged MINI_INSTALL ENTAILMENT_MINI EntailPackaged Packaged PackagedEntailment "
        "TokenScores encoder_installed entailment_installed is_here packaged_encoder packaged_entailment reads_script"
    ),
    "guardrail.evaluation": "",
    "guardrail.calibration": "",
    "guardrail.detector": "",
    "guardrail.requests": "",
    "guardrail.text.sentences": "",
    "guardrail.testing": "",
    "guardrail.testing.answers": "",
    "guardrail.testing.server": "",
}
"""By module, the names of its `__all__` that are internal all the same."""
PROVISIONAL = {
    "guardrail.adapting": "",
    "guardrail.adapting.openai_api": "",
    "guardrail.testing.leaks": "",
}
"""The same of modules that a minor version may change."""
MODULES = {"stable": STABLE, "provisional": PROVISIONAL}


def names(module: str) -> list[str]:
    """What is public of a public module, in alphabetical order."""
    internal = {**STABLE, **PROVISIONAL}[module].split()
    exported = importlib.import_module(module).__all__
    if absent := set(internal).difference(exported):
        raise ValueError(f"{module}.__all__ has no {sorted(absent)!r}: take them out of this list")
    return sorted(set(exported).difference(internal, {"__version__"}), key=lambda one: (one.lower(), one))


def filled(text: str) -> str:
    """A page with its tables written anew."""

    def table(found: re.Match[str]) -> str:
        rows = (
            f"| `{one}` | {', '.join(f'`{name}`' for name in names(one))} |\n" for one in MODULES[found[2]]
        )
        return found[1] + HEAD + "".join(rows)

    return TABLE.sub(table, text)


def main() -> int:
    """Write the page, or say whether it is as it would be written."""
    text = PAGE.read_text(encoding="utf-8")
    if "--write" in sys.argv:
        PAGE.write_text(filled(text), encoding="utf-8")
    return filled(text) != PAGE.read_text(encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
