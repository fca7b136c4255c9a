"""How long a service asks to wait: one reader for chat services, catalogues, OpenSearch and SPARQL."""

import httpx
import pytest

from guardrail.engine.retry_after import retry_after


class TestRetryAfter:
    @pytest.mark.parametrize(
        ("headers", "expected"),
        [
            ({}, None),
            ({"retry-after": "1.5"}, 1.5),
            ({"retry-after-ms": "250", "retry-after": "9"}, 0.25),
            ({"retry-after": "-4"}, 0.0),
            ({"retry-after": "nan"}, None),
            ({"retry-after": "inf"}, None),
            ({"retry-after": "soon"}, None),
            ({"retry-after": "Thu, 01 Jan 1970 00:01:40 GMT"}, 60.0),
            ({"retry-after": "Thu, 01 Jan 1970 00:00:10 GMT"}, 0.0),
            ({"retry-after": "Thu, 01 Jan 99999 00:01:40 GMT"}, None),
            ({"retry-after": "Thu, 01 Jan 1970 00:01:40 +9999999999999999"}, 0.0),
            ({"retry-after": "Thu, 01 Jan 99999999999999999999 00:01:40 GMT"}, None),
            ({"retry-after": "9" * 400}, None),
        ],
    )
    def test_reads(self, headers, expected):
        """Seconds, milliseconds, or a date (100 s after the epoch, read at 40 s: 60 s)."""
        assert retry_after(headers, now=40.0) == expected

    def test_names_are_found_as_httpx_has_them(self):
        """In any case."""
        assert retry_after(httpx.Headers({"Retry-After": "3"})) == 3.0
