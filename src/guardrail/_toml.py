"""A configuration file as it is written; `guardrail.config` and the server each read their part of it."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from guardrail.errors import ConfigError


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
