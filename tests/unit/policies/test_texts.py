"""What the reader of an answer is told, in its language, and how a user replaces it."""

import re

import pytest
from tests.looping import each

from guardrail.engine.flow import Reason
from guardrail.errors import ConfigError, UnknownName
from guardrail.policies import (
    Chain,
    Plan,
    Review,
    Texts,
    annotate,
    block,
    flag,
    parse_policy,
    remove,
    with_texts,
)
from guardrail.policies.texts import ENGLISH, Phrases, table
from guardrail.report import Case, DetectorFailure, Finding, Span, Verdict
from guardrail.requests import user

BAD, OPEN = Verdict.UNSUPPORTED, Verdict.UNVERIFIED
ANSWERS = {
    "de": "Die Bibliothek wurde im Jahr 1904 vom Bürgermeister der Stadt eröffnet. Sie ist sehr groß.",
    "fr": "La bibliothèque a été ouverte en 1904 par le maire de la ville. Elle est très grande.",
    "es": "La biblioteca fue inaugurada en 1904 por el alcalde de la ciudad. Es muy grande.",
    "pt": "A biblioteca foi inaugurada em 1904 pelo prefeito da cidade. Ela não é muito pequena.",
    "it": "La biblioteca è stata inaugurata nel 1904 dal sindaco della città. È molto grande.",
    "nl": "De bibliotheek werd in 1904 door de burgemeester van de stad geopend. Zij is erg groot.",
    "zh": "这座图书馆于1904年由市长揭幕。它非常大，藏书很多。",
    "ja": "この図書館は1904年に市長によって開館されました。とても大きいです。",
    "ko": "이 도서관은 1904년에 시장이 문을 열었습니다. 매우 큽니다.",
}


def finding(answer, part=None, verdict=BAD, **fields):
    start = answer.index(part) if part else 0
    span = Span(start=start, end=start + len(part)) if part else None
    return Finding(detector="d", span=span, text=part or "", verdict=verdict, reason="why", **fields)


def review(answer, *findings, failures=(), question=""):
    asked = (user(question),) if question else ()
    return Review(Case(answer=answer, messages=asked), findings, failures)


class TestTable:
    def test_every_language_has_every_text(self):
        """With the same places to fill in; commas and what is counted may be as in English."""
        english = table()["en"]

        def check(code):
            own = table()[code]
            assert english.keys() - own.keys() <= {"comma", "semicolon", "counted"}
            assert own.keys() <= english.keys()
            for key, text in own.items():
                assert set(re.findall(r"\{\w+\}", text)) == set(re.findall(r"\{\w+\}", english[key])), key
                assert text.strip(), key

        each([code for code in table() if code != "en"], check)

    def test_no_english_mark_has_two_keys(self):
        """A mark is found by its English text."""
        marks = [text for key, text in table()["en"].items() if not key.startswith("kind_")]
        assert len(marks) == len(set(marks))


