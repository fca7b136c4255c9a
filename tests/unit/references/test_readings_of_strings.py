"""Reading a reference string into fields with the packaged model."""

import hashlib
import os
import subprocess
import sys

import pytest
from tests.effort import ends, lines_run

from guardrail.references.bibliography.normalise import normalise
from guardrail.references.citations.segmentation import readings

TURING = "Turing, A. M. (1950). Computing machinery and intelligence. Mind, 59(236), 433-460."
MEDICAL = "Guelrud M, Morera C, Rodriguez M. Sphincter of Oddi dysfunction in children. Gastrointest Endosc. 1999;50:194–199."
HOSTILE = {
    "a megabyte of one word": "a" * 1_000_000,
    "a megabyte of words": "Smith, J. (2020). " * 60_000,
    "single letters": "a " * 1000,
    "open brackets": "(" * 2000,
    "quotation marks": '"«“' * 700,
    "control characters": "Smith\x00, J.\x1b[31m (2020). A\x07 title\x7f. \x85Nature.",
    "right to left": "\u202eSmith, J. (2020). כותרת של מאמר. \u202cמגזין 12, 3–4.",
    "half a pair": "Smith \ud800 (2020). Title \udc00 of a work.",
    "digits": "1234567890" * 200,
    "combining marks": "e" + "\u0301" * 1999,
    "signs only": "—— *** !!! ...",
}


