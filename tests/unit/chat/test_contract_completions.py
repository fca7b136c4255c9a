"""`CompletionsModel` keeps what every language model keeps; so does the model that is behind the service here."""

import pytest
from tests.contract.language_model import LanguageModelContract

from guardrail.chat import CompletionsModel
from guardrail.phr import BernoulliModel
from guardrail.testing.server import serve

COINS = BernoulliModel(["a", "b"])


class TestCompletionsModel(LanguageModelContract):
    @pytest.fixture
    def model(self, monkeypatch):
        monkeypatch.delenv("OPENAI_API_KEY", raising=False)
        with serve(model=COINS) as server:
            model = CompletionsModel("m", base_url=server.base_url, seed=0)
            yield model
            model.close()


class TestBernoulliModel(LanguageModelContract):
    @pytest.fixture
    def model(self):
        return COINS
