"""A forgotten `yield from` asks nothing and says nothing, so this looks for it in every detector."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DETECTORS = sorted((ROOT / "src").rglob("*.py"))  # and whatever else asks: flows are run in all of them
MODULES = {"guardrail.engine.flow", "guardrail.detector"}
HELPERS = {"each", "one", "gather", "compute"}
TAKE_FLOWS = {"gather", "Branch"}
CONTAINERS = (ast.List, ast.Tuple, ast.Starred, ast.ListComp, ast.GeneratorExp, ast.IfExp, ast.keyword)
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


def forgotten(source):
    """Line and name of each call of a helper whose flow nobody runs.

    A flow is run by `yield from`; it may be handed to `gather` or `Branch`, and be returned by a function that
    is no generator itself.
    """
    tree = ast.parse(source)
    parents = {child: parent for parent in ast.walk(tree) for child in ast.iter_child_nodes(parent)}
    known = _imported(tree)
    return [
        (node.lineno, known[ast.unparse(node.func)])
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and known.get(ast.unparse(node.func)) in HELPERS
        and not _is_run(node, parents, known)
    ]


def _imported(tree):
    """How the module writes the names of `guardrail.engine.flow`."""
    known = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module in MODULES:
            known |= {alias.asname or alias.name: alias.name for alias in node.names}
        modules = []
        if isinstance(node, ast.Import):
            modules = [
                alias.asname or alias.name for alias in node.names if alias.name == "guardrail.engine.flow"
            ]
        elif isinstance(node, ast.ImportFrom) and node.module == "guardrail.engine":
            modules = [alias.asname or alias.name for alias in node.names if alias.name == "flow"]
        known |= {f"{module}.{name}": name for module in modules for name in HELPERS | TAKE_FLOWS}
    return known


def _is_run(node, parents, known):
    parent = parents[node]
    if isinstance(parent, ast.YieldFrom):
        return True
    while isinstance(parent, CONTAINERS):
        parent = parents[parent]
    if isinstance(parent, ast.Call):
        return known.get(ast.unparse(parent.func)) in TAKE_FLOWS
    if isinstance(parent, ast.Return):
        function = parent
        while not isinstance(function, FUNCTIONS):
            function = parents[function]
        return not _is_generator(function)
    return isinstance(parent, ast.Lambda)


def _is_generator(function):
    """Whether it yields itself; what inner functions do is their business."""
    inner = list(ast.iter_child_nodes(function))
    while inner:
        node = inner.pop()
        if isinstance(node, ast.Yield | ast.YieldFrom):
            return True
        if not isinstance(node, FUNCTIONS):
            inner += ast.iter_child_nodes(node)
    return False


def lines(body, imports="from guardrail.engine.flow import Branch, compute, each, gather, one"):
    """A module with one function of that body."""
    return f"{imports}\ndef examine(self, case):\n    " + "\n    ".join(body.splitlines())


@pytest.mark.parametrize("path", DETECTORS, ids=lambda path: str(path.relative_to(ROOT / "src")))
def test_every_detector_runs_its_flows(path):
    """With `yield from`, or by handing them to `gather`."""
    assert forgotten(path.read_text(encoding="utf-8")) == []


def test_detectors_are_looked_at_at_all():
    """The pattern above matches something that asks."""
    assert any("yield from each" in path.read_text(encoding="utf-8") for path in DETECTORS)


class TestTheSearch:
    @pytest.mark.parametrize(
        "body",
        [
            "each(asks)\nyield from ()",
            "replies = each(asks)\nyield from ()",
            "for reply in one(ask): pass",
            "return values(each(asks))",
            "yield from ()\nreturn each(asks)",
            "yield each(asks)",
            "x = [one(ask) for ask in asks]\nyield from ()",
            "found = gather(self._check(r) for r in references)\nyield from ()",
            "if compute(slow, case): pass",
            "yield from gather([values(one(ask))])",
            "yield from (each(asks),)",
        ],
    )
    def test_finds_what_nobody_runs(self, body):
        """Alone, assigned, looped over, returned by a generator, inside another call."""
        assert len(forgotten(lines(body))) == 1

    @pytest.mark.parametrize(
        "body",
        [
            "yield from each(asks)",
            "replies = yield from each(asks)",
            "return (yield from one(ask))",
            "first, second = yield from gather([one(a), each(b)])",
            "yield from gather(one(ask) for ask in asks)",
            "yield from gather(Branch(one(ask), calls=1) for ask in asks)",
            "yield from gather([Branch(flow=one(ask)), *[one(a) for a in asks]])",
            "return each(asks)",
            "make = lambda ask: one(ask)\nyield from gather([make(ask)])",
            "values(each_reply(replies))",
        ],
    )
    def test_passes_what_somebody_runs(self, body):
        """Directly, through gather, or by whoever called."""
        assert forgotten(lines(body)) == []

    @pytest.mark.parametrize(
        ("imports", "call"),
        [
            ("from guardrail.engine.flow import each as ask_all", "ask_all(asks)"),
            ("from guardrail.engine import flow", "flow.each(asks)"),
            ("import guardrail.engine.flow", "guardrail.engine.flow.each(asks)"),
            ("import guardrail.engine.flow as f", "f.each(asks)"),
        ],
    )
    def test_knows_the_helpers_by_other_names(self, imports, call):
        """And tells the line."""
        assert forgotten(lines(call, imports)) == [(3, "each")]

    def test_leaves_other_functions_of_these_names_alone(self):
        """`one` of another module, a method `compute`."""
        assert forgotten(lines("one(ask)\nself.compute(x)", "from elsewhere import one")) == []
