"""Laws, by their names and years or by their places in a code: Human Rights Act 1998, s 6; 42 U.S.C. § 1983; § 823 BGB; Directive 95/46/EC.

No bibliography has them all: one that is not found is not called wrong. Many texts name a law without citing one, so they
are read only where references are asked for, or where an answer cites a case or a place in a code.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from guardrail.references.bibliography.records import Reference
from guardrail.references.citations.model import Citation
from guardrail.references.citations.people import body
from guardrail.references.citations.sites import names_source
from guardrail.report import Span

__all__ = ["chinese_laws", "linked", "names_a_law", "places_in_codes", "stands_alone", "statutes"]

_YEAR = r"(?:1[2-9]|20)\d\d"
_SECTION = r"(?:,?\s(?:ss?\.?|§§?|[Ss]ections?|[Aa]rts?\.?|[Pp]art|Sch(?:edule)?)\s?\d[\w.–-]{0,8}(?:\(\w{1,4}\)){0,4})?"
_CODE = r"\d{1,2}\s(?:U\.?\s?S\.?\s?C\.?|C\.?\s?F\.?\s?R\.?)\s(?:§§?|[Ss]ec(?:tion|\.)|[Pp]art)?\s?\d(?:[\w–-]|\.(?=\w)){0,12}(?:\(\w{1,4}\)){0,3}"
_IN_CODE = rf",?\s(?:\({_CODE}(?:\set\sseq\.)?(?:,\s[^()\n]{{1,60}})?\)|{_CODE}(?:\set\sseq\.)?)"
_NAMED = (
    r"(?P<name>(?:Title\s[IVX]+\sof\sthe\s)?(?:[A-Z][\w’'-]{0,30},?\s(?:(?:of|and|the|for|on|to|in|at|by|from|with|against|&|\([^()\n]{1,60}\))\s){0,3}){1,12}"
    r"(?:Act|Ordinance|Regulations|Amendments))(?![\w’'])"
)
_ACT = re.compile(
    rf"(?<![\w’'.]){_NAMED}(?:,?\s(?:\d{{1,3}}\s)?(?:of\s)?(?P<year>{_YEAR})(?!\d)(?:\s\((?:Cth|NSW|Vic|Qld|SA|WA|Tas|NT|ACT|UK|NI|Ireland|Singapore)\))?{_SECTION}"
    rf"(?P<more>{_IN_CODE}|,\sPub\.\sL\.(?:\sNo\.)?\s[\d-]+)?|(?P<alone>{_IN_CODE}))"
)
_PLACE = re.compile(
    rf"(?<![\w.]){_CODE}(?:\set\sseq\.)?"
    r"|§§?\s\d{1,4}[a-z]?(?:\s(?:Abs\.|Satz|Nr\.|S\.)\s\d{1,3}){0,3}\s(?:[A-ZÄÖÜ][A-Za-zÄÖÜäöü]{0,10}[A-Z]|BV|GG)(?:\s[IVX]{1,4})?(?!\w)"  # § 51a UrhG
    r"|(?<!\w)[Aa]rt(?:\.|icles?|ikel)\s?\d{1,4}[a-z¹²³]?(?:[.:]\d{1,4}){0,2}(?:\(\w{1,3}\)){0,2}(?:\s(?:Abs\.|al\.|par\.|ust\.|§|lid)\s?\d{1,3}){0,2}"
    r"\s(?:(?:of\s)?(?:the\s)?(?:TFEU|TEU|GDPR|ECHR|EMRK|EVRM|CEDH|DSGVO|RODO|AVG|RGPD|AEUV|EUV|GRCh?|TFUE|TUE|CDFUE|GG|BGB|StGB|StPO|ZPO|ZGB|OR|BV|BW|ICCPR|UDHR|CISG|DSA|DMA)(?![\w-])|k\.c\.|k\.k\.|k\.p\.c\.|c\.c\.|c\.p\.c\.|Cost\.|Cst\.)"  # Art. 34 TFEU; art. 410 k.c.
    r"|(?:Regulation|Directive|Reglamento|Verordnung|Règlement|Directiva|Richtlinie|Regolamento|Direttiva|Verordening|Richtlijn|Rozporządzenie|Dyrektyw[ay])\s"
    r"(?:\((?:EU|EC|UE|CE|EG|WE)\)\s)?(?:No\.?\s|Nr\.?\s|n[°º.]?\s)?\d{2,4}/\d{1,4}(?:/(?:EC|EU|EEC|CEE|CE|UE|EG|EWG|EEG|WE)(?!\w))?(?:\s\((?!\d)[^()\n]{2,80}\))?"
    r"|(?<!\w)(?:U\.C\.C\.|UCC)\s§\s?\d-\d{3}(?:\(\w\)){0,3}|(?<!\w)Fed\.\sR\.\s(?:Civ|Crim|Evid|App)\.(?:\sP\.)?\s\d{1,3}(?:\(\w\)){0,3}"
    r"|(?<!\w)Restatement\s\((?:First|Second|Third)\)\sof\s[A-Z]\w+(?:\s(?:and\s)?[A-Z]\w+){0,3}(?:\s§\s?\d{1,4}\w?)?"
    r"|(?<!\w)[Ll]oi\sn[°º]\s?\d{2,4}-\d{1,5}\sdu\s\d{1,2}(?:er)?\s\w{3,10}\s\d{4}(?:\s(?:relative\s(?:à|aux?)|portant|sur|pour)\s[^.,;:()\n*]{5,120})?"
    r"|(?<!\w)Ley(?:\sOrgánica)?\s\d{1,3}/\d{4}(?:,\sde\s\d{1,2}\sde\s[a-zé]{3,12})?(?:,\s(?:de|del|sobre|por)\s[^.,;:()\n*]{5,80})?"
)
_YEARS = re.compile(rf"(?<!\d){_YEAR}(?!\d)")
_PAIRS = (("“", "”"), ("„", "“"), ("«", "»"), ("[", "]"))
_BEFORE = 300  # characters of a line that are looked at before a law
_ITEM = re.compile(r"^\s*(?:[-*•]|\(?\d{1,3}[.)]|\[\d{1,3}\])\s+")
_ENTRY = re.compile(  # Roe, J. (2018). …; Roe J, Poe A. …; Jane Roe (2018). …
    r"^[*_\"“]{0,3}[^\W\d_][\w’'-]+,\s[A-Z]\.|^[^\n(]{3,80}\((?:1[5-9]|20)\d\d[a-z]?\)\.\s|^(?:[A-Z][\w’'-]+\s[A-Z]{1,3}(?:,\s|\.\s)){1,8}"
)
_BOOK = re.compile(  # Directive 95/46/EC and the Future of Privacy, Jane Roe (2013)
    r"\s(?:and|in|at|after|und|im|et|en|y|e)\s[^\n:;()*]{3,100}?(?:\sby\s|,\s)(?:[^\W\d_a-z][\w.’'-]{0,20}\s){1,3}[^\W\d_a-z][\w’'-]{1,30},?\s\(?"
    r"(?:(?:[^\W\d_a-z][\w&’'-]{1,20},?\s){1,4})?(?:1[89]|20)\d\d\)?"
)
_ADDRESS = re.compile(r"\]\((?P<url>https?://[^()\s]{4,400}(?:\([^()\s]{0,80}\)[^()\s]{0,80})?)\)")
_SOURCE = re.compile(
    r"(?:,\s|\s)(?P<bracket>\()?\[(?P<text>[^\[\]\r\n]{2,40})(?=\]\(http)"
)  # …, [EUR-Lex](https://…
_CLOSING = {"(": ")", "[": "]"}
_REST = re.compile(r"[^()\[\]\r\n]{0,60}(?P<mark>[)\]])")
_STATE = re.compile(  # who makes laws, in other languages; "Council" and the like are known as bodies
    r"(?<!\w)(?:Parlament\w{0,2}|Parlement|Rat|Rad[ay]|Rates|Raad|Consejo|Conseil|Consiglio|Conselho|Com[m]?isi[óo]n|Commissione|Kommission|Congress|Congreso|Cortes|Senate|"
    r"Bundestag|Bundesregierung|Republic|Repúblique|República|Repubblica|Kingdom|States|Europ\w{2,6}\sUni\w{1,3}|Union\seuropéenne|Unión\sEuropea|Crown|State|Estado|État|Stato)(?!\w)"
)
_SECTIONS = ("§", "Art", "art", *"0123456789")  # places in laws, which have headings
_HEADING = re.compile(
    r"(?:,|:|\s[–—-])\s[^\W\d_][^:–—?!\n]{2,80}|\s\([^()\n]{2,80}\)"
)  # § 536 BGB – Mietminderung
_ABOUT = re.compile(  # what is written about laws
    r"\b(?:[Cc]omment|[Kk]ommentar|[Hh]andb|[Gg]uide|[Ii]ntroduction|[Ee]inführung|[Hh]istory|[Gg]eschichte|[Ff]uture|[Ll]imits|[Rr]ise|[Tt]heory|[Pp]ractice|[Ss]tud[yi]|[Cc]asebook|[Ee]ssays)"
)
_GOES_ON = re.compile(  # … of the European Parliament and of the Council of 24 October 1995 on the protection of …
    r"(?:,?\s(?:of\s(?:the\s(?:European\s(?:Parliament|Union)|Council|Commission)|\d{1,2}\s[A-Z])|(?:concerning|regarding|relating\sto|laying\sdown|amending|repealing|establishing|implementing)\s"
    r"|on\s(?:the\s)?(?:[a-z]|(?:Legal\s)?(?:Protection|Privacy|Approximation|Harmoni[sz]ation|Coordination|Enforcement|Free\sMovement|Freezing|Certain|Electronic|Markets)\b)"
    r"|(?:de\sla|del|de|du|des|da|do|della|dello|van\s(?:de|het)|vom|z\sdnia|Parlamentu|Rady)\s(?=[A-Z\d]|[^\W\d_])"
    r"|(?:sobre|por|relativ[aeo]s?|relatif|portant|créant|modifiant|instituant|tendant|visant|concernant|sur|pour|concernente|recante|sull[ao]|über|zum|zur|betreffende|inzake|tot|w\ssprawie|o)\s)"
    r"[^:–—?!\n]{2,400})"
)
_THE = re.compile(r"(?:[Tt]he|In|Under|See|And|By|Since|Of)\s+")


def places_in_codes(answer: str) -> Iterator[Citation]:
    """Places in codes and numbered laws, which say by their form that a law is cited.

    Example:
        >>> [one.reference.title for one in places_in_codes("Under 42 U.S.C. § 1983 and § 823 Abs. 1 BGB you can sue.")]
        ['42 U.S.C. § 1983', '§ 823 Abs. 1 BGB']
    """
    for match in _PLACE.finditer(answer):
        text = match[0].removesuffix(" et seq.")
        year = _YEARS.search(text) if "§" not in text else None
        said = Reference(title=" ".join(text.split()), year=int(year[0]) if year else None)
        yield _law(answer, match.start(), match.end(), said)


def statutes(answer: str) -> Iterator[Citation]:
    """Laws by their names, each with its year or its place in a code.

    Example:
        >>> [(one.reference.title, one.reference.year) for one in statutes("See the Human Rights Act 1998, s 6.")]
        [('Human Rights Act 1998', 1998)]
    """
    for match in _ACT.finditer(answer):
        start = match.start("name")
        while lead := _THE.match(answer, start, match.end("name")):
            start = lead.end()
        named = answer[start : match.end("name")]
        if " " not in named:  # the Act 1998
            continue
        end = match.end("year") if match["year"] else match.end("name")
        place = (match["more"] or match["alone"] or "").strip(" ,()").removesuffix(" et seq.")
        title = " ".join(answer[start:end].split())
        said = Reference(title=title, year=int(match["year"]) if match["year"] else None, venue=place)
        yield _law(answer, start, match.end(), said)


def stands_alone(answer: str, span: Span) -> bool:
    """Whether a law or a decision is no part of a title: of one in marks, or in an entry of a bibliography.

    Example:
        >>> text = '"Teacups and the Human Rights Act 1998" by Jo Roe'
        >>> stands_alone(text, Span(start=17, end=38))
        False
    """
    start, end = span.start, span.end
    line = max(answer.rfind("\n", 0, start) + 1, start - _BEFORE)
    before = _ITEM.sub("", answer[line:start])
    if _ENTRY.search(before) or (not before.strip(" *_") and _BOOK.match(answer, end)):
        return False
    opened = [
        pair
        for pair in _PAIRS  # the text before may have been cut inside a pair of brackets
        if before.count(pair[0]) > before.count(pair[1]) or before.rfind(pair[0]) > before.rfind(pair[1])
    ]
    opened += [(mark, mark) for mark in ('"', "**") if before.count(mark) % 2]
    opened += [("*", "*")] if before.replace("**", "").count("*") % 2 else []
    return all(before.endswith(one) and answer.startswith(other, end) for one, other in opened)


def names_a_law(said: Reference) -> bool:
    """Whether a title is the name or the number of a law, and nobody claims to have written it: "§ 823 BGB and the Sea" is a book.

    Example:
        >>> names_a_law(Reference("Ley 34/2002, de servicios")), names_a_law(Reference("Ley 34/2002", ("Ana Ruiz",)))
        (True, False)
    """
    if not all(name.isupper() or body(name) or _STATE.search(name) for name in said.authors):
        return False
    if (place := _PLACE.match(said.title)) is None:
        return _ACT.fullmatch(said.title) is not None
    rest = said.title[place.end() :]
    headed = place[0].startswith(_SECTIONS) and _HEADING.fullmatch(rest) and not _ABOUT.search(rest)
    return not rest or bool(headed) or _GOES_ON.fullmatch(rest) is not None


_CHINESE = re.compile(
    r"《[^《》\n]{2,50}(?:法|法典|条例|條例|规定|規定|办法|辦法|解释|解釋|规则|規則|细则|決定|决定|公约|公約|条约|條約|议定书|意见|准则|标准|宪章|若干问题的[^《》\n]{2,10})(?:[（(][^（）()《》\n]{1,20}[）)])?》"
    r"(?:\s?第[一二三四五六七八九十百千零〇\d]{1,8}条(?:之[一二三四五六七八九十])?(?:第[一二三四五六七八九十\d]{1,3}[款项]){0,2})?"
)


def chinese_laws(answer: str) -> Iterator[Citation]:
    """Laws of China by their names in brackets, with the article: 《中华人民共和国劳动法》第四十二条.

    Example:
        >>> text = "根据《中华人民共和国劳动法》第四十二条，……"
        >>> [one.span.of(text) for one in chinese_laws(text)]
        ['《中华人民共和国劳动法》第四十二条']
    """
    for match in _CHINESE.finditer(answer):
        name = " ".join(match[0].split())
        yield Citation(Span(start=match.start(), end=match.end()), Reference(name), "legal", kind="law")


def linked(answer: str, found: Sequence[Citation]) -> list[Citation]:
    """The citations in order; laws and decisions with the link that they are the text of, or the link to a source of them right behind.

    Their brackets are balanced, and no span comes to overlap another. The text of a link behind must name a site, or a form of the
    text: [EUR-Lex](…), [PDF](…); any other is another work.

    Example:
        >>> text = "See [Directive 95/46/EC](https://eur-lex.europa.eu/eli/dir/1995/46/oj)."
        >>> linked(text, list(places_in_codes(text)))[0].span.of(text)[-7:]
        '/46/oj)'
    """
    result: list[Citation] = []
    starts = [*(one.span.start for one in found[1:]), len(answer)]
    for one, after in zip(found, starts, strict=False):
        before = result[-1].span.end if result else 0
        result.append(
            _linked(answer, _balanced(answer, one, after), before, after) if one.style == "legal" else one
        )
    return result


def _linked(answer: str, citation: Citation, before: int, after: int) -> Citation:
    start, end = citation.span.start, citation.span.end
    if citation.reference.url:
        return citation
    if start > before and answer[start - 1] == "[":
        start, source = start - 1, None
        address = _ADDRESS.match(answer, end)
    else:
        source = _SOURCE.match(answer, end)
        address = _ADDRESS.match(answer, source.end()) if source else None
    if address is None or (source and not names_source(source["text"], address["url"])):
        return citation
    end = address.end()
    if source and source["bracket"]:
        if not answer.startswith(")", end):
            return citation  # (…; [PDF](https://…), in force)
        end += 1
    if end > after:
        return citation
    return replace(
        citation,
        span=Span(start=start, end=end),
        reference=replace(citation.reference, url=address["url"]),
    )


def _balanced(answer: str, citation: Citation, after: int) -> Citation:
    """The citation with the rest of a bracket that it opens, and without one that it only closes, as far as other citations allow."""
    start, end = citation.span.start, citation.span.end
    opened: list[int] = []
    for at in range(start, end):
        if answer[at] in _CLOSING:
            opened.append(at)
        elif answer[at] in ")]" and (not opened or _CLOSING[answer[opened.pop()]] != answer[at]):
            end, opened = at, []
            break
    if opened:
        rest = _REST.match(answer, end, after)
        whole = rest and len(opened) == 1 and rest["mark"] == _CLOSING[answer[opened[0]]]
        end = rest.end() if rest and whole else opened[0]
    if end < citation.span.end:
        end = start + len(answer[start:end].rstrip(" ,;"))
    return replace(citation, span=Span(start=start, end=end)) if start < end else citation


def _law(answer: str, start: int, end: int, said: Reference) -> Citation:
    """A law, with the emphasis around it."""
    while start > 0 and end < len(answer) and answer[start - 1] == answer[end] and answer[end] in "*_":
        start, end = start - 1, end + 1
    return Citation(Span(start=start, end=end), said, "legal", kind="law")
