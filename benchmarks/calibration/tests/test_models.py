"""A certificate made from the recorded replies of one model, and guards over another's answers."""

import pytest
from benchmarks._table import Run
from benchmarks.calibration import models

from guardrail.detectors import ReferenceCheck


@pytest.fixture(scope="module")
def apart():
    """Forty answers of each model, asked about with its own replies."""
    return models.both(Run("calibration"), together=False, most=40)


class TestAnotherModel:
    def test_the_same_guard_takes_the_certificate(self, apart):
        """The same questions, replies and name."""
        made = apart[0].certificate("missed=0.5")
        assert made.sources == 40
        assert not models.refused(
            made, detectors=[ReferenceCheck()], chat=apart[0].chat, answering=models.MADE_WITH
        )

    def test_another_signature_is_refused(self, apart):
        """By the model that answered, the model asked, and the questions; the message names what differs."""
        made = apart[0].certificate("missed=0.5")
        same = {"detectors": [ReferenceCheck()], "chat": apart[0].chat, "answering": models.MADE_WITH}
        for changed, words in (
            ({"answering": models.OTHER}, "another answering model: expected 'gpt-4', got 'gpt-3.5-turbo'"),
            ({"chat": apart[1].chat}, "another model or service 'chat'"),
            ({"detectors": [ReferenceCheck(queries=("iq",))]}, "another detector 'references'"),
        ):
            assert words in models.refused(made, **{**same, **changed})

    def test_labels_are_the_titles_that_the_search_did_not_find(self, apart):
        """As many made-up rows as such titles, of five a topic."""
        invented = sum(not title.grounded for topic in apart[0].topics for title in topic.titles)
        assert int(apart[0].rows.made_up.sum()) == invented
        assert len(apart[0].rows) == 200
