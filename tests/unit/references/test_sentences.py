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
                "See Vaughn, *Challenger of Bells*, xiv.",
                "Vaughn, *Challenger of Bells*",
                ("Vaughn",),
                None,
                "",
            ),
            (
                "The strongest version is Barth, *Camera Fluida*: it says so.",
                "Barth, *Camera Fluida*",
                ("Barth",),
                None,
                "",
            ),
            (
                'The key paper is Bueler, Grifin & Roe (1994), "Exploring the Planning of Bells".',
                'Bueler, Grifin & Roe (1994), "Exploring the Planning of Bells"',
                ("Bueler", "Grifin", "Roe"),
                1994,
                "",
            ),
            (
                'See Ann Roe\'s 1968 *Towermation* article, "How Do Bells Invent?"',
                'Ann Roe\'s 1968 *Towermation* article, "How Do Bells Invent?"',
                ("Ann Roe",),
                1968,
                "Towermation",
            ),
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
                'The trial, "Adjunctive Bells in Patients with Shock" (Venka et al., 2018; doi:10.1056/NEJMoa1705835), was neutral.',
                '"Adjunctive Bells in Patients with Shock" (Venka et al., 2018; doi:10.1056/NEJMoa1705835)',
                ("Venka",),
                2018,
                "",
            ),
            (
                "He sums it up in *Paul and the Faithfulness of Bells* (SPCK/Fortress 2013).",
                "*Paul and the Faithfulness of Bells* (SPCK/Fortress 2013)",
                (),
                2013,
                "SPCK/Fortress",
            ),
            (
                "The other, i.e. *Bells plus Towers for Adults with Septic Shock* (N Engl J Med 2018), found a benefit.",
                "*Bells plus Towers for Adults with Septic Shock* (N Engl J Med 2018)",
                (),
                2018,
                "N Engl J Med",
            ),
            (
                "John Snoe's *On the Mode of Ringing of Bells*, published by John Church in 1855, says so.",
                "John Snoe's *On the Mode of Ringing of Bells*, published by John Church in 1855",
                ("John Snoe",),
                1855,
                "John Church",
            ),
            (
                'His insight appeared as "Intervening sequences of regularly rung bells" in the *Journal of Bell Evolution* in 2005.',
                '"Intervening sequences of regularly rung bells" in the *Journal of Bell Evolution* in 2005',
                (),
                2005,
                "Journal of Bell Evolution",
            ),
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


