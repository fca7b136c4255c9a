"""What is measured, in a process of its own: this package, and transformers' own network for comparison."""

from __future__ import annotations

import asyncio
import math
import statistics
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Literal

from benchmarks.performance.speed import bare
from benchmarks.performance.speed.models import make_classifier, make_encoder
from benchmarks.performance.speed.serving import serve
from guardrail import Case, Guard, Report, Retry, Span
from guardrail.backends.entailment import EntailmentModel, label_order
from guardrail.backends.similarity import BASELINES, BertScore
from guardrail.chat import OpenAIChat
from guardrail.detectors import SelfCheck
from guardrail.engine.flow import Answer, Reply
from guardrail.requests import Compare
from guardrail.selfcheck.bertscore import score as bertscore_of
from guardrail.selfcheck.material import mean
from guardrail.selfcheck.ngram import surprisals
from guardrail.selfcheck.nli.check import contradiction
from guardrail.selfcheck.nli.reading import pair

__all__ = ["Own", "joined"]

Precision = Literal["fp32", "bf16", "int8"]


def joined(sentences: Sequence[str]) -> tuple[str, list[Span]]:
    """An answer made of these sentences, and where they stand in it."""
    text, spans = "", []
    for sentence in sentences:
        start = len(text) + bool(text)
        text = f"{text} {sentence}" if text else sentence
        spans.append(Span(start=start, end=len(text)))
    return text, spans


