"""What `guardrail logic` does behind its options: gathering facts, asking, telling proofs, making questions."""

from __future__ import annotations

import difflib
import shlex
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from guardrail._visible import one_line
from guardrail.cli._errors import Usage, say
from guardrail.cli._terminal import patience
from guardrail.errors import InputError

if TYPE_CHECKING:
    from guardrail.logic.knowledge import Judgement, KnowledgeBase, Proof, Triple
    from guardrail.logic.knowledge.sources.reading import ReadFacts

_SHOWN = 5  # problems of an import that are told one by one


@contextmanager
def opened(kb: str) -> Iterator[KnowledgeBase]:
    """A knowledge base, closed afterwards.

    Raises:
        Usage: there is none.
        GuardrailError: it is damaged, or SWI-Prolog is missing.
    """
    from guardrail.logic.knowledge import KnowledgeBase

    path = Path(kb).expanduser()
    if not path.is_dir():
        raise Usage(
            f"expected a knowledge base at {kb!r}, found none. Make it: guardrail logic build {shlex.quote(kb)} FILE"
        )
    with patience("opening the knowledge base"):
        base = KnowledgeBase.open(path)
    with base:
        yield base


def gathered(files: Sequence[str]) -> ReadFacts:
    """All facts of some files and folders; what could not be read is reported."""
    from guardrail.logic.knowledge.sources.files import read_facts
    from guardrail.logic.knowledge.sources.reading import ReadFacts

    found = ReadFacts()
    for file in files:
        path = Path(file).expanduser()
        if not path.exists():
            raise InputError(f"expected facts to read at {file!r}, found nothing: check the path")
        with patience(f"reading {file}"):
            _joined(found, read_facts(path))
    return found


def _joined(found: ReadFacts, more: ReadFacts) -> None:
    found.facts += more.facts
    found.events += more.events
    found.entities += more.entities
    found.problems += more.problems
    for problem in more.problems[:_SHOWN]:
        say(f"note: left out: {problem}")
    if len(more.problems) > _SHOWN:
        say(f"note: left out: {len(more.problems) - _SHOWN:,} more such lines")


def wikidata(
    found: ReadFacts,
    state: Path,
    properties: Sequence[str],
    *,
    endpoint: str | None,
    contact: str,
    **subjects: Any,
) -> None:
    """Add facts of Wikidata; what has arrived is kept in `state`, so that an interrupted import goes on.

    Args:
        found: where they are added.
        state: the file.
        properties: by id or name.
        endpoint: of another service.
        contact: of whoever asks.
        **subjects: whose facts, as `Wikidata` takes it.
    """
    from guardrail.logic.knowledge import reviewed
    from guardrail.logic.knowledge.sources.sparql import WIKIDATA, Sparql
    from guardrail.logic.knowledge.sources.wikidata import Wikidata

    known = [_property(one, reviewed()) for one in properties]
    with Sparql(endpoint or WIKIDATA, contact=contact) as service, patience("asking Wikidata"):
        _joined(found, Wikidata(service, known, **subjects).load(state))


def _property(name: str, table: Any) -> str:
    """The id of a property, by id or by the name of a reviewed relation."""
    relation = table.get(name)
    if relation is not None and relation.wikidata:
        return str(relation.wikidata)
    if name[:1] in "Pp" and name[1:].isdecimal():
        return name.upper()
    known = [one.name for one in table.values() if one.wikidata]
    near = difflib.get_close_matches(name, known, n=1)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    raise Usage(f"--wikidata: expected an id like P17 or the name of a relation, got {name!r}.{hint}")


# --- asking --------------------------------------------------------------------------------------------------


