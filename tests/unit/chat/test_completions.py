"""A language model behind `/completions`, against the local service. Oracle: the model behind it, asked directly."""

import asyncio
import math
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from types import SimpleNamespace

import openai
import pytest

from guardrail.chat import CompletionsModel
from guardrail.chat._choices import distribution, first_outcome, mean_logprob, stopped
from guardrail.chat.completions import derived_seed
from guardrail.engine.backend import Backend
from guardrail.engine.flow import Answer, Failed, Reason, draws
from guardrail.errors import ConfigError
from guardrail.phr import BernoulliModel
from guardrail.requests import Distribution, Embed, LogProb, Outcomes, Sample
from guardrail.testing.server import FAULTS, serve

PAIRS = "Input: a\nLabel: yes\n\nInput: b\nLabel: no\n\nInput: a\nLabel: yes\n\n"
QUERY = "Input: a\nLabel:"
COINS = BernoulliModel(["a", "b"])
DRAW = Sample(PAIRS, 0, 30, ("\n\n",), 1.0, 0.9)
TELL = Distribution(PAIRS, QUERY, (" no", " yes"))
SCORE = LogProb(PAIRS + QUERY, " no")


@pytest.fixture
def model_of(monkeypatch):
    """Makes models that are closed at the end."""
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    made = []

    def make(server, **options):
        made.append(CompletionsModel("m", base_url=server.base_url, **options))
        return made[-1]

    yield make
    for model in made:
        model.close()


def directly(request):
    """What the model behind the service says."""
    return COINS.answer([request])[0]


def fake(body, **choice):
    """A client whose service gives one choice; the body that was sent is put into the list."""

    def create(**arguments):
        body.append(arguments)
        return {"choices": [{"index": 0, "text": "", "finish_reason": "length", **choice}]}

    return SimpleNamespace(api_key="k", completions=SimpleNamespace(create=create))


def told(**logprobs):
    """A choice with log-probabilities."""
    return {"text": "", "logprobs": logprobs}


