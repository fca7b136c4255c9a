"""`python -m guardrail.cli`: the same as `guardrail`."""

from guardrail.cli import main

if __name__ == "__main__":
    main()
