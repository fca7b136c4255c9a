"""OpenAI's file search: each file citation of a response is judged by the file that it names, and stays at its words.

A stand-in plays the service, so this runs without a key. Yours: `OpenAI()`, and the ids of your own vector stores.
"""

from __future__ import annotations

from openai import OpenAI

from guardrail import Guard, annotate, correct
from guardrail.detectors import SupportCheck
from guardrail.testing.server import serve
from guardrail_openai import guard_openai

HISTORY = {
    "file_id": "f1",
    "filename": "history.pdf",
    "text": "The library was built in 1904. It burnt down in 1950.",
}
VISIT = {
    "file_id": "f2",
    "filename": "visit.pdf",
    "text": "Entrance is free for residents; visitors pay 5 euros.",
}
SAID = [("The library was built in 1904.", HISTORY), ("Visitors pay 7 euros.", VISIT)]


def reply(call) -> dict:
    """The items of a response: what the file search found, and the message."""
    text = " ".join(sentence for sentence, _ in SAID)
    ends = [text.index(sentence) + len(sentence) for sentence, _ in SAID]
    notes = [
        {"type": "file_citation", "index": end, **file} for end, (_, file) in zip(ends, SAID, strict=True)
    ]
    said = {"type": "output_text", "text": text, "annotations": notes}
    search = {"type": "file_search_call", "id": "s1", "queries": [], "results": [HISTORY, VISIT]}
    return {"output": [search, {"type": "message", "id": "m1", "role": "assistant", "content": [said]}]}


def main() -> None:
    """Ask as a program would, and print the text with what each annotation is behind."""
    guard = Guard([SupportCheck()], policy=correct() | annotate())
    with guard, serve(reply) as service, OpenAI(base_url=service.base_url, api_key="none") as openai:
        response = guard_openai(openai, guard).responses.create(
            model="gpt-5-mini",
            input="What about the library?",
            tools=[{"type": "file_search", "vector_store_ids": ["vs_1"]}],
            include=["file_search_call.results"],  # so that the files' texts are at hand
        )
    block = response.output[-1].content[0]
    print(f"{response.guardrail['action']}: {block.text}")
    for note in block.annotations:
        print(f"    {note.filename} is cited behind {block.text[: note.index].split('. ')[-1]!r}")


if __name__ == "__main__":
    main()
