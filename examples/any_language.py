"""The server in front of a model: any program in any language is guarded by changing its base URL.

Here a stand-in answers instead of a model, and the client is Python's standard library. In production:

    guardrail serve --upstream https://api.openai.com/v1 --config guardrail.toml
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import urllib.request
from pathlib import Path

from guardrail.testing.server import serve

CONFIG = """
[guard]
policy = "annotate"

[[detectors]]
name = "references"
bibliography = "refs.bib"
"""
LIBRARY = (
    "@article{a, title={Attention Is All You Need}, author={Ashish Vaswani and Noam Shazeer}, year={2017}}"
)
ANSWER = "Read one paper:\n\n- Smith, J., & Jones, K. (2017). Attention Is All You Need.\n"


def ask(base_url: str) -> str:
    """One chat completion, as any client sends it."""
    body = {"model": "m", "messages": [{"role": "user", "content": "What should I read?"}]}
    headers = {"Content-Type": "application/json"}
    request = urllib.request.Request(f"{base_url}/chat/completions", json.dumps(body).encode(), headers)
    with urllib.request.urlopen(request, timeout=30) as reply:
        return str(json.load(reply)["choices"][0]["message"]["content"])


def main() -> None:
    """Ask the model, then the server in front of it."""
    with tempfile.TemporaryDirectory() as folder, serve(lambda call: ANSWER) as model:
        Path(folder, "guardrail.toml").write_text(CONFIG, encoding="utf-8")
        Path(folder, "refs.bib").write_text(LIBRARY, encoding="utf-8")
        print(f"--- the model\n{ask(model.base_url)}")
        command = [sys.executable, "-m", "guardrail", "serve", "--upstream", model.base_url, "--port", "0"]
        with subprocess.Popen(command, cwd=folder, stderr=subprocess.PIPE, text=True) as server:
            address = server.stderr.readline().split(" at ")[1].split()[0]  # guarding … at http://… (enforce)
            print(f"--- the server in front of it\n{ask(address)}")
            server.terminate()


if __name__ == "__main__":
    main()
