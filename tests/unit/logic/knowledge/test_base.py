import json
import os
import pickle
import shutil

import pytest

from guardrail.errors import InputError, MissingExtra
from guardrail.logic.knowledge import (
    DatedEvent,
    Entity,
    KnowledgeBase,
    KnowledgeFault,
    Triple,
    build,
    prolog,
    reviewed,
)
from guardrail.logic.knowledge.manifest import MANIFEST, Manifest
from guardrail.logic.temporal.intervals import IntervalSet

FACTS = [Triple(f"film {i}", "director", f"person {i % 50}") for i in range(300)]


@pytest.fixture
def folder(prolog, tmp_path):
    path = tmp_path / "base"
    build(
        path,
        FACTS,
        events=[DatedEvent("war", [(1914, 1918)])],
        entities=[Entity("film 1", ("The First",), "Q1")],
    )
    return path


def file(folder, pattern):
    (found,) = folder.glob(pattern)
    return found


class TestBuild:
    def test_the_same_facts_give_the_same_files(self, tmp_path):
        """Whatever their order, and however often they are there."""
        one = build(tmp_path / "a", FACTS)
        other = build(tmp_path / "b", [*reversed(FACTS), *FACTS])
        assert one.files == other.files
        assert one.fingerprint == other.fingerprint
        assert other.facts == 300

    def test_another_fact_gives_another_fingerprint(self, tmp_path):
        """One more, and it is another base."""
        one, other = build(tmp_path / "a", FACTS), build(tmp_path / "b", [*FACTS, Triple("a", "b", "c")])
        assert one.fingerprint != other.fingerprint

    def test_refuses_what_is_there(self, folder, tmp_path):
        """It replaces a knowledge base if told to, and never anything else."""
        with pytest.raises(InputError, match="replace_existing"):
            build(folder, FACTS)
        assert build(folder, FACTS[:5], replace_existing=True).facts == 5
        (tmp_path / "letters").mkdir()
        with pytest.raises(InputError, match="something else"):
            build(tmp_path / "letters", FACTS, replace_existing=True)

    def test_leaves_nothing_behind_when_it_fails(self, tmp_path):
        """Neither a half-made base nor its draft."""
        with pytest.raises(InputError, match="two for"):
            build(tmp_path / "base", FACTS, entities=[Entity("a"), Entity("a")])
        assert list(tmp_path.iterdir()) == []

    def test_joins_the_spans_of_an_event(self, opened):
        """Several of one name are one event."""
        base = opened(events=[DatedEvent("war", [(1914, 1918)]), DatedEvent("war", [(1939, 1945)])])
        assert base.spans("war") == IntervalSet([(1914, 1918), (1939, 1945)])
        assert base.spans("peace") == IntervalSet()
        assert dict(base.events()) == {"war": base.spans("war")}


