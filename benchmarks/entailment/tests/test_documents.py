"""Training for documents: what is made of texts and pairs, which rows are learnt from, and that watching changes nothing."""

import json
import random

import pytest
from benchmarks.entailment.making.documents import blended, unpacked
from benchmarks.entailment.making.form import pack
from benchmarks.entailment.making.loop import Recipe, train
from benchmarks.entailment.making.shapes import records
from benchmarks.entailment.making.shapes.exchanging import CHANGES, COPIES, joined
from benchmarks.entailment.making.shapes.mixture import Sources, mixture
from benchmarks.entailment.making.shapes.texts import Claim, articles, claims, documents, is_learnt
from benchmarks.entailment.pairs import UNLABELLED, Pair
from tests.unit.backends.models import make, needs_local

from guardrail.errors import InputError

DOCUMENT = [
    "The painter Ann Lee was born in Rome on 3 May 1921.",
    "She often met Carl Moss in Bern, where both had studied (with Ida Roth).",
    "In 1950 the museum of Bern bought 12 of her works.",
]
SOURCE = random.Random


class TestChanges:
    @pytest.mark.parametrize(
        ("kind", "sentence", "expected"),
        [
            ("number", DOCUMENT[2], {"1921", "3"}),
            ("name", DOCUMENT[0], {"Carl Moss", "Bern", "Ida Roth"}),
            ("date", DOCUMENT[0], {"June", "July", "March"}),
        ],
    )
    def test_a_value_is_exchanged(self, kind, sentence, expected):
        """Another value of the same kind takes its place; over many draws those of the document do."""
        found = [CHANGES[kind](sentence, DOCUMENT, SOURCE(seed)) for seed in range(60)]
        assert all(text not in (None, sentence) for text in found)
        assert any(value in text and value not in sentence for text in found for value in expected)

    def test_a_year_for_a_year(self):
        """What is taken from the document for a year is a year."""
        found = {CHANGES["number"]("It was built in 1950.", ["3 men, 1921."], SOURCE(s)) for s in range(40)}
        assert "It was built in 1921." in found
        assert "It was built in 3." not in found

    def test_names_are_turned(self):
        """Two names exchange their places; names of a list do not, which would say the same."""
        turned = CHANGES["turned"]
        assert turned("Then the team of Bern beat that of Rome.", (), SOURCE(0)) == (
            "Then the team of Rome beat that of Bern."
        )
        assert turned("He saw Bern and Rome.", (), SOURCE(0)) is None

    def test_negation_both_ways(self):
        """A verb is negated, and a negation is taken away."""
        negated = CHANGES["negation"]
        assert negated("She was there.", (), SOURCE(0)) == "She was not there."
        assert negated("She was not there.", (), SOURCE(0)) == "She was there."
        assert negated("She left early.", (), SOURCE(0)) is None

    def test_a_modal_is_strengthened(self):
        """What may be, will be."""
        assert CHANGES["stronger"]("It may rain.", (), SOURCE(0)) == "It will rain."
        assert CHANGES["stronger"]("It rains.", (), SOURCE(0)) is None

    def test_nothing_to_exchange(self):
        """A sentence without a value of the kind is not changed."""
        assert all(CHANGES[kind]("It rained.", DOCUMENT, SOURCE(0)) is None for kind in CHANGES)

    def test_shorter_keeps_what_is_left(self):
        """A bracket or a clause goes; where leaving something out may change the sense nothing does."""
        found = {COPIES["shorter"](DOCUMENT[1], DOCUMENT, SOURCE(seed)) for seed in range(20)}
        assert "She often met Carl Moss in Bern, where both had studied." in found
        assert "She often met Carl Moss in Bern." in found
        assert COPIES["shorter"]("It is open, which is rare, if it does not rain.", (), SOURCE(0)) is None

    def test_joined(self):
        """Both sentences are whole, the second begins small unless with a name."""
        found = joined("It rained.", "Ann left.", SOURCE(0))
        assert found == "It rained, and Ann left."


