"""The pytest plugin: a fixture `guardrail_check`, and where its options are. See docs/testing-prompts.md.

Every run of pytest on a machine with guardrail loads this module, so that it imports nothing before the fixture is asked for.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from guardrail.testing.answers import AnswerCheck

_INI = "guardrail_options"
_FILE = "guardrail.toml"


def pytest_addoption(parser: pytest.Parser) -> None:
    """One entry of pytest's configuration file."""
    parser.addini(
        _INI,
        f"how guardrail_check examines answers: options of `guardrail mcp`; without any, the {_FILE} next to this file, if there is one",
        type="args",
    )


@pytest.fixture(scope="session")
def guardrail_check(pytestconfig: pytest.Config) -> Iterator[AnswerCheck]:
    """Examine an answer: `guardrail_check(answer, context=…)` gives a report, `guardrail_check.assert_supported(answer, context=…)` fails the test."""
    from guardrail.errors import GuardrailError
    from guardrail.testing.answers import AnswerCheck

    folder = pytestconfig.rootpath
    options = pytestconfig.getini(_INI)
    if not options and (folder / _FILE).is_file():
        options = ["--config", _FILE]
    try:
        check = AnswerCheck(options, folder=folder)
    except GuardrailError as error:
        pytest.fail(f"{_INI}: {error}", pytrace=False)
    with check:
        yield check
