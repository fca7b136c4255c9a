"""The front door: which names there are, and what it costs to open it."""

import ast
import importlib
import json
import pkgutil
import re
import subprocess
import sys

from tests.house.source import ROOT, SRC, guardrail_modules

import guardrail

# structlog imports rich by itself wherever that is installed, so rich is not among them.
HEAVY = [
    "py3langid",
    "torch",
    "transformers",
    "sentence_transformers",
    "langchain",
    "langchain_core",
    "langgraph",
    "openai",
    "scipy",
    "sklearn",
    "matplotlib",
    "tokenizers",
    "typer",
    "jinja2",
    "starlette",
    "prometheus_client",
]


def type_checking_names():
    tree = ast.parse((SRC / "guardrail" / "__init__.py").read_text(encoding="utf-8"))
    block = next(node for node in tree.body if isinstance(node, ast.If))
    return {alias.asname: node.module for node in block.body for alias in node.names}


class TestNames:
    def test_all_import(self):
        """Every name in `__all__` is there, and is what its module holds."""
        for name in guardrail.__all__:
            assert getattr(guardrail, name) is not None
        for name, home in guardrail._HOMES.items():
            assert getattr(guardrail, name) is getattr(importlib.import_module(home), name)

    def test_agree(self):
        """`__all__`, the table of homes and the block for type checkers say the same."""
        assert type_checking_names() == guardrail._HOMES
        assert sorted({*guardrail._HOMES, "__version__"}) == sorted(guardrail.__all__)

    def test_few(self):
        """About twenty: what is rarer has a module of its own."""
        assert len(guardrail.__all__) <= 25

    def test_unknown(self):
        """A name that does not exist is an AttributeError, so `hasattr` works."""
        assert not hasattr(guardrail, "no_such_name")

    def test_modules_say_what_is_public(self):
        """Every name in a module's `__all__` exists; an extra that is missing says so, and is no failure."""
        modules = [name for name in guardrail_modules() if "._" not in name and not name.endswith("__main__")]
        wrong = [f"{module}.__all__: {fault}" for module in modules for fault in self.faults(module)]
        assert modules
        assert not wrong, "\n".join(wrong)

    @staticmethod
    def faults(module):
        """Names that a module promises and lacks, or why it cannot be imported."""
        try:
            found = importlib.import_module(module)
        except Exception as error:  # named with the others
            return [repr(error)]
        return [name for name in getattr(found, "__all__", ()) if not hasattr(found, name)]


class TestImport:
    def test_light(self):
        """Importing guardrail, and using its core, loads no framework and no model library."""
        code = (
            "import sys, json, guardrail\n"
            "first = sorted(sys.modules)\n"
            "from guardrail import Guard, Case, annotate, regenerate, Budget\n"
            "print(json.dumps([first, sorted(sys.modules)]))"
        )
        output = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        ).stdout
        first, core = json.loads(output)
        assert [name for name in HEAVY if name in core] == []
        assert [name for name in ("pydantic", "numpy", "httpx", "tenacity") if name in first] == []


class TestPage:
    """docs/public.md says what semantic versioning covers."""

    def test_is_what_the_code_exports(self):
        """Its tables are those of the public modules' `__all__`."""
        script = pkgutil.resolve_name("scripts.public")
        text = script.PAGE.read_text(encoding="utf-8")
        assert text.count("<!-- public: ") == 2
        assert text == script.filled(text), "run python scripts/public.py --write"

    def test_has_what_pages_and_examples_import(self):
        """A reader who copies an import can rely on it."""
        script = pkgutil.resolve_name("scripts.public")
        modules = {**script.STABLE, **script.PROVISIONAL}
        public = {(module, name) for module in modules for name in script.names(module)}
        public |= {tuple(module.rpartition(".")[::2]) for module in modules}
        shown = {
            (path, node.module, alias.name)
            for path, tree in self.sources()
            for node in ast.walk(tree)
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("guardrail")
            for alias in node.names
        }
        assert len(shown) > 100
        assert sorted(one for one in shown if one[1:] not in public) == []

    @staticmethod
    def sources():
        """Python of the pages and the examples."""
        for pattern in (
            "README.md",
            "docs/*.md",
            "docs/methods/*.md",
            "integrations/*/README.md",
            "examples/*.py",
        ):
            for path in ROOT.glob(pattern):
                text = path.read_text(encoding="utf-8")
                blocks = re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
                for block in [text] if path.suffix == ".py" else blocks:
                    yield str(path.relative_to(ROOT)), ast.parse(block)
