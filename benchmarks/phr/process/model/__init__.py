"""A neural process: a small transformer that regresses in context, whose predictive distribution can be read exactly."""

from benchmarks.phr.process.model.backend import NeuralProcess
from benchmarks.phr.process.model.bars import Bars
from benchmarks.phr.process.model.contexts import Contexts
from benchmarks.phr.process.model.network import Shape

__all__ = ["Bars", "Contexts", "NeuralProcess", "Shape"]
