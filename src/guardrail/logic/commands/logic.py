"""`guardrail logic`: make and ask a knowledge base, make questions from it, put them to a model."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from guardrail._visible import one_line
from guardrail.cli._errors import Exit, Usage, say
from guardrail.cli._options import API_KEY_ENV, BASE_URL
from guardrail.cli._terminal import Glyphs, console, json_text, patience

KB = Annotated[str, typer.Argument(metavar="KB", help="The knowledge base, a folder, for example world.kb.")]
SUBJECT = Annotated[str, typer.Argument(metavar="SUBJECT", help="By its label or an alias.")]
RELATION = Annotated[
    str,
    typer.Argument(
        metavar="RELATION", help='As in the facts ("place of birth"); "same director" asks of both.'
    ),
]
OBJECT = Annotated[str, typer.Argument(metavar="OBJECT", help="By its label or an alias.")]
AS_JSON = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]

_CODES = {"entailed": Exit.OK, "contradicted": Exit.UNSUPPORTED, "unknown": Exit.UNVERIFIED}
_VERDICTS = {"entailed": "supported", "contradicted": "unsupported", "unknown": "unverified"}


def build(  # noqa: PLR0917  # an option each
    kb: KB,
    files: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[FILES...]",
            help="Facts (.tsv, .jsonl), events (.csv with event, name, begin, end), or a folder of the Drowzee data.",
            show_default=False,
        ),
    ] = None,
    properties: Annotated[
        list[str] | None,
        typer.Option(
            "--wikidata",
            metavar="PROPERTY",
            help='Ask Wikidata for a relation: "capital", or P36. Repeat for several; needs --item or --instances-of.',
        ),
    ] = None,
    item: Annotated[
        list[str] | None,
        typer.Option(metavar="Q…", help="A subject to ask Wikidata for. Repeat for several."),
    ] = None,
    instances_of: Annotated[
        str | None, typer.Option(metavar="Q…", help="A class: its instances are the subjects.")
    ] = None,
    contact: Annotated[
        str, typer.Option(metavar="TEXT", help="How Wikidata's operators can reach you; they ask for it.")
    ] = "",
    endpoint: Annotated[
        str | None, typer.Option(metavar="URL", help="Another SPARQL service than Wikidata's.")
    ] = None,
    language: Annotated[str, typer.Option(metavar="CODE", help="Of Wikidata's labels.")] = "en",
    complete: Annotated[
        list[str] | None,
        typer.Option(
            metavar="RELATION", help="These are all facts of a relation: an absent one is a false one."
        ),
    ] = None,
    source: Annotated[str, typer.Option(metavar="TEXT", help="Where the facts come from, in words.")] = "",
    replace: Annotated[
        bool, typer.Option("--replace", help="Replace the knowledge base that is there.")
    ] = False,
    json: AS_JSON = False,
) -> None:
    """Make a knowledge base from facts.

    A line of .tsv has subject, relation and object; a line of .jsonl the same by name, or an event with begin and
    end, or a label with aliases. What cannot be read is named and left out. An import from Wikidata that was
    interrupted goes on where it stopped: run the same command again.

    Examples:
      guardrail logic build world.kb facts.tsv events.csv
      guardrail logic build capitals.kb --wikidata capital --wikidata continent --instances-of Q6256

    Exit codes:
      0    made
      2    bad usage or input
      130  interrupted; pages from Wikidata are kept
    """
    from guardrail.logic.commands._logic import gathered, wikidata
    from guardrail.logic.knowledge import build as write

    target = Path(kb).expanduser()
    if not files and not properties:
        raise Usage("expected facts, got none: name FILES, or relations with --wikidata")
    if properties and bool(item) == bool(instances_of):
        raise Usage(
            "--wikidata needs either --item Q… (one or more) or --instances-of Q…: whose facts are wanted?"
        )
    if (item or instances_of) and not properties:
        raise Usage("--item and --instances-of say whom Wikidata is asked about: add --wikidata PROPERTY")
    if target.exists() and not replace:
        raise Usage(f"there is something at {kb!r} already: add --replace, or choose another name")
    found = gathered(files or [])
    state = target.with_name(target.name + ".wikidata.jsonl")
    if properties:
        subjects = {"items": item or (), "instances_of": instances_of or "", "language": language}
        wikidata(found, state, properties, endpoint=endpoint, contact=contact, **subjects)
    if not found.facts and not found.events:
        raise Usage("expected facts or events, got none: nothing could be read, so nothing was made")
    named = source or ", ".join([*(files or []), *(["Wikidata"] if properties else [])])
    with patience(f"writing {len(found.facts):,} facts"):
        manifest = write(
            target,
            found.facts,
            events=found.events,
            entities=found.entities,
            complete=complete or (),
            source=named,
            replace_existing=replace,
        )
    state.unlink(missing_ok=True)
    if json:
        content = {
            "path": str(target),
            "facts": manifest.facts,
            "entities": manifest.entities,
            "events": manifest.events,
            "relations": dict(manifest.relations),
            "left_out": len(found.problems),
            "fingerprint": manifest.fingerprint,
        }
        typer.echo(json_text(content), nl=False)
        return
    parts = [
        f"{manifest.facts:,} facts",
        f"{manifest.entities:,} entities",
        f"{manifest.events:,} dated events",
    ]
    if found.problems:
        parts.append(f"{len(found.problems):,} lines left out")
    typer.echo(f"{one_line(kb)}: {', '.join(parts)}, {len(manifest.relations)} relations")
    for name, breaches in manifest.withdrawn.items():
        lost = ", ".join(prop for prop, _, _ in breaches)
        say(f"note: the facts break that {name!r} is {lost}, so nothing is concluded from that")


def ask(kb: KB, subject: SUBJECT, relation: RELATION, object: OBJECT, json: AS_JSON = False) -> None:  # noqa: A002
    """Ask whether a relation holds between two.

    Examples:
      guardrail logic ask world.kb "Paris" "country" "France"
      guardrail logic ask world.kb "Jaws" "same director" "Duel"

    Exit codes:
      0    entailed
      1    contradicted
      2    bad usage, or a knowledge base that cannot be used
      3    unknown: the facts do not say
    """
    _tell(kb, (subject, relation, object), json=json, steps=False)


def prove(kb: KB, subject: SUBJECT, relation: RELATION, object: OBJECT, json: AS_JSON = False) -> None:  # noqa: A002
    """Prove or refute that a relation holds, step by step down to the facts.

    Examples:
      guardrail logic prove world.kb "Louvre" "located in the administrative territorial entity" "France"

    Exit codes:
      0    proved
      1    refuted
      2    bad usage, or a knowledge base that cannot be used
      3    unknown: neither
    """
    _tell(kb, (subject, relation, object), json=json, steps=True)


def _tell(kb: str, names: tuple[str, str, str], *, json: bool, steps: bool) -> None:
    from guardrail.logic.commands._logic import asked, opened, proof_json, tree
    from guardrail.logic.knowledge.facts import Triple, triple_json

    with opened(kb) as base:
        judgement, notes = asked(base, Triple(*names))
        if json:
            proof = judgement.proof
            content: dict[str, Any] = {
                "triple": triple_json(judgement.triple),
                "state": judgement.state,
                "words": judgement.words,
                "facts": [*map(triple_json, judgement.facts)],
                "proof": proof_json(proof) if proof is not None else None,
            }
            typer.echo(json_text(content), nl=False)
        else:
            glyphs = Glyphs(console())
            typer.echo(f"{glyphs.of(_VERDICTS[judgement.state])} {judgement.state}")
            if steps and judgement.proof is not None:
                for line in tree(judgement.proof, base, indent=1):
                    typer.echo(line)
            else:
                typer.echo(f"  {one_line(judgement.words)}")
        for note in notes:
            say(f"note: {note}")
    raise typer.Exit(_CODES[judgement.state])


def generate(
    kb: KB,
    out: Annotated[
        str, typer.Option("--out", "-o", metavar="PATH", help="Where the questions go; - prints them.")
    ] = "-",
    count: Annotated[
        int, typer.Option(metavar="N", min=1, help="Questions per rule, and about years.")
    ] = 200,
    seed: Annotated[int, typer.Option(metavar="N", help="Of the random choices.")] = 0,
    temporal: Annotated[
        bool | None, typer.Option("--temporal/--relations", help="Only about years, or only about relations.")
    ] = None,
) -> None:
    """Make questions with known answers: what the rules derive, and formulas over the dated events.

    One JSON object a line, with the question, the answer and its proof. Every answer is proved twice.

    Examples:
      guardrail logic generate world.kb --out questions.jsonl
      guardrail logic generate world.kb --temporal --count 1000 | head

    Exit codes:
      0    made
      2    bad usage, or too few facts
    """
    import json as library

    from guardrail.logic.commands._logic import opened, questions

    with opened(kb) as base:
        lines, reasons = questions(base, Path(kb).stem, count=count, seed=seed, temporal=temporal)
    for reason in reasons:
        say(f"note: fewer than {count} questions, {reason}")
    if not lines:
        raise Usage(f"no question could be made from {kb!r}: its facts let nothing be derived")
    text = "".join(library.dumps(line, ensure_ascii=False) + "\n" for line in lines)
    if out == "-":
        typer.echo(text, nl=False)
        return
    Path(out).expanduser().write_text(text, encoding="utf-8")
    typer.echo(f"{one_line(out)}: {len(lines):,} questions")


def evaluate(  # noqa: PLR0917  # an option each
    cases: Annotated[str, typer.Argument(metavar="CASES", help="Questions from `guardrail logic generate`.")],
    model: Annotated[str | None, typer.Option(metavar="NAME", help="The chat model to ask.")] = None,
    base_url: BASE_URL = None,
    api_key_env: API_KEY_ENV = None,
    replies: Annotated[
        str | None, typer.Option(metavar="PATH", help="Recorded replies, in place of a model.")
    ] = None,
    cache: Annotated[
        str | None,
        typer.Option(metavar="PATH", help="Keep replies in this file, so that an interrupted run goes on."),
    ] = None,
    out: Annotated[
        str | None,
        typer.Option(
            "--out", "-o", metavar="PATH", help="Write each reply with its verdict, one JSON object a line."
        ),
    ] = None,
    json: AS_JSON = False,
) -> None:
    """Put questions to a model, count the wrong answers, and judge what the replies state.

    The first table counts answers by Yes and No. "I don't know" and refusals count as answers that are not wrong. The share
    of Yes is shown with the rate: a model that always answers the same way has a rate that says little.

    The second table judges whole replies by the facts that prove the answer. Wrong knowledge: the reply states something
    false, or its conclusion is wrong and it states none of the facts. Wrong inference: it states true facts, and its
    conclusion is wrong. Both: it states something false, and its wrong conclusion does not even follow from that.
    Unverified: it concludes neither Yes nor No, or its conclusion is right and it states none of the facts.
    Contradictory: the first word says Yes, and the reasons say No, or the other way round.

    A file of replies has a JSON object on each line, with the id of the question or the question itself:
    {"id": "q7", "reply": "Yes. …"}. The command also reads what --out wrote, and recordings of RecordedChat.

    Examples:
      guardrail logic evaluate questions.jsonl --model gpt-5-mini --cache replies.sqlite
      guardrail logic evaluate questions.jsonl --replies replies.jsonl --json

    Exit codes:
      0    every question had a reply that could be read
      2    bad usage or input
      3    some had none
    """
    from guardrail.cli._guard import live_chat
    from guardrail.logic.commands._evaluate import Results, ask_model, read_cases, replay

    if (model is None) == (replies is None):
        raise Usage("expected either --model NAME or --replies PATH: who is to answer?")
    given = read_cases(cases)
    if replies is not None:
        outcomes = replay(given, replies, cache=cache)
    else:
        outcomes = ask_model(given, live_chat(model, base_url, api_key_env), cache=cache)
    results = Results.of(given, outcomes)
    if out is not None:
        Path(out).expanduser().write_text(results.lines(), encoding="utf-8")
    if json:
        typer.echo(json_text(results.to_json()), nl=False)
    else:
        for line in results.tables():
            typer.echo(line)
    unread = sum(one.outcome in {"failed", "malformed"} for one in outcomes)
    raise typer.Exit(Exit.UNVERIFIED if unread else Exit.OK)
