"""Clients that know nothing of a guard: OpenAI's library, LangChain's model."""

import openai
import pytest
from pydantic import BaseModel
from tests.unit.server.conftest import SECRET

from guardrail import block, remove

SAID = f"Rivers flow. See {SECRET} for more. They end in seas."
ASKED = [{"role": "user", "content": "Rivers?"}]


class Answer(BaseModel):
    text: str


@pytest.fixture
def client():
    """OpenAI's client of a server, which is its base URL and nothing else."""
    made = []

    def of(served):
        made.append(openai.OpenAI(base_url=f"{served.url}/v1", api_key="sk-test", max_retries=0))
        return made[-1]

    yield of
    for one in made:
        one.close()


class TestOpenAI:
    def test_create(self, guarded, client):
        """The result keeps its type; the report is an extra field."""
        found = client(guarded(lambda _: SAID)).chat.completions.create(model="m", messages=ASKED)
        assert SECRET not in found.choices[0].message.content
        assert found.model_extra["guardrail"]["action"] == "remove"

    def test_create_streaming(self, guarded, client):
        """Comments and all."""
        served = guarded(lambda _: SAID, service={"pace": 0.1}, keepalive_seconds=0.05)
        chunks = list(client(served).chat.completions.create(model="m", messages=ASKED, stream=True))
        text = "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices)
        assert SECRET not in text
        assert text.startswith("Rivers flow.")

    def test_the_stream_helper(self, guarded, client):
        """It puts the completion together."""
        served = guarded(lambda _: SAID)
        with client(served).chat.completions.stream(model="m", messages=ASKED) as stream:
            found = stream.get_final_completion()
        assert SECRET not in found.choices[0].message.content

    def test_parse(self, guarded, client):
        """Strings of a structured answer are edited; what comes is still of the schema."""
        served = guarded(lambda _: f'{{"text": "{SAID}"}}')
        found = client(served).chat.completions.parse(model="m", messages=ASKED, response_format=Answer)
        parsed = found.choices[0].message.parsed
        assert parsed.text.startswith("Rivers flow.")
        assert SECRET not in parsed.text

    def test_a_blocked_answer_raises_the_clients_own_error(self, guarded, client):
        """As for any content filter."""
        served = guarded(lambda _: f'{{"text": "{SAID}"}}', policy=block())
        with pytest.raises(openai.ContentFilterFinishReasonError):
            client(served).chat.completions.parse(model="m", messages=ASKED, response_format=Answer)

    @pytest.mark.parametrize(
        ("fault", "error"),
        [("rate_limit", openai.RateLimitError), ("server_error", openai.InternalServerError)],
    )
    def test_errors_of_the_upstream_are_its_own(self, guarded, client, fault, error):
        """By their status."""
        with pytest.raises(error):
            client(guarded(service={"faults": {fault: 1.0}})).chat.completions.create(
                model="m", messages=ASKED
            )

    def test_a_cut_stream_raises(self, guarded, client):
        """The error event is one to this client."""
        served = guarded(service={"faults": {"cut": 1.0}})
        with pytest.raises(openai.APIError):
            list(client(served).chat.completions.create(model="m", messages=ASKED, stream=True))

    def test_what_is_refused_is_not_asked_again(self, guarded):
        """Though it is a 5xx."""
        served = guarded()
        with (
            openai.OpenAI(base_url=f"{served.url}/v1", api_key="sk-test", max_retries=3) as patient,
            pytest.raises(openai.InternalServerError, match="passthrough"),
        ):
            patient.responses.retrieve("resp_1")
        assert 'guardrail_refused_total{reason="unguarded_route"} 1' in served.client.get("/metrics").text


class TestLangChain:
    @pytest.mark.parametrize("streaming", [False, True])
    def test_chat_openai(self, guarded, streaming):
        """Invoked and streamed."""
        from langchain_openai import ChatOpenAI

        served = guarded(lambda _: SAID, policy=remove())
        model = ChatOpenAI(model="m", base_url=f"{served.url}/v1", api_key="sk-test", max_retries=0)
        said = (
            "".join(str(one.content) for one in model.stream("Rivers?"))
            if streaming
            else model.invoke("Rivers?").content
        )
        assert said.startswith("Rivers flow.")
        assert SECRET not in said
