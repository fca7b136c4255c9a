"""Claims in six languages, and how they are judged."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from benchmarks._data import data_dir
from benchmarks.entailment.measuring.languages import Claim, claims, written_rows

from guardrail.errors import InputError


@pytest.mark.data
def test_half_of_each_language_is_borne_out() -> None:
    """And every document has text, whether it is a page of WiCE or was written for the set."""
    some = list(claims(data_dir("grounding")))
    assert Counter((one.language, one.across, one.supported) for one in some) == {
        (language, across, supported): 30 if across else 16
        for language in ("de", "es", "fr", "it", "ja", "zh")
        for across in (True, False)
        for supported in (True, False)
    }
    assert all(one.supported == (one.kind == "true") and len(one.document) > 100 for one in some)


def test_says_what_is_absent(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"labelled claims and their pages.*languages\.jsonl"):
        list(claims(tmp_path))


def test_rows() -> None:
    """A true claim that is less likely entailed than not counts as accused; the rest is ranked."""
    some = [Claim("de", True, "d", "c", supported, "true") for supported in (True, True, False, False)]
    rows = written_rows("claims", some, np.array([0.9, 0.4, 0.3, 0.5]), range(4))
    assert [row.ours for row in rows] == [0.75, 0.5]
