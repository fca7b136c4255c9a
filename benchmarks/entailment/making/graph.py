"""Write the packaged model's graph for ONNX Runtime: `model.onnx`, beside the weights, which it reads where they are.

The file has no weights of its own. It says where in `model.safetensors` each tensor lies, and takes the 8-bit groups apart when it
is loaded: what it computes is what the fp32 network computes. Run it again after `pack`.
"""

from __future__ import annotations

import argparse
import json
import struct
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.entailment.making.pack import PACKAGE
from guardrail.backends.weights import GRAPH, read_config

__all__ = ["graph", "main"]

_WEIGHTS = "model.safetensors"
_OPSET, _IR = 17, 9  # ONNX Runtime 1.16 and later
_KINDS = {"I8": "INT8", "U8": "UINT8", "F16": "FLOAT16", "F32": "FLOAT"}


@dataclass
class _Writer:
    """A graph that grows: nodes, and the tensors they take."""

    stored: Mapping[str, Mapping[str, Any]]
    begin: int  # of the tensors' bytes in the file of weights
    nodes: list[Any] = field(default_factory=list)
    tensors: dict[str, Any] = field(default_factory=dict)

    def node(self, kind: str, takes: Sequence[str], gives: str, *, domain: str = "", **options: Any) -> str:
        from onnx import helper

        self.nodes.append(helper.make_node(kind, takes, [gives], name=gives, domain=domain, **options))
        return gives

    def constant(self, name: str, value: Any) -> str:
        from onnx import numpy_helper

        self.tensors.setdefault(name, numpy_helper.from_array(np.asarray(value), name))
        return name

    def weight(self, name: str, shape: Sequence[int] | None = None) -> str:
        """A tensor that lies in the file of weights."""
        from onnx import TensorProto

        told = self.stored[name]
        tensor = TensorProto(
            name=name,
            data_type=getattr(TensorProto, _KINDS[told["dtype"]]),
            dims=shape or told["shape"],
            data_location=TensorProto.EXTERNAL,
        )
        start, end = told["data_offsets"]
        places = {"location": _WEIGHTS, "offset": self.begin + start, "length": end - start}
        for key, value in places.items():
            tensor.external_data.add(key=key, value=str(value))
        self.tensors[name] = tensor
        return name

    def groups(self, name: str) -> tuple[list[int], int]:
        """The shape of a matrix in 8 bits, and how many numbers share a scale."""
        shape = list(self.stored[f"{name}.weight.whole"]["shape"])
        return shape, shape[1] // int(self.stored[f"{name}.weight.scale"]["shape"][1])

    def linear(self, x: str, name: str, gives: str, *, each: bool = False) -> str:
        """X W' + b; of a matrix in 8 bits once it was taken apart, when the graph is loaded.

        Args:
            x: of texts, or with `each` of the tokens of texts.
            name: of the layer.
            gives: name of the result.
            each: see `x`; Gemm takes matrices alone.
        """
        if each and f"{name}.weight" in self.stored:
            turned = self.node("Transpose", [self.weight(f"{name}.weight")], f"{name}.turned", perm=[1, 0])
            product = self.node("MatMul", [x, turned], f"{gives}.product")
            return self.node("Add", [product, self.weight(f"{name}.bias")], gives)
        if f"{name}.weight" in self.stored:
            return self.node(
                "Gemm", [x, self.weight(f"{name}.weight"), self.weight(f"{name}.bias")], gives, transB=1
            )
        (rows, columns), size = self.groups(name)
        whole = self.weight(f"{name}.weight.whole", [rows, columns // size, size])
        scale = self.weight(f"{name}.weight.scale", [rows, columns // size, 1])
        apart = self.node("Mul", [self._float(whole), scale], f"{name}.groups")
        flat = self.node(
            "Reshape", [apart, self.constant(f"{rows}x{columns}", np.array([rows, columns]))], f"{name}.flat"
        )
        turned = self.node("Transpose", [flat], f"{name}.turned", perm=[1, 0])
        product = self.node("MatMul", [x, turned], f"{gives}.product")
        return self.node("Add", [product, self.weight(f"{name}.bias")], gives)

    def rows_of(self, name: str, places: str, gives: str) -> str:
        """Rows of a table; of one in 8 or 4 bits only those that are read are taken apart."""
        if f"{name}.weight" in self.stored:
            return self.node("Gather", [self.weight(f"{name}.weight"), places], gives)
        if f"{name}.weight.half" in self.stored:
            return self._rows_of_halves(name, places, gives)
        (rows, columns), size = self.groups(name)
        whole = self.weight(f"{name}.weight.whole", [rows, columns // size, size])
        scale = self.weight(f"{name}.weight.scale", [rows, columns // size, 1])
        read = self.node("Gather", [whole, places], f"{gives}.whole")
        scaled = self.node("Gather", [scale, places], f"{gives}.scale")
        apart = self.node("Mul", [self._float(read), scaled], f"{gives}.groups")
        return self.node("Reshape", [apart, self.constant("last", np.array([0, 0, columns]))], gives)

    def _rows_of_halves(self, name: str, places: str, gives: str) -> str:
        from onnx import TensorProto

        columns = 2 * int(self.stored[f"{name}.weight.half"]["shape"][1])
        rows, groups = self.stored[f"{name}.weight.scale"]["shape"]
        read = self.node("Gather", [self.weight(f"{name}.weight.half"), places], f"{gives}.half")
        whole = self.node("Cast", [read], f"{gives}.bytes", to=TensorProto.INT32)
        sixteen = self.constant("sixteen", np.array(16, np.int32))
        parts = [
            self.node("Mod", [whole, sixteen], f"{gives}.left"),
            self.node("Div", [whole, sixteen], f"{gives}.right"),
        ]
        numbers = self.node("Concat", parts, f"{gives}.numbers", axis=-1)
        less = self.node("Sub", [numbers, self.constant("eight", np.array(8, np.int32))], f"{gives}.signed")
        grouped = self.node(
            "Reshape",
            [less, self.constant("grouped", np.array([0, 0, groups, columns // groups]))],
            f"{gives}.grouped",
        )
        scale = self.weight(f"{name}.weight.scale", [rows, groups, 1])
        scaled = self._float(self.node("Gather", [scale, places], f"{gives}.scale"))
        apart = self.node("Mul", [self._float(grouped), scaled], f"{gives}.groups")
        return self.node("Reshape", [apart, self.constant("last", np.array([0, 0, columns]))], gives)

    def norm(self, x: str, name: str, gives: str, epsilon: float) -> str:
        takes = [x, self.weight(f"{name}.weight"), self.weight(f"{name}.bias")]
        return self.node("LayerNormalization", takes, gives, axis=-1, epsilon=epsilon)

    def _float(self, name: str) -> str:
        from onnx import TensorProto

        return self.node("Cast", [name], f"{name}.float", to=TensorProto.FLOAT)


def graph(folder: Path) -> bytes:
    """The graph of a BERT classifier, of texts or of each token, whose weights are stored by `form.pack`."""
    from onnx import TensorProto, helper

    config = read_config(folder)
    with (folder / _WEIGHTS).open("rb") as stream:
        (length,) = struct.unpack("<Q", stream.read(8))
        stored = json.loads(stream.read(length))
    stored.pop("__metadata__", None)
    writer = _Writer(stored, 8 + length)
    epsilon = float(config["layer_norm_eps"])
    x = _embedded(writer, epsilon)
    mask = writer.node("Cast", ["attention_mask"], "mask", to=TensorProto.INT32)
    for number in range(config["num_hidden_layers"]):
        x = _layer(writer, x, mask, number, heads=config["num_attention_heads"], epsilon=epsilon)
    each = config["architectures"] == ["BertForTokenClassification"]
    if not each:
        first = writer.node("Gather", [x, writer.constant("begin", np.array(0))], "first", axis=1)
        x = writer.node("Tanh", [writer.linear(first, "bert.pooler.dense", "pooler")], "pooled")
    writer.linear(x, "classifier", "logits", each=each)
    takes = [
        helper.make_tensor_value_info(name, TensorProto.INT64, ["pairs", "tokens"])
        for name in ("input_ids", "attention_mask", "token_type_ids")
    ]
    shape: list[str | int | None] = ["pairs", *(["tokens"] if each else []), len(config["id2label"])]
    gives = [helper.make_tensor_value_info("logits", TensorProto.FLOAT, shape)]
    made = helper.make_graph(
        writer.nodes, "tags" if each else "entailment", takes, gives, list(writer.tensors.values())
    )
    opsets = [helper.make_opsetid("", _OPSET), helper.make_opsetid("com.microsoft", 1)]
    model = helper.make_model(made, opset_imports=opsets, ir_version=_IR, producer_name="guardrail")
    return bytes(model.SerializeToString(deterministic=True))


def _embedded(writer: _Writer, epsilon: float) -> str:
    name = "bert.embeddings"
    words = writer.rows_of(f"{name}.word_embeddings", "input_ids", "words")
    count = writer.node("Squeeze", [writer.node("Shape", ["input_ids"], "width", start=1, end=2)], "count")
    bounds = [writer.constant("zero", np.array(0)), count, writer.constant("one", np.array(1))]
    order = writer.node(
        "Unsqueeze", [writer.node("Range", bounds, "range"), writer.constant("front", np.array([0]))], "order"
    )
    places = writer.rows_of(f"{name}.position_embeddings", order, "places")
    kinds = writer.rows_of(f"{name}.token_type_embeddings", "token_type_ids", "kinds")
    typed = writer.node("Add", [words, kinds], "typed")
    return writer.norm(writer.node("Add", [typed, places], "placed"), f"{name}.LayerNorm", "layer.0", epsilon)


def _layer(writer: _Writer, x: str, mask: str, number: int, *, heads: int, epsilon: float) -> str:
    name, to = f"bert.encoder.layer.{number}", f"layer.{number + 1}"
    three = [
        writer.linear(x, f"{name}.attention.self.{part}", f"{to}.{part}")
        for part in ("query", "key", "value")
    ]
    seen = writer.node(
        "MultiHeadAttention", [*three, "", mask], f"{to}.seen", domain="com.microsoft", num_heads=heads
    )
    told = writer.linear(seen, f"{name}.attention.output.dense", f"{to}.told")
    x = writer.norm(
        writer.node("Add", [told, x], f"{to}.with"),
        f"{name}.attention.output.LayerNorm",
        f"{to}.half",
        epsilon,
    )
    wide = writer.linear(x, f"{name}.intermediate.dense", f"{to}.wide")
    bent = writer.node("Gelu", [wide], f"{to}.bent", domain="com.microsoft")
    back = writer.linear(bent, f"{name}.output.dense", f"{to}.back")
    return writer.norm(writer.node("Add", [back, x], f"{to}.sum"), f"{name}.output.LayerNorm", to, epsilon)


def main(argv: Sequence[str] | None = None) -> int:
    """Write it; 0 if it is done."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.entailment graph", description=__doc__)
    parser.add_argument("--out", type=Path, metavar="DIR", default=PACKAGE, help="the model's folder")
    options = parser.parse_args(argv)
    written = graph(options.out)
    (options.out / GRAPH).write_bytes(written)
    sys.stdout.write(f"{options.out / GRAPH}: {len(written):,} bytes\n")
    return 0
