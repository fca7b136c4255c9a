"""SelfCheck's recorded scores: what is made of them is what the models' own replies make."""

import hashlib

import numpy as np
from benchmarks._recording import Recording
from benchmarks.selfcheck.passages import Passage
from benchmarks.selfcheck.recorded import Kept, sample
from benchmarks.selfcheck.scoring import SIZES, blocks, scored, splitter

from guardrail.requests import Similarity
from guardrail.selfcheck import EnsembleCheck
from guardrail.selfcheck.ensemble.fits import packaged_fits

NAME = "wikibio-minilm"
SENTENCES = ("Ada Byron was born in London.", "She wrote about engines.", "She liked tea and horses.")


def passage(number, count):
    """An answer of so many sentences with twenty samples that say some of them otherwise."""
    own = SENTENCES[:count]
    samples = tuple(f"Ada Byron was born in year {i}. {SENTENCES[1]} She liked cats." for i in range(20))
    return Passage(number, " ".join(own), own, (0.0,) * count, samples)


def reply(request):
    """A similarity that depends on the pair alone."""
    value = hashlib.sha256(f"{request.candidate}|{request.reference}".encode()).digest()[0] / 255
    return Similarity(value, value, value)


def test_the_same_as_by_the_model():
    """To the last bit: the members' scores, the fused probabilities, and what n-gram flags."""
    passages, fit = [passage(119, 3), passage(120, 2)], packaged_fits()[NAME]
    detector = EnsembleCheck(fit=fit, splitter=splitter(passages))
    found = [blocks(one, lambda case, *_: scored(case, detector, reply)) for one in passages]
    assert [len(one) for one in found[0].values()] == [1, 4]
    kept = {
        f"{NAME}, {size} samples, bertscore": np.concatenate(
            [[block.members["bertscore"] for block in one[size]] for one in found], axis=1
        )
        for size in SIZES
    }
    assert Kept(Recording({}, {}, kept), NAME, fit, passages).blocks() == found


def test_a_few_are_scored_anew():
    """Evenly spread, others for each fit, the same each time; all where there are fewer."""
    passages = [passage(number, 1) for number in range(119, 238)]
    chosen = {name: [one.number for one in sample(passages, name)] for name in packaged_fits()}
    assert all(len(own) in {3, 4} and set(np.diff(own)) == {30} for own in chosen.values())
    assert not set.intersection(*map(set, chosen.values()))
    assert len(sample(passages[:3], NAME)) == 3
