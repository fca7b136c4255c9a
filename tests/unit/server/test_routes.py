"""One table says what is guarded, passed on and refused; the server and the wrapped client both read it."""

import pytest

from guardrail.adapting.openai_api import route
from guardrail.adapting.routes import ROUTES, RouteGroup
from guardrail.server.routes import Kind, kind_of, unguarded

ASKED = [
    (method, path)
    for method in ("GET", "POST", "DELETE")
    for path in (
        "models", "models/m", "embeddings", "moderations", "chat/completions", "chat/completions/c1",
        "chat/completions/c1/messages", "responses", "responses/r1", "responses/r1/input_items", "responses/input_tokens",
        "responses/compact", "completions", "batches", "batches/b1", "files", "files/f1", "files/f1/content", "conversations",
        "conversations/c1/items", "threads/t1/runs", "containers/c1", "realtime/sessions", "videos/v1", "audio/speech", "unheard/of",
    )
]  # fmt: skip


class TestOneTable:
    @pytest.mark.parametrize(("method", "path"), ASKED)
    def test_the_server_passes_nothing_that_the_client_refuses(self, method, path):
        """It is the stricter of the two: it passes only what has no text of anybody in it."""
        kind, client = kind_of(method, f"/v1/{path}", ()), route(method, path).kind
        if kind is Kind.THROUGH:
            assert client == "pass"
        if client in {"chat", "responses"}:
            assert kind is Kind.GUARDED
        if client == "refuse":
            assert kind is Kind.REFUSED

    def test_no_request_falls_under_two_groups_but_the_first_counts(self):
        """Guarded rows come first, so that no later row can take a guarded request away."""
        groups = [row.group for row in ROUTES]
        assert groups[:3] == [RouteGroup.GUARDED] * 3
        assert RouteGroup.GUARDED not in groups[3:]

    def test_a_refusal_says_what_the_table_says(self):
        """The same words as the client's."""
        refused = route("POST", "batches")
        assert refused.reason in unguarded("POST", "/v1/batches")

    def test_both_pass_the_count_of_tokens(self):
        """No model's text is in it."""
        assert kind_of("POST", "/v1/responses/input_tokens", ()) is Kind.THROUGH
        assert kind_of("POST", "/v1/messages/count_tokens", ()) is Kind.THROUGH
        assert route("POST", "responses/input_tokens").kind == "pass"


class TestWhatIsMeant:
    @pytest.mark.parametrize(
        ("method", "path", "said"),
        [
            ("POST", "/v1/chat/completion", "Did you mean /v1/chat/completions?"),
            ("POST", "/v1/v1/chat/completions", "Did you mean /v1/chat/completions?"),
            ("GET", "/v1/fine_tuning/jobs", 'passthrough = ["GET /v1/fine_tuning/jobs"] below [server]'),
        ],
    )
    def test_below_v1(self, method, path, said):
        """A misspelt route has its right name, any other the line that passes it on."""
        assert said in unguarded(method, path)

    def test_a_route_of_the_table_is_not_corrected(self):
        """It is what was meant."""
        assert "Did you mean" not in unguarded("POST", "/v1/completions")
        assert "Did you mean" not in unguarded("GET", "/v1/chat/completions")

    @pytest.mark.parametrize(
        ("path", "said"),
        [
            ("/", "nothing is at /: paths begin with /v1, such as /v1/chat/completions"),
            ("/chat/completions", "nothing is at /chat/completions: write /v1/chat/completions"),
            ("/models", "nothing is at /models: write /v1/models"),
            ("/health", "nothing is at /health: paths begin with /v1, such as /v1/chat/completions"),
        ],
    )
    def test_elsewhere(self, guarded, path, said):
        """A 404 that says where the routes are."""
        found = guarded().client.get(path)
        assert (found.status_code, found.json()["error"]["message"]) == (404, said)
