"""Laws, by their names, their numbers and the places in them: Human Rights Act 1998, s 6; art. 5º, XXIV, da Constituição Federal; § 823 BGB; 《劳动法》第四十二条.

`laws.toml` has the words of each language. From it one pattern of laws and one of places in laws are made; what both find is joined where
only "of", a comma or a bracket is between. No bibliography has all laws: one that is not found is not called wrong.
"""

from __future__ import annotations

import re
import tomllib
from bisect import bisect
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib import resources

from guardrail.references.bibliography.records import Reference
from guardrail.references.citations.model import Citation
from guardrail.references.citations.people import body
from guardrail.report import Span

__all__ = ["laws", "names_a_law", "table"]

_YEAR = r"(?:1[2-9]|20)\d\d"
_HAN, _KANA, _HANGUL = "\u3400-\u9fff", "\u30a0-\u30ff", "\uac00-\ud7a3"
_CAPITAL = r"(?:[A-Z][a-z]{0,5}\.|(?:[A-Z]\.){2,4}|[^\W\d_a-z][\w’'&-]{0,30})"
_LINK = r"(?:of|and|the|for|on|to|in|at|by|from|with|against|concerning|relating|&|\([^()\n]{1,60}\)|d[aeo]s?|e|y|et|del|de la|aux?|du|des)"
_RUN = rf"(?:{_CAPITAL},?\s(?:{_LINK}\s){{0,3}}){{1,12}}"
_WORDS = rf"(?:\s(?:{_LINK}\s){{0,3}}[^\W\d_a-z][\w’{chr(39)}&-]{{1,30}}){{0,9}}"
_DIGITS = r"\d{1,5}[A-Za-z]{0,2}"
_NUMBER = rf"(?:[LRD]\.?\s?)?{_DIGITS}(?:(?:[.:/]|\s?[-‑–]\s?){_DIGITS}){{0,4}}(?:\.?[ºª°¹²³]){{0,2}}(?![\w%])(?:\(\w{{1,5}}\)){{0,5}}"
_ROMAN = r"[IVXL]{1,7}(?:-[A-Z])?(?![\w’'-])"
_LETTER = r"(?:[“\"‘'][a-z][”\"’']|[a-z](?=,|\)|\sd[aoe]\s))"
_COUNT = "[一二三四五六七八九十百千零〇两\\d０-９]"
_ARTICLE = rf"(?:第{_COUNT}{{1,8}}[条條](?:之{_COUNT})?(?:第{_COUNT}{{1,3}}[款项項号]){{0,3}}|제\s?\d{{1,4}}조(?:의\d{{1,2}})?(?:\s?제\d{{1,2}}항)?)"
_ABBREVIATION = r"[a-z]?[A-ZÄÖÜ][A-Za-zÄÖÜäöü]{0,10}[A-Z](?:/\d{2,4})?(?![\w-])"
_SHORT = r"(?:\s\((?:the\s|hereafter\s)?[“\"]?(?P<short>[A-Z][\w/&.-]{1,14})[”\"]?\))?"
_MARKS = re.compile(r"\*+|(?<![^\W_])_+|_+(?![^\W_])")
_CUT = re.compile(r"\s(?:and|by|under|in|from)\sthe\s|(?:^|\s)(?!(?:Children|Women|Worker|Veteran|Seaman|People|Men|Patient|Consumer)[’'])[A-Z]\w{1,20}[’']s\s")
_KANA_SEEN = re.compile("[\u3040-\u309f]")
_YEARS = re.compile(rf"(?<!\d){_YEAR}(?!\d)")
_STATE = re.compile(  # who makes laws, in other languages; "Council" and the like are known as bodies
    r"(?<!\w)(?:Parlament\w{0,2}|Parlement|Rat|Rad[ay]|Rates|Raad|Consejo|Conseil|Consiglio|Conselho|Com[m]?isi[óo]n|Commissione|Kommission|Congress|Congreso|Cortes|Senate|"
    r"Bundestag|Bundesregierung|Republic|Repúblique|República|Repubblica|Kingdom|States|Europ\w{2,6}\sUni\w{1,3}|Union\seuropéenne|Unión\sEuropea|Crown|State|Estado|État|Stato)(?!\w)"
)
_HEADING = re.compile(
    r"(?:,|:|\s[–—-])\s[^\W\d_][^:–—?!\n]{2,80}|\s\([^()\n]{2,80}\)"
)  # § 536 BGB – Mietminderung
_ABOUT = re.compile(  # what is written about laws
    r"\b(?:[Cc]omment|[Kk]ommentar|[Hh]andb|[Gg]uide|[Ii]ntroduction|[Ee]inführung|[Hh]istory|[Gg]eschichte|[Ff]uture|[Ll]imits|[Rr]ise|[Tt]heory|[Pp]ractice|[Ss]tud[yi]|[Cc]asebook|[Ee]ssays)"
)
_ALONE = frozenset({"number", "ordinal", "name", "act", "treaty", "title", "bracketed", "kanji"})
"""Forms of a law that count without a place."""
_WORD = re.compile(r"[^\W\d_a-z][\w’'-]*")
_SENTENCE = re.compile(r"(?<=[^\W\d_A-Z]{2}[.!?)])\s|[。！？\n]")


