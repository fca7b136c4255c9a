"""The file that mypy checks as user code runs as well."""

import asyncio

from tests.typing import user_code

from guardrail import Verdict


class TestUserCode:
    def test_checks(self):
        """Twelve degrees are not warm: what the detector says is in the report."""
        report = user_code.checked()
        assert report.verdict is Verdict.UNSUPPORTED
        assert report.findings[0].score == 8.0

    def test_estimates(self):
        """Two opinions, and no reference to ask about."""
        assert (user_code.estimated().least, user_code.estimated().most) == (2, 2)

    def test_generates(self):
        """Regenerated twice and then annotated, since the model insists."""
        report = asyncio.run(user_code.generated())
        assert report.decision.attempts == 3

    def test_supervises(self):
        """The feedback on the first attempt reaches the generator."""
        feedback = []
        asyncio.run(user_code.supervised(lambda text: feedback.append(text) or "It is warm."))
        assert feedback[0] == ""
        assert feedback[1]

    def test_plays(self):
        """Every request is answered by one function."""
        assert user_code.by_hand
        assert len(user_code.POLICIES) == 6
