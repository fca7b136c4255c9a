"""Work that takes long keeps no other client waiting."""

import threading
import time

import pytest

from guardrail import Guard, remove
from guardrail.detectors import SelfCheck

LONG = "Aa. Bb. " * 25_000  # 50,000 sentences, each with a finding
LITELLM = "/beta/litellm_basic_guardrail_api"


def longest_wait(served, path, body):
    """Seconds that another client waits for a sign of life while a request is answered; the seconds of that; and the answer."""
    found = []
    asking = threading.Thread(target=lambda: found.append(served.client.post(path, json=body)))
    asking.start()
    longest, started = 0.0, time.perf_counter()
    while asking.is_alive():
        began = time.perf_counter()
        served.client.get("/healthz")
        longest = max(longest, time.perf_counter() - began)
        time.sleep(0.01)
    return longest, time.perf_counter() - started, found[0]


@pytest.fixture
def served(guarded):
    found = guarded(guard=Guard([SelfCheck("ngram")], policy=remove()))
    found.client.timeout = 120
    return found


class TestOthers:
    @pytest.mark.parametrize("path", ["/v1/guardrail/check", "/v1/guardrail/estimate"])
    def test_are_served_while_a_long_answer_is_examined(self, served, path):
        """Deciding about 100,000 findings took eight seconds of thirteen, in which nobody else was; on a busy machine all takes longer."""
        waited, whole, found = longest_wait(served, path, {"answer": LONG})
        assert found.status_code == 200
        assert waited < max(2.0, whole / 4)

    def test_are_served_while_many_texts_are_examined(self, served):
        """LiteLLM's are examined one after the other: 100,000 of them took a minute and a half."""
        waited, _, found = longest_wait(served, LITELLM, {"input_type": "response", "texts": ["Aa."] * 1_000})
        assert found.status_code == 200
        assert waited < 0.5


class TestBounds:
    def test_an_estimate_has_that_of_a_check(self, served):
        """It reads the same answer."""
        found = served.client.post("/v1/guardrail/estimate", json={"answer": "a" * (4 * 1024 * 1024 + 1)})
        assert (found.status_code, found.json()["error"]["code"]) == (413, "answer_too_long")

    def test_so_many_texts_are_no_response(self, served):
        """Of one model."""
        found = served.client.post(LITELLM, json={"input_type": "response", "texts": [""] * 1_001})
        assert (found.status_code, found.json()["error"]["code"]) == (413, "answer_too_long")