class TestLanguageOfTheAnswer:
    def test_a_mark_is_in_the_language_of_the_answer(self):
        """Whatever a detector writes in English that the table knows."""

        def check(code, answer):
            part = re.split(r"(?<=[.。])", answer)[0]
            for text, key in (
                ("no such work found", "no_such_work"),
                ("not supported by documents", "not_in_documents"),
            ):
                shown = annotate().decide(review(answer, finding(answer, part, mark=text))).answer
                assert f"[{table()[code][key]}]" in shown
            assert (
                table()[code]["unverified"]
                in annotate(OPEN).decide(review(answer, finding(answer, part, OPEN))).answer
            )

        each(list(ANSWERS.items()), check)

    def test_the_notices_are_in_the_language_of_the_answer(self):
        """Where nothing is left, and where the answer is withheld."""

        def check(code, answer):
            assert (
                remove().decide(review(answer, finding(answer, answer))).answer
                == table()[code]["nothing_left"]
            )
            told = block().decide(review(answer, finding(answer, answer, label="fabricated")))
            phrases = Phrases(code)
            kinds = phrases.kind("fabricated", 1)
            assert told.answer == phrases.of("withheld", reason=phrases.of("one_part", kinds=kinds))
            assert told.note == "1 part of it could not be confirmed (1 fabricated)"

        each(list(ANSWERS.items()), check)

    def test_a_list_of_which_nothing_is_left_says_so(self):
        """In the place of its entries."""
        answer = "Dazu gibt es in der Bibliothek unserer Stadt die folgenden Bücher:\n\n- Der Fluss\n- Das Tal\n\nViel Freude beim Lesen."
        decision = remove().decide(review(answer, finding(answer, "Der Fluss"), finding(answer, "Das Tal")))
        assert table()["de"]["list_gone"] in decision.answer

    def test_a_short_answer_is_in_the_language_of_its_question(self):
        """A name shows no language."""
        asked = "Welche Stadt ist eigentlich die Hauptstadt von Frankreich?"
        shown = annotate().decide(review("Lyon.", finding("Lyon.", "Lyon."), question=asked)).answer
        assert shown == f"Lyon. [{table()['de']['not_supported']}]"

    def test_of_another_language_the_texts_are_english(self):
        """Which the table has for every text."""
        answer = "Библиотека была открыта мэром города в 1904 году, и она очень большая."
        assert "[not supported]" in annotate().decide(review(answer, finding(answer, answer))).answer

    def test_a_failed_check_is_told(self):
        """Below the answer, or in its place."""
        answer, failure = ANSWERS["de"], DetectorFailure(detector="logic", reason=Reason.TIMEOUT)
        shown = Plan(annotate()).decide(review(answer, failures=(failure,))).answer
        assert shown.endswith("[nicht überprüft: logic konnte nicht abgeschlossen werden]")
        closed = Plan(annotate(), fail="closed").decide(review(answer, failures=(failure,)))
        assert (
            closed.answer
            == "Diese Antwort wird nicht angezeigt: 1 Prüfung konnte nicht abgeschlossen werden (logic)."
        )
        assert closed.note == "1 check could not be finished (logic)"

    def test_json_is_told_in_its_language(self):
        """Under our key."""
        answer = '{"text": "Die Bibliothek wurde im Jahr 1904 vom Bürgermeister der Stadt eröffnet."}'
        assert (
            "Diese Antwort wird nicht angezeigt"
            in block().decide(review(answer, finding(answer, answer))).answer
        )


class TestMarksThatAreComposed:
    def test_a_corrected_reference_is_said_part_by_part(self):
        """What is wrong, and what is right."""
        mark = "real work, wrong authors and year: it is by Lin, Hilton and Evans; it is of 2022"
        expected = "das Werk gibt es, aber falsch angegeben ist: Autoren, Jahr. Richtig ist: von Lin, Hilton, Evans; erschienen 2022"
        assert expected == Phrases("de").mark(mark)
        assert Phrases("zh").mark("the DOI belongs to “Tea: a history”") == "该DOI属于“Tea: a history”"

    def test_what_the_table_does_not_have_is_said_by_its_label(self):
        """A sentence in two languages is worse than one with less in it."""
        answer = ANSWERS["de"]
        odd = finding(answer, answer, mark="real work, wrong year: in a supplement", label="misquoted")
        assert "[Angaben weichen vom echten Werk ab]" in annotate().decide(review(answer, odd)).answer

    def test_a_detectors_own_words_stay(self):
        """Nobody can translate them."""
        answer = ANSWERS["de"]
        assert (
            "[so gar nicht]"
            in annotate().decide(review(answer, finding(answer, answer, mark="so gar nicht"))).answer
        )

    def test_english_stays_as_the_detector_wrote_it(self):
        """Also in languages that the table lacks."""
        mark = "real work, wrong authors and year: it is by Lin and Evans"
        assert (ENGLISH.mark(mark), Phrases("ru").mark(mark)) == (mark, mark)

    def test_no_mark_takes_long_or_fails(self):
        """It may quote what an answer says."""
        for mark in (": " * 5000, "real work, wrong " + ": " * 140, "its is is " * 29, "; " * 150, "{value}"):
            Phrases("de").mark(mark)


