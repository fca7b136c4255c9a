"""`PairConsistency`: matching tasks, the same in another order, answers, findings."""

import json
import re

import pytest

from guardrail import Case, Guard, Verdict
from guardrail.chat import ScriptedChat
from guardrail.detectors import PairConsistency
from guardrail.engine.flow import Failed, Reason
from guardrail.errors import ConfigError, MissingExtra
from guardrail.memory.internal.task import read_answer, recognised
from guardrail.registry import DETECTORS
from guardrail.report import Measurement, Replies
from guardrail.requests import Completion, Message, Untrusted, user
from guardrail.testing import play

TRUTH = {"Norway": "Oslo", "Italy": "Rome", "Japan": "Tokyo"}
LETTERED = """\
Match each country with its capital.

Countries:
1. Norway
2. Italy
3. Japan

Capitals:
A. Rome
B. Tokyo
C. Oslo
"""
TABLE = """请把下面的诗句与作者正确匹配，只回答作者，用逗号分隔。
["白日依山尽，黄河入海流。", "杜甫"]
["昔闻洞庭水，今上岳阳楼。", "王之涣"]
"""
POEMS = {"白日依山尽，黄河入海流。": "王之涣", "昔闻洞庭水，今上岳阳楼。": "杜甫"}


def knowing(truth=TRUTH):
    """A model that matches by letter or by name, as it is asked."""

    def reply(ask):
        text = ask.messages[-1].text
        lines = [line for line in text.splitlines() if line.startswith("[")]
        if lines:
            return Completion("，".join(POEMS[json.loads(line)[0]] for line in lines))
        letters = {name: letter for letter, name in re.findall(r"^([A-Z])\. (\w+)$", text, re.MULTILINE)}
        return Completion("\n".join(f"{i}-{letters[truth[left]]}" for i, left in enumerate(truth, 1)))

    return reply


def findings(answer, prompt=LETTERED, reply=None, **options):
    return play(PairConsistency(**options).examine(Case.of(answer, prompt=prompt)), reply or knowing())


