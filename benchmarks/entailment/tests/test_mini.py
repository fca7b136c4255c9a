"""Training the multilingual entailment model: what its pairs are made of, which sources a fold sees, that it goes on where it stopped."""

import json
import random
import shutil
from dataclasses import replace

import pytest
from benchmarks.entailment.making import mini
from benchmarks.entailment.making.groups import in_groups
from benchmarks.entailment.making.loop import Recipe
from benchmarks.entailment.making.mini import LINE_END, Stage, encoder
from benchmarks.entailment.making.shapes import labelled as labelled_module
from benchmarks.entailment.making.shapes.amounts import CHANGES, COPIES, QUOTED
from benchmarks.entailment.making.shapes.labelled import FOLDS, Labelled, fold_of, labelled
from benchmarks.entailment.making.shapes.mixture import Sources, mixture
from benchmarks.entailment.making.shapes.translations import ENGLISH, beside, manuals
from benchmarks.entailment.pairs import LABELS, UNLABELLED, Pair
from tests.unit.backends.models import TEXTS, make, needs_local

from guardrail.backends.weights import weights_digest
from guardrail.errors import InputError

SOURCE = random.Random
DOCUMENT = [
    "Sales rose by 12 percent to $3.5 million in 2019.",
    "The new plant lies 40 miles north of Bern and has 2,400 workers.",
    "It lost 250 workers in 2021, which the council had approved.",
]


def every(change, sentence, document=DOCUMENT, times=60):
    """All that a change makes of a sentence over many draws."""
    return {change(sentence, document, SOURCE(seed)) for seed in range(times)}


class TestAmounts:
    def test_unit(self):
        """Another unit of the same form takes the place of a quantity's; elsewhere nothing is changed."""
        found = every(CHANGES["unit"], DOCUMENT[1])
        assert "The new plant lies 40 kilometers north of Bern and has 2,400 workers." in found
        assert all("40 miles" not in text and "2,400 workers" in text for text in found)
        assert CHANGES["unit"]("It rained for miles.", DOCUMENT, SOURCE(0)) is None

    def test_magnitude(self):
        """A word of magnitude is exchanged, or a number moved by a power of ten; a year is neither."""
        assert every(CHANGES["magnitude"], DOCUMENT[0]) >= {
            "Sales rose by 12 percent to $3.5 billion in 2019.",
            "Sales rose by 12 percent to $3.5 thousand in 2019.",
        }
        assert "It has 2,400,000 workers." in every(CHANGES["magnitude"], "It has 2,400 workers.")
        assert CHANGES["magnitude"]("It was built in 2019.", DOCUMENT, SOURCE(0)) is None

    @pytest.mark.parametrize(
        ("kind", "expected"),
        [
            ("direction", {"Sales fell by 12 percent to $3.5 million in 2019."}),
            ("relation", {None}),
        ],
    )
    def test_words_that_exclude_each_other(self, kind, expected):
        """A word is exchanged for one that excludes it; a sentence without such a word stays."""
        assert every(CHANGES[kind], DOCUMENT[0]) == expected

    def test_owner(self):
        """A quantity of another sentence of the same kind, or two of one sentence in each other's place."""
        found = every(CHANGES["owner"], DOCUMENT[2])
        assert "It lost 2,400 workers in 2021, which the council had approved." in found
        assert "It lost 250 workers in 2019, which the council had approved." in found
        assert every(CHANGES["owner"], "He sold 12 cars and 34 boats.", ()) == {
            "He sold 34 cars and 12 boats.",
            None,
        }

    def test_spelt(self):
        """The same value is spelt otherwise, the date and the short form too."""
        text = "On 3 May 1921 the United States sold 1,200 of 12 million shares for $5."
        found = every(COPIES["spelt"], text, times=300)
        assert None not in found
        assert any("May 3, 1921" in one for one in found)
        assert any("12,000,000" in one for one in found)
        assert any("1 200 of" in one or "1200 of" in one for one in found)
        assert any("5 dollars" in one for one in found)
        assert all("1921" in one and "shares" in one for one in found)
        assert COPIES["spelt"]("It rained.", (), SOURCE(0)) is None

    def test_quotations(self):
        """A right quotation is in the document word for word; a wrong one has one word from elsewhere in it."""
        rest = " ".join(DOCUMENT)
        for seed in range(40):
            right = QUOTED[True](DOCUMENT[1], DOCUMENT, SOURCE(seed))
            wrong = QUOTED[False](DOCUMENT[1], DOCUMENT, SOURCE(seed))
            said = [_quoted(text) for text in (right, wrong)]
            assert said[0] in rest
            assert said[1] not in rest
            assert sum(word not in rest for word in said[1].split()) <= 1


def _quoted(text):
    for one in "“”„«»「」":
        text = text.replace(one, '"')
    return text.split('"')[1].strip()


