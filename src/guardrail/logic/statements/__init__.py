"""Statements in text: who is in which relation to whom, and in which years something was the case.

```
words      words as they are compared       lexicon   names and ways of saying, compiled once
items      a sentence as a row of items     sides     names next to an item
reading    statements about two             dates     statements about years
model      Mention, Statement, Dated
```

No tagger and no model: what is known is the lexicon, which the caller makes from the facts at hand
(`guardrail.logic.vocabulary.lexicon`). Time is linear in the text.
"""
