"""LangChain calls guardrail: a middleware for agents, a wrapper for chains, a callback that only watches.

```python
agent = create_agent(model, tools, middleware=[GuardrailMiddleware(guard)])
chain = prompt | model | GuardedOutput(guard)
model = guard_runnable(guard, model)
model.invoke(question, {"callbacks": [GuardrailCallback(guard)]})
```

Names are imported when they are first used.

Raises:
    MissingExtra: LangChain is not installed.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from guardrail.errors import MissingExtra

if TYPE_CHECKING:
    from guardrail_langchain.callbacks import AsyncGuardrailCallback as AsyncGuardrailCallback
    from guardrail_langchain.callbacks import GuardrailCallback as GuardrailCallback
    from guardrail_langchain.middleware import GuardrailMiddleware as GuardrailMiddleware
    from guardrail_langchain.runnables import GuardedOutput as GuardedOutput
    from guardrail_langchain.runnables import GuardedRunnable as GuardedRunnable
    from guardrail_langchain.runnables import guard_runnable as guard_runnable

_HOMES = {
    "AsyncGuardrailCallback": "callbacks",
    "GuardedOutput": "runnables",
    "GuardedRunnable": "runnables",
    "GuardrailCallback": "callbacks",
    "GuardrailMiddleware": "middleware",
    "guard_runnable": "runnables",
}

__all__ = [
    "AsyncGuardrailCallback",
    "GuardedOutput",
    "GuardedRunnable",
    "GuardrailCallback",
    "GuardrailMiddleware",
    "guard_runnable",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        home = import_module(f"{__name__}.{_HOMES[name]}")
    except ModuleNotFoundError as error:
        if (error.name or "").split(".")[0] in {"langchain", "langchain_core", "langgraph"}:
            raise MissingExtra(str(error.name), extra="langchain") from error
        raise
    value = getattr(home, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
