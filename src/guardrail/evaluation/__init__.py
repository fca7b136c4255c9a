"""Offline evaluation: detectors over many recorded answers, and how good their scores are by the labels.

```
rows      the typed row of results        inputs    answers read row by row (files: their forms; columns: names; labels: what people say)
folder    what makes a run resumable      running   a guard over many answers
table     rows as arrays                  measures  figures of one detector (summary: of all; what to read; why rows are unverified)
library   evaluate(), Evaluation          page      one self-contained page (charts: its drawings)
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from guardrail._lazy import lazy

if TYPE_CHECKING:
    from guardrail.evaluation.library import Evaluation as Evaluation
    from guardrail.evaluation.library import evaluate as evaluate
    from guardrail.evaluation.rows import ResultRow as ResultRow
    from guardrail.evaluation.rows import RunInfo as RunInfo
    from guardrail.evaluation.rows import read_rows as read_rows
    from guardrail.evaluation.rows import read_run as read_run

_HOMES = {
    "Evaluation": "guardrail.evaluation.library",
    "ResultRow": "guardrail.evaluation.rows",
    "RunInfo": "guardrail.evaluation.rows",
    "evaluate": "guardrail.evaluation.library",
    "read_rows": "guardrail.evaluation.rows",
    "read_run": "guardrail.evaluation.rows",
}

__all__ = [*_HOMES]  # noqa: PLE0604  # written once

__getattr__, __dir__ = lazy(__name__, _HOMES)
