"""What `guardrail memory external` and `fit` do behind their options."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from typing import Any

from guardrail._visible import one_line
from guardrail.backends import ComparePackaged, packaged_encoder
from guardrail.cache import Cache
from guardrail.cli._errors import Interrupted, Usage
from guardrail.cli._outputs import write_text
from guardrail.cli._read import named_or_text, read_text, text_or_file
from guardrail.cli._terminal import json_text, patience
from guardrail.engine.drivers import run_sync
from guardrail.engine.flow import Answer, Failed
from guardrail.engine.hub import Hub
from guardrail.engine.run import Run
from guardrail.errors import ConfigError, InputError, ParseError
from guardrail.memory.external import (
    ExternalFit,
    Measured,
    MemoryConsistency,
    chrf,
    learn,
    measure,
    packaged_fit,
)
from guardrail.memory.external.measuring import CHRF, Encoder, chosen
from guardrail.memory.external.survey import Entry, Outcome, share_of, survey
from guardrail.report import Case


@dataclass(frozen=True, slots=True)
class Asked:
    """What the user named."""

    document: str | None
    question: str | None
    context: tuple[str, ...]
    answer: str | None
    corpus: str | None


def asked_for(asked: Asked) -> list[Entry]:
    """The cases.

    Raises:
        Usage: options that do not go together.
        InputError: what was named cannot be read.
    """
    if asked.corpus is not None:
        if asked.document or asked.question or asked.context or asked.answer:
            raise Usage("--corpus has documents, questions and answers: leave the other options out")
        return _read_corpus(asked.corpus)
    if not asked.document and not asked.question:
        raise Usage("expected --document FILE, --question TEXT, or --corpus FILE: what is to be asked?")
    if asked.document and (asked.question or asked.context):
        raise Usage(
            "--document is summarised; for a question about documents: --question TEXT --context FILE..."
        )
    documents = [named_or_text(asked.document, "the document")[0]] if asked.document else []
    documents += [read_text(path, "a context document") for path in asked.context]
    question = text_or_file(asked.question, "the question") if asked.question else ""
    answer = named_or_text(asked.answer, "the answer")[0] if asked.answer else ""
    return [Entry("1", Case.of(answer, prompt=question, context=documents))]


def _read_corpus(path: str) -> list[Entry]:
    found = []
    for number, line in enumerate(read_text(path, "the corpus").split("\n"), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
            context = row.get("context") or row.get("document") or ()
            case = Case.of(row.get("answer") or "", prompt=row.get("question") or "", context=context)
            entry = Entry(str(row.get("id", number)), case, str(row.get("label", "")))
        except (ValueError, TypeError, AttributeError, InputError) as error:
            raise ParseError(
                f"expected a JSON object with document or context, question, answer as texts, got {line[:60]!r}",
                source=path,
                line=number,
            ) from error
        if not case.context and not case.messages:
            raise ParseError(
                "expected a document, a context or a question, got none", source=path, line=number
            )
        found.append(entry)
    if len({entry.id for entry in found}) < len(found):
        raise InputError(f"expected rows of different ids in {path!r}, got one twice")
    return found


def folder_of(out: str | None) -> Path | None:
    """The folder of `--out`, made."""
    if out is None:
        return None
    folder = Path(out).expanduser()
    if folder.exists() and not folder.is_dir():
        raise Usage(f"--out: expected a folder, got the file {out!r}")
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def run(
    entries: Sequence[Entry], detector: MemoryConsistency, chat: Any, folder: Path | None
) -> list[Outcome]:
    """Ask for all of them; replies are kept in the folder.

    Raises:
        InputError: the model could not be asked at all.
        Interrupted: by Ctrl-C; with a folder the same command goes on where this one stopped.
    """
    store = None if folder is None else Cache(folder / "replies.sqlite", samples=True)
    try:
        with patience(f"asking about {len(entries):,} texts"):
            hub = Hub({"chat": chat, **detector.backends()}, store=store)
            found = run_sync(Run(survey(entries, detector)), hub)
    except KeyboardInterrupt as error:
        kept = "replies are kept: the same command goes on" if folder else "nothing was kept: see --out"
        raise Interrupted(kept) from error
    if isinstance(found, Failed):
        if isinstance(found.error, ConfigError):
            raise found.error
        raise InputError(f"the model could not be asked: {found}")
    return found


# --- telling -------------------------------------------------------------------------------------------------


def table(outcomes: Sequence[Outcome]) -> str:
    """What a person reads: a line a case, and P where there are several."""
    lines = []
    for one in outcomes:
        name = f"{one_line(one.entry.id, 24)}: " if len(outcomes) > 1 else ""
        if one.finding is None:
            lines.append(f"{name}unverified: {one_line(one.reason, 160)}")
            continue
        score = "-" if one.finding.score is None else f"{one.finding.score:.3f}"
        lines.append(f"{name}{one.finding.verdict} {score}  {one_line(one.finding.reason, 160)}")
        if len(outcomes) == 1:
            lines.append(f"  answer: {one_line(one.answer, 200)}")
            lines += [f"  again:  {one_line(text, 200)}" for text in one.responses[1:]]
    if len(outcomes) > 1:
        share, unjudged = share_of(outcomes)
        told = "-" if share.value is None else f"{share.value:.3f}"
        ends = "" if share.interval is None else f", 95 % {share.interval[0]:.3f} to {share.interval[1]:.3f}"
        lines.append(f"P (inconsistent): {told}{ends}; {len(outcomes) - unjudged:,} judged, {unjudged:,} not")
    return "\n".join(lines)


def to_json(outcomes: Sequence[Outcome], more: Mapping[str, Any]) -> dict[str, Any]:
    """What a program reads."""
    share, unjudged = share_of(outcomes)
    return {
        **more,
        "probability": share.value,
        "interval": None if share.interval is None else list(share.interval),
        "judged": len(outcomes) - unjudged,
        "unjudged": unjudged,
        "rows": [_row(one) for one in outcomes],
    }


def _row(one: Outcome) -> dict[str, Any]:
    finding = one.finding
    return {
        "id": one.entry.id,
        "label": one.entry.label,
        "answer": one.answer,
        "score": None if finding is None else finding.score,
        "verdict": "unverified" if finding is None else str(finding.verdict),
        "reason": one.reason if finding is None else finding.reason,
        "measurements": {
            e.name: e.value for e in ([] if finding is None else finding.evidence) if e.kind == "measurement"
        },
        "texts": list(one.texts),
        "responses": list(one.responses),
    }


def write_folder(folder: Path, content: Mapping[str, Any], outcomes: Sequence[Outcome]) -> None:
    """The result, and every row with its texts."""
    summary = {name: value for name, value in content.items() if name != "rows"}
    write_text(str(folder / "result.json"), json_text(summary))
    rows = (json.dumps(_row(one), ensure_ascii=False) + "\n" for one in outcomes)
    write_text(str(folder / "results.jsonl"), "".join(rows))


# --- fitting -------------------------------------------------------------------------------------------------


def fitted(
    results: str, *, task: Any, language: Any, encoder: str, false_alarms: float, source: str
) -> ExternalFit:
    """A fit of the rows that are not labelled invented.

    T_cq is that of the packaged fit of the same encoder: the rephrasings at hand have passed one already.

    Raises:
        ParseError: a row cannot be read.
        InputError: too few rows.
    """
    rows = [row for row in _read_results(results) if row.get("label") != "invented" and len(row["texts"]) > 2]
    if not rows:
        raise InputError(f"expected rows with two rephrasings or more in {results!r}, got none")
    by: Encoder = chosen(encoder, rows[0]["texts"][0])  # type: ignore[arg-type]  # checked by the command line
    known = packaged_fit(task, language, by)
    found: list[Measured] = []
    rephrasings: list[float] = []
    with patience(f"comparing the answers of {len(rows):,} rows"):
        for row in rows:
            texts, answers = row["texts"], row["responses"]
            own = _alike([(answers[0], other) for other in answers[1:]], by)
            places = [i for i, value in enumerate(own, 1) if value is not None]
            others = [answers[i] for i in places]
            found.append(
                measure(
                    [texts[0], *(texts[i] for i in places)],
                    [answers[0], *others],
                    _known(own),
                    _known(_alike(list(combinations(others, 2)), by)),
                )
            )
            rephrasings += _known(_alike([(text, texts[0]) for text in texts[1:]], by))
    made = learn(
        found,
        task=task,
        language=language,
        encoder=by,
        compared_by=CHRF if by == "chrf" else packaged_encoder().fingerprint,
        rephrasings=rephrasings,
        false_alarms=false_alarms,
        form="plain" if task == "summary" else "relative",
        relevance=task == "summary",
        provenance={"corpus": source, "command": "guardrail memory fit"},
    )
    return made if known is None else replace(made, same_meaning=known.same_meaning)


def _known(values: Sequence[float | None]) -> list[float]:
    return [value for value in values if value is not None]


def _alike(pairs: Sequence[tuple[str, str]], encoder: Encoder) -> list[float | None]:
    """How alike each two are; `None` where one has no words, which is not the same as unlike."""
    if encoder == "chrf":
        return [chrf(*pair) for pair in pairs]
    replies = packaged_encoder().answer([ComparePackaged(*pair) for pair in pairs])
    if lost := next((reply for reply in replies if not isinstance(reply, Answer)), None):
        raise InputError(f"expected texts that the encoder can compare, got: {lost}")
    return [reply.value.f1 for reply in replies if isinstance(reply, Answer)]


def _read_results(path: str) -> list[dict[str, Any]]:
    found = []
    for number, line in enumerate(read_text(path, "the results").split("\n"), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
            texts, responses = row["texts"], row["responses"]
            right = len(texts) == len(responses) and all(isinstance(t, str) for t in (*texts, *responses))
        except (ValueError, KeyError, TypeError) as error:
            raise ParseError(
                f"expected a row with texts and responses, got {line[:60]!r}", source=path, line=number
            ) from error
        if not right:
            raise ParseError("expected as many texts as responses", source=path, line=number)
        found.append(row)
    return found
