"""Conferences and journals of computer science: acronyms, names, series, and what their DOIs look like.

The table is of November 2026, written by hand from the venues' own pages: acronyms; names without "proceedings", "annual"
and "international"; the series that its proceedings appear in; the prefixes that its DOIs have ("-": it gives none).
An entry without prefixes says nothing about DOIs.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

from guardrail.references.bibliography.journals import abbreviates
from guardrail.references.bibliography.normalise import normalise

_TABLE = """
NeurIPS NIPS | advances in neural information processing systems; conference on neural information processing systems; neural information processing systems | nips | 10.52202 10.5555 10.7551
ICML | conference on machine learning | pmlr | 10.1145 10.5555
ICLR | conference on learning representations; learning representations | | -
AISTATS | conference on artificial intelligence and statistics; artificial intelligence and statistics | pmlr | -
COLT | conference on learning theory; conference on computational learning theory | pmlr lncs | 10.1007 10.1145 10.5555
UAI | conference on uncertainty in artificial intelligence; uncertainty in artificial intelligence | pmlr | 10.5555
CoRL | conference on robot learning | pmlr | -
ALT | conference on algorithmic learning theory; algorithmic learning theory | pmlr lncs |
ACML | asian conference on machine learning | pmlr | -
L4DC | learning for dynamics and control | pmlr | -
MIDL | medical imaging with deep learning | pmlr | -
CHIL | conference on health inference and learning | pmlr |
MLHC | machine learning for healthcare | pmlr |
CLeaR | causal learning and reasoning | pmlr |
AutoML | conference on automated machine learning | pmlr |
COLM | conference on language modeling | | -
MLSys SysML | machine learning and systems; conference on machine learning and systems; conference on systems and machine learning | |
AAAI | aaai conference on artificial intelligence; national conference on artificial intelligence | | 10.1609 10.5555
IJCAI | joint conference on artificial intelligence; joint conferences on artificial intelligence | | 10.24963 10.5555
ECAI | european conference on artificial intelligence | faia |
AAMAS | conference on autonomous agents and multiagent systems; joint conference on autonomous agents and multiagent systems | | 10.1145 10.5555 10.65109
ICAPS | conference on automated planning and scheduling | | 10.1609
KR | conference on principles of knowledge representation and reasoning; principles of knowledge representation and reasoning | |
CVPR | conference on computer vision and pattern recognition; computer society conference on computer vision and pattern recognition; computer vision and pattern recognition | | 10.1109
ICCV | conference on computer vision | | 10.1109
ECCV | european conference on computer vision; computer vision eccv | lncs | 10.1007
ACCV | asian conference on computer vision | lncs | 10.1007
WACV | winter conference on applications of computer vision; workshop on applications of computer vision | | 10.1109
BMVC | british machine vision conference | | 10.5244
3DV | conference on 3d vision | | 10.1109
ICIP | conference on image processing | | 10.1109
ICPR | conference on pattern recognition | lncs |
ICME | conference on multimedia and expo | | 10.1109
MICCAI | medical image computing and computer assisted intervention; conference on medical image computing and computer assisted intervention | lncs | 10.1007
ISBI | symposium on biomedical imaging | | 10.1109
ACL | meeting of the association for computational linguistics; association for computational linguistics | | 10.18653 10.3115 10.5555
EMNLP | conference on empirical methods in natural language processing; empirical methods in natural language processing | | 10.18653 10.3115 10.5555
NAACL NAACL-HLT | conference of the north american chapter of the association for computational linguistics; north american chapter of the association for computational linguistics; conference of the nations of the americas chapter of the association for computational linguistics | | 10.18653 10.3115 10.5555
EACL | conference of the european chapter of the association for computational linguistics; european chapter of the association for computational linguistics | | 10.18653 10.3115 10.5555
AACL AACL-IJCNLP | asia pacific chapter of the association for computational linguistics; conference of the asia pacific chapter of the association for computational linguistics | |
IJCNLP | joint conference on natural language processing | |
COLING | conference on computational linguistics | |
CoNLL | conference on computational natural language learning; conference on natural language learning | |
LREC | language resources and evaluation conference; conference on language resources and evaluation | |
SemEval | workshop on semantic evaluation | |
WMT | conference on machine translation; workshop on statistical machine translation | |
INTERSPEECH | interspeech; conference of the international speech communication association | |
ICASSP | conference on acoustics speech and signal processing | | 10.1109
ASRU | automatic speech recognition and understanding workshop | |
ISMIR | society for music information retrieval conference; conference on music information retrieval | |
KDD SIGKDD | sigkdd conference on knowledge discovery and data mining; conference on knowledge discovery and data mining; knowledge discovery and data mining | | 10.1145 10.5555
WWW TheWebConf | world wide web conference; world wide web conferences; web conference; conference on world wide web | | 10.1145 10.5555
SIGIR | sigir conference on research and development in information retrieval; conference on research and development in information retrieval | |
CIKM | conference on information and knowledge management | |
WSDM | conference on web search and data mining | |
RecSys | conference on recommender systems | |
ECIR | european conference on information retrieval | lncs |
ICDM | conference on data mining | |
SDM | siam conference on data mining | |
PAKDD | pacific asia conference on knowledge discovery and data mining | lncs lnai |
ECML ECML-PKDD PKDD ECML/PKDD | european conference on machine learning; european conference on machine learning and principles and practice of knowledge discovery in databases; european conference on machine learning and knowledge discovery in databases; joint european conference on machine learning and knowledge discovery in databases | lncs lnai |
SIGMOD | conference on management of data; sigmod conference on management of data | |
VLDB PVLDB | conference on very large data bases; vldb endowment; very large data bases | |
ICDE | conference on data engineering | |
PODS | symposium on principles of database systems | |
EDBT | conference on extending database technology | |
ISWC | semantic web conference | lncs |
ESWC | extended semantic web conference; european semantic web conference | lncs |
STOC | symposium on theory of computing; symposium on the theory of computing | |
FOCS | symposium on foundations of computer science; foundations of computer science | |
SODA | symposium on discrete algorithms; acm siam symposium on discrete algorithms | |
ITCS | innovations in theoretical computer science; innovations in theoretical computer science conference | lipics |
ICALP | colloquium on automata languages and programming | lncs lipics |
ESA | european symposium on algorithms | lncs lipics |
SoCG | symposium on computational geometry | lipics |
STACS | symposium on theoretical aspects of computer science | lncs lipics |
EC | conference on economics and computation; conference on electronic commerce | |
LICS | symposium on logic in computer science | |
CAV | conference on computer aided verification; computer aided verification | lncs |
TACAS | tools and algorithms for the construction and analysis of systems | lncs |
CADE | conference on automated deduction | lncs |
CP | conference on principles and practice of constraint programming | lncs lipics |
CCS | conference on computer and communications security | |
S&P SP Oakland | symposium on security and privacy | |
USENIX-Security | usenix security symposium; usenix security | |
NDSS | network and distributed system security symposium | |
CRYPTO | cryptology conference; advances in cryptology crypto | lncs |
EUROCRYPT | conference on the theory and applications of cryptographic techniques; advances in cryptology eurocrypt | lncs |
ASIACRYPT | conference on the theory and application of cryptology and information security; advances in cryptology asiacrypt | lncs |
OSDI | symposium on operating systems design and implementation | |
SOSP | symposium on operating systems principles | |
NSDI | symposium on networked systems design and implementation | |
SIGCOMM | conference on data communication; sigcomm conference | |
INFOCOM | conference on computer communications | |
EuroSys | european conference on computer systems | |
ATC USENIX-ATC | usenix annual technical conference; usenix technical conference | |
FAST | conference on file and storage technologies | |
ASPLOS | conference on architectural support for programming languages and operating systems | |
ISCA | symposium on computer architecture | |
MICRO | symposium on microarchitecture | |
HPCA | symposium on high performance computer architecture | |
DAC | design automation conference | |
ICCAD | conference on computer aided design | |
SC | conference for high performance computing networking storage and analysis | |
PPoPP | symposium on principles and practice of parallel programming | |
PODC | symposium on principles of distributed computing | |
SPAA | symposium on parallelism in algorithms and architectures | |
PLDI | conference on programming language design and implementation | |
POPL | symposium on principles of programming languages | |
OOPSLA | conference on object oriented programming systems languages and applications | |
ICFP | conference on functional programming | |
ICSE | conference on software engineering | |
FSE ESEC/FSE | symposium on the foundations of software engineering; european software engineering conference and symposium on the foundations of software engineering | |
ASE | conference on automated software engineering | |
ISSTA | symposium on software testing and analysis | |
CHI | conference on human factors in computing systems; human factors in computing systems | |
CSCW | conference on computer supported cooperative work; computer supported cooperative work and social computing | |
UIST | symposium on user interface software and technology | |
IUI | conference on intelligent user interfaces | |
HRI | conference on human robot interaction | |
FAccT FAT* | conference on fairness accountability and transparency | |
AIES | conference on ai ethics and society | |
RSS | robotics science and systems | |
ICRA | conference on robotics and automation | | 10.1109
IROS | conference on intelligent robots and systems | | 10.1109
ACMMM ACM-MM MM | conference on multimedia; multimedia conference | |
SIGGRAPH | conference on computer graphics and interactive techniques | |
ISIT | symposium on information theory | |
GECCO | genetic and evolutionary computation conference | |
PPSN | parallel problem solving from nature | lncs |
IJCNN | joint conference on neural networks | |
ICANN | conference on artificial neural networks | lncs |
JMLR | journal of machine learning research | | 10.5555
TMLR | transactions on machine learning research | | -
TACL | transactions of the association for computational linguistics | | 10.1162
JAIR | journal of artificial intelligence research | | 10.1613 10.5555
PAMI TPAMI | ieee transactions on pattern analysis and machine intelligence; transactions on pattern analysis and machine intelligence | | 10.1109
TIP | ieee transactions on image processing | | 10.1109
TNNLS | ieee transactions on neural networks and learning systems | | 10.1109
TKDE | ieee transactions on knowledge and data engineering | | 10.1109
TOG | acm transactions on graphics | | 10.1145
IJCV | journal of computer vision | | 10.1007
CACM | communications of the acm | | 10.1145
arXiv CoRR | arxiv; corr; computing research repository; arxiv e prints; arxiv preprint | | 10.48550
bioRxiv | biorxiv | | 10.1101 10.64898
medRxiv | medrxiv | | 10.1101 10.64898
SSRN | ssrn; ssrn electronic journal | | 10.2139
OpenReview | openreview; openreview net | |
PsyArXiv | psyarxiv | | 10.31234
"""
SERIES: Mapping[str, tuple[str, ...]] = {
    "pmlr": (
        "pmlr",
        "proceedings of machine learning research",
        "jmlr workshop and conference proceedings",
        "jmlr w cp",
    ),
    "lncs": ("lncs", "lecture notes in computer science"),
    "lnai": ("lnai", "lecture notes in artificial intelligence"),
    "lipics": ("lipics", "leibniz international proceedings in informatics"),
    "faia": ("frontiers in artificial intelligence and applications",),
    "nips": (),
}
_PREPRINTS = frozenset({"arxiv", "biorxiv", "medrxiv", "ssrn", "openreview", "psyarxiv"})
# What stands around the name of a conference and is no part of it.
_AROUND = (
    "proceedings proc procs annual ann international intl int the of in on for and a ieee cvf acm siam usenix st nd rd th "
    "volume vol no number pages pp paper papers track main long short oral poster spotlight conference conf preprint "
    "preprints eprint abs datasets benchmarks"
)
_ORDINALS = (
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth "
    "sixteenth seventeenth eighteenth nineteenth twentieth thirtieth fortieth fiftieth twenty thirty forty fifty sixty"
)
AROUND = frozenset((_AROUND + " " + _ORDINALS).split())
_KEPT = frozenset({"conference", "conf"})  # tells "Conference on Machine Learning" from "Machine Learning"
_PARTS = re.compile(r"[,;:()\[\]|/]|\s[–—-]\s|\bIn:?\s(?=[A-Z])")
_ACRONYM = re.compile(r"[A-Za-z0-9&*]+(?:[-/][A-Za-z]+)*")
_NUMBER = re.compile(r"\d+(?:st|nd|rd|th)?|[ivxl]+|\d{2,4}")
_BESIDE = re.compile(r"\b(?:work ?shops?|wksp|wkshps?|findings|companion|tutorials?|demonstrations?|student|adjunct|cvprw|iccvw|eccvw|wacvw)\b", re.IGNORECASE)  # fmt: skip
LONGEST = 300  # characters of a name that are read


@dataclass(frozen=True, slots=True)
class Conference:
    """One row of the table.

    Attributes:
        key: its first acronym, in lower case.
        acronyms: as people write them.
        names: normalised names.
        series: keys of `SERIES`.
        prefixes: of its DOIs; `None` if not known, empty if it gives none.
    """

    key: str
    acronyms: tuple[str, ...]
    names: tuple[str, ...]
    series: frozenset[str]
    prefixes: frozenset[str] | None

    @property
    def preprint(self) -> bool:
        """Whether it is a repository of preprints."""
        return self.key in _PREPRINTS


@dataclass(frozen=True, slots=True)
class Named:
    """What a venue's name says: a conference, and whether only a side event of it (a workshop, its findings)."""

    conference: Conference
    beside: str = ""


