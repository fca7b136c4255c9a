"""Logic: temporal formulas against their definition, the published cases, and test generation."""