class TestReplies:
    def test_is_a_backend_that_is_paid(self):
        """Unless it is said not to be."""
        model = CompletionsModel("m", client=fake([]))
        assert isinstance(model, Backend)
        assert model.paid
        assert not CompletionsModel("m", client=fake([]), paid=False).paid

    def test_draws_end_with_their_stop(self, model_of):
        """By the seed that is derived from the request."""
        with serve(model=COINS) as server:
            found = model_of(server, seed=7).answer(draws(DRAW, 3))
        expected = [directly(replace(one, draw=derived_seed(one, 7))).value for one in draws(DRAW, 3)]
        assert [reply.value for reply in found] == expected
        assert all(text.endswith("\n\n") for text in expected)
        assert [reply.cost.calls for reply in found] == [1, 1, 1]

    def test_draws_of_one_context_go_as_one_request(self, model_of):
        """Where no seed is wanted; its cost is split."""
        with serve(model=COINS) as server:
            model = model_of(server)
            found = model.answer([*draws(DRAW, 4), replace(DRAW, max_tokens=20)])
            assert server.stats()["requests"] == 2
        assert [reply.cost.calls for reply in found] == [0.25] * 4 + [1]
        assert {reply.value for reply in found} <= {
            f"Input: {x}\nLabel: {y}\n\n" for x in "ab" for y in ("yes", "no")
        }

    @pytest.mark.parametrize("options", [{"most_choices": 2}, {"refuses": ["n"]}])
    def test_one_by_one_where_n_is_not_taken(self, model_of, options):
        """And from then on."""
        with serve(model=COINS, **options) as server:
            model = model_of(server)
            first = model.answer(draws(DRAW, 4))
            assert all(isinstance(reply, Answer) for reply in first)
            assert len(first) == 4
            assert model.batch == 1
            before = server.stats()["choices"]
            model.answer([replace(DRAW, draw=i) for i in (4, 5)])
            assert server.stats()["choices"] == before + 2

    def test_tells_the_distribution(self, model_of):
        """All of it where the vocabulary is that small; by name, with each label's place."""
        with serve(model=COINS) as server:
            (found,) = model_of(server).answer([TELL])
        known = directly(TELL).value
        assert dict(zip(found.value.names, found.value.probabilities, strict=True)) == pytest.approx(
            dict(zip(known.names, known.probabilities, strict=True))
        )
        assert [found.value.names[i] for i in found.value.begun] == [" no", " yes"]
        assert found.value.other == 0.0

    def test_tells_a_part_of_it(self, model_of):
        """What is untold has the rest."""
        with serve(model=COINS) as server:
            (found,) = model_of(server, top=1).answer([TELL])
        assert found.value.names == (" yes",)
        assert found.value.begun == (None, 0)
        assert found.value.other == pytest.approx(1 - 3 / 4)

    def test_scores_a_continuation(self, model_of):
        """By the echo of the prompt."""
        with serve(model=COINS) as server:
            (found,) = model_of(server).answer([SCORE])
        assert found.value == pytest.approx(directly(SCORE).value)

    def test_on_a_loop(self, model_of):
        """The same, one loop after another, with a call in between."""
        with serve(model=COINS) as server:
            model = model_of(server, seed=1)
            expected = model.answer([DRAW, TELL, SCORE])
            for _ in range(2):
                found = asyncio.run(model.aanswer([DRAW, TELL, SCORE]))
                assert [reply.value for reply in found] == [reply.value for reply in expected]

    def test_given_clients(self, model_of):
        """Are used as they are: in threads, or on the loop that calls."""
        with serve(model=COINS) as server, openai.OpenAI(base_url=server.base_url, api_key="k") as client:
            expected = model_of(server, seed=1).answer([DRAW, TELL])
            model = CompletionsModel("m", client=client, seed=1, options={"min_p": 0.0})
            assert model.aanswer is None
            assert [one.value for one in model.answer([DRAW, TELL])] == [one.value for one in expected]

            async def main():
                async with openai.AsyncOpenAI(base_url=server.base_url, api_key="k") as client:
                    given = CompletionsModel("m", async_client=client, seed=1)
                    assert given.answer([DRAW])[0].reason is Reason.MISSING
                    return await given.aanswer([DRAW, TELL])

            assert [one.value for one in asyncio.run(main())] == [one.value for one in expected]

    def test_what_is_sent(self):
        """What the request says, and no more."""
        sent = []
        model = CompletionsModel("m", client=fake(sent, text="x"), options={"min_p": 0.1})
        model.answer([Sample("c")])
        model.answer([replace(DRAW, stop=("a", "b"), temperature=0.5)])
        whole = {"top_k": 0, "min_p": 0.1, "repetition_penalty": 1.0}
        more = {"extra_body": whole, "timeout": 60.0, "top_p": 1.0}
        assert sent[0] == {"model": "m", "prompt": "c", "temperature": 1.0, **more}
        assert sent[1] == sent[0] | {"prompt": PAIRS, "max_tokens": 30, "top_p": 0.9, "temperature": 0.5}

    def test_what_cuts_draws_is_switched_off(self, monkeypatch):
        """But for OpenAI, which has no such thing; what a service refuses is left out from then on."""
        bodies = []

        def create(**arguments):
            import httpx2

            bodies.append(arguments["extra_body"])
            field = next(iter(arguments["extra_body"] or ()), None)
            if field is None:
                return {"choices": [{"text": "x", "finish_reason": "length"}]}
            response = httpx2.Response(422, request=httpx2.Request("POST", "http://x"))
            body = {"detail": f"Unexpected fields in the request: {field!r}"}
            raise openai.UnprocessableEntityError("no", response=response, body=body)

        client = SimpleNamespace(api_key="k", completions=SimpleNamespace(create=create))
        model = CompletionsModel("m", client=client)
        replies = [model.answer([replace(DRAW, draw=i)])[0] for i in range(2)]
        assert [(reply.value, reply.cost.calls) for reply in replies] == [("x", 4), ("x", 1)]
        assert [len(body or ()) for body in bodies] == [3, 2, 1, 0, 0]
        own = CompletionsModel("m", api_key="k", base_url="https://api.openai.com/v1")
        assert own._base == {"model": "m"}

    def test_many_at_once_learn_it_together(self):
        """Each of those under way is asked again."""
        gate = threading.Barrier(4)

        def create(**arguments):
            import httpx2

            if not arguments["extra_body"]:
                return {"choices": [{"text": "x", "finish_reason": "length"}]}
            if len(arguments["extra_body"]) == 3:
                gate.wait(10)
            response = httpx2.Response(400, request=httpx2.Request("POST", "http://x"))
            field = min(arguments["extra_body"])
            raise openai.BadRequestError(f"no {field}", response=response, body=None)

        client = SimpleNamespace(api_key="k", completions=SimpleNamespace(create=create))
        model = CompletionsModel("m", client=client)
        with ThreadPoolExecutor(4) as pool:
            found = list(pool.map(lambda one: model.answer([one])[0], draws(DRAW, 4)))
        assert [reply.value for reply in found] == ["x"] * 4

    def test_draws_that_are_refused_for_another_reason(self):
        """Are asked for one by one, and stay together afterwards."""

        def create(**arguments):
            import httpx2

            if len(arguments["prompt"]) < 100:
                return {"choices": [{"text": "x", "finish_reason": "length"}] * arguments["n"]}
            response = httpx2.Response(400, request=httpx2.Request("POST", "http://x"))
            raise openai.BadRequestError("the context is too long", response=response, body=None)

        client = SimpleNamespace(api_key="k", completions=SimpleNamespace(create=create))
        model = CompletionsModel("m", client=client)
        failed = model.answer(draws(replace(DRAW, context="long " * 30), 2))
        assert [reply.reason for reply in failed] == [Reason.REFUSED] * 2
        assert [reply.value for reply in model.answer(draws(replace(DRAW, context="short"), 3))] == ["x"] * 3

    def test_other_requests(self):
        """Are not for it."""
        (reply,) = CompletionsModel("m", client=fake([])).answer([Embed("x")])
        assert (reply.reason, "not Embed" in reply.detail) == (Reason.MISSING, True)

    def test_options_out_of_range(self):
        """Are refused where they are written."""
        for wrong in ({"top": 0}, {"seed": 0.5}):
            with pytest.raises(ConfigError):
                CompletionsModel("m", client=fake([]), **wrong)

    def test_fingerprint(self, model_of):
        """Holds what replies depend on, and no key."""
        with serve(model=COINS) as server:
            prints = {
                model_of(server, **options).fingerprint
                for options in ({}, {"seed": 1}, {"top": 5}, {"api_key": "secret"}, {"options": {"min_p": 1}})
            }
        assert len(prints) == 5
        assert not any("secret" in one for one in prints)


