"""Works named within English sentences: who is said to have written them, where and when, and works without a title."""

import pytest

from guardrail.references.citations import citations
from guardrail.references.citations.venues import is_venue


def read(text):
    """The span, title, authors, year and venue of each reference."""
    return [
        (
            one.span.of(text),
            one.reference.title,
            one.reference.authors,
            one.reference.year,
            one.reference.venue,
        )
        for one in citations(text)
    ]


class TestBefore:
    @pytest.mark.parametrize(
        ("text", "span", "authors", "year", "venue"),
        [
            (
                "The view is Anna Weber's *Cities of Glass*, published in German in 1931.",
                "Anna Weber's *Cities of Glass*, published in German in 1931",
                ("Anna Weber",),
                1931,
                "",
            ),
            (
                "The standard work is Paul Novak, *The Craft of Bells: A History* (Leiden and Boston: Brill, 1991).",
                "Paul Novak, *The Craft of Bells: A History* (Leiden and Boston: Brill, 1991)",
                ("Paul Novak",),
                1991,
                "Brill",
            ),
            (
                "Add Jane Roe, whose *Hidden Rivers* (2003) makes the claim.",
                "Jane Roe, whose *Hidden Rivers* (2003)",
                ("Jane Roe",),
                2003,
                "",
            ),
            (
                "Years later Mary Poe (*The Silent Garden*, 1994) turned it round.",
                "Mary Poe (*The Silent Garden*, 1994)",
                ("Mary Poe",),
                1994,
                "",
            ),
            (
                "Carla Ruiz takes it apart in *Bread and Salt: A Kitchen History* (Yale University Press, 2008).",
                "Carla Ruiz takes it apart in *Bread and Salt: A Kitchen History* (Yale University Press, 2008)",
                ("Carla Ruiz",),
                2008,
                "Yale University Press",
            ),
            (
                "Novak asked in 1969, in The Philosophical Review, “What Do Bells Mean to Us?”",
                "Novak asked in 1969, in The Philosophical Review, “What Do Bells Mean to Us?”",
                ("Novak",),
                1969,
                "The Philosophical Review",
            ),
            (
                "It was shown by Kim and Lee in their 1958 PNAS article *The folding of bells*.",
                "Kim and Lee in their 1958 PNAS article *The folding of bells*",
                ("Kim", "Lee"),
                1958,
                "PNAS",
            ),
            (
                'The same year, a paper in *Science* by Kim and Lee, "Late Arrival of the Bells," changed it.',
                'a paper in *Science* by Kim and Lee, "Late Arrival of the Bells,"',
                ("Kim", "Lee"),
                None,
                "Science",
            ),
            (
                "The neatest case is the *PNAS* paper “Blue bells reveal effects of sound on sight” from 2007.",
                "the *PNAS* paper “Blue bells reveal effects of sound on sight” from 2007",
                (),
                2007,
                "PNAS",
            ),
        ],
    )
    def test_the_author_is_named_before_the_title(self, text, span, authors, year, venue):
        """As owner, as subject, by a comma, before brackets."""
        [(found, _, *said)] = read(text)
        assert (found, *said) == (span, authors, year, venue)

    def test_who_is_in_the_title_of_a_film_writes_nothing(self):
        """An answer about films has owners and years, too."""
        text = "This film is by her. Two movies: Jane Roe's *The Dark Bells Rise* and Ann Doe's *The Long Night of Bells*."
        assert read(text) == []


