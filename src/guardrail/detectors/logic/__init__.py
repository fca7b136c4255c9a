"""Logic as a guardrail: sentences of an answer, judged by a knowledge base and by metric temporal logic.

```
check     the detector                  reading   what a sentence claims, and what of it was not read
world     names and ways of saying      linking   which entity some words name
judging   statements of relations       dated     claims about years
outcomes  one ruling for a sentence     places    how wide a place is
```

Source: [li2025]; decisions and figures: `docs/design/logic.md`.
"""

from guardrail.detectors.logic.check import FactCheck

__all__ = ["FactCheck"]
