"""Log-probabilities by a local language model: the model's own numbers, windows, and text that comes back whole."""

import math
import random

import numpy as np
import pytest
from tests.unit.backends.models import HARD, TEXTS, needs_local

from guardrail import Guard, Verdict
from guardrail.backends.language_model import CausalModel, scoring_windows, spelling
from guardrail.detectors import SelfCheck
from guardrail.engine.flow import Answer, Failed, Reason
from guardrail.errors import ConfigError, WeightsMissing
from guardrail.report import Span
from guardrail.requests import Embed, LogProb, ScoreTokens
from guardrail.selfcheck import greybox

POSITIONS = 64
FAMILIES = ["gpt2", "llama"]


def vocabulary(family):
    """GPT-2's kind splits characters into bytes; Llama's marks blanks, puts one in front, and falls back to bytes."""
    from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

    if family == "llama":
        found = Tokenizer(models.BPE(unk_token="<unk>", byte_fallback=True, fuse_unk=True))
        found.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
        found.pre_tokenizer = pre_tokenizers.Split("▁", "merged_with_next")
        found.decoder = decoders.Sequence(
            [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)]
        )
        special = ["<unk>", "<s>", "</s>", *(f"<0x{i:02X}>" for i in range(256))]
        found.train_from_iterator(TEXTS, trainers.BpeTrainer(vocab_size=420, special_tokens=special))
        return found
    found = Tokenizer(models.BPE())
    found.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    found.decoder = decoders.ByteLevel()
    found.post_processor = processors.ByteLevel(trim_offsets=family == "trimmed")
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    found.train_from_iterator(
        TEXTS,
        trainers.BpeTrainer(vocab_size=400, special_tokens=["<|endoftext|>"], initial_alphabet=alphabet),
    )
    return found


def make(folder, family="gpt2", *, seed=0, network=None, begin=True):
    """A tiny model with its tokenizer, saved as safetensors; gives its folder."""
    import torch
    import transformers

    words = vocabulary(family)
    size = words.get_vocab_size()
    torch.manual_seed(seed)
    if network is None and family == "llama":
        config = transformers.LlamaConfig(
            vocab_size=size,
            hidden_size=32,
            intermediate_size=48,
            num_hidden_layers=2,
            num_attention_heads=2,
            max_position_embeddings=POSITIONS,
            initializer_range=0.4,
        )
        network = transformers.LlamaForCausalLM(config)
    elif network is None:
        config = transformers.GPT2Config(
            vocab_size=size, n_positions=POSITIONS, n_embd=32, n_layer=2, n_head=2, initializer_range=0.4
        )
        network = transformers.GPT2LMHeadModel(config)
    else:
        network = network(transformers, size)
    network.save_pretrained(folder)
    first = "<s>" if family == "llama" else "<|endoftext|>"
    marks = {"bos_token": first, "eos_token": first} if begin else {}
    transformers.PreTrainedTokenizerFast(
        tokenizer_object=words, **marks, add_bos_token=False
    ).save_pretrained(folder)
    return folder


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


def behind(reader, context, text):
    """The tokens of a text behind another: Llama's kind puts a blank in front of every text, but not in the middle."""
    found = reader(text, add_special_tokens=False)["input_ids"]
    if not context or reader.decode(reader("x").input_ids + found).startswith("x" + text):
        return found
    line = reader("\n", add_special_tokens=False)["input_ids"]
    return reader("\n" + text, add_special_tokens=False)["input_ids"][len(line) :]


def plain(folder, context, text, start=0, first=None, end=None):
    """Oracle: a whole forward pass of transformers on one window, and soft-max in 64 bits.

    Gives the log-probabilities of the tokens first..end and the whole distributions that they stand in.
    """
    import torch
    import transformers

    reader = transformers.AutoTokenizer.from_pretrained(str(folder), local_files_only=True)
    network = transformers.AutoModelForCausalLM.from_pretrained(str(folder), local_files_only=True).eval()
    before = reader(context, add_special_tokens=False)["input_ids"] if context else []
    whole = before + behind(reader, context, text)
    first, end = len(before) if first is None else first, len(whole) if end is None else end
    prefix = [] if reader.bos_token_id is None else [reader.bos_token_id]
    with torch.inference_mode():
        ids = torch.tensor([prefix + whole[start : end - 1]])
        shares = network(input_ids=ids).logits[0].double().log_softmax(-1).numpy()
    rows = shares[len(prefix) + first - start - 1 : len(prefix) + end - start - 1]
    return np.array([row[i] for row, i in zip(rows, whole[first:end], strict=True)]), rows