class TestRecognised:
    def test_two_lists(self):
        """Lettered partners keep their letters."""
        task = recognised(Case.of("", prompt=LETTERED))
        assert task.lefts == ("Norway", "Italy", "Japan")
        assert task.rights == ("Rome", "Tokyo", "Oslo")
        assert task.labels == ("A", "B", "C")

    def test_table(self):
        """Rows of two texts, as in the paper."""
        task = recognised(Case.of("", prompt=TABLE))
        assert dict(zip(task.lefts, task.rights, strict=True)) == {
            "白日依山尽，黄河入海流。": "杜甫",
            "昔闻洞庭水，今上岳阳楼。": "王之涣",
        }

    @pytest.mark.parametrize(
        "prompt",
        [
            "",
            "Which is the capital of Norway?",
            LETTERED.replace("Match each country with its capital.", "Here are some facts."),
            LETTERED.replace("3. Japan\n", ""),
            "Match these:\n1. Norway\n2. Italy\n",
            "Match these: Norway, Italy; Rome, Oslo",
            'Match this: ["a", "b"]',
            'Match:\n["a", "\\x"]\n["c", "d"]',
            "Match each.\n\n- a\n- b\n\n- c\n- d\n\n- e\n- f\n",
        ],
    )
    def test_others(self, prompt):
        """No word for it, no two lists, lists of two lengths, three lists: not this detector's."""
        assert recognised(Case.of("x", prompt=prompt)) is None
        assert findings("x", prompt) == []

    @pytest.mark.parametrize(
        "piece", ['["a", "b"]\n', "1. a\n", "- a\n\n", '["', "[", "\\", "1) a ", "1) ", "*", "**a", "[a](b"]
    )
    def test_hostile_length(self, piece):
        """More pairs than anybody matches are no task, and are seen soon."""
        assert recognised(Case.of("x", prompt="Match:\n" + piece * 50_000)) is None

    def test_many_blanks(self):
        """They take no time quadratic in their number: a minute here, if they did."""
        assert recognised(Case.of("x", prompt="Match:\n1. a" + " " * 500_000 + "b")) is None
        assert read_answer("1" + " " * 500_000 + "x", list(TRUTH), ["Rome", "Tokyo", "Oslo"]) == []

    def test_a_question_with_marks(self):
        """A line in bold above a list is no item of it, and names are read without their marks."""
        prompt = "Match each.\n\n**People:**\n- **Ann**\n- *Eve*\n\n**Partners:**\n* **Bob**\n* **Dan**"
        task = recognised(Case.of("x", prompt=prompt))
        assert (task.lefts, task.rights) == (("Ann", "Eve"), ("Bob", "Dan"))
        changed, _ = task.again((1, 0))
        assert changed[0].text.endswith("* **Dan**\n* **Bob**")

    @pytest.mark.parametrize(
        ("prompt", "changed"),
        [
            (
                "Match 1) **Norway**, 2) Italy and 3) Japan with a) Rome, b) Tokyo, and c) Oslo.",
                "Match 1) **Norway**, 2) Italy and 3) Japan with a) Oslo, b) Rome, and c) Tokyo.",
            ),
            (
                "Countries: (1) Norway; (2) Italy; (3) Japan. Match them: (A) *Rome*; (B) Tokyo; (C) Oslo.",
                "Countries: (1) Norway; (2) Italy; (3) Japan. Match them: (A) *Oslo*; (B) Rome; (C) Tokyo.",
            ),
        ],
    )
    def test_lists_within_a_line(self, prompt, changed):
        """Numbered and lettered; asked again, only the partners change their places."""
        task = recognised(Case.of("x", prompt=prompt))
        assert (task.lefts, task.rights) == (("Norway", "Italy", "Japan"), ("Rome", "Tokyo", "Oslo"))
        assert task.labels == ("A", "B", "C")
        assert task.again((2, 0, 1))[0][0].text == changed

    @pytest.mark.parametrize(
        "prompt",
        [
            "Match people: 1) Ann 2) Eve with: A) Bob B) Dan",  # where does the first list end?
            "Match a) Ann, c) Eve with 1) Bob, 2) Dan",
            "Match 1) Ann, 2) Eve with a) Bob.",
            "Pair it 1) at once (a) or b) later.",
        ],
    )
    def test_no_lists_within_a_line(self, prompt):
        """What is not two lists of one length, in order, is none."""
        assert recognised(Case.of("x", prompt=prompt)) is None

    def test_last_question_counts(self):
        """An earlier task was answered already."""
        messages = (user(LETTERED), Message("assistant", "1-C"), user("Thank you. What is in a name?"))
        assert recognised(Case(answer="x", messages=messages)) is None

    def test_again(self):
        """The same words with the partners in other places; the system message stays."""
        messages = (Message("system", "Be brief."), user(LETTERED))
        changed, shown = recognised(Case(answer="", messages=messages)).again((2, 0, 1))
        assert shown == ("Oslo", "Rome", "Tokyo")
        assert changed[0] == messages[0]
        assert changed[1].text == LETTERED.replace("A. Rome", "A. Oslo").replace(
            "B. Tokyo", "B. Rome"
        ).replace("C. Oslo", "C. Tokyo")

    def test_again_quotes(self):
        """Partners with quotation marks stay JSON."""
        prompt = 'Match:\n["a", "x \\"y\\""]\n["b", "z"]'
        changed, _ = recognised(Case.of("", prompt=prompt)).again((1, 0))
        assert changed[0].text == 'Match:\n["a", "z"]\n["b", "x \\"y\\""]'

    def test_untrusted_pieces_stay_so(self):
        """Lists that an application quotes are quoted again."""
        message = user("Match each country with its capital.\n", Untrusted(LETTERED.partition("\n")[2]))
        changed, _ = recognised(Case(answer="", messages=(message,))).again((1, 0, 2))
        assert isinstance(changed[0].content[1], Untrusted)
        assert "A. Tokyo\nB. Rome" in changed[0].content[1].text


