"""A guard from a file."""

from contextlib import nullcontext
from typing import ClassVar

import pytest
from tests.unit.engine.toys import Says

from guardrail import Budget, Guard, requests
from guardrail.backends.packaged import Packaged, PackagedEntailment
from guardrail.chat import ScriptedChat
from guardrail.engine.backend import Backend
from guardrail.engine.flow import Request
from guardrail.errors import ConfigError, GuardrailError, MissingExtra, UnknownName, WeightsMissing
from guardrail.options import PathOption
from guardrail.phr import BernoulliModel
from guardrail.registry import BACKENDS, CHATS, DETECTORS
from guardrail.testing.server import serve


class Placed(Backend):
    """A chat adapter that wants a file."""

    paths: ClassVar = {"source": PathOption.FILE}

    fingerprint = "placed"

    def __init__(self, source, *, model="m"):
        self.source = source
        self.model = model

    def answer(self, requests):
        return []


class Reader(Backend):
    """A language model that wants a folder."""

    paths: ClassVar = {"model": PathOption.FILE_OR_NAME}

    fingerprint = "reader"

    def __init__(self, model, *, seed=0):
        self.model = model

        self.seed = seed

    def answer(self, requests):
        return []


@pytest.fixture
def load(tmp_path, monkeypatch):
    """Reads a text as a configuration file."""
    monkeypatch.setitem(DETECTORS._targets, "says", "tests.unit.engine.toys:Says")
    monkeypatch.setitem(CHATS._targets, "placed", "tests.unit.test_config:Placed")

    def read(text):
        file = tmp_path / "guardrail.toml"
        file.write_text(text, encoding="utf-8")
        return Guard.from_config(file)

    return read


class TestWhole:
    def test_every_entry_arrives(self, load, tmp_path):
        """Where the guard keeps it."""
        guard = load(
            """
            [guard]
            policy = "regenerate(2) | annotate"
            on_unverified = "block"
            fail = "closed"
            deadline = 30
            cache = "memory/cache.sqlite"
            budget = { calls = 200, tokens = 100000 }

            [chat]
            adapter = "scripted"
            script = "yes"

            [judge]
            adapter = "placed"
            source = "judge.txt"
            model = "small"

            [[detectors]]
            name = "says"
            """
        )
        assert str(guard.policy.policy) == "regenerate(2) | annotate"
        assert (guard.policy.on_unverified, guard.policy.fail) == ("block", "closed")
        assert (guard.deadline, guard.budget) == (30, Budget(200, 100_000))
        assert guard.hub.store.path == tmp_path / "memory" / "cache.sqlite"
        assert isinstance(guard.hub.backends["chat"], ScriptedChat)
        judge = guard.hub.backends["chat:judge"]
        assert (judge.source, judge.model) == (tmp_path / "judge.txt", "small")
        assert [type(detector).__name__ for detector in guard.detectors] == [Says.__name__]

    def test_an_empty_file_checks_references(self, load):
        """The default detector."""
        assert [detector.name for detector in load("").detectors] == ["references"]

    def test_no_detectors_can_be_said(self, load):
        """An empty list is a list."""
        assert load("detectors = []").detectors == ()

    def test_a_budget_may_be_a_number_of_calls(self, load):
        """The short form."""
        assert load("detectors = []\n[guard]\nbudget = 7").budget == Budget(calls=7)


class TestLanguageModel:
    def test_of_this_machine(self, load, tmp_path, monkeypatch):
        """A folder beside the file; any other word stays a name."""
        monkeypatch.setitem(BACKENDS["language_model"]._targets, "local", "tests.unit.test_config:Reader")
        (tmp_path / "small").mkdir()
        for name, expected in (("small", tmp_path / "small"), ("smollm", "smollm")):
            guard = load(f"[language_model]\nadapter = 'local'\nmodel = '{name}'\nseed = 3")
            found = guard.hub.backends["language_model"]
            assert (found.model, found.seed) == (expected, 3)

    def test_of_a_service(self, load, tmp_path):
        """Paid by the call, so the budget of the guard holds for it."""
        (tmp_path / "m").mkdir()  # its name is none of a folder
        guard = load(
            """
            [language_model]
            adapter = "completions"
            model = "m"
            base_url = "http://localhost:1/v1"
            top = 5

            [[detectors]]
            name = "phr"
            contexts = 4
            """
        )
        assert guard.hub.backends["language_model"].model == "m"
        assert guard.hub.is_paid("language_model")

    def test_reaches_the_detector(self, load):
        """From the file to a finding, over HTTP."""
        with serve(model=BernoulliModel(["a", "b"])) as server:
            guard = load(
                f"""
                [language_model]
                adapter = "completions"
                model = "m"
                base_url = "{server.base_url}"

                [[detectors]]
                name = "phr"
                """
            )
            prompt = "Input: a\nLabel: yes\n\n" * 9 + "Input: a\nLabel:"
            (finding,) = guard.check("no", prompt=prompt).findings
            guard.hub.backends["language_model"].close()
        assert (finding.detector, finding.verdict) == ("phr", "unsupported")


