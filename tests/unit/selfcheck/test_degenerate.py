"""Every variant on input that is not as it should be, and with backends that give nothing of use.

What is asked of each: one verdict per finding; a finite score in the declared range, or none and the reason; no
exception. Variants are taken from the table of `SelfCheck`, and replies are made from the type that a request says, so
a new variant is covered without a line here.
"""

import math
import types
import typing
import zlib
from collections.abc import Mapping
from dataclasses import fields, is_dataclass

import pytest
from tests.looping import each

from guardrail import Case, Verdict
from guardrail.detectors import SelfCheck
from guardrail.engine.flow import Failed, Reason
from guardrail.report import Passage
from guardrail.requests import Ask, Completion, ScoreTokens, TokenLogprob, user
from guardrail.selfcheck.base import METHODS
from guardrail.testing import play

VARIANTS = [
    *((method, {}) for method in METHODS),
    ("ngram", {"n": 3, "statistic": "mean"}),
    ("nli", {"measure": "not_entailed", "premise": "top", "top": 1, "early_stop": 0.9}),
    ("nli", {"measure": "unmentioned", "premise": "top"}),
    ("nli", {"premise": "top", "similarity": "embedding", "max_parts": 2}),
    ("nli", {"order": "sentence_first", "max_parts": 1}),
    ("prompt", {"batched": True}),
    ("prompt", {"logprobs": 5}),
    ("prompt", {"parsing": "paper"}),
    ("greybox", {"quantity": "entropy", "statistic": "mean"}),
    ("greybox", {"proxy": True}),
    ("greybox", {"proxy": True, "quantity": "entropy"}),
]
NAMES = [" ".join([method, *(f"{name}={value}" for name, value in o.items())]) for method, o in VARIANTS]
each_variant = pytest.mark.parametrize(("method", "options"), VARIANTS, ids=NAMES)

ANSWER = "She was born in London. She won a Nobel Prize in 1840."
SAMPLES = (
    "She was born in London in 1815. She wrote notes.",
    "Born in London, she never won a prize at all.",
)
LONG = "word " * 1_999 + "end."
CASES = {
    "no samples": Case(answer=ANSWER),
    "drawn samples": Case.of(ANSWER, prompt="Who was she?"),
    "given samples": Case.of(ANSWER, samples=SAMPLES),
    "an empty sample": Case.of(ANSWER, samples=["", *SAMPLES]),
    "empty samples": Case.of(ANSWER, samples=["", ""]),
    "blank samples": Case.of(ANSWER, samples=[" \n\t", "\u00a0", "\u2003\u3000"]),
    "samples without visible characters": Case.of(ANSWER, samples=["\u200b", "\ufeff", "\u202e"]),
    "a sample of one word": Case.of(ANSWER, samples=["No"]),
    "one word": Case.of("Yes", samples=SAMPLES),
    "marks alone": Case.of("?! ...", samples=SAMPLES),
    "samples all equal": Case.of(ANSWER, samples=[SAMPLES[0]] * 5),
    "samples equal to the answer": Case.of(ANSWER, samples=[ANSWER] * 5),
    "duplicates": Case.of(f"{ANSWER} {ANSWER}", samples=[*SAMPLES, *SAMPLES]),
    "emoji": Case.of("😀 👨\u200d👩\u200d👧. 🎉🎉!", samples=["😀", "🎉 🎉 🎉 🎉"]),
    "Chinese": Case.of("他生于1950年。他是作家。", samples=["他生于1951年。", "他是诗人，生于上海。"]),
    "right to left": Case.of(
        "\u202eהוא נולד בלונדון. هو كاتب.", samples=["הוא נולד בפריז.", "هو شاعر من لندن."]
    ),
    "a sentence of 10,000 characters": Case.of(LONG, samples=[LONG, "word word word word."]),
    "a word of 10,000 characters": Case.of("x" * 10_000, samples=["x" * 10_000, "x"]),
    "a sample of 10,000 characters": Case.of(ANSWER, samples=[LONG]),
    "half a character": Case.of("\x00 \ud800.", samples=["\ud800", "\x00"]),
    "documents": Case.of(ANSWER, context=["She was born in London.", "", "word " * 2_000]),
}
LOGPROBS = {
    "sure": 0.0,
    "hardly": -9999.0,
    "NaN": math.nan,
    "infinite": math.inf,
    "impossible": -math.inf,
    "positive": 3.0,
    "far too positive": 1e9,
    "beyond any number": -1e308,
}