def table() -> dict[str, dict[str, list[str]]]:
    """The words of `laws.toml`: by language, or "courts", and by list."""
    text = resources.files("guardrail.references.citations").joinpath("laws.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


def any_of(words: Iterable[str]) -> str:
    """A pattern of words or phrases, the longest first."""
    longest = sorted(set(words), key=lambda word: (-len(word), word))
    return "|".join(re.escape(word).replace(r"\ ", r"\s") for word in longest)


@dataclass(frozen=True, slots=True)
class _Grammar:
    law: re.Pattern[str]
    place: re.Pattern[str]
    of: re.Pattern[str]
    beside: re.Pattern[str]
    lead: re.Pattern[str]
    goes_on: re.Pattern[str]
    known: frozenset[str]
    short: tuple[str, ...]
    no_law: tuple[str, ...]


@cache
def _grammar() -> _Grammar:
    by_language = table()
    words = defaultdict[str, list[str]](list)
    for language, some in by_language.items():
        for name, more in some.items():
            words[name] += more if language != "courts" else []
    en, zh, ja, ko = (by_language[name] for name in ("en", "zh", "ja", "ko"))
    romance = any_of(word for name in ("pt", "es", "fr", "it") for word in by_language[name].get("titles", ()))
    number = r"(?:(?:[Nn]os?\.?|Nr\.?|[Nn]\.?\s?[º°]?|núm\.)\s?)?"
    union = r"(?:EU|EC|UE|CE|EG|WE|EEC|CEE|EWG|EEG|Euratom)"
    month = r"(?:,?\s(?:de|du|vom|del)\s\d{1,2}(?:er|º|\.)?\s(?:de\s)?[^\W\d_]{3,10}(?:\s(?:de\s)?\d{4})?)?"
    issued = rf"(?:(?:\sd[aoe]s?\s|/|,\s|\s)(?:{any_of(words['issuers'])})(?![\w‑-])){{0,2}}"
    states = r"(?:\s\((?:Cth|NSW|Vic|Qld|SA|WA|Tas|NT|ACT|UK|NI|Ireland|Singapore)\))?"
    east = any_of(zh["ends"])
    forms = {
        "number": rf"(?:{any_of(words['numbered'])})(?:\s?\({union}\))?\s{number}\d[\d./-]{{0,14}}(?<=\d)(?!\w)(?:/{union}(?!\w))?{issued}{month}(?:\s\([^\W\d_a-z][^()\n]{{2,80}}\)|\s(?:{any_of(words['on'])})\s[^.,;:()\n|*]{{5,120}})?",
        "ordinal": rf"(?:{any_of(en['ordinals'])}|\d{{1,2}}(?:st|nd|rd|th))\sAmendment(?!\w)",
        "act": rf"{_RUN}(?:{any_of(en['acts'])})(?![\w’'-])(?:,?\s(?:of\s)?{_YEAR}(?!\d){states}|\sof\s(?:the\s)?{_CAPITAL}(?:\s{_CAPITAL}){{0,3}}(?<![.,]))?",
        "code": rf"{_RUN}(?:{any_of(en['codes'])})(?![\w’'-])(?:,?\s(?:of\s)?{_YEAR}(?!\d))?",
        "treaty": rf"(?:{_CAPITAL}\s){{0,3}}(?:{any_of(en['titles'])})\s(?:on|of|for|against|concerning|relating\sto|Concerning)\s(?:the\s)?{_CAPITAL}{_WORDS}(?:\sof\s{_YEAR})?",
        "name": rf"(?:Constitution\sof\s(?:the\s)?{_CAPITAL}|{any_of(words['names'])})(?![\w‑-])(?:\s(?:de|of)\s{_YEAR})?",
        "title": rf"(?:{romance})(?:\sd[aeo]s?|\sdel|\sde\sla)?\s{_CAPITAL}{_WORDS}(?:\sde\s{_YEAR})?",
        "compound": rf"[^\W\d_a-z][\w-]{{2,40}}(?:{any_of(words['compound'])})(?!\w)",
        "within": rf"(?:\d{{1,2}}\s(?:{any_of(words['volumes'])})|{any_of(words['within'])})(?![\w‑-])(?:/\d{{2,4}})?",
        "before": r"(?:[A-Z][\w.&’'-]{1,15}\s){1,5}(?=§)",
        "bracketed": rf"《[^《》\n]{{1,50}}?(?:{east}|若干问题的[^《》\n]{{2,10}})(?:[（(][^（）()《》\n]{{1,20}}[）)])?》",
        "kanji": rf"(?<![{_HAN}{_KANA}])[{_HAN}{_KANA}]{{2,20}}?(?:{any_of(ja['ends'])})(?![{_HAN}{_KANA}])|(?:中国|我国|中华人民共和国)[{_HAN}]{{1,6}}?(?:法典|法|条例)",
        "run": rf"[{_HAN}{_KANA}]{{1,20}}?(?:{east})(?={_ARTICLE})|[{_HANGUL}]{{0,15}}(?:{any_of(ko['ends'])})(?=\s?{_ARTICLE})",
    }
    labels, more = any_of(words["articles"]), any_of(words["more"])
    joint = r"(?:,|;|/|,?\s(?:e|ou|and|or|und|et|y|a|to|&|c/c|through))"
    follows = rf"(?:{joint}?\s?(?:(?:{more})\s?(?:{_NUMBER}|{_ROMAN}|{_LETTER}|único)?|(?:{labels})\s?{_NUMBER}|{_LETTER})|{joint}\s?(?:{_ROMAN}|{_NUMBER}))"
    place = (
        rf"(?P<label>{labels})\s?(?:{_NUMBER}|{_ROMAN}|único){follows}{{0,8}}(?:\set\sseq\.)?(?:,?\s(?P<code>{_ABBREVIATION}))?"
        rf"|(?P<part>{any_of([*words['parts'], *words['more']])})\s(?:{_NUMBER}|{_ROMAN})"
        rf"|{_ARTICLE}(?:[、和及]{_ARTICLE}){{0,4}}"
    )
    law = "|".join(f"(?P<{form}>{pattern})" for form, pattern in forms.items())

    def compiled(pattern: str) -> re.Pattern[str]:
        return re.compile(pattern.replace(r"\s", r"[^\S\n]"))

    return _Grammar(
        law=compiled(rf"(?:(?<![\w.’-])|(?=《)|(?<=[{_HAN}\u3040-\u309f])(?=[{_HAN}{_KANA}]))(?:{law})(?:\s(?P<at>(?!{_YEAR})(?=\d\d){_NUMBER})|{_SHORT})"),
        place=compiled(rf"(?:(?<![\w.’-])|(?<=[{_HAN}{_HANGUL}]))(?:{place})"),
        of=compiled(rf",?\s(?:{any_of(words['of'])})(?:(?<=[’'])|\s(?:the\s)?(?:U\.?S\.?\s)?)"),
        beside=compiled(rf"(?:,?\s(?:{any_of(words['in_its'])})\s|,\s|\s\(|\s[–—-]\s|\s|的)?"),
        lead=compiled(rf"(?:{any_of(en['lead'])})(?![\w’'])[,:]?\s(?:the\s)?|.{{0,20}}(?:{any_of(zh['lead'])})"),
        goes_on=compiled(rf",?\s(?:{any_of(words['on'])})\s[^:–—?!\n]{{2,400}}"),
        known=frozenset(words["places"]),
        short=tuple(words["short"]),
        no_law=tuple(ja["not"]),
    )


@dataclass(frozen=True, slots=True)
class _Piece:
    """A law, a place in one, or both; `form` and `law` are of the law, if there is one; `label` says whether a place may be alone."""

    start: int
    end: int
    form: str = ""
    law: str = ""
    place: str = ""
    label: bool = False


def laws(answer: str, *, question: str = "") -> Iterator[Citation]:
    """The laws that an answer names, each with its places; a place alone only where its sentence, or the question, names a law.

    Args:
        answer: the text.
        question: which it answers, if it is known.

    Example:
        >>> [one.reference.title for one in laws("See the Human Rights Act 1998, s 6, and § 823 Abs. 1 BGB; he acts in good faith.")]
        ['Human Rights Act 1998', '§ 823 Abs. 1 BGB']
    """
    text, at = _without_marks(answer)
    asked = [piece for piece in _pieces(question) if piece.law]
    pieces = _pieces(text, asked)
    ends = [0, *(match.end() for match in _SENTENCE.finditer(text)), len(text)]
    sentence = 0
    named = {bisect(ends, piece.start) for piece in pieces if piece.law}
    for piece in pieces:
        if not (piece.law and piece.place) and piece.form != "bracketed" and text.startswith("#", text.rfind("\n", 0, piece.start) + 1):
            continue
        if piece.law or asked or bisect(ends, piece.start) in named or piece.place.startswith(tuple(_grammar().known)):
            yield _citation(answer, text, at, piece)


def _without_marks(answer: str) -> tuple[str, list[int]]:
    """The text without emphasis, and where each of its characters was."""
    kept, since = [], 0
    for mark in _MARKS.finditer(answer):
        kept += range(since, mark.start())
        since = mark.end()
    kept += range(since, len(answer))
    return "".join(answer[place] for place in kept), kept


def _pieces(text: str, asked: Sequence[_Piece] = ()) -> list[_Piece]:
    """The laws with their places, and the places alone, in order."""
    grammar = _grammar()
    found = [piece for match in grammar.law.finditer(text) if (piece := _law(text, match)) is not None]
    places = [_place(match) for match in grammar.place.finditer(text)]
    names = set(_short_names([*found, *asked]))
    if found or asked:
        names |= set(grammar.short)
    if names:
        found += [_Piece(match.start(), match.end(), "name", match[0]) for match in re.finditer(rf"(?<![\w.-])(?:{any_of(names)})(?![\w‑-])", text)]
    pieces = list[_Piece]()
    for piece in sorted([*found, *places], key=lambda piece: (piece.start, -piece.end)):
        if not pieces or piece.start >= pieces[-1].end:
            pieces.append(piece)
    pieces = _joined(text, pieces)
    return [piece for piece in pieces if (piece.law and (piece.place or piece.form in _ALONE)) or (piece.label and not piece.law)]


def _short_names(found: Iterable[_Piece]) -> Iterator[str]:
    for piece in found:
        if short := re.search(r"\(\W?(?:the\s)?\W?([A-Z][\w/&.-]{1,14})\W?\)$", piece.law):
            yield short[1]
        initials = "".join(word[0] for word in _WORD.findall(piece.law.split("(")[0]))
        if len(initials) > 2 and piece.form in {"act", "code", "treaty"}:
            yield initials


def _law(text: str, match: re.Match[str]) -> _Piece | None:
    grammar = _grammar()
    form = next(name for name, value in match.groupdict().items() if value and name != "short" and name != "at")
    start, end = match.start(), match.end()
    if form in {"act", "code", "treaty", "before", "run"}:
        while lead := grammar.lead.match(text, start, end):
            start = lead.end()
        for cut in _CUT.finditer(text, start, end):
            start = cut.end()
        comma = text.rfind(", ", start, end)
        if comma > 0 and not re.search(r"\s(?:and|&|or)\s", text[comma:end]) and not re.match(r"\d", text[comma+2:]):
            start = comma + 2
        while lead := grammar.lead.match(text, start, end):
            start = lead.end()
    said = text[start:end]
    if (form in {"kanji", "title"} and said.endswith(grammar.no_law)) or (form == "kanji" and not said.startswith("中") and not said.startswith("我国") and not _KANA_SEEN.search(text)) or (form == "act" and " " not in said):
        return None
    if form in {"before"}:
        end -= 1
    place = match["at"] or ""
    if place and form not in {"within", "code", "name"}:
        place, end = "", match.start("at") - 1
    return _Piece(start, end, form, text[start : match.start("at") - 1 if place else end], place)


def _place(match: re.Match[str]) -> _Piece:
    code = match["code"] or ""
    if code and not match["label"].lower().startswith(("§", "art")):
        return _Piece(match.start(), match.start("code") - 1, place=match[0][: -len(code) - 1], label=True)
    form = "within" if code else ""
    return _Piece(match.start(), match.end(), form, code, place=match[0], label=not match["part"] or match[0] in _grammar().known)


def _joined(text: str, pieces: list[_Piece]) -> list[_Piece]:
    grammar = _grammar()
    def of(gap, left, right): return left.place and not left.law and grammar.of.fullmatch(gap) and not (right.law and right.place)
    def next_to(gap, left, right): return left.law and not left.place and not right.law and gap in {"", " ", "的", "\u00a0", "\u202f"}
    def before(gap, left, right): return left.place and not left.law and right.law and not right.place and gap in {" ", ", ", "\u00a0", "\u202f"} and left.label
    def behind(gap, left, right): return left.law and not left.place and not right.law and grammar.beside.fullmatch(gap)
    def again(gap, left, right): return left.law and right.law and ((gap == " (" and text[right.end:right.end+1]==")") or (gap in {", ", " ("} and right.place and right.form in {"within", "code", "before"}) or (gap == ", " and right.law.startswith("Pub")))
    for joins in (of, next_to, before, behind, again):
        result = list[_Piece]()
        for piece in pieces:
            if result and joins(text[result[-1].end : piece.start], result[-1], piece):
                left = result[-1]
                result[-1] = _Piece(left.start, piece.end, left.form or piece.form, left.law or piece.law, left.place or piece.place, left.label)
            else:
                result.append(piece)
        pieces = result
    return pieces


def _citation(answer: str, text: str, at: list[int], piece: _Piece) -> Citation:
    start, end = at[piece.start], at[piece.end - 1] + 1
    inside = answer[start:end]
    if inside.count("(") > inside.count(")") and answer[end : end + 1] == ")":
        end += 1
    while start > 0 and end < len(answer) and answer[start - 1] == answer[end] and answer[end] in "*_":
        start, end = start - 1, end + 1
    whole = " ".join(text[piece.start : piece.end].split())
    named = piece.form in {"act", "treaty", "title", "number"}
    title = " ".join(piece.law.split()) if named else whole.removesuffix(" et seq.")
    year = _YEARS.search(piece.law) if named else None
    place = whole.partition(piece.law)[2] if named else ""
    return Citation(Span(start=start, end=end), Reference(title=title, year=int(year[0]) if year else None, venue=place.strip(" ,()")), "legal", kind="law")


def names_a_law(said: Reference) -> bool:
    """Whether a title is the name or the number of a law, and nobody claims to have written it: "§ 823 BGB and the Sea" is a book.

    Example:
        >>> names_a_law(Reference("Ley 34/2002, de servicios")), names_a_law(Reference("Ley 34/2002", ("Ana Ruiz",)))
        (True, False)
    """
    if not all(name.isupper() or body(name) or _STATE.search(name) for name in said.authors):
        return False
    first = next(iter(_pieces(said.title)), None)
    if first is None or first.start or not first.law:
        return False
    rest = said.title[first.end :]
    headed = first.place and _HEADING.fullmatch(rest) and not _ABOUT.search(rest)
    return not rest or bool(headed) or (first.form == "number" and _grammar().goes_on.fullmatch(rest) is not None)