class Asker(Backend):
    """A backend of two models."""

    paths: ClassVar = {"questions": PathOption.FILE_OR_NAME, "distractors": PathOption.FILE_OR_NAME}

    fingerprint = "asker"

    def __init__(self, questions="q", distractors="d"):
        self.models = questions, distractors

    def answer(self, requests):
        return []


class TestBackends:
    def test_each_lane(self, load, tmp_path, monkeypatch):
        """By the name of its section; folders beside the file, other words as they are."""
        (tmp_path / "asks").mkdir()
        for lane in ("answers", "embedding", "entailment", "similarity"):
            monkeypatch.setitem(BACKENDS[lane]._targets, "local", "tests.unit.test_config:Reader")
        monkeypatch.setitem(BACKENDS["questions"]._targets, "local", "tests.unit.test_config:Asker")
        sections = [f"[{lane}]\nadapter = 'local'\nmodel = '{lane}'\n" for lane in ("answers", "embedding")]
        sections += ["[entailment]\nadapter = 'local'\nmodel = 'asks'\nseed = 2\n"]
        sections += ["[questions]\nadapter = 'local'\nquestions = 'asks'\n"]
        found = load("".join(sections)).hub.backends
        assert {*found} - {"compute"} == {"answers", "embedding", "entailment", "questions"}
        assert found["answers"].model == "answers"
        assert (found["entailment"].model, found["entailment"].seed) == (tmp_path / "asks", 2)
        assert found["questions"].models == (tmp_path / "asks", "d")

    def test_another_folder_later(self, load, tmp_path, monkeypatch):
        """Models are opened at first use, so a folder is found wherever the program is by then."""
        monkeypatch.setitem(BACKENDS["entailment"]._targets, "local", "tests.unit.test_config:Reader")
        (tmp_path / "deep").mkdir()
        load("[entailment]\nadapter = 'local'\nmodel = 'deep'")
        monkeypatch.chdir(tmp_path)
        guard = Guard.from_config("guardrail.toml")
        assert guard.hub.backends["entailment"].model == tmp_path / "deep"

    def test_packaged(self, load):
        """Takes no options, and says so; nothing is loaded yet."""
        found = load("[entailment]\nadapter = 'packaged'\n[similarity]\nadapter = 'packaged'").hub.backends
        assert isinstance(found["entailment"], PackagedEntailment)
        assert isinstance(found["similarity"], Packaged)
        with pytest.raises(ConfigError, match=r"'packaged' has no option 'precision'\. It takes: none"):
            load("[entailment]\nadapter = 'packaged'\nprecision = 'bf16'")

    def test_not_here(self, load, tmp_path):
        """A caller can tell a model that is missing from one that is misspelt; the note says where it is named."""
        with pytest.raises((WeightsMissing, MissingExtra)) as caught:
            load("[entailment]\nadapter = 'local'\nmodel = 'no-such-model'")
        assert caught.value.__notes__ == [f"in [entailment] of {tmp_path / 'guardrail.toml'}"]

    def test_a_fit_beside_the_file(self, load, tmp_path):
        """As all paths; the word that is none stays the name of a packaged one."""
        for fit in ("mine.json", "wikibio-minilm"):
            (tmp_path / "mine.json").write_text("{", encoding="utf-8")
            with pytest.raises(ConfigError) if fit == "mine.json" else nullcontext() as caught:
                load(f"[[detectors]]\nname = 'selfcheck'\nmethod = 'ensemble'\nfit = '{fit}'")
            assert caught is None or str(tmp_path / "mine.json") in str(caught.value)

    def test_every_lane(self):
        """What can be asked has a section; chat has two of its own, and the guard's own generator none."""
        asked = list(vars(requests).values())
        lanes = {kind.lane for kind in asked if isinstance(kind, type) and issubclass(kind, Request)}
        assert lanes - {"", "chat", "generate", "compute"} == {*BACKENDS}


class TestTexts:
    def test_they_replace_ours_in_every_policy(self, load):
        """Under those that a policy has itself; also of a file that names no policy."""
        texts = "[texts]\nunverified = 'a'\nde = { unverified = 'b' }"
        assert str(load(texts).policy.policy) == 'flag(unverified="a", de.unverified="b")'
        written = "[guard]\npolicy = 'remove | annotate(unverified=\"c\")'\n"
        expected = 'remove(unverified="a", de.unverified="b") | annotate(unverified="c", de.unverified="b")'
        assert str(load(written + texts).policy.policy) == expected


