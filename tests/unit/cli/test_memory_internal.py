"""`guardrail memory internal`."""

import json
import re

import pytest

from guardrail.errors import ParseError
from guardrail.memory.commands._pairs import noun, read_pairs
from guardrail.memory.internal import Pair
from guardrail.testing.server import serve

CAPITALS = {"Norway": "Oslo", "Italy": "Rome", "Japan": "Tokyo", "Peru": "Lima", "Chad": "N'Djamena"}
BASE = ["memory", "internal", "--pairs", "c.jsonl", "--left", "country", "--right", "capital", "--model", "m"]


@pytest.fixture(autouse=True)
def key(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "none")


@pytest.fixture
def pairs(folder):
    """Five capitals, and a country that has none."""
    rows = [{"country": left, "capital": right} for left, right in CAPITALS.items()]
    rows.append({"country": "Nowhere", "capital": ""})
    (folder / "c.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return folder


def data(call):
    """What the question is about: a country, or lines of pairs."""
    return call.text.partition("\n\n")[2]


def knows(call):
    """Every capital, and every list."""
    text = data(call)
    if not text.startswith("["):
        return CAPITALS[text]
    return ", ".join(CAPITALS[json.loads(line)[0]] for line in text.splitlines())


def echoes(call):
    """Every capital; lists in the order in which they are shown."""
    text = data(call)
    return (
        ", ".join(json.loads(line)[1] for line in text.splitlines()) if text.startswith("[") else knows(call)
    )


class TestMeasures:
    def test_table(self, run, pairs):
        """P by k with its interval; 0 where every reply could be read."""
        with serve(knows) as served:
            result = run(*BASE, "--base-url", served.base_url, "--k", 2, 3, "--questions", 20)
        assert result.exit_code == 0, result.stderr
        assert "5 asked one by one, 5 known" in result.stdout
        assert "1 row without a name left out" in result.stdout
        lines = [line.split() for line in result.stdout.splitlines()[-2:]]
        assert [line[:2] for line in lines] == [["2", "0.000"], ["3", "0.000"]]

    def test_json(self, run, pairs):
        """A model that repeats what it is shown is right where the order drawn is the right one: half of k = 2."""
        with serve(echoes) as served:
            result = run(*BASE, "--base-url", served.base_url, "--k", 2, "--questions", 60, "--json")
        found = json.loads(result.stdout)
        (one,) = found["settings"]
        assert (one["k"], one["strategy"], found["pairs"]["known"]) == (2, "shuffle", 5)
        assert one["interval"][0] < 0.5 < one["interval"][1]
        assert sum(one["counts"].values()) == 60

    def test_moved(self, run, pairs):
        """Where nothing stands in its place, repeating is always wrong."""
        with serve(echoes) as served:
            result = run(
                *BASE,
                "--base-url",
                served.base_url,
                "--k",
                3,
                "--questions",
                9,
                "--shuffle",
                "moved",
                "--json",
            )
        assert json.loads(result.stdout)["settings"][0]["probability"] == 1.0

    def test_permutations(self, run, pairs):
        """All six orders of each combination: one in six is right for who repeats what it is shown."""
        with serve(echoes) as served:
            options = ["--strategy", "permutations", "--k", 3, "--questions", 4, "--json"]
            result = run(*BASE, "--base-url", served.base_url, *options)
        (one,) = json.loads(result.stdout)["settings"]
        assert one["counts"] == {"right": 4, "wrong": 20, "malformed": 0, "failed": 0}
        assert one["probability"] == pytest.approx(5 / 6)

    def test_malformed(self, run, pairs):
        """Counted apart and by kind; P is over the others, and 3 says that something is lacking."""

        def reply(call):
            return "I had rather not." if data(call).startswith("[") and "Peru" in data(call) else knows(call)

        with serve(reply) as served:
            result = run(*BASE, "--base-url", served.base_url, "--k", 2, "--questions", 30)
        assert result.exit_code == 3
        assert "0.000" in result.stdout
        assert re.search(r"\(\d+ length; P 0\.\d{3} with them as wrong\)", result.stdout)

    def test_too_few_known(self, run, pairs):
        """What cannot be asked is said; the rest is measured."""
        with serve(lambda call: knows(call) if "Peru" not in data(call) else "Quito") as served:
            result = run(*BASE, "--base-url", served.base_url, "--k", 2, 5, "--questions", 5)
        assert result.exit_code == 3
        assert "only 4 pairs are known" in result.stdout

    def test_quiet(self, run, pairs):
        """The exit code tells."""
        with serve(knows) as served:
            result = run(*BASE, "--base-url", served.base_url, "--k", 2, "--questions", 2, "--quiet")
        assert (result.exit_code, result.stdout) == (0, "")


class TestFolder:
    def test_goes_on(self, run, pairs):
        """Replies are kept: the same command asks nothing again, and finds the same."""
        with serve(echoes) as served:
            command = [*BASE, "--base-url", served.base_url, "--k", 2, "--questions", 10, "--out", "runs/m"]
            first = run(*command)
            asked = served.stats()
            second = run(*command)
            assert served.stats() == asked
        assert first.stdout == second.stdout
        content = json.loads((pairs / "runs/m/result.json").read_text(encoding="utf-8"))
        lines = (pairs / "runs/m/questions.jsonl").read_text(encoding="utf-8").splitlines()
        assert content["settings"][0]["counts"]["right"] == sum(
            json.loads(one)["result"] == "right" for one in lines
        )
        assert len(lines) == 10

    def test_more_questions(self, run, pairs):
        """A longer run pays for what is new."""
        with serve(knows) as served:
            command = [*BASE, "--base-url", served.base_url, "--k", 2, "--out", "runs/m", "--questions"]
            run(*command, 10)
            run(*command, 15)
            assert served.stats()["choices"] == 5 + 15

    def test_a_file(self, run, pairs):
        """A folder is wanted."""
        result = run(*BASE, "--out", "c.jsonl")
        assert result.exit_code == 2
        assert "expected a folder" in result.stderr


class TestUsage:
    @pytest.mark.parametrize(
        ("options", "told"),
        [
            (["--right", "capitol"], "Did you mean 'capital'?"),
            (["--orders", "3"], "--strategy permutations"),
            (["--strategy", "permutations", "--shuffle", "moved"], "permutations are all orders"),
            (["--strategy", "permutations", "--k", "10"], "--orders"),
            (["--pairs", "absent.jsonl"], "no such file"),
            (["--k", "1"], "greater than or equal to 2"),
            (["--base-url", "localhost"], "http://"),
        ],
    )
    def test_told(self, run, pairs, options, told):
        """2, with what to do, before anything is asked."""
        result = run(*BASE, *options)
        assert result.exit_code == 2
        assert told in result.stderr

    def test_nothing_known(self, run, pairs):
        """A model that knows nothing cannot be measured; its first words are told."""
        with serve(lambda call: "As a language model I cannot.") as served:
            result = run(*BASE, "--base-url", served.base_url)
        assert result.exit_code == 2
        assert "got none of 5: asked about 'Norway' it said" in result.stderr

    def test_nobody_answers(self, run, pairs):
        """Why is told, once."""
        with serve(knows, key="secret") as served:
            result = run(*BASE, "--base-url", served.base_url)
        assert result.exit_code == 2
        assert "no reply" in result.stderr

    def test_too_few(self, run, folder):
        """One pair cannot be confused."""
        (folder / "c.jsonl").write_text('{"country": "Norway", "capital": "Oslo"}\n', encoding="utf-8")
        assert "at least 2 different pairs" in run(*BASE).stderr


class TestReadPairs:
    def test_csv(self, folder):
        """By its header."""
        (folder / "p.csv").write_text(
            "term,who,other\nradium,Curie,\npenicillin,Fleming,Florey\n", encoding="utf-8"
        )
        assert read_pairs("p.csv", "term", "who", "other") == [
            Pair("radium", "Curie"),
            Pair("penicillin", "Fleming", ("Florey",)),
        ]

    def test_line_separators_within_a_text(self, folder):
        """JSON may hold them as they are; rows end at line feeds alone."""
        path = folder / "pairs.jsonl"
        path.write_text('{"a": "x\u2028y\u0085z", "b": "w"}\r\n', encoding="utf-8")
        assert read_pairs(str(path), "a", "b") == [Pair("x\u2028y\u0085z", "w")]

    def test_lists(self, folder):
        """Each name of a list is right."""
        (folder / "p.jsonl").write_text(
            '{"a": "Bolivia", "b": ["Sucre", "La Paz"]}\n\n{"a": "x", "b": null}\n'
        )
        assert read_pairs("p.jsonl", "a", "b") == [Pair("Bolivia", "Sucre", ("La Paz",)), Pair("x", "")]

    @pytest.mark.parametrize("line", ["no json", "[1]", '{"a": {"b": 1}, "b": "x"}', '{"b": "x"}'])
    def test_no_pair(self, folder, line):
        """Named by its line."""
        (folder / "p.jsonl").write_text('{"a": "x", "b": "y"}\n' + line + "\n", encoding="utf-8")
        with pytest.raises(ParseError, match=r"p\.jsonl:2"):
            read_pairs("p.jsonl", "a", "b")


class TestNoun:
    @pytest.mark.parametrize(
        ("field", "language", "word"),
        [
            ("author_simplified", "zh", "作者"),
            ("country_zh", "zh", "国家"),
            ("first_line", "en", "first line"),
        ],
    )
    def test_of_a_field(self, field, language, word):
        """As a question may call it."""
        assert noun(field, language) == word
