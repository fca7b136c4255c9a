"""`guardrail check` with samples, log-probabilities and models on this machine: what they may be, and what goes wrong."""

import json
import math
import re
import shlex
from typing import ClassVar

import pytest
from tests.unit.backends.models import needs_local, needs_minilm

from guardrail.backends.packaged import packaged_encoder, packaged_entailment
from guardrail.detectors import SelfCheck
from guardrail.engine.backend import Backend
from guardrail.engine.flow import Answer, Failed, Reason
from guardrail.errors import MissingExtra
from guardrail.report import Report
from guardrail.requests import Answerable, Distract, Entailment, QuestionAnswer, Similarity
from guardrail.selfcheck.ensemble import fits
from guardrail.selfcheck.ensemble.fits import Fit, Member
from guardrail.selfcheck.ensemble.stack import Knot, Stack
from guardrail.testing.server import serve

TRUE, FALSE = "Mary was born in Jedburgh in 1780.", "She founded a school in Aberdeen."
SAMPLES = (
    "Mary was born in Jedburgh in 1780. She translated Laplace.",
    "Mary, born in Jedburgh in 1780, wrote on science.",
    "She was born in Jedburgh, in 1780.",
)


@pytest.fixture(autouse=True)
def files(folder, monkeypatch):
    """An answer, and three others in every form that samples may have."""
    (folder / "a.txt").write_text(f"{TRUE} {FALSE}\n")
    (folder / "many").mkdir()
    for number, text in enumerate(SAMPLES, 1):
        (folder / f"s{number}.txt").write_text(text + "\n")
        (folder / "many" / f"sample-{number * 5}.txt").write_text(text)
    (folder / "many" / ".hidden").write_text("not a sample")
    (folder / "s.json").write_text(json.dumps(SAMPLES))
    (folder / "o.json").write_text(json.dumps({"samples": [{"text": text} for text in SAMPLES]}))
    (folder / "s.jsonl").write_text("".join(f"{json.dumps({'text': text})}\n\n" for text in SAMPLES))
    for name in ("GUARDRAIL_MODELS", "HF_HOME", "HF_HUB_CACHE"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def check(run):
    """`check("a.txt …")`, as from a shell."""

    def call(line="", **options):
        return run("check", *shlex.split(line), **options)

    return call


def report_of(result):
    assert result.exit_code in {0, 1, 3}, result.output
    return Report.model_validate_json(result.stdout)


def verdicts(report):
    return [finding.verdict.value for finding in report.findings]


# -- backends that count words -------------------------------------------------------------------


def shared(one, other):
    """The share of the words of `one` that `other` has."""
    words = set(re.findall(r"\w+", one.lower()))
    return len(words & set(re.findall(r"\w+", other.lower()))) / len(words)


class WordEntailment(Backend):
    """Entailed by as much as the premise has of the words."""

    batch = 2
    paid = False
    fingerprint = "words"

    def __init__(self, model):
        self.model = model

    def answer(self, requests):
        found = [shared(one.hypothesis, one.premise) for one in requests]
        return [Answer(Entailment(entailment=p, contradiction=1 - p, neutral=0.0)) for p in found]


class Words(WordEntailment):
    """The same as the packaged model is asked: loaded, and named by its weights."""

    def __init__(self):
        super().__init__("")

    def load(self):
        """There is nothing to load."""


class WordSimilarity(Backend):
    """As similar as words are shared."""

    batch = 64
    paid = False
    fingerprint = "words"
    made: ClassVar[list] = []

    def __init__(self, model=""):
        self.made.append(model)

    def load(self):
        """Nothing to load."""

    def answer(self, requests):
        found = [shared(one.candidate, one.reference) for one in requests]
        return [Answer(Similarity(precision=p, recall=p, f1=p)) for p in found]


class WordQuestions(Backend):
    """Asks where or when it was, which is the last word; distracts with nonsense."""

    batch = 64
    paid = False
    fingerprint = "words"

    def answer(self, requests):
        return [self._reply(one) for one in requests]

    def _reply(self, one):
        if isinstance(one, Distract):
            return Answer(("Nowhere", "Never", "Nobody"))
        return Answer(QuestionAnswer("Where or when?", one.text.split()[-1].strip(".")))


class WordAnswers(Backend):
    """Takes the first answer that stands in the text, else the last."""

    batch = 64
    paid = False
    fingerprint = "words"

    def answer(self, requests):
        return [Answer(1.0) if isinstance(one, Answerable) else self._chosen(one) for one in requests]

    def _chosen(self, one):
        there = [place for place, option in enumerate(one.options) if option in one.context]
        return Answer(tuple(float(place == [*there, 3][0]) for place in range(4)))


def replace(monkeypatch, home, name, model):
    """In the package first: it keeps what it once found in the module."""
    monkeypatch.setattr(f"guardrail.backends.{name}", model)
    monkeypatch.setattr(f"guardrail.backends.{home}.{name}", model)


@pytest.fixture
def local(monkeypatch):
    """Those in place of the models that need torch."""
    for home, name, model in (
        ("questions", "QuestionModel", WordQuestions),
        ("answers", "AnswerModel", WordAnswers),
        ("entailment", "EntailmentModel", WordEntailment),
        ("similarity", "BertScore", WordSimilarity),
    ):
        replace(monkeypatch, home, name, model)
    WordSimilarity.made.clear()
    packaged_encoder.cache_clear()  # the process's own is not for other tests
    yield
    packaged_encoder.cache_clear()


def judge(call):
    """Says yes where the context holds the sentence's last word; draws the samples in turn."""
    if "Is the sentence supported" not in call.text:
        return SAMPLES[call.draw % len(SAMPLES)]
    return "No" if "Aberdeen" in call.text.rpartition("Sentence:")[2] else "Yes"


# -- the tests -----------------------------------------------------------------------------------

NGRAM = "--detector selfcheck-ngram"


class TestSamples:
    @pytest.mark.parametrize(
        "samples",
        [
            "--samples s1.txt s2.txt s3.txt",
            "--samples s1.txt --samples s2.txt --samples s3.txt",
            "--samples s1.txt s2.txt --samples=s3.txt",
            "--samples=s1.txt s2.txt s3.txt",
            "--samples s.json",
            "--samples o.json",
            "--samples s.jsonl",
            "--samples many",
        ],
    )
    def test_forms(self, check, samples):
        """Words after the option, the option again, lists, folders (2 before 10): the same three samples."""
        report = report_of(check(f"a.txt {samples} {NGRAM} --json"))
        assert report.case.samples == SAMPLES
        assert verdicts(report) == ["supported", "unsupported"]

    def test_other_ends_of_lines(self, check, folder):
        """JSON's texts may hold characters that end a line elsewhere."""
        lines = [json.dumps({"text": f"{text}\u2028\x85{text}"}, ensure_ascii=False) for text in SAMPLES]
        (folder / "lines.jsonl").write_text("\r\n".join(lines), encoding="utf-8")
        case = report_of(check(f"a.txt --samples lines.jsonl {NGRAM} --json")).case
        assert case.samples == tuple(f"{text}\u2028\x85{text}" for text in SAMPLES)

    def test_answer_behind(self, check):
        """An answer that does not come first stands alone, and the option is repeated."""
        result = check(f"--samples s1.txt --samples s2.txt {NGRAM} a.txt --json")
        assert report_of(result).case.samples == SAMPLES[:2]

    def test_a_word_that_may_be_either_is_refused(self, check):
        """Ahead of any file, s2.txt may be a sample or the answer: taken for the answer, the real one would go unread."""
        result = check(f"--samples s1.txt s2.txt {NGRAM}", input=TRUE)
        assert result.exit_code == 2
        assert "'s2.txt' may be its second value, or the answer" in result.stderr

    def test_from_standard_input(self, check):
        """One of them may be "-"."""
        result = check(f"a.txt {NGRAM} --samples s1.txt - --json", input=SAMPLES[1])
        assert report_of(result).case.samples == SAMPLES[:2]

    def test_answer_from_standard_input(self, check):
        """ "-" first is the answer."""
        report = report_of(check(f"- {NGRAM} --samples s1.txt s2.txt --json", input=TRUE))
        assert (report.case.answer, report.case.samples) == (TRUE, SAMPLES[:2])

    def test_are_drawn(self, check):
        """Without samples, --prompt and --model draw them."""
        with serve(judge) as served:
            result = check(
                f"a.txt --prompt 'Who was Mary?' --model m --base-url {served.base_url} {NGRAM}:samples=3 --json"
            )
        report = report_of(result)
        assert report.cost.total.calls == 3
        assert verdicts(report) == ["supported", "unsupported"]

    def test_several_documents(self, check, folder):
        """As samples: the words that follow."""
        report = report_of(check("a.txt --context s1.txt s2.txt --json"))
        assert [document.splitlines()[0] for document in report.case.context] == [*SAMPLES[:2]]


class TestDefault:
    def test_of_samples(self, check):
        """That of `SelfCheck()`, whatever is installed: what the samples lack scores higher."""
        report = report_of(check("a.txt --samples s.json --json"))
        assert list(report.signatures) == [SelfCheck().name]
        true, false = (finding.score for finding in report.findings)
        assert true < false

    def test_of_samples_and_documents(self, check, folder, monkeypatch):
        """Each is compared with, by a detector of its own: the ensemble does not take the documents in place of samples."""
        fit = Fit(
            (
                Member("ngram", "ngram"),
                Member("nli", "nli", {"model": "packaged", "measure": "not_entailed"}),
            ),
            (Knot(5, Stack(("ngram", "nli"), (0.0,) * 4, (1.0,) * 4, (1.0,) * 4, 0.0)),),
        )
        monkeypatch.setattr("guardrail.backends.packaged.encoder_installed", lambda: True)
        monkeypatch.setattr(fits, "packaged_fits", lambda: {"both": fit})
        monkeypatch.setattr(packaged_entailment(), "_made", Words())
        (folder / "d.md").write_text(f"Rain fell all day. {FALSE} It stopped at night.")
        report = report_of(check("a.txt --context d.md --samples s.json --json"))
        by = {
            name: [one.verdict for one in report.findings if one.detector == name]
            for name in report.signatures
        }
        assert by["selfcheck-grounding"] == ["unsupported", "supported"]
        assert 'against:"samples"' in report.signatures["selfcheck-ensemble"]

    def test_of_log_probabilities(self, check, folder):
        """The detector that reads them."""
        (folder / "l.json").write_text('[{"token": "She ran.", "logprob": -1}]')
        (folder / "a.txt").write_text("She ran.")
        report = report_of(check("a.txt --logprobs l.json --json"))
        assert [(one.detector, one.score) for one in report.findings] == [("selfcheck-greybox", 1.0)]

    def test_options_of_others_stay(self, check):
        """References are checked as well where a bibliography is named."""
        signatures = report_of(check("a.txt --samples s1.txt --bibliography refs.bib --json")).signatures
        assert {"references", SelfCheck().name} == set(signatures)


class TestModels:
    def test_nli(self, check, local):
        """Each sentence against each sample, by the entailment model that was named."""
        report = report_of(
            check(
                "a.txt --samples s.json --detector selfcheck-nli --backend entailment=local:model=mnli --json"
            )
        )
        assert verdicts(report) == ["supported", "unsupported"]
        words = [shared(FALSE, sample) for sample in SAMPLES]  # a sentence has 6 words
        assert report.findings[1].score == pytest.approx(1 - math.fsum(words) / 3)

    def test_nli_against_documents(self, check, local, folder):
        """--context stands in for samples: one document that entails is enough."""
        (folder / "d1.md").write_text(FALSE)
        (folder / "d2.md").write_text("Nothing of the kind.")
        report = report_of(
            check(
                "a.txt --context d1.md d2.md --detector selfcheck-nli --backend entailment=local:model=m --json"
            )
        )
        assert len(report.case.context) == 2
        assert report.findings[1].verdict == "supported"
        assert report.findings[1].score == 0

    def test_nli_by_the_nearest_sentences(self, check, local, folder):
        """premise=top: the page quotes what each sentence was judged by."""
        (folder / "d.md").write_text(f"Rain fell all day. {FALSE} It stopped at night. Nobody knew why.")
        report = report_of(
            check(
                "a.txt --context d.md --detector selfcheck-nli:premise=top,top=1 --backend entailment=local:model=m --json"
            )
        )
        (finding,) = [one for one in report.findings if one.text == FALSE]
        assert [one.text for one in finding.evidence if one.kind == "passage"] == [FALSE]
        assert 'premise:"top"' in report.signatures["selfcheck-nli"]

    def test_bertscore(self, check, local):
        """By the packaged encoder, or the one that was named."""
        report = report_of(
            check("a.txt --samples s.json --detector selfcheck-bertscore:encoder=packaged --json")
        )
        assert verdicts(report) == ["supported", "unsupported"]
        check(
            "a.txt --samples s.json --detector selfcheck-bertscore --backend similarity=local:model=mine/encoder"
        )
        assert WordSimilarity.made == ["", "mine/encoder"]

    @pytest.mark.parametrize("detector", ["bertscore:encoder=packaged", "nli:model=packaged"])
    def test_another_script(self, check, folder, local, monkeypatch, detector):
        """A packaged model is not asked about what it cannot read: to it any two unknown words are alike."""
        monkeypatch.setattr(packaged_entailment(), "_made", Words())
        (folder / "zh.txt").write_text("他毕业于清华大学计算机系。", encoding="utf-8")
        (folder / "other.txt").write_text("她后来搬到伦敦开了一家餐馆。", encoding="utf-8")
        result = check(f"zh.txt --samples other.txt --detector selfcheck-{detector}")
        assert result.exit_code == 3
        assert "English" in result.stdout

    def test_qa(self, check, local):
        """Questions about each sentence; the samples answer them as the answer does, or not."""
        report = report_of(
            check(
                "a.txt --samples s.json --detector selfcheck-qa --backend questions=local --backend answers=local --json"
            )
        )
        assert verdicts(report) == ["supported", "unsupported"]

    def test_ensemble(self, check):
        """The packaged encoder beside the n-grams; one probability."""
        needs_local()
        needs_minilm()
        report = report_of(check("a.txt --samples s.json --detector selfcheck-ensemble --json"))
        true, false = (finding.score for finding in report.findings)
        assert 0 < true < false < 1

    def test_prompt(self, check):
        """The chat model judges each sentence by each sample: 2 × 3 questions."""
        with serve(judge) as served:
            result = check(
                f"a.txt --samples s.json --detector selfcheck-prompt --model m --base-url {served.base_url} --json"
            )
        report = report_of(result)
        assert [finding.score for finding in report.findings] == [0.0, 1.0]
        assert report.cost.total.calls == 6

    def test_in_a_run(self, run, local, folder):
        """`guardrail evaluate` takes them too."""
        row = {"answer": f"{TRUE} {FALSE}", "samples": SAMPLES}
        (folder / "answers.jsonl").write_text(json.dumps(row) + "\n")
        words = "answers.jsonl --detector selfcheck-nli --backend entailment=local:model=m --out run"
        result = run("evaluate", *shlex.split(words))
        assert result.exit_code == 0, result.output
        assert re.search(r"selfcheck-nli +1 +1\.000 +0\.000", result.stdout)  # an answer, flagged, verified


class TestLogProbabilities:
    @pytest.mark.parametrize("shape", ["response", "choice", "logprobs", "list"])
    def test_shapes(self, check, folder, shape):
        """OpenAI's log-probabilities, the whole response or any part of it that holds them."""
        tokens = [(TRUE, -0.01), (" " + FALSE, -9.0)]
        listed = [{"token": text, "logprob": p, "bytes": None, "top_logprobs": []} for text, p in tokens]
        whole = {"id": "x", "choices": [{"message": {"content": "…"}, "logprobs": {"content": listed}}]}
        content = {
            "response": whole, "choice": whole["choices"][0], "logprobs": {"content": listed}, "list": listed,
        }  # fmt: skip
        (folder / "l.json").write_text(json.dumps(content[shape]))
        (folder / "a.txt").write_text(f"{TRUE} {FALSE}")
        report = report_of(check("a.txt --logprobs l.json --detector selfcheck-greybox --json"))
        assert [finding.score for finding in report.findings] == [0.01, 9.0]

    def test_split_characters(self, check, folder):
        """A character of several tokens, of which OpenAI tells only the bytes; the answer is spelt all the same."""
        (folder / "a.txt").write_text("He smiled 😀. He left.", encoding="utf-8")
        pieces = [
            (b"He smiled", -0.5),
            (b" \xf0\x9f", -0.1),
            (b"\x98", -5.0),
            (b"\x80.", -0.1),
            (b" He left.", -0.2),
        ]
        tokens = [
            {"token": piece.decode("utf-8", "backslashreplace"), "bytes": list(piece), "logprob": logprob}
            for piece, logprob in pieces
        ]
        (folder / "lp.json").write_text(json.dumps(tokens))
        report = report_of(check("a.txt --detector selfcheck-greybox --logprobs lp.json --json"))
        assert [finding.score for finding in report.findings] == [5.0, 0.2]
        tokens[0]["bytes"] = None
        (folder / "lp.json").write_text(json.dumps(tokens))
        report = report_of(check("a.txt --detector selfcheck-greybox --logprobs lp.json --json"))
        assert "do not spell the answer" in report.findings[0].reason


class TestOutput:
    def test_from_a_shell(self, process):
        """The exit code says the verdict, with nothing on the error output."""
        found = process("check", "a.txt", "--samples", "s1.txt", "s2.txt", "--detector", "selfcheck-ngram")
        assert (found.returncode, found.stderr) == (1, "")

    @pytest.mark.parametrize(("answer", "code"), [(TRUE, 0), (f"{TRUE} {FALSE}", 1), ("… ---", 0)])
    def test_exit_code(self, check, answer, code):
        """0 supported, 1 unsupported."""
        result = check(f"- --samples s.json {NGRAM} --quiet", input=answer)
        assert (result.exit_code, result.output) == (code, "")

    def test_piped_lines(self, check):
        """What scores without an upper bound mean is said once."""
        result = check(f"a.txt --samples s.json {NGRAM}")
        rows = [line.split("\t") for line in result.stdout.splitlines() if "\t" in line]
        assert [(row[0], row[3]) for row in rows] == [("supported", TRUE), ("unsupported", FALSE)]
        assert "is in none of the other answers" in rows[1][4]
        assert result.stdout.count("scores of selfcheck-ngram: nats, −log p̃ of words among all answers") == 1
        assert "\x1b" not in result.stdout

    def test_scores_that_are_shares_need_no_word(self, check, folder):
        """Of references, or of probabilities."""
        (folder / "d.md").write_text(TRUE)
        assert "scores of" not in check("a.txt --context d.md --bibliography refs.bib").stdout

    def test_terminal(self, check, monkeypatch):
        """A table in colours, with what another sample says."""
        monkeypatch.setenv("FORCE_COLOR", "1")
        monkeypatch.setenv("COLUMNS", "100")
        out = check(f"a.txt --samples s.json {NGRAM}").stdout
        assert "\x1b[" in out
        assert re.search(r"sample \d: ", out)

    def test_unverified_says_why(self, check, local, monkeypatch):
        """And has no number."""
        failed = [Failed(Reason.BACKEND, "the model broke")]
        monkeypatch.setattr(WordEntailment, "answer", lambda self, requests: failed * len(requests))
        result = check("a.txt --samples s.json --detector selfcheck-nli --backend entailment=local:model=m")
        rows = [line.split("\t") for line in result.stdout.splitlines() if "\t" in line]
        assert result.exit_code == 3
        assert [row[:3] for row in rows] == [["unverified", "unknown", "-"]] * 2
        assert "the model broke" in rows[0][4]

    def test_html(self, check, folder):
        """The page holds the scores, and hostile sentences as text."""
        (folder / "a.txt").write_text(f"{TRUE} <script>alert(1)</script> was her motto.")
        check(f"a.txt --samples s.json {NGRAM} --html page.html --quiet")
        page = (folder / "page.html").read_text()
        assert "Sentences and their scores" in page
        assert "<script>" not in page


ERRORS = {
    "empty sample": ("--samples s1.txt empty.txt", "expected a sample in 'empty.txt', got nothing"),
    "empty in a list": ("--samples gap.json", "sample 2 in 'gap.json' is empty"),
    "empty list": ("--samples none.json", "empty list"),
    "empty folder": ("--samples nothing", "found no file"),
    "no such sample": ("--samples nope.txt", "'nope.txt', found no such file"),
    "no JSON": ("--samples text.json", "'text.json', line 1"),
    "no JSON lines": ("--samples bad.jsonl", "'bad.jsonl', line 2"),
    "odd list": ("--samples odd.json", "'odd.json', got a number as number 2"),
    "odd object": ("--samples object.json", "an object with 'answers'"),
    "odd samples": ("--samples words.json", "got a text"),
    "threshold": ("--samples s1.txt --detector selfcheck-ngram:threshold=nan", "threshold"),
    "no key": ("--samples s1.txt --detector selfcheck-prompt --model m", "export OPENAI_API_KEY"),
    "no logprobs in it": ("--logprobs object.json", '"logprobs": true'),
    "huge logprobs": ("--logprobs huge.json", "an entry of another form"),
    "odd logprobs": ("--logprobs odd.json", "an entry of another form"),
    "no such measure": ("--samples s1.txt --detector selfcheck-nli:measure=rank", "not_entailed"),
    "overwrites a sample": ("--samples s.json --json=s.json", "name another file"),
    "two from stdin": ("--samples - -", "standard input"),
    "no lane": ("--backend entailmnt=packaged", "each of answers, bibliography, embedding, entailment"),
    "no adapter": ("--backend entailment", "LANE=ADAPTER:OPTION=VALUE"),
    "no such adapter": ("--backend entailment=packged", "Did you mean 'packaged'?"),
    "no such option": ("--backend language_model=completions:modl=m", "Did you mean 'model'?"),
    "lane twice": ("--backend entailment=packaged --backend entailment=packaged", "at most once"),
    "with a file": ("--backend entailment=packaged --config g.toml", "--backend cannot be combined with --config"),
}  # fmt: skip


class TestErrors:
    @pytest.mark.parametrize("name", ERRORS)
    def test_one_line_that_says_what_to_do(self, check, folder, name):
        """Exit code 2, nothing on the standard output."""
        (folder / "nothing").mkdir()
        contents = {
            "empty.txt": "\n", "gap.json": '["x", " "]', "none.json": "[]", "text.json": "just words",
            "bad.jsonl": '"one"\n"two\n', "odd.json": '["x", 3]', "object.json": '{"answers": []}',
            "words.json": '"x"', "huge.json": '[{"token": "x", "logprob": -1' + "0" * 400 + "}]",
        }  # fmt: skip
        for file, content in contents.items():
            (folder / file).write_text(content)
        line, expected = ERRORS[name]
        result = check(f"a.txt {line}")
        assert (result.exit_code, result.stdout) == (2, "")
        assert result.stderr.startswith("guardrail: ")
        assert result.stderr.count("\n") == 1
        assert expected in result.stderr

    def test_missing_extra(self, check, monkeypatch):
        """The command that installs it."""

        def missing(*_, **__):
            raise MissingExtra("torch", extra="local")

        monkeypatch.setattr("guardrail.backends._local.must_be_installed", missing)
        result = check("a.txt --samples s1.txt --detector selfcheck-nli --backend entailment=local:model=m")
        assert (result.exit_code, result.stdout) == (2, "")
        assert "pip install 'guardrail-sdk[local]'" in result.stderr

    def test_missing_weights(self, check, monkeypatch):
        """The command that fetches them, on one line that can be pasted."""
        monkeypatch.setattr("guardrail.backends._local.must_be_installed", lambda *_, **__: None)
        model = "potsawee/deberta-v3-large-mnli"
        result = check(
            f"a.txt --samples s1.txt --detector selfcheck-nli --backend entailment=local:model={model}"
        )
        assert result.exit_code == 2
        command = r"hf download potsawee/deberta-v3-large-mnli --exclude '\*\.bin' --local-dir \S+deberta"
        assert re.search(command, result.stderr)
        assert result.stderr.count("\n") == 1