class TestOpen:
    def test_holds_what_was_built(self, folder):
        """Facts, events, entities with aliases, the manifest."""
        with KnowledgeBase.open(folder) as base:
            assert sorted(base.facts()) == sorted(FACTS)
            assert base.manifest.facts == 300
            assert base.entities()["film 1"] == Entity("film 1", ("The First",), "Q1")
            assert base.canonical("The First") == "film 1"
            assert len(base.entities()) == 350
            assert base.ask(Triple("The First", "director", "person 1")).state == "entailed"

    def test_may_be_warmed(self, folder):
        """Which changes no answer."""
        with KnowledgeBase.open(folder) as base:
            base.warm()
            assert base.about("film 1") == [FACTS[1]]

    def test_is_closed_at_the_end(self, folder):
        """Asking afterwards is an error that says so; closing again is none."""
        with KnowledgeBase.open(folder) as base:
            pass
        base.close()
        with pytest.raises(InputError, match="closed"):
            base.about("film 1")

    def test_two_of_one_folder_share_and_do_not_disturb_each_other(self, folder):
        """The facts stay until the last is closed."""
        first, second = KnowledgeBase.open(folder), KnowledgeBase.open(folder)
        first.close()
        assert second.about("film 1") == [FACTS[1]]
        second.close()

    def test_a_folder_that_was_built_again_beside_its_former_content(self, folder):
        """Equal facts with other properties, or other facts: each base keeps its own."""
        former = KnowledgeBase.open(folder)
        asked = Triple("film 1", "director", "person 2")
        build(folder, FACTS, relations=reviewed().without("director", "complete"), replace_existing=True)
        with KnowledgeBase.open(folder) as later:
            assert (former.ask(asked).state, later.ask(asked).state) == ("contradicted", "unknown")
        build(folder, FACTS[:5], replace_existing=True)
        with KnowledgeBase.open(folder) as last:
            assert (len(list(former.facts())), len(list(last.facts()))) == (300, 5)
        former.close()
        for _ in range(3):
            with KnowledgeBase.open(folder) as again:
                assert again.about("film 1") == [FACTS[1]]

    def test_two_folders_are_apart(self, opened):
        """Facts of one are no facts of the other, also of one relation."""
        one, other = opened(("a", "genre", "b")), opened(("a", "genre", "c"))
        assert one.objects("a", "genre") == ["b"]
        assert other.objects("a", "genre") == ["c"]

    def test_may_be_moved_and_copied(self, folder, tmp_path):
        """The compiled facts know no place."""
        shutil.copytree(folder, tmp_path / "copy")
        shutil.rmtree(folder)
        with KnowledgeBase.open(tmp_path / "copy") as base:
            assert base.about("film 1") == [FACTS[1]]

    def test_travels_as_its_path(self, folder):
        """For workers started by spawn."""
        with KnowledgeBase.open(folder) as base:
            other = pickle.loads(pickle.dumps(base))
            assert other.about("film 1") == [FACTS[1]]
            other.close()

    def test_compiles_anew_for_another_version(self, folder):
        """Compiled facts of another SWI-Prolog are not loaded."""
        path = folder / MANIFEST
        content = json.loads(path.read_text())
        content["compiled"]["swipl"] = "7.0.0"
        path.write_text(json.dumps(content))
        file(folder, "*.qlf").write_bytes(b"of another version")
        with KnowledgeBase.open(folder) as base:
            assert base.about("film 1") == [FACTS[1]]
        assert Manifest.read(folder).compiled["swipl"] == prolog.engine().version

    @pytest.mark.parametrize("how", ["absent", "damaged"])
    def test_compiles_anew_without_compiled_facts(self, folder, how):
        """The text is what counts."""
        compiled = file(folder, "*.qlf")
        compiled.unlink() if how == "absent" else compiled.write_bytes(compiled.read_bytes()[:-100])
        with KnowledgeBase.open(folder) as base:
            assert base.about("film 1") == [FACTS[1]]


