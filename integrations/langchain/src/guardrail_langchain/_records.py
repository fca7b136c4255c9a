"""Structures that contain references: examined as JSON, one object per reference, and edited value by value.

All other structures are examined as the strings in them (`_reading`). What comes back has the types that it had: an entry that is
removed is missing in its list, a mark is a key of a dict, or is in the text of a class that has no such field.
"""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Any

from guardrail.adapting import Change
from guardrail.policies.edits import apply
from guardrail.references.citations.structured import holds_references
from guardrail.report import Blocked, Edit, Span
from guardrail.requests import TokenLogprob
from guardrail.text.json_values import Value, json_values
from guardrail_langchain._validity import fields_of, invalid, made, ordered, with_fields, with_values


def records(value: Any, plain: Any) -> Records | None:
    """A structure that contains references; `None` if it does not.

    Args:
        value: the structure.
        plain: the same in lists, dicts, texts and numbers.
    """
    text = json.dumps(plain, ensure_ascii=False)
    return Records(value, plain, text) if holds_references(text) else None


@dataclass(frozen=True)
class Records:
    """A structure and its JSON."""

    output: Any
    plain: Any
    text: str
    logprobs: tuple[TokenLogprob, ...] = ()

    def changed(self, change: Change) -> Any:
        """The structure with the same edits.

        Raises:
            Blocked: the answer is blocked, nothing of it is left, or it would not be valid any more.
        """
        if change.report.blocked:
            raise Blocked(change.refusal, report=change.report)
        if not change.changed:
            return self.output
        [root] = json_values(self.text)
        editing = _Editing(self.text, change)
        if not change.edits or editing.cutting(root):
            raise invalid(self.output, change)
        return editing.edited(self.output, self.plain, root)


class _Editing:
    """The edits of a JSON text, done to the values that it was written from."""

    def __init__(self, text: str, change: Change) -> None:
        self.text = text
        self.change = change
        self.edits = sorted(change.edits, key=lambda edit: (edit.span.start, edit.span.end))
        self.ends = [edit.span.end for edit in self.edits]

    def edited(self, value: Any, plain: Any, node: Value) -> Any:
        """A value after the edits; the value itself, if there are none in it."""
        if next(self._within(node), None) is None:
            return value
        if node.kind == "object":
            return self._object(value, plain, node)
        if node.kind == "array":
            return self._array(value, plain, node)
        said = json.loads(self._local(node))
        return said if isinstance(value, str) else made(value, said, self.change)

    def cutting(self, node: Value) -> Edit | None:
        """The edit that takes a value away."""
        cuts = (e for e in self._within(node) if e.span.start <= node.start and node.end <= e.span.end)
        return next((edit for edit in cuts if edit.span.end > edit.span.start), None)

    def _within(self, node: Value) -> Iterator[Edit]:
        index = bisect_left(self.ends, node.start)
        while index < len(self.edits) and self.edits[index].span.start <= node.end:
            yield self.edits[index]
            index += 1

    def _local(self, node: Value) -> str:
        """A string as it is written after the edits."""
        inside = [
            e.model_copy(update={"span": Span(start=e.span.start - node.start, end=e.span.end - node.start)})
            for e in self._within(node)
            if node.start < e.span.start and e.span.end < node.end
        ]
        return apply(self.text[node.start : node.end], inside)

    def _array(self, value: Any, plain: Sequence[Any], node: Value) -> Any:
        nodes = iter(node.inner)
        kept = []
        for item, simple in zip(
            ordered(value) if isinstance(value, AbstractSet) else value, plain, strict=True
        ):
            if not isinstance(simple, str) and not (isinstance(simple, list | dict) and simple):
                kept.append(item)  # numbers are not edited
                continue
            inner = next(nodes)
            if self.cutting(inner) is None:
                kept.append(self.edited(item, simple, inner))
        return with_values(value, kept, self.change)

    def _object(self, value: Any, plain: Mapping[str, Any], node: Value) -> Any:
        new: dict[Any, Any] = {}
        fields = fields_of(value) or {}
        for (name, item), simple, inner in zip(fields.items(), plain.values(), node.inner, strict=True):
            cut = self.cutting(inner)
            after = json.loads(cut.replacement) if cut else self.edited(item, simple, inner)
            if after is not item:
                new[name] = after
        return with_fields(value, new, self._marks(node), self.change)

    def _marks(self, node: Value) -> dict[str, str]:
        """The keys that are added to an object."""
        places = {inner.end for inner in node.inner}
        added = [
            e.replacement for e in self._within(node) if e.span.start == e.span.end and e.span.start in places
        ]
        found: dict[str, str] = json.loads("{" + ",".join(one.lstrip(",") for one in added) + "}")
        return found
