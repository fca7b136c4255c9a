"""Which work was quoted, and what is wrong with the quotation. Oracles: judged by hand."""

import pytest

from guardrail.references.bibliography.index import Index
from guardrail.references.bibliography.matching import judge
from guardrail.references.bibliography.records import Outcome, Record, Reference, Status
from guardrail.references.bibliography.titles import Closeness, Title, compare
from guardrail.references.quotation import accused

TIMES = {
    "supervised": 4000,
    "unsupervised": 4000,
    "image": 9000,
    "images": 3000,
    "leaning": 4,
    "learning": 60000,
}
TIMES |= {"word": 3000, "world": 4000, "modem": 40, "modern": 800, "for": 90000, "of": 200000}


def frequency(word):
    return TIMES.get(word, 0)


class TestCompare:
    @pytest.mark.parametrize(
        ("claimed", "found", "closeness"),
        [
            ("Deep Learning for Images", "deep learning for images", Closeness.EXACT),
            ("Multi Agent Systems", "Multiagent systems", Closeness.EXACT),
            ("Deep Leraning for Vision", "Deep Learning for Vision", Closeness.NOISE),
            ("Deep leaning for vision", "Deep Learning for Vision", Closeness.NOISE),
            ("C1assificati0n of rnodern art", "Classification of modern art", Closeness.NOISE),
            ("Deep Learning of Vision Systems", "Deep Learning for Vision Systems", Closeness.REWORDED),
            ("The deep learning of image systems", "Deep learning of image systems", Closeness.REWORDED),
            ("Deep Learning for Vision", "Deep Learning for Vision: A Survey", Closeness.SHORTER),
            ("Deep Learning for Vision: A Survey", "Deep Learning for Vision", Closeness.LONGER),
            ("Bellmaker: The 1818 Text", "Bellmaker; or, The Modern Ringer", Closeness.LONGER),
            ("Life of a Ringer", "Life of a Ringer, an American Slave", Closeness.SHORTER),
            ("Half a Century of Bells", "Half a Century of Bells 1939–1989", Closeness.SHORTER),
            ("The Rise of Bells", "The Rise of Bells, 1870–2033: An Essay", Closeness.SHORTER),
            ("History of Bells, 1870–1900", "History of Bells, 1900–1945", Closeness.NEAR),
            ("The Great Bell Hoax", "The Great Bell Hoax and Other Essays on Towers", Closeness.SHORTER),
            ("Guidelines for Bells", "Guidelines for Bells, 2nd edition", Closeness.SHORTER),
            ("Key Words for Bells", "RFC 9919: Key Words for Bells", Closeness.SHORTER),
            ("ISO/IEC 99001:2022", "ISO/IEC 99001:2022 Bells — Requirements", Closeness.SHORTER),
            ("ISO/IEC 99002:2022", "ISO/IEC 99001:2022 Bells — Requirements", Closeness.DIFFERENT),
            ("网络钟声法", "中华人民共和国网络钟声法", Closeness.SHORTER),
            ("少有人敲的钟", "少有人敲的钟:心智成熟的旅程", Closeness.SHORTER),
            ("新しい鐘の教室", "新しい鐘の教室 苦手を得意に変える", Closeness.SHORTER),
            ("Bell v. Des Rivers", "Bell v. Des Rivers Independent School District", Closeness.SHORTER),
            ("Bell v. Tower", "Bell v. Des Rivers Independent School District", Closeness.DIFFERENT),
            ("The Wealth of Bells", "An Inquiry into the Causes of the Wealth of Bells", Closeness.PART),
            (
                "Effect of low and high bells on weight",
                "Effect of low and high bells on weight and sleep in adults",
                Closeness.PART,
            ),
            (
                "Declaration of Helsinki",
                "World Bell Association Declaration of Helsinki: ethical principles",
                Closeness.PART,
            ),
            ("of Bells", "An Inquiry into the Causes of the Wealth of Bells", Closeness.DIFFERENT),
            ("A world model of speech", "A word model of speech", Closeness.LETTER),
            ("Unsupervised deep learning", "Supervised deep learning", Closeness.NEAR),
            ("Asymmetric encryption schemes", "Symmetric encryption schemes", Closeness.NEAR),
            ("2D object detection in videos", "3D object detection in videos", Closeness.NEAR),
            ("SemEval-2019 Task 7", "SemEval-2020 Task 7", Closeness.NEAR),
            ("Cooking pasta", "Deep learning for vision", Closeness.DIFFERENT),
            ("", "Deep learning for vision", Closeness.DIFFERENT),
        ],
    )
    def test_tells_noise_from_another_title(self, claimed, found, closeness):
        """A slip keeps the work; another word, number or prefix does not."""
        assert compare(Title(claimed), Title(found), frequency).closeness is closeness

    def test_similarity_is_one_only_for_equal_titles(self):
        """Noise is similar, never equal."""
        assert compare(Title("A B"), Title("a-b")).similarity == 1.0
        assert compare(Title("Deep Leraning"), Title("Deep Learning")).similarity < 1.0


