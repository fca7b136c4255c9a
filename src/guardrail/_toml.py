"""Tables in TOML: those of the package, and configuration files as they are written, of which each reader takes its part."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from guardrail.errors import ConfigError


@cache
def packaged(package: str, file: str) -> dict[str, Any]:
    """A table that comes with the package."""
    return tomllib.loads(files(package).joinpath(file).read_text(encoding="utf-8"))


def entries_of(path: str | Path) -> dict[str, Any]:
    """The entries of a configuration file as they are written.

    Raises:
        ConfigError: the file cannot be read, or is not TOML.
    """
    try:
        return tomllib.loads(Path(path).expanduser().read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigError(
            f"expected a configuration file, got {str(path)!r} ({error.strerror}): "
            "give the path of a guardrail.toml, or write one (docs/server.md begins with an example)"
        ) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(
            f'{path}: not TOML in UTF-8: {error}. An entry is written name = "value"'
        ) from error