class TestLabelled:
    def test_each_source_is_in_one_fold(self, monkeypatch, tmp_path):
        """The folds together are all; no source is in both."""
        rows = [Labelled(f"source {i % 20}", ("A text.",), f"Claim {i}.", (1, 0, 0)) for i in range(60)]
        monkeypatch.setattr(labelled_module, "_statements", lambda _folder: iter(rows))
        folds = [labelled(tmp_path, fold=fold) for fold in range(FOLDS)]
        assert sorted(one.claim for own in folds for one in own) == sorted(one.claim for one in rows)
        assert all(fold_of(one.source) == fold for fold, own in enumerate(folds) for one in own)
        assert all(folds)


@pytest.fixture
def manual(tmp_path):
    """Six paragraphs in English and German, the last of which is not translated; French lacks one."""
    english = [f"Click the button number {i} of the window." for i in range(5)] + [
        "This one stays as it is here."
    ]
    german = [f"Klicken Sie den Knopf Nummer {i} des Fensters an." for i in range(5)] + english[5:]
    for name, texts in (("C", english), ("de", german), ("fr", english[1:])):
        folder = tmp_path / "help" / name / "a-manual"
        folder.mkdir(parents=True)
        body = "".join(f"<p>{text[:5]}<em>{text[5:]}</em></p>" for text in texts)
        page = f'<page xmlns="http://projectmallard.org/1.0/" type="topic">{body}</page>'
        (folder / "one.page").write_text(page, encoding="utf-8")
    return tmp_path / "help"


class TestTranslations:
    def test_manuals(self, manual):
        """Paragraphs are matched by their place; what is not translated is left out, and a page with others."""
        (page,) = manuals(manual)
        assert list(page) == [ENGLISH, "de"]
        assert page["de"][1] == "Klicken Sie den Knopf Nummer 1 des Fensters an."
        assert page["de"][5] == ""

    def test_pairs(self, manual):
        """A translated claim has its paragraph in the document, an absent one has not, and a changed one differs in English."""
        pages = manuals(manual)
        stream = beside(pages, SOURCE(0))
        found = [next(stream) for _ in range(200)]
        assert {"translated", "absent"} < {one.kind for one in found}

        def numbers(text):
            return {word for word in text.replace(".", " ").split() if word.isdigit()}

        for one in found:
            inside = numbers(one.hypothesis) <= numbers(one.premise)
            assert inside if one.kind == "translated" else not inside if one.kind == "absent" else True
        assert any("Klicken" in one.premise and "Click" in one.hypothesis for one in found)
        assert any("Click" in one.premise and "Klicken" in one.hypothesis for one in found)

    def test_no_manual(self, tmp_path):
        """Its absence is said, and how to get it."""
        with pytest.raises(InputError, match="gnome-user-docs"):
            manuals(tmp_path)

    def test_nothing_translated(self):
        """Without translations there are no pairs, and no endless search for them."""
        assert list(beside([{ENGLISH: ["A paragraph."] * 5}], SOURCE(0))) == []


class TestMixture:
    def test_new_kinds(self, manual):
        """Each kind has its number of pairs, with shares that sum to 1; about half are borne out."""
        documents = [DOCUMENT, [text.replace("12", "19").replace("Bern", "Rome") for text in DOCUMENT]]
        sources = Sources(
            {},
            documents=documents,
            languages=documents,
            labelled=[Labelled("a", (" ".join(DOCUMENT),), DOCUMENT[0], (0.93, 0.06, 0.01))] * 9,
            manuals=manuals(manual),
        )
        counts = {"amounts": 40, "quotations": 20, "languages": 30, "labelled": 9, "translated": 30}
        found = mixture(sources, seed=0, counts=counts)
        assert len(found) == sum(counts.values())
        assert found == mixture(sources, seed=0, counts=counts)
        assert all(sum(pair.taught) == pytest.approx(1) and pair.label == UNLABELLED for pair in found)
        assert 0.35 < sum(pair.taught[0] > 0.5 for pair in found) / len(found) < 0.7


def _unpacked(folder):
    """An encoder as it is unpacked: BERT's tensors without a head, and a tokenizer of pieces."""
    import torch
    import transformers
    from safetensors.torch import load_file, save_file

    model = make(folder / "bert")
    words = [word for text in TEXTS[:1] for word in text.split()]
    pieces = ["<s>", "<pad>", "</s>", "<unk>", ".", "▁", *(f"▁{word}" for word in dict.fromkeys(words))]
    tensors = {
        name.removeprefix("bert."): one
        for name, one in load_file(model / "model.safetensors").items()
        if name.startswith("bert.") and ".pooler." not in name
    }
    torch.manual_seed(0)
    tensors["embeddings.word_embeddings.weight"] = torch.randn(len(pieces), 32)
    out = folder / "encoder"
    out.mkdir()
    save_file(tensors, out / "model.safetensors", {"format": "pt"})
    config = transformers.AutoConfig.from_pretrained(model).to_dict()
    dropped = ("id2label", "label2id", "architectures")
    config = {key: one for key, one in config.items() if key not in dropped}
    (out / "config.json").write_text(json.dumps(config | {"vocab_size": len(pieces), "pad_token_id": 1}))
    added = [
        {"id": i, "content": pieces[i], "special": True}
        | dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False)
        for i in range(4)
    ]
    metaspace = {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True}
    tokenizer = {
        "version": "1.0",
        "added_tokens": added,
        "normalizer": {"type": "Replace", "pattern": {"Regex": "\\s+"}, "content": " "},
        "pre_tokenizer": metaspace,
        "decoder": metaspace,
        "model": {
            "type": "Unigram",
            "unk_id": 3,
            "vocab": [[piece, -float(i)] for i, piece in enumerate(pieces)],
        },
    }
    (out / "tokenizer.json").write_text(json.dumps(tokenizer))
    return out


