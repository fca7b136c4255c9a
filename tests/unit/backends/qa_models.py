"""Tiny models of the QA variant's true architectures, T5 and Longformer, with random weights."""

from tests.unit.backends.models import TEXTS

SEPARATOR = "<sep>"


def t5(folder, *, seed=0, sharp=1.0, separator=True):
    """A T5 whose words come from a Unigram model, as the true one's do; `sharp` scales what it prefers."""
    import torch
    import transformers
    from tokenizers import (
        Regex,
        Tokenizer,
        decoders,
        models,
        normalizers,
        pre_tokenizers,
        processors,
        trainers,
    )

    words = Tokenizer(models.Unigram())
    words.normalizer = normalizers.Sequence(
        [normalizers.Strip(left=False, right=True), normalizers.Replace(Regex(" {2,}"), "▁")]
    )
    words.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="always")
    words.decoder = decoders.Metaspace(prepend_scheme="always")
    special = ["<pad>", "</s>", "<unk>", "<extra_id_0>", *([SEPARATOR] if separator else [])]
    words.train_from_iterator(
        TEXTS,
        trainers.UnigramTrainer(
            vocab_size=90, special_tokens=special, unk_token="<unk>", show_progress=False
        ),
    )
    words.post_processor = processors.TemplateProcessing(
        single="$A </s>", pair="$A </s> $B </s>", special_tokens=[("</s>", words.token_to_id("</s>"))]
    )
    torch.manual_seed(seed)
    network = transformers.T5ForConditionalGeneration(
        transformers.T5Config(
            vocab_size=words.get_vocab_size(),
            d_model=32,
            d_kv=8,
            d_ff=48,
            num_layers=2,
            num_heads=4,
            decoder_start_token_id=0,
            pad_token_id=0,
            eos_token_id=1,
        )
    )
    with torch.no_grad():
        network.shared.weight.mul_(sharp)
    network.save_pretrained(folder)
    names = {"sep_token": SEPARATOR} if separator else {}
    transformers.PreTrainedTokenizerFast(
        tokenizer_object=words,
        model_max_length=512,
        unk_token="<unk>",
        pad_token="<pad>",
        eos_token="</s>",
        **names,
    ).save_pretrained(folder)
    return folder


def longformer(folder, *, choice, outputs=1, seed=0):
    """A Longformer with a head for multiple choice, or with one of so many outputs; its window is 8 tokens wide."""
    import torch
    import transformers
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers

    words = Tokenizer(models.BPE())
    words.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    words.decoder = decoders.ByteLevel()
    special = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    words.train_from_iterator(
        TEXTS,
        trainers.BpeTrainer(
            vocab_size=400,
            special_tokens=special,
            initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
            show_progress=False,
        ),
    )
    words.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0), add_prefix_space=False)
    torch.manual_seed(seed)
    config = transformers.LongformerConfig(
        vocab_size=words.get_vocab_size(),
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=48,
        attention_window=[8, 8],
        max_position_embeddings=130,
        type_vocab_size=1,
        bos_token_id=0,
        pad_token_id=1,
        eos_token_id=2,
        sep_token_id=2,
        initializer_range=0.4,
        num_labels=outputs,
    )
    kind = (
        transformers.LongformerForMultipleChoice
        if choice
        else transformers.LongformerForSequenceClassification
    )
    kind(config).save_pretrained(folder)
    transformers.PreTrainedTokenizerFast(
        tokenizer_object=words,
        model_max_length=128,
        bos_token="<s>",
        eos_token="</s>",
        unk_token="<unk>",
        sep_token="</s>",
        cls_token="<s>",
        pad_token="<pad>",
        mask_token="<mask>",
    ).save_pretrained(folder)
    return folder