WORK = Record("Deep Learning for Vision", ("Jane Smith", "Ann Lee"), year=2019, doi="10.1000/one", source="t")
OTHER = Record("Deep Learning for Vision", ("Otto Maier",), year=2004, source="t")


class TestJudge:
    def test_chooses_among_works_of_one_title_by_authors(self):
        """The work that agrees with the claim is the one meant, in any order of candidates."""
        reference = Reference("Deep learning for vision", ("O. Maier",), year=2004)
        for works in ([WORK, OTHER], [OTHER, WORK]):
            match = judge(reference, works)
            assert (match.status, match.record, match.differences) == (Status.FOUND, OTHER, ())

    def test_says_what_is_misquoted(self):
        """Claimed against found, field by field."""
        match = judge(
            Reference(
                "Deep learning for vision",
                ("Jane Smith", "Ann Lee", "Eve Wrong"),
                year=2012,
                doi="10.1000/two",
            ),
            [WORK],
        )
        assert match.status is Status.FOUND
        assert [(d.field, d.claimed, d.found) for d in match.differences] == [
            ("authors", "Jane Smith; Ann Lee; Eve Wrong", "Jane Smith; Ann Lee"),
            ("year", "2012", "2019"),
            ("doi", "10.1000/two", "10.1000/one"),
        ]

    def test_tolerates_a_year_between_preprint_and_print(self):
        """One year apart is no error, and is mentioned."""
        match = judge(Reference("Deep learning for vision", year=2018), [WORK])
        assert match.differences == ()
        assert [(c.field, c.how) for c in match.having(Outcome.NEAR)] == [("year", "by one")]

    def test_an_identifier_of_another_work_proves_nothing(self):
        """A stolen DOI does not make an invented title real."""
        match = judge(Reference("Cooking pasta at altitude", ("A. Cook",), doi="10.1000/one"), [WORK])
        assert match.status is Status.ABSENT
        assert match.record == WORK
        assert {"title", "authors", "doi"} == {d.field for d in match.differences}
        assert match.differences[-1].note == "it belongs to “Deep Learning for Vision”"

    def test_an_identifier_alone_is_enough(self):
        """Nothing else was claimed, nothing else can be wrong."""
        match = judge(Reference(doi="10.1000/ONE"), [WORK])
        assert (match.status, match.similarity, match.differences) == (Status.FOUND, 1.0, ())

    def test_a_short_main_title_needs_its_authors(self):
        """ "Attention" may be the main title of many works."""
        work = Record("Attention: A Natural History", ("Jane Smith",), year=2001)
        assert judge(Reference("Attention"), [work]).status is Status.ABSENT
        assert judge(Reference("Attention", ("Smith, J.",)), [work]).status is Status.FOUND

    def test_one_letter_that_makes_another_word_needs_the_authors(self):
        """ "Word" for "world" is another title, unless the authors say that it is a slip."""
        work = Record("A word model of speech", ("Jane Smith",))
        assert judge(Reference("A world model of speech"), [work], frequency).status is Status.ABSENT
        match = judge(Reference("A world model of speech", ("J. Smith",)), [work], frequency)
        assert match.status is Status.FOUND
        assert [d.field for d in match.differences] == ["title"]

    def test_a_near_miss_is_shown_but_not_found(self):
        """The nearest work comes along, with the title as the difference."""
        match = judge(Reference("Deep learning for robots"), [WORK])
        assert (match.status, match.record) == (Status.ABSENT, WORK)
        assert match.differences[0].field == "title"

    def test_no_candidates_is_absent(self):
        """Nothing to choose from."""
        assert judge(Reference("x"), []).status is Status.ABSENT