@cache
def _rows() -> tuple[Conference, ...]:
    return tuple(_row(line) for line in map(str.strip, _TABLE.splitlines()) if line)


def _row(line: str) -> Conference:
    acronyms, names, series, prefixes = (part.strip() for part in line.split("|"))
    short = tuple(acronyms.split())
    return Conference(
        key=short[0].lower(),
        acronyms=short,
        names=tuple(name.strip() for name in names.split(";")),
        series=frozenset(series.split()),
        prefixes=None if not prefixes else frozenset(prefixes.replace("-", "").split()),
    )


@cache
def _by_acronym() -> Mapping[str, Conference]:
    return {
        acronym.lower().replace("-", " ").replace("/", " "): row
        for row in _rows()
        for acronym in row.acronyms
    }


@cache
def _by_words() -> Sequence[tuple[tuple[str, ...], Conference]]:
    return [(_core(name.split()), row) for row in _rows() for name in row.names]


def conference(acronym: str) -> Conference | None:
    """The conference with an acronym.

    Example:
        >>> conference("NIPS").key
        'neurips'
    """
    return _by_acronym().get(acronym.lower())


@lru_cache(maxsize=4096)
def named(name: str) -> Named | None:
    """The conference that a name means; `None` where the table has none or that is not certain.

    Example:
        >>> named("Proceedings of the 37th International Conference on Machine Learning, PMLR 119").conference.key
        'icml'
        >>> named("ICML 2020 Workshop on Theory").beside
        'workshop'
        >>> named("Conference on Machine Learning and Applications") is None
        True
    """
    text = name[:LONGEST]
    parts = [part for part in _PARTS.split(text) if part.strip()]
    found = next(filter(None, map(_by_name, parts)), None) or next(
        filter(None, map(_by_its_acronym, parts)), None
    )
    beside = _BESIDE.search(text)
    if found is None:
        found = _with_workshop(text) if beside else None
    if found is None:
        return None
    word = (
        normalise(beside.group())
        if beside and not any(normalise(beside.group()) in n for n in found.names)
        else ""
    )
    return Named(found, "" if not word else "findings" if word == "findings" else "workshop")


