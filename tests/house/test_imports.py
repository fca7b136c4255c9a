"""Who may import whom, on the real sources; and each rule on a planted violation, for a rule that finds nothing is none."""

import pytest
from tests.house import rules
from tests.house.source import ADAPTERS, ROOT, guardrail_modules, modules

from guardrail.registry import DETECTORS

KNOWN = guardrail_modules()
BENCHMARKS = {
    name: source
    for name, source in modules(ROOT / "benchmarks", ROOT).items()
    if "tests" not in name.split(".")
}
INTEGRATIONS = {
    name: source for folder in ADAPTERS.values() for name, source in modules(folder, folder.parent).items()
}
NAMES = set(DETECTORS._targets)


def planted(module, source):
    """A module of ours, as it is or new, with something added, and none of its neighbours' faults."""
    return {**KNOWN, module: f"{KNOWN.get(module, '')}\n{source}\n"}


class TestPackage:
    def test_table(self):
        """Every import is one that the table allows."""
        assert rules.table(KNOWN) == []

    def test_doors(self):
        """Models are taken from the front doors of `backends` and `chat`."""
        assert rules.doors(KNOWN) == []

    def test_exports(self):
        """What is private by its place lists no public names."""
        assert rules.exports(KNOWN) == []

    def test_circles(self):
        """No two modules import each other, not even lazily or for type checkers."""
        assert rules.circles(KNOWN) == []

    def test_names_of_detectors(self):
        """What serves all methods knows none by name."""
        assert rules.names_of_detectors(KNOWN, NAMES) == []

    def test_adapters(self):
        """The package imports no adapter and no test."""
        assert rules.adapters(KNOWN, set(ADAPTERS)) == []

    def test_table_is_of_what_there_is(self):
        """Each entry has a module, and each may import only what has an entry."""
        there = {rules.place(module) for module in KNOWN if module != rules.FRONT}
        assert there == set(rules.TABLE)
        assert {name for names in rules.TABLE.values() for name in names} <= there


class TestUsers:
    def test_benchmarks(self):
        """Benchmarks take from guardrail what a user may take."""
        assert rules.users(BENCHMARKS, KNOWN, set(ADAPTERS)) == []

    def test_benchmarks_have_no_circles(self):
        """Nor do they import each other in circles."""
        assert rules.circles(BENCHMARKS) == []

    def test_integrations(self):
        """So do adapters, which know neither benchmarks nor each other."""
        for adapter in ADAPTERS:
            own = {name: source for name, source in INTEGRATIONS.items() if name.partition(".")[0] == adapter}
            assert own
            assert rules.users(own, KNOWN, {*ADAPTERS, "benchmarks"}) == []


class TestPlanted:
    """Every rule finds what breaks it."""

    @pytest.mark.parametrize(
        "module",
        ["guardrail.engine.run", "guardrail.chat.openai", "guardrail.logic.judging", "guardrail._log"],
    )
    def test_exports(self, module):
        """In the engine, behind a front door, in a command, in a module that is private by name."""
        assert len(rules.exports(planted(module, '__all__ = ["x"]'))) == 1

    @pytest.mark.parametrize(
        ("module", "source"),
        [
            ("guardrail.engine.run", "import guardrail.report"),
            ("guardrail.engine.run", "def late():\n    from guardrail.guard import Guard"),
            ("guardrail.errors", "if TYPE_CHECKING:\n    from guardrail.report import Report"),
            ("guardrail.phr.check", "from guardrail.memory import PairConsistency"),
            ("guardrail.selfcheck.base", "def late():\n    import guardrail.references"),
            ("guardrail.phr.check", "from guardrail.logic.commands import METHOD"),
            ("guardrail.logic.judging", "from guardrail.logic.paper.oracles import judge"),
            ("guardrail.cli.check", "from guardrail.logic.check import FactCheck"),
            ("guardrail.html.page", "from guardrail.selfcheck import SelfCheck"),
            ("guardrail.text.sentences", "from guardrail.engine import flow"),
            ("guardrail.report", "from guardrail import Guard"),
            ("guardrail.novel", "from guardrail.report import Report"),
            ("guardrail.phr.check", 'importlib.import_module("guardrail.memory")'),
            ("guardrail.html.page", 'X = "guardrail.memory:PairConsistency"'),
        ],
    )
    def test_table(self, module, source):
        """At the top, in a function, for types, by a string; from one method to another; a folder that nobody entered."""
        assert len(rules.table(planted(module, source))) == 1

    @pytest.mark.parametrize(
        ("module", "source"),
        [
            ("guardrail.selfcheck.base", "from guardrail.backends.weights import find"),
            ("guardrail.testing", "from guardrail.chat import openai"),
            ("guardrail.registry", 'X = "guardrail.backends.similarity:BertScore"'),
            ("guardrail.phr.check", "def late():\n    guardrail.backends.weights.find()"),
        ],
    )
    def test_doors(self, module, source):
        """By import, and by name."""
        assert len(rules.doors(planted(module, source))) == 1

    def test_stars(self):
        """Nobody imports everything of a module."""
        with pytest.raises(AssertionError, match="imports everything"):
            rules.table(planted("guardrail.phr.check", "from guardrail.backends import *"))

    @pytest.mark.parametrize("how", ["{}", "def late():\n    {}", "if TYPE_CHECKING:\n    {}"])
    def test_circles(self, how):
        """Of whatever kind of import."""
        (found,) = rules.circles(planted("guardrail.engine.jobs", how.format("import guardrail.engine.hub")))
        assert "guardrail.engine.hub" in found

    @pytest.mark.parametrize("name", ["references", "selfcheck-nli"])
    def test_names_of_detectors(self, name):
        """Of a detector, and of a variant."""
        found = rules.names_of_detectors(planted("guardrail.html.page", f"X = {name!r}"), NAMES)
        assert len(found) == 1

    @pytest.mark.parametrize(
        "source",
        [
            "import guardrail_langchain",
            "def late():\n    import tests",
            "import benchmarks",
            "def late():\n    from benchmarks import names",
        ],
    )
    def test_adapters(self, source):
        """An adapter, a test; the benchmarks."""
        assert len(rules.adapters(planted("guardrail.cli.check", source), set(ADAPTERS))) == 1

    @pytest.mark.parametrize(
        "source",
        [
            "from guardrail._log import log",
            "from guardrail.report import _half",
            "from guardrail.gone import x",
            "import tests.house",
            "import guardrail_langchain",
        ],
    )
    def test_users(self, source):
        """A private module or name, a module that is not there, a test, an adapter."""
        assert len(rules.users({"benchmarks.planted": source}, KNOWN, set(ADAPTERS))) == 1
