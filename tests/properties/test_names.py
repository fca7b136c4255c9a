"""Laws that hold for every name and every list, whatever the text."""

from benchmarks.references.replay import agreement
from hypothesis import given, settings
from hypothesis import strategies as st

from guardrail.references.authors.lists import (
    compare_authors,
    overlap,
    parse_authors,
)
from guardrail.references.authors.names import Name, parse_name, same_author

WORDS = ["J.", "Jeffrey", "Jeff", "D.", "Ullman", "Müller", "Mueller", "van", "der", "Al-Faruque", "Zhang", "Wei",
         "张伟", "Jr.", "III", "O'Shea", "Kwang-Ting", "(Tim)", "Berenson", "Berensen", "IEEE", ",", "JD"]  # fmt: skip
spelt = st.lists(st.sampled_from(WORDS), min_size=1, max_size=5).map(" ".join)
texts = st.one_of(st.text(max_size=60), spelt)
names = texts.map(parse_name)
people = names.filter(lambda name: same_author(name, name))
lists = st.lists(names, max_size=6)
replies = st.one_of(st.text(max_size=200), st.lists(spelt, max_size=6).map(", ".join))


@given(names, names)
def test_being_the_same_author_is_symmetric(a, b):
    """Whichever comes first."""
    assert same_author(a, b) == same_author(b, a)


@given(texts)
def test_a_name_with_a_letter_is_its_own(text):
    """Reflexive, but for texts without anything to compare."""
    name = parse_name(text)
    assert same_author(name, name) or not any(c.isalpha() for c in str(name))


@given(texts)
def test_given_names_are_not_empty(text):
    """No part of a name is an empty string."""
    name = parse_name(text)
    assert isinstance(name, Name)
    assert all(name.given)


@given(replies)
def test_a_reply_is_a_list_of_people_or_none(reply):
    """Never an empty list, never a name that is nobody's."""
    found = parse_authors(reply)
    assert found is None or (found and all(same_author(name, name) for name in found))


@given(lists, lists)
def test_overlap_is_symmetric_and_bounded(a, b):
    """In [0, 1] either way round."""
    assert 0.0 <= overlap(a, b) == overlap(b, a) <= 1.0


@given(st.lists(people, min_size=1, max_size=6), st.randoms(use_true_random=False))
def test_a_list_overlaps_fully_with_itself_in_any_order(a, random):
    """Identity and permutation."""
    shuffled = list(a)
    random.shuffle(shuffled)
    assert overlap(a, shuffled) == 1.0


@given(lists, lists, st.randoms(use_true_random=False))
def test_overlap_does_not_depend_on_the_order(a, b, random):
    """The matching is a largest one, so no order of the lists changes it."""
    shuffled = list(b)
    random.shuffle(shuffled)
    assert overlap(a, b) == overlap(a, shuffled)


@given(st.lists(replies, max_size=4), st.randoms(use_true_random=False))
def test_agreement_is_bounded_and_does_not_depend_on_the_order(found, random):
    """`None` below two replies, else in [0, 1]."""
    value = agreement(found)
    if len(found) < 2:
        assert value is None
        return
    shuffled = list(found)
    random.shuffle(shuffled)
    assert 0.0 <= value <= 1.0
    assert abs(value - agreement(shuffled)) < 1e-12


@settings(max_examples=50)
@given(st.lists(texts, max_size=4), st.lists(texts, max_size=4), st.booleans())
def test_comparing_a_quotation_never_fails(claimed, found, cut):
    """Any text may be claimed."""
    verdict = compare_authors(claimed, found, found_is_cut=cut).agree
    assert verdict in (True, False, None)
    if claimed and not found:
        assert verdict is None
