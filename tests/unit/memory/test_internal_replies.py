"""Replies: lists in the forms that models write, and what is none."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guardrail.memory.internal import read_list, read_name
from guardrail.memory.internal.chinese import name_key

POETS = ["杜甫", "王之渙", "李白"]  # as the question shows them
RIGHT = ("王之涣", "杜甫", "李白")


class TestReadList:
    @pytest.mark.parametrize(
        "reply",
        [
            "王之涣, 杜甫, 李白",
            "王之涣,杜甫,李白",
            "王之涣，杜甫，李白。",
            "王之涣、杜甫、李白",
            "王之涣；杜甫；李白",
            "1. 王之涣\n2. 杜甫\n3. 李白",
            "1、王之涣、2、杜甫、3、李白",
            "(1) 王之涣, (2) 杜甫, (3) 李白",
            "（1）王之涣\n（2）杜甫\n（3）李白\n",
            "- 王之涣\n- 杜甫\n- 李白",
            "王之涣,\n杜甫,\n李白",
            "王之涣\n\n杜甫\n\n李白",
            '["王之涣", "杜甫", "李白"]',
            "[王之涣，杜甫，李白]",
            "**王之涣, 杜甫, 李白**",
            "答案：王之涣，杜甫，李白",
            "Answer: 王之涣, 杜甫, 李白",
            "<think>王之涣, no, 杜甫, …</think>\n王之涣, 杜甫, 李白",
            "　王之涣 ， 杜甫 ， 李白　",
            '```json\n["王之涣", "杜甫", "李白"]\n```',
            "```text\n王之涣, 杜甫, 李白\n```",
            "王之涣, no, 杜甫, …</think>王之涣, 杜甫, 李白",
            "(王之涣), (杜甫), (李白)",
            "王之涣，杜甫，和李白",
        ],
    )
    def test_a_list(self, reply):
        """By comma of either width or by line, numbered or not, with quotation marks, after a thought."""
        assert read_list(reply, POETS).names == RIGHT

    @pytest.mark.parametrize(
        ("reply", "fault"),
        [
            ("", "empty"),
            (" \n。", "empty"),
            ("<think>王之涣, 杜甫, 李白", "empty"),
            ("王之涣, 杜甫", "length"),
            ("王之涣, 杜甫, 李白, 李白", "length"),
            ("王之涣 杜甫 李白", "length"),
            ("王之涣, , 李白", "length"),
            ("以下是答案：\n王之涣, 杜甫, 李白", "prose"),
            ("王之涣, 杜甫, 李白。希望对你有帮助！", "prose"),
            ("The poets are: 王之涣, 杜甫, 李白", "prose"),
            ("白日依山尽 → 王之涣, 杜甫, 李白", "prose"),
            ("The men who wrote the verses that you gave to me are 王之涣, 杜甫, 李白", "prose"),
            ("我不知道, 抱歉, 对不起", "unrelated"),
            ("陆游, 苏轼, 辛弃疾", "unrelated"),
        ],
    )
    def test_no_list(self, reply, fault):
        """Malformed, and how."""
        found = read_list(reply, POETS)
        assert (found.names, found.fault) == ((), fault)

    def test_a_name_that_was_not_on_offer(self):
        """It is an answer, if a wrong one."""
        assert read_list("陆游, 杜甫, 李白", POETS).names == ("陆游", "杜甫", "李白")

    @pytest.mark.parametrize(
        "reply", ["[唐]王之涣，（唐）杜甫，李白（唐）", "王之涣 (688), 杜甫 [712], 李白 (701)"]
    )
    def test_a_gloss(self, reply):
        """Brackets that hold a part of a name stay with it, so that it is known as a gloss."""
        found = read_list(reply, POETS)
        assert [name_key(name) for name in found.names] == list(RIGHT)

    def test_and(self):
        """The word before the last name is form, unless the name is no name on offer without it."""
        offer = ["Rome", "Oslo", "Trinidad", "and co"]
        assert read_list("Oslo, Rome, And Co, and Trinidad", offer).names == (
            "Oslo",
            "Rome",
            "And Co",
            "Trinidad",
        )
        assert read_list("Oslo, and Paris", ["Rome", "Oslo"]).names == ("Oslo", "and Paris")

    def test_a_minus_is_no_dash(self):
        """A list of numbers keeps their signs."""
        assert read_list("-5, 3", ["3", "-5"]).names == ("-5", "3")
        assert read_list("- Rome\n- Oslo", ["Oslo", "Rome"]).names == ("Rome", "Oslo")

    def test_a_right_name_that_was_not_shown(self):
        """Of a couplet with two poets the other one is no stranger."""
        assert read_list("朱斌, 杜甫", ["王之渙", "杜甫"], right=["朱斌"]).names == ("朱斌", "杜甫")
        assert read_list("朱斌, 張佖", ["王之渙", "張泌"], right=["朱斌", "張佖"]).fault is None

    @pytest.mark.parametrize(
        "reply", ["Washington, D.C., St. John's", "Washington, D.C.\nSt. John's", "Washington DC, St John’s"]
    )
    def test_names_with_marks_of_their_own(self, reply):
        """A comma or a stop within a name that is on offer divides nothing."""
        names = read_list(reply, ["St. John's", "Washington, D.C."]).names
        assert len(names) == 2
        assert "Washington" in names[0]

    def test_the_same_name_twice(self):
        """Lists hold repeated names."""
        assert read_list("李白, 杜甫, 李白", ["李白", "李白", "杜甫"]).names == ("李白", "杜甫", "李白")

    @given(st.permutations(POETS), st.sampled_from([", ", ",", "，", "、", "\n", ";"]), st.booleans())
    def test_any_order_any_separator(self, names, separator, numbered):
        """What is written is read."""
        parts = [f"{i}. {name}" for i, name in enumerate(names, 1)] if numbered else names
        assert list(read_list(separator.join(parts), POETS).names) == list(names)

    @given(st.text(max_size=300))
    def test_any_text(self, reply):
        """As many names as were on offer, or a fault."""
        found = read_list(reply, POETS)
        assert (len(found.names) == 3) == (found.fault is None)

    @pytest.mark.parametrize(
        "reply",
        ["," * 200_000, "a," * 100_000, "1." * 100_000, "[" * 100_000, "([<" * 50_000, "<think>" * 50_000],
    )
    def test_hostile_length(self, reply):
        """Long nonsense is malformed, and soon."""
        assert read_list(reply, ["a, b, c", "d"]).fault is not None


class TestReadName:
    @pytest.mark.parametrize(
        "reply",
        [
            "Paris",
            " Paris. ",
            "“Paris”",
            "**Paris**",
            "Answer: Paris",
            "<think>?</think>Paris",
            "Lyon?</think> Paris",
        ],
    )
    def test_a_name(self, reply):
        """And nothing else."""
        assert read_name(reply) == "Paris"

    def test_a_gloss(self):
        """It stays with the name, in whose key it does not count."""
        assert read_name("Paris (France).") == "Paris (France)"
        assert read_name("(Paris)") == "Paris"

    @pytest.mark.parametrize(
        "reply", ["", "。", "It is Paris!", "Paris: of course", "Paris\nor Lyon", "x" * 41]
    )
    def test_more_than_a_name(self, reply):
        """Or less."""
        assert read_name(reply) is None
