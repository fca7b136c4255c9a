"""Models on this machine, each behind a lane. Every other folder takes them from here; nothing is loaded before it is used.

`Packaged` and `PackagedEntailment` are the small models that come as packages: detectors bring them along, on lanes of their
own (`ComparePackaged`, `EntailPackaged`). The others are models of yours, given to a guard by `backends={lane: …}`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from guardrail._lazy import lazy

if TYPE_CHECKING:
    from guardrail.backends._local import Precision as Precision
    from guardrail.backends.answers import AnswerModel as AnswerModel
    from guardrail.backends.embedding import Embedder as Embedder
    from guardrail.backends.entailment import EntailmentModel as EntailmentModel
    from guardrail.backends.language_model.model import CausalModel as CausalModel
    from guardrail.backends.packaged import ComparePackaged as ComparePackaged
    from guardrail.backends.packaged import EntailPackaged as EntailPackaged
    from guardrail.backends.packaged import Packaged as Packaged
    from guardrail.backends.packaged import PackagedEntailment as PackagedEntailment
    from guardrail.backends.packaged import encoder_installed as encoder_installed
    from guardrail.backends.packaged import entailment_installed as entailment_installed
    from guardrail.backends.packaged import packaged_encoder as packaged_encoder
    from guardrail.backends.packaged import packaged_entailment as packaged_entailment
    from guardrail.backends.packaged import reads_script as reads_script
    from guardrail.backends.questions import QuestionModel as QuestionModel
    from guardrail.backends.similarity import BertScore as BertScore
    from guardrail.backends.tokens import TokenScores as TokenScores
    from guardrail.backends.weights import CITATIONS_MINI as CITATIONS_MINI
    from guardrail.backends.weights import ENTAILMENT_MINI as ENTAILMENT_MINI
    from guardrail.backends.weights import MINI_INSTALL as MINI_INSTALL
    from guardrail.backends.weights import is_here as is_here

_HOMES = {
    "Precision": "guardrail.backends._local",
    "AnswerModel": "guardrail.backends.answers",
    "BertScore": "guardrail.backends.similarity",
    "CITATIONS_MINI": "guardrail.backends.weights",
    "CausalModel": "guardrail.backends.language_model.model",
    "ComparePackaged": "guardrail.backends.packaged",
    "MINI_INSTALL": "guardrail.backends.weights",
    "ENTAILMENT_MINI": "guardrail.backends.weights",
    "Embedder": "guardrail.backends.embedding",
    "EntailPackaged": "guardrail.backends.packaged",
    "EntailmentModel": "guardrail.backends.entailment",
    "Packaged": "guardrail.backends.packaged",
    "PackagedEntailment": "guardrail.backends.packaged",
    "QuestionModel": "guardrail.backends.questions",
    "TokenScores": "guardrail.backends.tokens",
    "encoder_installed": "guardrail.backends.packaged",
    "entailment_installed": "guardrail.backends.packaged",
    "is_here": "guardrail.backends.weights",
    "packaged_encoder": "guardrail.backends.packaged",
    "packaged_entailment": "guardrail.backends.packaged",
    "reads_script": "guardrail.backends.packaged",
}

__all__ = [*_HOMES]  # noqa: PLE0604  # written once

__getattr__, __dir__ = lazy(__name__, _HOMES)
