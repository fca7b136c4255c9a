"""`guardrail selfcheck`: every method, what samples may be, and what goes wrong."""

import json
import math
import re
import shlex
from contextlib import contextmanager
from typing import ClassVar, get_args

import pytest
from tests.unit.backends.models import needs_local, needs_minilm

from guardrail.backends.packaged import packaged_encoder, packaged_entailment
from guardrail.cli._sentences import WIDTH, short
from guardrail.detectors import SelfCheck
from guardrail.engine.backend import Backend
from guardrail.engine.flow import Answer, Failed, Reason
from guardrail.errors import MissingExtra
from guardrail.report import Report
from guardrail.requests import Answerable, Distract, Entailment, QuestionAnswer, Similarity
from guardrail.selfcheck.commands import _selfcheck
from guardrail.selfcheck.ensemble import fits
from guardrail.selfcheck.ensemble.fits import Fit, Member
from guardrail.selfcheck.ensemble.stack import Knot, Stack
from guardrail.selfcheck.nli import check as nli
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
def selfcheck(run):
    """`selfcheck("--answer a.txt …")`, as from a shell; a list's words are taken as they are."""

    def call(line="", *more, **options):
        return run("selfcheck", *shlex.split(line), *more, **options)

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

    def __init__(self, *model):
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
    def test_forms(self, selfcheck, samples):
        """Words after the option, the option again, lists, folders (2 before 10): the same three samples."""
        report = report_of(selfcheck(f"--answer a.txt {samples} --method ngram --json"))
        assert report.case.samples == SAMPLES
        assert verdicts(report) == ["supported", "unsupported"]

    def test_other_ends_of_lines(self, selfcheck, folder):
        """JSON's texts may hold characters that end a line elsewhere."""
        lines = [json.dumps({"text": f"{text}\u2028\x85{text}"}, ensure_ascii=False) for text in SAMPLES]
        (folder / "lines.jsonl").write_text("\r\n".join(lines), encoding="utf-8")
        case = report_of(selfcheck("--answer a.txt --samples lines.jsonl --method ngram --json")).case
        assert case.samples == tuple(f"{text}\u2028\x85{text}" for text in SAMPLES)

    def test_stand_anywhere(self, selfcheck):
        """The words end where the next option begins, wherever it stands."""
        result = selfcheck("--samples s1.txt s2.txt --method ngram --answer a.txt --json")
        assert report_of(result).case.samples == SAMPLES[:2]

    def test_from_standard_input(self, selfcheck):
        """One of them may be "-"."""
        result = selfcheck("--method ngram --answer a.txt --samples s1.txt - --json", input=SAMPLES[1])
        assert report_of(result).case.samples == SAMPLES[:2]

    def test_are_drawn(self, selfcheck):
        """Without samples, --prompt and --model draw them."""
        with serve(judge) as served:
            result = selfcheck(
                f"--answer a.txt --prompt 'Who was Mary?' --model m --base-url {served.base_url} --draw 3 "
                "--method ngram --json"
            )
        report = report_of(result)
        assert report.cost.total.calls == 3
        assert verdicts(report) == ["supported", "unsupported"]


class TestAnswer:
    def test_is_a_text(self, selfcheck):
        """More than one word, and no such file."""
        report = report_of(selfcheck("--method ngram --samples s1.txt --json --answer", f"{TRUE} {FALSE}"))
        assert report.case.answer == f"{TRUE} {FALSE}"

    def test_is_read_from_the_standard_input(self, selfcheck):
        """With "-"."""
        report = report_of(selfcheck("--method ngram --answer - --samples s1.txt --json", input=TRUE))
        assert report.case.answer == TRUE

    @pytest.mark.parametrize("name", ["a b.txt", "@a b.txt"])
    def test_is_a_file_with_blanks_in_its_name(self, selfcheck, folder, name):
        """A file that is there is a file."""
        (folder / "a b.txt").write_text(TRUE)
        assert (
            report_of(selfcheck("--method ngram --samples s1.txt --json --answer", name)).case.answer == TRUE
        )

    @pytest.mark.parametrize("text", ["~5 people came.", "x" * 5000 + " y", "a\x00b c"])
    def test_may_look_like_no_path(self, selfcheck, text):
        """What the file system would refuse is a text all the more."""
        assert (
            report_of(selfcheck("--method ngram --samples s1.txt --json --answer", text)).case.answer == text
        )

    @pytest.mark.parametrize("name", ["aa.txt", "my answer.txt", "@some words"])
    def test_misspelt_is_an_error(self, selfcheck, name):
        """What names a file and is none is not scored as a text."""
        result = selfcheck("--method ngram --samples s1.txt --answer", name)
        assert result.exit_code == 2
        assert "no such file" in result.stderr