def asked(base: KnowledgeBase, triple: Triple) -> tuple[Judgement, list[str]]:
    """The judgement, and notes on names that are not known.

    Raises:
        Usage: the knowledge base has no such relation.
    """
    relations = base.relations
    if triple.relation not in relations and relations.joint(triple.relation) is None:
        near = difflib.get_close_matches(triple.relation, list(relations), n=1, cutoff=0.5)
        used = ", ".join(sorted(base.manifest.relations)[:8])
        hint = f" Did you mean {near[0]!r}?" if near else ""
        raise Usage(f"the knowledge base has no relation {triple.relation!r}.{hint} Among its facts: {used}.")
    judgement = base.ask(triple)
    return judgement, [] if judgement.state != "unknown" else list(_notes(base, triple))


def _notes(base: KnowledgeBase, triple: Triple) -> Iterator[str]:
    """What is near a name that is not known."""
    from guardrail.logic.linking import Linker

    linker = Linker(base.entities(), base.aliases())
    for name in (triple.subject, triple.object):
        link = linker.find(name)
        if link.entity is not None and link.entity != base.canonical(name):
            yield f"{name!r} is not known by that name. Did you mean {link.entity!r}?"
        elif link.how == "ambiguous":
            yield f"{name!r} {link.reason}: name one of them"


def tree(proof: Proof, base: KnowledgeBase, indent: int = 0) -> Iterator[str]:
    """A proof, a line for each step, what it rests on further in."""
    said = one_line(proof.conclusion(base.relations))
    yield f"{'  ' * indent}{said}  [{proof.rule}]"
    for premise in proof.premises:
        yield from tree(premise, base, indent + 1)


def proof_json(proof: Proof) -> dict[str, Any]:
    """A proof as JSON objects."""
    from guardrail.logic.knowledge.facts import triple_json

    return {
        "rule": proof.rule,
        "holds": proof.holds,
        "triple": triple_json(proof.triple),
        "premises": [proof_json(premise) for premise in proof.premises],
    }


# --- questions -----------------------------------------------------------------------------------------------


def questions(
    base: KnowledgeBase, name: str, *, count: int, seed: int, temporal: bool | None
) -> tuple[list[dict[str, Any]], list[str]]:
    """Questions as JSON objects, and why some rules gave fewer than `count`.

    Args:
        base: the facts and events.
        name: of the knowledge base, for the ids.
        count: questions per rule, and about years.
        seed: of the random choices.
        temporal: only about years, or only about relations; `None` for both.
    """
    from guardrail.logic.paper.questions.cases import generate as from_facts
    from guardrail.logic.paper.temporal.generation import generate as from_events

    lines: list[dict[str, Any]] = []
    reasons: list[str] = []
    if temporal is not True and base.manifest.facts:
        with patience("making questions about relations"):
            made = from_facts({name: base.facts()}, relations=base.relations, count=count, seed=seed)
        lines += [case.to_json() for case in made.cases]
        reasons += [
            f"{rule}: {cell.cases} ({cell.reason})" for (_, rule), cell in made.cells.items() if cell.reason
        ]
    if temporal is True or (temporal is None and base.manifest.events > 1):
        with patience("making questions about years"):
            cases = from_events(base.events(), count=count, seed=seed)
        lines += [
            {"id": f"{name}-temporal-{number}", **case.to_json()}
            for number, case in enumerate(cases, start=1)
        ]
    known = {label: entity.aliases for label, entity in base.entities().items() if entity.aliases}
    for line in lines:
        line["aliases"] = _aliases(line, known, base)
    return lines, reasons


def _aliases(case: dict[str, Any], known: Mapping[str, Sequence[str]], base: KnowledgeBase) -> dict[str, str]:
    """Aliases of the entities and events in a case, without those that another entity has too."""
    facts: list[list[str]] = case.get("facts", [])
    named = [
        *(end for fact in facts for end in (fact[0], fact[2])),
        *(span[0] for span in case.get("spans", [])),
    ]
    return {
        alias: label
        for label in dict.fromkeys(named)
        for alias in known.get(label, ())
        if base.canonical(alias) == label
    }
