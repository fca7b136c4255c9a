"""Documents in the requests that the server guards."""

import json

import pytest
from tests.unit.server.conftest import Spotter, answer_of, canned, running

from guardrail import Guard

TEXT = "The harbour library was founded in 1904."
ASKED = {
    "/v1/chat/completions": {"messages": [{"role": "user", "content": f"Context: {TEXT}\nQuestion: who?"}]},
    "/v1/responses": {"input": f"Context: {TEXT}\nQuestion: who?"},
    "/v1/messages": {
        "messages": [{"role": "user", "content": f"Context: {TEXT}\nQuestion: who?"}],
        "max_tokens": 9,
    },
}
GIVEN = {"context": [{"text": TEXT, "title": "a.pdf"}]}


def sent(path, body, **settings):
    """The status, what the upstream got, and the case that was examined."""
    spotter = Spotter()
    answer = json.dumps(answer_of(path, "So it is.")).encode()
    with (
        canned(answer, kind="application/json") as upstream,
        running(upstream.url, Guard([spotter]), **settings) as served,
    ):
        found = served.client.post(path, json={"model": "m", **body})
        until_idle = served.is_idle()
    assert until_idle
    return found, upstream.asked[0][1].decode() if upstream.asked else "", spotter.seen


class TestOwnField:
    @pytest.mark.parametrize("path", ASKED)
    def test_it_gives_documents_and_is_not_sent_on(self, path):
        """Whatever else the request has stays."""
        found, asked, (case,) = sent(path, {**ASKED[path], "guardrail": GIVEN, "temperature": 0.5})
        assert found.status_code == 200
        assert case.document_names == ("document 1 (a.pdf)",)
        assert found.json()["guardrail"]["documents"] == 1
        assert "a.pdf" not in asked
        assert "guardrail" not in asked
        assert '"temperature": 0.5' in asked

    def test_also_while_it_only_watches(self):
        """Every byte of the answer passes."""
        path = "/v1/chat/completions"
        _, asked, (case,) = sent(path, {**ASKED[path], "guardrail": GIVEN}, mode="monitor")
        assert case.context == (TEXT,)
        assert "a.pdf" not in asked

    @pytest.mark.parametrize("own", [[], "text", {"documents": []}, {"context": 5}, {"context": [5]}])
    def test_what_cannot_be_read_is_refused(self, own):
        """With what to write; the upstream is not asked."""
        path = "/v1/chat/completions"
        found, asked, seen = sent(path, {**ASKED[path], "guardrail": own})
        assert (found.status_code, found.json()["error"]["code"]) == (400, "bad_request")
        assert not asked
        assert not seen


class TestUsersTemplates:
    @pytest.mark.parametrize("path", ASKED)
    def test_are_read_where_the_operator_says_so(self, path):
        """By default a user's message is no evidence, whatever it says."""
        _, _, (case,) = sent(path, ASKED[path])
        assert case.context == ()
        assert case.unread
        _, _, (case,) = sent(path, ASKED[path], user_documents=True)
        assert case.context == (TEXT,)
