"""What a release consists of agrees with itself: versions, metadata of the models, workflows, forms of issues. Nothing is built here."""

import re
import tomllib

import pytest
from tests.house.source import ROOT

import guardrail

yaml = pytest.importorskip("yaml")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
MODELS = {
    folder: tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    for folder in sorted((ROOT / "models").iterdir())
}
WORKFLOWS = {
    path.name: yaml.safe_load(path.read_text(encoding="utf-8"))
    for path in sorted((ROOT / ".github" / "workflows").iterdir())
}
FORMS = ROOT / ".github" / "ISSUE_TEMPLATE"


class TestModels:
    def test_have_the_metadata_of_guardrail(self):
        """Authors, licence, Pythons, and where the source is."""
        assert len(MODELS) == 2
        for folder, model in MODELS.items():
            for name in ("authors", "license", "license-files", "requires-python"):
                assert model[name] == PROJECT[name], f"{folder.name}: {name}"
            assert model["urls"]["Source"] == PROJECT["urls"]["Source"]
            assert (folder / "LICENSE").read_bytes() == (ROOT / "LICENSE").read_bytes()

    def test_the_extra_names_them(self):
        """In the versions that are here: guardrail refuses weights with another SHA-256."""
        pinned = {f"{model['name']}=={model['version']}" for model in MODELS.values()}
        assert pinned == {one for one in PROJECT["optional-dependencies"]["mini"] if "guardrail" in one}


class TestCitationFile:
    def test_is_of_this_version(self):
        """And of this licence and source."""
        found = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
        assert found["version"] == guardrail.__version__
        assert found["license"] == PROJECT["license"]
        assert found["repository-code"] == PROJECT["urls"]["Source"]
        assert [one["name"] for one in found["authors"]] == [one["name"] for one in PROJECT["authors"]]


def jobs():
    """(workflow, name, job), of all."""
    return [(name, key, job) for name, one in WORKFLOWS.items() for key, job in one["jobs"].items()]


def steps():
    return [(name, step) for name, _, job in jobs() for step in job.get("steps", [])]


class TestWorkflows:
    def test_run_what_is_here(self):
        """CI runs .ci/run; a release is what `make dist` builds, after the same tests."""
        commands = {(name, step["run"]) for name, step in steps() if "run" in step}
        assert ("ci.yml", ".ci/run") in commands
        assert ("release.yml", "make dist") in commands
        assert re.search(r"^dist:$", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
        local = [job["uses"] for _, _, job in jobs() if "uses" in job]
        assert local
        assert [path for path in local if not (ROOT / path).is_file()] == []

    def test_actions_are_pinned(self):
        """By the SHA of a commit, since a tag can be moved; the comment has the version."""
        used = [step["uses"] for _, step in steps() if "uses" in step]
        assert used
        assert [one for one in used if not re.fullmatch(r"[\w./-]+@[0-9a-f]{40}", one)] == []
        for path in sorted((ROOT / ".github" / "workflows").iterdir()):
            for line in re.findall(r"uses: \S+@.*", path.read_text(encoding="utf-8")):
                assert re.search(r" # v\d", line), f"{path.name}: {line}"

    def test_inputs_are_no_commands(self):
        """What somebody outside can set, such as a branch's name, is not written into a script."""
        assert [step["run"] for _, step in steps() if "${{" in step.get("run", "")] == []

    def test_rights_are_the_least(self):
        """No workflow writes; only publishing may ask for an identity, and that on a pushed tag alone, after tests."""
        assert {name for name, one in WORKFLOWS.items() if one["permissions"]} == set()
        for name, key, job in jobs():
            if job["permissions"] != {"contents": "read"}:
                assert (name, key, job["permissions"]) == ("release.yml", "publish", {"id-token": "write"})
                assert job["if"] == "github.event_name == 'push' && github.ref_type == 'tag'"
                assert job["environment"]
                assert set(job["needs"]) == set(WORKFLOWS[name]["jobs"]) - {key}

    def test_release_tries_every_python_that_is_promised(self):
        """The classifiers' and, so that it is refused, one that is too old."""
        promised = [one.rpartition(" ")[2] for one in PROJECT["classifiers"] if re.search(r":: 3\.\d+$", one)]
        [found] = [
            step["with"]["python-version"].split()
            for name, step in steps()
            if name == "release.yml" and "setup-python" in step.get("uses", "")
        ]
        assert found == ["3.10", *promised]


class TestForms:
    def test_fields_are_named_once(self):
        """A form that breaks this is not shown."""
        forms = [path for path in FORMS.iterdir() if path.name != "config.yml"]
        assert len(forms) == 2
        for path in forms:
            form = yaml.safe_load(path.read_text(encoding="utf-8"))
            assert {"name", "description", "body"} <= form.keys(), path.name
            fields = [one for one in form["body"] if one["type"] != "markdown"]
            names = [one["id"] for one in fields]
            assert len(names) == len(set(names)), path.name
            assert all(one["attributes"]["label"] for one in fields), path.name

    def test_links_are_of_this_project(self):
        """Each address of the repository in what users fill in and read is the one of the metadata."""
        source = PROJECT["urls"]["Source"]
        pages = [
            *FORMS.iterdir(),
            *(ROOT / name for name in ("SECURITY.md", "CODE_OF_CONDUCT.md", "docs/teams.md")),
        ]
        for path in pages:
            for address in re.findall(
                r"https://github\.com/[^\s)#\"]*guardrail[^\s)\"]*", path.read_text(encoding="utf-8")
            ):
                assert address.startswith(source), f"{path.name}: {address}"
