"""The rewritten layers: the library's numbers, for every option that is known, and the way back for all others."""

import itertools

import numpy as np
import pytest
from tests.unit.backends.models import SHAPE, make, needs_local

from guardrail.backends import _attention, _linear
from guardrail.backends import _layers as _trunk
from guardrail.backends._layers import trunk
from guardrail.backends._local import LocalModel
from guardrail.backends.batching import matrix_rows

needs_local()

import torch  # noqa: E402
import transformers  # noqa: E402

LENGTHS = (60, 33, 33, 7, 7, 7, 2, 1)
DEBERTA = {
    "relative_attention": True,
    "position_buckets": 16,
    "norm_rel_ebd": "layer_norm",
    "share_att_key": True,
    "pos_att_type": ["p2c", "c2p"],
    "position_biased_input": False,
    "type_vocab_size": 0,
}
KINDS = {
    "bert": ("Bert", {}),
    "bert, relu": ("Bert", {"hidden_act": "relu"}),
    "bert, one layer": ("Bert", {"num_hidden_layers": 1}),
    "roberta": ("Roberta", {"type_vocab_size": 1, "pad_token_id": 1, "max_position_embeddings": 66}),
    "xlm-roberta": ("XLMRoberta", {"type_vocab_size": 1, "pad_token_id": 1, "max_position_embeddings": 66}),
    "deberta": ("DebertaV2", DEBERTA),
    "deberta, own positions": ("DebertaV2", {**DEBERTA, "share_att_key": False}),
    "deberta, c2p": ("DebertaV2", {**DEBERTA, "pos_att_type": ["c2p"]}),
    "deberta, p2c": ("DebertaV2", {**DEBERTA, "pos_att_type": ["p2c"], "share_att_key": False}),
    "deberta, neither": ("DebertaV2", {**DEBERTA, "pos_att_type": []}),
    "deberta, no buckets": ("DebertaV2", {**DEBERTA, "position_buckets": -1, "max_relative_positions": 20}),
    "deberta, convolution": ("DebertaV2", {**DEBERTA, "conv_kernel_size": 3, "conv_act": "gelu"}),
    "deberta, convolution, one layer": (
        "DebertaV2",
        {**DEBERTA, "conv_kernel_size": 3, "conv_act": "gelu", "num_hidden_layers": 1},
    ),
    "deberta, places and types": (
        "DebertaV2",
        {**DEBERTA, "position_biased_input": True, "type_vocab_size": 2, "norm_rel_ebd": "none"},
    ),
}


def network(kind, *, head=True, seed=0):
    """With random weights far from uniform answers."""
    family, options = KINDS[kind]
    torch.manual_seed(seed)
    config = getattr(transformers, f"{family}Config")(vocab_size=99, num_labels=3, **(SHAPE | options))
    made = getattr(transformers, f"{family}ForSequenceClassification" if head else f"{family}Model")(config)
    for name, weight in made.named_parameters():
        if name.endswith("bias") or "LayerNorm" in name:  # else zeros and ones, which hide what is left out
            torch.nn.init.normal_(weight, std=0.3)
    return made.eval()


def texts(kind):
    """Tokens, and types where the model knows them, of texts of all lengths."""
    ids = torch.randint(5, 99, (sum(LENGTHS),), generator=torch.Generator().manual_seed(1))
    types = torch.arange(sum(LENGTHS)) % 2 if KINDS[kind][0] == "Bert" or "types" in kind else None
    return ids, types


def expected(made, ids, types):
    """Oracle: the library's own forward pass, each text alone, without padding."""
    for a, b in _trunk._spans(LENGTHS):
        extra = {} if types is None else {"token_type_ids": types[None, a:b]}
        yield made(input_ids=ids[None, a:b], attention_mask=torch.ones(1, b - a, dtype=torch.long), **extra)


class Text:
    def __init__(self, ids, types):
        self.ids, self.type_ids = ids.tolist(), [0] * len(ids) if types is None else types.tolist()

    def __len__(self):
        return len(self.ids)


def inputs(ids, types):
    return [Text(ids[a:b], None if types is None else types[a:b]) for a, b in _trunk._spans(LENGTHS)]


@pytest.fixture(autouse=True)
def _grad_off():
    with torch.inference_mode():
        yield


