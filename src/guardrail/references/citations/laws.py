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
from dataclasses import dataclass
from functools import cache
from importlib import resources

from guardrail.references.bibliography.records import Reference
from guardrail.references.citations.model import Citation
from guardrail.references.citations.people import body
from guardrail.report import Span

__all__ = ["law_words", "named_laws", "names_a_law"]

_YEAR = r"(?:1[2-9]|20)\d\d"
_HAN, _KATAKANA, _HANGUL = "\u3400-\u9fff", "\u30a0-\u30ff", "\uac00-\ud7a3"
_CAPITAL = r"(?:[A-Z][a-z]{0,5}\.|(?:[A-Z]\.){2,4}|[^\W\d_a-z][\w’'&-]{0,30})"
_LINK = r"(?:of|and|the|for|on|to|in|at|by|from|with|against|concerning|relating|&|\([^()\n]{1,60}\)|d[aeo]s?|e|y|et|del|de la|aux?|du|des)"
_RUN = rf"(?:{_CAPITAL},?\s(?:{_LINK}\s){{0,3}}){{1,12}}?"
_WORDS = rf"(?:\s(?:{_LINK}\s){{0,3}}[^\W\d_a-z][\w’{chr(39)}&-]{{1,30}}){{0,9}}"
_DIGITS = r"\d{1,5}[A-Za-z]{0,2}"
_NUMBER = rf"(?:[LRD]\.?\s?)?{_DIGITS}(?:(?:[.:/]|\s?[-‑–]\s?){_DIGITS}){{0,4}}(?:\.?[ºª°¹²³]){{0,2}}(?![\w%])(?:\(\w{{1,5}}\)){{0,5}}"
_ROMAN = r"[IVXL]{1,7}(?:-[A-Z])?(?![\w’'-])"
_LETTER = r"(?:[“\"‘'][a-z][”\"’']|[a-z](?=,|\)|\sd[aoe]\s))"
_COUNT = "[一二三四五六七八九十百千零〇两\\d０-９]"
_ARTICLE = rf"(?:第{_COUNT}{{1,8}}[条條](?:之{_COUNT})?(?:第{_COUNT}{{1,3}}[款项項号]){{0,3}}|제\s?\d{{1,4}}조(?:의\d{{1,2}})?(?:\s?제\d{{1,2}}항)?)"
_ABBREVIATION = r"(?![IVXL]+\b)[a-z]?[A-ZÄÖÜ][A-Za-zÄÖÜäöü]{0,10}[A-Z](?:/\d{2,4})?(?![\w-])"
_SHORT = r"(?:\s\((?:the\s|hereafter\s)?[“\"]?(?P<short>[A-Z][\w/&.-]{1,14})[”\"]?\))?"
_MARKS = re.compile(r"\*+|(?<![^\W_])_+|_+(?![^\W_])")
_CUT = re.compile(
    r"\s(?:and|by|under|in|from)\sthe\s|\s(?:and|or)\s(?=(?:Title|Article|Section)\s)|(?:^|\s)(?!(?:Children|Women|Worker|Veteran|Seaman|People|Men|Patient|Consumer)[’'])[A-Z]\w{1,20}[’']s\s"
)
_LISTED = re.compile(r"\s(?:and|&|or)\s")
_KANA = re.compile("[\u3040-\u309f]")
_NEXT = frozenset({"", " ", "的", "\u00a0", "\u202f"})
_SHORT_NAME = re.compile(r"\(\W?(?:the\s|hereafter\s)?\W?([A-Z][\w/&.-]{1,14})\W?\)$")
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
_SENTENCE = re.compile(r"(?<=[^\W\d_A-Z]{3}[.!?])\s(?=\W{0,4}[^\W\d_a-z])|[。！？\n]")