class TestMethods:
    def test_default(self, selfcheck):
        """That of `SelfCheck()`, whatever is installed: what the samples lack scores higher."""
        report = report_of(selfcheck("--answer a.txt --samples s.json --json"))
        assert list(report.signatures) == [SelfCheck().name]
        true, false = (finding.score for finding in report.findings)
        assert true < false

    def test_nli(self, selfcheck, local):
        """Each sentence against each sample, by the entailment model that was named."""
        report = report_of(selfcheck("--answer a.txt --samples s.json --method nli --json --entailment mnli"))
        assert verdicts(report) == ["supported", "unsupported"]
        words = [shared(FALSE, sample) for sample in SAMPLES]  # a sentence has 6 words
        assert report.findings[1].score == pytest.approx(1 - math.fsum(words) / 3)

    def test_nli_against_documents(self, selfcheck, local, folder):
        """--context stands in for samples: one document that entails is enough."""
        (folder / "d1.md").write_text(FALSE)
        (folder / "d2.md").write_text("Nothing of the kind.")
        report = report_of(selfcheck("--answer a.txt --context d1.md d2.md --method nli --json"))
        assert len(report.case.context) == 2
        assert report.findings[1].verdict == "supported"
        assert report.findings[1].score == 0

    def test_nli_by_the_nearest_sentences(self, selfcheck, local, folder):
        """--premise top: the page quotes what each sentence was judged by."""
        (folder / "d.md").write_text(f"Rain fell all day. {FALSE} It stopped at night. Nobody knew why.")
        command = "--answer a.txt --context d.md --method nli --json --premise top --top 1"
        report = report_of(selfcheck(command))
        (finding,) = [one for one in report.findings if one.text == FALSE]
        assert [one.text for one in finding.evidence if one.kind == "passage"] == [FALSE]
        assert 'premise:"top"' in report.signatures["selfcheck-nli"]

    @pytest.mark.parametrize("measure", get_args(nli.Measure))
    def test_nli_by_a_measure(self, selfcheck, local, measure):
        """--measure takes all that the variant has, and reaches it."""
        report = report_of(
            selfcheck(f"--answer a.txt --samples s.json --method nli --measure {measure} --json")
        )
        assert f'measure:"{measure}"' in report.signatures["selfcheck-nli"]

    def test_bertscore(self, selfcheck, local):
        """By the packaged encoder, or the one that was named."""
        report = report_of(selfcheck("--answer a.txt --samples s.json --method bertscore --json"))
        assert verdicts(report) == ["supported", "unsupported"]
        selfcheck("--answer a.txt --samples s.json --method bertscore --encoder mine/encoder")
        assert WordSimilarity.made == [(), ("mine/encoder",)]

    @pytest.mark.parametrize("options", ["bertscore", "nli --entailment entailment-mini"])
    def test_another_script(self, selfcheck, folder, local, monkeypatch, options):
        """A packaged model is not asked about what it cannot read: to it any two unknown words are alike."""
        monkeypatch.setattr(packaged_entailment(), "_model", Words)
        (folder / "zh.txt").write_text("他毕业于清华大学计算机系。", encoding="utf-8")
        (folder / "other.txt").write_text("她后来搬到伦敦开了一家餐馆。", encoding="utf-8")
        result = selfcheck(f"--answer zh.txt --samples other.txt --method {options}")
        assert result.exit_code == 3
        assert "English" in result.stdout

    def test_qa(self, selfcheck, local):
        """Questions about each sentence; the samples answer them as the answer does, or not."""
        report = report_of(selfcheck("--answer a.txt --samples s.json --method qa --json"))
        assert verdicts(report) == ["supported", "unsupported"]

    def test_ensemble(self, selfcheck):
        """The packaged encoder beside the n-grams; one probability."""
        needs_local()
        needs_minilm()
        report = report_of(selfcheck("--answer a.txt --samples s.json --method ensemble --json"))
        assert list(report.signatures) == ["selfcheck-ensemble"]
        true, false = (finding.score for finding in report.findings)
        assert 0 < true < false < 1

    def test_documents_without_a_method(self, selfcheck, folder, monkeypatch):
        """The ensemble holds them against the answer by the packaged entailment model and by words."""
        fit = Fit(
            (
                Member("ngram", "ngram"),
                Member("nli", "nli", {"model": "packaged", "measure": "not_entailed"}),
            ),
            (Knot(5, Stack(("ngram", "nli"), (0.0,) * 4, (1.0,) * 4, (1.0,) * 4, 0.0)),),
        )
        monkeypatch.setattr("guardrail.backends.packaged.encoder_installed", lambda: True)
        monkeypatch.setattr(fits, "packaged_fits", lambda: {"both": fit})
        monkeypatch.setattr(packaged_entailment(), "_model", Words)
        (folder / "d.md").write_text(f"Rain fell all day. {FALSE} It stopped at night.")
        report = report_of(selfcheck("--answer a.txt --context d.md --json"))
        assert verdicts(report) == ["unsupported", "supported"]
        assert "by grounding alone" in report.findings[0].reason

    def test_prompt(self, selfcheck):
        """The chat model judges each sentence by each sample: 2 × 3 questions."""
        with serve(judge) as served:
            result = selfcheck(
                f"--answer a.txt --samples s.json --method prompt --model m --base-url {served.base_url} --json"
            )
        report = report_of(result)
        assert [finding.score for finding in report.findings] == [0.0, 1.0]
        assert report.cost.total.calls == 6

    @pytest.mark.parametrize("shape", ["response", "choice", "logprobs", "list"])
    def test_greybox(self, selfcheck, folder, shape):
        """OpenAI's log-probabilities, the whole response or any part of it that holds them."""
        tokens = [(TRUE, -0.01), (" " + FALSE, -9.0)]
        listed = [{"token": text, "logprob": p, "bytes": None, "top_logprobs": []} for text, p in tokens]
        whole = {"id": "x", "choices": [{"message": {"content": "…"}, "logprobs": {"content": listed}}]}
        content = {
            "response": whole, "choice": whole["choices"][0], "logprobs": {"content": listed}, "list": listed,
        }  # fmt: skip
        (folder / "l.json").write_text(json.dumps(content[shape]))
        (folder / "a.txt").write_text(f"{TRUE} {FALSE}")
        report = report_of(selfcheck("--answer a.txt --logprobs l.json --method greybox --json"))
        assert [finding.score for finding in report.findings] == [0.01, 9.0]

    def test_greybox_of_split_characters(self, selfcheck, folder):
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
        report = report_of(selfcheck("--answer a.txt --method greybox --logprobs lp.json --json"))
        assert [finding.score for finding in report.findings] == [5.0, 0.2]
        tokens[0]["bytes"] = None
        (folder / "lp.json").write_text(json.dumps(tokens))
        report = report_of(selfcheck("--answer a.txt --method greybox --logprobs lp.json --json"))
        assert "do not spell the answer" in report.findings[0].reason

    def test_threshold(self, selfcheck):
        """It decides, and stands in the signature."""
        result = selfcheck("--answer a.txt --samples s.json --method ngram --threshold 0.5 --json")
        report = report_of(result)
        assert verdicts(report) == ["unsupported", "unsupported"]
        assert "threshold:0.5" in report.signatures["selfcheck-ngram"]


