"""`guardrail schema`: what a report looks like in JSON."""

from __future__ import annotations

import sys


def schema() -> None:
    """Print the JSON Schema of a report: of what --json writes, and of report.model_dump_json().

    Examples:
      guardrail schema > report.schema.json

    Exit codes:
      0    done
    """
    from guardrail.cli._terminal import json_text
    from guardrail.report import Report

    sys.stdout.write(json_text(Report.model_json_schema(mode="serialization")))
