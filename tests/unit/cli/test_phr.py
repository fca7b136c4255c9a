"""`guardrail phr`. Oracle: the detector, run by hand on the same model."""

import json

import pytest
from tests.unit.backends.models import needs_local

from guardrail import Guard, Report
from guardrail.cli._counted import Counted
from guardrail.detectors import PosteriorHallucinationRate
from guardrail.engine.flow import Answer, Failed, Reason
from guardrail.phr import BernoulliModel
from guardrail.phr.commands._phr import _whole_pairs
from guardrail.phr.pairs import Form
from guardrail.report import Case
from guardrail.requests import Distribution, Sample
from guardrail.testing.server import serve

PAIRS = "Input: a fine film\nLabel: positive\n\nInput: it drags\nLabel: negative\n\n"
PROMPT = 9 * PAIRS + "Input: a fine film\nLabel:\n"
COINS = BernoulliModel(["a fine film", "it drags"], labels=("negative", "positive"))


@pytest.fixture(autouse=True)
def prompt(folder):
    (folder / "prompt.txt").write_text(PROMPT, encoding="utf-8")


@pytest.fixture
def phr(run):
    """The command with a prompt."""

    def call(*arguments, **options):
        return run("phr", "--prompt", "prompt.txt", *arguments, **options)

    return call


def findings(result):
    return Report.model_validate_json(result.stdout).findings


class TestVerdict:
    @pytest.mark.parametrize(
        ("answer", "code", "word"), [("positive", 0, "supported 0.00"), ("negative", 1, "unsupported 1.00")]
    )
    def test_of_an_answer(self, phr, answer, code, word):
        """The score of the answer, then what it rests on, a line each."""
        result = phr("--answer", answer, "--conjugate")
        assert result.exit_code == code
        first, *rest = result.stdout.splitlines()
        assert word in first
        assert [line.split("\t")[0] for line in rest[:-2]] == [
            "probability that the answer is a hallucination",
            "PHR",
            "evidence of a drift",
            "mutual information [nats]",
            "imagined contexts",
        ]
        assert "above a half, it follows the error rate" in rest[-2]

    def test_is_the_detectors(self, phr):
        """Number by number."""
        detector = PosteriorHallucinationRate(contexts=4, horizon=2, epsilon=0.3)
        model = BernoulliModel(["a fine film", "it drags"], labels=("negative", "positive"), seed=5)
        report = Guard([detector], backends={"language_model": model}).check(
            Case.of("negative", prompt=PROMPT)
        )
        result = phr(
            "--answer",
            "negative",
            "--conjugate",
            "-M",
            4,
            "--horizon",
            2,
            "--epsilon",
            0.3,
            "--seed",
            5,
            "--json",
        )
        assert findings(result) == report.findings

    def test_without_an_answer(self, phr):
        """The rate alone, at no verdict."""
        result = phr("--conjugate", "--epsilon", 0.05, "--until-se", 0.2)
        assert result.exit_code == 0
        assert result.stdout.startswith(
            "no answer was given; the rate is that of all that might follow the 18 examples\nPHR\t"
        )
        assert "at most a half, it follows the likely set" in result.stdout
        (finding,) = findings(phr("--conjugate", "--json"))
        assert (finding.score, finding.verdict, finding.evidence[0].name) == (None, "unverified", "PHR")

    def test_files(self, phr, run, folder):
        """The report as a file, and quietly; prompt and answer from elsewhere."""
        assert phr("--answer", "negative", "--conjugate", "--quiet", "--json", "report.json").stdout == ""
        assert json.loads((folder / "report.json").read_text())["findings"][0]["score"] == 1.0
        (folder / "said.txt").write_text("Positive.\n")
        assert (
            run("phr", "--prompt", "-", "--answer", "@said.txt", "--conjugate", input=PROMPT).exit_code == 0
        )

    def test_other_words(self, phr, folder):
        """Before inputs and labels."""
        (folder / "prompt.txt").write_text(PROMPT.replace("Input:", "Q:").replace("Label:", "A:"))
        words = ("--input", "Q:", "--label", "A:")
        assert phr("--answer", "negative", "--conjugate", *words).exit_code == 1

    def test_by_draws(self, phr):
        """The paper's estimator."""
        result = phr("--answer", "negative", "--conjugate", "--estimator", "drawn", "--draws", 4, "-M", 3)
        assert result.exit_code == 1
        assert ", drawn, " in result.stdout


