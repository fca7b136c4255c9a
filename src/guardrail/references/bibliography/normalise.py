r"""One form for titles and identifiers, so that what is the same compares equal.

`normalise` is the only function that decides when two titles are the same to the letter: lower case, no
accents, letters and digits only, "&" read as "and", TeX and HTML mark-up dropped. It keeps letters of every
script, so that a Chinese or Greek title does not vanish. Only mark-up that is known is dropped: whatever else
looks like it ("\Not", "<b not>") is read by people, and stays as words.
"""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Callable
from hashlib import blake2b
from itertools import islice

from guardrail.references.authors.words import word_set

MAX_TITLE = 1000  # characters; no title is longer, and hostile ones are cut before any work is done

ACCENTS = {
    "`": "\u0300", "'": "\u0301", "^": "\u0302", "~": "\u0303", "=": "\u0304", "u": "\u0306", ".": "\u0307",
    '"': "\u0308", "r": "\u030a", "H": "\u030b", "v": "\u030c", "d": "\u0323", "c": "\u0327", "k": "\u0328",
    "b": "\u0331",
}  # fmt: skip
_GREEK = (
    "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho varsigma sigma tau "
    "upsilon phi chi psi omega"
)
GREEK = {name: chr(code) for code, name in enumerate(_GREEK.split(), 0x3B1)}
SPELT = {letter: name.removeprefix("var") for name, letter in GREEK.items()}
LETTERS = {
    "ss": "ß", "o": "ø", "O": "Ø", "l": "ł", "L": "Ł", "ae": "æ", "AE": "Æ", "oe": "œ", "OE": "Œ", "aa": "å",
    "AA": "Å", "i": "i", "j": "j", "dh": "ð", "DH": "Ð", "dj": "đ", "DJ": "Đ", "th": "þ", "TH": "Þ", "ng": "ŋ",
    "NG": "Ŋ", "textendash": "–", "textemdash": "—", "textquoteright": "’", "textquoteleft": "‘",
    "textquotedblleft": "“", "textquotedblright": "”", "textasciitilde": "~", "slash": "/", "ldots": "…",
    "dots": "…", "textregistered": "®", "texttrademark": "™", "S": "§", "pounds": "£", "euro": "€", "textless": "<",
    "textgreater": ">", "less": "<", "greater": ">", "textunderscore": "_", "textbar": "|", "textdollar": "",
}  # fmt: skip
# Commands whose name is read aloud: it stays as a word.
WORDS = word_set(
    "ell infty log ln exp sin cos tan min max sup inf sum prod det sqrt star ast times dagger Gamma Delta Theta "
    "Lambda Xi Pi Sigma Upsilon Phi Psi Omega LaTeX TeX BibTeX varepsilon vartheta varphi"
)
# Commands that only change how the text looks.
FORMATTING = word_set(
    "emph textbf textit textrm textsf texttt textsc textsl textup textmd textnormal textsuperscript textsubscript "
    "mathrm mathbf mathit mathsf mathtt mathcal mathbb mathfrak mathscr mathnormal boldsymbol pmb bm text mbox hbox "
    "it bf rm sf tt sc sl em cal itshape bfseries rmfamily sffamily ttfamily scshape slshape upshape mdseries "
    "normalfont ensuremath operatorname underline uline protect relax MakeUppercase MakeLowercase uppercase lowercase "
    "noopsort hspace vspace hskip kern quad qquad thinspace enspace xspace linebreak newline allowbreak nobreak "
    "noindent unskip ignorespaces displaystyle textstyle scriptstyle href url mkbibemph mkbibbold mkbibitalic"
) | frozenset(ACCENTS)
# Between dollars also these: signs that are no letters, and how formulas are set.
SIGNS = word_set(
    "left right big Big bigl bigr hat bar tilde vec dot ddot check breve acute grave widehat widetilde overline "
    "overrightarrow sb sp limits nolimits frac to gets in notin ni le leq leqslant ge geq geqslant lt gt ne neq ll gg "
    "cdot cdots circ bullet pm mp div subset subseteq supset supseteq cap cup wedge vee oplus otimes odot ominus "
    "partial nabla forall exists neg lnot sim simeq approx equiv cong propto mid parallel perp langle rangle lceil "
    "rceil lfloor rfloor lbrace rbrace vert Vert colon prime rightarrow leftarrow leftrightarrow Rightarrow "
    "Leftarrow longrightarrow mapsto uparrow downarrow backslash setminus emptyset varnothing triangle square "
    "sharp flat natural top bot vdash models cup int"
)
PLAIN = {
    "ø": "o", "ł": "l", "æ": "ae", "œ": "oe", "đ": "d", "ð": "d", "þ": "th", "ŋ": "ng", "ı": "i", "ħ": "h",
    "ŧ": "t", "ĸ": "k", "ə": "e", **SPELT,
}  # fmt: skip
PLAIN_TABLE = str.maketrans(PLAIN)

