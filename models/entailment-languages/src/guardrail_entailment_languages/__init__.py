"""The packaged entailment model of guardrail for many languages: nothing but files.

`guardrail.backends.entailment.EntailmentModel("entailment-languages")` reads them, and checks the weights before.
"""

from pathlib import Path

__all__ = ["FOLDER"]

FOLDER = Path(__file__).parent
"""Holds config.json, the tokenizer, model.onnx and model.safetensors."""
