"""Two questions of a look-up: whether the work exists, and what of the quotation is right. Oracles: judged by hand."""

import pytest

from guardrail.references.bibliography.index import Index
from guardrail.references.bibliography.matching import judge
from guardrail.references.bibliography.records import Match, Outcome, Record, Reference, Status

TITLE = "Deep Learning for Vision"
PEOPLE = ("Jane Smith", "Ann Lee", "Bo Chen", "Eva Novak")
WORK = Record(TITLE, PEOPLE, year=2019, venue="ICML", volume="97", issue="2", pages="1187-1201")


def check(field, claimed, *works, **more):
    """The check of one field."""
    match = judge(Reference(TITLE, **{field: claimed, **more}), works or [WORK])
    return next(check for check in match.fields if check.field == field)


def outcome(field, claimed, *works, **more):
    found = check(field, claimed, *works, **more)
    return found.outcome.value, found.how


class TestExists:
    @pytest.mark.parametrize(
        ("match", "exists"),
        [
            (Match(Status.FOUND), True),
            (Match(Status.ABSENT, complete=True), False),
            (Match(Status.ABSENT), None),
            (Match(Status.UNREACHABLE, complete=True), None),
        ],
    )
    def test_is_known_only_if_somebody_can_know(self, match, exists):
        """A list that may lack works cannot say that one does not exist."""
        assert match.exists is exists

    def test_each_claimed_field_has_one_check_in_order(self):
        """What was not claimed has none."""
        match = judge(Reference(TITLE, ("Jane Smith",), True, 2019, "ICML", pages="1187"), [WORK])
        assert [c.field for c in match.fields] == ["title", "authors", "year", "venue", "pages"]
        assert {c.outcome for c in match.fields} == {Outcome.CONFIRMED}


class TestAuthors:
    @pytest.mark.parametrize(
        ("claimed", "cut", "expected"),
        [
            (PEOPLE, False, ("confirmed", "")),
            (("Smith, J.", "Lee, A.", "Chen, B.", "Novak, E."), False, ("confirmed", "")),
            (("Jane Smith",), True, ("confirmed", "")),
            (("Jane Smith", "Ann Lee"), False, ("differs", "missing")),
            (("Smith", "Lee"), False, ("near", "short")),
            (("Ann Lee", "Jane Smith", "Bo Chen", "Eva Novak"), False, ("differs", "order")),
            ((*PEOPLE, "Max Stranger", "Ida Other"), False, ("differs", "added")),
            (("Max Stranger", "Ida Other"), False, ("differs", "changed")),
            (("Jane Smith", "Ann Lee", "Bo Chen", "Max Stranger"), False, ("differs", "one")),
            (("John Smith", "Ann Lee", "Bo Chen", "Eva Novak"), False, ("differs", "given")),
            (("the DeepMind Team",), False, ("not compared", "body")),
        ],
    )
    def test_tells_kinds_of_difference_apart(self, claimed, cut, expected):
        """Order, missing, added, changed; "et al." leaves nobody out, a body is nobody's name."""
        assert outcome("authors", claimed, et_al=cut) == expected

    @pytest.mark.parametrize(
        ("claimed", "expected"),
        [
            (("Jane Smith", "Ann Lee"), ("confirmed", "")),
            (PEOPLE, ("near", "cut")),
            (("Jane Smith", "Eva Novak"), ("not compared", "")),
        ],
    )
    def test_a_record_cut_short_contradicts_nobody_beyond_it(self, claimed, expected):
        """Who is not among the first ones may be among the rest."""
        assert outcome("authors", claimed, Record(TITLE, PEOPLE[:2], et_al=True)) == expected

    @pytest.mark.parametrize(
        ("claimed", "known", "expected"),
        [
            ("Irmgard Keuns", "Irmgard Keun", "confirmed"),
            ("Martin Luther", "Martin Luther King", "differs"),
            ("National Academies", "National Academies of Sciences, Engineering, and Medicine", "confirmed"),
            ("Academies of Sciences", "National Academies of Sciences, Engineering, and Medicine", "differs"),
            ("Irmgard Keuns", "Irmgard Kaun", "differs"),
            ("Max Alexei Stranger", "Alexei Yurchak", "differs"),
        ],
    )
    def test_words_beyond_a_name(self, claimed, known, expected):
        """The s of a genitive, and a body named by its first words; a person by the first two of three names is another one."""
        assert outcome("authors", (claimed,), Record(TITLE, (known,)))[0] == expected

    def test_letters_that_a_source_dropped_are_no_other_name(self):
        """ "Dilan Grr" is what some bibliographies make of Dilan Görür."""
        work = Record(TITLE, ("Dilan Grr", "Andrs Gyrgy"))
        assert outcome("authors", ("Dilan Görür", "András György"), work) == ("confirmed", "")

    def test_an_eastern_name_has_no_particle(self):
        """ "De-Chuan Zhan" is D. Zhan, as "De Chuan" is no "de"."""
        assert outcome("authors", ("D. Zhan",), Record(TITLE, ("De-Chuan Zhan",))) == ("confirmed", "")

    def test_a_couple_may_share_one_family_name(self):
        """ "Will and Ariel Durant"."""
        work = Record(TITLE, ("Will Durant", "Ariel Durant"))
        assert outcome("authors", ("Will", "Ariel Durant"), work) == ("confirmed", "")
        assert outcome("authors", ("Max", "Ariel Durant"), work)[0] == "differs"

    def test_names_in_another_script_cannot_be_compared(self):
        """The record has them as they are transliterated."""
        assert outcome("authors", ("夏志清",), Record(TITLE, ("C. T. Hsia",))) == ("not compared", "script")