class TestClauses:
    @pytest.mark.parametrize(
        ("text", "span", "title", "authors", "year", "venue"),
        [
            (
                "Joel Mokry devotes the last part of *A Culture of Bells* (Princeton University Press 2016) to it.",
                "Joel Mokry devotes the last part of *A Culture of Bells* (Princeton University Press 2016)",
                "A Culture of Bells",
                ("Joel Mokry",),
                2016,
                "Princeton University Press",
            ),
            (
                'Four years later Kenning and three co-authors (2007) re-ran the test in "A Longitudinal Examination of Bells and Revenue".',
                'Kenning and three co-authors (2007) re-ran the test in "A Longitudinal Examination of Bells and Revenue"',
                "A Longitudinal Examination of Bells and Revenue",
                ("Kenning",),
                2007,
                "",
            ),
            (
                'Ben Fly and Alec Budz looked at 1,471 towers for *Harvard Business Review* ("Why Your Tower May Be Riskier," 2011) and found it.',
                'Ben Fly and Alec Budz looked at 1,471 towers for *Harvard Business Review* ("Why Your Tower May Be Riskier," 2011)',
                "Why Your Tower May Be Riskier",
                ("Ben Fly", "Alec Budz"),
                2011,
                "Harvard Business Review",
            ),
            (
                'Justin Lin (林立夫) offered an explanation in "The Bell Puzzle", published in *Journal of Bells* in 1995.',
                'Justin Lin (林立夫) offered an explanation in "The Bell Puzzle", published in *Journal of Bells* in 1995',
                "The Bell Puzzle",
                ("Justin Lin",),
                1995,
                "Journal of Bells",
            ),
            (
                "In the same year Andre Gunner Fox published *ReTower*, arguing otherwise.",
                "Andre Gunner Fox published *ReTower*",
                "ReTower",
                ("Andre Gunner Fox",),
                None,
                "",
            ),
            (
                'In 1997 A. K. Gavrin gathered the evidence in the Classical Quarterly under the title "Bells of Reading in Antiquity".',
                '1997 A. K. Gavrin gathered the evidence in the Classical Quarterly under the title "Bells of Reading in Antiquity"',
                "Bells of Reading in Antiquity",
                ("A. K. Gavrin",),
                1997,
                "Classical Quarterly",
            ),
            (
                'In 2000 Elena Magru and colleagues reported "Bell-related structural change in the ears of ringers" in PNAS.',
                '2000 Elena Magru and colleagues reported "Bell-related structural change in the ears of ringers" in PNAS',
                "Bell-related structural change in the ears of ringers",
                ("Elena Magru",),
                2000,
                "PNAS",
            ),
            (
                "Seven years later O'Key and Lynn Nadler turned it into a theory in *The Tower as a Bell Map*.",
                "O'Key and Lynn Nadler turned it into a theory in *The Tower as a Bell Map*",
                "The Tower as a Bell Map",
                ("O'Key", "Lynn Nadler"),
                None,
                "",
            ),
            (
                "The editor, A. M. Rosenfeld, expanded it into a short book, *Thirty-Eight Bells*.",
                "A. M. Rosenfeld, expanded it into a short book, *Thirty-Eight Bells*",
                "Thirty-Eight Bells",
                ("A. M. Rosenfeld",),
                None,
                "",
            ),
            (
                'They wrote much: Rachel Mann, Mark Levitt and Alan Coll went through the files and published "The bell tower murder and the psychology of ringing" in American Psychologist in 2007.',
                'Rachel Mann, Mark Levitt and Alan Coll went through the files and published "The bell tower murder and the psychology of ringing" in American Psychologist in 2007',
                "The bell tower murder and the psychology of ringing",
                ("Rachel Mann", "Mark Levitt", "Alan Coll"),
                2007,
                "American Psychologist",
            ),
            (
                'When Will Scovel and Brenda Milne described the ringer H.M. in 1957, in a paper soberly titled "Loss of Recent Bells After Lesions," it changed.',
                'Will Scovel and Brenda Milne described the ringer H.M. in 1957, in a paper soberly titled "Loss of Recent Bells After Lesions,"',
                "Loss of Recent Bells After Lesions",
                ("Will Scovel", "Brenda Milne"),
                1957,
                "",
            ),
            (
                'It was attacked. Glaser, La Torre, López-de-Silva and Shlomo, in a paper bluntly entitled "Do Bells Cause Growth?" (Journal of Economic Growth, 2004), argued so.',
                'Glaser, La Torre, López-de-Silva and Shlomo, in a paper bluntly entitled "Do Bells Cause Growth?" (Journal of Economic Growth, 2004)',
                "Do Bells Cause Growth?",
                ("Glaser", "La Torre", "López-de-Silva", "Shlomo"),
                2004,
                "Journal of Economic Growth",
            ),
            (
                'It came after the Open Bell Collaboration\'s 2015 *Science* paper, "Estimating the Loudness of Bells Again," in which few rang.',
                'Open Bell Collaboration\'s 2015 *Science* paper, "Estimating the Loudness of Bells Again,"',
                "Estimating the Loudness of Bells Again",
                ("Open Bell Collaboration",),
                2015,
                "Science",
            ),
            (
                'That\'s the result, from "Impossibility of Bells with One Faulty Process" (Fisch, Lynx & Pater, *Journal of the ACM*, 1985).',
                '"Impossibility of Bells with One Faulty Process" (Fisch, Lynx & Pater, *Journal of the ACM*, 1985)',
                "Impossibility of Bells with One Faulty Process",
                ("Fisch", "Lynx", "Pater"),
                1985,
                "Journal of the ACM",
            ),
            (
                "Here Paul Saenz's 1997 book *Space Between Bells: The Origins of Silence* remains provocative.",
                "Paul Saenz's 1997 book *Space Between Bells: The Origins of Silence*",
                "Space Between Bells: The Origins of Silence",
                ("Paul Saenz",),
                1997,
                "",
            ),
            (
                "The idea reached the public with *Bellpower: The Greatest Human Strength*, which Roy Baum co-wrote with the journalist John Tiern.",
                "*Bellpower: The Greatest Human Strength*, which Roy Baum co-wrote with the journalist John Tiern",
                "Bellpower: The Greatest Human Strength",
                ("Roy Baum", "John Tiern"),
                None,
                "",
            ),
            (
                'In "Bell Maps in Rats and Men," an address printed in the Psychological Review in 1948, Edward Tolle argued that.',
                '"Bell Maps in Rats and Men," an address printed in the Psychological Review in 1948, Edward Tolle',
                "Bell Maps in Rats and Men",
                ("Edward Tolle",),
                1948,
                "Psychological Review",
            ),
            (
                'In "Would I be rung?", a 2020 paper on bells, it was shown.',
                '"Would I be rung?", a 2020 paper',
                "Would I be rung?",
                (),
                2020,
                "",
            ),
            (
                "*Fatal Bells*, Ken McGoo's life of John Rae, gives the other view.",
                "*Fatal Bells*, Ken McGoo's life",
                "Fatal Bells",
                ("Ken McGoo",),
                None,
                "",
            ),
            (
                "Then Barry Lope, *Arctic Bells*, for light.",
                "Barry Lope, *Arctic Bells*",
                "Arctic Bells",
                ("Barry Lope",),
                None,
                "",
            ),
        ],
    )
    def test_the_subject_of_the_clause_wrote_it(self, text, span, title, authors, year, venue):
        """Whatever else the clause says of them."""
        [found] = read(text)
        assert found == (span, title, authors, year, venue)


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
            (
                "Evan Cart and Michael McCull reported in 2014 (*Frontiers in Psychology*) that it shrank.",
                "Evan Cart and Michael McCull reported in 2014 (*Frontiers in Psychology*)",
                ("Evan Cart", "Michael McCull"),
                2014,
                "Frontiers in Psychology",
            ),
            (
                "A meta-analysis by Peter Fisch and colleagues in *Psychological Bulletin* (2011) confirmed it.",
                "meta-analysis by Peter Fisch and colleagues in *Psychological Bulletin* (2011)",
                ("Peter Fisch",),
                2011,
                "Psychological Bulletin",
            ),
            (
                "In a two-page report in Brain Research in 1971, John O'Key and Jonathan Dost described cells.",
                "in Brain Research in 1971, John O'Key and Jonathan Dost",
                ("John O'Key", "Jonathan Dost"),
                1971,
                "Brain Research",
            ),
            (
                "The attack was David Alb's 2012 comment in the same journal.",
                "David Alb's 2012 comment in the same journal",
                ("David Alb",),
                2012,
                "",
            ),
            (
                "Melissa Dill's study of the Peruvian *bell* (Econometrica, 2010) uses a discontinuity.",
                "Melissa Dill's study of the Peruvian *bell* (Econometrica, 2010)",
                ("Melissa Dill",),
                2010,
                "Econometrica",
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
                "Having written the popular To Ring Is Human (St. Martin's Press, 1985), she rests.",
                "To Ring Is Human",
                (),
                1985,
                "St. Martin's Press",
            ),
            (
                "It is Ann Roe's Bells in Chinese Society (English translation 1995) that helps.",
                "Bells in Chinese Society",
                ("Ann Roe",),
                1995,
                "",
            ),
            (
                "It is *Swing* (Forsk, Humboldt & Kimm) that reports it.",
                "Swing",
                ("Forsk", "Humboldt", "Kimm"),
                None,
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
                "Canadian Journal of Bells",
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
    def test_who_said_something_before_is_no_author(self):
        """The next sentence names the owner of the title."""
        text = (
            "Roe's *Trees* (2001) and Poe's *Stones* (2002) agree. The philosopher A. C. Gray had said something similar in 1973. "
            "Pete's *To Ring Is Human* is good."
        )
        said = [one.reference for one in citations(text)]
        assert [(one.authors, one.year) for one in said] == [
            (("Roe",), 2001),
            (("Poe",), 2002),
            (("Pete",), None),
        ]

    def test_an_owner_in_full_is_enough_among_works(self):
        """The title has capitals only."""
        text = "See Jane Poe's *Hidden Rivers* (2003). Gregory Roe's Bells, Stones, and Quiet Monks demolishes it."
        assert [one.reference.title for one in citations(text)] == [
            "Hidden Rivers",
            "Bells, Stones, and Quiet Monks",
        ]

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
        ("more", "span"),
        [
            ("See the opening of Varro's *De turribus*.", "Varro's *De turribus*"),
            (
                "For years *The Part-Time Tower* only appeared in 1998.",
                "*The Part-Time Tower* only appeared in 1998",
            ),
        ],
    )
    def test_so_is_one_with_an_owner_or_that_appeared(self, more, span):
        """Of which an answer says no more."""
        text = self.TEXT + more
        last = citations(text)[-1]
        assert (last.span.of(text), last.style) == (span, "unmarked")

    @pytest.mark.parametrize(
        "more",
        ["The *tower* is high.", "The film *Bells at Dawn* (1971) has it, too.", "See *Nature* (1999)."],
    )
    def test_other_emphasised_words_are_none(self, more):
        """Words, films, journals."""
        assert len(citations(self.TEXT + more)) == 2
