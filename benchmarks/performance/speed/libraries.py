"""A worker in an environment with transformers, sentence-transformers, ONNX Runtime and OpenVINO.

As `peer.py`: only the standard library at the top, run by `python -P libraries.py`. It makes models of a true shape with
random weights, exports them, and scores pairs of texts with each library.
"""

from __future__ import annotations

import importlib
import importlib.util
import json
import shutil
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

__all__ = ["Libraries"]

_LABELS = ("contradiction", "neutral", "entailment")
_FILE = "model.onnx"
_INPUTS = ("input_ids", "attention_mask", "token_type_ids")


def _peer() -> Any:
    """`peer.py` beside this file, whose loop serves here too; no package of ours is installed."""
    place = Path(__file__).with_name("peer.py")
    spec = importlib.util.spec_from_file_location("peer", place)
    assert spec is not None  # noqa: S101  # it is a file of Python
    assert spec.loader is not None  # noqa: S101
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Libraries:
    """Models by name, each loaded in the way it was told."""

    def __init__(self) -> None:
        self._scores: dict[str, Callable[[list[tuple[str, str]]], Any]] = {}

    def operations(self) -> Mapping[str, Callable[..., Any]]:
        """By name."""
        return {
            "facts": _peer().facts,
            "versions": versions,
            "make": make,
            "export": export,
            "load": self.load,
            "score": self.score,
        }

    def load(self, name: str, folder: str, way: str) -> str:
        """Get ready to score, on one thread.

        Args:
            name: of this contender.
            folder: of the model as transformers saves it, or what `export` made of it.
            way: "transformers", "torch" (CrossEncoder), "torch bf16", "onnx", "openvino" or "openvino fp32"; with " alone"
                behind it, one pair a call.
        """
        kind = way.removesuffix(" alone")
        score = _transformers(folder) if kind == "transformers" else _cross_encoder(folder, kind)
        self._scores[name] = score if kind == way else lambda pairs: [score([pair])[0] for pair in pairs]
        return name

    def score(self, name: str, pairs: Sequence[tuple[str, str]]) -> dict[str, Any]:
        """The probabilities of each pair, and the processor's seconds that all took."""
        score = self._scores[name]
        started = time.process_time()
        found = score([(a, b) for a, b in pairs])
        return {"seconds": time.process_time() - started, "rows": [list(map(float, row)) for row in found]}


def _transformers(folder: str) -> Callable[[list[tuple[str, str]]], Any]:
    torch = importlib.import_module("torch")
    transformers = importlib.import_module("transformers")
    reader = transformers.AutoTokenizer.from_pretrained(folder)
    network = transformers.AutoModelForSequenceClassification.from_pretrained(folder).eval()

    def score(pairs: list[tuple[str, str]]) -> Any:
        with torch.inference_mode():
            read = reader(
                *map(list, zip(*pairs, strict=True)), padding=True, truncation=True, return_tensors="pt"
            )
            return network(**read).logits.softmax(dim=-1).numpy()

    return score


def _cross_encoder(folder: str, way: str) -> Callable[[list[tuple[str, str]]], Any]:
    package = importlib.import_module("sentence_transformers")
    torch = importlib.import_module("torch")
    options: dict[str, Any] = {"backend": way}
    if way == "torch bf16":
        options = {"backend": "torch", "model_kwargs": {"dtype": torch.bfloat16}}
    elif way == "onnx":
        session = importlib.import_module("onnxruntime").SessionOptions()
        session.intra_op_num_threads = 1
        given = {"file_name": _FILE, "provider": "CPUExecutionProvider", "session_options": session}
        options["model_kwargs"] = given
    elif way.startswith("openvino"):
        wanted = {
            "INFERENCE_NUM_THREADS": 1,
            **({"INFERENCE_PRECISION_HINT": "f32"} if "fp32" in way else {}),
        }
        options = {"backend": "openvino", "model_kwargs": {"ov_config": wanted}}
    model = package.CrossEncoder(folder, device="cpu", **options)

    def score(pairs: list[tuple[str, str]]) -> Any:
        return model.predict(pairs, batch_size=len(pairs), apply_softmax=True, show_progress_bar=False)

    return score


def versions() -> dict[str, str]:
    """The versions of the libraries that are measured."""
    metadata = importlib.import_module("importlib.metadata")
    names = (
        "torch",
        "transformers",
        "sentence-transformers",
        "onnxruntime",
        "openvino",
        "optimum-onnx",
        "optimum-intel",
    )
    return {name: str(metadata.version(name)) for name in names}