class TestYear:
    @pytest.mark.parametrize(
        ("claimed", "expected"),
        [
            (2019, ("confirmed", "")),
            (2018, ("near", "by one")),
            (2020, ("near", "by one")),
            (2017, ("differs", "other")),
        ],
    )
    def test_one_year_is_near(self, claimed, expected):
        """As between preprint and print."""
        assert outcome("year", claimed) == expected


class TestNumbers:
    @pytest.mark.parametrize("claimed", ["1187-1201", "1187–1201", "pp. 1187--201", "1187", "1187 to 1201"])
    def test_pages_are_written_in_many_ways(self, claimed):
        """Dashes, an end cut short, the first page alone."""
        assert outcome("pages", claimed) == ("confirmed", "")

    @pytest.mark.parametrize(
        ("field", "claimed", "expected"),
        [
            ("pages", "1-15", ("differs", "other")),
            ("volume", "Vol. 97", ("confirmed", "")),
            ("volume", "98", ("differs", "other")),
            ("issue", "no. 2", ("confirmed", "")),
            ("issue", "3", ("differs", "other")),
        ],
    )
    def test_volume_issue_and_pages_are_compared(self, field, claimed, expected):
        """Where the record has them."""
        assert outcome(field, claimed) == expected
        assert outcome(field, claimed, Record(TITLE, PEOPLE)) == ("not compared", "")


PREPRINT = Record(TITLE, PEOPLE, year=2018, venue="arXiv", arxiv="1801.00001")


class TestPreprintAndPrint:
    def test_either_record_confirms(self):
        """They are two records of one work."""
        reference = Reference(TITLE, PEOPLE, year=2018, venue="ICML", arxiv="1801.00001", pages="1187")
        for works in ([WORK, PREPRINT], [PREPRINT, WORK]):
            assert {c.outcome for c in judge(reference, works).fields} == {Outcome.CONFIRMED}

    def test_a_preprint_does_not_excuse_the_wrong_venue(self):
        """Where the printed one is known, it contradicts."""
        assert outcome("venue", "CVPR", PREPRINT, WORK) == ("differs", "another")
        assert outcome("venue", "CVPR", PREPRINT) == ("near", "published")
        assert outcome("venue", "arXiv", WORK) == ("near", "preprint")

    def test_another_work_of_the_title_confirms_nothing(self):
        """Its authors are others."""
        other = Record(TITLE, ("Otto Maier",), year=1999, venue="CVPR")
        match = judge(Reference(TITLE, PEOPLE, year=1999, venue="CVPR"), [WORK, other])
        assert [c.field for c in match.differences] == ["year", "venue"]


class TestIdentifiers:
    @pytest.mark.parametrize(
        ("venue", "doi", "expected"),
        [
            ("ICLR", "10.88880/bpr.633067", ("differs", "publisher")),
            ("ICLR", "10.48550/arXiv.1801.00001", ("not compared", "")),
            ("CVPR", "10.1609/aaai.v37i9.1", ("differs", "publisher")),
            ("CVPR", "10.1109/CVPR52729.2023.00373", ("not compared", "")),
            ("SIGMOD", "10.88880/bpr.633067", ("not compared", "")),
            ("", "10.88880/bpr.633067", ("not compared", "")),
        ],
    )
    def test_a_venue_has_dois_of_its_own(self, venue, doi, expected):
        """ICLR gives none; where the table says nothing, nothing follows."""
        assert outcome("doi", doi, Record(TITLE, PEOPLE, venue=venue)) == expected

    def test_an_archive_s_doi_and_the_publisher_s_are_both_right(self):
        """A preprint has its own."""
        preprint = Record(TITLE, PEOPLE, doi="10.1101/2019.01.01.000001")
        assert outcome("doi", "10.1038/nature14539", preprint) == ("not compared", "published")

    def test_a_real_identifier_does_not_make_a_title_real(self):
        """It says whose it is."""
        real = Record("Cooking pasta at altitude", ("A. Cook",), doi="10.1000/pasta")
        match = judge(Reference("The Ontology of Imaginary Teapots", doi="10.1000/pasta"), [real])
        assert (match.status, match.exists) == (Status.ABSENT, None)
        assert match.fields[-1].note == "it belongs to “Cooking pasta at altitude”"


class TestRetraction:
    @pytest.mark.parametrize(
        "mark", ["RETRACTED: ", "Retracted: ", "RETRACTED ARTICLE: ", "[Retracted] ", "WITHDRAWN: "]
    )
    def test_the_plain_citation_is_found(self, tmp_path, mark):
        """The mark is no part of the title."""
        with Index.create(tmp_path / "i.sqlite") as index:
            index.add([Record(mark + TITLE, PEOPLE)])
            match = index.find(Reference(TITLE, PEOPLE))
        assert (match.status, match.differences) == (Status.FOUND, ())

    def test_a_title_about_retraction_stays(self):
        """ "Retracted papers in oncology" is a title."""
        work = Record("Retracted papers in oncology", PEOPLE)
        assert judge(Reference("Papers in oncology"), [work]).status is Status.ABSENT


BOOK = Record(TITLE, ("Maier, Otto",), year=1971, venue="Harvard University Press")


@pytest.mark.parametrize(
    ("venue", "expected"),
    [
        ("The Astrophysical Journal", ("differs", "unlike")),  # a book is in no journal
        ("Basic Books", ("not compared", "")),  # but may have several publishers
        ("Science Press", ("not compared", "")),  # and a journal may have the name of one
    ],
)
def test_the_venue_of_a_book(venue, expected):
    """A journal is reported with a mark, another publisher is not."""
    assert outcome("venue", venue, BOOK) == expected
