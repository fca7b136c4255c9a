"""The benchmark of answers: its readers and its scoring, on inputs whose value is known by hand."""

import json
from collections import Counter
from dataclasses import asdict

import pytest
from benchmarks._data import data_dir
from benchmarks.answers import kinds, languages, marks, sentences, statements
from benchmarks.answers.attribution import Judged, set_rows
from benchmarks.answers.checking import Found, check, found, opened
from tests.looping import each

from guardrail import Case, Decision, Finding, Report, Span, Verdict
from guardrail.errors import InputError
from guardrail.report import Action

YES, NO, OPEN = Verdict.SUPPORTED, Verdict.UNSUPPORTED, Verdict.UNVERIFIED


def statement(source, unsupported, *, marked="It opened in 1904 [1].", bare="It opened in 1904."):
    return statements.Statement(source, ("It opened in 1904.",), marked, bare, unsupported)


def reported(answer, *found):
    """A report with a finding for each text and verdict."""
    findings = [
        Finding(
            detector="made",
            span=Span(start=answer.index(text), end=answer.index(text) + len(text)),
            text=text,
            score=0.5,
            verdict=verdict,
            reason="made",
        )
        for text, verdict in found
    ]
    return Report(
        case=Case(answer=answer), findings=findings, decision=Decision(action=Action.PASS, answer=answer)
    )


def case(answer, expect, wrong=()):
    return kinds.KindCase(
        "x", "marks", Case(answer=answer), frozenset(expect), tuple(wrong), writer="a", lang="en"
    )


class TestWithoutMarks:
    def test_takes_marks_off(self):
        """Numbers in brackets of all forms, with the words that only introduce them."""
        each(
            {
                "It opened in 1904 [1].": "It opened in 1904.",
                "It opened.[1] It closed [2][3].": "It opened. It closed.",
                "It opened [14,15,16], then closed [2], [3].": "It opened, then closed.",
                "It opened【4:0†source】.": "It opened.",
                "According to [2], it opened.": "It opened.",
                "It opened (contexts [1] and [2]).": "It opened.",
            }.items(),
            lambda text, bare: self.equal(bare, marks.without_marks(text)),
        )

    def test_leaves_words_alone(self):
        """Brackets with words, years and marks that the sentence needs are no marks to take off."""
        each(
            ["The gene PPARG [rs1801282] is one.", "It is mentioned in [4].", "f[i] is 2", "Built (1904)."],
            lambda text: self.equal(text, marks.without_marks(text)),
        )

    @staticmethod
    def equal(expected, actual):
        assert expected == actual


class TestWithMarks:
    def test_adds_a_mark_and_nothing_else(self):
        """Each form comes up, the same for the same key, and the words stay."""
        made = [marks.with_marks("It opened.", str(i)) for i in range(200)]
        assert made == [marks.with_marks("It opened.", str(i)) for i in range(200)]
        assert all(text.startswith("It opened") and text != "It opened." for text in made)
        assert len({tuple(c for c in text if not c.isalnum()) for text in made}) == len(marks.FORMS)

    def test_marks_in_brackets_come_off_again(self):
        """What is put on is of the forms that the data has."""
        made = [marks.with_marks("It opened.", str(i)) for i in range(200)]
        taken = [
            marks.without_marks(text) for text in made if "citation" not in text and "Source" not in text
        ]
        assert {"It opened."} == set(taken)


class TestSample:
    def test_takes_every_source_in_turn(self):
        """No source has two statements before each has one, and a larger sample begins with the smaller one."""
        rows = [statement(str(i % 7), False) for i in range(70)]
        assert max(Counter(one.source for one in statements.sample(rows, 14)).values()) == 2
        assert statements.sample(rows, 30)[:14] == statements.sample(rows, 14)
        assert len(statements.sample(rows, None)) == 70


class TestSetRows:
    def test_counts_each_label_apart(self):
        """Two supported, one of them flagged with marks only; one unsupported; one that nobody knows."""
        good, bad = Found(YES, 0.1), Found(NO, 0.9)
        judged = [
            Judged(statement("a", False), good, good, 0.3, 0.1),
            Judged(statement("b", False), bad, good, 0.3, 0.1),
            Judged(statement("c", True), bad, bad, 0.6, 0.5),
            Judged(statement("d", None), good, Found(OPEN, None), 0.2, 0.2),
        ]
        rows = {row.quantity: row for row in set_rows("set", judged)}
        assert rows["set: statements"].ours == 3
        assert rows["set: supported statements flagged, with marks"].ours == 0.5
        assert rows["set: supported statements flagged, without marks"].ours == 0.0
        assert rows["set: supported statements flagged, |with − without|"].ok is False
        assert rows["set: unsupported statements flagged, |with − without|"].ok is True
        assert rows["set: unsettled statements flagged, with marks"].ours == 0.0
        assert rows["set: AUROC, ours, with marks"].ours == 0.75  # 0.9 is level with one of 0.1 and 0.9
        assert rows["set: AUROC, ours, without marks"].ours == 1.0
        assert rows["set: AUROC, words, without marks"].ours == 1.0

    def test_an_answer_without_a_score_is_in_the_middle(self):
        """It neither counts as supported nor goes missing."""
        judged = [
            Judged(statement("a", False), Found(OPEN, None), Found(OPEN, None), 0.0, 0.0),
            Judged(statement("b", True), Found(NO, 0.9), Found(NO, 0.4), 0.0, 0.0),
        ]
        rows = {row.quantity: row.ours for row in set_rows("set", judged)}
        assert (rows["set: AUROC, ours, with marks"], rows["set: AUROC, ours, without marks"]) == (1.0, 0.0)