class Own:
    """What is measured; models are loaded before the clock starts."""

    def __init__(self) -> None:
        self._nli: EntailmentModel | None = None
        self._bert: BertScore | None = None
        self._plain: Any = None
        self._chats: dict[tuple[str, int], OpenAIChat] = {}
        self._loop = asyncio.Runner()

    def operations(self) -> dict[str, Any]:
        """By name."""
        return {
            "make_classifier": make_classifier,
            "make_encoder": make_encoder,
            "rate": rate,
            "lengths": lengths,
            "load_nli": self.load_nli,
            "load_bertscore": self.load_bertscore,
            "nli": self.nli,
            "nli_detector": self.nli_detector,
            "work": self.work,
            "bertscore": self.bertscore,
            "bertscore_detector": self.bertscore_detector,
            "ngram": self.ngram,
            "ngram_detector": self.ngram_detector,
            "prompt": self.prompt,
            "bare": self.bare,
            "processor_seconds": processor_seconds,
            "load_plain": self.load_plain,
            "plain": self.plain,
        }

    # -- NLI

    def load_nli(self, folder: str, *, precision: Precision = "fp32", device: str = "cpu") -> str:
        """Load an entailment model."""
        self._nli = EntailmentModel(Path(folder), precision=precision, device=device)
        self._nli.load()
        return precision

    def nli(
        self, sentences: Sequence[str], samples: Sequence[str], sentence_first: bool = True
    ) -> list[list[float]]:
        """P(contradiction) without the neutral class of every pair, by the engine alone: sentence x sample."""
        order: Literal["sentence_first", "sample_first"] = (
            "sentence_first" if sentence_first else "sample_first"
        )
        replies = self._model.answer([pair(s, text, order) for s in sentences for text in samples])
        values = [contradiction(_value(reply)) for reply in replies]
        if None in values:
            raise RuntimeError("a pair has no score")
        found = [value for value in values if value is not None]
        return [found[i * len(samples) : (i + 1) * len(samples)] for i in range(len(sentences))]

    def nli_detector(
        self, sentences: Sequence[str], samples: Sequence[str], early_stop: float | None = None
    ) -> list[float | None]:
        """One score per sentence, through a guard with the samples given."""
        answer, spans = joined(sentences)
        check = SelfCheck("nli", order="sentence_first", splitter=lambda _: spans, early_stop=early_stop)
        guard = Guard([check], backends={"entailment": self._model})
        return _scores(guard.check(Case.of(answer, samples=samples)))

    def work(self) -> dict[str, float]:
        """What the entailment model has done so far."""
        done = self._model.work
        return {"asked": done.requests, "scored": done.texts, "padding": done.padding or 0.0}

    @property
    def _model(self) -> EntailmentModel:
        if self._nli is None:
            raise RuntimeError("no entailment model was loaded")
        return self._nli

    def load_plain(self, folder: str, *, device: str = "cpu") -> str:
        """Load the same model by transformers."""
        import transformers
        from tokenizers import Tokenizer

        reader = Tokenizer.from_file(str(Path(folder) / "tokenizer.json"))
        reader.no_padding()
        reader.enable_truncation(512)
        network = transformers.AutoModelForSequenceClassification.from_pretrained(folder).eval().to(device)
        self._plain = reader, network
        return device

    def plain(self, sentences: Sequence[str], samples: Sequence[str]) -> list[list[float]]:
        """What `nli` gives, by transformers' own network, one pair after the other, as selfcheckgpt 0.1.7 asks."""
        import torch

        reader, network = self._plain
        labels = label_order(network.config.to_dict())

        def one(sentence: str, text: str) -> float:
            read = reader.encode(sentence, text)
            given = {"input_ids": read.ids}
            if network.config.type_vocab_size > 1:
                given["token_type_ids"] = read.type_ids
            tensors = {name: torch.tensor([row], device=network.device) for name, row in given.items()}
            logits = network(**tensors).logits[0].tolist()
            return 1 / (1 + math.exp(logits[labels.entailment] - logits[labels.contradiction]))

        with torch.inference_mode():
            return [[one(sentence, text) for text in samples] for sentence in sentences]

    # -- BERTScore

    def load_bertscore(
        self, folder: str, *, layer: int, device: str = "cpu", precision: Precision = "fp32"
    ) -> str:
        """Load an encoder; the baseline is roberta-large's."""
        self._bert = BertScore(
            Path(folder),
            layer=layer,
            baseline=BASELINES["roberta-large"],
            device=device,
            precision=precision,
        )
        self._bert.load()
        return device

    def bertscore(self, sentences: Sequence[str], candidates: Sequence[Sequence[str]]) -> list[float | None]:
        """One score per sentence; the sentences of each sample are given."""
        asked = [Compare(text, s) for s in sentences for sample in candidates for text in sample]
        replies = iter(self._encoder.answer(asked))
        found = []
        for _ in sentences:
            rows = [[_value(next(replies)).f1 for _ in sample] for sample in candidates]
            found.append(bertscore_of(rows))
        return found

    def bertscore_detector(self, sentences: Sequence[str], samples: Sequence[str]) -> list[float | None]:
        """One score per sentence, through a guard, which splits the samples itself."""
        answer, spans = joined(sentences)
        check = SelfCheck("bertscore", splitter=lambda _: spans)
        guard = Guard([check], backends={"similarity": self._encoder})
        return _scores(guard.check(Case.of(answer, samples=samples)))

    @property
    def _encoder(self) -> BertScore:
        if self._bert is None:
            raise RuntimeError("no encoder was loaded")
        return self._bert

    # -- n-gram

    def ngram(
        self, sentences: Sequence[str], samples: Sequence[str], n: int
    ) -> dict[str, list[float | None]]:
        """Mean and largest −log p̃ of each sentence, by the pure function."""
        found = surprisals(sentences, samples, n=n)
        return {"mean": [mean(row) for row in found], "max": [max(row, default=None) for row in found]}

    def ngram_detector(self, sentences: Sequence[str], samples: Sequence[str], n: int) -> list[float | None]:
        """The largest −log p̃ of each sentence, through a guard."""
        answer, spans = joined(sentences)
        guard = Guard([SelfCheck("ngram", n=n, splitter=lambda _: spans)])
        return _scores(guard.check(Case.of(answer, samples=samples)))

    # -- prompt

    def prompt(
        self,
        base_url: str,
        cases: Sequence[tuple[Sequence[str], Sequence[str]]],
        concurrency: int,
        attempts: int = 1,
    ) -> list[list[tuple[float | None, int, str]]]:
        """Per case and sentence: the score, the samples that gave it a value, and the reason."""
        key = base_url, concurrency
        if key not in self._chats:  # a client is made once
            self._chats[key] = OpenAIChat(
                "test", base_url=base_url, api_key="none", concurrency=concurrency, timeout=10
            )
        return self._loop.run(_prompt(self._chats[key], cases, attempts))

    def bare(self, base_url: str, questions: Sequence[str], concurrency: int) -> int:
        """As many questions as the variant asks, by a client that does nothing else; how many there were."""
        good = self._loop.run(bare.ask(base_url, questions, concurrency))
        if good < len(questions):
            raise RuntimeError(f"expected {len(questions)} good replies, got {good}")
        return good


