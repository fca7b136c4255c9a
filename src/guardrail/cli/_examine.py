"""What `guardrail doctor` looks at."""

from __future__ import annotations

import os
import platform
import re
import shutil
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from importlib import metadata
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from guardrail._version import __version__
from guardrail.cli.methods import Item, methods, own, problems, tried
from guardrail.registry import BACKENDS, CHATS, COMMANDS, DETECTORS, Registry

DISTRIBUTION = "guardrail-sdk"
REGISTRIES: tuple[Registry[Any], ...] = (DETECTORS, CHATS, COMMANDS, *BACKENDS.values())
PROGRAMS = {
    "chromium": ("chromium", "to print report pages"),
}
PATIENCE = 5.0  # seconds for an endpoint


def everything(
    *, online: bool, base_url: str | None, config: str | None, options: Mapping[str, Any]
) -> list[Item]:
    """All items, section by section; `options` are those that the methods added."""
    items = [*_installation(), *_extras(), *_plugins(), *_settings(config), *_programs()]
    for name, method in methods().items():
        if method.doctor is not None:
            try:
                items += method.doctor(**{one.name: options[one.name] for one in own(method.doctor)})
            except Exception as error:  # noqa: BLE001  # a plug-in may fail in any way
                items.append(
                    Item("plug-ins", name, "broken", f"its look failed: {type(error).__name__}: {error}")
                )
    if base_url is not None or online:
        items.append(_endpoint(base_url))
    sections = list(dict.fromkeys(item.section for item in items))
    return sorted(items, key=lambda item: sections.index(item.section))


# --- installed ---------------------------------------------------------------------------------------------


def _installation() -> Iterator[Item]:
    section = "installed"
    enough = sys.version_info >= (3, 11)
    yield Item(
        section,
        "python",
        "ok" if enough else "broken",
        f"{platform.python_version()} ({platform.system()} {platform.machine()})",
        "" if enough else "install Python 3.11 or newer, and guardrail with it",
    )
    yield Item(section, "guardrail", "ok", __version__)
    yield Item(section, "detectors", "ok", ", ".join(DETECTORS))
    for item in _libraries(section, _requirements().get("", []), f"pip install --upgrade {DISTRIBUTION}"):
        yield item if item.state != "missing" else Item(section, item.name, "broken", item.detail, item.mend)


def _extras() -> Iterator[Item]:
    """One item per extra, with its libraries."""
    for extra, needed in _requirements().items():
        if extra in {"", "all", "dev"}:
            continue
        mend = f"pip install '{DISTRIBUTION}[{extra}]'"
        items = list(_libraries("extras", needed, mend))
        lacking = [item for item in items if item.state != "ok"]
        yield Item(
            "extras",
            extra,
            "missing" if lacking else "ok",
            ", ".join(f"{item.name} {item.detail}" for item in items),
            mend if lacking else "",
        )


def _requirements() -> dict[str, list[tuple[str, str]]]:
    """Per extra ("" = always), the libraries with the versions they must have."""
    found: dict[str, list[tuple[str, str]]] = defaultdict(list)
    try:
        lines = metadata.requires(DISTRIBUTION) or []
    except metadata.PackageNotFoundError:
        return {}
    for line in lines:
        wanted, _, condition = line.partition(";")
        extra = re.search(r"""extra\s*==\s*['"]([\w.-]+)['"]""", condition)
        match = re.match(r"\s*([A-Za-z0-9._-]+)(?:\[[^\]]*\])?\s*(.*)", wanted)
        if match and match[1].lower() != DISTRIBUTION:
            found[extra[1] if extra else ""].append((match[1], match[2].strip(" ()")))
    return dict(found)


def _libraries(section: str, needed: Sequence[tuple[str, str]], mend: str) -> Iterator[Item]:
    for name, versions in needed:
        try:
            have = metadata.version(name)
        except metadata.PackageNotFoundError:
            yield Item(section, name, "missing", "missing", mend)
            continue
        if _fits(have, versions):
            yield Item(section, name, "ok", have)
        else:
            yield Item(section, name, "missing", f"{have}, needs {versions}", mend)


