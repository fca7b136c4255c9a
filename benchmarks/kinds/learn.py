"""Learns the classifier and measures it by cross-validation on labelled sentences of real answers."""

from __future__ import annotations

import argparse
import json
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import guardrail.text
from benchmarks._data import roots
from benchmarks.kinds.examples import Example, claims_of_answers, made, plain, templates, written
from guardrail.text import kinds
from guardrail.text.kinds import Kind, kind_of, terms

__all__ = ["main"]

LABELS = ("claim", "nothing", "lacking")
JUDGED_ONLY = ("alpaca_eval", "negatives", "researcherbench", "flask", "multilingual/mu_shroom")
"""Sources that may not be learnt from."""
TERMS, STRENGTH, REAL = (
    6_000,
    0.3,
    8.0,
)  # terms kept, inverse of regularisation, weight of a labelled real sentence
REPEATED, RARE = 2, 5  # written sentences that make a word known; in fewer, it is learnt from as unknown too
FOLDS = 4


class Labelled(NamedTuple):
    """A labelled sentence of a real answer."""

    text: str
    label: str
    prompt: str
    language: str
    learnt: bool


class Learnt(NamedTuple):
    """A fit as `kinds.json` has it: words, and weights in hundredths by term; "" is the bias."""

    words: list[str]
    weights: dict[str, tuple[int, int]]

    def use(self) -> None:
        """Let `kind_of` decide by it, in this process."""
        fit = kinds._Fit.of(self.words, self.weights)  # noqa: SLF001
        kinds._fit = lambda: fit  # type: ignore[assignment]  # noqa: SLF001
        kinds._kind.cache_clear()  # noqa: SLF001


def read(path: Path) -> list[Labelled]:
    """The rows of a file of labels, without those that could not be labelled."""
    rows = map(json.loads, path.read_text("utf-8").splitlines())
    return [
        Labelled(
            plain(row["sentence"]),
            row["label"],
            row["prompt"],
            row["lang"],
            not row["source"].startswith(JUDGED_ONLY),
        )
        for row in rows
        if row["label"] in LABELS
    ]


def vocabulary(claims: Mapping[str, Sequence[str]], own: Sequence[Example]) -> list[str]:
    """The words of the templates that claim nothing or say that something is lacking, and the commonest of all claims."""

    def single(text: str) -> set[str]:
        return {term for term in terms(text, _All()) if " " not in term and term.isalpha()}

    found: set[str] = set()
    for lines in templates().values():
        for label, template in lines:
            if label != "claim":
                found |= single(re.sub(r"\{.\}|[()|]", " ", template))
    counts = Counter(word for one in own if one.label != "claim" for word in single(one.text))
    found |= {word for word, count in counts.items() if count >= REPEATED}
    common = Counter(word for texts in claims.values() for text in texts for word in single(text))
    return sorted(found | {word for word, count in common.items() if count >= 60 and len(word) > 1})


def rare(examples: Sequence[Example]) -> set[str]:
    """Words of few written sentences, and of no template."""
    counts = Counter(word for one in examples for word in terms(one.text, _All()) if " " not in word)
    return {word for word, count in counts.items() if count < RARE} - frozenset(vocabulary({}, []))


class _All:
    def __contains__(self, word: object) -> bool:
        return True


def learn(examples: Sequence[Example], words: Sequence[str]) -> Learnt:
    """Multinomial logistic regression on the terms with the greatest weights of a first one."""
    from sklearn.feature_extraction import DictVectorizer
    from sklearn.linear_model import LogisticRegression

    known = frozenset(words)
    again = [
        one for one in examples if one.language
    ]  # with their rarer words unknown, as those of a new one are
    common = known - rare(again)
    found_in = [terms(one.text, known) for one in examples] + [terms(one.text, common) for one in again]
    examples = [*examples, *again]
    labels = [example.label for example in examples]
    counts = Counter(term for found in found_in for term in found)

    def fitted(kept: set[str]) -> tuple[list[str], np.ndarray[Any, Any], np.ndarray[Any, Any]]:
        vectors = DictVectorizer(dtype=np.float32)
        rows = vectors.fit_transform([dict.fromkeys(found & kept, 1) for found in found_in])
        model = LogisticRegression(C=STRENGTH, max_iter=300)
        model.fit(rows, labels, sample_weight=[example.weight for example in examples])
        place = [list(model.classes_).index(label) for label in LABELS]
        against = model.coef_[place] - model.coef_[place[0]]
        bias = model.intercept_[place] - model.intercept_[place[0]]
        return list(vectors.feature_names_), against[1:], bias[1:]

    names, weights, _ = fitted({term for term, count in counts.items() if count >= 5})
    worth = np.abs(weights).max(axis=0) * np.array([counts[name] ** 0.25 for name in names])
    names, weights, bias = fitted({names[i] for i in np.argsort(-worth)[:TERMS]})
    table = {"": bias, **dict(zip(names, weights.T, strict=True))}
    rounded = {
        term: (round(100 * float(pair[0])), round(100 * float(pair[1]))) for term, pair in table.items()
    }
    return Learnt(list(words), rounded)


