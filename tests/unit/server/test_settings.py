"""What the server is told, and what it refuses to be told."""

import pytest

from guardrail.errors import ConfigError, UnknownName
from guardrail.server import Settings
from guardrail.server.keys import hashed, known, shown
from guardrail.server.routes import Kind, kind_of, passed_through, plain

UP = "https://api.example.org/v1"


class TestSettings:
    def test_another_address_needs_keys(self):
        """Whoever can reach the port could spend somebody's key."""
        with pytest.raises(ConfigError, match="needs client keys"):
            Settings(UP, host="0.0.0.0")
        assert Settings(UP, host="0.0.0.0", no_auth=True).host == "0.0.0.0"
        assert Settings(UP, host="0.0.0.0", keys=(hashed("k"),)).needs_key

    def test_the_servers_own_key_needs_client_keys(self):
        """Even on the loopback address."""
        with pytest.raises(ConfigError, match="own upstream key"):
            Settings(UP, upstream_key="sk-server")

    @pytest.mark.parametrize(
        "url",
        ["", "api.openai.com/v1", "file:///etc/passwd", "https://me:pw@host/v1", "https://host/v1?x=1", None],
    )
    def test_an_upstream_is_a_plain_base_url(self, url):
        """No credentials, no query, http or https."""
        with pytest.raises(ConfigError):
            Settings(url)

    def test_no_message_shows_a_key(self):
        """A key that was written in the place of its hash is not repeated, and no repr shows one."""
        with pytest.raises(ConfigError) as caught:
            Settings(UP, keys=("sk-my-secret",))
        assert "sk-my-secret" not in str(caught.value)
        assert "sk-server" not in repr(Settings(UP, upstream_key="sk-server", no_auth=True))

    def test_a_file_has_a_table(self, tmp_path):
        """What is given by name wins; what is unknown is refused."""
        file = tmp_path / "guardrail.toml"
        file.write_text(f'[server]\nkeys = ["sha256:{hashed("k")}"]\nconcurrency = 3\n')
        made = Settings.from_file(file, upstream=UP, port=1)
        assert (made.keys, made.concurrency, made.port) == ((hashed("k"),), 3, 1)
        file.write_text("[server]\nconcurency = 3\n")
        with pytest.raises((ConfigError, UnknownName), match="concurrency"):
            Settings.from_file(file, upstream=UP)


class TestRoutes:
    @pytest.mark.parametrize(
        ("method", "path"),
        [
            ("GET", "/v1/responses/resp_1"),
            ("GET", "/v1/chat/completions"),
            ("GET", "/v1/chat/completions/chatcmpl-1/messages"),
            ("POST", "/v1/completions"),
            ("POST", "/v1/batches"),
            ("POST", "/v1/conversations"),
            ("GET", "/v1/files/file-1/content"),
            ("POST", "/v1/messages/batches"),
            ("POST", "/v1/audio/transcriptions"),
            ("DELETE", "/v1/models/m"),
            ("POST", "/v1/whatever/comes/next"),
        ],
    )
    def test_what_may_return_a_models_text_is_refused(self, method, path):
        """An allowlist: also what nobody has heard of."""
        assert kind_of(method, path, ()) is Kind.REFUSED

    def test_what_is_named_is_passed_on(self):
        """A star stands for one segment, at the end for several."""
        through = (passed_through("GET /v1/files/*/content"), passed_through("GET /v1/batches/*"))
        assert kind_of("GET", "/v1/files/f1/content", through) is Kind.THROUGH
        assert kind_of("GET", "/v1/files/a/b/content", through) is Kind.REFUSED
        assert kind_of("GET", "/v1/batches/a/b", through) is Kind.THROUGH
        assert kind_of("POST", "/v1/batches/a", through) is Kind.REFUSED

    @pytest.mark.parametrize("text", ["POST /v1/*", "POST /v1/chat/completions", "POST /v1/*/completions"])
    def test_a_guarded_route_cannot_be_passed_on(self, text):
        """Nobody turns the guard off by a pattern."""
        with pytest.raises(ConfigError, match="unguarded"):
            passed_through(text)

    @pytest.mark.parametrize(
        "path",
        [
            b"/v1/../admin", b"/v1/%2e%2e/admin", b"/v1/models%2f..%2fx", b"//evil.example/v1", b"/v1//models", b"/v1/models/",
            b"http://evil.example/v1/models", b"/v1/models\\..", b"/v1/./models", b"/v1/models\x00", b"/v1/m\xc3\xb6", b"*", b"",
            b"/v1/models\n", b"/v1/models;x=1",
        ],
    )  # fmt: skip
    def test_a_path_is_plain_segments(self, path):
        """Nothing that another server could read as another place."""
        assert plain(path) is None

    def test_plain_paths_are_taken(self):
        """Names of models with their marks."""
        assert plain(b"/v1/models/org/model-1.5:latest") == "/v1/models/org/model-1.5:latest"


class TestKeys:
    def test_only_the_right_key_is_known(self):
        """By its hash; an empty one never is."""
        assert known("k", [hashed("other"), hashed("k")])
        assert not known("l", [hashed("k")])
        assert not known("", [hashed("")])

    def test_the_callers_upstream_key_is_no_key_of_ours(self):
        """Where `Authorization` is for the upstream, only our own header counts."""
        headers = {"authorization": "Bearer sk-up", "x-api-key": "sk-up"}
        assert shown(headers, others=False) == ""
        assert shown(headers, others=True) == "sk-up"
        assert shown({**headers, "x-guardrail-key": "k"}, others=True) == "k"
