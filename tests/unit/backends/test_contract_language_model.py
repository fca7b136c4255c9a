"""`CausalModel` keeps what every language model keeps."""

import pytest
from tests.contract.language_model import LanguageModelContract
from tests.unit.backends.models import needs_local
from tests.unit.backends.test_language_model import make

from guardrail.backends.language_model import CausalModel


@pytest.fixture(scope="module")
def weights(tmp_path_factory):
    """A tiny model's folder."""
    needs_local()
    return make(tmp_path_factory.mktemp("gpt2"), "gpt2")


class TestCausalModel(LanguageModelContract):
    @pytest.fixture
    def model(self, weights):
        return CausalModel(weights, device="cpu", seed=3)

    def whole_label(self, model):
        """Whatever its tokenizer leaves whole."""
        return next(
            label for label in (" cat", " the", " a", "a") if len(model._model.tokens(label).ids) == 1
        )
