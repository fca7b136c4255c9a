"""The wheel, built and installed as users get it, holds all that a checkout does.

The environment is new; the third-party libraries are lent to it from the one that runs the tests, so that the
tests need no network. The checkout itself is not lent.
"""

import csv
import os
import re
import subprocess
import sys
import sysconfig
import tomllib
import venv
import zipfile
from email.parser import HeaderParser
from pathlib import Path

import pytest
from tests.house.source import ADAPTERS, ROOT, SRC

import guardrail

pytestmark = pytest.mark.packaging
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def run(*command, **options):
    found = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False, **options)
    assert found.returncode == 0, f"{command}\n{found.stdout}\n{found.stderr}"
    return found.stdout


def pip(*arguments):
    return run(sys.executable, "-m", "pip", "--disable-pip-version-check", *arguments)


@pytest.fixture(scope="module")
def wheel(once):
    options = ("--quiet", "--no-deps", "--no-build-isolation", "--no-index")
    [built] = once("wheel", lambda folder: pip("wheel", *options, "--wheel-dir", folder, ROOT)).glob("*.whl")
    return built


@pytest.fixture(scope="module")
def about(wheel):
    """The wheel's metadata."""
    with zipfile.ZipFile(wheel) as archive:
        [name] = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
        return HeaderParser().parsestr(archive.read(name).decode())


@pytest.fixture(scope="module")
def home(wheel, once):
    """A clean environment with the wheel; gives the folder of its commands."""

    def make(folder):
        venv.create(folder, with_pip=False, symlinks=True)
        pip("--python", folder / "bin" / "python", "install", "--quiet", "--no-deps", "--no-index", wheel)
        [packages] = folder.glob("lib/python*/site-packages")
        (packages / "lent.pth").write_text(sysconfig.get_path("purelib") + "\n", encoding="utf-8")

    return once("venv", make) / "bin"


def inside(home, tmp_path, code):
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    return run(home / "python", "-W", "error", "-c", code, cwd=tmp_path, env=environment).strip()


class TestLists:
    def test_adapters_are_named(self):
        """Written-out lists equal the folders: a glob would silently ship no adapter."""
        sources = sorted(str(folder.parent.relative_to(ROOT)) for folder in ADAPTERS.values())
        packages = sorted(str(folder.relative_to(ROOT)) for folder in ADAPTERS.values())
        build = PROJECT["tool"]["hatch"]["build"]
        assert sorted(build["dev-mode-dirs"]) == sorted(["src", *sources])
        assert sorted(build["targets"]["wheel"]["packages"]) == sorted(["src/guardrail", *packages])
        assert set(sources) <= set(PROJECT["tool"]["mypy"]["files"])
        assert set(sources) <= set(PROJECT["tool"]["mypy"]["mypy_path"])
        assert set(sources) <= set(PROJECT["tool"]["ruff"]["src"])

    def test_adapters_are_whole(self):
        """Each has what a reader and a type checker look for."""
        assert ADAPTERS
        for package in ADAPTERS.values():
            home = package.parents[1]
            for name in ("README.md", "example.py", "tests"):
                assert (home / name).exists(), f"{home.name} has no {name}"
            assert (package / "py.typed").is_file()

    def test_tests_of_adapters_have_names_of_their_own(self):
        """Two files of one name cannot be told apart in a report."""
        names = [path.name for path in ROOT.glob("integrations/*/tests/test_*.py")]
        assert len(names) == len(set(names))

    def test_extras_are_of_others(self):
        """Extras list third-party libraries, and `all` holds every one for users; documents are built from a checkout."""
        extras = PROJECT["project"]["optional-dependencies"]
        listed = extras["all"][0].removeprefix("guardrail-sdk[").removesuffix("]").split(",")
        assert sorted(listed) == sorted(set(extras) - {"all", "dev", "docs"})


