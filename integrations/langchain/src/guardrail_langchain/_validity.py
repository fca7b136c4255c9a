"""The same structure with other values: of the same class, and valid still, or it cannot be shown."""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any

from langchain_core.utils.function_calling import convert_to_json_schema
from pydantic import BaseModel, ValidationError

from guardrail.adapting import Change
from guardrail.adapting.json_text import is_valid
from guardrail.policies.edits import KEY
from guardrail.report import Blocked
from guardrail_langchain._parsed import PARSED


def must_fit(before: Any, after: Any, schemas: Iterable[Any], change: Change) -> None:
    """See to it that a dict that was what a schema wants is so still, apart from marks: nothing else validates one.

    Args:
        before: what came; of `include_raw=True`, what was parsed is meant.
        after: what was made of it.
        schemas: as a model is given them: JSON Schemas, `TypedDict`s.
        change: what the policy did.

    Raises:
        Blocked: it is not.
    """
    if isinstance(before, Mapping) and before.keys() >= PARSED:
        before, after = before["parsed"], after["parsed"]
    if not isinstance(before, dict) or after == before:
        return
    told = [found for schema in schemas if (found := _json_schema(schema)) is not None]
    fitting = [schema for schema in told if is_valid(before, schema, before=before)]
    plain = _unmarked(after)
    if fitting and not any(is_valid(plain, schema, before=before) for schema in fitting):
        raise invalid(before, change)


def _json_schema(schema: Any) -> dict[str, Any] | None:
    try:
        return convert_to_json_schema(schema)
    except Exception:  # noqa: BLE001  # a schema is the application's, and of a kind that LangChain alone knows
        return None


def _unmarked(value: Any) -> Any:
    """Without the keys that are marks."""
    if isinstance(value, dict):
        return {name: _unmarked(inner) for name, inner in value.items() if name != KEY}
    return [_unmarked(inner) for inner in value] if isinstance(value, list) else value


def ordered(items: AbstractSet[Any]) -> list[Any]:
    """In an order that does not change from run to run."""
    return sorted(items, key=repr)


def fields_of(value: Any) -> dict[Any, Any] | None:
    """The entries of a dict, or the fields of a model or dataclass, by their names; `None` of anything else."""
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, BaseModel):
        names = [*type(value).model_fields, *(value.model_extra or ())]
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        names = [field.name for field in dataclasses.fields(value) if hasattr(value, field.name)]
    else:
        return None
    return {name: getattr(value, name) for name in names}


def with_values(value: Any, items: Sequence[Any], change: Change) -> Any:
    """A list, tuple or set of the same class with other items.

    Raises:
        Blocked: it cannot be made.
    """
    if isinstance(value, list):
        return list(items)
    if hasattr(value, "_make"):
        return value._make(items) if len(items) == len(value) else made(value, items, change)
    return made(value, items, change)


def with_fields(value: Any, new: Mapping[Any, Any], marks: Mapping[str, str], change: Change) -> Any:
    """A dict, model or dataclass of the same class with other values, and with marks.

    A mark is a key, where the class takes any; else it comes after a text: the one that the finding is about, or the first.

    Raises:
        Blocked: it is not valid any more.
    """
    if isinstance(value, Mapping):
        entries = {**value, **new, **marks}
        return entries if isinstance(value, dict) else made(value, entries, change)
    takes_any = isinstance(value, BaseModel) and type(value).model_config.get("extra") == "allow"
    marked = marks if takes_any else _in_text(fields_of(value) or {}, new, marks, change)
    with_new = _with_model_fields if isinstance(value, BaseModel) else _with_dataclass_fields
    return with_new(value, {**new, **marked}, change)


def _in_text(
    fields: Mapping[str, Any], new: Mapping[str, Any], marks: Mapping[str, str], change: Change
) -> dict[str, str]:
    """The text that takes the marks, with its field."""
    texts = {name: text for name, text in {**fields, **new}.items() if isinstance(text, str) and text}
    if not marks or not texts:
        return {}
    found = {finding.text for finding in change.report.findings}
    name = next((name for name, text in texts.items() if text in found), next(iter(texts)))
    return {name: f"{texts[name]} [{'; '.join(marks.values())}]"}


def made(value: Any, items: Any, change: Change) -> Any:
    try:
        return type(value)(items)
    except Exception:  # noqa: BLE001  # whatever it is, its message may repeat the text
        raise invalid(value, change) from None


def invalid(value: Any, change: Change) -> Blocked:
    return Blocked(
        f"expected an edited {type(value).__name__} to be valid still, and it is not; "
        "use policy=regenerate() | block() with on_unverified='allow' or 'block' for structured answers",
        report=change.report,
    )


def _with_model_fields(value: Any, new: Mapping[Any, Any], change: Change) -> Any:
    found = value.model_copy(update=dict(new))
    try:
        type(value).model_validate(found.model_dump(by_alias=True, warnings=False))
    except ValidationError:  # its message repeats the values
        raise invalid(value, change) from None
    return found


def _with_dataclass_fields(value: Any, new: Mapping[Any, Any], change: Change) -> Any:
    initial = {field.name for field in dataclasses.fields(value) if field.init}
    try:
        found = dataclasses.replace(value, **{name: new[name] for name in new if name in initial})
    except Exception:  # noqa: BLE001  # as above
        raise invalid(value, change) from None
    if found is value:
        found = copy.copy(value)
    for field in dataclasses.fields(value):
        if not field.init and field.name in new:
            object.__setattr__(found, field.name, new[field.name])
    return found
