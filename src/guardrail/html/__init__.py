"""A report as one HTML file: `render(report)` gives the text, `write(report, path)` the file, `framed(report)` a notebook's.

The file loads nothing, runs no script, and its Content-Security-Policy forbids both. Whatever came from a
model, a document or a person is escaped, never a link, and characters that one cannot see (direction
overrides, NUL, zero width) are spelt out. The page has the whole report, the removed text included: it is
meant for whoever runs the guard, not for whoever asked the question.
"""

from guardrail.html.page import framed, render, write

__all__ = ["framed", "render", "write"]