def fields(match):
    return [difference.field for difference in match.differences]


ATTENTION = Record(
    "Attention Is All You Need",
    ("Ashish Vaswani", "Noam Shazeer"),
    year=2017,
    venue="NeurIPS",
    arxiv="1706.03762",
)
LEARNING = Record("Deep learning", ("Yann LeCun", "Yoshua Bengio"), year=2015, venue="Nature")


class TestSubtitles:
    @pytest.mark.parametrize(
        ("claimed", "author", "work"),
        [
            ("Deep Learning: A Proof of Machine Consciousness", "LeCun", LEARNING),
            ("Attention Is All You Need: Why Transformers Cure Cancer", "Vaswani", ATTENTION),
            ("Attention Is All You Need - Part 2", "Vaswani", ATTENTION),
            ("Attention Is All You Need (Except for Cats)", "Vaswani", ATTENTION),
        ],
    )
    def test_an_invented_one_is_a_difference(self, claimed, author, work):
        """The work is real, its title is another."""
        match = judge(Reference(claimed, (author,)), [work])
        assert (match.status, fields(match)) == (Status.FOUND, ["title"])
        assert (match.differences[0].claimed, match.differences[0].found) == (claimed, work.title)

    def test_the_work_s_own_is_right(self):
        """Whole, or left out."""
        work = Record("Deep learning: a survey", ("Yann LeCun",))
        for claimed in ("Deep Learning - A Survey", "Deep learning: a survey", "Deep learning"):
            match = judge(Reference(claimed, ("LeCun",)), [LEARNING, work])
            assert (match.status, match.differences) == (Status.FOUND, ())

    @pytest.mark.parametrize(
        "added",
        [
            " (2017)",
            " (NIPS 2017)",
            ": NeurIPS",
            " (2nd edition)",
            " - arXiv preprint",
            " - A. Vaswani et al., 2017",
        ],
    )
    def test_authors_year_venue_and_edition_are_none(self, added):
        """They are no part of a title, and often stand behind one."""
        match = judge(Reference(ATTENTION.title + added, ("Vaswani",)), [ATTENTION])
        assert (match.status, match.differences) == (Status.FOUND, ())
        assert "added to the title" in match.having(Outcome.NEAR)[0].note

    def test_another_year_is_one(self):
        """ "Attention Is All You Need: 1984" is no work's title."""
        assert fields(judge(Reference("Attention Is All You Need: 1984", ("Vaswani",)), [ATTENTION])) == [
            "title"
        ]

    def test_without_its_authors_the_longer_title_is_another_work_s(self):
        """Many titles begin like a famous one."""
        assert judge(Reference("Attention Is All You Need: In Vision"), [ATTENTION]).status is Status.ABSENT


