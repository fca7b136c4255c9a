"""Weights in 8 bits: near the exact ones, read as any others, and refused when damaged."""

import json
import re
import shutil

import pytest
from benchmarks.entailment.making.groups import in_groups, with_stored_form
from tests.unit.backends.models import TEXTS, edit_config, make, needs_local

from guardrail.backends.embedding import Embedder
from guardrail.backends.entailment import EntailmentModel
from guardrail.backends.stored import is_in_groups, read_groups
from guardrail.backends.weights import weights_digest
from guardrail.errors import ConfigError
from guardrail.requests import Embed, Entail

needs_local()

PAIRS = [Entail(premise, hypothesis) for premise, hypothesis in zip(TEXTS[:8], TEXTS[20:28], strict=True)]


def stored(folder):
    """The same model in this form, in its place."""
    from safetensors.torch import load_file, save_file

    weights = folder / "model.safetensors"
    save_file(in_groups(load_file(weights)), weights, metadata={"format": "pt"})
    edit_config(folder, **with_stored_form({}))
    return folder


@pytest.fixture(scope="module")
def small(folders, tmp_path_factory):
    return stored(shutil.copytree(folders(), tmp_path_factory.mktemp("stored") / "model"))


@pytest.fixture
def spoilt(small, tmp_path):
    """A copy whose tensors a test may change before it is read."""
    from safetensors.torch import load_file, save_file

    copy = shutil.copytree(small, tmp_path / "model")
    weights = copy / "model.safetensors"

    def spoil(change):
        tensors = load_file(weights)
        change(tensors)
        save_file(tensors, weights, metadata={"format": "pt"})
        return copy

    return spoil


def said(model, pairs=PAIRS):
    """Probabilities, pairs x 3."""
    values = [reply.value for reply in model.answer(pairs)]
    return [(one.entailment, one.neutral, one.contradiction) for one in values]


def gap(some, others):
    """The largest difference."""
    return max(
        abs(a - b) for one, other in zip(some, others, strict=True) for a, b in zip(one, other, strict=True)
    )