def predicted(rows: Sequence[Labelled], claims: Mapping[str, Sequence[str]]) -> tuple[list[Kind], list[Kind]]:
    """Out of fold: of the rows, prompts kept together, and of the written sentences, neighbours kept together."""
    from sklearn.model_selection import GroupKFold

    own = written()
    found, found_own = [Kind.CLAIM] * len(rows), [Kind.CLAIM] * len(own)
    groups = [row.prompt for row in rows]
    for fold, (inside, outside) in enumerate(GroupKFold(FOLDS).split(rows, groups=groups)):
        kept = [one for place, one in enumerate(own) if place // 6 % FOLDS != fold]
        real = [Example(rows[i].label, rows[i].text, REAL) for i in inside if rows[i].learnt]
        learn([*made(claims, kept), *real], vocabulary(claims, kept)).use()
        for i in outside:
            found[i] = kind_of(rows[i].text)
        for place in range(len(own)):
            if place // 6 % FOLDS == fold:
                found_own[place] = kind_of(own[place].text)
    return found, found_own


def simple(sentence: str) -> Kind:
    """What a few lines do without learning: question marks, colons, and "not … mentioned"."""
    text = sentence.casefold().rstrip()
    if text.endswith(("?", "？")):
        return Kind.QUESTION
    if text.endswith((":", "：")) or re.match(
        r"(i hope|sure|thank|i'm sorry|here (is|are)|let me|feel free)\b", text
    ):
        return Kind.NOTHING
    if re.search(
        r"\b(not|no)\b.* (mention|provide|specif|information)|unable to|i (do not|don't) (know|have)|没有提到",
        text,
    ):
        return Kind.LACKING
    return Kind.CLAIM


def shown(name: str, rows: Sequence[Labelled | Example], found: Sequence[Kind]) -> str:
    """One row of the table: macro-F1, claims called nothing, and the counts of each label by what they were called."""
    from sklearn.metrics import confusion_matrix, f1_score

    called = ["lacking" if k is Kind.LACKING else "claim" if k is Kind.CLAIM else "nothing" for k in found]
    labels = [row.label for row in rows]
    present = [label for label in LABELS if label in labels]
    score = f1_score(labels, called, labels=present, average="macro")
    counts = confusion_matrix(labels, called, labels=list(LABELS))
    silenced = counts[0][1] / max(1, counts[0].sum())
    cells = " | ".join(" ".join(map(str, line)) for line in counts.tolist())
    return f"| {name} | {len(rows)} | {score:.3f} | {silenced:.4f} | {cells} |"


def table(rows: Sequence[Labelled], found: Sequence[Kind]) -> str:
    """Learnt, by language group, beside the simple ways."""
    groups: dict[str, Callable[[Labelled], bool]] = {
        "English": lambda row: row.language == "en",
        "Chinese": lambda row: row.language == "zh",
        "other languages": lambda row: row.language not in {"en", "zh"},
    }
    head = "| what | sentences | macro-F1 | claims called nothing | claim as c n l | nothing | lacking |"
    lines = [head, "|" + " --- |" * 7, shown("learnt, out of fold", rows, found)]
    for name, inside in groups.items():
        pairs = [(row, kind) for row, kind in zip(rows, found, strict=True) if inside(row)]
        lines.append(shown(f"… {name}", *zip(*pairs, strict=True)))
    lines.append(shown("a few patterns", rows, [simple(row.text) for row in rows]))
    lines.append(shown("all are claims", rows, [Kind.CLAIM] * len(rows)))
    return "\n".join(lines)


def main(argv: Sequence[str] | None = None) -> int:
    """Print the table; with `--write`, put the fit where the package reads it."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.kinds.learn", description=__doc__)
    parser.add_argument(
        "--labels", type=Path, required=True, help="JSON lines: sentence, label, prompt, lang, source"
    )
    parser.add_argument(
        "--answers", type=Path, default=next(roots()) / "real_answers", help="folder of real answers"
    )
    parser.add_argument(
        "--write", action="store_true", help="learn from all that may be learnt from, and keep it"
    )
    options = parser.parse_args(argv)
    rows = read(options.labels)
    claims = claims_of_answers(options.answers, {row.prompt for row in rows})
    own = written()
    words = vocabulary(claims, own)
    learn(made(claims, own), words).use()
    claims = {
        language: [text for text in texts if kind_of(text) is Kind.CLAIM]
        for language, texts in claims.items()
    }
    examples = made(claims, own)
    print(f"{len(words)} words; examples: {dict(Counter(one.label for one in examples))}")
    if options.write:
        real = [Example(row.label, row.text, REAL) for row in rows if row.learnt]
        _write(learn([*examples, *real], words))
    found, found_own = predicted(rows, claims)
    print(table(rows, found))
    print(shown("written, out of fold", own, found_own))
    return 0


def _write(learnt: Learnt) -> None:
    lines = ",\n".join(
        f"{json.dumps(term, ensure_ascii=False)}:{list(pair)}"
        for term, pair in sorted(learnt.weights.items())
    )
    about = json.dumps("Learnt by `python -m benchmarks.kinds.learn`: sources and figures in its README.md.")
    words = json.dumps(" ".join(learnt.words), ensure_ascii=False)
    text = f'{{"about": {about},\n"words": {words},\n"weights": {{\n{lines}\n}}}}\n'
    (Path(guardrail.text.__file__).parent / "kinds.json").write_text(text, "utf-8")


if __name__ == "__main__":
    raise SystemExit(main())
