"""What the network that tags references learns from labelled answers."""

from __future__ import annotations

import random

import pytest
from benchmarks._data import data_dir
from benchmarks.references.answers.labels import answers
from benchmarks.references.reading import _tagger
from benchmarks.references.reading._labelled import kinds
from benchmarks.references.reading._silent import passages
from benchmarks.references.reading._tagger import (
    LONGEST,
    Lesson,
    Piece,
    Place,
    _parts,
    bare,
    exchanged,
    lesson,
    places,
    train_packaged_tagger,
    without_marks,
)
from benchmarks.references.silence.run import answers as judging
from benchmarks.references.silence.written import written as silent

from guardrail.backends.weights import find
from guardrail.errors import InputError
from guardrail.references.citations.tagging import FIELDS


@pytest.fixture(scope="module")
def tokenizer() -> object:
    tokenizers = pytest.importorskip("tokenizers")
    return tokenizers.Tokenizer.from_file(str(find("citations-mini") / "tokenizer.json"))


def written(text: str, labelled: list[Place]) -> list[tuple[str, list[tuple[str, str]]]]:
    return [
        (text[one.start : one.end], [(p.field, text[p.start : p.end]) for p in one.pieces])
        for one in labelled
    ]


class TestLessons:
    def test_every_label_begins_once(self, tokenizer: object) -> None:
        known = kinds("seen")
        for answer in answers("seen")[:60]:
            told = lesson(answer.text, places(answer, known), tokenizer)
            assert sum(tag in (1, 3) for tag in told.tags) == len(answer.labels), answer.id

    def test_fields_are_inside_references(self, tokenizer: object) -> None:
        known = kinds("seen")
        for answer in answers("seen")[:60]:
            told = lesson(answer.text, places(answer, known), tokenizer)
            assert all(tag for tag, field in zip(told.tags, told.fields, strict=True) if field)
            titles = sum(bool(label.reference.title) for label in answer.labels)
            assert not titles or FIELDS.index("title") in told.fields


class TestExchanged:
    def test_labels_move_with_what_they_say(self) -> None:
        known = kinds("seen")
        others = {"title": ["A Much Longer Title Than Before", "Short"], "author": ["A. N. Other"]}
        changed = 0
        for answer in answers("seen")[:120]:
            before = places(answer, known)
            text, after = exchanged(answer.text, before, others, random.Random(3))
            assert len(before) == len(after)
            for (_, old), (whole, new) in zip(
                written(answer.text, before), written(text, after), strict=True
            ):
                for (field, was), (same, now) in zip(old, new, strict=True):
                    assert field == same
                    assert now in whole
                    assert now == was or now in others[field]
                    changed += now != was
        assert changed > 100

    def test_nothing_to_put_in(self) -> None:
        answer = answers("seen")[0]
        before = places(answer, kinds("seen"))
        assert exchanged(answer.text, before, {}, random.Random(0)) == (answer.text, before)


class TestWithoutMarks:
    def test_titles_stay_and_their_marks_go(self) -> None:
        known, gone = kinds("seen"), 0
        for answer in answers("seen")[:120]:
            before = places(answer, known)
            text, after = without_marks(answer.text, before)
            for (_, old), (_, new) in zip(written(answer.text, before), written(text, after), strict=True):
                assert old == new
            gone += len(answer.text) - len(text)
        assert gone > 300

    def test_only_pairs_of_marks_go(self) -> None:
        text = 'Roe, "Trees" and *Rivers (1999)'
        labelled = [
            Place(5, 12, mark=False, pieces=(Piece("title", 6, 11),)),
            Place(17, 31, mark=False, pieces=(Piece("title", 18, 24),)),
        ]
        assert without_marks(text, labelled)[0] == "Roe, Trees and *Rivers (1999)"


class TestBare:
    def test_titles_alone(self) -> None:
        titles = ["Silent Spring", "The Power Broker", "Trees"]
        for seed in range(40):
            text, labelled = bare(titles, random.Random(seed))
            said = [text[one.start : one.end] for one in labelled]
            assert 1 <= len(said) <= 3
            assert set(said) <= set(titles)
            assert all(part == [("title", whole)] for whole, part in written(text, labelled))


class TestSilent:
    def test_halves_are_apart(self) -> None:
        seen, unseen = silent("seen"), silent("unseen")
        assert len(seen) == 150
        assert len(unseen) == 60
        assert not set(seen) & set(unseen)

    def test_passages_name_no_work(self) -> None:
        found = passages()
        assert len(found) > 1500
        assert not [text for text in found if " book " in text or "journal" in text.casefold().split()]

    def test_judging_sets_are_not_in_them(self) -> None:
        judged = {
            one.text for one in judging(data_dir("grounding"), data_dir("wikibio_gpt3")) if len(one.text) > 80
        }
        assert not judged & {*passages(), *silent("seen")}


class TestParts:
    @pytest.mark.parametrize("length", [1, 447, 448, 449, 896, 897, 3000])
    def test_every_word_once_and_no_part_too_long(self, length: int) -> None:
        whole = Lesson(range(length), range(length), range(length), range(length))
        for seed in range(20):
            parts = list(_parts(whole, random.Random(seed)))
            assert [at for part in parts for at in part.ids] == list(range(length))
            assert all(0 < len(part.ids) <= LONGEST for part in parts)


def test_without_later_answers_there_is_nothing_to_learn(tmp_path, monkeypatch):
    """Nothing is trained or written, and the error says what to do."""
    monkeypatch.setattr(_tagger, "LEARNT", len(answers("seen")))
    with pytest.raises(InputError, match="add some at the end of seen"):
        train_packaged_tagger(tmp_path, later=True)
    assert not list(tmp_path.iterdir())
