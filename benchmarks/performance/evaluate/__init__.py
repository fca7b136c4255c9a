"""`guardrail evaluate` on many rows: rate, memory, and kills in the middle."""