def made(kind, request, number, text):
    """A value of a request's reply type, of such numbers and texts."""
    origin, parameters = typing.get_origin(kind), typing.get_args(kind)
    if origin in {types.UnionType, typing.Union}:
        return made(parameters[0], request, number, text)
    if origin is tuple:
        items = (
            parameters[:1] * len(getattr(request, "options", "12")) if parameters[-1] is ... else parameters
        )
        return tuple(made(item, request, number, text) for item in items)
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return {text: number}
    if is_dataclass(kind):
        hints = typing.get_type_hints(kind)
        return kind(**{field.name: made(hints[field.name], request, number, text) for field in fields(kind)})
    return {float: number, int: 10_000, str: text, bool: False}[kind]


def sensible(request):
    """The same for the same request: a number in [0, 1]; samples and a judge that differ."""
    chance = zlib.crc32(repr(request).encode("utf-8", "replace")) / 2**32
    if isinstance(request, Ask) and request.role == "judge":
        return Completion(
            "1. Yes\n2. No" if "1. " in request.messages[-1].text else "Yes" if chance < 0.5 else "No"
        )
    if isinstance(request, Ask):
        return Completion(SAMPLES[request.draw % 2])
    if isinstance(request, ScoreTokens):
        return tuple(TokenLogprob(c, -9 * chance, (("a", -0.1),), 3 * chance) for c in request.text)
    return made(type(request).reply_type, request, chance, SAMPLES[0])


def numbers(number):
    """A backend whose numbers are all that one."""

    def reply(request):
        if isinstance(request, ScoreTokens):
            return tuple(TokenLogprob(c, number, (("a", number),), number) for c in request.text)
        text = "Yes" if isinstance(request, Ask) and request.role == "judge" else SAMPLES[0]
        return made(type(request).reply_type, request, number, text)

    return reply


def silent(request):
    """A model without words, and tokens without any."""
    return made(type(request).reply_type, request, 0.5, "")


class FailsOnce:
    """One request of each kind fails, the second; the others are answered."""

    def __init__(self):
        self.seen = {}

    def __call__(self, request):
        kind = (type(request), getattr(request, "role", ""))
        self.seen[kind] = self.seen.get(kind, 0) + 1
        return Failed(Reason.BACKEND, "one of them") if self.seen[kind] == 2 else sensible(request)


def fails(request):
    """Nobody is there."""
    return Failed(Reason.BACKEND, f"no {type(request).__name__}")


BACKENDS = {
    "sensible": lambda: sensible,
    "NaN": lambda: numbers(math.nan),
    "infinite": lambda: numbers(math.inf),
    "minus infinity": lambda: numbers(-math.inf),
    "zero": lambda: numbers(0.0),
    "out of range": lambda: numbers(-7.5),
    "silent": lambda: silent,
    "fails once": FailsOnce,
    "fails": lambda: fails,
}


def examined(detector, case, reply):
    """The findings, each of which is as it must be, and how many requests there were."""
    asked = []

    def noted(request):
        asked.append(request)
        return reply(request)

    findings = play(detector.examine(case), noted)
    for finding in findings:
        assert (finding.score is None) == (finding.verdict in {None, Verdict.UNVERIFIED})
        assert finding.reason
        if finding.score is not None:
            assert math.isfinite(finding.score)
            assert detector.scale.least is None or finding.score >= detector.scale.least
            assert detector.scale.most is None or finding.score <= detector.scale.most
        finding.model_validate_json(finding.model_dump_json())
    return findings, len(asked)


