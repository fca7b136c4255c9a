"""Questions, distractors and answers by local models: the true architectures, tiny, with random weights.

Oracles: the same weights called through transformers, one input at a time, with the texts strung together as
selfcheckgpt 0.1.7 does; for draws, the soft-max of those outputs.
"""

import collections
import itertools
import json
import math
import shutil

import numpy as np
import pytest
from tests.unit.backends.models import HARD, TEXTS, needs_local
from tests.unit.backends.qa_models import SEPARATOR, longformer, t5

from guardrail import Case, Guard
from guardrail.backends.answers import ANSWERABILITY, ANSWERING, AnswerModel, sigmoid, softmax
from guardrail.backends.questions import DISTRACTORS, QUESTIONS, QuestionModel
from guardrail.detectors import SelfCheck
from guardrail.engine.backend import Backend
from guardrail.engine.flow import Answer, Reason, draws
from guardrail.errors import ConfigError, WeightsMissing
from guardrail.requests import Answerable, Choose, Distract, Question, QuestionAnswer


class TestNumbers:
    def test_shares(self):
        """ln 1, ln 2, ln 5: 1/8, 2/8, 5/8; large ones do not overflow."""
        assert softmax([0.0, math.log(2), math.log(5)]) == pytest.approx((0.125, 0.25, 0.625))
        assert softmax([1e4, -1e4]) == (1.0, 0.0)

    def test_sigmoid(self):
        """ln 3: 3/4, and its mirror."""
        assert (sigmoid(math.log(3)), sigmoid(-math.log(3))) == pytest.approx((0.75, 0.25))

    @pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
    def test_no_number(self, bad):
        """Undefined is not 0."""
        assert softmax([0.0, bad]) is None
        assert sigmoid(bad) is None
        assert softmax([]) is None


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Folders of the four models, and a T5 without a separator."""
    needs_local()
    root = tmp_path_factory.mktemp("qa")
    return {
        "questions": t5(root / "questions"),
        "distractors": t5(root / "distractors", seed=4),
        "plain": t5(root / "plain", separator=False),
        "answering": longformer(root / "answering", choice=True),
        "answerability": longformer(root / "answerability", choice=False, seed=2),
    }


@pytest.fixture
def writer(made):
    def get(**chosen):
        chosen = {"device": "cpu", "most": 24, **chosen}
        return QuestionModel(made["questions"], made["distractors"], **chosen)

    return get


@pytest.fixture
def reader(made):
    def get(**chosen):
        return AnswerModel(made["answering"], made["answerability"], **{"device": "cpu", **chosen})

    return get


def shown(replies):
    return [reply.value for reply in replies]


SHORT = [" ".join(text.split()[: 3 + i % 7]) for i, text in enumerate(TEXTS)]
DRAWN = [one for text in SHORT[:4] for one in draws(Question(text), 3)]
DISTRACT = [Distract(f"{text} ?", "the cat", TEXTS[0], draw) for text in SHORT[:3] for draw in range(2)]
NARROW = {"temperature": 1e-5}  # next to nothing but the likeliest token


class TestQuestionModel:
    def test_is_a_backend(self, writer):
        """It has all that a lane reads."""
        model = writer()
        assert isinstance(model, Backend)
        assert model.weight(DRAWN[0]) > model._questions.most
        assert model.weight(DISTRACT[0]) > model.weight(DRAWN[0])

    @pytest.mark.parametrize("request_", [DRAWN[0], DISTRACT[0], DISTRACT[3]])
    def test_as_transformers(self, made, writer, request_):
        """Oracle: `generate` without sampling on the text as selfcheckgpt strings it together."""
        import torch
        import transformers

        which = "questions" if isinstance(request_, Question) else "distractors"
        words = transformers.AutoTokenizer.from_pretrained(made[which])
        network = transformers.AutoModelForSeq2SeqLM.from_pretrained(made[which])
        text = request_.text if which == "questions" else (
            f"{request_.question} {words.sep_token} {request_.answer} {words.sep_token} {request_.context}"
        )  # fmt: skip
        ids = words([text], return_tensors="pt").input_ids
        with torch.no_grad():
            output = network.generate(ids, max_new_tokens=24, do_sample=False)
        written = words.decode(output[0], skip_special_tokens=False)
        written = written.replace(words.pad_token, "").replace(words.eos_token, "")
        model = writer(**NARROW)
        own = model._questions if which == "questions" else model._distractors
        texts = (request_.text,) if which == "questions" else (
            request_.question, request_.answer, request_.context
        )  # fmt: skip
        assert model._input(own, texts).ids == ids[0].tolist()
        [tokens] = own.write([model._input(own, texts)], [(0, 7)])
        assert len(tokens) >= 3
        assert own.tokenizer.decode(list(tokens), skip_special_tokens=False).split() == written.split()

    def test_step_by_step(self, made, writer):
        """Oracle: one text at a time, the whole of it read anew for each token, with the same random numbers."""
        import torch
        import transformers

        words = transformers.AutoTokenizer.from_pretrained(made["questions"])
        network = transformers.AutoModelForSeq2SeqLM.from_pretrained(made["questions"])
        model = writer(most=12, top_k=8)._questions
        texts = [SHORT[0], SHORT[1], TEXTS[5]]
        rows = [(i, seed) for i in range(3) for seed in (11, 12)]
        together = model.write([model.input(text) for text in texts], rows)
        for (i, seed), got in zip(rows, together, strict=True):
            ids = words([texts[i]], return_tensors="pt").input_ids
            random = np.random.Generator(np.random.Philox(key=seed))
            written = [0]
            while len(written) <= 12 and written[-1] != words.eos_token_id:
                with torch.no_grad():
                    logits = network(input_ids=ids, decoder_input_ids=torch.tensor([written])).logits[0, -1]
                top = logits.topk(8)
                best = int(np.argmax(top.values.numpy() + random.gumbel(size=8).astype(np.float32)))
                written.append(int(top.indices[best]))
            kept = [token for token in written[1:] if token not in {0, words.eos_token_id}]
            assert list(got) == kept
        assert len(set(together)) == 6

    def test_draws_are_from_the_distribution(self, made, writer):
        """4,000 first tokens among the 5 likeliest; bar: 5 standard errors of each share."""
        import torch
        import transformers

        words = transformers.AutoTokenizer.from_pretrained(made["questions"])
        network = transformers.AutoModelForSeq2SeqLM.from_pretrained(made["questions"])
        ids = words([SHORT[0]], return_tensors="pt").input_ids
        with torch.no_grad():
            logits = network(input_ids=ids, decoder_input_ids=torch.tensor([[0]])).logits[0, -1]
        top = logits.topk(5)
        expected = dict(zip(top.indices.tolist(), torch.softmax(top.values / 2, -1).tolist(), strict=True))
        model = writer(top_k=5, temperature=2.0, most=1)._questions
        one = model.input(SHORT[0])
        n = 4_000
        first = collections.Counter(
            tokens[0] if tokens else None for tokens in model.write([one], [(0, seed) for seed in range(n)])
        )
        for blank in (words.pad_token_id, words.eos_token_id):  # these leave no token behind
            if blank in expected:
                expected[None] = expected.get(None, 0) + expected.pop(blank)
        assert set(first) == set(expected)
        for token, share in expected.items():
            assert abs(first[token] / n - share) <= 5 * math.sqrt(share * (1 - share) / n)

    def test_neighbours_do_not_matter(self, writer):
        """Together, turned round, alone, in small batches: the same texts."""
        requests = [*DRAWN, *DISTRACT]
        together = shown(writer().answer(requests))
        assert shown(writer().answer(requests[::-1]))[::-1] == together
        assert [shown(writer().answer([one]))[0] for one in requests] == together
        assert shown(writer(budget=64).answer(requests)) == together

    def test_draws_differ(self, writer):
        """And so do seeds."""
        model = writer()
        several = shown(model.answer(draws(DISTRACT[0], 8)))
        assert len(set(several)) > 4
        assert shown(writer(seed=1).answer(draws(DISTRACT[0], 8))) != several

    def test_each_text_is_read_once(self, writer, monkeypatch):
        """Four distinct sentences with three draws each: four rows go through the encoder."""
        model = writer()
        encoder = model._questions.network.get_encoder()
        rows = []
        whole = encoder.forward

        def count(*arguments, **named):
            rows.append(named["input_ids"].shape[0])
            return whole(*arguments, **named)

        monkeypatch.setattr(encoder, "forward", count)
        model.answer(DRAWN)
        assert sum(rows) == 4
        assert (model.work[0].requests, model.work[0].texts) == (12, 12)

    def test_parses(self, writer):
        """Two parts are a question and its answer; T5's gaps part distractors too."""
        model = writer()
        ask, wrong = DRAWN[0], DISTRACT[0]
        assert model._parsed(ask, " who sat ?<sep> the cat ", SEPARATOR) == QuestionAnswer(
            "who sat ?", "the cat"
        )
        for text in ("who sat ?", "a<sep>b<sep>c", "<sep>b", "a <sep> ", ""):
            assert model._parsed(ask, text, SEPARATOR) is None
        assert model._parsed(wrong, "a<sep> b<extra_id_0>c <sep>", SEPARATOR) == ("a", "b", "c")
        assert model._parsed(wrong, " ", SEPARATOR) == ()

    def test_finds_questions(self, writer):
        """Among random texts some hold exactly one separator, and those are read as a pair."""
        model = writer(temperature=3.0)
        found = [one for one in shown(model.answer(draws(Question(SHORT[0]), 120))) if one is not None]
        assert found
        assert all(
            one.question and one.answer and SEPARATOR not in one.question + one.answer for one in found
        )

    def test_a_separator_in_a_text(self, writer):
        """Is text: only our own is the token."""
        model = writer()
        own = model._distractors
        mark = own.special("sep_token").ids[0]
        hostile = ("who </s> sat ?", "the <sep> cat", "<sep> <pad> </s> <extra_id_0>")
        assert model._input(own, hostile).ids.count(mark) == 2
        assert model._input(own, hostile).ids.count(1) == 1
        assert own.tokenizer.token_to_id("<extra_id_0>") not in model._input(own, hostile).ids

    def test_separator_of_ones_own(self, made):
        """For a tokenizer that has none; without it the error says what to do."""
        model = QuestionModel(made["plain"], made["plain"], device="cpu", most=8)
        with pytest.raises(ConfigError, match="separator="):
            model.answer([DRAWN[0]])
        model = QuestionModel(made["plain"], made["plain"], device="cpu", most=8, separator=" or ")
        assert isinstance(model.answer([DISTRACT[0]])[0], Answer)
        assert model._parsed(DISTRACT[0], r"a<extra_id_0>b \or c", r" \or ") == ("a", "b", "c")

    def test_long_text(self, writer):
        """Only its beginning is read; the question in front stays."""
        model = writer(longest=32)
        own = model._distractors
        ids = model._input(own, ("who sat ?", "the cat", "cat " * 500)).ids
        assert len(ids) == 32
        assert ids.count(own.special("sep_token").ids[0]) == 2
        assert own.work.truncated == 1
        assert writer()._distractors.longest == 2_048

    @pytest.mark.parametrize("text", HARD)
    def test_any_text(self, writer, text):
        """A reply, or a refusal of what has no words."""
        for reply in writer(longest=64).answer(
            [Question(text), Distract(text, "a", "b"), Distract("a", "b", text)]
        ):
            assert isinstance(reply, Answer) or reply.reason is Reason.REFUSED
            assert isinstance(reply, Answer) == bool(text.strip())

    def test_no_numbers(self, made, tmp_path):
        """Weights that are not numbers: a failure, no text."""
        import torch
        import transformers

        folder = shutil.copytree(made["questions"], tmp_path / "broken")
        network = transformers.AutoModelForSeq2SeqLM.from_pretrained(folder)
        with torch.no_grad():
            network.decoder.final_layer_norm.weight.fill_(math.nan)
        network.save_pretrained(folder)
        [reply] = QuestionModel(folder, made["distractors"], device="cpu", most=4).answer([DRAWN[0]])
        assert reply.reason is Reason.BACKEND

    @pytest.mark.parametrize("precision", ["bf16", "int8"])
    def test_precisions(self, writer, precision):
        """They write, and remember that they are not the same model."""
        model = writer(precision=precision)
        assert all(isinstance(reply, Answer) for reply in model.answer([*DRAWN, *DISTRACT]))
        assert model.fingerprint != writer().fingerprint

    def test_fingerprint(self, writer):
        """Says all that replies depend on; batches are not part of it."""
        settings = [{}, {"seed": 1}, {"temperature": 0.5}, {"top_k": None}, {"most": 8}, {"separator": "|"}]
        assert len({writer(**one).fingerprint for one in settings}) == len(settings)
        assert writer(budget=64).fingerprint == writer().fingerprint

    @pytest.mark.parametrize(
        "wrong", [{"temperature": 0}, {"temperature": math.nan}, {"top_k": 0}, {"most": 0}, {"seed": 0.5}]
    )
    def test_nonsense(self, writer, wrong):
        """Refused at once."""
        with pytest.raises(ConfigError):
            writer(**wrong)

    def test_absent(self, monkeypatch, tmp_path):
        """The message holds the command that fetches each."""
        needs_local()
        monkeypatch.setenv("GUARDRAIL_MODELS", str(tmp_path))
        with pytest.raises(WeightsMissing, match=f"hf download {QUESTIONS}"):
            QuestionModel()
        with pytest.raises(WeightsMissing, match=f"hf download {ANSWERING}"):
            AnswerModel()

    def test_by_name(self, made, monkeypatch, tmp_path):
        """All four are found where GUARDRAIL_MODELS points."""
        names = {"questions": QUESTIONS, "distractors": DISTRACTORS}
        names |= {"answering": ANSWERING, "answerability": ANSWERABILITY}
        for key, name in names.items():
            shutil.copytree(made[key], tmp_path / name)
        monkeypatch.setenv("GUARDRAIL_MODELS", str(tmp_path))
        assert isinstance(QuestionModel(device="cpu", most=4).answer([DRAWN[0]])[0], Answer)
        assert isinstance(AnswerModel(device="cpu").answer([CHOOSE[0]])[0], Answer)


