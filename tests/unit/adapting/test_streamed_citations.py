"""A service's own citations in streams: at their words in what is released, and nothing of what was removed."""

import json
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.streams import read_all
from tests.unit.adapting.test_sentence_exchange import APIS, HEAD, by_sentence, cut_in, data
from tests.unit.adapting.test_sentence_stream import BySentence, chunkings

from guardrail import Guard, annotate, remove
from guardrail.adapting.anthropic_api import Messages
from guardrail.adapting.openai_api import ChatCompletions, Exchange
from guardrail.adapting.sse import Event, written
from guardrail.testing.messages import message_stream

SAID = "Bern has a bear (b.org). Rome is old (r.org). It is nice (n.org). That is all."
MARKS = ("(b.org)", "(r.org)", "(n.org)")
SECRETS = ("Rome", "old", "r.org", "Eternal", "seven")
NOTED = [
    {
        "type": "url_citation",
        "url_citation": {
            "start_index": SAID.index(mark),
            "end_index": SAID.index(mark) + len(mark),
            "url": f"https://{mark[1:-1]}/",
            "title": "Eternal city of seven hills" if mark == "(r.org)" else "Bears",
        },
    }
    for mark in MARKS
]
POLICIES = {"remove": remove(), "annotate": annotate()}
KEPT = {"remove": [MARKS[0], MARKS[2]], "annotate": list(MARKS)}


def body_of(codec, guard, stream, *, sentences, size=37):
    """What the events make, and the events."""
    if sentences:
        events, early = by_sentence(codec, guard, stream, size)
        assert early
    else:
        events = codec.events(
            Exchange(guard, codec, {}).settle(codec.whole(read_all([stream])[0]), None).body, {}
        )
    return codec.whole(events), events


def notes(api, body):
    """The text and its citations."""
    if api == "chat":
        message = body["choices"][0]["message"]
        return message["content"], [one["url_citation"] for one in message["annotations"]]
    (block,) = body["output"][-1]["content"]
    return block["text"], block["annotations"]


@pytest.mark.parametrize("api", ["chat", "responses"])
@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("sentences", [False, True])
def test_each_is_at_its_words(api, policy, sentences):
    """In the whole that the events make; of what is removed there is nothing in any event."""
    codec, stream = APIS[api]
    whole = stream(SAID, cut_in([7]), annotations=NOTED)
    body, events = body_of(codec, Guard([BySentence()], policy=POLICIES[policy]), whole, sentences=sentences)
    text, found = notes(api, body)
    assert [text[one["start_index"] : one["end_index"]] for one in found] == KEPT[policy]
    said = json.dumps(data(events))
    assert any(secret in said for secret in SECRETS) == (policy == "annotate")


@given(sizes=chunkings, size=st.integers(1, 300))
@settings(max_examples=25, deadline=None)
@pytest.mark.parametrize("api", ["chat", "responses"])
def test_however_it_is_cut(api, sizes, size):
    """Pieces of any size, of text and of bytes."""
    codec, stream = APIS[api]
    whole = stream(SAID, cut_in(sizes), annotations=NOTED)
    guard = Guard([BySentence()], policy=remove())
    text, found = notes(api, body_of(codec, guard, whole, sentences=True, size=size)[0])
    assert [text[one["start_index"] : one["end_index"]] for one in found] == KEPT["remove"]


def test_events_of_a_response_say_the_same():
    """`annotation.added`, `content_part.done`, `output_item.done` and `response.completed` have the same annotations."""
    codec, stream = APIS["responses"]
    whole = stream(SAID, cut_in([7]), annotations=NOTED)
    _, events = body_of(codec, Guard([BySentence()], policy=remove()), whole, sentences=True)
    told = {one["type"].removeprefix("response."): one for one in data(events)}
    added = [one for one in data(events) if one["type"].endswith("annotation.added")]
    assert [one["annotation_index"] for one in added] == [0, 1]
    for block in (
        told["content_part.done"]["part"],
        told["output_item.done"]["item"]["content"][0],
        told["completed"]["response"]["output"][0]["content"][0],
    ):
        assert block["annotations"] == [one["annotation"] for one in added]
    assert told["output_text.done"]["text"] == block["text"]