@each_variant
class TestAny:
    def test_case(self, method, options):
        """Any input, any backend: a score or a reason; and who had nothing to go by bears nothing out."""
        detector = SelfCheck(method, **options)

        def check(name, backend):
            case = CASES[name]
            findings, asked = examined(detector, case, BACKENDS[backend]())
            assert findings or name in {"marks alone", "half a character"}
            if backend == "fails" and asked and not (case.samples or case.context):
                assert {finding.verdict for finding in findings} <= {Verdict.UNVERIFIED}

        each([(name, backend) for backend in BACKENDS for name in CASES], check)

    def test_nothing_to_compare_with(self, method, options):
        """Nothing is borne out by nothing."""

        def check(name):
            findings, _ = examined(SelfCheck(method, **options), CASES[name], fails)
            assert findings
            assert {finding.verdict for finding in findings} == {Verdict.UNVERIFIED}

        each(["no samples", "empty samples", "blank samples"], check)

    def test_log_probabilities(self, method, options):
        """Numbers that are none, wherever they stand."""

        def check(where, value):
            odd = TokenLogprob(
                "She",
                value if where in {"token", "one of many"} else -0.1,
                ((("a", value),) if where == "alternative" else (("a", -0.1),)),
                value if where == "entropy" else None,
            )
            rest = ANSWER.removeprefix("She")
            others = (TokenLogprob(rest, -0.2, (("a", -0.2),)),)
            if where == "one of many":
                others = tuple(TokenLogprob(c, value, (("a", value),) * 5) for c in rest)
            case = Case(answer=ANSWER, samples=SAMPLES, logprobs=(odd, *others))
            examined(SelfCheck(method, **options), case, sensible)

        places = ("token", "alternative", "entropy", "one of many")
        each(
            {f"{where}, {name}": (where, value) for where in places for name, value in LOGPROBS.items()},
            check,
        )

    def test_tokens_of_another_text(self, method, options):
        """Fewer, more and other tokens than the answer has."""
        for texts in (["She"], [ANSWER, "x"], ["x", ANSWER], [""], ["", ANSWER, ""], [ANSWER.upper()]):
            tokens = tuple(TokenLogprob(text, -0.5, (("a", -0.5),)) for text in texts)
            case = Case(answer=ANSWER, samples=SAMPLES, logprobs=tokens)
            examined(SelfCheck(method, **options), case, sensible)

    def test_again(self, method, options):
        """Twice the same, whatever was asked before."""
        detector = SelfCheck(method, **options)
        case = Case.of(ANSWER, samples=SAMPLES)
        first, _ = examined(detector, case, sensible)
        examined(detector, CASES["Chinese"], numbers(math.nan))
        assert examined(detector, case, sensible)[0] == first


class TestOneOfMany:
    """A backend that fails, or says NaN, for one pair leaves the mean of the others, and says so."""

    @pytest.mark.parametrize("wrong", ["fails", "NaN"])
    @pytest.mark.parametrize("method", ["nli", "bertscore"])
    def test_left_out(self, method, wrong):
        """Five samples of which one has no value: as if there were four."""
        samples = [f"{text} Sample {i}." for i, text in enumerate(SAMPLES * 2)]
        odd = "Something else was said here. It broke."

        def reply(request):
            if "Something else" in repr(request) or "It broke" in repr(request):
                return fails(request) if wrong == "fails" else numbers(math.nan)(request)
            return sensible(request)

        detector = SelfCheck(method)
        with_one, _ = examined(detector, Case.of(ANSWER, samples=[*samples, odd]), reply)
        without, _ = examined(detector, Case.of(ANSWER, samples=samples), sensible)
        assert [f.score for f in with_one] == pytest.approx([f.score for f in without], abs=1e-12)
        if wrong == "fails":
            lost = {
                "nli": "4 of 5 samples: backend: no Entail",
                "bertscore": "sentences: backend: no Compare",
            }
            assert all(lost[method] in f.reason for f in with_one)

    def test_evidence_is_the_samples_own(self):
        """What speaks against a sentence is quoted from the sample that is named, though another one failed."""

        def reply(request):
            if request.premise == SAMPLES[0]:
                return fails(request)
            return made(type(request).reply_type, request, 0.9, "")

        findings, _ = examined(SelfCheck("nli"), Case.of(ANSWER, samples=SAMPLES), reply)
        quoted = [e for f in findings for e in f.evidence if isinstance(e, Passage)]
        assert all(e.source == "sample 2" and e.text in SAMPLES[1] for e in quoted)


class TestSamples:
    @each_variant
    def test_empty_ones_do_not_count(self, method, options):
        """Empty samples beside others change no score."""
        detector = SelfCheck(method, **options)
        plain, _ = examined(detector, Case.of(ANSWER, samples=SAMPLES), sensible)
        more, _ = examined(detector, Case.of(ANSWER, samples=["", SAMPLES[0], " \n", SAMPLES[1]]), sensible)
        assert [f.score for f in more] == [f.score for f in plain]

    @each_variant
    def test_drawn_empty(self, method, options):
        """A model that draws nothing has said nothing."""
        case = Case(answer=ANSWER, messages=(user("Who?"),))
        findings, asked = examined(
            SelfCheck(method, **options),
            case,
            lambda r: Completion(" ") if isinstance(r, Ask) else sensible(r),
        )
        if asked and not options.get("proxy"):
            assert {f.verdict for f in findings} == {Verdict.UNVERIFIED}


@pytest.mark.parametrize("samples", [["\u200b", "\ufeff"], ["\u200b", " "]])
def test_samples_that_show_nothing_prove_nothing(samples: list[str]) -> None:
    found = play(SelfCheck("ngram").examine(Case.of(ANSWER, samples=samples)), lambda _: None)
    assert {one.verdict for one in found} == {Verdict.UNVERIFIED}
