"""The check of every door in front of a real model sees what is lost and what comes through."""

import json

import pytest
from integrations.stack import Digits, Seen, faults_of

from guardrail import Guard, remove

ANSWER = "It is a tower in Paris. It was built in 1889 by a firm. Many people like it."


@pytest.fixture
def report():
    return Guard([Digits()], policy=remove()).check(ANSWER)


def test_nothing_is_wrong(report):
    """The guard's own answer, and a call of a tool without any."""
    assert "1889" not in report.answer
    assert faults_of(Seen(report.answer, json.dumps(report.answer)), [report]) == []
    assert faults_of(Seen("", "{}", ("weather",)), []) == []


@pytest.mark.parametrize(
    ("seen", "fault"),
    [
        (Seen(ANSWER, ""), "a removed sentence came through"),
        (Seen("It is a tower in Paris.", ""), "another text than the guard's"),
        (Seen('{"a": ', "", is_json=True), "no JSON"),
    ],
)
def test_a_fault(report, seen, fault):
    """In the text, or of it."""
    assert fault in faults_of(seen, [report])


def test_a_removed_sentence_anywhere_in_the_body(report):
    """Also where only a part of a stream has it, as JSON writes it."""
    assert faults_of(Seen(report.answer, json.dumps({"delta": ANSWER})), [report]) == [
        "a removed sentence came through"
    ]


def test_no_report():
    """An answer that no guard saw."""
    assert faults_of(Seen("Hello.", ""), []) == ["no report"]


def test_json_without_a_text_needs_no_report():
    """There is nothing to examine; where there is a text, there is."""
    assert faults_of(Seen('{"papers": [], "n": 3}', "", is_json=True), []) == []
    assert faults_of(Seen('{"papers": ["Tea"]}', "", is_json=True), []) == ["no report"]
