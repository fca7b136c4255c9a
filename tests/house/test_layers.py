"""Imports point one way. The table below is the order; a module sees its own layer and those above it."""

import ast
import graphlib

import pytest
from tests.house.source import ADAPTERS, ROOT, SRC, guardrail_modules, imports, loaded, modules

# Longest name wins: `bibliography.records` are plain data that `text.citations` reads out of answers, so
# they stand below the bibliographies that look them up; `detectors.selfcheck.questions` are requests, which
# the backends that answer them must know; so are the pairs that `detectors.phr.pairs` writes and reads.
LAYERS = [
    {"_version", "_log", "_options", "_watchdog", "flow", "requests", "errors", "report"},
    {
        "backends",
        "codec",
        "bibliography.records",
        "detectors.phr.pairs",
        "detectors.selfcheck.questions",
        "text",
        "calibration",
        "estimation",
    },
    {"detector", "registry", "chat", "bibliography", "logic", "logic.temporal", "cache"},
    {"detectors"},
    {"budget", "run", "jobs", "lanes", "hub", "drivers", "policies", "examination", "guard", "config"},
    {"html", "server", "testing"},
    {"demo"},
    {"cli"},
]
# Tighter than the layers: these few know nothing else.
ONLY = {
    "flow": set(),
    "requests": {"flow"},
    "budget": {"flow", "_options"},
    "run": {"flow", "budget"},
    "jobs": {"flow", "errors", "_options"},
    "lanes": {"flow", "backends", "errors", "jobs", "_log", "_watchdog"},
    "hub": {"flow", "backends", "errors", "jobs", "lanes", "_log", "_options", "_watchdog"},
    "drivers": {"flow", "backends", "jobs", "lanes", "hub", "run", "errors", "_log"},
    "policies": {"errors", "report", "text"},
    "logic.temporal": {"errors"},
    "html": {"_version", "flow", "requests", "errors", "report", "detector", "registry", "text"},
}
# The whole package's own front door, and commands that run what is only there in a checkout or an extra.
FRONT = "guardrail"
BY_NAME = {"benchmarks": {"guardrail.cli"}}

KNOWN = guardrail_modules()
BENCHMARKS = modules(ROOT / "benchmarks", ROOT)
INTEGRATIONS = {
    name: path for folder in ADAPTERS.values() for name, path in modules(folder, folder.parent).items()
}


def layer(module):
    """The number of a module's layer and its name in the table."""
    parts = module.removeprefix("guardrail.").split(".")
    for length in range(len(parts), 0, -1):
        name = ".".join(parts[:length])
        for number, names in enumerate(LAYERS):
            if name in names:
                return number, name
    pytest.fail(f"{module} has no layer yet: enter it in LAYERS of this test")


def inside(name):
    return name == "guardrail" or name.startswith("guardrail.")


@pytest.mark.parametrize("module", [name for name in KNOWN if name != FRONT])
class TestPackage:
    def test_looks_up_only(self, module):
        """A module imports its own layer and those before it; imports for type checkers alone are free."""
        number, name = layer(module)
        for found in imports(KNOWN[module]):
            if found.typing or not inside(found.module):
                continue
            target = loaded(found, KNOWN)
            if target == FRONT:
                assert found.name == "__version__", f"{module}:{found.line} imports from the front door"
                continue
            other, other_name = layer(target)
            assert other <= number, f"{module}:{found.line} imports {target}, which is of a later layer"
            if name in ONLY and other_name != name:
                assert other_name in ONLY[name], f"{module}:{found.line}: {name} may not know {target}"

    def test_one_detector_knows_no_other(self, module):
        """Each detector's folder stands alone."""
        if not module.startswith("guardrail.detectors."):
            return
        own = module.split(".")[2]
        for found in imports(KNOWN[module]):
            parts = loaded(found, KNOWN).split(".")
            if parts[:2] == ["guardrail", "detectors"] and len(parts) > 2 and not parts[2].startswith("_"):
                assert parts[2] == own, f"{module}:{found.line} imports the detector {parts[2]}"

    def test_no_integration(self, module):
        """Nothing in src imports an adapter, nor the benchmarks, nor a test."""
        for found in imports(KNOWN[module]):
            top = found.module.partition(".")[0]
            assert top not in {*ADAPTERS, "tests", "conftest"}, f"{module}:{found.line} imports {top}"
            if top in BY_NAME:
                assert found.lazy, f"{module}:{found.line} imports {top}, which may be absent"
                assert any(module.startswith(name) for name in BY_NAME[top])


class TestOrder:
    def test_no_circle(self):
        """Modules can be loaded one after another (imports inside functions aside)."""
        graph = {
            module: {
                target
                for found in imports(path)
                if not (found.lazy or found.typing) and inside(found.module)
                for target in [loaded(found, KNOWN)]
                if target not in {module, FRONT}
            }
            for module, path in KNOWN.items()
            if module != FRONT
        }
        assert len(list(graphlib.TopologicalSorter(graph).static_order())) >= len(graph)

    def test_every_layer_is_used(self):
        """The table names no module that does not exist (those of later stages aside)."""
        later = {"html", "server", "demo", "cli"}
        names = {name for names in LAYERS for name in names} - later
        assert {name for name in names if f"guardrail.{name}" not in KNOWN} == set()


def private(name):
    return any(part.startswith("_") and not part.startswith("__") for part in name.split("."))


def exported(module):
    """`__all__` of a module, read and not run."""
    for node in ast.parse(KNOWN[module].read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "__all__":
            return set(ast.literal_eval(node.value))
    return None


@pytest.mark.parametrize("module", [*BENCHMARKS, *INTEGRATIONS])
class TestUsers:
    def test_public_names_only(self, module):
        """Benchmarks and adapters take from guardrail what a user may take.

        That is: modules without an underscore, and of them the names in `__all__`.
        """
        for found in imports({**BENCHMARKS, **INTEGRATIONS}[module]):
            if not inside(found.module):
                continue
            target = loaded(found, KNOWN)
            place = f"{module}:{found.line}"
            assert not private(target), f"{place} imports {target}, which is private"
            if found.name and target == found.module:
                assert target in KNOWN, f"{place} imports {target}, which does not exist"
                names = exported(target)
                assert names is None or found.name in names, (
                    f"{place}: {found.name} is not in __all__ of {target}"
                )

    def test_no_sideways(self, module):
        """An adapter imports neither another adapter nor the benchmarks; nobody imports tests."""
        top = module.partition(".")[0]
        others = {*ADAPTERS, "benchmarks"} - {top} if top in ADAPTERS else set()
        for found in imports({**BENCHMARKS, **INTEGRATIONS}[module]):
            assert found.module.partition(".")[0] not in {*others, "tests"}


HELPERS = {"each", "one", "gather", "compute"}


@pytest.mark.parametrize("path", sorted(SRC.rglob("*.py")), ids=lambda path: str(path.relative_to(SRC)))
def test_no_forgotten_yield_from(path):
    """`each(...)` as a statement, or its result kept, asks nobody anything and says so nowhere."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    flows = {
        alias.asname or alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module == "guardrail.engine.flow"
        for alias in node.names
        if alias.name in HELPERS
    }
    for node in ast.walk(tree):
        value = node.value if isinstance(node, ast.Expr | ast.Assign | ast.AnnAssign) else None
        if isinstance(value, ast.Call) and isinstance(value.func, ast.Name):
            assert value.func.id not in flows, (
                f"{path}:{node.lineno}: {value.func.id}(…) without `yield from`"
            )
