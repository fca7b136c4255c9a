"""The benchmark of real answers: places without texts, spans and fields against them, two hands, and what is read where nothing is."""

import json
from itertools import pairwise

import pytest
from benchmarks._data import data_dir
from benchmarks.references.answers.labels import Answer, Label
from benchmarks.references.answers.reading import paired
from benchmarks.references.real import labels, run, scoring
from tests.looping import each

from guardrail.errors import InputError
from guardrail.references.bibliography.records import Reference
from guardrail.references.citations import Citation
from guardrail.report import Span

TEXT = "Hello! See Ann Roe, A Trial of Trees (2020), and Act 12. Bye."
WORK = "Ann Roe, A Trial of Trees (2020)"


def said(**other):
    return {
        "kind": "work",
        "quote": WORK,
        "title": "A Trial of Trees",
        "authors": ["Ann Roe"],
        "year": "2020",
    } | other


def row(**other):
    return {
        "k": 1,
        "file": "some/answers",
        "id": "x",
        "answer": TEXT,
        "start": 7,
        "end": 56,
        "unseen": False,
    } | other


def folder(path, *rows):
    """A data set with answers of one file, and the places of their labels below `places`."""
    (path / "some").mkdir()
    kept = {"id": "x", "answer": TEXT, "lang": "en", "prompt": "Which trees?", "system": "a bot"}
    (path / "some" / "answers.jsonl").write_text(json.dumps(kept) + "\n")
    places = path / "places"
    places.mkdir()
    for name in ("seen", "without"):
        (places / f"{name}.jsonl").write_text("".join(json.dumps(one) + "\n" for one in rows))
    return places


def label(text, quote, kind="work", **fields):
    start = text.index(quote)
    return Label("", Span(start=start, end=start + len(quote)), Reference(**fields), kind=kind)


def citation(text, quote, kind="work", **fields):
    one = label(text, quote, kind, **fields)
    return Citation(one.span, one.reference, "line", kind=kind)


def real(text="", own=(), *, prompt="?", second=None, group="some/answers"):
    answer = Answer("x", group, "en", prompt, text, tuple(own))
    return labels.Real(answer, "a bot", second, False)


def scored(text, own, found, **other):
    return scoring.Paired(real(text, own, **other), found, paired(text, own, found))


class TestPlaces:
    def test_have_no_text(self):
        """Neither of the answer nor of a label."""
        written = json.dumps(labels.place(row(), [said()], [said()]))
        assert not any(word in written for word in ("Roe", "Trees", "2020", "Hello"))

    def test_are_read_again(self, tmp_path):
        """The window alone, and from it spans, kinds, fields and what a second hand said."""
        law = {"kind": "law", "quote": "Act 12", "occurrence": 1}
        places = folder(tmp_path, labels.place(row(), [law, said()], [law]))
        (one,) = labels.real_answers("seen", tmp_path, labels=places)
        assert one.answer.text == TEXT[7:56]
        assert [(a.kind, a.span.of(one.answer.text)) for a in one.answer.labels] == [
            ("work", WORK),
            ("law", "Act 12"),
        ]
        assert one.answer.labels[0].reference == Reference("A Trial of Trees", ("Ann Roe",), year=2020)
        assert [a.kind for a in one.second] == ["law"]
        assert (one.answer.question, one.system, one.unseen) == ("Which trees?", "a bot", False)

    def test_of_answers_without_references(self, tmp_path):
        """Those of the half that is asked for."""
        places = folder(tmp_path, {**labels.place(row(), ()), "unseen": True})
        assert not labels.without_references("seen", tmp_path, labels=places)
        assert labels.without_references("unseen", tmp_path, labels=places)[0].unseen

    def test_that_do_not_fit_are_refused(self, tmp_path):
        """Another text, another answer, another file, and a label of another form."""
        good = labels.place(row(), [said()])
        places = folder(tmp_path, good)
        wrong = {
            "another text": {**good, "start": 6},
            "an answer 'y'": {**good, "id": "y"},
            "JSON lines": {**good, "file": "some/others"},
            "a place with labels": {**good, "references": [{"kind": "work"}]},
            "one of": {**good, "references": [{"kind": "song", "start": 7, "end": 9}]},
        }

        def refused(message, place):
            (places / "seen.jsonl").write_text(json.dumps(place))
            with pytest.raises(InputError, match=message):
                labels.real_answers("seen", tmp_path, labels=places)

        each(wrong.items(), refused)

    def test_of_a_quote_that_is_not_there(self):
        """In the window, and of a field in its quote."""
        each(
            [said(quote="Ann Roe, A Trial"), said(title="Trials"), said(occurrence=2), said(authors=["Poe"])],
            self.mended,
        )

    @staticmethod
    def mended(wrong):
        with pytest.raises(InputError, match="Mend the label"):
            labels.place(row(end=56), [wrong])


