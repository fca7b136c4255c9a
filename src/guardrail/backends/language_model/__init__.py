"""A causal language model on this machine: how likely is a text, what may come next, and what comes next?

`scoring`: how texts longer than a window are cut, and how tokens spell them. `drawing`: how a token is drawn from a
distribution. `CausalModel`: the backend.
"""

from guardrail.backends.language_model.model import CausalModel
from guardrail.backends.language_model.scoring import scoring_windows, spelling

__all__ = ["CausalModel", "scoring_windows", "spelling"]