class TestEncoder:
    def test_line_ends(self, tmp_path):
        """A line end is a piece of its own, whatever blanks are around it; all others stay, and their vectors."""
        needs_local()
        import transformers
        from safetensors.torch import load_file

        unpacked = _unpacked(tmp_path)
        base = encoder(unpacked, tmp_path / "base")
        reader = transformers.AutoTokenizer.from_pretrained(str(base))
        expected = ["▁the", "▁cat", LINE_END, "▁sat", "▁on"]
        ids = reader("the cat \r\n\n sat on")["input_ids"]
        assert reader.convert_ids_to_tokens(ids) == expected
        name = "embeddings.word_embeddings.weight"
        before, after = (load_file(one / "model.safetensors")[name] for one in (unpacked, base))
        assert (after[:-1] == before).all()
        assert len(after) == len(before) + 1 == len(reader)

    def test_once(self, tmp_path):
        """An encoder that has been made stays; one that knows line ends is not given another piece."""
        needs_local()
        base = encoder(_unpacked(tmp_path), tmp_path / "base")
        assert encoder(tmp_path / "nowhere", base) == base
        with pytest.raises(InputError, match="line ends"):
            encoder(base, tmp_path / "again")


class TestStages:
    @pytest.fixture
    def stages(self, monkeypatch):
        """Two short ones, whose pairs tell words apart; nobody watches."""
        pairs = [
            Pair(f"the {a} sat", f"a {b}", LABELS.index("entailment"))
            for a in ("cat", "dog")
            for b in ("mat",)
        ]
        pairs += [Pair("he was born", "she was not", 2), Pair("the river", "a bank", 1)] * 3
        recipe = Recipe(batch=2, rate=1e-3, frozen=1, longest=24)
        two = {
            "one": Stage(recipe, lambda _by: [pairs]),
            "two": Stage(replace(recipe, rate=1e-4), lambda by: [pairs[: 4 + by.seed]], after="one"),
        }
        monkeypatch.setattr(mini, "STAGES", two)
        monkeypatch.setattr(mini, "data_dir", lambda name: name)
        monkeypatch.setattr(mini, "Watch", lambda *_given, **_named: None)

    def test_in_order(self, tmp_path, stages, capsys):
        """Each stage begins with the weights of the one before; a second call finds all done; words and frozen layers stay."""
        needs_local()
        from safetensors.torch import load_file

        out = tmp_path / "out"
        assert mini.main([str(out), "--encoder", str(_unpacked(tmp_path))]) == 0
        one, two = (load_file(out / name / "model.safetensors") for name in ("one", "two"))
        changed = {name for name in one if not (one[name] == two[name]).all()}
        assert changed
        assert all(".layer.1." in name or "pooler" in name or "classifier" in name for name in changed)
        capsys.readouterr()
        assert mini.main([str(out)]) == 0
        assert "pairs" not in capsys.readouterr().err

    def test_what_comes_with_the_recipe(self, tmp_path, stages, monkeypatch, capsys):
        """Is the first stage's outcome, on top of the encoder, and only of this encoder."""
        needs_local()
        from safetensors.torch import load_file, save_file

        out, begun, again = (tmp_path / name for name in ("out", "begun", "again"))
        unpacked = str(_unpacked(tmp_path))
        assert mini.main([str(out), "--encoder", unpacked, "--stage", "one"]) == 0
        base, one = (load_file(out / name / "model.safetensors") for name in ("base", "one"))
        learnt = {
            name: tensor
            for name, tensor in one.items()
            if (own := base.get(name.removeprefix("bert."))) is None or not (own == tensor).all()
        }
        begun.mkdir()
        save_file(in_groups(learnt), begun / "pairs.safetensors")
        shutil.copyfile(out / "one" / "training.json", begun / "training.json")
        config = json.loads((out / "one" / "config.json").read_text(encoding="utf-8"))
        (begun / "config.json").write_text(
            json.dumps(config | {"encoder": weights_digest(out / "base")}), encoding="utf-8"
        )
        monkeypatch.setattr(mini, "BEGUN", begun)
        capsys.readouterr()
        assert mini.main([str(again), "--encoder", unpacked, "--stage", "one"]) == 0
        told = capsys.readouterr().err
        assert "as it comes with the recipe" in told
        assert "pairs" not in told
        found = load_file(again / "one" / "model.safetensors")
        assert found.keys() == one.keys()
        assert all((found[name] - one[name]).abs().max() < 0.01 for name in one)
        (begun / "config.json").write_text(json.dumps(config | {"encoder": "another"}), encoding="utf-8")
        assert mini.main([str(tmp_path / "other"), "--encoder", unpacked, "--stage", "one"]) == 0
        assert "pairs" in capsys.readouterr().err
