"""A guarded OpenAI client, with a chat service on this machine: runs without a key.

The service is asked for references and makes one up. The guard asks a model who wrote each of the works and whether it
exists; here that model is scripted. With a key, both are real:

    client = guard_openai(OpenAI(), Guard([ReferenceCheck()], chat=OpenAIChat("gpt-5-mini"), policy=regenerate() | remove()))
"""

from __future__ import annotations

import sys

from openai import OpenAI

from guardrail import Guard, regenerate, remove
from guardrail.chat import ScriptedChat
from guardrail.detectors import ReferenceCheck
from guardrail.requests import Ask
from guardrail.testing.server import ScriptedChoice, serve
from guardrail_openai import guard_openai

REAL = "Vaswani et al. (2017). Attention Is All You Need. NeurIPS."
FAKE = "Winterbottom, Q. (2019). The Ontology of Imaginary Teapots. Journal of Nothing, 3, 1-9."
FIRST = f"Two works to read:\n\n1. {REAL}\n2. {FAKE}\n"
SECOND = f"I am sure of one work:\n\n1. {REAL}\n"
QUESTION = "Which works should I read about attention?"


def librarian(call: ScriptedChoice) -> str:
    """Makes a reference up, and takes it back when told."""
    return SECOND if len(call.messages) > 1 else FIRST


def witness(ask: Ask) -> str:
    """Knows the real work, and guesses about the other."""
    text = "\n".join(message.text for message in ask.messages)
    known = "Attention Is All You Need" in text
    if "exist" in text.lower():
        return "Yes" if known else "No"
    return "AUTHORS: Ashish Vaswani, Noam Shazeer" if known else f"AUTHORS: Author {'ABC'[ask.draw % 3]}"


def main() -> None:
    """Ask without a guard and with one."""
    guard = Guard([ReferenceCheck()], chat=ScriptedChat(witness), policy=regenerate() | remove())
    with serve(librarian) as service, OpenAI(base_url=service.base_url, api_key="none") as client:
        for title, one in (("as it is", client), ("guarded", guard_openai(client, guard))):
            answer = one.chat.completions.create(model="m", messages=[{"role": "user", "content": QUESTION}])
            sys.stdout.write(f"--- {title}\n{answer.choices[0].message.content}\n")
            report = (answer.model_extra or {}).get("guardrail")
            if report:
                sys.stdout.write(
                    f"{report['action']}: {report['attempts']} attempts, {report['calls']} calls\n"
                )


if __name__ == "__main__":
    main()