class TestBehind:
    @pytest.mark.parametrize(
        ("text", "span", "authors", "year", "venue"),
        [
            (
                "It opens *The Silent Bell: Sound as a Social Act* (Cornell UP, 1981), by Mary Poe.",
                "*The Silent Bell: Sound as a Social Act* (Cornell UP, 1981), by Mary Poe",
                ("Mary Poe",),
                1981,
                "Cornell UP",
            ),
            (
                '"Counting Machines and Bells" (Mind, 1950), by Mary Poe, asked whether they think.',
                '"Counting Machines and Bells" (Mind, 1950), by Mary Poe',
                ("Mary Poe",),
                1950,
                "Mind",
            ),
            (
                'In "Rethinking the Fall of Bell Island" (*American Scientist*, 2006), Novak argued that rats did it.',
                '"Rethinking the Fall of Bell Island" (*American Scientist*, 2006), Novak',
                ("Novak",),
                2006,
                "American Scientist",
            ),
            (
                (
                    "The number is from “Counting the consensus on bells in the literature”, published in 2013 in "
                    "Environmental Research Letters by Mary Poe and eight co-authors."
                ),
                (
                    "“Counting the consensus on bells in the literature”, published in 2013 in Environmental Research Letters "
                    "by Mary Poe and eight co-authors"
                ),
                ("Mary Poe",),
                2013,
                "Environmental Research Letters",
            ),
            (
                "The reply is *Questioning the Bells*, edited by Mary Poe and John Roe for Cambridge University Press (2010).",
                "*Questioning the Bells*, edited by Mary Poe and John Roe for Cambridge University Press (2010)",
                ("Mary Poe", "John Roe"),
                2010,
                "Cambridge University Press",
            ),
            (
                'Kim et al., "The Effect of Bells on Low-Wage Jobs", QJE 2019, looked at it.',
                'Kim et al., "The Effect of Bells on Low-Wage Jobs", QJE 2019',
                ("Kim",),
                2019,
                "QJE",
            ),
            (
                'Try "The Chimes of Low Towns" (Novak and others, Science, September 2022).',
                '"The Chimes of Low Towns" (Novak and others, Science, September 2022)',
                ("Novak",),
                2022,
                "Science",
            ),
            (
                'The derivation is in "Sound creation by old bells", Commun. Math. Phys. 43, 199 (1975).',
                '"Sound creation by old bells", Commun. Math. Phys. 43, 199 (1975)',
                (),
                1975,
                "Commun. Math. Phys.",
            ),
            (
                "A study by Mary Poe and Ann Roe, *Bystanders and bells: Diffusion of sound*, which the *Journal of Sound and Vibration* printed in 1968, began it.",
                "Mary Poe and Ann Roe, *Bystanders and bells: Diffusion of sound*, which the *Journal of Sound and Vibration* printed in 1968",
                ("Mary Poe", "Ann Roe"),
                1968,
                "Journal of Sound and Vibration",
            ),
        ],
    )
    def test_what_follows_a_title_is_read(self, text, span, authors, year, venue):
        """Publishers and journals are no authors; editors, editions and dates are read in any order."""
        [(found, _, *said)] = read(text)
        assert (found, *said) == (span, authors, year, venue)

    @pytest.mark.parametrize(
        ("name", "known"),
        [
            ("Harper & Row", True),
            ("Cognitive Psychology", True),
            ("PVLDB", True),
            ("The American Naturalist", True),
            ("Kahneman", False),
            ("Berlin & Kay", False),
            ("RFC", False),
        ],
    )
    def test_places_of_publication_are_known_by_name(self, name, known):
        """Presses, journals and acronyms, but no people."""
        assert is_venue(name) is known

    def test_a_journal_in_italics_is_no_title(self):
        """It says where something appeared."""
        text = "So a short paper (Poe, Smith & Roe, 1960, *The American Naturalist*) said."
        assert read(text) == [
            (
                "Poe, Smith & Roe, 1960, *The American Naturalist*",
                "",
                ("Poe", "Smith", "Roe"),
                1960,
                "The American Naturalist",
            )
        ]


class TestUnmarked:
    @pytest.mark.parametrize(
        ("text", "title", "authors", "year", "venue"),
        [
            (
                "He described it in Obeying the Bells (Harper & Row, 1974).",
                "Obeying the Bells",
                (),
                1974,
                "Harper & Row",
            ),
            (
                "For a third view see Mary Poe, The Making of Bells (Cornell University Press, 1996).",
                "The Making of Bells",
                ("Mary Poe",),
                1996,
                "Cornell University Press",
            ),
            (
                "Hans Roe (Florence and the Bells, Harvard UP, 2011) traces it.",
                "Florence and the Bells",
                ("Hans Roe",),
                2011,
                "Harvard UP",
            ),
            (
                "Three years later Mary Poe wrote The Seven Bells of Winter (Princeton, 2017), and it sold well.",
                "The Seven Bells of Winter",
                ("Mary Poe",),
                2017,
                "Princeton",
            ),
        ],
    )
    def test_the_publisher_is_no_author(self, text, title, authors, year, venue):
        """Nor is the name of a body before its initials a title."""
        [(_, *said)] = read(text)
        assert said == [title, authors, year, venue]

    def test_a_body_before_its_initials_is_no_title(self):
        """The National Bell Office (NBO, 2005) is cited by the mark."""
        [(span, title, *_)] = [
            one
            for one in read("The National Bell Office (NBO, 2005; Poe & Roe, 2001) sorts them.")
            if one[3] == 2005
        ]
        assert (span, title) == ("NBO, 2005", "")