class TestUnchecked:
    @pytest.mark.parametrize(
        ("claim", "unchecked"),
        [
            ({}, ()),
            ({"doi": "10.48550/fake.doi"}, ("doi",)),
            ({"doi": "not a DOI"}, ("doi",)),
            ({"isbn": "9780262033848", "pmid": "123"}, ("isbn", "pmid")),
            ({"arxiv": "1706.03762v3"}, ()),
            ({"doi": "10.48550/arXiv.1706.03762"}, ()),
            ({"venue": "Advances in Neural Information Processing Systems 30"}, ()),
            ({"venue": "arXiv preprint arXiv:1706.03762"}, ()),
            ({"venue": "MIT Press"}, ("venue",)),
            ({"url": "https://arxiv.org/abs/1706.03762"}, ()),
            ({"url": "https://example.org/a.pdf"}, ("url",)),
            ({"authors": ("Vaswani",)}, ()),
            ({"authors": ("the DeepMind Team",)}, ("authors",)),
            ({"authors": ("A.",)}, ("authors",)),
            ({"authors": ("NIPS",)}, ("authors",)),
            ({"authors": ("Vaswani, A.", "colleagues")}, ("authors",)),
        ],
    )
    def test_names_what_the_record_does_not_settle(self, claim, unchecked):
        """Neither a difference nor confirmed."""
        match = judge(Reference("Attention is all you need", **claim), [ATTENTION])
        assert (match.status, match.differences, match.unchecked) == (Status.FOUND, (), unchecked)

    def test_a_bare_record_confirms_its_title_only(self):
        """In the order of the reference's fields."""
        reference = Reference("Attention is all you need", ("Vaswani",), year=2017, venue="NIPS", pmid="1")
        match = judge(reference, [Record("Attention Is All You Need")])
        assert match.unchecked == ("authors", "year", "venue", "pmid")

    @pytest.mark.parametrize(
        "claim",
        [{"arxiv": "2301.99999"}, {"doi": "10.48550/arXiv.2301.99999"}, {"authors": ("Eve Wrong", "a team")}],
    )
    def test_a_contradiction_is_a_difference(self, claim):
        """And then not unchecked."""
        match = judge(Reference("Attention is all you need", **claim), [ATTENTION])
        assert match.status is Status.FOUND
        assert fields(match) == [*claim]
        assert not {*claim} - {"authors"} & {*match.unchecked}

    def test_an_identifier_of_another_known_work_is_a_difference(self):
        """Although the record of the quoted work has none."""
        other = Record(
            "Graph theory with applications", ("J. A. Bondy",), doi="10.1000/graph", isbn="0262033844"
        )
        for claim in ({"doi": "10.1000/graph"}, {"isbn": "978-0-262-03384-8"}):
            match = judge(Reference("Deep learning", ("LeCun",), **claim), [LEARNING, other])
            assert (match.record, fields(match), match.unchecked) == (LEARNING, [*claim], ())
            assert "Graph theory" in match.differences[0].found

    def test_another_isbn_may_be_another_edition_s(self):
        """Every edition has its own."""
        work = Record("Introduction to algorithms", ("Thomas H. Cormen",), isbn="0804429573")
        match = judge(Reference("Introduction to algorithms", isbn="0262033844"), [work])
        assert (match.differences, match.unchecked) == ((), ("isbn",))

    def test_any_record_of_the_work_confirms(self):
        """Preprint and print are two records of one work."""
        printed = Record(
            "Deep learning", ("LeCun, Yann",), year=2015, venue="Nature", doi="10.1038/nature14539"
        )
        preprint = Record("Deep learning", ("LeCun, Yann",), year=2015, venue="CoRR", arxiv="1501.00001")
        reference = Reference(
            "Deep learning", ("LeCun",), venue="Nature", doi="10.1038/nature14539", arxiv="1501.00001"
        )
        for works in ([printed, preprint], [preprint, printed]):
            match = judge(reference, works)
            assert (match.differences, match.unchecked) == ((), ())

    def test_organisations_may_be_authors(self):
        """A body that the record names is confirmed."""
        work = Record("Global strategy on digital health", ("Digital Health Team",))
        match = judge(Reference("Global strategy on digital health", ("Digital Health Team",)), [work])
        assert (match.differences, match.unchecked) == ((), ())

    @pytest.mark.parametrize(
        ("claimed", "open_", "wrong"),
        [
            (("DRLS",), False, False),  # its initials
            (("UK Department for Rivers", "Lakes", "and Seas"), False, False),  # parted at its commas
            (("UNEP",), True, False),  # may be short for anything
            (("Riverside Press",), True, False),  # where it came out
            (("Jane Roe",), False, True),
        ],
    )
    def test_a_body_may_be_named_in_short(self, claimed, open_, wrong):
        """Without a judgement where nobody can know."""
        work = Record(
            "The state of waters", ("Department for Rivers, Lakes and Seas",), venue="Riverside Press"
        )
        match = judge(Reference("The state of waters", claimed), [work])
        assert ("authors" in match.unchecked, bool(match.differences)) == (open_, wrong)

    @pytest.mark.parametrize("added", ["Jane Roe", "Plato"])
    def test_nobody_is_added_to_an_author_of_three_names(self, added):
        """He is no body that was parted at its commas."""
        work = Record("The Ontology of Teapots", ("Gabriel Garcia Winterbottom",))
        match = judge(Reference("The Ontology of Teapots", ("Gabriel Garcia Winterbottom", added)), [work])
        assert [check.field for check in match.differences] == ["authors"]

    def test_a_name_in_short_does_not_clear_a_title_cut_short(self):
        """ESRL, Rivers of the world: an invented subtitle; the work has other authors, and one of its own."""
        work = Record("Rivers of the world: a census", ("Jane Roe",))
        match = judge(Reference("Rivers of the world", ("ESRL",)), [work])
        assert match.status is not Status.FOUND


