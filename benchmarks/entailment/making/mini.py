"""Train the multilingual entailment model: an encoder of many languages, its words and lower half frozen, on English pairs.

What is frozen keeps the languages aligned, so what is learnt in English holds in the others. The same command goes on where it was
stopped, also days later. Every so often it writes how well entailment is told apart in each language (`watch.jsonl`); these sets
(XNLI, and pairs written natively) only judge: nothing is learnt from them, and no weights are chosen by them.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from benchmarks._data import data_dir
from benchmarks._training import write_tensors
from benchmarks.entailment.making.documents import halfway, known
from benchmarks.entailment.making.lessons import COURSES, lessons
from benchmarks.entailment.making.loop import Recipe, Trained, train, trained
from benchmarks.entailment.making.rewording import Rewording
from benchmarks.entailment.making.shapes import texts, translations
from benchmarks.entailment.making.shapes.labelled import FOLDS, Labelled, labelled
from benchmarks.entailment.making.shapes.mixture import COUNTS_NEW, COUNTS_OLD, Sources, mixture
from benchmarks.entailment.making.teacher import SHIPPED, Teacher
from benchmarks.entailment.making.watching import Watch
from benchmarks.entailment.pairs import LABELS, UNLABELLED, Pair, training
from guardrail.backends.entailment import EntailmentModel
from guardrail.backends.stored import read_groups
from guardrail.backends.weights import ENTAILMENT_MINI, find, minilm, read_config, weights_digest
from guardrail.engine.flow import Answer
from guardrail.errors import GuardrailError, InputError
from guardrail.requests import Entail
from guardrail.selfcheck.grounding.premises import Premises
from guardrail.selfcheck.nli.premise import passages
from guardrail.text.sentences import split_sentences
from guardrail.text.typography import normalised

__all__ = ["BEGUN", "FOLDED", "LINE_END", "STAGES", "Drawn", "Stage", "encoder", "main"]

BEGUN = Path(__file__).parent / "begun"
"""What "pairs" learnt with seed 0, in 8 bits: an hour that nobody has to spend again. It goes when weights ship."""

LINE_END = "\n"
"""The piece that is added to the encoder's vocabulary: line ends are no spaces."""

_ENCODER = "encoder"  # in its config.json: a hash of the encoder that it began with
_WORDS = "embeddings.word_embeddings.weight"
_KNOWN = 10_000  # of the recipe's own pairs
_READ, _SAMPLED, _ANSWERED = 12_000, 5_000, 6_000  # at most so many pairs of real texts
_SHORT, _LONG = 30, 300  # characters of an answer's sentence
_BLOCK = 4_096
_TOKENIZER = {
    "tokenizer_class": "PreTrainedTokenizerFast",
    "bos_token": "<s>",
    "cls_token": "<s>",
    "eos_token": "</s>",
    "sep_token": "</s>",
    "pad_token": "<pad>",
    "unk_token": "<unk>",
    "model_max_length": 512,
}


@dataclass(frozen=True, slots=True)
class Drawn:
    """What a stage's pairs are made by.

    Attributes:
        seed: of all that is drawn.
        fold: whose sources' labelled claims are learnt; `None` = all.
        manuals: folder of a manual in many languages.
    """

    seed: int
    fold: int | None
    manuals: Path


@dataclass(frozen=True, slots=True)
class Stage:
    """A training that begins where another ended.

    Attributes:
        recipe: of its steps.
        pairs: what it learns from, pass by pass.
        after: the stage whose weights it begins with; `None` = it begins with the encoder.
    """

    recipe: Recipe
    pairs: Callable[[Drawn], list[list[Pair]]]
    after: str | None = None


def _pairs(by: Drawn) -> list[list[Pair]]:
    """Two passes of the recipe's first course, with what its teacher said."""
    taught, reworded = Teacher(SHIPPED, None), Rewording(minilm())
    course = replace(COURSES["first"], order=[0, 1])
    return lessons(data_dir("nli"), course, seed=by.seed, taught=taught, reworded=reworded)


