"""guardrail."""
