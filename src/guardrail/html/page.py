"""From a view to HTML: the template, its filters, and the policy that the page sets itself."""

from __future__ import annotations

import base64
import hashlib
import html
import re
import unicodedata
from functools import cache
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

from guardrail.html.view import View
from guardrail.report import Report

if TYPE_CHECKING:
    from jinja2 import Template
    from markupsafe import Markup

# Zero-width joiner and non-joiner shape Indic and Arabic script and emoji; they stay as they are.
_INVISIBLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b\u200e\u200f\u2028-\u202e"
    "\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e0fff]"
)


def render(report: Report) -> str:
    """The report as a complete HTML document."""
    report = report.model_copy(update={"findings": report.judged})  # what claims nothing is plain text
    return filled("guardrail.html", "report", view=View(report), report=report)


def framed(report: Report) -> str:
    """The page in a frame of its own, for a notebook: its styles stay in it, and it runs nothing."""
    page = html.escape(render(report), quote=True)
    style = "width: 100%; height: 32rem; border: 1px solid #8886; resize: vertical; overflow: auto"
    return f'<iframe srcdoc="{page}" sandbox title="report" loading="lazy" style="{style}"></iframe>'


def write(report: Report, path: str | Path) -> Path:
    """Write the report to a file, in UTF-8, and return its path."""
    target = Path(path)
    target.write_text(render(report), encoding="utf-8", newline="\n")
    return target


def filled(package: str, name: str, **content: Any) -> str:
    """A document from a package's template, with the report's style sheet and one that the template has of its own."""
    template, css, policy = _template(package, name)
    return template.render(css=css, policy=policy, **content)


@cache
def _template(package: str, name: str) -> tuple[Template, str, str]:
    from jinja2 import Environment, StrictUndefined

    sheets = dict.fromkeys((("guardrail.html", "report.css"), (package, f"{name}.css")))
    css = "\n".join(resources.files(of).joinpath(sheet).read_text(encoding="utf-8") for of, sheet in sheets)
    digest = base64.b64encode(hashlib.sha256(css.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    environment = Environment(
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    filters = (visible, spelt_out, number, fixed, few, many)
    environment.filters |= {one.__name__: one for one in filters}
    source = resources.files(package).joinpath(f"{name}.html.j2").read_text(encoding="utf-8")
    return environment.from_string(source), css, policy


def visible(text: str) -> Markup:
    r"""Escaped text in which invisible characters are spelt out.

    Example:
        >>> str(visible("<b>\u202e"))
        '&lt;b&gt;<span class="control" title="RIGHT-TO-LEFT OVERRIDE">U+202E</span>'
    """
    from markupsafe import Markup, escape

    pieces: list[str] = []
    position = 0
    text = text.replace("\r\n", "\n")
    for match in _INVISIBLE.finditer(text):
        name = unicodedata.name(match.group(), "control character")
        pieces += [
            escape(text[position : match.start()]),
            Markup('<span class="control" title="{}">U+{:04X}</span>').format(name, ord(match.group())),
        ]
        position = match.end()
    return Markup("").join([*pieces, escape(text[position:])])


def spelt_out(text: str) -> str:
    r"""Text for an attribute, where no element can be; invisible characters are spelt out, escaping comes later.

    Example:
        >>> spelt_out("a\u202eb")
        'a[U+202E]b'
    """
    return _INVISIBLE.sub(lambda match: f"[U+{ord(match.group()):04X}]", text.replace("\r\n", "\n"))


def number(value: float | None, digits: int = 3) -> str:
    """A number for people; `None` is a dash.

    Example:
        >>> [number(x) for x in (None, 0.93412, 12.0, 12345.6, 2.5, 1e-9)]
        ['–', '0.934', '12', '12,346', '2.5', '1.0e-09']
        >>> number(0.0004, 2)
        '< 0.01'
    """
    if value is None:
        return "–"
    if float(value).is_integer() or abs(value) >= 1000:
        return f"{value:,.0f}" if abs(value) < 1e15 else f"{value:.2e}"
    if abs(value) < 0.5 * 10**-digits:
        return f"{value:.1e}" if digits > 2 or value < 0 else f"< {10**-digits:g}"
    return f"{value:.{digits}f}".rstrip("0").rstrip(".")


def fixed(value: float | None) -> str:
    """A figure of a table, with three decimals, so that those below each other can be compared; `None` is a dash."""
    return "–" if value is None else f"{value:.3f}"


def few(text: str, limit: int = 160) -> str:
    """The beginning of a long text."""
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"


def many(count: int, noun: str) -> str:
    """A count with its noun.

    Example:
        >>> many(1, "reply"), many(2, "reply"), many(2, "edit")
        ('1 reply', '2 replies', '2 edits')
    """
    if count == 1:
        return f"1 {noun}"
    return f"{count:,} {noun[:-1] + 'ies' if noun.endswith('y') else noun + 's'}"
