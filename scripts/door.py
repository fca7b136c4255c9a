"""What the door says: to wrong objects in one line what to write instead, to right ones nothing.

    python scripts/door.py            the table: what a user wrote, and the message
    python scripts/door.py --json     the same as JSON

Every case is an expression as a user would write it. A wrong one must raise an error of guardrail's own, in one line that
names what was given and holds the text that is listed with it; a right one must raise nothing. Exit code 1 if one does not.
Needs openai and langchain (`scripts/setup dev`).
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import textwrap
from pathlib import Path
from typing import Any

LONGEST = 400  # characters of a message that still is one line for a person

# What was written, and what the message must say to write instead. The list was written before the code that answers it.
WRONG: list[tuple[str, str]] = [
    # the chat model and the judge
    ("Guard([ReferenceCheck()], chat=OpenAI(api_key='k'))", "OpenAIChat("),
    ("Guard([ReferenceCheck()], chat=AsyncOpenAI(api_key='k'))", "async_client="),
    ("Guard([ReferenceCheck()], chat='gpt-5-mini')", "OpenAIChat('gpt-5-mini')"),
    ("Guard([ReferenceCheck()], chat=OpenAIChat)", "OpenAIChat("),
    ("Guard([ReferenceCheck()], chat=lambda messages: 'yes')", "ScriptedChat("),
    ("Guard([ReferenceCheck()], chat={'model': 'gpt-5-mini'})", "OpenAIChat("),
    ("Guard([ReferenceCheck()], chat=PROMPT | MODEL)", "GuardedOutput"),
    ("Guard([ReferenceCheck()], judge='gpt-5-nano')", "OpenAIChat('gpt-5-nano')"),
    ("Guard([ReferenceCheck()], judge=OpenAI(api_key='k'))", "OpenAIChat("),
    # the policy
    ("Guard([ReferenceCheck()], policy='annotate')", "annotate()"),
    ("Guard([ReferenceCheck()], policy='anotate')", "annotate()"),
    ("Guard([ReferenceCheck()], policy=annotate)", "annotate()"),
    ("Guard([ReferenceCheck()], policy=[regenerate(2), annotate()])", "|"),
    ("Guard([ReferenceCheck()], policy=3)", "annotate()"),
    ("Guard([ReferenceCheck()], on_unverified='anotate')", "annotate"),
    ("Guard([ReferenceCheck()], fail='opened')", "open"),
    # backends
    ("Guard([SelfCheck('nli')], backends={'entailement': PackagedEntailment()})", "'entailment'"),
    ("Guard([SelfCheck('nli')], backends={'entailment': 'deberta-nli'})", "EntailmentModel('deberta-nli')"),
    ("Guard([SelfCheck('nli')], backends=[PackagedEntailment()])", "{'entailment': …}"),
    ("Guard([SelfCheck('nli')], backends={'entailment': PackagedEntailment})", "PackagedEntailment()"),
    # retry, cache, budget, deadline, listener
    ("Guard([ReferenceCheck()], retry=3)", "Retry(attempts=3)"),
    ("Guard([ReferenceCheck()], retry=True)", "Retry()"),
    ("Guard([ReferenceCheck()], cache=True)", "cache='"),
    ("Guard([ReferenceCheck()], cache={})", "cache='"),
    ("Guard([ReferenceCheck()], budget='200')", "budget=200"),
    ("Guard([ReferenceCheck()], budget=-1)", "0"),
    ("Guard([ReferenceCheck()], deadline='30')", "deadline=30"),
    ("Guard([ReferenceCheck()], on_report='print')", "function"),
    # detectors
    ("Guard(ReferenceCheck())", "Guard([ReferenceCheck()"),
    ("Guard('references')", "Guard(['references']"),
    ("Guard(['refrences'])", "'references'"),
    ("Guard([ReferenceCheck])", "ReferenceCheck()"),
    ("Guard([object()])", "guardrail.detector.Detector"),
    ("Guard([SelfCheck])", "SelfCheck("),
    ("SelfCheck('ngrams')", "'ngram'"),
    ("SelfCheck('ngram', sampels=3)", "samples"),
    ("ReferenceCheck(bibliography=42)", "path"),
    ("ReferenceCheck(effort='quick')", "fast"),
    # the answer
    ("GUARD.check(b'an answer')", ".decode()"),
    ("GUARD.check(42)", "text"),
    ("GUARD.check(['one', 'another'])", "one at a time"),
    ("GUARD.check(MODEL.ainvoke('Hi'))", "await"),
    ("GUARD.check(MODEL.stream('Hi'))", "join"),
    ("GUARD.check(CASE, prompt='Hi')", "Case"),
    # the prompt
    ("GUARD.check('yes', prompt=42)", "text"),
    ("GUARD.check('yes', prompt=[{'content': 'Hi'}])", "'role'"),
    ("GUARD.check('yes', prompt=[('user',)])", "('user', "),
    ("GUARD.check('yes', prompt=[{'role': 'wizard', 'content': 'Hi'}])", "'user'"),
    ("GUARD.check('yes', prompt=[42])", "messages"),
    ("GUARD.check('yes', prompt=PROMPT)", ".invoke("),
    # context and samples
    ("GUARD.check('yes', context=42)", "texts"),
    ("GUARD.check('yes', context=[1, 2])", "str("),
    ("GUARD.check('yes', samples=5)", "samples=5"),
    ("GUARD.check('yes', samples=[1, 2])", "str("),
    # files
    ("Index(42)", "path"),
    ("Index('missing.sqlite').find", "guardrail references index add"),
    ("ReferenceCheck(bibliography='missing.sqlite')", "guardrail references index add"),
    ("Guard.from_config('missing.toml')", "missing.toml"),
    ("Guard.from_config(42)", "path"),
    ("Guard.from_config(FOLDER / 'typo.toml')", "'effort'"),
    # nobody to ask, nothing to ask
    ("Guard([ReferenceCheck()]).generate('Hi')", "chat="),
    ("Guard([ReferenceCheck()], chat=MODEL).generate(None)", "generate('the question')"),
    # what other libraries, notebooks and logs teach
    ("GUARD.check({'question': 'Hi', 'answer': 'yes', 'context': []})", "result['answer']"),
    ("GUARD.check([HumanMessage('Hi'), AIMessage('yes')])", "prompt=messages[:-1]"),
    ("GUARD.check('yes', prompt=[{'role': 'user', 'text': 'Hi'}])", "'content'"),
    ("GUARD.check('yes', context=TABLE)", "table['text']"),
    ("GUARD.check('yes', context=[FOLDER / 'manual.txt'])", ".read_text()"),
    ("GUARD.check('yes', context=RETRIEVER)", ".invoke("),
    ("GUARD.check('yes', samples=MODEL.stream('Hi'))", "join"),
    ("Guard([lambda answer: 'moon' in answer])", "guardrail.detector.Detector"),
    ("Guard([Validator()])", "guardrail.detector.Detector"),
    ("Guard([ReferenceCheck()], policy='reask')", "regenerate()"),
    ("Guard([ReferenceCheck()], policy=regenerate(2) | annotate)", "annotate()"),
    ("Guard([ReferenceCheck()], policy=annotate(on={'unsuported'}))", "'unsupported'"),
    ("Guard([ReferenceCheck()], on_report=record)", "def alone"),
    ("OpenAIChat(OpenAI(api_key='k'))", "OpenAIChat('gpt-5-mini', client=client)"),
    ("ReferenceCheck(bibliografy='refs.sqlite')", "'bibliography'"),
    ("ReferenceCheck('refs.sqlite')", "bibliography='refs.sqlite'"),
    ("ReferenceCheck(bibliography=FOLDER / 'missing.bib')", "no such file"),
    ("SelfCheck('prompt', llm=MODEL)", "chat="),
    ("SelfCheck(['ngram', 'nli'])", "[SelfCheck('ngram'), SelfCheck('nli')]"),
    ("Case(answer='yes', prompt='Hi')", "Case.of("),
    ("GuardedOutput([ReferenceCheck()])", "GuardedOutput(Guard("),
    ("guard_runnable(MODEL, GUARD)", "guard_runnable(guard, model)"),
]

RIGHT: list[str] = [
    "GUARD.check('yes', prompt='Hi')",
    "GUARD.check('yes', prompt=None)",
    "GUARD.check('yes', prompt=[('system', 'Be brief.'), ('human', 'Hi')])",
    "GUARD.check('yes', prompt=[{'role': 'user', 'content': 'Hi'}])",
    "GUARD.check('yes', prompt=[{'role': 'user', 'content': [{'type': 'text', 'text': 'Hi'}]}])",
    "GUARD.check('yes', prompt=[user('Hi')])",
    "GUARD.check('yes', prompt=[OPENAI.choices[0].message])",
    "GUARD.check('yes', prompt=[HumanMessage('Hi')])",
    "GUARD.check('yes', prompt=HumanMessage('Hi'))",
    "GUARD.check('yes', prompt=PROMPT.invoke({'question': 'Hi'}))",
    "GUARD.check(None)",
    "GUARD.check(OPENAI)",
    "GUARD.check(OPENAI.choices[0].message)",
    "GUARD.check(OPENAI_TOOL_CALL)",
    "GUARD.check(RESPONSES)",
    "GUARD.check(AIMessage('yes'))",
    "GUARD.check(AIMessage('', tool_calls=[{'name': 'f', 'args': {}, 'id': '1'}]))",
    "GUARD.check(CASE)",
    "GUARD.check('yes', context='a document')",
    "GUARD.check('yes', context=[Document('a document')])",
    "GUARD.check('yes', samples=['yes', 'no'])",
    "GUARD.check('yes', samples=[AIMessage('no')])",
    "GUARD.check('yes', samples=None, context=None)",
    "Guard([ReferenceCheck()], chat=MODEL)",
    "Guard([ReferenceCheck()], chat=OpenAIChat('gpt-5-mini', client=OpenAI(api_key='k')))",
    "Guard(['references', SelfCheck('ngram')], chat=ScriptedChat(lambda ask: 'yes'), retry=Retry(attempts=3))",
    "Guard([ReferenceCheck()], cache=FOLDER / 'cache.sqlite', budget=200, deadline=30)",
    "Guard([ReferenceCheck()], cache=str(FOLDER / 'cache.sqlite'))",
    "Guard([SelfCheck('nli')], backends={'entailment': PackagedEntailment()})",
    "Index(FOLDER / 'refs.sqlite')",
    "Index(str(FOLDER / 'refs.sqlite'))",
    "ReferenceCheck(bibliography=FOLDER / 'refs.sqlite')",
    "ReferenceCheck(bibliography=str(FOLDER / 'refs.sqlite'))",
    "Guard.from_config(FOLDER / 'guardrail.toml')",
    "Guard.from_config(str(FOLDER / 'guardrail.toml'))",
    # what logs, notebooks and web services hold
    "GUARD.check('yes', prompt=[HumanMessage('Hi').model_dump()]).case.messages[0]",
    "GUARD.check('yes', prompt=messages_to_dict([HumanMessage('Hi')])).case.messages[0]",
    "GUARD.check('yes', prompt=[Turn(role='user', content='Hi')]).case.messages[0]",
    "GUARD.check(Turn(role='assistant', content='yes'))",
    "GUARD.check('yes', context=[Document('a document').model_dump()])",
    "GUARD.check(np.array(['yes', 'no'])[0], context=np.array(['a document']), samples=np.array(['no']))",
    "Guard([ReferenceCheck()], policy=annotate(on='unverified'))",
    "Guard([ReferenceCheck()], policy=annotate(on=['unsupported', 'unverified']))",
]


def names(folder: Path) -> dict[str, Any]:
    """What the expressions may use."""
    import numpy as np  # noqa: F401  # for the expressions
    from langchain_core.documents import Document  # for the expressions
    from langchain_core.language_models import FakeListChatModel
    from langchain_core.messages import AIMessage, HumanMessage, messages_to_dict  # noqa: F401  # for the expressions
    from langchain_core.prompts import ChatPromptTemplate
    from langchain_core.runnables import RunnableLambda
    from openai import AsyncOpenAI, OpenAI  # noqa: F401  # for the expressions
    from openai.types.chat import ChatCompletion
    from openai.types.responses import Response
    from pydantic import BaseModel

    from guardrail import Case, Guard, Retry, annotate, regenerate  # noqa: F401  # for the expressions
    from guardrail.backends import PackagedEntailment  # noqa: F401  # for the expressions
    from guardrail.chat import OpenAIChat, ScriptedChat  # noqa: F401  # for the expressions
    from guardrail.detectors import ReferenceCheck, SelfCheck  # noqa: F401  # for the expressions
    from guardrail.references.bibliography.index import Index
    from guardrail.references.bibliography.records import Record
    from guardrail.requests import user  # noqa: F401  # for the expressions
    from guardrail_langchain import GuardedOutput, guard_runnable  # noqa: F401  # for the expressions

    class Turn(BaseModel):
        """A message as a web service has it."""

        role: str
        content: str

    class Table:
        """A table as pandas has it: its parts are the names of its columns."""

        columns = ("text", "source")

        def __iter__(self) -> Any:
            return iter(self.columns)

    class Validator:
        """A check as another library has it."""

        def __call__(self, answer: str) -> bool:
            return "moon" in answer

    async def record(report: Any) -> None:
        del report

    def completion(**message: Any) -> ChatCompletion:
        said = {"role": "assistant", "content": "yes", **message}
        choice = {"index": 0, "finish_reason": "stop", "message": said}
        outer = {"id": "c", "created": 0, "model": "gpt-5-mini", "object": "chat.completion"}
        return ChatCompletion.model_validate({**outer, "choices": [choice]})

    call = {"id": "1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    text = {"type": "output_text", "text": "yes", "annotations": []}
    said = {"id": "m", "type": "message", "role": "assistant", "status": "completed", "content": [text]}
    response = {
        "id": "r",
        "created_at": 0,
        "model": "gpt-5-mini",
        "object": "response",
        "output": [said],
        "parallel_tool_calls": False,
        "tool_choice": "auto",
        "tools": [],
    }
    with Index.create(folder / "refs.sqlite") as made:
        made.add([Record("On Nothing")])
    (folder / "guardrail.toml").write_text('[[detectors]]\nname = "references"\n', encoding="utf-8")
    (folder / "refs.bib").write_text("@misc{a, title = {On Nothing}}\n", encoding="utf-8")
    (folder / "typo.toml").write_text(
        '[[detectors]]\nname = "references"\nefort = "fast"\n', encoding="utf-8"
    )
    return {
        **locals(),
        "GUARD": Guard([SelfCheck("ngram")]),
        "CASE": Case(answer="yes"),
        "MODEL": FakeListChatModel(responses=["yes"]),
        "PROMPT": ChatPromptTemplate.from_messages([("user", "{question}")]),
        "OPENAI": completion(),
        "OPENAI_TOOL_CALL": completion(content=None, tool_calls=[call]),
        "RESPONSES": Response.model_validate(response),
        "FOLDER": folder,
        "TABLE": Table(),
        "RETRIEVER": RunnableLambda(lambda question: [Document(question)]),
    }


def said(expression: str, known: dict[str, Any]) -> tuple[str, bool]:
    """The message, and whether it is an error of guardrail's own; ("", True) where nothing is raised."""
    from guardrail import GuardrailError

    try:
        eval(expression, dict(known))  # noqa: S307  # the expressions above
    except GuardrailError as error:
        return str(error), True
    except Exception as error:  # noqa: BLE001  # what a user would see
        return f"{type(error).__name__}: {error}", False
    return "", True


def rows(folder: Path) -> list[dict[str, Any]]:
    """One row per expression: what was written, what was said, and whether that is as it should be."""
    known = names(folder)
    found = []
    for expression, instead in WRONG:
        message, own = said(expression, known)
        fit = bool(message) and "\n" not in message and len(message) <= LONGEST and instead in message
        found.append({"wrote": expression, "said": message, "wanted": instead, "ok": own and fit})
    for expression in RIGHT:
        message, _ = said(expression, known)
        found.append({"wrote": expression, "said": message, "wanted": "", "ok": not message})
    return found


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--json", action="store_true", help="print JSON")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        found = rows(Path(folder))
    if arguments.json:
        print(json.dumps(found, ensure_ascii=False, indent=2))
    else:
        for row in found:
            print(f"{'ok ' if row['ok'] else 'NO '} {row['wrote']}")
            if row["said"] or row["wanted"]:
                print(textwrap.indent(row["said"] or "(nothing was said)", "      → "))
    right = sum(row["ok"] for row in found)
    print(f"{right} of {len(found)} as they should be", file=sys.stderr)
    return 0 if right == len(found) else 1


if __name__ == "__main__":
    sys.exit(main())
