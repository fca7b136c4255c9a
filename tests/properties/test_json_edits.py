"""Whatever the JSON and the findings: every policy leaves JSON, and what is not edited as it was."""

import json
import re

from hypothesis import given, settings
from hypothesis import strategies as st

from guardrail.policies import Plan, Review, annotate, block, flag, regenerate, remove
from guardrail.report import Action, Case, Finding, Verdict
from guardrail.text.json_values import decoded, json_values

WORDS = st.sampled_from(
    [
        'Of "Ink"',
        "Tea\\Leaves",
        "Über Zölle",
        "数学之美",
        "Dust\n& Salt",
        "A",
        "b, c",
        "{}",
        "[1]",
        "😀",
        "```",
    ]
)
PLAIN = st.one_of(WORDS, st.integers(-9, 9_999), st.booleans(), st.none(), st.just([]), st.just({}))
VALUES = st.recursive(
    PLAIN,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(WORDS, inner, max_size=3)),
    max_leaves=8,
)
VERDICTS = st.sampled_from([None, Verdict.UNSUPPORTED, Verdict.UNVERIFIED, Verdict.SUPPORTED])
ENTRIES = st.lists(st.tuples(WORDS, VALUES, VERDICTS), max_size=5)
SHAPES = st.sampled_from(["array", "object", "deep", "keys", "lines", "fence"])
INDENTS = st.sampled_from([None, 0, 2, "compact"])
POLICIES = st.sampled_from(
    [
        flag(), annotate(), remove(), block(), annotate() | remove(), remove() | annotate(on="unverified"), regenerate(2) | remove(),
        remove(on={"unsupported", "unverified"}), Plan(remove(), on_unverified="annotate"), Plan(remove(), on_unverified="block"),
    ]
)  # fmt: skip


def written(value, indent):
    if indent == "compact":
        return json.dumps(value, separators=(",", ":"))
    return json.dumps(value, indent=indent, ensure_ascii=False)


def answer_of(entries, shape, indent):
    """The answer, and how its JSON is got out of it."""
    objects = [
        {"number": f"entry {n}", "said": word, "more": value} for n, (word, value, _) in enumerate(entries)
    ]
    if shape == "lines":
        lines = "\n".join(written(one, None if indent in {0, 2} else indent) for one in objects)
        return lines, lambda text: [json.loads(line) for line in text.split("\n") if line]
    value = {
        "array": objects,
        "fence": {"list": [7, *objects, "end"]},
        "object": {"n": 1, "list": objects},
        "deep": [[{"a": objects}], []],
        "keys": {f"k{n}": one for n, one in enumerate(objects)},
    }[shape]
    text = written(value, indent)
    if shape != "fence":
        return text, json.loads
    around = f"Here you are:\n\n```json\n{text}\n```\n\nThat is all."
    return around, lambda text: json.loads(re.search(r"```json\n(.*)\n```", text, re.DOTALL)[1])


def spans_of(text):
    """Where each entry is."""
    found = {}
    for root in json_values(text):
        for value in root.within():
            if value.key == "number" and value.kind == "string":
                said = decoded(text, value.start, value.end).text
                found[int(said.split()[1])] = value.parent
    return found


def entries_in(value):
    """The entries in what is left, by number."""
    if isinstance(value, dict) and "number" in value:
        yield int(value["number"].split()[1]), value
    elif isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from entries_in(inner)


@given(ENTRIES, SHAPES, INDENTS, POLICIES)
@settings(max_examples=600, deadline=None)
def test_every_policy_leaves_json_and_the_other_entries(entries, shape, indent, policy):
    """Any subset of the entries is found wrong, unverified or right."""
    text, read = answer_of(entries, shape, indent)
    places = spans_of(text)
    findings = [
        Finding(
            detector="test",
            span={"start": places[n].start, "end": places[n].end},
            text=f"entry {n}",
            score=None if verdict is Verdict.UNVERIFIED else float(verdict is Verdict.UNSUPPORTED),
            verdict=verdict,
            reason="because",
            mark='no "such" work',
        )
        for n, (_, _, verdict) in enumerate(entries)
        if verdict is not None
    ]
    decision = policy.decide(Review(Case(answer=text), findings=tuple(findings)))
    if decision.action is Action.BLOCK and shape == "fence":
        assert decision.answer.startswith("This answer was withheld")
        return
    left = read(decision.answer)
    if decision.action is Action.BLOCK:
        assert "guardrail" in (left[0] if shape == "lines" else left)
        return
    remaining = dict(entries_in(left))
    for n, (word, value, _) in enumerate(entries):
        if n in remaining:
            entry = dict(remaining[n])
            marked = entry.pop("guardrail", None)
            assert entry == {"number": f"entry {n}", "said": word, "more": value}
            assert marked in {None, "no such work", 'no "such" work'}
    edits = {finding.text for finding in findings if finding.verdict is Verdict.UNSUPPORTED}
    if decision.action is Action.REMOVE:
        assert {f"entry {n}" for n in range(len(entries)) if n not in remaining} >= edits


@given(
    st.recursive(
        PLAIN, lambda inner: st.lists(inner) | st.dictionaries(st.text(max_size=4), inner), max_leaves=12
    ),
    INDENTS,
)
@settings(max_examples=300, deadline=None)
def test_values_are_found_where_they_are(value, indent):
    """Every object, array and string that is read reads the same from its place alone."""
    text = written([{"value": value}], indent)
    for root in json_values(text):
        for one in root.within():
            piece = text[one.start : one.end]
            assert one.kind != "string" or json.loads(piece) == decoded(text, one.start, one.end).text
            json.loads(piece)


@given(
    st.lists(
        st.sampled_from(
            ['{"a": ', "[", "]", "}", '"', ",", ":", " ", "1", "\\", "\\u00e9", "\\ud800", "x", "```", "\n"]
        )
    ).map("".join)
)
@settings(max_examples=400, deadline=None)
def test_broken_json_breaks_nothing(text):
    """Any signs in any order: values within the text, in order, each within its own."""
    for root in json_values(text):
        for value in root.within():
            assert 0 <= value.start < value.end <= len(text)
            assert value.parent is None or value.parent.start < value.start <= value.end <= value.parent.end
