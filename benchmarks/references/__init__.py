"""Hallucinated references: direct queries, indirect queries, the expert study and token counts."""