class TestWhatServicesLack:
    def missing(self, model_of, request, **behaviour):
        with serve(**({"model": COINS} | behaviour)) as server:
            (reply,) = model_of(server).answer([request])
        assert isinstance(reply, Failed)
        assert reply.reason is Reason.MISSING
        assert not reply.retryable
        assert "serve the model with vLLM or llama.cpp" in reply.detail
        return reply.detail

    @pytest.mark.parametrize("request_", [DRAW, TELL, SCORE])
    def test_a_chat_service(self, model_of, request_):
        """Has no `/completions`."""
        assert "This is a chat model" in self.missing(model_of, request_, chat_only=True)

    @pytest.mark.parametrize("request_", [TELL, SCORE])
    @pytest.mark.parametrize("how", ["ignores", "refuses"])
    def test_no_log_probabilities(self, model_of, request_, how):
        """Whether it says so or not."""
        assert "log" in self.missing(model_of, request_, **{how: ["logprobs"]})

    @pytest.mark.parametrize("how", ["ignores", "refuses"])
    def test_no_echo(self, model_of, how):
        """A given label cannot be scored then."""

        class Fluent(Backend):
            """Goes on with anything."""

            fingerprint = "fluent"

            def answer(self, requests):
                return [Answer(Outcomes((" and",), (1.0,)))]

        assert "echo" in self.missing(model_of, SCORE, model=Fluent(), **{how: ["echo"]})

    def test_fewer_alternatives(self, model_of):
        """Five, as OpenAI gives; remembered."""
        with serve(model=COINS, most_logprobs=5) as server:
            model = model_of(server, top=40)
            assert [model.answer([TELL])[0].cost.calls for _ in range(2)] == [3, 1]

    def test_no_such_model(self):
        """Is a mistake in the name, not a lack of the service."""

        def create(**_):
            import httpx2

            response = httpx2.Response(404, request=httpx2.Request("POST", "http://x"))
            body = {"message": "The model `m` does not exist", "code": "model_not_found"}
            raise openai.NotFoundError("no", response=response, body=body)

        client = SimpleNamespace(api_key="k", completions=SimpleNamespace(create=create))
        (reply,) = CompletionsModel("m", client=client).answer([TELL])
        assert (reply.reason, "check the model's name" in reply.detail) == (Reason.BACKEND, True)

    @pytest.mark.parametrize("fault", FAULTS)
    def test_faults_are_values(self, model_of, fault):
        """That may be asked again."""
        with serve(model=COINS, faults={fault: 1.0}) as server:
            found = model_of(server, timeout=0.3).answer([*draws(DRAW, 2), TELL, SCORE])
        assert [(type(reply), reply.retryable) for reply in found] == [(Failed, True)] * 4
        assert sum(reply.cost.calls for reply in found) == 3


