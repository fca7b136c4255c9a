"""The packaged network of guardrail that tags references: nothing but files.

`guardrail.references.citations.tagging.Tagger` reads them; `guardrail.backends.weights` checks the weights before.
"""

from pathlib import Path

__all__ = ["FOLDER"]

FOLDER = Path(__file__).parent
"""Holds config.json, the tokenizer, model.onnx and model.safetensors."""
