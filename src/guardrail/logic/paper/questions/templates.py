"""How a triple is asked: by the kind and tense of its relation, said as it is, denied, by a synonym or an antonym.

A wording has a sign: whether it asks for the triple or for its opposite. Only exact opposites are used: "were directed
by different people" is not the denial of "were directed by the same person" where a film has two directors.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from guardrail.logic.knowledge.facts import Triple
from guardrail.logic.knowledge.phrases import Phrase
from guardrail.logic.knowledge.relations import Relation, Relations

# What a noun-phrase relation calls its object, with an article; where the relation's own name will not do.
_NOUNS = {
    "cast member": "a cast member", "genre": "a genre", "derivative work": "a derivative work",
    "director": "a director", "screenwriter": "a screenwriter", "author": "an author", "composer": "a composer",
    "performer": "a performer", "publisher": "a publisher", "heritage designation": "a heritage designation",
    "official language": "an official language", "student": "a student", "award received": "an award",
    "occupation": "an occupation",
    "child": "a child", "parent": "a parent", "participant": "a participant", "platform": "a platform",
    "operating system": "an operating system", "developer": "a developer", "manufacturer": "a manufacturer",
    "symptoms and signs": "a symptom or sign", "health specialty": "a health specialty",
    "medical examination": "an examination", "drug or therapy used for treatment": "a drug or therapy",
    "discoverer or inventor": "a discoverer or inventor", "minor planet group": "a minor planet group",
    "asteroid spectral type": "a spectral type", "founded by": "a founder", "distributed by": "a distributor",
    "designed by": "a designer", "currency": "a currency", "religion or worldview": "a religion or worldview",
}  # fmt: skip
# Of these "A has B as …" says the same in good English; "can have" is weaker than "has".
_HELD = frozenset(_NOUNS) - {
    "award received",
    "drug or therapy used for treatment",
    "medical examination",
    "religion or worldview",
    "symptoms and signs",
}

# What is put around a sentence, and whether that asks for it or for its opposite.
_FRAMES = (
    ("Is it true that {}?", True),
    ("Is it correct to say that {}?", True),
    ("Does this statement hold: {}?", True),
    ("Is it false that {}?", False),
    ("Is it wrong to say that {}?", False),
)


@dataclass(frozen=True, slots=True)
class Wording:
    """One way to ask of a triple.

    Attributes:
        question: in English.
        affirms: whether Yes means that the triple holds; else, that it does not.
        mutation: what was done to the plain sentence: "none", "synonym", "antonym", "negation", or two joined by "+".
    """

    question: str
    affirms: bool
    mutation: str = "none"


def wordings(triple: Triple, relations: Relations, *, double: bool = False) -> Iterator[Wording]:
    """All ways to ask of a triple, in a fixed order, each once.

    Args:
        triple: subject, relation and object; a joint relation ("same director") asks of both.
        relations: the table.
        double: whether a denial may be put into a frame that denies ("Is it wrong to say that A is not B?").

    Example:
        >>> from guardrail.logic.knowledge.relations import reviewed
        >>> asked = Triple("Vertigo", "director", "Alfred Hitchcock")
        >>> for one in list(wordings(asked, reviewed()))[:3]:
        ...     print(one.question, one.affirms)
        Was Vertigo directed by Alfred Hitchcock? True
        Is it true that Vertigo was directed by Alfred Hitchcock? True
        Is it correct to say that Vertigo was directed by Alfred Hitchcock? True
    """
    subject, object_ = triple.subject, triple.object
    if relations.joint(triple.relation) is not None:
        subject, object_ = f"{subject} and {object_}", ""
    for phrase, sign, kind in _phrases(triple.relation, relations):
        if sign:
            yield Wording(phrase.question(subject, object_), affirms=True, mutation=kind)
        said = phrase.statement(subject, object_)
        for frame, true in _FRAMES:
            mutation = kind if true else _joined(kind, "antonym")
            if sign or true or double:
                yield Wording(frame.format(said), affirms=sign == true, mutation=mutation)
        if not sign:
            continue
        denied = phrase.denial(subject, object_)
        for frame, true in _FRAMES:
            if true or double:
                mutation = _joined(kind, "negation" if true else "negation+antonym")
                yield Wording(frame.format(denied), affirms=not true, mutation=mutation)


def _joined(*kinds: str) -> str:
    return "+".join(kind for kind in kinds if kind != "none")


def _phrases(name: str, relations: Relations) -> Iterator[tuple[Phrase, bool, str]]:
    """Each phrase, whether it says the relation or its opposite, and how it was made."""
    joint = relations.joint(name)
    if joint is not None:
        yield from _joint_phrases(joint)
        return
    relation = relations.of(name)
    yield relation.phrase, True, "none"
    if name in _HELD:
        yield Phrase(f"has {{o}} as {_NOUNS[name]}"), True, "synonym"


def _joint_phrases(relation: Relation) -> Iterator[tuple[Phrase, bool, str]]:
    yield relation.same_phrase, True, "none"
    noun = _NOUNS.get(relation.name)
    if noun is None:
        return
    bare = noun.partition(" ")[2]
    for says, sign in (
        (f"have at least one {bare} in common {{o}}", True),
        (f"share {noun} {{o}}", True),
        (f"have no {bare} in common {{o}}", False),
    ):
        if says.removesuffix(" {o}") != relation.same:
            yield Phrase(says, plural=True), sign, "synonym" if sign else "antonym"
