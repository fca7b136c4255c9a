"""Statements read by a model, for sentences that the lexicon cannot read.

[li2025] §4.1 asks GPT-4o for the triples of complex replies; differs: the reply has to be JSON of an exact form, a
relation has to be one of those that were offered, and a name has to stand in the sentence. Anything else says nothing.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from guardrail.engine.flow import Failed, Flow, each
from guardrail.requests import Ask, Message, Untrusted, system, user
from guardrail.text.fence import FENCE_RULE
from guardrail.text.triples.lexicon import Lexicon
from guardrail.text.triples.model import Mention, Statement
from guardrail.text.triples.words import folded

__all__ = ["ask_statements", "prompt", "read_statements"]

LONGEST = 2_000  # characters of a sentence that is asked about
MOST = 32  # statements of one sentence

_RULE = (
    "You extract relations from one sentence. Reply with a JSON array and nothing else. Each element is an object with"
    ' the keys "subject", "relation", "object" and "negated". "relation" is one of the names in the list, used as'
    " described there. Subject and object are copied from the sentence, letter by letter. "
    '"negated" is true if the sentence denies the relation, else false. Where the sentence states none of the'
    " relations, reply with []. "
)


def prompt(sentence: str, relations: Sequence[tuple[str, str]]) -> tuple[Message, ...]:
    """The messages that ask for the statements of a sentence.

    Args:
        sentence: untrusted; cut after `LONGEST` characters.
        relations: name and an example sentence of each that may be found.
    """
    listed = "\n".join(f"- {json.dumps(name, ensure_ascii=False)}: {example}" for name, example in relations)
    return (
        system(_RULE + FENCE_RULE),
        user(f"Relations:\n{listed}\n\nSentence:\n", Untrusted(sentence[:LONGEST]), "\n\nJSON array:"),
    )


def ask_statements(
    sentences: Sequence[tuple[int, str]], relations: Sequence[tuple[str, str]], lexicon: Lexicon
) -> Flow[list[Statement]]:
    """Ask the judge model once for each sentence.

    Args:
        sentences: where each begins in its text, and the sentence.
        relations: as for `prompt`.
        lexicon: which names are entities.

    Returns:
        What was understood, in order; a reply that failed or has another form gives nothing.
    """
    asks = [Ask(prompt(sentence, relations), temperature=0, role="judge") for _, sentence in sentences]
    replies = yield from each(asks)
    offered = {name for name, _ in relations}
    found: list[Statement] = []
    for (start, sentence), reply in zip(sentences, replies, strict=True):
        if not isinstance(reply, Failed):
            found += read_statements(reply.value.text, sentence, offered, lexicon, start=start) or []
    return found


def read_statements(
    reply: str, sentence: str, relations: set[str], lexicon: Lexicon, *, start: int = 0
) -> list[Statement] | None:
    """The statements of a reply; `None` if it has not exactly the form that was asked for.

    Example:
        >>> reply = '[{"subject": "Emma", "relation": "author", "object": "Jane Austen", "negated": false}]'
        >>> [found] = read_statements(reply, "Emma flowed from Jane Austen's pen.", {"author"}, Lexicon({}, []))
        >>> found.subject.text, found.object.text
        ('Emma', 'Jane Austen')
        >>> read_statements("Sure! []", "Emma.", {"author"}, Lexicon({}, [])) is None
        True
    """
    body = reply.strip()
    if body.startswith("```") and body.endswith("```"):
        body = body.strip("`").removeprefix("json").strip()
    try:
        entries = json.loads(body)
    except (ValueError, RecursionError):
        return None
    if not isinstance(entries, list) or len(entries) > MOST:
        return None
    found = [_statement(entry, sentence, relations, lexicon, start) for entry in entries]
    return None if None in found else [one for one in found if one is not None]


def _statement(
    entry: Any, sentence: str, relations: set[str], lexicon: Lexicon, start: int
) -> Statement | None:
    if not isinstance(entry, dict) or set(entry) != {"subject", "relation", "object", "negated"}:
        return None
    subject, object_ = (_mention(entry[key], sentence, lexicon, start) for key in ("subject", "object"))
    negated = entry["negated"]
    if (
        subject is None
        or object_ is None
        or not isinstance(negated, bool)
        or entry["relation"] not in relations
    ):
        return None
    return Statement(
        subject,
        entry["relation"],
        object_,
        negated,
        min(subject.start, object_.start),
        max(subject.end, object_.end),
    )


def _mention(name: Any, sentence: str, lexicon: Lexicon, start: int) -> Mention | None:
    """A name, if it stands in the sentence."""
    if not isinstance(name, str) or not name.strip():
        return None
    at = sentence.find(name)
    if at < 0:
        at = folded(sentence).find(folded(name)) if sentence.isascii() else -1
    if at < 0:
        return None
    text = sentence[at : at + len(name)]
    return Mention(text, start + at, start + at + len(name), lexicon.entity(text))
