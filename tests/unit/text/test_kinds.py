"""Kinds of sentences. Oracle: read by hand. `hostile_claims.txt` was not learnt from."""

from pathlib import Path

import pytest
from tests.effort import ends
from tests.looping import each

from guardrail.text.kinds import Kind, is_bare_answer, kind_of, refuses

HOSTILE = [
    line.split(" ", 1)[1]
    for line in (Path(__file__).parent / "hostile_claims.txt").read_text("utf-8").splitlines()
]


def is_kind(kind):
    """A check for `each`."""

    def check(sentence):
        assert kind_of(sentence) is kind

    return check


class TestKindOf:
    def test_courtesies_and_announcements_claim_nothing(self):
        """Greetings, thanks, offers, lead-ins, talk about the answer, refusals without a statement."""
        each(
            [
                "Hello!",
                "You're welcome!",
                "I hope this helps.",
                "Let me know if you have any other questions.",
                "Here is what I found:",
                "The main causes are:",
                "I'm sorry, but I can't help with that.",
                "I'm not a lawyer, but I can offer some general information.",
                "**Sure, I can help with that!**",
                "Gern geschehen!",
                "Ich hoffe, das hilft Ihnen weiter.",
                "Voici un résumé :",
                "N'hésitez pas à poser d'autres questions.",
                "Espero que esto te ayude.",
                "Ecco un riassunto:",
                "Espero ter ajudado!",
                "Graag gedaan!",
                "希望这能帮到你。",
                "很抱歉，我无法回答这个问题。",
                "お役に立てれば幸いです。",
                "도움이 되었기를 바랍니다.",
            ],
            is_kind(Kind.NOTHING),
        )

    def test_what_the_sources_lack(self):
        """Documents, questions, or what the speaker knows; in ten languages."""
        each(
            [
                "The founder is not mentioned in the provided documents.",
                "Not specified in the context.",
                "I don't know.",
                "I don’t know who wrote it.",
                "I am not sure who directed it.",
                "The question cannot be answered as it does not name the film.",
                "There is not enough information provided to answer this question.",
                "Unable to answer based on given passages.",
                "The passage describes the roof, but it does not mention the architect.",
                "Dazu enthalten die Dokumente nichts.",
                "Le document ne mentionne pas le fondateur.",
                "No se menciona en el texto.",
                "Il testo non menziona il fondatore.",
                "O texto não menciona o fundador.",
                "De documenten vermelden de oprichter niet.",
                "文档中没有提到创始人。",
                "文書には記載されていません。",
                "문서에는 창립자에 대한 언급이 없습니다.",
            ],
            is_kind(Kind.LACKING),
        )

    def test_questions(self):
        """In any language, by their mark; a quotation's mark is not the sentence's."""
        each(
            [
                "Would you like to know more?",
                "**Do you need a lawyer?**",
                "“Who was he?”",
                "Onko sinulla kysyttävää?",
                "هل تريد المزيد؟",
                "还有其他问题吗？",
            ],
            is_kind(Kind.QUESTION),
        )
        assert kind_of('The boy asked: "Why?"') is Kind.CLAIM

    def test_what_hides_behind_politeness_is_a_claim(self):
        """And what only resembles a refusal, a gap of the sources, thanks or a question."""
        each(HOSTILE, is_kind(Kind.CLAIM))

    def test_other_claims(self):
        """Short answers, claims after a refusal, what has no words."""
        each(
            [
                "You don't know, but he was born in Paris.",
                "I don't know, Paris?",
                "As an AI language model, I can say that the Semmering line opened in 1854.",
                "I do not have data on that and he was convicted in 1994.",
                "He does not know the answer.",
                "No, they were not founded in the same state.",
                "I cannot deny that he was convicted.",
                "Yes.",
                "Paris",
                "See a doctor if it lasts.",
                "",
                "!",
                "?",
                "\ud800",
            ],
            is_kind(Kind.CLAIM),
        )

    def test_an_unknown_language_is_never_silenced(self):
        """Its words are all unknown."""
        each(
            ["Hän syntyi Turussa.", "Staden har en hamn.", "Město leží na řece.", "वह दिल्ली में रहता था।"],
            is_kind(Kind.CLAIM),
        )

    @pytest.mark.parametrize(
        "piece", ["i do not know ", "sorry, ", "no information ", "the ", "**", "谢谢", "'s ", ", ", "?"]
    )
    def test_hostile_sentences_are_quick(self, piece):
        """Long ones are claims without a look; short ones end soon."""
        with ends(5):
            assert kind_of(piece * 20_000) is Kind.CLAIM
            kind_of((piece * 600)[:600])


class TestIsBareAnswer:
    def test_yes_and_no(self):
        """With any mark behind them."""

        def check(text):
            assert is_bare_answer(text)
            assert kind_of(text) is Kind.CLAIM

        each(
            [
                "Yes.",
                "no",
                "**Nein**",
                "Oui !",
                "¡Sí!",
                "是的。",
                "はい。",
                "네.",
                "Correct.",
                "Não.",
                "Да",
                "That's right.",
            ],
            check,
        )

    def test_more_than_that(self):
        """It says something by itself; and nothing at all is no answer."""

        def check(text):
            assert not is_bare_answer(text)

        each(["Yes, in 1904.", "No one.", "Paris", "", "!", "Yes. " * 10_000], check)


class TestRefuses:
    def test_needs_every_sentence(self):
        """One claim is enough to say something."""
        assert refuses("I'm sorry, I don't know. Please ask a librarian.")
        assert refuses("I'm sorry, but I cannot answer this question.")
        assert not refuses("I don't know. He was born in Paris.")

    def test_nothing_said_is_no_refusal(self):
        """Nor is a question, nor what is too long to be one."""
        assert not refuses("")
        assert not refuses("Who?")
        assert not refuses("I don't know. " * 1_000)