class TestExitCode:
    @pytest.mark.parametrize(("answer", "code"), [(TRUE, 0), (f"{TRUE} {FALSE}", 1), ("… ---", 0)])
    def test_says_the_verdict(self, selfcheck, answer, code):
        """0 supported, 1 unsupported, 3 unverified."""
        result = selfcheck("--samples s.json --method ngram --quiet --answer", answer)
        assert (result.exit_code, result.output) == (code, "")

    def test_from_a_shell(self, process):
        """The same, with nothing on the error output."""
        found = process(
            "selfcheck", "--answer", "a.txt", "--samples", "s1.txt", "s2.txt", "--method", "ngram"
        )
        assert (found.returncode, found.stderr) == (1, "")


class TestOutput:
    @pytest.mark.parametrize(
        ("name", "heading"), [("selfcheck-ngram", "ngram"), ("references", "references"), ("a-b-c", "b-c")]
    )
    def test_heading(self, name, heading):
        """The part of a detector's name after the first hyphen, if there is one."""
        assert short(name) == heading

    def test_piped_lines(self, selfcheck):
        """Verdict, score, bar, sentence, reason; no colour."""
        result = selfcheck("--answer a.txt --samples s.json --method ngram")
        rows = [line.split("\t") for line in result.stdout.splitlines() if "\t" in line]
        assert [(row[0], row[3]) for row in rows] == [("supported", TRUE), ("unsupported", FALSE)]
        assert rows[1][2] == "█" * WIDTH
        assert len(rows[0][2]) == WIDTH
        assert rows[0][2].endswith("░")
        assert "is in none of the other answers" in rows[1][4]
        assert "\x1b" not in result.stdout

    def test_terminal(self, selfcheck, monkeypatch):
        """A table in colours, with what another sample says."""
        monkeypatch.setenv("FORCE_COLOR", "1")
        monkeypatch.setenv("COLUMNS", "100")
        out = selfcheck("--answer a.txt --samples s.json --method ngram").stdout
        assert "\x1b[" in out
        assert "sentence, and why" in out
        assert re.search(r"sample \d: ", out)

    def test_bar_of_a_bounded_score(self, selfcheck, local):
        """A whole bar is the largest possible score, not the largest there is."""
        out = selfcheck("--answer a.txt --samples s.json --method nli").stdout
        bars = [line.split("\t")[1:3] for line in out.splitlines() if "\t" in line]
        for score, bar in bars:
            assert bar.count("█") == round(WIDTH * float(score))

    def test_unverified_says_why(self, selfcheck, local, monkeypatch):
        """And has neither number nor bar."""
        failed = [Failed(Reason.BACKEND, "the model broke")]
        monkeypatch.setattr(WordEntailment, "answer", lambda self, requests: failed * len(requests))
        result = selfcheck("--answer a.txt --samples s.json --method nli")
        rows = [line.split("\t") for line in result.stdout.splitlines() if "\t" in line]
        assert result.exit_code == 3
        assert [row[:3] for row in rows] == [["unverified", "-", "-"]] * 2
        assert "the model broke" in rows[0][4]

    def test_nothing_to_check(self, selfcheck, monkeypatch):
        """0, and the output says so."""
        monkeypatch.setattr("guardrail.selfcheck.base.pieces", lambda text, question: ())
        result = selfcheck("--answer a.txt --samples s.json --method ngram")
        assert result.exit_code == 0
        assert "no sentence was found in a.txt" in result.stdout

    def test_json_schema(self, selfcheck):
        """The fields that the published schema requires, and no others."""
        schema = Report.model_json_schema(mode="serialization")
        content = json.loads(selfcheck("--answer a.txt --samples s.json --method ngram --json").stdout)
        assert set(schema["required"]) <= set(content) <= set(schema["properties"])

    @pytest.mark.parametrize("option", ["--json r.json", "--json=r.json"])
    def test_json_file(self, selfcheck, folder, option):
        """With a path it is a file, and the rest is printed."""
        result = selfcheck(f"--method ngram --answer a.txt {option} --samples s1.txt s2.txt")
        Report.model_validate_json((folder / "r.json").read_text())
        assert "unsupported" in result.stdout

    def test_html(self, selfcheck, folder):
        """The page holds the scores, and hostile sentences as text."""
        (folder / "a.txt").write_text(f"{TRUE} <script>alert(1)</script> was her motto.")
        selfcheck("--answer a.txt --samples s.json --method ngram --html page.html --quiet")
        page = (folder / "page.html").read_text()
        assert "Sentences and their scores" in page
        assert "<script>" not in page

    def test_hostile(self, selfcheck):
        """Nothing that an answer or sample holds steers the terminal."""
        answer = "\x1b]0;owned\x07\x1b[2J[red]x[/red] came first.\u202e It went."
        for more in ("", "--json"):
            out = selfcheck(f"--samples s.json --method ngram {more} --answer", answer).stdout
            assert not set(out) & {"\x1b", "\x07", "\u202e"}
        assert "[red]x[/red]" in selfcheck("--samples s.json --method ngram --answer", answer).stdout

    def test_ascii(self, process):
        """A terminal without Unicode gets ASCII bars."""
        import os

        found = process(
            "selfcheck", "--answer", "a.txt", "--samples", "s.json", "--method", "ngram",
            env={**os.environ, "PYTHONIOENCODING": "ascii"},
        )  # fmt: skip
        assert found.stdout.isascii()
        assert "########" in found.stdout


