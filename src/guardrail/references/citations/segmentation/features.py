"""What the model sees of each token: its form, its neighbours, and the clause and sentence that it is part of."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from guardrail.references.citations.segmentation.tokens import Token

__all__ = ["features"]

_LEADING = re.compile(r"^[^\w]*")
_TRAILING = re.compile(r"[^\w]*$")
_INITIALS = re.compile(r"(?:[^\W\d_]\.-?){1,4}|[^\W\d_]\.?|[A-Z]{2,3}")
_NUMBERS = (
    ("year", re.compile(r"(?:1[4-9]|20)\d\d[a-z]?年?")),
    ("years", re.compile(r"(?:1[4-9]|20)\d\d[-–/](?:(?:1[4-9]|20)?\d\d)")),
    ("range", re.compile(r"[A-Za-z]?\d+\s?[-–—]+\s?[A-Za-z]?\d+")),
    ("issue", re.compile(r"\d+\(\d+.*")),
    ("ordinal", re.compile(r"\d+(?:st|nd|rd|th|e|er|º|ª)")),
    ("number", re.compile(r"\d{1,3}")),
    ("long", re.compile(r"\d+")),
    ("roman", re.compile(r"[IVXLC]{2,7}|[ivxl]{2,6}")),
    ("mixed", re.compile(r".*\d.*")),
)
_ADDRESS = re.compile(r"https?:|www\.|doi\.org|\w+\.(?:com|org|edu|net|gov|ac)\b", re.IGNORECASE)
_DOI = re.compile(r"(?:doi:?)|10\.\d{4,9}/", re.IGNORECASE)
_QUOTES = str.maketrans(
    {"“": '"', "”": '"', "„": '"', "«": '"', "»": '"', "‘": "'", "’": "'", "–": "-", "—": "-", "\n": "¶"}
)
_EAST = ("CJK", "HAN", "HIR", "KAT")  # how `_shape` begins there: few letters are a name, more are none
_OPENING = "“„«‹「『《‘"
_CLOSING = "”»›」』》"
_WORDS_OF = {
    "volume": "vol volume bd band tome tom no nr num number issue heft n° т № вып",
    "pages": "p pp pg page pages seite seiten s с стр",
    "editor": "ed eds editor editors hrsg hg edited dir éd red под ред",
    "translator": "trans translated translator tr trad übers пер",
    "in": "in dans en",
    "and": "and & und et y e и with",
    "others": "al others colleagues др 等 他 외",
    "journal": (
        "journal j journ zeitschrift revue review bulletin annals transactions trans magazine "
        "letters quarterly archives archiv acta gazette newsletter times herald news вестник журнал "
        "известия 学报 学会誌 학회지 논문지 연구"
    ),
    "conference": (
        "proceedings proc conference conf symposium workshop lecture notes congress meeting "
        "colloquium actes atti advances neurips nips icml iclr cvpr acl emnlp aaai ijcai sigir "
        "труды"
    ),
    "press": (
        "press publishers publishing publisher publications verlag university éditions editions "
        "books springer elsevier wiley mcgraw-hill routledge sage academic macmillan penguin oxford "
        "cambridge harvard house presses editorial edizioni kluwer изд издательство наука 出版社 書店 "
        "출판사"
    ),
    "genre": (
        "thesis dissertation phd ph.d m.sc ms master's doctoral diss техн report technical "
        "manuscript preprint unpublished paper"
    ),
    "edition": "edition edn aufl auflage édition rev",
    "month": (
        "january february march april may june july august september october november december jan "
        "feb mar apr jun jul aug sep sept oct nov dec spring summer fall autumn winter janvier "
        "février mars avril mai juin juillet août septembre octobre novembre décembre januar "
        "februar märz juni juli oktober dezember"
    ),
    "visit": "retrieved accessed available viewed visited abgerufen consulté url online",
    "by": "by von par por di",
    "small": "the a an of for on to from at as is le la les der die das des du el",
}
_FORMS = 16_384  # tokens whose form is kept
_WORDS = {word: kind for kind, words in _WORDS_OF.items() for word in words.split()}


@dataclass(frozen=True, slots=True)
class _View:
    """One token, looked at once for all of this form."""

    word: str
    shape: str
    kind: str
    before: str
    after: str
    known: str
    lexicon: str
    lower: bool


def features(tokens: Sequence[Token], lexicon: Mapping[str, str]) -> list[list[str]]:
    """The names of the features of each token, in order.

    Args:
        tokens: of one string.
        lexicon: what a word is in bibliographies, by word in lower case (see `weights.Model.lexicon`).
    """
    views = [_view(token.text, _entry(token.text, lexicon)) for token in tokens]
    breaks = [_breaks(view, following) for view, following in zip(views, [*views[1:], None], strict=True)]
    found = [_own(view, behind) for view, behind in zip(views, breaks, strict=True)]
    _add_neighbours(views, breaks, found)
    _add_marks(tokens, views, found)
    _add_groups(views, breaks, found, least=1, name="clause")
    _add_groups(views, breaks, found, least=2, name="sentence")
    _add_course(views, found)
    return found


def _entry(text: str, lexicon: Mapping[str, str]) -> str:
    word = _split(text)[1].lower()
    return lexicon.get(word) or lexicon.get(word.partition("-")[0], "?")


@lru_cache(maxsize=_FORMS)
def _split(text: str) -> tuple[str, str, str]:
    """What stands before the letters of a token, the letters, and what stands behind them."""
    plain = text.translate(_QUOTES)
    before = _LEADING.match(plain)
    after = _TRAILING.search(plain)
    lead, trail = (before[0] if before else ""), (after[0] if after else "")
    core = plain[len(lead) : len(plain) - len(trail)] if len(lead) < len(plain) else ""
    return lead, core, trail if core else ""


@lru_cache(maxsize=_FORMS)
def _view(text: str, entry: str) -> _View:
    lead, core, trail = _split(text)
    word = core.lower()
    kind = _kind(core, trail)
    return _View(
        word=re.sub(r"\d", "0", word)[:30],
        shape=_shape(core),
        kind=kind,
        before=lead[:3],
        after=trail[:3],
        known=_WORDS.get(word, ""),
        lexicon=entry if kind in ("word", "roman") else "",
        lower=core[:1].islower(),
    )


def _kind(core: str, trail: str) -> str:
    if _ADDRESS.match(core):
        return "address"
    if _DOI.match(core):
        return "doi"
    if not core:
        return "sign"
    if _INITIALS.fullmatch(core + trail[:1] * trail.startswith(".")) and not core.islower():
        return "initial"
    return next((name for name, pattern in _NUMBERS if pattern.fullmatch(core)), "word")


def _shape(core: str) -> str:
    """A word's letters by kind, repetitions once: "McDonald" is XxXx."""
    found: list[str] = []
    for letter in core[:24]:
        if letter.isdigit():
            sign = "0"
        elif letter.isupper():
            sign = "X"
        elif letter.islower():
            sign = "x"
        elif letter.isalpha():
            sign = unicodedata.name(letter, "?")[:3]  # CJK, HIR, KAT, HAN
        else:
            sign = letter
        if not found or found[-1] != sign:
            found.append(sign)
    return "".join(found)[:12]