class TestOwners:
    def test_an_identifier_says_more_than_a_nearer_title(self):
        """Catalogues answer with works that look a little like the title."""
        said = Reference(title="Self-Repairing Helices in Synthetic Chromosomes", doi="10.1126/science.1")
        owner = Record(
            title="Genome Engineering via Cas9", authors=("Prashant Mali",), doi="10.1126/science.1"
        )
        near = Record(title="Repairing Synthetic Chromosomes of Yeast", authors=("Nora Body",))
        for works in ([owner, near], [near, owner]):
            match = judge(said, works)
            assert match.status is Status.ABSENT
            assert [check.found for check in match.fields if check.how == "owner"] == [owner.title]


class TestShortTitles:
    """A title without its subtitle."""

    WORK = Record("The Slave Road: A Human History", ("Ada Quill",), year=2007, venue="Viking")

    @pytest.mark.parametrize(
        ("reference", "found"),
        [
            (Reference("Slave Road", ("Quill",)), True),  # without its article
            (Reference("Slave Road", year=2007, venue="Viking"), True),
            (Reference("Slave Road", year=2009, venue="Viking"), False),
            (Reference("Slave Road", ("Marsh",), year=2007, venue="Viking"), False),
        ],
    )
    def test_need_authors_or_year_and_venue(self, reference, found):
        """Two words may be the beginning of many titles."""
        assert (judge(reference, [self.WORK]).status is Status.FOUND) is found

    @pytest.mark.parametrize(
        ("title", "whole", "year", "found"),
        [
            ("The Descent of Moss", "The Descent of Moss, and Selection in Relation to Shade", 1871, True),
            ("The Descent of Moss", "The Descent of Moss, and Selection in Relation to Shade", 1872, False),
            ("The Descent of Moss", "The Descent of Moss, and Selection in Relation to Shade", None, False),
            ("The Weight of Ink", "Ada Quill: The Weight of Ink", 1871, True),
            ("Moss Havelaar", "Moss Havelaar, of the Auctions of the Trading Company", 1871, True),
            ("Moss Havelaar", "Moss Havelaar. A Fragment of Life", 1871, True),
            ("Moss Havelaar", "Moss Havelaar. A Fragment of Life", 1872, False),
            ("Havelaar", "Havelaar, of the Auctions of the Trading Company", 1871, False),
            (
                "Water Incident Handling and Reporting Guide",
                "Safety of Mills – Water Incident Handling and Reporting Guide",
                None,
                False,
            ),
            ("River Gap Report", "River Gap Report 1871: Broken Dams – Floods hit new highs", 1871, True),
        ],
    )
    def test_a_part_of_a_title_is_that_works_if_the_year_is(self, title, whole, year, found):
        """It is marked as a part, and neither called made up nor confirmed."""
        match = judge(Reference(title, year=year), [Record(whole, ("Ada Quill",), year=1871)])
        assert (match.status is Status.FOUND) is found
        if found:
            assert not accused(match, "default")
            assert whole.startswith("River") or [check.how for check in match.differences] == ["part"]

    @pytest.mark.parametrize(
        ("title", "whole"),
        [
            ("IEEE Standard for Mill Arithmetic", "IEEE Standard for Mill Arithmetic, IEEE Std 754-2019"),
            ("Controls for Mills and Dams", "NIST SP 800-53 Rev. 5, Controls for Mills and Dams"),
            ("个人水车安全规范", "个人水车安全规范（GB/T 35273-2020）"),
        ],
    )
    def test_a_standard_is_found_without_its_number(self, tmp_path, title, whole):
        with Index.create(tmp_path / "i.sqlite") as index:
            index.add([Record(whole, year=2019)])
            match = index.find(Reference(title, year=2019))
        assert match.status is Status.FOUND
        assert all(check.outcome in {Outcome.CONFIRMED, Outcome.NEAR} for check in match.fields)

    @pytest.mark.parametrize(
        ("title", "whole"),
        [
            (
                "IEEE Standard for Mill Arithmetic (IEEE 754-2008)",
                "IEEE Standard for Mill Arithmetic (IEEE 754-2019)",
            ),
            ("Controls for Mills (NIST SP 800-54)", "Controls for Mills (NIST SP 800-53)"),
            ("Mill Guarantees - Regulation (EU) 2016/680", "Mill Guarantees - Regulation (EU) 2016/679"),
            ("Rules of Mills: Part 3", "Rules of Mills: Part 1. Indexed Wheels"),
            ("Rules of Mills: Part 1", "Rules of Mills: Part 10"),
            ("Rules of Mills (3rd ed.)", "Rules of Mills (2nd Edition)"),
            ("Rules of Mills - Fourth Meeting, 14-18 May", "Rules of Mills - Fourth Meeting, 14-17 May"),
        ],
    )
    def test_another_number_is_another_title(self, title, whole):
        """Whatever explains the words around it: the venue, an edition. And none of them is called made up by default."""
        work = Record(whole, ("Ada Quill",), year=2019, venue=whole)
        match = judge(Reference(title, ("Ada Quill",), year=2019), [work])
        assert all(check.outcome is not Outcome.CONFIRMED for check in match.fields if check.field == "title")
        assert match.status is not Status.FOUND or [check.how for check in match.differences] == ["number"]
        assert not accused(match, "default")

    @pytest.mark.parametrize(
        ("title", "whole"),
        [
            ("Rules of Mills (2019)", "Rules of Mills (2018)"),  # the record's year
            ("Rules of Mills (2nd ed.)", "Rules of Mills"),
            ("Rules of Mills (2nd ed.)", "Rules of Mills: 100 wheels"),
            ("Rules of Mills (2nd ed., 2019)", "Rules of Mills (2nd Edition)"),
            ("Rules of Mills", "Rules of Mills (2nd Edition)"),
        ],
    )
    def test_a_number_that_the_record_has_or_that_is_added_or_left_out_is_not(self, title, whole):
        match = judge(Reference(title, ("Ada Quill",), year=2019), [Record(whole, ("Ada Quill",), year=2019)])
        assert (match.status, match.differences) == (Status.FOUND, ())

    @pytest.mark.parametrize(
        "title", ["Roe v. Harbour Board", "Twenty rules of keeping moss", "Internationale Mooshandel"]
    )
    def test_an_index_finds_what_a_title_is_a_part_of(self, tmp_path, title):
        """Also where few words are asked for, and where other titles are more alike."""
        wholes = [
            "Roe v. Harbour Board, 591 U.S. 578",
            "Effective gardens: Twenty rules of keeping moss",
            "Internationale Mooshandel mbH v Einfuhrstelle für Getreide und Futtermittel, Case 11/70",
        ]
        with Index.create(tmp_path / "i.sqlite") as index:
            index.add([Record(whole, year=2020) for whole in wholes])
            index.add(
                [Record(f"Twenty rules of keeping {plant} {n}") for n, plant in enumerate(["bees", "ferns"])]
            )
            assert index.find(Reference(title, year=2020)).record.title in wholes

    def test_a_subtitle_may_follow_a_period(self):
        """Also before a capital with an accent."""
        work = Record("Prześniona droga. Ćwiczenie z logiki", ("Anna Kowal",), year=2014)
        assert judge(Reference("Prześniona droga", ("Kowal, A.",), year=2014), [work]).status is Status.FOUND