class TestProgress:
    def test_counts_what_is_answered(self, selfcheck, local, monkeypatch):
        """Of 2 sentences × 3 samples, in batches."""
        told = []

        @contextmanager
        def patience(message, total):
            told.append(total)
            yield told.append

        monkeypatch.setattr(_selfcheck, "patience", patience)
        selfcheck("--answer a.txt --samples s.json --method nli")
        assert told[0] == sum(told[1:]) == 6
        assert max(told[1:]) <= WordEntailment.batch


ERRORS = {
    "no answer": ("--samples s1.txt", "--answer"),
    "no samples": ("--answer a.txt", "add --samples FILES"),
    "no prompt": ("--answer a.txt --model m --base-url http://x", "--prompt TEXT"),
    "no model": ("--answer a.txt --prompt x", "--model NAME"),
    "empty sample": ("--answer a.txt --samples s1.txt empty.txt", "expected a sample in 'empty.txt', got nothing"),
    "empty in a list": ("--answer a.txt --samples gap.json", "sample 2 in 'gap.json' is empty"),
    "empty list": ("--answer a.txt --samples none.json", "empty list"),
    "empty folder": ("--answer a.txt --samples nothing", "found no file"),
    "no such sample": ("--answer a.txt --samples nope.txt", "'nope.txt', found no such file"),
    "no JSON": ("--answer a.txt --samples text.json", "'text.json', line 1"),
    "no JSON lines": ("--answer a.txt --samples bad.jsonl", "'bad.jsonl', line 2"),
    "odd list": ("--answer a.txt --samples odd.json", "'odd.json', got a number as number 2"),
    "odd object": ("--answer a.txt --samples object.json", "an object with 'answers'"),
    "odd samples": ("--answer a.txt --samples words.json", "got a text"),
    "stray word": ("--answer a.txt b.txt --samples s1.txt", "guardrail selfcheck --help"),
    "method": ("--answer a.txt --samples s1.txt --method nlp", "nli"),
    "threshold": ("--answer a.txt --samples s1.txt --threshold nan", "threshold"),
    "draw": ("--answer a.txt --prompt x --model m --draw 0", "--draw"),
    "draw alone": ("--answer a.txt --prompt x --draw 3", "--draw needs --model NAME"),
    "draw and samples": ("--answer a.txt --samples s1.txt --draw 3 --model m", "--draw draws"),
    "judge": ("--answer a.txt --samples s1.txt --method prompt", "add --model NAME"),
    "no key": ("--answer a.txt --samples s1.txt --method prompt --model m", "export OPENAI_API_KEY"),
    "base url alone": ("--answer a.txt --samples s1.txt --base-url http://x", "--model"),
    "samples and context": ("--answer a.txt --samples s1.txt --context s2.txt", "give one of them"),
    "context of ngram": ("--answer a.txt --context s1.txt --method ngram", "--method grounding"),
    "grounding": ("--answer a.txt --samples s1.txt --method grounding", "--context FILES"),
    "greybox": ("--answer a.txt --method greybox", "--logprobs FILE"),
    "logprobs": ("--answer a.txt --logprobs lp.json --samples s1.txt", "--method greybox"),
    "greybox and samples": ("--answer a.txt --method greybox --logprobs lp.json --samples s1.txt", "leave"),
    "no logprobs in it": ("--answer a.txt --method greybox --logprobs object.json", '"logprobs": true'),
    "huge logprobs": ("--answer a.txt --method greybox --logprobs huge.json", "as token 1"),
    "odd logprobs": ("--answer a.txt --method greybox --logprobs odd.json", "as token 1"),
    "entailment": ("--answer a.txt --samples s1.txt --method ngram --entailment d", "--method nli"),
    "encoder": ("--answer a.txt --samples s1.txt --method nli --encoder d", "--method bertscore"),
    "measure": ("--answer a.txt --samples s1.txt --method ngram --measure unmentioned", "--method nli"),
    "no such measure": ("--answer a.txt --samples s1.txt --method nli --measure rank", "--measure"),
    "premise": ("--answer a.txt --samples s1.txt --method ngram --premise top", "--method nli"),
    "premise of the default": ("--answer a.txt --samples s1.txt --premise top", "--method nli"),
    "top alone": ("--answer a.txt --samples s1.txt --method nli --top 2", "--premise top"),
    "top of a whole": ("--answer a.txt --samples s1.txt --method nli --premise whole --top 2", "--premise top"),
    "top 0": ("--answer a.txt --samples s1.txt --method nli --premise top --top 0", "--top"),
    "overwrites a sample": ("--answer a.txt --samples s.json --json=s.json", "name another file"),
    "two from stdin": ("--answer - --samples -", "standard input"),
}  # fmt: skip


