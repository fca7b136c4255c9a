"""What a developer sees who has set up no logging. In processes of their own: pytest itself listens to the log."""

import logging
import subprocess
import sys
from pathlib import Path

import pytest

from guardrail import Guard
from guardrail.detectors import ReferenceCheck
from guardrail.engine.flow import Reason
from guardrail.report import DetectorFailure

PROGRAM = """
import logging, warnings
from guardrail import Detector, Guard

warnings.simplefilter("error")

class Broken(Detector):
    name = "broken"

    def cost(self, case):
        return {}

    def examine(self, case):
        yield from ()
        raise (KeyError if "other" in case.answer else ValueError)(f"a bug that quotes {case.answer}")

guard = Guard([Broken()])
"""
FIRST = (
    "guardrail: detector 'broken' could not finish (ValueError) and checked nothing; report.failures has the traceback. "
    "Shown once: logging.basicConfig() shows each time"
)


ENTRY = (
    "@book{teapots, title={The Ontology of Imaginary Teapots}, author={Quentin Winterbottom}, year={2019}}"
)
CITED = f"""
from guardrail.chat import ScriptedChat
from guardrail.detectors import ReferenceCheck

guard = Guard([ReferenceCheck()])
check = lambda guard: guard.check({ENTRY!r}).findings[0].reason
"""


@pytest.fixture
def run():
    def errors(code):
        command = [sys.executable, "-c", PROGRAM + code]
        return subprocess.run(command, capture_output=True, text=True, check=True).stderr.splitlines()

    return errors


class TestDetectorsThatBreak:
    def test_are_shown_where_nobody_listens(self, run):
        """By Python's last resort, without a word of the answer."""
        assert run("guard.check('Xyzzyville.')") == [FIRST]

    def test_are_shown_once_for_each_kind(self, run):
        """Not once per answer."""
        again = run("for text in ('a', 'b', 'other', 'another'): guard.check(text)")
        assert again == [FIRST, FIRST.replace("ValueError", "KeyError")]

    def test_are_shown_by_each_guard(self, run):
        """A cell of a notebook that is run again makes a guard again."""
        assert run("guard.check('a'); Guard([Broken()]).check('a')") == [FIRST, FIRST]

    def test_one_that_took_too_long_has_no_traceback(self, caplog):
        """Nothing raised, so no exception is named."""
        late = DetectorFailure(detector="slow", reason=Reason.DEADLINE, detail="the time is up")
        with caplog.at_level(logging.WARNING, "guardrail"):
            Guard([ReferenceCheck()])._tell_failure(late)
        told = [record for record in caplog.records if record.message == "detector_failed"]
        assert [hasattr(record, "error") for record in told] == [False]

    def test_are_events_where_somebody_listens(self, run):
        """One for each answer, and nothing else."""
        code = "logging.basicConfig(format='%(message)s %(detector)s %(reason)s %(error)s')\n"
        code += "for text in 'ab': guard.check(text)"
        assert run(code) == ["detector_failed broken bug ValueError"] * 2

    @pytest.mark.parametrize(
        "setting",
        [
            "logging.getLogger('guardrail').setLevel(logging.ERROR)",
            "logging.getLogger('guardrail').addHandler(logging.NullHandler())",
        ],
    )
    def test_can_be_silenced(self, run, setting):
        """As any log."""
        assert run(f"{setting}; guard.check('a')") == []

    def test_other_events_stay_silent(self, run):
        """They belong to single answers, and their fields would be missing."""
        assert run("from guardrail._log import log\nlog.error('cache_failed', path='x')") == []

    def test_are_said_once_by_a_command(self, run, tmp_path):
        """Which prints them with the rest of the report."""
        (tmp_path / "answer.txt").write_text("Xyzzyville lies on a river.")
        code = "from guardrail.cli import main\nfrom guardrail.detectors import ReferenceCheck\n"
        code += "ReferenceCheck.examine = Broken.examine\n"
        code += f"try: main(['check', {str(tmp_path / 'answer.txt')!r}, '--detector', 'references'])\n"
        assert run(f"{code}except SystemExit as end: assert end.code == 3, end.code") == []


class TestReferencesWithNobodyToAsk:
    def test_are_shown_once(self, run):
        """With what to write; the finding says what was lacking."""
        code = "reason = 'nothing was given to look it up in, and no chat model was given to ask about it'\n"
        [line] = run(f"{CITED}{code}assert [check(guard), check(guard)] == [reason] * 2")
        assert "ReferenceCheck(bibliography='refs.bib')" in line
        assert "Teapots" not in line

    @pytest.mark.parametrize(
        "code",
        [
            "check(Guard([ReferenceCheck()], chat=ScriptedChat(lambda _: 'No')))",  # how the only-model way is used
            "guard.check('It was built in 1904.')",  # no reference, so nobody is missed
            "check(Guard([ReferenceCheck(bibliography='refs.bib')]))",
        ],
    )
    def test_are_no_fault_where_somebody_is_asked(self, run, code, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        Path("refs.bib").write_text(ENTRY)
        assert run(CITED + code) == []

    def test_a_model_that_cannot_answer_says_why_itself(self, run):
        """It was given, so nobody is told to give one."""
        code = (
            "from guardrail.chat import OpenAIChat\n"
            "from openai import AsyncOpenAI\n"
            "model = OpenAIChat('m', async_client=AsyncOpenAI(api_key='none'))\n"
            "assert 'only an asynchronous client' in check(Guard([ReferenceCheck()], chat=model))"
        )
        assert run(CITED + code) == []

    def test_are_an_event_where_somebody_listens(self, run):
        """Once, too: it is said of the guard, not of an answer."""
        code = "logging.basicConfig(format='%(message)s %(detector)s')\ncheck(guard); check(guard)"
        assert run(CITED + code) == ["nobody_to_ask references"]