class TestReadAnswer:
    @pytest.mark.parametrize(
        "answer",
        [
            "1-C\n2-A\n3-B",
            "1. C\n2. A\n3. B",
            "C, A, B",
            "c, a, b",
            "Oslo, Rome, Tokyo",
            "1. Oslo\n2. Rome\n3. Tokyo",
            "Norway: Oslo\nItaly: Rome\nJapan: Tokyo",
            "- Norway – Oslo\n- Italy – Rome\n- Japan – Tokyo",
            "1. Norway - Oslo\n2. Italy - Rome\n3. Japan - Tokyo",
            "| Norway | Oslo".replace("| N", "N") + "\nItaly | Rome\nJapan | Tokyo",
            "2: Rome\n1: Oslo\n3: Tokyo",
            "Japan = Tokyo\n\nNorway = **Oslo**\n\nItaly = Rome.",
            "Here are the matches:\n\n1. Norway – C. Oslo\n2. Italy – A. Rome\n3. Japan – B. Tokyo\n\nAnything else?",
            "**Norway** → C (Oslo)\n**Italy** → A (Rome)\n**Japan** → B (Tokyo)",
            "| Country | Capital |\n|---|---|\n| Norway | Oslo |\n| Italy | Rome |\n| Japan | Tokyo |",
            "My answers: \n1) c\n2) a\n3) b",
            "<think>Norway: Rome?\nItaly: Oslo?</think>\nNorway: Oslo\nItaly: Rome\nJapan: Tokyo",
            "1-A? No.</think>C, A, B",
            "1. **Norway** – Oslo\n2. **Italy** – *Rome*\n3. **Japan:** `Tokyo`",
            "### 1. Norway: Oslo\n### 2. Italy: Rome\n### 3. Japan: Tokyo",
            "| # | Country | Capital |\n|---|---|---|\n| 1 | **Norway** | Oslo |\n| 2 | **Italy** | Rome |\n| 3 | Japan | Tokyo |",
            "- [Norway](https://x.org/n) → [Oslo](https://x.org/o-1)\n- Italy → [Rome](y)\n- Japan → [Tokyo](z)",
            "Norway: Oslo, Italy: Rome, Japan: Tokyo",
            "Norway – Oslo, Italy – Rome, and Japan – Tokyo.",
            "1) Norway - Oslo; 2) Italy - Rome; 3) Japan - Tokyo",
            "The matches are: 1) **Norway** – Oslo; 2) **Italy** – Rome; 3) **Japan** – Tokyo.",
            "1-C, 2-A, 3-B",
            "(1) C (2) A (3) B",
            "**1** – **C**\n**2** – **A**\n**3** – **B**",
            "Norway: Oslo, since it lies in the north.\nItaly: Rome – easy.\nJapan: Tokyo, of course",
        ],
    )
    def test_in_the_order_of_the_lefts(self, answer):
        """By letter, by name, by line with the left or its number, in any order of lines."""
        found = read_answer(answer, list(TRUTH), ["Rome", "Tokyo", "Oslo"], ["A", "B", "C"])
        assert [match.name for match in found] == list(TRUTH.values())
        for match in found:
            said = answer[match.start : match.end]
            assert match.name in said or said in set("ABCabc")

    def test_names_with_marks_in_them(self):
        """What only looks like emphasis stays."""
        found = read_answer("Korea: M*A*S*H, Rome: *Ben-Hur*", ["Korea", "Rome"], ["Ben-Hur", "M*A*S*H"])
        assert [match.name for match in found] == ["M*A*S*H", "Ben-Hur"]

    def test_a_partner_with_commas(self):
        """Where no other left begins, a comma is of the name."""
        answer = "USA: Washington, D.C., Peru: Lima"
        found = read_answer(answer, ["USA", "Peru"], ["Lima", "Washington, D.C."])
        assert [answer[match.start : match.end] for match in found] == ["Washington, D.C", "Lima"]

    @pytest.mark.parametrize(
        "answer",
        [
            "",
            "I do not know.",
            "Norway: Oslo\nItaly: Rome",
            "Norway: Oslo\nNorway: Rome\nJapan: Tokyo",
            "Oslo, Rome",
            "Sure! Here you go:\nOslo, Rome, Tokyo",
            "Paris, London, Berlin",
            "1. Norway\n2. Italy\n3. Japan\n\n1-C\n2-A\n3-B",
            "Norway: Oslo, Italy: Rome",
            "Norway: Oslo, Norway: Rome, Japan: Tokyo",
            "Norway: Italy: Rome, Japan: Tokyo",
            "1. First I think of Norway.\n2. Then of Italy.\n3. Then of Japan.",
        ],
    )
    def test_no_answer(self, answer):
        """Not one partner for each."""
        assert read_answer(answer, list(TRUTH), ["Rome", "Tokyo", "Oslo"], ["A", "B", "C"]) == []

    @pytest.mark.parametrize(
        "piece",
        [
            ":",
            "| ",
            "1-",
            "a:",
            "Norway: ",
            "- \n",
            "1. a\n",
            "(",
            "A. ",
            "1" + " " * 100,
            "**a",
            "[a](",
            "`",
            ", Norway: ",
            "1) ",
        ],
    )
    def test_hostile_length(self, piece):
        """Long nonsense is no answer, and soon."""
        assert read_answer(piece * 50_000, list(TRUTH), ["Rome", "Tokyo", "Oslo"], ["A", "B", "C"]) == []


