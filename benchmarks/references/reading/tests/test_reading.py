"""The benchmark of splitting reference strings: labels, parts, what counts as right, rendered strings, training."""

import pytest
from benchmarks.references.reading._rendered import KINDS, rendered
from benchmarks.references.reading._strings import Example, folds, labels_of, read_strings, same, truth
from benchmarks.references.reading._training import lexicon_of, train

from guardrail.errors import InputError
from guardrail.references.bibliography.records import Record, Reference
from guardrail.references.citations.segmentation import readings
from guardrail.references.citations.segmentation.fields import Stretch
from guardrail.references.citations.segmentation.model import FIELDS, read_model

ROW = (
    '{"text": "Doe, J. (1999). A title. Nature 12.", "segments": [["author", "Doe, J."], ["date", "(1999)."], '
    '["title", "A title."], ["journal", "Nature"], ["volume", "12."]]}\n'
)
RECORDS = [
    Record(
        title=f"{word} of a Thing",
        authors=("Jane Doe", "Wei Li"),
        year=1990 + number,
        venue="Venue of Things",
    )
    for number, word in enumerate(
        ["Shape", "Size", "Colour", "Weight", "Sound", "Taste", "Speed", "Depth", "Age", "Price"]
    )
]


def made(**fields):
    """A string of these fields, in order."""
    text, stretches = "", []
    for field, written in fields.items():
        text += " " if text else ""
        stretches.append(Stretch(field, len(text), len(text) + len(written)))
        text += written
    return Example(text, tuple(stretches))


class TestReadStrings:
    """`read_strings`."""

    def test_segments_are_stretches_of_the_text(self, tmp_path):
        """Each with its field."""
        (tmp_path / "core.jsonl").write_text(ROW)
        [example] = read_strings(tmp_path / "core.jsonl")
        assert [(s.field, example.text[s.start : s.end]) for s in example.stretches] == [
            ("author", "Doe, J."), ("date", "(1999)."), ("title", "A title."), ("journal", "Nature"), ("volume", "12."),
        ]  # fmt: skip

    @pytest.mark.parametrize("content", ["{", '{"text": "a b", "segments": [["title", "a"]]}'])
    def test_another_file_is_refused(self, tmp_path, content):
        """No JSON, or segments that are not the text."""
        (tmp_path / "core.jsonl").write_text(content)
        with pytest.raises(InputError):
            read_strings(tmp_path / "core.jsonl")


class TestLabelsOf:
    """`labels_of`."""

    def test_a_field_begins_with_its_first_label_and_goes_on_with_its_second(self):
        """2 k, then 2 k + 1."""
        _, labels = labels_of(made(author="Doe, J.", title="A title of it."))
        author, title = 2 * FIELDS.index("author"), 2 * FIELDS.index("title")
        assert labels == [author, author + 1, title, title + 1, title + 1, title + 1]

    def test_a_year_at_the_head_of_a_volume_is_a_date(self):
        """Where the string has no other date."""
        for more, expected in (({}, "date"), ({"date": "2001."}, "volume")):
            tokens, labels = labels_of(made(title="A", volume="1999;50:", **more))
            assert tokens[1].text == "1999;"
            assert FIELDS[labels[1] // 2] == expected


class TestSame:
    """`same`."""

    EXAMPLE = made(
        author="Doe, J., and Roe, R.", date="(1999).", title="“A Title: of it?”", container="In: The Works,"
    )

    def test_the_truth_is_right(self):
        """In each field."""
        assert [
            same(field, self.EXAMPLE, truth(self.EXAMPLE)) for field in ("title", "authors", "year", "venue")
        ] == [True] * 4

    @pytest.mark.parametrize(
        ("field", "read", "expected"),
        [
            ("title", Reference(title="a title OF it"), True),
            ("title", Reference(title="A Title"), False),
            ("authors", Reference(authors=("Doe, J.", "Roe, R.")), True),
            ("authors", Reference(authors=("Doe, J.",)), False),
            ("year", Reference(year=1998), False),
            ("venue", Reference(venue="Work"), False),
        ],
    )
    def test_case_and_marks_are_all_that_may_differ(self, field, read, expected):
        """A part of a field is wrong."""
        assert same(field, self.EXAMPLE, read) is expected

    def test_a_field_that_is_not_there_is_not_judged(self):
        """Neither right nor wrong."""
        assert same("title", made(author="Doe, J."), Reference(title="Anything")) is None


class TestFolds:
    """`folds`."""

    def test_what_shares_a_title_authors_or_venue_stays_together(self):
        """Through others, too."""
        examples = [
            made(author="Doe, J.", title="One"),
            made(author="Roe, R.", title="One."),
            made(author="Roe, R.", title="Two", journal="Nature"),
            made(author="Poe, E.", title="Three", container="In Nature,"),
            *(made(author=f"Moe, {letter}.", title=letter * 3) for letter in "abcdefgh"),
        ]
        found = folds(examples, 4, 1)
        assert len(set(found[:4])) == 1
        assert set(found) == {0, 1, 2, 3}
        assert found == folds(examples, 4, 1)


class TestRendered:
    """`rendered`."""

    def test_equal_arguments_give_equal_strings(self):
        """Of every kind."""
        assert rendered(RECORDS, 190, half=0) == rendered(RECORDS, 190, half=0)
        assert rendered(RECORDS, 190, half=0).keys() == KINDS.keys()

    def test_halves_share_no_record_and_no_title(self):
        """So that what is tested was not learnt."""
        titles = [
            {truth(example).title for kind in rendered(RECORDS, 380, half=half).values() for example in kind}
            for half in (0, 1)
        ]
        assert titles[0] & titles[1] <= {""}

    def test_every_character_belongs_to_a_known_field(self):
        """In order, without gaps."""
        for examples in rendered(RECORDS, 950, half=1).values():
            for example in examples:
                assert [s.start for s in example.stretches] == [0, *(s.end for s in example.stretches[:-1])]
                assert example.stretches[-1].end == len(example.text)
                assert {s.field for s in example.stretches} <= set(FIELDS)


class TestLexicon:
    """`lexicon_of`."""

    def test_words_are_what_they_mostly_are(self, tmp_path):
        """Names, words of titles, words of journals; tested titles tell nothing."""
        (tmp_path / "names.csv").write_text("Journal of Things,J Things\n" * 9)
        found = lexicon_of([*RECORDS, *RECORDS], [tmp_path / "names.csv"], [])
        assert (found["doe"], found["thing"], found["journal"]) == ("Al", "El", "Ej")
        assert "doe" not in lexicon_of(RECORDS, [], [record.title for record in RECORDS])


class TestTrain:
    """`train`."""

    def test_a_small_training_reads_its_kind_and_is_repeatable(self):
        """Equal arguments give equal bytes."""
        pytest.importorskip("pycrfsuite", reason="pip install 'guardrail-sdk[bench]'")
        learnt = [
            made(
                author=f"{name}, J.",
                date=f"({1950 + number}).",
                title="Things of it.",
                journal="Nature.",
            )
            for number, name in enumerate(
                ["Adams", "Brown", "Clark", "Davis", "Evans", "Frank", "Ghosh", "Hills", "Irwin", "Jones"]
            )
        ]
        content = train(learnt, {}, {"command": "a test"})
        assert content == train(learnt, {}, {"command": "a test"})
        [first] = readings("Moore, J. (1999). Things of it. Nature.", 1, model=read_model(content, "small"))
        assert (first.reference.year, first.reference.venue) == (1999, "Nature")
