"""From stretches that the network read to a reference."""

import pytest

from guardrail.references.citations.fields import Stretch, reference_of


def read(text, **fields):
    """The reference of a text of which some words are of a field."""
    stretches = [
        Stretch(field, text.index(word), text.index(word) + len(word))
        for field, words in fields.items()
        for word in ([words] if isinstance(words, str) else words)
    ]
    return reference_of(text, stretches)


class TestReferenceOf:
    """`reference_of`."""

    def test_each_field_is_written_without_what_encloses_it(self):
        """Emphasis, brackets, a final stop, "In"; identifiers are read anywhere."""
        text = "Turing, A. M. (1950). **Computing machinery.** In *Mind*. https://doi.org/10.1093/mind/LIX.236.433"
        found = read(
            text,
            author="Turing, A. M.",
            date="(1950).",
            title="**Computing machinery.**",
            journal="In *Mind*.",
        )
        assert (found.title, found.authors, found.year) == ("Computing machinery", ("Turing, A. M.",), 1950)
        assert (found.venue, found.doi) == ("Mind", "10.1093/mind/lix.236.433")

    @pytest.mark.parametrize(
        ("author", "names", "et_al"),
        [
            ("by Jane Roe and Jo Poe", ("Jane Roe", "Jo Poe"), False),
            ("Roe, J., et al.", ("Roe, J.",), True),
            ("Roe & Poe (eds.)", ("Roe", "Poe"), False),
            ("———.", (), False),
        ],
    )
    def test_names(self, author, names, et_al):
        """One each; a dash repeats a name that is not there."""
        found = read(f"{author} Things", author=author, title="Things")
        assert (found.authors, found.et_al) == (names, et_al)

    def test_the_day_on_which_a_page_was_seen_is_no_year_of_it(self):
        text = "Things. Retrieved May 3, 2024. 2019"
        assert read(text, title="Things.", date=["2024", "2019"]).year == 2019