class TestScoring:
    TEXT = "Roe, Trees (2020). Poe, Seas (1999). § 5 BGB. (Doe, 2001)."

    def test_counts_by_kind(self):
        """By hand: of a work, a law and a mark, the work is found as one, the law as a work; one is found where nothing is."""
        own = [
            label(self.TEXT, "Roe, Trees (2020)"),
            label(self.TEXT, "§ 5 BGB", "law"),
            label(self.TEXT, "Doe, 2001", "mark"),
        ]
        found = [
            citation(self.TEXT, "Roe, Trees (2020)."),
            citation(self.TEXT, "Poe, Seas (1999)"),
            citation(self.TEXT, "§ 5 BGB"),
        ]
        rows = {
            one.quantity: one.ours for one in run.reading_rows("seen", [scored(self.TEXT, own, found)], 0.9)
        }
        assert rows["seen: all kinds, precision"] == pytest.approx(2 / 3)
        assert rows["seen: all kinds, recall"] == pytest.approx(2 / 3)
        assert rows["seen: works and pages, precision"] == pytest.approx(1 / 3)
        assert rows["seen: works and pages, recall"] == 1
        assert rows["seen: laws and cases, recall"] == 0
        assert rows["seen: laws found, whatever kind was said"] == 1
        assert rows["seen: kind right, of what was found"] == 0.5

    def test_bars_of_all_kinds_are_those_of_two_hands(self):
        """.03 below their agreement, and at most what is asked."""
        some = [scored(self.TEXT, [label(self.TEXT, "Roe, Trees (2020)")], [])]

        def bars(agreed):
            rows = {one.quantity: one.bar for one in run.reading_rows("seen", some, agreed)}
            return rows["seen: all kinds, precision"], rows["seen: all kinds, recall"]

        assert bars(0.99) == ("≥ 0.930", "≥ 0.900")
        assert bars(0.92) == ("≥ 0.890", "≥ 0.890")

    def test_intervals_draw_whole_prompts(self):
        """Of one prompt nothing varies; of two with 0 and 1 it goes from one to the other; of nothing there is none."""
        right = scored(
            self.TEXT, [label(self.TEXT, "Roe, Trees (2020)")], [citation(self.TEXT, "Roe, Trees (2020)")]
        )
        wrong = scored(self.TEXT, [label(self.TEXT, "Roe, Trees (2020)")], [], prompt="!")

        def recall(some):
            return scoring.share(some, lambda one: len(one.pairs), lambda one: one.labelled(labels.KINDS))

        assert recall([right, right]).interval == (1, 1)
        assert recall([right, wrong]).interval == (0, 1)
        assert recall([right, wrong]).value == 0.5
        assert recall([]) == scoring.Share(None, None)

    def test_a_cut_list_of_authors_is_right(self):
        """That others wrote it, too, is not labelled; the names are."""
        read = Reference("Trees", ("Roe",), et_al=True, year=2020)
        same = Reference("Trees", ("Roe",), year=2020)
        assert all(scoring.field_right(name, same, read) for name in scoring.FIELDS)
        assert not scoring.field_right("authors", Reference("Trees", ("Poe",)), read)

    def test_two_hands(self):
        """By hand: two of the first's three are among the second's two, one of them with another year; what one hand labelled does not count."""
        own = [
            label(self.TEXT, "Roe, Trees (2020)", year=2020),
            label(self.TEXT, "Poe, Seas (1999)", year=1999),
            label(self.TEXT, "§ 5 BGB", "law"),
        ]
        second = (own[0], label(self.TEXT, "Poe, Seas (1999)", year=1998))
        agreed = dict(scoring.agreement([real(self.TEXT, own, second=second), real(self.TEXT, own)]))
        assert (agreed["answers"], agreed["precision"], agreed["recall"]) == (1, 1, pytest.approx(2 / 3))
        assert agreed["F1, all kinds"] == pytest.approx(0.8)
        assert agreed["F1, laws"] == 0
        assert agreed["F1, marks"] is None
        assert agreed["year the same, of works and pages"] == 0.5

    def test_the_trivial_reader(self):
        """Links, bare addresses and names before a year, none within another."""
        each(
            {
                "[Roe (2020)](https://example.org/a)": ["page"],
                "Roe and Poe, 2020; Roe et al. (2019): https://example.org/a": ["mark", "mark", "page"],
                "In 2020 nothing was said [3].": ["mark"],
                "nothing": [],
            }.items(),
            lambda text, kinds: self.equal(kinds, [one.kind for one in scoring.pattern_reader(text)]),
        )

    @staticmethod
    def equal(expected, actual):
        assert expected == actual


