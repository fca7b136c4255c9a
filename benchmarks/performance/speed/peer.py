"""A worker in a peer's environment: one request a line in, one reply a line out, both JSON.

Only the standard library is imported at the top: the file runs where nothing of ours is installed, by
`python -P peer.py selfcheckgpt` or `… uqlm`. The loop, `serve`, is that of our own worker too.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import resource
import shutil
import signal
import socket
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

__all__ = ["answer", "nurse", "peak_bytes", "serve"]

Operations = Mapping[str, Callable[..., Any]]


def serve(operations: Operations) -> None:
    """Answer requests from standard input until it ends."""
    outbox = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what libraries print must not get between the replies
    for line in sys.stdin:
        outbox.write(json.dumps(answer(operations, line)) + "\n")
        outbox.flush()


def nurse(number: int, make: Callable[[], Operations], modules: Sequence[str]) -> None:
    """Import modules, then fork a worker for each request on a socket, until that is closed.

    Args:
        number: of the socket. A request is the worker's folder, with its standard input, output and error; the reply is
            its process id.
        make: gives the worker's operations.
        modules: by name; what cannot be imported is left to the workers, who say why.
    """
    for name in modules:
        with contextlib.suppress(Exception):
            importlib.import_module(name)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for the workers
    with socket.socket(fileno=number) as requests:
        while True:
            folder, streams, _, _ = socket.recv_fds(requests, 4_096, 3)
            if not folder:
                return
            pid = os.fork()
            if pid == 0:
                break
            for stream in streams:
                os.close(stream)
            requests.send(str(pid).encode())
    for place, stream in enumerate(streams):
        os.dup2(stream, place)
        os.close(stream)
    os.chdir(os.fsdecode(folder))
    try:
        serve(make())
    finally:
        os._exit(0)  # every reply is written; taking down all that was imported would only cost time


def answer(operations: Operations, line: str) -> dict[str, Any]:
    """The reply to one request, `{"op": name, …}`: its value, its seconds and the peak memory; or the error."""
    try:
        request = json.loads(line)
        operation = operations[request.pop("op")]
        started = time.perf_counter()
        value = operation(**request)
        seconds = time.perf_counter() - started
    except Exception as error:  # noqa: BLE001  # whatever a package does wrong is a reply
        return {"ok": False, "error": f"{type(error).__name__}: {error}"}
    return {"ok": True, "value": value, "seconds": seconds, "peak": peak_bytes()}


def peak_bytes() -> int:
    """The most memory that this process has held at once, in bytes."""
    try:
        for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    except (OSError, ValueError, IndexError):
        pass
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def facts() -> dict[str, Any]:
    """Threads, a GPU or none, and versions."""
    torch = importlib.import_module("torch")
    transformers = importlib.import_module("transformers")
    return {
        "threads": torch.get_num_threads(),
        "cuda": bool(torch.cuda.is_available()),
        "torch": str(torch.__version__),
        "transformers": str(transformers.__version__),
    }


# -- the package selfcheckgpt


class SelfCheckGpt:
    """What it offers, called as its README does.

    Changed: `spacy.load` gives a blank English pipeline with a sentencizer, because "en_core_web_sm" cannot be had
    everywhere; it is still made anew at each call, as the package loads its own.
    """

    def __init__(self) -> None:
        spacy: Any = importlib.import_module("spacy")

        def blank(name: str, **options: object) -> Any:
            del name, options
            pipeline = spacy.blank("en")
            pipeline.add_pipe("sentencizer")
            return pipeline

        spacy.load = blank
        self._made: dict[str, Any] = {}

    def operations(self) -> Operations:
        """By name."""
        return {
            "facts": facts,
            "load": self.load,
            "nli": self.nli,
            "bertscore": self.bertscore,
            "sentences": self.sentences,
            "split": self.split,
            "pairs": self.pairs,
            "ngram": self.ngram,
            "prompt": self.prompt,
            "make_classifier": make_classifier,
            "make_encoder": make_encoder,
            "relabel": relabel,
        }

    def load(self, what: str, *, folder: str = "", device: str = "cpu", any_class: bool = False) -> str:
        """Make a variant's object; `any_class` lets it read models that are no DeBERTa."""
        package: Any = importlib.import_module("selfcheckgpt.modeling_selfcheck")
        if what == "nli":
            if any_class:
                transformers = importlib.import_module("transformers")
                package.DebertaV2Tokenizer = transformers.AutoTokenizer
                package.DebertaV2ForSequenceClassification = transformers.AutoModelForSequenceClassification
            torch = importlib.import_module("torch")
            self._made[what] = package.SelfCheckNLI(nli_model=folder, device=torch.device(device))
        elif what == "bertscore":  # reads the folder "roberta-large" below the working folder
            self._made[what] = package.SelfCheckBERTScore(rescale_with_baseline=True)
        elif what == "ngram":
            self._made[what] = package.SelfCheckNgram
        else:
            api = importlib.import_module("selfcheckgpt.modeling_selfcheck_apiprompt")
            os.environ["OPENAI_BASE_URL"], os.environ["OPENAI_API_KEY"] = folder, "none"
            self._made[what] = api.SelfCheckAPIPrompt(model="test")
        return what

    def nli(self, sentences: list[str], samples: list[str]) -> list[float]:
        """One score per sentence."""
        return [float(score) for score in self._made["nli"].predict(sentences, samples)]

    def bertscore(self, sentences: list[str], samples: list[str]) -> list[float]:
        """One score per sentence."""
        return [float(score) for score in self._made["bertscore"].predict(sentences, samples)]

    def sentences(self, samples: list[str]) -> list[list[str]]:
        """The sentences of each sample that its BERTScore compares with."""
        pipeline = self._made["bertscore"].nlp
        return [[s.text.strip() for s in pipeline(text).sents if len(s) > 3] for text in samples]

    def split(self, texts: list[str]) -> list[list[str]]:
        """Every sentence of each text, by the pipeline that its n-gram model has."""
        spacy = importlib.import_module("spacy")
        pipeline = spacy.load("en_core_web_sm")
        return [[s.text.strip() for s in pipeline(text).sents] for text in texts]

    def pairs(
        self, candidates: list[str], references: list[str], folder: str, layer: int
    ) -> list[list[float]]:
        """P, R and F1 of the package bert_score, one pair at a time, so that no padding gets in."""
        package = importlib.import_module("bert_score")
        found = package.score(candidates, references, model_type=folder, num_layers=layer, batch_size=1)
        return [[float(value) for value in column] for column in found]

    def ngram(self, sentences: list[str], passage: str, samples: list[str], n: int) -> dict[str, list[float]]:
        """Mean and largest −log p̃ of each sentence."""
        found = self._made["ngram"](n=n).predict(sentences, passage, samples)["sent_level"]
        return {
            "mean": [float(value) for value in found["avg_neg_logprob"]],
            "max": [float(value) for value in found["max_neg_logprob"]],
        }

    def prompt(self, sentences: list[str], samples: list[str]) -> list[float]:
        """One score per sentence, one call after the other."""
        return [float(score) for score in self._made["prompt"].predict(sentences, samples)]


