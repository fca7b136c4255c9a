"""What trainings share: how far one has come, in a file that is replaced as a whole, so that a kill costs little."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any, TypeVar

from guardrail.errors import InputError

__all__ = ["Progress", "Stopwatch", "noted", "resume", "save", "write_note", "write_tensors"]

_NOTE, _STATE = "training.json", "state.safetensors"
_NETWORK, _OPTIMIZER = "network.", "optimizer."

Note = TypeVar("Note")


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a training has come.

    Attributes:
        step: the next one, counted from 0.
        seconds: by the clock, over all interrupted runs.
        processor_seconds: of the processor, summed over its cores.
        losses: the last ones, oldest first.
    """

    step: int = 0
    seconds: float = 0.0
    processor_seconds: float = 0.0
    losses: list[float] = field(default_factory=list)


class Stopwatch:
    """Times a run that goes on from some progress; starts when it is made."""

    def __init__(self, before: Progress) -> None:
        self._before = before
        self._clock, self._processor = time.perf_counter(), time.process_time()

    def at(self, step: int, losses: Sequence[float]) -> Progress:
        """The progress before this step, with all earlier runs."""
        return Progress(
            step,
            self._before.seconds + time.perf_counter() - self._clock,
            self._before.processor_seconds + time.process_time() - self._processor,
            list(losses),
        )


def save(folder: Path, identity: Mapping[str, Any], progress: Progress, network: Any, optimizer: Any) -> None:
    """Keep all that the next step depends on; the old state stays until the new one is whole.

    Args:
        folder: made if it is not there.
        identity: what the weights depend on, as JSON has it; only a training of the same goes on from here.
        progress: so far.
        network: its parameters that are learnt are kept; frozen ones and buffers are not.
        optimizer: its state per parameter.
    """
    tensors = {f"{_NETWORK}{name}": value.detach() for name, value in _learnt(network)}
    for index, state in optimizer.state_dict()["state"].items():
        tensors |= {f"{_OPTIMIZER}{index}.{name}": value for name, value in state.items()}
    write_tensors(folder / _STATE, tensors, ("note", json.dumps({**identity, **asdict(progress)})))


def resume(folder: Path, identity: Mapping[str, Any], network: Any, optimizer: Any) -> Progress:
    """Take up what `save` left, if it is of the same training; else nothing is touched, and nothing has been done yet."""
    from safetensors import safe_open

    if not (folder / _STATE).is_file():
        return Progress()
    with safe_open(folder / _STATE, framework="pt") as file:
        note = json.loads(file.metadata()["note"])
        if {key: note.get(key) for key in identity} != dict(identity):
            return Progress()
        tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118  # no mapping
    own = {name: tensors[f"{_NETWORK}{name}"] for name, _ in _learnt(network)}
    network.load_state_dict(own, strict=False)  # a tied head has no parameters of its own
    state: dict[int, dict[str, Any]] = {}
    for name, value in tensors.items():
        if name.startswith(_OPTIMIZER):
            _, index, part = name.split(".", 2)
            state.setdefault(int(index), {})[part] = value
    optimizer.load_state_dict({**optimizer.state_dict(), "state": state})
    return Progress(**{one.name: note[one.name] for one in fields(Progress)})


def _learnt(network: Any) -> Iterator[tuple[str, Any]]:
    return ((name, value) for name, value in network.named_parameters() if value.requires_grad)


def write_note(folder: Path, note: Any) -> None:
    """What is known of a finished training, beside its weights: written last, it says that all is there.

    Args:
        folder: of the model.
        note: a data class.
    """
    (folder / _NOTE).write_text(json.dumps(asdict(note), indent=2) + "\n", encoding="utf-8")


def noted(folder: Path, made: Callable[[Mapping[str, Any]], Note]) -> Note | None:
    """What a finished training has left in a folder, if there is one; a model from elsewhere has no such note.

    Args:
        folder: of the model.
        made: of what `write_note` wrote, as JSON gives it.

    Raises:
        InputError: the note is of another kind.
    """
    path = folder / _NOTE
    if not path.is_file():
        return None
    try:
        return made(json.loads(path.read_text(encoding="utf-8")))
    except (ValueError, TypeError, KeyError) as error:
        raise InputError(f"expected the note of a training in {str(path)!r}, got {error!r}") from error


def write_tensors(path: Path, tensors: Mapping[str, Any], told: tuple[str, str] = ("format", "pt")) -> None:
    """A safetensors file, all or nothing: a kill leaves the old file or the new one.

    The same tensors give the same bytes.

    Args:
        path: of the file; its folder is made if it is not there.
        tensors: by name, on any device.
        told: a name and a text. Only one, for safetensors writes several in an order that is drawn anew each time.
    """
    from safetensors.torch import save as encoded

    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(path.name + ".part")
    with part.open("wb") as stream:
        stream.write(encoded({name: one.contiguous().cpu() for name, one in tensors.items()}, dict([told])))
        stream.flush()
        os.fsync(stream.fileno())
    part.replace(path)
