"""Every catalogue keeps what a catalogue keeps, at a local server that answers as the service documents."""

from dataclasses import replace

from tests.contract.source import WORK, SourceContract

from guardrail.references.bibliography.records import Reference
from guardrail.references.sources import Fault


class TestCrossref(SourceContract):
    name = "crossref"
    by_identifier = replace(SourceContract.known, doi=WORK.doi)


class TestOpenAlex(SourceContract):
    name = "openalex"
    by_identifier = replace(SourceContract.known, doi=WORK.doi)
    rate = "403"

    def assert_no_operator(self, value):
        """Filters are joined by commas, alternatives by bars; capitals would be operators."""
        plain = value.removeprefix("title.search:")
        if value != plain:
            assert not set('",|:!*()') & set(plain)
            assert plain == plain.lower()

    def test_a_work_by_its_doi_is_free(self, make):
        """A search takes ten credits."""
        source = make()
        source.lookup(self.by_identifier)
        assert source.count.credits == 0
        source.lookup(self.known)
        assert source.count.credits == 10

    def test_a_spent_allowance_without_a_time(self, make, services):
        """429 is a spent day, whatever it asks to wait."""
        services.fault, services.retry_after = (lambda asked: "429"), "1"
        assert self.fault_of(make()) is Fault.SPENT
        assert len(services.asked) == 1


class TestSemanticScholar(SourceContract):
    name = "semantic_scholar"
    by_identifier = replace(SourceContract.known, arxiv=WORK.arxiv)


class TestArxiv(SourceContract):
    name = "arxiv"
    by_identifier = replace(SourceContract.known, arxiv=WORK.arxiv)

    def assert_no_operator(self, value):
        """One phrase, or words of the title joined by OR: every field is `ti`."""
        if value.startswith('ti:"'):
            assert not set('":()[]{}*\\') & set(value[4:-1])
            assert value.endswith('"')
        elif value.startswith("ti:"):
            assert all(part.startswith("ti:") and part[3:].isalnum() for part in value.split(" OR "))

    def test_entities_are_refused(self, make, services):
        """An XML bomb is no reply."""
        bomb = (
            b'<!DOCTYPE f [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>'
            b'<feed xmlns="http://www.w3.org/2005/Atom"><entry><title>&b;</title></entry></feed>'
        )
        services.answer = lambda asked: (200, "application/atom+xml", bomb)
        assert self.fault_of(make()) is Fault.UNREADABLE


class TestDblp(SourceContract):
    name = "dblp"


class TestOpenLibrary(SourceContract):
    name = "open_library"
    by_identifier = replace(SourceContract.known, isbn=WORK.isbn)


class TestPubMed(SourceContract):
    name = "pubmed"
    by_identifier = replace(SourceContract.known, pmid=WORK.pmid)

    def assert_no_operator(self, value):
        """Words of the title, joined by AND."""
        if "[Title]" in value:
            assert all(part.removesuffix("[Title]").isalnum() for part in value.split(" AND "))


class TestCourtListener(SourceContract):
    name = "courtlistener"
    known = Reference(title=f"{WORK.title}, 347 U.S. 483", year=2011)
    unknown = Reference(title="Nobody v. Nothing, 999 U.S. 1", year=2012)
    kept = False

    def test_sends_the_citation_alone(self, make, services):
        """No word of the answer beyond volume, reporter and page."""
        make().lookup(Reference(title="Smith v. Jones <b>, 12 F.3d 34, all of this stays here"))
        assert [dict(asked.form) for asked in services.asked] == [
            {"volume": "12", "reporter": "F.3d", "page": "34"}
        ]


class TestDoi(SourceContract):
    name = "doi"
    known = replace(SourceContract.known, doi=WORK.doi)
    unknown = replace(SourceContract.unknown, doi="10.1234/nothing")
    by_identifier = known

    def test_a_registered_doi_without_metadata(self, make, services):
        """It is not known which work it is: a fault, no absence."""
        services.fault = lambda asked: None if "handles" in asked.path else "406"
        assert self.fault_of(make()) is Fault.REFUSED
