"""The count above a list, once something of the list was cut."""

import pytest
from tests.looping import each
from tests.notices import NOTICES

from guardrail.adapting.sentence_stream import SentenceStream
from guardrail.policies import Plan, Review, remove
from guardrail.policies.edits import apply, removals
from guardrail.report import Case, Finding, Span, Verdict

ITEMS = ("Alpha beta", "Gamma delta", "Epsilon zeta", "Eta theta")
LIST = "\n\n" + "\n".join(f"- {item}" for item in ITEMS) + "\n\nEnd."


def lead_in(text, gone, language="", entries=LIST):
    text += entries
    spans = [(Span(start=text.index(item), end=text.index(item) + len(item)), "why") for item in ITEMS[:gone]]
    return apply(text, removals(text, spans, language=language, **NOTICES)).partition("\n")[0]


class TestCount:
    def test_is_put_right(self):
        """In digits, or in a word of the language."""
        each(
            [
                ("Here are four works on tea:", "en", "Here are two works on tea:"),
                ("Four works on tea:", "en", "Two works on tea:"),
                ("**The 4 best works:**", "en", "**The 2 best works:**"),
                ("## Top 4 works", "en", "## Top 2 works"),
                ("Hier sind vier Bücher:", "de", "Hier sind zwei Bücher:"),
                ("Voici quatre livres :", "fr", "Voici deux livres :"),
                ("Estas son cuatro obras:", "es", "Estas son dos obras:"),
                ("Aqui estão quatro obras:", "pt", "Aqui estão 2 obras:"),
                ("Ecco quattro opere:", "it", "Ecco due opere:"),
                ("Hier zijn vier boeken:", "nl", "Hier zijn twee boeken:"),
                ("以下是四本书：", "zh", "以下是两本书："),
                ("次の四冊です：", "ja", "次の二冊です："),
                ("以下の4つ：", "ja", "以下の2つ："),
                ("다음은 네 권입니다:", "ko", "다음은 두 권입니다:"),
                ("Вот 4 книги:", "ru", "Вот 2 книги:"),
            ],
            lambda before, language, after: self._is(lead_in(before, 2, language), after),
        )

    def test_of_one_is_taken_out(self):
        """The noun may go on saying that there were more; where it needs the number, it stays."""
        each(
            [
                ("Here are four works:", "en", "Here are works:"),
                ("Four works:", "en", "Works:"),
                ("Hier sind die 4 Bücher:", "de", "Hier sind die Bücher:"),
                ("以下是四本书：", "zh", "以下是一本书："),
                ("以下の4つ：", "ja", "以下の1つ："),
                ("Here are four of them:", "en", "Here are four of them:"),
                ("Voici quatre livres :", "fr", "Voici quatre livres :"),
            ],
            lambda before, language, after: self._is(lead_in(before, 3, language), after),
        )

    def test_stays_where_it_is_not_sure(self):
        """Another number, two numbers, a year, a line that announces nothing, a list of which all is left."""
        for text in (
            "Here are five works:",
            "4 works by four people:",
            "Since 2004:",
            "Works:",
            "I know four works.",
        ):
            assert lead_in(text, 2) == text
        assert lead_in("Here are four works:", 0) == "Here are four works:"

    def test_of_a_table(self):
        """Its header is no entry."""
        table = "\n\n| name |\n|---|\n" + "".join(f"| {item} |\n" for item in ITEMS)
        assert lead_in("Here are four works:", 1, entries=table) == "Here are three works:"

    def test_of_a_numbered_list(self):
        """It is counted like any other."""
        numbered = "\n\n" + "\n".join(f"{i}. {item}" for i, item in enumerate(ITEMS, 1))
        assert lead_in("Here are four works:", 1, entries=numbered) == "Here are three works:"

    @pytest.mark.parametrize("text", ["4" * 500 + ":", "four " * 200 + ":", ":" * 1000, "四" * 500 + "本："])
    def test_hostile_lines_are_no_trouble(self, text):
        """They stay."""
        assert lead_in(text, 2)

    @staticmethod
    def _is(text, expected):
        assert text == expected


class TestStream:
    def test_a_count_is_not_released_before_its_list(self):
        """It may change."""
        text = "Tea is old. Here are four works:" + LIST.replace("\n- ", "\n- It is ").replace(
            "\n\nEnd", ".\n\nEnd"
        )
        stream, released = SentenceStream(Plan(remove())), ""
        for character in text:
            stream.feed(character)
            if (due := stream.due()) is not None:
                released += stream.examined(reviewed(due))
        assert released == "Tea is old."
        shown = Plan(remove()).decide(stream.finish(reviewed(text))).answer
        assert released + stream.rest(shown) == shown
        assert "Here are three works:" in shown


def reviewed(text):
    findings = []
    for sentence in ("Tea is old.", *(f"It is {item}" for item in ITEMS)):
        start = text.find(sentence)
        if start >= 0:
            verdict = Verdict.UNSUPPORTED if ITEMS[3] in sentence else Verdict.SUPPORTED
            span = Span(start=start, end=start + len(sentence))
            findings.append(Finding(detector="d", span=span, text=sentence, verdict=verdict, reason="why"))
    return Review(Case(answer=text), tuple(findings))