# Of a token: 1 behind a comma or the like, 2 behind the end of a sentence.
def _breaks(view: _View, following: _View | None) -> int:
    if following is None:
        return 2
    marks = view.after + ("" if view.kind != "sign" else view.before)
    if view.kind == "initial" and set(marks) <= {"."}:
        return 0
    if "¶" in marks or (any(mark in ".?!。．" for mark in marks) and not following.lower):
        return 2
    if any(mark in '"」』》' for mark in marks) or any(mark in '"“「『《(' for mark in following.before):
        return 2
    return 1 if any(mark in ",;:)]，；：、-" for mark in marks) else 0


def _own(view: _View, breaks: int) -> list[str]:
    found = [
        f"w={view.word}", f"shape={view.shape}", f"kind={view.kind}", f"before={view.before}", f"after={view.after}",
        f"known={view.known}", f"lexicon={view.lexicon}", f"breaks={breaks}",
        f"kind+after={view.kind}|{view.after}", f"before+kind={view.before}|{view.kind}|{view.after}",
        f"lexicon+shape={view.lexicon}|{view.shape}", f"word+after={view.word}|{view.after}",
    ]  # fmt: skip
    if view.shape.startswith(_EAST):
        found.append(f"length={view.shape[:3]}|{min(len(view.word), 8)}|{view.after}")
    elif view.kind == "word" and len(view.word) > 3:
        found += [f"p={view.word[:3]}", f"s={view.word[-3:]}", f"s2={view.word[-2:]}"]
    return found


def _add_neighbours(views: Sequence[_View], breaks: Sequence[int], found: Sequence[list[str]]) -> None:
    count = len(views)
    for at, (view, names) in enumerate(zip(views, found, strict=True)):
        for offset in (-3, -2, -1, 1, 2, 3):
            place = at + offset
            if not 0 <= place < count:
                names.append(f"{offset}:edge")
                continue
            other = views[place]
            names += [
                f"{offset}:kind={other.kind}|{other.after}",
                f"{offset}:lexicon={other.lexicon}",
                f"{offset}:known={other.known}",
            ]
            if abs(offset) <= 2:
                names += [
                    f"{offset}:w={other.word}",
                    f"{offset}:shape={other.shape}",
                    f"{offset}:before={other.before}",
                ]
        last = views[at - 1] if at else None
        following = views[at + 1] if at + 1 < count else None
        if last:
            names += [
                f"-1+0:after+shape={last.after}|{view.shape}",
                f"-1+0:after+lexicon={last.after}|{view.lexicon}|{view.lower}",
                f"-1+0:kind={last.kind}{last.after}|{view.kind}{view.after}",
                f"-1+0:breaks+known={breaks[at - 1]}|{view.known}",
                f"-1+0:words={last.word}|{view.word}",
            ]
        if following:
            names += [
                f"0+1:after+shape={view.after}|{following.shape}",
                f"0+1:kind={view.kind}{view.after}|{following.kind}{following.after}",
                f"0+1:lexicon={view.lexicon}{view.after}|{following.lexicon}",
            ]
        if last and following:
            names.append(
                f"-1+0+1:kind={last.kind}{last.after}|{view.kind}{view.after}|{following.kind}{following.after}"
            )