# -- the package uqlm


class Uqlm:
    """Its two ways to compare sentences with answers by an entailment model."""

    def __init__(self) -> None:
        self._claims: Any = None
        self._both: Any = None

    def operations(self) -> Operations:
        """By name."""
        return {"facts": facts, "load": self.load, "claims": self.claims, "both": self.both}

    def load(self, folder: str, device: str = "cpu") -> str:
        """Make both scorers, with one model."""
        claims = importlib.import_module("uqlm.longform.luq.unit_response")
        both = importlib.import_module("uqlm.black_box.consistency")
        self._claims = claims.UnitResponseScorer(nli_model_name=folder, device=device)
        self._both = both.ConsistencyScorer(nli=self._claims.nli)
        return device

    def claims(self, sentences: list[str], samples: list[str]) -> list[float]:
        """1 − its contrasted entailment: mean over the samples of P(contradiction) without the neutral class."""
        found = self._claims.evaluate(claim_sets=[sentences], sampled_responses=[samples])
        return [float(1 - row.mean()) for row in found.contrasted_entailment_score_lists[0]]

    def both(self, sentences: list[str], samples: list[str]) -> list[float]:
        """Its non-contradiction, which asks both ways; per sentence."""
        self._both.nli.probabilities.clear()  # remembered from the round before
        found = self._both.evaluate(
            responses=list(sentences), sampled_responses=[list(samples)] * len(sentences)
        )
        return [float(score) for score in found["noncontradiction"]]


# -- models: random weights of a true shape, with a tokenizer learnt here


