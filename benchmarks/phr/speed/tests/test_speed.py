"""The speed benchmark: its baseline counts what it should, and both ways agree on a tiny model."""

import itertools
import math

import numpy as np
import pytest
from benchmarks.phr.speed.measure import Pace, agreement, ours, small
from benchmarks.phr.speed.models import TINY, make
from benchmarks.phr.speed.published import Loose
from benchmarks.phr.tasks import Rows
from tests.unit.backends.models import WORDS, needs_local

from guardrail.phr import Form
from guardrail.report import Example
from guardrail.requests import Distribution


@pytest.fixture(scope="module")
def data():
    """Rows of one task, made up."""
    triples = list(itertools.permutations(WORDS[:14], 3))[::7]
    pairs = [
        Example(input=" ".join(words), label=("yes", "no")[i % 2]) for i, words in enumerate(triples[:200])
    ]
    return [Rows("sst2", tuple(pairs[:100]), tuple(pairs[100:]))]


@pytest.fixture(scope="module")
def folder(data, tmp_path_factory):
    """A tiny model of them."""
    needs_local()
    found = tmp_path_factory.mktemp("model")
    make(found, TINY, data, seed=0)
    return found


class TestModel:
    def test_says_words(self, data, folder):
        """Pieces without a blank in front are all as likely, and much less so than the others together."""
        [reply] = small(data, folder).ours().answer([Distribution("Input:", "")])
        said = [name.startswith("Ġ") and name != "Ġ" for name in reply.value.names]
        shares = np.array(reply.value.probabilities)
        rest = shares[~np.array(said)]
        assert rest.max() == pytest.approx(rest.min(), rel=1e-6)
        assert shares.max() > 20 * rest.max()
        assert 1 - rest.sum() > 0.5


class TestLoose:
    @pytest.mark.parametrize("text", ["", " one", " one two  three\nfour", "\x00 \n\n"])
    def test_any_text_is_a_pair(self, text):
        """That the form itself reads back."""
        pair = Loose().read(text)
        assert Form().read(Form().pair(pair)) == pair


class TestPublished:
    def test_tokens(self, data, folder):
        """Contexts are read once per imagined pair, and twice per query and imagined context."""
        setting = small(data, folder)
        published = setting.published()
        ran = published.run(setting.cell.train, setting.queries, setting.settings, Loose())
        form, reader = Loose(), published._reader
        size = lambda text: 1 + len(reader.encode(text).ids)  # noqa: E731
        start, most, read = list(setting.cell.train), 0, 0
        for imagined in ran.pairs:
            for i in range(len(imagined)):
                read += size(form.context([*start, *imagined[:i]]))
                most += setting.settings.max_tokens - 1
            for query in setting.queries:
                read += size(form.context([*start, *imagined]) + form.query(query))
                read += size(form.context(start) + form.query(query))
        assert read < published.tokens < read + most + 0.1 * read
        assert len(ran.pairs) == setting.settings.contexts

    def test_agrees(self, data, folder):
        """Pairs, rates and distributions are those of the backend, which computes a part of the tokens."""
        setting = small(data, folder)
        published, model, pace = setting.published(), setting.ours(), Pace()
        mine = ours(setting, model, pace)
        ran = published.run(setting.cell.train, setting.queries, setting.settings, Loose())
        assert all(row.ok for row in agreement(model, mine, ran))
        assert len(set(ran.rates)) > 1, "it would prove nothing"
        assert all(0 <= rate <= 1 and math.isfinite(rate) for rate in ran.rates)
        assert pace.tokens[0] < published.tokens / 3