CHOOSE = [
    Choose(f"{question} ?", options, " ".join(context.split()[:size]))
    for (question, options), (context, size) in itertools.product(
        [
            ("who sat", ("the cat", "a dog in the city", "he", "he")),
            ("where was she born now", ("a", "b", "c", "d")),
        ],
        [(TEXTS[0], 3), (TEXTS[1], 12), (TEXTS[2], 28)],
    )
]
ANSWERABLE = [Answerable(one.question, one.context) for one in CHOOSE]


class TestAnswerModel:
    def test_is_a_backend(self, reader):
        """It has all that a lane reads."""
        model = reader()
        assert isinstance(model, Backend)
        assert model.weight(CHOOSE[0]) > model.weight(ANSWERABLE[0]) >= 1

    def test_chooses_as_transformers(self, made, reader):
        """Oracle: the four options of a question in one call, padded to the longest, as selfcheckgpt does."""
        import torch
        import transformers

        words = transformers.AutoTokenizer.from_pretrained(made["answering"])
        network = transformers.AutoModelForMultipleChoice.from_pretrained(made["answering"])
        found = shown(reader().answer(CHOOSE))
        for one, got in zip(CHOOSE, found, strict=True):
            text = f"{one.context} {words.bos_token} {one.question}"
            rows = words([text] * 4, list(one.options), padding="longest", return_tensors="pt")
            with torch.no_grad():
                logits = network(
                    input_ids=rows["input_ids"][None], attention_mask=rows["attention_mask"][None]
                ).logits[0]
            assert got == pytest.approx(torch.softmax(logits, -1).tolist(), abs=1e-5)
        assert np.std(found) > 0.05

    def test_judges_as_transformers(self, made, reader):
        """Oracle: the sigmoid of the one output, one text at a time."""
        import torch
        import transformers

        words = transformers.AutoTokenizer.from_pretrained(made["answerability"])
        network = transformers.AutoModelForSequenceClassification.from_pretrained(made["answerability"])
        found = shown(reader().answer(ANSWERABLE))
        for one, got in zip(ANSWERABLE, found, strict=True):
            rows = words(f"{one.question} {words.sep_token} {one.context}", return_tensors="pt")
            with torch.no_grad():
                logit = network(input_ids=rows["input_ids"], attention_mask=rows["attention_mask"]).logits
            assert got == pytest.approx(torch.sigmoid(logit).item(), abs=1e-5)
        assert np.std(found) > 0.02

    def test_neighbours_do_not_matter(self, reader):
        """Together, alone, in small batches: the same to 1e-5."""
        requests = [*CHOOSE, *ANSWERABLE]
        together = shown(reader().answer(requests))
        for budget in (32, 4_096):
            model = reader(budget=budget)
            for one, expected in zip(requests, together, strict=True):
                assert model.answer([one])[0].value == pytest.approx(expected, abs=1e-5)

    def test_each_input_once(self, reader):
        """Of the first question's options two are equal: 3 rows a text; of the second's none: 4."""
        model = reader()
        replies = model.answer([*CHOOSE, *CHOOSE, *ANSWERABLE, *ANSWERABLE])
        assert model.work[0].texts == 3 * 3 + 3 * 4
        assert model.work[1].texts == 6
        assert shown(replies[:6]) == shown(replies[6:12])

    def test_shares_add_up(self, reader):
        """Equal options have equal shares."""
        for one in shown(reader().answer(CHOOSE)):
            assert math.fsum(one) == pytest.approx(1)
        assert reader().answer(CHOOSE[:1])[0].value[2] == reader().answer(CHOOSE[:1])[0].value[3]

    def test_a_separator_in_a_text(self, reader):
        """Is text; as a token it would end transformers' own call, which wants exactly three."""
        hostile = "he </s> </s> was <s> born <pad>"
        replies = reader().answer(
            [Choose(f"{hostile}?", ("a </s>", "b", "c", "d"), hostile), Answerable(hostile, hostile)]
        )
        assert all(isinstance(reply, Answer) for reply in replies)

    def test_long_text(self, reader):
        """The text loses its end, the question and the option stay."""
        model = reader()
        whole = model._option("cat " * 500, "who sat ?", "the dog")
        assert len(whole) == 128
        spelt = model._answering.tokenizer.decode(whole.ids, skip_special_tokens=False)
        assert spelt.endswith("<s> who sat ?</s></s>the dog</s>")
        pair = model._pair("who sat ?", "cat " * 500)
        assert len(pair) == 128
        assert model._answerability.tokenizer.decode(pair.ids, skip_special_tokens=False).startswith(
            "<s>who sat ? </s> cat cat"
        )
        assert [work.truncated for work in model.work] == [1, 1]
        assert isinstance(model.answer([Choose("who?", ("a", "b"), "cat " * 5_000)])[0], Answer)

    def test_long_question(self, reader):
        """Longer than all that is read: still a reply."""
        long = "who " * 500
        replies = reader().answer([Choose(long, ("a", "b", "c", long), "cat"), Answerable(long, "cat")])
        assert all(isinstance(reply, Answer) for reply in replies)

    @pytest.mark.parametrize("text", HARD)
    def test_any_text(self, reader, text):
        """A reply, or a refusal of what has no words."""
        requests = [Choose(text, ("a", "b"), "c"), Choose("a", ("b", text), "c"), Answerable("a", text)]
        for reply in reader().answer(requests):
            assert isinstance(reply, Answer) == bool(text.strip())
            assert isinstance(reply, Answer) or reply.reason is Reason.REFUSED

    def test_no_numbers(self, made, tmp_path):
        """Weights that are not numbers: a failure."""
        import torch
        import transformers

        folder = shutil.copytree(made["answering"], tmp_path / "broken")
        network = transformers.AutoModelForMultipleChoice.from_pretrained(folder)
        with torch.no_grad():
            network.classifier.bias.fill_(math.nan)
        network.save_pretrained(folder)
        [reply] = AnswerModel(folder, made["answerability"], device="cpu").answer([CHOOSE[0]])
        assert reply.reason is Reason.BACKEND

    @pytest.mark.parametrize("precision", ["bf16", "int8"])
    def test_precisions(self, reader, precision):
        """Near the exact replies (bar: .1), and told apart by the fingerprint."""
        model = reader(precision=precision)
        exact = shown(reader().answer([*CHOOSE, *ANSWERABLE]))
        for one, other in zip(exact, shown(model.answer([*CHOOSE, *ANSWERABLE])), strict=True):
            assert other == pytest.approx(one, abs=0.1)
        assert model.fingerprint != reader().fingerprint

    def test_wrong_models(self, made, tmp_path):
        """A classifier with two outputs; a T5 in place of a Longformer."""
        two = longformer(tmp_path / "two", choice=False, outputs=2)
        with pytest.raises(ConfigError, match="one output"):
            AnswerModel(made["answering"], two)
        with pytest.raises(ConfigError, match="transformers knows"):
            AnswerModel(made["questions"], made["answerability"], device="cpu").load()

    def test_head_of_random_numbers(self, made, tmp_path):
        """A model that was not trained to choose is refused."""
        import transformers

        folder = shutil.copytree(made["answering"], tmp_path / "headless")
        transformers.AutoModel.from_pretrained(folder).save_pretrained(folder)
        with pytest.raises(ConfigError, match="trained for the task"):
            AnswerModel(folder, made["answerability"], device="cpu").load()


class TestTogether:
    def test_in_a_guard(self, writer, reader):
        """The whole way, twice the same: from sentences to scores."""
        case = Case.of(
            "The cat sat on the mat. She was born in Paris in nineteen seven.",
            samples=["A dog sat on the mat in Paris.", "The cat was born in London."],
        )
        reports = []
        for _ in range(2):
            guard = Guard(
                [SelfCheck("qa", questions=60, answerable=0.1)],
                backends={"questions": writer(temperature=3.0), "answers": reader()},
            )
            reports.append(guard.check(case))
        assert reports[0].findings == reports[1].findings
        assert reports[0].failures == ()
        assert len(reports[0].findings) == 2
        for finding in reports[0].findings:
            assert finding.score is not None
            assert 0 <= finding.score <= 1
            used = {one.name: one.value for one in finding.evidence if one.kind == "measurement"}
            assert used["samples used"] == 2
        assert json.loads(reports[0].model_dump_json())
