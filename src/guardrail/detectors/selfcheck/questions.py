"""The answers that a multiple-choice question of the QA variant offers.

Source: [manakul2023] Appendix B, eqs. 14 and 15.
"""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["OPTIONS", "options"]

OPTIONS = 4
"""How many answers a question offers, the right one included."""


def options(answer: str, distractors: Sequence[str]) -> tuple[str, ...] | None:
    """The `OPTIONS` answers that a question offers, the right one first; `None` without a wrong one.

    As in the paper's package, the last one is repeated where there are too few. Differs: there, blank
    distractors count, and more than three are an error; here the blank ones and those behind the third are
    left out.

    Example:
        >>> options("1815", ["1816", " ", "1852"])
        ('1815', '1816', '1852', '1852')
        >>> options("1815", [""]) is None
        True
    """
    wrong = [text.strip() for text in distractors if text.strip()][: OPTIONS - 1]
    if not wrong:
        return None
    return (answer, *wrong, *[wrong[-1]] * (OPTIONS - 1 - len(wrong)))
