"""A neural process: a small transformer that regresses in context, whose predictive distribution can be read exactly."""

from guardrail.backends.neural_process.backend import NeuralProcess
from guardrail.backends.neural_process.bars import Bars
from guardrail.backends.neural_process.contexts import Contexts
from guardrail.backends.neural_process.network import Shape

__all__ = ["Bars", "Contexts", "NeuralProcess", "Shape"]