class TestEndpoints:
    def test_an_endpoint(self, phr):
        """With what it cost."""
        with serve(model=COINS) as server:
            result = phr("--answer", "negative", "--base-url", server.base_url, "--model", "m")
        assert result.exit_code == 1
        assert "model calls" in result.stdout.splitlines()[-1]

    def test_a_budget(self, phr):
        """Is kept by fewer contexts."""
        with serve(model=COINS) as server:
            where = ("--base-url", server.base_url, "--model", "m", "--json")
            (finding,) = findings(phr("--answer", "negative", "--budget", 19, *where))
            assert server.stats()["requests"] <= 19
        assert "in 3 of 3 imagined contexts (7 more could not be used: budget" in finding.reason

    @pytest.mark.parametrize("answer", [(), ("--answer", "negative")])
    def test_a_chat_only_one(self, phr, answer):
        """Says what is missing, and what to do."""
        with serve(chat_only=True) as server:
            result = phr(*answer, "--base-url", server.base_url, "--model", "m")
        assert result.exit_code == 3
        assert "This is a chat model" in result.stdout
        assert "serve the model with vLLM or llama.cpp" in result.stdout


class TestConfig:
    def test_check_uses_the_model_that_a_file_names(self, run, folder):
        """For the detector that needs one; its calls are counted, and bounded by the file."""
        with serve(model=COINS) as server:
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


class TestProgress:
    def test_a_step_is_a_pair_that_could_be_read(self):
        """Neither one that is drawn again, nor a response."""
        worth = _whole_pairs(Form())
        pair = Sample("c", stop=("\n\n",))
        assert worth(pair, Answer("Input: a\nLabel: b\n\n")) == 1
        assert worth(pair, Answer("Input: a\nLabel: b")) == 0
        assert worth(pair, Failed(Reason.TIMEOUT)) == 0
        assert worth(Sample("c", stop=("\n",)), Answer("Input: a\nLabel: b\n\n")) == 0
        assert worth(Distribution("c", "q"), Answer(None)) == 0

    def test_is_told_as_it_goes(self):
        """Batch by batch, in steps."""
        done = []
        counted = Counted(COINS, done.append, _whole_pairs(Form()))
        Guard([PosteriorHallucinationRate()], backends={"language_model": counted}).check("x", prompt=PROMPT)
        assert sum(done) == 50
        assert len(done) > 5


class TestMistakes:
    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            ((), "which model?"),
            (("--model", "m", "--conjugate"), "one of the three"),
            (("--conjugate", "--base-url", "http://x/v1"), "leave --base-url out"),
            (("--model", "m", "--base-url", "x"), "expected an address like"),
            (("--model", "m", "--api-key-env", "K"), "add --base-url"),
            (
                ("--model", "m", "--base-url", "http://x/v1", "--api-key-env", "NO_SUCH"),
                "'NO_SUCH' is not set",
            ),
            (("--conjugate", "--epsilon", "2"), "expected epsilon to be a number from 0 to 1"),
            (("--conjugate", "--answer", " "), "--answer: expected an answer, got nothing"),
            (("--conjugate", "--contexts", "1"), "greater than or equal to 2"),
            (("--conjugate", "--label", "La\nbel"), "expected label to be words in one line"),
        ],
    )
    def test_options(self, phr, arguments, message):
        """In one line."""
        result = phr(*arguments)
        assert result.exit_code == 2
        assert message in result.stderr
        assert result.stderr.count("\n") == 1

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("What is the capital of France?", 'expected a few-shot prompt: pairs of a line "Input: …"'),
            (PAIRS, "the prompt has 2 examples and no query"),
            (
                "Input: a\nLabel: x\n\nInput: b\nLabel:",
                "takes two labels and nothing before the pairs, got ['x']",
            ),
            (f"Say it.\n\n{PROMPT}", "and 'Say it.'"),
        ],
    )
    def test_prompts(self, run, folder, text, message):
        """What they should look like."""
        (folder / "p.txt").write_text(text)
        result = run("phr", "--prompt", "p.txt", "--conjugate", "--answer", "negative")
        assert result.exit_code == 2
        assert message in result.stderr


class TestLocalModels:
    def test_no_torch(self, phr, monkeypatch):
        """Says how to install it."""
        monkeypatch.setitem(__import__("sys").modules, "torch", None)
        result = phr("--model", "./nowhere")
        assert result.exit_code == 2
        assert "pip install 'guardrail-sdk[local]'" in result.stderr

    def test_no_such_folder(self, phr):
        """Says so; of a name, how to fetch it."""
        needs_local()
        assert "no such folder" in phr("--model", "./nowhere").stderr
        assert "hf download nowhere" in phr("--model", "nowhere").stderr

    def test_one_that_imagines_nothing(self, run, tmp_path):
        """A tiny model with random weights reads, and writes no pair; both are said."""
        needs_local()
        from tests.unit.backends.test_language_model import make

        place = make(tmp_path / "tiny", "gpt2")

        def judged(prompt):
            return run(
                "phr", "--prompt", prompt, "--answer", "dog", "--model", place, "-M", 2, "--horizon", 1
            )

        result = judged("Input: a\nLabel: cat\n\nInput: the\nLabel:")
        assert result.exit_code == 3
        assert "imagined contexts\t0\t-\t" in result.stdout
        assert "drawn again, 2 contexts given up" in result.stdout
        longer = judged(PROMPT)
        assert longer.exit_code == 3
        assert "tokens and the window 64" in longer.stdout
