"""The live benchmark: what is recorded is replayed to the last digit, and truth comes from bibliographies and labels."""

from __future__ import annotations

import random
from argparse import Namespace
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from benchmarks._table import Run
from benchmarks.live import run as live
from benchmarks.live.answers import paired
from benchmarks.live.asked import Asked, slim
from benchmarks.live.labels import Labels
from benchmarks.live.references import Known

from guardrail.chat import read_recording
from guardrail.engine.backend import Backend
from guardrail.engine.flow import Answer, Cost, Reply
from guardrail.report import Action, Case, Decision, Finding, Report, Span
from guardrail.requests import Ask, Completion

NOBODY = Labels({}, {}, frozenset(), {})


class Wavering(Backend[Ask]):
    """Names a work, and says Yes or No, by the request alone."""

    fingerprint = "wavering"
    concurrency = 4

    def answer(self, requests: Sequence[Ask]) -> list[Reply[Completion]]:
        return [
            Answer(Completion(self._said(one), "wavering", "stop"), Cost(calls=1, seconds=0.123456))
            for one in requests
        ]

    def _said(self, ask: Ask) -> str:
        drawn = random.Random(repr(ask))
        if "Name three" in ask.messages[-1].text:
            name = drawn.choice(["roads", "ways"])
            return f'1. Smith, J. (2019). "Deep {name} for networks". Journal of Things.\n2. Vaswani, A. (2017). "Attention Is All You Need". NeurIPS.'
        return drawn.choice(["Yes.", "No.", "Smith, J."])


def of(part: str) -> Run:
    return Run("live", fast=True, options=Namespace(only=[part], topics=1))


class TestReplay:
    @pytest.mark.parametrize("part", ["references", "regenerate"])
    def test_a_replay_is_the_recording_to_the_last_digit(
        self, part: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """In another process, too, where fences have another salt."""
        run, path = of(part), tmp_path / "replies.jsonl"
        recorded = list(live._of_model(run, Asked(path, "wavering", record_from=Wavering(), say=str)))
        monkeypatch.setattr("guardrail.text.fence._salt", b"of another process")
        replayed = list(live._of_model(run, Asked(path, "wavering", say=str)))
        assert len(recorded) > 5
        assert replayed == recorded

    def test_without_prompts_the_figures_are_the_same(self, tmp_path: Path) -> None:
        run, path, small = of("references"), tmp_path / "replies.jsonl", tmp_path / "small.jsonl"
        recorded = list(live._of_model(run, Asked(path, "wavering", record_from=Wavering(), say=str)))
        slim(path, small)
        assert list(live._of_model(run, Asked(small, "wavering", say=str))) == recorded
        assert small.stat().st_size < path.stat().st_size / 2
        assert all(entry.request is None for entry in read_recording(small))

    def test_an_interrupted_run_goes_on(self, tmp_path: Path) -> None:
        run, path = of("references"), tmp_path / "replies.jsonl"
        list(live._of_model(run, Asked(path, "wavering", record_from=Wavering(), say=str)))
        whole = path.read_bytes()
        path.write_bytes(b"".join(whole.splitlines(keepends=True)[:7]))
        list(live._of_model(run, Asked(path, "wavering", record_from=Wavering(), say=str)))
        assert set(path.read_bytes().splitlines()) == set(whole.splitlines())


class TestTruth:
    def test_a_work_is_known_by_its_title_and_an_author(self) -> None:
        answer = "A. Vaswani: Attention Is All You Need. K. Nobody: Attention is all you need. Deep roads."
        titles = ["Attention Is All You Need", "Deep roads"]
        spans = [Span(start=answer.index(one), end=answer.index(one) + len(one)) for one in titles]
        findings = tuple(
            Finding(detector="references", verdict=None, reason="not judged", span=span, text=span.of(answer))
            for span in spans
        )
        report = Report(
            case=Case(answer=answer), findings=findings, decision=Decision(action=Action.FLAG, answer=answer)
        )
        run = of("references")
        assert Known(run, NOBODY).invented(report) == {titles[0]: False, titles[1]: True}
        labelled = replace(NOBODY, real=frozenset({"deeproads"}))
        assert Known(run, labelled).invented(report) == dict.fromkeys(titles, False)

    def test_another_author_s_work_is_not_that_work(self) -> None:
        answer = "K. Nobody: Attention is all you need."
        span = Span(start=11, end=len(answer) - 1)
        finding = Finding(
            detector="references", verdict=None, reason="not judged", span=span, text=span.of(answer)
        )
        report = Report(
            case=Case(answer=answer),
            findings=(finding,),
            decision=Decision(action=Action.FLAG, answer=answer),
        )
        assert list(Known(of("references"), NOBODY).invented(report).values()) == [True]


def test_every_second_question_has_the_passages_of_another() -> None:
    questions = paired(of("documents"), 6)
    own = {one.question: one.passages for one in questions if one.answerable}
    assert [one.answerable for one in questions] == [True, False] * 3
    assert all(one.passages and one.passages not in own.values() for one in questions if not one.answerable)


class TestBadInput:
    def test_a_live_run_says_what_is_missing(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert live.main(["--base-url", "http://127.0.0.1:9/v1"]) == 2
        assert "--record FILE" in capsys.readouterr().err

    def test_a_recording_of_nothing(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        empty = tmp_path / "empty.jsonl"
        empty.write_text("")
        assert live.main(["--replay", str(empty)]) == 2
        assert "recording of a model's replies" in capsys.readouterr().err