class TestMistakes:
    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("[gaurd]", r"no section in .* named 'gaurd'\. Did you mean 'guard'"),
            ("policy = 'flag'", r"policy is outside of any section: write it below \[guard\]"),
            ("[guard]\npolcy = 'flag'", r"no \[guard\] entry in .* named 'polcy'\. Did you mean 'policy'"),
            ("[guard]\npolicy = 'flg'", "no policy named 'flg'. Did you mean 'flag'"),
            ("[guard]\npolicy = 3", "expected \\[guard\\] policy to be a text, got 3"),
            ("[guard]\nfail = 'shut'", "expected fail to be one of open, closed, got 'shut'"),
            (
                "[guard]\non_unverified = 'mark'",
                "expected on_unverified to be one of allow, annotate, block, got 'mark'",
            ),
            (
                "[guard]\ndeadline = 'soon'",
                "expected \\[guard\\] deadline to be a number of seconds, got 'soon'",
            ),
            ("[texts]\nunverifed = 'x'", "no text named 'unverifed'. Did you mean 'unverified'"),
            ("[texts]\nunverified = 3", "texts= takes a text for 'unverified', got 3"),
            ("texts = 'x'", "expected a table, got a text as texts: write \\[texts\\]"),
            ("[guard]\ndeadline = true", "expected \\[guard\\] deadline to be a number of seconds, got True"),
            ("[guard]\ncache = 3", "expected \\[guard\\] cache to be a text, got 3"),
            ("[guard]\nbudget = 'much'", "expected budget to be a number of calls or"),
            ("[guard]\nbudget = true", "expected budget to be a number of calls or"),
            ("[guard]\nbudget = { calls = 'x' }", "expected budget to be a number of calls or"),
            ("[guard]\nbudget = { call = 3 }", "no budget entry in .* named 'call'. Did you mean 'calls'"),
            ("guard = 3", "expected a table, got 3 as guard: write \\[guard\\]"),
            ("detectors = 3", "expected a list of detectors, got 3: write \\[\\[detectors\\]\\]"),
            (
                "[[detectors]]\neffort = 'fast'",
                'expected \\[\\[detectors\\]\\] to have an entry name, .* write name = "references"',
            ),
            ("[[detectors]]\nname = 'refernces'", "no detector named 'refernces'. Did you mean 'references'"),
            (
                "[[detectors]]\nname = 'references'\nefort = 1",
                "detector 'references' has no option 'efort'",
            ),
            (
                "[[detectors]]\nname = 'references'\ncomplete = true",
                "has no option 'complete'. An index says so itself: run guardrail references index add .* --complete",
            ),
            ("[[detectors]]\nname = 'references'\neffort = 'max'", "expected effort to be one of"),
            (
                "[chat]\nmodel = 'm'",
                'expected \\[chat\\] to have an entry adapter, .* write adapter = "openai"',
            ),
            ("[chat]\nadapter = 'opnai'", "no chat adapter named 'opnai'. Did you mean 'openai'"),
            (
                "[language_model]\nmodel = 'm'",
                'expected \\[language_model\\] to have an entry adapter, .* write adapter = "completions"',
            ),
            ("[language_model]\nadapter = 'lokal'", "no language model named 'lokal'. Did you mean 'local'"),
            (
                "[language_model]\nadapter = 'completions'\nmodel = 'm'\ntopp = 3",
                "language model 'completions' has no option 'topp'",
            ),
            ("[entailment]\nadapter = 'hub'", "no entailment model named 'hub'. Available: local, packaged"),
            (
                "[entailment]\nmodel = 'm'",
                'expected \\[entailment\\] to have an entry adapter, .* write adapter = "local"',
            ),
            ("[chat]\nadapter = 'placed'", "needs 'source', got no option: write source = …"),
            ("[chat]\nadapter = 'recorded'\nsource = 'no.jsonl'", "no.jsonl"),
            ("[guard", "not TOML in UTF-8"),
        ],
    )
    def test_are_named(self, load, text, message):
        """With what was expected, what came, and where."""
        with pytest.raises(GuardrailError, match=message):
            load(text)

    @pytest.mark.parametrize(
        "text",
        [
            "[chat]\napi_key = 'sk-secret'",
            "[[chat]]\nadapter = 'openai'\napi_key = 'sk-secret'",
            "chat = 'sk-secret'",
            "detectors = 'sk-secret'",
            "detectors = ['sk-secret']",
            "[entailment]\napi_key = 'sk-secret'",
        ],
    )
    def test_no_secret_is_told(self, load, text):
        """An entry that is none may hold a key of a service; the message names its parts, and no values."""
        with pytest.raises(ConfigError, match=r"guardrail\.toml: expected ") as caught:
            load(text)
        assert "sk-" not in str(caught.value)

    def test_a_file_that_is_not_there(self, tmp_path):
        """With its name."""
        with pytest.raises(
            ConfigError, match=r"expected a configuration file, got .*none\.toml.*No such file"
        ):
            Guard.from_config(tmp_path / "none.toml")

    def test_a_file_in_another_encoding(self, tmp_path):
        """Not a UnicodeDecodeError."""
        (tmp_path / "g.toml").write_bytes("# Größe".encode("latin-1"))
        with pytest.raises(ConfigError, match="not TOML in UTF-8"):
            Guard.from_config(tmp_path / "g.toml")

    def test_an_unknown_name_stays_an_unknown_name(self, load):
        """So that a program can offer what is available."""
        with pytest.raises(UnknownName) as caught:
            load("[[detectors]]\nname = 'x'")
        assert "references" in caught.value.available