class TestOwnTexts:
    def test_a_text_for_all_languages(self):
        """It is shown whatever the answer is in."""
        policy = annotate(texts={"not_supported": "?"})

        def check(answer):
            assert "[?]" in policy.decide(review(answer, finding(answer, answer))).answer

        each(ANSWERS.values(), check)

    def test_a_text_for_one_language_comes_first(self):
        """The others are as without it."""
        policy = remove(texts={"nothing_left": "–", "fr": {"nothing_left": "Rien."}})
        shown = {code: policy.decide(review(one, finding(one, one))).answer for code, one in ANSWERS.items()}
        assert (shown["fr"], shown["de"]) == ("Rien.", "–")

    def test_a_message_fills_in_the_reason(self):
        """Or leaves it out."""
        told = block(texts={"withheld": "Non. {reason}"}).decide(
            review(ANSWERS["fr"], finding(ANSWERS["fr"]))
        )
        assert told.answer == "Non. 1 passage n’a pas pu être confirmé (1 non confirmé)"

    @pytest.mark.parametrize(
        ("texts", "match"),
        [
            ({"unverifed": "x"}, "Did you mean 'unverified'"),
            ({"de": {"no_such_works": "x"}}, "Did you mean 'no_such_work'"),
            ({"german": {"unverified": "x"}}, "as two letters, got 'german'"),
            ({"unverified": " "}, "a text for 'unverified'"),
            ({"unverified": 1}, "a text for 'unverified'"),
            ("x", "takes a mapping"),
        ],
    )
    def test_a_wrong_one_is_an_error(self, texts, match):
        """That says what to write."""
        for policy in (annotate, remove, block):
            with pytest.raises(ConfigError, match=match):
                policy(texts=texts)

    def test_they_are_read_and_written(self):
        """A policy with texts is equal to its written form."""
        policy = annotate(texts={"unverified": 'say "so"', "de": {"unverified": "ungeprüft (noch)"}}) | block(
            "No."
        )
        written = (
            'annotate(unverified="say \\"so\\"", de.unverified="ungeprüft (noch)") | block(message="No.")'
        )
        assert (str(policy), parse_policy(written)) == (written, policy)

    @pytest.mark.parametrize("written", ['annotate(unverifed="x")', 'remove(de.nothing_lef="x")'])
    def test_a_wrong_key_in_a_written_form(self, written):
        """The nearest is named."""
        with pytest.raises(UnknownName, match=r"Did you mean '(unverified|nothing_left)'"):
            parse_policy(written)

    def test_those_of_one_policy_count_for_the_guard(self):
        """Also for what is done about what could not be checked."""
        answer = ANSWERS["de"]
        plan = Plan(remove(texts={"unverified": "Bitte prüfen"}))
        assert "[Bitte prüfen]" in plan.decide(review(answer, finding(answer, answer, OPEN))).answer
        chain = Plan(remove(texts={"withheld": "Nein."}) | block())
        assert chain.decide(review(answer, finding(answer))).answer == "Nein."

    def test_with_texts(self):
        """They are given to all parts, under their own."""
        given = Texts.of({"unverified": "?", "withheld": "No."})
        policy = with_texts(annotate(texts={"unverified": "!"}) | block(), given)
        assert isinstance(policy, Chain)
        assert str(with_texts(flag(), given)) == 'flag(unverified="?", withheld="No.")'
        assert (
            str(policy) == 'annotate(unverified="!", withheld="No.") | block(unverified="?", withheld="No.")'
        )
