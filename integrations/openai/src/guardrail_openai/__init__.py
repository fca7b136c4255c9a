"""The OpenAI client, guarded: the same client, and whatever it returns was examined.

```python
client = guard_openai(OpenAI(), guard)
client.chat.completions.create(model="gpt-5-mini", messages=[…]).guardrail
```

Raises:
    MissingExtra: the library `openai` is not installed.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from guardrail.errors import MissingExtra

if TYPE_CHECKING:
    from guardrail_openai.client import guard_openai as guard_openai

__all__ = ["guard_openai"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        home = import_module(f"{__name__}.client")
    except ModuleNotFoundError as error:
        if (error.name or "").split(".")[0] == "openai":
            raise MissingExtra("openai", extra="openai") from error
        raise
    value = getattr(home, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
