"""`guardrail evaluate`: detectors over files of recorded answers."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from guardrail.cli._errors import Interrupted, Usage, say
from guardrail.cli._options import API_KEY_ENV, BACKEND, BASE_URL, MODEL, QUIET

if TYPE_CHECKING:
    from guardrail.cli._guard import Choice
    from guardrail.evaluation.folder import Folder
    from guardrail.evaluation.inputs import Mapped
    from guardrail.evaluation.library import Evaluation
    from guardrail.evaluation.rows import InputFile, RunInfo
    from guardrail.evaluation.running import Outcome
    from guardrail.guard import Guard


def evaluate(  # noqa: PLR0917  # an option each
    answers: Annotated[
        list[str],
        typer.Argument(
            metavar="ANSWERS...",
            help="Files of answers: .jsonl, .csv, .tsv or .parquet, or a folder that save_to_disk wrote (Hugging Face datasets); a row is "
            "an answer.",
        ),
    ],
    detector: Annotated[
        list[str],
        typer.Option(
            metavar="NAME[:OPTION=VALUE,...]",
            help="Run this detector with these options; `guardrail doctor` lists detectors. Repeat for several.",
        ),
    ],
    out: Annotated[
        str,
        typer.Option(metavar="DIR", help="Folder of the run. The same command again goes on where it ended."),
    ],
    columns: Annotated[
        str | None,
        typer.Option(
            "--map",
            metavar="FIELD=COLUMN,...",
            help="Which column each field is read from, as answer=response,label=hallucinated. Fields: answer, prompt, context, "
            "samples, logprobs, label, sentences, source. A label is true for made up; 'label=!faithful' turns it round.",
        ),
    ] = None,
    labels: Annotated[
        str | None,
        typer.Option(
            metavar="LABEL=MEANING,...",
            help="What your labels mean, as 'good=sound,bad=made-up,skipped=none'; of numbers '>=0.5=made-up'.",
        ),
    ] = None,
    group: Annotated[
        list[str] | None,
        typer.Option(metavar="COLUMN", help="Keep this column with the results. Repeat for several."),
    ] = None,
    model: MODEL = None,
    base_url: BASE_URL = None,
    api_key_env: API_KEY_ENV = None,
    backend: BACKEND = None,
    replies: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Recorded replies in place of a chat model; see RecordedChat."),
    ] = None,
    config: Annotated[
        str | None,
        typer.Option(
            metavar="FILE", help="A guardrail.toml with the models; --detector replaces its detectors."
        ),
    ] = None,
    answering_model: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Which model wrote the answers; kept with the results."),
    ] = None,
    budget: Annotated[
        str | None,
        typer.Option(
            metavar="CALLS[,TOKENS]",
            help="Stop before an answer that may need more than is left. Counts the whole run, with what earlier commands spent.",
        ),
    ] = None,
    parallel: Annotated[
        int | None,
        typer.Option(min=1, help="Answers in flight at once. Default: 32 where a model is asked, else 1."),
    ] = None,
    part_rows: Annotated[
        int | None,
        typer.Option(min=1, help="Answers in one part file. Default: 200 where a model is asked, else 2000."),
    ] = None,
    shards: Annotated[int, typer.Option(min=1, help="Share the run between so many commands.")] = 1,
    shard: Annotated[int, typer.Option(min=0, help="Which of them this is, from 0.")] = 0,
    engine: Annotated[
        Literal["local", "ray"],
        typer.Option(
            help="Where shards run: in this process, or as tasks of Ray, one a processor or --shards of them."
        ),
    ] = "local",
    merge: Annotated[
        list[str] | None,
        typer.Option(
            metavar="DIR", help="Take over what a shard has done in a folder of its own. Repeat for several."
        ),
    ] = None,
    compare: Annotated[
        str | None,
        typer.Option(metavar="DIR", help="The folder of another run over the same answers, to compare with."),
    ] = None,
    quiet: QUIET = False,
) -> None:
    """Run detectors over files of recorded answers; with labels, measure how good their scores are.

    A row has an answer and, where there are, a prompt, context documents, samples, log-probabilities, a label, and the
    source that it is about; what is given is not generated again. The folder gets a row for each finding
    (results.parquet, or results.jsonl without pyarrow), the figures (summary.json) and a page to read (report.html).

    Examples:
      guardrail evaluate answers.jsonl --detector selfcheck-ngram --out run
      guardrail evaluate qa.csv --map answer=response,label=hallucinated --detector selfcheck-nli --out run
      guardrail evaluate answers.jsonl --detector selfcheck-prompt --model gpt-5-mini --budget 5000 --out run
      guardrail evaluate answers.jsonl --detector selfcheck-ngram:n=2 --out bigrams --compare run
      guardrail evaluate answers.parquet --detector selfcheck-nli --engine ray --out run

    Exit codes:
      0    all answers are examined
      2    bad usage or input
      3    some answers are left, because the budget is used up
      130  interrupted; what was done is kept, and the same command goes on
    """
    from guardrail.cli._guard import Choice, build
    from guardrail.cli.methods import defaults

    if shard >= shards:
        raise Usage(f"--shard {shard}: expected a number below --shards {shards}, counted from 0")
    if twice := [
        name for name, count in Counter(one.partition(":")[0] for one in detector).items() if count > 1
    ]:
        raise Usage(
            f"--detector {twice[0]} is given more than once, and a run has each detector once: give the other settings an --out of their "
            "own, and compare the two runs with --compare DIR"
        )
    if engine == "ray" and budget is not None and shards == 1:
        raise Usage(
            "--budget bounds each shard: say with --shards how many there are, and give the budget of one"
        )
    paths = [Path(one).expanduser() for one in answers]
    choice = Choice(
        model=model,
        base_url=base_url,
        api_key_env=api_key_env,
        config=config,
        detectors=detector,
        backends=backend or (),
        replies=replies,
        more=defaults(),
    )
    asked = {
        "--out": str(Path(out).expanduser().absolute()),
        "--map": columns,
        "--group": group,
        "--labels": labels,
        "--answering-model": answering_model,
        "--budget": budget,
        "--parallel": parallel,
    }
    from guardrail.evaluation.folder import Folder

    with build(choice) as built:
        folder = Folder(out, shard=shard, shards=shards)
        try:
            info = _begun(
                folder,
                built.guard,
                paths,
                columns=columns,
                groups=tuple(group or ()),
                labels=labels or "",
                answering_model=answering_model or "",
                part_rows=part_rows,
                quiet=quiet,
            )
            for other in merge or ():
                folder.take(Folder(other), info)
            stopped = ""
            if engine == "ray":
                from guardrail.cli._ray import shared_out

                shared_out(_words(paths, choice, asked), shards if shards > 1 else None)
            else:
                stopped = _examined(
                    folder, info, built.guard, paths, budget=budget, parallel=parallel, quiet=quiet
                ).stopped
            if shards > 1 and engine == "local" and not folder.is_whole(info):
                _shard_ended(folder, info, stopped)
                return
            found = _written(folder, info, stopped, compare)
        finally:
            folder.close()
    if not quiet:
        from guardrail.cli._evaluated import show

        show(found, Path(out))
    left = info.answers - found.summary["answers"]
    if left:
        say(f"{left:,} answers are left: {found.summary['stopped']}")
        raise typer.Exit(3)


def _words(paths: list[Path], choice: Choice, more: dict[str, Any]) -> list[str]:
    """The command that another process runs for its share; paths are whole, for it may be in another folder."""
    options = {
        "--model": choice.model,
        "--base-url": choice.base_url,
        "--api-key-env": choice.api_key_env,
        "--replies": choice.replies and str(Path(choice.replies).expanduser().absolute()),
        "--config": choice.config and str(Path(choice.config).expanduser().absolute()),
        "--detector": list(choice.detectors),
        "--backend": list(choice.backends),
        **more,
    }
    found = ["evaluate", *(str(path.absolute()) for path in paths), "--quiet"]
    for name, value in options.items():
        for one in value if isinstance(value, list) else [value]:
            found += [name, str(one)] if one is not None else []
    return found


def _begun(
    folder: Folder,
    guard: Guard,
    paths: list[Path],
    *,
    columns: str | None,
    part_rows: int | None,
    quiet: bool,
    **more: Any,
) -> RunInfo:
    """The run, after every row was read once; a file that the folder knows by its digest is not read again."""
    from datetime import UTC, datetime

    from guardrail.evaluation.inputs import Mapped
    from guardrail.evaluation.library import info_of
    from guardrail.evaluation.rows import has_pyarrow
    from guardrail.evaluation.running import is_instant

    mapping = _mapping(columns)
    known = folder.begun()
    mapped = Mapped(mapping, more["groups"], more["labels"])
    files = tuple(_surveyed(path, mapped, known, quiet=quiet) for path in paths)
    if repeated := [one.name for i, one in enumerate(files) if one.digest in {f.digest for f in files[:i]}]:
        raise Usage(f"{repeated[0]!r} has the same content as another of the files: name each once")
    return folder.begin(
        info_of(
            guard,
            files=files,
            mapping=mapping,
            part_rows=part_rows or (known.part_rows if known else 2000 if is_instant(guard) else 200),
            rows_format="parquet" if has_pyarrow() else "jsonl",
            made=datetime.now(UTC).isoformat(timespec="seconds"),
            **more,
        )
    )


def _surveyed(path: Path, mapped: Mapped, known: RunInfo | None, *, quiet: bool) -> InputFile:
    """What a file is; said in a line where it is read for the first time."""
    from guardrail.cli._evaluated import reading
    from guardrail.cli._terminal import patience
    from guardrail.evaluation.files import digest
    from guardrail.evaluation.inputs import survey

    with patience("reading the answers"):
        made = digest(path)
        same = known is not None and (dict(known.mapping), known.groups, known.labels) == (
            mapped.columns,
            mapped.groups,
            mapped.labels,
        )
        seen = [one for one in known.files if one.digest == made] if known is not None and same else []
        if seen:
            return seen[0]
        found = survey(path, mapped, made)
    for line in reading(found, mapped) if not quiet else ():
        say(line)
    return found.file


def _mapping(columns: str | None) -> dict[str, str]:
    found = {}
    for part in columns.split(",") if columns else ():
        field, equals, column = part.partition("=")
        if not equals or not column.strip():
            raise Usage(f"--map: expected FIELD=COLUMN,FIELD=COLUMN, got {part!r}")
        found[field.strip()] = column.strip()
    return found


def _examined(
    folder: Folder,
    info: RunInfo,
    guard: Guard,
    paths: list[Path],
    *,
    budget: str | None,
    parallel: int | None,
    quiet: bool,
) -> Outcome:
    """Examine what is missing, and say how far it is."""
    from guardrail.cli._guard import budget_of
    from guardrail.cli._terminal import patience
    from guardrail.evaluation.running import run

    most = budget_of(budget) if budget is not None else None
    missing = sum(len(part.rows) for part in folder.missing(info))
    try:
        with patience("answers", missing, rate=True, lines=not quiet) as progress:
            return run(folder, info, guard, paths, budget=most, parallel=parallel, progress=progress)
    except KeyboardInterrupt as error:
        if folder.shards == 1:
            _written(folder, info, "it was interrupted", None)
        share = sum(len(part.rows) for part in folder.share(info))
        done = f"{share - folder.left(info):,} of {share:,} answers are done; the same command goes on"
        raise Interrupted(done) from error


def _shard_ended(folder: Folder, info: RunInfo, stopped: str) -> None:
    """What is said of one of several shards: whoever is last puts the results together, so that not each of them does."""
    if left := folder.left(info):
        say(f"{left:,} answers of this shard are left: {stopped}")
        raise typer.Exit(3)
    say(
        f"shard {folder.shard} of {folder.shards} is done, others are not. The last one in this folder writes the results; "
        "so does the same command without --shard and --shards, with --merge for other folders"
    )


def _written(folder: Folder, info: RunInfo, stopped: str, compare: str | None) -> Evaluation:
    """The files for people, of what is there."""
    from guardrail.evaluation.library import Evaluation, made

    path, count = folder.results(info)
    why = stopped or "other shards are not done" if count < info.answers else ""
    found = made(info, path, complete=count == info.answers, stopped=why)
    found.write(folder.path, against=Evaluation.read(compare) if compare is not None else None)
    return found