@pytest.mark.parametrize(
    ("venue", "year", "how_many"),
    [("Viking", 2007, 0), ("Verso", 2007, 1), ("Viking", 2009, 1), ("", 2007, 0), ("", None, 1)],
)
def test_a_subtitle_that_no_record_has(venue, year, how_many):
    """Catalogues leave subtitles out: it is no accusation where the authors agree, and what is said of year and venue; strictly it is."""
    work = Record("Slave Road", ("Ada Quill",), year=2007, venue="Viking")
    match = judge(
        Reference("Slave Road: The Ships and the Sea", ("Ada Quill",), year=year, venue=venue), [work]
    )
    titles = [check for check in accused(match, "default") if check.field == "title"]
    assert (match.status, len(titles)) == (Status.FOUND, how_many)
    assert "title" in {check.field for check in accused(match, "strict")}
    assert match.differences


@pytest.mark.parametrize(
    ("short", "full"),
    [
        ("Roe Mfg. Co. v. Doe Nat'l Bank", "Roe Manufacturing Co. v. Doe National Bank"),
        ("Gen. Elec. Co. v. Doe Pharms., Inc.", "General Electric Co. v. Doe Pharmaceuticals, Inc."),
        ("Roe Elecs. Corp. v. Doe Commc'ns", "Roe Electronics Corp. v. Doe Communications"),
        ("Roe Found. of Am. v. Doe", "Roe Foundation of America v. Doe"),
    ],
)
def test_names_of_cases_are_compared_in_full(short, full):
    """Legal writing cuts words short."""
    assert compare(Title(short), Title(full)).closeness is Closeness.EXACT