class TestChecking:
    def test_finds_verdict_and_score(self):
        """In the order of the cases, of more cases than are checked at once."""
        document = "The library opened in 1904."
        cases = [Case.of(f"The library opened in {year}.", context=[document]) for year in range(1900, 1940)]
        with opened(fit="words") as guard:
            said = list(map(found, check(guard, cases)))
        assert [one.verdict for one in said].index(YES) == 4
        assert min(range(40), key=lambda i: said[i].score) == 4

    def test_nothing_to_check_has_no_score(self):
        """An answer without a finding."""
        assert found(reported("")) == Found(None, None)


class TestWrongWith:
    ANSWER = "Rome is old. Rome has nine bridges. Rome is small."

    def test_accuses_the_false_places_alone(self):
        """Right if what is false is accused, and nothing else is."""
        both = case(self.ANSWER, {"unsupported"}, ["nine bridges", "Rome is small"])
        a, b, c = "Rome is old.", "Rome has nine bridges.", "Rome is small."
        assert kinds.wrong_with(both, reported(self.ANSWER, (a, YES), (b, NO), (c, NO)), {}) == ""
        missed = kinds.wrong_with(both, reported(self.ANSWER, (a, YES), (b, NO), (c, YES)), {})
        assert "without being accused: 'Rome is small'" in missed
        innocent = kinds.wrong_with(both, reported(self.ANSWER, (a, NO), (b, NO), (c, NO)), {})
        assert "accused without being false: 'Rome is old.'" in innocent

    def test_wants_one_of_the_expected_values(self):
        """Any other value is wrong, and the reason says which it was."""
        one = case(self.ANSWER, {"supported", "unverified"})
        assert kinds.wrong_with(one, reported(self.ANSWER, (self.ANSWER, OPEN)), {}) == ""
        assert kinds.wrong_with(one, reported(self.ANSWER, (self.ANSWER, NO)), {}).startswith("unsupported: ")
        assert kinds.wrong_with(one, reported(self.ANSWER), {}) == "nothing"
        assert kinds.wrong_with(case(self.ANSWER, {"nothing"}), reported(self.ANSWER), {}) == ""

    def test_a_clean_answer_stays_as_it_is(self):
        """A policy that changes a supported answer makes the case wrong, and is named."""
        from guardrail.detectors import SelfCheck

        guards = kinds.policies(SelfCheck("grounding", fit="words"))
        row = case(self.ANSWER, {"supported"})
        said = kinds.wrong_with(row, reported(self.ANSWER, (self.ANSWER, YES)), guards)
        assert said == "supported, but changed by annotate, remove, block, on_unverified"


class TestCases:
    def test_refuses_what_cannot_be_scored(self, tmp_path):
        """An unknown value, a false place that is not there, an id twice."""
        good = {
            "id": "a", "kind": "k", "lang": "en", "question": "", "documents": ["x"],
            "answer": "Rome.", "expect": ["unsupported"], "wrong": ["Rome"],
        }  # fmt: skip
        path = tmp_path / "cases.jsonl"

        def refused(*rows):
            path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
            with pytest.raises(InputError):
                kinds.read_cases(path)

        each(
            {
                "value": [good | {"expect": ["clean"]}],
                "no value": [good | {"expect": []}],
                "place": [good | {"wrong": ["Paris"]}],
                "place of a clean answer": [good | {"expect": ["supported"]}],
                "no place": [good | {"wrong": []}],
                "twice": [good, good],
                "form": [{"id": "a"}],
            },
            lambda *rows: refused(*(rows[0] if isinstance(rows[0], list) else rows)),
        )
        path.write_text(json.dumps(good), encoding="utf-8")
        assert [one.id for one in kinds.read_cases(path)] == ["a"]


def labelled(**other):
    return {
        "k": 1, "source": "some/answers", "id": "x", "start": 7, "end": 12, "sentence": "Rome.",
        "lang": "en", "label": "claim", "hand1": "claim", "hand2": "nothing", "unseen": True,
    } | other  # fmt: skip