ACCENT = re.compile(
    r"""\\(?:(["'`^~=.])[ \t]?|([uvHcdbkr])(?:(?=\{)|[ \t]+))(?:\{[ \t]?\\?([^\W\d_])[ \t]?\}|\\?([^\W\d_]))"""
)
COMMAND = re.compile(r"\\([A-Za-z]+)\*?[ \t]*(?:\{\})?")
DOLLAR = re.compile(r"(?<!\\)\$")
ESCAPED = re.compile(r"\\(.)", re.DOTALL)
SPACES = {**dict.fromkeys(",;: \t\n\\", " "), **dict.fromkeys("-/!@()[]", "")}  # with a backslash before
_TAG_NAMES = (
    r"i|b|u|em|strong|su[bp]|sc|scp|tt|span|p|br|jats:(?:italic|bold|su[bp]|sc|monospace|underline|p|title|sec|"
    r"inline-formula|tex-math|alternatives)|mml:(?:math|m[ino]|mrow|msu[bp]|msubsup|mfrac|mtext|mspace|mstyle|mover|"
    r"munder|munderover|msqrt|mroot|mfenced|mtable|mtr|mtd|mpadded|mphantom|mmultiscripts|semantics|annotation)"
)
# With attributes as mark-up has them, name="value"; anything else is text between angle brackets.
TAG = re.compile(
    rf"</(?:{_TAG_NAMES})\s{{0,3}}>|"
    rf"<(?:{_TAG_NAMES})(?:\s{{1,3}}[\w:-]{{1,30}}=(?:\"[^\"<>]{{0,80}}\"|'[^'<>]{{0,80}}')){{0,8}}\s{{0,3}}/?>",
    re.IGNORECASE,
)
# East Asian characters are words of their own: there are no blanks between them.
EAST = r"\u3041-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
TOKEN = re.compile(rf"[{EAST}]|[^\W_{EAST}]+")
_TRADE = re.compile("[™®℠©]")  # NFKD would make letters of two of them
# A word broken at the end of a line, but not "pre- and postprocessing".
BROKEN = re.compile(r"(?<=[^\W\d_])[-\u2010\u00ad]\s{1,3}(?=[^\W\d_])(?!(?:and|or|to|und|oder|et|y)\b)")
BREAK = re.compile(
    r":\s|：|(?<=[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]):(?=[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3])|\s[-–—]{1,3}\s|[—?!]\s|[―—─]{2}|(?<!\sv)\.\s+(?=[A-ZÀ-ÞĆĈČĎĐĘĚĞİŁŃŇŐŘŚŞŠŤŮŰŹŻŽА-ЯЁІЇЄ])|\s\(|;\s"
    # Narrative of a Life, an American Slave; Frankenstein, or the Modern Prometheus; Émile ou De l'éducation; 新しい教室 苦手を得意に変える
    r"|,?\sou\s(?=[A-ZÀ-Þ])|,\s(?=(?:an|or|oder|being)\s)|(?<=[\u3040-\u30ff\u3400-\u9fff])(?:\s(?=[「『\u3040-\u30ff\u3400-\u9fff])|\s?[〜～])"
)


def decode_tex(text: str) -> str:
    r"""Read TeX mark-up as Unicode text: accents, letters, quotes, dashes; braces and formatting are dropped.

    A command that is not known stays as a word.

    Example:
        >>> decode_tex(r'{\"U}ber {B}anach-R\"aume: $\alpha$-\emph{convexity} --- a survey')
        'Über Banach-Räume: α-convexity — a survey'
    """
    if not any(mark in text for mark in "\\{}$`-~"):
        return text
    text = ACCENT.sub(_accent, text)
    text = "".join(
        COMMAND.sub(_formula if at % 2 else _command, piece) for at, piece in enumerate(DOLLAR.split(text))
    )
    text = ESCAPED.sub(lambda sign: SPACES.get(sign[1], sign[1]), text.replace("~", " "))
    for source, target in (
        ("{", ""),
        ("}", ""),
        ("---", "—"),
        ("--", "–"),
        ("``", "“"),
        ("''", "”"),
    ):
        text = text.replace(source, target)
    return " ".join(text.split())


def _accent(match: re.Match[str]) -> str:
    mark = ACCENTS[match.group(1) or match.group(2)]
    letter: str = match.group(3) or match.group(4)
    return unicodedata.normalize("NFC", letter + mark)


def _command(match: re.Match[str]) -> str:
    name = match.group(1)
    if name in GREEK:
        return GREEK[name]
    if name in LETTERS:
        return LETTERS[name]
    if name in WORDS:
        return f"{name} "
    return "" if name in FORMATTING else f" {name} "


def _formula(match: re.Match[str]) -> str:
    """A command between dollars."""
    return "" if match.group(1) in SIGNS else _command(match)


