"""What `guardrail calibrate` writes: a pydantic model as a JSON file, read back with errors that say what to do."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from pydantic import BaseModel, ConfigDict, ValidationError

from guardrail.errors import ConfigError

if TYPE_CHECKING:
    from typing import Self


class Model(BaseModel):
    """Immutable, without unknown fields, infinities or NaN."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class StoredModel(Model):
    """A file of its own."""

    KIND: ClassVar[str]
    """What it is, for messages."""
    COMMAND: ClassVar[str]
    """What makes one."""

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Read a file.

        Raises:
            ConfigError: it cannot be read, is something else, or has the form of another version.
        """
        try:
            return cls.model_validate_json(Path(path).read_bytes())
        except OSError as error:
            raise ConfigError(
                f"expected {cls.KIND}, got {str(path)!r} ({error.strerror}): make one with {cls.COMMAND}"
            ) from error
        except ValidationError as error:
            faults = error.errors()
            if other := [one["input"] for one in faults if one["loc"] == ("form",)]:
                raise ConfigError(
                    f"{path}: expected {cls.KIND} of form {cls.model_fields['form'].default}, got form {other[0]!r}: "
                    f"update guardrail-sdk, or make one with {cls.COMMAND}"
                ) from error
            first = faults[0]
            place = ".".join(map(str, first["loc"])) or "the file"
            raise ConfigError(
                f"{path}: not {cls.KIND} ({place}: {first['msg']}): make one with {cls.COMMAND}"
            ) from error

    def save(self, path: str | Path) -> None:
        """Write it as JSON."""
        Path(path).write_text(self.model_dump_json(indent=1) + "\n", encoding="utf-8")
