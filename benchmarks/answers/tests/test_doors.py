"""The table of documents: every place at every door."""

from benchmarks.answers import doors

from guardrail import Guard


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
