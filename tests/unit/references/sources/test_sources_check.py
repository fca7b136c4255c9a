"""`ReferenceCheck(sources=[…])`, in a guard and on the command line, at local servers."""

import asyncio
import json
import sys

import pytest
from benchmarks.references.sources.services import Services, Work
from typer.testing import CliRunner

from guardrail import Guard, Verdict
from guardrail.detectors import ReferenceCheck
from guardrail.references.bibliography.index import Index
from guardrail.references.bibliography.records import Record
from guardrail.references.sources import CATALOGUES
from guardrail.references.sources.pace import Clock
from guardrail.report import Lookup

REAL = Work("Teapots and Their Theory", ("Ada Lovelace", "Alan Turing"), 2011, "Journal of Tests")
ANSWER = """\
1. A. Lovelace, A. Turing, "Teapots and Their Theory", Journal of Tests, 2011.
2. N. Body, "A Theory of Nothing Whatsoever at All", Journal of Tests, 2012.
"""


@pytest.fixture
def services(monkeypatch, tmp_path):
    """The catalogues' addresses in the environment lead to a local server; nobody waits."""
    with Services([REAL]) as services:
        for name, catalogue in CATALOGUES.items():
            monkeypatch.setenv(f"GUARDRAIL_{name.upper()}_URL", services.address(name))
            if catalogue.key_variable:
                monkeypatch.delenv(catalogue.key_variable, raising=False)
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
        monkeypatch.setattr(Clock, "sleep", lambda self, seconds, stop: None)
        monkeypatch.chdir(tmp_path)
        yield services


def verdicts(report):
    return [(finding.verdict, finding.label) for finding in report.findings]


def run(*arguments, **options):
    from guardrail.cli._application import app

    return CliRunner().invoke(app, [str(argument) for argument in arguments], **options)


class TestInAGuard:
    def test_real_and_made_up(self, services):
        """Verified, and made up; the evidence says who was asked what."""
        check = ReferenceCheck(sources=["crossref", "openalex"])
        report = Guard([check]).check(ANSWER)
        assert verdicts(report) == [(Verdict.SUPPORTED, "verified"), (Verdict.UNSUPPORTED, "fabricated")]
        [lookup] = [one for one in report.findings[1].evidence if isinstance(one, Lookup)]
        assert lookup.sources == (
            "Crossref (127.0.0.1: title, first author, year, DOI)",
            "OpenAlex (127.0.0.1: title, DOI, PubMed number)",
        )
        assert report.findings[1].reason == "in none of the sources for its kind of work"
        check.backends()["bibliography"].close()

    def test_asynchronously(self, services):
        """The same."""
        check = ReferenceCheck(sources=["crossref", "openalex"])
        report = asyncio.run(Guard([check]).acheck(ANSWER))
        assert [finding.label for finding in report.findings] == ["verified", "fabricated"]
        check.backends()["bibliography"].close()

    def test_a_source_that_does_not_answer(self, services):
        """Unverified, with the reason."""
        services.fault = lambda asked: "error" if asked.service == "openalex" else None
        check = ReferenceCheck(sources=["crossref", "openalex"])
        report = Guard([check]).check(ANSWER)
        assert verdicts(report) == [(Verdict.SUPPORTED, "verified"), (Verdict.UNVERIFIED, "unknown")]
        assert "openalex: HTTP 503" in report.findings[1].reason
        check.backends()["bibliography"].close()

    def test_what_a_bibliography_knows_is_said_without_a_network(self, services, tmp_path):
        """Wrong authors, another work of that title, another work's DOI: as without the catalogues, which do not answer."""
        services.fault = lambda asked: "error"
        with Index.create(tmp_path / "own.sqlite") as index:
            index.add(
                [Record(REAL.title, REAL.authors, year=2011, venue="Journal of Tests", doi="10.1234/jt.1")]
            )
        answer = (
            '1. N. Body, "Teapots and Their Theory", Journal of Tests, 2011.\n'
            '2. N. Body, "Teapots and Their Theory", Nature, 1999.\n'
            '3. N. Body, "A Theory of Nothing Whatsoever at All", Journal of Tests, 2012, doi:10.1234/jt.1.\n'
        )
        wrong, another, stolen = self.findings(
            {"bibliography": "own.sqlite", "sources": ["crossref", "openalex"]}, answer
        )
        assert (wrong.verdict, wrong.label) == (Verdict.UNSUPPORTED, "misquoted")
        assert wrong.mark == "real work, wrong authors: it is by Lovelace and Turing"
        assert "not every source answered (crossref: HTTP 503; openalex: HTTP 503)" in wrong.reason
        assert (another.verdict, another.label) == (Verdict.UNVERIFIED, "unknown")
        assert another.reason.startswith(
            "only another work with this title was found, by Lovelace and Turing (2011), and a source did not answer (crossref: HTTP 503"
        )
        assert another.evidence[0].work.title == REAL.title
        assert (stolen.verdict, stolen.mark) == (
            Verdict.UNSUPPORTED,
            "the DOI belongs to “Teapots and Their Theory”",
        )

    def findings(self, options, answer):
        check = ReferenceCheck(**options)
        report = Guard([check]).check(answer)
        check.backends()["bibliography"].close()
        return report.findings

    def test_with_a_bibliography(self, services, tmp_path):
        """Which is asked first; so is an index among the sources."""
        with Index.create(tmp_path / "own.sqlite") as index:
            index.add([Record(title=REAL.title, authors=REAL.authors, year=2011, venue="Journal of Tests")])
        for options in (
            {"bibliography": "own.sqlite", "sources": ["crossref"]},
            {"sources": ["crossref", "own.sqlite"]},
        ):
            check = ReferenceCheck(**options)
            services.asked.clear()
            report = Guard([check]).check(ANSWER.splitlines()[0])
            assert verdicts(report) == [(Verdict.SUPPORTED, "verified")]
            assert services.asked == []
            check.backends()["bibliography"].close()

    def test_without_sources_nothing_is_loaded(self):
        """Let alone sent."""
        import subprocess

        code = (
            "import sys; from guardrail.detectors import ReferenceCheck; ReferenceCheck(); "
            "print([name for name in sys.modules if name.startswith(('hishel', 'guardrail.references.sources'))])"
        )
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        assert done.stdout.strip() == "[]"


