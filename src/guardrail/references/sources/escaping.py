"""What comes from an answer, made harmless for an address or a query language. Whoever wrote the answer is not trusted."""

from __future__ import annotations

import re
from urllib.parse import quote

from guardrail.references.bibliography.normalise import normalise
from guardrail.references.bibliography.titles import FUNCTION_WORDS

LONGEST = 300  # characters of a title that are sent
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")


def segment(text: str) -> str:
    """One segment of an address: nothing in it ends the segment, and it is not a step up.

    Example:
        >>> segment("10.1000/a?b#c/../d")
        '10.1000%2Fa%3Fb%23c%2F..%2Fd'
    """
    escaped = quote(_CONTROL.sub("", text)[:LONGEST], safe="")
    return escaped.replace(".", "%2E") if set(escaped) <= {"."} else escaped


def words(text: str, most: int = LONGEST) -> str:
    r"""A text as plain words in lower case: no operator of any query language is among them.

    Operators are signs, which go, or AND, OR, NOT and TO, which are operators in capitals only.

    Example:
        >>> words('Teapots" OR all:* AND (title:"x") \n NOT {!lucene}')
        'teapots or all and title x not lucene'
    """
    plain = normalise(text[: 4 * most])
    return plain if len(plain) <= most else plain[: most + 1].rpartition(" ")[0] or plain[:most]


def content_words(text: str, most: int = 12) -> list[str]:
    """The words of a title that say something, each once, at most so many."""
    found = list(dict.fromkeys(words(text).split()))
    return [word for word in found if word not in FUNCTION_WORDS][:most] or found[:most]