class TestRecords:
    def test_right_sentences_have_the_values(self):
        """Oracle: an address, a rating or a year of birth that is right is in the record, one that is wrong is not."""
        seen = set()
        for seed in range(300):
            source = SOURCE(seed)
            made = records.record(source)
            for sentence, share in records.told(made, source):
                if "rating is" in sentence or "out of 5" in sentence or "has a rating" in sentence:
                    right = str(made["stars"]) in sentence
                    assert right is (share[0] > 0.5), sentence
                    seen.add(right)
                if "was born in" in sentence:
                    right = str(made["born"]["year"]) in sentence and made["born"]["place"] in sentence
                    assert right is (share[0] > 0.5), sentence
                    seen.add(right)
        assert seen == {True, False}

    def test_what_is_unknown_is_left_open(self):
        """A service of which the record says nothing, or null, is neither offered nor not."""
        for seed in range(200):
            source = SOURCE(seed)
            made = records.record(source)
            if "hours" not in made or made["attributes"].get("Delivery", None) is not None:
                continue
            for sentence, share in records.told(made, source):
                if sentence in ("The place offers delivery.", "The place does not offer delivery."):
                    assert share[1] > 0.5


def write(folder, name, rows):
    folder.mkdir(exist_ok=True)
    (folder / name).write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


class TestTexts:
    def test_pieces_of_one_article_stay_together(self):
        """Also by way of a third that overlaps with both."""
        text = (
            "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen"
        )
        words = text.split()
        pieces = [" ".join(words[:9]), " ".join(words[1:11]), " ".join(words[3:16]), "another text"]
        found = articles(pieces)
        assert sorted(map(len, found)) == [1, 3]
        learnt = is_learnt(pieces)
        assert len({piece in learnt for piece in pieces[:3]}) == 1

    def test_about_half_is_learnt(self):
        """By a hash, so that everybody has the same half."""
        texts = [f"text number {i}" for i in range(400)]
        learnt = is_learnt(texts)
        assert 150 < len(learnt) < 250
        assert learnt == is_learnt(reversed(texts))

    def test_only_what_may_be_learnt_is_read(self, tmp_path):
        """The other half of cg2c_doc and WikiBio's rows from 119 on give no sentence."""
        grounding, wikibio = tmp_path / "grounding", tmp_path / "wikibio"
        texts = [f"Text {i} begins with this. Text {i} ends with that." for i in range(20)]
        rows = [{"document": text, "claim": text[:20], "supported": True} for text in texts]
        write(grounding, "cg2c_doc.jsonl", rows)
        write(grounding, "cg2c_multihop.jsonl", [])
        biography = {"wiki_bio_text": "A line of many words. Another of many words.", "dataset_idx": 119}
        write(wikibio, "dataset.jsonl", [biography, biography | {"dataset_idx": 118}])
        learnt = is_learnt(texts)
        assert 0 < len(learnt) < 20
        assert {claim.document for claim in claims(grounding)} == learnt
        found = [" ".join(own) for own in documents(grounding, wikibio)]
        assert found == [*(text for text in texts if text in learnt), biography["wiki_bio_text"]]

    def test_a_damaged_file(self, tmp_path):
        """It is named."""
        (tmp_path / "cg2c_doc.jsonl").write_text("{", encoding="utf-8")
        with pytest.raises(InputError, match=r"cg2c_doc\.jsonl"):
            claims(tmp_path)


KNOWN = {"one": [Pair(f"Premise {i}.", f"Hypothesis {i}.", i % 3, (0.2, 0.5, 0.3)) for i in range(30)]}


