"""Metric temporal logic over events and years: formulas, when they are true, and sentences that claim them.

```
formula      the immutable tree; JSON            notation       text to formula
intervals    sets of years                       semantics      the value of a formula
claims       what free sentences claim           senses         a claim in its weakest and strongest sense
```

Nothing here knows of detectors or backends.
"""
