"""From a model's folder to the network and the tokenizer that transformers makes of it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from guardrail.backends.networks import quiet
from guardrail.backends.stored import is_in_groups, read_groups
from guardrail.backends.weights import files
from guardrail.errors import ConfigError


def opened(folder: Path, config: Mapping[str, Any], maker: str) -> tuple[Any, Any, Mapping[str, Any]]:
    """The network in float32, the tokenizer, and what transformers says of absent and superfluous weights.

    Nothing is fetched, and no code of the model's own is run.

    Args:
        folder: of the model.
        config: the content of its config.json.
        maker: the class of transformers that knows its kind ("AutoModel").

    Raises:
        ConfigError: transformers knows no such model, or a file is damaged.
    """
    import transformers
    from safetensors import SafetensorError

    options: dict[str, Any] = {"local_files_only": True, "trust_remote_code": False}
    # Shapes that do not fit are not ignored: they are told, and refused in our words.
    wanted = {"output_loading_info": True, "ignore_mismatched_sizes": True}
    with quiet(transformers):
        try:
            reader = transformers.AutoTokenizer.from_pretrained(str(folder), use_fast=True, **options)
            make = getattr(transformers, maker)
            if is_in_groups(config):
                network, told = _from_stored(make, folder, options, wanted)
            else:
                network, told = make.from_pretrained(str(folder), use_safetensors=True, **options, **wanted)
        except ConfigError:
            raise
        except (ValueError, OSError, KeyError, ImportError, RuntimeError, SafetensorError) as error:
            raise ConfigError(
                f"expected a model and a tokenizer that transformers knows in {str(folder)!r}, "
                f"got {type(error).__name__}: {error}"
            ) from error
    return network.float().eval(), reader, told


def _from_stored(
    maker: Any, folder: Path, options: Mapping[str, Any], wanted: Mapping[str, Any]
) -> tuple[Any, Mapping[str, Any]]:
    """A network whose weights are read by us: transformers gets them ready, and makes none up meanwhile."""
    import torch
    import transformers

    config = transformers.AutoConfig.from_pretrained(str(folder), **options)
    config.dtype = torch.float32  # whatever it was when the configuration was written
    with torch.device("meta"):  # only to learn its class: no memory, no numbers
        kind = type(maker.from_config(config, trust_remote_code=False))
    network, told = kind.from_pretrained(
        None, config=config, state_dict=read_groups(files(folder)), local_files_only=True, **wanted
    )
    return network, told