class TestSilence:
    def test_counts_answers_with_a_false_one(self):
        """Two false ones in one answer are one answer; the hard ones by themselves, and those labelled without a reference."""
        false = [citation("Trees. Seas.", "Trees"), citation("Trees. Seas.", "Seas")]
        clean = [
            scored("Trees. Seas.", [], false),
            scored("", [], []),
            scored("", [], [], group=run.HARD),
            scored("", [], [], group=run.HARD),
        ]
        rows = {one.quantity: one.ours for one in run.silence_rows("unseen", clean[:2], clean)}
        assert rows["unseen: answers without references"] == 4
        assert rows["unseen: without references, with a false one"] == 0.25
        assert rows["unseen: the hard ones of them (2), with a false one"] == 0
        assert rows["unseen: labelled and without references (2), with a false one"] == 0.5


@pytest.mark.data
class TestData:
    def test_every_place_is_there(self):
        """All windows have the text that was labelled, and every label is words of it; no prompt is in both halves."""
        folder = data_dir("real_answers")
        some = {half: labels.real_answers(half, folder) for half in ("seen", "unseen")}
        clean = {half: labels.without_references(half, folder) for half in some}
        assert sum(map(len, some.values())) == 565
        assert sum(map(len, clean.values())) >= 600
        every = [one for half in some.values() for one in half]
        assert 10 * sum(one.second is not None for one in every) >= len(every)
        prompts = [{one.answer.question for one in [*some[half], *clean[half]]} for half in some]
        assert not prompts[0] & prompts[1]
        kinds = {
            (label.kind, half) for half, rows in some.items() for one in rows for label in one.answer.labels
        }
        assert len(kinds) == 2 * len(labels.KINDS)
        for one in every:
            spans = [label.span for label in one.answer.labels]
            assert all(span.of(one.answer.text).strip() for span in spans)
            assert all(a.end <= b.start for a, b in pairwise(spans))

    def test_what_may_not_be_learnt_from_is_unseen(self):
        """Sets under a non-commercial licence or without one."""
        judged = {"alpaca_eval", "flask", "mu_shroom_14lang", "negatives", "researcherbench"}
        places = [json.loads(one) for one in (labels.HERE / "seen.jsonl").read_text().splitlines()]
        clean = [json.loads(one) for one in (labels.HERE / "without.jsonl").read_text().splitlines()]
        places += [one for one in clean if not one["unseen"]]
        assert not judged & {name for one in places for name in one["file"].split("/")}