class TestUntitled:
    @pytest.mark.parametrize(
        ("text", "span", "authors", "year", "venue"),
        [
            (
                "The best is Poe & Roe's 2012 essay in PLoS Biology. They know.",
                "Poe & Roe's 2012 essay in PLoS Biology",
                ("Poe", "Roe"),
                2012,
                "PLoS Biology",
            ),
            (
                "Mary Poe's comment in *American Psychologist* (1964) asked it.",
                "Mary Poe's comment in *American Psychologist* (1964)",
                ("Mary Poe",),
                1964,
                "American Psychologist",
            ),
            ("The story of Poe's 1974 book is odd.", "Poe's 1974 book", ("Poe",), 1974, ""),
            (
                "It was traced by Mary Poe in a 1986 *American Anthropologist* article and mocked.",
                "Mary Poe in a 1986 *American Anthropologist* article",
                ("Mary Poe",),
                1986,
                "American Anthropologist",
            ),
            (
                "Poe, Doe and Roe, writing in the *Journal of Sound and Vibration* in 2010, widened it.",
                "Poe, Doe and Roe, writing in the *Journal of Sound and Vibration* in 2010",
                ("Poe", "Doe", "Roe"),
                2010,
                "Journal of Sound and Vibration",
            ),
            (
                "Poe's 2001 study of how people hear bells (*Cognitive Psychology*, 43) began it.",
                "Poe's 2001 study of how people hear bells (*Cognitive Psychology*, 43)",
                ("Poe",),
                2001,
                "Cognitive Psychology",
            ),
        ],
    )
    def test_people_with_a_year_or_a_journal_are_a_reference(self, text, span, authors, year, venue):
        """It is a mark, as (Poe, 1974) is one."""
        [(found, title, *said)] = read(text)
        assert (found, title, *said) == (span, "", authors, year, venue)

    @pytest.mark.parametrize(
        "text",
        [
            "My neighbour's book club met in 1974.",
            "Apple's report in the morning was short.",
            "Poe's study in London is full of bells.",
        ],
    )
    def test_other_possessions_are_none(self, text):
        """Neither a year nor a journal belongs to them."""
        assert read(text) == []


class TestVariants:
    @pytest.mark.parametrize(
        ("text", "title", "authors", "year", "venue"),
        [
            (
                "It is Ann Roe's *Why Bells Don't Get Ulcers* (3rd ed., 2004).",
                "Why Bells Don't Get Ulcers",
                ("Ann Roe",),
                2004,
                "",
            ),
            (
                'In his 1945 essay "The Use of Bells in Society", Karl Novak argued that they carry far.',
                "The Use of Bells in Society",
                ("Karl Novak",),
                1945,
                "",
            ),
            (
                "Later Ann Roe made the case in The Death and Life of Great Bells (1961), and won.",
                "The Death and Life of Great Bells",
                ("Ann Roe",),
                1961,
                "",
            ),
            (
                "Ann Roe's classic Bells and Famines (Oxford: Clarendon Press, 1981) showed this.",
                "Bells and Famines",
                ("Ann Roe",),
                1981,
                "Clarendon Press",
            ),
            (
                "Novak's book Capital of the Twenty Seven Bells was translated in the same year.",
                "Capital of the Twenty Seven Bells",
                ("Novak",),
                None,
                "",
            ),
            (
                "One widely cited 2015 paper in *Science* by the Open Bell Collaboration found it.",
                "",
                ("Open Bell Collaboration",),
                2015,
                "Science",
            ),
            (
                "In a 2009 article in *Nature*, Karl Novak and colleagues proposed it.",
                "",
                ("Karl Novak",),
                2009,
                "Nature",
            ),
            (
                "A meta-analysis by Novak et al. (2013) in the *Canadian Journal of Bells* found it helpful.",
                "",
                ("Novak",),
                2013,
                "",
            ),
        ],
    )
    def test_other_ways_to_say_it(self, text, title, authors, year, venue):
        """Editions, essays that open a sentence, cities, papers that have no title."""
        [(_, *said)] = read(text)
        assert said == [title, authors, year, venue]

    def test_the_owner_of_the_next_title_is_no_author(self):
        """*The Fifth Bell* by Peter Poe, and Roe's *The Long Bell*."""
        text = "Read *The Fifth Bell of Summer* by Peter Poe, and Roe's earlier *The Long Bell of Winter* (1972)."
        assert [authors for _, _, authors, *_ in read(text)] == [("Peter Poe",), ("Roe",)]

    def test_a_newspaper_with_a_year_is_no_mark(self):
        """The Bell Valley Times (2019) reported it."""
        assert read("The Bell Valley Times (2019) reported it, and stopped.") == []


class TestMentions:
    TEXT = (
        "Start with two books, Mary Poe's *Collapse of the Bells: A History* (Viking, 2005) and Ann Roe's *The Silent Tower* "
        "(Verso, 1999). "
    )

    def test_a_title_with_a_year_among_works_is_one(self):
        """It is never called wrong."""
        text = self.TEXT + "The same is in *De campanis* (1435)."
        last = citations(text)[-1]
        assert (last.span.of(text), last.style) == ("*De campanis* (1435)", "unmarked")

    @pytest.mark.parametrize(
        "more",
        ["The *tower* is high.", "The film *Bells at Dawn* (1971) has it, too.", "See *Nature* (1999)."],
    )
    def test_other_emphasised_words_are_none(self, more):
        """Words, films, journals."""
        assert len(citations(self.TEXT + more)) == 2