def test_annotations_may_come_before_the_text():
    """In a chunk of their own, some of them twice at one place: a place is no number in a list."""
    places = [SAID.index("(b.org)"), SAID.index("(r.org)"), SAID.index("(b.org)")]
    files = [{"type": "file_citation", "index": place, "file_id": f"f{i}"} for i, place in enumerate(places)]
    chunks = [{"role": "assistant", "annotations": files[:2]}, {"annotations": files[2:]}]
    chunks += [{"content": SAID[i : i + 6]} for i in range(0, len(SAID), 6)]
    listed = [{"index": 0, "delta": delta, "finish_reason": None} for delta in chunks]
    listed.append({"index": 0, "delta": {}, "finish_reason": "stop"})
    events = [Event(json.dumps({**HEAD, "choices": [one]})) for one in listed]
    stream = written([*events, Event("[DONE]")])
    body, _ = body_of(ChatCompletions(), Guard([BySentence()], policy=remove()), stream, sentences=True)
    left = body["choices"][0]["message"]["annotations"]
    assert [(one["file_id"], one["index"]) for one in left] == [("f0", places[0]), ("f2", places[0])]


def anthropic(*blocks):
    body = {"id": "m", "type": "message", "role": "assistant", "model": "m", "stop_reason": "end_turn"}
    content = [
        {"type": "text", "text": text, **({"citations": [cited]} if cited else {})} for text, cited in blocks
    ]
    return b"".join(message_stream({**body, "content": content, "usage": {"output_tokens": 1}}))


def located(quoted, title="Bears"):
    place = {"type": "char_location", "document_index": 0, "start_char_index": 0, "end_char_index": 9}
    return {**place, "cited_text": quoted, "document_title": title}


@pytest.mark.parametrize("sentences", [False, True])
def test_blocks_of_a_message(sentences):
    """A block that stays keeps its citation, without the quotation once text went; that of a block that goes is in no event."""
    stream = anthropic(
        ("Bern has a bear. It is nice. ", located("A bear lives in Bern.")),
        ("Rome is old.", located("The Eternal city.", "seven hills")),
        (" Paris is big.", None),
    )
    guard = Guard([BySentence()], policy=remove())
    body, events = body_of(Messages(), guard, stream, sentences=sentences)
    assert [block["text"] for block in body["content"]] == ["Bern has a bear. It is nice.", " Paris is big."]
    assert body["content"][0]["citations"] == [{**located(""), "document_title": "Bears"}]
    assert not any(secret in json.dumps(data(events)) for secret in SECRETS)


@pytest.mark.parametrize("sentences", [False, True])
def test_a_block_that_is_cut_has_no_citation(sentences):
    """Nobody knows which of its sentences the quotation is for."""
    stream = anthropic(("Bern has a bear. Rome is old. It is nice.", located("The Eternal city.")))
    body, events = body_of(Messages(), Guard([BySentence()], policy=remove()), stream, sentences=sentences)
    assert body["content"] == [{"type": "text", "text": "Bern has a bear. It is nice.", "citations": []}]
    assert not any(secret in json.dumps(data(events)) for secret in SECRETS)


class TestLiteLLM:
    """It passes Anthropic's citations on in `provider_specific_fields`: one with each delta."""

    CITED = (located("A bear lives in Bern."), located("The Eternal city.", "seven hills"))

    def stream(self):
        fields = [{"provider_specific_fields": {"citation": one}} for one in self.CITED]
        texts = [{"content": text} for text in ("Bern has a bear. ", "Rome is old. It is nice.")]
        deltas = [part for pair in zip(fields, texts, strict=True) for part in pair]
        listed = [{"index": 0, "delta": delta, "finish_reason": None} for delta in deltas]
        listed.append({"index": 0, "delta": {}, "finish_reason": "stop"})
        return written([*(Event(json.dumps({**HEAD, "choices": [one]})) for one in listed), Event("[DONE]")])

    @pytest.mark.parametrize("sentences", [False, True])
    @pytest.mark.parametrize("policy", POLICIES)
    def test_each_comes_whole(self, policy, sentences):
        """None is run together with the next one; once text went, none is left."""
        guard = Guard([BySentence()], policy=POLICIES[policy])
        _, events = body_of(ChatCompletions(), guard, self.stream(), sentences=sentences)
        deltas = [choice["delta"] for chunk in data(events) for choice in chunk["choices"]]
        fields = [
            delta["provider_specific_fields"] for delta in deltas if "provider_specific_fields" in delta
        ]
        found = [one["citation"] for one in fields if "citation" in one]
        assert found == (list(self.CITED) if policy == "annotate" else [])
        assert any(secret in json.dumps(data(events)) for secret in SECRETS) == (policy == "annotate")


def test_events_are_numbered_on():
    """With annotations between them, too."""
    codec, stream = APIS["responses"]
    whole = stream(SAID, cut_in([7]), annotations=NOTED)
    _, events = body_of(codec, Guard([BySentence()], policy=remove()), whole, sentences=True)
    numbers = [one["sequence_number"] for one in data(events)]
    assert all(later == earlier + 1 for earlier, later in pairwise(numbers))
