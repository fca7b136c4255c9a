"""Messages that are kept between two calls of LiteLLM."""

from guardrail.server.litellm import Remembered


def size(messages, key=("k", "u", "1")):
    """Bytes that they take."""
    kept = Remembered()
    kept.put(key, messages)
    return kept.size


class TestRemembered:
    def test_it_forgets_after_a_while(self):
        """Fifteen minutes, by the clock given."""
        now = [0.0]
        kept = Remembered(clock=lambda: now[0])
        kept.put(("k", "u", "1"), "asked")
        now[0] = 899.0
        assert kept.get(("k", "u", "1")) == "asked"
        now[0] = 900.0
        assert kept.get(("k", "u", "1")) is None
        assert (len(kept), kept.size) == (0, 0)

    def test_the_oldest_make_room_by_number(self):
        """Whoever's they are."""
        kept = Remembered(entries=2)
        for number in range(3):
            kept.put(("k", "u", str(number)), number)
        assert [kept.get(("k", "u", str(number))) for number in range(3)] == [None, 1, 2]

    def test_the_oldest_make_room_by_bytes(self):
        """All clients together."""
        one = size("a" * 100, ("k1", "u", "1"))
        kept = Remembered(size=3 * one, share=one)
        for number in range(4):
            kept.put((f"k{number}", "u", "1"), "a" * 100)
        assert [kept.get((f"k{number}", "u", "1")) is None for number in range(4)] == [
            True,
            False,
            False,
            False,
        ]
        assert kept.size == 3 * one

    def test_one_client_drives_out_only_its_own(self):
        """It has a share of the room."""
        kept = Remembered(size=4_000)
        kept.put(("quiet", "u", "1"), "mine")
        for number in range(100):
            kept.put(("loud", "u", str(number)), "a" * 400)
        assert kept.get(("quiet", "u", "1")) == "mine"
        assert kept.get(("loud", "u", "99")) == "a" * 400
        assert kept.size <= 4_000

    def test_what_is_too_long_is_not_kept(self):
        """And the rest stays; a long id counts too."""
        kept = Remembered(size=1_000)
        kept.put(("k", "u", "1"), 1)
        kept.put(("k", "u", "2"), "a" * 1_000)
        kept.put(("k", "u", "3" * 1_000), 3)
        assert kept.get(("k", "u", "1")) == 1
        assert len(kept) == 1

    def test_bytes_are_counted_and_not_characters(self):
        """Of a text in another script, three for each."""
        assert size("\u4e2d" * 100) - size("a" * 100) == 200

    def test_messages_come_back_as_they_were(self):
        """Half an emoji too."""
        kept = Remembered()
        kept.put(("k", "u", "1"), [{"role": "user", "content": "why \ud83d?"}])
        assert kept.get(("k", "u", "1")) == [{"role": "user", "content": "why \ud83d?"}]