class TestOnTheCommandLine:
    def test_online(self, services):
        """One real, one made up; the report says where the titles went."""
        done = run("check", "-", "--online", "--json", "-", input=ANSWER)
        report = json.loads(done.stdout)
        assert done.exit_code == 1
        assert [finding["label"] for finding in report["findings"]] == ["verified", "fabricated"]
        assert {"crossref", "openalex", "dblp", "pubmed"} >= {asked.service for asked in services.asked}

    def test_not_online(self, services):
        """Nothing is sent, and the way there is offered."""
        done = run("check", "-", input=ANSWER)
        assert services.asked == []
        assert "--online to ask public catalogues" in done.output

    def test_doctor(self, services, monkeypatch):
        """Which sources there are, and with which key, which is not shown; without --sources nobody is asked."""
        monkeypatch.setenv("OPENALEX_API_KEY", "secret-k3y")
        done = run("doctor", "--json")
        items = {
            item["name"]: item for item in json.loads(done.stdout)["items"] if item["section"] == "sources"
        }
        assert items["crossref"]["detail"] == "needs no key"
        assert items["openalex"]["detail"] == "key of $OPENALEX_API_KEY"
        assert items["courtlistener"]["state"] == "missing"
        assert items["courtlistener"]["mend"] == "export COURTLISTENER_API_TOKEN=KEY"
        assert "k3y" not in done.output
        assert services.asked == []

    def test_doctor_that_asks(self, services, monkeypatch):
        """Whether each answers; what is not there breaks nothing."""
        monkeypatch.setenv("COURTLISTENER_API_TOKEN", "secret-k3y")
        services.fault = lambda asked: "error" if asked.service == "dblp" else None
        done = run("doctor", "--sources", "--json")
        items = {
            item["name"]: item for item in json.loads(done.stdout)["items"] if item["section"] == "sources"
        }
        assert items["crossref"]["detail"] == "needs no key; 127.0.0.1 answers (1 works for a known one)"
        assert items["dblp"]["state"] == "missing"
        assert "HTTP 503" in items["dblp"]["detail"]
        assert {asked.service for asked in services.asked} == {*CATALOGUES}
        assert "k3y" not in done.output

    def test_doctor_without_the_extra(self, monkeypatch):
        """The command that installs it."""
        import importlib.util

        find = importlib.util.find_spec
        monkeypatch.setattr(
            importlib.util, "find_spec", lambda name: None if name == "hishel" else find(name)
        )
        done = run("doctor", "--json")
        [item] = [item for item in json.loads(done.stdout)["items"] if item["section"] == "sources"]
        assert item["mend"] == "pip install 'guardrail-sdk[online]'"
