"""How long a service asks to wait, as its headers say it."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from email.utils import mktime_tz, parsedate_tz


def retry_after(headers: Mapping[str, str], now: float | None = None) -> float | None:
    """Seconds to wait, at least 0, from `retry-after-ms` or `retry-after` (seconds or an HTTP date); `None` if not said or not readable.

    Args:
        headers: of a reply; the names in lower case, unless the mapping takes any case, as that of httpx does.
        now: seconds since the epoch, for dates; by default the clock's.

    Example:
        >>> retry_after({"retry-after": "2"})
        2.0
        >>> retry_after({"retry-after": "Thu, 01 Jan 1970 00:01:40 GMT"}, now=40.0)
        60.0
    """
    for name, unit in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        value = headers.get(name)
        if value is None:
            continue
        try:
            seconds = float(value) / unit
        except ValueError:
            date = _moment(value)
            seconds = math.nan if date is None else date - (time.time() if now is None else now)
        if math.isfinite(seconds):
            return max(0.0, seconds)
    return None


def _moment(text: str) -> float | None:
    """Seconds since the epoch of an HTTP date."""
    parsed = parsedate_tz(text)
    try:
        return None if parsed is None else mktime_tz(parsed)
    except (ValueError, OverflowError):  # the year 99999
        return None