class TestWheel:
    def test_holds_the_sources(self, wheel):
        """Every file of the packages, templates and type marks too, and nothing else."""
        folders = [SRC / "guardrail", *ADAPTERS.values()]
        expected = {
            path.relative_to(folder.parent).as_posix()
            for folder in folders
            for path in folder.rglob("*")
            if "__pycache__" not in path.parts and path.is_file()
        }
        found = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
        assert found == expected
        assert "guardrail/py.typed" in found

    def test_says_what_it_is(self, about):
        """Name, version, and a light core: no framework, no model library."""
        assert (about["Name"], about["Version"]) == ("guardrail-sdk", guardrail.__version__)
        core = [line for line in about.get_all("Requires-Dist") if "extra ==" not in line]
        assert len(core) <= 13  # since py3langid and text2num: languages and numerals of answers
        for heavy in ("torch", "transformers", "langchain", "openai", "scipy", "scikit-learn", "matplotlib"):
            assert not [line for line in core if line.startswith(heavy)]

    def test_says_where_it_is_from(self, about):
        """Authors, licence and addresses, in the form that indexes show, and that upload tools of today read."""
        assert about["Metadata-Version"] == "2.4"
        assert about["Author"] == "The guardrail authors"
        assert (about["License-Expression"], about["License-File"]) == ("Apache-2.0", "LICENSE")
        urls = dict(line.split(", ") for line in about.get_all("Project-URL"))
        assert {"Documentation", "Source", "Changes", "Issues", "Security"} <= urls.keys()
        assert [url for url in urls.values() if not url.startswith(urls["Source"])] == []

    def test_classifiers_are_known(self, about):
        """An index refuses any other."""
        known = pytest.importorskip("trove_classifiers").classifiers
        assert set(about.get_all("Classifier")) <= known
        assert "Typing :: Typed" in about.get_all("Classifier")

    def test_keeps_away_from_another_httpx(self, about):
        """A prerelease of 1.0 has another interface, and pip takes one if any requirement allows it."""
        wanted = [line for line in about.get_all("Requires-Dist") if re.match(r"httpx\b", line)]
        assert wanted
        assert [line for line in wanted if "<1" not in line] == []

    def test_shows_the_readme(self, about):
        """The same page and the same code, with links that lead somewhere from an index."""
        page, readme = about.get_payload(), (ROOT / "README.md").read_text(encoding="utf-8")
        assert about["Description-Content-Type"] == "text/markdown"
        targets = re.findall(
            r"""\]\(([^)\s]+)|(?:src|srcset|href)="([^"]+)|^\[[^\]]+\]: +(\S+)""", page, re.MULTILINE
        )
        found = ["".join(one) for one in targets]
        assert [target for target in found if not re.match(r"https://|mailto:", target)] == []
        here = f"/guardrail-sdk/guardrail/(?:blob/)?v{guardrail.__version__}/([^#]+)"
        files = [match[1] for target in found if (match := re.search(here, target))]
        assert files
        assert [name for name in files if not (ROOT / name).exists()] == []
        code = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
        assert code.findall(page) == code.findall(readme)

    def test_records_every_file(self, wheel):
        """The record of the wheel lists each file once."""
        with zipfile.ZipFile(wheel) as archive:
            [name] = [name for name in archive.namelist() if name.endswith("/RECORD")]
            rows = list(csv.reader(archive.read(name).decode().splitlines()))
            assert sorted(row[0] for row in rows) == sorted(archive.namelist())


class TestInstalled:
    def test_is_the_wheel(self, home, tmp_path):
        """What is imported is the installed package, not the checkout."""
        place = Path(inside(home, tmp_path, "import guardrail; print(guardrail.__file__)"))
        assert place.is_relative_to(home.parent)
        assert not place.is_relative_to(ROOT)

    @pytest.mark.parametrize("adapter", ADAPTERS)
    def test_adapter(self, home, tmp_path, adapter):
        """Every adapter imports, with all its public names."""
        code = f"import {adapter} as a; print(a.__file__); [getattr(a, name) for name in a.__all__]"
        assert Path(inside(home, tmp_path, code)).is_relative_to(home.parent)

    def test_guards(self, home, tmp_path):
        """Public names, registered detectors and the page's templates are there."""
        code = (
            "import guardrail\n"
            "from guardrail.registry import DETECTORS, CHATS\n"
            "assert all(hasattr(guardrail, name) for name in guardrail.__all__)\n"
            "assert set(DETECTORS.working()) == set(DETECTORS)\n"
            "assert set(CHATS.working()) == set(CHATS)\n"
            "print(guardrail.Guard(['references']).check('No reference here.').verdict)"
        )
        assert inside(home, tmp_path, code) == "None"

    def test_command(self, home, tmp_path):
        """`guardrail` is on the path and knows its version."""
        assert guardrail.__version__ in run(home / "guardrail", "--version", cwd=tmp_path)
        assert "check" in run(home / "guardrail", "--help", cwd=tmp_path)