class TestGroups:
    @pytest.mark.parametrize(("columns", "groups"), [(30, 1), (64, 1), (192, 3)])
    def test_within_half_a_step(self, columns, groups):
        """No element is farther away than half of 1/127 of its group's largest; a row of zeros stays one."""
        import torch

        torch.manual_seed(0)
        exact = torch.randn(40, columns) * torch.logspace(-6, 3, 40)[:, None]
        exact[:, 5] *= 50  # a column of large weights
        exact[7] = 0
        found = in_groups({"w": exact})
        assert {name: (str(one.dtype), tuple(one.shape)) for name, one in found.items()} == {
            "w.whole": ("torch.int8", (40, columns)),
            "w.scale": ("torch.float32", (40, groups)),
        }
        step = exact.reshape(40, groups, -1).abs().amax(dim=2) / 127
        scale, step = (one.repeat_interleave(columns // groups, dim=1) for one in (found["w.scale"], step))
        product = found["w.whole"] * scale
        assert bool(((product - exact).abs() <= step * 0.5001).all())
        assert bool((product - exact).abs().max() > 0)
        assert int(found["w.whole"].abs().max()) == 127

    def test_by_hand(self):
        """1.27 is the largest, so the step is 0.01: what lies between two steps goes to the nearer one."""
        import torch

        row = torch.tensor([1.27, -1.27, 0.104, -0.106] + [0.0] * 13)
        found = in_groups({"w": row.repeat(17, 1)})
        assert found["w.whole"][3, :5].tolist() == [127, -127, 10, -11, 0]
        assert found["w.scale"].flatten().tolist() == pytest.approx([0.01] * 17)
        wide = in_groups({"w": torch.cat([torch.full((17, 64), 2.54), torch.full((17, 64), 0.127)], dim=1)})
        assert wide["w.scale"].tolist() == [pytest.approx([0.02, 0.001])] * 17
        assert wide["w.whole"].unique().tolist() == [127]

    def test_read_back(self, tmp_path):
        """Each group by its own scale. Oracle: weights that are whole numbers of steps come back as they were."""
        import torch
        from safetensors.torch import save_file

        steps = torch.arange(1, 52)[:, None].repeat_interleave(64, dim=1).reshape(17, 192) / 128
        exact = torch.randint(-127, 128, (17, 192)) * steps
        exact[:, ::64] = 127 * steps[:, ::64]
        save_file(in_groups({"w": exact}), tmp_path / "w.safetensors")
        assert torch.allclose(read_groups([tmp_path / "w.safetensors"])["w"], exact, rtol=1e-6, atol=0)

    def test_four_bits(self, tmp_path):
        """A table that was in 4 bits comes back as it was, group by group, in an eighth of the size and scales."""
        import torch
        from safetensors.torch import save_file

        scales = torch.arange(1, 41).reshape(20, 2).half().float() / 64
        numbers = torch.randint(-8, 8, (20, 2, 32))
        numbers[:, :, 5] = -8  # the largest of a group is the scale's
        table = (numbers * scales[:, :, None]).reshape(20, 64)
        table[3, :32] = 0
        found = in_groups({"w": table, "v": table}, coarse={"w"})
        assert {name: (one.dtype, tuple(one.shape)) for name, one in found.items() if name[0] == "w"} == {
            "w.half": (torch.uint8, (20, 32)),
            "w.scale": (torch.float16, (20, 2)),
        }
        assert found["v.whole"].shape == (20, 64)
        save_file(found, tmp_path / "w.safetensors")
        assert torch.equal(read_groups([tmp_path / "w.safetensors"])["w"], table)

    def test_narrow_and_flat_stay(self):
        """Vectors, a head of three outputs and whole numbers are stored as they are."""
        import torch

        tensors = {"b": torch.randn(40), "head": torch.randn(3, 40), "places": torch.arange(40)[None]}
        found = in_groups(tensors)
        assert sorted(found) == sorted(tensors)
        assert all(torch.equal(found[name], tensors[name]) for name in tensors)

    def test_coarse_vectors_become_fp32(self):
        """bfloat16 is a float as well."""
        import torch

        assert in_groups({"b": torch.ones(4, dtype=torch.bfloat16)})["b"].dtype == torch.float32

    @pytest.mark.parametrize("bad", [float("nan"), float("inf")])
    def test_refuses_no_numbers(self, bad):
        """They would make a group of zeros, or of nothing."""
        import torch

        weight = torch.ones(20, 20)
        weight[3, 4] = bad
        with pytest.raises(ConfigError, match=r"finite weights.*'w'"):
            in_groups({"w": weight})

    def test_again_is_the_same(self, small):
        """What has been rounded once is not rounded farther."""
        import torch
        from safetensors.torch import load_file

        once = read_groups([small / "model.safetensors"])
        found = in_groups(once)
        first = load_file(small / "model.safetensors")
        assert all(torch.equal(found[name], first[name]) for name in first if name.endswith(".whole"))


class TestReading:
    @pytest.mark.parametrize("precision", ["fp32", "bf16", "int8"])
    def test_says_nearly_the_same(self, folders, small, precision):
        """As the exact weights in fp32 do. Bound: weights of the tiny model are off by 0.4 % of a row's largest."""
        exact = said(EntailmentModel(folders(), device="cpu"))
        model = EntailmentModel(small, device="cpu", precision=precision)
        found = said(model)
        assert model.precision == precision
        assert 0 < gap(found, exact) < 0.1

    def test_is_the_model_of_the_products(self, folders, small, tmp_path):
        """Oracle: transformers, given the products as plain weights."""
        from safetensors.torch import save_file

        plain = shutil.copytree(folders(), tmp_path / "plain")
        save_file(
            read_groups([small / "model.safetensors"]), plain / "model.safetensors", metadata={"format": "pt"}
        )
        expected = said(EntailmentModel(plain, device="cpu"))
        assert gap(said(EntailmentModel(small, device="cpu")), expected) < 1e-6

    @pytest.mark.parametrize("family", ["bert", "roberta", "deberta"])
    def test_families(self, tmp_path, family):
        """Other architectures are read as well."""
        folder = make(tmp_path, family=family)
        exact = said(EntailmentModel(folder, device="cpu"))
        assert 0 < gap(said(EntailmentModel(stored(folder), device="cpu")), exact) < 0.2

    def test_encoder(self, folders, small):
        """Without its head, as an encoder."""
        exact, found = (
            [
                reply.value
                for reply in Embedder(folder, device="cpu").answer([Embed(text) for text in TEXTS[:4]])
            ]
            for folder in (folders(), small)
        )
        cosines = [
            sum(a * b for a, b in zip(one, other, strict=True))
            for one, other in zip(exact, found, strict=True)
        ]
        assert all(0.99 < cosine < 1.001 for cosine in cosines)
        assert exact != found

    def test_coarse_configuration(self, small, tmp_path):
        """A configuration that says bfloat16 makes no weight coarser than it is stored."""
        copy = shutil.copytree(small, tmp_path / "model")
        edit_config(copy, dtype="bfloat16", torch_dtype="bfloat16")
        assert said(EntailmentModel(copy, device="cpu")) == said(EntailmentModel(small, device="cpu"))

    def test_parts(self, small, tmp_path):
        """Weights in two files, with the scales in the other one."""
        from safetensors.torch import load_file, save_file

        copy = shutil.copytree(small, tmp_path / "model")
        tensors = load_file(copy / "model.safetensors")
        (copy / "model.safetensors").unlink()
        names = {name: f"model-{2 if name.endswith('.scale') else 1}.safetensors" for name in tensors}
        for part in sorted(set(names.values())):
            save_file({name: one for name, one in tensors.items() if names[name] == part}, copy / part)
        index = json.dumps({"weight_map": names})
        (copy / "model.safetensors.index.json").write_text(index, encoding="utf-8")
        assert said(EntailmentModel(copy, device="cpu")) == said(EntailmentModel(small, device="cpu"))

    def test_fingerprint(self, folders, small, tmp_path):
        """The same in another place; not that of the exact weights."""
        own = EntailmentModel(small, device="cpu").fingerprint
        assert own == EntailmentModel(shutil.copytree(small, tmp_path / "x"), device="cpu").fingerprint
        assert weights_digest(small) != weights_digest(folders())


class TestDamage:
    def refused(self, folder, match):
        with pytest.raises(ConfigError, match=match):
            EntailmentModel(folder, device="cpu").load()

    def test_no_scale(self, spoilt):
        """Whole numbers without scales are no weights."""
        folder = spoilt(lambda one: one.pop("bert.pooler.dense.weight.scale"))
        self.refused(folder, r"scales of 'bert\.pooler\.dense\.weight' .*found none")

    @pytest.mark.parametrize(
        ("change", "got"),
        [
            (lambda one: one[:-1], "[31, 1]"),
            (lambda one: one.repeat(1, 3), "[32, 3]"),
            (lambda one: one[:, :0], "[32, 0]"),
            (lambda one: one[:, 0], "[32]"),
            (lambda one: one.int(), "torch.int32 of shape [32, 1]"),
        ],
    )
    def test_scale_of_another_shape(self, spoilt, change, got):
        """One per row and group, of groups that are equal."""
        name = "bert.pooler.dense.weight.scale"
        folder = spoilt(lambda one: one.update({name: change(one[name]).contiguous()}))
        told = r"expected scales of float32 for 32 rows as 'bert\.pooler\.dense\.weight\.scale'.*divide 32 columns"
        self.refused(folder, rf"{told}.*{re.escape(got)}")

    @pytest.mark.parametrize("bad", [float("nan"), float("inf"), 3e38])
    def test_scale_is_no_number(self, spoilt, bad):
        """It would make a group of no numbers, or of numbers too large for any, found at the first answer only."""
        folder = spoilt(lambda one: one["bert.pooler.dense.weight.scale"].fill_(bad))
        self.refused(folder, r"NaN or infinity in 'bert\.pooler\.dense\.weight\.scale'")

    def test_vector_is_no_number(self, spoilt):
        """The same of what stands as it is."""
        folder = spoilt(lambda one: one["classifier.bias"].fill_(float("nan")))
        self.refused(folder, r"NaN or infinity in 'classifier\.bias'")

    def test_numbers_of_another_kind(self, spoilt):
        """Whole numbers of 8 bits, in a matrix."""
        name = "bert.pooler.dense.weight.whole"
        self.refused(spoilt(lambda one: one.update({name: one[name].int()})), "matrix of int8 as .*int32")
        self.refused(
            spoilt(lambda one: one.update({name: one[name].char()[0].clone()})), r"matrix of int8 .*\[32\]"
        )

    def test_absent(self, spoilt):
        """A matrix that is not there at all is not made up."""

        def change(one):
            del one["bert.pooler.dense.weight.whole"], one["bert.pooler.dense.weight.scale"]

        self.refused(spoilt(change), r"got none for \['bert\.pooler\.dense\.weight'\]")

    def test_matrix_of_another_shape(self, spoilt):
        """Fewer words than the configuration says."""

        def change(one):
            for part in ("whole", "scale"):
                name = f"bert.embeddings.word_embeddings.weight.{part}"
                one[name] = one[name][:-1].clone()

        self.refused(spoilt(change), r"got none for .*'bert\.embeddings\.word_embeddings\.weight'")

    def test_cut_short(self, small, tmp_path):
        """Half a copy."""
        copy = shutil.copytree(small, tmp_path / "model")
        whole = (copy / "model.safetensors").read_bytes()
        for length in (0, 7, 500, len(whole) - 1):
            (copy / "model.safetensors").write_bytes(whole[:length])
            self.refused(copy, "expected a safetensors file, got .* from")

    def test_plain_weights_cut_short(self, folder):
        """The same of weights of the usual form."""
        weights = folder / "model.safetensors"
        weights.write_bytes(weights.read_bytes()[:500])
        self.refused(folder, "transformers knows in .*SafetensorError")

    def test_pickle(self, small, tmp_path):
        """Under the name of the weights: not opened as one."""
        import pickle

        class Trap:
            def __reduce__(self):
                return (SystemExit, ("it ran",))

        copy = shutil.copytree(small, tmp_path / "model")
        (copy / "model.safetensors").write_bytes(pickle.dumps(Trap()))
        self.refused(copy, "expected a safetensors file")

    def test_mark_is_lost(self, small, tmp_path):
        """Whole numbers are not taken for weights where the configuration does not say what they are."""
        copy = shutil.copytree(small, tmp_path / "model")
        edit_config(copy, guardrail=None)
        self.refused(copy, "got none for")

    @pytest.mark.parametrize("own", [{"weights": "int8-rows"}, {}, "int8-groups", ["int8-groups"]])
    def test_unknown_form(self, small, tmp_path, own):
        """A later version's, say."""
        copy = shutil.copytree(small, tmp_path / "model")
        edit_config(copy, guardrail=own)
        self.refused(copy, "expected {'weights': 'int8-groups'} as 'guardrail'")


class TestMark:
    def test_marked(self):
        """All else stays, and the original is not changed."""
        config = {"model_type": "bert"}
        assert with_stored_form(config) == {"model_type": "bert", "guardrail": {"weights": "int8-groups"}}
        assert config == {"model_type": "bert"}
        assert (is_in_groups(config), is_in_groups(with_stored_form(config))) == (False, True)
