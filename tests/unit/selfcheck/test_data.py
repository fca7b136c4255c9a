"""Three of Table 7's rows and the sentences, on the real passages. Oracle: the paper."""

import pytest
from benchmarks._data import DataMissing, data_dir
from benchmarks.selfcheck.passages import read_passages

pytest.importorskip("sklearn", reason="the metrics come with the bench extra")

pytestmark = pytest.mark.data


@pytest.fixture(scope="module")
def passages():
    try:
        return read_passages(data_dir("wikibio_gpt3"))
    except DataMissing as error:
        pytest.skip(str(error).splitlines()[0])


@pytest.mark.parametrize(("n", "statistic"), [(1, "max"), (2, "mean"), (5, "max")])
def test_table_7(passages, n, statistic):
    """All five columns within ±1.0 of the published figures."""
    from benchmarks.selfcheck.metrics import measure
    from benchmarks.selfcheck.published import NGRAM
    from benchmarks.selfcheck.tables import ngram_scores

    figures = measure(passages, *ngram_scores(passages, [p.samples for p in passages], n, statistic))
    assert figures.columns == pytest.approx(NGRAM[n, statistic], abs=1.0)


def test_sentences(passages):
    """223 of the 238 passages are split exactly as given (nupunkt 0.8.0, 2026-11-20); a few less would do."""
    from guardrail.text.sentences import sentences

    exact = sum(
        [(s.start, s.end) for s in sentences(p.text)] == [(s.start, s.end) for s in p.spans()]
        for p in passages
    )
    assert exact >= 220


def test_recorded_replies(passages):
    """Ten passages through the detector give the means of the recorded replies."""
    from benchmarks.selfcheck.tables import prompt_scores

    judge = "prompt_qwen3.5_9b"
    some = passages[:10]
    for passage, scores in zip(some, prompt_scores(some, judge), strict=True):
        assert scores == pytest.approx(passage.recorded[judge], abs=1e-9)
