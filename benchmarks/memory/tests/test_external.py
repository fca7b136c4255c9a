"""The benchmark of external consistency: its subject, its recordings, its rows. Oracles: by hand; what was put in."""

import math
import random

import numpy as np
import pytest
from benchmarks.memory import external, rag
from benchmarks.memory.comparing import comparer
from benchmarks.memory.corpus import Corpus, fit_of, measured, simulate
from benchmarks.memory.external import _coverage, _difference
from benchmarks.memory.external_figures import ellipse
from benchmarks.memory.subject import Document, Subject, documents

from guardrail import Verdict
from guardrail.memory.external import Normal

pytest.importorskip("sacrebleu")
NOUNS = [
    "harbour",
    "storm",
    "minister",
    "quota",
    "museum",
    "glass",
    "forecast",
    "company",
    "team",
    "goal",
    "river",
    "bridge",
    "farm",
    "harvest",
    "school",
    "law",
]


def made(count):
    """Documents about different things, four sentences each."""
    found = []
    for i in range(count):
        rng = random.Random(i)
        words = [f"{noun}{i}" for noun in rng.sample(NOUNS, 12)]
        units = [" ".join([*words[3 * k : 3 * k + 3], f"in the {noun}."]) for k, noun in enumerate(NOUNS[:4])]
        found.append(Document(str(i), tuple(units), (0.9, 0.2, 0.1, 0.0)))
    return found


@pytest.fixture(scope="module")
def corpus():
    docs, compare = made(120), comparer("chrf")
    return Corpus(
        measured(simulate(docs[:60], "en", seed=1), compare),
        measured(simulate(docs[60:], "en", seed=2), compare),
    )


class TestSubject:
    def test_the_rate_is_the_one_put_in(self):
        """Of 2,000 responses 30 % ± 4 % are invented, half of them by misreading the document."""
        items = simulate(made(400), "en", rate=0.3)
        invented = [bad for one in items for bad in one.invented]
        assert np.mean(invented) == pytest.approx(0.3, abs=0.04)
        assert np.mean([one.settled for one in items]) == pytest.approx(0.15, abs=0.05)

    def test_never(self):
        """h = 0: every word of a response stands in its document."""
        for one in simulate(made(30), "en", rate=0.0):
            assert not any(one.invented)
            source = set(one.texts[0].split())
            assert all(set(text.split()) <= source for text in (*one.texts, *one.responses))

    def test_invented_from_elsewhere(self):
        """An invented response has none of the document's own words."""
        docs = made(30)
        for document, one in zip(docs, simulate(docs, "en", rate=0.5), strict=True):
            own = set(" ".join(document.units).split())
            for response, bad in zip(one.responses, one.invented, strict=True):
                marked = {word for word in response.split() if word[-1].isdigit()}
                assert not marked & own if bad else marked <= own

    def test_the_same_again(self):
        """The seed decides."""
        docs = made(20)
        assert simulate(docs, "en", seed=3) == simulate(docs, "en", seed=3) != simulate(docs, "en", seed=4)
        assert len(Subject("en", 0.1, rephrasings=2).item(docs[0], docs[1:], random.Random(0)).texts) == 3

    def test_documents(self):
        """Chinese is read by clauses; salience is the share of words in the summary; too short ones are left out."""
        pytest.importorskip("jieba")
        rows = [
            {
                "id": "1",
                "document": "大桥昨天正式通车，全长三百四十米。市长出席了仪式。",
                "summary": "大桥正式通车",
            },
            {"id": "2", "document": "好的。", "summary": "好"},
        ]
        [found] = documents(rows, "zh")
        assert found.units == ("大桥昨天正式通车，", "全长三百四十米。", "市长出席了仪式。")
        assert found.salience[0] == max(found.salience) > 0.5


class TestRows:
    def test_a_difference_of_nothing(self, corpus):
        """A score against itself: 0, interval and all."""
        scores = np.arange(len(corpus.scored.invented), dtype=float)
        assert _difference(scores, scores, corpus.scored.invented) == (0.0, 0.0)

    def test_wrong_intervals_are_noticed(self, corpus, monkeypatch):
        """An interval that takes the flagged share for the rate misses the bar."""
        fit = fit_of(corpus.fitted, ("en", "chrf"), [0.5, 0.6, 0.7], false_alarms=0.4)
        monkeypatch.setattr(external, "corrected_share", lambda hits, n, _: external.flagged_share(hits, n))
        assert _coverage("x", corpus, fit)[0].ok is False


class TestEllipse:
    def test_the_ellipse_holds_its_share(self):
        """Of 20,000 draws, 90 % ± 1 % lie in the 90 % ellipse, and its rim has the distance of χ²₂."""
        fit = Normal((0.3, 0.4), ((0.04, 0.01), (0.01, 0.02)))
        draws = np.random.default_rng(0).multivariate_normal(fit.mean, fit.covariance, size=20_000)
        inside = np.mean([fit.score(tuple(one), sides="both") <= 0.9 for one in draws])
        assert inside == pytest.approx(0.9, abs=0.01)
        center, longer, _, angle = ellipse(fit, 0.9)
        turn = math.radians(angle)
        rim = (
            center[0] + longer * math.cos(turn),
            center[1] + longer * math.sin(turn),
        )
        assert fit.score(rim, sides="both") == pytest.approx(0.9)


class TestRag:
    def test_recordings(self):
        """Replayed, the tuning half is scored to the last answer, twice alike, without a live request."""
        compare = comparer("chrf")
        some = [one for one in rag.read() if one.half == "tuning" and one.language == "en"][:3]
        first, second = ([rag.check(one, "chrf", compare) for one in some] for _ in range(2))
        assert first == second
        assert all(finding.verdict is not Verdict.UNVERIFIED for finding in first)

    def test_intervals_by_context(self):
        """Two contexts, one right and one wrong answer each, all told apart: 1, and no spread."""
        rows = [one for one in rag.read() if one.half == "tuning"][:4]
        scored_rows = [(one, float(one.invented)) for one in rows]
        assert rag.clustered(scored_rows) == (1.0, 1.0)
