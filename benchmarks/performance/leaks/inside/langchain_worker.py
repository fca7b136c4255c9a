"""LangChain: an agent of `create_agent` with `PIIMiddleware("email", apply_to_output=True)`.

Without that option, which is off by default, answers are not looked at.
"""

from typing import Any

from langchain.agents import create_agent
from langchain.agents.middleware import PIIMiddleware
from langchain.agents.structured_output import ProviderStrategy
from langchain_core.load import dumpd
from langchain_core.messages import BaseMessage
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI
from loop import work  # type: ignore[import-not-found]
from pydantic import SecretStr


@tool
def look(q: str) -> str:
    """Looks something up."""
    return f"{q}: nothing found"


def agent(job: Any) -> Any:
    """The agent of a job."""
    body, chat = job["body"], job["api"] == "chat"
    more: dict[str, Any] = {}
    if job["shape"] == "logprobs":
        more = {"logprobs": True, "top_logprobs": 2} if chat else {"include": body["include"]}
    model = ChatOpenAI(
        model="stub", base_url=job["upstream"], api_key=SecretStr("none"), max_retries=0, timeout=20, use_responses_api=not chat,
        streaming=body["stream"], **more,
    )  # fmt: skip
    guard = PIIMiddleware("email", strategy=job["strategy"], apply_to_output=True)
    form: Any = None
    if job["shape"] == "structured":
        wanted = body["response_format"]["json_schema"] if chat else body["text"]["format"]
        form = ProviderStrategy({"title": "rivers", **wanted["schema"]})
    tools = [look] if job["shape"] == "tools" else []
    return create_agent(model, tools, middleware=[guard], response_format=form)


def plain(found: Any) -> Any:
    """As JSON."""
    if isinstance(found, BaseMessage):
        return dumpd(found)["kwargs"]
    if isinstance(found, dict):
        return {str(name): plain(value) for name, value in found.items()}
    if isinstance(found, list | tuple):
        return [plain(one) for one in found]
    return found if isinstance(found, str | int | float | bool | None) else repr(found)


def answer(job: Any, items: list[Any]) -> None:
    """Append what the agent gives."""
    asked = {"messages": [("user", "Tell me about rivers.")]}
    made = agent(job)
    if not job["body"]["stream"]:
        items.append(plain(made.invoke(asked)))
    elif job["events"]:
        for event in made.stream_events(asked, version="v3"):
            items.append(plain(event))  # noqa: PERF401  # what came before an error counts
    else:
        for chunk, _ in made.stream(asked, stream_mode="messages"):
            items.append(plain(chunk))


work(answer)
