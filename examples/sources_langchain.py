"""A LangChain RAG chain: each mark of the answer is judged by the document that it points to.

The model is scripted, so this runs without a key. Yours: `model = init_chat_model("openai:gpt-5-mini")`, and your own retriever.
"""

from __future__ import annotations

from langchain_core.documents import Document
from langchain_core.language_models import FakeListChatModel
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import RunnablePassthrough

from guardrail import Guard, annotate, correct
from guardrail.detectors import SupportCheck
from guardrail_langchain import guard_runnable

PAGES = [
    Document("The library was built in 1904. It burnt down in 1950.", metadata={"title": "history.pdf"}),
    Document("Entrance is free for residents; visitors pay 5 euros.", metadata={"title": "visit.pdf"}),
]
ANSWER = "The library was built in 1904 [1] and burnt down in 1950 [2]. Visitors pay 7 euros [2]. It has a café [1]."


class Shelf(BaseRetriever):
    """Finds every page."""

    def _get_relevant_documents(self, query: str, *, run_manager: object) -> list[Document]:
        return PAGES


def numbered(given: dict) -> str:
    """The pages as the model sees them: `[1]` is the first one."""
    return "\n".join(f"[{n}] {page.page_content}" for n, page in enumerate(given["pages"], 1))


def main() -> None:
    """Print the answer as the model wrote it, as it is released, and what was found about each mark."""
    prompt = ChatPromptTemplate.from_messages(
        [("system", "Answer from these pages and cite them as [1]:\n{numbered}"), ("user", "{question}")]
    )
    model = FakeListChatModel(responses=[ANSWER])
    unverified = annotate({"unsupported", "unverified"})  # a note behind what the source does not say, too
    with Guard([SupportCheck()], policy=correct() | unverified, on_report=show) as guard:
        answering = guard_runnable(guard, prompt | model, context=lambda given: given["pages"])
        found = RunnablePassthrough.assign(pages=lambda given: Shelf().invoke(given["question"]))
        rag = found | RunnablePassthrough.assign(numbered=numbered) | answering
        print(f"the model: {ANSWER}")
        print(f"released: {rag.invoke({'question': 'What about the library?'}).text}")


def show(report) -> None:
    """What was found about each mark."""
    for finding in report.judged:
        print(f"{finding.label}: {finding.text} ({finding.reason})")


if __name__ == "__main__":
    main()
