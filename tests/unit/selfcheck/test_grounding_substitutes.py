"""Numbers in the place of others. Oracle: read by hand."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guardrail.selfcheck.grounding.premises import Premises
from guardrail.selfcheck.grounding.substitutes import Substitutes
from guardrail.text.known_quantities import KnownQuantities
from guardrail.text.typography import normalised

REPORT = (
    "Revenue of the ferries came to £184 million in 2023, compared with £171 million in 2022. "
    "The board proposes a dividend of 4.2 pence per share. The campaign begins on April 16, 2024 at the harbour."
)
TOWN = "Am 31. Dezember hatte Lindach 48.731 Einwohner. Der letzte Bus der Linie 7 fährt um 23:40 Uhr ab Rathaus."


def found(said, *documents):
    premises = Premises(documents)
    texts = list(map(normalised, documents))
    one = Substitutes(
        list(zip(premises.sentences, premises.documents, strict=True)), KnownQuantities(texts)
    ).of(normalised(said))
    return None if one is None else (one.said, one.known)


@pytest.mark.parametrize(
    ("said", "document", "expected"),
    [
        ("The board proposes a dividend per share of 4.7 pence.", REPORT, ("4.7", "4.2")),
        ("The campaign begins at the harbour on April 19.", REPORT, ("19", "16")),
        ("Lindach hatte Ende Dezember 47.831 Einwohner.", TOWN, ("47.831", "48.731")),
        ("Um 22:40 Uhr fährt ab Rathaus der letzte Bus der Linie 7.", TOWN, ("22", "23")),
        ("同比出口额增长7.6%。", "2023年出口额同比增长6.7%，机电产品占58%。", ("7.6", "6.7")),
    ],
)
def test_one_number(said, document, expected):
    """The number of the place that says the same; of two the one behind the same word."""
    assert found(said, document) == expected


@pytest.mark.parametrize(
    "said",
    [
        "Revenue of the ferries grew by £13 million, from £171 million in 2022 to £184 million in 2023.",  # a difference
        "The board proposes a dividend per share of about 4 pence.",  # a round figure
        "The board proposes a dividend of 4.2 pence per share.",  # it is there
        "The harbour employs 4.7 thousand people.",  # no place says the same
        "Revenue of the ferries came to £190 million.",  # there are two
        "The nurse of the ferries attended to two campaigns of the board and 12 cats in 1999.",  # several numbers are new
    ],
)
def test_what_is_not_certain(said):
    """Nothing is known to be otherwise."""
    assert found(said, REPORT) is None


def test_ordinals():
    """ "Two" is not put in the place of "first"."""
    assert (
        found("The nurse attended to two sick passengers.", "The nurse attended to the first sick passenger.")
        is None
    )


def test_a_date_that_the_sentence_has():
    """The other date of a sentence is not the one that is wrong."""
    document = "Season 2 came out on Netflix around the world on March 6, 2019 after weeks of waiting."
    assert (
        found(
            "Season 2 aired on March 4, 2019 and came out on Netflix around the world on March 6, 2019.",
            document,
        )
        is None
    )


@given(
    st.text(alphabet="ab 12.,:%€年三two\n", max_size=60),
    st.text(alphabet="ab 12.,:%€年三two\n", max_size=120),
)
def test_any_text(said, document):
    """What is said is in the sentence, what is known in the document."""
    one = found(said, document or "x")
    if one is not None:
        assert one[0] in normalised(said)
        assert one[1] in normalised(document)
