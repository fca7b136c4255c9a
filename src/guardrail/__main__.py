"""`python -m guardrail`: the command line where no script is on the path."""

from guardrail.cli import main

if __name__ == "__main__":
    main()