def _documents(by: Drawn) -> list[list[Pair]]:
    """One pass: the recipe's own pairs, shapes of documents, and real texts, of which the packaged model says what it thinks."""
    nli, grounding, wikibio = data_dir("nli"), data_dir("grounding"), data_dir("wikibio_gpt3")
    source = random.Random(f"{by.seed} documents")
    judged = labelled(data_dir("attribution"), fold=by.fold)
    documents = texts.documents(grounding, wikibio)
    old = Sources(
        known(nli, random.Random(f"{by.seed} sources")),
        training(nli, (*COURSES["full"].sets, "conjnli"))["conjnli"],
        documents,
        texts.claims(grounding),
    )
    new = Sources(
        {},
        documents=[[normalised(sentence) for sentence in own] for own in documents],
        languages=texts.languages(data_dir("real_answers")),
        labelled=judged,
        manuals=translations.manuals(by.manuals),
    )
    packaged = EntailmentModel(find(ENTAILMENT_MINI), device="cpu", precision="auto", runtime="torch")
    natural = [*_read(judged, source), *_sampled(texts.samples(wikibio), source)]
    natural += _answered(texts.alternatives(data_dir("real_answers")), source)
    _say(f"documents: {len(natural)} pairs of real texts")
    pairs = [
        *source.sample(_pairs(by)[1], _KNOWN),
        *_agreed(mixture(old, seed=by.seed, counts=COUNTS_OLD), packaged),
        *mixture(new, seed=by.seed, counts=COUNTS_NEW),
        *(pair for pair in _said(natural, packaged) if pair.taught),
    ]
    source.shuffle(pairs)
    return [pairs]


def _read(judged: Sequence[Labelled], source: random.Random) -> list[Pair]:
    """Claims beside all that a detector would read of their documents."""
    found = [
        Pair(one.text, claim.claim, UNLABELLED)
        for claim in judged
        for one in Premises(claim.documents).best(claim.claim)
    ]
    return source.sample(found, min(_READ, len(found)))


def _sampled(passages_: Sequence[tuple[Sequence[str], Sequence[str]]], source: random.Random) -> list[Pair]:
    """Sentences of biographies beside samples."""
    found = [
        Pair(passages(sample).by_words(sentence).text, sentence, UNLABELLED)
        for sentences, samples in passages_
        for sentence in sentences
        for sample in samples
    ]
    return source.sample(found, min(_SAMPLED, len(found)))


def _answered(answers: Sequence[Sequence[str]], source: random.Random) -> list[Pair]:
    """Sentences of an answer beside what a detector would read of another answer to the same question."""
    found: list[Pair] = []
    for own in source.sample(answers, len(answers)):
        one, other = source.sample(own, 2)
        sentences = [text for text in split_sentences(one) if _SHORT <= len(text) <= _LONG]
        premises = Premises([other])
        for sentence in source.sample(sentences, min(8, len(sentences))):
            found += [Pair(read.text, sentence, UNLABELLED) for read in premises.best(sentence)]
    return source.sample(found, min(_ANSWERED, len(found)))


def _said(pairs: Sequence[Pair], model: EntailmentModel) -> list[Pair]:
    """The pairs with what a model says of them; those without a word as they are."""
    found: list[Pair] = []
    for start in range(0, len(pairs), _BLOCK):
        block = pairs[start : start + _BLOCK]
        replies = model.answer([Entail(pair.premise, pair.hypothesis) for pair in block])
        for pair, reply in zip(block, replies, strict=True):
            one = reply.value if isinstance(reply, Answer) else None
            taught = one and (one.entailment, one.neutral or 0.0, one.contradiction)
            found.append(replace(pair, taught=taught or pair.taught))
        _say(f"documents: {start + len(block)} of {len(pairs)} pairs asked")
    return found


def _agreed(pairs: Sequence[Pair], model: EntailmentModel) -> list[Pair]:
    """The pairs with the mean of what they were made with and what a model says."""
    found = []
    for pair, one in zip(pairs, _said(pairs, model), strict=True):
        made = pair.taught or tuple(float(pair.label == label) for label in range(len(LABELS)))
        e, n, c = ((a + b) / 2 for a, b in zip(made, one.taught or made, strict=True))
        found.append(Pair(pair.premise, pair.hypothesis, UNLABELLED, (e, n, c)))
    return found


STAGES: Mapping[str, Stage] = {
    "pairs": Stage(Recipe(rate=2e-4, frozen=6), _pairs),
    "documents": Stage(Recipe(rate=1.5e-4, batch=32, longest=224, frozen=6), _documents, after="pairs"),
}
"""By name, in their order."""

FOLDED = ("documents",)
"""Those that depend on labelled claims, a folder for each fold."""


