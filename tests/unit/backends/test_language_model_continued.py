"""Draws and distributions of a local language model: with and without shared beginnings, and against plain passes."""

import collections
import itertools
import math
import random

import numpy as np
import pytest
from tests.unit.backends.models import TEXTS, WORDS, edit_config, needs_local
from tests.unit.backends.test_language_model import FAMILIES, POSITIONS, gemma, make, opt, plain

from guardrail.backends.language_model import CausalModel, drawing
from guardrail.engine.draws import generator
from guardrail.engine.flow import Answer, Failed, Reason, draws
from guardrail.errors import ConfigError
from guardrail.requests import Distribution, LogProb, Sample, ScoreTokens


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A tiny model of each family."""
    needs_local()
    known = {}

    def get(family="gpt2"):
        if family not in known:
            known[family] = make(tmp_path_factory.mktemp(family), family)
        return known[family]

    return get


def model(folder, **options):
    return CausalModel(folder, **{"device": "cpu", **options})


def values(replies):
    assert all(isinstance(reply, Answer) for reply in replies), replies
    return [reply.value for reply in replies]


def questions():
    """Contexts that branch from one, as imagined ones do; several queries behind each; draws, scores, distributions."""
    pick = random.Random(0)

    def words(size):
        return " ".join(pick.choices(WORDS[:15], k=size))

    start = words(6) + "\n\n"
    contexts = [start, *(f"{start}{words(pick.randint(1, 6))}\n\n" for _ in range(4)), "he won"]
    found = []
    for context in contexts:
        queries = [words(3) for _ in range(3)]
        found += [Distribution(context, query, (" cat", " the", "")) for query in queries]
        found += [
            Sample(context, draw, max_tokens=8 + draw, stop=("at",), top_p=top_p, temperature=temperature)
            for draw, (top_p, temperature) in enumerate([(1.0, 1.0), (0.9, 1.0), (0.5, 0.7), (1.0, 0.0)])
        ]
        found += [LogProb(context + query, " " + words(2)) for query in queries]
        found += [Sample(context + queries[0], draw, max_tokens=3) for draw in range(6)]
    return found


def apart(some, others):
    """The largest difference of two lists of values; texts must be equal."""
    largest = 0.0
    for one, other in zip(some, others, strict=True):
        if isinstance(one, str):
            assert one == other
        elif isinstance(one, float):
            largest = max(largest, abs(one - other))
        else:
            assert (one.names, one.begun) == (other.names, other.begun)
            largest = max(largest, np.abs(np.subtract(one.probabilities, other.probabilities)).max())
    return largest


def narrow(transformers, size):
    """Its attention slides within the window that it reads."""
    config = gemma(transformers, size).config
    config.sliding_window = 8
    return transformers.Gemma2ForCausalLM(config)


def mamba(transformers, size):
    """Sums up what it has read."""
    config = transformers.MambaConfig(
        vocab_size=size,
        hidden_size=32,
        state_size=4,
        num_hidden_layers=2,
        expand=2,
        initializer_range=0.4,
        pad_token_id=0,
    )
    return transformers.MambaForCausalLM(config)


class TestSharing:
    @pytest.mark.parametrize("family", FAMILIES)
    def test_changes_nothing(self, made, family):
        """Texts, scores and distributions are those of a model that reads every text from its beginning."""
        asked = questions()
        alone, together = model(made(family), memory=0), model(made(family))
        expected = values(alone.answer(asked))
        assert apart(values(together.answer(asked)), expected) < 1e-5
        assert apart(values(together.answer(asked[::-1]))[::-1], expected) < 1e-5, "from what is kept"
        assert alone._engine.shares is False
        assert together._engine.shares is True
        assert together.work.tokens < alone.work.tokens / 5
        assert together.work.reused > 0 == alone.work.reused

    @pytest.mark.parametrize("family", FAMILIES)
    @pytest.mark.parametrize(("precision", "typical"), [("bf16", 1e-3), ("int8", 1e-6)])
    def test_coarser_numbers(self, made, family, precision, typical):
        """Are shared as well: nearly every score and distribution stays, and none moves by as much as coarseness costs.

        In another batch the last bit of a float may differ, by processor. Where that tips a rounding, that one score moves.
        """
        asked = [one for one in questions() if not isinstance(one, Sample)]
        exact = values(model(made(family), memory=0).answer(asked))
        alone = values(model(made(family), memory=0, precision=precision).answer(asked))
        reader = model(made(family), precision=precision)
        found = values(reader.answer(asked))
        assert reader._engine.shares
        gaps = [apart([one], [other]) for one, other in zip(found, alone, strict=True)]
        assert np.median(gaps) < typical
        assert max(gaps) < apart(alone, exact) / 2

    @pytest.mark.parametrize("family", FAMILIES)
    def test_neighbours_do_not_matter(self, made, family):
        """One after another, in small batches, in little memory, with others in between."""
        asked = questions()
        expected = values(model(made(family)).answer(asked))
        single = model(made(family))
        assert apart([values(single.answer([one]))[0] for one in asked], expected) < 1e-5
        for options in ({"budget": 16}, {"memory": 40_000}, {"memory": 1, "budget": 1}):
            assert apart(values(model(made(family), **options).answer(asked)), expected) < 1e-5

    def test_beginnings_are_read_once(self, made):
        """Every token of a context, of its branches and of the queries behind them goes through the model once."""
        reader = model(made())
        context, branches, queries = "the cat sat on", [" mat", " a dog"], [" was", " he"]
        count = lambda text: len(reader._model.tokens(text))  # noqa: E731
        reader.answer([Distribution(context, "")])
        assert reader.work.tokens == 1 + count(context)
        reader.answer([Distribution(context + branch, query) for branch in branches for query in queries])
        once = 1 + count(context) + sum(map(count, branches)) + 2 * sum(map(count, queries))
        assert reader.work.tokens == once
        before = reader.work.reused
        reader.answer(draws(Sample(context + branches[0] + queries[0], max_tokens=1), 50))
        assert reader.work.tokens == once, "the distribution was there"
        assert reader.work.reused == before + 50 * (1 + count(context + branches[0] + queries[0]))

    def test_equal_draws_are_computed_once(self, made):
        """What goes on alike is one text."""
        reader = model(made())
        found = values(reader.answer(draws(Sample("the cat", max_tokens=5, temperature=0.0), 20)))
        assert len(set(found)) == 1
        assert reader.work.tokens == 1 + len(reader._model.tokens("the cat")) + 4

    def test_what_was_drawn_is_kept(self, made):
        """A context that goes on with a reply finds its tokens there, as far as they are spelt alike."""
        reader = model(made())
        [text] = values(reader.answer([Sample("the cat", max_tokens=12, temperature=0.0)]))
        spelt = reader._model.tokens("the cat" + text).ids
        before = reader.work.tokens
        reader.answer([Distribution("the cat" + text, "")])
        assert reader.work.tokens - before < len(spelt)

    @pytest.mark.parametrize("memory", [20_000, 60_000, 200_000])
    def test_memory_is_bounded(self, made, memory):
        """After every call, and what was used last is what is left."""
        asked = questions()
        reader = model(made(), memory=memory)
        for start in range(0, len(asked), 7):
            reader.answer(asked[start : start + 7])
            store = reader._engine.store
            assert store.bytes == sum(segment.bytes for segment in store._segments())
            assert store.bytes <= memory
        reader.answer([Distribution("the cat", "")])
        before = reader.work.tokens
        reader.answer([Distribution("the cat", "")])
        assert reader.work.tokens == before

    def test_release(self, made):
        """Forgets all; also before anything was asked."""
        reader = model(made())
        reader.release()
        reader.answer([Distribution("the cat", "")])
        assert reader._engine.store.bytes > 0
        reader.release()
        assert reader._engine.store.bytes == 0
        before = reader.work.tokens
        reader.answer([Distribution("the cat", "")])
        assert reader.work.tokens > before

    @pytest.mark.parametrize(
        ("network", "shares"), [(gemma, True), (narrow, False), (opt, True), (mamba, False)]
    )
    def test_other_architectures(self, tmp_path, network, shares):
        """Where states cannot be shared (narrow sliding windows), every text is read from its beginning."""
        needs_local()
        folder = make(tmp_path, network=network)
        reader, asked = model(folder), questions()
        expected = values(model(folder, memory=0).answer(asked))
        assert apart(values(reader.answer(asked)), expected) < 2e-5
        assert reader._engine.shares is shares

    def test_a_model_that_ignores_places_is_not_shared(self, made, monkeypatch):
        """It is tried, not believed."""
        reader = model(made())
        network = reader._model.network.base_model
        forward = network.forward

        def careless(*inputs, position_ids=None, **options):
            return forward(*inputs, **options)

        monkeypatch.setattr(network, "forward", careless)
        assert reader._engine.shares is False
        assert (
            apart(values(reader.answer(questions()[:8])), values(model(made()).answer(questions()[:8])))
            < 1e-5
        )

    def test_out_of_memory(self, made, monkeypatch):
        """Halves are tried, and a text that does not fit alone fails alone."""
        import torch

        from guardrail.backends.language_model import _rows

        asked = [
            *draws(Sample("the cat", max_tokens=4), 3),
            Sample("a dog sat on the mat in paris", max_tokens=4),
        ]
        expected = values(model(made()).answer(asked))
        reader = model(made())
        assert reader._engine.shares
        start = _rows.Buffer.__init__

        def small(self, model, rows, columns):
            if rows > 1 or columns > 20:
                raise torch.cuda.OutOfMemoryError
            start(self, model, rows, columns)

        monkeypatch.setattr(_rows.Buffer, "__init__", small)
        replies = reader.answer(asked)
        assert values(replies[:3]) == expected[:3]
        assert (replies[3].reason, "memory" in replies[3].detail) == (Reason.BACKEND, True)

    def test_an_error_leaves_nothing_half(self, made, monkeypatch):
        """What broke in the middle is not read as whole later."""
        from guardrail.backends.language_model import _decoding

        reader = model(made())
        asked = questions()
        step = _decoding.DecodingBatch.step

        def broken(self, tips):
            raise KeyError("broken")

        monkeypatch.setattr(_decoding.DecodingBatch, "step", broken)
        with pytest.raises(KeyError):
            reader.answer(asked)
        assert reader._engine.store.bytes == 0
        monkeypatch.setattr(_decoding.DecodingBatch, "step", step)
        assert apart(values(reader.answer(asked)), values(model(made()).answer(asked))) < 1e-5


def reference(shares, random, top_p):
    """Oracle: the race by a loop over the likeliest, in order."""
    order = sorted(range(len(shares)), key=lambda i: (-shares[i], i))
    times = random.standard_exponential(len(shares))
    best, winner, mass = math.inf, order[0], 0.0
    for i in order:
        if shares[i] > 0 and times[i] / shares[i] < best:
            best, winner = times[i] / shares[i], i
        mass += shares[i]
        if mass >= top_p - 1e-12:
            break
    return winner


class TestDraws:
    @pytest.mark.parametrize("family", FAMILIES)
    @pytest.mark.parametrize("top_p", [1.0, 0.9, 0.3, 1e-9])
    @pytest.mark.parametrize("temperature", [1.0, 0.5, 2.0])
    def test_by_hand(self, made, family, top_p, temperature):
        """The first token is the one that wins a race over the likeliest, from the distribution itself."""
        reader = model(made(family))
        asked = draws(Sample("the cat", max_tokens=1, top_p=top_p, temperature=temperature), 30)
        [spread] = values(reader.answer([Distribution("the cat", "")]))
        logs = np.log(spread.probabilities) / temperature
        shares = np.exp(logs - logs.max())
        shares /= shares.sum()
        expected = [reference(shares, generator(one, 0), top_p) for one in asked]
        ends = reader._model.ends
        assert values(reader.answer(asked)) == [
            "" if token in ends else reader._model.written([token]) for token in expected
        ]

    @pytest.mark.parametrize("size", [3, 40, 900, 5_000])
    @pytest.mark.parametrize("top_p", [1e-6, 0.3, 0.7, 0.9, 0.999, 1.0])
    def test_nucleus(self, size, top_p, monkeypatch):
        """However few are ranked at first; with ties, and with outcomes that are impossible."""
        pick = np.random.default_rng(0)
        for spread in (0.02, 0.3, 50.0):
            shares = pick.dirichlet(np.full(size, spread)).round(4)
            shares /= shares.sum()
            order = sorted(range(size), key=lambda i: (-shares[i], i))
            mass = np.cumsum(shares[order])
            count = int((mass < top_p - 1e-12).sum()) + 1 if top_p < 1 else size
            expected = np.zeros(size)
            expected[order[:count]] = shares[order[:count]]
            for first in (1, 7, 256):
                monkeypatch.setattr(drawing, "_FIRST", first)
                assert drawing.nucleus(shares, top_p).tolist() == expected.tolist()

    def test_race(self):
        """Outcomes come as often as they should, impossible ones never (χ², seeded: p above .001)."""
        from scipy import stats

        shares, random = np.array([0.5, 0.0, 0.2, 0.05, 0.15]), np.random.default_rng(0)
        counts = np.bincount([drawing.draw_outcome(shares, random) for _ in range(20_000)], minlength=5)
        assert counts[1] == 0
        kept = shares > 0
        assert stats.chisquare(counts[kept], 20_000 * shares[kept] / shares.sum()).pvalue > 1e-3

    def test_rounding_hardly_matters(self):
        """Relative errors of 1e-6 change few of many draws, from flat distributions and from steep ones."""
        random = np.random.default_rng(0)
        for spread in (0.01, 1.0, 100.0):
            changed = 0
            for i in range(300):
                shares = random.dirichlet(np.full(3_000, spread))
                other = shares * (1 + 1e-6 * random.standard_normal(3_000))
                first, second = (drawing.draw_outcome(p, np.random.default_rng(i)) for p in (shares, other))
                changed += first != second
            assert changed <= 1

    def test_frequencies(self, made):
        """First tokens of independent draws come as often as the distribution says (χ², seeded: p above .001)."""
        reader = model(made())
        [spread] = values(reader.answer([Distribution("the cat", "")]))
        texts = collections.Counter(values(reader.answer(draws(Sample("the cat", max_tokens=1), 4_000))))
        expected = collections.Counter()
        for token, share in enumerate(spread.probabilities):
            expected["" if token in reader._model.ends else reader._model.written([token])] += 4_000 * share
        common = [text for text, count in expected.items() if count >= 5]
        rest = 4_000 - sum(expected[text] for text in common)
        statistic = sum((texts[text] - expected[text]) ** 2 / expected[text] for text in common)
        statistic += (4_000 - sum(texts[text] for text in common) - rest) ** 2 / max(rest, 1)
        from scipy import stats

        assert len(common) > 10
        assert stats.chi2.sf(statistic, len(common)) > 1e-3

    def test_depend_on_request_and_seed_alone(self, made):
        """Another number, another seed: another text. The same: the same, in a new model too."""
        asked = draws(Sample("the cat", max_tokens=10), 8)
        found = values(model(made()).answer(asked))
        assert len(set(found)) == 8
        assert values(model(made()).answer(asked[5:])) == found[5:]
        assert values(model(made(), seed=1).answer(asked)) != found
        assert model(made(), seed=1).fingerprint != model(made()).fingerprint

    def test_greedy(self, made):
        """Temperature 0 takes the likeliest token."""
        reader = model(made())
        [text] = values(reader.answer([Sample("the cat", max_tokens=1, temperature=0.0)]))
        [spread] = values(reader.answer([Distribution("the cat", "")]))
        assert text == reader._model.written([int(np.argmax(spread.probabilities))])

    def test_all_that_end_a_text(self, tmp_path):
        """The tokenizer's token, the model's, and those of its settings for generation, which may be several."""
        needs_local()
        import json

        folder = make(tmp_path)
        path = folder / "generation_config.json"
        path.write_text(json.dumps({**json.loads(path.read_text()), "eos_token_id": [5, 9]}))
        edit_config(folder, eos_token_id=7)
        own = model(folder)._model
        assert own.ends == {5, 7, 9, own.tokenizer.token_to_id("<|endoftext|>")}

    @pytest.mark.parametrize("memory", [0, None])
    def test_ends(self, tmp_path, memory):
        """A token that ends the text ends the reply, and has no text; nothing comes behind it."""
        needs_local()
        import torch

        reader = model(make(tmp_path), memory=memory)
        [end] = reader._model.ends & {reader._model.begin}
        tokens = collections.Counter()
        for draw in range(40):
            [text] = values(reader.answer([Sample("the cat", draw, max_tokens=6)]))
            assert "endoftext" not in text
            tokens[len(reader._model.tokens(text))] += 1
        with torch.inference_mode():  # the end becomes the likeliest by far
            weight = reader._model.network.get_output_embeddings().weight
            weight[end] = 50 * weight.abs().max() * torch.sign(weight.mean(0))
        reader.release()
        found = values(reader.answer(draws(Sample("the cat", max_tokens=6), 40)))
        [spread] = values(reader.answer([Distribution("the cat", "")]))
        assert (spread.probabilities[end] > 0.99) == (found.count("") > 30)


@pytest.fixture
def say(made, monkeypatch):
    """A model that draws given tokens."""
    from guardrail.backends.language_model import _continuing

    def script(ids, family="gpt2"):
        left = list(ids)

        def choose(head, hidden, rows, drawing):
            return [left.pop(0)] * len(drawing)

        monkeypatch.setattr(_continuing, "_choose", choose)
        return model(made(family))

    return script


class TestReplies:
    def test_stop_inside_a_token(self, made, say):
        """What the token holds behind the stop is cut off; the stop itself stays."""
        ids = model(made())._model.tokens(" engineer wrote").ids
        assert len(ids) == 2
        for stop, expected in (("gin", " engin"), (" engineer", " engineer"), ("er wr", " engineer wr")):
            [text] = values(say(ids * 3).answer([Sample("the", stop=(stop,), max_tokens=6)]))
            assert text == expected

    def test_first_of_several_stops(self, made, say):
        """The one that ends first; empty ones end nothing."""
        ids = model(made())._model.tokens(" engineer").ids
        [text] = values(say(ids).answer([Sample("the", stop=("", "neer", "gi"), max_tokens=6)]))
        assert text == " engi"

    @pytest.mark.parametrize("family", FAMILIES)
    def test_characters_of_several_tokens(self, made, say, family):
        """Come out whole; a reply that is cut within one ends with the replacement character."""
        reader = model(made(family))._model
        ids = reader.continued(" 😀 cat")[0]
        assert len(ids) > 4
        [text] = values(say(ids, family).answer([Sample("the", max_tokens=len(ids))]))
        assert text == " 😀 cat"
        [text] = values(say(ids, family).answer([Sample("the", stop=("😀",), max_tokens=len(ids))]))
        assert text == " 😀"
        [text] = values(say(ids, family).answer([Sample("the", max_tokens=3)]))
        assert text.endswith("\ufffd")
        assert "😀" not in text

    @pytest.mark.parametrize("family", FAMILIES)
    def test_leading_blank(self, made, say, family):
        """A word's own blank is kept, and none is put in front."""
        reader = model(made(family))._model
        for word in (" cat", "cat"):
            ids = reader.continued(word)[0]
            [text] = values(say(ids, family).answer([Sample("the", max_tokens=len(ids))]))
            assert text == word

    @pytest.mark.parametrize("memory", [0, None])
    def test_too_long(self, made, memory):
        """A context longer than the window is refused, and a draw that fills it; nothing is cut silently."""
        reader = model(made(), memory=memory)
        fits = "cat " * 30
        while len(reader._model.tokens(fits)) < POSITIONS - 1:
            fits += "cat "
        exact, over, full = reader.answer(
            [Sample(fits, max_tokens=1), Distribution(fits + "cat ", ""), Sample(fits, max_tokens=2)]
        )
        assert isinstance(exact, Answer)
        assert (over.reason, "give a shorter" in over.detail) == (Reason.REFUSED, True)
        assert (full.reason, "not ended after 1 tokens" in full.detail) == (Reason.REFUSED, True)
        assert isinstance(reader.answer([Sample(fits, max_tokens=2, stop=("",), draw=1)])[0], Failed)

    @pytest.mark.parametrize("memory", [0, None])
    def test_degenerate(self, tmp_path, made, memory):
        """No context, with and without a token for the beginning; options that have no such value."""
        reader = model(made(), memory=memory)
        first, empty = values(reader.answer([Sample("", max_tokens=1), Distribution("", "")]))
        assert isinstance(first, str)
        assert empty.probabilities == pytest.approx(np.exp(plain(made(), "", "a")[1][0]), abs=1e-5)
        assert reader.answer([]) == []
        bad = [
            Sample("a", temperature=-1.0),
            Sample("a", temperature=math.nan),
            Sample("a", top_p=0.0),
            Sample("a", top_p=1.5),
            Sample("a", max_tokens=0),
            Sample("\ud800"),
            Distribution("a", "\ud800"),
        ]
        assert [reply.reason for reply in reader.answer(bad)] == [Reason.REFUSED] * len(bad)
        bare = model(make(tmp_path, begin=False), memory=memory)
        for reply in bare.answer([Sample(""), Distribution("", "")]):
            assert (reply.reason, "give a context" in reply.detail) == (Reason.REFUSED, True)
        assert isinstance(bare.answer([Distribution("", "the cat")])[0], Answer)

    def test_no_bound(self, made):
        """Without a bound of its own a draw has the backend's."""
        from guardrail.backends.language_model import _continuing

        request = Sample("a")
        assert _continuing.Draw(request, (1,), 9_999, 0).most == _continuing.LONGEST

    def test_negative_memory(self, made):
        """Says what was expected."""
        with pytest.raises(ConfigError, match="0 bytes or more"):
            model(made(), memory=-1)

    @pytest.mark.parametrize("memory", [0, None])
    @pytest.mark.parametrize("family", FAMILIES)
    def test_no_numbers(self, tmp_path, family, memory):
        """A model that says NaN has said nothing."""
        needs_local()
        import torch

        reader = model(make(tmp_path, family), memory=memory)
        with torch.inference_mode():
            reader._model.network.get_output_embeddings().weight[7, 0] = math.nan
        for reply in reader.answer([Sample("a", max_tokens=3), Distribution("a", ""), LogProb("a", " b")]):
            assert (reply.reason, "no numbers" in reply.detail) == (Reason.BACKEND, True)


