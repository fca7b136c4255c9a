"""A second look at titles that nobody has. Oracles: judged by hand."""

import pytest
from tests.effort import ends, lines_run

from guardrail.references.bibliography.index import Index
from guardrail.references.bibliography.readings import judge_readings, readings
from guardrail.references.bibliography.records import Record, Reference, Status

TITLE = "Attention Is All You Need"
WORKS = [
    Record(TITLE, ("Ashish Vaswani", "Noam Shazeer"), year=2017, venue="NeurIPS"),
    Record("ZoomBoard: a diminutive qwerty soft keyboard", ("Stephen Oney",), year=2013, venue="CHI"),
    Record("Deep learning", ("Yann LeCun",), year=2015, venue="Nature"),
]


@pytest.fixture(scope="module")
def index(tmp_path_factory):
    with Index.create(tmp_path_factory.mktemp("readings") / "index.sqlite", complete=True) as made:
        made.add(WORKS)
        yield made


def fields(match):
    return [difference.field for difference in match.differences]


class TestReadings:
    def test_keep_what_stands_around(self):
        """Each part with its left and right."""
        (part,) = [r for r in readings(f"The paper “{TITLE}” (NIPS)") if r.title.raw == TITLE]
        assert (part.before, part.after) == ("The paper ", " (NIPS)")

    @pytest.mark.parametrize("title", ["", TITLE, "Deep learning: a view", ": : :", "The authors' own view"])
    def test_have_three_words_and_are_not_the_whole(self, title):
        """A title without a break has no other reading, but for what its first words may lead in."""
        assert [reading for reading in readings(title) if not reading.leads] == []

    @pytest.mark.parametrize(
        ("title", "rests"),
        [
            ("Voir The Fate of Rome", ["The Fate of Rome"]),
            ("Je recommande Gravitation", ["Gravitation"]),
            ("参见 The Fate of Rome", ["The Fate of Rome", "Fate of Rome"]),
            ("2017 - Gravitation", []),
            ("understanding the fate of rome", []),
        ],
    )
    def test_what_first_words_may_lead_in(self, title, rests):
        """It begins as a title does, and one of the words before it has a capital at most."""
        assert [reading.title.raw for reading in readings(title) if reading.leads] == rests

    @pytest.mark.parametrize("front", ["Deep nets for vision:", "Über tiefe Netze:", "See also: The"])
    def test_a_subtitle_is_not_led_in(self, front):
        """An invented main title before a real subtitle is another work's title, whatever its words."""
        assert not any(one.leads and ":" in one.before for one in readings(f"{front} A Study of Something"))

    def test_are_few(self):
        """Whatever the title is made of."""
        with ends():
            assert len(readings("a b c | " * 100_000)) < 50
        few, many = (lines_run(lambda n=n: readings("a b c | " * n)) for n in (1_000, 100_000))
        assert many <= 1.1 * few


