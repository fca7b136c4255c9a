"""What the author of a detector meets: one module to import from, what must be written, what is refused."""

from pathlib import Path

import pytest
from tests.unit.engine.toys import Buy, Echo, supported

import guardrail.detector
from guardrail import Guard
from guardrail.detector import (
    Ask,
    Backend,
    Case,
    Detector,
    Failed,
    PathOption,
    Reason,
    each,
    one,
    option,
    user,
    within,
)
from guardrail.errors import ConfigError

PROMISED = [
    "Detector",
    "Backend",
    "Case",
    "Finding",
    "Span",
    "Verdict",
    "Scale",
    "Signature",
    "Measurement",
    "Passage",
    "Flow",
    "one",
    "each",
    "gather",
    "draws",
    "compute",
    "within",
    "why",
    "Request",
    "Ask",
    "Entail",
    "Embed",
    "user",
    "Untrusted",
    "Answer",
    "Failed",
    "Reason",
    "option",
]


class Hedges(Detector):
    """Counts a word."""

    name = "hedges"
    word: str = option(default="perhaps", help="what is counted")
    most: int = option(default=0, least=0, help="how many are fine")

    def cost(self, case):
        return {}

    def examine(self, case):
        yield from ()
        return [supported(self.name, score=float(case.answer.count(self.word) > self.most))]


class TestModule:
    def test_one_module_has_all_that_a_detector_imports(self):
        """As the contributors' page promises."""
        assert [name for name in PROMISED if not hasattr(guardrail.detector, name)] == []
        assert set(PROMISED) <= set(guardrail.detector.__all__)


class TestDetector:
    def test_name_cost_and_examine_are_enough(self):
        """The rest has defaults."""
        report = Guard([Hedges()]).check("perhaps")
        assert report.findings[0].score == 1.0
        assert report.signatures == {
            "hedges": str(Hedges().signature()),
        }
        assert Hedges().signature().parameters == {"deadline": None, "word": "perhaps", "most": 0}

    def test_options_are_checked_where_they_are_given(self):
        """And nothing is coerced."""
        with pytest.raises(ConfigError, match="expected most to be a whole number from 0, got -1"):
            Hedges(most=-1)

    def test_a_path_is_in_the_signature(self, tmp_path):
        """What a file was read from re-creates the detector, too."""

        class Reads(Hedges):
            file: Path | None = option(default=None, path=PathOption.FILE, help="words")

        assert Reads(file=tmp_path).signature().parameters["file"] == str(tmp_path)

    @pytest.mark.parametrize("missing", ["cost", "examine"])
    def test_what_must_be_written_is_named(self, missing):
        """When it is made, not when it is asked."""
        methods = {
            "cost": lambda self, case: {},
            "examine": Hedges.examine,
        }
        del methods[missing]
        with pytest.raises(TypeError, match=missing):
            type("Half", (Detector,), {"name": "half", **methods})()

    def test_a_detector_without_a_name_is_refused_with_the_line_to_write(self):
        """A report has to call it something."""

        class Nameless(Detector):
            cost, examine = Hedges.cost, Hedges.examine

        with pytest.raises(ConfigError, match='write name = "…" in its class'):
            Guard([Nameless()])

    def test_a_class_that_only_has_the_shape_is_refused(self):
        """Inheriting is what makes a detector."""

        class Shape:
            name, version, scope, needs, provides, deadline = "shape", "1", "answer", (), (), None
            cost, examine, signature = Hedges.cost, Hedges.examine, Hedges.signature

        with pytest.raises(ConfigError, match=r"write class Shape\(guardrail\.detector\.Detector\)"):
            Guard([Shape()])


class TestBackend:
    def test_a_class_that_only_has_the_shape_is_refused(self):
        """What is sniffed at is found out too late."""

        class Shape:
            batch, capacity, concurrency, timeout, instant, paid = 1, None, 1, None, True, False
            fingerprint = "shape"

            def answer(self, requests):
                return []

        with pytest.raises(ConfigError, match=r"guardrail"):
            Guard([Hedges()], backends={"buy": Shape()})

    def test_a_backend_without_a_fingerprint_is_refused(self):
        """Or its replies would be somebody else's in a cache."""

        class Forgetful(Backend):
            def answer(self, requests):
                return []

        with pytest.raises(ConfigError, match="fingerprint"):
            Guard([Hedges()], backends={"buy": Forgetful()})

    def test_calls_of_a_backend_are_paid_unless_it_says_otherwise(self):
        """A guess that costs nobody money."""
        assert Echo().paid
        guard = Guard([Hedges()], backends={"buy": Echo(), "look": Echo(paid=False)})
        assert guard.hub.is_paid("buy")
        assert not guard.hub.is_paid("look")


class TestWithin:
    def test_a_part_of_a_flow_has_bounds_of_its_own(self):
        """Two calls of three are left: the part that reserves three is refused, and the rest goes on."""

        class Careful(Hedges):
            def examine(self, case):
                first = yield from one(Buy(1))
                part = yield from within(each([Buy(2), Buy(3), Buy(4)]), calls={"buy": (3, 3)})
                assert isinstance(part, Failed)
                return [supported(self.name, reason=f"{first.value}; {part}")]

        report = Guard([Careful()], backends={"buy": Echo()}, budget=3).check("x")
        assert report.failures == ()
        assert report.findings[0].reason == "re 1; budget: needs 3 calls, 2 left in the budget"

    def test_a_part_of_a_flow_has_a_deadline_of_its_own(self):
        """What is late in it is a value."""

        class Hurried(Hedges):
            def examine(self, case):
                [late] = yield from within(each([Ask((user("Hi"),))]), seconds=0)
                return [supported(self.name, reason=str(late.reason))]

        assert Guard([Hurried()], chat=Echo()).check(Case(answer="x")).findings[0].reason == Reason.DEADLINE
