"""The two tools: typed arguments, bounds, and errors that say what to do."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Annotated, Any, Protocol

import anyio
from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import CallToolResult, TextContent, ToolAnnotations
from pydantic import BaseModel, Field

from guardrail._version import __version__
from guardrail._visible import one_line
from guardrail.errors import GuardrailError
from guardrail.guard import Guard
from guardrail.mcp.results import Checked, checked, summary
from guardrail.registry import DEFAULT, DETECTORS
from guardrail.report import Case, Report

ANSWER = 4 << 20  # bytes of what is checked, as in `guardrail serve`
WHOLE = 32 << 20  # bytes of a call with its documents and samples, as there
TEXTS = 1_000  # documents and samples of a call
SECONDS = 50.0
"""For one check, where neither the command nor the file has a deadline: hosts give up after about a minute, and a part of a report is more than none."""

_INSTRUCTIONS = (
    "Finds what a language model made up. Call check_references on a text that cites works, and check_answer on an answer "
    "together with the documents it is based on, before you show either to a person. What is unverified could not be "
    "checked: name it to the person, and do not call it confirmed."
)
_REFERENCES = (
    "Check whether the works that a text cites exist and are quoted correctly: titles, authors, years, venues, identifiers. "
    "Takes a bibliography, a list of references, BibTeX, or prose with citations. Finds fabricated and misquoted references "
    "and, where it is known, gives the correct one."
)
_ANSWER = (
    "Check whether the claims of an answer are supported by the documents it is based on (context), or are consistent with "
    "other answers to the same question (samples). Without either, checks the references in it."
)
_HINTS = ToolAnnotations(
    read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=True
)


class Document(BaseModel):
    """A document that an answer is based on."""

    text: str = Field(description="The document's text.")
    name: str = Field("", description='Its name, as citations of the answer use it, such as "manual.pdf".')


class Built(Protocol):
    """A guard with what there is to say about its reports."""

    @property
    def guard(self) -> Guard:
        """The guard."""
        ...

    def notes(self, report: Report) -> Sequence[str]:
        """What would settle more."""
        ...


class Guards(Protocol):
    """Makes guards and keeps them."""

    def of(self, given: frozenset[str]) -> Built:
        """The guard for answers that come with these: "context", "samples"; any thread may ask, one at a time."""
        ...


class _Tools:
    def __init__(self, guards: Guards) -> None:
        self._guards = guards
        self._making = anyio.Lock()

    async def check_references(
        self, text: Annotated[str, Field(description="The text with the references, as it is written.")]
    ) -> Annotated[CallToolResult, Checked]:
        _must_fit("text", text)
        return await self._checked(Case.of(text), references=True)

    async def check_answer(
        self,
        answer: Annotated[str, Field(description="The answer to check, word for word.")],
        question: Annotated[str, Field(description="The question that it answers.")] = "",
        context: Annotated[
            list[Document], Field(description="The documents that the answer is based on, all of them.")
        ] = [],  # noqa: B006  # read only, and in the tool's schema
        samples: Annotated[
            list[str],
            Field(description="Other answers of the same model to the same question, drawn independently."),
        ] = [],  # noqa: B006
    ) -> Annotated[CallToolResult, Checked]:
        _must_fit("answer", answer, [*(one.text for one in context), *samples], question)
        documents = [{"page_content": one.text, "metadata": {"source": one.name}} for one in context]
        try:
            case = Case.of(answer, prompt=question or None, context=documents, samples=samples)
        except GuardrailError as error:
            raise _said(error) from error
        return await self._checked(case)

    async def _checked(self, case: Case, *, references: bool = False) -> CallToolResult:
        given = {"context": case.context, "samples": case.samples}
        try:
            built = await self._of(frozenset(name for name, found in given.items() if found))
            guard = _of_references(built.guard) if references else built.guard
            report = await guard.acheck(case)
        except GuardrailError as error:
            raise _said(error) from error
        found = checked(report, built.notes(report))
        return CallToolResult(
            content=[TextContent(type="text", text=summary(found))],
            structured_content=found.model_dump(mode="json"),
        )

    async def _of(self, given: frozenset[str]) -> Built:
        async with self._making:  # in a thread, since models are loaded and files read
            built = await anyio.to_thread.run_sync(partial(self._guards.of, given))
        if built.guard.deadline is None:
            built.guard.deadline = SECONDS
        return built


def _of_references(guard: Guard) -> Guard:
    """The same guard with the detector of references alone; its models are shared."""
    if all(one.name == DEFAULT for one in guard.detectors):
        return guard
    found: list[Any] = [one for one in guard.detectors if one.name == DEFAULT] or [
        DETECTORS.create(DEFAULT, {})
    ]
    return Guard(found, backends=guard.hub, budget=guard.budget, deadline=guard.deadline)


def _must_fit(what: str, text: str, others: Sequence[str] = (), question: str = "") -> None:
    """Refuse what is empty or too long.

    Raises:
        ToolError: it is; the message quotes none of it.
    """
    if not text.strip():
        raise ToolError(
            f"expected {what} to have words, got none: pass the text itself, not the name of a file"
        )
    size = _size(text)
    if size > ANSWER:
        raise ToolError(
            f"expected {what} of at most {ANSWER:,} bytes, got {size:,}: check it in parts, chapter by chapter"
        )
    if len(others) > TEXTS:
        raise ToolError(
            f"expected at most {TEXTS:,} documents and samples, got {len(others):,}: pass those that the answer is based on"
        )
    whole = size + sum(map(_size, [question, *others]))
    if whole > WHOLE:
        raise ToolError(
            f"expected a call of at most {WHOLE:,} bytes with its documents, got {whole:,}: pass the parts of the documents "
            "that the answer is based on"
        )


def _size(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))


def _said(error: GuardrailError) -> ToolError:
    """An error for a model: what is wrong and what to do, on one line."""
    return ToolError(one_line(": ".join([*getattr(error, "__notes__", []), str(error)]), 600))


def server(guards: Guards) -> MCPServer[Any]:
    """A server of the two tools, to be run on any transport.

    Args:
        guards: what examines.
    """
    made: MCPServer[Any] = MCPServer(
        "guardrail", title="guardrail", instructions=_INSTRUCTIONS, version=__version__, log_level="WARNING"
    )
    tools = _Tools(guards)
    made.add_tool(
        tools.check_references, title="Check references", description=_REFERENCES, annotations=_HINTS
    )
    made.add_tool(tools.check_answer, title="Check an answer", description=_ANSWER, annotations=_HINTS)
    return made