class TestStops:
    def test_are_put_back_where_the_service_stopped(self):
        """Not where it was cut."""
        assert stopped({"text": "a", "finish_reason": "stop"}, ("\n",)) == "a\n"
        assert stopped({"text": "a", "finish_reason": "length"}, ("\n",)) == "a"

    def test_are_not_doubled(self):
        """Some services send them; what follows is cut off."""
        assert stopped({"text": "a\nb", "finish_reason": "stop"}, ("\n",)) == "a\n"

    @pytest.mark.parametrize("name", ["stop_reason", "matched_stop"])
    def test_a_model_that_ended_the_text(self, name):
        """Where the service tells it: the text of the stop, else another thing."""
        for told_, text in (("\n", "a\n"), (None, "a"), (128_001, "a")):
            assert stopped({"text": "a", "finish_reason": "stop", name: told_}, ("\n",)) == text

    def test_several_are_looked_for_here(self):
        """The first that comes; which one stopped it the service need not know."""
        assert stopped({"text": "a; b, c", "finish_reason": "length"}, (",", ";")) == "a;"
        assert stopped({"text": "a", "finish_reason": "stop"}, (",", ";")) == "a"


class TestFirstOutcome:
    def test_the_label_itself(self):
        """Where it is one token."""
        assert first_outcome(" yes", [" no", " yes", " y"]) == 1

    def test_the_longest_part(self):
        """Where it is several."""
        assert first_outcome(" entailment", [" ent", " e", " entity"]) == 0

    def test_none(self):
        """An empty token begins everything, and is none."""
        assert first_outcome(" yes", [" no", "", "yes", " yesterday"]) is None

    def test_as_vocabularies_spell_blanks(self):
        """Also where no blank is told at all."""
        assert first_outcome(" yes", ["Ġno", "Ġyes"]) == 1
        assert first_outcome(" yes", ["▁no", "▁yes"]) == 1
        assert first_outcome(" yes", ["no", "yes"]) == 1

    def test_by_the_tokenizer(self):
        """Then nothing is guessed: its first token, or none."""
        told_ = [" y", " yes", " no"]
        assert first_outcome(" yes", told_, lambda label: ["Ġy", "es"]) == 0
        assert first_outcome(" yes", told_, lambda label: [" ye", "s"]) is None
        assert first_outcome(" yes", ["no", "yes"], lambda label: ["▁yes"]) == 1
        assert first_outcome(" yes", told_, lambda label: []) is None