class TestDistributions:
    @pytest.mark.parametrize("family", FAMILIES)
    @pytest.mark.parametrize("memory", [0, None])
    def test_as_transformers(self, made, family, memory):
        """Every outcome of a plain pass over context and query as one text, in 64 bits."""
        asked = [
            Distribution(" ".join(TEXTS[i].split()[:k]), " cat sat"[: 4 * (i % 3)])
            for i, k in enumerate([1, 5, 3, 8, 2])
        ]
        for request, found in zip(
            asked, values(model(made(family), memory=memory).answer(asked)), strict=True
        ):
            expected = np.exp(plain(made(family), request.context + request.query, " a")[1][0])
            assert found.probabilities == pytest.approx(expected, abs=1e-6)
            assert math.fsum(found.probabilities) == pytest.approx(1, abs=1e-9)
            assert found.other == 0.0
            assert len(set(found.names)) == len(found.names) == len(found.probabilities)

    @pytest.mark.parametrize("family", FAMILIES)
    def test_labels(self, made, family):
        """Begin with the token that `LogProb` scores first; labels that share it share the outcome; none has none."""
        reader = model(made(family))
        labels = (" cat", " cat sat", " dog", "cat", "", "😀")
        [found] = values(reader.answer([Distribution("the", " was", labels)]))
        for label, begun in zip(labels, found.begun, strict=True):
            if not label:
                assert begun is None
                continue
            [tokens] = values(reader.answer([ScoreTokens("the was", label)]))
            assert math.log(found.probabilities[begun]) == pytest.approx(tokens[0].logprob, abs=1e-5)
        assert found.begun[0] == found.begun[1] != found.begun[2]
        assert found.names[found.begun[0]].endswith("cat")
        [whole] = values(reader.answer([LogProb("the was", " cat")]))
        assert whole == pytest.approx(math.log(found.probabilities[found.begun[0]]), abs=1e-5), "one token"

    def test_no_labels(self, made):
        """Nothing is said of any."""
        [found] = values(model(made()).answer([Distribution("the", " cat")]))
        assert found.begun == ()

    def test_more_outcomes_than_pieces(self, tmp_path):
        """Outcomes that the tokenizer has no piece for go by their number, and are not drawn as text."""
        needs_local()

        def wide(transformers, size):
            config = transformers.GPT2Config(
                vocab_size=size + 7, n_positions=POSITIONS, n_embd=32, n_layer=2, n_head=2
            )
            return transformers.GPT2LMHeadModel(config)

        reader = model(make(tmp_path, network=wide))
        [found] = values(reader.answer([Distribution("the", " cat")]))
        assert (
            len(set(found.names)) == len(found.probabilities) == reader._model.tokenizer.get_vocab_size() + 7
        )
        assert all(
            isinstance(text, str) for text in values(reader.answer(draws(Sample("the", max_tokens=9), 20)))
        )


class TestScores:
    @pytest.mark.parametrize("family", FAMILIES)
    def test_shared_as_windowed(self, made, family):
        """`LogProb` through shared beginnings is the mean of `ScoreTokens`; what is longer than the window has windows."""
        reader = model(made(family))
        long = " ".join(itertools.islice(itertools.cycle(TEXTS[0].split()), 90))
        pairs = [
            ("", "the cat"),
            ("the", " cat sat"),
            ("the", " dog"),
            ("the cat", " " + long),
            (long, " cat sat"),
        ]
        means = values(reader.answer([LogProb(*pair) for pair in pairs]))
        for pair, mean in zip(pairs, means, strict=True):
            [tokens] = values(reader.answer([ScoreTokens(*pair)]))
            assert mean == pytest.approx(np.mean([token.logprob for token in tokens]), abs=1e-5)

    def test_gpu(self, made):
        """On a GPU the numbers are those of the processor."""
        import torch

        if not torch.cuda.is_available():
            pytest.skip("no GPU here")
        asked = [one for one in questions() if not isinstance(one, Sample)]
        here, there = (values(model(made(), device=device).answer(asked)) for device in ("cpu", "cuda"))
        assert apart(here, there) < 1e-3