class TestMixture:
    def made(self, counts, **sources):
        return mixture(Sources(KNOWN, **sources), seed=0, counts=counts)

    def test_the_same_seed(self):
        """Gives the same pairs in the same order, so many of each kind."""
        counts = {"again": 5, "passages": 5, "joined": 5, "sentences": 9, "absent": 4, "records": 6}
        found = self.made(counts, documents=[DOCUMENT, list(reversed(DOCUMENT))])
        assert len(found) == 34
        assert found == self.made(counts, documents=[DOCUMENT, list(reversed(DOCUMENT))])

    def test_passages_keep_the_teacher(self):
        """The premise is among others, all else stays."""
        for pair in self.made({"passages": 20}):
            number = pair.hypothesis.split()[1]
            assert f"Premise {number}" in pair.premise
            assert len(pair.premise) > len(f"Premise {number}")
            assert pair.taught == (0.2, 0.5, 0.3)

    def test_both_must_follow(self):
        """Oracle, by hand: .2 x .2 = .04 entailed; 1 - .7 x .7 = .51 contradicted."""
        for pair in self.made({"joined": 10}):
            assert pair.label == UNLABELLED
            assert pair.taught == pytest.approx((0.04, 0.45, 0.51))

    def test_a_supported_sentence_is_beside_its_support(self):
        """Where a sentence of a document is as it was, the premise has it; where the document lacks it, nothing says so."""
        pairs = self.made({"sentences": 60}, documents=[DOCUMENT])
        copies = [pair for pair in pairs if pair.hypothesis in DOCUMENT]
        assert copies
        assert all(pair.hypothesis in pair.premise and pair.taught[0] > 0.9 for pair in copies)
        absent = self.made({"absent": 40}, documents=[DOCUMENT])
        assert all(pair.hypothesis not in pair.premise and pair.taught[0] < 0.1 for pair in absent)

    def test_claims_by_their_labels(self):
        """Each comes twice, and its label decides on which side of a half it is."""
        known = [Claim(" ".join(DOCUMENT), f"Claim {i}.", bool(i % 2)) for i in range(6)]
        found = self.made({}, claims=known)
        assert len(found) == 12
        assert all(
            (pair.taught[0] > 0.5) is (pair.hypothesis in {"Claim 1.", "Claim 3.", "Claim 5."})
            for pair in found
        )

    def test_probabilities(self):
        """Whatever is made, its three add up to one."""
        counts = {"passages": 5, "joined": 5, "sentences": 30, "absent": 5, "records": 60}
        found = self.made(counts, documents=[DOCUMENT], claims=[Claim("A text.", "A claim.", True)])
        assert all(sum(pair.taught) == pytest.approx(1) for pair in found)


class TestWeights:
    def test_a_watcher_changes_nothing(self, tmp_path):
        """It sees the network after every so many steps and after the last, and the weights are the same."""
        needs_local()
        from safetensors.torch import load_file

        base = make(tmp_path / "base", head=False)
        pairs = [Pair(f"He has {i} dogs.", "He has dogs.", i % 3) for i in range(12)]
        recipe, seen = Recipe(batch=4, bf16=False), []
        train(
            [pairs],
            tmp_path / "seen",
            base=base,
            recipe=recipe,
            watcher=lambda n, _: seen.append(n),
            watch_every=2,
        )
        train([pairs], tmp_path / "unseen", base=base, recipe=recipe)
        assert seen == [2, 3]
        first, other = (load_file(tmp_path / name / "model.safetensors") for name in ("seen", "unseen"))
        assert all((first[name] == other[name]).all() for name in first)

    def test_unpacked_is_what_was_packed(self, tmp_path):
        """Packing again what was unpacked gives the same weights, and transformers reads it."""
        needs_local()
        import transformers

        trained = make(tmp_path / "trained", labels=("entailment", "neutral", "contradiction"))
        first = pack(trained, tmp_path / "packed", temperature=1.0)
        base = unpacked(tmp_path / "packed", tmp_path / "base")
        assert pack(base, tmp_path / "again", temperature=1.0).size == first.size
        network = transformers.AutoModelForSequenceClassification.from_pretrained(base)
        assert network.num_labels == 3

    def test_blended(self):
        """A quarter of the way from 2 to 6 is 3."""
        assert blended({"w": 2.0}, {"w": 6.0}, 0.25) == {"w": 3.0}
