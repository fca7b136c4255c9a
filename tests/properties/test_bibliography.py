"""What holds for any title."""

import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from guardrail.errors import InputError
from guardrail.references.bibliography.formats import read_records
from guardrail.references.bibliography.index import Index
from guardrail.references.bibliography.matching import judge
from guardrail.references.bibliography.normalise import (
    MAX_TITLE,
    normalise,
    normalise_arxiv,
    normalise_doi,
    normalise_isbn,
    normalise_pmid,
)
from guardrail.references.bibliography.readings import judge_readings, readings
from guardrail.references.bibliography.records import Record, Reference, Status
from guardrail.references.bibliography.titles import Closeness, Title, compare

text = st.text(st.characters(), max_size=60)
titles = st.lists(
    st.text("abcdefghijklmnopqrstuvwxyzäéß0123456789", min_size=1, max_size=9), min_size=1, max_size=9
).map(" ".join)


@given(text)
def test_normalising_twice_is_normalising_once(title):
    assert normalise(normalise(title)) == normalise(title)


@given(text)
def test_a_normalised_title_holds_words_only(title):
    normal = normalise(title)
    assert all(word and all(letter.isalnum() for letter in word) for word in normal.split(" ") if normal)
    assert len(normal) <= MAX_TITLE


@given(titles, st.sampled_from([str.upper, str.title, str.swapcase]))
def test_case_and_punctuation_change_nothing(title, change):
    assert normalise(f"“{change(title)}!”") == normalise(title)


@given(text)
def test_identifiers_have_one_form(raw):
    for read in (normalise_doi, normalise_arxiv, normalise_isbn, normalise_pmid):
        assert read(read(raw)) == read(raw)


@given(text, text)
def test_comparing_is_in_range_and_equal_only_for_equal_titles(one, other):
    match = compare(Title(one), Title(other))
    assert 0.0 <= match.similarity <= 1.0
    assert (match.similarity == 1.0) == (match.closeness is Closeness.EXACT)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.builds(
            Record,
            title=st.sampled_from(["Deep learning", "Deep learning: a survey", "On words", ""]),
            authors=st.lists(text, max_size=3).map(tuple),
            year=st.none() | st.integers(1990, 2030),
            venue=text,
            doi=st.sampled_from(["", "10.1000/a", "10.1000/b", "10.48550/arxiv.1706.03762"]),
            arxiv=st.sampled_from(["", "1706.03762"]),
        ),
        max_size=4,
    ),
    st.builds(
        Reference,
        title=st.sampled_from(["Deep learning", "Deep learning: a proof", "“Deep learning” | On words", ""]),
        authors=st.lists(text, max_size=3).map(tuple),
        year=st.none() | st.integers(1990, 2030),
        venue=text,
        doi=st.sampled_from(["", "10.1000/a", "10.48550/arxiv.1706.03762", "none"]),
        arxiv=st.sampled_from(["", "1706.03762", "1706.03763"]),
        url=text,
    ),
)
def test_a_claim_is_confirmed_or_wrong_or_open(works, reference):
    for match in (judge(reference, works), judge_readings(reference, readings(reference.title), works)):
        if match is not None:
            wrong = [difference.field for difference in match.differences]
            assert all(getattr(reference, name) for name in (*wrong, *match.unchecked))
            assert not {*wrong} & {*match.unchecked}
            assert len({*wrong, *match.unchecked}) == len(wrong) + len(match.unchecked)


@settings(max_examples=25, suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(
    st.lists(
        st.builds(Record, title=text, authors=st.lists(text, max_size=3).map(tuple), venue=text), max_size=8
    ),
    text,
)
def test_what_was_added_is_found_and_nothing_raises(records, other):
    with tempfile.TemporaryDirectory() as folder, Index.create(Path(folder) / "i.sqlite") as index:
        kept = [record for record in records if normalise(record.title)]
        index.add(kept)
        for record in kept:
            assert index.find(Reference(record.title)).status is Status.FOUND
        assert index.find(Reference(other, authors=(other,), doi=other)).status in set(Status)


@settings(max_examples=60, deadline=None)
@given(st.binary(max_size=300), st.sampled_from(["bibtex", "csl-json", "tsv"]))
@pytest.mark.filterwarnings("default")
def test_any_bytes_are_records_or_a_clear_error(content, kind):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "file"
        path.write_bytes(content)
        message = str(path)
        try:
            list(read_records(path, format=kind, problems=[]))
        except InputError as error:
            message = str(error)
        assert str(path) in message
