"""Messages that are kept between two calls of LiteLLM."""

from guardrail.server.litellm import Remembered


class TestRemembered:
    def test_it_forgets_after_a_while(self):
        """Fifteen minutes, by the clock given."""
        now = [0.0]
        kept = Remembered(clock=lambda: now[0])
        kept.put(("k", "u", "1"), "asked", 5)
        now[0] = 899.0
        assert kept.get(("k", "u", "1")) == "asked"
        now[0] = 900.0
        assert kept.get(("k", "u", "1")) is None
        assert len(kept) == 0

    def test_the_oldest_make_room(self):
        """By number and by size."""
        kept = Remembered(entries=2, size=10)
        for number in range(3):
            kept.put(("k", "u", str(number)), number, 1)
        assert [kept.get(("k", "u", str(number))) for number in range(3)] == [None, 1, 2]
        kept.put(("k", "u", "big"), "big", 9)
        assert kept.get(("k", "u", "1")) is None
        assert kept.get(("k", "u", "2")) == 2

    def test_what_is_too_long_is_not_kept(self):
        """And the rest stays."""
        kept = Remembered(size=10)
        kept.put(("k", "u", "1"), 1, 1)
        kept.put(("k", "u", "2"), 2, 11)
        assert (kept.get(("k", "u", "1")), kept.get(("k", "u", "2"))) == (1, None)
