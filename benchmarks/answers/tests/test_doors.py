"""The table of documents: every place at every door."""

import pytest
from benchmarks.answers import doors

from guardrail import Guard


@pytest.fixture(scope="module")
def rows():
    return doors.rows()


class TestRows:
    def test_every_place_is_read_once_at_every_door(self, rows):
        """With its name, and without a word of the user's or the assistant's; what is for the guard is not sent on."""
        assert [row for row in rows if not row.right] == []

    def test_hardly_a_cell_is_empty(self, rows):
        """A door has all places but fields of a body that it never sees, and what only a service can find."""
        empty = {(row.place, row.door) for row in rows if row.times is None}
        assert {place for place, _ in empty} == {"context field", "documents field", "found by the service"}
        assert len(rows) - len(empty) > 150


class TestRow:
    def test_what_is_wrong(self):
        """Not read, read twice, without its name, with somebody's words, or sent on."""
        assert doors.Row("tool result", "a door", times=1).right
        assert not doors.Row("tool result", "a door", times=0).right
        assert not doors.Row("tool result", "a door", times=2).right
        assert not doors.Row("tool result", "a door", times=1, named=False).right
        assert not doors.Row("tool result", "a door", times=1, others=1).right
        assert not doors.Row("tool result", "a door", times=1, sent_on=True).right
        assert str(doors.Row("tool result", "a door")) == "–"

    def test_a_planted_claim_is_noticed(self, monkeypatch):
        """The users' words count where somebody reads them."""
        told = {"title": doors.NAME, "text": f"{doors.DOCUMENT} founded in 1850"}
        real = doors.asked
        monkeypatch.setattr(
            doors,
            "asked",
            lambda *given, **more: doors.Asked(**{**vars(real(*given, **more)), "context": [told]}),
        )
        with Guard([doors.Recorder()]) as guard, doors.Upstream() as upstream:
            row = doors.row("given for the guard", "check, chat", guard, upstream)
        assert (row.others, row.right) == (1, False)
