"""Writes qa_oracle.jsonl: what selfcheckgpt's three scoring functions say of random answers.

To make it again, in an environment of its own: `pip install selfcheckgpt==0.1.7`, then
`python tests/unit/selfcheck/record_qa.py`. Nothing of guardrail is imported.
"""

import json
import random
from importlib.metadata import version
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent
CASES = 1_000


def shares(rng):
    """Four probabilities in hundredths; ties are frequent."""
    cuts = sorted(rng.randint(0, 100) for _ in range(3))
    return [b - a for a, b in zip([0, *cuts], [*cuts, 100], strict=True)]


def case(rng):
    """One question with its answers; probabilities, α and the bound in hundredths, so that they can be equal."""
    samples = rng.choice([0, 1, 2, 3, 5, 8, 20]) if rng.random() < 0.2 else rng.randint(1, 6)
    likely, agree = rng.random(), rng.random()
    own = shares(rng)
    return {
        "own": own,
        "own_alpha": rng.randint(0, 100),
        "samples": [own if rng.random() < agree else shares(rng) for _ in range(samples)],
        "alpha": [rng.randint(0, 100) if rng.random() < likely else 0 for _ in range(samples)],
        "bound": rng.choice([0, 20, 50, 50, 80, 100]),
        "beta_1": rng.choice([80, 80, rng.randint(51, 97)]),
        "beta_2": rng.choice([80, 80, rng.randint(51, 97)]),
    }


def scores(one):
    """What the package says."""
    from selfcheckgpt import modeling_selfcheck as package  # here, so that collecting tests does not need it

    own, alpha = np.array(one["own"]) / 100, one["own_alpha"] / 100
    samples = np.array(one["samples"]).reshape(-1, 4) / 100
    alphas = np.array(one["alpha"]) / 100
    given = (own, alpha, samples, alphas, len(samples))
    betas = (one["beta_1"] / 100, one["beta_2"] / 100)
    bound = one["bound"] / 100
    return {
        "counting": float(package.method_simple_counting(*given, AT=bound)),
        "bayes": float(package.method_vanilla_bayes(*given, *betas, AT=bound)),
        "bayes_with_alpha": float(package.method_bayes_with_alpha(*given, *betas)),
    }


def main():
    """Write the file."""
    rng = random.Random(0)
    head = {"package": "selfcheckgpt", "version": version("selfcheckgpt"), "seed": 0, "cases": CASES}
    lines = [head]
    for _ in range(CASES):
        one = case(rng)
        lines.append(one | {"scores": scores(one)})
    text = "\n".join(json.dumps(line, separators=(",", ":")) for line in lines)
    (HERE / "qa_oracle.jsonl").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
