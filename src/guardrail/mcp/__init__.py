"""The server of tools behind `guardrail mcp`: a model checks references and answers before a person reads them. See docs/mcp.md.

| file | what it has |
| --- | --- |
| `results.py` | what a tool answers: a report, trimmed to what a model needs |
| `tools.py` | the two tools, their bounds and errors |

It needs the extra [mcp], the official SDK of the Model Context Protocol; nothing here is imported before the command runs.
"""
