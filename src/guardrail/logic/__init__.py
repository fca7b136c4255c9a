"""Logic as a guardrail: sentences of an answer, judged by a knowledge base and by metric temporal logic.

```
check     the detector                  reading   what a sentence claims, and what of it was not read
world     names and ways of saying      linking   which entity some words name
judging   statements, claims on years   places    how wide a place is
outcomes  one ruling for a sentence
paper     questions to a model, and what is wrong with its replies: not needed by the detector
```

Source: [li2025]; decisions and figures: `docs/design/logic.md`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from guardrail._lazy import lazy

if TYPE_CHECKING:
    from guardrail.logic.check import FactCheck as FactCheck

_HOMES = {
    "FactCheck": "guardrail.logic.check",
}

__all__ = [*_HOMES]  # noqa: PLE0604  # written once

__getattr__, __dir__ = lazy(__name__, _HOMES)