def normalise(title: str) -> str:
    r"""The form in which titles are compared: words of lower-case letters and digits, one blank between.

    Idempotent; at most `MAX_TITLE` characters are read. An empty result means there is nothing to compare.

    Example:
        >>> normalise("K{\\\"o}nig \\& S\u00f8n: the $\\ell_1$-norm <i>revisited</i>!")
        'konig and son the ell 1 norm revisited'
    """
    text = title[:MAX_TITLE]
    if "\\" in text or "{" in text:
        text = decode_tex(text)
    if "&" in text and ";" in text:
        text = html.unescape(text)
    if "<" in text:
        text = TAG.sub(" ", text)
    text = text.replace("&", " and ")
    if "- " in text or "-\n" in text or "\u00ad" in text or "\u2010" in text:
        text = BROKEN.sub("", text).replace("\u00ad", "")
    if text.isascii():
        return " ".join(TOKEN.findall(text.lower()))
    text = _TRADE.sub("", text)
    text = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", text).casefold())
    text = "".join(letter for letter in text if not unicodedata.combining(letter)).translate(PLAIN_TABLE)
    return " ".join(TOKEN.findall(text))[:MAX_TITLE].rstrip()


def squeeze(normalised: str) -> str:
    """A normalised title without its blanks: "multi agent" and "multiagent" are one word.

    Example:
        >>> squeeze("multi agent systems")
        'multiagentsystems'
    """
    return normalised.replace(" ", "")


def main_part(title: str) -> str:
    """The title before its subtitle, as it is written; "" where no subtitle can be recognised.

    Example:
        >>> main_part("Jeannie: granting Java native interface developers their wishes")
        'Jeannie'
    """
    text = title[:MAX_TITLE]
    found = BREAK.search(text, 1)
    return text[: found.start()] if found else ""


def main_parts(title: str) -> list[str]:
    """The title before each place where a subtitle may begin, shortest first; at most four.

    Example:
        >>> main_parts("Is it fair? Or: a question (with answers)")
        ['Is it fair', 'Is it fair? Or', 'Is it fair? Or: a question']
    """
    text = title[:MAX_TITLE]
    return [text[: found.start()] for found in islice(BREAK.finditer(text, 1), 4)]


def key(kind: str, value: str) -> int:
    """A signed 64-bit number that stands for a title or an identifier; what it finds is compared in full."""
    digest = blake2b(f"{kind}:{value}".encode("utf-8", "replace"), digest_size=8).digest()
    return int.from_bytes(digest, "big", signed=True)


DOI = re.compile(r"10\.\d{4,9}/\S{1,200}")
ARXIV = re.compile(r"(?<![\d.])(\d{4}\.\d{4,5}|[a-z-]{2,20}(?:\.[a-z]{2})?/\d{7})(?:v\d{1,3})?(?!\d)")


def normalise_doi(text: str) -> str:
    """A DOI in lower case without a resolver's address or final punctuation; "" if there is none.

    Example:
        >>> normalise_doi("https://doi.org/10.1000/ABC.1).")
        '10.1000/abc.1'
    """
    found = DOI.search(text[:MAX_TITLE])
    return _unbalanced(found.group().rstrip(".,;:'\"}>")).lower() if found else ""


def _unbalanced(text: str) -> str:
    while text.endswith(")") and text.count(")") > text.count("("):
        text = text[:-1].rstrip(".,;:")
    return text


def normalise_arxiv(text: str) -> str:
    """An arXiv identifier without version; "" if there is none.

    Example:
        >>> normalise_arxiv("arXiv:1706.03762v5"), normalise_arxiv("math.GT/0309136")
        ('1706.03762', 'math.gt/0309136')
    """
    found = ARXIV.search(text[:MAX_TITLE].lower().removeprefix("arxiv:"))
    return found.group(1) if found else ""


def normalise_isbn(text: str) -> str:
    """An ISBN as its thirteen digits (ten are converted); "" unless the check digit is right.

    Example:
        >>> normalise_isbn("0-262-03384-4")
        '9780262033848'
    """
    digits = re.sub(r"[^0-9Xx]", "", text[:100]).upper()
    if len(digits) == 10 and digits[:9].isdecimal():
        total = sum((10 - place) * (10 if digit == "X" else int(digit)) for place, digit in enumerate(digits))
        if total % 11:
            return ""
        body = f"978{digits[:9]}"
        return body + str(-_weighted(body) % 10)
    if len(digits) == 13 and digits.isdecimal() and _weighted(digits) % 10 == 0:
        return digits
    return ""


def _weighted(digits: str) -> int:
    return sum(int(digit) * (3 if place % 2 else 1) for place, digit in enumerate(digits))


def normalise_pmid(text: str) -> str:
    """The digits of a PubMed identifier; "" if there are none.

    Example:
        >>> normalise_pmid("PMID: 12345678")
        '12345678'
    """
    found = re.search(r"(?<![0-9])[1-9][0-9]{0,8}(?![0-9])", text[:100])
    return found.group() if found else ""


IDENTIFIERS: dict[str, Callable[[str], str]] = {
    "doi": normalise_doi,
    "arxiv": normalise_arxiv,
    "isbn": normalise_isbn,
    "pmid": normalise_pmid,
}
