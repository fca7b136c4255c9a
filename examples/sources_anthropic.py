"""Anthropic's documents, through the server: each block of the answer is judged by the document that it cites.

A stand-in plays the service, so this runs without a key. Yours: `--upstream https://api.anthropic.com/v1`.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import urllib.request
from pathlib import Path

from guardrail.testing.server import serve

CONFIG = '[guard]\npolicy = "correct | annotate"\n\n[[detectors]]\nname = "support"\n'
PAGES = {
    "history.pdf": "The library was built in 1904. It burnt down in 1950.",
    "visit.pdf": "Entrance is free for residents; visitors pay 5 euros.",
}
SAID = [("The library was built in 1904. ", 0), ("Visitors pay 7 euros. ", 1), ("It burnt down in 1950.", 1)]


def document(title: str, text: str) -> dict:
    """A page as the request brings it."""
    source = {"type": "text", "media_type": "text/plain", "data": text}
    return {"type": "document", "title": title, "source": source, "citations": {"enabled": True}}


def block(text: str, number: int) -> dict:
    """A part of the answer with the document that it cites."""
    title, page = list(PAGES.items())[number]
    place = {"type": "char_location", "start_char_index": 0, "end_char_index": len(page)}
    cited = {**place, "document_index": number, "document_title": title, "cited_text": page}
    return {"type": "text", "text": text, "citations": [cited]}


def main() -> None:
    """Start the server in front of the service, ask it, and print each block with what it cites."""
    asked = [
        *(document(*page) for page in PAGES.items()),
        {"type": "text", "text": "What about the library?"},
    ]
    body = {"model": "claude", "max_tokens": 300, "messages": [{"role": "user", "content": asked}]}
    blocks = [block(*part) for part in SAID]
    with tempfile.TemporaryDirectory() as folder, serve(lambda call: {"content": blocks}) as service:
        Path(folder, "guardrail.toml").write_text(CONFIG, encoding="utf-8")
        command = [sys.executable, "-m", "guardrail", "serve", "--upstream", service.base_url, "--port", "0"]
        with subprocess.Popen(command, cwd=folder, stderr=subprocess.PIPE, text=True) as server:
            address = server.stderr.readline().split(" at ")[1].split()[0]
            with urllib.request.urlopen(f"{address}/messages", json.dumps(body).encode()) as reply:
                for one in json.load(reply)["content"]:
                    print(one["text"], [cited["document_title"] for cited in one["citations"]])
            server.terminate()


if __name__ == "__main__":
    main()