class TestNumbers:
    @pytest.mark.parametrize("block", [8, 96])
    @pytest.mark.parametrize("kind", KINDS)
    def test_logits(self, kind, block, monkeypatch):
        """A classifier's outputs are the library's to 1e-5, whatever stands in the same batch."""
        monkeypatch.setattr(_attention, "_BLOCK", block)
        made = network(kind)
        ids, types = texts(kind)
        oracle = torch.cat([one.logits for one in expected(made, ids, types)])
        assert oracle.std(dim=0).min() > 0.02, "the random model answers all alike: it would prove nothing"
        found = trunk(made, precision="fp32", head=True)
        got = np.stack(list(found(inputs(ids, types), typed=types is not None)))
        assert got == pytest.approx(oracle.numpy(), abs=1e-5)

    @pytest.mark.parametrize("kind", KINDS)
    def test_vectors(self, kind):
        """An encoder's vectors are the library's, of every token."""
        made = network(kind, head=False)
        ids, types = texts(kind)
        oracle = [one.last_hidden_state[0].numpy() for one in expected(made, ids, types)]
        found = trunk(made, precision="fp32", head=False)
        for one, matrix in zip(oracle, found(inputs(ids, types), typed=types is not None), strict=True):
            assert matrix == pytest.approx(one, abs=1e-5)

    @pytest.mark.parametrize("kind", KINDS)
    @pytest.mark.parametrize(("precision", "tiles"), [("bf16", True), ("bf16", False), ("int8", False)])
    def test_coarser(self, kind, precision, tiles, monkeypatch):
        """Less exact numbers give nearly the same vectors, on either kind of processor: within hundredths of their length."""
        if precision == "bf16" and not torch.ops.mkldnn._is_mkldnn_bf16_supported():
            pytest.skip(
                "this processor has no products of bfloat16: such models run by the library's own forward pass"
            )
        monkeypatch.setattr(_attention, "has_any", lambda *_: tiles)
        made = network(kind, head=False)
        ids, types = texts(kind)
        oracle = torch.cat([one.last_hidden_state[0] for one in expected(made, ids, types)])
        found = trunk(made, precision=precision, head=False).vectors(ids, types, LENGTHS)
        assert 0 < float((found - oracle).norm() / oracle.norm()) < 0.05

    @pytest.mark.parametrize("head", [True, False])
    def test_few_sizes(self, head):
        """Matrices are rounded up to a size that occurs again: the tokens' 150 rows to 160; what comes out is not."""
        made = network("bert", head=head)
        found = trunk(made, precision="fp32", head=head)
        ids, types = texts("bert")
        seen = []
        found.base.embeddings.register_forward_hook(lambda _module, _given, out: seen.append(out.shape[1]))
        vectors = found.vectors(ids, types, LENGTHS)
        assert seen == [matrix_rows(sum(LENGTHS))] == [160]
        assert len(vectors) == (len(LENGTHS) if head else sum(LENGTHS))

    def test_weights_once(self):
        """The layers' own weights are let go, else every model would take twice its room."""
        made = network("bert")
        before = sum(weight.numel() for weight in made.bert.encoder.parameters())
        assert trunk(made, precision="fp32", head=True) is not None
        assert sum(weight.numel() for weight in made.bert.encoder.parameters()) < before / 20


class TestWayBack:
    @pytest.mark.parametrize(
        "change",
        [
            {"hidden_act": "gelu_new"},
            {"is_decoder": True},
            {"position_embedding_type": "relative_key"},
            {"model_type": "nezha"},
        ],
    )
    def test_unknown_option(self, change):
        """What is not known here is left to the library."""
        made = network("bert")
        for name, value in change.items():
            setattr(made.config, name, value)
        assert trunk(made, precision="fp32", head=True) is None

    @pytest.mark.parametrize("change", [{"relative_attention": False}, {"pos_att_type": ["p2p"]}])
    def test_unknown_attention(self, change):
        """DeBERTa's first version has position-to-position terms."""
        made = network("deberta")
        for name, value in change.items():
            setattr(made.config, name, value)
        assert trunk(made, precision="fp32", head=True) is None

    @pytest.mark.parametrize("precision", ["fp32", "bf16", "int8"])
    def test_probe(self, precision, monkeypatch, caplog):
        """A library that computes something else is noticed before the first answer, and nothing is let go."""
        made = network("bert")
        made.bert.encoder.layer[0].output.LayerNorm.register_forward_hook(lambda *given: given[-1] * 2)
        monkeypatch.setattr(
            _trunk._Layer, "__call__", lambda self, hidden, spans, firsts: hidden[: len(spans)]
        )
        with caplog.at_level("WARNING", logger="guardrail"):
            assert trunk(made, precision=precision, head=True) is None
        assert [record.msg for record in caplog.records] == ["slow_forward"]
        assert made.bert.encoder.layer[0].output.dense.weight.numel() > 0

    def test_renamed(self, caplog):
        """Nor does a library whose parts have other names stop anything."""
        made = network("bert")
        made.bert.encoder.layer[1].attention.output.norm = made.bert.encoder.layer[
            1
        ].attention.output.LayerNorm
        del made.bert.encoder.layer[1].attention.output.LayerNorm
        with caplog.at_level("WARNING", logger="guardrail"):
            assert trunk(made, precision="fp32", head=True) is None
        assert "slow_forward" in caplog.text

    @pytest.mark.parametrize("family", ["bert", "deberta"])
    @pytest.mark.parametrize("kind", ["classifier", "encoder"])
    def test_same_answers(self, folders, tmp_path, monkeypatch, family, kind):
        """With and without: the same answers."""
        folder = folders(family) if kind == "classifier" else make(tmp_path, family=family, head=False)
        rows = [" ".join(some) for some in itertools.permutations(["cat", "dog", "mat"])] + [
            "the cat sat on a mat"
        ]
        found = []
        for packed in (True, False):
            monkeypatch.setattr(_trunk, "can_pack", lambda packed=packed: packed)
            model = LocalModel(folder, kind=kind, device="cpu")
            found.append(model.run([model.input(row) for row in rows]))
            assert (model._trunk is not None) == packed
        for ours, theirs in zip(*found, strict=True):
            assert ours == pytest.approx(theirs, abs=1e-5, rel=1e-5)


class TestArithmetic:
    def test_by_hand(self):
        """2 layers of 4 x 32 x 32 + 2 x 32 x 48 weights, each a product and a sum; 4 x 32 x 2 per pair of tokens."""
        weights = 2 * (4 * 32 * 32 + 2 * 32 * 48)
        assert _linear.arithmetic(network("bert")) == (2 * weights, 256)

    def test_counted(self, folders):
        """Each text's tokens and their pairs; equal to what the two figures say."""
        model = LocalModel(folders(), kind="classifier", device="cpu")
        rows = [model.input("the cat"), model.input("the cat sat on mat")]
        model.run(rows)
        each, pairs = model._arithmetic
        assert model.work.operations == each * (4 + 7) + pairs * (16 + 49)
