"""Questions with known answers, the prompts that ask them, the reading of replies, and rates.

```
cases        test cases from facts               deriving     what follows from the facts, rule by rule
templates    how a triple is asked               reproof      a second proof of every answer
prompt       the prompts                         reply        what a reply says, and why
evaluation   a chat model's replies; rates
```

Only `cases` and `deriving` need the extra `[logic]` and SWI-Prolog.
"""