def logprobs(reply):
    assert isinstance(reply, Answer), reply
    return np.array([token.logprob for token in reply.value])


def entropies(reply):
    return np.array([token.entropy for token in reply.value])


QUESTIONS = [
    ScoreTokens(" ".join(TEXTS[i].split()[:k]), " " + " ".join(TEXTS[i + 3].split()[: 2 + 3 * k]))
    for i, k in enumerate([0, 1, 4, 2, 0, 3, 5])
]


class TestWindows:
    @pytest.mark.parametrize("begun", [True, False])
    @pytest.mark.parametrize("stride", [1, 3, 8])
    def test_each_token_once(self, begun, stride):
        """In order, none twice, none left out; each with its whole left context or with enough of it."""
        for context in range(0 if begun else 1, 20):
            for text in range(1, 30):
                found = scoring_windows(context, text, longest=8, stride=stride, begun=begun)
                scored = [i for _, first, end in found for i in range(first, end)]
                assert scored == list(range(context, context + text))
                for start, first, end in found:
                    assert begun + end - start - 1 <= 8, "more than the model reads"
                    assert start == 0 or first - start >= 8 - stride
                    assert begun or first > start, "a token that nothing precedes"


class TestSpelling:
    def test_whole(self):
        """Blanks that no token covers, characters of several tokens, an end that was dropped."""
        assert spelling(" a  b\n", [(1, 2), (4, 5)]) == [" a", "  b\n"]
        assert spelling("é", [(0, 1), (0, 1)]) == ["é", ""]
        assert spelling("", []) == []


