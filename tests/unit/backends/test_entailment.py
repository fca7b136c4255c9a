"""Entailment by a local classifier: labels, batches, refusals, and many callers at once."""

import asyncio
import itertools
import math
import os
import signal
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from tests.effort import ends
from tests.unit.backends.models import HARD, TEXTS, edit_config, make, needs_local
from tests.unit.engine.toys import PATIENT, wait_until

from guardrail import Case, Detector, Finding, Guard
from guardrail.backends.entailment import EntailmentModel, LabelOrder, label_order, label_probabilities
from guardrail.engine.flow import Answer, Failed, Reason, each
from guardrail.engine.hub import Hub
from guardrail.errors import ConfigError, MissingExtra
from guardrail.report import Scale
from guardrail.requests import Entail, Entailment

NLI = ("contradiction", "entailment", "neutral")


class TestLabelOrder:
    @pytest.mark.parametrize("names", list(itertools.permutations(NLI)))
    def test_three_ways(self, names):
        """All six orders are read from the configuration, in any case."""
        found = label_order({"id2label": {str(i): name.upper() for i, name in enumerate(names)}})
        assert [names[found.entailment], names[found.contradiction], names[found.neutral]] == [
            "entailment",
            "contradiction",
            "neutral",
        ]

    @pytest.mark.parametrize("other", ["contradiction", "not_entailment", "Not-Entailment", "non entailment"])
    @pytest.mark.parametrize("first", [True, False])
    def test_two_ways(self, other, first):
        """`not_entailment` holds the word entailment and is not it."""
        names = ["entailment", other] if first else [other, "entailment"]
        found = label_order({"id2label": dict(enumerate(names))})
        assert found == LabelOrder(entailment=names.index("entailment"), contradiction=names.index(other))

    def test_only_the_inverse(self):
        """A configuration with label2id alone tells as much."""
        assert label_order({"label2id": {"neutral": 0, "entailment": 1, "contradiction": 2}}) == LabelOrder(
            1, 2, 0
        )

    @pytest.mark.parametrize(
        "names",
        [
            [],
            ["LABEL_0", "LABEL_1", "LABEL_2"],
            ["entailment"],
            ["entailment", "neutral"],
            ["entailment", "entails", "neutral"],
            ["entailment", "contradiction", "neutral", "other"],
            ["entailment", "not_entailment", "neutral"],
        ],
    )
    def test_cannot_be_told(self, names):
        """No guess: an error that says how to say it."""
        with pytest.raises(ConfigError, match=r"labels=\["):
            label_order({"id2label": dict(enumerate(names))})

    @pytest.mark.parametrize("config", [{"num_labels": 2}, {"id2label": {"0": "LABEL_0", "1": "LABEL_1"}}])
    def test_as_many_as_outputs(self, config):
        """Labels that are given must be those of all outputs: probabilities would not add up to 1."""
        with pytest.raises(ConfigError, match="each of the model's 2 outputs"):
            label_order(config, labels=["entailment", "neutral", "contradiction"])
        assert label_order(config, labels=["entailment", "not_entailment"]).neutral is None

    def test_gap(self):
        """An output without a name could be anything."""
        with pytest.raises(ConfigError, match="labels="):
            label_order({"id2label": {"0": "entailment", "2": "contradiction"}})

    def test_contradicts_itself(self):
        """Two tables that disagree: neither is believed."""
        with pytest.raises(ConfigError, match="to agree"):
            label_order(
                {
                    "id2label": {"0": "entailment", "1": "contradiction"},
                    "label2id": {"entailment": 1, "contradiction": 0},
                }
            )

    def test_said_by_the_user(self):
        """What the user says counts more than the configuration."""
        config = {"id2label": {"0": "LABEL_0", "1": "LABEL_1"}}
        assert label_order(config, ["entailment", "contradiction"]) == LabelOrder(0, 1)