class TestRefused:
    def refused(self, folder):
        with pytest.raises(KnowledgeFault) as caught:
            KnowledgeBase.open(folder)
        return caught.value

    def test_no_knowledge_base(self, tmp_path):
        """A folder without a manifest."""
        assert "found no manifest" in str(self.refused(tmp_path))

    def test_another_version(self, folder):
        """Of the format."""
        path = folder / MANIFEST
        path.write_text(path.read_text().replace('"version": 1', '"version": 99', 1))
        found = self.refused(folder)
        assert "expected version 1, found 99" in str(found)
        assert found.source.endswith(MANIFEST)

    def test_a_damaged_manifest_with_its_line(self, folder):
        """JSON that breaks off."""
        path = folder / MANIFEST
        path.write_text("\n".join(path.read_text().splitlines()[:5]))
        assert self.refused(folder).line == 5

    @pytest.mark.parametrize("change", [{"files": {}}, {"facts": None, "files": 3}, {"extra": 1}])
    def test_a_manifest_of_other_content(self, folder, change):
        """Entries that are missing, wrong or unknown."""
        path = folder / MANIFEST
        path.write_text(json.dumps({**json.loads(path.read_text()), **change}))
        assert "missing or of a wrong kind" in str(self.refused(folder))

    def test_a_manifest_cannot_point_elsewhere(self, folder):
        """Files are in the folder."""
        path = folder / MANIFEST
        content = json.loads(path.read_text())
        content["files"]["facts"]["name"] = "../other.pl"
        path.write_text(json.dumps(content))
        assert "no name of a file" in str(self.refused(folder))

    def test_cut_off_facts_with_the_line(self, folder):
        """In the middle of a line: that line."""
        facts = file(folder, "*.pl")
        content = facts.read_bytes()
        lines = content.splitlines(keepends=True)
        facts.write_bytes(b"".join(lines[:200]) + lines[200][:9])
        found = self.refused(folder)
        assert (found.line, found.source) == (201, str(facts))
        assert "cut off" in str(found)

    def test_cut_off_between_two_lines(self, folder):
        """The block that differs is named."""
        facts = file(folder, "*.pl")
        facts.write_bytes(b"".join(facts.read_bytes().splitlines(keepends=True)[:200]))
        assert self.refused(folder).line is not None

    def test_a_directive_among_the_facts(self, folder, tmp_path):
        """Named with its line, and never run."""
        facts = file(folder, "*.pl")
        lines = facts.read_bytes().splitlines(keepends=True)
        made = tmp_path / "ran"
        facts.write_bytes(
            b"".join([*lines[:7], f":- open('{made}',write,S),close(S).\n".encode(), *lines[7:]])
        )
        assert self.refused(folder).line == 8
        assert not made.exists()

    def test_a_directive_with_a_matching_hash(self, folder, tmp_path):
        """A manifest made to fit does not help: what is compiled must be facts."""
        facts = file(folder, "*.pl")
        made = tmp_path / "ran"
        facts.write_bytes(facts.read_bytes() + f":- open('{made}',write,S),close(S).\n".encode())
        path = folder / MANIFEST
        content = json.loads(path.read_text())
        import hashlib

        content["files"]["facts"]["sha256"] = hashlib.sha256(facts.read_bytes()).hexdigest()
        path.write_text(json.dumps(content))
        with pytest.raises(KnowledgeFault, match="expected one fact") as caught:
            KnowledgeBase.open(folder, recompile=True)
        assert caught.value.line == 301
        assert not made.exists()

    @pytest.mark.parametrize(
        "change",
        [
            {"compiled": None},
            {"compiled": {"name": 5, "sha256": "", "swipl": ""}},
            {"compiled": {"name": "facts.qlf", "sha256": "", "swipl": ""}},
            {"relations": None},
            {"relations": {"director": "many"}},
            {"facts": "many"},
            {"entities": -1},
        ],
        ids=str,
    )
    def test_a_manifest_of_wrong_kinds(self, folder, change):
        """It says that the manifest is damaged, and what of it."""
        path = folder / MANIFEST
        path.write_text(json.dumps(json.loads(path.read_text()) | change))
        assert "wrong kind" in str(self.refused(folder))

    def test_a_manifest_of_brackets(self, folder):
        """Too deep to read."""
        (folder / MANIFEST).write_text("[" * 100_000)
        assert "nested too deep" in str(self.refused(folder))

    def test_compiled_facts_of_elsewhere(self, folder, tmp_path):
        """What is compiled is code: none outside the folder is loaded, even if its hash fits."""
        path = folder / MANIFEST
        content = json.loads(path.read_text())
        compiled = file(folder, "*.qlf")
        compiled.rename(tmp_path / compiled.name)
        content["compiled"]["name"] = f"../{compiled.name}"
        path.write_text(json.dumps(content))
        assert "compiled facts" in str(self.refused(folder))

    def test_a_changed_fact(self, folder):
        """A line that is still a fact: the block that differs is named."""
        facts = file(folder, "*.pl")
        facts.write_bytes(facts.read_bytes().replace(b"film 77'", b"film 78'", 1))
        found = self.refused(folder)
        assert "changed since it was built" in str(found)
        assert found.line == 1

    @pytest.mark.parametrize("name", ["entities", "events", "relations"])
    def test_damaged_lists_with_the_line(self, folder, name):
        """The first line that is no JSON."""
        path = folder / f"{name}.jsonl"
        lines = path.read_bytes().splitlines(keepends=True)
        path.write_bytes(b"".join([b"{broken\n", *lines[1:]]))
        found = self.refused(folder)
        assert (found.line, found.source) == (1, str(path))

    def test_a_missing_file(self, folder):
        """With its name."""
        (folder / "events.jsonl").unlink()
        assert "events.jsonl" in str(self.refused(folder))


class TestWithoutEngine:
    def test_building_works_and_opening_says_what_is_missing(self, tmp_path, monkeypatch):
        """The library: with the command that installs it."""

        def gone():
            raise MissingExtra("pyswip, which the knowledge base needs,", extra="logic")

        monkeypatch.setattr(prolog, "engine", gone)
        assert build(tmp_path / "base", FACTS).compiled == {}
        with pytest.raises(MissingExtra, match=r"pip install 'guardrail-sdk\[logic\]'"):
            KnowledgeBase.open(tmp_path / "base")

    @pytest.mark.parametrize("missing", ["pyswip", "swipl"])
    def test_the_message(self, tmp_path, missing):
        """In a fresh interpreter that has one of the two not."""
        import subprocess
        import sys

        blocked = {
            "pyswip": "import sys; sys.modules['pyswip'] = None",
            # pyswip looks for the program and for the library, by these
            "swipl": "import ctypes.util; ctypes.util.find_library = lambda name: None; import os; os.environ['PATH'] = ''",
        }[missing]
        script = f"{blocked}\nfrom guardrail.logic.knowledge.prolog import available\nprint(available())"
        environment = {k: v for k, v in os.environ.items() if k not in {"LIBSWIPL_PATH", "SWI_HOME_DIR"}}
        done = subprocess.run(
            [sys.executable, "-c", script], check=False, capture_output=True, text=True, env=environment
        )
        wanted = {"pyswip": "pip install 'guardrail-sdk[logic]'", "swipl": "apt-get install swi-prolog-nox"}[
            missing
        ]
        assert wanted in done.stdout, done.stderr