class TestErrors:
    @pytest.mark.parametrize("name", ERRORS)
    def test_one_line_that_says_what_to_do(self, selfcheck, folder, name):
        """Exit code 2, nothing on the standard output."""
        (folder / "nothing").mkdir()
        contents = {
            "empty.txt": "\n", "gap.json": '["x", " "]', "none.json": "[]", "text.json": "just words",
            "bad.jsonl": '"one"\n"two\n', "odd.json": '["x", 3]', "object.json": '{"answers": []}',
            "words.json": '"x"', "lp.json": '[{"token": "x", "logprob": -1}]',
            "huge.json": '[{"token": "x", "logprob": -1' + "0" * 400 + "}]",
        }  # fmt: skip
        for file, content in contents.items():
            (folder / file).write_text(content)
        line, expected = ERRORS[name]
        result = selfcheck(line)
        assert (result.exit_code, result.stdout) == (2, "")
        assert result.stderr.startswith("guardrail: ")
        assert result.stderr.count("\n") == 1
        assert expected in result.stderr

    @pytest.mark.parametrize(("method", "home"), [("nli", "entailment"), ("bertscore", "similarity")])
    def test_missing_extra(self, selfcheck, monkeypatch, method, home):
        """The command that installs it."""

        def missing(*_):
            raise MissingExtra("torch", extra="local")

        name = {"nli": "EntailmentModel", "bertscore": "BertScore"}[method]
        packaged_encoder.cache_clear()
        replace(monkeypatch, home, name, missing)
        result = selfcheck(f"--answer a.txt --samples s1.txt --method {method}")
        packaged_encoder.cache_clear()
        assert result.exit_code == 2
        assert "pip install 'guardrail-sdk[local]'" in result.stderr

    @pytest.mark.parametrize("method", ["qa"])
    def test_missing_extra_of_several_models(self, selfcheck, monkeypatch, method):
        """Also where the method has two."""

        def missing(*_):
            raise MissingExtra("torch", extra="local")

        packaged_encoder.cache_clear()
        monkeypatch.setattr("guardrail.backends._local._need", missing)
        result = selfcheck(f"--answer a.txt --samples s1.txt --method {method}")
        packaged_encoder.cache_clear()
        assert (result.exit_code, result.stdout) == (2, "")
        assert "pip install 'guardrail-sdk[local]'" in result.stderr

    def test_missing_weights(self, selfcheck, monkeypatch):
        """The command that fetches them, on one line that can be pasted."""
        monkeypatch.setattr("guardrail.backends._local._need", lambda *_: None)
        result = selfcheck("--answer a.txt --samples s1.txt --method nli")
        assert result.exit_code == 2
        command = r"hf download potsawee/deberta-v3-large-mnli --exclude '\*\.bin' --local-dir \S+deberta"
        assert re.search(command, result.stderr)
        assert result.stderr.count("\n") == 1

    def test_missing_folder(self, selfcheck, monkeypatch):
        """A path that is plainly one is not looked for as a name."""
        monkeypatch.setattr("guardrail.backends._local._need", lambda *_: None)
        result = selfcheck("--answer a.txt --samples s1.txt --method nli --entailment ./nowhere")
        assert "no such folder" in result.stderr