@lru_cache(maxsize=1024)
def series_of(name: str) -> str:
    """The series of proceedings that a name means, a key of `SERIES`; "" if it means no series."""
    words = " ".join(
        word
        for word in normalise(name[:LONGEST]).split()
        if not _NUMBER.fullmatch(word) and word not in {"vol", "volume"}
    )
    return next((key for key, names in SERIES.items() if words in names), "")


def _core(words: Sequence[str]) -> tuple[str, ...]:
    """The words that tell one conference from another."""
    return tuple(
        word for word in words if (word not in AROUND or word in _KEPT) and not _NUMBER.fullmatch(word)
    )


def _by_name(part: str) -> Conference | None:
    said = _core(normalise(part).split())
    if not said:
        return None
    for words, row in _by_words():
        if said == words or (len(said) == len(words) > 1 and abbreviates(said, words)):
            return row
    return None


def _by_its_acronym(part: str) -> Conference | None:
    """An acronym that stands alone, or among words that say nothing; of a joint conference the first."""
    written = [
        word
        for word in _ACRONYM.findall(part)
        if not _NUMBER.fullmatch(word.lower()) and word.lower() not in AROUND
    ]
    plain = [re.sub(r"\d{2,4}$", "", word) for word in written]
    whole = _by_acronym().get(normalise(" ".join(plain)))
    if whole is not None and (len(plain) > 1 or not plain[0].islower() or whole.preprint):
        return whole
    known = [
        _by_acronym().get(word.lower())
        for words in plain
        for word in re.split("[-/]", words)
        if word.lower() != "advances"
    ]
    if any(word.islower() for word in plain) or not all(known):
        return None
    return next(iter(known), None)


def _with_workshop(text: str) -> Conference | None:
    """The conference in "ICML Workshop on Theory" and "Findings of EMNLP", by its acronym in capitals or its name."""
    for word in _ACRONYM.findall(text):
        plain = re.sub(r"\d{2,4}$", "", word)
        row = _by_acronym().get(plain.lower()) or (
            _by_acronym().get(plain[:-1].lower()) if plain.endswith("W") else None
        )
        if row is not None and sum(map(str.isupper, plain)) >= 2:
            return row
    for words, row in _by_words():
        if len(words) >= 3 and " ".join(words) in " ".join(_core(normalise(text).split())):
            return row
    return None
