"""Sentences that claim nothing about the world: refusals, "I don't know", requests to the reader.

A sentence is cut into clauses (at commas, semicolons, "but", "however", …). It claims nothing if *every* clause is one of
the forms below: "I'm sorry, but I cannot answer this question." So a claim after a refusal is still a claim: "I cannot say
more, but he was born in Paris." The forms are matched from the first word of a clause, never searched for inside it: "I
know" is not "I don't know". English only; of another language nothing is a refusal here.

| form | example |
| --- | --- |
| courtesy (`_COURTESY`) | "I'm sorry", "Unfortunately", "As an AI language model" |
| request (`_REQUEST`) | "Please provide more details", "Could you clarify …" |
| the writer does not know or will not say (`_WRITER`) | "I don't know …", "I cannot verify …", "I do not have access to …" |
| the question is at fault (`_QUESTION`) | "The question cannot be answered …", "It is not specified in the question …" |
| goes on from one of these (`_GOING_ON`) | "or any specific dates", "as it does not name the film" |
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from guardrail.text.sentences import split_sentences

__all__ = ["claims_nothing", "refuses"]

_READ, _WHOLE = 600, 3_000  # characters of a sentence, and of a text: no refusal is longer
_QUOTES = str.maketrans("’‘ʼ＇", "''''")
_LONG_FORMS = (
    (re.compile(r"\bcan(?:'t|not| not)\b"), "cannot"),
    (re.compile(r"\bwon't\b"), "will not"),
    (re.compile(r"\b(do|does|did|is|are|was|were|have|has|had|could|would)n't\b"), r"\1 not"),
    (re.compile(r"\bdont\b"), "do not"),
    (re.compile(r"\bi'm\b"), "i am"),
    (re.compile(r"\bi've\b"), "i have"),
    (re.compile(r"\bi'd\b"), "i would"),
    (re.compile(r"\b(we|you|they)'re\b"), r"\1 are"),
    (re.compile(r"\b(it|that|there|this|he|she|what)'s\b"), r"\1 is"),
)
_BARE_FORMS = tuple(
    form for form in _LONG_FORMS if form[1] in {"cannot", "do not"}
)  # the others need an apostrophe
_BREAK = re.compile(
    r"[,;:()\[\]–—]+|\s-+\s|[.!?…]+(?=\s|$)"
    r"|\b(?:but|however|although|though|yet|nevertheless|so|therefore|thus|hence)\b"
    r"|\band(?= (?:\S+ ){1,4}(?:is|was|are|were|am|has|had|have|did|does|do|will|would|can|cannot|could)\b)"
)

_COURTESY = (
    r"(?:(?:i am|we are) )?(?:(?:very|really|so|truly) )?(?:sorry|afraid)(?: (?:for|about) the (?:confusion|inconvenience))?"
    r"|(?:my )?(?:sincere )?apologies|(?:i|we) apologi[sz]e(?: for (?:the|any) (?:confusion|inconvenience))?|and|unfortunately|regrettably"
    r"|as an? (?:\w+ ){0,3}(?:ai|artificial intelligence|model|assistant|chatbot)(?: (?:language )?(?:model|assistant))?(?: trained by openai)?"
    r"|at (?:this|the) (?:time|moment|present)|currently|as of (?:now|my last (?:knowledge )?update)"
    r"|based (?:solely )?on (?:the|my) (?:given |provided |available )?(?:information|context|knowledge|question|data)(?: (?:provided|given|available))?"
    r"|(?:i|we) (?:hope|wish) (?:this|that|it|i|you)\b.*|let me know\b.*"
)
_REQUEST = (
    r"(?:please|kindly) (?:\w+ )?(?:provide|clarify|specify|give|share|tell|let|check|consult|refer|try|rephrase|supply|ask|verify|visit)\b.*"
    r"|(?:can|could|would|will) you (?:\w+ )?(?:provide|clarify|specify|give|share|tell|rephrase|supply|explain|elaborate)\b.*"
    r"|(?:it is|it would be) (?:\w+ )?(?:best|better|advisable|recommended) to (?:check|consult|conduct|verify|refer|seek|search|look|ask|contact)\b.*"
    r"|(?:i|we) (?:would )?(?:recommend|suggest|advise) (?:that you |you )?(?:to )?(?:check|consult|verify|refer|seek|search|look|ask|contact)(?:ing)?\b.*"
)
_MATERIAL = r"(?:information|knowledge|access|data|details?|context|evidence|records?|idea|ability|answers?|capability|capacity|clue)"
_ANSWERING = (
    r"(?:answer|provide|give|say|tell|determine|verify|confirm|find|identify|access|assist|comply|respond|browse|predict|speculate"
    r"|comment|name|recall|remember|locate|offer|share|fulfil+|help (?:you|with)|be (?:sure|certain)|make a)"
)
_WRITER = (
    r"(?:i|we) (?:do|did) not (?:\w+ )?(?:know|remember|recall)\b.*|(?:i|we) (?:do|did) not (?:\w+ )?have (?:\S+ ){0,6}?"
    + _MATERIAL
    + r"\b.*"
    r"|(?:i|we) (?:have no|lack|have not been given) (?:\S+ ){0,3}?" + _MATERIAL + r"\b.*|no idea"
    r"|(?:i|we) (?:cannot|could not|am unable to|are unable to|was unable to|am not able to|are not able to|was not able to|will not be able to"
    r"|would not be able to|will not|must decline to) (?:\w+ )?" + _ANSWERING + r"\b.*"
    r"|(?:(?:i|we) (?:am|are) )?(?:not (?:\w+ )?(?:sure|certain|aware|familiar|confident)|unsure|uncertain|unaware|unfamiliar)\b.*"
    r"|(?:i|we) (?:would )?(?:need|require) (?:more|further|additional)\b.*"
    r"|my (?:knowledge|data|training|training data|information) (?:may not be up-to-date|is limited|does not|cutoff|has a cutoff)\b.*"
)
_ASKED = (
    r"(?:question|statement|query|prompt|sentence|context|passage|request|information|text|description|data)"
)
_QUESTION = (
    r"(?:the|this|your) (?:\w+ ){0,3}?" + _ASKED + r"(?: (?:itself|as stated|provided|given))? (?:"
    r"(?:is|was|seems|appears)(?: to be)? (?:\w+ )?(?:incomplete|unclear|ambiguous|vague|incorrect|missing|invalid|insufficient|not|too)\b.*"
    r"|(?:cannot|could not) be (?:\w+ )?answered\b.*|(?:does|did|do) not (?:\w+ )?(?:provide|specify|mention|state|give|contain|include|say"
    r"|indicate|make|have|name|identify)\b.*|lacks\b.*|(?:refers|is referring|seems to refer|appears to refer) to\b.*)"
    r"|(?:the |an? |no )?(?:\w+ )?answer(?: to (?:this|the|your) question)? (?:is|was|cannot be|could not be) (?:\w+ )?"
    r"(?:provided|given|known|unknown|available|unavailable|specified|determined|found|stated|mentioned)\b.*"
    r"|there (?:is|was) (?:not (?:\w+ )?(?:enough|sufficient|any)|no|insufficient) (?:\w+ ){0,2}?(?:information|context|data|details?|evidence)"
    r"(?: (?:provided|given|available|to|in|about|on|regarding|for|that|which|who|as|whether)\b.*)?"
    r"|it (?:cannot|could not) be (?:\w+ )?(?:answered|determined)\b.*"
    r"|(?:no|more|further|additional|insufficient) (?:\w+ ){0,2}?(?:information|context|details?) (?:about .* )?(?:is|was|were|are) "
    r"(?:provided|given|available|needed|required|known)\b.*"
    r"|it is (?:\w+ )?(?:unknown|unclear|uncertain|not (?:\w+ )?(?:clear|known|specified|mentioned|stated|provided|certain))\b.*"
    r"|it is (?:\w+ )?(?:not possible|impossible|difficult)(?: for me)? to (?:\w+ )?" + _ANSWERING + r"\b.*"
    r"|(?:which |it |\S.* )?(?:is|are|was|were) not (?:\w+ )?(?:specified|mentioned|provided|stated|indicated|given|included|specific enough)"
    r" (?:in|by) (?:the|this|your) (?:\w+ ){0,2}?" + _ASKED
)
_GOING_ON = (
    r"(?:or|nor|such as|including|especially|particularly|unless|without|in order|if|like)\b.*"
    r"|(?:and )?(?:(?:as|because|since|they) )?(?:it )?cannot be (?:\w+ )?(?:answered|determined|verified)\b.*"
    r"|(?:as|because|since) (?:it|i|we|this|(?:the|this|your) (?:\w+ )?(?:question|statement|prompt))"
    r" (?:is|does|do|did|cannot|lacks?|requires?|may|am|only) .*|which (?:is|are) not .*"
    r"|(?:that )?i can (?:better |best )?(?:answer|assist|help|give you an? (?:\w+ ){0,2}(?:answer|response))\b.*"
)
_CLAUSE = re.compile(
    f"(?P<polite>{_COURTESY}|{_REQUEST})|(?P<refusal>{_WRITER}|{_QUESTION})|(?P<more>{_GOING_ON})"
)


def claims_nothing(sentence: str) -> bool:
    """Whether a sentence says nothing about the world that could be true or false.

    Example:
        >>> claims_nothing("I'm sorry, but I cannot answer this question."), claims_nothing("I know her.")
        (True, False)
        >>> claims_nothing("I cannot say more, but he was born in Paris.")
        False
    """
    return _kind(sentence) != "claim"


def refuses(text: str) -> bool:
    """Whether a whole text claims nothing: each sentence is without a claim, and one at least is a refusal.

    Example:
        >>> refuses("I don't know. Please ask somebody else."), refuses("I don't know. Ask Ann, who wrote it.")
        (True, False)
    """
    if len(text) > _WHOLE:
        return False
    refusal = False
    for sentence in split_sentences(text):
        kind = _kind(sentence)
        if kind == "claim":
            return False
        refusal = refusal or kind == "refusal"
    return refusal


@lru_cache(maxsize=16_384)
def _kind(sentence: str) -> str:
    """What a sentence is: a "refusal", "polite" (courtesy and requests alone) or a "claim"."""
    if len(sentence) > _READ:
        return "claim"
    found: set[str] = set()
    for clause in _clauses(sentence):
        match = _CLAUSE.fullmatch(clause)
        if match is None or (match.lastgroup == "more" and not found):
            return "claim"
        found.add(match.lastgroup or "")
    if not found:
        return "claim"
    return "refusal" if "refusal" in found else "polite"


def _clauses(sentence: str) -> list[str]:
    """The clauses in small letters, contractions written out, without marks around them."""
    text = unicodedata.normalize("NFKC", sentence).translate(_QUOTES).casefold()
    text = re.sub(r"[*_`\"“”„«»]+", " ", text)
    for short, long in _LONG_FORMS if "'" in text else _BARE_FORMS:
        text = short.sub(long, text)
    pieces = (" ".join(piece.split()) for piece in _BREAK.split(text))
    return [piece for piece in pieces if any(map(str.isalnum, piece))]