class TestProbabilities:
    def test_by_hand(self):
        """ln 1, ln 2, ln 5: shares of 1/8, 2/8, 5/8."""
        found = label_probabilities([0.0, math.log(2), math.log(5)], LabelOrder(2, 0, 1))
        assert (found.entailment, found.contradiction, found.neutral) == pytest.approx((0.625, 0.125, 0.25))

    def test_large(self):
        """No overflow."""
        assert label_probabilities([1e4, -1e4], LabelOrder(0, 1)) == Entailment(1.0, 0.0, None)

    @pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
    def test_no_number(self, bad):
        """Undefined is not 0."""
        assert label_probabilities([0.0, bad], LabelOrder(0, 1)) is None


PAIRS = [
    Entail(" ".join(TEXTS[i].split()[: 1 + 5 * (i % 7)]), " ".join(TEXTS[j].split()[: 2 + j % 9]))
    for i, j in itertools.product(range(6), range(20, 26))
]


def triple(reply):
    return np.array([reply.value.entailment, reply.value.contradiction, reply.value.neutral])


class TestScores:
    @pytest.mark.parametrize("family", ["bert", "roberta", "deberta"])
    def test_as_transformers(self, folders, family):
        """Oracle: the same model called with each pair through transformers, one by one, without padding."""
        import torch
        import transformers

        path = str(folders(family))
        reader = transformers.AutoTokenizer.from_pretrained(path, local_files_only=True)
        network = transformers.AutoModelForSequenceClassification.from_pretrained(path, local_files_only=True)
        found = EntailmentModel(folders(family), device="cpu").answer(PAIRS)
        spread = np.std([triple(reply) for reply in found], axis=0)
        assert spread.min() > 0.01, "the random model answers all alike: it would prove nothing"
        for pair, reply in zip(PAIRS, found, strict=True):
            inputs = reader(
                pair.premise, pair.hypothesis, truncation=True, max_length=64, return_tensors="pt"
            )
            if family == "roberta":  # its own tokenizers give none
                inputs.pop("token_type_ids", None)
            with torch.inference_mode():
                contradiction, entailment, neutral = network(**inputs).logits[0].softmax(-1).tolist()
            assert triple(reply) == pytest.approx([entailment, contradiction, neutral], abs=1e-4)

    @pytest.mark.parametrize("family", ["bert", "roberta", "deberta"])
    @pytest.mark.parametrize("precision", ["fp32", "bf16", "int8"])
    def test_neighbours_do_not_matter(self, folders, family, precision):
        """Together, alone, and in any other batch: the same to 1e-4.

        Coarser numbers may fall on the other side of a rounding: then a score moves by as much as rounding does.
        """
        most = {"fp32": 1e-4, "bf16": 0.05, "int8": 0.05}[precision]
        model = EntailmentModel(folders(family), device="cpu", precision=precision)
        together = [triple(reply) for reply in model.answer(PAIRS)]
        alone = [triple(model.answer([pair])[0]) for pair in PAIRS]
        backwards = [triple(reply) for reply in reversed(model.answer(PAIRS[::-1]))]
        narrow = EntailmentModel(folders(family), device="cpu", precision=precision, budget=130)
        split = [triple(reply) for reply in narrow.answer(PAIRS)]
        for other in (alone, backwards, split):
            assert np.abs(np.array(other) - together).max() < most

    @pytest.mark.parametrize(
        ("can", "chosen"), [({}, "fp32"), ({"amx_bf16": True}, "bf16"), ({"avx512_bf16": False}, "fp32")]
    )
    def test_auto(self, folders, monkeypatch, can, chosen):
        """bfloat16 where the processor multiplies it; the origin is that of every precision, the fingerprint is not."""
        import torch

        monkeypatch.setattr(torch.cpu, "get_capabilities", lambda: can, raising=False)
        model = EntailmentModel(folders("bert"), device="cpu", precision="auto")
        assert model.precision == chosen
        both = [EntailmentModel(folders("bert"), device="cpu", precision=one) for one in ("fp32", "bf16")]
        assert {one.origin for one in both} == {model.origin}
        assert len({one.fingerprint for one in both}) == 2
        assert model.fingerprint in {one.fingerprint for one in both}

    @pytest.mark.parametrize("family", ["bert", "deberta"])
    @pytest.mark.parametrize("precision", ["bf16", "int8"])
    def test_faster_numbers(self, folders, family, precision):
        """Less exact numbers give nearly the same (the random weights are larger than trained ones)."""
        exact = EntailmentModel(folders(family), device="cpu").answer(PAIRS)
        rough = EntailmentModel(folders(family), device="cpu", precision=precision).answer(PAIRS)
        difference = np.abs([triple(a) - triple(b) for a, b in zip(exact, rough, strict=True)])
        assert 0 < difference.mean() < 0.03

    @pytest.mark.parametrize("names", list(itertools.permutations(NLI)))
    def test_labels_are_read(self, folder, names):
        """The same weights under other names: the outputs follow the names."""
        import torch

        edit_config(folder, id2label=dict(enumerate(names)), label2id={n: i for i, n in enumerate(names)})
        model = EntailmentModel(folder, device="cpu")
        with torch.inference_mode():
            shares = model._model.run([model._model.input("the cat", "a dog")])[0]
        found = model.answer([Entail("the cat", "a dog")])[0].value
        expected = dict(zip(names, np.exp(shares) / np.exp(shares).sum(), strict=True))
        got = {name: getattr(found, name) for name in NLI}
        assert got == pytest.approx(expected, abs=1e-6)

    def test_two_way(self, tmp_path):
        """No neutral; the two add up to 1."""
        needs_local()
        make(tmp_path, labels=("entailment", "not_entailment"))
        value = EntailmentModel(tmp_path, device="cpu").answer([PAIRS[0]])[0].value
        assert value.neutral is None
        assert value.entailment + value.contradiction == pytest.approx(1)

    def test_order(self, folders):
        """Read the other way round is the pair turned round."""
        turned = EntailmentModel(folders(), device="cpu", order="hypothesis_first")
        straight = EntailmentModel(folders(), device="cpu")
        pair = Entail("the cat sat on mat", "he won prize")
        swapped = Entail(pair.hypothesis, pair.premise)
        assert turned.answer([pair])[0].value == straight.answer([swapped])[0].value
        assert triple(turned.answer([pair])[0]) != pytest.approx(triple(straight.answer([pair])[0]), abs=1e-3)


