"""`guardrail check` with few-shot prompts, by a model that an option or a file names. Oracle: the detector, run by hand on the same model."""

import pytest
from tests.unit.backends.models import needs_local

from guardrail import Guard, Report
from guardrail.detectors import PosteriorHallucinationRate
from guardrail.phr import BernoulliModel
from guardrail.phr.pairs import Form
from guardrail.report import Case
from guardrail.testing.server import serve

PAIRS = "Input: a fine film\nLabel: positive\n\nInput: it drags\nLabel: negative\n\n"
PROMPT = 9 * PAIRS + "Input: a fine film\nLabel:\n"


def coins(**options):
    return BernoulliModel(["a fine film", "it drags"], labels=("negative", "positive"), **options)


@pytest.fixture(autouse=True)
def prompt(folder):
    (folder / "prompt.txt").write_text(PROMPT, encoding="utf-8")


@pytest.fixture
def phr(run):
    """A check of an answer to the prompt, by the detector with these options."""

    def call(answer, *arguments, options="", prompt="prompt.txt"):
        detector = f"phr:{options}" if options else "phr"
        return run("check", "-", "--prompt", f"@{prompt}", "--detector", detector, *arguments, input=answer)

    return call


def at(server):
    return ("--backend", f"language_model=completions:model=m,base_url={server.base_url}")


class TestEndpoints:
    @pytest.mark.parametrize(("answer", "code"), [("positive", 0), ("negative", 1)])
    def test_verdict(self, phr, answer, code):
        """By the exit code, with what it cost."""
        with serve(model=coins()) as server:
            result = phr(answer, *at(server))
        assert result.exit_code == code
        assert "model calls" in result.stdout.splitlines()[-1]

    def test_is_the_detectors(self, phr):
        """Score and rate, by the options that are written; all that it rests on is in the report."""
        detector = PosteriorHallucinationRate(contexts=4, horizon=2, epsilon=0.3)
        given = Guard([detector], backends={"language_model": coins()}).check(
            Case.of("negative", prompt=PROMPT)
        )
        with serve(model=coins()) as server:
            result = phr("negative", *at(server), "--json", options="contexts=4,horizon=2,epsilon=0.3")
        report = Report.model_validate_json(result.stdout)
        assert report.signatures == given.signatures
        (found,), (wanted,) = report.findings, given.findings
        assert [one.name for one in found.evidence if one.kind == "measurement"] == [
            one.name for one in wanted.evidence if one.kind == "measurement"
        ]
        assert found.score == wanted.score

    def test_other_words(self, phr, folder):
        """Before inputs and labels."""
        (folder / "prompt.txt").write_text(PROMPT.replace("Input:", "Q:").replace("Label:", "A:"))
        with serve(model=coins(form=Form("Q:", "A:"))) as server:
            result = phr("negative", *at(server), options="input=Q:,label=A:")
        assert result.exit_code == 1

    def test_a_budget(self, phr):
        """Is kept by fewer contexts."""
        with serve(model=coins()) as server:
            result = phr("negative", *at(server), "--budget", 19)
            assert server.stats()["requests"] <= 19
        assert "in 3 of 3 imagined contexts (7 more could not be used: budget" in result.stdout

    def test_a_chat_only_one(self, phr):
        """Says what is missing, and what to do."""
        with serve(chat_only=True) as server:
            result = phr("negative", *at(server))
        assert result.exit_code == 3
        assert "This is a chat model" in result.stdout
        assert "serve the model with vLLM or llama.cpp" in result.stdout


class TestConfig:
    def test_the_model_that_a_file_names(self, run, folder):
        """For the detector that needs one; its calls are counted, and bounded by the file."""
        with serve(model=coins()) as server:
            (folder / "guardrail.toml").write_text(
                f"""
                [guard]
                budget = 25

                [language_model]
                adapter = "completions"
                model = "m"
                base_url = "{server.base_url}"

                [[detectors]]
                name = "phr"
                """
            )
            (folder / "said.txt").write_text("negative")
            result = run("check", "said.txt", "--prompt", "@prompt.txt", "--config", "guardrail.toml")
            assert server.stats()["requests"] <= 25
        assert result.exit_code == 1
        assert "in 4 of 4 imagined contexts (6 more could not be used: budget" in result.stdout
        assert "model calls" in result.stdout.splitlines()[-1]


class TestMistakes:
    @pytest.mark.parametrize(
        ("options", "message"),
        [
            ("epsilon=2", "expected epsilon to be a number from 0 to 1"),
            ("contexts=1", "contexts"),
            ('label="La\\nbel"', "expected label to be words in one line"),
        ],
    )
    def test_options(self, phr, options, message):
        """In one line."""
        result = phr("negative", options=options)
        assert result.exit_code == 2
        assert message in result.stderr
        assert result.stderr.count("\n") == 1

    def test_no_model(self, phr):
        """The error says which option names one."""
        result = phr("negative")
        assert result.exit_code == 2
        assert "add --backend language_model=completions:model=NAME" in result.stderr


class TestLocalModels:
    def test_no_torch(self, phr, monkeypatch):
        """Says how to install it."""
        monkeypatch.setitem(__import__("sys").modules, "torch", None)
        result = phr("negative", "--backend", "language_model=local:model=./nowhere")
        assert result.exit_code == 2
        assert "pip install 'guardrail-sdk[local]'" in result.stderr

    def test_no_such_model(self, phr):
        """Says how to fetch it."""
        needs_local()
        assert (
            "hf download nowhere" in phr("negative", "--backend", "language_model=local:model=nowhere").stderr
        )

    def test_one_that_imagines_nothing(self, phr, folder, tmp_path):
        """A tiny model with random weights reads, and writes no pair; both are said."""
        needs_local()
        from tests.unit.backends.test_language_model import make

        place = make(tmp_path / "tiny", "gpt2")
        (folder / "short.txt").write_text("Input: a\nLabel: cat\n\nInput: the\nLabel:")

        def judged(prompt):
            backend = f"language_model=local:model={place}"
            return phr("dog", "--backend", backend, options="contexts=2,horizon=1", prompt=prompt)

        shorter = judged("short.txt")
        assert shorter.exit_code == 3
        assert "has not ended after 48 tokens" in shorter.stdout
        longer = judged("prompt.txt")
        assert longer.exit_code == 3
        assert "tokens and the window 64" in longer.stdout


class TestNeeds:
    def test_documents_are_no_prompt_with_solved_examples(self, run, folder):
        """It judged nothing, and said that everything was supported."""
        (folder / "c.txt").write_text("A film.", encoding="utf-8")
        result = run("check", "answer.md", "--detector", "phr", "--context", "c.txt")
        assert result.exit_code == 2
        assert "add --prompt TEXT" in result.stderr
