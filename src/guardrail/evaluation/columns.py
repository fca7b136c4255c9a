"""Names of columns: which field each is probably meant for, to say so when a name is not ours."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Mapping

FIELDS = ("answer", "prompt", "context", "samples", "logprobs", "label", "sentences", "source")
"""What a row may have, by the name of its default column."""

_USUAL: dict[str, tuple[str, ...]] = {
    "answer": (
        *("response", "model_output", "model_answer", "model_response", "llm_answer", "llm_response", "output"),
        *("completion", "generation", "generated_text", "prediction", "reply", "summary", "hypothesis", "claim", "text"),
    ),
    "prompt": ("question", "query", "instruction", "user_input", "user_message", "messages", "input"),
    "context": (
        *("contexts", "retrieved_contexts", "document", "documents", "docs", "passage", "passages", "evidence", "article"),
        *("knowledge", "premise", "source_document", "source_text"),
    ),
    "samples": ("sampled_responses", "sampled_answers", "generations", "gpt3_text_samples", "other_answers"),
    "logprobs": ("log_probs", "token_logprobs", "logprob"),
    "label": (
        *("hallucinated", "is_hallucinated", "hallucination", "is_hallucination", "has_hallucination", "made_up", "labels"),
        *("!supported", "!is_supported", "!faithful", "!is_faithful", "!grounded", "!factual", "!is_factual"),
        *("!consistent", "!correct", "!is_correct", "!accurate", "annotation"),
    ),
    "sentences": ("gpt3_sentences", "claims"),
    "source": ("source_id", "url", "document_id", "doc_id", "article_id", "question_id", "qid", "title"),
}  # fmt: skip


def suggested(columns: Iterable[str], known: Mapping[str, str] | None = None) -> dict[str, str]:
    """Columns that look like fields which are read from no column yet; only names are looked at.

    Args:
        columns: of a file.
        known: columns that the user named, by field.

    Returns:
        by field, in the order of `FIELDS`.

    Example:
        >>> suggested(["model_output", "docs", "is_supported", "url", "seed"])
        {'answer': 'model_output', 'context': 'docs', 'label': '!is_supported', 'source': 'url'}
    """
    there = {_bare(name): name for name in map(str, columns)}
    taken = {name.removeprefix("!") for name in (known or {}).values()}
    found = {}
    for field in FIELDS:
        if field in there.values() or field in (known or {}):
            continue
        for usual in _USUAL[field]:
            column = there.get(usual.removeprefix("!"))
            if column is not None and column not in taken:
                found[field] = "!" * usual.startswith("!") + column
                taken.add(column)
                break
    return found


def as_option(columns: Mapping[str, str]) -> str:
    """A mapping as it is written on the command line, quoted for a shell where that is needed.

    >>> as_option({"answer": "response", "label": "!faithful"})
    "--map 'answer=response,label=!faithful'"
    """
    return "--map " + shlex.quote(",".join(f"{field}={column}" for field, column in columns.items()))


def _bare(name: str) -> str:
    """A name in small letters with underscores: "Model Output" and "modelOutput" are model_output."""
    parted = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name)
    return re.sub(r"[\W_]+", "_", parted).strip("_").lower()