def make_classifier(target: str, corpus: str, config: dict[str, Any], vocabulary: int, seed: int) -> str:
    """DeBERTa-v3 with random weights and three outputs: contradiction, neutral, entailment."""
    torch = importlib.import_module("torch")
    transformers = importlib.import_module("transformers")
    folder = Path(target)
    folder.mkdir(parents=True, exist_ok=True)
    importlib.import_module("sentencepiece").SentencePieceTrainer.train(
        input=corpus, model_prefix=str(folder / "spm"), vocab_size=vocabulary, model_type="unigram",
        pad_id=0, bos_id=1, eos_id=2, unk_id=3,
        pad_piece="[PAD]", bos_piece="[CLS]", eos_piece="[SEP]", unk_piece="[UNK]",
        num_threads=2, minloglevel=2, input_sentence_size=20_000, shuffle_input_sentence=False,
    )  # fmt: skip
    spm = str(folder / "spm.model")
    transformers.DebertaV2Tokenizer(vocab_file=spm, model_max_length=512).save_pretrained(target)
    transformers.DebertaV2TokenizerFast(vocab_file=spm, model_max_length=512).save_pretrained(target)
    torch.manual_seed(seed)
    labels = {0: "contradiction", 1: "neutral", 2: "entailment"}
    model = transformers.DebertaV2ForSequenceClassification(
        transformers.DebertaV2Config(**config, id2label=labels, label2id={v: k for k, v in labels.items()})
    )
    with torch.no_grad():  # a livelier head, else all pairs score .5 and any two programs agree
        torch.nn.init.normal_(model.classifier.weight, std=0.1)
    model.eval().save_pretrained(target, safe_serialization=True)
    return target


def make_encoder(target: str, corpus: str, config: dict[str, Any], vocabulary: int, seed: int) -> str:
    """RoBERTa with random weights."""
    torch = importlib.import_module("torch")
    transformers = importlib.import_module("transformers")
    tokenizers = importlib.import_module("tokenizers")
    folder = Path(target)
    folder.mkdir(parents=True, exist_ok=True)
    learnt = tokenizers.ByteLevelBPETokenizer()
    special = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    learnt.train([corpus], vocab_size=vocabulary, special_tokens=special, show_progress=False)
    learnt.save_model(target)
    files = {"vocab_file": str(folder / "vocab.json"), "merges_file": str(folder / "merges.txt")}
    transformers.RobertaTokenizer(**files, model_max_length=512).save_pretrained(target)
    transformers.RobertaTokenizerFast(**files, model_max_length=512).save_pretrained(target)
    torch.manual_seed(seed)
    model = transformers.RobertaModel(transformers.RobertaConfig(**config))
    model.eval().save_pretrained(target, safe_serialization=True)
    return target


def relabel(source: str, target: str, rows: Sequence[int | None], labels: Sequence[str]) -> str:
    """Copy a classifier with the outputs in another order: `rows` of the old head; `None` = an output never won."""
    torch = importlib.import_module("torch")
    tensors = importlib.import_module("safetensors.torch")
    folder = Path(target)
    folder.mkdir(parents=True, exist_ok=True)
    for path in Path(source).iterdir():
        if path.suffix in {".json", ".txt", ".model"}:
            shutil.copy(path, folder / path.name)
    weights = tensors.load_file(str(Path(source) / "model.safetensors"))
    head, bias = weights["classifier.weight"], weights["classifier.bias"]
    never = torch.zeros_like(head[0])
    weights["classifier.weight"] = torch.stack([never if row is None else head[row] for row in rows])
    low = torch.tensor(-1e4, dtype=bias.dtype)
    weights["classifier.bias"] = torch.stack([low if row is None else bias[row] for row in rows])
    tensors.save_file(weights, str(folder / "model.safetensors"), metadata={"format": "pt"})
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    config["id2label"] = {str(i): label for i, label in enumerate(labels)}
    config["label2id"] = {label: i for i, label in enumerate(labels)}
    (folder / "config.json").write_text(json.dumps(config, indent=2), encoding="utf-8")
    return target


_PEERS: Mapping[str, Callable[[], Any]] = {"selfcheckgpt": SelfCheckGpt, "uqlm": Uqlm}
_MODULES: Mapping[str, Sequence[str]] = {
    "selfcheckgpt": (
        "torch",
        "transformers.models.deberta_v2.modeling_deberta_v2",
        "selfcheckgpt.modeling_selfcheck",
        "selfcheckgpt.modeling_selfcheck_apiprompt",
    ),
    "uqlm": ("torch", "transformers.models.deberta_v2.modeling_deberta_v2", "uqlm"),
}


def _operations(name: str) -> Operations:
    found: Operations = _PEERS[name]().operations()
    return found


if __name__ == "__main__":
    if len(sys.argv) > 2:  # the number of a nursery's socket
        nurse(int(sys.argv[2]), lambda: _operations(sys.argv[1]), _MODULES[sys.argv[1]])
    else:
        serve(_operations(sys.argv[1]))
