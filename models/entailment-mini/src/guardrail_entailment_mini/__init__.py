"""The packaged entailment model of guardrail: nothing but files.

`guardrail.backends.entailment.EntailmentModel("entailment-mini")` reads them, and checks the weights before.
"""

from pathlib import Path

__all__ = ["FOLDER"]

FOLDER = Path(__file__).parent
"""Holds config.json, the tokenizer and model.safetensors."""
