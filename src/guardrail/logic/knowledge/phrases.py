"""English sentences from what a relation says of its subject: statement, denial, question."""

from __future__ import annotations

from dataclasses import dataclass

from guardrail.errors import ConfigError

# Auxiliaries are denied and asked as they are; other verbs need "do", and then their plain form.
_AUXILIARIES = frozenset({"is", "was", "are", "were", "can"})
_VERBS = {
    "belongs": "belong", "comes": "come", "created": "create", "composed": "compose", "contains": "contain", "died": "die",
    "directed": "direct", "designed": "design", "developed": "develop",
    "follows": "follow", "founded": "found", "gave": "give", "has": "have",
    "includes": "include", "influenced": "influence", "killed": "kill", "owns": "own", "performed": "perform",
    "proved": "prove", "published": "publish", "received": "receive", "replaces": "replace", "runs": "run",
    "shares": "share", "took": "take", "works": "work", "wrote": "write",
}  # fmt: skip
_PERFECT = frozenset({"been", "had", "owned", "worked"})  # behind "has": that is an auxiliary then


@dataclass(frozen=True, slots=True)
class Phrase:
    """What a relation says of its subject.

    Attributes:
        says: begins with the verb; `{o}` stands for the object, which comes last if it is not named.
        plural: whether the verb is in the plural ("have", not "has").

    Raises:
        ConfigError: the verb is not one of those known here.

    Example:
        >>> Phrase("shares a border with").denial("France", "Peru")
        'France does not share a border with Peru'
        >>> Phrase("was founded by").question("Texaco", "Joseph S. Cullinan")
        'Was Texaco founded by Joseph S. Cullinan?'
    """

    says: str
    plural: bool = False

    def __post_init__(self) -> None:
        verb, _, rest = self.says.partition(" ")
        if not rest and verb not in _VERBS:
            raise ConfigError(f"expected a verb and what follows it, got {self.says!r}.")
        if verb not in _AUXILIARIES and verb not in _VERBS and not self.plural:
            known = ", ".join(sorted({*_AUXILIARIES, *_VERBS}))
            raise ConfigError(f"{self.says!r}: expected a phrase that begins with a known verb: {known}.")

    def statement(self, subject: str, object: str = "") -> str:  # noqa: A002  # the term's name
        """That it holds, without a full stop."""
        return f"{subject} {self._filled(self.says, object)}"

    def denial(self, subject: str, object: str = "") -> str:  # noqa: A002
        """That it does not hold."""
        auxiliary, rest = self._split()
        denied = "cannot" if auxiliary == "can" else f"{auxiliary} not"
        return f"{subject} {denied} {self._filled(rest, object)}"

    def question(self, subject: str, object: str = "") -> str:  # noqa: A002
        """Whether it holds."""
        auxiliary, rest = self._split()
        return f"{auxiliary.capitalize()} {subject} {self._filled(rest, object)}?"

    def _split(self) -> tuple[str, str]:
        """The auxiliary, and the rest in the form that it asks for."""
        verb, _, rest = self.says.partition(" ")
        if verb in _AUXILIARIES or (verb in {"has", "have"} and rest.partition(" ")[0] in _PERFECT):
            return verb, rest
        if self.plural:
            return ("did", f"{_VERBS[verb]} {rest}") if verb in _VERBS else ("do", self.says)
        return "does" if verb.endswith("s") else "did", f"{_VERBS[verb]} {rest}".strip()

    @staticmethod
    def _filled(text: str, object_: str) -> str:
        before, named, after = text.partition("{o}")
        return f"{before}{object_}{after}".rstrip() if named else f"{text} {object_}".rstrip()
