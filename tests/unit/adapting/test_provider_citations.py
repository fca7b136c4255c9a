"""A service's own citations are kept when an answer is edited: places move, and what is removed takes its citations along."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.effort import lines_run

from guardrail.adapting.anthropic_api import Messages
from guardrail.adapting.changes import Change
from guardrail.adapting.openai_api.chat import ChatCompletions
from guardrail.adapting.openai_api.responses import Responses
from guardrail.adapting.provider_citations import of_block, of_text
from guardrail.policies.edits import apply
from guardrail.report import Action, Case, Decision, Edit, Finding, Report, Span, Verdict

TEXT = "It opened in 1904 (a.org). It has a moat (b.org). It is free (c.org)."


def place(part, text=TEXT):
    start = text.index(part)
    return start, start + len(part)


def annotation(part, **more):
    start, end = place(part)
    return {
        "type": "url_citation",
        "start_index": start,
        "end_index": end,
        "url": f"https://{part[1:-1]}",
    } | more


def change(*edits, text=TEXT):
    made = tuple(Edit(span=Span(start=a, end=b), replacement=new) for a, b, new in edits)
    after = apply(text, made)
    decision = Decision(action=Action.REMOVE, answer=after, edits=made)
    return Change.of(text, Report(case=Case(answer=text), decision=decision))


CUT = (*place(" It has a moat (b.org)."), "")
NOTE = (place("(a.org)")[1], place("(a.org)")[1], " [unverified]")
EVERY = [annotation(f"({name}.org)") for name in "abc"]


def shown(annotations, text):
    return [text[one["start_index"] : one["end_index"]] for one in annotations]


@pytest.mark.parametrize(
    ("edits", "kept"),
    [
        ((CUT,), ["(a.org)", "(c.org)"]),
        ((NOTE,), ["(a.org)", "(b.org)", "(c.org)"]),
        ((NOTE, CUT), ["(a.org)", "(c.org)"]),
    ],
)
def test_places_move(edits, kept):
    """Each that is left is at its words in the new text; that of what is removed is gone."""
    made = change(*edits)
    assert shown(of_text(EVERY, made, None), made.after) == kept


@given(st.data())
def test_any_edits(data):
    """Whatever is cut or put in: what is left is at the same words, and nothing that was touched is left."""
    cuts = sorted(data.draw(st.lists(st.integers(0, len(TEXT)), max_size=8, unique=True)))
    pairs = [
        (a, b, data.draw(st.sampled_from(["", "+", "note"])))
        for a, b in zip(cuts[::2], cuts[1::2], strict=False)
    ]
    made = change(*pairs)
    found = of_text(EVERY, made, None)
    if made.edits or not made.changed:
        untouched = [
            one
            for one in EVERY
            if not any(a < one["end_index"] and one["start_index"] < b for a, b, _ in pairs)
        ]
        assert shown(found, made.after) == shown(untouched, TEXT)


def test_one_point():
    """A file's citation has one place, behind the words that it is for."""
    at = place("(b.org)")[0]
    note = {"type": "file_citation", "file_id": "f1", "index": at}
    assert of_text([note], change(CUT), None) == []
    (moved,) = of_text([note], change(NOTE), None)
    assert moved["index"] == at + len(NOTE[2])


def test_a_note_within_the_words():
    """What is put in there takes nothing away: the annotation is around it."""
    start, end = place("It has a moat (b.org).")
    whole = {"type": "url_citation", "start_index": start, "end_index": end}
    middle = place("moat")[1]
    made = change((middle, middle, " [unverified]"))
    assert shown(of_text([whole], made, None), made.after) == ["It has a moat [unverified] (b.org)."]


@pytest.mark.parametrize(
    "wrapped",
    [
        lambda at: {"type": "file_citation", "file_id": "f1", "file_index": at},
        lambda at: {"type": "citation", "title": "b.pdf", "extras": {"file_id": "f1", "file_index": at}},
        lambda at: {"type": "non_standard_annotation", "value": {"type": "file_path", "index": at}},
    ],
)
def test_langchain_renames_and_wraps(wrapped):
    """OpenAI's annotations as its messages have them, with the place under another name or a level deeper."""
    at = place("(b.org)")[0]
    assert of_text([wrapped(at)], change(CUT), []) == []
    assert of_text([wrapped(at)], change(NOTE), None) == [wrapped(at + len(NOTE[2]))]


def test_without_a_place():
    """It is for some of the text: as long as nothing of that text went, it stays, without what may be prose."""
    one = {"type": "citation", "cited_text": "It has a moat", "url": "https://b.org", "extras": {"n": 1}}
    assert of_text([one], change(NOTE), None) == [one]
    assert of_text([one], change(), ["It has a moat"]) == [{**one, "cited_text": ""}]
    assert of_text([one], change(CUT), ["It has a moat"]) == []


