"""Replies: lists in the forms that models write, and what is none."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guardrail.memory.internal.chinese import chinese_name_key
from guardrail.memory.internal.replies import read_list

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
        assert read_list(reply, POETS) == RIGHT

    @pytest.mark.parametrize(
        "reply",
        [
            "",
            " \n。",
            "<think>王之涣, 杜甫, 李白",
            "王之涣, 杜甫",
            "王之涣, 杜甫, 李白, 李白",
            "王之涣 杜甫 李白",
            "王之涣, , 李白",
            "以下是答案：\n王之涣, 杜甫, 李白",
            "王之涣, 杜甫, 李白。希望对你有帮助！",
            "The poets are: 王之涣, 杜甫, 李白",
            "白日依山尽 → 王之涣, 杜甫, 李白",
            "The men who wrote the verses that you gave to me are 王之涣, 杜甫, 李白",
            "我不知道, 抱歉, 对不起",
            "陆游, 苏轼, 辛弃疾",
        ],
    )
    def test_no_list(self, reply):
        """Malformed: no text, another number of names, more than names, or no name on offer."""
        assert read_list(reply, POETS) == ()

    def test_a_name_that_was_not_on_offer(self):
        """It is an answer, if a wrong one."""
        assert read_list("陆游, 杜甫, 李白", POETS) == ("陆游", "杜甫", "李白")

    @pytest.mark.parametrize(
        "reply", ["[唐]王之涣，（唐）杜甫，李白（唐）", "王之涣 (688), 杜甫 [712], 李白 (701)"]
    )
    def test_a_gloss(self, reply):
        """Brackets that hold a part of a name stay with it, so that it is known as a gloss."""
        found = read_list(reply, POETS)
        assert [chinese_name_key(name) for name in found] == list(RIGHT)

    def test_and(self):
        """The word before the last name is form, unless the name is no name on offer without it."""
        offer = ["Rome", "Oslo", "Trinidad", "and co"]
        assert read_list("Oslo, Rome, And Co, and Trinidad", offer) == (
            "Oslo",
            "Rome",
            "And Co",
            "Trinidad",
        )
        assert read_list("Oslo, and Paris", ["Rome", "Oslo"]) == ("Oslo", "and Paris")

    def test_a_minus_is_no_dash(self):
        """A list of numbers keeps their signs."""
        assert read_list("-5, 3", ["3", "-5"]) == ("-5", "3")
        assert read_list("- Rome\n- Oslo", ["Oslo", "Rome"]) == ("Rome", "Oslo")

    def test_a_right_name_that_was_not_shown(self):
        """Of a couplet with two poets the other one is no stranger."""
        assert read_list("朱斌, 杜甫", ["王之渙", "杜甫"], right=["朱斌"]) == ("朱斌", "杜甫")
        assert read_list("朱斌, 張佖", ["王之渙", "張泌"], right=["朱斌", "張佖"]) == ("朱斌", "張佖")

    @pytest.mark.parametrize(
        "reply", ["Washington, D.C., St. John's", "Washington, D.C.\nSt. John's", "Washington DC, St John’s"]
    )
    def test_names_with_marks_of_their_own(self, reply):
        """A comma or a stop within a name that is on offer divides nothing."""
        names = read_list(reply, ["St. John's", "Washington, D.C."])
        assert len(names) == 2
        assert "Washington" in names[0]

    def test_the_same_name_twice(self):
        """Lists hold repeated names."""
        assert read_list("李白, 杜甫, 李白", ["李白", "李白", "杜甫"]) == ("李白", "杜甫", "李白")

    @given(st.permutations(POETS), st.sampled_from([", ", ",", "，", "、", "\n", ";"]), st.booleans())
    def test_any_order_any_separator(self, names, separator, numbered):
        """What is written is read."""
        parts = [f"{i}. {name}" for i, name in enumerate(names, 1)] if numbered else names
        assert list(read_list(separator.join(parts), POETS)) == list(names)

    @given(st.text(max_size=300))
    def test_any_text(self, reply):
        """As many names as were on offer, or none."""
        assert len(read_list(reply, POETS)) in {0, 3}

    @pytest.mark.parametrize(
        "reply",
        ["," * 200_000, "a," * 100_000, "1." * 100_000, "[" * 100_000, "([<" * 50_000, "<think>" * 50_000],
    )
    def test_hostile_length(self, reply):
        """Long nonsense is malformed, and soon."""
        assert read_list(reply, ["a, b, c", "d"]) == ()