class TestWork:
    def test_duplicates(self, folders):
        """Equal pairs go through the model once, and the first bears the cost."""
        model = EntailmentModel(folders(), device="cpu")
        first, second, other = model.answer([PAIRS[0], PAIRS[0], PAIRS[1]])
        assert (model.work.requests, model.work.texts) == (3, 2)
        assert first.value == second.value
        assert first.cost.seconds > 0 == second.cost.seconds
        assert other.cost.seconds > 0

    def test_tokens_once(self, folders, monkeypatch):
        """Eight sentences against five samples: thirteen texts are tokenised, not eighty."""
        model = EntailmentModel(folders(), device="cpu")
        texts = []
        reader = model._model.tokenizer

        class Counting:
            def encode(self, text, **options):
                texts.append(text)
                return reader.encode(text, **options)

            def __getattr__(self, name):
                return getattr(reader, name)

        monkeypatch.setattr(model._model, "tokenizer", Counting())
        model.answer([Entail(p, h) for p in TEXTS[:5] for h in TEXTS[10:18]])
        assert sorted(texts) == sorted([*TEXTS[:5], *TEXTS[10:18]])

    def test_hardly_any_padding(self, folders):
        """Pairs stand one behind the other, where the architecture is known; a batch is rounded up to a size seen before."""
        model = EntailmentModel(folders(), device="cpu", budget=256)
        model.answer(PAIRS)
        assert 0 <= model.work.padding < 0.15
        assert model.work.batches > 1
        assert model.work.operations > 0

    def test_padding(self, folders, monkeypatch):
        """Where it is not: reported, and small where lengths are alike."""
        monkeypatch.setattr("guardrail.backends._layers.can_pack", lambda: False)
        model = EntailmentModel(folders(), device="cpu", budget=256)
        model.answer(PAIRS)
        assert 0 <= model.work.padding < 0.25
        assert model.work.slots > model.work.tokens > 0
        assert model.work.batches > 1

    def test_tune(self, folders):
        """The budget that was fastest is used from then on."""
        model = EntailmentModel(folders(), device="cpu")
        measured = model.tune(PAIRS, budgets=(64, 512))
        assert set(measured) == {64, 512}
        assert model.budget == next(iter(measured))
        assert model.capacity == 8 * model.budget

    def test_tune_on_nothing(self, folders):
        """Blank pairs measure nothing."""
        with pytest.raises(ConfigError, match="pairs with words"):
            EntailmentModel(folders(), device="cpu").tune([Entail("", "")])

    def test_memory(self, folders, monkeypatch):
        """A batch that does not fit is halved; a pair that does not fit alone fails alone."""
        import torch

        model = EntailmentModel(folders(), device="cpu")
        expected = [triple(reply) for reply in model.answer(PAIRS)]
        forward = model._model._forward
        largest = max(len(model._model.input(p.premise, p.hypothesis)) for p in PAIRS)

        def small(network, inputs):
            if len(inputs) > 3 or len(inputs[0]) == largest:
                raise torch.cuda.OutOfMemoryError
            return forward(network, inputs)

        monkeypatch.setattr(model._model, "_forward", small)
        replies = model.answer(PAIRS)
        failed = [reply for reply in replies if isinstance(reply, Failed)]
        assert failed
        assert all("memory" in reply.detail for reply in failed)
        kept = [(e, triple(r)) for e, r in zip(expected, replies, strict=True) if isinstance(r, Answer)]
        assert len(kept) + len(failed) == len(PAIRS)
        assert np.abs([a - b for a, b in kept]).max() < 1e-4


