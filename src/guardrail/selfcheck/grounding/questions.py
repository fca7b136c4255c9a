"""Short answers with their questions: "Is it open?" as a statement, and whether a document says plainly what was asked. Pure functions."""

from __future__ import annotations

import re
from collections.abc import Iterable

from guardrail.selfcheck.grounding.novelty import plain_words

_AUXILIARY = re.compile(
    "is|are|was|were|am|do|does|did|can|could|may|might|must|should|shall|will|would|has|have|had"
)
_DROPPED = frozenset({"do", "does", "did"})
_PRONOUNS = frozenset({"i", "you", "he", "she", "it", "we", "they", "there"})
_CLAUSE = re.compile(r"[;,:.!?](?:\s|$)|\b(?:and|but|while|whereas|or)\b")
_STEM, _CONTENT = 5, 4  # characters of a stem, and the fewest of a word that says something


def assents(answer: str) -> bool | None:
    """Whether an English answer begins with "yes" (true) or "no" (false); `None` of any other."""
    return {"yes": True, "no": False}.get(next(iter(plain_words(answer)), ""))


def statement(question: str) -> str:
    """What "yes" to an English question says, for a model that reads statements; "" of a question that is answered otherwise.

    The verb is left out where its subject is more than a pronoun: a parser would be needed, and models do without.

    Example:
        >>> statement("Is breakfast included?"), statement("Can I bring a dog?"), statement("When does it open?")
        ('breakfast included.', 'I can bring a dog.', '')
    """
    words = question.strip().rstrip("?").split()
    verb = words[0].casefold() if len(words) > 2 else ""
    if not _AUXILIARY.fullmatch(verb) or any(mark in question.rstrip("?") for mark in ".?!\n"):
        return ""
    if verb not in _DROPPED and words[1].casefold() in _PRONOUNS:
        return " ".join([words[1], verb, *words[2:]]) + "."
    return " ".join(words[1:]) + "."


def is_plain(question: str, answer: str, sentences: Iterable[str]) -> bool:
    """Whether a clause of a document has all words of an answer and all that was asked for by an English question.

    Example:
        >>> said = ["It was opened in 1904 and closed in 1971."]
        >>> [is_plain("When was it opened?", year, said) for year in ("1904", "1971")]
        [True, False]
    """
    words = plain_words(question)
    verb = next((i for i, word in enumerate(words) if _AUXILIARY.fullmatch(word)), -1)
    asked = {word[:_STEM] for word in words[verb + 1 :] if len(word) >= _CONTENT}
    wanted = set(plain_words(answer)) - {"in", "on", "at", "by", "the", "a", "an"}
    if verb < 0 or not asked or not wanted:
        return False
    clauses = (plain_words(part) for sentence in sentences for part in _CLAUSE.split(sentence))
    return any(wanted <= set(words) and asked <= {word[:_STEM] for word in words} for words in clauses)
