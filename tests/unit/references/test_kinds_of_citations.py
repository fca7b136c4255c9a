"""A citation says what it names: a work, a page, a law, a case, or by its authors and year alone."""

from tests.looping import each

from guardrail.references.bibliography.records import Reference
from guardrail.references.citations import Citation, citations
from guardrail.references.citations.kinds import with_kind
from guardrail.references.citations.tagging import packaged_tagger
from guardrail.report import Span


def kinds(text):
    return [one.kind for one in citations(text, tagger=packaged_tagger())]


class TestKind:
    def test_is_of_what_is_named(self):
        """In prose and lists, of several countries."""
        each(
            {
                'See "Attention Is All You Need" by Vaswani et al. (2017).': ["work"],
                "arXiv:1810.04805": ["work"],
                "In Brown v. Board of Education, 347 U.S. 483 (1954), the court said so.": ["case"],
                "See *Donoghue v Stevenson* [1932] AC 562.": ["case"],
                "Directive 95/46/EC and § 823 BGB say so.": ["law", "law"],
                "[As We May Think](https://www.theatlantic.com/magazine/archive/1945/07/as-we-may-think/303881/)": [
                    "page"
                ],
                "1. Carson, R. (1962). *Silent Spring*. Houghton Mifflin.\n\nBirds fell silent (Carson, 1962).": [
                    "work",
                    "mark",
                ],
            }.items(),
            lambda text, expected: self.equal(expected, kinds(text)),
        )

    @staticmethod
    def equal(expected, actual):
        assert expected == actual

    def test_is_read_from_the_fields(self):
        """Where no finder said it: an address alone is a page, one with an identifier or authors a work, two parties are a case."""
        url = "https://example.org/a/b"
        each(
            {
                "page": Reference("Measles", url=url),
                "work": Reference("Measles", ("Roe",), url=url),
                "mark": Reference(authors=("Roe",), year=2020, url=url),
                "case": Reference("Roe v. Wade", year=1973),
                "law": Reference("Ley 34/2002", year=2002),
            }.items(),
            lambda kind, said: self.equal(kind, with_kind(cited(said)).kind),
        )

    def test_said_by_a_finder_stays(self):
        """A decision that is called by a number is still a case."""
        said = Citation(Span(start=0, end=4), Reference("BGHZ 1"), "legal", kind="case")
        assert with_kind(said) == said

    def test_of_a_book_that_names_two_parties(self):
        """With its author, "Capitalism vs. The Climate" is a work."""
        said = Reference("This Changes Everything: Capitalism vs. The Climate", ("Naomi Klein",), year=2014)
        assert with_kind(cited(said)).kind == "work"


def cited(said):
    return Citation(Span(start=0, end=9), said, "unmarked")