def test_very_many():
    """Each annotation is found without going through all edits: with ten times as many of these it takes ten times as long."""

    def effort(size):
        made = change(*((3 * i, 3 * i + 1, "") for i in range(size)), text="ab " * size)
        notes = [
            {"type": "url_citation", "start_index": 3 * i + 1, "end_index": 3 * i + 2} for i in range(200)
        ]
        return lines_run(lambda: of_text(notes, made, None))

    assert effort(2_000) < 10 * effort(200)


def test_another_text():
    """An answer that is replaced has no citation of the old one."""
    decision = Decision(action=Action.REGENERATE, answer="Other.")
    made = Change.of(TEXT, Report(case=Case(answer=TEXT), decision=decision))
    assert of_text(EVERY, made, []) == []


@pytest.mark.parametrize(
    "odd",
    [
        None,
        "x",
        [1],
        [{"type": "url_citation", "start_index": 5, "end_index": 9_999}],
        [{"type": "url_citation", "start_index": "1"}],
    ],
)
def test_odd(odd):
    """What is no annotation of this text is left out."""
    assert of_text(odd, change(CUT), None) == []


def test_prose_goes():
    """Once text has gone, titles and quotations go too, which may repeat it; numbers, ids and addresses stay."""
    given_ = annotation("(a.org)", title="It has a moat", file_id="f-1")
    (kept,) = of_text([given_], change(CUT), ["It has a moat"])
    assert kept == {**given_, "title": ""}


def test_addresses_that_spell_it_out():
    """An address may have the removed words in it, a fragment too; names of fields that nobody knows go."""
    slug = annotation("(a.org)", url="https://a.org/it-has-a-moat", x={"It has a moat": {}})
    (kept,) = of_text([slug], change(CUT), ["It has a moat"])
    assert kept["url"] == ""
    assert "x" not in kept
    linked = annotation("(a.org)", url="https://a.org/b#:~:text=It%20has%20a%20moat")
    (kept,) = of_text([linked], change(CUT), ["It has a moat"])
    assert kept["url"] == "https://a.org/b"


def test_blocks():
    """Citations of a block stay unless some of its text goes."""
    cited = [{"type": "char_location", "cited_text": "opened in 1904", "document_index": 0}]
    assert of_block(cited, change(NOTE), None) == cited
    assert of_block(cited, change(CUT), ["x"]) == []


def test_what_is_put_right():
    """Its source says it so: the citation stays, unless something else of its block goes."""
    cited = [{"type": "char_location", "cited_text": "opened in 1905", "document_index": 0}]
    right = Edit(span=Span(start=place("1904")[0], end=place("1904")[1]), replacement="1905")
    finding = Finding(
        detector="d", span=right.span, score=1.0, verdict=Verdict.UNSUPPORTED, corrections=(right,)
    )
    cut = Edit(span=Span(start=CUT[0], end=CUT[1]), replacement="")
    for edits, kept in (((right,), 1), ((right, cut), 0)):
        decision = Decision(action=Action.CORRECT, answer=apply(TEXT, edits), edits=edits)
        made = Change.of(TEXT, Report(case=Case(answer=TEXT), findings=(finding,), decision=decision))
        (part,) = made.split([(0, len(TEXT))])
        assert of_block(cited, part, ["1904"]) == [{**cited[0], "cited_text": ""}] * kept


class TestDoors:
    """The bodies of three protocols."""

    def test_chat(self):
        nested = [
            {"type": "url_citation", "url_citation": {k: v for k, v in one.items() if k != "type"}}
            for one in EVERY
        ]
        body = {
            "choices": [
                {"index": 0, "message": {"role": "assistant", "content": TEXT, "annotations": nested}}
            ]
        }
        made = change(CUT)
        message = ChatCompletions().edited(body, 0, [made], made.taken)["choices"][0]["message"]
        assert shown([one["url_citation"] for one in message["annotations"]], message["content"]) == [
            "(a.org)",
            "(c.org)",
        ]
        assert all("type" not in one["url_citation"] for one in message["annotations"])

    def test_responses(self):
        block = {"type": "output_text", "text": TEXT, "annotations": EVERY}
        body = {"output": [{"type": "message", "role": "assistant", "content": [block]}]}
        made = change(CUT)
        (shown_block,) = Responses().edited(body, 0, [made], made.taken)["output"][0]["content"]
        assert shown(shown_block["annotations"], shown_block["text"]) == ["(a.org)", "(c.org)"]

    def test_anthropic(self):
        cited = [{"type": "page_location", "cited_text": "", "document_index": 0, "start_page_number": 1}]
        blocks = [
            {"type": "text", "text": "It is free.", "citations": cited},
            {"type": "text", "text": TEXT, "citations": cited},
        ]
        kept, cut = (change(text=one["text"]) if i == 0 else change(CUT) for i, one in enumerate(blocks))
        body = {"type": "message", "role": "assistant", "content": blocks}
        shown_ = Messages().edited(body, 0, [kept, cut], cut.taken)["content"]
        assert [one["citations"] for one in shown_] == [cited, []]
