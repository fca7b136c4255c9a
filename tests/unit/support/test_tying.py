"""Which words of an answer a mark of citation is for."""

import pytest
from tests.effort import ends, lines_run

from guardrail.given.sources import Source
from guardrail.support import Sources, ties

DOCUMENTS = (
    ("Lee, K. and Ito, M. (2020)\nOwls see well at night.", Source(name="Owls at night")),
    ("Leave is granted for 20 days.", Source(name="leave-policy.pdf", url="https://example.org/leave")),
)


def tied(text):
    """Marks with their words and the number of their group."""
    sources = Sources(text, DOCUMENTS)
    return [(one.mark.of(text), one.claim.of(text), one.group) for one in ties(text, sources.cites)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It was built in 1904 [1].", [("[1]", "It was built in 1904", 0)]),
        ("It was built in 1904. [1] It burnt.", [("[1]", "It was built in 1904", 0)]),
        (
            "It was built in 1904 [1], and burnt down in 1950 [2][3].",
            [
                ("[1]", "It was built in 1904", 0),
                ("[2]", "burnt down in 1950", 1),
                ("[3]", "burnt down in 1950", 1),
            ],
        ),
        ("It opens at nine [1], but closes early.", [("[1]", "It opens at nine", 0)]),
        ("Sales [1] rose by a third.", [("[1]", "Sales [1] rose by a third", 0)]),
        ("According to Lee (2020), owls sleep at noon.", [("Lee (2020)", "owls sleep at noon", 0)]),
        ("Lee and Ito (2020) found that owls see well.", [("Lee and Ito (2020)", "owls see well", 0)]),
        ("Owls see well (Lee & Ito, 2020).", [("(Lee & Ito, 2020)", "Owls see well", 0)]),
        (
            "You get 20 days ([Leave policy](https://example.org/leave)).",
            [("([Leave policy](https://example.org/leave))", "You get 20 days", 0)],
        ),
        ("You get 20 days (leave-policy.pdf).", [("(leave-policy.pdf)", "You get 20 days", 0)]),
        ("Facts [1]:\n- a cat sleeps\n- a dog barks", [("[1]", "a cat sleeps\n- a dog barks", 0)]),
        (
            "- a cat sleeps all day\n- a dog barks all night\n\n[1]",
            [("[1]", "a cat sleeps all day\n- a dog barks all night", 0)],
        ),
        ("它建于1904年【1】。", [("【1】", "它建于1904年", 0)]),
        ("In 1823 [1], the library was built.", [("[1]", "In 1823 [1], the library was built", 0)]),
        (
            "In 1904 [1], the library was built; visitors pay 5 euros [2].",
            [("[1]", "In 1904 [1], the library was built", 0), ("[2]", "visitors pay 5 euros", 1)],
        ),
        (
            "[1] says the library is old. [2] states that it is new.",
            [("[1]", "the library is old", 0), ("[2]", "it is new", 1)],
        ),
        ("According to document 2, visitors pay 5 euros.", [("document 2", "visitors pay 5 euros", 0)]),
        ("No mark (or so it seems) is here.", []),
        ("It is in the capital (Owls at night are loud there).", []),
        ("It took place (held in Ito in July 2020).", []),
        ("```\nx[1] = 2\n```", []),
    ],
)
def test_words_of_a_mark(text, expected):
    """The clause before it; what follows one that opens a sentence; a list that it announces or ends."""
    assert tied(text) == expected


def test_a_sentence_ends_at_its_mark():
    """Whatever its last word, which may look like an abbreviation."""
    text = "They may have MS [1]. Nevertheless, they work [2]."
    assert [one.sentences[0].of(text) for one in ties(text)] == [
        "They may have MS [1].",
        "Nevertheless, they work [2].",
    ]
    for whole in ("The U.S. [3] Congress passed the act.", "Lee et al. [4] BERT is better than GPT."):
        assert [one.sentences[0].of(whole) for one in ties(whole)] == [whole]


def test_in_order_and_in_the_text():
    """Each place is in the answer; marks come in order, groups too."""
    text = "A cat sleeps [1][2]. " * 30 + "Owls see (Lee, 2020). " * 20 + "It is so [^1] 【3†x】 ¹²"
    found = ties(text, Sources(text, DOCUMENTS).cites)
    assert len(found) > 60
    assert all(0 <= one.claim.start <= one.claim.end <= len(text) for one in found)
    assert [one.mark.start for one in found] == sorted(one.mark.start for one in found)
    assert [one.group for one in found] == sorted(one.group for one in found)


@pytest.mark.parametrize(
    "piece", ["[1]", "A cat sleeps [1]. ", "(Lee, 2020", "[1](", "[^1]: x\n", "- a [1]\n\n"]
)
def test_linear(piece):
    """Four times the marks take about four times the steps, and no pattern looks back."""

    def steps(times):
        text = piece * times
        return lines_run(lambda: ties(text, Sources(text, DOCUMENTS).cites))

    assert steps(1_200) < 6 * steps(300)
    with ends():
        ties(piece * 20_000, Sources("", DOCUMENTS).cites)
