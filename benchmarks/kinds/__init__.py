"""How the classifier of `guardrail.text.kinds` is learnt, and how well it does on labelled sentences of real answers."""