class TestReadings:
    """`readings`."""

    def test_an_article_is_read_in_full(self):
        """Who, when, what, where, and the numbers."""
        reference = readings(TURING)[0].reference
        assert reference.title == "Computing machinery and intelligence"
        assert reference.authors == ("Turing, A. M.",)
        assert (reference.year, reference.venue) == (1950, "Mind")
        assert (reference.volume, reference.issue, reference.pages) == ("59", "236", "433-460")

    def test_a_year_before_the_volume_is_a_year(self):
        """As journals of medicine write it: 1999;50:194–199."""
        reference = readings(MEDICAL)[0].reference
        assert (reference.year, reference.volume, reference.pages) == (1999, "50", "194–199")

    @pytest.mark.parametrize(
        ("text", "title", "year"),
        [
            ("**Attention Is All You Need** by Vaswani et al. (2017)", "Attention Is All You Need", 2017),
            ("刘峤, 李杨, 段宏, 等. 知识图谱构建技术综述[J]. 计算机研究与发展, 2016, 53(3): 582-600.", "知识图谱构建技术综述", 2016),
            ("金水敏『日本語存在表現の歴史』ひつじ書房, 2006年", "日本語存在表現の歴史", 2006),
            ("이익섭, 국어학개설, 학연사, 1986.", "국어학개설", 1986),
            ("Лотман Ю. М. Структура художественного текста. — М.: Искусство, 1970. — 384 с.", "Структура художественного текста", 1970),
        ],
    )  # fmt: skip
    def test_styles_and_scripts_that_the_rules_misread(self, text, title, year):
        """Markdown, GB/T 7714, Japanese, Korean, Russian."""
        reference = readings(text)[0].reference
        assert (normalise(reference.title), reference.year) == (normalise(title), year)

    def test_the_author_above_is_no_author(self):
        """A dash repeats a name that is not in the string."""
        assert (
            readings("———. The Gulag Archipelago. New York: Harper & Row, 1974.")[0].reference.authors == ()
        )

    def test_a_year_is_read_where_no_date_is_sure(self):
        """The likeliest one outside the title, with its low probability."""
        found = readings("Arbouet, F. L'Oiseau-Mouche se pose. Lien social, 25/04/2013, n°1103, pp. 16-18.")[
            0
        ]
        assert found.reference.year == 2013
        assert found.spans["year"][0].start > found.spans["title"][0].end

    def test_identifiers_are_read_anywhere(self):
        """A DOI is the work's, wherever it stands."""
        assert (
            readings(f"{TURING} https://doi.org/10.1093/mind/LIX.236.433")[0].reference.doi
            == "10.1093/mind/lix.236.433"
        )

    def test_every_field_is_a_part_of_the_text(self):
        """What was read can be shown at its place."""
        reading = readings(TURING)[0]
        places = {name: [span.of(TURING) for span in spans] for name, spans in reading.spans.items()}
        assert places["title"] == ["Computing machinery and intelligence."]
        assert places["authors"] == ["Turing, A. M."]
        assert places["year"] == ["(1950)."]
        assert places["venue"] == ["Mind,"]

    def test_probabilities_are_probabilities(self):
        """Masses fall and sum to at most 1; each field has one, too."""
        for text in (TURING, MEDICAL, *HOSTILE.values()):
            found = readings(text, 10)
            masses = [reading.mass for reading in found]
            assert masses == sorted(masses, reverse=True)
            assert sum(masses) <= 1.0 + 1e-9
            assert all(0.0 <= one <= 1.0 + 1e-9 for reading in found for one in reading.marginals.values())
            assert all(reading.marginals.keys() == reading.spans.keys() for reading in found)

    def test_readings_have_different_titles(self):
        """Two ways to cut punctuation are one reading."""
        for text in (TURING, MEDICAL, "이익섭, 국어학개설, 학연사, 1986.", *HOSTILE.values()):
            stretches = [reading.spans.get("title") for reading in readings(text, 10)]
            titles = [normalise(text[s[0].start : s[0].end]) if s else "" for s in stretches]
            assert len(titles) == len(set(titles))

    def test_a_reading_without_title_has_none(self):
        """A letter to a journal is cited by journal, year and page alone."""
        found = readings("C. Patrick, A. G. Martin, J Appl Phys 1987, 62, 243.", 10)
        untitled = [reading for reading in found if "title" not in reading.spans]
        assert [reading.reference.title for reading in untitled] == [""]

    def test_no_more_readings_than_asked_for(self):
        """The limit is kept; none for 0."""
        assert [len(readings(TURING, limit)) for limit in (0, 1, 2)] == [0, 1, 2]

    @pytest.mark.parametrize("text", ["", " \n\t ", "... — ***"])
    def test_a_text_without_words_has_no_reading(self, text):
        """Nothing is made up."""
        assert readings(text) == []

    def test_the_same_text_gives_the_same_readings(self):
        """In one process."""
        assert readings(MEDICAL) == readings(MEDICAL)

    @pytest.mark.parametrize("name", HOSTILE)
    def test_hostile_text_is_read(self, name):
        """Whatever it holds; spans stay within it."""
        with ends():
            found = readings(HOSTILE[name])
        assert all(span.of(HOSTILE[name]) for one in found for spans in one.spans.values() for span in spans)

    @pytest.mark.parametrize("piece", ["a ", "Smith, J. (2020). ", "「", '"a" ', "1;", "**a** "])
    def test_work_grows_with_the_text_and_ends_with_its_limit(self, piece):
        """Twice the text is twice the work, and a megabyte costs what 2,000 characters do."""
        readings("a")  # the weights are read
        half, whole, long = (
            lines_run(lambda text=(piece * 500_000)[:size]: readings(text)) for size in (1000, 2000, 500_000)
        )
        assert whole < 2.3 * half
        assert long < 1.1 * whole

    def test_importing_guardrail_loads_no_weights(self):
        """They are read at the first use."""
        code = (
            "import sys, guardrail.references.citations\n"
            "print([m for m in sys.modules if 'segmentation' in m])\n"
            "import guardrail.references.citations.segmentation.model as m\n"
            "print(m.packaged.cache_info().currsize)\n"
        )
        out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
        assert out.split("\n")[:2] == ["[]", "0"]

    def test_another_process_reads_the_same(self):
        """Nothing depends on the order of hashes."""
        code = (
            "import hashlib; from guardrail.references.citations.segmentation import readings\n"
            f"print(hashlib.sha256(repr(readings({TURING!r})).encode()).hexdigest())"
        )
        found = {
            subprocess.run(
                [sys.executable, "-c", code],
                capture_output=True,
                text=True,
                check=True,
                env={**os.environ, "PYTHONHASHSEED": seed},
            ).stdout.strip()
            for seed in ("1", "2")
        }
        assert found == {hashlib.sha256(repr(readings(TURING)).encode()).hexdigest()}