def make(target: str, family: str, config: Mapping[str, Any], words: Sequence[str], seed: int) -> str:
    """A classifier of three outputs with random weights, and a tokenizer that knows these words, one token each.

    A word is a token, so that a pair has as many tokens as it should.
    """
    torch = importlib.import_module("torch")
    transformers = importlib.import_module("transformers")
    tokenizers = importlib.import_module("tokenizers")
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"]
    known = {text: i for i, text in enumerate([*special, *words])}
    learnt = tokenizers.Tokenizer(tokenizers.models.WordLevel(known, unk_token="[UNK]"))  # noqa: S106  # no password
    learnt.pre_tokenizer = tokenizers.pre_tokenizers.WhitespaceSplit()
    learnt.post_processor = tokenizers.processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", 2), ("[SEP]", 3)],
    )
    names = {f"{name.strip('[]').lower()}_token": name for name in special}
    inputs = [
        "input_ids",
        "attention_mask",
        *(["token_type_ids"] if config.get("type_vocab_size", 2) > 1 else []),
    ]
    transformers.PreTrainedTokenizerFast(
        tokenizer_object=learnt, model_max_length=512, model_input_names=inputs, **names
    ).save_pretrained(target)
    torch.manual_seed(seed)
    labels = dict(enumerate(_LABELS))
    own = getattr(transformers, f"{family}Config")(
        **config,
        vocab_size=len(known),
        pad_token_id=0,
        id2label=labels,
        label2id={v: k for k, v in labels.items()},
    )
    network = getattr(transformers, f"{family}ForSequenceClassification")(own)
    with torch.no_grad():  # a livelier head, else all pairs score a third and any two programs agree
        for name, weight in network.named_parameters():
            if name.startswith("classifier") and weight.dim() == 2:
                torch.nn.init.normal_(weight, std=0.1)
    network.eval().save_pretrained(target, safe_serialization=True)
    return target


def export(folder: str, root: str) -> dict[str, str]:
    """The same model as a graph for ONNX Runtime, optimised, in 8 bits, and for OpenVINO; a folder each, by name.

    sentence-transformers exports through optimum, whose optimiser took more than 10 GB and 9 minutes for DeBERTa-v3-base and
    was stopped: so the graph is torch's own, and what optimises it is ONNX Runtime's own tool, which knows BERT and RoBERTa.
    What cannot be exported has its error in place of the folder, after "error: ".
    """
    found: dict[str, str] = {}
    for name, way in {
        "onnx": _graph,
        "onnx O3": _optimised,
        "onnx int8": _in_8_bits,
        "openvino": _openvino,
    }.items():
        target = Path(root) / name.replace(" ", "-")
        if not (target / "whole").exists():
            try:
                target.mkdir(parents=True, exist_ok=True)
                way(Path(folder), target)
                for path in Path(folder).glob("*.json"):
                    shutil.copy(path, target)
                (target / "whole").touch()
            except Exception as error:  # noqa: BLE001  # whatever a library says is its row
                found[name] = f"error: {type(error).__name__}: {error}"
                continue
        found[name] = str(target)
    return found


def _graph(folder: Path, target: Path) -> None:
    network, example = _traceable(folder)
    importlib.import_module("torch").onnx.export(
        network, (), str(target / _FILE), kwargs=example, input_names=list(example), output_names=["logits"],
        dynamic_axes={**{name: {0: "texts", 1: "tokens"} for name in example}, "logits": {0: "texts"}},
        opset_version=17, dynamo=False,
    )  # fmt: skip


def _optimised(folder: Path, target: Path) -> None:
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    if config["model_type"] not in {"bert", "roberta"}:
        raise RuntimeError(f"the optimiser knows no {config['model_type']}")
    optimizer = importlib.import_module("onnxruntime.transformers.optimizer")
    fusion = importlib.import_module("onnxruntime.transformers.fusion_options").FusionOptions("bert")
    fusion.enable_gelu_approximation = True  # what O3 adds
    made = optimizer.optimize_model(
        str(target.with_name("onnx") / _FILE), "bert", num_heads=config["num_attention_heads"],
        hidden_size=config["hidden_size"], optimization_options=fusion,
    )  # fmt: skip
    made.save_model_to_file(str(target / _FILE))


def _in_8_bits(folder: Path, target: Path) -> None:
    del folder
    kit = importlib.import_module("onnxruntime.quantization")
    source = target.with_name("onnx") / _FILE
    kit.quantize_dynamic(
        str(source), str(target / _FILE), per_channel=True, reduce_range=True, weight_type=kit.QuantType.QInt8
    )


def _openvino(folder: Path, target: Path) -> None:
    package = importlib.import_module("openvino")
    network, example = _traceable(folder)
    made = package.convert_model(network, example_input=example)
    made.outputs[0].get_tensor().set_names({"logits"})
    package.save_model(made, str(target / "openvino_model.xml"), compress_to_fp16=False)


def _traceable(folder: Path) -> tuple[Any, dict[str, Any]]:
    """The network, and an example of its inputs in the order of `forward`."""
    transformers = importlib.import_module("transformers")
    make_one = transformers.AutoModelForSequenceClassification.from_pretrained
    network = make_one(folder, attn_implementation="eager").eval()
    network.config.return_dict = False
    example = transformers.AutoTokenizer.from_pretrained(folder)(
        "an old house", "a house", return_tensors="pt"
    )
    return network, {name: example[name] for name in _INPUTS if name in example}


if __name__ == "__main__":
    _peer().serve(Libraries().operations())