class TestSentences:
    def test_a_place_has_no_text(self):
        """Only a hash of the sentence is kept."""
        assert "Rome" not in json.dumps(asdict(sentences.place(labelled())))

    def test_reads_the_texts_again(self, tmp_path):
        """From both kinds of files; a text that has changed is refused."""
        answers = tmp_path / "real_answers" / "some"
        answers.mkdir(parents=True)
        (answers / "answers.jsonl").write_text(json.dumps({"id": "x", "answer": "Hello! Rome. Bye."}))
        (tmp_path / "grounding").mkdir()
        row = {"source_id": 3, "responses": [{"response": "No."}, {"response": "Hello! Rome."}]}
        (tmp_path / "grounding" / "ragtruth_qa.jsonl").write_text(json.dumps(row))
        there = [labelled(), labelled(source="grounding/ragtruth_qa", id="3-1")]
        said = list(sentences.texts(map(sentences.place, there), tmp_path.joinpath))
        assert [text for text, _ in said] == ["Rome."] * 2
        for other in (labelled(start=6), labelled(id="y"), labelled(sentence="Roma.")):
            with pytest.raises(InputError, match="another text"):
                list(sentences.texts([sentences.place(other)], tmp_path.joinpath))

    def test_macro_f1(self):
        """By hand: claim 2·1/(2+1), nothing 2·1/(1+2), lacking 0; undefined of no rows."""
        truth, said = ["claim", "claim", "nothing", "lacking"], ["claim", "nothing", "nothing", "claim"]
        assert sentences.macro_f1(truth, said) == pytest.approx((1 / 2 + 2 / 3 + 0) / 3)
        assert sentences.macro_f1([], []) is None

    def test_a_question_claims_nothing(self):
        """Kinds that have no label of their own are claims, but for questions."""
        each(
            {"claim": "claim", "question": "nothing", "nothing claimed": "nothing", "code": "claim"}.items(),
            lambda kind, label: self.equal(label, sentences.called(kind)),
        )

    @staticmethod
    def equal(expected, actual):
        assert expected == actual


@pytest.mark.data
class TestData:
    def test_every_set_is_read(self):
        """Statements of both labels in each, all with documents that are cut; marks of their own where the data has them."""
        folder = data_dir("attribution")
        read = {name: statements.read(folder, name) for name in statements.SETS}
        for name, rows in read.items():
            assert {True, False} <= {one.unsupported for one in rows}, name
            assert all(len(text) <= statements.LONGEST for one in rows for text in one.documents), name
            assert all(one.marked != one.bare for one in rows), name
        own = {name: sum(one.own for one in rows) / len(rows) for name, rows in read.items()}
        assert own["expertqa_support"] > 0.98
        assert own["HAGRID"] > 0.9
        assert own["summedits"] == 0
        assert [name for name, rows in read.items() if any(one.unsupported is None for one in rows)] == [
            "check_covid"
        ]

    def test_sentences_are_read_from_the_data(self):
        """From a file of each data set, in another script too: the place gives the text back."""
        rows = []
        for source in ("expertqa/answers", "multilingual/mu_shroom_14lang", "grounding/ragtruth_qa"):
            answers = list(sentences._answers(source, data_dir))[:50]
            rows += [
                labelled(source=source, id=name, start=2, end=9, sentence=text[2:9])
                for name, text in answers
                if len(text) > 9
            ]
        assert len(rows) > 100
        said = sentences.texts(map(sentences.place, rows), data_dir)
        assert [row["sentence"] for row in rows] == [text for text, _ in said]


class TestLanguages:
    def test_pairs(self, tmp_path):
        """Without English and what is no pair, so many of each language; the file's name says the language where a row does not."""
        for path, rows in {
            "nli_other/made_ko.jsonl": [{"premise": "p", "hypothesis": "h", "label": "entailment"}] * 3,
            "xnli15/made.jsonl": [
                {"premise": "p", "hypothesis": "h", "label": "neutral", "lang": lang} for lang in ("en", "de")
            ],
            "news/items.jsonl": [{"text": "t"}],
        }.items():
            (tmp_path / path).parent.mkdir()
            (tmp_path / path).write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
        found = [(one.native, one.language, one.entailed) for one in languages.read_pairs(tmp_path, 2)]
        assert found == [(True, "ko", True), (True, "ko", True), (False, "de", False)]

    def test_rows(self):
        """Of what has a verdict, how much is entailed; none of nothing."""
        pairs = [languages.Pair(True, "ko", "p", "h", entailed) for entailed in (True, False, True)]
        rows = {row.quantity: row.ours for row in languages.verdict_rows(pairs, [YES, YES, OPEN])}
        assert rows["languages, native: supported"] == 2
        assert rows["languages, native: supported, share entailed"] == 0.5
        assert rows["languages, native: unsupported, share entailed"] is None