class TestWhatIsNoTitle:
    """Where a work with the given identifier appeared, in the place of its title: Roe et al., *Nature* 2012, doi:…"""

    WORK = Record(
        "A Trial of Tall Trees", ("Ann Roe", "Bo Poe", "C. Doe"), year=2012, venue="Nature", doi="10.1000/5"
    )

    @pytest.mark.parametrize("title", ["Nature", "Nature 2012", "nature"])
    def test_its_venue(self, title):
        """It is compared as one."""
        said = Reference(title, ("Roe",), et_al=True, year=2012, doi="10.1000/5")
        match = judge(said, [self.WORK])
        assert (match.status, match.differences) == (Status.FOUND, ())
        assert {check.field: check.outcome for check in match.fields}["venue"] is Outcome.CONFIRMED

    def test_another_venue_is_another_title(self):
        """As any other words."""
        said = Reference("Science", ("Roe",), et_al=True, year=2012, doi="10.1000/5")
        assert accused(judge(said, [self.WORK]), "default")

    def test_a_book_of_that_name_keeps_its_title(self):
        """Cell is a novel, too; its DOI is the article's."""
        said = Reference("Nature", ("Moe",), year=2014, doi="10.1000/5")
        match = judge(said, [self.WORK, Record("Nature", ("Ann Moe",), year=2014)])
        assert not accused(match, "default")

    def test_without_the_identifier_it_may_be_a_title(self):
        """Emerson's Nature is a book."""
        assert judge(Reference("Nature", ("Roe",), year=2012), [self.WORK]).status is Status.ABSENT


def test_family_names_in_one_text():
    """{"author": "james, witten, hastie"}: no family name and given names."""
    work = Record("Learning from Bells", ("Gareth James", "Daniela Witten", "Trevor Hastie"), year=2013)
    said = Reference("Learning from Bells", ("james, witten, hastie",), year=2013)
    assert not judge(said, [work]).differences
    assert judge(Reference("Learning from Bells", ("james, poe, hastie",), year=2013), [work]).differences
