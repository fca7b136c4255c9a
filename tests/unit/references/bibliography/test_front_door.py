"""`guardrail.references.bibliography` has what users need, and opening it costs little."""

import importlib
import json
import subprocess
import sys

import guardrail.references.bibliography


class TestNames:
    def test_are_those_of_their_modules(self):
        """Every name in `__all__` has a home, and is what is there."""
        homes = guardrail.references.bibliography._HOMES
        assert sorted(homes) == sorted(guardrail.references.bibliography.__all__)
        for name, home in homes.items():
            module = importlib.import_module(home)
            assert getattr(guardrail.references.bibliography, name) is getattr(module, name)

    def test_an_unknown_one_is_an_attribute_error(self):
        """So that `hasattr` works."""
        assert not hasattr(guardrail.references.bibliography, "no_such_name")


class TestImport:
    def test_loads_records_only(self):
        """Whoever reads citations out of an answer needs records, and no index."""
        code = "import sys, json, guardrail.references.bibliography.records\nprint(json.dumps(sorted(sys.modules)))"
        output = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        loaded = {
            name
            for name in json.loads(output.stdout)
            if name.startswith("guardrail.references.bibliography.")
        }
        assert loaded == {"guardrail.references.bibliography.records"}