def law_words() -> dict[str, dict[str, list[str]]]:
    """The words of `laws.toml`: by language, or "courts", and by list."""
    text = resources.files("guardrail.references.citations").joinpath("laws.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


def any_of(words: Iterable[str]) -> str:
    """A pattern of words or phrases, the longest first."""
    longest = sorted(set(words), key=lambda word: (-len(word), word))
    return "|".join(re.escape(word).replace(r"\ ", r"\s") for word in longest)


@dataclass(frozen=True, slots=True)
class _Grammar:
    """What is made of `laws.toml`.

    Attributes:
        law: in groups by form. An "act" ends in a word for laws (Human Rights Act 1998), a "code" in one for collections (Labor Code), a
            "treaty" (Convention on …) and a "title" (Código de …) begin with it; a "number" has one (Lei nº 8.137/1990); "name" and
            "within" are lists; "before" is what is right before a section sign; "bracketed" and "kanji" are of Chinese and Japanese.
        place: "label" of what may be alone (Art. 15), "part" of what may not (Chapter 7), "code" of a short name behind it.
        run: a name right before an article, in Chinese, Japanese and Korean, which have nothing around it.
        of: between a place and its law.
        beside: between a law and its place.
        lead: words before a name that are no part of it.
        goes_on: what follows the number of a law in its official title.
        known: places that are known without their law: Section 230.
        short: short names that mean a law where others are named.
        no_law: endings of words that look like laws.
    """

    law: re.Pattern[str]
    place: re.Pattern[str]
    run: re.Pattern[str]
    of: re.Pattern[str]
    beside: re.Pattern[str]
    lead: re.Pattern[str]
    goes_on: re.Pattern[str]
    known: frozenset[str]
    short: tuple[str, ...]
    no_law: tuple[str, ...]


@cache
def _grammar() -> _Grammar:
    by_language = law_words()
    by_language.pop("courts")
    words = defaultdict[str, list[str]](list)
    for some in by_language.values():
        for name, listed in some.items():
            words[name] += listed
    en, zh, ja, ko = (by_language[name] for name in ("en", "zh", "ja", "ko"))
    others = any_of(set(words["titles"]).difference(en["titles"]))
    lead = any_of(set(words["lead"]).difference(zh["lead"]))
    title_of = {"of", "of the", *words["of"]} - {*en["of"][2:]}
    number = r"(?:(?:[Nn]os?\.?|Nr\.?|[Nn]\.?\s?[º°]?|núm\.)\s?)?"
    union = r"(?:EU|EC|UE|CE|EG|WE|EEC|CEE|EWG|EEG|Euratom)"
    month = r"(?:,?\s(?:de|du|vom|del)\s\d{1,2}(?:er|º|\.)?\s(?:de\s)?[^\W\d_]{3,10}(?:\s(?:de\s)?\d{4})?)?"
    issued = rf"(?:(?:\sd[aoe]s?\s|/|,\s|\s)(?:{any_of(words['issuers'])})(?![\w‑-])){{0,2}}"
    states = r"(?:\s\((?:Cth|NSW|Vic|Qld|SA|WA|Tas|NT|ACT|UK|NI|Ireland|Singapore)\))?"
    east = any_of(zh["ends"])
    forms = {
        "number": rf"(?:{any_of(words['numbered'])})(?:\s?\({union}\))?\s{number}\d[\d./-]{{0,14}}(?<=\d)(?!\w)(?:/{union}(?!\w))?{issued}{month}(?:\s\([^\W\d_a-z][^()\n]{{2,80}}\)|\s(?:{any_of(words['on'])})\s[^.,;:()\n|*]{{5,120}})?",
        "ordinal": rf"(?:{any_of(words['ordinals'])}|\d{{1,2}}(?:st|nd|rd|th))\sAmendment(?!\w)",
        "act": rf"{_RUN}(?:{any_of(words['acts'])})(?![\w’'-]|\sAct)(?:,?\s(?:of\s)?{_YEAR}(?!\d){states}|\sof\s(?:the\s)?{_CAPITAL}(?:\s{_CAPITAL}){{0,3}}(?<![.,]))?",
        "code": rf"{_RUN}(?:{any_of(words['codes'])})(?![\w’'-])(?:,?\s(?:of\s)?{_YEAR}(?!\d))?",
        "treaty": rf"(?:{_CAPITAL}\s){{0,3}}(?:{any_of(en['titles'])})\s(?:on|of|for|against|concerning|relating\sto|Concerning)\s(?:the\s)?{_CAPITAL}{_WORDS}(?:\sof\s{_YEAR})?",
        "name": rf"(?:Constitution\sof\s(?:the\s)?{_CAPITAL}|{any_of(words['names'])})(?![\w‑-])(?:\s(?:de|of)\s{_YEAR})?",
        "title": rf"(?:{others})(?:\sd[aeo]s?|\sdel|\sde\sla)?\s{_CAPITAL}{_WORDS}(?:\sde\s{_YEAR})?",
        "compound": rf"[^\W\d_a-z][\w-]{{2,40}}(?:{any_of(words['compound'])})(?!\w)",
        "within": rf"(?:\d{{1,2}}\s(?:{any_of(words['volumes'])})|{any_of(words['within'])})(?![\w‑-])(?:/\d{{2,4}})?",
        "before": r"(?:[A-Z][\w.&’'-]{1,15}\s){1,5}(?=§)",
        "bracketed": rf"《[^《》\n]{{1,50}}?(?:{east}|若干问题的[^《》\n]{{2,10}})(?:[（(][^（）()《》\n]{{1,20}}[）)])?》",
        "kanji": rf"(?<![{_HAN}{_KATAKANA}])[{_HAN}{_KATAKANA}]{{2,20}}?(?:{any_of(ja['ends'])})(?![{_HAN}{_KATAKANA}])|(?:中国|我国|中华人民共和国)[{_HAN}]{{1,6}}?(?:法典|法|条例)",
    }
    labels, more = any_of(words["articles"]), any_of(words["more"])
    joint = r"(?:,|;|/|,?\s(?:e|ou|and|or|und|et|y|a|to|&|c/c|through))"
    again = r"(?:,|/|,?\s(?:e|ou|und|et|c/c|&|i\.\s?V\.\s?m\.))"  # not "and": Human Rights Act 1998, s 6, and § 823 BGB
    follows = rf"(?:{again}?\s?(?:(?:{more})\s?(?:{_NUMBER}|{_ROMAN}|{_LETTER}|único)?|{_LETTER})|{again}\s?(?:{labels})\s?{_NUMBER}|{joint}\s?(?:{_ROMAN}|{_NUMBER}))"
    place = (
        rf"(?P<label>{labels})\s?(?:{_NUMBER}|{_ROMAN}|único){follows}{{0,8}}(?:\set\sseq\.)?(?:,?\s(?P<code>{_ABBREVIATION})(?!\s\d))?"
        rf"|(?P<part>{any_of([*words['parts'], *words['more']])})\s(?:{_NUMBER}|{_ROMAN})"
        rf"|{_ARTICLE}(?:[、和及]{_ARTICLE}){{0,4}}"
    )
    law = {form: f"(?P<{form}>{pattern})" for form, pattern in forms.items()}
    eastern = "|".join((law.pop("bracketed"), law.pop("kanji")))
    western = "|".join(law.values())

    def compiled(pattern: str) -> re.Pattern[str]:
        return re.compile(pattern.replace(r"\s", r"[^\S\n]"))

    return _Grammar(
        law=compiled(
            rf"(?:(?=[《{_HAN}{_KATAKANA}])(?:{eastern})|(?<![\w.’-])(?![《{_HAN}{_KATAKANA}])(?:{western}))"
            rf"(?:\s(?P<at>(?!{_YEAR})(?=\d\d){_NUMBER})|{_SHORT})"
        ),
        place=compiled(rf"(?:(?<![\w.’-])|(?<=\bl’)|(?<=[{_HAN}{_HANGUL}]))(?:{place})"),
        run=compiled(
            rf"(?:[{_HAN}{_KATAKANA}]{{1,20}}?(?:{east})|[{_HANGUL}]{{0,15}}(?:{any_of(ko['ends'])})\s?)\Z"
        ),
        of=compiled(rf",?\s(?:{any_of(words['of'])})(?:(?<=[’'])|\s(?:the\s)?(?:U\.?S\.?\s)?)"),
        beside=compiled(rf"(?:,?\s(?:{any_of(words['in_its'])})\s|,\s|\s\(|\s[–—-]\s|\s|的)?"),
        lead=compiled(rf"(?:{lead})(?![\w’'])[,:]?\s(?:the\s)?|.{{0,20}}(?:{any_of(zh['lead'])})"),
        goes_on=compiled(rf",?\s(?:{any_of([*words['on'], *title_of])})\s[^:–—?!\n]{{2,400}}"),
        known=frozenset(words["places"]),
        short=tuple(words["short"]),
        no_law=tuple(words["not"]),
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


def named_laws(answer: str, *, question: str = "") -> Iterator[Citation]:
    """The laws that an answer names, each with its places; a place alone only where its sentence, or the question, names a law.

    Args:
        answer: the text.
        question: which it answers, if it is known.

    Example:
        >>> [one.reference.title for one in named_laws("See the Human Rights Act 1998, s 6, and § 823 Abs. 1 BGB; he acts in good faith.")]
        ['Human Rights Act 1998', '§ 823 Abs. 1 BGB']
    """
    text, at = _without_marks(answer)
    asked = [piece for piece in _pieces(question) if piece.law]
    pieces = _pieces(text, asked)
    ends = [match.end() for match in _SENTENCE.finditer(text)]
    named = {bisect(ends, piece.start) for piece in pieces if piece.law}
    known = tuple(_grammar().known)
    for piece in pieces:
        heading = text.startswith("#", text.rfind("\n", 0, piece.start) + 1)
        if heading and not (piece.law and piece.place) and piece.form != "bracketed":
            continue
        if piece.law or asked or bisect(ends, piece.start) in named or piece.place.startswith(known):
            yield _citation(answer, text, at, piece)


def _without_marks(answer: str) -> tuple[str, list[int]]:
    """The text without emphasis, and where each of its characters was."""
    kept, since = list[int](), 0
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
    found += filter(None, (_run(text, place.start) for place in places if place.place[0] in "第제"))
    names = set(_short_names([*found, *asked]))
    if found or asked:
        names |= set(grammar.short)
    if names:
        found += [
            _Piece(match.start(), match.end(), "name", match[0])
            for match in re.finditer(rf"(?<![\w.-])(?:{any_of(names)})(?![\w‑-])", text)
        ]
    pieces = list[_Piece]()
    for piece in sorted([*found, *places], key=lambda piece: (piece.start, -piece.end)):
        if not pieces or piece.start >= pieces[-1].end:
            pieces.append(piece)
    pieces = _joined(text, pieces)
    return [
        piece
        for piece in pieces
        if (piece.law and (piece.place or piece.form in _ALONE)) or (piece.label and not piece.law)
    ]


def _short_names(found: Iterable[_Piece]) -> Iterator[str]:
    """Short names of laws: those in brackets behind them, and their initials."""
    for piece in found:
        if short := _SHORT_NAME.search(piece.law):
            yield short[1]
        initials = "".join(word[0] for word in _WORD.findall(piece.law.split("(")[0]))
        if len(initials) > 2 and piece.form in {"act", "code", "treaty"}:
            yield initials


def _law(text: str, match: re.Match[str]) -> _Piece | None:
    """What the pattern of laws found, without the words before a name; `None` where that leaves no law."""
    grammar = _grammar()
    said = match.groupdict()
    form = next(form for form, value in said.items() if value and form not in {"short", "at"})
    start, end = match.start(), match.end() - (form == "before")
    if form in {"act", "code", "treaty", "before"}:
        start = _without_lead(text, start, end)
    place = match["at"] or ""
    if place and form not in {"within", "code", "name"}:
        place, end = "", match.start("at") - 1
    name = text[start : match.start("at") - 1 if place else end]
    eastern = form == "kanji" and not (name.startswith(("中", "我国")) or _KANA.search(text))
    if (
        eastern
        or (form in {"kanji", "title", "bracketed"} and name.rstrip("》").endswith(grammar.no_law))
        or (form == "act" and " " not in name)
    ):
        return None
    return _Piece(start, end, form, name, place)


def _run(text: str, end: int) -> _Piece | None:
    """The name right before an article: 根据 | 劳动合同法 | 第四十一条."""
    match = _grammar().run.search(text, max(0, end - 20), end)
    start = _without_lead(text, match.start(), end) if match else end
    return _Piece(start, end, "run", text[start:end].rstrip()) if start < end else None


def _without_lead(text: str, start: int, end: int) -> int:
    """Where the name of a law begins: California’s Racial and Identity Profiling Act, Under the Bane Act, the Harris Act, Cal. Civ. Code."""
    while lead := _grammar().lead.match(text, start, end):
        start = lead.end()
    for cut in _CUT.finditer(text, start, end):
        start = cut.end()
    comma = text.rfind(", ", start, end) + 2
    if comma > start + 1 and not _LISTED.search(text, comma, end) and not text[comma].isdigit():
        start = comma
    while lead := _grammar().lead.match(text, start, end):
        start = lead.end()
    return start


def _place(match: re.Match[str]) -> _Piece:
    """What the pattern of places found: Art. 15, also with the short name of its law: § 217 StGB."""
    code = match["code"] or ""
    if code and not match["label"].lower().startswith(("§", "art")):
        return _Piece(match.start(), match.start("code") - 1, place=match[0][: -len(code) - 1], label=True)
    form = "within" if code else ""
    return _Piece(
        match.start(),
        match.end(),
        form,
        code,
        place=match[0],
        label=not match["part"] or match[0] in _grammar().known,
    )


def _joined(text: str, pieces: list[_Piece]) -> list[_Piece]:
    """The pieces, each law with the places that "of", a comma or a bracket joins to it: first what is surest."""
    for joins in (_of, _next_to, _before, _behind, _again):
        result = list[_Piece]()
        for piece in pieces:
            if result and joins(text, result[-1], piece):
                left = result[-1]
                said = left.form or piece.form, left.law or piece.law, left.place or piece.place
                result[-1] = _Piece(left.start, piece.end, *said, left.label)
            else:
                result.append(piece)
        pieces = result
    return pieces


def _of(text: str, left: _Piece, right: _Piece) -> bool:
    """Section 8 | of the | NLRA, § 1º | do | art. 74."""
    between = text[left.end : right.start]
    return not left.law and not (right.law and right.place) and _grammar().of.fullmatch(between) is not None


def _next_to(text: str, left: _Piece, right: _Piece) -> bool:
    """42 U.S.C. | § 1983, 《劳动法》 | 第十条."""
    return bool(left.law) and not left.place and not right.law and text[left.end : right.start] in _NEXT


def _before(text: str, left: _Piece, right: _Piece) -> bool:
    """§ 823 | BGB, art. 26 |, CDC."""
    between = text[left.end : right.start]
    return left.label and not left.law and not right.place and (between == ", " or between in _NEXT)


def _behind(text: str, left: _Piece, right: _Piece) -> bool:
    """Human Rights Act 1998 |, s 6."""
    between = text[left.end : right.start]
    return (
        bool(left.law) and not (left.place or right.law) and _grammar().beside.fullmatch(between) is not None
    )


def _again(text: str, left: _Piece, right: _Piece) -> bool:
    """Section 230 of the Communications Decency Act | (47 U.S.C. § 230)."""
    between = text[left.end : right.start]
    if not (left.law and right.law):
        return False
    if between == " (" and text.startswith(")", right.end):
        return True
    coded = (
        right.place
        and right.form in {"within", "code", "before"}
        and not (left.place and right.law[0].isalpha())
    )
    return between in {", ", " ("} and bool(coded or right.law.startswith("Pub"))


def _citation(answer: str, text: str, at: list[int], piece: _Piece) -> Citation:
    """A law with its closing bracket and the emphasis around it; its title is the name of the law, or all where that is a short form."""
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
    place = whole.partition(title)[2].strip(" ,()").removesuffix(" et seq.") if named else ""
    said = Reference(title=title, year=int(year[0]) if year else None, venue=place)
    return Citation(Span(start=start, end=end), said, "legal", kind="law")


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
    return (
        not rest
        or bool(headed)
        or (first.form == "number" and _grammar().goes_on.fullmatch(rest) is not None)
    )