def processor_seconds() -> float:
    """Of this process, so far."""
    return time.process_time()


async def _prompt(
    chat: OpenAIChat, cases: Sequence[tuple[Sequence[str], Sequence[str]]], attempts: int
) -> list[list[tuple[float | None, int, str]]]:
    answers = [joined(sentences) for sentences, _ in cases]
    spans = dict(answers)
    check = SelfCheck("prompt", splitter=lambda text: spans[text])
    guard = Guard([check], chat=chat, retry=Retry(attempts=attempts, base=0.01))

    async def one(answer: str, samples: Sequence[str]) -> list[tuple[float | None, int, str]]:
        report = await guard.acheck(Case.of(answer, samples=samples))
        _must_be_whole(report)
        return [(f.score, _used(f.evidence), f.reason) for f in report.findings]

    pending = [one(text, samples) for (text, _), (_, samples) in zip(answers, cases, strict=True)]
    return list(await asyncio.gather(*pending))


def _used(evidence: Sequence[Any]) -> int:
    return next((int(e.value) for e in evidence if getattr(e, "name", "") == "samples used"), 0)


def _value(reply: Reply[Any]) -> Any:
    if isinstance(reply, Answer):
        return reply.value
    raise RuntimeError(str(reply))


def _must_be_whole(report: Report) -> None:
    if report.failures:
        raise RuntimeError(str(report.failures[0]))


def _scores(report: Report) -> list[float | None]:
    _must_be_whole(report)
    return [finding.score for finding in report.findings]


# -- the machine


def rate(precision: Precision, *, device: str = "cpu", seconds: float = 1.0, size: int = 1_024) -> float:
    """FLOP per second of a square matrix product: the median of as many as fit into the time.

    Once as a product and once as a convolution of width 1, which is the same by another library on a processor
    (oneDNN instead of the MKL): the faster counts.
    """
    import torch

    dtype = torch.bfloat16 if precision == "bf16" else torch.float32
    a, b = (torch.randn(size, size, device=device).to(dtype) for _ in range(2))
    image, kernel = a.T.reshape(1, size, size, 1).contiguous(), b.reshape(size, size, 1, 1)
    ways: tuple[Callable[[], object], ...] = (
        lambda: a @ b,
        lambda: torch.nn.functional.conv2d(image, kernel),
    )
    with torch.inference_mode():
        quickest = min(_median(way, device, seconds / len(ways)) for way in ways)
    return 2 * size**3 / quickest


def _median(work: Callable[[], object], device: str, seconds: float) -> float:
    work()
    times: list[float] = []
    until = time.perf_counter() + seconds
    while time.perf_counter() < until or len(times) < 3:
        _wait(device)
        started = time.perf_counter()
        work()
        _wait(device)
        times.append(time.perf_counter() - started)
    return statistics.median(times)


def _wait(device: str) -> None:
    if device != "cpu":
        import torch

        torch.cuda.synchronize()


def lengths(folder: str, sentences: Sequence[str], samples: Sequence[str], longest: int = 512) -> list[int]:
    """Tokens of every pair, special ones included."""
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(Path(folder) / "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    pairs = [(s, text) for s in sentences for text in samples]
    return [min(longest, len(one)) for one in tokenizer.encode_batch(pairs)]


if __name__ == "__main__":
    serve(Own().operations())