class TestHardTexts:
    @pytest.mark.parametrize("precision", ["fp32", "bf16", "int8"])
    def test_all(self, folders, precision):
        """Blank text is refused, everything else scored; nobody's score changes by such neighbours."""
        model = EntailmentModel(folders(), device="cpu", precision=precision)
        plain = Entail("the cat sat", "a dog")
        replies = model.answer(
            [plain, *(Entail(t, "a dog") for t in HARD), *(Entail("a dog", t) for t in HARD)]
        )
        for text, reply in zip([*HARD, *HARD], replies[1:], strict=True):
            if text.strip(" \n\t\x00\x07"):
                assert triple(reply).sum() == pytest.approx(1, abs=1e-6)
            else:
                assert reply.reason is Reason.REFUSED
                assert "has no words" in reply.detail
        most = 1e-4 if precision == "fp32" else 0.05
        assert triple(replies[0]) == pytest.approx(triple(model.answer([plain])[0]), abs=most)

    def test_long(self, folders, caplog):
        """10,000 characters: cut to what the model takes, counted each time, said once."""
        model = EntailmentModel(folders(), device="cpu")
        with caplog.at_level("WARNING", logger="guardrail"):
            replies = model.answer([Entail("cat " * 2_500, "a dog"), Entail("a dog", "dog " * 2_500)])
        assert all(isinstance(reply, Answer) for reply in replies)
        assert model.work.truncated == 2
        assert [record.msg for record in caplog.records] == ["truncated"]
        assert model.work.tokens == 128

    @pytest.mark.parametrize("family", ["bert", "roberta", "deberta"])
    @pytest.mark.parametrize("order", ["premise_first", "hypothesis_first"])
    def test_says_what_was_read(self, folders, family, order):
        """64 positions less the special tokens and those of the hypothesis: so many words of the premise, to the letter.

        By hand: BERT and DeBERTa have [CLS] a [SEP] b [SEP]; of the tiny RoBERTa's 64 positions padding takes one.
        """
        model = EntailmentModel(folders(family), device="cpu", order=order)
        room = {"bert": 61, "roberta": 60, "deberta": 61}[family]
        for hypothesis in ("dog", "a dog", "the cat sat on mat"):
            words = room - len(hypothesis.split())
            fits, over, far = ("cat " * n for n in (words, words + 1, 20_000))
            whole, cut, long = model.answer([Entail(text, hypothesis) for text in (fits, over, far)])
            assert (whole.value.premise_read, whole.value.hypothesis_read) == (None, None)
            assert (cut.value.premise_read, cut.value.hypothesis_read) == (4 * words - 1, None)
            assert long.value.premise_read == 4 * words - 1
            assert triple(cut) == pytest.approx(triple(whole), abs=1e-4), "it read something else"
            (turned,) = model.answer([Entail(hypothesis, over)])
            assert (turned.value.premise_read, turned.value.hypothesis_read) == (None, 4 * words - 1)

    def test_both_too_long(self, folders):
        """Each keeps about half, and the reply says so of each."""
        (reply,) = EntailmentModel(folders(), device="cpu").answer([Entail("cat " * 99, "dog " * 99)])
        kept = [(reply.value.premise_read + 1) // 4, (reply.value.hypothesis_read + 1) // 4]
        assert sum(kept) == 61
        assert abs(kept[0] - kept[1]) == 1

    def test_spelt_out_marks(self, folders):
        """A text that spells out the mark between the texts cannot move the border between them."""
        model = EntailmentModel(folders(), device="cpu")
        forged = model._model.input("the cat [SEP] a dog", "he won")
        real = model._model.tokenizer.token_to_id("[SEP]")
        assert forged.ids.count(real) == 2
        assert forged.special_tokens_mask.count(1) == 3

    def test_no_numbers(self, folder):
        """A model that says NaN has said nothing."""
        import torch

        model = EntailmentModel(folder, device="cpu")
        with torch.inference_mode():
            model._model.network.classifier.bias[0] = math.nan
        reply = model.answer([PAIRS[0]])[0]
        assert (reply.reason, "no numbers" in reply.detail) == (Reason.BACKEND, True)

    def test_nothing(self, folders):
        """No requests, no replies."""
        assert EntailmentModel(folders(), device="cpu").answer([]) == []


class TestOptions:
    @pytest.mark.parametrize(
        ("options", "message"),
        [
            ({"device": "tpu"}, "'auto', 'cpu' or 'cuda', got 'tpu'"),
            ({"precision": "fp8"}, "'fp32', 'bf16' or 'int8', got 'fp8'"),
            ({"order": "both"}, "'premise_first' or 'hypothesis_first', got 'both'"),
            ({"longest": 0}, "longest to be a whole number from 1, got 0"),
            ({"longest": "8"}, "longest to be a whole number from 1, got '8'"),
            ({"budget": 0}, "budget to be a whole number from 1, got 0"),
        ],
    )
    def test_wrong(self, folders, options, message):
        """Each says what was expected and what came."""
        with pytest.raises(ConfigError, match=message):
            EntailmentModel(folders(), **{"device": "cpu", **options})

    def test_no_gpu(self, folders):
        """A GPU that is not there is an error, not a slow surprise."""
        import torch

        if torch.cuda.is_available():
            pytest.skip("a GPU is here")
        with pytest.raises(ConfigError, match="finds none"):
            EntailmentModel(folders(), device="cuda")
        assert EntailmentModel(folders()).device == "cpu"

    def test_gpu(self, folders):
        """On a GPU the scores are those of the processor."""
        import torch

        if not torch.cuda.is_available():
            pytest.skip("no GPU here")
        here = EntailmentModel(folders(), device="cpu").answer(PAIRS)
        there = EntailmentModel(folders(), device="cuda").answer(PAIRS)
        assert np.abs([triple(a) - triple(b) for a, b in zip(here, there, strict=True)]).max() < 1e-3

    def test_longer_than_the_model(self, folders):
        """Positions that the model never learnt."""
        with pytest.raises(ConfigError, match="at most 64 tokens"):
            EntailmentModel(folders(), device="cpu", longest=65).load()

    def test_no_torch(self, monkeypatch):
        """The extra and its command."""
        monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
        with pytest.raises(MissingExtra, match=r"guardrail-sdk\[local\]"):
            EntailmentModel("owner/some-nli")


class Checks(Detector):
    """Asks whether the prompt entails each word group of the answer."""

    name = "checks"
    scale = Scale(least=0, most=1)

    def examine(self, case: Case):
        halves = [case.answer[:10], case.answer[10:]]
        replies = yield from each([Entail(TEXTS[0], half) for half in halves])
        score = max(reply.value.contradiction for reply in replies)
        return [Finding(detector=self.name, score=score, verdict="supported")]

    def cost(self, case):
        return {}


class TestGuard:
    def test_callers_share_batches(self, folders):
        """Thirty callers in threads: each gets its own scores, in far fewer calls than callers."""
        model = EntailmentModel(folders(), device="cpu")
        expected = {
            text: Guard([Checks()], backends={"entailment": model}).check(text) for text in TEXTS[1:31]
        }
        model.load()
        calls, answer = [], model.answer
        gate = threading.Event()

        def slow_first(requests):
            calls.append(len(requests))
            if len(calls) == 1:
                gate.wait(2 * PATIENT)  # the others queue up meanwhile
            return answer(requests)

        model.answer = slow_first
        guard = Guard([Checks()], backends=Hub({"entailment": model}))
        with ThreadPoolExecutor(30) as pool:
            futures = {text: pool.submit(guard.check, text) for text in expected}
            wait_until(lambda: guard.hub.queued() >= 45)
            gate.set()
            for text, future in futures.items():
                score = future.result(timeout=30).findings[0].score
                assert score == pytest.approx(expected[text].findings[0].score, abs=1e-4)
        assert len(calls) <= 6, calls

    @pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
    def test_after_a_fork(self, folders):
        """A child whose parent has computed, asked directly: the same scores, and it does not wait for ever."""
        import torch

        model = EntailmentModel(folders(), device="cpu")
        threads = torch.get_num_threads()
        torch.set_num_threads(2)  # with helpers, which the child does not have
        try:
            expected = [triple(one) for one in model.answer(PAIRS)]
            torch.ones(512, 512) @ torch.ones(512, 512)
            torch.ones(1_000_000).exp()
            child, code = os.fork(), 2
            if child == 0:
                try:
                    code = int(not np.allclose([triple(one) for one in model.answer(PAIRS)], expected))
                finally:
                    os._exit(code)
            try:
                with ends(60):
                    done = os.waitpid(child, 0)
            except pytest.fail.Exception:
                os.kill(child, signal.SIGKILL)
                os.waitpid(child, 0)
                raise
            assert done == (child, 0)
        finally:
            torch.set_num_threads(threads)

    def test_asynchronous(self, folders):
        """The same from one event loop; equal pairs of several callers are scored once."""
        model = EntailmentModel(folders(), device="cpu")
        guard = Guard([Checks()], backends={"entailment": model})

        async def everyone():
            return await asyncio.gather(*(guard.acheck(text) for text in TEXTS[1:11] * 3))

        reports = asyncio.run(everyone())
        scores = [report.findings[0].score for report in reports]
        assert scores[:10] == scores[10:20] == scores[20:]
        assert (
            model.work.texts <= 20 + 2
        )  # ten answers of two halves; the first may be done before its twin comes

    def test_several_guards(self, folders):
        """Two hubs call one model at the same time: no reply is mixed up."""
        model = EntailmentModel(folders(), device="cpu")
        alone = {pair: triple(model.answer([pair])[0]) for pair in PAIRS}
        orders = [PAIRS, PAIRS[::-1]] * 4
        with ThreadPoolExecutor(4) as pool:
            for order, replies in zip(orders, pool.map(model.answer, orders), strict=True):
                for pair, reply in zip(order, replies, strict=True):
                    assert np.abs(triple(reply) - alone[pair]).max() < 1e-4
