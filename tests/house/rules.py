"""The rules of the house, each a function from sources to what breaks it; the tests run them on the real sources.

`TABLE` says what each folder of `guardrail` may import. It counts every import: at the top, inside functions, and for type
checkers alone. There are no exceptions by file.
"""

from __future__ import annotations

import ast
import graphlib
from collections.abc import Iterator, Mapping
from functools import cache

from tests.house.source import attributes, imports, loaded, strings

Sources = Mapping[str, str]  # the source of each module, by name

METHODS = ("references", "selfcheck", "memory", "phr", "logic")
WITH_COMMANDS = ("references", "selfcheck", "memory", "logic")
BASE = {"_lazy", "_version", "_log", "_sqlite", "_toml", "_visible", "errors", "options"}
TYPES = {*BASE, "requests", "report", "detector"}
DOORS = {"backends", "chat"}  # taken from their front door; nobody outside imports their modules
METHOD = {*TYPES, "given", "engine", "text", "statistics", *DOORS}
COMMANDS = {*METHOD, "cli", "guard", "cache", "html"}
APPLICATION = {*TYPES, "engine", "guard", "policies", "registry", "html", "chat", "demo", "calibration"}

TABLE: dict[str, set[str]] = {
    "_lazy": set(),
    "__main__": {"cli"},
    "_version": set(),
    "_log": set(),
    "_sqlite": set(),
    "_toml": {"errors"},
    "_visible": set(),
    "_findings": {*TYPES, "policies"},
    "errors": set(),
    "options": {"errors"},
    "engine": BASE,
    "requests": {"engine"},
    "given": {*BASE, "engine", "requests", "registry", "cache", "chat"},
    "report": {*BASE, "engine", "requests", "given", "html"},
    "detector": {"engine", "errors", "options", "report", "requests"},
    "registry": {"errors", "options"},
    "text": TYPES,
    "statistics": TYPES,
    "backends": {*TYPES, "engine"},
    "chat": {*TYPES, "engine", "text", "given"},
    "policies": {*TYPES, "text", "given"},
    **dict.fromkeys(METHODS, METHOD),
    "support": {*METHOD, "selfcheck"},
    **{f"{method}.commands": {*COMMANDS, method} for method in WITH_COMMANDS},
    "logic.paper": {*METHOD, "logic"},
    "logic.commands": {*COMMANDS, "logic", "logic.paper"},
    "detectors": {"_lazy", "support", *METHODS},
    "cache": {*TYPES, "engine"},
    "examination": {*TYPES, "engine", "policies"},
    "config": {*TYPES, "calibration", "given", "engine", "policies", "registry", "telemetry"},
    "calibration": {*TYPES, "statistics"},
    "adapting": {*TYPES, "engine", "policies", "guard", "given", "chat", "examination", "text"},
    "guard": {
        *TYPES,
        "engine",
        "policies",
        "registry",
        "config",
        "cache",
        "examination",
        "given",
        "calibration",
    },
    "telemetry": TYPES,
    "html": {*TYPES, "engine", "text"},
    "server": {*TYPES, "engine", "given", "guard", "policies", "adapting"},
    "evaluation": {*TYPES, "calibration", "engine", "guard", "html", "statistics", "text"},
    "mcp": {*TYPES, "_findings", "guard", "registry", "text"},
    "cli": {*APPLICATION, "_findings", "server", "mcp", "evaluation"},
    "testing": {*TYPES, "_findings", "cli", "engine", "given", "text", *DOORS},
    "pytest_plugin": {"errors", "testing"},
    "demo": {*APPLICATION, *METHODS, "backends"},
}
FRONT = "guardrail"  # the package's own front door, which imports the names it hands on


def place(module: str) -> str:
    """The entry of `TABLE` that a module falls under."""
    parts = module.removeprefix("guardrail.").split(".")
    nested = ".".join(parts[:2])
    return nested if nested in TABLE else parts[0]


def inside(name: str) -> bool:
    return name == FRONT or name.startswith(f"{FRONT}.")


def _edges(sources: Sources) -> Iterator[tuple[str, int, str]]:
    """Who loads whom, and in which line: by an import of any kind, or by a name in a string ("guardrail.phr:Settings").

    What the front door hands on, and what the registry, the list of detectors and lazy packages name, is their business.
    """
    for module, source in sources.items():
        if module == FRONT:
            continue
        for found in imports(source):
            if inside(found.module):
                assert found.name != "*", f"{module}:{found.line} imports everything: name what is taken"
                yield module, found.line, loaded(found, sources)
        if place(module) in {"registry", "detectors"}:
            continue
        for text, line in strings(source):
            named = text.partition(":")[0]
            if named in sources and named.count(".") and not named.startswith(f"{module}."):
                yield module, line, named


def table(sources: Sources) -> list[str]:
    """Imports that the table does not allow."""
    wrong = []
    for module, line, target in _edges(sources):
        if target == FRONT:
            wrong.append(f"{module}:{line} imports from the front door: name the module")
            continue
        own, other = place(module), place(target)
        if own not in TABLE or other not in TABLE:
            wrong.append(f"{module}:{line}: {own} or {other} has no entry in TABLE")
        elif own != other and other not in TABLE[own]:
            wrong.append(f"{module}:{line} imports {target}: {own} may not know {other}")
    return wrong


