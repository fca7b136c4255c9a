"""The benchmark of live sources, with few answers."""

import pytest
from benchmarks.references.sources import run as sources


@pytest.mark.data
class TestSources:
    def test_a_missed_bar(self, monkeypatch):
        """Exit code 1: here every faulty lookup is told as "nothing there"."""
        monkeypatch.setattr(sources, "FAST", 10)
        monkeypatch.setattr(sources, "LASTING", 1.0)
        from guardrail.references.sources import SourceFault
        from guardrail.references.sources.resolver import Resolver

        lookup = Resolver.lookup

        def swallowing(self, reference):
            try:
                return lookup(self, reference)
            except SourceFault:
                return []

        monkeypatch.setattr(Resolver, "lookup", swallowing)
        assert sources.main(["--fast"]) == 1