class TestFindings:
    def test_consistent(self):
        """The same each time: 0, supported, and the answer's own words are marked."""
        found = findings("1-C\n2-A\n3-B")
        assert [one.score for one in found] == [0.0] * 3
        assert {one.verdict for one in found} == {Verdict.SUPPORTED}
        assert [one.text for one in found] == ["C", "A", "B"]

    def test_two_exchanged(self):
        """Those two matches, and not the third."""
        found = findings("Oslo, Tokyo, Rome")
        assert [one.score for one in found] == [0.0, 1.0, 1.0]
        assert [one.verdict for one in found] == [Verdict.SUPPORTED, Verdict.UNSUPPORTED, Verdict.UNSUPPORTED]
        assert found[1].span.of("Oslo, Tokyo, Rome") == "Tokyo"
        whole = next(e for e in found[0].evidence if isinstance(e, Measurement))
        assert (whole.value, whole.interval[1]) == (1.0, 1.0)  # every reply differs somewhere

    def test_shares(self):
        """Two of five replies that differ are .4, below the threshold; .3 would make it unsupported."""

        def reply(ask):
            return knowing({"Norway": "Oslo", "Italy": "Tokyo", "Japan": "Rome"} if ask.draw < 2 else TRUTH)(
                ask
            )

        assert [one.score for one in findings("C, A, B", reply=reply)] == pytest.approx([0.0, 0.4, 0.4])
        assert findings("C, A, B", reply=reply)[1].verdict is Verdict.SUPPORTED
        assert findings("C, A, B", reply=reply, threshold=0.3)[1].verdict is Verdict.UNSUPPORTED

    def test_chinese(self):
        """Traditional answers to simplified lists, by full-width commas."""
        found = findings("王之渙，杜甫。", TABLE)
        assert [one.score for one in found] == [0.0, 0.0]

    def test_other_orders_only(self):
        """What it is asked is never in the order that the answer saw."""
        asked = []
        findings("C, A, B", reply=lambda ask: asked.append(ask) or knowing()(ask), questions=8)
        assert len(asked) == 8
        assert all(ask.messages[-1].text != LETTERED for ask in asked)
        assert {ask.temperature for ask in asked} == {0.95}

    def test_a_model_that_goes_by_place(self):
        """One that always says C, A, B matches by place: in other orders that is another answer."""
        found = findings("C, A, B", reply=lambda ask: Completion("C, A, B"), questions=10)
        assert max(one.score for one in found) >= 0.5

    def test_too_few_replies(self):
        """Nothing is scored, and why is said; failures too."""

        def reply(ask):
            return Failed(Reason.TIMEOUT, "no reply") if ask.draw < 2 else Completion("Who knows?")

        (one,) = findings("C, A, B", reply=reply)
        assert one.verdict is Verdict.UNVERIFIED
        assert "0 of 5 replies could be read, and 3 are needed: timeout" in one.reason
        assert next(e for e in one.evidence if isinstance(e, Replies)).read == (None,) * 3

    def test_unreadable_answer(self):
        """Unverified, and nobody is asked."""
        case = Case.of("It depends.", prompt=LETTERED)
        (one,) = play(PairConsistency().examine(case), lambda ask: pytest.fail("asked"))
        assert one.verdict is Verdict.UNVERIFIED
        assert PairConsistency().cost(case) == {}

    def test_blank(self):
        """No answer, nothing to check."""
        assert findings(" \n") == []

    def test_without_the_extra(self, monkeypatch):
        """Chinese lists without OpenCC are unverified, with the command that installs it."""

        def missing(text):
            raise MissingExtra("OpenCC", extra="chinese")

        monkeypatch.setattr("guardrail.memory.internal.task.text_key", missing)
        (one,) = findings("王之涣，杜甫", TABLE)
        assert one.verdict is Verdict.UNVERIFIED
        assert "guardrail-sdk[chinese]" in one.reason
        assert PairConsistency().cost(Case.of("王之涣，杜甫", prompt=TABLE)) == {}

    def test_in_a_guard(self):
        """By its name in a configuration, with a chat model, five calls."""
        guard = Guard([DETECTORS.create("pairs", {"questions": 5})], chat=ScriptedChat(knowing()))
        report = guard.check("1-C\n2-B\n3-A", prompt=LETTERED)
        assert report.verdict is Verdict.UNSUPPORTED
        assert report.cost.total.calls == 5


class TestOptions:
    @pytest.mark.parametrize(
        "options",
        [
            {"questions": 0},
            {"least": 0},
            {"least": 6},
            {"temperature": 3},
            {"threshold": 2},
            {"seed": -1},
            {"deadline": -1},
        ],
    )
    def test_refused(self, options):
        """Before anything is asked."""
        with pytest.raises(ConfigError):
            PairConsistency(**options)
