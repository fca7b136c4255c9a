"""Thoughts that a model writes into the text of its answer."""

from tests.effort import ends
from tests.looping import each

from guardrail.text.thoughts import thought_spans


def found(text: str) -> list[str]:
    return [span.of(text) for span in thought_spans(text)]


class TestThoughts:
    def test_a_pair_of_tags_is_a_thought(self) -> None:
        """Whatever the tags are called, in any case, on one line or several."""
        pairs = [
            *((f"<{name}>", f"</{name}>") for name in ("think", "thinking", "Thought", "REASONING")),
            *((f"<{name}>", f"</{name}>") for name in ("reflection", "scratchpad", "antThinking")),
            ('<think budget="low">', "</think>"),
            ("[THINK]", "[/THINK]"),
            ("◁think▷", "◁/think▷"),
            ("<|begin_of_thought|>", "<|end_of_thought|>"),
        ]

        def check(opening: str, closing: str) -> None:
            for inner in ("Hm.", "\nWas it Rom?\n\n- vielleicht\n", "罗马吗？", ""):
                thought = opening + inner + closing
                assert [thought] == found(f"{thought}\n\nParis.")
                assert [thought] == found(f"Paris. {thought} Ja.")
                assert [thought] == found(f'{thought}{{"city": "Paris"}}')

        each(pairs, check)

    def test_a_pair_within_a_line_is_a_thought_if_its_end_is_one(self) -> None:
        """Prose that mentions both tags goes on behind them."""
        assert found("- Paris <think>Rome?</think>\n- Oslo") == ["<think>Rome?</think>"]
        assert found("The tag <think> opens and </think> closes it.") == []

    def test_several_thoughts_are_found_in_order(self) -> None:
        """Also directly one after another, and of several names."""
        text = "<think>a</think><think>b</think>\nParis.\n<reflection>c</reflection>"
        assert found(text) == ["<think>a</think>", "<think>b</think>", "<reflection>c</reflection>"]

    def test_a_thought_within_a_thought_is_part_of_it(self) -> None:
        """The outer name closes."""
        text = "<thinking>a <reflection>b</reflection> c</thinking>Paris."
        assert found(text) == ["<thinking>a <reflection>b</reflection> c</thinking>"]

    def test_what_is_never_closed_reaches_to_the_end(self) -> None:
        """The model was cut off while it thought."""
        assert found("<think>Was it\n\nRome?") == ["<think>Was it\n\nRome?"]
        assert found("Gut.\n[THINK]Vielleicht") == ["[THINK]Vielleicht"]

    def test_a_tag_of_another_name_closes_where_none_of_its_own_does(self) -> None:
        """Models mix them up."""
        assert found("<think>Rome?</thinking>Paris.") == ["<think>Rome?</thinking>"]

    def test_a_lone_closing_tag_ends_what_began_with_the_text(self) -> None:
        """Its opening was in the prompt."""
        for thought in ("Rome?\n</think>", "罗马？</think>", "- Hm.\n- `a`\n[/THINK]"):
            assert [thought] == found(f"{thought}\n\nParis.")

    def test_a_closing_tag_too_many_hides_nothing(self) -> None:
        """After a thought, and at the end of the text, it is only a tag."""
        assert found("<think>a</think>Paris.\n</think>\nRome.") == ["<think>a</think>", "</think>"]
        assert found("Paris is in Italy.\n</think>") == ["</think>"]

    def test_a_tag_that_is_mentioned_is_no_thought(self) -> None:
        """In code, in quotation marks, in a sentence."""
        texts = (
            "Use `<think>` and `</think>`.",
            "Write\n```xml\n<think>…</think>\n```\nand go on.",
            'The tag "<think>" opens it.',
            "Close it with </think>, as in HTML.",
            "I think [THINK] is a tag.",
            "a < think > b",
        )
        assert not any(map(found, texts))

    def test_code_in_a_thought_does_not_hide_its_end(self) -> None:
        """Not even a fence that is left open."""
        text = "<think>\n```python\nx = 1\n</think>\nParis.\n`<think>`"
        assert found(text) == ["<think>\n```python\nx = 1\n</think>"]

    def test_hostile_texts_take_linear_time(self) -> None:
        """Tags, ticks and fences, many times."""
        for piece in (
            "<think>",
            "</think>",
            "\n<think>a</think>",
            "`<think> ",
            "\n~~~\n```\n",
            "<think ",
            "``a`",
        ):
            text = piece * (400_000 // len(piece))
            with ends(30):
                thought_spans(text)