def doors(sources: Sources) -> list[str]:
    """Uses of modules inside `backends` and `chat` by others: imports, names in strings, `guardrail.chat.openai.x` written out."""
    wrong = []
    for module, source in sources.items():
        for text, line in strings(source):
            named = text.partition(":")[0]
            if named in sources and place(named) in DOORS - {place(module)} and named.count(".") > 1:
                wrong.append(f"{module}:{line} names {text}: take it from guardrail.{place(named)}")
        for written, line in attributes(source):
            if written in sources and place(written) in DOORS - {place(module)} and written.count(".") > 1:
                wrong.append(f"{module}:{line} uses {written}: take it from guardrail.{place(written)}")
        for found in imports(source) if module != FRONT else ():
            target = loaded(found, sources)
            if (
                inside(target)
                and place(target) in DOORS - {place(module)}
                and target != f"guardrail.{place(target)}"
            ):
                wrong.append(
                    f"{module}:{found.line} imports {target}: take it from guardrail.{place(target)}"
                )
    return wrong


def circles(sources: Sources) -> list[str]:
    """Modules that import each other in a circle: at the top, in a function, or for type checkers.

    A factory that loads its variants by a string is not counted: they are known to it by name alone.
    """
    graph: dict[str, set[str]] = {}
    for module, source in sources.items():
        found = {loaded(one, sources) for one in imports(source)}
        graph[module] = {one for one in found if one in sources and one not in {module, FRONT}}
    graph.pop(FRONT, None)
    try:
        graphlib.TopologicalSorter(graph).prepare()
    except graphlib.CycleError as error:
        return [" → ".join(error.args[1])]
    return []


def names_of_detectors(sources: Sources, names: set[str]) -> list[str]:
    """Strings that are a detector's name outside its folder, the registry, the list of detectors and the demo."""
    free = {
        *METHODS,
        *(f"{method}.commands" for method in WITH_COMMANDS),
        "logic.paper",
        "support",
        "registry",
        "detectors",
        "demo",
        "testing",
    }
    return [
        f"{module}:{line} names the detector {text!r}"
        for module, source in sources.items()
        if module != FRONT and place(module) not in free
        for text, line in strings(source)
        if text in names or text.partition("-")[0] + "-" in {f"{name}-" for name in names if "-" in text}
    ]


def adapters(sources: Sources, known: set[str]) -> list[str]:
    """Imports of an adapter, a test or the benchmarks."""
    wrong = []
    for module, source in sources.items():
        for found in imports(source):
            top = found.module.partition(".")[0]
            if top in {*known, "tests", "conftest", "benchmarks"}:
                wrong.append(f"{module}:{found.line} imports {top}")
    return wrong


def _private(name: str) -> bool:
    return any(part.startswith("_") and not part.startswith("__") for part in name.split("."))


@cache
def exported(source: str) -> set[str] | None:
    """`__all__` of a module, read and not run; `[*_HOMES]` is what a lazy package hands on."""
    values = {
        getattr(node.targets[0], "id", ""): node.value
        for node in ast.parse(source).body
        if isinstance(node, ast.Assign)
    }
    listed = values.get("__all__")
    if not isinstance(listed, ast.List):
        return None
    names: set[str] = set()
    for item in listed.elts:
        names |= (
            set(ast.literal_eval(values["_HOMES"]))
            if isinstance(item, ast.Starred)
            else {ast.literal_eval(item)}
        )
    return names


INSIDE = {
    "adapting",
    "engine",
    "cli",
    "html",
    "demo",
    "given",
    *DOORS,
    "policies",
    "logic",
    "logic.paper",
    "server",
    "evaluation",
    "calibration",
    "statistics",
}
"""Folders whose modules are private by their place; of these packages only the front doors say what is public."""


def exports(sources: Sources) -> list[str]:
    """Modules that list what is public though nobody outside may import them."""
    return [
        f"{module}: no __all__ here: it is private by its place"
        for module, source in sources.items()
        if exported(source) is not None
        and (
            ".commands." in module
            or _private(module)
            or (place(module) in INSIDE and not any(other.startswith(f"{module}.") for other in sources))
        )
    ]


def users(sources: Sources, known: Sources, others: set[str]) -> list[str]:
    """What benchmarks and adapters take that a user may not: private modules, names not in `__all__`, each other."""
    wrong = []
    for module, source in sources.items():
        for found in imports(source):
            at = f"{module}:{found.line}"
            if found.module.partition(".")[0] in {*others, "tests"} - {module.partition(".")[0]}:
                wrong.append(f"{at} imports {found.module}")
            if not inside(found.module):
                continue
            target = loaded(found, known)
            if _private(target) or _private(found.name or ""):
                wrong.append(f"{at} imports {found.name or target}, which is private")
            elif target not in known:
                wrong.append(f"{at} imports {target}, which does not exist")
            elif found.name and target == found.module:
                names = exported(known[target])
                if names is not None and found.name not in names:
                    wrong.append(f"{at}: {found.name} is not in __all__ of {target}")
    return wrong
