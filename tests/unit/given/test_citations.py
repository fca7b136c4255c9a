"""Citations that a service gives apart from the text."""

import pytest

from guardrail.given.citations import citations_of
from guardrail.report import Case

TEXT = "It opened in 1904 ([a](https://a.org)). It is free."
WEB = {"type": "url_citation", "start_index": 18, "end_index": 38, "url": "https://a.org", "title": "A"}


def cited(given):
    """Places in the answer, with what is known of the source."""
    case = Case.of(given)
    return [
        (case.answer[one.start : one.end], one.claims, one.url, one.name or one.identifier, one.number)
        for one in case.citations
    ]


def message(**fields):
    return {"role": "assistant", "content": TEXT, **fields}


RESPONSE = {
    "output": [
        {"type": "web_search_call"},
        {
            "type": "message",
            "content": [
                {"type": "output_text", "text": "First. ", "annotations": []},
                {"type": "output_text", "text": TEXT, "annotations": [WEB]},
            ],
        },
    ]
}
EXPECTED = [("([a](https://a.org))", False, "https://a.org", "A", None)]


@pytest.mark.parametrize(
    "given",
    [
        message(annotations=[WEB]),
        message(
            annotations=[
                {"type": "url_citation", "url_citation": {k: v for k, v in WEB.items() if k != "type"}}
            ]
        ),
        {"choices": [{"index": 0, "message": message(annotations=[WEB])}]},
        RESPONSE,
    ],
)
def test_openai(given):
    """Chat completions and Responses; places are of the whole answer."""
    assert cited(given) == EXPECTED


def test_langchain():
    """Its own form of a citation, in a block of text."""
    messages = pytest.importorskip("langchain_core.messages")
    block = {"type": "text", "text": TEXT, "annotations": [{**WEB, "type": "citation"}]}
    assert cited(messages.AIMessage([block])) == EXPECTED


FILE = {"type": "file_citation", "index": len(TEXT), "file_id": "f1", "filename": "b.pdf"}
FOUND = {"type": "char_location", "cited_text": "free", "document_index": 1, "document_title": "b.pdf"}


@pytest.mark.parametrize("provider", ["openai", "anthropic"])
def test_langchain_of_services(provider):
    """As its messages have them, and as its standard blocks: the same places and sources."""
    messages = pytest.importorskip("langchain_core.messages")
    renamed = {**{name: FILE[name] for name in ("type", "file_id", "filename")}, "file_index": FILE["index"]}
    fields = {"annotations": [WEB, renamed]} if provider == "openai" else {"citations": [FOUND]}
    said = messages.AIMessage(
        [{"type": "text", "text": TEXT, **fields}], response_metadata={"model_provider": provider}
    )
    standard = messages.AIMessage(said.content_blocks)
    assert {one["type"] for one in standard.content[0]["annotations"]} == {"citation"}
    openai = [*EXPECTED, (".", False, "", "b.pdf", None)]
    expected = openai if provider == "openai" else [(TEXT, True, "", "b.pdf", 1)]
    assert cited(said) == cited(standard) == expected
    assert [one.identifier for one in Case.of(standard).citations][1:] == ["f1"] * (provider == "openai")


def litellm(*blocks):
    """A message as LiteLLM makes it of Anthropic's blocks."""
    lists = [[{**FOUND, "supported_text": text}] for text in blocks]
    return {"role": "assistant", "content": TEXT, "provider_specific_fields": {"citations": lists}}


def test_litellm():
    """Each block is looked for behind the one before; what is not there ends it."""
    assert cited(litellm("It opened", "It is free.")) == [
        ("It opened", True, "", "b.pdf", 1),
        ("It is free.", True, "", "b.pdf", 1),
    ]
    assert [one[0] for one in cited(litellm("It opened", "It is new.", "It is free."))] == ["It opened"]
    odd = {
        "role": "assistant",
        "content": TEXT,
        "provider_specific_fields": {"citations": [3, [None], [FOUND]]},
    }
    assert [one[0] for one in cited(odd)] == []


def test_anthropic():
    """A citation is for the whole of its block; it names a document of the request by its number."""
    blocks = [
        {"type": "text", "text": "It opened in 1904. "},
        {
            "type": "text",
            "text": "It is free.",
            "citations": [
                {
                    "type": "char_location",
                    "cited_text": "free",
                    "document_index": 1,
                    "document_title": "b.pdf",
                },
                {"type": "web_search_result_location", "url": "https://c.org", "cited_text": "free"},
            ],
        },
    ]
    assert cited({"type": "message", "role": "assistant", "content": blocks}) == [
        ("It is free.", True, "", "b.pdf", 1),
        ("It is free.", True, "https://c.org", "", None),
    ]


def test_one_point():
    """A file's citation has the place of the character before it."""
    given = message(
        annotations=[{"type": "file_citation", "index": len(TEXT), "file_id": "f1", "filename": "b.pdf"}]
    )
    assert cited(given) == [(".", False, "", "b.pdf", None)]


@pytest.mark.parametrize(
    "odd",
    [
        None,
        {},
        "x",
        [None, 1, "x"],
        [{**WEB, "start_index": -1}],
        [{**WEB, "end_index": 10_000}],
        [{**WEB, "start_index": True}],
        [{**WEB, "start_index": 30, "end_index": 20}],
        [{"type": "url_citation", "url_citation": 7}],
    ],
)
def test_odd(odd):
    """What cannot be read is left out; the answer is examined all the same."""
    case = Case.of(message(annotations=odd))
    assert (case.answer, case.citations) == (TEXT, ())


def test_many():
    """So many are read as have a use."""
    assert len(citations_of(message(annotations=[WEB] * 5_000), TEXT)) == 1_000


def test_a_text_has_none():
    """A string, or nothing."""
    assert citations_of(TEXT, TEXT) == citations_of(None, "") == ()
