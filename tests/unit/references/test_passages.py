"""The model of passages: what it finds beside the rules, what its doubts do, and that neither accuses by itself."""

import sys
from dataclasses import replace

import pytest

from guardrail import Guard, Span, Verdict
from guardrail.detectors import ReferenceCheck
from guardrail.references import check
from guardrail.references.bibliography import Index, Record, Reference
from guardrail.references.citations import citations, passages
from guardrail.references.citations.lines import lines
from guardrail.references.citations.model import Citation
from guardrail.references.citations.passages import seconded
from guardrail.references.citations.segmentation.works import Work

PLAIN = "Start with Kahneman, Daniel. Thinking, Fast and Slow. New York: Farrar, Straus and Giroux, 2011, then rest."
KAHNEMAN = Record(
    "Thinking, Fast and Slow", ("Daniel Kahneman",), year=2011, venue="Farrar, Straus and Giroux"
)
CARSON = Record("Silent Spring", ("Rachel Carson",), year=1962)
QUOTED = 'Read "The Sea Around Us by Rachel Carson" first.'


@pytest.fixture
def verdicts(tmp_path):
    """Checks a text against a complete index of these works."""

    def run(text, *works):
        path = tmp_path / f"works-{len(list(tmp_path.iterdir()))}.sqlite"
        with Index.create(path, complete=True) as index:
            index.add([CARSON, *works])
        with Guard([ReferenceCheck(bibliography=str(path), tagger="off")]) as guard:
            return [(finding.verdict, finding.text) for finding in guard.check(text).findings]

    return run


