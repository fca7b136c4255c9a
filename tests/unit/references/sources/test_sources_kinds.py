"""What kind a reference is, and who would have it. Each case was decided by hand, by its plain signs."""

from dataclasses import replace

from tests.looping import each

from guardrail.references.bibliography.records import Reference
from guardrail.references.sources.kinds import Kind, asked, case_citation, case_name, covered, kind_of

YEAR = 2026
NAMES = [
    "crossref",
    "openalex",
    "semantic_scholar",
    "arxiv",
    "dblp",
    "open_library",
    "pubmed",
    "courtlistener",
    "doi",
]


def reference(title="A Study of Things", **fields):
    return Reference(title=title, **{"year": 2015, **fields})


class TestKind:
    def test_plain_signs(self):
        """A volume, a serial's name, an ISBN, a press, an arXiv number, a reporter."""
        cases = (
            (reference(venue="Nature", volume="3"), Kind.ARTICLE),
            (reference(venue="Nature", pages="1–9"), Kind.ARTICLE),
            (reference(venue="Journal of Things"), Kind.ARTICLE),
            (reference(venue="Proceedings of the Conference on Things"), Kind.ARTICLE),
            (reference(arxiv="1706.03762"), Kind.PREPRINT),
            (reference(venue="arXiv preprint"), Kind.PREPRINT),
            (reference(isbn="9780306406157"), Kind.BOOK),
            (reference(venue="Cambridge University Press"), Kind.BOOK),
            (reference("Brown v. Board of Education, 347 U.S. 483"), Kind.CASE),
            (reference("In re Gault, 387 U.S. 1"), Kind.CASE),
        )

        def check(given, kind):
            assert kind_of(given, YEAR) == (kind, True)

        each(cases, check)

    def test_what_no_catalogue_lists_whole(self):
        """Theses, reports, web pages, other preprint servers, and whatever gives no sign."""
        cases = (
            (reference(venue="PhD thesis, MIT"), Kind.THESIS),
            (reference(venue="NBER Working Paper 1234"), Kind.REPORT),
            (reference(venue="Technical Report"), Kind.REPORT),
            (reference(url="https://example.org/post"), Kind.WEB),
            (reference(venue="bioRxiv"), Kind.UNKNOWN),
            (reference(venue="Knopf"), Kind.UNKNOWN),
            (reference(doi="10.1000/x"), Kind.UNKNOWN),
            (reference(), Kind.UNKNOWN),
            (reference("Tyson v. Holyfield: A History"), Kind.UNKNOWN),
        )

        def check(given, kind):
            assert kind_of(given, YEAR) == (kind, False)

        each(cases, check)

    def test_gaps_of_the_catalogues(self):
        """This year's works, and titles in other scripts, may be missing there: nothing is sure."""
        article = reference(venue="Journal of Things", volume="1")
        assert kind_of(replace(article, year=YEAR), YEAR) == (Kind.ARTICLE, False)
        assert kind_of(replace(article, title="知识图谱构建技术综述"), YEAR) == (Kind.ARTICLE, False)
        assert kind_of(replace(article, title="Über naïve Façaden"), YEAR) == (Kind.ARTICLE, True)


class TestAsked:
    def test_only_those_that_may_have_it(self):
        """A case goes to CourtListener alone, and nobody else hears of it."""
        case = reference("Brown v. Board of Education, 347 U.S. 483", doi="10.1/x")
        assert asked(case, Kind.CASE, NAMES) == ["courtlistener"]
        assert asked(reference(), Kind.WEB, NAMES) == []
        assert "arxiv" not in asked(reference(), Kind.ARTICLE, NAMES)
        assert "courtlistener" not in asked(reference(), Kind.UNKNOWN, NAMES)

    def test_those_whose_identifier_is_quoted(self):
        """Whatever the kind."""
        given = reference(doi="10.1/x", arxiv="1706.03762", isbn="1", pmid="2")
        assert {"doi", "arxiv", "open_library", "pubmed"} <= {*asked(given, Kind.WEB, NAMES)}


class TestCoverage:
    def test_all_that_are_needed(self):
        """One of two is not enough."""
        article = reference(venue="Journal of Things")
        assert covered(article, Kind.ARTICLE, ["crossref", "openalex"]) is True
        assert covered(article, Kind.ARTICLE, ["crossref", "dblp", "pubmed"]) is False
        assert covered(article, Kind.BOOK, ["open_library", "crossref"]) is True
        assert covered(article, Kind.UNKNOWN, NAMES) is False
        assert covered(article, Kind.THESIS, NAMES) is False

    def test_a_doi_of_another_agency(self):
        """Crossref does not know those of DataCite or JaLC: doi.org must have been asked."""
        article = reference(venue="Journal of Things", doi="10.1/x")
        assert covered(article, Kind.ARTICLE, ["crossref", "openalex"]) is False
        assert covered(article, Kind.ARTICLE, ["crossref", "openalex", "doi"]) is True


class TestCases:
    def test_citations(self):
        """Reporters of the United States, as they are written."""
        cases = (
            ("Roe v. Wade, 410 U.S. 113", ("410", "U.S.", "113")),
            ("A v. B, 93 S. Ct. 705", ("93", "S. Ct.", "705")),
            ("A v. B, 12 F.3d 34 (2d Cir. 1993)", ("12", "F.3d", "34")),
            ("A v. B, 678 F. Supp. 3d 443", ("678", "F. Supp. 3d", "443")),
            ("A v. B, 925 F.3d 1339", ("925", "F.3d", "1339")),
        )

        def check(title, expected):
            cited = case_citation(Reference(title=title))
            assert (cited.volume, cited.reporter, cited.page) == expected

        each(cases, check)

    def test_no_citation(self):
        """Numbers beside words are no reporters."""
        each(
            ("Statistics of 100 U.S. 50 states", "In 347 cases 483 died", "A 20 B. 30"),
            lambda title: None if case_citation(Reference(title=title)) is None or "U.S." in title else 1 / 0,
        )

    def test_the_name_without_the_citation(self):
        """Is what is compared."""
        given = Reference(title="Brown v. Board of Education, 347 U.S. 483", venue="U.S.", year=1954)
        assert case_name(given) == Reference(title="Brown v. Board of Education", year=1954)