class TestDistributions:
    def test_of_the_other_form(self):
        """As llama.cpp tells: tokens of one text are apart by their numbers, or bytes."""
        top = [
            {"token": "\ufffd", "logprob": -1.0, "bytes": [195], "id": 5},
            {"token": "\ufffd", "logprob": -2.0, "bytes": [196], "id": 6},
            {"token": " yes", "logprob": -3.0, "bytes": [32]},
            {"token": "\ufffd", "logprob": -4.0, "bytes": [197]},
            {"token": "?", "logprob": -5.0},
        ]
        found = distribution(told(content=[{"top_logprobs": top}]), 5, (" yes",))
        assert found.names == ("5:\ufffd", "6:\ufffd", " ", "\\xc5", "?")
        assert found.begun == (2,)

    def test_equal_names_are_one(self):
        """The likelier; the rest is untold."""
        top = [{"token": "\ufffd", "logprob": math.log(p)} for p in (0.2, 0.3)]
        found = distribution(told(content=[{"top_logprobs": top}]), 5, ())
        assert (found.names, found.other) == (("\ufffd",), pytest.approx(0.7))

    def test_one_more_than_asked_for(self):
        """The drawn token, where it is not among the likeliest, would break the order."""
        found = distribution(told(top_logprobs=[{"a": -0.1, "b": -3.0, "c": -9.0}]), 2, ())
        assert found.names == ("a", "b")

    @pytest.mark.parametrize(
        "logprobs", [{}, {"top_logprobs": None}, {"top_logprobs": [None]}, {"top_logprobs": [{}]}]
    )
    def test_none(self, logprobs):
        """Is not an empty distribution."""
        assert distribution(told(**logprobs), 5, ()) is None
        assert distribution({"text": "", "logprobs": None}, 5, ()) is None

    def test_no_numbers(self):
        """Are nonsense that is asked for again."""
        with pytest.raises(ValueError, match="expected log-probabilities"):
            distribution(told(top_logprobs=[{"a": math.nan}]), 5, ())


class TestEchoes:
    TOKENS = ("Ab", " c", " d", "e", " more")

    def scored(self, tokens, logs, context, continuation, **more):
        return mean_logprob(told(tokens=tokens, token_logprobs=logs, **more), context, continuation)

    def test_mean_per_token(self):
        """Of those in the continuation; what follows is none of it."""
        logs = [None, -1.0, -2.0, -4.0, -8.0]
        assert self.scored(self.TOKENS, logs, "Ab c", " de") == -3.0
        assert self.scored(self.TOKENS[:4], logs[:4], "Ab c", " de") == -3.0

    def test_a_token_for_the_beginning(self):
        """Stands before the prompt."""
        assert self.scored(("<s>", *self.TOKENS), [None, -9.0, -1.0, -2.0, -4.0, -8.0], "Ab c", " de") == -3.0

    def test_the_other_form(self):
        """One entry per token."""
        content = [{"token": t, "logprob": -1.0} for t in self.TOKENS]
        assert mean_logprob(told(content=content), "Ab", " c") == -1.0

    def test_tokens_over_the_border(self):
        """Belong to neither side."""
        logs = [None, -1.0, -2.0, -4.0, -8.0]
        assert "reaches over" in self.scored(self.TOKENS, logs, "Ab c ", "de")
        assert "reaches over" in self.scored(self.TOKENS, logs, "Ab c", " de mo")

    def test_nothing_before(self):
        """The first token has no probability."""
        assert "give a context" in self.scored(self.TOKENS, [None, -1.0, -1.0, -1.0, -1.0], "", "Ab c")

    def test_escapes(self):
        """Tokens that are parts of characters, by the service's own places."""
        tokens = ("Say", " ok", "bytes:\\xc3", "bytes:\\xa9", " no", "!")
        logs = [None, -1.0, -2.0, -2.0, -6.0, 0.0]
        offsets = [0, 3, 6, 6, 7, 10]
        assert self.scored(tokens, logs, "Say oké", " no", text_offset=offsets) == -6.0
        assert self.scored(tokens, logs, "Say ohé", " no", text_offset=offsets) is None

    def test_not_the_prompt(self):
        """A service that does not echo."""
        assert self.scored(("x",), [-1.0], "Ab", " c") is None
        assert self.scored(("x",), [-1.0], "Ab", " c", text_offset=[4]) is None
        assert self.scored((), (), "Ab", " c") is None

    def test_no_numbers(self):
        """Are said."""
        assert "not a number" in self.scored(("Ab", " c"), [None, math.nan], "Ab", " c")
