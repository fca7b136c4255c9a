"""The field `guardrail` of a request: what the application tells the guard. The service that is asked never sees it."""

from __future__ import annotations

from collections.abc import Mapping

from guardrail.errors import InputError
from guardrail.given import content
from guardrail.given.accepted import Json, JsonObject
from guardrail.given.sources import Gathered

OWN_FIELD = "guardrail"


def without_own_field(request: JsonObject) -> tuple[Json, Gathered | None]:
    """A request without the field, and the documents that it gives; `None` where it gives none.

    Raises:
        InputError: something else is in it.

    Example:
        >>> without_own_field({"model": "m", "guardrail": {"context": ["Yes."]}})[1].texts
        ('Yes.',)
    """
    if OWN_FIELD not in request:
        return dict(request), None
    own = request[OWN_FIELD]
    if not isinstance(own, Mapping) or set(own) - {"context"}:
        got = f"{sorted(map(str, own))!r:.80}" if isinstance(own, Mapping) else type(own).__name__
        raise InputError(
            f'expected the field "guardrail" with documents, got {got}: write "guardrail": {{"context": ["…"]}}'
        )
    kept = {name: value for name, value in request.items() if name != OWN_FIELD}
    given = own.get("context")
    return kept, None if given is None else content.documents(given)