def _add_marks(tokens: Sequence[Token], views: Sequence[_View], found: Sequence[list[str]]) -> None:
    """Whether a token is within quotation marks, brackets or emphasis, or behind a quotation."""
    quoted = emphasised = 0
    bracket = had = False
    for token, view, names in zip(tokens, views, found, strict=True):
        text = token.text
        head, tail = (
            text[: len(view.before)] if view.kind != "sign" else text,
            text[len(text) - len(view.after) :],
        )
        opened = any(mark in _OPENING for mark in head) or ('"' in head and not quoted)
        quoted = 1 if opened else quoted
        bracket = bracket or "(" in text or "[" in text or "（" in text
        emphasised = 1 if "*" in head or "_" in head else emphasised
        names.append(f"marks={quoted}{int(bracket)}{emphasised}{int(had)}")
        names.append(f"marks+kind={quoted}{int(bracket)}{emphasised}|{view.kind}")
        if quoted and (any(mark in _CLOSING for mark in tail) or '"' in tail or (opened and '"' in head[1:])):
            quoted, had = 0, True
        if ")" in text or "]" in text or "）" in text:
            bracket = False
        if emphasised and ("*" in tail or "_" in tail):
            emphasised, had = 0, True


def _add_groups(
    views: Sequence[_View], breaks: Sequence[int], found: Sequence[list[str]], *, least: int, name: str
) -> None:
    """Of the clause or sentence around each token: length, letters, numbers, names, words that tell its kind."""
    groups: list[list[int]] = [[]]
    for at, behind in enumerate(breaks):
        groups[-1].append(at)
        if behind >= least and at + 1 < len(views):
            groups.append([])
    told = [_group([views[at] for at in group]) for group in groups]
    for number, group in enumerate(groups):
        own = told[number]
        before = told[number - 1] if number else ("edge",) * 4
        after = told[number + 1] if number + 1 < len(groups) else ("edge",) * 4
        shared = [
            f"{name}={'|'.join(own)}", f"{name}:size={own[0]}", f"{name}:names={own[1]}", f"{name}:known={own[2]}",
            f"{name}:case={own[3]}", f"{name}:names+case={own[1]}|{own[3]}|{own[0]}",
            f"{name}:-1={before[1]}|{before[2]}", f"{name}:+1={after[1]}|{after[2]}", f"{name}:+1:size={after[0]}",
            f"{name}:-1:kind={before[2]}|{own[1]}|{own[3]}", f"{name}:+1:kind={after[2]}|{own[1]}|{own[3]}",
            f"{name}:number={min(number, 6)}", f"{name}:left={min(len(groups) - number, 6)}",
            f"{name}:number+names={min(number, 4)}|{own[1]}|{own[3]}",
            f"{name}:number+known={min(number, 4)}|{own[2]}",
        ]  # fmt: skip
        for place, at in enumerate(group):
            found[at] += shared
            found[at].append(f"{name}:place={'first' if not place else 'last' if at == group[-1] else 'in'}")


def _group(views: Sequence[_View]) -> tuple[str, str, str, str]:
    words = [view for view in views if view.kind in ("word", "roman")]
    size = next((str(most) for most in (1, 2, 4, 8, 16) if len(views) <= most), "many")
    initials = sum(view.kind == "initial" for view in views)
    surnames = sum(view.lexicon[:1] in "AB" for view in words if view.lexicon)
    share = (initials + surnames) / max(len(words) + initials, 1)
    names = "none" if share < 0.2 else "some" if share < 0.6 else "most"
    names += "+" * (initials > 0)
    known = [view.known for view in views if view.known and view.known not in ("small", "and", "by")]
    tells = known[0] if known else "in" if views[0].word == "in" else ""
    if not tells:
        kinds = {view.kind for view in views} & {"year", "range", "number", "long", "issue", "address", "doi"}
        tells = min(kinds, default="")
    content = [view for view in words if view.known != "small" and len(view.word) > 3]
    low = sum(view.lower for view in content) / max(len(content), 1)
    case = "" if not content else "upper" if low < 0.1 else "mixed" if low < 0.5 else "lower"
    return size, names, tells, case


def _add_course(views: Sequence[_View], found: Sequence[list[str]]) -> None:
    """How far the string has come, and what has been seen."""
    count = len(views)
    years = [at for at, view in enumerate(views) if view.kind in ("year", "years")]
    presses = [at for at, view in enumerate(views) if view.known in ("press", "journal", "conference")]
    first = years[0] if years else count
    for at, names in enumerate(found):
        year = "none" if not years else "before" if at > first else "here" if at == first else "behind"
        names += [
            f"at={at if at < 3 else 3 + 10 * at // count}",
            f"left={min(count - at - 1, 4)}",
            f"year={year}|{int(bool(years) and at > years[-1])}",
            f"place={int(any(place < at for place in presses[:1]))}{int(bool(presses) and presses[-1] > at)}",
        ]
