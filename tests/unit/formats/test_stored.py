"""Files that guardrail wrote are read by every later version, and those of a newer one are refused with what to do.

Each file here was written by version 0.1.0 (2026-11-30): the report by `guardrail check --json`, with a finding added that
has the other kinds of evidence; the run by `guardrail evaluate`, the certificate and the probabilities by `guardrail
calibrate`, the recording by `RecordedChat(record_from=…)`, the fits by `save`. They stay as they are. Whoever changes a format
raises its version, adds a file of it, and keeps reading these.

Of indexes and knowledge bases: references/bibliography/test_index.py and logic/knowledge/test_base.py.
"""

import json
from pathlib import Path
from shutil import copytree

import pytest
from pydantic import ValidationError

from guardrail.calibration import Certificate, Probabilities
from guardrail.chat import RecordedChat
from guardrail.errors import ConfigError, InputError
from guardrail.evaluation import read_rows, read_run
from guardrail.memory.external import read_fit as read_memory_fit
from guardrail.report import Report
from guardrail.requests import Ask, Untrusted, system, user
from guardrail.selfcheck.ensemble.fits import read_fit as read_ensemble_fit

HERE = Path(__file__).parent
STORED = {
    "certificate-1.json": Certificate.load,
    "probabilities-1.json": Probabilities.load,
    "ensemble-fit-1.json": read_ensemble_fit,
    "memory-fit-1.json": read_memory_fit,
}


def content(name):
    return json.loads((HERE / name).read_text(encoding="utf-8"))


def kept(old, new):
    """Whether all that a file says is said by another: fields may be added, none may go or change."""
    if isinstance(old, dict) and isinstance(new, dict):
        return all(name in new and kept(value, new[name]) for name, value in old.items())
    if isinstance(old, list) and isinstance(new, list):
        return len(old) == len(new) and all(map(kept, old, new))
    return old == new


class TestReport:
    def test_is_read(self):
        """With every kind of evidence; written again, it says the same."""
        report = Report.model_validate_json((HERE / "report-1.json").read_bytes())
        assert {one.kind for finding in report.findings for one in finding.evidence} == {
            "attribution", "lookup", "measurement", "passage", "proof", "replies",
        }  # fmt: skip
        assert kept(content("report-1.json"), json.loads(report.model_dump_json()))

    def test_of_a_newer_version(self):
        """The only error is the version, whatever else the file has."""
        newer = content("report-1.json") | {"schema_version": 2, "colour": "red"}
        with pytest.raises(
            ValidationError, match="expected schema_version 1, got 2: update guardrail-sdk"
        ) as caught:
            Report.model_validate(newer)
        assert caught.value.error_count() == 1


class TestLearnt:
    @pytest.mark.parametrize("name", STORED)
    def test_are_read(self, name, tmp_path):
        """Saved again, each says the same."""
        found = STORED[name](HERE / name)
        found.save(tmp_path / name)
        assert kept(content(name), json.loads((tmp_path / name).read_text(encoding="utf-8")))

    @pytest.mark.parametrize("name", STORED)
    def test_of_a_newer_version(self, name, tmp_path):
        """Both versions are named, and the file."""
        version = "form" if "format" not in content(name) else "format"
        path = tmp_path / name
        path.write_text(json.dumps({"colour": "red"} | content(name) | {version: 2}), encoding="utf-8")
        with pytest.raises(ConfigError, match=rf"{version} 1\b.*\b2\b.*update guardrail-sdk") as caught:
            STORED[name](path)
        assert name in str(caught.value)


class TestRun:
    def test_is_read(self):
        """The run, and its rows with scores and labels."""
        run = read_run(HERE / "run-1")
        assert (run.answers, list(run.scales)) == (4, ["selfcheck-ngram"])
        rows = list(read_rows(HERE / "run-1"))
        assert [(row.verdict, row.answer_label) for row in rows] == [
            ("supported", False), ("unsupported", True),
        ] * 2  # fmt: skip

    def test_of_a_newer_version(self, tmp_path):
        """What to do is said."""
        place = Path(copytree(HERE / "run-1", tmp_path / "run"))
        (place / "manifest.json").write_text(json.dumps(content("run-1/manifest.json") | {"format": 2}))
        with pytest.raises(InputError, match=r"expected format 1 in .*, got 2: update guardrail-sdk"):
            read_run(place)


class TestRecording:
    def test_is_replayed(self):
        """Its requests have the same keys, so that none is asked again."""
        chat = RecordedChat(HERE / "recording-1.jsonl", strict=True)
        asks = [
            Ask((user("Who wrote Silent Spring?"),)),
            Ask(
                (system("Answer yes or no."), user("Is this so: ", Untrusted("It rained."))),
                temperature=1.0,
                draw=2,
            ),
        ]
        assert [one.value.text for one in chat.answer(asks)] == ["Rachel Carson", "No"]