def _fits(version: str, versions: str) -> bool:
    """Whether a version is among those wanted; true where nothing here can tell."""
    try:
        from packaging.specifiers import InvalidSpecifier, SpecifierSet
    except ImportError:
        return True
    try:
        return SpecifierSet(versions).contains(version, prereleases=True)
    except InvalidSpecifier:
        return True


def _plugins() -> Iterator[Item]:
    for registry in REGISTRIES:
        for point in metadata.entry_points(group=registry.group):
            package = point.dist.name if point.dist is not None else point.value
            mend = f"pip install --upgrade {package}  # or: pip uninstall {package}"
            try:
                point.load()
            except (Exception, SystemExit) as error:  # noqa: BLE001  # a plug-in may fail in any way
                detail = f"{package} does not import: {type(error).__name__}: {error}"
                yield Item("plug-ins", point.name, "broken", detail, mend)
                continue
            if registry is COMMANDS and point.name in problems():
                detail = f"the commands of {package} are left out: {problems()[point.name]}"
                yield Item("plug-ins", point.name, "broken", detail, mend)
            else:
                yield Item("plug-ins", point.name, "ok", f"{registry.group} of {package}")


# --- configured --------------------------------------------------------------------------------------------


def _settings(config: str | None) -> Iterator[Item]:
    section = "configured"
    has_key = bool(os.environ.get("OPENAI_API_KEY"))
    yield Item(
        section,
        "OPENAI_API_KEY",
        "ok" if has_key else "missing",
        "set" if has_key else "not set; needed only to ask OpenAI's models",
        "" if has_key else "export OPENAI_API_KEY=KEY",
    )
    if address := os.environ.get("OPENAI_BASE_URL"):
        yield Item(section, "OPENAI_BASE_URL", "ok", _without_secrets(address))
    path = config or "guardrail.toml"
    if config is None and not Path(path).is_file():
        yield Item(section, "guardrail.toml", "ok", "none here; options and code do as well")
        return
    yield tried(
        section, path, partial(_configuration, path), "mend the entry that is named, or run without it"
    )


def _configuration(path: str) -> str:
    from guardrail.guard import Guard

    with Guard.from_config(path) as guard:
        return f"{', '.join(d.name for d in guard.detectors)}; policy {guard.policy.policy}"


def _programs() -> Iterator[Item]:
    for program, (package, purpose) in PROGRAMS.items():
        place = shutil.which(program)
        yield Item(
            "programs (optional)",
            program,
            "ok" if place else "missing",
            place or f"not found; {purpose}",
            "" if place else f"sudo apt-get install {package}",
        )


# --- reachable ---------------------------------------------------------------------------------------------


def _endpoint(base_url: str | None) -> Item:
    import httpx

    address = base_url or os.environ.get("OPENAI_BASE_URL") or "https://api.openai.com/v1"
    shown = _without_secrets(address)
    key = os.environ.get("OPENAI_API_KEY")
    section, mend = "reachable", f"check the address and that the server runs: curl -i {shown}/models"
    try:
        reply = httpx.get(
            f"{address.rstrip('/')}/models",
            headers={"Authorization": f"Bearer {key}"} if key else {},
            timeout=PATIENCE,
        )
    except (httpx.HTTPError, httpx.InvalidURL, ValueError) as error:
        return Item(section, shown, "broken", f"no answer: {type(error).__name__}: {error}", mend)
    if reply.status_code in {401, 403}:
        what = "refuses the key" if key else "wants a key"
        return Item(
            section,
            shown,
            "broken",
            f"answers, but {what} ({reply.status_code})",
            "export OPENAI_API_KEY=KEY",
        )
    if reply.is_success:
        return Item(section, shown, "ok", f"answers{_models(reply)}")
    return Item(
        section, shown, "broken", f"answers {reply.status_code}; is /v1 missing in the address?", mend
    )


def _models(reply: Any) -> str:
    try:
        names = [str(model["id"]) for model in reply.json()["data"]]
    except (ValueError, KeyError, TypeError):
        return ""
    more = ", …" if len(names) > 3 else ""
    return f"; {len(names)} models: {', '.join(names[:3])}{more}" if names else "; no models"


def _without_secrets(address: str) -> str:
    """The address without user, password and query."""
    parts = urlsplit(address)
    host = parts.netloc.rpartition("@")[2]
    return urlunsplit((parts.scheme, host, parts.path.rstrip("/"), "", ""))
