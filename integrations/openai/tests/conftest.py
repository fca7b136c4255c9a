"""A chat service, and guarded clients of it."""

from __future__ import annotations

import pytest
from integrations.openai.tests.openai_fakes import client_of, guard, says
from openai import OpenAI

from guardrail.testing.server import serve
from guardrail_openai import guard_openai


@pytest.fixture(scope="module")
def url():
    with serve(says) as service:
        yield service.base_url


@pytest.fixture
def made(url):
    """Guarded clients of a policy; what they share connections with is closed afterwards."""
    owners = []

    def make(policy, kind="sync", **options):
        given = client_of(kind, url)
        owners.append(given)
        return guard_openai(given, guard(policy), **options)

    yield make
    for one in owners:
        if isinstance(one, OpenAI):
            one.close()