def encoder(unpacked: Path, out: Path) -> Path:
    """An encoder with a piece for line ends, as transformers reads it.

    The new piece's vector lies between those of a full stop and of the end of a text.

    Args:
        unpacked: BERT's tensors (`model.safetensors`), their `config.json`, and `tokenizer.json` of pieces with log-probabilities.
        out: made if it is not there; nothing is done where it holds an encoder.

    Raises:
        InputError: there is no such encoder, or it has a piece for line ends.
    """
    from safetensors.torch import load_file

    if (out / "model.safetensors").is_file():
        return out
    try:
        tokenizer, config = (
            json.loads((unpacked / name).read_text(encoding="utf-8"))
            for name in ("tokenizer.json", "config.json")
        )
        tensors = load_file(unpacked / "model.safetensors")
        pieces = [piece for piece, _ in tokenizer["model"]["vocab"]]
        number = len(pieces)
        near = [pieces.index(piece) for piece in (".", _TOKENIZER["eos_token"])]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InputError(f"expected an unpacked encoder in {str(unpacked)!r}, got {error!r}") from error
    if LINE_END in pieces:
        raise InputError(
            f"expected an encoder as it was unpacked, got one that knows line ends: {str(unpacked)!r}"
        )
    import torch

    table = tensors[_WORDS]
    tensors[_WORDS] = torch.cat([table, table[near].mean(0, keepdim=True)])
    tokenizer["model"]["vocab"].append([LINE_END, 0.0])
    tokenizer["added_tokens"].append(
        {"id": number, "content": LINE_END, "lstrip": True, "rstrip": True}
        | dict.fromkeys(("normalized", "single_word", "special"), False)
    )
    out.mkdir(parents=True, exist_ok=True)
    written = {
        "config.json": config | {"vocab_size": number + 1},
        "tokenizer.json": tokenizer,
        "tokenizer_config.json": _TOKENIZER,
    }
    for name, content in written.items():
        (out / name).write_text(json.dumps(content, ensure_ascii=False), encoding="utf-8")
    write_tensors(out / "model.safetensors", tensors)
    return out


def main(argv: Sequence[str] | None = None) -> int:
    """Train the stages that are not done; 0 if all are, 2 if it could not run."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.entailment mini", description=__doc__)
    parser.add_argument("out", type=Path, metavar="DIR", help="a folder for each stage is made in it")
    parser.add_argument(
        "--encoder", type=Path, metavar="DIR", help="the unpacked encoder; needed the first time"
    )
    parser.add_argument("--stage", choices=[*STAGES], help="the last one that is trained (default: all)")
    parser.add_argument("--seed", type=int, default=0, help="of the head, the pairs made and their order")
    parser.add_argument(
        "--fold", type=int, choices=range(FOLDS), help="learn no labelled claim of the other fold's sources"
    )
    parser.add_argument(
        "--manuals", type=Path, metavar="DIR", help="GNOME's help, a folder for each language (DIR/manuals)"
    )
    options = parser.parse_args(argv)
    by = Drawn(options.seed, options.fold, options.manuals or options.out / "manuals")
    try:
        base = encoder(options.encoder or options.out / "encoder", options.out / "base")
        wanted = [*STAGES]
        for name in wanted[: wanted.index(options.stage) + 1] if options.stage else wanted:
            done = _train(name, options.out, base, by)
            _say(f"{name}: {done.steps} steps, {done.seconds / 3600:.1f} h, loss {done.loss:.3f}")
    except GuardrailError as error:
        sys.stderr.write(f"mini: {error}\n")
        return 2
    return 0


def _train(name: str, out: Path, base: Path, by: Drawn) -> Trained:
    stage = STAGES[name]
    folder = out / _folder(name, by)
    recipe = replace(stage.recipe, seed=by.seed)
    if by.seed == 0 and stage.after is None and _begin(base, folder):
        _say(f"{name}: as it comes with the recipe")
    done = trained(folder)
    if done is not None:
        if done.recipe != recipe:
            raise InputError(
                f"expected the recipe of {name!r} in {str(folder)!r}, got {done.recipe}: name another folder"
            )
        return done
    pairs = stage.pairs(by)
    _say(f"{name}: {sum(map(len, pairs))} pairs")
    before = out / _folder(stage.after, by) if stage.after else base
    watch = Watch(data_dir("nli"), data_dir("multilingual"), before, folder / "watch.jsonl", say=_say)
    done = train(
        pairs,
        folder,
        recipe=recipe,
        base=before,
        watcher=watch,
        watch_every=1000,
        save_every=50,
        say=_say,
    )
    if stage.after:
        halfway(before, folder)
    return done


def _begin(base: Path, folder: Path) -> bool:
    """Write what `BEGUN` has as the first stage's outcome, if that stage has none and the encoder is the one it began with."""
    from safetensors.torch import load_file

    if folder.is_dir() or not BEGUN.is_dir() or read_config(BEGUN)[_ENCODER] != weights_digest(base):
        return False
    tensors = {f"bert.{name}": one for name, one in load_file(base / "model.safetensors").items()}
    tensors |= read_groups([BEGUN / "pairs.safetensors"])
    folder.mkdir(parents=True)
    for name in ("tokenizer.json", "tokenizer_config.json"):
        shutil.copyfile(base / name, folder / name)
    shutil.copyfile(BEGUN / "config.json", folder / "config.json")
    write_tensors(folder / "model.safetensors", tensors)
    shutil.copyfile(BEGUN / "training.json", folder / "training.json")
    return True


def _folder(name: str, by: Drawn) -> str:
    return f"{name}-{by.fold}" if by.fold is not None and name in FOLDED else name


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)
