"""Marks of citation in running text: "[1]", "【4:0†source】", "(Source 2)", "¹", "([site](address))", "According to document 1,".

A mark says where a sentence comes from and claims nothing itself. Words by which people point at a source are data
(`pointers.toml`); forms are patterns here, each linear in the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from guardrail._toml import packaged

_FILE = r"[^\[\]()<>\n|]{1,80}\.(?:pdf|docx?|txt|md|html?|xlsx?|csv|pptx?|json|xml)\b[^\[\]()\n]{0,60}"
_NUMBER = r"\^?\d{1,3}\^?"
_NUMBERS = rf"{_NUMBER}(?:\s?(?:,|;|–|-|and|&)\s?{_NUMBER}){{0,20}}"
_ADDRESS = r"(?:https?://|www\.)[^\s<>()\[\]\"”]+(?:\([^\s<>()]*\)[^\s<>()\[\]\"”]*)?"
_YEAR = r"(?:1[6-9]|20)\d\d[a-z]?"
_NAME = r"(?-i:[^\W\d_a-z])[\w'’-]{1,30}"
_LONGEST = 120  # characters of a note on a source
_WITHIN = 60  # characters from the beginning of a sentence in which it says whose words follow


@lru_cache(maxsize=1)
def _pointers() -> dict[str, list[str]]:
    """The words of all languages by kind, longest first."""
    found: dict[str, list[str]] = {}
    for kind, by_language in packaged("guardrail.text", "pointers.toml").items():
        words = {
            word for one in by_language.values() for word in ([one] if isinstance(one, str) else one) if word
        }
        found[kind] = sorted(words, key=lambda word: (-len(word), word))
    return found


@lru_cache(maxsize=1)
def source_nouns() -> frozenset[str]:
    """The single words, in small letters, that people call by what it is a text that they were given: "Vertrag", "leaflet"."""
    return frozenset(word for word in _pointers()["texts"] if word.isalpha())


def _any(words: Iterable[str]) -> str:
    return "(?:" + "|".join(re.escape(word) for word in words) + ")"


@lru_cache(maxsize=1)
def _patterns() -> tuple[re.Pattern[str], ...]:
    """Marks wherever they are; pointers at the beginning of a sentence; headings of lists of sources; lines of such lists."""
    words = _pointers()
    noun, attributing, leads = (_any(words[kind]) for kind in ("nouns", "attributing", "leads"))
    numbered = (
        rf"{noun}(?:s|n|en|es)?\.?[\s_-]?(?:no\.?|nr\.?|n°|#)?\s?[\[(]?(?:{_NUMBERS}|(?-i:[A-Z])\b)[\])]?"
    )
    place = rf"(?:{_any(words['places'])}(?:\b|(?<=\W))\.?|第|§§?)\s?(?:\d{{1,4}}|(?-i:[IVXLC]{{1,6}}\b))(?:\.\d{{1,3}})*(?:\s?[–-]\s?\d{{1,4}})?\s?[页頁]?"
    author_year = rf"{_NAME}(?: et al\.?|(?:,? (?:and|&|und|et|y|e) {_NAME})?)?,? {_YEAR}(?:, p{{1,2}}\. ?\d+(?:[–-]\d+)?)?"
    title = r"[^\W\d_][^\[\](){}<>\n|.,;:]{1,60}"
    part = rf"(?:{numbered}(?:\s?:\s?{title})?|{_FILE}|(?:{title}[,:]\s)?{place}|\[{_NUMBERS}\])"
    noted = rf"{_any(words['sources'])}s?\s?[:：]\s?[^\[\]()\n]{{1,{_LONGEST}}}|{_any(words['again'])}"
    led = rf"(?:(?:{leads}|{attributing})\s(?:{_any(words['articles'])}\s)?)"
    inner = (
        rf"(?:{led}?{part}(?:(?:[,;]\s?|\s(?:and|&|und|et|y|e)\s){part}){{0,8}}|{led}?{noted}|{led}{noun})"
    )
    alone = rf"(?:{_NUMBERS}(?:†[^\[\]\n]{{0,40}}|, {place})?|{noun}|{_any(words['alone'])}|(?-i:[A-Z])\d{{1,3}}|[a-z]{{2,8}}[:=_]\s?\d{{1,3}}|@[\w:-]{{2,40}}|[†‡*]{{1,2}})"
    marks = "|".join(
        [
            rf"\[\[?{_NUMBERS}\]?\]\([^()\s]*\)",  # [[2]](https://…)
            rf"\\?\[\[?{alone}\\?\]?\](?!\()|［{_NUMBERS}］|⟦{alone}⟧|(?<=[\s.])\{{{_NUMBERS}\}}",
            r"【\d[^【】\n]{0,60}】|〖\d{1,3}〗",
            r"\[\^[\w-]{1,30}\](?!:)",
            rf"\[{inner}\]|\({inner}\)|（{inner}）|【{inner}】",
            rf"\((?:{leads}\s)?{author_year}(?:; {author_year}){{0,8}}\)|\[{author_year}\]",
            r"(?<=\w[ \t])\(\d{1,2}\)(?=[.!?](?:\s|$))|(?<=[.!?])[ \t]?\(\d{1,2}\)(?=\s|$)",
            rf",\s(?:{attributing}|{leads})\s[^,.()\n\[]{{0,20}}?{numbered}(?=[.!?](?:\s|$)|\s*$)",  # ", as stated in document 1."
            rf"\(\[[^\[\]\n]{{1,80}}\]\({_ADDRESS}\)\)|(?<!\])\({_ADDRESS}\)|<{_ADDRESS}>",
            rf"(?<=[.!?。！？])[ \t]?\[[^\[\]\n]{{1,80}}\]\({_ADDRESS}\)",  # a link behind a sentence
            rf"[ \t]\[(?:[\w-]{{1,30}}\.){{1,3}}[a-z]{{2,6}}\]\({_ADDRESS}\)",  # a link that only names its site
            rf"(?<=[.!?。！？])[ \t]{_ADDRESS}",
            r"(?:(?<=[.,;:!?)”\"'»。，])|(?<=[^\W\d_]{3})|(?<=\d{4}))[ \t]?[¹²³⁰⁴-⁹]{1,3}(?:[,˒⁻–-][¹²³⁰⁴-⁹]{1,3}){0,8}",
            r"(?:(?<=[.,;:!?)”\"'»。，])|(?<=[^\W\d_]{3})|(?<=\d{4}))[ \t]?<sup\b[^<>]{0,80}>(?:<a\b[^<>]{0,200}>)?[\[\d,;\s\]a-z–-]{1,20}(?:</a>)?</sup>",
            r"(?<=[^\W\d_])[ \t]?[†‡①-⑳]+|(?<=\d{4})[ \t]?[†‡①-⑳]+",
            rf"<cite\b[^<>]{{0,120}}>(?:\s*\[?(?:{_NUMBERS}|{inner})\]?\s*)</cite>|(?<=[.!?。])[ \t]?<cite\b[^<>]{{0,120}}>[^<>]{{1,120}}</cite>",
            r"<(?:ref|source)\b[^<>]{0,120}/>|<(?:ref|source)\b[^<>]{0,120}>[^<>]{0,300}</(?:ref|source)>",
        ]
    )
    texts = _any([*words["nouns"], *words["texts"]])
    openings = _any([*words["attributing"], *words["openings"]])
    beginning = "|".join(
        [
            rf"{openings}\s?[^,.，。\n]{{0,40}}?{numbered}(?:\s?[,，:：]\s?|\s(?=\S))",  # "Laut Dokument 1 wurde …"
            rf"{attributing}\s?[^,.，。\n]{{0,30}}?{texts}(?:s|n|en)?(?:[^\w,.，。\n][^,.，。\n]{{0,30}})?[,，]\s?",  # "Based on the given context, …"
            rf"(?:{numbered}|(?:{_any(words['articles'])}\s)?(?:[^\W\d_]{{1,12}}\s)?{noun})\s{_any(words['says'])}\s{_any(words['that'])}\s",  # "Document 1 states that …"
            rf"{_any(words['says'])}\s{_any(words['that'])}\s",  # what is left of "[1] states that …"
            rf"[^,.，。、\n]{{0,15}}?{texts}[^,.，。、\n]{{0,6}}?{_any(words['behind'])}[,，、]?\s?",  # "文書1によると、…"
        ]
    )
    return (
        re.compile(marks, re.IGNORECASE),
        re.compile(beginning, re.IGNORECASE),
        re.compile(rf"[\W\d_]*(?P<words>{_any(words['headings'])})[\s*_:：)]*(?P<rest>.*)", re.IGNORECASE),
        re.compile(rf"\W*[\d¹²³⁰⁴-⁹]{{1,3}}\W{{0,3}}\s?{part}(?:[,;]\s{part}){{0,8}}\.?\s*", re.IGNORECASE),
    )


def citation_marks(text: str) -> Iterator[tuple[int, int]]:
    """Where marks of citation are, in order, disjoint.

    Example:
        >>> text = "Built in 1904 [1][2, 5-7].³ It is 20 m² (Source 2)."
        >>> [text[start:end] for start, end in citation_marks(text)]
        ['[1]', '[2, 5-7]', '³', '(Source 2)']
    """
    for match in _patterns()[0].finditer(text):
        yield match.span()


def attribution_length(sentence: str) -> int:
    """How many characters at the beginning of a sentence only say whose words follow; 0 if there are none.

    Example:
        >>> [sentence[attribution_length(sentence):] for sentence in ("According to document 1, it rained.", "In May, it rained.")]
        ['it rained.', 'In May, it rained.']
    """
    match = _patterns()[1].match(sentence, 0, _WITHIN + 40)
    return match.end() if match is not None and match.end() < len(sentence) else 0


def is_source_list(text: str) -> bool:
    """Whether every line is a number with a source: "¹ Document 1", "[2] manual.pdf"."""
    return all(_patterns()[3].fullmatch(line[:300]) for line in text.strip().splitlines() or [""])


def is_source_heading(line: str) -> bool:
    """Whether a line is the heading of a list of sources, or such a list on one line ("Sources: manual.pdf")."""
    match = _patterns()[2].fullmatch(line[:300].strip())
    if match is None:
        return False
    between = line[match.end("words") : match.start("rest")] if match["rest"] else ":"
    return ":" in between or "：" in between