class TestFound:
    def test_a_work_in_a_sentence_without_marks(self):
        """The rules read nothing in it."""
        [citation] = citations(PLAIN)
        assert citation.reference.title == "Thinking, Fast and Slow"
        assert (citation.reference.authors, citation.reference.year) == (("Kahneman, Daniel",), 2011)
        assert citation.style == "unmarked"

    def test_is_cleared_if_it_exists_and_never_called_wrong(self, verdicts):
        """Also where the bibliography is complete."""
        assert [verdict for verdict, _ in verdicts(PLAIN, KAHNEMAN)] == [Verdict.SUPPORTED]
        assert [verdict for verdict, _ in verdicts(PLAIN)] == [Verdict.UNVERIFIED]

    @pytest.mark.parametrize(
        "text",
        [
            "Popular languages:\n1. Python by Guido van Rossum (1991)\n2. Ruby by Yukihiro Matsumoto (1995)",
            'Best films of the decade:\n1. "The Social Network" by David Fincher (2010)',
            "Netflix's *The Crown* and HBO's *The Wire* are loved by many.",
        ],
    )
    def test_neither_a_film_nor_a_language(self, text):
        """A name and a year make no reference."""
        assert citations(text) == []

    def test_leaves_a_mark_to_the_entry_it_means(self, monkeypatch):
        """Where the model takes the mark for a part of a work."""
        text = (
            "Stories persuade (Green & Brock, 2000).\n\n## References\n\n"
            "- Green, M. C., & Brock, T. C. (2000). The role of transportation in the persuasiveness of public narratives. "
            "Journal of Personality and Social Psychology, 79(5), 701-721."
        )
        whole = Citation(
            Span(start=0, end=38), Reference("Stories persuade", ("Green",), year=2000), "unmarked"
        )
        monkeypatch.setattr(sys.modules[citations.__module__], "further", lambda *_: [whole])
        assert [bool(one.means) for one in citations(text) if one.style == "author-year"] == [True]
        assert "unmarked" not in [one.style for one in citations(text)]

    def test_reads_nothing_in_a_very_long_answer(self):
        """It would take seconds of it; the rules read on."""
        found = citations(f"{PLAIN}\n\n" + "Nothing to see here. " * (passages.MOST // 20))
        assert "Thinking, Fast and Slow" not in [one.reference.title for one in found]


class TestDoubt:
    """The rules took "by Rachel Carson" for a part of the title; `other` is what the model reads there."""

    @pytest.fixture
    def read(self, monkeypatch):
        def put(other):
            start = QUOTED.index("The Sea")
            wrong = Reference("The Sea Around Us by Rachel Carson", ("Rachel Carson",))
            span = Span(start=start, end=start + len(wrong.title))
            one = Citation(span, wrong, "quoted", other=other)
            monkeypatch.setattr(check, "citations", lambda *_, **__: (one,))

        return put

    def test_clears_a_work_that_is_read_otherwise(self, read, verdicts):
        """Its author agrees, and nothing is left unexplained."""
        read(Reference("The Sea Around Us", ("Rachel Carson",)))
        record = Record("The Sea Around Us", ("Rachel Carson",), year=1951)
        assert verdicts(QUOTED, record) == [(Verdict.SUPPORTED, "The Sea Around Us")]

    def test_accuses_only_where_both_readings_are_wrong(self, read, verdicts):
        """Here the index has neither."""
        read(Reference("The Sea Around Us", ("Rachel Carson",)))
        assert [verdict for verdict, _ in verdicts(QUOTED)] == [Verdict.UNSUPPORTED]

    def test_leaves_unaccused_what_another_work_may_explain(self, read, verdicts):
        """The other reading is a real work, but not the one that the title says."""
        read(Reference("Silent Spring", ("Rachel Carson",)))
        assert [verdict for verdict, _ in verdicts(QUOTED)] == [Verdict.UNVERIFIED]


class TestNeighbours:
    def test_the_authors_of_the_next_sentence_are_not_filled_in(self):
        """They wrote the second work: "Bells and Food" (1966). Doe and Roe's "Otters" …."""
        answer = 'It is in "Bells and Food" (1966). Doe and Roe\'s "Otters of the Coast" followed.'
        own = Citation(Span(start=9, end=32), Reference("Bells and Food", year=1966), "quoted")
        said = Reference("Bells and Food", ("Doe", "Roe"), year=1966)
        sure = {"authors": 0.99, "year": 0.99, "venue": 0.0}
        [citation] = seconded(answer, [own], [Work(Span(start=9, end=45), said, 0.99, sure)])
        assert citation.reference.authors == ()


def work(text, words, said, *, title=0.99, sure=0.99):
    """What the model reads in some words of a text, all fields with the same probability."""
    start = text.index(words)
    span = Span(start=start, end=start + len(words))
    fields = [name for name in ("authors", "year", "venue") if getattr(said, name)]
    return Work(span, said, title, dict.fromkeys(fields, sure))


def citation(text, words, said, style):
    start = text.index(words)
    return Citation(Span(start=start, end=start + len(words)), said, style)


class TestSpans:
    """Both read the same title; the model's span goes further."""

    TEXT = 'Ask Ida Tarn, whose "Rivers of Salt" ran in Ocean Letters, before you sail.'
    QUOTE = '"Rivers of Salt"'

    def second(self, text, words, read, style="quoted", said=None):
        own = citation(text, self.QUOTE, said or Reference("Rivers of Salt"), style)
        [found] = passages.seconded(text, [own], [work(text, words, read)])
        return found.span.of(text)

    def test_the_authors_before_and_the_venue_behind_belong_to_it(self):
        """In prose."""
        words = 'Ida Tarn, whose "Rivers of Salt" ran in Ocean Letters'
        read = Reference("Rivers of Salt", ("Ida Tarn",), venue="Ocean Letters")
        assert self.second(self.TEXT, f"{words},", read) == words

    def test_a_name_behind_the_title_does_not(self):
        """It begins what the sentence says."""
        text = 'In "Rivers of Salt" (1990), Ida Tarn asks why.'
        read = Reference("Rivers of Salt", ("Ida Tarn",))
        assert self.second(text, '"Rivers of Salt" (1990), Ida Tarn', read) == self.QUOTE

    def test_another_year_begins_another_work(self):
        """A work in the brackets of another is not hidden by it."""
        text = '"Rivers of Salt" (later in Moe, B. 2019, Seas of Sand, Ocean Letters)'
        read = Reference("Rivers of Salt", ("Ida Tarn",), year=1990, venue="Ocean Letters")
        assert self.second(text, text, read, said=Reference("Rivers of Salt", year=1990)) == self.QUOTE

    def test_what_an_identifier_names_stays_as_it_is(self):
        """It may be no title at all."""
        read = Reference("Rivers of Salt", ("Ida Tarn",))
        assert self.second(self.TEXT, 'Ida Tarn, whose "Rivers of Salt"', read, "labelled") == self.QUOTE


class TestSentences:
    TEXT = "- For the sea, most people begin with Ida Tarn's *Rivers of Salt* (1990)"

    def test_a_marked_part_is_the_title(self):
        """The rules took the sentence for one."""
        line = self.TEXT[2:]
        own = citation(self.TEXT, line, Reference(line, year=1990), "bulleted")
        read = work(
            self.TEXT,
            "Ida Tarn's *Rivers of Salt* (1990)",
            Reference("Rivers of Salt", ("Ida Tarn",), year=1990),
        )
        [found] = passages.seconded(self.TEXT, [own], [replace(read, span=own.span)])
        assert (found.reference.title, found.reference.authors) == ("Rivers of Salt", ("Ida Tarn",))

    def test_a_part_without_marks_is_not(self):
        """A title may have another one in it."""
        text = "- Rivers of Salt: Seas of Sand (1990)"
        own = citation(text, text[2:], Reference("Rivers of Salt: Seas of Sand", year=1990), "bulleted")
        read = work(text, text[2:], Reference("Seas of Sand", year=1990))
        assert [one.reference.title for one in passages.seconded(text, [own], [read])] == [
            own.reference.title
        ]


class TestFurther:
    """Which works of the model are citations."""

    TEXT = "Ida Tarn's *Rivers of Salt and Ice* says much, *The Book of Seas* (1990) more."
    FIRST = (
        "Ida Tarn's *Rivers of Salt and Ice*",
        Reference("Rivers of Salt and Ice", ("Ida Tarn",), year=1988),
    )
    SECOND = ("*The Book of Seas* (1990)", Reference("The Book of Seas", year=1990))

    def read(self, text, *read, **sure):
        return [
            one.reference.title
            for one in passages.further(text, lines(text), [work(text, *one, **sure) for one in read])
        ]

    def test_a_title_and_a_year_count_in_the_company_of_a_work_with_authors(self):
        """Alone they may be those of a film."""
        assert self.read(self.TEXT, self.FIRST, self.SECOND) == ["Rivers of Salt and Ice", "The Book of Seas"]
        assert self.read(self.TEXT, self.SECOND) == []

    def test_a_title_without_blanks_may_have_several_words(self):
        """In Chinese and Japanese."""
        text = "田中一郎『塩の河』がよい。"
        assert self.read(text, ("田中一郎『塩の河』", Reference("塩の河", ("田中一郎",)))) == ["塩の河"]

    def test_doubtful_authors_are_left_out(self):
        """Here a word of the sentence was taken for a name."""
        text = "Recommended: *Rivers of Salt and Ice* (Ocean Letters, 1988)"
        said = Reference("Rivers of Salt and Ice", ("Recommended",), year=1988, venue="Ocean Letters")
        one = replace(work(text, text, said), sure={"authors": 0.5, "year": 0.99, "venue": 0.99})
        [found] = passages.further(text, lines(text), [one])
        assert found.reference.authors == ()

    def test_what_has_a_word_of_journals_in_it_is_never_called_wrong(self):
        """ "They published it in the *Journal of …*": the model may take the name for a title."""
        text = "Ida Tarn wrote it for the *Journal of Salt and Ice* first."
        said = Reference("Journal of Salt and Ice", ("Ida Tarn",), year=1988)
        [found] = passages.further(
            text, lines(text), [work(text, "Ida Tarn wrote it for the *Journal of Salt and Ice*", said)]
        )
        assert found.style == "unmarked"

    def test_a_book_that_another_work_is_in_is_never_called_wrong(self):
        """Its record is that of the chapter, or none."""
        text = "A. Roe, « Le sel », dans Ida Tarn, *Les mers de sel et de glace* (1988)"
        said = Reference("Les mers de sel et de glace", ("Ida Tarn",), year=1988)
        [found] = passages.further(
            text, lines(text), [work(text, "Ida Tarn, *Les mers de sel et de glace* (1988)", said)]
        )
        assert found.style == "unmarked"


@pytest.mark.parametrize(
    ("text", "said", "number"),
    [
        (
            "Tim Ash (born May 2, 1950) is a player.",
            Reference("(born May 2, 1950) is a player", ("Tim Ash",)),
            0,
        ),
        (
            "He sang with Ida Tarn, The Salty Rivers and others.",
            Reference("The Salty Rivers", ("Ida Tarn",)),
            0,
        ),
        (
            "The Salty Rivers by Ida Tarn, 1990, is long.",
            Reference("The Salty Rivers", ("Ida Tarn",), year=1990),
            1,
        ),
        ("We read *The Salty Rivers* by Ida Tarn.", Reference("The Salty Rivers", ("Ida Tarn",)), 1),
    ],
)
def test_names_and_capitals_alone_are_no_work(text, said, number):
    """Biographies are full of both: a title without marks needs a year or a venue."""
    read = Work(Span(start=0, end=len(text) - 1), said, 0.95, {"authors": 0.99, "year": 0.99, "venue": 0.0})
    assert len(list(passages.further(text, lines(text), [read]))) == number