class TestFind:
    @pytest.mark.parametrize(
        ("title", "claims"),
        [
            (f'The paper "{TITLE}"', {"authors": ("Vaswani",), "year": 2017}),
            (f"2017 - {TITLE}", {"authors": ("Vaswani",)}),
            (f"Ashish Vaswani, Noam Shazeer: {TITLE}", {}),
            (f"A. Vaswani et al.: {TITLE}", {}),
            (f"{TITLE} | Vaswani | 2017", {}),
            (f"{TITLE} // NIPS 2017", {}),
            (f"The article: {TITLE}", {"year": 2017}),
            ("S. Oney — ZoomBoard: a diminutive qwerty soft keyboard", {}),
        ],
    )
    def test_finds_a_title_that_was_cut_wrongly(self, index, title, claims):
        """What is beside the title is the work's, or says nothing."""
        match = index.find(Reference(title, **claims))
        assert (match.status, match.differences) == (Status.FOUND, ())
        assert "title read as" in match.fields[0].note

    @pytest.mark.parametrize(
        ("title", "claims"),
        [
            (f"Why Cats Win: {TITLE}", {}),
            (f"Why Cats Win: {TITLE}", {"year": 2017}),
            (f"Why Cats Win: {TITLE}", {"authors": ("Eve Wrong",), "year": 2017}),
            (f"Why Cats Win: {TITLE}", {"authors": ("Vaswani",), "year": 1987}),
            (f"{TITLE}: Why Transformers Cure Cancer", {"year": 2017}),
            (f"The paper: {TITLE}", {}),
            (f"The paper: {TITLE}", {"year": 2003}),
            (f"2012 - {TITLE}", {}),
            ("The paper: Attention Is All They Need", {"authors": ("Vaswani",), "year": 2017}),
            ("The paper: Deep learning", {"year": 2015}),
        ],
    )
    def test_does_not_take_a_part_for_the_whole(self, index, title, claims):
        """Without agreement, with an explanation that is none, or with a word that differs."""
        assert index.find(Reference(title, **claims)).status is Status.ABSENT

    @pytest.mark.parametrize("title", [f"Why Cats Win: {TITLE}", f"2012 - {TITLE}", f"{TITLE} | A Memoir"])
    def test_what_nothing_explains_is_a_difference(self, index, title):
        """The authors' work, under another title."""
        match = index.find(Reference(title, ("Vaswani",)))
        assert (match.status, fields(match)) == (Status.FOUND, ["title"])
        assert match.similarity < 1.0

    def test_a_shorter_title_of_the_same_authors_is_not_preferred(self, tmp_path):
        """The part that is a title with its subtitle is the work that was meant."""
        works = [Record("ZoomBoard", ("Stephen Oney",), year=2012), WORKS[1]]
        with Index.create(tmp_path / "index.sqlite") as made:
            made.add(works)
            match = made.find(Reference(f"{WORKS[1].title} | S. Oney | 2013", ("Stephen Oney",), year=2013))
        assert (match.record, match.differences) == (WORKS[1], ())

    def test_wrong_authors_stay_wrong(self, index):
        """The title is read again, the rest is as it was."""
        match = index.find(Reference(f'The paper "{TITLE}"', ("Eve Wrong",), year=2017))
        assert (match.status, fields(match)) == (Status.FOUND, ["authors"])

    def test_without_candidates_there_is_no_reading(self):
        """Nothing to choose from."""
        assert judge_readings(Reference(f"In: {TITLE}", year=2017), readings(f"In: {TITLE}"), []) is None


@pytest.fixture(scope="module")
def known(tmp_path_factory):
    works = [
        Record("The Fate of Rome", ("Kyle Harper",), year=2017),
        Record("Categories and sheaves", ("Masaki Kashiwara",), year=2006),
        Record("Modern Classical Physics", ("Kip S. Thorne",), year=2017),
    ]
    with Index.create(tmp_path_factory.mktemp("led") / "index.sqlite", complete=True) as made:
        made.add(works)
        yield made


class TestLeadIns:
    @pytest.mark.parametrize(
        ("title", "author", "outcome", "how"),
        [
            ("Voir The Fate of Rome", "Kyle Harper", "near", "led"),
            ("Misalnya, The Fate of Rome", "K. Harper", "near", "led"),
            ("Voir Categories and sheaves", "Masaki Kashiwara", "near", "led"),
            ("Je recommande Modern Classical Physics", "Kip S. Thorne", "near", "led"),
            ("См. Modern Classical Physics", "Kip S. Thorne", "near", "led"),
            ("Voir Modern Classical Physics", "Kip S. Thorne", "differs", "led"),
            ("Understanding Modern Classical Physics", "Kip S. Thorne", "differs", "led"),
            ("Empire: The Fate of Rome", "Kyle Harper", "differs", "invented"),
        ],
    )
    def test_words_before_a_title(self, known, title, author, outcome, how):
        """They lead it in where it shows that a title begins there; else they may be of the title, which accuses nobody; a title before a colon is none of the work's."""
        match = known.find(Reference(title, (author,), year=2017 if "Categories" not in title else 2006))
        assert (match.fields[0].outcome.name.lower(), match.fields[0].how) == (outcome, how)

    @pytest.mark.parametrize(
        "said",
        [
            Reference("Voir The Fate of Rome", ("Ann Roe",), year=2017),
            Reference("Voir The Fate of Rome", ("Kyle Harper",), year=2001),
            Reference("Understanding the Fate of Rome", ("Kyle Harper",), year=2017),
        ],
    )
    def test_others(self, known, said):
        """Authors and year must agree, and the title must begin as a title does."""
        assert known.find(said).status is Status.ABSENT
