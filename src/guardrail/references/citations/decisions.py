"""Decisions of courts outside the United States: *Donoghue v Stevenson* [1932] AC 562; Case C-131/12; BVerfGE 65, 1.

No reader of these is well kept elsewhere, and no bibliography has them all: one that is not found is not called wrong.
Each form of citation is looked for first, and the name of the case beside it: before it in common law, on either side elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from guardrail.references.bibliography.records import Reference
from guardrail.references.citations.laws import any_of, law_words
from guardrail.references.citations.model import Citation
from guardrail.report import Span

__all__ = ["decisions"]

_YEAR = r"(?:1[6-9]|20)\d\d"
_OF = {name: any_of(words) for name, words in law_words()["courts"].items()}
_REPORT = r"[A-Z][A-Za-z.]{0,9}(?:\([A-Z]\))?(?:\s(?:[A-Z][A-Za-z.]{0,9}|&|\([A-Z]{2}\))){0,2}"
_CITED = re.compile(
    rf"(?P<common>\[{_YEAR}(?:-\d\d)?\](?:\s\d{{1,2}})?\s{_REPORT}\s\d{{1,5}}(?:\s\((?:[A-Z][A-Za-z]{{1,8}})\))?"  # [1964] 1 QB 349; [2002] EWHC 490 (QB)
    rf"|\({_YEAR}\)\s\d{{1,4}}\s(?=[A-Z][A-Za-z. ]*[A-Z]){_REPORT}\s\d{{1,5}}(?!\()"  # (1992) 175 CLR 1
    rf"|\({_YEAR}\)\sLR\s\d{{1,2}}\s[A-Z]{{2,4}}\s\d{{1,4}}"  # (1868) LR 3 HL 330
    rf"|(?<![\w-]){_YEAR}\s(?:{_OF['neutral']})(?:\s(?:Civ|Crim))?\s\d{{1,5}}"  # 2002 SCC 76
    rf"|(?<![\w-]){_YEAR}\s(?:\(\d\)\sSA|JC|SLT|SCCR)\s\d{{1,4}}(?:\s\([A-Z]{{1,4}}\))?"  # 1998 (1) SA 765 (CC)
    rf"|(?<!\w)AIR\s{_YEAR}\s[A-Z][A-Za-z]{{1,4}}\s\d{{1,5}}"  # AIR 1987 SC 1086
    rf"|(?<![\w-])\d{{1,3}}\s(?:{_OF['reports']})(?:\s\(\d(?:th|d|rd|nd)\))?\s\d{{1,4}})"  # 207 CLR 562
    rf"|(?P<numbered>(?:{_OF['numbers']})\s(?:[CTF][-‑–])?\d{{1,4}}/\d\d(?:\s(?:P|PPU))?"
    r"(?:(?:,|\sand|\sund|\set|\sy)\s(?:[CTF][-‑–])\d{1,4}/\d\d){0,3}"
    r"|(?<![\w-])[CT][-‑–]\d{1,4}/\d\d(?!\w)"
    r"|\(?App(?:\.|lication)?\s[Nn]os?\.?\s\d{3,6}/\d\d"
    r"|(?:n[°º]|Nr\.)\s\d{3,6}/\d\d(?!\d)"
    r"|(?:ECLI:|EU:)[A-Z0-9:.]{5,40}\d"
    rf"|(?<!\w)(?:{_OF['german']})\s\d{{1,3}},\s\d{{1,4}}|(?<!\w)(?:{_OF['swiss']})\s\d{{1,3}}\s[IVX]{{1,4}}[ab]?\s\d{{1,4}})"
)
_DATE = r"\d{1,2}(?:er)?\.?\s?(?:de\s)?(?:[^\W\d_]{3,12}|\d{1,2}\.)\s?(?:de\s)?(?P<year>(?:1[6-9]|20)\d\d)"
_CONTINENTAL = re.compile(
    rf"(?<!\w)(?:{_OF['names']})(?:,?\s(?:[Cc]iv\.|[Cc]rim\.|soc\.|com\.|[Aa]ss\.(?:\splén\.)?|Sez\.\s(?:Un\.|[IVX]{{1,3}})|ch\.\smixte|sect\.|\(?Pleno\)?|GC)){{0,2}},?\s"
    rf"(?:(?:{_OF['ruled']})\s(?:vom|v\.|du|z)\s|de\s)?{_DATE}(?:\sr\.)?"
    r"(?P<rest>(?:(?:,\s|\s[–—-]\s|\s)(?:n[°º.]\s?[\d./-]{2,12}(?:\sDC)?|(?:Rs\.\s)?[CT][-‑–]\d{1,4}/\d\d|(?:ECLI:|EU:)[A-Z0-9:.]{5,40}\d"
    r"|(?:BVerfGE|BGHZ|BGHSt|BVerwGE|NJW|NJ)\s[\d/]{1,9}(?:,\s\d{1,4})?|\d\sBv[RLFE]\s\d{1,4}/\d\d|[IVX]{1,4}\s[A-Z]{2,4}\s\d{1,4}/\d\d)){0,3})"
    r"(?:(?:,\s|\s)\(?(?P<mark>\*{1,2})(?P<marked>[^*\n]{3,100})(?P=mark)\)?(?P<more>,\s(?:n[°º]\s?[\d./-]{2,12}|(?:asuntos?\s(?:acumulados\s)?)?(?:[CTF][-‑–])?\d{1,4}/\d\d(?:\sy\sC[-‑–]\d{1,4}/\d\d)?))?|\s\(?[„«](?P<quoted>[^„“”«»\n]{3,60})[“”»]\)?"
    r"|\s[–—-]\s(?P<plain>[A-ZÄÖÜ][\w.’'&-]*(?:[ \u00a0](?:und|et|e|y|gegen|c\.|auf|[A-ZÄÖÜ0-9][\w.’'&-]*)){0,6}))?"
)
_JAPANESE = re.compile(  # 三菱樹脂事件(最大判昭和48年12月12日民集27巻11号1536頁)
    r"(?:事件|判決|訴訟|決定)[(（](?P<cited>(?:最|東京高|大阪高|東京地)[大一二三小判決高地]{0,4}[判決][^()（）\n]{5,60})[)）]"
)
_BRAZILIAN = re.compile(  # STJ, AgInt no AREsp 1.783.812/PR, Rel. Min. Nancy Roe, 3ª Turma, DJe 13/08/2021
    rf"(?<![\w/.-])(?:(?:{_OF['brazilian']}|T[JR][A-Z\d-]{{1,4}}),?\s)?(?P<docket>(?:(?:{_OF['appeals']})\s(?:n[oa]s?|em)\s){{0,3}}(?:{_OF['dockets']})\s(?:n\.?[º°o.]?\s)?[\dX][\dX.-]{{4,28}}(?<=\d)(?:/[A-Z]{{2}})?)"
    r"(?:,?\s\(?(?:Rel|Min|Des|[Rr]elator|\d{1,2}ª|Primeira|Segunda|Terceira|Quarta|Quinta|Sexta|QUINTA|SEXTA|Tribunal\sPleno|Plenário|julgad|[Jj]\.|DJ|publicad)[^,;()\n]{2,60}){0,6}"
)
_NAMED = re.compile(r"[^\s、。，「」『』()（）:：・はがをにで]{1,24}\Z")
_IS_CASE = re.compile(r"\sv\.?\s|\svs\.\s|\sc\.\s|^(?:Re|In re|Ex parte|R)\s|\b(?:Case|Affair|Reference)\b")
_ALONE = re.compile(r"(?:HR|SN|TC|CE)\b")  # courts whose letters stand for other things, too
_SAYS_RULED = re.compile(rf"\b(?:{_OF['ruled']})(?!\w)")
_BY_ITSELF = re.compile(r"(?:BGE|ATF|DTF|BVerf|BGH|BVerw|BAG|RGZ)")  # cited without names as a rule
_FORENAME = r"[A-Z][\w.’'&()-]{0,40}"
_PARTY = rf"(?:{_FORENAME},?\s(?:(?:of|and|the|for|de|la|et|on|in|to|und|ex\sp)\s){{0,3}}){{1,12}}"
_NAME = re.compile(
    rf"(?:(?P<mark>[*_]{{1,3}})(?P<marked>[^*_\n]{{3,160}})(?P=mark)"
    rf"|(?P<plain>(?:R\s\([^()\n]{{3,80}}\)\s|{_PARTY})(?:v\.?|vs\.?|c\.|gegen|contre)\s(?:[Tt]he\s)?[A-Z][^;:*_\[\]\n]{{0,110}}?(?:\s\([Nn]o\.?\s\d\))?|(?:Re|Ex parte|In re)\s[A-Z][^;:,*_\[\]\n]{{1,60}}?))"
    r"(?P<behind>(?:,?\s\([^()\n]{1,40}\))?,?\s\(?|\s\|\s)\Z"
)
_AFTER = re.compile(
    r"(?:,?\s|\s[–—-]\s|:\s|,?\s\()(?:(?P<mark>[*_]{1,3})(?P<marked>[^*_\n]{3,160})(?P=mark)"
    r"|(?P<plain>[A-Z][\w.’'&-]*(?:\s[\w.’'&-]+){0,12}(?=\s\((?:19|20)\d\d\))"
    r"|[A-Z][\w.’'&-]*(?:\s[\w.’'&()-]+){0,12}?\s(?:v\.?|c\.|/)\s[A-Z][\w.’'&-]*(?:\s[A-Z][\w.’'&-]*){0,6})"
    r"|[„«](?P<quoted>[^„“”«»\n]{3,60})[“”»]\)?)"
)
_TOGETHER = re.compile(
    r"\)?(?:,\s|\s\||\s)\s?(?:(?:ECLI:|EU:)[A-Z0-9:.]{5,40}\d|\[(?:19|20)\d\d\]\sECR\s(?:I{1,2}[-‑–])?\d{1,5})"
)  # behind a number, of the same decision
_DATED = re.compile(
    rf"(?:\s\([“\"„«][^()\n]{{2,40}}[”\"“»]\))?\)?,?\s(?:\((?:[^()\n]{{0,30}}\s)?(?P<year>{_YEAR})\)|(?:Urteil\svom\s|judgment\sof\s|arrêt\sdu\s)?\d{{1,2}}\.?\s[^\W\d_]{{3,10}}\s(?P<day>{_YEAR}))"
)
_WORDS_BEFORE = re.compile(
    r"(?:(?:In|See|also|Under|Cf|As|And|But|Compare|From|Since|Following|By|The case of|Leading case|Per)\b[.:,]?\s+(?!re\b))+"
)
_BEFORE, _BEHIND = 200, 200  # characters that may hold the name
_MOST = 400  # citations that are looked at: each takes a quarter of a millisecond at most
_YEARS = re.compile(rf"(?<!\d){_YEAR}(?!\d)")


def decisions(answer: str) -> Iterator[Citation]:
    """The decisions that an answer cites, each with its name; a citation without a name is left out, but for those that never have one.

    Example:
        >>> found = next(decisions("See *Donoghue v Stevenson* [1932] AC 562."))
        >>> found.reference.title, found.reference.year, found.reference.venue
        ('Donoghue v Stevenson', 1932, '[1932] AC 562')
    """
    dated = [*filter(None, map(_of_court, _CONTINENTAL.finditer(answer))), *_japanese(answer)]
    dated += _brazilian(answer)
    yield from dated
    taken = bytearray(len(answer))
    for one in dated:
        taken[one.span.start : one.span.end] = b"\x01" * (one.span.end - one.span.start)
    since = 0
    for match in islice(_CITED.finditer(answer), _MOST):
        if match.start() < since or taken.find(1, match.start(), match.end()) >= 0:
            continue
        found = _decision(answer, match, since)
        if found is not None:
            since = found.span.end
            yield found


def _of_court(match: re.Match[str]) -> Citation | None:
    """A decision that is cited by its court and its day; "HR, 12 March 2020" alone may be anything."""
    said = match.groupdict()
    sure = said["rest"] or said["more"] or said["marked"] or said["quoted"] or _SAYS_RULED.search(match[0])
    if _ALONE.match(match[0]) and not sure:
        return None
    name = said["marked"] or said["quoted"] or said["plain"] or match[0]
    venue = (said["rest"] or said["more"] or "").strip(" ,–—-")
    reference = Reference(title=" ".join(name.split()), year=int(said["year"]), venue=venue)
    return Citation(Span(start=match.start(), end=match.end()), reference, "legal", kind="case")


def _japanese(answer: str) -> Iterator[Citation]:
    """Decisions of Japanese courts, which have names."""
    for match in islice(_JAPANESE.finditer(answer), _MOST):
        behind = match.start("cited") - 1
        if name := _NAMED.search(answer, max(0, behind - 26), behind):
            reference = Reference(title=name[0], venue=match["cited"])
            yield Citation(Span(start=name.start(), end=match.end()), reference, "legal", kind="case")


def _brazilian(answer: str) -> Iterator[Citation]:
    """Decisions of Brazilian courts, by their numbers."""
    for match in islice(_BRAZILIAN.finditer(answer), _MOST):
        year = _YEARS.search(answer, match.end("docket"), match.end())
        reference = Reference(title=match["docket"], year=int(year[0]) if year else None)
        yield Citation(Span(start=match.start(), end=match.end()), reference, "legal", kind="case")


def _decision(answer: str, match: re.Match[str], since: int) -> Citation | None:
    cited = match[0].lstrip("(") if match["numbered"] else match[0]
    start, end = match.end() - len(cited), match.end()
    line = max(answer.rfind("\n", 0, start) + 1, start - _BEFORE, since)
    name = ""
    if before := _NAME.search(answer, line, start):
        at = before.start("plain") if before["plain"] else before.start()
        if before["plain"] and (lead := _WORDS_BEFORE.match(answer, at, before.end("plain"))):
            at = lead.end()
        name = answer[max(at, before.start("marked")) : before.end("plain" if before["plain"] else "marked")]
        if match["common"] and not cited.startswith("[") and not _IS_CASE.search(name):
            return None  # an article: Roe, *Of Rivers* (2005) 68 MLR 12
        start = at
    together = ""
    if match["numbered"]:
        if more := _TOGETHER.match(answer, end):
            end, together = more.end(), more[0]
        behind = _AFTER.match(answer, end, end + _BEHIND) if not name else None
        if behind:
            name, end = behind["marked"] or behind["plain"] or behind["quoted"], behind.end()
            if more := _TOGETHER.match(answer, end):
                end, together = more.end(), more[0]
    if not name and not _BY_ITSELF.match(cited):
        return None
    year = _YEARS.search(cited) or _YEARS.search(together)
    if dated := _DATED.match(answer, end, end + _BEHIND):
        end = dated.end()
    elif answer[match.start()] == "(" and match["numbered"] and answer[end : end + 1] == ")":
        end += 1
    said = (year[0] if year else "") or (dated and (dated["year"] or dated["day"])) or ""
    reference = Reference(
        title=" ".join((name or cited).split()).strip(" ,"), year=int(said) if said else None, venue=cited
    )
    return Citation(Span(start=start, end=end), reference, "legal", kind="case")