class TestNumbers:
    @pytest.mark.parametrize("family", FAMILIES)
    def test_as_transformers(self, made, family):
        """Tokens, entropy over the whole vocabulary and the five likeliest: those of a plain forward pass."""
        model = CausalModel(made(family), device="cpu")
        replies = model.answer(QUESTIONS)
        assert model.work.batches < len(QUESTIONS), "they go through in batches"
        for question, reply in zip(QUESTIONS, replies, strict=True):
            expected, rows = plain(made(family), question.context, question.text)
            assert logprobs(reply) == pytest.approx(expected, abs=1e-5)
            assert entropies(reply) == pytest.approx(-(np.exp(rows) * rows).sum(-1), abs=1e-5)
            top = np.array([[value for _, value in token.top] for token in reply.value])
            assert top == pytest.approx(-np.sort(-rows, axis=-1)[:, :5], abs=1e-5)
        assert np.std(np.concatenate(list(map(entropies, replies)))) > 0.1, "it would prove nothing"

    @pytest.mark.parametrize("family", FAMILIES)
    def test_mean(self, made, family):
        """`LogProb` is the mean of the tokens' log-probabilities, also in the same batch as these."""
        model = CausalModel(made(family), device="cpu")
        pairs = [LogProb(question.context, question.text) for question in QUESTIONS]
        replies = model.answer([*pairs, *QUESTIONS])
        for mean, tokens in zip(replies, replies[len(pairs) :], strict=False):
            assert mean.value == pytest.approx(logprobs(tokens).mean(), abs=1e-6)

    @pytest.mark.parametrize("family", FAMILIES)
    @pytest.mark.parametrize("stride", [None, 1, 20, POSITIONS])
    @pytest.mark.parametrize("context", ["", "the cat sat", "he won a prize " * 40])
    def test_long(self, made, family, stride, context):
        """A text of several windows: each token as in a plain pass over its own window."""
        text = " ".join(TEXTS[:8])
        model = CausalModel(made(family), device="cpu", stride=stride)
        tokens = model.answer([ScoreTokens(context, text)])[0]
        sizes = [len(model._model.tokens(context)), len(tokens.value)]
        cuts = scoring_windows(*sizes, longest=POSITIONS, stride=stride or POSITIONS // 2)
        assert len(cuts) > 2
        expected = [plain(made(family), context, text, *cut)[0] for cut in cuts[:6]]
        found = logprobs(tokens)
        assert len(found) == sizes[1]
        assert found[: sum(map(len, expected))] == pytest.approx(np.concatenate(expected), abs=1e-5)

    @pytest.mark.parametrize("cells", [1, 1_000, 5_000])
    def test_parts(self, made, monkeypatch, cells):
        """However few logits are computed at a time, and never more than was said."""
        from guardrail.backends.language_model import _head

        expected = [logprobs(reply) for reply in CausalModel(made(), device="cpu").answer(QUESTIONS)]
        monkeypatch.setitem(_head.CELLS, "cpu", cells)
        sizes = []
        read = _head.OutputHead.read

        def measured(head, hidden, targets, top):
            sizes.append(len(hidden) * head.vocabulary)
            return read(head, hidden, targets, top)

        monkeypatch.setattr(_head.OutputHead, "read", measured)
        model = CausalModel(made(), device="cpu")
        for found, one in zip(model.answer(QUESTIONS), expected, strict=True):
            assert logprobs(found) == pytest.approx(one, abs=1e-5)
        assert max(sizes) <= max(cells, 400)

    @pytest.mark.parametrize("family", FAMILIES)
    @pytest.mark.parametrize(("precision", "most"), [("fp32", 1e-5), ("bf16", 0.2), ("int8", 0.2)])
    def test_neighbours_do_not_matter(self, made, family, precision, most):
        """Together, alone, backwards, in small batches."""
        model = CausalModel(made(family), device="cpu", precision=precision)
        together = [logprobs(reply) for reply in model.answer(QUESTIONS)]
        alone = [logprobs(model.answer([question])[0]) for question in QUESTIONS]
        backwards = [logprobs(reply) for reply in reversed(model.answer(QUESTIONS[::-1]))]
        narrow = CausalModel(made(family), device="cpu", precision=precision, budget=70)
        for other in (alone, backwards, list(map(logprobs, narrow.answer(QUESTIONS)))):
            assert max(np.abs(a - b).max() for a, b in zip(together, other, strict=True)) < most

    @pytest.mark.parametrize("family", FAMILIES)
    @pytest.mark.parametrize("precision", ["bf16", "int8"])
    def test_coarser_numbers(self, made, family, precision):
        """Nearly the same; random weights are larger than trained ones."""
        exact = CausalModel(made(family), device="cpu").answer(QUESTIONS)
        rough = CausalModel(made(family), device="cpu", precision=precision).answer(QUESTIONS)
        apart = np.concatenate([logprobs(a) - logprobs(b) for a, b in zip(exact, rough, strict=True)])
        spread = np.concatenate(list(map(logprobs, exact))).std()
        assert 0 < np.abs(apart).mean() < 0.1 * spread

    def test_gpu(self, made):
        """On a GPU the numbers are those of the processor."""
        import torch

        if not torch.cuda.is_available():
            pytest.skip("no GPU here")
        here = CausalModel(made(), device="cpu").answer(QUESTIONS)
        there = CausalModel(made(), device="cuda").answer(QUESTIONS)
        for a, b in zip(here, there, strict=True):
            assert logprobs(a) == pytest.approx(logprobs(b), abs=1e-3)

    def test_memory(self, made, monkeypatch):
        """A batch that does not fit is halved; a window that does not fit alone fails its text alone."""
        import torch

        model = CausalModel(made(), device="cpu")
        expected = [logprobs(reply) for reply in model.answer(QUESTIONS)]
        forward = model._model._forward
        largest = max(len(window) for question in QUESTIONS for window in model._plan(question, {}))

        def small(network, inputs):
            if len(inputs) > 1 or len(inputs[0]) == largest:
                raise torch.cuda.OutOfMemoryError
            return forward(network, inputs)

        monkeypatch.setattr(model._model, "_forward", small)
        replies = model.answer(QUESTIONS)
        failed = [reply for reply in replies if isinstance(reply, Failed)]
        assert 0 < len(failed) < len(QUESTIONS)
        assert all("memory" in reply.detail for reply in failed)
        for reply, one in zip(replies, expected, strict=True):
            assert isinstance(reply, Failed) or logprobs(reply) == pytest.approx(one, abs=1e-5)


def gemma(transformers, size):
    config = transformers.Gemma2Config(
        vocab_size=size,
        hidden_size=32,
        intermediate_size=48,
        num_hidden_layers=2,
        num_attention_heads=2,
        num_key_value_heads=1,
        head_dim=16,
        max_position_embeddings=POSITIONS,
        initializer_range=0.4,
        final_logit_softcapping=3.0,
    )
    return transformers.Gemma2ForCausalLM(config)


def cohere(transformers, size):
    config = transformers.CohereConfig(
        vocab_size=size,
        hidden_size=32,
        intermediate_size=48,
        num_hidden_layers=2,
        num_attention_heads=2,
        max_position_embeddings=POSITIONS,
        initializer_range=0.4,
        logit_scale=0.25,
        pad_token_id=0,
        bos_token_id=0,
        eos_token_id=0,
    )
    return transformers.CohereForCausalLM(config)


def opt(transformers, size):
    config = transformers.OPTConfig(
        vocab_size=size,
        hidden_size=32,
        word_embed_proj_dim=16,
        ffn_dim=48,
        num_hidden_layers=2,
        num_attention_heads=2,
        max_position_embeddings=POSITIONS,
        init_std=0.4,
        do_layer_norm_before=True,
        pad_token_id=1,
    )
    return transformers.OPTForCausalLM(config)


class TestArchitectures:
    @pytest.mark.parametrize("network", [gemma, cohere, opt])
    def test_logits_that_are_changed(self, tmp_path, network):
        """Soft caps, scales, narrow embeddings: as the model itself has them."""
        needs_local()
        make(tmp_path, network=network)
        for question, reply in zip(
            QUESTIONS, CausalModel(tmp_path, device="cpu").answer(QUESTIONS), strict=True
        ):
            assert logprobs(reply) == pytest.approx(
                plain(tmp_path, question.context, question.text)[0], abs=2e-5
            )

    def test_unknown_ways(self, made, monkeypatch):
        """A model that does something else with its logits is refused, not misread."""
        model = CausalModel(made(), device="cpu")
        network = model._model.network
        forward = network.forward

        def other(*inputs, **options):
            found = forward(*inputs, **options)
            found.logits = found.logits * 1.5
            return found

        monkeypatch.setattr(network, "forward", other)
        with pytest.raises(ConfigError, match="not supported"):
            model.answer(QUESTIONS[:1])

    def test_no_output_layer(self, made, monkeypatch):
        """Nor is one guessed at whose output layer cannot be found."""
        model = CausalModel(made(), device="cpu")
        monkeypatch.setattr(model._model.network, "get_output_embeddings", lambda: None)
        with pytest.raises(ConfigError, match="not supported"):
            model.answer(QUESTIONS[:1])

    def test_no_beginning(self, tmp_path):
        """Without a token for it the first token of a text has no probability, unless there is a context."""
        needs_local()
        model = CausalModel(make(tmp_path, begin=False), device="cpu")
        bare, after = model.answer([ScoreTokens("", "the cat"), ScoreTokens("the", " cat sat on mat")])
        assert (bare.reason, "give a context" in bare.detail) == (Reason.REFUSED, True)
        assert logprobs(after) == pytest.approx(plain(tmp_path, "the", " cat sat on mat")[0], abs=1e-5)


PIECES = [
    *TEXTS[:3],
    "😀🎉",
    "他是医生。",
    "Ünïcödé",
    "שלום. ",
    "  ",
    "\n\n",
    "e\u0301",
    "👨\u200d👩\u200d👧",
    "\t",
    "<s>",
    "a",
]


class TestText:
    @pytest.mark.parametrize("family", [*FAMILIES, "trimmed"])
    def test_comes_back_whole(self, made, family):
        """Whatever the text is, the tokens spell it; log-probabilities are numbers."""
        model = CausalModel(made(family), device="cpu")
        pick = random.Random(0)
        texts = ["".join(pick.choices(PIECES, k=pick.randint(1, 8))) for _ in range(80)]
        texts += [text for text in HARD if text and "\ud83d" not in text]  # that one is refused
        for text, reply in zip(texts, model.answer([ScoreTokens("x", text) for text in texts]), strict=True):
            assert "".join(token.token for token in reply.value) == text
            assert all(-math.inf < token.logprob <= 0 <= token.entropy for token in reply.value)

    @pytest.mark.parametrize("family", [*FAMILIES, "trimmed"])
    def test_alternatives_are_spelt_alike(self, made, family):
        """The likeliest token, where it is the text's own, has the text's own blank."""
        model = CausalModel(made(family), device="cpu")
        alike = 0
        for text in TEXTS:
            [reply] = model.answer([ScoreTokens("x", " " + text, top=60)])
            for token in reply.value[2:]:  # a blank in front may be a token of its own
                assert len(token.top) == 60
                spelt = {value: name for name, value in token.top}
                if token.logprob in spelt and token.token:
                    assert spelt[token.logprob] == token.token
                    alike += 1
        assert alike > 20, "it would prove nothing"

    @pytest.mark.parametrize("family", FAMILIES)
    def test_sentences(self, made, family):
        """Every token of a character that was split belongs to the sentence of that character."""
        model = CausalModel(made(family), device="cpu")
        answer = "他是医生。He won 🎉. 中"
        spans = [Span(start=0, end=5), Span(start=5, end=14), Span(start=15, end=16)]
        tokens = model.answer([ScoreTokens("", answer)])[0].value
        groups = greybox.aligned_tokens(answer, tokens, spans)
        blank = sum(1 for token in tokens if not token.token.strip() and token.token)
        assert sum(map(len, groups)) + blank >= len(tokens)
        for span, group in zip(spans, groups, strict=True):
            spelt = "".join(token.token for token in group)
            assert spelt.replace(" ", "") == span.of(answer).replace(" ", ""), "blanks belong to none"
        assert len(groups[0]) == 15 + (family == "llama"), (
            "three bytes each; Llama's kind puts a blank in front"
        )
        assert any(not token.token for token in groups[1])

    def test_spelt_out_marks(self, made):
        """A text that spells out the mark of its end is text."""
        model = CausalModel(made(), device="cpu")
        [window] = model._plan(ScoreTokens("a", "b<|endoftext|>c"), {})
        assert window.ids[0] == model._model.begin
        assert model._model.begin not in [*window.ids[1:], *window.targets]

    def test_nothing(self, made):
        """No requests, no text, half a character, another kind of request."""
        model = CausalModel(made(), device="cpu")
        assert model.answer([]) == []
        empty, mean, half, other = model.answer(
            [ScoreTokens("a", ""), LogProb("a", ""), ScoreTokens("a", "\ud800"), Embed("a")]
        )
        assert all((r.reason, r.detail) == (Reason.REFUSED, "the text has no tokens") for r in (empty, mean))
        assert (half.reason, "surrogate" in half.detail) == (Reason.REFUSED, True)
        assert (other.reason, "not Embed" in other.detail) == (Reason.MISSING, True)


class TestWork:
    def test_equal_requests(self, made):
        """Go through the model once; the first bears the cost."""
        model = CausalModel(made(), device="cpu")
        first, second, third = model.answer([QUESTIONS[2], QUESTIONS[2], QUESTIONS[3]])
        assert (model.work.requests, model.work.texts) == (3, 2)
        assert first.value == second.value
        assert first.cost.seconds > 0 == second.cost.seconds < third.cost.seconds

    @pytest.mark.parametrize("family", FAMILIES)
    def test_no_numbers(self, tmp_path, family):
        """A model that says NaN has said nothing."""
        needs_local()
        import torch

        model = CausalModel(make(tmp_path, family), device="cpu")
        with torch.inference_mode():
            model._model.network.get_output_embeddings().weight[7, 0] = math.nan
        for reply in model.answer([QUESTIONS[1], LogProb("a", " b")]):
            assert (reply.reason, "no numbers" in reply.detail) == (Reason.BACKEND, True)

    def test_fingerprint(self, made, tmp_path):
        """Depends on the weights and on how texts are cut."""
        needs_local()
        other = make(tmp_path, seed=1)
        found = {
            CausalModel(folder, device="cpu", **options).fingerprint
            for folder in (made(), other)
            for options in ({}, {"window": 32}, {"stride": 8}, {"precision": "bf16"})
        }
        assert len(found) == 8

    def test_window(self, made):
        """By default what the model takes, half of it at a time."""
        model = CausalModel(made(), device="cpu")
        assert (model.window, model.stride) == (POSITIONS, POSITIONS // 2)
        narrow = CausalModel(made(), device="cpu", window=10)
        assert (narrow.window, narrow.stride) == (10, 5)

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            ({"window": 65}, "a window of at most 64 tokens"),
            ({"window": 0}, "window to be None or 1 or more"),
            ({"stride": 0}, "stride to be None or 1 or more"),
            ({"window": 8, "stride": 9}, "at most 8"),
            ({"device": "tpu"}, "'auto', 'cpu' or 'cuda'"),
        ],
    )
    def test_wrong(self, made, options, message):
        """Each says what was expected."""
        with pytest.raises(ConfigError, match=message):
            CausalModel(made(), **{"device": "cpu", **options}).load()

    def test_no_weights(self):
        """The error holds the command that fetches them."""
        needs_local()
        with pytest.raises(WeightsMissing, match="hf download owner/some-lm"):
            CausalModel("owner/some-lm")


class TestProxy:
    def test_in_a_guard(self, made):
        """An answer without log-probabilities gets those of the proxy, after the prompt."""
        answer = "he won prize in paris. 😀 the cat sat."
        model = CausalModel(made(), device="cpu")
        guard = Guard([SelfCheck("greybox", proxy=True)], backends={"language_model": model})
        findings = guard.check(answer, prompt="the cat").findings
        tokens = model.answer([ScoreTokens("the cat\n\n", answer)])[0].value
        spans = [finding.span for finding in findings]
        expected = [
            greybox.score(group, "logprob", "max") for group in greybox.aligned_tokens(answer, tokens, spans)
        ]
        assert len(spans) > 1
        assert [finding.score for finding in findings] == pytest.approx(expected, abs=1e-5)
        assert all(finding.verdict is not Verdict.UNVERIFIED for finding in findings)
