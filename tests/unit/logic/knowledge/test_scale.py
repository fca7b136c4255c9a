from benchmarks.logic import scale


class TestRows:
    def test_all_are_there_and_right(self, prolog, monkeypatch):
        """A small run: every row has a figure, and no answer is wrong."""
        monkeypatch.setattr(scale, "FAST_FACTS", 3000)
        monkeypatch.setattr(scale, "EDGES", 1500)
        monkeypatch.setattr(scale, "NODES", 300)
        rows = scale.knowledge_rows(fast=True)
        assert all(any(row.quantity.startswith(part) for row in rows) for part in scale.PARTS)
        assert [row.quantity for row in rows if row.ok is not True] == []
        assert len({row.quantity for row in rows}) == len(rows)

    def test_without_the_engine_each_says_what_it_needs(self, monkeypatch):
        """No figure is made up."""
        monkeypatch.setattr(scale, "available", lambda: "nothing here")
        rows = scale.knowledge_rows()
        assert [row.quantity for row in rows] == [*scale.PARTS]
        assert all(row.ok is None and "swi-prolog-nox" in row.reason for row in rows)
